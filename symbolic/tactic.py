"""Pushing: how a permutation of the inputs comes out of a term, and a selection goes into it.

`push` derives  t[X ↦ X moved] = t moved  for a term and maps acting on axes of its free tensors,
part by part: what moves an axis of a part moves it in the whole (`at_op`), and under a reduction
it vanishes (`reindex`, the one lemma). It uses the kernel's rules only, so nothing here is
trusted; where a part does not move along, the answer is `Stuck`, with that tensor's name.
A definition is pushed once, on its formals, and instantiated.

Traversals go by node number, parts before wholes: depth is no limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import kernel as k
from .kernel import Theorem
from .language import opened_at
from .names import index_name, name_of, node_name, set_name
from .terms import (
    Ap,
    Index,
    Map,
    Name,
    Node,
    Op,
    Term,
    at,
    build,
    map_type,
    opened,
    reachable,
    signature,
)

Motion = tuple[Map | None, ...]  # what acts on each slot of a node


@dataclass(frozen=True)
class Stuck:
    """Where a push ends: the tensor or place that does not move along, and what was asked of it."""

    tensor: str
    reason: str

    def __str__(self) -> str:
        return f"stuck at {self.tensor}: {self.reason}"


@dataclass(frozen=True)
class Pushed:
    """A finished push: the theorem, what moves the axes of the whole, and each part's theorem."""

    theorem: Theorem
    motion: Motion
    parts: Mapping[Node, Theorem]
    moves: Mapping[Op, Motion]


class _Stopped(Exception):
    def __init__(self, tensor: str, reason: str) -> None:
        super().__init__(reason)
        self.stuck = Stuck(tensor, reason)


def refl(t: Term) -> Theorem:
    """⊢ t = t, by congruence from nothing."""
    return k.cong(t, [None] * len(t.node.args))


def chain(*theorems: Theorem | None) -> Theorem:
    """s = t, t = u, …  ⇒  s = …; None and reflexive steps are passed over."""
    first, *rest = [th for th in theorems if th is not None]
    for th in rest:
        if first.lhs == first.rhs:
            first = th
        elif th.lhs != th.rhs:
            first = k.trans(first, th)
    return first


def slots(node: Node) -> Term:
    """A node with its slots as axis names."""
    return Term(node, tuple(range(len(node.sets))))


def act(node: Node, motion: Motion) -> Term:
    """at(node) with each moved slot a become m(a)."""
    return at(slots(node), {a: m(a) for a, m in enumerate(motion) if m})


def fixed(t: Term, **axes: Map) -> Theorem:
    """The hypothesis that maps acting on axes of t leave it as it is: PE = E, PMPᵀ = M."""
    return k.hyp(at(t, {a: m(a) for a, m in axes.items()}), t)


def push(term: Term, moves: Mapping[Op, Motion], facts: Sequence[Theorem] = ()) -> Pushed | Stuck:
    """term with every tensor X of `moves` become at(X, its maps)  =  at(term, maps of its axes).

    `facts` are theorems that may be used: at(E, maps) = E of a part, ι(σ(q)) = ι(q) of a place.
    """
    try:
        pusher = _Pusher(moves, facts)
        motion = pusher.motions(term.node)[term.node]
        parts = pusher.proofs(term.node, motion)
        theorem = parts[term.node, motion]
    except _Stopped as stopped:
        return stopped.stuck
    return Pushed(theorem, motion, {node: th for (node, _), th in parts.items()}, moves)


_lemmas: dict[Any, tuple[Motion, Theorem]] = {}


