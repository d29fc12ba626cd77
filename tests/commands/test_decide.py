"""`orderproof decide`: its exit statuses, its JSON, what it prints, and what it refuses."""

from __future__ import annotations

import importlib
import json
import math
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

onnx = pytest.importorskip("onnx", reason="the extra `onnx` is missing")
compose = pytest.importorskip("onnx.compose", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")
pytest.importorskip("flint", reason="the extra `onnx` is missing")

import numpy as np  # noqa: E402

from orderproof.commands.decide_text import apart, lines  # noqa: E402
from orderproof.symbolic.onnx.both_sides import Rounding  # noqa: E402
from orderproof.symbolic.onnx.graph import Call, Graph, ModelError, Tensor  # noqa: E402
from orderproof.symbolic.onnx.report import GroupFound, Result  # noqa: E402
from orderproof.symbolic.onnx.words import (  # noqa: E402
    ALONG,
    LOOKED,
    ROUNDED,
    Condition,
    where_order_enters,
)
from tests.commands.running import ROOT, Run, refused  # noqa: E402
from tests.models.files import model_file  # noqa: E402
from tests.models.leaks import LEAKS  # noqa: E402
from tests.symbolic.onnx.making import parsed, saved  # noqa: E402

BANK = ROOT / "tests" / "models"
ENCODER, CAUSAL = BANK / "encoder_hand_pre.onnx", BANK / "running_mean.onnx"
MASK, FIRST, POOLED = (BANK / f"{n}.onnx" for n in ("mask_added", "pool_first", "pool_mean"))

PLACES = {"type": "array", "items": {"type": "integer", "minimum": 0}}
TEXTS = {"type": "array", "items": {"type": "string"}}


TEXTS_OF = {
    # draws random numbers, about which nothing is claimed
    "random": "g (float[b, n] x) => (float[b, n] y) {r = RandomNormalLike(x) y = Add(x, r)}",
    # sums up along the tokens, and has an operator that is not read
    "determinant": """g (float[n, 2, 2] x) => (float[n] y)
        <int64 zero = {0}> {d = Det(x) y = CumSum(d, zero)}""",
}


def model(name: str, folder: Path) -> Path:
    """A model of the bank; or one of these."""
    if name not in TEXTS_OF:
        return model_file(f"{name}.onnx")
    return saved(parsed(TEXTS_OF[name]), folder, f"{name}.onnx")


def exactly(**properties: Any) -> dict[str, Any]:
    """The schema of an object with these keys and no other."""
    return {"type": "object", "properties": properties, "required": list(properties),
            "additionalProperties": False}  # fmt: skip


def perhaps(schema: dict[str, Any]) -> dict[str, Any]:
    """What a schema says, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


SHARE = {"type": "number", "minimum": 0, "maximum": 2}
TEXT, NUMBER = {"type": "string"}, {"type": "integer", "minimum": 0}
GROUP = exactly(
    n=NUMBER, order=NUMBER, generators={"type": "array", "items": PLACES}, name=TEXT,
    exact={"type": "boolean"},
    exact_as_measured={"type": "boolean"},
)  # fmt: skip
RESULT = exactly(**{
    "input": TEXT, "axis": NUMBER, "with": TEXTS, "output": TEXT,
    "output_axis": perhaps({"anyOf": [NUMBER, PLACES]}),
    "answer": {"enum": ["equivariant", "invariant", "subgroup", "not equivariant", "unknown",
                        "unsupported"]},
    "scope": {"type": "string", "pattern": r"^(all n|n <= \d+(, and n = \d+(, \d+)*)?|n = \d+|)$"},
    "conditions": TEXTS, "group": perhaps(GROUP),
    "stuck": {"type": "array", "items": exactly(tensor=TEXT, node=TEXT)},
    "reason": TEXT,
    "evidence": {"type": "array", "items": exactly(
        kind={"enum": [
            "kernel", "check", "constants", "enclosed", "measured", "rocq", "derivation"]},
        file=perhaps(TEXT), detail=TEXT)},
    "rounding": perhaps(exactly(
        dtype={"enum": ["float32", "float64", "float16", "int64", "bool"]},
        n={"type": "integer", "minimum": 2}, difference=perhaps(SHARE))),
    "seconds": {"type": "number", "minimum": 0},
})  # fmt: skip
SCHEMA = exactly(
    model={"type": "string", "pattern": "^[0-9a-f]{64}$"},
    results={"type": "array", "items": RESULT, "minItems": 1},
)


@pytest.fixture
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was decided of a model is shown again, and not decided again."""
    module = importlib.import_module("orderproof.symbolic.onnx.decide")
    plain = module.decide

    def decide(path: Path, *arguments: Any, **options: Any) -> Any:
        key = (path.read_bytes(), repr((arguments, options)))
        if key not in DECIDED:
            DECIDED[key] = plain(path, *arguments, **options)
        return DECIDED[key]

    monkeypatch.setattr(module, "decide", decide)


DECIDED: dict[tuple[bytes, str], Any] = {}


# ------------------------------------------------------------------------------ exit statuses
X, SEES = ["--axis", "x:1"], "a theorem or a counterexample for each question, found"
EQUIVARIANT, INVARIANT = ([*X, "--expect", each] for each in ("equivariant", "invariant"))
CAUSALLY, INDEPENDENT = ["--ask", "causal"], ["--expect", "independent"]
EVERY = "equivariant for every size and under no condition, found equivariant"
STATUSES: list[tuple[str, str, list[str], int, str]] = [
    ("proved", "encoder_hand_pre", X, 0, ""),
    ("proved as expected", "encoder_hand_pre", EQUIVARIANT, 0, ""),
    ("proved, another expected", "encoder_hand_pre", INVARIANT, 1,
     "invariant, found equivariant for all n (x, axis 1 → y)"),
    ("invariant as expected", "pool_mean", INVARIANT, 0, ""),
    ("refuted", "running_mean", X, 0, ""),
    ("refuted, and expected", "running_mean", EQUIVARIANT, 1,
     "equivariant, found not equivariant at n = 2 (x, axis 1 → y)"),
    ("a subgroup", "pool_first", X, 0, ""),
    ("a subgroup, all expected", "pool_first", INVARIANT, 1,
     "invariant, found invariant under some permutations for n = 4 (x, axis 1 → y)"),
    ("a mask moves unnamed", "mask_added", X, 0, ""),
    ("a mask that is not named", "mask_added", EQUIVARIANT, 1,
     f"{EVERY} for all n if mask:0 moves along and mask:1 moves along (x, axis 1 → y)"),
    ("up to a bound", "positions_equal_rows", EQUIVARIANT, 1,
     f"{EVERY} for n <= 8 (x, axis 1 → y)"),
    ("unknown", "two_scans", X, 3, f"{SEES} 1 of 1 unknown"),
    ("unknown, expected", "two_scans", EQUIVARIANT, 3, f"{SEES} 1 of 1 unknown"),
    ("unsupported", "random", X, 3, f"{SEES} 1 of 1 unsupported"),
    ("enclosed, as required", "running_mean", [*X, "--require", "enclosed"], 0, ""),
    ("measured alone", "determinant", ["--axis", "x:0", "--require", "enclosed"], 3,
     "counterexamples that are enclosed, found measured alone: not equivariant at n = 2 "
     "(x, axis 0 → y)"),
    ("a row sees", "conv_3_same", [*X, *CAUSALLY], 0, ""),
    ("a row sees, and should", "conv_3_same", [*X, *CAUSALLY, "--expect", "depends"], 0, ""),
    ("a row sees, and should not", "conv_3_same", [*X, *CAUSALLY, *INDEPENDENT], 1,
     "independent, found depends on contents and number (causal: x, axis 1 → y)"),
    ("nothing seen", "running_mean", [*X, *CAUSALLY], 3, f"{SEES} 1 of 1 unseen"),
    ("nothing seen is no proof", "running_mean", [*X, *CAUSALLY, *INDEPENDENT], 3,
     f"{SEES} 1 of 1 unseen"),
    ("nothing seen, accepted", "running_mean",
     [*X, *CAUSALLY, *INDEPENDENT, "--accept-unseen"], 0, ""),
    ("nothing known", "random", [*X, *CAUSALLY, *INDEPENDENT, "--accept-unseen"], 3,
     f"{SEES} 1 of 1 unknown"),
]  # fmt: skip


@pytest.mark.usefixtures("once")
@pytest.mark.parametrize(("name", "options", "status", "why"), [s[1:] for s in STATUSES],
                         ids=[s[0] for s in STATUSES])  # fmt: skip
def test_status(
    run: Run, tmp_path: Path, name: str, options: Sequence[str], status: int, why: str
) -> None:  # fmt: skip
    """A test in somebody's CI would pass where the model is not what it expects."""
    done = run("decide", model(name, tmp_path), *options, "--timeout", 5)
    assert done.status == status and done.err == (why and f"orderproof: expected {why}\n")


def test_expected_with_what_moves_along_named(run: Run) -> None:
    """A model with a mask could never be as expected, not even with the mask named."""
    named = ("--with", "mask:0", "--with", "mask:1")
    done = run("decide", MASK, "--axis", "x:1", *named, "--expect", "equivariant", "--json")
    (result,) = json.loads(done.out)["results"]
    assert (done.status, result["conditions"], result["with"]) == (0, [], ["mask:0", "mask:1"])


# ----------------------------------------------------------------------------------------- JSON
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["encoder_hand_pre", "running_mean", "pool_first", "mask_added", "two_scans",
              "random", "gram", "argmax_token", "class_token_all"],
)  # fmt: skip
def test_json_is_as_documented(run: Run, tmp_path: Path, name: str) -> None:
    """A program that reads the answers would meet a key or a value that nobody told it of."""
    done = run("decide", model(name, tmp_path), "--json", "--timeout", 5)
    found = json.loads(done.out)
    jsonschema.validate(found, SCHEMA)
    found["results"][0]["answer"] = "yes"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, SCHEMA)


