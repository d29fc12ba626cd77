"""What of a model's symmetry the kernel proves, and on what it rests.

Every permutation σ of the set of tokens moves the tensors that have an axis over that set. The
inputs in question are moved; then the model's term comes out moved, or not at all, provided that
each constant that has such an axis is not changed by σ: K moved = K. The theorem is about all
sizes, all inputs, all weights and every σ; which σ leave the constants as they are is a question
of its own. A constant that the push never asks about is no hypothesis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orderproof.symbolic.calculus import kernel as k
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Map, Op, Set, Term, reachable
from orderproof.symbolic.derive.equations import act, slots
from orderproof.symbolic.derive.push import push
from orderproof.symbolic.derive.stuck import Stuck
from orderproof.symbolic.models.builders import Motion, permutation

from .atoms import Atoms, Dim
from .values import Leaf, Realised, Tensor

SIGMA = "σ"
Place = tuple[str, int]  # an input and one of its dimensions


@dataclass(frozen=True)
class Hypothesis:
    """A constant of the term that σ must leave as it is, moved along these of its axes."""

    tensor: Op
    leaf: Leaf
    motion: Motion

    @property
    def name(self) -> str:
        """The constant's name in the term."""
        return str(self.tensor.data[0])


@dataclass(frozen=True)
class Conditional:
    """The theorem: with the inputs moved along these places, the output is moved along these
    dimensions, for every σ that fixes the constants of the hypotheses."""

    theorem: Theorem
    moved: tuple[Place, ...]
    output_dims: tuple[int, ...]
    hypotheses: tuple[Hypothesis, ...]
    stuck: tuple[Stuck, ...]  # where it would be stuck without the hypotheses


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


def conditional(
    realised: Realised, tensor: Tensor, asked: Place, over: Set, along: Sequence[Place]
) -> Conditional | NoTheorem:
    """The theorem about an output, where the push goes through; inputs that have the tokens on an
    axis move along, as far as they must."""
    term = realised.of(tensor)
    leaves = {n.op: realised.leaves[n.op] for n in reachable(term.node) if n.op in realised.leaves}
    inputs = {op: leaf for op, leaf in leaves.items() if leaf.role == "input"}
    fixed = {
        op: motion_of(op, over)
        for op, leaf in leaves.items()
        if leaf.role != "input" and any(motion_of(op, over))
    }
    facts = [
        k.hyp(act(_node(realised, op), m), slots(_node(realised, op))) for op, m in fixed.items()
    ]
    wanted = {asked, *along}
    tried: list[Stuck] = []
    moving = [op for op, leaf in inputs.items() if leaf.source in {name for name, _ in wanted}]
    others = [op for op in inputs if op not in moving and any(motion_of(op, over))]
    for extra in ([], others) if others else ([],):
        moves = {op: motion_of(op, over) for op in (*moving, *extra) if any(motion_of(op, over))}
        if not moves:
            if asked[0] not in {leaf.source for leaf in inputs.values()}:
                theorem = k.cong(term, [None] * len(term.node.args))
                return Conditional(theorem, (asked,), (), (), ())
            return NoTheorem("the input does not have the axis in the output's term")
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
        dims = output_dims(realised, tensor, term, found.motion)
        if dims is None:
            return NoTheorem("the output is moved along a dimension that a reshape merged")
        assumed = _hypotheses(realised, found.theorem, fixed)
        return Conditional(found.theorem, places, dims, assumed, tuple(tried))
    return NoTheorem("no theorem of this kind", tuple(dict.fromkeys(tried)))


def _node(realised: Realised, op: Op):  # type: ignore[no-untyped-def]
    from orderproof.symbolic.calculus.terms import build

    return build(op, names=tuple(range(len(op.data[1])))).node


def _hypotheses(
    realised: Realised, theorem: Theorem, fixed: Mapping[Op, Motion]
) -> tuple[Hypothesis, ...]:
    """The constants that the theorem's hypotheses are about."""
    found = []
    for op, motion in fixed.items():
        node = _node(realised, op)
        if k.equation(act(node, motion), slots(node)) in theorem.hyps:
            found.append(Hypothesis(op, realised.leaves[op], motion))
    return tuple(found)


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
