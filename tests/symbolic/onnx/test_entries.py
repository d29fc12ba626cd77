"""Constants of a graph read as expressions: compared with onnxruntime, and faults that are seen."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import z3

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from orderproof.symbolic.onnx.entries import arithmetic, formulas, movement, unknown
from orderproof.symbolic.onnx.entries.check import Misread, compare, numeric_check, values
from orderproof.symbolic.onnx.entries.compare import absolute, at_most, below, greatest, least
from orderproof.symbolic.onnx.entries.evaluate import evaluate, grid
from orderproof.symbolic.onnx.entries.expression import (
    INT,
    Expr,
    add,
    index,
    made,
    mul,
    neg,
    number,
    parts,
    size,
    sub,
)
from orderproof.symbolic.onnx.entries.formulas import Formulas, size_name
from orderproof.symbolic.onnx.entries.reader import entry
from orderproof.symbolic.onnx.entries.rounding import floor_div, floor_mod, trunc_div
from orderproof.symbolic.onnx.entries.run import cut, runner
from orderproof.symbolic.onnx.entries.tables import looked_up
from orderproof.symbolic.onnx.graph import Unsupported

from .constant_graphs import BAND, GRAPHS, RANDOM, SIZES, graph

READ = {
    "Shape from the back": "K = Shape<start=-2, end=-1>(x)",
    "Size": "K = Size(x)",
    "Div truncates": """
  three = Constant<value=int64{3}>()
  K = Div(difference, three)
""",
    "Div by a negative": """
  three = Constant<value=int64{-3}>()
  K = Div(difference, three)
""",
    "Mod as Python has it": """
  three = Constant<value=int64{3}>()
  K = Mod(difference, three)
""",
    "Mod as C has it": """
  three = Constant<value=int64{3}>()
  K = Mod<fmod=1>(difference, three)
""",
    "Mod of reals": """
  three = Constant<value=float{1.5}>()
  f = Cast<to=1>(difference)
  K = Mod<fmod=1>(f, three)
""",
    "Cast truncates": """
  half = Constant<value=float{0.375}>()
  f = Cast<to=1>(difference)
  part = Mul(f, half)
  K = Cast<to=7>(part)
""",
    "Floor": """
  half = Constant<value=float{0.375}>()
  f = Cast<to=1>(difference)
  part = Mul(f, half)
  K = Floor(part)
""",
    "Ceil": """
  half = Constant<value=float{0.375}>()
  f = Cast<to=1>(difference)
  part = Mul(f, half)
  K = Ceil(part)
""",
    "Round to even": """
  half = Constant<value=float{0.5}>()
  f = Cast<to=1>(difference)
  part = Mul(f, half)
  K = Round(part)
""",
    "Sign": "K = Sign(difference)",
    "Clip": """
  least = Constant<value=int64{-2}>()
  K = Clip(difference, least, one)
""",
    "Max and Min of three": """
  three = Constant<value=int64{3}>()
  some = Max(rows, columns, three)
  less = Min(rows, columns, one)
  K = Sub(some, less)
""",
    "Pow": """
  twof = Constant<value=float{2}>()
  f = Cast<to=1>(difference)
  K = Pow(f, twof)
""",
    "Pow of two": """
  twof = Constant<value=float{0.5}>()
  f = Cast<to=1>(rows)
  K = Pow(twof, f)
""",
    "quotient by a row": """
  f = Cast<to=1>(columns)
  g = Cast<to=1>(rows)
  up = Add(g, onef)
  K = Div(f, up)
""",
    "Exp, Sqrt, Log, Tanh": """
  scale = Constant<value=float{0.125}>()
  f = Cast<to=1>(rows)
  up = Add(f, onef)
  root = Sqrt(up)
  log = Log(up)
  small = Mul(f, scale)
  exp = Exp(small)
  tanh = Tanh(f)
  K = Sum(root, log, exp, tanh)
""",
    "Range by twos": """
  two = Constant<value=int64{2}>()
  K = Range(one, n, two)
""",
    "Range down": """
  minus = Constant<value=int64{-2}>()
  K = Range(n, zero, minus)
""",
    "Range of reals": """
  nf = Cast<to=1>(n)
  by = Constant<value=float{0.75}>()
  K = Range(onef, nf, by)
