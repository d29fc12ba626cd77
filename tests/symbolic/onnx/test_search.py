"""A counterexample is found by running the file, enclosed on its term, and run again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnxruntime", reason="SKIP: onnxruntime is not installed (extra onnx)")
pytest.importorskip("flint", reason="SKIP: python-flint is not installed (extra onnx)")

import numpy as np

from orderproof.commands.decide_text import lines
from orderproof.symbolic.onnx import balls, difference, enclose
from orderproof.symbolic.onnx.claims import Permuted
from orderproof.symbolic.onnx.decide import Question, decide
from orderproof.symbolic.onnx.difference import Both, magnified
from orderproof.symbolic.onnx.draws import KINDS, draw, permuted
from orderproof.symbolic.onnx.finder import Finder
from orderproof.symbolic.onnx.graph import VALUES, Place
from orderproof.symbolic.onnx.load import load
from orderproof.symbolic.onnx.precisions import Precisions
from orderproof.symbolic.onnx.refute import witness
from orderproof.symbolic.onnx.report import Result
from orderproof.symbolic.onnx.roundings import EPS32, EPS64, LEAST32, LEAST64
from orderproof.symbolic.onnx.run import RunError, Runner
from orderproof.symbolic.onnx.search import Found, Search
from orderproof.symbolic.witness.fields import WitnessError
from orderproof.symbolic.witness.model_file import Difference, ModelWitness, axes_of
from tests.models.files import model_file, read_bank
from tests.symbolic.onnx.making import parsed, saved

HEAD = "g (float[b, n, 4] x) => (float[b, n, 4] y)"
ONE = """<int64 one = {1}, int64[1] first = {1}, int64[1] last = {2}, float half = {0.5},
    float big = {1e9}, double wide = {1e12}, double three = {3}, float large = {1e5},
    float huge = {1e30}, string word = {"a"}>"""


def attention(x: str, result: str = "y", k: str = "") -> str:
    """softmax(X Xᵀ) X, in ONNX's text; k is put after the names of what is in between."""
    return f"""t{k} = Transpose <perm = [0, 2, 1]> ({x})
        s{k} = MatMul ({x}, t{k})
        p{k} = Softmax (s{k})
        {result} = MatMul (p{k}, {x})"""


STEP = "u = ReduceSum <keepdims = 1> (p, last)\n f = Floor (u)\n y = Add (f, x)"
HALF = f"h = Cast <to = 10> (x)\n {attention('h', 'z')}\n y = Cast <to = 1> (z)"
CHOICE = "i = ArgMax <axis = 1, keepdims = 1> (x)\n c = Cast <to = 1> (i)\n y = Add (x, c)"
MODELS: dict[str, tuple[str, Any, bool]] = {  # nodes, the output's axis, whether it is refuted
    "attention": (attention("x"), 1, False),
    "attention, unchanged": (attention("x"), None, True),
    "running sum": (f"{attention('x', 'z')}\n y = CumSum (z, one)", 1, True),
    "kernels of 32 bits": (f"{attention('x', 'z')}\n y = Erf (z)", 1, False),
    "kernels of 32 bits, running": ("z = Erf (x)\n y = CumSum (z, one)", 1, True),
    "16 bits": (HALF, 1, False),
    "a step at a sum that is 1": (f"{attention('x', 'z')}\n {STEP}", 1, False),
    "no numbers": ("l = Log (x)\n y = Sqrt (l)", 1, False),
    "a place": (CHOICE, 1, True),
    "the first of equal ones": ("y = Hardmax <axis = 1> (x)", 1, False),
    "doubles that cancel": (
        "d = Cast <to = 11> (x)\n a = Add (d, wide)\n s = ReduceSum (a, first)\n"
        "b = Mul (wide, three)\n c = Sub (s, b)\n y = Cast <to = 1> (c)",
        None,
        False,
    ),
    "a kernel of 32 bits that cancels": (
        "a = Add (x, large)\n t = Transpose <perm = [0, 2, 1]> (a)\n g = GlobalAveragePool (t)\n"
        "y = Sub (g, large)",
        None,
        False,
    ),
    "numbers that absorb others": (
        "p, q = Split <axis = 2, num_outputs = 2> (x)\n h = Mul (p, huge)\n a = Add (h, q)\n"
        "s = ReduceSum (a, first)\n y = Softsign (s)",
        None,
        False,
    ),
    "a threshold of 32 bits": (
        "z = ThresholdedRelu <alpha = 0.5> (x)\n y = CumSum (z, one)",
        1,
        True,
    ),
    "text": ("e = Equal (word, word)\n c = Cast <to = 1> (e)\n y = Add (x, c)", 1, False),
    "numbers that cancel": (
        "a = Add (x, big)\n s = ReduceSum (a, first)\n b = Mul (s, half)\n"
        "c = Sub (s, b)\n y = Sub (c, b)",
        None,
        False,
    ),
}


