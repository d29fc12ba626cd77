"""The certificate of a model's theorem, in which Rocq proves by itself how the term moves."""

from __future__ import annotations

import re

from orderproof.check.rocq.certificate import NoCertificate, certificate
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.terms import Node, applied, reachable
from orderproof.symbolic.models.builders import image
from orderproof.symbolic.onnx.report import Result

from .derivation import term_of
from .names import cut

LARGEST = 20_000  # nodes of a term: beyond, Rocq would take too long
PREFIX = "decided_"


def text_of(r: Result, stem: str) -> str:
    """The file for a result's push; NoCertificate, with the reason, where there can be none."""
    pushed = r.proof.pushed
    term = term_of(r)
    if term is None:
        raise NoCertificate("the output is a constant of the model")
    if image(term, pushed.moves).node is not pushed.theorem.lhs.node:
        raise NoCertificate("the push is not of the output's term")
    below = reachable(term.node)
    if len(below) > LARGEST:
        raise NoCertificate(f"given a term of {len(below)} nodes, expected at most {LARGEST}")
    _printable(below)
    rows = [h.name for h in r.proof.hypotheses if h.node is not None and h.tensor is None]
    if rows:
        raise NoCertificate(
            f"the hypothesis on {rows[0]} is about rows of a constant, not all of it"
        )
    facts = [kernel.hyp(*h) for h in sorted(pushed.theorem.hyps, key=str)]
    said = cut(f"{r.output} of {r.input}:{r.axis}", 200)
    return certificate(pushed, term, theorem_name(stem), facts, said)


def theorem_name(stem: str) -> str:
    """The name of the theorem in a file."""
    return PREFIX + re.sub(r"\W", "_", stem, flags=re.ASCII)


def _printable(nodes: list[Node]) -> None:
    """Refuse names that a string of Rocq, or a comment, might not hold."""
    for node in nodes:
        op = applied(node.op) or node.op
        name = op.data[0] if op.data else ""
        if isinstance(name, str) and not name.isprintable():
            raise NoCertificate(
                f"given the name {ascii(name)[:60]}, expected one that is printable"
            )
