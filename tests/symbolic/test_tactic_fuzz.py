"""The tactic and the readings, on random terms of every constructor, with random moves.

Whatever the tactic derives is what was asked for, and holds in floating point within the rounding
bound; where it does not derive, it is stuck at something with a name, and never crashes. The
NumPy reading, exact rationals and direct evaluation of the meaning agree with each other. The same
sessions find a tactic, and a reading, that were made wrong on purpose.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orderproof.numeric.rounding import Ball, bounded
from orderproof.symbolic import entries, kernel, read_numpy
from orderproof.symbolic.architecture import softmax_definition
from orderproof.symbolic.entries import Model, evaluate
from orderproof.symbolic.kernel import Theorem, is_theorem
from orderproof.symbolic.language import (
    POINT,
    add,
    define,
    delta,
    image,
    inverse,
    iota,
    mean,
    multiply,
    number,
    opaque,
    permutation,
    place,
    pointwise,
    reduce,
    size,
    subtract,
    symbol,
    tensor,
    total,
)
from orderproof.symbolic.read_exact import Exact
from orderproof.symbolic.read_numpy import Floats, arrays
from orderproof.symbolic.tactic import Motion, Pushed, Stuck, act, push
from orderproof.symbolic.terms import (
    Ap,
    Map,
    Op,
    Set,
    Term,
    at,
    build,
    map_type,
    reachable,
    signature,
)
from tests.symbolic.meaning import World

N, M = Set("n"), Set("m")
SUM, PRODUCT, MORE = Set("+", (N, M)), Set("×", (N, M)), Set("+", (POINT, N))
AXES: dict[Any, Set] = {
    "i": N, "j": N, "l": N, "a": M, "b": M, "s": SUM, "t": PRODUCT, "u": MORE, "p": POINT,
}  # fmt: skip
SIGMA, PI, RHO = permutation("sigma", N), permutation("pi", N), permutation("rho", M)
FIRST, F = place("first", N), symbol("f", (N,), N)
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
                parts = [self.term(depth - 1).rename({axis: "k"}) for _ in range(2)]
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
class Model_:
    """Sizes, tables of maps, and arrays of tensors, in which the facts above are true."""

    sizes: dict[str, int]
    maps: dict[str, Any]
    tensors: dict[str, Any]


def count(s: Set, sizes: dict[str, int]) -> int:
    """The size of an index set."""
    return Model(sizes).size(s)


def world(rng: Random, terms: list[Term], whole: bool = False) -> Model_ | None:
    """Random sizes, 1 often and 0 where that means something; σ fixes 0, and on n = 4 it is a
    3-cycle more often than not; π is a power of it."""
    nodes = [n for t in terms for n in _all(t)]
    n = rng.choice([1, 2, 3, 4, 4, 4]) if rng.random() > 0.1 else 0
    m = rng.choice([1, 2, 3]) if rng.random() > 0.1 else 0
    picks = any(op.kind == "opaque" or op.data[0] in ("max", "min") for op in nodes)
    places = any(symbol in (FIRST, F) for op in nodes for symbol in _maps(op))
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
    return Model_(sizes, maps, values)


def _all(t: Term) -> list[Op]:
    """All constructors of a term, those in definitions too."""
    found = [n.op for n in reachable(t.node)]
    for op in [op for op in found if op.kind == "apply"]:
        found += _all(Term(op.data[2], tuple(range(len(op.data[2].sets)))))
    return found


def _maps(op: Op) -> list[Map]:
    """The maps in the index expressions of an `at`."""
    todo = list(op.data[0]) if op.kind == "at" else []
    found = []
    while todo:
        e = todo.pop()
        if isinstance(e, Ap):
            found.append(e.map)
            todo += e.args
    return found


# --------------------------------------------------------------------------------------- sessions
Read = Callable[..., Ball]


def session(rng: Random, tally: Counter[str], pushed_by: Any = push, read: Read = bounded) -> str:
    """What is wrong with the push of one random term; nothing if nothing is."""
    grower = Grower(rng)
    t = grower.term(rng.randint(1, DEEPEST))
    moves = grower.moves(t)
    facts = FACTS if rng.random() < 0.8 else ()
    result = pushed_by(t, moves, facts)
    tally.update({f"constructor {op.kind}" for op in _all(t)})
    if isinstance(result, Stuck):
        tally["stuck"] += 1
        return "" if result.tensor and result.reason and str(result) else f"stuck at nothing: {t}"
    tally["derived, with moves" if moves else "derived"] += 1
    th = result.theorem
    slots = dict(enumerate(t.axes))
    asked = kernel.equation(image(t, moves), act(t.node, result.motion).rename(slots))
    if not is_theorem(th) or not th.hyps <= {h for f in FACTS for h in f.hyps}:
        return f"no theorem: {th}"
    said = kernel.equation(th.lhs.rename(slots), th.rhs.rename(slots))
    if said != asked:
        return f"a theorem of something else: {said}, asked {asked}"
    return differs(th, rng, tally, read)


def differs(th: Any, rng: Random, tally: Counter[str], read: Read) -> str:
    """Where both sides of a theorem differ by more than rounding, in a random world."""
    model = world(rng, [th.lhs, th.rhs])
    if model is None:
        return ""
    balls = [
        read(t, model.sizes, model.maps, model.tensors, np.float64, literal=True)
        for t in (th.lhs, th.rhs)
    ]
    order = [th.rhs.axes.index(a) for a in th.lhs.axes]
    value, error = (np.transpose(x, order) for x in (balls[1].value, balls[1].error))
    gap = np.abs(np.asarray(balls[0].value, float) - value)
    room = balls[0].error + error
    seen = np.isfinite(room) & np.isfinite(gap)
    tally["compared" if seen.any() else "no entry has a bound" if seen.size else "empty"] += 1
    tally["sizes with 0"] += 0 in model.sizes.values()
    tally["sizes with 1"] += 1 in model.sizes.values()
    tally["with a 3-cycle"] += model.maps["sigma"] in ([0, 2, 3, 1], [0, 3, 1, 2])
    if np.any(gap[seen] > room[seen]):
        return f"{th.lhs} and {th.rhs} differ by {np.max(gap[seen] - room[seen])} in {model}"
    return ""


def agreement(rng: Random, tally: Counter[str]) -> str:
    """Where the readings of one random term of rational constructors disagree: NumPy as computed
    and to the letter, exact rationals, and direct evaluation of the meaning."""
    t = Grower(rng, rational=True).term(rng.randint(1, 5))
    model = world(rng, [t], whole=True)
    if model is None or np.prod([count(s, model.sizes) for s in t.node.sets]) > 400:
        return ""
    look = {
        name: (lambda *i, v=v: Fraction(int(v[i])))
        for name, v in model.tensors.items()
        if name != "g"
    }
    exact = evaluate(t, Model(model.sizes, model.maps, look), Exact())
    direct = meaning(t, model)
    ball = bounded(t, model.sizes, model.maps, model.tensors, np.float64, literal=True)
    computed = arrays(t, model.sizes, model.maps, model.tensors, Floats(np.float64))
    tally["entries"] += len(exact)
    tally["terms"] += 1
    for index, value in exact.items():
        if direct[index] != value:
            return f"entry {index} of {t}: {value} exactly, {direct[index]} in the meaning, {model}"
        for read in (ball.value[index], computed[index]):
            room = 2 * ball.error[index] if np.isfinite(ball.error[index]) else np.inf
            if not abs(Fraction(float(read)) - value) <= Fraction(min(room, 1e300)):
                return f"entry {index} of {t}: {value} exactly, {read} in NumPy, {model}"
    return ""


def meaning(t: Term, model: Model_) -> dict[Any, Fraction]:
    """Every entry by direct evaluation, with indices for elements."""
    world = World(model.sizes, harsh=False)
    place_of = {s: {x: k for k, x in enumerate(world.elements(s))} for s in {*AXES.values()}}
    for op in {op for op in _all(t) if op.kind == "leaf" and op.data[0] in model.tensors}:
        sets, values = op.data[1], model.tensors[op.data[0]]
        world.tensors[op] = lambda *x, sets=sets, values=values: Fraction(  # type: ignore[index]
            int(values[tuple(place_of[s][e] for s, e in zip(sets, x, strict=True))])
        )
    for m in (SIGMA, PI, RHO, FIRST, F):
        dom, cod, _ = map_type(m)
        table = model.maps[m.data[0]]
        rows = list(world.assignments(dom))
        if rows and world.elements(cod):
            image_of = [table] if not dom else table
            world.tables[m] = {row: world.elements(cod)[image_of[k]] for k, row in enumerate(rows)}
    return {
        tuple(place_of[t.sets[a]][e] for a, e in zip(t.axes, x, strict=True)): world.value(
            t, dict(zip(t.axes, x, strict=True))
        )
        for x in world.assignments(t.node.sets)
    }


randoms = st.randoms(use_true_random=False)


@settings(max_examples=250, derandomize=True)
@given(randoms)
def test_whatever_is_derived_holds_in_floating_point(rng: Random) -> None:
    """The tactic would crash on a term, be stuck without saying where, or derive a falsehood."""
    assert not session(rng, Counter())


@settings(max_examples=250, derandomize=True)
@given(randoms)
def test_the_readings_agree(rng: Random) -> None:
    """A reading would give a term another value than the others do."""
    assert not agreement(rng, Counter())


def first_fault(run: Callable[[Random], str], seeds: int) -> str:
    """What the first session that finds something says."""
    return next((f"seed {k}: {said}" for k in range(seeds) if (said := run(Random(k)))), "")


SESSIONS = 800


def test_sessions_reach_everything() -> None:
    """The sessions would be empty: a constructor that never comes, no derivation with moves, none
    that is stuck, no sizes of 0 and 1, no 3-cycle, or bounds that are no bounds."""
    tally: Counter[str] = Counter()
    assert not first_fault(lambda rng: session(rng, tally), SESSIONS)
    print(dict(sorted(tally.items())))
    kinds = ["leaf", "number", "size", "iota", "delta", "pointwise", "reduce", "at", "cat"]
    kinds += ["apply", "opaque"]
    assert [k for k in kinds if tally[f"constructor {k}"] < 20] == []
    for what in ("stuck", "derived, with moves", "sizes with 0", "sizes with 1", "with a 3-cycle"):
        assert tally[what] >= 40, (what, tally)
    assert tally["compared"] >= 0.8 * (tally["compared"] + tally["no entry has a bound"])


def test_agreements_reach_everything() -> None:
    """The readings would be compared on nothing."""
    tally: Counter[str] = Counter()
    assert not first_fault(lambda rng: agreement(rng, tally), 400)
    print(dict(tally))
    assert tally["terms"] >= 300 and tally["entries"] >= 2000


@pytest.mark.slow
def test_many_sessions() -> None:
    """A fault would be too rare for the quick sessions."""
    assert not first_fault(lambda rng: session(rng, Counter()), 20_000)
    assert not first_fault(lambda rng: agreement(rng, Counter()), 5_000)


# --------------------------------------------------------------------------- what this has found
def joined(part: Term) -> Term:
    """A part over A, and a part that lacks the axis over B, on one axis over A + B."""
    return build(Op("cat", (M, N)), [part, number(2)], [["a"], ["i"]], ["c"])


def test_a_part_of_cat_without_its_axis_is_read() -> None:
    """The NumPy reading would take one entry for a part that is the same along its axis."""
    t = joined(tensor("Y", a=M))
    for n in (0, 1, 3):
        read = arrays(t, {"n": n, "m": 2}, {}, {"Y": np.array([5.0, 7.0])}, Floats(np.float64))
        assert read.tolist() == [5, 7, *[2] * n]


def test_a_part_of_cat_without_its_axis_is_stuck() -> None:
    """The push would end in a KeyError."""
    result = push(joined(tensor("Y", a=M)), {tensor("Y", a=M).node.op: (RHO,)})
    assert isinstance(result, Stuck) and result.tensor and "lacks the axis" in result.reason


# ------------------------------------------------------------------------------- made wrong
def inverted(t: Term, moves: Any, facts: Any) -> Any:
    """A tactic that is believed whatever it says: the result moved by the inverses."""
    result = push(t, moves, facts)
    if isinstance(result, Stuck) or not any(result.motion):
        return result
    back = tuple(inverse(m) if m and map_type(m)[2] else m for m in result.motion)
    rhs = act(t.node, back)
    issued = kernel._issue("trans", result.theorem.lhs, rhs, result.theorem)
    return dataclasses.replace(result, theorem=issued, motion=back)


def unmoved(t: Term, moves: Any, facts: Any) -> Any:
    """A tactic that derives t = t, which is true, and not what was asked."""
    result = push(t, moves, facts)
    if isinstance(result, Stuck):
        return result
    return dataclasses.replace(result, theorem=kernel.cong(t, [None] * len(t.node.args)))


def never_stuck(t: Term, moves: Any, facts: Any) -> Any:
    """A tactic that takes for proved what it cannot derive: that everything moves along."""
    result = push(t, moves, facts)
    if isinstance(result, Pushed):
        return result
    motion = tuple(OWN.get(s) for s in t.node.sets)
    th = kernel._issue("push", image(t, moves).rename(dict(zip(t.axes, range(9), strict=False))),
                       act(t.node, motion))  # fmt: skip
    return Pushed(th, motion, {}, moves)


def dumb(t: Term, moves: Any, facts: Any) -> Any:
    """A tactic that is stuck and does not say where."""
    return Stuck("", "")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (inverted, "differ by"),
        (never_stuck, "differ by"),
        (unmoved, "something else"),
        (dumb, "stuck at nothing"),
    ],
)
def test_a_wrong_tactic_is_found_out(wrong: Any, said: str) -> None:
    """The sessions would have no teeth: they would not see a tactic that is wrong."""
    assert said in first_fault(lambda rng: session(rng, Counter(), wrong), SESSIONS)


def test_a_wrong_bound_is_found_out() -> None:
    """A difference between the sides would be hidden by any bound, or one of rounding reported."""

    def shifted(t: Term, *given: Any, **how: Any) -> Ball:
        ball = bounded(t, *given, **how)
        moved = 0.001 if t.node.op.kind == "at" else 0.0
        return Ball(ball.value + moved, ball.error)

    found = first_fault(lambda rng: session(rng, Counter(), push, shifted), SESSIONS)
    assert "differ by" in found


@pytest.mark.parametrize("what", ["inverse", "beside", "reduce", "snd"])
def test_a_wrong_reading_is_found_out(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison would not see a reading that takes a map for its inverse, a part of a sum of
    sets for the other, a minimum for a maximum, or one half of a pair for the other."""
    apply, fold = Model.apply, Floats.reduce

    def wrong(self: Model, m: Map, args: tuple[int, ...]) -> int:
        match m.kind, m.data:
            case "inverse", (f,) if what == "inverse":
                return apply(self, f, args)
            case "beside", (f, _) if what == "beside":
                left = self.size(map_type(f)[0][0])
                return args[0] if args[0] >= left else apply(self, m, args)
            case "snd", (a, b) if what == "snd":
                return args[0] % self.size(a) % self.size(b)
        return apply(self, m, args)

    monkeypatch.setattr(entries.Model, "apply", wrong)
    if what == "reduce":
        other = {"max": "min"}
        monkeypatch.setattr(
            read_numpy.Floats, "reduce", lambda self, kind, x: fold(self, other.get(kind, kind), x)
        )
    assert first_fault(lambda rng: agreement(rng, Counter()), 2000)
