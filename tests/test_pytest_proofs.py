"""The pytest plugin on files and torch modules: what is not proved, as it is asserted, fails."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from orderproof import pytest_judgements
from orderproof.numeric.permuted.measure import Deviation
from orderproof.pytest_plugin import (
    assert_batch_independent,
    assert_causal,
    assert_padding_ignored,
    assert_permutation_equivariant,
    assert_permutation_invariant,
)

ROOT = Path(__file__).parents[1]
X = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)


def message(assertion: Callable[..., Any], *args: Any, **options: Any) -> str:
    """What an assertion says that must fail."""
    with pytest.raises(AssertionError) as caught:
        assertion(*args, **options)
    return str(caught.value)


def result(answer: str = "equivariant", **other: Any) -> SimpleNamespace:
    """A result as `decide` gives it."""
    known: dict[str, Any] = {
        "input": "tokens", "axis": 1, "along": [], "output": "out", "output_axis": 1,
        "answer": answer, "scope": "all n", "conditions": [], "stuck": [], "witness": None,
    }  # fmt: skip
    return SimpleNamespace(**{**known, **other})


@pytest.fixture
def decide(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Any]]:
    """Let `decide` give these results; the calls that it gets."""

    def put(*results: Any) -> list[Any]:
        calls: list[Any] = []

        def decided(path: str, **asked: Any) -> Any:
            calls.append((path, asked))
            return SimpleNamespace(results=results)

        monkeypatch.setattr(pytest_judgements, "decider", lambda: decided)
        return calls

    return put


def test_a_proof_passes_and_is_asked_for_what_was_said(decide: Any) -> None:
    """A file would be measured, or another axis decided."""
    calls = decide(result(), result(axis=0))
    found = assert_permutation_equivariant("m.onnx", axis=["tokens:1", "mask:1"], along=["mask:2"])
    assert found.answer == "equivariant"
    along = ["mask:1", "mask:2"]
    asked = {"axis": "tokens:1", "along": along, "output": None, "n": None, "timeout": 60.0}
    assert calls == [("m.onnx", asked)]


@pytest.mark.parametrize(
    ("assertion", "found", "options"),
    [
        (assert_permutation_invariant, result("invariant", output_axis=None), {}),
        (assert_permutation_invariant, result("invariant"), {"axis": "tokens:-2"}),
        (assert_permutation_equivariant, result(scope="n <= 64"), {"scope": "n <= 64"}),
        (assert_permutation_equivariant, result(scope="n <= 64, and n = 65"), {"scope": "n <= 64"}),
        (assert_permutation_equivariant, result(scope="n = 8"), {"n": 8}),
        (assert_permutation_equivariant, result(output_axis=2), {"output_axis": 2}),
        (assert_permutation_equivariant, result(conditions=["n = m"], output_axis=(1, 2)),
         {"conditions": ["n = m"], "output_axis": (1, 2)}),
    ],
)  # fmt: skip
def test_what_is_proved_passes(decide: Any, assertion: Any, found: Any, options: Any) -> None:
    """A proof of as much as was asserted would fail."""
    decide(found)
    assert assertion(Path("m.onnx"), **{"axis": "tokens:1", **options}) is found


STUCK = SimpleNamespace(tensor="position.weight", node="/embed/Add")


@pytest.mark.parametrize(
    ("found", "options", "said"),
    [
        (result("not equivariant", stuck=[STUCK], witness="w.json"), {},
         "output out: not equivariant, where equivariant is asserted\n  order enters at "
         "position.weight (at /embed/Add)\n  `orderproof replay w.json` rechecks a counterexample"),
        (result("subgroup", group=SimpleNamespace(order=2, name="C2")), {},
         "output out: subgroup, where equivariant is asserted\n  under 2 permutations alone: C2"),
        (result("not equivariant", witness=SimpleNamespace(says=lambda count: f"token {count(0)}")),
         {}, "counterexample: token 1"),
        (result("invariant"), {}, "output out: invariant, where equivariant is asserted"),
        (result("unknown", stuck=[STUCK]), {},
         "axis tokens:1, output out: unknown\n  order enters at position.weight (at /embed/Add)\n"
         "  fallback='measure' would settle for a measurement"),
        (result("unsupported", reason="LSTM"), {}, "unsupported\n  because LSTM\n  fallback="),
        (result("something new"), {}, "output out: something new, where equivariant is asserted"),
        (result(output_axis=0), {}, "equivariant along axis 0, where axis 1 is asserted"),
        (result(output_axis=(1, 2)), {}, "equivariant along axis 1, 2, where axis 1 is asserted"),
        (result(), {"output_axis": (1, 2)}, "along axis 1, where axis 1, 2 is asserted"),
        (result(conditions=["mask:1 moves along"]), {}, "equivariant only if mask:1 moves along; "
         "conditions=['mask:1 moves along'] asserts no more"),
        (result(scope="n <= 64"), {}, "equivariant for n <= 64 alone; scope='n <= 64' asserts no "),
        (result(scope="n <= 64"), {"scope": "n <= 65"}, "equivariant for n <= 64 alone; scope="),
        (result(scope="n = 8"), {"n": 9}, "equivariant for n = 8 alone; scope='n = 8' asserts no "),
        (result(axis=0), {}, "axis tokens:1: nothing was decided about it\n  fallback="),
    ],
)  # fmt: skip
def test_what_is_not_proved_fails(decide: Any, found: Any, options: Any, said: str) -> None:
    """What nobody proved would pass, as of one axis for both or of a smaller size, or nobody would
    learn why it is not proved."""
    decide(found)
    heard = message(assert_permutation_equivariant, "m.onnx", axis="tokens:1", **options)
    assert said in heard


def test_without_the_extra_a_proof_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model would pass where nothing can be decided."""
    monkeypatch.setattr(pytest_judgements, "DECIDE", "orderproof.no_such_module")
    said = message(assert_permutation_invariant, "m.onnx", axis="tokens:1")
    assert said.startswith("a proof needs the extra orderproof[onnx] (No module named")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"axis": 1}, "given axis=1 for an ONNX file, expected 'INPUT:K'"),
        ({"axis": ()}, "given axis=() for an ONNX file"),
        (
            {"axis": "tokens:1", "output": 0},
            "given output=0 for an ONNX file, expected an output's",
        ),
        ({"axis": "tokens:-1"}, "given axis='tokens:-1', output_axis=None, expected axes counted"),
        ({"axis": "tokens:1", "output_axis": -1}, "expected axes counted from 0"),
    ],
)
def test_a_wrong_question_about_a_file_is_refused(decide: Any, options: Any, said: str) -> None:
    """A mistake would be answered by a failure that seems to be of the model."""
    decide(result())
    with pytest.raises(ValueError, match=re.escape(said)):
        assert_permutation_equivariant("m.onnx", **options)