class _Pusher:
    def __init__(self, moves: Mapping[Op, Motion], facts: Iterable[Theorem]) -> None:
        self.moves = moves
        self.facts = {(th.lhs, th.rhs): th for th in facts}
        self.motion: dict[Node, Motion] = {}
        self.needs: dict[tuple[Node, Motion], list[tuple[Node, Motion]]] = {}
        self.touched: set[Node] = set()  # what a moved tensor is part of: no fact is about that

    # ------------------------------------------------------- first pass: what moves each axis
    def motions(self, root: Node) -> dict[Node, Motion]:
        """The motion of every node below root, read off its parts, by node number."""
        for node in reachable(root):
            if node not in self.motion:
                self.motion[node] = self._motion(node)
                if any(self.moves.get(node.op, ())) or any(
                    part.node in self.touched for part in node.args
                ):
                    self.touched.add(node)
        return self.motion

    def _motion(self, node: Node) -> Motion:
        op = node.op
        if op.kind == "leaf":
            return self.moves.get(op, (None,) * len(node.sets))
        t = slots(node)
        found: dict[Name, tuple[Map, str]] = {}

        def meet(axis: Name, m: Map | None, who: str) -> None:
            if m is not None and found.setdefault(axis, (m, who))[0] != m:
                other, before = found[axis]
                raise _Stopped(who, f"moved by {name_of(m)}, {before} by {name_of(other)}")

        if op.kind == "at":
            part, exprs = opened_at(t)
            for e, m in zip(exprs.values(), self.motion[part.node], strict=True):
                if not isinstance(e, Ap):
                    meet(e, m, node_name(part.node))
                elif m and m.kind == "beside" and e.map.kind in ("inl", "inr"):
                    side = m.data[e.map.kind == "inr"]  # (f + g)(inr a) = inr(g(a))
                    if side.kind != "identity" and not isinstance(e.args[0], Ap):
                        meet(e.args[0], side, node_name(part.node))
        else:
            _, parts, bound, names = opened(t)
            for part in parts:
                for axis, m in zip(part.axes, self.motion[part.node], strict=True):
                    if axis in t.axes:
                        meet(axis, m, node_name(part.node))
            inner = [self._bound(p, b) for p, b in zip(parts, bound, strict=True)]
            for axis, m in zip(names, self._yielded(op, inner), strict=True):
                meet(axis, m, node_name(node))
            if op.kind == "pointwise":  # δ moves along with what stands beside it, on both axes
                deltas = [p.axes for p in parts if p.node.op.kind == "delta"]
                for a, b in [*deltas, *reversed(deltas)]:
                    for this, other in ((a, b), (b, a)):
                        if this in found and other not in found:
                            meet(other, found[this][0], "delta")
        return tuple(found[a][0] if a in found else None for a in t.axes)

    def _bound(self, part: Term, bound: Sequence[Name]) -> Motion:
        by_axis = dict(zip(part.axes, self.motion[part.node], strict=True))
        return tuple(by_axis.get(b) for b in bound)

    def _yielded(self, op: Op, inner: Sequence[Motion]) -> Motion:
        match op.kind, op.data:
            case "cat", parts if any(m for (m,) in inner):
                f, g = (m or Map("identity", (s,)) for (m,), s in zip(inner, parts, strict=True))
                return (Map("beside", (f, g)),)
            case "apply", _:
                return self._lemma(op, tuple(inner))[0]
            case "opaque", (name, _, yields):
                for motion in inner:
                    if any(motion):
                        by = ", ".join(name_of(m) for m in motion if m)
                        raise _Stopped(name, f"an axis that it binds is moved by {by}")
                return (None,) * len(yields)
        return (None,) * len(signature(op)[1])

    # ------------------------------------- second pass, downwards: what is asked of each part
    def proofs(self, root: Node, motion: Motion) -> dict[tuple[Node, Motion], Theorem]:
        """at-theorems of root and of all that it needs, by node number."""
        asked: dict[Node, list[Motion]] = {root: [motion]}
        for node in reversed(reachable(root)):
            for want in asked.get(node, ()):
                for part, theirs in self._needs(node, want):
                    if not self._stays(part, theirs):
                        asked.setdefault(part, [])
                        if theirs not in asked[part]:
                            asked[part].append(theirs)
        done: dict[tuple[Node, Motion], Theorem] = {}
        for node in sorted(asked, key=lambda n: n.id):
            for want in asked[node]:
                done[node, want] = self._prove(node, want, done)
        return done

    def _stays(self, node: Node, want: Motion) -> bool:
        """Whether nothing in a node moves and no motion is asked of it: that needs no proof."""
        return node not in self.touched and not any(want)

    def _fact(self, node: Node, want: Motion) -> Theorem | None:
        if node in self.touched or not self.facts:
            return None
        return self.facts.get(k.equation(act(node, want), slots(node)))

    def _needs(self, node: Node, want: Motion) -> list[tuple[Node, Motion]]:
        """The parts of a node with the motions that they must have for the node to have want."""
        if (node, want) not in self.needs:
            self.needs[node, want] = self._read_needs(node, want)
        return self.needs[node, want]

    def _read_needs(self, node: Node, want: Motion) -> list[tuple[Node, Motion]]:
        t = slots(node)
        moved: dict[Name, Map | None] = dict(enumerate(want))
        if self._fact(node, want):
            return []
        if node.op.kind == "at":
            part, exprs = opened_at(t)
            own = self.motion[part.node]
            pairs = zip(exprs.values(), own, strict=True)
            return [(part.node, tuple(m if isinstance(e, Ap) else moved[e] for e, m in pairs))]
        _, parts, bound, _ = opened(t)
        needs = []
        for part, inner in zip(parts, bound, strict=True):
            all_axes = moved | dict(zip(inner, self._bound(part, inner), strict=True))
            needs.append((part.node, tuple(all_axes[a] for a in part.axes)))
        return needs

    # ----------------------------------------------------------- third pass, upwards: the proofs
    def _prove(self, node: Node, want: Motion, done: Mapping[Any, Theorem]) -> Theorem:
        """image of node = at(node, want), from the same of its parts."""
        if self._stays(node, want):
            return refl(slots(node))
        fact = self._fact(node, want)
        if fact:
            return k.sym(fact)
        if node.op.kind == "leaf":
            if want != self.motion[node]:
                raise _Stopped(node_name(node), self._asked(node, want))
            return refl(act(node, want))
        if node.op.kind == "delta" and want[0] == want[1] and want[0] and map_type(want[0])[2]:
            return self._delta(node, want[0])
        theorems = [done.get(need) for need in self._needs(node, want)]  # None: the part stays
        if node.op.kind == "at":
            part = slots(node.args[0].node)
            return self._prove_at(node, want, theorems[0] or refl(part))
        return self._prove_op(node, want, theorems)

    def _asked(self, node: Node, want: Motion) -> str:
        own = self.motion[node]
        slot = next(s for s, (a, b) in enumerate(zip(want, own, strict=True)) if a != b)
        over, is_moved = set_name(node.sets[slot]), f"is moved by {name_of(own[slot])}"
        return f"its axis over {over} {is_moved}, not by {name_of(want[slot])}"

    def _at_fault(self, node: Node, slot: int) -> str:
        """The tensor below a node from which an axis that does not move comes, for the message."""
        while True:
            t = slots(node)
            op, parts, bound, names = opened(t)
            below = []
            for part, inner in zip(parts, bound, strict=True):
                for place, (a, s) in enumerate(part.sets.items()):
                    own = (
                        a in inner
                        and slot < len(names)
                        and s in (t.sets[slot], *t.sets[slot].parts)
                    )
                    if (a == slot or own) and not self.motion[part.node][place]:
                        below.append((part.node, place))
            if op.kind == "at" or not below:
                return node_name(node)
            node, slot = below[0]

    def _delta(self, node: Node, m: Map) -> Theorem:
        same = Map("identity", (node.sets[0],))
        delta = slots(node)
        flip = chain(
            k.sym(k.at_at(delta, {0: same(0), 1: same(1)}, {})), k.at_delta(same)
        )  # δ(a, b) = δ(b, a)
        return chain(flip, k.sym(k.at_delta(m)))

    def _prove_op(self, node: Node, want: Motion, theorems: Sequence[Theorem | None]) -> Theorem:
        t = slots(node)
        op, parts, bound, names = opened(t)
        moved = {a: m(a) for a, m in zip(t.axes, want, strict=True) if m and a not in names}
        own = tuple(want[: len(names)])
        inner = [self._bound(p, b) for p, b in zip(parts, bound, strict=True)]
        yielded = self._yielded(op, inner)
        if yielded != own:
            slot = next(s for s, (a, b) in enumerate(zip(yielded, own, strict=True)) if a != b)
            what, at_fault = node_name(node), self._at_fault(node, slot)
            raise _Stopped(
                at_fault,
                f"what {'it' if at_fault == what else f'{what} of it'} yields is moved by "
                f"{name_of(yielded[slot])}, not by {name_of(own[slot])}",
            )
        images, both, outer, splits = [], [], [], []
        for part, axes, motion, th in zip(parts, bound, inner, theorems, strict=True):
            number = dict(enumerate(part.axes))
            images.append(th.lhs.rename(number) if th else part)
            both.append(th.rhs.rename(number) if th else part)
            # at(part, shared and bound maps) = at(at(part, shared maps), bound maps)
            shared = {a: e for a, e in moved.items() if a in part.axes}
            theirs = {a: m(a) for a, m in zip(axes, motion, strict=True) if m}
            splits.append(k.sym(k.at_at(part, shared, theirs)) if shared and theirs else None)
            outer.append(at(part, shared) if shared else part)
        first = k.cong(build(op, images, bound, names), theorems)
        split = k.cong(build(op, both, bound, names), splits) if any(splits) else None
        law = self._own(op, outer, bound, names, inner)
        through = k.sym(k.at_op(t, moved)) if moved else None
        if not through or not any(own):
            return chain(first, split, law, through)
        made = {a: m(a) for a, m in zip(names, own, strict=True) if m}
        around = k.cong(at(build(op, outer, bound, names), made), [through])
        return chain(first, split, law, around, k.at_at(t, moved, made))

    def _own(
        self,
        op: Op,
        parts: Sequence[Term],
        bound: Sequence[Sequence[Name]],
        names: Sequence[Name],
        inner: Sequence[Motion],
    ) -> Theorem | None:
        """op(at(parts, maps of the bound axes)) = at(op(parts), maps of the yielded axes)."""
        match op.kind:
            case "reduce" if inner[0][0]:
                if not map_type(inner[0][0])[2]:
                    raise _Stopped(op.data[0], f"{name_of(inner[0][0])} is not a bijection")
                return k.sym(k.reindex(op.data[0], parts[0], bound[0][0], inner[0][0]))
            case "cat" if any(m for (m,) in inner):
                m, ((a,), (b,)) = self._yielded(op, inner)[0], bound
                for part, axis in ((parts[0], a), (parts[1], b)):
                    if axis not in part.axes:
                        reason = "a part of cat, it lacks the axis on which the other one moves"
                        raise _Stopped(node_name(part.node), reason)
                whole = k.sym(k.at_cat(parts[0], a, parts[1], b, m or Map("identity", ())))
                # where one side stays, at(part, identity) = part
                stay = [
                    None if f else k.sym(k.at_at(p, {x: Map("identity", (p.sets[x],))(x)}, {}))
                    for p, (x,), (f,) in zip(parts, bound, inner, strict=True)
                ]
                moved = [
                    at(p, {x: f(x)} if f else {})
                    for p, (x,), (f,) in zip(parts, bound, inner, strict=True)
                ]
                return chain(k.cong(build(op, moved, bound, names), stay), whole)
            case "apply" if any(any(motion) for motion in inner):
                lemma = self._lemma(op, tuple(inner))[1]
                terms = {}
                for leaf, part, axes in zip(op.data[1], parts, bound, strict=True):
                    shared = [a for a in part.axes if a not in axes]
                    inside = {a: slot for slot, a in enumerate(axes)}
                    terms[leaf] = part.rename(inside | {a: f"axis {a}" for a in shared})
                return k.inst(lemma, terms)
        return None

    def _lemma(self, op: Op, inner: tuple[Motion, ...]) -> tuple[Motion, Theorem]:
        """D(at(X, maps)) = at(D(X), maps) on the formals of a definition: proved once, kept."""
        _, formals, body = op.data
        # a fact about a tensor outside is none about a formal that is called the same
        facts = frozenset(th for th in self.facts.values() if not _leaves(th) & set(formals))
        key = op, inner, facts
        if key not in _lemmas:
            moves = dict(zip(formals, inner, strict=True))
            pusher = _Pusher(moves, facts)
            motion = pusher.motions(body)[body]
            proof = pusher.proofs(body, motion)[body, motion]
            unfold = k.unfold(op)
            image = {
                f: act(build(f, names=range(len(f.data[1]))).node, m) for f, m in moves.items()
            }
            fold = k.cong(act(body, motion), [k.sym(unfold)]) if any(motion) else k.sym(unfold)
            _lemmas[key] = motion, chain(k.inst(unfold, image), proof, fold)
        return _lemmas[key]

    def _prove_at(self, node: Node, want: Motion, theorem: Theorem) -> Theorem:
        """An inner substitution: b moved, then substituted, against substituted, then moved."""
        t = slots(node)
        part, exprs = opened_at(t)
        moved = {a: m(a) for a, m in enumerate(want) if m}
        pairs = zip(exprs.items(), self._needs(node, want)[0][1], strict=True)
        inner = {a: m(a) for (a, _), m in pairs if m}
        image = at(theorem.lhs.rename(dict(enumerate(part.axes))), exprs)
        if image.node.op.kind != "at":
            raise _Stopped(node_name(part.node), "a substitution that is only a renaming")
        first = k.cong(image, [theorem])
        here = k.at_at(part, inner, exprs)
        there = k.at_at(part, exprs, moved)
        middle = self._equal(part, here.rhs, there.rhs)
        return chain(first, here, middle, k.sym(there))

    def _equal(self, part: Term, left: Term, right: Term) -> Theorem | None:
        """at(part, e) = at(part, f) by the facts about indices, where e and f differ."""
        if left == right:
            return None
        e, f = (self._exprs(part, side) for side in (left, right))
        steps: list[Theorem] = []
        for axis in part.axes:
            if e[axis] != f[axis]:
                iota = build(Op("iota", (part.sets[axis],)), names=[axis])
                eq = k.equation(at(iota, {axis: e[axis]}), at(iota, {axis: f[axis]}))
                if eq not in self.facts:
                    reason = f"{index_name(e[axis])} is not known to be {index_name(f[axis])}"
                    raise _Stopped(index_name(e[axis]), reason)
                rest = {a: x for a, x in e.items() if a != axis}
                swap = k.at_equal(at(part, rest), axis, e[axis], f[axis], self.facts[eq])
                before = k.at_at(part, rest, {axis: e[axis]})
                after = k.at_at(part, rest, {axis: f[axis]})
                steps += [k.sym(before), swap, after]
                e[axis] = f[axis]
        return chain(*steps)

    @staticmethod
    def _exprs(part: Term, side: Term) -> dict[Name, Index]:
        inner, exprs = opened_at(side)
        by_slot = dict(zip(inner.axes, exprs.values(), strict=True)) if inner is side else exprs
        return dict(zip(part.axes, by_slot.values(), strict=True))


def _leaves(th: Theorem) -> set[Op]:
    """The free tensors of a theorem, hypotheses included."""
    terms = [th.lhs, *(t for h in th.hyps for t in h)]
    return {n.op for t in terms for n in reachable(t.node) if n.op.kind == "leaf"}