CLAIM = Permuted((("x", 1),), "y", 1, (1, 0, 2))
RUNNING = MODELS["running sum"][0]


def searching(path: Path, n: int = 3, moving: tuple[Place, ...] = (("x", 1),)) -> Search:
    """The search about a file with n tokens, two of all else."""
    graph = load(path)
    sizes = dict.fromkeys(graph.dynamic, 2) | {"n": n}
    return Search(Runner(graph), Precisions(graph), sizes, moving, n)


def of_all(claim: Permuted, n: int) -> list[Permuted]:
    """The claim about all permutations of n tokens but the identity."""
    return [replace(claim, sigma=s) for s in permutations(range(n))][1:]


def steady(search: Search, claim: Permuted) -> list[Found]:
    """What counts although nothing encloses it, of all permutations."""
    return [f for f in search.found(of_all(claim, search.n)) if search.steady(f)]


@pytest.mark.parametrize("name", MODELS)
def test_what_counts_as_a_difference(name: str, tmp_path: Path) -> None:
    """A symmetry would be refuted by rounding, by kernels without 64 bits, by 16 bits, by a step or
    by what is no number; or a broken one would not be found."""
    nodes, axis, refuted = MODELS[name]
    search = searching(saved(parsed(f"{HEAD} {ONE} {{ {nodes} }}", opset=20), tmp_path))
    found = steady(search, replace(CLAIM, output_axis=axis))
    assert bool(found) is refuted
    assert not found or found[0].difference.d32 > 100 * found[0].difference.rounding


def both(y32: Any, y64: Any) -> Both:
    """Outputs in two precisions."""
    return Both(np.array(y32, float), np.array(y64, float))


ROUNDING = [  # both sides, whether all kernels had 64 bits, what draws say, whether it is seen
    ((1, 1), (1 - 0.9 * LEAST32 * EPS32,) * 2, False, 0, False),
    ((1, 1), (1 - 1.1 * LEAST32 * EPS32,) * 2, False, 0, True),
    ((1, 1), (1 - 0.9 * LEAST64 * EPS64,) * 2, True, 0, False),
    ((1, 1), (1 - 1.1 * LEAST64 * EPS64,) * 2, True, 0, True),
    ((1, 1), (1 - 1e-3,) * 2, False, 0, True),  # whatever the thresholds are
    ((1, 1), (1 - 1e-6,) * 2, True, 0, True),
    ((1, 1), (0.9, 1), False, 0, False),  # float32 alone sees it
    ((1, 1), (1, 0.9), False, 0, False),  # float64 alone
    ((1, 1), (0.9, 0.9), False, 0.2, False),  # the precisions are farther apart in another draw
    ((np.nan, 1), (0.9, 0.9), False, 0, False),
    ((np.inf, np.inf), (1, 1), False, 0, False),
]


@pytest.mark.parametrize("moved, expected, wide, least, seen", ROUNDING)
def test_what_rounding_explains(
    moved: Any, expected: Any, wide: bool, least: float, seen: bool
) -> None:
    """A threshold would be another than the one that is printed, or one precision would do."""
    one, other = (both([y[0]], [y[1]]) for y in (moved, expected))
    found = difference.difference(one, other, wide, least)
    assert (found is not None and found.seen) is seen


def test_another_entry_counts() -> None:
    """An entry that rounding has apart in float32 alone would hide one where both precisions do."""
    found = difference.difference(both([9, 2], [1, 2]), both([1, 1], [1, 1]), False, 0)
    assert found is not None and found.seen and found.entry == (1,)


