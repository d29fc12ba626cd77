"""Who sees whom: what is tried, what counts, what is said of the rest, and the replay of a find.

That broken models are found, and no others, is tested with the bank in tests/models.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")
pytest.importorskip("flint", reason="the extra `onnx` is missing")

from orderproof.commands.decide_text import lines
from orderproof.symbolic.counting import PEOPLE
from orderproof.symbolic.onnx import enclose
from orderproof.symbolic.onnx import who_sees as product
from orderproof.symbolic.onnx.dependence import (
    DEPENDS,
    UNKNOWN,
    UNSEEN,
    DependenceResult,
    Grid,
    Part,
)
from orderproof.symbolic.onnx.graph import ModelError
from orderproof.symbolic.onnx.load import load
from orderproof.symbolic.onnx.relations import FEW, layouts, some
from orderproof.symbolic.onnx.report import Report
from orderproof.symbolic.onnx.who_sees import who_sees
from orderproof.symbolic.witness.fields import WitnessError
from orderproof.symbolic.witness.model_file import (
    MEASURED,
    QUESTIONS,
    DependenceWitness,
    dumps,
    parse,
)
from tests.models.leaks import LEAKS
from tests.symbolic.onnx.making import parsed, saved

BANK = {leak.name: leak for leak in LEAKS}
MASKED, TRIL = "padding_attention_mask_unused", "causal_tril_off_by_one"
HEAD = "g (float[b, n, 3] x, float[b, n] mask) => (float[b, n, 3] y)"
ONE = "int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, int64 step = {1}"
PLAIN = "y = Neg (x)"
ROWS = "g (float[b, n, 3] x) => (float[b, n, 3] y)"


def model(nodes: str, folder: Path, head: str = HEAD, constants: str = ONE) -> Path:
    """The file of a model with these nodes."""
    return saved(parsed(f"{head} <{constants}> {{ {nodes} }}"), folder)


def of_bank(name: str, folder: Path, **more: Any) -> tuple[Path, Report]:
    """The file of a model of the bank, and the answers about it."""
    leak = BANK[name]
    path = leak.write(folder)
    return path, who_sees(path, leak.ask, leak.axis, **leak.options, **more)


# What is tried


@pytest.mark.parametrize("ask", QUESTIONS)
@pytest.mark.parametrize("n", [2, 3, 5, FEW])
def test_each_pair_of_rows_is_tried(ask: str, n: int) -> None:
    """A row could see one that was never changed while it was looked at."""
    for layout in layouts(ask, n):
        groups = [*layout.groups()]
        pairs = {(i, j) for hidden, rows in groups for i in rows for j in hidden}
        assert pairs == set(map(tuple, np.argwhere(layout.hidden).tolist())) and pairs
        for kept in layout.kept:  # rows that are left out are those that should not be seen
            assert layout.hidden[:kept, kept:].all() and 0 < kept < n
    assert any(layout.kept for layout in layouts(ask, n))


def test_of_many_rows_some_are_tried() -> None:
    """The time would grow with the square of their number; or the ends not be tried."""
    for n in (9, 16, 64, 500):
        assert {0, 1, n - 2, n - 1} <= {*some(n)} and len(some(n)) <= 9
        (layout,) = layouts("causal", n)
        assert len([*layout.groups()]) <= 9 and len(layout.kept) <= 9


def test_masks_and_ids_are_as_the_model_takes_them() -> None:
    """A mask would hide nothing, or all, or at one end alone; ids be beyond the rows of a table."""
    for masked in (0.0, 1.0, -1e9):
        for layout in layouts("padding", 4, masked):
            hidden = [v == masked for v in layout.values]
            assert 0 < sum(hidden) < 4 and layout.hidden.any(0).tolist() == hidden
            assert {*layout.values} == {masked, 1.0 if masked == 0 else 0.0}
    assert {layout.values for layout in layouts("padding", 5)} >= {
        (1, 1, 1, 1, 0), (0, 1, 1, 1, 1), (1, 0, 1, 1, 1), (1, 1, 0, 0, 0),
    }  # fmt: skip
    assert {layout.values for layout in layouts("documents", 5)} >= {
        (1, 1, 1, 1, 2), (1, 2, 2, 2, 2), (1, 1, 2, 2, 2), (1, 2, 3, 3, 3),
    }  # fmt: skip
    for last, ids in ((3, {1, 2, 3}), (2, {0, 1, 2}), (1, {0, 1}), (0, set())):
        assert {v for x in layouts("documents", 5, last_id=last) for v in x.values} == ids


LATER = "later = CumSum <reverse = 1, exclusive = 1>"
SHOWN = {  # nodes that leak where numbers are large, or small, alone
    "large contents": f"""a = Abs (x)
      o = Sub (a, four)
      r = Relu (o)
      {LATER} (r, step)
      y = Add (x, later)""",
    "a token near 0": f"""a = Abs (x)
      h = ReduceSum <keepdims = 1> (a, two)
      o = Sub (tenth, h)
      r = Relu (o)
      {LATER} (x, step)
      m = Mul (r, later)
      y = Add (x, m)""",
}


@pytest.mark.parametrize("name", SHOWN)
def test_what_some_inputs_alone_show_is_found(name: str, tmp_path: Path) -> None:
    """A leak would be missed that normal numbers do not show; or not stand in the grid, which is
    made of fewer inputs."""
    constants = f"float four = {{4}}, float tenth = {{0.1}}, {ONE}"
    path = model(SHOWN[name], tmp_path, ROWS, constants)
    (result,) = who_sees(path, "causal", "x:1").results
    assert result.contents.answer == DEPENDS and result.grid is not None
    assert result.grid.sees.tolist() == [[True, True], [False, True]]


def test_words_of_all_of_a_table_are_tried(tmp_path: Path) -> None:
    """A leak would be missed that the first words of a vocabulary do not show."""
    nodes = f"w = Gather (table, x)\n {LATER} (w, step)\n y = Add (w, later)"
    table = f"float[40] table = {{{', '.join(['0'] * 8 + ['1'] * 32)}}}, {ONE}"
    path = model(nodes, tmp_path, "g (int64[b, n] x) => (float[b, n] y)", table)
    assert who_sees(path, "causal", "x:1").results[0].contents.answer == DEPENDS


def test_the_nearest_row_is_named(tmp_path: Path) -> None:
    """A counterexample would change all rows where one is enough, or the one farthest away; and a
    grid of many rows be printed."""
    path = model(f"{LATER} (x, step)\n y = Add (x, later)", tmp_path, ROWS)
    for n in (4, 16):
        (result,) = who_sees(path, "causal", "x:1", n=n).results
        found = result.contents.witness
        assert found is not None and (found.rows, found.rows_changed) == ((0,), (1,))
        assert (result.grid is None) is (n == 16)


# What is said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("causal_tril_off_by_one", """
            x, axis 1 → y, axis 1, causal: DEPENDS ON CONTENTS AND NUMBER
                token 1 sees token 2: its output moves by
                counterexample, n = 2: token 2 of x gets other contents; then y[
                enclosed: the two values
                token 1 sees how many tokens follow: its output moves by
                who sees whom at n = 2
                    1 2
                  1 x !
                  2 x x"""),
        ("isolated_norm", """
            x, axis 0 → y, axis 0, isolated: NO DEPENDENCE SEEN
                contents: nothing changed with other contents in the other requests, with 2, 3, 4, 5
                number: nothing changed beyond rounding without the other requests, with 2,
                what was not seen is not proved
                who sees whom at b = 8
                    1 2 3 4 5 6 7 8
                  1 x . . . . . . .
                  8 . . . . . . . x"""),
        ("causal_log_of_all", """
            causal: DEPENDS ON NUMBER
                contents: nothing changed with other contents in later tokens
                token 2 sees how many tokens follow
                    1 2 3
                  1 x . .
                  2 x x .
                  3 x x x"""),
        ("causal_buffer_transposed", """
            causal: DEPENDS ON CONTENTS
                the number of tokens is fixed by the file"""),
        ("causal_streams_second_reversed", """
            causal: DEPENDS ON CONTENTS AND NUMBER
                rows of z:1 changed along, as asked
                token 2 of x and z gets other contents
                enclosed: the two values"""),
        ("padding_class_mask_unused", """
            → y, padding: DEPENDS ON CONTENTS AND NUMBER
                the output sees token 2, which the mask hides: it moves by
                the output sees how many masked tokens follow: it moves by
                       1 2
                  mask 1 0
                     y x !"""),
        ("documents_sum_across", """
            documents: DEPENDS ON CONTENTS
                token 2 sees token 1 of another document: its output moves by
                      1 2
                  ids 1 2
                    1 x .
                    2 ! x"""),
    ],
)  # fmt: skip
def test_answers_in_words(name: str, said: str, tmp_path: Path) -> None:
    """An answer would name another token, another number, or say more than was seen."""
    _, report = of_bank(name, tmp_path)
    found = " ".join(" ".join(lines(report.results[0], report.graph)).split())
    for line in said.strip().splitlines():
        assert " ".join(line.split()) in found, found


FAINT = """s = CumSum <reverse = 1, exclusive = 1> (x, step)
  l = Mul (s, tenth)
  t = Add (x, l)
  y = Sub (t, l)"""
REFUSED: dict[str, tuple[str, str, str, str, str]] = {  # head, constants, nodes, part, reason
    "rounding explains it": (
        ROWS, f"float tenth = {{0.1}}, {ONE}", FAINT, "contents", "rounding may explain",
    ),
    "seen, and not certain": (
        ROWS, f"float huge = {{1e30}}, {ONE}",
        f"{LATER} (x, step)\n h = Mul (later, huge)\n a = Add (h, x)\n y = Sub (a, h)", "contents",
        "a difference was seen, and it is not certain",
    ),
    "random numbers": (
        ROWS, ONE, "r = RandomNormalLike (x)\n y = Add (x, r)", "number", "random numbers",
    ),
    "no finite number but in the last row": (
        ROWS, f"float thousand = {{1000}}, int64[1] last = {{-1}}, int64[1] far = {{99}}, {ONE}",
        "a = Slice (x, zero, last, one)\n b = Sub (a, thousand)\n c = Sqrt (b)\n"
        "d = Slice (x, last, far, one)\n y = Concat <axis = 1> (c, d)",
        "contents", "no change of a row could be compared",
    ),
    "an output of another shape": (
        "g (float[b, n, 3] x) => (float[b, n, h] y)", f"float most = {{1.5}}, {ONE}",
        "m = ReduceMax <axes = [0, 1], keepdims = 0> (x)\n g = Less (m, most)\n"
        "y = Compress <axis = 2> (x, g)", "contents", "the output has another shape when",
    ),
    "two axes of one name": (
        "g (float[n, n, 3] x) => (float[n, n, 3] y)", ONE, PLAIN, "number", "expected --with x:0",
    ),
    "one value": (
        "g (int64[b, n] x) => (float[b, n, 3] y)", "float[1, 3] table = {1, 2, 3}",
        "y = Gather (table, x)", "contents", "no change of a row",
    ),
    "text": (
        "g (float[b, n, 3] x) => (string[b, n, 3] y)", ONE, "y = Cast <to = 8> (x)", "contents",
        "no real numbers",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_told_is_unknown(name: str, tmp_path: Path) -> None:
    """What nothing could show would pass as seen and found to be independent."""
    head, constants, nodes, part, reason = REFUSED[name]
    report = who_sees(model(nodes, tmp_path, head, constants), "causal", "x:1")
    (result,) = report.results
    found = result.parts[part]
    assert result.answer == found.answer == UNKNOWN and reason in found.reason
    assert f"because {found.reason}" in " ".join(" ".join(lines(result, report.graph)).split())


def test_changes_that_are_not_seen_stand_in_the_grid() -> None:
    """A change to no finite number would look like none, and JSON have a number that is none."""
    changed, sees = np.array([[0, np.nan], [1e-9, 0]]), np.zeros((2, 2), bool)
    grid = Grid(layouts("causal", 2)[0], changed, sees, whole=False)
    result = DependenceResult("causal", "x", 1, (), {}, "y", 1, Part(UNSEEN), grid=grid)
    assert lines(result)[-2:] == ["    1  .  ?", "    2  ~  ."]
    assert result.to_json()["who_sees_whom"]["changed"] == [[0, None], [1e-9, 0]]


def test_time_that_is_over_is_said(tmp_path: Path) -> None:
    """An answer about a part of what is tried would look like one about all of it."""
    _, report = of_bank("causal_tril", tmp_path, timeout=0.0)
    assert [p.answer for p in report.results[0].parts.values()] == [UNKNOWN] * 2
    assert "before --timeout" in report.results[0].contents.reason


def test_lengths_that_the_model_refuses_are_said(tmp_path: Path) -> None:
    """A model that takes an even number of tokens would be refused; or nobody see what was not
    tried."""
    constants = f"int64[4] pairs = {{0, -1, 2, 3}}, int64[3] whole = {{0, -1, 3}}, {ONE}"
    path = model("r = Reshape (x, pairs)\n y = Reshape (r, whole)", tmp_path, ROWS, constants)
    report = who_sees(path, "causal", "x:1")
    (result,) = report.results
    assert result.contents == Part(UNSEEN, (2, 4, 8))
    assert "number: 1 of 2 rows were refused" in " ".join(lines(result, report.graph))
    assert result.number is not None and result.number.answer == UNSEEN
    assert "1 of 2 rows were refused" in result.number.reason
    (result,) = who_sees(path, "causal", "x:1", n=2).results  # of which no number was compared
    assert result.number is not None and result.number.answer == UNKNOWN
    assert "1 of 2 rows were refused" in result.number.reason


def test_lengths_that_another_dimension_needs_are_tried(tmp_path: Path) -> None:
    """A model that takes as many rows of a second input would be tried with 2, 3 and 4 alone."""
    head = "g (float[b, n, 3] x, float[b, m, 3] z) => (float[b, n, 3] y)"
    nodes = """t = Transpose <perm = [0, 2, 1]> (z)
      s = MatMul (t, x)
      o = Sub (s, s)
      p = MatMul (x, o)
      y = Add (x, p)"""
    (result,) = who_sees(model(nodes, tmp_path, head), "causal", "x:1").results
    assert result.contents == Part(UNSEEN, (2, 3, 4, 5, 8))


@pytest.mark.parametrize(
    ("answers", "expect", "accepted", "status"),
    [
        ([DEPENDS], None, None, 0), ([DEPENDS], "depends", None, 0),
        ([DEPENDS], "independent", None, 1), ([UNSEEN], None, None, 3),
        ([UNSEEN], "independent", None, 3), ([UNSEEN], "independent", UNSEEN, 0),
        ([UNSEEN], "depends", UNSEEN, 1), ([UNSEEN], "depends", None, 3),
        ([UNKNOWN], "independent", UNSEEN, 3), ([UNSEEN, DEPENDS], "independent", UNSEEN, 1),
        ([UNSEEN, UNKNOWN], "independent", UNSEEN, 3),
    ],
)  # fmt: skip
def test_statuses(answers: list[str], expect: str, accepted: str, status: int) -> None:
    """What was not seen would end as if it were proved."""
    results = [
        DependenceResult("causal", "x", 1, (), {}, f"y{k}", 1, Part(answer))
        for k, answer in enumerate(answers)
    ]
    assert Report("", "", tuple(results)).ending(expect, None, accepted).status == status


def test_the_worst_part_is_the_answer(tmp_path: Path) -> None:
    """What is unknown of the number would hide a leak of contents; what was not seen, that
    something is unknown; one counterexample that is enclosed pass for two; or JSON have the parts
    mixed up."""
    for answers in ((DEPENDS, UNKNOWN), (UNKNOWN, UNSEEN), (DEPENDS, UNSEEN)):
        for one, other in (answers, answers[::-1]):
            result = DependenceResult(
                "causal", "x", 1, (("z", 1),), {}, "y", 1, Part(one), Part(other)
            )
            assert result.answer == answers[0]
            found = result.to_json()
            assert [found[part]["answer"] for part in ("contents", "number")] == [one, other]
            assert found["with"] == ["z:1"]
            about = "contents" if one == answers[0] else "number"
            word = "on" if answers[0] == DEPENDS else "of"
            assert result.said.startswith(f"{answers[0]} {word} {about} (")
    _, report = of_bank(TRIL, tmp_path)
    (result,) = report.results
    assert len(result.witnesses) == 2 and report.ending(None, "enclosed").status == 0
    witness = result.contents.witness
    assert witness is not None
    contents = replace(result.contents, witness=replace(witness, evidence=MEASURED))
    measured = replace(report, results=(replace(result, contents=contents),))
    assert measured.ending(None, "enclosed").status == 3


# Which axis, which sizes


TURNED = "y = Transpose <perm = [1, 0, 2]> (x)"
POOLED = "y = ReduceMax <axes = [1], keepdims = 0> (x)"
OUTPUTS: dict[str, tuple[str, str, str, dict[str, Any], Any]] = {  # head, nodes, ask, options, axis
    "the same": (HEAD, PLAIN, "causal", {}, 1),
    "another": ("g (float[b, n, 3] x) => (float[n, b, 3] y)", TURNED, "causal", {}, 0),
    "the first of two": (
        "g (float[b, n, 3] x) => (float[n, b, n] y)", "t = Transpose <perm = [0, 2, 1]> (x)\n"
        "s = MatMul (x, t)\n y = Transpose <perm = [1, 0, 2]> (s)", "causal", {}, 0),
    "a given one": ("g (float[b, 3, 3] x) => (float[b, 3, 3] y)", PLAIN, "causal",
                    {"output_axis": 1}, 1),
    "in text": ("g (float[b, 3, 3] x) => (float[b, 3, 3] y)", PLAIN, "causal",
                {"output_axis": "2"}, 2),
    "one of several": ("g (float[b, 3, 3] x) => (float[b, 3, 3] y)", PLAIN, "causal", {},
                       "--output-axis: not given, expected 1 or 2 for the rows of y"),
    "none that fits": (HEAD, PLAIN, "causal", {"output_axis": 2},
                       "--output-axis: given 2 of y, expected 1"),
    "no word": (HEAD, PLAIN, "causal", {"output_axis": "x"}, "--output-axis: given x of y, expec"),
    "rows, not requests": ("g (float[2, n, 3] x) => (float[n, 2, 3] y)", TURNED, "isolated",
                           {"axis": "x:0"}, 1),
    "features, not tokens": ("g (float[2, n, 3] x, float[2, n] mask) => (float[2, 3] y)", POOLED,
                             "padding", {}, None),
    "all of it": ("g (float[b, 4, 3] x, float[b, 4] mask) => (float[b, 3] y)", POOLED, "padding",
                  {"output_axis": "none"}, None),
    "perhaps all of it": ("g (float[b, 4, 3] x, float[b, 4] mask) => (float[b, 3] y)", POOLED,
                          "padding", {}, "--output-axis: not given, expected none for the rows"),
    "not all of it": (HEAD, PLAIN, "padding", {"output_axis": "none"},
                      "--output-axis: given none of y, expected 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_rows_of_the_output(name: str, tmp_path: Path) -> None:
    """Features, or requests, would be compared as if they were tokens."""
    head, nodes, ask, options, axis = OUTPUTS[name]
    path = model(nodes, tmp_path, head)
    asked = {"axis": "x:1", "mask": "mask:1" if ask == "padding" else None, **options}
    if isinstance(axis, str):
        with pytest.raises(ModelError) as caught:
            who_sees(path, ask, **asked)
        assert str(caught.value).startswith(axis)
        return
    (result,) = who_sees(path, ask, **asked).results
    assert result.output_axis == axis
    fixed = {"a given one", "in text", "rows, not requests", "all of it"}
    assert (result.number is None) is (name in fixed)


def test_weights_of_attention_are_cut_along_both_axes(tmp_path: Path) -> None:
    """The number would be unknown of each output that has two axes of tokens."""
    head = "g (float[b, n, 3] x) => (float[b, n, n] y)"
    nodes = "t = Transpose <perm = [0, 2, 1]> (x)\n s = MatMul (x, t)\n y = Trilu <upper = 0> (s)"
    path = model(nodes, tmp_path, head)
    (result,) = who_sees(path, "causal", "x:1").results
    assert result.output_axis == 1 and result.answer == UNSEEN and not result.contents.reason
    (result,) = who_sees(
        model(nodes.replace("0> (s)", "1> (s)"), tmp_path, head), "causal", "x:1"
    ).results
    assert [p.answer for p in result.parts.values()] == [DEPENDS, UNSEEN]


UNCLEAR: dict[str, str] = {
    "one of several": """n = Shape <start = 1, end = 2> (x)
      f = Equal (n, four)
      r = Cast <to = 1> (f)
      z = Div (r, r)
      w = Where (f, x, z)
      y = Concat <axis = 2> (x, w)""",
    "one that is finite": "r = Sub (x, thousand)\n y = Sqrt (r)",
    "one that is finite there": """n = Shape <start = 1, end = 2> (x)
      f = Equal (n, four)
      r = Cast <to = 1> (f)
      z = Div (r, r)
      y = Where (f, x, z)""",
    "what is not explained": """n = Shape <start = 1, end = 2> (x)
      f = Cast <to = 1> (n)
      d = Div (x, f)
      s = Shape (x)
      e = Expand (lowest, s)
      y = Concat <axis = 2> (d, e)""",
}


@pytest.mark.parametrize("what", UNCLEAR)
def test_numbers_that_say_nothing_are_not_compared(what: str, tmp_path: Path) -> None:
    """NaN beside NaN, or a number beside one that hides it, would pass as the same."""
    constants = f"float thousand = {{1000}}, float lowest = {{-3e38}}, int64[1] four = {{4}}, {ONE}"
    head = ROWS if "Concat" not in UNCLEAR[what] else "g (float[b, n, 3] x) => (float[b, n, 6] y)"
    (result,) = who_sees(model(UNCLEAR[what], tmp_path, head, constants), "causal", "x:1").results
    assert result.number is not None and result.number.answer == UNKNOWN


def test_what_is_the_same_is_compared_beside_huge_numbers(tmp_path: Path) -> None:
    """An output with the numbers of a mask would be unknown though no bit of it changes."""
    nodes = "s = Shape (x)\n e = Expand (lowest, s)\n y = Concat <axis = 2> (x, e)"
    head = "g (float[b, n, 3] x) => (float[b, n, 6] y)"
    path = model(nodes, tmp_path, head, "float lowest = {-3e38}")
    assert who_sees(path, "causal", "x:1").results[0].answer == UNSEEN


@pytest.mark.parametrize("ask", ["padding", "documents"])
def test_masks_of_other_requests_are_told_apart(ask: str, tmp_path: Path) -> None:
    """A model that takes the mask of one request for all would be called clean."""
    head = f"g (float[b, n, 3] x, {'float' if ask == 'padding' else 'int64'}[b, n] given) => " + (
        "(float[b, n, 3] y)")  # fmt: skip
    seen = "i = Unsqueeze (one_row, two)\n j = Unsqueeze (one_row, one)\n e = Equal (i, j)\n "
    seen += "c = Cast <to = 1> (e)"
    if ask == "padding":
        seen = "c = Unsqueeze (one_row, one)"
    nodes = f"{seen}\n y = MatMul (c, x)" if ask == "documents" else (
        f"{seen}\n m = MatMul (c, x)\n y = Add (m, x)")  # fmt: skip
    first = f"one_row = Slice (given, zero, one, zero)\n {nodes}"
    own = f"one_row = Identity (given)\n {nodes}"
    option = {"mask" if ask == "padding" else "ids": "given:1"}
    for text, answer in ((first, DEPENDS), (own, UNSEEN)):
        path = model(text, tmp_path, head)
        report = who_sees(path, ask, "x:1", **option)
        (result,) = report.results
        assert result.contents.answer == answer
        for w in result.witnesses:
            assert w.last_only and enclose.check(parse(dumps(w).encode(), "w"), path).ok
            assert "in the last request" in " ".join(lines(result, report.graph))
            assert result.to_json()["who_sees_whom"]["last_only"] is True


def test_a_large_model_is_tried_with_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found of a small model would be missed of a large one."""
    monkeypatch.setattr(product, "LARGE", 0)
    broken = "causal_tril_off_by_one", "isolated_norm_of_batch", "padding_attention_mask_unused"
    for name in (*broken, "causal_tril", "isolated_attention", "documents_sum"):
        path, report = of_bank(name, tmp_path)
        (result,) = report.results
        assert result.answer == (DEPENDS if BANK[name].broken else UNSEEN)
        assert {*result.contents.sizes} <= {*product.OF_LARGE}
        assert all(enclose.check(w, path).ok for w in result.witnesses)


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("cause", {}, "--ask: given 'cause', expected one of causal, isolated"),
    ("padding", {}, "--ask padding: given no mask, expected --mask INPUT:K"),
    ("documents", {}, "--ask documents: given no ids, expected --ids INPUT:K"),
    ("causal", {"axis": None}, "given no axis, expected --axis INPUT:K, such as x:0, x:1"),
    ("causal", {"axis": "six:0"}, "--ask causal: given six:0, an axis that no output has"),
    ("causal", {"axis": "z:1"}, "--axis: given 'z:1', expected INPUT:K, one of x:0 (b)"),
    ("causal", {"axis": "one:0"}, "axis one:0: given an axis of length 1, expected more"),
    ("causal", {"output": "z"}, "--output: given 'z', expected one of y"),
    ("causal", {"n": 65}, "--n: given 65, expected 2 to 64"),
    ("causal", {"axis": "six:0", "n": 5}, "--n: given 5, expected 6, which the file fixes"),
    ("causal", {"along": ("mask:values",)}, "--with: given 'mask:values', expected an input of"),
    ("causal", {"along": ("ids:values",)}, "--with: given values, expected an axis, for --ask"),
    ("causal", {"along": ("x:1",)}, "--axis, --with, --mask, --ids: given an axis twice"),
    ("padding", {"mask": "six:0", "axis": "seven:0"}, "given axes seven:0 of size 7, six:0 of siz"),
    ("padding", {"mask": "true:1", "masked": -1e9}, "--masked: given -1e+09 for the mask true of"),
    ("padding", {"mask": "mask:0"}, "given mask:0 (b), expected an axis of the rows"),
    ("padding", {"mask": "mask:1", "masked": float("nan")}, "--masked: given nan, expected a fini"),
]
MANY = ("g (float[b, n, 3] x, float[b, n] mask, bool[b, n] true, int64[b, n] ids, float[1] one, "
        "float[6] six, float[7] seven) => (float[b, n, 3] y)")  # fmt: skip