def test_of_several_outputs_one_is_named(decide: Any) -> None:
    """The answer about another output would be taken."""
    decide(result(), result("invariant", output="pooled", output_axis=None))
    with pytest.raises(ValueError, match="several outputs, expected output= one of out, pooled"):
        assert_permutation_equivariant("m.onnx", axis="tokens:1")
    assert assert_permutation_invariant("m.onnx", axis="tokens:1", output="pooled")
    message(assert_permutation_equivariant, "m.onnx", axis="tokens:1", output="pooled")


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A torch that has been imported, as far as it matters here: it exports names and axes."""
    module = type("Module", (), {"training": False, "__call__": lambda s, *a: s.forward(*a)})
    exports: list[Any] = []

    def export(model: Any, args: Any, path: str, **how: Any) -> None:
        if getattr(model, "unknown", False):
            raise RuntimeError("no operator aten::x\nand a long story")
        exports.append(how)
        Path(path).write_text("exported", encoding="utf-8")

    fake = ModuleType("torch")
    fake.nn = SimpleNamespace(Module=module)  # type: ignore[attr-defined]
    fake.onnx = SimpleNamespace(export=export)  # type: ignore[attr-defined]
    fake.export = SimpleNamespace(Dim=lambda name, min: f"{name} >= {min}")  # type: ignore[attr-defined]
    fake.Tensor = type("Tensor", (), {})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", fake)
    return SimpleNamespace(Module=module, exports=exports)


def test_a_torch_module_is_exported_and_proved(torch: Any, decide: Any) -> None:
    """A module would be measured where a proof was promised, or another axis be dynamic."""

    class Model(torch.Module):  # type: ignore[misc]
        def forward(self, tokens: Any, mask: Any) -> Any:
            return tokens

    calls = decide(result(axis=0, output_axis=0))
    x = (X, np.ones((5, 5)))
    found = assert_permutation_equivariant(Model(), x, axis=[(0, -2), (1, 0), (1, 1)])
    assert found.answer == "equivariant"
    (exported,) = torch.exports
    dim = "tokens >= 2"
    assert exported["dynamic_shapes"] == ({0: dim}, {0: dim, 1: dim})
    assert exported["input_names"] == ["tokens", "mask"]
    ((path, asked),) = calls
    assert path.endswith(".onnx") and not Path(path).exists()
    assert (asked["axis"], asked["along"]) == ("tokens:0", ["mask:0", "mask:1"])
    decide(result("not equivariant", axis=0))
    message(assert_permutation_equivariant, Model(), x, axis=[(0, 0)])


def test_a_module_in_training_mode_is_refused(torch: Any, decide: Any) -> None:
    """Dropout would be exported, or decided without it though the test runs with it."""
    model = torch.Module()
    model.training = True
    decide(result())
    with pytest.raises(ValueError, match=r"in training mode, expected one after model.eval\(\)"):
        assert_permutation_equivariant(model, X, axis=0)
    model.training = False
    with pytest.raises(ValueError, match="given a torch module and no x"):
        assert_permutation_equivariant(model, axis=0)


def test_a_measurement_stands_in_where_that_was_said_alone(torch: Any, decide: Any) -> None:
    """What could not be proved would be measured in silence, or fail though it may be measured."""

    class Model(torch.Module):  # type: ignore[misc]
        unknown = False

        def forward(self, x: Any) -> Any:
            return x * 2

    class Sees(Model):
        def forward(self, x: Any) -> Any:
            return np.cumsum(x, 0)

    for answer in ("unknown", "unsupported"):
        decide(result(answer, input="x", axis=0))
        assert f": {answer}\n" in message(assert_permutation_equivariant, Model(), X, axis=0)
        found = assert_permutation_equivariant(Model(), X, axis=0, fallback="measure")
        assert isinstance(found, Deviation)
        said = message(assert_permutation_equivariant, Sees(), X, axis=0, fallback="measure")
        assert said.startswith("Sees is not permutation equivariant")
    Model.unknown = True
    said = message(assert_permutation_equivariant, Model(), X, axis=0)
    assert said.startswith("torch could not export the module: no operator aten::x\n")
    assert assert_permutation_equivariant(Model(), X, axis=0, fallback="measure").ok
    Model.unknown = False
    decide(result("not equivariant", input="x", axis=0))  # a refutation is no lack of a proof
    message(assert_permutation_equivariant, Model(), X, axis=0, fallback="measure")


def saved(path: Path, inputs: str, outputs: str, nodes: str) -> None:
    """An ONNX file that adds up along an axis k."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    head = '<ir_version: 9, opset_import: ["" : 17]>'
    text = f"{head} g ({inputs}) => ({outputs}) {{ {nodes} }}"
    onnx.save(onnx.parser.parse_model(text), path)


