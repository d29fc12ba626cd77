"""The derivation of one answer about a user's model: all of it from terms, theorems and results."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from orderproof.proofs.prove import trust_decided
from orderproof.symbolic.counting import PEOPLE
from orderproof.symbolic.onnx.report import Result

from . import evidence, names, theorem
from .about import About
from .rows import MOST
from .text import NEW, Block, Code, Document, Inline, Line, Math, Section, Table


def document(a: About) -> Document:
    """All of it."""
    r, file = a.result, Path(a.report.file).name
    sections = [
        Section("The theorem", tuple(theorem.blocks(a))),
        Section("The derivation", tuple(_rows(a))),
        Section("Where it stops", tuple(_stuck(a))),
        Section("The constants", tuple(evidence.constants(a))),
        Section("The counterexample", tuple(evidence.witness(a))),
        Section("The translation", tuple(evidence.comparisons(a))),
        Section(trust_decided.TITLE, tuple(evidence.trust())),
    ]
    return Document(
        ("Does ", Code(names.cut(file, 50)), f" see the order along axis {r.axis} of ",
         Code(names.cut(r.input, 40)), "?"),
        f"Does {names.visible(file)} see the order of {names.visible(r.input)}:{r.axis}?",
        (
            ("file", (Code(file),)),
            ("SHA-256", (Code(a.report.model),)),
            ("question", tuple(_question(r))),
            ("written by", (f"orderproof {version('orderproof')}",)),
        ),
        tuple(_answer(r)),
        tuple(s for s in sections if s.blocks),
        tuple(a.symbols.shown),
    )  # fmt: skip


def _question(r: Result) -> Iterator[Inline]:
    yield from (f"what a permutation σ of axis {r.axis} of ", Code(r.input))
    for name, k in map(_place, r.along):
        yield from (f" and of {k} of ", Code(name))
    yield from (" does to the output ", Code(r.output))


# -------------------------------------------------------------------------------------- the answer
def _answer(r: Result) -> Iterator[Line]:
    out = Code(r.output)
    if r.answer == "equivariant":
        axes = _axes(r.output_axis)
        yield ("Equivariant: ", out, f" follows σ along {axes}", *_along(r), *_for(r))
    elif r.answer == "invariant":
        yield ("Invariant: ", out, " does not change", *_along(r), *_for(r))
    elif r.answer == "subgroup" and r.group is not None:
        yield from _group(r)
    elif r.answer == "not equivariant":
        changes = " changes" if r.output_axis is None else ""
        changes = changes or f" does not follow σ along {_axes(r.output_axis)}"
        yield (f"Not equivariant: at {r.scope} there is an input for which ", out, changes, ".")
    else:
        yield (f"{r.answer.capitalize()}: no answer was found.",)
    if r.reason:
        yield ("Because ", Code(r.reason), ".")
    for condition in r.conditions:
        if "moves along" not in condition:
            yield ("To be read with: ", Code(condition), ".")
    if r.stuck and r.answer in ("not equivariant", "subgroup"):
        at = r.stuck[0]
        node: Line = (", in the node ", Code(at.node)) if at.node else ()
        yield ("Order enters at ", Code(at.tensor), *node, ".")


def _group(r: Result) -> Iterator[Line]:
    g = r.group
    if g is None:
        return
    kind = "exactly" if g.exact else "at least"
    follows = (
        "does not change" if r.output_axis is None else f"follows σ along {_axes(r.output_axis)}"
    )
    yield (f"Equivariant under a group: for {kind} {g.order} permutations σ of {g.n} places ",
           Code(r.output), f" {follows}", *_along(r), f": {g.name}.")  # fmt: skip
    listed = "; ".join(", ".join(map(str, PEOPLE.images(s))) for s in g.generators[:12])
    if listed:
        yield (f"Generators, as σ(1), …, σ({g.n}): {listed}.",)


def _place(text: str) -> tuple[str, str]:
    """INPUT:K in words: the input, and its axis or its values."""
    name, _, k = text.rpartition(":")
    return name, "the values" if k == "values" else f"axis {k}"


def _along(r: Result) -> Line:
    """What is permuted too."""
    said: list[Inline] = []
    for name, k in map(_place, r.along):
        said += [" and "] * bool(said) + [f"{k} of ", Code(name)]
    verb = "is" if len(r.along) == 1 else "are"
    return (", where ", *said, f" {verb} permuted by σ too") if said else ()


def _for(r: Result) -> Line:
    """For which sizes, inputs and weights."""
    sizes = "for every size of that axis" if r.scope == "all n" else f"for {r.scope}"
    given = r.proof is not None and r.proof.hypotheses
    weights = "all weights, but for the constants named below" if given else "all weights"
    return (f", {sizes}, every permutation σ, all inputs and {weights}.",)


def _axes(axis: int | tuple[int, ...] | None) -> str:
    if isinstance(axis, tuple):
        return "its axes " + " and ".join(map(str, axis))
    return f"its axis {axis}"


# ---------------------------------------------------------------------------------- the derivation
def _rows(a: About) -> Iterator[Block]:
    m = a.model
    if m is None:
        return
    rows, total = m.rows(), m.lines
    how = (
        "how σ moves it by the kernel's theorem about that part"
        if a.pushed
        else "but not how σ moves it, for the push did not go through"
    )
    yield (
        "The term of the output, a line for each tensor that an operator makes: what it is, and "
        f"{how}. A reshape or a transpose has the entries of its argument, under other indices, "
        "and no line of its own.",
    )
    if total > MOST:
        yield (f"The first {MOST} lines of {total}; the certificate has the whole derivation.",)
    each = []
    for row in rows:
        name: Line = (Code(row.name), NEW, f"{row.operator}, ", Code(row.node))
        why: Line = (": ", *row.why) if row.why and row.why[0] else ()
        moved: Line = (*row.motion, *why) if a.pushed else ("",)
        each.append((name, (Math(row.formula, wide=True),), moved))
    yield Table(("tensor", "is", "σ"), tuple(each), (0.27, 0.5, 0.23), small=True)


def _stuck(a: About) -> Iterator[Block]:
    r = a.result
    if r.stuck:
        bare = "Without a hypothesis, and with nothing else moving along, σ does not pass "
        yield (bare if a.pushed else "σ does not pass ", "these tensors:")
        for s in r.stuck:
            node: Line = (", in the node ", Code(s.node)) if s.node else ()
            yield (Code(s.tensor), *node)
    for tried in r.proof.stuck if r.proof is not None else ():
        yield ("In the words of the push: ", Code(str(tried)))
