"""`decide` on models that were made to get a wrong answer from it, and did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("flint")

from orderproof.symbolic.onnx.decide import decide  # noqa: E402
from orderproof.symbolic.onnx.graph import ModelError  # noqa: E402
from orderproof.symbolic.onnx.report import as_expected  # noqa: E402
from orderproof.symbolic.witness.model.file import dumps  # noqa: E402
from orderproof.symbolic.witness.model.replay import check  # noqa: E402

HEADER = '<ir_version: 9, opset_import: ["" : 18]>\n'


def answer(folder: Path, text: str, axis: str = "x:0", along: tuple[str, ...] = ()) -> Any:
    """The result for one axis of a model given as text."""
    path = folder / "model.onnx"
    onnx.save(onnx.parser.parse_model(HEADER + text), path)
    (found,) = decide(path, axis=axis, along=along).results
    return found


def gathered(before: str, e: str = "int64[k] e") -> str:
    """Rows of x at places p that are made of token numbers e."""
    return f"g (float[n,3] x, {e}) => (float[k,3] y) {{ {before}\n y = Gather(x, p) }}"


@pytest.mark.parametrize(
    "before",
    [
        "p = Gather(e, e)",
        "[same] p0 = Neg(e)\n [same] p = Identity(p0)",
        "q = Cast<to = 3>(e)\n p = Cast<to = 7>(q)",
        "s = ReduceSum<keepdims = 0>(x)\n a = ArgMax<axis = 0>(x)\n p = Gather(e, a)",
    ],
    ids=["entries of itself", "two nodes of one name", "eight bits", "chosen by x"],
)
def test_what_is_no_copy_of_token_numbers_is_none(tmp_path: Path, before: str) -> None:
    """It was false that these are invariant when token numbers are renamed: which entry stands
    where depended on data, another node had the name of a copy, or large numbers wrapped around."""
    text = gathered(before)
    assert answer(tmp_path, text, along=("e:values",)).answer == "unknown"


@pytest.mark.parametrize("before", ["p = Identity(e)", "q = Cast<to = 6>(e)\n p = Cast<to = 7>(q)"])
def test_copies_of_token_numbers_still_are(tmp_path: Path, before: str) -> None:
    """If this failed, edge lists would no longer be read at all."""
    found = answer(tmp_path, gathered(before), along=("e:values",))
    assert (found.answer, found.scope) == ("invariant", "all n")


def test_an_output_that_moves_along_two_axes_is_not_refuted_by_one(tmp_path: Path) -> None:
    """x_i x_j is moved along both axes. Where no theorem is found (a largest entry is opaque) it
    was called not equivariant, since one axis was tried at a time."""
    text = """g (float[n] x) => (float[n,n] y) <int64[1] one = {1}, int64[1] z = {0}> {
        a = ArgMax<axis = 0>(x)  m = Gather(x, a)  s = Mul(x, m)
        c = Unsqueeze(s, one)  y = Mul(c, s) }"""
    assert answer(tmp_path, text).answer == "unknown"


def test_an_output_that_moves_along_no_axes_is_refuted_of_both_at_once(tmp_path: Path) -> None:
    """Beside it: what follows on neither axis, nor on both, is refuted of each, and each witness
    is replayed from its file."""
    text = """g (float[n] x) => (float[n,n] y) <int64[1] one = {1}, int64 z = {0}> {
        s = CumSum(x, z)  c = Unsqueeze(s, one)  y = Mul(c, s) }"""
    found = answer(tmp_path, text)
    assert found.answer == "not equivariant"
    axes = [w.output_axis for w in found.witnesses]
    assert axes == [0, 1, None, (0, 1)]
    assert all(check(w, tmp_path / "model.onnx").ok for w in found.witnesses)
    assert '"output_axis": [0, 1]' in dumps(found.witnesses[3])


def test_a_group_that_moves_other_places_is_not_exact(tmp_path: Path) -> None:
    """Of y = x shifted by one place the theorem moves all but the first token, and in the output
    other places than those; that cyclic shifts commute with it was called refuted."""
    text = """g (float[n,3] x) => (float[n,3] y) <int64[1] z = {0}, int64[1] one = {1},
        int64[1] end = {9223372036854775807}> {
        a = Slice(x, one, end, z)  b = Slice(x, z, one, z)  y = Concat<axis = 0>(a, b) }"""
    found = answer(tmp_path, text)
    assert found.answer == "subgroup" and found.group is not None
    assert not found.group.exact


def test_a_group_that_moves_the_same_places_is_exact(tmp_path: Path) -> None:
    """If this failed, no class token would be seen to be the only one that is apart."""
    text = """g (float[n,3] x) => (float[n,3] y) <int64[1] z = {0}, int64[1] one = {1},
        int64[1] end = {9223372036854775807}> {
        a = Slice(x, one, end, z)  b = Slice(x, z, one, z)
        c = Neg(b)  y = Concat<axis = 0>(c, a) }"""
    found = answer(tmp_path, text)
    assert found.answer == "subgroup" and found.group is not None
    assert (found.group.name, found.group.exact) == ("all tokens but the first", True)


def test_one_entry_of_a_vector_is_evaluated(tmp_path: Path) -> None:
    """The entry of a vector of balls is a ball and no array: the evaluator broke on it."""
    text = """g (float[n] x) => (float y) <int64 last = {-1}> {
        s = Exp(x)  y = Gather(s, last) }"""
    found = answer(tmp_path, text)
    assert found.answer in ("subgroup", "not equivariant") and found.witnesses


def test_what_has_no_term_is_refuted_all_the_same(tmp_path: Path) -> None:
    """The place of the largest entry along merged axes has no term: that was an error that nobody
    caught, and no other answer about the model was given."""
    text = """g (float[n,4,3] x) => (int64[3] y) <int64[2] to = {-1, 3}> {
        a = Reshape(x, to)  y = ArgMax<axis = 0, keepdims = 0>(a) }"""
    assert answer(tmp_path, text).answer == "not equivariant"


def test_an_output_of_unknown_shape_is_not_refuted(tmp_path: Path) -> None:
    """Neither read nor run (onnxruntime refuses three dimensions): an axis of the output along
    which it is equivariant was not known, and "not invariant" was called "not equivariant"."""
    text = "g (float[1,n,3] x) => (float[1,n,3] y) { y = LRN<size = 201>(x) }"
    found = answer(tmp_path, text, axis="x:1")
    assert found.answer == "unsupported" and not found.witnesses


TWO = "g (float[n] x, float[n] z) => (float[n,n] y) <int64[1] one = {1}> {"


@pytest.mark.parametrize("made", ["y = Reshape(h, flat)", "y = Reshape(h, grid)"])
def test_rows_that_are_parts_of_an_axis_are_not_refuted(tmp_path: Path, made: str) -> None:
    """Rows of a fixed number, two features each, on one axis of twelve or on three axes follow the
    rows of x; behind an operator that is not read, y was called not equivariant."""
    text = f"""g (float[6,2] x) => (y) <int64[1] flat = {{-1}}, int64[3] grid = {{3, 2, 2}}> {{
        h = Scan<num_scan_inputs = 1, body = b (float[2] r) => (float[2] o) {{ o = Add(r, r) }}>(x)
        {made} }}"""
    assert answer(tmp_path, text).answer == "unsupported"


def test_behind_what_is_not_read_it_is_refuted_still(tmp_path: Path) -> None:
    """The twin of the test above: running sums, by an operator that is not read."""
    text = """g (float[6,2] x) => (y) <float[2] o = {0, 0}> {
        s, y = Scan<num_scan_inputs = 1,
                    body = b (float[2] t, float[2] r) => (float[2] u, float[2] v)
        { u = Add(t, r)  v = Identity(u) }>(o, x) }"""
    assert answer(tmp_path, text).answer == "not equivariant"


def test_what_moves_along_is_moved_though_the_model_does_not_tie_it(tmp_path: Path) -> None:
    """Of y = x zᵀ the rows follow x, and with z moved along the columns follow too. The axis that
    was named to move along was not moved, and the answer said that it was."""
    text = TWO + " c = Unsqueeze(x, one)  y = Mul(c, z) }"
    assert answer(tmp_path, text).output_axis == 0
    found = answer(tmp_path, text, along=("z:0",))
    assert (found.answer, found.output_axis, found.along) == ("equivariant", (0, 1), ("z:0",))


def test_what_moves_along_may_break_what_holds_without_it(tmp_path: Path) -> None:
    """y = x + max of the running sums of z follows x alone; if z moves along, it does not."""
    text = """g (float[n] x, float[n] z) => (float[n] y) <int64 o = {0}, int64[1] e = {0}> {
        c = CumSum(z, o)  m = ReduceMax(c, e)  y = Add(x, m) }"""
    assert answer(tmp_path, text).answer == "equivariant"
    assert answer(tmp_path, text, along=("z:0",)).answer == "not equivariant"


def test_what_moves_along_has_the_same_length(tmp_path: Path) -> None:
    """An axis of another length cannot move along, and of another name only where it is equal."""
    other = TWO.replace("float[n] z", "float[m] z") + " c = Unsqueeze(x, one)  y = Mul(c, z) }"
    assert answer(tmp_path, other, along=("z:0",)).conditions == ("m = n",)
    fixed = TWO.replace("float[n] x, float[n] z", "float[4] x, float[5] z")
    with pytest.raises(ModelError, match="axes of one length"):
        answer(tmp_path, fixed + " c = Unsqueeze(x, one)  y = Mul(c, z) }", along=("z:0",))


def test_the_largest_of_places_are_evaluated(tmp_path: Path) -> None:
    """Places are whole numbers, and infinity is none: the evaluation for the check broke there."""
    text = """g (float[n,4] x) => (int64[1] v) <int64[1] one = {1}> {
        p = ArgMax<axis = 1, keepdims = 0>(x)  v, i = TopK<axis = 0>(p, one) }"""
    found = answer(tmp_path, text)
    assert (found.answer, found.output_axis) == ("invariant", None)


@pytest.mark.parametrize(
    "at",
    ["p = Identity(five)", pytest.param("p = Neg(six)", marks=pytest.mark.slow), "p = Shape(w)"],
)
def test_a_place_beyond_the_tokens_is_none(tmp_path: Path, at: str) -> None:
    """Of four tokens there is no sixth, none from the end, and no m-th where m > 4: that ended in
    an error, or in a group of four tokens of which the model means nothing."""
    text = f"""g (float[n,3] x, float[m] w) => (float[q,3] y)
        <int64[1] five = {{5}}, int64[1] six = {{6}}, int64[1] z = {{0}}> {{
        {at}  a = Gather(x, p)  s = ReduceSum<keepdims = 1>(x, z)  y = Mul(a, s) }}"""
    found = answer(tmp_path, text)
    assert found.answer != "subgroup" or "m + 1 <= n" in found.conditions


WIDE = ("n,1000000000", "n,4611686018427387904,8", ",".join("abcdefghijklmnopqrstuvwxyz"))


@pytest.mark.parametrize("dims", WIDE, ids=["wide", "too wide to count", "many axes"])
def test_an_input_too_large_to_draw_is_not_drawn(tmp_path: Path, dims: str) -> None:
    """Memory was asked for without a bound: for a wide input, and for many dynamic axes."""
    text = f"g (float[{dims}] x) => (float[q] y) {{ y = Exp(x) }}"
    found = answer(tmp_path, text)
    assert not found.decided


def of_sizes(differs: str) -> str:
    """x with its places added to the rows wherever a number made of sizes is not 0."""
    return f"""g (float[n,m] x) => (float[n,m] y)
        <int64 z = {{0}}, int64 o = {{1}}, int64[1] one = {{1}}, int64 fifty = {{50}},
         int32 big = {{16777216}}> {{
        s = Shape(x)  n = Gather<axis = 0>(s, z)  m = Gather<axis = 0>(s, o)  r = Range(z, n, o)
        {differs}  w = Cast<to = 7>(t)  k = Mul(r, w)  f = Cast<to = 1>(k)
        u = Unsqueeze(f, one)  y = Add(x, u) }}"""


@pytest.mark.parametrize(
    "differs",
    [
        "t = Greater(m, fifty)",
        "c = Cast<to = 6>(n)  b = Mul(c, big)  q = Div(b, big)  d = Cast<to = 7>(q)  "
        "e = Equal(d, n)  t = Not(e)",
        "c = Cast<to = 10>(n)  d = Cast<to = 7>(c)  e = Equal(d, n)  t = Not(e)",
    ],
    ids=["another size", "32 bits that wrap", "16 bits that round"],
)
def test_a_constant_that_differs_at_other_sizes(tmp_path: Path, differs: str) -> None:
    """It was looked at with one value of another size, or read without a bound, and the answer was
    equivariant, for all n: it differs where m > 50, from n = 128 on, or from n = 2049 on."""
    found = answer(tmp_path, of_sizes(differs))
    assert found.scope != "all n" and not as_expected(found, "equivariant")


def test_without_that_constant_it_is_for_all_sizes(tmp_path: Path) -> None:
    """The twin of the test above: a constant of sizes would never be settled."""
    found = answer(tmp_path, of_sizes("e = Equal(n, n)  t = Not(e)"))
    assert found.scope == "all n" and as_expected(found, "equivariant")


@pytest.mark.parametrize("name", ["h", "n/2", "n/2′"])
def test_a_size_with_the_name_of_another(tmp_path: Path, name: str) -> None:
    """A half of x twice is as long as x, so 2 divides n; a dimension that a file calls "n/2" need
    not be that half. Places are added to the rows of z where it is not: their order matters."""
    text = """g (float[n] x, float[h] z) => (float[h] y)
        <int64 two = {2}, int64 o = {0}, int64 one = {1}, int64[1] e = {0}> {
        s = Shape(x)  n = Squeeze(s)  d = Div(n, two)  u = Unsqueeze(d, e)
        half = Slice(x, e, u, e)  v = Concat<axis = 0>(half, half)  w = Add(x, v)
        c = ReduceSum<keepdims = 0>(w, e)
        t = Shape(z)  h = Squeeze(t)  q = Equal(h, d)  i = Not(q)  k = Cast<to = 7>(i)
        r = Range(o, h, one)  m = Mul(r, k)  f = Cast<to = 1>(m)  a = Add(z, f)  y = Add(a, c) }"""
    model = onnx.parser.parse_model(HEADER + text)
    for dims in (model.graph.input[1], model.graph.output[0]):
        dims.type.tensor_type.shape.dim[0].dim_param = name
    onnx.save(model, tmp_path / "model.onnx")
    (found,) = decide(tmp_path / "model.onnx", axis="z:0").results
    assert found.answer == "not equivariant"


def renamed(e: str, body: str) -> str:
    """A model with token numbers e."""
    return f"g (float[n] x, {e} e) => (y) <float[1] zero = {{0}}, int64 one = {{1}}> {{ {body} }}"


@pytest.mark.parametrize(
    ("e", "body"),
    [
        ("int64[n]", "g0 = Gather(x, e)  y = Add(x, g0)"),
        ("int64[n,2]", "g0 = Gather(x, e)  s = ReduceSum<keepdims = 0>(g0, ax)  y = Mul(s, x)"),
        ("int64[n]", "s = Shape(x)  o = Expand(zero, s)  "
         'y = ScatterElements<axis = 0, reduction = "add">(o, e, x)'),
    ],
    ids=["entry by entry", "two for each", "scattered"],
)  # fmt: skip
def test_numbers_that_stand_at_tokens_move_with_them(tmp_path: Path, e: str, body: str) -> None:
    """Renaming the numbers in e alone is not what the theorem is about: the rows of e moved too,
    and nobody was told. With e:0 named it is what was asked."""
    text = renamed(e, body).replace("int64 one = {1}", "int64[1] ax = {1}")
    alone = answer(tmp_path, text, along=("e:values",))
    assert alone.answer != "equivariant" or "e:0 moves along" in alone.conditions
    both = answer(tmp_path, text, along=("e:values", "e:0"))
    assert both.answer == "equivariant" and both.conditions == ()


def test_a_part_of_the_numbers_that_stands_at_tokens(tmp_path: Path) -> None:
    """A row of e, of which the places would move unseen."""
    body = "r = Gather<axis = 0>(e, one)  g0 = Gather(x, r)  y = Add(x, g0)"
    found = answer(tmp_path, renamed("int64[2,n]", body), along=("e:values",))
    assert not as_expected(found, "equivariant")


FLAGS = """g (float[n] x) => (float[n] y)
    <int64 z = {{0}}, int64 o = {{1}}, int64[1] ax = {{0}}, {constants}> {{
    s = Shape(x)  n = Squeeze(s, ax)  r = Range(z, n, o)
    {body}  t = Not(e)  w = Cast<to = 7>(t)  k = Mul(r, w)  f = Cast<to = 1>(k)  y = Add(x, f) }}"""


@pytest.mark.parametrize(("late", "early"), [(40, 10), (300, 20)])
def test_the_first_size_that_differs(tmp_path: Path, late: int, early: int) -> None:
    """A constant that differs at n = 10, and then from 40 on: it does not differ from its first
    size on, and halving had found 40."""
    body = "a = Equal(n, early)  b = GreaterOrEqual(n, late)  c = Or(a, b)  e = Not(c)"
    text = FLAGS.format(constants=f"int64 early = {{{early}}}, int64 late = {{{late}}}", body=body)
    found = answer(tmp_path, text)
    assert found.answer == "not equivariant" and found.scope == f"n = {early}"
    assert found.conditions == (f"for n <= {early - 1} it is equivariant",)


@pytest.mark.parametrize(
    ("constants", "body"),
    [
        ("int64 big = {36028797018963968}", "b = Mul(n, big)  q = Div(b, big)  e = Equal(q, n)"),
        pytest.param("int64 p = {9}", "a = Mul(n, n)  b = Mul(a, a)  c = Mul(b, b)  "
                     "e = Greater(c, z)", marks=pytest.mark.slow),
        ("int64 big = {36028797018963968}", "b = Mul(r, big)  q = Div(b, big)  e = Equal(q, r)"),
        ("int32 big = {16777216}", "g = Cast<to = 1>(n)  c = Cast<to = 6>(g)  b = Mul(c, big)  "
         "q = Div(b, big)  d = Cast<to = 7>(q)  e = Equal(d, n)"),
        pytest.param("int32 big = {16777216}", "a = GreaterOrEqual(r, z)  i = Cast<to = 6>(a)  "
                     "c = ReduceSum<keepdims = 0>(i, ax)  b = Mul(c, big)  q = Div(b, big)  "
                     "e = Equal(q, c)", marks=pytest.mark.slow),
        ("int32 top = {32768}, int32 b16 = {16}, int64 top8 = {32768}, int64 b8 = {16}",
         "c = Cast<to = 6>(n)  u = Sub(top, c)  v = Mul(c, u)  q = Mul(v, b16)  "
         "a = Cast<to = 7>(q)  u8 = Sub(top8, n)  v8 = Mul(n, u8)  q8 = Mul(v8, b8)  "
         "e = Equal(a, q8)"),
        ("float d = {35}", "a = Cast<to = 1>(n)  b = Div(a, d)  c = Mul(b, d)  e = Equal(a, c)"),
    ],
    ids=["64 bits", "powers", "64 bits, by the solver", "32 bits by floats", "32 bits by truth",
         "32 bits, not monotone", "a float's rounding"],
)  # fmt: skip
def test_whole_numbers_that_wrap_are_not_read_as_unbounded(
    tmp_path: Path, constants: str, body: str
) -> None:
    """In 64 or 32 bits, or in floats, e is false at some size: from 256 on, from 5000 on, at 9."""
    found = answer(tmp_path, FLAGS.format(constants=constants, body=body))
    assert found.scope not in ("all n", "n <= 32768")


def test_a_group_is_of_the_size_at_which_others_are_refuted(tmp_path: Path) -> None:
    """With m = 3 every permutation is one; those outside of the group were refuted at m = 2, and
    the group was called exact."""
    text = """g (float[n] x, float[m] v) => (float[n] y)
        <int64 z = {0}, int64 o = {1}, int64 three = {3}, int64 two = {2}, int64[1] ax = {0}> {
        sn = Shape(x)  n = Squeeze(sn, ax)  sm = Shape(v)  m = Squeeze(sm, ax)  r = Range(z, n, o)
        f0 = Equal(r, z)  f = Cast<to = 1>(f0)
        e3 = Equal(m, three)  g3 = Cast<to = 1>(e3)  k3 = Mul(f, g3)
        e2 = Equal(m, two)  g2 = Cast<to = 1>(e2)  k2 = Mul(f, g2)
        a = Add(x, k3)  b = Sub(a, k3)  y = Add(b, k2) }"""
    found = answer(tmp_path, text)
    assert found.answer != "subgroup" or not found.group.exact


def test_a_group_is_of_the_sizes_that_its_condition_allows(tmp_path: Path) -> None:
    """Of v the first three places are summed, so m is at least 3; the flag is set where m is 2."""
    text = """g (float[n] x, float[m] v) => (float[n] y)
        <int64 z = {0}, int64 o = {1}, int64 two = {2}, int64[1] ax = {0}, int64[1] three = {3}> {
        sn = Shape(x)  n = Squeeze(sn, ax)  sm = Shape(v)  m = Squeeze(sm, ax)  r = Range(z, n, o)
        f0 = Equal(r, z)  f = Cast<to = 1>(f0)
        e2 = LessOrEqual(m, two)  g2 = Cast<to = 1>(e2)  k2 = Mul(f, g2)
        h = Slice(v, ax, three, ax)  w = Expand(h, three)  t = ReduceSum<keepdims = 0>(w, ax)
        a = Add(x, k2)  y = Add(a, t) }"""
    found = answer(tmp_path, text)
    assert found.answer != "subgroup" or not found.group.exact


@pytest.mark.parametrize(
    "made", ["y = Reshape(h, flat)", "y = Concat<axis = 0>(h, h)", "y = Reshape(h, grid)"]
)
def test_an_axis_within_another_is_not_refuted(tmp_path: Path, made: str) -> None:
    """Rows that are merged with others, joined to them or split follow the rows of x: the terms
    that depend on places cancel."""
    text = f"""g (float[4,2] x) => (y)
        <float[4,1] k = {{1, 2, 3, 4}}, int64[1] flat = {{-1}}, int64[3] grid = {{2, 2, 2}}> {{
        a = Add(x, k)  h = Sub(a, k)  {made} }}"""
    assert answer(tmp_path, text).answer in ("unknown", "unsupported")


@pytest.mark.parametrize(
    "text",
    [
        "g (float[n] x) => (y) <int64 o = {1}> { s = Shape(x)  n = Squeeze(s)  k = Sub(n, o)  "
        "u = Expand(x, s)  m = Unsqueeze(x, o)  y = Trilu(m, k) }",
        "g (float[n,2] x) => (y) { n = Shape(x)  y = CumSum(x, n) }",
        "g (float[n,2] x) => (y) { y = Concat(x, x) }",
        "g (float[n,2] x) => (y) { y = Transpose<perm = [0]>(x) }",
        "g (float[n,2] x) => (y) { y = Add(x) }",
        "g (float[n,2] x) => (y) { y = Einsum(x, x) }",
        "g (float[n] x) => (y) { y = Trilu(x) }",
    ],
)
def test_a_node_that_is_not_as_it_should_be_is_refused(tmp_path: Path, text: str) -> None:
    """A traceback would be printed."""
    try:
        found = answer(tmp_path, text)
    except ModelError as error:
        assert "\n" not in str(error)
    else:
        assert found.answer in ("unsupported", "unknown")


def test_each_axis_is_named_once(tmp_path: Path) -> None:
    """Nothing would be asked, and nothing answered."""
    text = "g (float[n] x, float[n] z) => (float[n] y) { y = Add(x, z) }"
    for along in (("x:0",), ("z:0", "z:0")):
        with pytest.raises(ModelError, match="each axis once"):
            answer(tmp_path, text, along=along)


def test_a_name_is_defined_once(tmp_path: Path) -> None:
    """onnxruntime takes the outer z, a reader the inner: the sums run along another axis."""
    text = """g (float[n,4] x) => (float[n,4] y) <int64 z = {1}, bool t = {1}> {
        y = If(t)<then_branch = a() => (float[n,4] u) <int64 z = {0}> { u = CumSum(x, z) },
                  else_branch = b() => (float[n,4] v) { v = CumSum(x, z) }> }"""
    with pytest.raises(ModelError, match="again within it"):
        answer(tmp_path, text)


def test_a_function_is_no_operator_of_onnx(tmp_path: Path) -> None:
    """onnxruntime runs its own Relu, whatever a file says that Relu is."""
    model = onnx.parser.parse_model(
        """<ir_version: 9, opset_import: ["" : 18, "own" : 1]>
        g (float[n] x) => (float[n] y) { y = Relu(x) }
        <domain: "own", opset_import: ["" : 18]>
        Relu (a) => (b) { z = Constant<value_int = 0>()  b = CumSum(a, z) }"""
    )
    model.functions[0].domain = ""
    onnx.save(model, tmp_path / "model.onnx")
    with pytest.raises(ModelError, match="own domain"):
        decide(tmp_path / "model.onnx", axis="x:0")