""",
    "Slice from the back": """
  back = Constant<value=int64[1]{-3}>()
  far = Constant<value=int64[1]{9223372036854775807}>()
  K = Slice(places, back, far)
""",
    "Slice without the last": """
  back = Constant<value=int64[1]{-1}>()
  K = Slice(places, zero1, back)
""",
    "Slice beyond the end": """
  more = Add(length, one1)
  K = Slice(places, one1, more)
""",
    "Slice by twos, from the back": """
  start = Constant<value=int64[1]{-2}>()
  end = Constant<value=int64[1]{-100}>()
  by = Constant<value=int64[1]{-2}>()
  K = Slice(places, start, end, zero1, by)
""",
    "Gather from the back": """
  at = Constant<value=int64[2]{-1, 0}>()
  K = Gather<axis=1>(difference, at)
""",
    "Tile": """
  three = Constant<value=int64[1]{3}>()
  K = Tile(places, three)
""",
    "Tile by n": "K = Tile(places, length)",
    "Split": """
  two = Constant<value=int64[1]{2}>()
  rest = Sub(length, one1)
  sizes = Concat<axis=0>(one1, rest)
  a, K = Split<axis=0>(places, sizes)
""",
    "Concat along both": """
  other = Neg(difference)
  K = Concat<axis=1>(difference, other)
""",
    "Transpose": """
  other = Neg(rows)
  sum = Add(other, columns)
  three = Mul(sum, rows)
  K = Transpose<perm=[1, 0]>(three)
""",
    "Reshape and back": """
  minus = Constant<value=int64[1]{-1}>()
  line = Reshape(difference, minus)
  shape = Concat<axis=0>(one1, length, minus)
  K = Reshape(line, shape)
""",
    "Flatten": """
  deep = Unsqueeze(difference, zero1)
  K = Flatten<axis=2>(deep)
""",
    "Trilu moved": """
  two = Constant<value=int64{-2}>()
  K = Trilu<upper=0>(difference, two)
""",
    "EyeLike moved": "K = EyeLike<k=-1, dtype=1>(difference)",
    "CumSum exclusive and reverse": """
  ones = ConstantOfShape<value=int64[1]{3}>(square)
  K = CumSum<exclusive=1, reverse=1>(ones, one)
""",
    "ReduceSum of n ones": """
  ones = ConstantOfShape<value=float[1]{1}>(square)
  K = ReduceSum<keepdims=0>(ones, one1)
""",
    "ReduceMax over three": """
  c = Constant<value=int64[3]{4, 1, 2}>()
  far = Sub(rows, c)
  K = ReduceMax<keepdims=1>(far, one1)
""",
    "ReduceMean": """
  c = Constant<value=float[4]{4, 1, 2, 3}>()
  f = Cast<to=1>(rows)
  far = Mul(f, c)
  K = ReduceMean<keepdims=0>(far, one1)
""",
    "MatMul with frequencies": """
  c = Constant<value=float[1,3]{1, 0.1, 0.01}>()
  f = Cast<to=1>(rows)
  K = MatMul(f, c)
""",
    "Where of a sum": """
  ahead = Greater(difference, zero)
  behind = Not(ahead)
  both = And(ahead, behind)
  some = Or(both, ahead)
  K = Where(some, rows, columns)
""",
    "softmax of rows": """
  f = Cast<to=1>(difference)
  up = Exp(f)
  g = Mul(up, f)
  K = Softmax<axis=1>(g)
""",
    "layers of rows": """
  scale = Constant<value=float[3]{1, 2, 3}>()
  weight = Constant<value=float[3,2]{1, 2, 3, 4, 5, 7}>()
  f = Cast<to=1>(rows)
  steps = Mul(f, scale)
  norm = LayerNormalization<axis=-1>(steps, scale, scale)
  linear = Gemm(norm, weight)
  K = Gelu(linear)
""",
    "shape of what the input reaches": """
  y = Softmax(x)
  z = Add(y, y)
  s = Shape<start=1, end=2>(z)
  K = ConstantOfShape(s)
