"""Terms in balls: every ball holds the number that it stands for, and leaves open what it must."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra orderproof[onnx] is not installed")
flint = pytest.importorskip("flint", reason="the extra orderproof[onnx] is not installed")

from flint import arb  # noqa: E402

from orderproof.symbolic.onnx import balls as b  # noqa: E402
from orderproof.symbolic.onnx.arrays import Chosen, Evaluator  # noqa: E402
from orderproof.symbolic.onnx.balls import Ball, balls, gap  # noqa: E402
from orderproof.symbolic.onnx.graph import Array, Graph  # noqa: E402
from orderproof.symbolic.onnx.operators.elementwise import NAMES  # noqa: E402
from orderproof.symbolic.onnx.reader import read  # noqa: E402
from orderproof.symbolic.onnx.values import Leaf, Realised, Tensor  # noqa: E402
from orderproof.symbolic.readings.numpy_arrays import Floats  # noqa: E402
from tests.symbolic.onnx import operator_cases  # noqa: E402
from tests.symbolic.onnx.one_operator import floats, one  # noqa: E402

TWO_INPUTS = {"x": ["n"], "z": ["n"]}
POINTS = [0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 2.0**-90, -(2.0**-90), 0.3,
          -1.7, np.inf, -np.inf]  # fmt: skip
RADII = [2.0**-70, 1e-9, 0.25, 1.0]
NOT_READ = {"to_float16", "to_bfloat16", "is_infinite()"}
WHOLE = ("integer_", "to_")  # begin the names of functions of whole numbers


def functions() -> dict[str, Callable[..., Any]]:
    """The functions of single entries that a term can name, on arrays of floats."""
    every = dict(Floats.functions)
    binary = {op for op in NAMES if onnx.defs.get_schema(op).max_input == 2}
    graphs = [one(op, "z" if op in binary else "", None, TWO_INPUTS) for op in {*NAMES} - {"Where"}]
    graphs += [one("Gelu", approximate="tanh"), one("Elu", alpha=0.3), one("LeakyRelu")]
    graphs += [one("Min", "z", x=TWO_INPUTS), one("Mod", "z", x=TWO_INPUTS, fmod=1)]
    graphs += [one(op, "i_z", x={"i_x": ["n"], "i_z": ["n"]}) for op in ("Div", "Pow", "Mod")]
    graphs += [one("Where", "x z", x={"b_x": ["n"], **TWO_INPUTS})]
    graphs += [one("Cast", to=to) for to in (3, 6, 7, 9, 10, 16)]
    graphs += [one("QuantizeLinear", "s", {"s": np.float32(0.5)})]
    for g in graphs:
        every |= read(g, None)[0].functions
    return every


EVERY = functions()


def arity(f: Callable[..., Any]) -> int:
    """How many arrays a function takes."""
    for n in (1, 2):
        try:
            f(*[np.full(2, 1.5 if f is np.arccosh else 0.5)] * n)
            return n
        except (TypeError, IndexError, ValueError):
            continue
    return 3


def holds(ball: Ball, y: float) -> bool:
    """Whether a ball, or one wider by the error of 64 bits, holds a number."""
    x = ball.arb
    if not x.is_finite():
        return bool(x.is_nan() or not x.is_exact() or x == y)
    return np.isfinite(y) and bool(abs(x.mid() - y) <= x.rad() + 1e-12 * (1 + abs(y)))


def wrong(name: str) -> str:
    """An entry at which a function in balls does not hold the function in floats, or is wide at
    numbers where that is finite."""
    f, rng = EVERY[name], random.Random(0)
    points = [x for x in POINTS if x % 1 == 0] if name.startswith(WHOLE) else POINTS
    inputs = list(itertools.product(points, repeat=arity(f)))
    of = b.BallArrays(object, EVERY).functions[name]
    for given in inputs if len(inputs) < 300 else rng.sample(inputs, 300):
        for radius in (0.0, *([] if name.startswith(WHOLE) else RADII)):
            found = of(*(balls([Ball(arb(x, radius))]) for x in given))[0]
            for u in (-1, -0.5, 0, 0.5, 1) if radius else (0,):
                at = [x + radius * u * rng.choice((1, -1)) for x in given]
                with np.errstate(all="ignore"):
                    y = float(np.asarray(f(*(np.array([x]) for x in at)))[0])
                if not holds(found, y):
                    return f"{name} of {at}, radius {radius}: {y} is not in {found.arb}"
            narrow = found.arb.rad() < 1e-20 * (1 + abs(y))
            if radius == 0 and np.isfinite([y, *given]).all() and not narrow:
                return f"{name} of {given}: {found.arb} is wide"
    return ""


@pytest.mark.parametrize("name", sorted(EVERY))
def test_a_ball_holds_the_function(name: str) -> None:
    """A function that is another in balls, or guesses at a jump, a tie or a pole."""
    if name in NOT_READ:
        with pytest.raises(b.NotRead, match=name):
            b.BallArrays(object, EVERY).functions[name](np.ones(2))
    elif name in ("copied", "is_place"):
        pytest.skip("of places, in the models below")
    else:
        with flint.ctx.workprec(128):
            assert wrong(name) == ""


def _by_middle(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs: f(*(x.mid() for x in xs))


@pytest.mark.parametrize(
    ("table", "ufunc", "seen_by"),
    [("QUESTIONS", np.less, "prelu"), ("QUESTIONS", np.equal, "equal"),
     ("FUNCTIONS", np.maximum, "relu"), ("FUNCTIONS", np.floor, "floor"),
     ("FUNCTIONS", np.rint, "round"), ("FUNCTIONS", np.exp, "sigmoid")],
)  # fmt: skip
def test_a_middle_is_no_ball(
    table: str, ufunc: Any, seen_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above could not fail."""
    monkeypatch.setitem(getattr(b, table), ufunc, _by_middle(getattr(b, table)[ufunc]))
    assert wrong(seen_by) != ""