@pytest.mark.parametrize(("ask", "options", "line"), BAD)
def test_what_cannot_be_asked(ask: str, options: dict[str, Any], line: str, tmp_path: Path) -> None:
    """A question about nothing would be answered, or end in a traceback."""
    path = saved(parsed(f"{MANY} {{ {PLAIN} }}"), tmp_path)
    with pytest.raises(ModelError) as caught:
        who_sees(path, ask, **{"axis": "x:1", **options})
    assert str(caught.value).startswith(line) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("head", "nodes", "ask", "line"),
    [
        ("g (float[b, n, 3] x) => (float[b, n, 3] y)", "y = Expand (x, shape)", "isolated",
         "given a model that does not run with 2, 3, 4, 5, 8 rows along x:0: "),
        ("g (float[b, n, 3] x, float[b, n] mask) => (float[b, m, 3] y)",
         "c = Slice (x, zero, one, one)\n y = Concat <axis = 1> (c, x)", "padding",
         "--ask padding: given x:1, an axis that no output has"),
    ],
)  # fmt: skip
def test_models_that_cannot_be_asked(
    head: str, nodes: str, ask: str, line: str, tmp_path: Path
) -> None:
    """A model that takes one request would be called independent; or one row more than there are
    tokens be compared as a whole, with the rows of what a mask hides."""
    path = model(nodes, tmp_path, head, f"int64[3] shape = {{1, 1, 3}}, {ONE}")
    if ask == "isolated":
        path = model("z = Reshape (x, shape)\n y = Add (x, z)", tmp_path, head,
                     f"int64[3] shape = {{1, -1, 4}}, {ONE}")  # fmt: skip
    with pytest.raises(ModelError) as caught:
        who_sees(path, ask, *(("x:1", (), "mask:1") if ask == "padding" else ("x:0",)))
    assert str(caught.value).startswith(line) and "\n" not in str(caught.value)


