"""What an answer rests on, as it is printed: constants, the counterexample, the comparisons of the
translation, and what must be believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from orderproof.proofs.prove import trust_decided
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.counting import PEOPLE

from . import translation
from .about import About
from .text import Block, Code, Inline, Line, Table

VALUES = 48  # entries of an input that are printed; of more, the file has them
LEAVES = 200
WITNESSES = 3
BY_SOLVERS = "By two solvers, which found no size, no σ and no entry that σ changes: "
BY_LISTING = "By the values that onnxruntime computes, at each size and for each entry: "


def constants(a: About) -> Iterator[Block]:
    """The hypotheses and how they were settled; the free tensors of the term."""
    r = a.result
    if a.model is None:
        return
    if r.proof is not None and r.proof.hypotheses:
        given = [x for h in r.proof.hypotheses for x in (", ", Code(h.name))][1:]
        yield ("The theorem takes for given that σ leaves these as they are: ", *given, ".")
        if r.answer in ("equivariant", "invariant"):
            yield (f"Every permutation does, for {r.scope}.",)
        elif r.answer == "subgroup":
            yield (f"The permutations of the group do, at {r.scope}, entry by entry.",)
        else:
            yield ("Not every permutation does.",)
        for how, settled in ((BY_SOLVERS, r.by_solvers), (BY_LISTING, r.by_listing)):
            if settled:
                each = [x for name in settled for x in (", ", Code(name))][1:]
                yield (how, *each, ".")
        for e in r.evidence:
            if e.kind == "smt" and e.file:
                yield ("A question to solvers: ", Code(e.file), ".")
    yield from _leaves(a, a.model.term)


def _leaves(a: About, term: Term) -> Iterator[Block]:
    """The free tensors of the term: in a table those that are more than weights of a fixed size."""
    rows: list[tuple[Line, ...]] = []
    weights: list[Inline] = []
    count = 0
    for leaf in translation.leaves(a.result, term):
        size, value = " × ".join(leaf["sizes"]) or "1", _value(a, leaf["source"])
        if leaf["role"] == "constant" and value == ("",) and re.fullmatch("[0-9 ×]+", size):
            count += 1
            if count <= LEAVES:
                weights += [", "] * bool(weights) + [Code(leaf["name"]), f" ({size})"]
        else:
            rows.append(((Code(leaf["name"]),), (leaf["role"],), (Code(size),), value))
    yield (
        "The free tensors of the term: the theorem, where there is one, holds for all values of "
        "them but for its hypotheses.",
    )
    if len(rows) > LEAVES:
        yield (f"The first {LEAVES} of {len(rows)}; translation.json has all.",)
    if rows:
        head, widths = ("tensor", "is", "size", "value"), (0.46, 0.14, 0.2, 0.2)
        yield Table(head, tuple(rows[:LEAVES]), widths, small=True)
    if weights:
        more = "" if count <= LEAVES else f", and {count - LEAVES} more"
        yield ("Weights, each with its size: ", *weights, f"{more}.")


def _value(a: About, source: str) -> Line:
    """The value of a constant that is one number."""
    graph = a.report.graph
    array = graph.constants.get(source) if graph is not None else None
    return (str(array.reshape(-1)[0]),) if array is not None and array.size == 1 else ("",)


# -------------------------------------------------------------------------------- the refutation
def witness(a: About) -> Iterator[Block]:
    """Each counterexample: one of each way in which the output could have followed σ, or of each
    double coset of the group."""
    every = a.result.witnesses or ((a.result.witness,) if a.result.witness is not None else ())
    files = [e.file for e in a.result.evidence if e.kind == "witness"]
    if len(every) > WITNESSES:
        yield (f"The first {WITNESSES} of {len(every)}; the files have the others.",)
    for w, file in zip(every[:WITNESSES], [*files, *[None] * len(every)], strict=False):
        yield from _counterexample(w, file)


def _counterexample(w: Any, file: str | None) -> Iterator[Block]:
    """σ, the inputs, the entry, and both of its enclosures."""
    yield (f"σ(1), …, σ({len(w.sigma)}) = {', '.join(map(str, PEOPLE.images(w.sigma)))}, with the "
           "inputs",)  # fmt: skip
    for name, v in w.inputs.items():
        shape = f" ({' × '.join(map(str, v.shape)) or '1'}) = "
        few = len(v.entries) <= VALUES
        yield (Code(name), shape, Code(_nested(v.shape, v.entries)) if few else "in the file")
    entry = ", ".join(str(PEOPLE(k)) for k in w.entry)
    yield (f"The entry [{entry}] of ", Code(w.output),
           f", indices counted from 1, enclosed in balls of {w.bits} bits:")  # fmt: skip
    other = "not changed by σ, it would be" if w.output_axis is None else "moved by σ, it would be"
    sides = (("for the moved inputs it is", w.moved), (other, w.expected))
    yield Table(
        ("", "between", "and"),
        tuple(((what,), *((_decimal(end),) for end in side)) for what, side in sides),
        (0.4, 0.3, 0.3),
    )
    if file:
        yield ("The file ", Code(file), " has it exactly; ", Code("orderproof replay"),
               " with this file and ", Code("--model"), " rechecks it.")  # fmt: skip


def _nested(shape: tuple[int, ...], entries: tuple[Fraction, ...]) -> str:
    """Entries in brackets, as NumPy nests them."""
    if not shape:
        return str(entries[0])
    step = len(entries) // shape[0] if shape[0] else 0
    parts = (_nested(shape[1:], entries[k * step : (k + 1) * step]) for k in range(shape[0]))
    return f"[{', '.join(parts)}]"


def _decimal(end: Fraction) -> str:
    from orderproof.symbolic.witness.fields import decimal

    return decimal(end)


# ---------------------------------------------------------------------------------- the evidence
def comparisons(a: About) -> Iterator[Block]:
    """The translation against onnxruntime, the operators, and the files."""
    found = a.result.checks
    if found:
        rows = tuple(
            (
                (Code(", ".join(f"{k} = {v}" for k, v in c.sizes.items())),),
                ("random" if c.random_weights else "given",), (str(c.seed),),
                (f"{c.error:.2g}",), (f"{c.tolerance:.2g}",), (f"{c.spread:.2g}",),
                ("agrees" if c.agrees else Code(c.problem) if c.problem else "differs",),
            )
            for c in found
        )  # fmt: skip
        yield (
            "The term, evaluated in double precision, against the model. The tolerance is an "
            "estimate of rounding; the spread is that of the output's entries.",
        )
        head = ("sizes", "weights", "seed", "error", "tolerance", "spread", "")
        yield Table(head, rows, (0.26, 0.12, 0.08, 0.13, 0.13, 0.11, 0.17), small=True)
    used = translation.operators(a.report, a.result.output)
    if used:
        said: list[Inline] = []
        for op, k in used.items():
            said += [", "] * bool(said) + [Code(op), f" ({k})"]
        yield ("Operators of the file that the output is made by: ", *said, ".")
    for e in a.result.evidence:
        if e.kind == "rocq" and e.file:
            yield ("The certificate of the derivation, for Rocq: ", Code(e.file), ".")
        elif e.kind == "rocq":
            yield ("There is no certificate for Rocq: ", Code(e.detail))


def trust() -> Iterator[Block]:
    """What must be believed, in the words of the trust page."""
    yield (trust_decided.ABOUT,)
    rows = tuple(((t.name,), (t.says,), (t.believe,)) for t in trust_decided.DECIDED)
    yield Table(("part", "what it does", "you must believe"), rows, (0.14, 0.43, 0.43), small=True)