def test_a_difference_has_to_be_seen_in_several_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one draw shows alone would be called measured."""
    search = searching(saved(parsed(f"{HEAD} {ONE} {{ {RUNNING} }}"), tmp_path))
    found = next(search.found([CLAIM]))
    differ = search.differ
    for count in (1, 2):
        others = [x for k, x in search.inputs.items() if k >= count]
        monkeypatch.setattr(search, "differ", lambda c, x, *y, others=others: (
            None if any(x is other for other in others) else differ(c, x, *y)))  # fmt: skip
        assert search.steady(found) is (count == 2)


def test_precisions_that_are_apart_in_any_draw_hide_a_difference(tmp_path: Path) -> None:
    """A model that magnifies rounding would be refuted in a draw in which it happens not to."""
    search = searching(saved(parsed(f"{HEAD} {ONE} {{ {RUNNING} }}"), tmp_path))
    found = next(search.found([CLAIM]))
    assert search.differ(CLAIM, found.inputs) is not None
    y = search.outputs["y", 6]
    search.outputs["y", 6] = Both(y.y32 + 100, y.y64)
    assert search.differ(CLAIM, found.inputs) is None


def test_precisions_far_apart_are_taken_to_be_farther_in_other_draws() -> None:
    """A model that magnifies rounding would be refuted in a draw in which it does so the most."""
    assert magnified([both([1, 5], [1, 5])]) == 0
    assert magnified([both([1.00001], [1])]) == pytest.approx(1e-5)
    assert magnified([both([1.5], [1]), both([1], [1])]) == 8
    assert magnified([both([np.inf, 1], [1, 1])]) == 0


@pytest.mark.parametrize("number", range(len(KINDS)))
def test_draws_keep_types_and_ranges(number: int, tmp_path: Path) -> None:
    """An input would leave its type, its table or the tokens that it numbers."""
    model = parsed("""g (float16[n, 3] h, int32[n] ids, bool[n] m, int64[k] t) => (float[n, 2] y)
        <float[5, 2] table = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}> { y = Gather (table, ids) }""")
    runner, moving = Runner(load(saved(model, tmp_path))), (("h", 0), ("t", VALUES))
    found = draw(runner, {"n": 4, "k": 9}, number, moving, 4)
    assert {k: x.dtype.name for k, x in found.items()} == {
        "h": "float16", "ids": "int32", "m": "bool", "t": "int64",
    }  # fmt: skip
    assert found["ids"].max() <= 4 and 1 < found["t"].max() <= 3 and found["ids"].min() >= 0
    moved = permuted(found, moving, (1, 2, 3, 0))
    assert moved is not None and np.array_equal(moved["h"][0], found["h"][1])
    assert np.array_equal((moved["t"] + 1) % 4, found["t"] % 4)


RANDOM = """g (float[n, 4] x) => (int32[1, 20] y) <int64[1] zero = {0}, float k = {300}> {
    s = ReduceSum (x, zero)
    l = Mul (s, k)
    y = Multinomial <sample_size = 20, seed = 1.0> (l) }"""


TRAINED = f"{HEAD} <float r = {{0.5}}, bool t = {{1}}> {{ y = Dropout (x, r, t) }}"


@pytest.mark.parametrize("text", [f"{HEAD} {{ y = RandomNormalLike (x) }}", TRAINED, RANDOM])
def test_random_nodes_are_not_searched(text: str, tmp_path: Path) -> None:
    """A node that draws numbers would refute anything, also where the first draw hides it."""
    path = saved(parsed(text), tmp_path)
    axis = 0 if text == RANDOM else 1
    search = searching(path, moving=(("x", axis),))
    with pytest.raises(RunError, match="the model draws random numbers"):
        steady(search, replace(CLAIM, moving=(("x", axis),), output_axis=None))


def test_another_run_has_to_agree_bit_for_bit(tmp_path: Path) -> None:
    """An operator that draws numbers under a name that is not known would refute anything."""
    search = searching(saved(parsed(f"{HEAD} {ONE} {{ {RUNNING} }}"), tmp_path))
    found = next(search.found([CLAIM]))
    search.repeat(found)
    for side in ("moved", "expected"):
        y = getattr(found, side)
        other = replace(found, **{side: Both(y.y32, np.nextafter(y.y64, np.inf))})
        with pytest.raises(RunError, match="two runs on the same input differ"):
            search.repeat(other)


def test_huge_constants_absorb_no_difference(tmp_path: Path) -> None:
    """Truth values, which nothing changes a little, times a huge number would refute a sum."""
    model = parsed("""g (bool[n] m, bool[n] k, float[n, 4] x) => (float[4] y)
        <float huge = {1e30}, int64[1] zero = {0}, int64[1] one = {1}> {
        p = Cast <to = 1> (m)
        q = Cast <to = 1> (k)
        d = Sub (p, q)
        e = Mul (d, huge)
        r = Unsqueeze (e, one)
        a = Add (r, x)
        s = ReduceSum <keepdims = 0> (a, zero)
        y = Sigmoid (s) }""")
    moving = (("m", 0), ("k", 0), ("x", 0))
    search = searching(saved(model, tmp_path), moving=moving)
    claim = replace(CLAIM, moving=moving, output_axis=None)
    assert list(search.found(of_all(claim, search.n))) and not steady(search, claim)


def test_outputs_of_other_shapes_are_not_compared(tmp_path: Path) -> None:
    """What rounding makes of a shape would end in a traceback."""
    nodes = "a = Mul (x, third)\n c = Mul (a, three32)\n d = Sub (c, x)\n y = Unique (d)"
    text = "g (float[b, n, 4] x) => (float[k] y) <float third = {0.333333343}, float three32 = {3}>"
    with pytest.raises(RunError, match="another shape in float64"):
        list(searching(saved(parsed(f"{text} {{ {nodes} }}"), tmp_path)).found([CLAIM]))


@pytest.mark.parametrize(
    "nodes, values, tie",
    [
        ("v, i = TopK <axis = 1> (x, last)", (1, 1 + 1e-6, 2), True),
        ("v, i = TopK <axis = 1> (x, last)", (1, 1.1, 2), False),
        ("i = Less (x, half)", (1, 0.5, 2), True),
        ("i = Less (x, half)", (1, 0.6, 2), False),
        ("s = Shape (x)\n c = Cast <to = 1> (s)\n i = Equal (c, c)", (1, 1, 2), False),
    ],
)
def test_values_that_rounding_could_exchange_are_a_tie(
    nodes: str, values: Any, tie: bool, tmp_path: Path
) -> None:
    """A choice between values that are nearly equal, or a comparison of such, would be no tie; or
    one of sizes would be one."""
    head = HEAD.replace("float[b, n, 4] y", "i")
    runner = Runner(load(saved(parsed(f"{head} {ONE} {{ {nodes} }}"), tmp_path)))
    x = np.broadcast_to(np.array(values, np.float32)[None, :, None], (1, 3, 4))
    calls = difference.choices(runner.graph, runner.graph.calls)
    assert difference.at_tie(runner, calls, {"x": x}) is tie


def test_an_input_without_a_tie_is_preferred(tmp_path: Path) -> None:
    """A sort of equal values would be called a counterexample like any other, or be the first."""
    nodes = "v, y = TopK <axis = 1> (x, last)"
    text = f"g (float[b, n, 4] x) => (int64[b, n, 4] y) {ONE} {{ {nodes} }}"
    search = searching(saved(parsed(text), tmp_path))
    found = list(search.found([replace(CLAIM, output_axis=None)]))
    ties = [f.tie for f in found]
    assert ties == sorted(ties) and not ties[0] and ties[-1]


def answer(folder: Path, nodes: str, **options: Any) -> tuple[Path, Result]:
    """The answer about the tokens of a model of these nodes."""
    path = saved(parsed(f"{HEAD} {ONE} {{ {nodes} }}"), folder)
    return path, decide(path, "x:1", **options).results[0]


def test_a_term_that_onnxruntime_contradicts_encloses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of the reader, or of a function on balls, would be called a real difference."""
    _, right = answer(tmp_path, RUNNING)
    assert right.witness is not None and right.witness.evidence == "enclosed"
    monkeypatch.setitem(balls.FUNCTIONS, np.exp, lambda x: x.exp() + x * x)
    _, wrong = answer(tmp_path, RUNNING)
    assert wrong.witness is None and "onnxruntime differ on this input" in wrong.reason