# The file of a counterexample


FOUND = ("causal_tril_off_by_one", "causal_words_off_by_one", "padding_class_mask_unused",
         "documents_sum_across", "isolated_quantised_one_scale",
         "padding_additive_as_bits", "padding_inverted_wrongly")  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_a_find_is_found_again(name: str, tmp_path: Path) -> None:
    """A counterexample could not be rechecked from its file."""
    path, report = of_bank(name, tmp_path)
    for w in report.results[0].witnesses:
        read = parse(dumps(w).encode(), "w")
        assert read == w and enclose.check(read, path).ok
        assert QUESTIONS[w.ask] in w.says(PEOPLE) and len(w.says(PEOPLE).splitlines()) == 1


@pytest.mark.parametrize(("ask", "first"), [("padding", "mask"), ("documents", "ids")])
def test_of_mask_and_ids_the_one_in_question_comes_first(
    ask: str, first: str, tmp_path: Path
) -> None:
    """Ids would be taken for the mask, in the inputs that are tried or by who reads the file; or a
    mask that is not in question hide all."""
    head = "g (float[b, n, 3] x, float[b, n] mask, int64[b, n] ids) => (float[b, n, 3] y)"
    path = model("y = CumSum (x, step)", tmp_path, head)
    options: dict[str, Any] = {"mask": "mask:1", "ids": "ids:1", "masked": -1.0}
    (result,) = who_sees(path, ask, **options).results  # of the axis that has their name
    found = result.contents.witness
    assert found is not None and found.given[0] == (first, 1) and found.places == (("x", 1),)
    assert {*found.inputs["mask"].entries} == ({0, -1} if ask == "padding" else {0})
    assert enclose.check(parse(dumps(found).encode(), "w"), path).ok


