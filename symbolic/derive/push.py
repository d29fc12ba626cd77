"""Pushing: how a permutation of the inputs comes out of a term, and a selection goes into it.

`push` derives  t[X ↦ X moved] = t moved  for a term and maps acting on axes of its free tensors,
part by part: what moves an axis of a part moves it in the whole (`at_op`), and under a reduction
it vanishes (`reindex`, the one lemma). It uses the kernel's rules only, so nothing here is
trusted; where a part does not move along, the answer is `Stuck`, with that tensor's name.
A definition is pushed once, on its formals, and instantiated. Where a formal would have to move
otherwise than it does (a mask: PMPᵀ = M), the definition's lemma assumes that it does; where the
definition is applied, the argument must prove it.

Traversals go by node number, parts before wholes: depth is no limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orderproof.symbolic import time_limit
from orderproof.symbolic.calculus import kernel as k
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import (
    Ap,
    Index,
    Map,
    Name,
    Node,
    Op,
    ShapeError,
    Term,
    applied,
    at,
    build,
    map_type,
    opened,
    reachable,
    signature,
)
from orderproof.symbolic.models.builders import Motion, opened_at
from orderproof.symbolic.models.names import index_name, name_of, node_name, set_name

from .equations import (
    act,
    arguments,
    chain,
    delta_moves,
    fixed,
    formals,
    leaves,
    one_layer,
    refl,
    slots,
)
from .stuck import Stopped, Stuck, asked, at_fault

__all__ = ["Motion", "Pushed", "Stuck", "act", "chain", "fixed", "push", "refl", "slots"]


@dataclass(frozen=True)
class Pushed:
    """A finished push: the theorem, what moves the axes of the whole, and each part's theorem."""

    theorem: Theorem
    motion: Motion
    parts: Mapping[Node, Theorem]
    moves: Mapping[Op, Motion]

    def __repr__(self) -> str:
        return f"<Pushed {self.theorem!r}>"


def push(term: Term, moves: Mapping[Op, Motion], facts: Sequence[Theorem] = ()) -> Pushed | Stuck:
    """term with every tensor X of `moves` become at(X, its maps)  =  at(term, maps of its axes).

    `facts` are theorems that may be used: at(E, maps) = E of a part, ι(σ(q)) = ι(q) of a place.
    Raises ShapeError for a key that is no tensor of the term, and for maps that do not fit its
    axes.
    """
    _fit(term, moves)
    try:
        pusher = _Pusher(moves, facts)
        motion = pusher.motions(term.node)[term.node]
        parts = pusher.proofs(term.node, motion)
        theorem = parts[term.node, motion]
    except Stopped as stopped:
        return stopped.stuck
    return Pushed(theorem, motion, {node: th for (node, _), th in parts.items()}, moves)


def _fit(term: Term, moves: Mapping[Op, Motion]) -> None:
    """Refuse moves of what is no tensor, or of tensors of which none is in the term: the push would
    prove that nothing moves."""
    for op, motion in moves.items():
        if not isinstance(op, Op) or op.kind != "leaf":
            raise ShapeError(
                f"push: moves: given {op!r}, expected a tensor, as leaf_of(X) gives it"
            )
        name, sets = op.data
        if not isinstance(motion, tuple) or len(motion) != len(sets):
            each = motion if isinstance(motion, tuple) else (motion,)
            maps = ", ".join(name_of(m) if isinstance(m, Map) else str(m) for m in each)
            wanted = f"a tuple of {len(sets)}: a map or None for each axis"
            raise ShapeError(f"push: moves of {name}: given {maps}, expected {wanted}")
        for m, over in zip(motion, sets, strict=True):
            if m is not None and map_type(m)[1] != over:
                raise ShapeError(
                    f"push: moves of {name}: given {name_of(m)} into {set_name(map_type(m)[1])}, "
                    f"expected a map into {set_name(over)}"
                )
    tensors = {n.op for n in reachable(term.node) if n.op.kind == "leaf"}
    if moves and not tensors & moves.keys():
        given, wanted = (", ".join(sorted(str(t.data[0]) for t in x)) for x in (moves, tensors))
        raise ShapeError(f"push: moves: given {given}, expected one of {wanted or 'no tensors'}")