def test_an_open_comparison_is_not_answered() -> None:
    """Entries would be sorted, chosen or counted as if their balls were numbers."""
    wide, zero = Ball(arb(0, 0.1)), Ball(0)
    rows = balls([wide, zero])
    for ask in (
        lambda: wide < zero, lambda: wide <= zero, lambda: wide == zero, lambda: wide != zero,
        lambda: wide > zero, lambda: bool(wide), lambda: int(wide), lambda: wide == wide,
        lambda: Ball(float("nan")) < 1, lambda: Ball(arb(0, float("inf"))) < 1,
        lambda: np.argsort(rows), lambda: np.argmax(rows), lambda: np.argmin(np.asarray(rows)),
    ):  # fmt: skip
        with pytest.raises(b.Undecided):
            ask()
    ties = balls([2.0, 2.0, 3.0])
    assert np.argsort(-ties, kind="stable").tolist() == [2, 0, 1] and np.argmin(ties) == 0
    with pytest.raises(TypeError):
        float(wide)  # type: ignore[arg-type]


def enclosed(g: Graph, inputs: dict[str, Any], sizes: dict[str, int], bits: int = 128) -> Array:
    """The value of y in balls."""
    reader, _ = read(g, None, evaluate=g.constants.__getitem__)
    realised, y = Realised(reader.atoms), reader.values["y"]
    assert isinstance(y, Tensor)
    evaluator = Evaluator(reader, realised, sizes, {**g.constants, **inputs}.__getitem__)
    return b.enclose(evaluator, y, realised.of(y), bits)


