"""`decide` on models that were made to get a wrong answer from it, and did."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("flint")

from orderproof.symbolic.onnx.decide import decide
from orderproof.symbolic.onnx.enclose import check
from orderproof.symbolic.onnx.graph import ModelError
from orderproof.symbolic.onnx.report import Result
from orderproof.symbolic.witness.model_file import dumps
from tests.symbolic.onnx.making import answer, parsed, said, saved


def sized(made: str) -> str:
    """The first rows of x, as many as e, which is made of their number n."""
    return f"""g (float[n,2] x) => (y) <int64[1] z = {{0}}, int64[1] long = {{512}}> {{
        n = Shape<start = 0, end = 1>(x)  {made}  s = Slice(x, z, e, z)  y = Relu(s) }}"""


def of_another(made: str) -> str:
    """Rows of x and their numbers, as many as e, which is made of the numbers m and w of others."""
    return f"""g (float[n,2] x, float[p,q] o) => (y) <int64 two = {{2}}, int64 three = {{3}},
        int64 ten = {{10}}, int64 a = {{0}}, int64 b = {{1}}, int64[1] k0 = {{1}}> {{
        sm = Shape<start = 0, end = 1>(o)  m = Squeeze(sm)  sw = Shape<start = 1, end = 2>(o)
        w = Squeeze(sw)  {made}  r = Range(a, e, b)  f = Cast<to = 1>(r)  u = Unsqueeze(f, k0)
        y = Add(x, u) }}"""


def gathered(before: str) -> str:
    """Rows of x at places p that are made of token numbers e."""
    return f"g (float[n,3] x, int64[k] e) => (float[k,3] y) {{ {before}\n y = Gather(x, p) }}"


def shifted(joined: str) -> str:
    """The first row of x and the others, joined in another way."""
    return f"""g (float[n,3] x) => (float[n,3] y) <int64[1] z = {{0}}, int64[1] one = {{1}},
        int64[1] end = {{9223372036854775807}}> {{
        a = Slice(x, one, end, z)  b = Slice(x, z, one, z)  {joined} }}"""


def scanned(made: str) -> str:
    """y made of rows h that an operator makes which is not read."""
    return f"""g (float[6,2] x) => (y) <int64[1] flat = {{-1}}, int64[3] grid = {{3, 2, 2}}> {{
        h = Scan<num_scan_inputs = 1, body = b (float[2] r) => (float[2] o) {{ o = Add(r, r) }}>(x)
        {made} }}"""


def cancelled(made: str) -> str:
    """y made of rows h, whose terms that depend on places cancel."""
    return f"""g (float[4,2] x) => (y)
        <float[4,1] k = {{1, 2, 3, 4}}, int64[1] flat = {{-1}}, int64[3] grid = {{2, 2, 2}}> {{
        a = Add(x, k)  h = Sub(a, k)  {made} }}"""


def beyond(at: str) -> str:
    """A row of x at a place p."""
    return f"""g (float[n,3] x, float[m] w) => (float[q,3] y)
        <int64[1] five = {{5}}, int64[1] six = {{6}}, int64[1] z = {{0}}> {{
        {at}  a = Gather(x, p)  s = ReduceSum<keepdims = 1>(x, z)  y = Mul(a, s) }}"""


def of_sizes(differs: str) -> str:
    """x with its places added to the rows wherever a number made of sizes is not 0."""
    return f"""g (float[n,m] x) => (float[n,m] y)
        <int64 z = {{0}}, int64 o = {{1}}, int64[1] one = {{1}}, int64 fifty = {{50}}> {{
        s = Shape(x)  n = Gather<axis = 0>(s, z)  m = Gather<axis = 0>(s, o)  r = Range(z, n, o)
        {differs}  w = Cast<to = 7>(t)  k = Mul(r, w)  f = Cast<to = 1>(k)
        u = Unsqueeze(f, one)  y = Add(x, u) }}"""


def flagged(constants: str, body: str) -> str:
    """x with its places added where e is false."""
    return f"""g (float[n] x) => (float[n] y)
        <int64 z = {{0}}, int64 o = {{1}}, int64[1] ax = {{0}}, {constants}> {{
        s = Shape(x)  n = Squeeze(s, ax)  r = Range(z, n, o)  {body}
        t = Not(e)  w = Cast<to = 7>(t)  k = Mul(r, w)  f = Cast<to = 1>(k)  y = Add(x, f) }}"""


def first_place(flags: str) -> str:
    """x with numbers added at the first place that depend on the sizes n and m."""
    return f"""g (float[n] x, float[m] v) => (float[n] y) <int64 z = {{0}}, int64 o = {{1}},
        int64 three = {{3}}, int64 two = {{2}}, int64[1] ax = {{0}}, int64[1] threes = {{3}}> {{
        sn = Shape(x)  n = Squeeze(sn, ax)  sm = Shape(v)  m = Squeeze(sm, ax)  r = Range(z, n, o)
        f0 = Equal(r, z)  f = Cast<to = 1>(f0)  {flags} }}"""


def renamed(e: str, body: str) -> str:
    """A model with token numbers e."""
    return f"""g (float[n] x, {e} e) => (y)
        <float[1] zero = {{0}}, int64 one = {{1}}> {{ {body} }}"""


TWO = "g (float[n] x, float[n] z) => (float[n,n] y) <int64[1] one = {1}> {"
OUTER = TWO + " c = Unsqueeze(x, one)  y = Mul(c, z) }"
RUNNING = """g (float[n] x, float[n] z) => (float[n] y) <int64 o = {0}, int64[1] e = {0}> {
    c = CumSum(z, o)  m = ReduceMax(c, e)  y = Add(x, m) }"""
VALUES, BOTH = ("e:values",), ("e:values", "e:0")
ROW, THEOREM, NONE = "g (float[n,4] x) => (y)", "equivariant; all n", "unknown; .*"
REFUTED, ONE = r"not equivariant; .*", r"not equivariant; n = \d+"
NO_THEOREM = r"(?!(equivariant|invariant);).*"
NOT_ALL = r"[^;]*; (?!all n).*"
UNREAD = r"(unsupported|unknown); .*"
BOUNDED = r"[^;]*; (?!(all n|n <= 32768)(;|$)).*"


def is_not_exact(found: Result) -> bool:
    """No group that is said to be exact."""
    return found.group is None or not found.group.exact


# What was answered wrongly, and why; the model, what moves along, and what is answered now: the
# answer, its scope and its conditions, or a test of it.
ANSWERS: dict[str, tuple[str, tuple[str, ...], str | Callable[[Result], bool]]] = {
    # Token numbers were renamed in what is no copy of them: it was false that these are invariant.
    **{
        f"no copy of token numbers: {name}": (gathered(made), VALUES, ONE)
        for name, made in (
            ("entries of itself", "p = Gather(e, e)"),
            ("two nodes of one name", "[same] p0 = Neg(e)\n [same] p = Identity(p0)"),
            ("chosen by x", "s = ReduceSum<keepdims = 0>(x)\n a = ArgMax<axis = 0>(x)\n "
             "p = Gather(e, a)"))
    },
    "a copy of token numbers in eight bits": (
        gathered("q = Cast<to = 3>(e)\n p = Cast<to = 7>(q)"), VALUES, NONE),
    "a copy of token numbers": (
        gathered("q = Cast<to = 6>(e)\n p = Cast<to = 7>(q)"), VALUES, "invariant; all n"),
    # A row of e, of which the places would move unseen. Renaming the numbers alone is not what the
    # theorem is about: the rows of e moved too. With e:0 named it is what was asked.
    "a part of the numbers that stands at tokens": (
        renamed("int64[2,n]", "r = Gather<axis = 0>(e, one)  g0 = Gather(x, r)  y = Add(x, g0)"),
        VALUES, f"(?!{THEOREM}$).*"),
    **{
        f"numbers that stand at tokens, {'named' if along == BOTH else 'alone'}: {body}": (
            renamed(e, body), along,
            THEOREM if along == BOTH else r"(?!equivariant).*|.* e:0 moves along.*")
        for along in (VALUES, BOTH)
        for e, body in (
            ("int64[n]", "g0 = Gather(x, e)  y = Add(x, g0)"),
            ("int64[n]", "s = Shape(x)  o = Expand(zero, s)  "
             'y = ScatterElements<axis = 0, reduction = "add">(o, e, x)'))
    },
    # x_i x_j is moved along both axes. Where no theorem is found (a largest entry is opaque) it was
    # called not equivariant, since one axis was tried at a time.
    "an output that moves along two axes": (
        """g (float[n] x) => (float[n,n] y) <int64[1] one = {1}, int64[1] z = {0}> {
        a = ArgMax<axis = 0>(x)  m = Gather(x, a)  s = Mul(x, m)
        c = Unsqueeze(s, one)  y = Mul(c, s) }""", (), NONE),
    # Of y = x shifted by one place the theorem moves all but the first token, and in the output
    # other places than those; that cyclic shifts commute with it was called refuted.
    "a group that moves other places": (
        shifted("y = Concat<axis = 0>(a, b)"), (),
        lambda f: f.answer == "subgroup" and is_not_exact(f)),
    "a group that moves the same places": (
        shifted("c = Neg(b)  y = Concat<axis = 0>(c, a)"), (),
        lambda f: f.answer == "subgroup" and f.group is not None
        and (f.group.name, f.group.exact) == ("all tokens but the first", True)),
    # The entry of a vector of balls is a ball and no array: the evaluator broke on it.
    "one entry of a vector": (
        "g (float[n] x) => (float y) <int64 last = {-1}> { s = Exp(x)  y = Gather(s, last) }", (),
        lambda f: f.answer in ("subgroup", "not equivariant") and bool(f.witnesses)),
    # The place of the largest entry along merged axes has no term: that was an error that nobody
    # caught, and no other answer about the model was given.
    "what has no term": (
        """g (float[n,4,3] x) => (int64[3] y) <int64[2] to = {-1, 3}> {
        a = Reshape(x, to)  y = ArgMax<axis = 0, keepdims = 0>(a) }""", (), REFUTED),
    # Rows of a fixed number, two features each, on one axis of twelve or on three axes follow the
    # rows of x; behind an operator that is not read, y was called not equivariant.
    **{
        f"rows that are parts of an axis, not read: {made}": (scanned(made), (), "unsupported.*")
        for made in ("y = Reshape(h, flat)", "y = Reshape(h, grid)")
    },
    # Beside it: running sums, by an operator that is not read.
    "behind what is not read": (
        """g (float[6,2] x) => (y) <float[2] o = {0, 0}> { s, y = Scan<num_scan_inputs = 1,
        body = b (float[2] t, float[2] r) => (float[2] u, float[2] v)
        { u = Add(t, r)  v = Identity(u) }>(o, x) }""", (), REFUTED),
    # Rows that are merged with others, joined to them or split follow the rows of x.
    **{
        f"an axis within another: {made}": (cancelled(made), (), UNREAD)
        for made in ("y = Reshape(h, flat)", "y = Concat<axis = 0>(h, h)", "y = Reshape(h, grid)")
    },
    # Of y = x zᵀ the rows follow x, and with z moved along the columns follow too. The axis that
    # was named to move along was not moved, and the answer said that it was.
    "nothing moves along": (OUTER, (), lambda f: f.output_axis == 0),
    "what moves along though the model does not tie it": (
        OUTER, ("z:0",),
        lambda f: (f.answer, f.output_axis, f.along) == ("equivariant", (0, 1), (("z", 0),))),
    # y = x + max of the running sums of z follows x alone; if z moves along, it does not.
    "what holds without moving along": (RUNNING, (), "equivariant.*"),
    "what moves along breaks it": (RUNNING, ("z:0",), REFUTED),
    # Only an axis of the same length can be permuted in the same way: whoever names it knows that.
    "what moves along has the same length": (
        OUTER.replace("float[n] z", "float[m] z"), ("z:0",), r"equivariant; [^;]*"),
    # Places are whole numbers, and infinity is none: the evaluation for the check broke there.
    "the largest of places": (
        """g (float[n,4] x) => (int64[1] v) <int64[1] one = {1}> {
        p = ArgMax<axis = 1, keepdims = 0>(x)  v, i = TopK<axis = 0>(p, one) }""", (),
        lambda f: (f.answer, f.output_axis) == ("invariant", None)),
    # A node that no output needs gathers along an axis that its table has not: a traceback.
    "an axis that a table has not": (
        """g (float[n] x, int64[n] i) => (float[n] y) <float[3] w = {1., 2., 3.}, int64 o = {0}> {
        z = Gather<axis = 3>(w, i)  y = CumSum(x, o) }""", (),
        lambda f: f.answer == "not equivariant"),
    # Of four tokens there is no sixth, none from the end, and no m-th where m > 4: that ended in an
    # error, or in a group of four tokens of which the model means nothing.
    **{
        f"a place beyond the tokens: {at}": (
            beyond(at), (), r"(?!subgroup).*|.*; m \+ 1 <= n(;|$).*")
        for at in ("p = Identity(five)", "p = Neg(six)", "p = Shape(w)")
    },
    # Memory was asked for without a bound: for a wide input, and for many dynamic axes.
    **{
        f"an input too large to draw: {dims}": (
            f"g (float[{dims}] x) => (float[q] y) {{ y = Exp(x) }}", (), UNREAD)
        for dims in ("n,1000000000", "n,4611686018427387904,8",
                     ",".join("abcdefghijklmnopqrstuvwxyz"))
    },
    # A constant was looked at with one value of another size, or read without a bound, and the
    # answer was equivariant, for all n: it differs where m > 50, or from n = 2049 on.
    **{
        f"a constant that differs at other sizes: {name}": (of_sizes(differs), (), NOT_ALL)
        for name, differs in (
            ("another size", "t = Greater(m, fifty)"),
            ("16 bits that round", "c = Cast<to = 10>(n)  d = Cast<to = 7>(c)  e = Equal(d, n)  "
             "t = Not(e)"))
    },
    # Beside it: of a constant of sizes no size would be looked at.
    "a constant that differs at no size": (
        of_sizes("e = Equal(n, n)  t = Not(e)"), (), r"[^;]*; n <= 64.*"),
    # It does not differ from its first size on, n = 10, and halving had found 40.
    **{
        f"the first size that differs: {early}": (
            flagged(f"int64 early = {{{early}}}, int64 late = {{{late}}}",
                    "a = Equal(n, early)  b = GreaterOrEqual(n, late)  c = Or(a, b)  e = Not(c)"),
            (), rf"not equivariant; n = {early}; for n <= {early - 1} it is equivariant")
        for late, early in ((40, 10), (300, 20))
    },
    # With m = 3 every permutation is one; those outside of the group were refuted at m = 2, and the
    # group was called exact.
    "a group at the size at which others are refuted": (
        first_place("""e3 = Equal(m, three)  g3 = Cast<to = 1>(e3)  k3 = Mul(f, g3)
        e2 = Equal(m, two)  g2 = Cast<to = 1>(e2)  k2 = Mul(f, g2)
        a = Add(x, k3)  b = Sub(a, k3)  y = Add(b, k2)"""), (), is_not_exact),
    # Of v the first three places are summed, so m is at least 3; the flag is set where m is 2.
    "a group at sizes that its condition excludes": (
        first_place("""e2 = LessOrEqual(m, two)  g2 = Cast<to = 1>(e2)  k2 = Mul(f, g2)
        h = Slice(v, ax, threes, ax)  w = Expand(h, threes)  t = ReduceSum<keepdims = 0>(w, ax)
        a = Add(x, k2)  y = Add(a, t)"""), (), is_not_exact),
    # In 64 or 32 bits, or in floats, e is false at some size: from 256 on, from 5000 on, at 9.
    **{
        f"whole numbers that wrap: {name}": (flagged(constants, body), (), BOUNDED)
        for name, constants, body in (
            ("64 bits", "int64 big = {36028797018963968}",
             "b = Mul(n, big)  q = Div(b, big)  e = Equal(q, n)"),
            ("powers", "int64 p = {9}",
             "a = Mul(n, n)  b = Mul(a, a)  c = Mul(b, b)  e = Greater(c, z)"),
            ("64 bits, of each place", "int64 big = {36028797018963968}",
             "b = Mul(r, big)  q = Div(b, big)  e = Equal(q, r)"),
            ("32 bits by floats", "int32 big = {16777216}",
             "g = Cast<to = 1>(n)  c = Cast<to = 6>(g)  b = Mul(c, big)  q = Div(b, big)  "
             "d = Cast<to = 7>(q)  e = Equal(d, n)"),
            ("32 bits by truth", "int32 big = {16777216}",
             "a = GreaterOrEqual(r, z)  i = Cast<to = 6>(a)  c = ReduceSum<keepdims = 0>(i, ax)  "
             "b = Mul(c, big)  q = Div(b, big)  e = Equal(q, c)"),
            ("32 bits, not monotone",
             "int32 top = {32768}, int32 b16 = {16}, int64 top8 = {32768}, int64 b8 = {16}",
             "c = Cast<to = 6>(n)  u = Sub(top, c)  v = Mul(c, u)  q = Mul(v, b16)  "
             "a = Cast<to = 7>(q)  u8 = Sub(top8, n)  v8 = Mul(n, u8)  q8 = Mul(v8, b8)  "
             "e = Equal(a, q8)"),
            ("a float's rounding", "float d = {35}",
             "a = Cast<to = 1>(n)  b = Div(a, d)  c = Mul(b, d)  e = Equal(a, c)"))
    },
    # Products and sums of sizes wrap around or are rounded, and it was a theorem for all n.
    **{
        f"sizes that are beyond their type: {name}": (
            sized(made), (), NO_THEOREM)
        for name, made in (
            ("product", "f = Concat<axis = 0>(n, n, n, n)  p = ReduceProd<keepdims = 1>(f)"
             "  k = Mul(n, n)  m = Mul(n, k)  e = Div(p, m)"),
            ("product of 32 bits", "i = Cast<to = 6>(n)  f = Concat<axis = 0>(i, i, i)"
             "  p = ReduceProd<keepdims = 1>(f)  k = Mul(i, i)  j = Div(p, k)"
             "  e = Cast<to = 7>(j)"),
            ("cast", "k = Mul(n, n)  m = Mul(n, k)  p = Cast<to = 6>(m)  q = Cast<to = 6>(k)"
             "  j = Div(p, q)  e = Cast<to = 7>(j)"))
    },
    # At the sizes that are searched the output has as many rows as x, and no 512: it was refuted
    # that it does not change.
    "a slice that is longer than the input": (
        sized("e = Identity(long)"), (), "(?!not equivariant).*"),
    "a size that is negative": (
        sized("o = Sub(n, n)  k = Sub(o, n)  d = Div(k, long)  e = Add(n, d)"), (),
        "(?!not equivariant).*"),
    # Two sizes of z give one length, of which one was looked at; or it ended in a traceback.
    **{
        f"a length that is made of another: {made}": (of_another(made), (), NO_THEOREM)
        for made in ("e = Div(m, two)", "e = Min(m, three)", "e = Mod(m, three)",
                     "k = Sub(m, ten)  l = Mul(m, k)  e = Add(l, ten)", "e = Add(m, w)")
    },
    # Multiplying out four lengths of five terms took no end, and memory.
    "lengths of many terms": (
        """g (float[n] x, float[p,q,s,t] o) => (y) <int64[1] flat = {-1}> {
        n = Shape(x)  k = Shape(o)  m = ReduceSum(k)  e = Add(n, m)
        f = Concat<axis = 0>(e, e, e, e, n)  b = Expand(x, f)  y = Reshape(b, flat) }""", (),
        lambda f: "in too many steps" in f.reason),
    # Of few tokens nothing is left to copy at the ends: that was a traceback.
    "a padding of nothing": (
        """g (float[n,b] x) => (y) <int64[1] zero = {0}, int64[1] two = {2},
        int64[1] far = {4611686018427387904}, int64[4] ends = {1, 0, 1, 0}> {
        s = Slice(x, two, far, zero)  y = Pad<mode = "edge">(s, ends) }""", (), NO_THEOREM),
    # A length of n − 1 and one of 1 were split of each other without end.
    "a size that becomes 1": (
        """g (float[a,n] x) => (y) <float[1,2] c = {1, 2}, int64[1] one = {1},
        int64[1] far = {4611686018427387904}> {
        s = Slice(x, one, far, one)  m = Mul(x, c)  y = Mul(s, m) }""", (), "unsupported.*"),
    # A node that is not as it should be: a traceback was printed.
    **{
        f"no such node: {body}": (f"g (float[n{dims}] x) => (y) <int64 o = {{1}}> {{ {body} }}", (),
                                  f"{UNREAD}|refused: .*")
        for dims, body in (
            ("", "s = Shape(x)  n = Squeeze(s)  k = Sub(n, o)  u = Expand(x, s)  "
             "m = Unsqueeze(x, o)  y = Trilu(m, k)"),
            (",2", "n = Shape(x)  y = CumSum(x, n)"), (",2", "y = Concat(x, x)"),
            (",2", "y = Transpose<perm = [0]>(x)"), (",2", "y = Add(x)"),
            (",2", "y = Einsum(x, x)"), ("", "y = Trilu(x)"))
    },
    # Models drawn at random were reduced to these. Tracebacks, or a warning of NumPy:
    "a part of a Concat lacks an axis": (ROW + """ <int64[1] z = {0}, int64[1] o = {1}> {
        s = Shape(x)  m = ReduceMax(x, o)  e = Expand(m, s)  h = Slice(e, z, o, z)
        c = Concat<axis = 0>(h, x)  y = Slice(c, z, o, z) }""", (), "subgroup.*"),
    "PRelu of whole numbers": (ROW + """ <int64 z = {2}> {
        i = ArgMax<axis = 0>(x)  y = PRelu(i, z) }""", (), REFUTED),
    "a place of what has none at n = 2": (ROW + """ <int64[1] o = {1}, int64[1] m = {-1},
        int64 z = {0}, int64[1] a = {0}> {
        s = Slice(x, o, m, a)  y = Gather(s, z) }""", (), "subgroup.*"),
    # Readings that the comparison with onnxruntime did not confirm:
    "places of the one largest": (
        ROW + " <int64[1] o = {1}> { v, y = TopK(x, o) }", (), "equivariant.*"),
    "places in rows of equal entries": (ROW + """ <int64[1] o = {1}, int64[1] k = {4}> {
        s = Shape(x)  m = ReduceMax(x, o)  e = Expand(m, s)  v, i = TopK(e, k)
        y = GatherElements<axis = 1>(x, i) }""", (), "equivariant.*"),
    "scales, which are no weights": (
        ROW + " <float[2] k = {1, 2}> { y = Resize(x, , k) }", (), "equivariant.*"),
    "a cut in the last of three parts that are one": (ROW + """ <int64[2] k = {11, 1}> {
        c = Concat<axis = 1>(x, x, x)  y, z = Split<axis = 1>(c, k) }""", (), "equivariant.*"),
    "whole numbers, of which a logarithm is cut off": (ROW + """ <int64[1] o = {1}> {
        s = Sign(x)  i = Cast<to = 7>(s)  y = ReduceLogSumExp(i, o) }""", (), "unsupported.*"),
    "a padding that wraps around and takes away": (
        ROW + ' <int64[4] p = {0, -1, 0, 1}> { y = Pad<mode = "wrap">(x, p) }', (),
        "unsupported.*"),
    # Crashes: of one name two functions, of a dimension and of one that a reshape merged, or a
    # function and an input; a dimension of size 1 that a reshape leaves out; places that are not
    # there at n = 2.
    "the largest of rows, and of rows in another order": (
        "g (float[n,4] x, float[n,6] z) => (y) <int64[3] k = {0, 2, 2}, int64[2] f = {0, 4}> {"
        "h = Reshape(x, k)  t = Transpose<perm = [0, 2, 1]>(h)  r = Reshape(t, f)"
        "a = ArgMax<axis = 1>(r)  b = ArgMax<axis = 1>(z)  y = Add(a, b) }", ("z:0",), THEOREM),
    "an input named like an operator": (
        "g (float[n,4] x, float argmax) => (y) { a = ArgMax<axis = 1>(x)  f = Cast<to = 1>(a)"
        "c = Mul(x, argmax)  y = Add(c, f) }", (), THEOREM),
    "a reshape that fits m = 1 alone": (
        "g (float[n,m] x) => (y) <int64[1] o = {1}, int64[1] t = {2}> { s = Shape(x)"
        "m = Slice(s, o, t)  c = Concat<axis = 0>(s, m)  y = Reshape(x, c) }", (),
        f"{THEOREM}; m = 1"),
    "updates at places from the end": (ROW + """ <int64[2,1] i = {0, -3}, float[2,4] u =
        {1, 1, 1, 1, 2, 2, 2, 2}> { y = ScatterND(x, i, u) }""", (), "subgroup.*"),
    # An empty list of axes is none: at n = 1 there is no axis 1 of the output.
    "a squeeze along no axes": (
        "g (float[m,n] x) => (y) <int64[0] e = {}> { y = Squeeze(x, e) }", (), UNREAD),
    "a size squeezed along no axes": (
        ROW + """ <int64[0] e = {}> { s = Shape<end = 1>(x)  n = Squeeze(s, e)
        f = Cast<to = 1>(n)  y = Mul(x, f) }""", (), THEOREM),
    "a window longer than two places, and a slice": (
        "g (float[n,2,m] x, float[3,2,4] w) => (y) <int64[1] z = {0}, int64[1] e = {-1}, "
        "int64[1] a = {2}> { c = Conv(x, w)  y = Slice(c, z, e, a) }", (), f"{THEOREM}.*"),
    # At n = 3 and 4, of which it was said too, onnxruntime has a window.
    "a window in fewer places than it has": (
        "g (float[n,m,1,1] x) => (y) { t = Transpose(x)"
        "y = AveragePool<kernel_shape = [5, 5], strides = [2, 3]>(t) }", (),
        "invariant; n <= 5; n >= 5; .*"),
    # onnxruntime keeps dimensions where it says 1 alone: one more was read, and a traceback.
    **{f"dimensions that are not kept: {op}": (
        f"g (float[n] x) => (y) {{ y = {op}<keepdims = 3>(x) }}", (), says)
       for op, says in (("ArgMax", ONE), ("ReduceMax", "invariant; all n"))},
    "dimensions that are reduced: no axes": (
        "g (float[n] x) => (y) { y = ReduceMax<noop_with_empty_axes = 3>(x) }", (),
        "invariant; all n"),
    "two layers of one name, in both directions": (
        "g (float[n,3,3] x, float[1,2,3] w, float[1,2,2] r) => (y) "
        "{ t = Transpose<perm = [1, 0, 2]>(x)  [same] a = RNN<hidden_size = 2>(t, w, r) "
        '[same] b = RNN<hidden_size = 2, direction = "reverse">(t, w, r)  y = Sub(a, b) }',
        (), "equivariant.*"),
    # Not of x: what is added to it from n = 7 on does not follow the tokens, and need not.
    "places from n = 7 on, and nothing of x": (
        flagged("int64 c = {7}, float q = {0}", "v = Mul(x, q)  b = GreaterOrEqual(n, c)  "
                "e = Not(b)").replace("Add(x,", "Add(v,"), (), "equivariant.*"),
    # Nothing would be asked, and nothing answered; or an axis of another length move along.
    "an axis along with itself": (OUTER, ("x:0",), "refused: .*each axis once"),
    "an axis twice": (OUTER, ("z:0", "z:0"), "refused: .*each axis once"),
    "an axis of another length": (
        OUTER.replace("float[n] x, float[n] z", "float[4] x, float[5] z"), ("z:0",),
        "refused: .*axes of one length.*"),
}  # fmt: skip
LATE = {"a place beyond the tokens: p = Neg(six)", "whole numbers that wrap: powers",
        "whole numbers that wrap: 32 bits by truth"}  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(k, marks=pytest.mark.slow if k in LATE else ()) for k in ANSWERS]
)
def test_what_was_answered_wrongly_is_not(name: str, tmp_path: Path) -> None:
    """The wrong answer of which the table says why it was given would be given again."""
    text, along, expected = ANSWERS[name]
    try:
        found = answer(tmp_path, text, along=along)
    except ModelError as error:
        line = f"refused: {error}"
    else:
        line = said(found)
        unbounded = re.fullmatch(r"equivariant; (all n|n = \d+)", line)
        assert found.as_expected("equivariant") is bool(unbounded)
        if not isinstance(expected, str):
            assert expected(found), line
            return
    assert isinstance(expected, str) and re.fullmatch(expected, line), line


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


def test_the_sizes_of_a_tensor_are_split_in_equal_parts(tmp_path: Path) -> None:
    """Before operator set 18 by the number of outputs: the first would be all of them."""
    text = """g (float[n,m] x) => (float[n,m] y) {
        s = Shape(x)  a, b = Split(s)  c = Concat<axis = 0>(a, b)  y = Reshape(x, c) }"""
    (found,) = decide(saved(parsed(text, opset=13), tmp_path), "x:0").results
    assert said(found) == THEOREM


def test_an_output_of_unknown_shape_is_not_refuted(tmp_path: Path) -> None:
    """Neither read nor run (onnxruntime refuses three dimensions): an axis of the output along
    which it is equivariant was not known, and "not invariant" was called "not equivariant"."""
    text = "g (float[1,n,3] x) => (float[1,n,3] y) { y = LRN<size = 201>(x) }"
    found = answer(tmp_path, text, axis="x:1")
    assert found.answer == "unsupported" and not found.witnesses


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
    model = parsed(text, opset=18)
    for dims in (model.graph.input[1], model.graph.output[0]):
        dims.type.tensor_type.shape.dim[0].dim_param = name
    (found,) = decide(saved(model, tmp_path), axis="z:0").results
    assert found.answer == "not equivariant"


def test_a_function_is_no_operator_of_onnx(tmp_path: Path) -> None:
    """onnxruntime runs its own Relu, whatever a file says that Relu is."""
    text = """g (float[n] x) => (float[n] y) { y = Relu(x) }
        <domain: "own", opset_import: ["" : 18]>
        Relu (a) => (b) { z = Constant<value_int = 0>()  b = CumSum(a, z) }"""
    model = parsed(text, opset=18, domains=["own"])
    model.functions[0].domain = ""
    with pytest.raises(ModelError, match="own domain"):
        decide(saved(model, tmp_path), axis="x:0")


def test_a_mask_of_more_dimensions_than_it_may_have(tmp_path: Path) -> None:
    """It would be read as if it had four, and end in a traceback."""
    text = "g (float[1,2,n,4] x, float[1,1,1,1,3] z) => (y) { y = Attention(x, x, x, z) }"
    (found,) = decide(saved(parsed(text, opset=23), tmp_path), axis="x:2").results
    assert found.answer == "unsupported"