""",
}


def of_list(name: str) -> tuple[str, dict[str, Any]]:
    """A body and its tables."""
    return (READ[name], {}) if name in READ else (GRAPHS[name][0], GRAPHS[name][2])


@pytest.mark.parametrize("name", [*READ, *GRAPHS])
def test_an_entry_is_that_of_onnxruntime(name: str) -> None:
    """An expression would not be the constant of the file."""
    body, tables = of_list(name)
    of = graph(body, **tables)
    assert len(numeric_check(entry(of, "K"), of, SIZES).sizes) == len(SIZES)


@pytest.mark.parametrize("name", ["Div truncates", "ALiBi", "causal by Trilu"])
def test_an_entry_is_that_of_the_reference(name: str) -> None:
    """The comparison would hold of onnxruntime alone."""
    body, tables = of_list(name)
    of = graph(body, **tables)
    numeric_check(entry(of, "K"), of, SIZES, by="reference")


def wrong_clamp(x: Expr, low: Expr, high: Expr) -> Expr:
    """A clamp that forgets its upper bound."""
    return greatest(low, x)


def wrong_stretch(start: Expr, end: Expr, step: int, length: Expr) -> tuple[Expr, Expr]:
    """A slice that takes one too many."""
    first, count = STRETCH(start, end, step, length)
    return first, add(count, number(1))


STRETCH = movement.stretch
FAULTS: dict[str, tuple[str, Any, Any, Any]] = {
    "operands of Sub swapped": ("ALiBi, one-sided", arithmetic.ENTRYWISE, "Sub",
                                lambda x, y: sub(y, x)),
    "< for ≤": ("window of 5", arithmetic.ENTRYWISE, "LessOrEqual", below),
    "≤ for <": ("causal by <", arithmetic.ENTRYWISE, "Less", at_most),
    "≤ for ≥": ("causal by comparison", arithmetic.ENTRYWISE, "GreaterOrEqual", at_most),
    "floor for truncation": ("Div truncates", arithmetic, "trunc_div", floor_div),
    "truncation for floor": ("Mod as Python has it", arithmetic, "floor_mod",
                             lambda x, y: sub(x, mul(y, trunc_div(x, y)))),
    "floor for truncation in Cast": ("Cast truncates", arithmetic, "truncated",
                                     arithmetic.floor),
    "a clamp without its upper bound": ("Slice beyond the end", movement, "clamped", wrong_clamp),
    "a slice of one more": ("Slice without the last", movement, "stretch", wrong_stretch),
    "a step that is not rounded up": ("Range by twos", movement, "ceil_div", floor_div),
    "min for max": ("Max and Min of three", arithmetic.ENTRYWISE, "Max", least),
    "no absolute value": ("ALiBi", arithmetic.ENTRYWISE, "Abs", lambda x: x),
    "half away from 0": ("Round to even", arithmetic.ENTRYWISE, "Round",
                         lambda x: arithmetic.to_real(arithmetic.floor(add(x, arithmetic.HALF)))),
    "the cases of Where swapped": ("infinite causal", arithmetic, "ite",
                                   lambda c, x, y: ITE(c, y, x)),
    "no counting from the back": ("Gather from the back", movement, "ite", lambda c, x, y: y),
    "Neg forgotten": ("Concat along both", arithmetic.ENTRYWISE, "Neg", lambda x: x),
    "a row taken for every row": ("softmax of rows", unknown, "_depended", lambda *_: (1,)),
    "a table turned": ("table cut to n", np.ndarray, None, None),
}  # fmt: skip
ITE = arithmetic.ite
EXTRA = {
    "window of 5": """
  width = Constant<value=int64{5}>()
  away = Abs(difference)
  K = LessOrEqual(away, width)
""",
    "causal by <": "K = Less(columns, rows)",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_seen(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader with a fault would pass the comparison, and what is proved would be of another
    constant."""
    name, where, what, instead = FAULTS[fault]
    body, tables = (EXTRA[name], {}) if name in EXTRA else of_list(name)
    of = graph(body, **tables)
    if what is None:
        turned = graph(body, **{k: v[::-1] for k, v in tables.items()})
        read = entry(turned, "K")
    else:
        if isinstance(where, dict):
            monkeypatch.setitem(where, what, instead)
        else:
            monkeypatch.setattr(where, what, instead)
        read = entry(of, "K")
    with pytest.raises(Misread):
        numeric_check(read, of, SIZES)