def test_balls_that_overlap_enclose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Balls that have a number in common would be taken for apart."""
    monkeypatch.setattr(enclose, "gap", lambda a, b: 0.0)
    _, result = answer(tmp_path, RUNNING)
    assert result.witness is None and "overlap" in result.reason


def test_a_model_without_a_term_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would not be refuted, or be called enclosed; or its term be evaluated for each claim."""
    calls, right = [], enclose.enclose
    monkeypatch.setattr(enclose, "enclose", lambda *a: calls.append(1) or right(*a))
    monkeypatch.setattr(balls, "MOST", 10)
    path, result = answer(tmp_path, RUNNING)
    assert [w.evidence for w in result.witnesses] == ["measured"] * 2
    assert len(calls) == 2  # readings
    assert enclose.check(result.witnesses[0], path).ok
    claimed = enclose.check(replace(result.witnesses[0], evidence="enclosed"), path)
    assert not claimed.ok and "not enclosed" in claimed.reason
    _, tied = answer(tmp_path, MODELS["the first of equal ones"][0])
    assert tied.answer == "unknown" and "it goes away nearby" in tied.reason


def test_what_goes_away_nearby_is_not_measured_in_a_replay(tmp_path: Path) -> None:
    """A file could refute a symmetry by numbers that absorb others."""
    nodes = MODELS["numbers that absorb others"][0]
    path = saved(parsed(f"{HEAD} {ONE} {{ {nodes} }}", opset=20), tmp_path)
    search, claim = searching(path), replace(CLAIM, output_axis=None)
    found = next(search.found(of_all(claim, 3)))
    finder = Finder(path, search.runner.graph, search.runner)
    outcome = enclose.check(witness(finder, search, found), path)
    assert not outcome.ok and "none that is near" in outcome.reason


