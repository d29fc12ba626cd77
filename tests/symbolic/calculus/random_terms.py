"""Random terms of every constructor, random moves of their tensors, and worlds to read them in."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import (
    Ap,
    Map,
    Op,
    Set,
    Term,
    at,
    build,
    reachable,
    signature,
)
from orderproof.symbolic.derive.push import Motion
from orderproof.symbolic.models.attention import softmax_definition
from orderproof.symbolic.models.builders import (
    POINT,
    add,
    constant,
    define,
    delta,
    inverse,
    iota,
    mean,
    multiply,
    number,
    opaque,
    permutation,
    pointwise,
    reduce,
    size,
    subtract,
    symbol,
    tensor,
    total,
)
from orderproof.symbolic.readings.entries import Model

N, M = Set("n"), Set("m")
SUM, PRODUCT, MORE = Set("+", (N, M)), Set("×", (N, M)), Set("+", (POINT, N))
AXES: dict[Any, Set] = {
    "i": N, "j": N, "l": N, "a": M, "b": M, "s": SUM, "t": PRODUCT, "u": MORE, "p": POINT,
}  # fmt: skip
SIGMA, PI, RHO = permutation("sigma", N), permutation("pi", N), permutation("rho", M)
FIRST, F = constant("first", N), symbol("f", (N,), N)
ONE = Map("identity", (POINT,))
OWN = {  # what permutes each index set when the tokens and the memory are permuted
    N: SIGMA, M: RHO, SUM: Map("beside", (SIGMA, RHO)), MORE: Map("beside", (ONE, SIGMA)),
}  # fmt: skip
ROW, COLUMN = tensor("R", j=N), tensor("C", b=M)
DEFINITIONS = (
    softmax_definition(N),
    softmax_definition(M),
    define("centred", [ROW], subtract(ROW, mean(ROW, "j"))),
    define("outer", [ROW, COLUMN], multiply(ROW, COLUMN)),
    define("last", [ROW], at(ROW, {"j": FIRST()})),
    define("mixed", [ROW], at(ROW, {"j": PI("j")})),
)
WIDEST, LARGEST, DEEPEST = 5, 60, 6  # axes of a term, its nodes, its depth


def fact(e: Any, f: Any) -> Theorem:
    """ι(e) = ι(f), which the worlds below make true."""
    return kernel.hyp(at(iota(N, "x"), {"x": e}), at(iota(N, "x"), {"x": f}))


FACTS = (
    fact(SIGMA(FIRST()), FIRST()),  # σ fixes the first place
    fact(SIGMA(PI("x")), PI(SIGMA("x"))),  # and commutes with π
)


class Grower:
    """Random well-formed terms."""

    def __init__(self, rng: Random, *, rational: bool = False) -> None:
        self.rng, self.rational = rng, rational

    def flip(self, odds: float = 0.5) -> bool:
        return self.rng.random() < odds

    def pick(self, things: Any) -> Any:
        return self.rng.choice(list(things))

    def axis(self, over: Set) -> Any:
        """An axis over a set."""
        return self.pick([a for a, s in AXES.items() if s == over])

    def leaf(self) -> Term:
        """A tensor; one of another name for other index sets."""
        chosen = self.rng.sample(list(AXES), self.pick([0, 1, 1, 2, 2, 3]))
        letter = self.pick("XYW") + "".join(AXES[a].name[0] for a in chosen)
        if any(AXES[a] == MORE for a in chosen):
            letter += str([AXES[a] == MORE for a in chosen].index(True))
        return build(Op("leaf", (letter, tuple(AXES[a] for a in chosen))), names=chosen)

    def index(self, over: Set, depth: int = 2) -> Any:
        """An index expression of a set."""
        choices: list[Callable[[], Any]] = [lambda: self.axis(over)] * 2
        if depth and over == N:
            maps = [SIGMA, PI, PI, inverse(SIGMA), F]
            choices += [lambda: self.pick(maps)(self.index(N, depth - 1)), FIRST]
            choices += [lambda: Map("fst", (N, M))(self.axis(PRODUCT))]
        if depth and over == M:
            choices += [lambda: RHO(self.index(M, depth - 1))]
            choices += [lambda: Map("snd", (N, M))(self.axis(PRODUCT))]
        if depth and over == PRODUCT:
            choices += [
                lambda: Map("pair", (N, M))(self.index(N, depth - 1), self.index(M, depth - 1))
            ]
        if depth and over in (SUM, MORE):
            side = self.rng.randrange(2)
            inject = Map(("inl", "inr")[side], over.parts)
            choices += [lambda: inject(self.index(over.parts[side], depth - 1))] * 2
            choices += [lambda: OWN[over](self.axis(over))]
        return self.pick(choices)()

    def term(self, depth: int) -> Term:
        """A term of at most this depth, not too wide."""
        for _ in range(20):
            t = self.grown(depth)
            if len(t.axes) <= WIDEST and len(reachable(t.node)) <= LARGEST:
                return t
        return self.leaf()

    def grown(self, depth: int) -> Term:
        """Any constructor, with axes shared, missing and broadcast."""
        if not depth or self.flip(0.1):
            over = self.pick([N, M])
            row, column = self.rng.sample([a for a, s in AXES.items() if s == over], 2)
            constants = [number(Fraction(self.rng.randint(-3, 3), 2)), size(over), iota(over, row)]
            return self.pick([self.leaf()] * 6 + [*constants, delta(over, row, column)])
        match self.rng.randrange(9):
            case 0 | 1:
                name = self.pick(["add", "sub", "mul", "max"])
                return pointwise(name, self.term(depth - 1), self.term(depth - 1))
            case 2:
                return self.function(self.term(depth - 1))
            case 3 | 4:
                t = self.term(depth - 1)
                axis = self.pick(t.axes) if t.axes and self.flip(0.9) else self.pick(AXES)
                return reduce(self.pick(["sum", "sum", "prod", "max", "min"]), t, axis, AXES[axis])
            case 5 | 6:
                t = self.term(depth - 1)
                to = {a: self.index(s) for a, s in t.sets.items() if self.flip(0.4)}
                return at(t, to)
            case 7:
                left, right, (axis, over) = self.pick(
                    [("i", "a", ("s", SUM)), ("p", "i", ("u", MORE))]
                )
                drawn = [self.term(depth - 1) for _ in range(2)]
                parts = [p.rename({axis: "k"}) if axis in p.axes else p for p in drawn]
                parts = [total(p, "k") if "k" in p.axes else p for p in parts]
                return build(Op("cat", over.parts), parts, [[left], [right]], [axis])
        return self.named(depth)

    def function(self, t: Term) -> Term:
        """A function of one argument, kept where it is defined."""
        square = add(multiply(t, t), number(1))
        if self.rational:
            return pointwise("neg", t)
        return self.pick([
            pointwise("neg", t), pointwise("sqrt", square), pointwise("div", t, square),
            pointwise("exp", pointwise("div", t, square)),
        ])  # fmt: skip

    def named(self, depth: int) -> Term:
        """A definition, or an operator of which nothing else is known."""
        if self.flip(0.5) and not self.rational:
            t, axis = self.term(depth - 1), self.pick("ia")
            if axis in t.axes:
                return opaque("g", {axis: axis}, t, {axis: AXES[axis]})
        definition = self.pick(DEFINITIONS[2 + self.rational :] if self.rational else DEFINITIONS)
        binds, yields = signature(definition)
        parts = [self.term(depth - 1) for _ in binds]
        bound = [[self.axis(s) for s in b] for b in binds]
        taken = {a for p, b in zip(parts, bound, strict=True) for a in p.axes if a not in b}
        names: list[Any] = []
        for s in yields:
            free = [a for a, over in AXES.items() if over == s and a not in (*taken, *names)]
            names.append(self.pick(free) if free else f"new {len(names)}")
        t = build(definition, parts, bound, names)
        extra = [a for a in t.axes if a not in AXES]
        for a in extra:
            t = total(t, a)
        return t

    def moves(self, t: Term) -> dict[Op, Motion]:
        """What moves each axis of each tensor: along with its index set more often than not."""
        usual = self.flip(0.75)
        found: dict[Op, Motion] = {}
        for op in sorted({n.op for n in reachable(t.node) if n.op.kind == "leaf"}, key=repr):
            motion = tuple(OWN.get(s) for s in op.data[1])
            if not usual:
                motion = tuple(
                    self.pick([m, m, None, PI if s == N else m, F if s == N else m])
                    for m, s in zip(motion, op.data[1], strict=True)
                )
            if any(motion):
                found[op] = motion
        return found


# ---------------------------------------------------------------------------------------- worlds
@dataclasses.dataclass(frozen=True)
class Drawn:
    """Sizes, tables of maps, and arrays of tensors, in which the facts above are true."""

    sizes: dict[str, int]
    maps: dict[str, Any]
    tensors: dict[str, Any]


def count(s: Set, sizes: dict[str, int]) -> int:
    """The size of an index set."""
    return Model(sizes).size(s)


def world(rng: Random, terms: list[Term], whole: bool = False) -> Drawn | None:
    """Random sizes, 1 often and 0 where that means something; σ fixes 0, and on n = 4 it is a
    3-cycle more often than not; π is a power of it."""
    nodes = [n for t in terms for n in constructors(t)]
    n = rng.choice([1, 2, 3, 4, 4, 4]) if rng.random() > 0.1 else 0
    m = rng.choice([1, 2, 3]) if rng.random() > 0.1 else 0
    picks = any(op.kind == "opaque" or op.data[0] in ("max", "min") for op in nodes)
    places = any(symbol in (FIRST, F) for op in nodes for symbol in maps_of(op))
    if (picks or places) and (n == 0 or m == 0):
        n, m = max(n, 1), max(m, 1)
    sigma = [0, *rng.sample(range(1, n), n - 1)] if n else []
    if n == 4 and rng.random() < 0.7:
        sigma = [0, 2, 3, 1]
    pi = sigma if rng.random() < 0.5 else [sigma[k] for k in sigma]
    maps = {
        "sigma": sigma, "pi": pi, "rho": rng.sample(range(m), m), "first": 0,
        "f": [rng.randrange(n) for _ in range(n)],
    }  # fmt: skip
    sizes = {"n": n, "m": m}
    values: dict[str, Any] = {}
    draw = np.random.default_rng(rng.randrange(2**32))
    for op in sorted({op for op in nodes if op.kind == "leaf"}, key=repr):
        shape = [count(s, sizes) for s in op.data[1]]
        values[op.data[0]] = (
            draw.integers(-3, 4, size=shape) if whole else draw.uniform(-1.5, 1.5, size=shape)
        )
    values["g"] = lambda x, size: x[..., (np.arange(size) + 1) % x.shape[-1]]
    return Drawn(sizes, maps, values)


def constructors(t: Term) -> list[Op]:
    """All constructors of a term, those in definitions too."""
    found = [n.op for n in reachable(t.node)]
    for op in [op for op in found if op.kind == "apply"]:
        found += constructors(Term(op.data[2], tuple(range(len(op.data[2].sets)))))
    return found


def maps_of(op: Op) -> list[Map]:
    """The maps in the index expressions of an `at`."""
    todo = list(op.data[0]) if op.kind == "at" else []
    found = []
    while todo:
        e = todo.pop()
        if isinstance(e, Ap):
            found.append(e.map)
            todo += e.args
    return found
