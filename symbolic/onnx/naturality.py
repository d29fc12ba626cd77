"""What of a model's symmetry the kernel proves, and on what it rests.

Every permutation σ of the set of tokens moves the tensors that have an axis over that set. The
inputs in question are moved; then the model's term comes out moved, or not at all, provided that
each constant that has such an axis is not changed by σ: K moved = K. The theorem is about all
sizes, all inputs, all weights and every σ; which σ leave the constants as they are is a question
of its own. A constant that the push never asks about is no hypothesis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orderproof.symbolic.calculus import kernel as k
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Map, Op, Set, Term, at, build, reachable
from orderproof.symbolic.derive.equations import act, refl, slots
from orderproof.symbolic.derive.push import push
from orderproof.symbolic.derive.select import inward
from orderproof.symbolic.derive.stuck import Stuck
from orderproof.symbolic.models.builders import Motion, constant, permutation

from .atoms import Atoms, Dim, Size
from .values import Leaf, Realised, Tensor

SIGMA = "σ"
Place = tuple[str, int]  # an input and one of its dimensions


@dataclass(frozen=True)
class Hypothesis:
    """What σ must leave as it is: a constant of the term, moved along these of its axes; or one
    place, a constant of the set of tokens."""

    name: str
    tensor: Op | None
    leaf: Leaf | None
    motion: Motion
    place: Size | None = None


@dataclass(frozen=True)
class Conditional:
    """The theorem: with the inputs moved along these places, the output is moved along these
    dimensions, for every σ that fixes the constants of the hypotheses."""

    theorem: Theorem
    moved: tuple[Place, ...]
    output_dims: tuple[int, ...]
    hypotheses: tuple[Hypothesis, ...]
    stuck: tuple[Stuck, ...]  # where it would be stuck without the hypotheses
    same: Theorem | None  # where it is about another term: that the output's is equal to it


@dataclass(frozen=True)
class NoTheorem:
    """Why there is none."""

    reason: str
    stuck: tuple[Stuck, ...] = ()


def tokens(atoms: Atoms, dim: Dim) -> Set | None:
    """The index set of the axis in question; None where it is made of others."""
    own = atoms.resolve(dim)
    if len(own) != 1 or own[0].parts:
        return None
    return atoms.set(own[0])


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


def motion_of(op: Op, over: Set) -> Motion:
    """What moves each axis of a tensor if all axes over the tokens move."""
    return tuple(lifted(s, over) for s in op.data[1])


def places_of(atoms: Atoms, name: str, leaf: Leaf, over: Set) -> list[Place]:
    """The dimensions of an input that have the tokens in them."""
    return [
        (name, i)
        for i, dim in enumerate(leaf.dims)
        if any(lifted(atoms.set(a), over) for a in atoms.resolve(dim))
    ]


def conditionals(
    realised: Realised, tensor: Tensor, asked: Place, over: Set, along: Sequence[Place]
) -> list[Conditional] | NoTheorem:
    """The theorems about an output, where the push goes through; inputs that have the tokens on an
    axis move along, as far as they must. Where the model picks a place there may be two: one of the
    term as it stands, one with the choice pushed to the tensors, which asks less of a mask."""
    term = realised.of(tensor)
    asker = _Asker(realised, tensor, asked, over, along)
    first = asker.of(term, None)
    if not any(m.data[2] == over for m in term.node.maps):
        return first if isinstance(first, NoTheorem) else [first]
    same = inward(term)
    second = asker.of(same.rhs, same) if same.rhs.node is not term.node else first
    found = [c for c in (first, second) if isinstance(c, Conditional)]
    return found or first  # type: ignore[return-value]


@dataclass
class _Asker:
    realised: Realised
    tensor: Tensor
    asked: Place
    over: Set
    along: Sequence[Place]

    def of(self, term: Term, same: Theorem | None) -> Conditional | NoTheorem:
        """The theorem about a term, which `same` says to be equal to the output's."""
        realised, over = self.realised, self.over
        leaves = {
            n.op: realised.leaves[n.op] for n in reachable(term.node) if n.op in realised.leaves
        }
        inputs = {op: leaf for op, leaf in leaves.items() if leaf.role == "input"}
        assumed = [
            Hypothesis(str(op.data[0]), op, leaf, motion_of(op, over))
            for op, leaf in leaves.items()
            if leaf.role != "input" and any(motion_of(op, over))
        ] + [
            Hypothesis(str(m.data[0]), None, None, (), realised.maps[m.data[0]])
            for m in sorted(term.node.maps, key=str)
            if m.data[0] in realised.maps and m.data[2] == over
        ]
        facts = [k.hyp(*_equation(h, over)) for h in assumed]
        wanted = {name for name, _ in (self.asked, *self.along)}
        moving = [op for op, leaf in inputs.items() if leaf.source in wanted]
        others = [op for op in inputs if op not in moving and any(motion_of(op, over))]
        tried: list[Stuck] = []
        for extra in ([], others) if others else ([],):
            moves = {
                op: motion_of(op, over) for op in (*moving, *extra) if any(motion_of(op, over))
            }
            if not moves:
                if self.asked[0] not in {leaf.source for leaf in inputs.values()}:
                    return Conditional(refl(term), (self.asked,), (), (), (), same)
                return NoTheorem("the input's axis is not in the output's term")
            bare = push(term, moves)
            if isinstance(bare, Stuck):
                tried.append(bare)
            found = push(term, moves, facts) if isinstance(bare, Stuck) and facts else bare
            if isinstance(found, Stuck):
                tried.append(found)
                continue
            places = tuple(
                p
                for op in moves
                for p in places_of(realised.atoms, inputs[op].source, inputs[op], over)
            )
            dims = output_dims(realised, self.tensor, term, found.motion)
            if dims is None:
                return NoTheorem("the output is moved along a dimension that a reshape merged")
            used = tuple(
                h for h in assumed if k.equation(*_equation(h, over)) in found.theorem.hyps
            )
            stuck = tuple(dict.fromkeys(tried))
            return Conditional(found.theorem, places, dims, used, stuck, same)
        return NoTheorem("no theorem of this kind", tuple(dict.fromkeys(tried)))


def _equation(h: Hypothesis, over: Set) -> tuple[Term, Term]:
    """K moved = K, or ι(σ(q)) = ι(q) of a place q."""
    if h.tensor is not None:
        node = build(h.tensor, names=tuple(range(len(h.motion)))).node
        return act(node, h.motion), slots(node)
    place = constant(h.name, over)
    iota = build(Op("iota", (over,)), names=["i"])
    moved = at(iota, {"i": permutation(SIGMA, over)(place())})
    return moved, at(iota, {"i": place()})


def output_dims(
    realised: Realised, tensor: Tensor, term: Term, motion: Motion
) -> tuple[int, ...] | None:
    """The dimensions of the output along which it is moved; None where one is more than moved
    tokens (merged with others by a reshape)."""
    dims = []
    for axis, m in zip(term.axes, motion, strict=True):
        if m is not None:
            i = axis[0]  # type: ignore[index]
            if len(realised.atoms.resolve(tensor.dims[i])) > 1:
                return None
            dims.append(i)
    return tuple(sorted(dims))