@pytest.mark.parametrize(
    ("axis", "output", "said"),
    [
        ("tokens:1", "neg", None),
        ("tokens:0", "out", None),
        ("tokens:1", "out", "model is not permutation equivariant"),
        ("other:1", "out", "given axis 'other:1', expected one of tokens and :K"),
    ],
)
def test_a_file_is_run_where_it_is_to_be_measured(
    decide: Any, tmp_path: Path, axis: str, output: str, said: str | None
) -> None:
    """A file that cannot be decided could not be measured, or another axis of it would be."""
    path, both = tmp_path / "m.onnx", "float[b,n,3] out, float[b,n,3] neg"
    nodes = "k = Constant<value = int64 {1}>() out = CumSum(tokens, k) neg = Neg(tokens)"
    saved(path, "float[b,n,3] tokens", both, nodes)
    name, to = axis.split(":")
    decide(*(result("unknown", input=name, output=output, axis=k) for k in (0, 1)))
    x = X[:, :3][None] * np.array([1, 2], np.float32)[:, None, None]
    options = {"axis": axis, "output": output, "output_axis": int(to), "fallback": "measure"}
    if said is None:
        assert assert_permutation_equivariant(path, x, **options).ok
    else:
        with pytest.raises((AssertionError, ValueError), match=said):
            assert_permutation_equivariant(path, x, **options)


@pytest.mark.parametrize("name", ["imag", "y", "values"])
def test_the_one_output_of_a_file_has_its_name(decide: Any, tmp_path: Path, name: str) -> None:
    """An attribute of the array of that name would be measured, or the right name be refused."""
    path, nodes = tmp_path / "m.onnx", f"k = Constant<value = int64 {{0}}>() {name} = CumSum(x, k)"
    saved(path, "float[n,4] x", f"float[n,4] {name}", nodes)
    for output in (name, None):
        decide(result("unknown", input="x", axis=0, output=name))
        with pytest.raises(AssertionError, match="model is not permutation equivariant"):
            assert_permutation_equivariant(path, X, axis="x:0", output=output, fallback="measure")