def test_other_draws_are_tried_where_one_is_not_enclosed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One input on which balls decide nothing would end the search."""
    right, first = enclose.Encloser.verdict, [True]

    def verdict(*given: Any) -> Any:
        return enclose.Verdict(False, "no") if first and first.pop() else right(*given)

    monkeypatch.setattr(enclose.Encloser, "verdict", verdict)
    _, result = answer(tmp_path, RUNNING)
    assert result.scope == "n = 2"


def test_why_a_search_found_nothing_is_said_whatever_came_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that broke off with 2 tokens, and saw nothing with more, would seem to be complete;
    or one that ran with more tokens, to have run with none."""
    plain, verdict = Search.found, enclose.Verdict(False, "it stopped at log 0")
    monkeypatch.setattr(enclose.Encloser, "verdict", lambda *_: verdict)
    monkeypatch.setattr(Search, "found", lambda s, c: plain(s, c) if s.n == 2 else iter(()))
    assert "not certain: it stopped at log 0" in answer(tmp_path, RUNNING)[1].reason

    def refused(self: Search, claims: Any) -> Iterator[Found]:
        if self.n == 2:
            raise RunError("no two tokens")
        return iter(())

    monkeypatch.setattr(Search, "found", refused)
    assert answer(tmp_path, RUNNING)[1].reason.endswith("; no counterexample was found")


def test_deep_models_get_more_bits_and_each_enclosure_its_own_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Balls that each layer widens would overlap; or one enclosure would use up another's steps."""
    names = ["x", *(f"x{k}" for k in range(8))]
    layers = [attention(*names[k : k + 2], str(k)) for k in range(8)]
    nodes = "\n".join(layers) + "\n y = CumSum (x7, one)"
    for _ in range(2):
        _, result = answer(tmp_path, nodes)
        assert result.witness is not None and result.witness.evidence == "enclosed"
        monkeypatch.setattr(balls, "MOST", balls._steps[0] + 1)


def test_a_tie_is_said(tmp_path: Path) -> None:
    """A counterexample that equal values make would be one like any other."""
    _, result = answer(tmp_path, MODELS["the first of equal ones"][0])
    assert result.witness is not None and result.witness.tie
    assert any("at a tie" in line for line in lines(result))


DAMAGES: dict[str, Callable[[ModelWitness], ModelWitness]] = {
    "the outputs, or": lambda w: replace(w, moved=tuple(2 * v + 1 for v in w.moved)),
    "far they are apart": lambda w: replace(w, expected=tuple(2 * v + 1 for v in w.expected)),
    "not what the file has": lambda w: replace(w, difference=replace(w.difference, d32=1e30)),
    "rounding may explain": lambda w: replace(w, difference=replace(w.difference, rounding=0.0)),
    "not at a tie": lambda w: replace(w, tie=True),
    "expected one of ['y']": lambda w: replace(w, output="x", output_axis=None),
    "given sizes": lambda w: replace(w, sizes={**w.sizes, "other": 2}),
    "both sides are the same": lambda w: replace(w, sigma=(0, 1)),
    "has the shape": lambda w: replace(w, shape=(9, *w.shape[1:])),
    "given inputs": lambda w: replace(w, inputs={**w.inputs, "z": w.inputs["x"]}),
    "expected float32 of shape": lambda w: replace(w, sizes={**w.sizes, "b": 5}),
    "no float32 holds": lambda w: replace(
        w, inputs={"x": replace(w.inputs["x"], entries=(Fraction(1, 3),) * 16)}
    ),
}


@pytest.mark.parametrize("line", DAMAGES)
def test_a_changed_counterexample_does_not_hold(line: str, tmp_path: Path) -> None:
    """A replay would take the file's word for what it can run again."""
    path, result = answer(tmp_path, RUNNING)
    assert result.witness is not None and enclose.check(result.witness, path).ok
    outcome = enclose.check(DAMAGES[line](result.witness), path)
    assert not outcome.ok and line in outcome.reason


