"""Certificates: for a term that was pushed, a file in which Rocq proves by itself how it moves.

The file lists the nodes of the term with the maps that move their axes; `check` (proofs/rocq/
SoundProgram.v) runs over that list, and `check_sound` makes a theorem of it for all sizes, values
and permutations. Nothing here is trusted: a wrong list is rejected by Rocq.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Node, Op, Term, at, signature
from orderproof.symbolic.derive.equations import one_layer
from orderproof.symbolic.derive.push import Motion, Pushed, Stuck, _Pusher
from orderproof.symbolic.models.builders import image, in_order, opened_at, symbols
from orderproof.symbolic.models.names import name_of, node_name
from orderproof.symbolic.readings.rocq_terms import iexp, imap, iset, name, op, seq, string
from orderproof.symbolic.statements.statement import Atom, Statement

from .library import CLOSED, PROGRAMS
from .run import LIMIT, RocqError, RocqTimeout, coqc


class NoCertificate(ValueError):
    """There is nothing to certify, or not in this form: says why, and that it is no disproof."""

    def __init__(self, reason: object) -> None:
        super().__init__(f"no certificate: {reason}; this is not a disproof")


@dataclass(frozen=True)
class Checked:
    """Whether Rocq accepts a certificate; `detail` is what it said, in one line if it does not."""

    ok: bool | None  # None: not within the time limit
    seconds: float
    detail: str


def motion(m: Motion) -> str:
    """What moves each axis, in Rocq."""
    return seq(f"Some {imap(x)}" if x else "None" for x in m)


class _Writer:
    """Programs for a term and for the bodies of its definitions, each written once."""

    def __init__(self, facts: Sequence[Theorem]) -> None:
        self.facts = facts
        self.bodies: dict[tuple[Op, tuple[Motion, ...]], str] = {}
        self.written: list[str] = []
        self.fixed: dict[Op, Motion] = {}

    def program(self, called: str, root: Node, moves: Mapping[Op, Motion], top: bool) -> Motion:
        """Defines the program of a node; what moves the axes of the node."""
        pusher = _Pusher(moves, self.facts if top else ())
        whole = pusher.motions(root)[root]
        asked: dict[Node, list[Motion]] = {root: [whole]}
        below = in_order(root)
        for node in reversed(below):
            for want in asked[node]:
                for part, theirs in pusher._needs(node, want) or self._fixed(pusher, node, want):
                    if theirs not in asked.setdefault(part, []):
                        asked[part].append(theirs)
        number: dict[tuple[Node, Motion], int] = {}
        lines = []
        for node in below:
            for want in asked[node]:
                number[node, want] = len(number) + 1
                lines.append("  " + self._instruction(pusher, node, want, number))
        text = ";\n".join(lines)
        self.written.append(f"Definition {called} : program := [::\n{text}]%positive.\n")
        return whole

    def _fixed(self, pusher: _Pusher, node: Node, want: Motion) -> list[tuple[Node, Motion]]:
        """A tensor that a hypothesis leaves as it is under maps, and is moved by them therefore."""
        known = pusher._fact(node, want)
        if known and (node.op.kind != "leaf" or self.fixed.setdefault(node.op, want) != want):
            raise NoCertificate(f"the fact about {node_name(node)} is not of that form")
        return []

    def _instruction(
        self, pusher: _Pusher, node: Node, want: Motion, number: Mapping[tuple[Node, Motion], int]
    ) -> str:
        needs = pusher._needs(node, want)
        if len(needs) > len(node.args):
            raise NoCertificate(f"{node_name(node)} asks more of a part than how it moves")
        wires = [
            f"({number[need]}, {seq(map(name, part.axes))})"
            for part, need in zip(node.args, needs, strict=True)
        ]
        inner = tuple(
            tuple(
                next((m for a, m in zip(p.axes, need[1], strict=True) if a == -1 - k), None)
                for k in range(len(b))
            )
            for p, need, b in zip(node.args, needs, signature(node.op)[0], strict=True)
        )
        written = op(node.op, lambda _: self._body(*one_layer(node.op, inner)))
        return f"Ins {written} {seq(wires)} {seq(map(iset, node.sets))} {motion(want)}"

    def _body(self, definition: Op, inner: tuple[Motion, ...]) -> str:
        """The name of the program of a definition's body, its formals moved so."""
        key = definition, inner
        if key not in self.bodies:
            shown = re.sub(r"\W", "_", str(definition.data[0]), flags=re.ASCII)
            called = f"body_{len(self.bodies) + 1}_{shown}"
            self.bodies[key] = called
            moves = dict(zip(definition.data[1], inner, strict=True))
            self.program(called, definition.data[2], moves, top=False)
        return self.bodies[key]


