"""The model of a position scheme as a term: attention with the position tensors that it has.

E over (i, k) is added to the tokens; R over (i, j, c, e) stands between query and key; A over
(i, j, c) is added to the key, B over (i, j) to the score; G over (i, j) is a mask as weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import Equation, Theorem
from orderproof.symbolic.calculus.terms import Map, Op, Set, Term, at
from orderproof.symbolic.derive.push import Motion, Stuck, chain, push
from orderproof.symbolic.derive.select import inward
from orderproof.symbolic.models.attention import AttentionLayer, as_keys
from orderproof.symbolic.models.builders import (
    POINT,
    add,
    call,
    cat,
    define,
    image,
    leaf_of,
    moved,
    permutation,
    tensor,
)
from orderproof.symbolic.models.stacks import stacked

CONTEXT, FEATURES, LAYERS = Set("n"), Set("d"), Set("L")
SIGMA = permutation("sigma", CONTEXT)
ALL = Set("+", (CONTEXT, POINT))  # the places of context and last token
LAST = Map("inr", (CONTEXT, POINT))
AROUND = Map("beside", (SIGMA, Map("identity", (POINT,))))
SHAPES = {"E": "ik", "B": "ij", "A": "ijc", "R": "ijce", "G": "ij"}


def positions(letters: str, over: Set, suffix: str = "") -> dict[str, Term]:
    """The position tensors of these letters, for places in an index set; the suffix is added to the
    names of the tensors."""
    sets = {"i": over, "j": over, "k": FEATURES, "c": FEATURES, "e": FEATURES}
    return {x: tensor(f"{x}{suffix}", **{a: sets[a] for a in SHAPES[x]}) for x in letters}


def weights(layer: str = "") -> dict[str, Term]:
    """The projections of a layer, d×d each."""
    return {
        "Q": tensor(f"W_Q{layer}", k=FEATURES, c=FEATURES),
        "K": tensor(f"W_K{layer}", k=FEATURES, e=FEATURES),
        "V": tensor(f"W_V{layer}", k=FEATURES, v=FEATURES),
    }


def layer(h: Term, position: Mapping[str, Term], suffix: str = "") -> Term:
    """One layer with its skip, tokens over (i, k) to tokens over (i, k)."""
    return add(h, attend(h, position, weights(suffix)).rename({"v": "k"}))


def attend(
    h: Term, position: Mapping[str, Term], w: Mapping[str, Term], memory: Term | None = None
) -> Term:
    """One layer of attention: tokens over (i, k), which read themselves or a memory over the same
    axes; output over (i, v)."""
    return parts(h, position, w, memory).Z


def parts(
    h: Term, position: Mapping[str, Term], w: Mapping[str, Term], memory: Term | None = None
) -> AttentionLayer:
    """The same with all of its tensors."""
    return AttentionLayer(
        h, as_keys(h if memory is None else memory), (w["Q"], w["K"], w["V"]),
        score_bias=position.get("B"), mask=position.get("G"), key_bias=position.get("A"),
        rotation=position.get("R"), axes=("k", "c", "e", "v"),
    )  # fmt: skip


def model(x: Term, position: Mapping[str, Term], depth: int = 1) -> Term:
    """Tokens over (i, k) to outputs over (i, v): one layer of attention as it is; or more layers,
    each with its skip and its own weights."""
    h = add(x, position["E"]) if "E" in position else x
    if depth == 1:
        return attend(h, position, weights())
    for number in range(1, depth + 1):
        h = layer(h, position, str(number))
    return h.rename({"k": "v"})


def query_after(
    context: Term,
    query: Term,
    position: Mapping[str, Term],
    row: Mapping[str, Term],
    depth: int,
    column: Mapping[str, Term] | None = None,
) -> tuple[Term, list[tuple[Term, Term]]]:
    """A query after a context: `position` is that of the context, `row` what the query adds to the
    scores of context and query (B), which of them it sees (G), and how their keys are turned (R).
    The context reads the query only where there is a `column`, the same of context and query. Each
    layer has its skip; the query's output over (i, k), and the states before each layer."""
    states = []
    if column is not None:
        position = {name: cat(t, column[name], "j") for name, t in position.items() if name != "E"}
    for number in range(1, depth + 1):
        states.append((context, query))
        w, memory = weights(str(number)), cat(context, query, "i")
        query = add(query, attend(query, row, w, memory).rename({"v": "k"}))
        read = attend(context, position, w, memory if column is not None else None)
        context = add(context, read.rename({"v": "k"}))
    return query, states