def test_json_counts_from_0_and_says_all(run: Run) -> None:
    """A generator of the group would be off by one, or its order be that of another group."""
    done = run("decide", FIRST, "--axis", "x:1", "--json")
    (result,) = json.loads(done.out)["results"]
    group = result["group"]
    assert (result["answer"], result["output_axis"]) == ("subgroup", None)
    assert (group["n"], group["order"], group["exact"]) == (4, 6, True)
    assert all(g[0] == 0 and sorted(g) == [0, 1, 2, 3] for g in group["generators"])


# --------------------------------------------------------------------------- what people read
@pytest.mark.usefixtures("once")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("encoder_hand_pre", ["x, axis 1 → y, axis 1: EQUIVARIANT, for all n",
                              "proved for all values of inputs and weights"]),
        ("pool_mean", ["x, axis 1 → y: INVARIANT, for all n"]),
        ("mask_added", ["EQUIVARIANT IF mask MOVES ALONG, for all n",
                        "--with mask:0 --with mask:1 makes this part of the question",
                        "order enters at the input x, which is not permuted along"]),
        ("running_mean", ["NOT EQUIVARIANT, shown at n = 2", "swap places 1 and 2 along x:1",
                          "order enters at node node_cumsum, which takes for each token"]),
        ("pool_first", ["INVARIANT UNDER SOME PERMUTATIONS, for n = 4",
                        "exactly 6 of the 24 permutations of 4 tokens: all tokens but the first",
                        "order enters at token 1, which the model picks by its place"]),
        pytest.param("asked_next_word", ["order enters at the last token"], marks=pytest.mark.slow),
        pytest.param(
            "conv_3_same", ["order enters at node /conv/Conv, whose windows along axis 2"],
            marks=pytest.mark.slow,
        ),
        ("positions_equal_rows", ["given that no permutation changes /Slice_output_0: every entry "
                                  "was compared, for n <= 8"]),
        ("positions_learned", ["order enters at the tensor /Slice_output_0, which node /Add uses",
                               "provided that n <= 8"]),
        pytest.param(
            "positions_equal_rows_40",
            ["NOT EQUIVARIANT, shown at n = 41", "for n <= 40 it is equivariant"],
            marks=pytest.mark.slow,
        ),
        ("random", ["UNSUPPORTED", "operator RandomNormalLike is not"]),
        ("two_scans", ["UNKNOWN", "the proof stops at node CumSum_1", "no counterexample was"]),
        pytest.param("edge_list", ["--with edge_index:values: its"], marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_answers_in_words(
    run: Run, tmp_path: Path, name: str, words: Sequence[str]
) -> None:  # fmt: skip
    """A person would be told something else, in words of ours, or in lines that are too long."""
    out = run("decide", model(name, tmp_path), "--timeout", 5).out
    flat = " ".join(out.split())
    assert [w for w in words if w not in flat] == []
    assert max(map(len, out.splitlines())) <= 80 and "\x1b" not in out
    assert not any(w in flat for w in ("windows of", "triangle in", "σ(token", "token n"))


def test_a_name_cannot_turn_a_line(run: Run, tmp_path: Path) -> None:
    """A tensor's name would make a terminal show another answer than the one that is printed."""
    text = "g (float[b, n, 2] x) => (float[b, n, 2] y) {y = Relu(x)}"
    turned = compose.add_prefix(parsed(text), "\u202e")
    out = run("decide", str(saved(turned, tmp_path, "m.onnx")), "--axis", "\u202ex:1").out
    assert out.isprintable() or {c for c in out if not c.isprintable()} == {"\n"}
    assert "\\u202ex, axis 1 → \\u202ey, axis 1: EQUIVARIANT" in out


def test_what_moves_along_unnamed_is_no_plain_yes() -> None:
    """A condition that was dropped would make a conditional answer look like a plain one."""
    plain, m = Result("x", 1, (), "y", 1, "equivariant", "all n"), ("m", 0)
    along = Condition("m:0 moves along", ALONG, m)
    moved = Result("x", 1, (m,), "y", 1, "equivariant", "all n", (along,))
    assert lines(plain)[0] == "x, axis 1 → y, axis 1: EQUIVARIANT, for all n"
    assert lines(moved)[0] == "x, axis 1 → y, axis 1: EQUIVARIANT IF m MOVES ALONG, for all n"
    asked = Result("x", 1, (m,), "y", 1, "equivariant", "all n")
    assert lines(asked)[0] == lines(plain)[0]
    assert "m:0 moves along, as --with says" in lines(asked)[1]


def test_places_where_order_enters_are_said() -> None:
    """A name that the reader of ONNX made up would be printed as if it stood in the model."""
    dims = Tensor("x", np.dtype("f4"), ("n",))
    call = Call("c", "Conv", "", 17, ("x", "w"), ("h",), {})
    graph = Graph({"x": dims}, {"h": dims}, {"w": np.zeros(1)}, (call,))
    said = {
        ("windows of c, dimension 2", ""): "node c (Conv), whose windows along axis 2 of its input "
        "take neighbours together",
        ("σ(token n)", ""): "the last token, which the model picks by its place",
        ("token 1", ""): "token 1, which the model picks by its place",
        ("w", "c"): "the tensor w, which node c (Conv) uses",
        ("x", "c"): "the input x, which is not permuted along (node c (Conv) uses it)",
        ("h", ""): "the tensor h",
        ("LSTM of c, all", ""): "node c (Conv), which reads the tokens one after another",
    }
    assert {k: where_order_enters(*k, graph) for k in said} == said


def test_numbers_are_told_apart() -> None:
    """Two values that differ would be printed as one."""
    assert apart(1, 1 + 1e-9) == ("1", "1.000000001")
    assert apart(1.5, 5.5) == ("1.5", "5.5")


SOME = {"answer": "subgroup", "scope": "n = 3"}
SWAP = ((1, 0, 2),)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"conditions": (Condition("m is 5 or t", LOOKED),)},
         "provided that m is 5 or t: no other size of it was looked at"),
        ({"conditions": (Condition("w is constant", ROUNDED),)},
         "provided that w is constant: as real numbers its entries may differ"),
        ({"rounding": Rounding("float32", 4, 0.0, 0.0)}, "were equal in this run"),
        ({"rounding": Rounding("float32", 4, 1e-7, 1e-7)}, "so this is rounding"),
        ({"rounding": Rounding("float32", 4, 0.5, 0.5)}, "more than rounding makes by itself"),
        ({"rounding": Rounding("float32", 4, math.nan, math.nan)}, "one side is not finite"),
        (SOME | {"group": GroupFound(3, 2, SWAP, "a group of order 2", False)},
         "at least 2 of the 6 permutations"),
        (SOME | {"group": GroupFound(3, 2, SWAP, "", True)}, "exactly 2 of the 6 permutations"),
        (SOME | {"group": GroupFound(3, 2, SWAP, "", True)}, "no other one: refuted by"),
        (SOME | {"group": GroupFound(3, 2, SWAP, "", False, True)},
         "no other one, as measured: refuted by"),
    ],
)  # fmt: skip
def test_an_answer_says_no_more_than_is_known(told: dict[str, Any], said: str) -> None:
    """A person would take an answer about some sizes, a measurement, or a group that may be larger,
    for more than it is; or a gross difference for rounding."""
    result = replace(Result("x", 0, (), "y", 0, "equivariant", "all n"), **told)
    assert said in " ".join(" ".join(lines(result)).split())