def test_too_few_sizes_are_no_comparison() -> None:
    """An expression would be trusted that was compared at one size."""
    of = graph(READ["Sign"])
    with pytest.raises(ValueError, match="given 1 sizes, expected 4 or more"):
        numeric_check(entry(of, "K"), of, [{"n": 3}] * 5)


REFUSED: dict[str, tuple[str, str]] = {
    "values of an input": ("K = Exp(x)", "K: depends on the values of input 'x'"),
    "an operator that is not read": ("K = NonZero(places)", "NonZero K: NonZero is not read"),
    "a sum that differs": ("K = ReduceSum(difference, one1)", "given integers or truth values"),
    "a narrow cast": ("K = Cast<to=3>(places)", "Cast K: given a cast to a type other than"),
    "entries of a norm": (
        "f = Cast<to=1>(places)\n K = LpNormalization(f)",
        "Normalization K: given",
    ),
    "a shape of unknown length": ("K = ConstantOfShape(places)", "ConstantOfShape K: given a"),
    "a step of 0": ("K = Range(zero, n, zero)", "Range K: given a range of step 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_read_is_refused(name: str) -> None:
    """A constant would be read as something that it is not, or end in a traceback."""
    body, message = REFUSED[name]
    with pytest.raises(Unsupported) as caught:
        entry(graph(body), "K")
    assert message in str(caught.value)


def test_a_bomb_is_bounded_before_it_is_run() -> None:
    """A constant of 10¹² entries would be made in memory."""
    of = graph("""
  huge = Constant<value=int64[2]{1000000, 1000000}>()
  big = ConstantOfShape(huge)
  K = ReduceMax<keepdims=0>(big)
""")
    with pytest.raises(ValueError, match="big: given 1000000000000 entries"):
        numeric_check(entry(of, "K"), of, [{}])


def test_a_long_chain_is_not_written_out_as_a_tree() -> None:
    """Expressions that share their parts would grow as trees do: 2⁶⁰ parts here."""
    lines = [f"y{k + 1} = Sin(s{k})\n s{k + 1} = Add(y{k + 1}, y{k + 1})" for k in range(60)]
    of = graph("s0 = Cast<to=1>(places)\n" + "\n".join(lines) + "\n K = Identity(s60)")
    numeric_check(entry(of, "K"), of, SIZES)


def test_a_bucket_at_a_power_is_that_of_the_file() -> None:
    """T5's logarithms, which the file reckons in 32 bits, would be cut off at another place."""
    of = graph("""
  eight = Constant<value=float{8}>()
  logs = Constant<value=float{2.7725887}>()
  f = Cast<to=1>(rows)
  ratio = Div(f, eight)
  log = Log(ratio)
  part = Div(log, logs)
  times = Mul(part, eight)
  times_i = Cast<to=7>(times)
  near = Less(rows, one)
  K = Where(near, zero, times_i)
""")
    sizes = [{"n": n} for n in (17, 33, 65, 127)]
    read = entry(of, "K")
    numeric_check(read, of, sizes)
    with pytest.raises(Misread):
        compare(read, sizes[-1], runner(of, "K")(sizes[-1]))  # in 64 bits


def test_dimensions_of_unread_tensors_may_be_given() -> None:
    """A mask of the length of what an unread operator gives would stay unread."""
    of = graph("""
  hidden = Det(x)
  s = Shape<start=1, end=2>(hidden)
  K = ConstantOfShape(s)
""")
    with pytest.raises(Unsupported, match="Det is not read"):
        entry(of, "K")
    of = cut(of, {"hidden": ("b", "n", 5)})
    numeric_check(entry(of, "K"), of, SIZES)


N, M = size("n"), size("m")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (lambda: sub(add(N, number(3)), number(3)), lambda: N),
        (lambda: mul(add(N, M), sub(N, M)), lambda: sub(mul(N, N), mul(M, M))),
        (lambda: floor_div(mul(N, number(12)), number(4)), lambda: mul(number(3), N)),
        (lambda: least(N, add(N, M)), lambda: N),
        (lambda: absolute(neg(N)), lambda: N),
        (lambda: absolute(sub(N, M)), lambda: absolute(sub(M, N))),
    ],
)
def test_equal_sizes_are_equal_expressions(
    left: Callable[[], Expr], right: Callable[[], Expr]
) -> None:
    """Two ways to write one size would count as two sizes."""
    assert left() == right()


