"""The file of a counterexample about an ONNX file: what is written is read, and nothing else is."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from operator import getitem
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orderproof.symbolic.counting import JSON, PEOPLE
from orderproof.symbolic.witness.fields import WitnessError
from orderproof.symbolic.witness.model_file import (
    EVIDENCE,
    WHOLE,
    DependenceWitness,
    Difference,
    ModelWitness,
    Recorded,
    Values,
    dumps,
    parse,
    recorded,
)

INPUTS = {
    "x": Values((1, 3, 1), "real", (Fraction(-3, 4096), Fraction(0), Fraction(2))),
    "mask": Values((3, 3), "truth", (Fraction(1),) * 9),
    "ids": Values((2,), "integer", (Fraction(2), Fraction(-1))),
}
WITNESS = ModelWitness(
    "model.onnx", "0a" * 32, (("sub/weights", "1b" * 32),), {"tokens": 3}, INPUTS, "y", (1, 3),
    (0.5, -1e-07, math.inf), (0.25, -0.0, math.nan), Difference(0.26, 0.25, 0.5, 1e-06, (0, 0)),
    "measured", False, (1, 0, 2), "x", 1, (("mask", 0), ("mask", 1), ("ids", "values")), 1,
)  # fmt: skip

ZEROS = (Fraction(0),)
SEES = DependenceWitness(
    "model.onnx", "0a" * 32, (), {"tokens": 3},
    {**INPUTS, "mask": Values((1, 3), "truth", (Fraction(1), Fraction(1), Fraction(0)))}, "y",
    (1, 3), (0.5, 0.0, 0.0), (0.25, 0.0, 0.0), Difference(0.26, 0.25, 0.5, 1e-06, (0, 0)),
    "enclosed", False, "padding", (("x", 1),), (2,), (Values((1, 1, 1), "real", ZEROS),),
    False, (("mask", 1),), 0.0, 1, (0, 1),
)  # fmt: skip
SHORT = replace(SEES, ask="causal", contents=(), given=(), masked=None, shape=(1, 2),
                moved=(0.5, 0.0), expected=(0.25, 0.0))  # fmt: skip
IN_DOCUMENTS = replace(
    SEES, ask="documents", masked=None, given=(("ids", 0),), inputs={
        "x": INPUTS["x"], "ids": Values((3,), "integer", (Fraction(1), Fraction(1), Fraction(2))),
        "real": Values((3,), "real", (Fraction(1), Fraction(1), Fraction(2)))},
)  # fmt: skip
OF_PAIRS = replace(IN_DOCUMENTS, inputs={  # ids of both requests in a row
    "x": INPUTS["x"], "ids": Values((3, 2), "integer", tuple(map(Fraction, (1, 1, 1, 1, 2, 2)))),
})  # fmt: skip


def test_reads_as_a_page() -> None:
    """A person could not read the file, or it would change by being saved."""
    text = dumps(WITNESS)
    lines = text.splitlines()
    assert '  "sigma": [1, 0, 2],' in lines
    assert '  "moving": [["mask", 0], ["mask", 1], ["ids", "values"]],' in lines
    assert '  "moved": ["0.5", "-1e-07", "inf"],' in lines
    assert parse(text.encode(), "w").at_entry() == (0.5, 0.25)


def test_the_sentence() -> None:
    """The sentence would leave out what moves, what was compared, or what it rests on."""
    assert WITNESS.says(PEOPLE) == (
        "the model model.onnx, where sigma = [2, 1, 3] moves axis 1 of x and axis 0 of mask and "
        "axis 1 of mask and by its inverse the numbers in ids, (PX)_i = X_sigma(i): with the "
        "inputs given, f(PX) and P f(X) differ by more than rounding in the entry [1, 1] of y, "
        "where sigma moves axis 1, all counted from 1, measured by onnxruntime; axes are counted "
        "from 0."
    )
    other = replace(WITNESS, evidence="enclosed", tie=True, output_axis=None).says(JSON)
    assert "f(PX) and f(X) differ by more than rounding in the entry [0, 0] of y, all" in other
    assert "enclosed in balls and measured by onnxruntime, at a tie, where the model" in other
    assert "sigma moves axes 1 and 2, all" in replace(WITNESS, output_axis=(1, 2)).says(JSON)
    assert "sigma = [0, 1, 2, …, 16] moves" in replace(WITNESS, sigma=(*range(17),)).says(JSON)

    assert SEES.says(PEOPLE).startswith(
        "the model model.onnx, where row 3 along axis 1 of x is replaced in X' (nothing should "
        "depend on what a mask hides: mask, where it is 0): with the inputs given, f(X') and f(X) "
        "differ by more than rounding in the entry [1, 1] of y, in its row 1 along axis 1, all "
        "counted from 1, enclosed"
    )
    assert "row 2 along axis 1 of x is left out in X' (no row should depend on a later one)" in (
        SHORT.says(JSON)
    )
    whole = replace(SEES, output_axis=None, rows=())
    assert "entry [0, 0] of y, all" in whole.says(JSON) and whole.row is None and SEES.n == 3


NAMES = st.text(st.sampled_from('aß:/"\\ 0'), min_size=1, max_size=4)
THREE = st.lists(st.integers(-(2**40), 2**40), min_size=3, max_size=3)
ENDS = st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=2, unique=True)
REST = st.tuples(*[st.floats()] * 4)  # away from where the sides are compared anything may stand


@given(NAMES, st.permutations(range(3)), THREE, ENDS, REST, st.sampled_from(EVIDENCE))
def test_written_is_read(
    name: str, sigma: list[int], x: list[int], ends: list[float], rest: Any, evidence: str
) -> None:
    """A counterexample would change by being saved; compared as text, for NaN is not itself."""
    d64 = abs(ends[0] - ends[1])
    reals = Values((1, 3, 1), "real", tuple(Fraction(k, 4096) for k in x))
    w = replace(
        WITNESS, data=((name, "f" * 64),), sizes={name: 3}, sigma=tuple(sigma),
        inputs={**INPUTS, "x": reals}, output=name, moved=(ends[0], *rest[:2]),
        expected=(ends[1], *rest[2:]), difference=Difference(d64, d64, 1.0, 0.0, (0, 0)),
        evidence=evidence,
    )  # fmt: skip
    read = parse(dumps(w).encode(), "w")
    assert dumps(read) == dumps(w) and repr(read) == repr(w)


X, IDS, D = ("inputs", "x"), ("inputs", "ids", "entries", 0), ("difference",)
DAMAGES = [
    (("format",), "other", "format: given 'other', expected orderproof-model-counterexample"),
    (("version",), 3, "version: given 3, expected 2"),
    (("claim",), "f", "claim: given 'f', expected the sentence: the model model.onnx, where"),
    (("more",), 1, "file: given 'the key more', expected only the keys "),
    (("model",), "../m", "model: given '../m', expected the name of a file, without a folder"),
    (("sha256",), "0A" * 32, "sha256: given '0A0A0A"),
    (("data", 0, 1), "0" * 63, "sha256: given '000"),
    (("data", 0), ["a"], "data[0]: given ['a'], expected a list of 2"),
    (("sizes", "a\n"), 3, "sizes: given 'a\\n', expected a name"),
    (("sizes", "tokens"), 0, "sizes: given {'tokens': 0}, expected sizes from 1"),
    (("sigma",), [0, 1, 1], "sigma: given (0, 1, 1), expected a permutation"),
    (("sigma",), [], "sigma: given (), expected a permutation"),
    (("sigma",), [*range(4097)], "sigma: given (0, 1, 2, 3, "),
    (("input",), "z", "moving: given 'z', expected one of the inputs: x, mask, ids"),
    (("axis",), 2, "moving: given ['x', 2], expected an axis of size 3, or the values"),
    (("axis",), -2, "moving: given ['x', -2], expected an axis of size 3"),
    (("axis",), "values", "axis: given 'values', expected an integer"),
    (("moving", 0, 1), "values", "moving: given ['mask', 'values'], expected an axis of size 3"),
    (("moving", 0, 1), 1, "moving: given (('mask', 1), ('mask', 1), "),
    ((*X, "shape"), [1, 3, -1], "inputs.x.shape: given (1, 3, -1), expected 16 sizes"),
    ((*X, "shape"), [1] * 17, "inputs.x.shape: given (1, 1, 1, "),
    ((*X, "shape"), [0, 100_001], "inputs.x.shape: given (0, 100001), expected 16 sizes, 100000"),
    ((*X, "shape"), [1, 3, 2], "inputs.x.entries: given 3, expected 6 of them"),
    ((*X, "type"), "text", "inputs.x.type: given 'text', expected one of: real, integer, truth"),
    ((*X, "entries", 0), "1/3", "inputs.x.entries[0]: given '1/3', expected a number that float64"),
    (("inputs", "mask", "entries", 8), "2", "inputs.mask.entries[8]: given '2', expected 0 or 1"),
    (IDS, "1/2", "inputs.ids.entries[0]: given '1/2', expected an integer up to"),
    (IDS, "100000001", "inputs.ids.entries[0]: given '100000001', expected an"),
    (("output_axis",), 0, "output_axis: given 0, expected null, an axis of size 3, or several"),
    (("output_axis",), [1], "output_axis: given (1,), expected null"),
    (("output_axis",), [1, 1], "output_axis: given (1, 1), expected null"),
    (("shape",), [2, 3], "moved: given 3, expected 6 entries"),
    (("expected",), ["0.25"], "expected: given 1, expected 3 entries"),
    (("moved", 1), "0.50", "moved[1]: given '0.50', expected a float as Python writes it"),
    (("moved", 1), 0.5, "moved[1]: given the number 0.5, expected text in quotes"),
    (("moved", 0), "0.51", "difference.d64: given 0.25, expected how far 0.51 and 0.25 are apart"),
    (("moved", 0), "nan", "difference.d64: given 0.25, expected how far nan and 0.25"),
    ((*D, "d64"), "0.250001", "difference.d64: given 0.250001, expected how far 0.5 and 0.25"),
    ((*D, "entry"), [0, 1], "difference.d64: given 0.25, expected how far -1e-07 and -0.0"),
    ((*D, "entry"), [0, 3], "difference.entry: given (0, 3), expected an entry of the shape"),
    ((*D, "entry"), [0, -3], "difference.entry: given (0, -3), expected an entry"),
    ((*D, "entry"), [0], "difference.entry: given (0,), expected an entry"),
    ((*D, "rounding"), "0.25", "difference: given Difference("),
    ((*D, "rounding"), "-1.0", "difference: given Difference("),
    ((*D, "d32"), "inf", "difference: given Difference("),
    (("evidence",), "proved", "evidence: given 'proved', expected one of: enclosed, measured"),
    (("tie",), 0, "tie: given 0, expected true or false"),
    (("tie",), True, "claim: "),
]  # fmt: skip


CONTENTS, BEYOND = ("contents", 0), "expected rows below 3, in rising order"
OF_ROWS = [
    (SEES, ("version",), 2, "version: given 2, expected 1"),
    (SEES, ("ask",), "other", "ask: given 'other', expected one of: causal, isolated, padding"),
    (SEES, ("places",), [], "places: given (), expected one axis at least"),
    (SEES, ("places", 0, 0), "z", "places: given 'z', expected one of the inputs: x, mask, ids"),
    (SEES, ("places", 0, 1), 3, "places: given ['x', 3], expected an axis of x"),
    (SEES, ("places", 0, 1), -2, "places: given ['x', -2], expected an axis of x"),
    (SEES, ("places",), [["x", 1], ["ids", 0]], "places: given (('x', 1), ('ids', 0)), expected"),
    (SEES, ("rows_changed",), [], f"rows_changed: given (), {BEYOND}"),
    (SEES, ("rows_changed",), [3], f"rows_changed: given (3,), {BEYOND}"),
    (SEES, ("rows_changed",), [2, 1], f"rows_changed: given (2, 1), {BEYOND}"),
    (SEES, ("contents",), [{"shape": [], "type": "real", "entries": []}] * 2, "contents: given"),
    (SEES, (*CONTENTS, "shape"), [1, 1], "contents[0]: given ['real', (1, 1)], expected real"),
    (SEES, (*CONTENTS, "type"), "truth", "contents[0]: given ['truth', (1, 1, 1)], expected real"),
    (SEES, (*CONTENTS, "entries"), [], "contents[0].entries: given 0, expected 1 of them"),
    (SEES, ("output_axis",), 0, "output_axis: given 0, expected null, or an axis of size 3"),
    (SEES, ("rows",), [1], "rows: given (1,), expected rows below 3 of the output"),
    (SEES, ("rows",), [1, 0], "rows: given (1, 0), expected rows below 3 of the output"),
    (SEES, ("rows",), [0, 2], "rows: given (0, 2), expected rows as the question has them"),
    (SEES, ("rows_changed",), [1], "rows: given (0, 1), expected rows as the question has them"),
    (SEES, ("given",), [], "given: given (), expected a mask, or ids of documents"),
    (SEES, ("given", 0, 1), 0, "given: given ['mask', 0], expected size 3"),
    (SEES, ("given", 0), ["x", 1], "given: given 'x', expected an input that is not changed"),
    (SEES, ("masked",), None, "masked: given None, expected a number for padding, else null"),
    (SEES, ("masked",), "1.0", "rows: given (0, 1), expected rows as the question has them"),
    (SHORT, ("masked",), "0.0", "masked: given 0.0, expected a number for padding, else null"),
    (SEES, ("last_only",), True, "claim: given"),
    (replace(SEES, last_only=True), ("inputs", "mask", "shape"), [3, 1],
     "given: given ['mask', 1]"),
    (SHORT, ("last_only",), True, "last_only: given True, expected contents"),
    (IN_DOCUMENTS, ("given", 0, 0), "real", "given: given ['real', 0], expected whole numbers"),
    (IN_DOCUMENTS, ("rows",), [], "rows: given (), expected rows below 3"),
    (IN_DOCUMENTS, ("inputs", "ids", "entries", 2), "1", "rows: given (0, 1), expected rows as"),
    (SEES, ("inputs", "mask", "entries", 2), "1", "rows: given (0, 1), expected rows as the"),
    (OF_PAIRS, ("inputs", "ids", "entries", 5), "1", "rows: given (0, 1), expected rows as"),
    (replace(SEES, output_axis=None, rows=()), ("rows",), [0], "rows: given (0,), expected rows"),
    (replace(SEES, output_axis=None, rows=()), ("inputs", "mask", "entries"), ["0"] * 3,
     "rows: given (), expected rows as the question has them"),
    (SEES, ("ask",), "isolated", "masked: given 0.0, expected a number for padding, else null"),
    (SHORT, ("ask",), "documents", "given: given (), expected a mask, or ids of documents"),
    (SHORT, ("rows_changed",), [1], "rows_changed: given (1,), expected the last ones,"),
    (SHORT, ("rows_changed",), [0, 1, 2], "rows_changed: given (0, 1, 2), expected the last ones"),
    (SHORT, ("rows",), [0, 2], "rows: given (0, 2), expected rows below 2 of the output"),
    (SHORT, ("shape",), [1, 3], "output_axis: given 1, expected null, or an axis of size 2"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("w", "path", "value", "line"), [*((WITNESS, *damage) for damage in DAMAGES), *OF_ROWS]
)
def test_a_damaged_file_is_refused(
    w: Recorded, path: tuple[Any, ...], value: Any, line: str
) -> None:
    """A file that holds no counterexample, or another than it says, would be read."""
    data = json.loads(dumps(w))
    reduce(getitem, path[:-1], data)[path[-1]] = value
    assert refused(data).startswith(line)


def refused(data: Any) -> str:
    """The line with which a file is refused, without the name that it begins with."""
    with pytest.raises(WitnessError) as caught:
        parse(json.dumps(data).encode(), "w.json")
    assert str(caught.value).isprintable() and len(str(caught.value)) < 900
    return str(caught.value).removeprefix("w.json: ")


def test_every_key_is_needed() -> None:
    """A key that is left out would be made up, of the file or of what is in it."""
    for w, outer in ((WITNESS, ()), (WITNESS, D), (WITNESS, X), (SEES, ()), (SEES, CONTENTS)):
        for key in reduce(getitem, outer, json.loads(dumps(w))):
            data = json.loads(dumps(w))
            del reduce(getitem, outer, data)[key]
            assert key in refused(data)


def test_version_1_says_what_to_do() -> None:
    """A file of an earlier release would be called damaged, with nothing that helps."""
    assert refused({"format": "orderproof-model-counterexample", "version": 1, "bits": 128}) == (
        "given version 1 of orderproof-model-counterexample (enclosed by an evaluator that was "
        "removed), expected version 2: write it again with orderproof decide MODEL --out DIR"
    )


def test_seen_is_beyond_rounding_in_both() -> None:
    """A difference that rounding explains in one precision, or that is no number, would count."""
    nan = math.nan
    for d32, d64, rounding in ((2, 1, 1), (1, 2, 1), (nan, 2, 1), (2, nan, 1), (2, 2, nan)):
        assert not Difference(d32, d64, 1.0, rounding, ()).seen
    assert Difference(2, 2, 1.0, 1, ()).seen


def test_of_a_large_output_one_entry_is_kept() -> None:
    """A file would grow with the output, or hold another entry of it than it says."""
    k = WHOLE + 7
    assert recorded((2, WHOLE // 2), (1, 3)) == (slice(0, WHOLE), WHOLE // 2 + 3)
    assert recorded((3, WHOLE), (1, 7)) == (slice(k, k + 1), 0)
    large = replace(WITNESS, shape=(3, WHOLE), output_axis=0, moved=(0.5,), expected=(0.25,),
                    difference=replace(WITNESS.difference, entry=(1, 7)))  # fmt: skip
    assert parse(dumps(large).encode(), "w").at_entry() == (0.5, 0.25)


def test_what_could_not_be_read_is_not_written() -> None:
    """`decide` would write a file that `replay` refuses."""
    many = Values((1, 3, 10**4), "real", (Fraction(1, 2**99),) * 30_000)
    for bad, words in (
        (replace(WITNESS, inputs={**INPUTS, "x": many}), "more than 1048576 bytes"),
        (replace(WITNESS, model="m\udcff.onnx"), "not UTF-8"),
        (replace(WITNESS, moved=(0.5,) * 2), "moved: given 2, expected 3"),
    ):
        with pytest.raises(WitnessError, match=words):
            dumps(bad)