def part(row: Any = None, changed: Any = None, reason: str = "") -> SimpleNamespace:
    """A part of such a result: with a witness, a reason, or neither."""
    size = SimpleNamespace(d64=0.1934, rounding=3.1e-7)
    witness = changed and SimpleNamespace(row=row, rows_changed=changed, difference=size)
    kind = "depends" if changed else "unknown" if reason else "unseen"
    return SimpleNamespace(answer=kind, witness=witness, reason=reason)


def answer(contents: Any, number: Any = None, **other: Any) -> SimpleNamespace:
    """A result as `who_sees` gives it."""
    kinds = [p.answer for p in (contents, number) if p]
    whole = min(kinds, key=("depends", "unknown", "unseen").index)
    known = {"input": "x", "axis": 1, "output": "y", "answer": whole, "said": "a sentence"}
    return SimpleNamespace(**{**known, "contents": contents, "number": number, **other})


MOVES = "moves by 0.19 (rounding: 3e-07)"
LARGE = part(reason="it is large")


@pytest.mark.parametrize(
    ("assertion", "found", "said"),
    [
        (assert_causal, answer(part()), None),
        (assert_causal, answer(part(1, (4,)), part()),
         "m.onnx is not causal (tokens counted from 1)\n"
         f"  token 2 sees token 5: its output {MOVES}"),
        (assert_causal, answer(LARGE, part(1, (4,))),
         "m.onnx is not causal (tokens counted from 1)\n  token 2 sees how many tokens follow: its "
         f"output {MOVES} between 5 tokens and 4"),
        (assert_causal, answer(part(), LARGE),
         "m.onnx was not seen to be causal (tokens counted from 1)\n  because it is large"),
        (assert_causal, answer(part(), answer="new"),
         "m.onnx was not seen to be causal (tokens counted from 1)\n  a sentence"),
        (assert_causal, answer(part(), axis=0), "axis x:1: nothing was decided about it"),
        (assert_batch_independent, answer(part(0, (2, 3))),
         "m.onnx is not independent of the batch (requests counted from 1)\n"
         f"  request 1 sees requests 3, 4: its output {MOVES}"),
        (assert_padding_ignored, answer(part(None, (3,))),
         "m.onnx does not ignore padding (tokens counted from 1)\n"
         f"  the output sees token 4, which the mask hides: it {MOVES}"),
    ],
)  # fmt: skip
def test_what_a_file_sees_is_what_was_found(
    monkeypatch: pytest.MonkeyPatch, assertion: Any, found: Any, said: str | None
) -> None:
    """A dependence would pass, or what nobody could tell; or another question be asked."""
    calls: list[Any] = []

    def seen(*given: Any, **asked: Any) -> Any:
        calls.append((given, asked))
        return SimpleNamespace(results=[found])

    monkeypatch.setattr(pytest_judgements, "seer", lambda: seen)
    padding: Any = {"mask": "m:1", "masked": -1e9} if assertion is assert_padding_ignored else {}
    options = {"axis": "x:1", "along": ["z:1"], "n": 6, "timeout": 9, "output_axis": 2, **padding}
    if padding:
        options["output_axis"] = ()  # which says that the output has no axis of tokens
    if said is None:
        assert assertion(Path("m.onnx"), **options) is found
    else:
        assert message(assertion, "m.onnx", **options) == said
    ((given, asked),) = calls
    asks = {assert_causal: "causal", assert_batch_independent: "isolated"}
    assert given == ("m.onnx", asks.get(assertion, "padding"))
    expected = {"mask": None, "masked": 0.0, "output": None, **options, "along": ("z:1",)}
    assert asked == {**expected, "output_axis": "none" if padding else 2}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"axis": 1}, "given axis=1 for an ONNX file, expected 'INPUT:K'"),
        ({"mask": (1, 1)}, "given mask=(1, 1) for an ONNX file, expected 'INPUT:K'"),
        ({"masked": None}, "given masked=None, expected a number"),
    ],
)
def test_what_a_file_cannot_be_asked_is_refused(options: Any, said: str) -> None:
    """A mistake would be answered by a failure that seems to be of the model."""
    with pytest.raises(ValueError, match=re.escape(said)):
        assert_padding_ignored("m.onnx", **{"axis": "x:1", "mask": "m:1", **options})