# -------------------------------------------------------------------------------------- options
def test_other_sizes_and_outputs(run: Run) -> None:
    """--n or --output would be overlooked."""
    done = run("decide", FIRST, "--axis", "x:1", "--n", 3, "--json")
    (result,) = json.loads(done.out)["results"]
    assert (result["group"]["n"], result["group"]["order"]) == (3, 2)
    both = json.loads(run("decide", BANK / "asked_next_word.onnx", "--axis", "ids:0", "--json").out)
    one = run("decide", BANK / "asked_next_word.onnx", "--axis", "ids:0", "--output", "last",
              "--json")  # fmt: skip
    assert [r["output"] for r in both["results"]] == ["y", "last"]
    assert [r["output"] for r in json.loads(one.out)["results"]] == ["last"]


def test_a_time_limit_is_kept_and_said(run: Run) -> None:
    """A search would go on after its time, or its end be taken for an answer."""
    done = run("decide", CAUSAL, "--axis", "x:1", "--timeout", 1e-9)
    assert done.status == 3 and "UNKNOWN" in done.out
    assert "within the time of --timeout" in " ".join(done.out.split())


def test_written_counterexamples_replay(run: Run, tmp_path: Path) -> None:
    """What is written would not be what `replay` reads, or would hold of another model too."""
    done = run("decide", CAUSAL, "--axis", "x:1", "--out", "found", "--json")
    (result,) = json.loads(done.out)["results"]
    file = next(e["file"] for e in result["evidence"] if e["kind"] == "enclosed")
    again = run("replay", Path("found") / file, "--model", CAUSAL)
    assert again.status == 0 and again.out.startswith("confirmed")
    assert run("replay", Path("found") / file, "--model", ENCODER).status in (1, 2)
    report = json.loads((tmp_path / "found" / "report.json").read_text(encoding="utf-8"))
    jsonschema.validate(report, SCHEMA)
    shown = run("decide", CAUSAL, "--axis", "x:1", "--out", "more").out
    assert "orderproof replay more/witnesses/" in shown and f"--model {CAUSAL}" in shown