def test_many_constants_are_not_enclosed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Balls of all weights of a large model would fill the memory."""
    monkeypatch.setattr(enclose, "MOST", 20)  # of several matrices of 16
    _, report = of_bank(TRIL, tmp_path)
    assert {w.evidence for w in report.results[0].witnesses} == {MEASURED}


def test_a_mask_is_cut_again_by_its_own_name(tmp_path: Path) -> None:
    """The rows that are left out would be left in a mask whose dimension has another name."""
    head = "g (float[b, n, 3] x, float[b, m] mask) => (float[b, 3] y)"
    path = model(f"c = Unsqueeze (mask, two)\n z = Mul (x, c)\n {POOLED.replace('(x)', '(z)')}",
                 tmp_path, head)  # fmt: skip
    (result,) = who_sees(path, "padding", "x:1", mask="mask:1").results
    assert [p.answer for p in result.parts.values()] == [UNSEEN, DEPENDS]
    assert all(enclose.check(parse(dumps(w).encode(), "w"), path).ok for w in result.witnesses)


Damage = Callable[[DependenceWitness], DependenceWitness]


def with_entries(w: DependenceWitness, change: Callable[[int, Any], Any]) -> DependenceWitness:
    """The same with other numbers put into the rows."""
    (x,) = w.contents
    entries = tuple(change(k, v) for k, v in enumerate(x.entries))
    return replace(w, contents=(replace(x, entries=entries),))


def as_before(w: DependenceWitness) -> DependenceWitness:
    """The same with the contents that the rows have."""
    x = w.inputs["x"]
    rows = [v for k, v in enumerate(x.entries) if k // x.shape[2] % w.n in w.rows_changed]
    return with_entries(w, lambda k, _: rows[k])


def without_mask(w: DependenceWitness) -> DependenceWitness:
    """The same with a mask that hides nothing."""
    mask = w.inputs["mask"]
    shown = replace(mask, entries=tuple(1 + 0 * v for v in mask.entries))
    return replace(w, inputs={**w.inputs, "mask": shown})


DAMAGES: dict[str, tuple[str, Damage, str]] = {
    "outputs": (MASKED, lambda w: replace(w, moved=tuple(v + 1 for v in w.moved)), "d64: given"),
    "size": (
        TRIL, lambda w: replace(w, difference=replace(w.difference, scale=9.0)),
        "the outputs, or how far",
    ),
    "contents": (TRIL, lambda w: with_entries(w, lambda _, v: v + 1), "the outputs, or how far"),
    "nothing changed": (TRIL, as_before, "the same there, but for rounding"),
    "nothing hidden": (MASKED, without_mask, "rows as the question has them: nothing should"),
    "rows that may see": (TRIL, lambda w: replace(w, rows=(0, 1)), "rows as the question has them"),
    "the row itself": (
        TRIL, lambda w: replace(w, ask="isolated", rows=w.rows_changed), "expected rows below",
    ),
    "another type": (
        TRIL, lambda w: with_entries(w, lambda *_: 1 + Fraction(1, 2**40)), "no float32 holds",
    ),
    "another axis": (
        "causal_words_off_by_one", lambda w: replace(w, output_axis=0),
        "the rows of y are not along its axis 0",
    ),
    "all of it": (
        MASKED, lambda w: replace(w, output_axis=None, rows=()), "the shape of y depends on",
    ),
    "no earlier row": (
        "documents_sum_across", lambda w: replace(w, ask="causal"), "rows as the question has them",
    ),
    "the number": (TRIL, lambda w: replace(w, contents=()), "expected"),
}  # fmt: skip


@pytest.mark.parametrize("what", DAMAGES)
def test_a_changed_find_does_not_hold(what: str, tmp_path: Path) -> None:
    """A replay would take the file's word, or confirm what is no fault."""
    name, damage, line = DAMAGES[what]
    path, report = of_bank(name, tmp_path)
    found = report.results[0].contents.witness
    assert found is not None and enclose.check(found, path).ok
    try:
        said = enclose.check(parse(dumps(damage(found)).encode(), "w"), path).reason
    except WitnessError as error:
        said = str(error)
    assert line in said


def test_a_find_about_a_repaired_model_does_not_hold(tmp_path: Path) -> None:
    """A counterexample would be confirmed of a model that does not have the fault."""
    _, report = of_bank("causal_tril_off_by_one", tmp_path)
    path = BANK["causal_tril"].write(tmp_path)
    for w in report.results[0].witnesses:
        outcome = enclose.check(replace(w, sha256=load(path).sha256), path)
        assert not outcome.ok and "the same there, but for rounding" in outcome.reason