@dataclass(frozen=True)
class Derived:
    """Theorems of the kernel, what they say together, and the hypotheses on the position tensors
    that they rest on."""

    theorems: tuple[Theorem, ...]
    says: str

    @property
    def theorem(self) -> Theorem:
        """The theorem, where there is one alone."""
        (theorem,) = self.theorems
        return theorem

    @property
    def hyps(self) -> frozenset[Equation]:
        """What must hold of the position tensors."""
        return frozenset().union(*(th.hyps for th in self.theorems))


@dataclass(frozen=True)
class Wanted:
    """An equation, and the hypotheses that a theorem of it may have."""

    equation: Equation
    hyps: frozenset[Equation] = frozenset()

    def proved_by(self, derived: Derived | None) -> bool:
        """Whether that is one theorem of the kernel, which says this from these hypotheses."""
        if derived is None or len(derived.theorems) != 1:
            return False
        th = derived.theorem
        states = (th.lhs, th.rhs) == self.equation and th.hyps <= self.hyps
        return kernel.is_theorem(th) and states


def equivariance(letters: str) -> Wanted:
    """f(PX) = P f(X) for one layer, where σ leaves every position tensor as it is."""
    x, position = tensor("X", i=CONTEXT, k=FEATURES), positions(letters, CONTEXT)
    whole = model(x, position)
    said = kernel.equation(model(moved(x, i=SIGMA), position), moved(whole, i=SIGMA))
    return Wanted(said, frozenset(h for f in kept(letters) for h in f.hyps))


def same_last_row(letters: str) -> Wanted:
    """One layer gives the last token the same when the context is permuted, where σ leaves the last
    row of every position tensor as it is."""
    c, x = tensor("C", i=CONTEXT, k=FEATURES), tensor("x", i=POINT, k=FEATURES)
    position, last = positions(letters, ALL), {"i": LAST("i")}
    before, after = (at(model(cat(t, x, "i"), position), last) for t in (moved(c, i=SIGMA), c))
    return Wanted(
        kernel.equation(before, after), frozenset(h for f in _last_kept(letters) for h in f.hyps)
    )


@cache
def equivariant(letters: str) -> Derived | None:
    """f(PX) = P f(X) for one layer, where σ leaves every position tensor as it is."""
    x = tensor("X", i=CONTEXT, k=FEATURES)
    whole = model(x, positions(letters, CONTEXT))
    pushed = push(whole, {leaf_of(x): (SIGMA, None)}, kept(letters))
    return None if isinstance(pushed, Stuck) else Derived((pushed.theorem,), "f(PX) = P f(X)")


@cache
def travelling(letters: str) -> Derived | None:
    """f(PX) = P f(X) where every position tensor is permuted with the tokens; no hypothesis."""
    x = tensor("X", i=CONTEXT, k=FEATURES)
    position = positions(letters, CONTEXT)
    moves = {leaf_of(t): _motion(t, SIGMA) for t in (x, *position.values())}
    pushed = push(model(x, position), moves)
    return None if isinstance(pushed, Stuck) else Derived((pushed.theorem,), "positions move")


@cache
def last_row(letters: str, depth: int) -> Derived | None:
    """The last row of f does not change when the context is permuted. One layer: where σ leaves
    the last row of every position tensor as it is; more: where it leaves the whole of them."""
    c, x = tensor("C", i=CONTEXT, k=FEATURES), tensor("x", i=POINT, k=FEATURES)
    tokens, position = cat(c, x, "i"), positions(letters, ALL)
    whole = at(model(tokens, position, depth), {"i": LAST("i")})
    moves: dict[Op, Motion] = {leaf_of(c): (SIGMA, None)}
    if depth > 1:
        facts = [_fixed(t, AROUND, "ij") for t in position.values()]
        pushed = push(whole, moves, facts)
        return _invariant(None if isinstance(pushed, Stuck) else pushed.theorem, whole, moves)
    selected = inward(whole)
    pushed = push(selected.rhs, moves, _last_kept(letters))
    if isinstance(pushed, Stuck):
        return None
    along = {leaf_of(c): at(c.rename({"i": 0, "k": 1}), {0: SIGMA(0)})}
    proof = chain(kernel.inst(selected, along), pushed.theorem, kernel.sym(selected))
    return _invariant(proof, whole, moves)