def certificate(
    pushed: Pushed | Stuck,
    term: Term,
    theorem: str,
    facts: Sequence[Theorem] = (),
    statement: str = "",
) -> str:
    """The file for a push of term, with the facts that it was given; NoCertificate if it is stuck.

    `theorem` names the theorem in the file, and `statement` is how the project prints it.
    """
    if isinstance(pushed, Stuck):
        raise NoCertificate(pushed)
    if not re.fullmatch(r"[A-Za-z]\w*", theorem, flags=re.ASCII):
        raise NoCertificate(f"given the name {theorem!r}, expected letters, digits and _")
    odd = [f for f in facts if not _is_place(f) and opened_at(f.lhs)[0].node.op.kind != "leaf"]
    if odd:
        raise NoCertificate(f"the fact {odd[0]} is about neither a tensor nor a place")
    writer = _Writer(facts)
    whole = writer.program("whole", term.node, pushed.moves, top=True)
    places = [_place(fact) for fact in facts if _is_place(fact)]
    moved = _table(pushed.moves)
    words = [statement] if statement else []
    words += [f"{x.data[0]} moved by {_named(m)}" for x, m in pushed.moves.items() if any(m)]
    words += [f"{x.data[0]} fixed by {_named(m)}" for x, m in writer.fixed.items()]
    words.append(f"then the whole is moved by {_named(whole)}" if any(whole) else "nothing changes")
    maps = [imap(m) for m in symbols(term)[1] if m.data[1] != (m.data[2],)]
    comment = "; ".join(words).replace("(*", "( *").replace("*)", "* )").replace('"', "'")
    return f"""(* {theorem}: {comment}.
   For all sizes, values and maps of these names and types. *)
Set Warnings "-notation-overridden".
From Coq Require Import String BinInt.
From mathcomp Require Import all_ssreflect.
From orderproof Require Import {" ".join(PROGRAMS)}.
Open Scope string_scope. Open Scope seq_scope.

{"".join(writer.written)}
Definition moved : leaf_moves := {moved}.
Definition fixed : leaf_moves := {_table(writer.fixed)}.
Definition context_ : context := ({seq(maps)}, {seq(places)}).
Definition motion_ : moves := {motion(whole)}.

Theorem {theorem} (M : model) : good M context_.1 -> equations_hold M context_.2 ->
  forall T' T : tensors M, leaf_rel moved T' T -> fixes fixed T ->
  forall xs, typed M xs {seq(map(iset, term.node.sets))} ->
  den T' (decode whole) xs = den T (decode whole) (act M motion_ xs).
Proof.
have ok : check context_ (moved ++ fixed) whole motion_ by vm_compute.
by move=> G E; exact: (certified G E ok).
Qed.
Print Assumptions {theorem}.
"""


def certified(term: Term, pushed: Pushed) -> Statement:
    """What the certificate of a push states: the term with these tensors moved is the term with
    these axes moved, for all sizes, under the hypotheses of the push."""
    motion = zip(term.axes, pushed.motion, strict=True)
    whole = at(term, {a: m(a) for a, m in motion if m})
    given = frozenset(Atom(a, "=", b) for a, b in pushed.theorem.hyps)
    return Statement(Atom(image(term, pushed.moves), "=", whole), given)


def _named(m: Motion) -> str:
    return "(" + ", ".join(name_of(x) if x else "-" for x in m) + ")"


def _table(moves: Mapping[Op, Motion]) -> str:
    rows = (
        f"(({string(x.data[0])}, {seq(map(iset, x.data[1]))}), {motion(m)})"
        for x, m in moves.items()
    )
    return seq(rows)


def _is_place(fact: Theorem) -> bool:
    return opened_at(fact.lhs)[0].node.op.kind == "iota" and not fact.lhs.axes


def _place(fact: Theorem) -> str:
    """ι(e) = ι(f) as the equation of the places e and f."""
    e, f = (next(iter(opened_at(t)[1].values())) for t in (fact.lhs, fact.rhs))
    return f"({iexp(e)}, {iexp(f)})"


# --------------------------------------------------------------------------------------- Rocq
def check_file(path: Path, library: Path, limit: float = LIMIT) -> Checked:
    """Whether Rocq accepts a certificate, and says that it rests on no assumption."""
    try:
        ran = coqc(path, library, limit)
    except RocqTimeout as error:
        return Checked(None, limit, str(error))
    except RocqError as error:
        return Checked(False, 0.0, str(error))
    if ran.said.strip() != CLOSED:
        return Checked(False, ran.seconds, f"assumptions: {ran.said.strip() or 'not shown'}")
    return Checked(True, ran.seconds, CLOSED)