EVIDENCE = RESULT["properties"]["evidence"]
PART = exactly(answer={"enum": ["depends", "unseen", "unknown"]}, sizes=PLACES, reason=TEXT)
SEEN = exactly(**{
    "ask": {"const": "padding"}, "input": {"const": "x"}, "axis": {"const": 1}, "with": TEXTS,
    "mask": {"const": "mask:1"}, "output": {"const": "y"}, "output_axis": {"const": 1},
    "answer": {"const": "depends"}, "contents": PART, "number": PART,
    "who_sees_whom": exactly(
        n={"const": 2}, values={"const": [1, 0]}, last_only={"const": False},
        sees={"const": [[True, True], [True, True]]},
        changed={"type": "array", "items": {"type": "array", "items": {"type": "number"}}}),
    "evidence": EVIDENCE, "seconds": {"type": "number", "minimum": 0},
})  # fmt: skip


def test_who_sees_whom_is_written_and_replays(run: Run, tmp_path: Path) -> None:
    """A program would meet a key that nobody told it of; or a find that is written not be read."""
    leak = next(leak for leak in LEAKS if leak.name == "padding_attention_mask_unused")
    path = leak.write(tmp_path)
    asked = ("decide", path, "--ask", "padding", "--axis", "x:1", "--mask", "mask:1")
    done = run(*asked, "--out", "found", "--json", "--require", "enclosed")
    assert done.status == 0
    jsonschema.validate(
        json.loads(done.out),
        {
            **SCHEMA,
            "properties": {
                **SCHEMA["properties"],
                "results": {"type": "array", "items": SEEN, "minItems": 1},
            },
        },
    )
    assert done.out == (tmp_path / "found" / "report.json").read_text(encoding="utf-8")
    files = [e["file"] for e in json.loads(done.out)["results"][0]["evidence"]]
    assert len({*files}) == 2
    found = [json.loads((tmp_path / "found" / file).read_text(encoding="utf-8")) for file in files]
    assert [len(each["contents"]) for each in found] == [1, 0]
    for file in files:
        again = run("replay", Path("found") / file, "--model", path)
        assert again.status == 0 and again.out.startswith("confirmed: the model padding_attention")
        assert run("replay", Path("found") / file, "--model", CAUSAL).status == 2
    shown = run(*asked, "--masked", "1", "--n", "4").out  # the convention of other frameworks
    assert "mask 0 0 0 1" in shown


