"""The theorem about a model as it is printed, from the kernel's object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Op
from orderproof.symbolic.models.builders import Motion, image
from orderproof.symbolic.readings.printer import Label

from .about import About
from .printing import ModelPrinter
from .rows import Model
from .text import Block, Display, Math

LAWS = {
    "perm": "Nothing is used of numbers and functions but that a sum, a product, a maximum or a "
    "minimum does not depend on the order of what it is taken of.",
    "ring": "The arithmetic of numbers is used, which does not hold with infinities among them.",
}


def blocks(a: About) -> Iterator[Block]:
    """Hypotheses, the equation, and what its primed tensors are."""
    theorem, m = a.theorem, a.model
    if theorem is not None and m is None:
        yield ("No input is in the term of the output: it is a constant of the model.",)
    if theorem is None or m is None:
        return
    yield (
        "The kernel proved, for all sizes of the index sets, all values of the tensors and every "
        f"permutation σ {_places(a, m)}",
        ", that where" if theorem.hyps else ":",
    )
    for k, (left, right) in enumerate(a.hypotheses(), 1):
        letters = a.letters({x: right.sets[x] for x in range(len(right.axes))}, m)
        sides = (m.printer.entry(t, letters) for t in (left, right))
        yield Display(" = ".join(sides), f"(H{k})")
    if theorem.hyps:
        yield ("it follows that",)
    yield Display(" = ".join(_sides(a, m, theorem)))
    moves = a.result.proof.pushed.moves if a.pushed else {}
    moves = {op: x for op, x in moves.items() if any(x) and m.leaves[op].role == "input"}
    if moves and image(m.term, moves).node is theorem.lhs.node:
        yield ("where the output with a prime is the output for the moved inputs,",)
        yield from (Display(_moved(a, m, op, motion)) for op, motion in moves.items())
    yield (
        "Indices of dimensions of size 1 are left out; a dimension that a reshape merged has one "
        "index for each of its factors. Places are moved as ",
        Math(r"(P X)_{i} = X_{\sigma(i)}"), ".",
    )  # fmt: skip
    if a.result.proof.same is not None:
        yield (
            "It is about the output's term with the choice of places pushed to the tensors that "
            "they are chosen of, which the kernel proved equal to the term as the file has it.",
        )
    yield (f"Law {theorem.law}. {LAWS.get(theorem.law, '')}",)


def _places(a: About, m: Model) -> str:
    """What σ permutes."""
    if a.over is None or a.whole:
        return "of the axis in question"
    return f"of the {m.printer.plain_size(a.over)} places that move, the others at rest"


def _sides(a: About, m: Model, theorem: Theorem) -> tuple[str, str]:
    """The output for moved inputs, primed, and the output moved. The theorem's axes are the slots
    of the term."""
    r = a.result
    dims: dict[int, Any] = dict(enumerate(m.term.axes))
    slots = sorted(dims, key=lambda k: dims[k])
    letters = a.letters({k: m.term.node.sets[k] for k in slots}, m)
    labels = {**m.style.labels, m.term.node: Label(r.output, tuple(slots))}
    if theorem.lhs.node is not m.term.node:
        at_slot = {axis: k for k, axis in enumerate(theorem.lhs.axes)}
        labels[theorem.lhs.node] = Label(r.output, tuple(at_slot[k] for k in slots), primed=True)
    shown = ModelPrinter(a.symbols, replace(m.style, labels=labels), m.sizes)
    return shown.entry(theorem.lhs, letters), shown.entry(theorem.rhs, letters)


def _moved(a: About, m: Model, op: Op, motion: Motion) -> str:
    """What an input with a prime is."""
    letters = a.letters(dict(enumerate(op.data[1])), m)
    own = [letters[k] for k in range(len(motion))]
    to, name = m.printer.to, str(op.data[0])
    maps = [to.applied(m.printer.map(x), [i]) if x else i for x, i in zip(motion, own, strict=True)]
    left, right = to.tensor(name, primed=True), to.tensor(name)
    return f"{to.indexed(left, own)} = {to.indexed(right, maps)}"