LOST = np.array([[2.0**60], [1.0]])  # in floats their sum is the first of them
TO = b.BallArrays(object, {})
SUMS: dict[str, tuple[Callable[[], Any], str, Any]] = {  # and the same done in floats
    "products": (
        lambda: TO.contract("ab,bc->ac", np.ones((1, 2)), LOST),
        "_products", lambda _, subscripts, *of: balls(np.einsum(subscripts, *of)),
    ),
    "choice": (
        lambda: TO.contract("iv,iv->", Chosen(np.array([[0], [1]]), 1, 2), LOST * np.ones(2)),
        "_numbers", lambda _, x: np.asarray(x, np.float64),
    ),
    "sum": (
        lambda: TO.reduce("sum", LOST.T), "reduce", lambda _, kind, x: balls(np.sum(x, axis=-1)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SUMS)
def test_sums_are_not_done_in_floats(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum of floats, and then a ball around what rounding left of it."""
    found, method, in_floats = SUMS[name]
    with flint.ctx.workprec(128):
        assert np.ravel(found())[0] == 2**60 + 1
        monkeypatch.setattr(b.BallArrays, method, in_floats)
        assert np.ravel(found())[0] == 2**60


def test_what_takes_too_long_is_refused_before() -> None:
    """A large model would keep the machine busy for hours."""
    to, wide = b.BallArrays(object, {}), np.broadcast_to(1.0, (10**4, 10**4))
    for use in (
        lambda: to.contract("ab,bc->ac", wide, wide), lambda: balls(wide),
        lambda: to.functions["add"](np.zeros((10**4, 1)), np.zeros((1, 10**4))),
    ):  # fmt: skip
        b._steps[0] = 0
        with pytest.raises(b.TooLarge):
            use()
    b._steps[0] = 0


def test_of_a_table_the_chosen_rows_are_converted() -> None:
    """An embedding of many words would be too large."""
    g = one("Gather", "i_at", x={"x": ["m", 10**4], "i_at": ["n"]})
    x = np.broadcast_to(floats((10**4,)), (2**12, 10**4))
    found = enclosed(g, {"x": x, "i_at": np.array([5, -1])}, {"m": 2**12, "n": 2})
    assert found.shape == (2, 10**4) and found[1, 3] == float(x[0, 3])


def test_a_computed_table_is_as_rough_as_it_was_computed() -> None:
    """Cosines in 64 bits would be taken for exact numbers."""
    leaf, table = Leaf("", "table", (), lambda *_: LOST), np.array([1 / 3, 0.5])
    assert TO.given(leaf, table)[0].arb.rad() > 1e-12 > abs(1 / 3 - Fraction(1, 3))
    assert (
        TO.given(leaf, table[1:])[0] == 0.5
        and TO.given(replace(leaf, table=None), table)[0] == 1 / 3
    )


def test_the_precision_is_that_asked_for_and_then_as_before() -> None:
    """Balls as wide as 53 bits allow; or all that comes later in many bits."""
    before, x = flint.ctx.prec, {"x": floats((2, 3))}
    rough, fine = (enclosed(one("Exp"), x, {"n": 2}, k)[0, 0].arb.rad() for k in (64, 256))
    assert fine < 2.0**-240 < rough and flint.ctx.prec == before
    with pytest.raises(b.NotRead):
        enclosed(one("Cast", to=10), x, {"n": 2}, 256)
    assert flint.ctx.prec == before


OPERATORS = (
    "ArgMax", "Attention", "AveragePool", "Clip", "CumSum", "DFT", "DynamicQuantizeLinear", "GRU",
    "Gather", "GatherND", "Hardmax", "IsInf", "LSTM", "LayerNormalization", "MaxPool", "OneHot",
    "QuantizeLinear", "RNN", "Resize", "ScatterElements", "ScatterND", "Softmax", "TopK", "Trilu",
)  # fmt: skip


@pytest.mark.slow
def test_operators_as_the_package_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function of an operator that works on floats alone, or on balls otherwise."""
    cases = operator_cases.cases(*OPERATORS)
    cases = [c for c in cases if operator_cases.operator_of(c) in OPERATORS]

    def value(reader: Any, realised: Any, of: Any, sizes: Any, fetch: Any) -> Array:
        found = b.enclose(Evaluator(reader, realised, sizes, fetch), of, realised.of(of), 128)
        return np.array([float(x.arb.mid()) for x in found.ravel()]).reshape(found.shape)

    in_floats = operator_cases.value_at
    monkeypatch.setattr(operator_cases, "value_at", lambda r, s, v, *rest: (
        value(r, s, v, *rest) if isinstance(v, Tensor) else in_floats(r, s, v, *rest)
    ))  # fmt: skip
    results = list(map(operator_cases.evaluated, cases))
    failed = {r.name for r in results if r.what in (operator_cases.WRONG, operator_cases.BROKEN)}
    left_open = ("isinf", "isnan", "nan_robustness", "structural_empty", "softmax_precision")
    assert sum(r.what == operator_cases.PASSED for r in results) > 200
    assert {name for name in failed if not any(part in name for part in left_open)} == set()


def pairs() -> Iterator[tuple[arb, arb]]:
    """Balls of many magnitudes, with nothing, little or much between them."""
    rng = random.Random(1)
    for _ in range(300):
        x, y = (arb(rng.randint(-(2**70), 2**70)) * arb(2) ** rng.randint(-160, 40) for _ in "xy")
        yield arb(x.mid(), 2.0 ** rng.randint(-90, 60)), rng.choice((y, x.mid() + 2.0**-200))


def exact_ends(x: arb) -> list[Fraction]:
    """The ends of a ball, of moderate exponents."""
    middle, radius = (Fraction(int(m)) * Fraction(2) ** int(e) for m, e in
                      (part.man_exp() for part in (x.mid(), x.rad())))  # fmt: skip
    return [middle - radius, middle + radius]


def test_a_gap_is_none_too_large() -> None:
    """A model would be refuted by a difference that rounding made."""
    found = []
    for x, y in pairs():
        (a, z), (c, d) = exact_ends(x), exact_ends(y)
        between = max(c - z, a - d, Fraction(0))
        found.append(gap(Ball(x), Ball(y)))
        assert Fraction(found[-1]) <= between and gap(Ball(y), Ball(x)) == found[-1]
        assert found[-1] >= (1 - 1e-9) * float(between) - 1e-9 * float(max(map(abs, (a, z, c, d))))
    assert sum(g > 0 for g in found) > 20 and found.count(0.0) > 20
    for beyond in (arb("nan"), arb("inf"), arb(1, float("inf"))):
        assert gap(Ball(beyond), Ball(0)) == 0
    assert gap(Ball(arb(2) ** 5000), Ball(0)) > 1e300 and gap(Ball(arb(2) ** -5000), Ball(0)) == 0