def test_without_the_extra_a_file_is_not_seen_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model would pass where nothing can be looked for."""
    monkeypatch.setattr(pytest_judgements, "WHO_SEES", "orderproof.no_such_module")
    said = message(assert_causal, "m.onnx", axis="x:1")
    assert said.startswith("an ONNX file needs the extra orderproof[onnx] (No module named")


def test_a_module_is_measured_in_training_mode(torch: Any) -> None:
    """Batch norm that was left in training mode would be refused, or pass; or a gradient be kept
    of each call."""
    modes: list[bool] = []

    class NoGrad:
        def __enter__(self) -> None:
            modes.append(True)

        def __exit__(self, *error: object) -> None:
            modes.append(False)

    class Norm(torch.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            assert modes == [True]
            return x - x.mean(0) * self.training

    sys.modules["torch"].no_grad = NoGrad  # type: ignore[attr-defined]
    model = Norm()
    assert assert_batch_independent(model, X).ok
    assert modes.pop(0) and not modes.pop()
    model.training = True
    said = message(assert_batch_independent, model, X)
    assert said.startswith("Norm is not independent of the batch (requests counted from 1)")


MODELS = ROOT / "tests/models"


@pytest.mark.parametrize(
    ("name", "assertion", "options"),
    [
        ("encoder_hand_pre", assert_permutation_equivariant, {"axis": "x:1"}),
        ("detr", assert_permutation_invariant, {"axis": "x:1"}),
        ("gram", assert_permutation_equivariant, {"axis": "x:0", "output_axis": (0, 1)}),
        ("graph_attention", assert_permutation_equivariant,
         {"axis": ("x:0", "adjacency:0", "adjacency:1")}),
    ],
)  # fmt: skip
def test_a_model_of_the_bank_is_proved(name: str, assertion: Any, options: Any) -> None:
    """The plugin and `decide` would not fit: no file could be proved."""
    for package in ("onnx", "onnxruntime", "flint"):
        pytest.importorskip(package)
    assert assertion(MODELS / f"{name}.onnx", **options).scope == "all n"


@pytest.mark.parametrize(
    ("name", "assertion", "said"),
    [
        ("positions_learned", assert_permutation_equivariant,
         r": not equivariant, where equivariant is asserted\n  order enters at .* \(at .*\)\n"
         r"  counterexample: the model positions_learned.onnx, where sigma = \[2, 1\]"
         r"(.|\n)*\n  x: float64 \(.*2, 4\) ="),
        ("gru", assert_permutation_equivariant, "order enters at .*GRU"),
        ("pool_first", assert_permutation_invariant, "where invariant is asserted"),
        ("encoder_hand_pre", assert_permutation_invariant, ": equivariant, where invariant is"),
    ],
)  # fmt: skip
def test_a_model_of_the_bank_is_refuted(name: str, assertion: Any, said: str) -> None:
    """A file that sees the order would pass, or its failure not say where the order enters."""
    for package in ("onnx", "onnxruntime", "flint"):
        pytest.importorskip(package)
    heard = message(assertion, str(MODELS / f"{name}.onnx"), axis="x:1")
    assert re.search(said, heard), heard


@pytest.mark.parametrize(
    ("name", "assertion", "options", "said"),
    [
        ("conv_3_causal", assert_causal, {"axis": "x:1"}, None),
        (
            "conv_3_same",
            assert_causal,
            {"axis": "x:1"},
            r"is not causal .*\n  token 1 sees token 2: ",
        ),
        (
            "batch_statistics",
            assert_batch_independent,
            {"axis": "x:0"},
            r"\n  request \d sees reque",
        ),
        ("mask_padding_hand", assert_padding_ignored, {"axis": "x:1", "mask": "padding:1"}, None),
    ],
)
def test_a_model_of_the_bank_is_seen_through(
    name: str, assertion: Any, options: Any, said: str | None
) -> None:
    """The plugin and `who_sees` would not fit: no file could be asked about."""
    for package in ("onnx", "onnxruntime", "flint"):
        pytest.importorskip(package)
    path = MODELS / f"{name}.onnx"
    if said is None:
        assert assertion(path, **options).answer == "unseen"
    else:
        assert re.search(said, message(assertion, path, **options))


def test_a_file_that_is_none_is_refused() -> None:
    """A wrong path would be a failure of the model."""
    pytest.importorskip("onnx")
    with pytest.raises(ValueError, match=r"no_such\.onnx: given no such file"):
        assert_permutation_invariant("no_such.onnx", axis="x:1")
