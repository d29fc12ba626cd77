"""What of a model's symmetry the kernel proves, and on what it rests.

Every permutation σ of the set of tokens moves the tensors that have an axis over that set. The
inputs in question are moved; then the model's term comes out moved, or not at all, provided that
each constant that has such an axis is not changed by σ: K moved = K. The theorem is about all
sizes, all inputs, all weights and every σ; which σ leave the constants as they are is a question
of its own. A constant that the push never asks about is no hypothesis.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

from orderproof.symbolic.calculus import kernel as k
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import (
    Map,
    Node,
    Op,
    Set,
    Sets,
    Term,
    at,
    build,
    reachable,
    rebuild,
)
from orderproof.symbolic.derive.equations import act, chain, refl, slots
from orderproof.symbolic.derive.push import Pushed, push
from orderproof.symbolic.derive.rewrite import replaced
from orderproof.symbolic.derive.select import inward
from orderproof.symbolic.derive.stuck import Stuck
from orderproof.symbolic.models.builders import Motion, constant, permutation

from .atoms import Atoms, Size
from .graph import VALUES, Place, Unsupported
from .values import Leaf, Realised, Tensor
from .words import AT_PLACES

SIGMA = "σ"


@dataclass(frozen=True)
class Hypothesis:
    """What σ must leave as it is: a constant of the term, or one row of it, moved along these of
    its axes; or one place, a constant of the set of tokens."""

    name: str
    node: Node | None
    leaf: Leaf | None
    motion: Motion
    place: Size | None = None

    @property
    def tensor(self) -> Op | None:
        """The constant, where all of it is meant."""
        return self.node.op if self.node is not None and self.node.op.kind == "leaf" else None


@dataclass(frozen=True)
class Conditional:
    """The theorem: with the inputs moved along these places, the output is moved along these
    dimensions, for every σ that fixes the constants of the hypotheses."""

    theorem: Theorem
    moved: tuple[Place, ...]
    output_dims: tuple[int, ...]
    words: tuple[str, ...]  # how an output dimension is moved that is more than the tokens
    hypotheses: tuple[Hypothesis, ...]
    stuck: tuple[Stuck, ...]  # where it would be stuck without the hypotheses
    same: Theorem | None  # where it is about another term: that the output's is equal to it
    pushed: Pushed | None = None  # with the theorem of each part; None where nothing moves

    @property
    def output_axis(self) -> int | tuple[int, ...] | None:
        """The dimension along which the output is moved, or several; None where it stays."""
        dims = self.output_dims
        return None if not dims else dims[0] if len(dims) == 1 else dims


@dataclass(frozen=True)
class NoTheorem:
    """Why there is none."""

    reason: str
    stuck: tuple[Stuck, ...] = ()


def lifted(s: Set, over: Set) -> Map | None:
    """What σ does to an index set that has the tokens in it: itself, or in a sum, part by part."""
    if s == over:
        return permutation(SIGMA, over)
    if s.name == "+":
        left, right = (lifted(part, over) for part in s.parts)
        if left or right:
            both = [
                m or Map("identity", (part,))
                for m, part in zip((left, right), s.parts, strict=True)
            ]
            return Map("beside", tuple(both))
    return None


def motion_of(sets: Sets, over: Set) -> Motion:
    """What moves each axis of a tensor if all axes over the tokens move."""
    return tuple(lifted(s, over) for s in sets)


def constant_of(node: Node) -> Op:
    """The tensor that a node is, or picks rows of."""
    return node.args[0].node.op if node.op.kind == "at" else node.op


def constant_name(node: Node) -> str:
    """What the tensor is called, and that rows of it are meant where they are."""
    name = str(constant_of(node).data[0]) if constant_of(node).kind == "leaf" else ""
    return f"{name}{AT_PLACES}" if node.op.kind == "at" else name


def axes_moved(atoms: Atoms, leaf: Leaf, over: Set) -> list[Place]:
    """The dimensions of an input that have the tokens in them; of one that is renamed its values,
    and those dimensions too. Unsupported where they are of a part of it alone."""
    name, renamed = leaf.source, leaf.table is not None  # then the tokens are on its last axis
    found = [
        (name, i)
        for i, dim in enumerate(leaf.dims[:-1] if renamed else leaf.dims)
        if any(lifted(atoms.set(a), over) for a in atoms.resolve(dim))
    ]
    if renamed and found and leaf.source != leaf.input:
        raise Unsupported(name, f"its values and its places would both move with {leaf.input}")
    return [(leaf.input, VALUES), *found] if renamed else found


def conditionals(
    realised: Realised, tensor: Tensor, asked: Place, over: Set, along: Sequence[Place]
) -> list[Conditional] | NoTheorem:
    """The theorems about an output, where the push goes through; inputs that have the tokens on an
    axis move along, as far as they must. Where the model picks a position there may be two: one of
    the term as it is, one with the choice pushed to the tensors, which assumes less of a mask."""
    term = realised.of(tensor)
    about = partial(_conditional, realised, tensor, asked, over, along)
    found = [about(term)]
    if isinstance(found[0], NoTheorem) or found[0].hypotheses:
        found.append(about(term, everything=True))
        same = inward(term)
        if same.rhs.node is not term.node:
            found.append(about(same.rhs.rename(dict(enumerate(term.axes))), same))
    stuck = next((c.stuck for c in found if c.stuck), ())
    theorems = [replace(c, stuck=stuck) for c in found if isinstance(c, Conditional)]
    return theorems or found[0]  # type: ignore[return-value]


def _conditional(
    realised: Realised,
    tensor: Tensor,
    asked: Place,
    over: Set,
    along: Sequence[Place],
    term: Term,
    same: Theorem | None = None,
    *,
    everything: bool = False,
) -> Conditional | NoTheorem:
    """The theorem about a term, which `same` says to be equal to the output's. With `everything`
    the constants are moved too, and then put back by the hypotheses."""
    nodes = reachable(term.node)
    leaves = {n.op: realised.leaves[n.op] for n in nodes if n.op in realised.leaves}
    inputs = {op: leaf for op, leaf in leaves.items() if leaf.role == "input"}
    assumed = [
        Hypothesis(constant_name(n), n, leaves[constant_of(n)], motion_of(n.sets, over))
        for n in nodes
        if constant_of(n) in leaves and leaves[constant_of(n)].role != "input"
        if any(motion_of(n.sets, over))
    ] + [
        Hypothesis(str(m.data[0]), None, None, (), realised.maps[m.data[0]])
        for m in sorted(term.node.maps, key=str)
        if m.data[0] in realised.maps and m.data[2] == over
    ]
    equations = [_equation(h, over) for h in assumed]
    facts = [k.hyp(*each) for each in equations]
    for name in (name for name, place in along if place == VALUES):
        if any(leaf.source == name and leaf.table is None for leaf in inputs.values()):
            return NoTheorem(f"{name} is used otherwise than to choose tokens")
    named = {name for name, _ in (asked, *along)}
    every = {op: m for op in inputs if any(m := motion_of(op.data[1], over))}
    first = {op: m for op, m in every.items() if inputs[op].input in named}
    if not first and asked[0] in {leaf.input for leaf in inputs.values()}:
        return NoTheorem(
            "the output does not depend on that axis of the input in a way that is read"
        )
    if not first:
        return Conditional(refl(term), (asked,), (), (), (), (), same)
    constants = {h.tensor: h.motion for h in assumed if h.tensor is not None and everything}
    tried: list[Stuck] = []
    for moves, given in product(
        [first, {**first, **every}] if len(first) < len(every) else [first],
        [[], facts] if facts and not everything else [facts],
    ):
        found = push(term, {**moves, **constants}, given)
        if isinstance(found, Stuck):
            tried.append(found)
            continue
        theorem = _put_back(found.theorem, facts) if everything else found.theorem
        pairs = zip(assumed, equations, strict=True)
        used = [(h, each) for h, each in pairs if k.equation(*each) in theorem.hyps]
        if not _says(theorem, term, moves, found.motion, [each for _, each in used]):
            return NoTheorem("the theorem is about something else")
        moved = (p for op in moves for p in axes_moved(realised.atoms, inputs[op], over))
        dims, words = output_dims(realised, tensor, term, found.motion)
        return Conditional(
            theorem, tuple(moved), dims, words, tuple(h for h, _ in used),
            tuple(dict.fromkeys(tried)), same, found,
        )  # fmt: skip
    return NoTheorem("no proof was found", tuple(dict.fromkeys(tried)))


def _says(
    theorem: Theorem,
    term: Term,
    moved: Mapping[Op, Motion],
    motion: Motion,
    given: Iterable[k.Equation],
) -> bool:
    """Whether a theorem says, under these hypotheses and no others, that the term, with these
    inputs moved and nothing else changed, is the term moved."""
    acted = {op: act(build(op, names=range(len(m))).node, m) for op, m in moved.items()}
    stated = k.equation(rebuild(term.node, acted), act(term.node, motion))
    same = k.equation(theorem.lhs, theorem.rhs) == stated
    return k.is_theorem(theorem) and same and theorem.hyps == {k.equation(*h) for h in given}


def _put_back(theorem: Theorem, facts: Sequence[Theorem]) -> Theorem:
    """A theorem with K in place of K moved on its left side, by the hypotheses that say so."""
    for fact in facts:
        same = replaced(theorem.lhs, fact)
        if same is not None:
            theorem = chain(k.sym(same), theorem)
    return theorem


def _equation(h: Hypothesis, over: Set) -> tuple[Term, Term]:
    """K moved = K, or ι(σ(q)) = ι(q) of a place q."""
    if h.node is not None:
        return act(h.node, h.motion), slots(h.node)
    place = constant(h.name, over)
    iota = build(Op("iota", (over,)), names=["i"])
    moved = at(iota, {"i": permutation(SIGMA, over)(place())})
    return moved, at(iota, {"i": place()})


def output_dims(
    realised: Realised, tensor: Tensor, term: Term, motion: Motion
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The dimensions of the output along which it is moved; and in words how, where one is more
    than the tokens: joined with others, or merged with others by a reshape."""
    atoms, motions, words = realised.atoms, dict[int, dict[int, Map]](), list[str]()
    for axis, m in zip(term.axes, motion, strict=True):
        if m is not None:
            i, factor = axis[0], axis[1]  # type: ignore[index]
            motions.setdefault(i, {})[factor] = m
    for i, own in sorted(motions.items()):
        factors = atoms.resolve(tensor.dims[i])
        joined = {k for k, m in own.items() if m.kind == "beside"}
        if len(factors) > 1 or joined:
            sizes = [str(atoms.canonical(a.size)) for a in factors]
            for k in joined:
                parts = [str(atoms.canonical(p.size)) for p in atoms.leaves(factors[k])]
                sizes[k] = " + ".join(parts) if len(factors) == 1 else f"({' + '.join(parts)})"
            what = "one factor" if len(own) == 1 else f"{len(own)} factors"
            words.append(
                f"axis {i} of the output has {' × '.join(sizes)} places: "
                f"σ moves {'those of tokens' if joined else what}"
            )
    return tuple(sorted(motions)), tuple(words)