def test_both_sides_have_to_differ_again(tmp_path: Path) -> None:
    """A counterexample about a model that follows every permutation would be confirmed."""
    path, result = answer(tmp_path, RUNNING)
    saved(parsed(f"{HEAD} {{ {attention('x')} }}"), tmp_path)
    assert result.witness is not None
    outcome = enclose.check(replace(result.witness, sha256=load(path).sha256), path)
    assert not outcome.ok and "the same there, but for rounding" in outcome.reason


def test_another_model_is_refused(tmp_path: Path) -> None:
    """A counterexample would be confirmed of a file that it is not about."""
    path, result = answer(tmp_path, RUNNING)
    assert result.witness is not None
    with pytest.raises(WitnessError, match="SHA-256"):
        enclose.check(replace(result.witness, sha256="0" * 64), path)
    with pytest.raises(WitnessError, match="external data"):
        enclose.check(replace(result.witness, data=(("weights", "0" * 64),)), path)


def test_a_cycle_is_enclosed_and_found_again(tmp_path: Path) -> None:
    """σ would be taken for its inverse, which a swap is itself."""
    path = saved(parsed(f"{HEAD} {ONE} {{ {RUNNING} }}"), tmp_path)
    graph = load(path)
    question = Question(Finder(path, graph, Runner(graph)), ("x", 1), (), None)
    found = question.refuter.search([("x", 1)], "y", 1, 3, [(1, 2, 0)])
    assert isinstance(found, ModelWitness)
    assert found.evidence == "enclosed" and found.sigma == (1, 2, 0)
    assert enclose.check(found, path).ok
    inverse = replace(found, sigma=(2, 0, 1))
    assert not enclose.check(inverse, path).ok


def test_outputs_do_not_depend_on_each_other(tmp_path: Path) -> None:
    """The second output of a model would be enclosed by the values of the first."""
    text = f"{HEAD[:-1]}, float[b, n] w) {ONE} {{ {RUNNING}\n"
    body = "r = ReduceMax <axes = [2], keepdims = 0> (x)\n w = CumSum (r, one) }"
    path = saved(parsed(text + body), tmp_path)
    both = decide(path, "x:1").results
    for result in both:
        alone = decide(path, "x:1", output=result.output).results[0]
        assert result.witness == alone.witness and result.witness is not None
        assert result.witness.evidence == "enclosed"


def redrawn(model: dict[str, Any]) -> Iterator[Difference]:
    """Both sides of all draws of a model of the bank at 3 tokens, or as many as it has, under the
    permutations that are its symmetries: by its truth, which shares no code with the product."""
    graph = load(model_file(model["file"]))
    for q in model["questions"]:
        dim = graph.inputs[q["input"]].dims[q["axis"]]
        n = 3 if isinstance(dim, str) else dim
        group = q["truth"]["groups"].get(str(n), {"generators": []})
        moving = (
            (q["input"], q["axis"]),
            *((i, VALUES if k == "values" else k) for i, k in q["with"]),
        )
        own = {d for i, k in moving for d in [graph.inputs[i].dims[k]] if isinstance(d, str)}
        sizes = dict.fromkeys(graph.dynamic, 2) | dict.fromkeys(own, n)
        search = Search(Runner(graph), Precisions(graph), sizes, moving, n)
        axis = q["truth"]["output_axis"]
        axes = axes_of(tuple(axis) if isinstance(axis, list) else axis)
        try:
            draws = search.every(q["output"])
        except RunError:
            continue
        for sigma, (k, y) in product(group["generators"], draws.items()):
            inputs = permuted(search.inputs[k], search.moving, sigma)
            if inputs is not None and all(y.y64.shape[a] == n for a in axes):
                z, other = search.run(inputs, q["output"]), y.taken(sigma, axes)
                least = magnified([*draws.values(), z])
                found = difference.difference(z, other, search.precisions.wide(q["output"]), least)
                if found is not None:
                    yield found


BANK = read_bank()


@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.slow)])
def test_no_symmetry_differs_by_more_than_rounding(step: int) -> None:
    """The thresholds would be within what rounding makes, and a theorem be refuted."""
    found = [d for model in BANK[::step] for d in redrawn(model)]
    assert len(found) > 2_000 / step
    assert not [d for d in found if d.seen or not d.d32 <= LEAST32 / 10 * EPS32 * d.scale]