def test_what_is_asked_is_handed_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An option of who sees whom would be read and forgotten, or be taken for another."""
    seen: dict[str, Any] = {}

    def record(path: Path, ask: str, **given: Any) -> None:
        seen.update(given, ask=ask)
        raise ModelError("enough is known")

    monkeypatch.setattr("orderproof.symbolic.onnx.who_sees.who_sees", record)
    places = ("--axis", "x:1", "--with", "z:1", "--mask", "m:1", "--ids", "i:1")
    more = ("--masked", -2, "--output", "y", "--output-axis", 0, "--n", 3, "--timeout", 7)
    refused(run("decide", CAUSAL, "--ask", "documents", *places, *more), "enough is known")
    del seen["answered"]
    assert seen == {
        "ask": "documents", "axis": "x:1", "along": ("z:1",), "mask": "m:1", "ids": "i:1",
        "masked": -2.0, "output": "y", "output_axis": "0", "n": 3, "timeout": 7.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--accept-unseen"], "--accept-unseen: given for --ask equivariant, expected"),
        ([*CAUSALLY, "--masked", "1"], "--masked: given without a mask, expected --mask INPUT:K"),
    ],
)
def test_what_means_nothing_is_refused(options: list[str], line: str, run: Run) -> None:
    """An option would be read and have no effect."""
    refused(run("decide", CAUSAL, *X, *options), line)


# ------------------------------------------------------------------------------------ bad input
def test_axes_that_cannot_be_asked_about(run: Run, tmp_path: Path) -> None:
    """An axis of length 1 would be called equivariant; a model of fixed sizes be passed over."""
    one = saved(parsed("g (float[1, 4] x) => (float[1, 4] y) {y = Relu(x)}"), tmp_path)
    refused(run("decide", one, "--axis", "x:0"), "x:0", "length 1")
    none = saved(parsed("g (float[0, 4] x) => (float[0, 4] y) {y = Relu(x)}"), tmp_path, "0.onnx")
    refused(run("decide", none, "--axis", "x:0"), "x:0", "length 0")
    refused(run("decide", one), "no input has a dynamic axis", "--axis INPUT:K")
    for axis in ("x:--1", "x:²"):  # which ended in a traceback
        refused(run("decide", one, "--axis", axis), "expected INPUT:K, one of x:0, x:1")


def test_what_may_be_permuted_along_is_said(run: Run, tmp_path: Path) -> None:
    """A person would take the axis of a mask, to which an exporter gave a name of its own, or the
    other axis of a matrix for what stays as it is."""
    text = """g (float[s1, 4] x, float[s2, 4] m) => (float[s1, 4] y)
      <int64 z = {0}, int64[1] a = {0}> {
      c = CumSum(x, z)
      all = ReduceSum(m, a)
      y = Add(c, all)
    }"""
    done = run("decide", saved(parsed(text), tmp_path), "--axis", "x:0")
    assert "NOT EQUIVARIANT" in done.out and "\n--with m:0: the same with that input" in done.out
    done = run("decide", BANK / "symmetrised.onnx", "--axis", "x:0")
    assert "NOT EQUIVARIANT" in done.out and "a proof needs x:1 to move too" in done.out


EXPANDED = """g (float[n, 1] x) => (float[n, 1] y) <int64[2] s = {%s}, int64[1] k = {%d}> {
    big = Expand(%s, s)  all = ReduceSum(big, k)  y = Add(x, all) }"""
STEPS = " ".join(f"s{k + 1} = Concat<axis = 0>(s{k}, s{k})" for k in range(40))
BOMBS = {
    EXPANDED % ("1000000, 1000000", 0, "k"): (2, "a tensor of 1,000,000,000,000 entries"),
    EXPANDED % ("1, 100000000", 0, "x"): (3, "a tensor of 300,000,000 entries, at n = 3; at most"),
    EXPANDED % ("50000000, 1", 0, "x"): (3, "an axis of 50,000,000 places; at most"),
    f"g (float[n, 1] x) => (float[m, 1] y) {{s0 = Relu(x) {STEPS} y = Neg(s40)}}":
        (3, r"a tensor of [\d,]{15,} entries, at x of .* To try: an export with smaller fixed"),
}  # fmt: skip


@pytest.mark.parametrize("text", BOMBS)
def test_what_is_too_large_is_said(text: str, run: Run, tmp_path: Path) -> None:
    """A file of some lines would take all memory, or only be said not to have been compared."""
    done = run("decide", saved(parsed(text), tmp_path), "--axis", "x:0", "--timeout", 60)
    said = " ".join((done.out + done.err).split())
    status, words = BOMBS[text]
    assert done.status == status and re.search(words, said)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "name", "options"),
    [("onnx", ENCODER, X), ("onnxruntime", ENCODER, X), ("flint", ENCODER, X),
     ("flint", CAUSAL, X), ("flint", CAUSAL, [*X, *CAUSALLY])],
)  # fmt: skip
def test_without_a_package(module: str, name: Path, options: list[str]) -> None:
    """A missing package would end in a traceback, or what was not checked be called proved."""
    code = (
        "import sys; sys.argv[0] = 'orderproof'; "
        f"sys.modules[{module!r}] = None; from orderproof.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "decide", str(name), *options],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    if module == "onnx":
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert "onnx is not installed" in done.stderr and "orderproof[onnx]" in done.stderr
    elif module == "onnxruntime":
        assert done.returncode == 3 and "proved for" not in done.stdout
        assert "onnxruntime is not installed" in " ".join(done.stdout.split())
    else:
        status = 0 if name == ENCODER else 3 if options == X else 2
        assert done.returncode == status and "Traceback" not in done.stderr
        said = " ".join((done.stdout + done.stderr).split())
        assert ("flint is not installed" in said) is (status != 0)