def test_different_sizes_are_different_expressions() -> None:
    """Two sizes would count as one."""
    assert mul(N, M) != mul(N, N)
    assert least(N, M) != N


UNKNOWN = ("function", "special", "table", "result")


@pytest.mark.parametrize("name", [*READ, *GRAPHS])
def test_solvers_are_asked_about_what_was_compared(name: str) -> None:
    """The formula of an expression would be of another value than the one that was compared."""
    body, tables = of_list(name)
    read = entry(graph(body, **tables), "K")
    if any(p.op in UNKNOWN for p in parts(read.value)):
        return
    formula, sizes = Formulas().of(read.value), {"n": 7, "b": 3}
    whole = values(read, sizes)
    for place in np.argwhere(np.ones(whole.shape)):
        to = [(z3.Int(f"i{k}"), z3.IntVal(int(i))) for k, i in enumerate(place)]
        to += [(z3.Int(size_name(s)), z3.IntVal(v)) for s, v in sizes.items()]
        assert value_of_formula(z3.substitute(formula, *to)) == whole[tuple(place)]


def value_of_formula(e: Any) -> Any:
    """A number or truth value from Z3."""
    e = z3.simplify(e)
    if z3.is_bool(e):
        return z3.is_true(e)
    return e.as_long() if z3.is_int_value(e) else Fraction(str(e))


@pytest.mark.parametrize("x", [-7, -6, -1, 0, 1, 6, 7])
@pytest.mark.parametrize("y", [-3, -1, 2, 3])
def test_quotients_are_exact_in_every_sign(x: int, y: int) -> None:
    """SMT-LIB's quotient, which rounds so that the remainder is not negative, would be taken for
    Python's, or Python's for ONNX's."""
    left, right = made("free", INT, data="x"), made("free", INT, data="y")
    at = {"x": x, "y": y}
    expected = {floor_div: x // y, trunc_div: int(Fraction(x, y)), floor_mod: x % y}
    for of, value in expected.items():
        for a in (left, number(x)):
            for b in (right, number(y)):
                e = of(a, b)
                assert evaluate(e, {}, at) == value
                assert value_of_formula(free(e, at)) == value


def test_a_wrong_quotient_in_formulas_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """SMT-LIB's own quotient would pass as ⌊x/y⌋ where y is negative."""
    monkeypatch.setattr(formulas, "_floor_div", lambda x, y: x / y)
    e = floor_div(made("free", INT, data="x"), made("free", INT, data="y"))
    assert value_of_formula(free(e, {"x": 7, "y": -3})) != -3


def free(e: Expr, at: dict[str, int]) -> Any:
    """The formula of an expression in numbers of any sign, with these in their place."""
    whole = Formulas()
    for p in parts(e):
        if p.op == "free":
            whole._done[p] = z3.IntVal(at[p.data])
    return whole.of(e)


ARRAYS = {
    "affine": np.add.outer(3 * np.arange(5), -2 * np.arange(4)).astype(np.int64),
    "of a difference": BAND[:5, :7].astype(np.float32),
    "of runs": np.repeat(np.array([1.5, -2.0, 0.25], np.float32), 4),
    "random": np.random.default_rng(5).integers(-3, 4, size=(4, 5)),
    "one row apart": np.where(np.arange(9)[:, None] == 4, RANDOM[:9], RANDOM[0]),
    "not a number": np.array([np.nan, np.nan, 1.0, np.inf], dtype=np.float32),
    "large": np.array([2**40, 2**41, 3 * 2**40], dtype=np.int64),
    "truth": np.tril(np.ones((4, 6), dtype=bool), 1),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_is_read_as_it_is(name: str) -> None:
    """A table would be read as a formula that it is not."""
    array = ARRAYS[name]
    at = [index(f"i{k}") for k in range(array.ndim)]
    whole = evaluate(looked_up(array, at), {}, grid([e.data for e in at], [*array.shape]))
    found = np.broadcast_to(whole, array.shape).astype(array.dtype)
    assert np.array_equal(found, array, equal_nan=array.dtype.kind == "f")