@dataclass(frozen=True)
class _Lemma:
    """D(at(X, maps)) = at(D(X), motion), and what it assumes: of a formal, by its place, that it
    may as well be moved by other maps."""

    motion: Motion
    theorem: Theorem
    assumed: tuple[tuple[int, Motion], ...]


_lemmas: dict[Any, _Lemma] = {}


class _Pusher:
    def __init__(
        self, moves: Mapping[Op, Motion], facts: Iterable[Theorem], formals: Iterable[Op] = ()
    ) -> None:
        self.moves, self.formals = moves, frozenset(formals)
        self.assumed: list[tuple[Op, Motion]] = []  # of formals: at(F, its maps) = at(F, these)
        self.facts = {(th.lhs, th.rhs): th for th in facts}
        # a definition is closed: of all facts only those without tensors are about what is inside
        self.inside = frozenset(th for th in self.facts.values() if not leaves(th))
        self.motion: dict[Node, Motion] = {}
        self.needs: dict[tuple[Node, Motion], list[tuple[Node, Motion]]] = {}
        self.pairs: dict[Node, list[tuple[Any, Any]]] = {}
        self.touched: set[Node] = set()  # what a moved tensor is part of: no fact is about that

    # ------------------------------------------------------- first pass: what moves each axis
    def motions(self, root: Node) -> dict[Node, Motion]:
        """The motion of every node below root, read off its parts, by node number."""
        for node in reachable(root):
            time_limit.check()
            if node not in self.motion:
                self.pairs[node] = self._delta_pairs(node)
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
                raise Stopped(who, f"moved by {name_of(m)}, {before} by {name_of(other)}")

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
            inner = self._inner(parts, bound)
            for axis, m in zip(names, self._yielded(op, inner), strict=True):
                meet(axis, m, node_name(node))
            if op.kind == "pointwise":  # δ moves along with what stands beside it, on both axes
                pairs = self.pairs[node]
                for a, b in [*pairs, *reversed(pairs)]:
                    for this, other in ((a, b), (b, a)):
                        if this in found and other not in found:
                            meet(other, found[this][0], "delta")
        return tuple(found[a][0] if a in found else None for a in t.axes)

    def _delta_pairs(self, node: Node) -> list[tuple[Name, Name]]:
        """The pairs of slots that a δ wants moved alike: its own, and those of what functions
        entry by entry make of it."""
        if node.op.kind == "delta":
            return [(0, 1)]
        parts = opened(slots(node))[1] if node.op.kind == "pointwise" else ()
        pairs = [(p.axes[a], p.axes[b]) for p in parts for a, b in self.pairs[p.node]]
        return list(dict.fromkeys(pairs))

    def _bound(self, part: Term, bound: Sequence[Name]) -> Motion:
        by_axis = dict(zip(part.axes, self.motion[part.node], strict=True))
        return tuple(by_axis.get(b) for b in bound)

    def _inner(self, parts: Sequence[Term], bound: Sequence[Sequence[Name]]) -> tuple[Motion, ...]:
        return tuple(self._bound(p, b) for p, b in zip(parts, bound, strict=True))

    def _yielded(self, op: Op, inner: Sequence[Motion]) -> Motion:
        match op.kind, op.data:
            case "cat", parts if any(m for (m,) in inner):
                f, g = (m or Map("identity", (s,)) for (m,), s in zip(inner, parts, strict=True))
                return (Map("beside", (f, g)),)
            case (("apply" | "iterate"), _):
                return self._lemma(op, tuple(inner)).motion
            case "opaque", (name, _, yields):
                for motion in inner:
                    if any(motion):
                        by = ", ".join(name_of(m) for m in motion if m)
                        raise Stopped(name, f"an axis that it binds is moved by {by}")
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
                time_limit.check()
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
        if applied(node.op) is not None and node in self.touched:
            for f, theirs in self._lemma(node.op, self._inner(parts, bound)).assumed:
                all_axes = moved | dict(zip(bound[f], theirs, strict=True))
                needs.append((parts[f].node, tuple(all_axes[a] for a in parts[f].axes)))
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
            own = self.motion[node]
            if want == own:
                return refl(act(node, want))
            if node.op not in self.formals:
                raise Stopped(node_name(node), asked(node, own, want))
            self.assumed.append((node.op, want))
            return k.hyp(act(node, own), act(node, want))
        if node.op.kind == "delta" and want[0] == want[1] and want[0] and map_type(want[0])[2]:
            return delta_moves(node, want[0])
        theorems = [done.get(need) for need in self._needs(node, want)]  # None: the part stays
        if node.op.kind == "at":
            part = slots(node.args[0].node)
            return self._prove_at(node, want, theorems[0] or refl(part))
        return self._prove_op(node, want, theorems)

    def _prove_op(self, node: Node, want: Motion, theorems: Sequence[Theorem | None]) -> Theorem:
        t = slots(node)
        op, parts, bound, names = opened(t)
        moved = {a: m(a) for a, m in zip(t.axes, want, strict=True) if m and a not in names}
        own = tuple(want[: len(names)])
        inner = self._inner(parts, bound)
        yielded = self._yielded(op, inner)
        if yielded != own:
            slot = next(s for s, (a, b) in enumerate(zip(yielded, own, strict=True)) if a != b)
            what, who = node_name(node), at_fault(node, slot, self.motion)
            raise Stopped(
                who,
                f"what {'it' if who == what else f'{what} of it'} yields is moved by "
                f"{name_of(yielded[slot])}, not by {name_of(own[slot])}",
            )
        images, both, outer, splits = [], [], [], []
        for part, axes, motion, th in zip(parts, bound, inner, theorems[: len(parts)], strict=True):
            number = dict(enumerate(part.axes))
            images.append(th.lhs.rename(number) if th else part)
            both.append(th.rhs.rename(number) if th else part)
            # at(part, shared and bound maps) = at(at(part, shared maps), bound maps)
            shared = {a: e for a, e in moved.items() if a in part.axes}
            theirs = {a: m(a) for a, m in zip(axes, motion, strict=True) if m}
            splits.append(k.sym(k.at_at(part, shared, theirs)) if shared and theirs else None)
            outer.append(at(part, shared) if shared else part)
        first = k.cong(build(op, images, bound, names), theorems[: len(parts)])
        split = k.cong(build(op, both, bound, names), splits) if any(splits) else None
        law = self._own(op, outer, bound, names, inner)
        if law and len(theorems) > len(parts):
            law = self._discharged(law, t, want, theorems)
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
                    raise Stopped(op.data[0], f"{name_of(inner[0][0])} is not a bijection")
                return k.sym(k.reindex(op.data[0], parts[0], bound[0][0], inner[0][0]))
            case "cat" if any(m for (m,) in inner):
                m, ((a,), (b,)) = self._yielded(op, inner)[0], bound
                if a not in parts[0].axes or b not in parts[1].axes:
                    raise Stopped("cat", "a part of it does not have the axis that it joins")
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
            case "apply" | "iterate" if any(any(motion) for motion in inner):
                return k.inst(self._lemma(op, tuple(inner)).theorem, arguments(op, parts, bound))
        return None

    def _discharged(
        self, law: Theorem, t: Term, want: Motion, theorems: Sequence[Theorem | None]
    ) -> Theorem:
        """The law of an application without what its lemma assumes, which the arguments prove."""
        op, parts, bound, _ = opened(t)
        moved = {a: m(a) for a, m in zip(t.axes, want, strict=True) if m}
        inner = self._inner(parts, bound)
        proofs = theorems[len(parts) :]
        for (f, theirs), th in zip(self._lemma(op, inner).assumed, proofs, strict=True):
            part, sides = parts[f], []
            shared = {a: moved[a] for a in part.axes if a in moved}
            for motion, proof in ((inner[f], theorems[f]), (theirs, th)):
                # image of part = at(part, all maps) = at(at(part, shared maps), the bound ones)
                maps = {a: m(a) for a, m in zip(bound[f], motion, strict=True) if m}
                split = k.sym(k.at_at(part, shared, maps)) if shared and maps else None
                sides.append(chain(proof or refl(part), split))
            proved = chain(k.sym(sides[0]), sides[1])
            if (proved.lhs, proved.rhs) in law.hyps:  # one argument may stand for two formals
                law = k.discharge(law, proved)
        return law

    def _lemma(self, op: Op, inner: tuple[Motion, ...]) -> _Lemma:
        """The lemma of a definition for these motions of its formals: proved once, and kept."""
        key = op, inner, self.inside
        if op.kind == "iterate" and key not in _lemmas:
            _lemmas[key] = self._induction(op, inner)
        if key not in _lemmas:
            _, own, body = op.data
            moves = dict(zip(own, inner, strict=True))
            pusher = _Pusher(moves, self.inside, own)
            motion = pusher.motions(body)[body]
            proof = pusher.proofs(body, motion)[body, motion]
            unfold = k.unfold(op)
            image = {
                f: act(build(f, names=range(len(f.data[1]))).node, m) for f, m in moves.items()
            }
            fold = k.cong(act(body, motion), [k.sym(unfold)]) if any(motion) else k.sym(unfold)
            assumed = tuple((own.index(f), want) for f, want in pusher.assumed)
            theorem = chain(k.inst(unfold, image), proof, fold)
            _lemmas[key] = _Lemma(motion, theorem, assumed)
        return _lemmas[key]

    def _induction(self, op: Op, inner: tuple[Motion, ...]) -> _Lemma:
        """The lemma of a stack, from that of its layer by induction on the layers: what moves the
        tokens before a layer moves them after it."""
        (step, over), (moved, *others) = op.data, inner
        name = str(step.data[0])
        for formal, motion in zip(step.data[1][1:], others, strict=True):
            if motion[-1]:
                reason = f"the layers that it is for are moved by {name_of(motion[-1])}"
                raise Stopped(formal.data[0], reason)
        once = self._lemma(*one_layer(op, inner))
        if once.motion != moved:
            made, given = (", ".join(map(name_of, motion)) for motion in (once.motion, moved))
            raise Stopped(
                name, f"one layer makes of tokens moved by {given} tokens moved by {made}"
            )
        if any(formal == 0 for formal, _ in once.assumed):
            raise Stopped(name, "one layer needs to know more of its tokens than how they move")
        state, *weights = formals(op)
        axes = [tuple(range(len(w.data[1]) - 1)) for w in weights]
        at_layer = [build(w, names=(*a, "layer")) for w, a in zip(weights, axes, strict=True)]
        names = tuple(f"y{a}" for a in range(len(moved)))
        tokens = build(state, names=names)

        def layer(*of: Term) -> Term:
            return build(step, [tokens, *of], [names, *axes], names)

        to = dict(zip(step.data[1][1:], at_layer, strict=True))
        acted = [
            at(w, {a: m(a) for a, m in enumerate(motion[:-1]) if m})
            for w, motion in zip(at_layer, others, strict=True)
        ]
        maps = {a: m(a) for a, m in zip(names, moved, strict=True) if m}
        theorem = k.iterate(
            k.inst(once.theorem, to), state, layer(*acted), layer(*at_layer), maps, "layer", over
        )
        return _Lemma(moved, theorem, tuple((f, (*want, None)) for f, want in once.assumed))

    def _prove_at(self, node: Node, want: Motion, theorem: Theorem) -> Theorem:
        """An inner substitution: b moved, then substituted, against substituted, then moved."""
        t = slots(node)
        part, exprs = opened_at(t)
        moved = {a: m(a) for a, m in enumerate(want) if m}
        pairs = zip(exprs.items(), self._needs(node, want)[0][1], strict=True)
        inner = {a: m(a) for (a, _), m in pairs if m}
        image = at(theorem.lhs.rename(dict(enumerate(part.axes))), exprs)
        if image.node.op.kind != "at":
            raise Stopped(node_name(part.node), "a substitution that is only a renaming")
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
                    raise Stopped(index_name(e[axis]), reason)
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