def _invariant(th: Theorem | None, whole: Term, moves: Mapping[Op, Motion]) -> Derived | None:
    """The theorem, if it says that the term is the same with its tensors moved."""
    if th is None or not _states(th, image(whole, moves), whole):
        return None
    return Derived((th,), "the last row of f(PC; x) is that of f(C; x)")


def deep_model(tokens: Term, position: Mapping[str, Term]) -> Term:
    """Tokens with the rows that are added, through a stack of layers of any depth."""
    return stack(add(tokens, position["E"]) if "E" in position else tokens, position)


def stack(tokens: Term, position: Mapping[str, Term]) -> Term:
    """Layers of attention with skips, as many as there are in a set, each with weights of its own
    and all with these position tensors, but rows that are added: those are in the tokens."""
    over = tokens.sets["i"]
    used = {x: t for x, t in position.items() if x != "E"}
    own = positions("".join(used), over)
    projections = weights()

    def body(h: Term) -> Term:
        return layer(h, own)

    axes = [str(a) for a in body(tensor("H", i=over, k=FEATURES)).axes]
    h = tensor("H", **{a: over if a == "i" else FEATURES for a in axes})
    step = define("Layer", [h, *own.values(), *projections.values()], body(h))
    of_layers = [
        tensor(f"{w.node.op.data[0]},l", **{str(a): s for a, s in w.sets.items()}, l=LAYERS)
        for w in projections.values()
    ]
    parts = [tokens, *used.values(), *of_layers]
    bound = [axes, *(SHAPES[x] for x in used), *(list(w.axes) for w in projections.values())]
    return stacked(call(step, parts, bound, axes), "l")


@cache
def any_depth(letters: str) -> Derived | None:
    """The last row of a stack of any depth, each layer with its skip and its own weights, does not
    change when the context is permuted, where σ leaves the position tensors as they are."""
    c, x = tensor("C", i=CONTEXT, k=FEATURES), tensor("x", i=POINT, k=FEATURES)
    position = positions(letters, ALL)
    whole = at(deep_model(cat(c, x, "i"), position), {"i": LAST("i")})
    moves: dict[Op, Motion] = {leaf_of(c): (SIGMA, None)}
    pushed = push(whole, moves, [_fixed(t, AROUND, "ij") for t in position.values()])
    return _invariant(None if isinstance(pushed, Stuck) else pushed.theorem, whole, moves)


def _states(th: Theorem, lhs: Term, rhs: Term) -> bool:
    """Whether this is what the theorem says."""
    return (th.lhs, th.rhs) == kernel.equation(lhs, rhs)


def _motion(t: Term, m: Map) -> Motion:
    """m on every axis of places."""
    over = t.sets["i"]
    return tuple(m if s == over else None for s in t.sets.values())


def kept(letters: str) -> list[Theorem]:
    """The hypotheses that σ leaves every position tensor as it is."""
    return [_fixed(t, SIGMA, "ij") for t in positions(letters, CONTEXT).values()]


def _last_kept(letters: str) -> list[Theorem]:
    """The hypotheses that σ leaves the last row of every position tensor as it is, and all of E."""
    return [
        _fixed(t, AROUND, "i") if name == "E" else _fixed(at(t, {"i": LAST("i")}), AROUND, "j")
        for name, t in positions(letters, ALL).items()
    ]


def _fixed(t: Term, m: Map, axes: str) -> Theorem:
    """The hypothesis that m on these axes of t, where it has them, leaves t as it is."""
    return kernel.hyp(at(t, {a: m(a) for a in axes if a in t.axes}), t)
