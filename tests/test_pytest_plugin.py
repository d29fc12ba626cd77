"""The pytest plugin: its assertions fail where a model sees the order, and where nobody knows."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from orderproof import pytest_judgements, pytest_plugin
from orderproof.numeric.permuted.measure import Deviation
from orderproof.pytest_plugin import (
    assert_permutation_equivariant,
    assert_permutation_invariant,
)

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/in_your_tests.md").read_text(encoding="utf-8")
PLUGIN = ("-p", "no:orderproof", "-p", "orderproof.pytest_plugin", "-p", "no:cacheprovider")
HEAVY = ("cvc5", "jax", "mpmath", "numpy", "onnx", "rich", "sympy", "torch", "z3")
X = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)


def run(folder: Path, text: str, *options: str) -> tuple[int, str]:
    """pytest in a process of its own, on a file with this text, with the plugin: exit status and
    output."""
    (folder / "test_given.py").write_text(text, encoding="utf-8")
    command = (sys.executable, "-m", "pytest", "-W", "error", "--strict-markers", *PLUGIN, *options)
    path = {"PYTHONPATH": str(ROOT), "PATH": "", "COLUMNS": "120"}
    done = subprocess.run(command, cwd=folder, env=path, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def message(assertion: Callable[..., Any], *args: Any, **options: Any) -> str:
    """What an assertion says that must fail."""
    with pytest.raises(AssertionError) as caught:
        assertion(*args, **options)
    return str(caught.value)


def causal_mean(x: Any) -> Any:
    """The mean of each token and those before it."""
    return np.cumsum(x, 0) / np.arange(1, len(x) + 1, dtype=x.dtype)[:, None]


# Measured


def test_what_holds_passes_and_says_what_was_measured() -> None:
    """A correct model would fail, or nobody would know how near it came."""
    found = assert_permutation_equivariant(lambda x: x - x.mean(0), X, axis=0)
    assert isinstance(found, Deviation) and 0 < found.error < found.bound
    assert assert_permutation_invariant(lambda x: x.sum(0), X, axis=0).ok


def test_the_failure_names_permutation_entry_error_bound_and_a_small_input() -> None:
    """A person would learn that something failed, and not what."""
    said = message(assert_permutation_equivariant, causal_mean, X, axis=0, seed=7).splitlines()
    assert said[0] == (
        "causal_mean is not permutation equivariant (tokens and entries counted from 1)"
    )
    whole, small = said[1:5], said[8:]
    assert re.fullmatch(
        r"  σ = \[(\d, ){4}\d\] = (\(\d( \d)+\))+, where \(P x\)_i = x_σ\(i\)", said[1]
    )
    assert re.fullmatch(r"  entry \[\d, \d\]: model\(P x\) has \S+, P model\(x\) has \S+", said[2])
    assert re.fullmatch(r"  error \S+, bound \S+e-0\d: an estimate, .*", said[3])
    assert re.fullmatch(r"  \d+ permutations tried, seed 7", said[4])
    assert len(whole) == 4
    assert said[5] == "  so it is at this smaller input, of 2 tokens:"
    assert said[6] == "    x: float32 (2, 4) ="
    assert sorted(re.findall(r"\d", " ".join(said[7:9]))) == ["0"] * 7 + ["1"]
    assert small[1].strip() == "σ = [2, 1] = (1 2), where (P x)_i = x_σ(i)"


def test_invariance_is_another_question_than_equivariance() -> None:
    """One assertion would stand for the other."""
    first = message(assert_permutation_invariant, lambda x: x[0], X, axis=0)
    assert first.startswith("<lambda> is not permutation invariant")
    assert ", model(x) has " in first
    message(assert_permutation_invariant, lambda x: x, X, axis=0)
    with pytest.raises(ValueError, match="given output_axis 0 and an output of shape"):
        assert_permutation_equivariant(lambda x: x.sum(0), X, axis=0)


def test_what_is_not_finite_fails() -> None:
    """NaN would pass, as no comparison with it is true."""
    said = message(assert_permutation_invariant, lambda x: x.sum() * np.nan, X, axis=0)
    assert "the output for x itself is not finite: the value is nan" in said

    def sometimes(x: Any) -> Any:
        return np.where(x[0, 0] < x[1, 0], np.nan, x)

    y = X[np.argsort(-X[:, 0])]
    said = message(assert_permutation_equivariant, sometimes, y, axis=0)
    assert "model(P x) has nan" in said
    assert said.endswith("an output that is not finite is no agreement")
    assert "of 2 tokens" in said


def test_what_could_not_be_seen_fails() -> None:
    """A model with dropout would pass: whatever it sees of the order is within chance."""
    made = np.random.default_rng(0)
    said = message(
        assert_permutation_invariant, lambda x: x.sum(0) * made.random(4), X, axis=0, factor=100
    )
    assert "was not seen to be permutation invariant" in said
    assert "is there dropout" in said
    assert "smaller input" not in said


def test_tuples_move_together_and_the_output_axis_follows() -> None:
    """The axis of another argument than the first would be taken for the output's."""
    mask = np.tril(np.ones((5, 5), int))

    def model(mask: Any, x: Any) -> Any:
        return (mask @ x)[None]

    axis = [(1, -2), (0, 0), (0, 1)]
    assert assert_permutation_equivariant(model, (mask, X), axis=axis).ok
    assert assert_permutation_equivariant(model, (mask, X), axis=axis, output_axis=1).ok
    said = message(assert_permutation_equivariant, model, (mask, X), axis=axis[:1])
    assert "    x1: int64 (2, 2) =" in said or "    x1: int64 (5, 5) =" in said
    assert "    x2: float32 (" in said


def test_options_that_mean_nothing_are_refused() -> None:
    """A misspelt option, or one of proofs, would be passed over in silence."""
    with pytest.raises(TypeError, match="given permutation, expected some of seed"):
        assert_permutation_equivariant(np.abs, X, axis=0, permutation=3)
    for given in ({"n": 3}, {"along": ["mask:1"]}, {"scope": "n <= 4"}, {"conditions": ["a"]}):
        with pytest.raises(ValueError, match="expected them for proofs alone"):
            assert_permutation_equivariant(np.abs, X, axis=0, **given)
    with pytest.raises(ValueError, match="expected 'measure' or none"):
        assert_permutation_equivariant(np.abs, X, axis=0, fallback="pass")
    with pytest.raises(ValueError, match="given a model of ndarray, expected a function"):
        assert_permutation_equivariant(X, X, axis=0)
    with pytest.raises(ValueError, match="given no x"):
        assert_permutation_equivariant(np.abs, axis=0)


# Proved, by a `decide` put in place of the real one


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
    decide(result("invariant", output_axis=None))
    assert assert_permutation_invariant(Path("m.onnx"), axis="tokens:1").answer == "invariant"
    decide(result(scope="n <= 64"), result(axis=2))
    assert assert_permutation_equivariant("m.onnx", axis="tokens:1", scope="n <= 64")
    decide(result(scope="n = 8"))
    assert assert_permutation_equivariant("m.onnx", axis="tokens:1", n=8)
    decide(result(output_axis=2))
    assert assert_permutation_equivariant("m.onnx", axis="tokens:1", output_axis=2)
    decide(result(conditions=["n = m"], output_axis=(1, 2)))
    assert assert_permutation_equivariant(
        "m.onnx", axis="tokens:1", output_axis=(1, 2), conditions=["n = m"]
    )
    decide(result("invariant"))
    assert assert_permutation_invariant("m.onnx", axis="tokens:-2")


STUCK = SimpleNamespace(tensor="position.weight", node="/embed/Add")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (result("not equivariant", stuck=[STUCK], witness="w.json"),
         "axis tokens:1, output out: not equivariant, and not equivariant\n  order enters at "
         "position.weight (at /embed/Add)\n  `orderproof replay w.json` rechecks a counterexample"),
        (result("subgroup", group=SimpleNamespace(order=2, name="C2")),
         "output out: subgroup, and not equivariant\n  under 2 permutations alone: C2"),
        (result("not equivariant", witness=SimpleNamespace(says=lambda count: f"token {count(0)}")),
         "counterexample (tokens and entries counted from 1): token 1"),
        (result("invariant"), "axis tokens:1, output out: invariant, and not equivariant"),
        (result("unknown", stuck=[STUCK]),
         "axis tokens:1, output out: unknown\n  order enters at position.weight (at /embed/Add)\n"
         "  fallback='measure' would settle for a measurement"),
        (result("unsupported", reason="LSTM"), "unsupported\n  because LSTM\n  fallback="),
        (result("something new"), "axis tokens:1, output out: something new, and not equivariant"),
        (result(output_axis=0), "equivariant along axis 0, and not along axis 1"),
        (result(conditions=["mask:1 moves along"]), "equivariant only if mask:1 moves along; "
         "conditions=['mask:1 moves along'] asserts no more"),
        (result(scope="n <= 64"), "equivariant for n <= 64 alone; scope='n <= 64' asserts no more"),
        (result(axis=0), "axis tokens:1: nothing was decided about it\n  fallback="),
    ],
)  # fmt: skip
def test_what_is_not_proved_fails(decide: Any, found: Any, said: str) -> None:
    """What nobody proved would pass, or nobody would learn why it is not proved."""
    decide(found)
    heard = message(assert_permutation_equivariant, "m.onnx", axis="tokens:1")
    assert said in heard


def test_one_axis_of_an_output_is_not_both(decide: Any) -> None:
    """Weights for pairs of tokens would pass as if their rows alone moved."""
    decide(result(output_axis=(1, 2)))
    said = message(assert_permutation_equivariant, "m.onnx", axis="tokens:1")
    assert said.endswith("equivariant along axis 1, 2, and not along axis 1")
    decide(result())
    message(assert_permutation_equivariant, "m.onnx", axis="tokens:1", output_axis=(1, 2))


def test_a_proof_of_another_size_does_not_pass(decide: Any) -> None:
    """A scope that was asserted would stand for a smaller one."""
    decide(result(scope="n <= 64"))
    message(assert_permutation_equivariant, "m.onnx", axis="tokens:1", scope="n <= 65")
    decide(result(scope="n = 8"))
    message(assert_permutation_equivariant, "m.onnx", axis="tokens:1", n=9)


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
            return causal_mean(x)

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


def test_a_file_is_run_where_it_is_to_be_measured(decide: Any, tmp_path: Path) -> None:
    """A file that cannot be decided could not be measured, or another axis of it would be."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    shape = ["b", "n", 3]
    info = onnx.helper.make_tensor_value_info
    nodes = [
        onnx.helper.make_node("CumSum", ["tokens", "k"], ["out"]),
        onnx.helper.make_node("Neg", ["tokens"], ["neg"]),
    ]
    graph = onnx.helper.make_graph(
        nodes,
        "g",
        [info("tokens", onnx.TensorProto.FLOAT, shape)],
        [info(name, onnx.TensorProto.FLOAT, shape) for name in ("out", "neg")],
        [onnx.helper.make_tensor("k", onnx.TensorProto.INT64, [], [1])],
    )
    opset = onnx.helper.make_opsetid("", 17)
    model = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=9)
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    decide(result("unknown"), result("unknown", axis=0))

    def judged(axis: str, output: str) -> Any:
        to = int(axis[-1])
        return assert_permutation_equivariant(
            path, X[:, :3][None] * np.array([1, 2], np.float32)[:, None, None],
            axis=axis, output=output, output_axis=to, fallback="measure",
        )  # fmt: skip

    decide(result("unknown", output="neg"), result("unknown", axis=0))
    assert judged("tokens:1", "neg").ok
    decide(result("unknown"), result("unknown", axis=0))
    assert judged("tokens:0", "out").ok
    with pytest.raises(AssertionError, match="model is not permutation equivariant"):
        judged("tokens:1", "out")
    decide(result("unknown", input="other", axis=1))
    with pytest.raises(ValueError, match="given axis 'other:1', expected one of tokens and :K"):
        judged("other:1", "out")


@pytest.mark.parametrize(
    ("name", "asserted", "options", "said"),
    [
        ("tests/models/doubles.onnx", "equivariant", {}, None),
    ],
)
def test_placeholder(name: str, asserted: str, options: Any, said: Any) -> None:
    """Placeholder."""


# In pytest


def test_loading_the_plugin_loads_nothing_else() -> None:
    """Every test run of every user would wait for NumPy and more."""
    script = (
        "import sys, pytest; before = set(sys.modules)\n"
        "import orderproof.pytest_plugin\n"
        "print(sorted({m.partition('.')[0] for m in set(sys.modules) - before}"
        " - sys.stdlib_module_names), 'orderproof.pytest_judgements' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "['orderproof'] False\n", done.stderr


def test_a_run_that_asserts_nothing_loads_nothing(tmp_path: Path) -> None:
    """Hooks of the plugin would load NumPy in every run, or print in it."""
    text = (
        "import sys\n"
        "def test_none(): pass\n"
        f"def test_loaded(): assert not set({HEAVY}) & set(sys.modules)\n"
        "def test_assertion(assert_permutation_invariant):\n"
        "    import numpy\n"
        "    assert_permutation_invariant(lambda x: x.sum(0), numpy.eye(3), axis=0)\n"
        "    assert 'numpy' in sys.modules\n"
    )
    status, said = run(tmp_path, text, "-p", "no:hypothesispytest", "-p", "no:xdist")
    assert status == 0, said
    assert "orderproof" not in said.replace(str(ROOT), "")
    status, said = run(tmp_path, "import numpy\n" + text, "-p", "no:hypothesispytest")
    assert status == 1 and "test_loaded" in said


MARKED = """
import numpy as np
import pytest
from orderproof.pytest_plugin import assert_permutation_invariant as invariant
X = np.random.default_rng(0).normal(size=(6, 3))
pytestmark = pytest.mark.orderproof(seed=5)

@pytest.mark.orderproof(permutations=3)
class TestClass:
    @pytest.mark.orderproof(permutations=1)
    def test_closest(self):
        found = invariant(lambda x: x.sum(0), X, axis=0)
        assert (found.seed, found.tried) == (5, 3)

    def test_class(self, assert_permutation_equivariant):
        assert assert_permutation_equivariant(lambda x: x, X, axis=0).tried == 5

    @pytest.mark.orderproof(seed=6)
    def test_given(self):
        found = invariant(lambda x: x.sum(0), X, axis=0, seed=7, permutations=0)
        assert (found.seed, found.tried) == (7, 2)

def test_module():
    found = invariant(lambda x: x.sum(0), X, axis=0)
    assert (found.seed, found.tried) == (5, 10)

@pytest.mark.orderproof(factor=0.0)
def test_no_room():
    invariant(lambda x: np.exp(9 * x.sum()), X, axis=0)
"""


def test_options_of_the_marker_are_defaults(tmp_path: Path) -> None:
    """Options would be ignored, or those of one test leak into the next."""
    status, said = run(tmp_path, MARKED)
    assert status == 1
    assert (
        "4 passed" in said and "1 failed" in said and "FAILED test_given.py::test_no_room" in said
    )
    assert pytest_plugin._defaults[-1] == {}


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        (((), {"sed": 1}), "a.py::test: given pytest.mark.orderproof with sed,"),
        (((3,), {}), "with 3, expected some of seed=, permutations=,"),
        (((), {"axis": 0}), "with axis, expected"),
    ],
)
def test_unknown_options_of_the_marker_are_named(mark: Any, said: str) -> None:
    """A misspelt option would be passed over in silence, in every run."""
    marks = [SimpleNamespace(args=mark[0], kwargs=mark[1])]
    item: Any = SimpleNamespace(nodeid="a.py::test", iter_markers=lambda name: marks)
    with pytest.raises(pytest.UsageError, match=re.escape(said)):
        pytest_plugin.pytest_collection_modifyitems([item])


def test_unknown_options_of_the_marker_are_a_usage_error(tmp_path: Path) -> None:
    """A mistake would be reported with a traceback of pytest, or for each test."""
    text = "import pytest\n@pytest.mark.orderproof(sed=1)\ndef test_a(): pass\n"
    status, said = run(tmp_path, text)
    assert status == 4
    assert "ERROR: test_given.py::test_a: given pytest.mark.orderproof with sed, " in said
    assert "Traceback" not in said


def test_the_marker_is_described(tmp_path: Path) -> None:
    """`pytest --markers` would not know it, and --strict-markers refuse it."""
    status, said = run(tmp_path, "", "--markers")
    assert status == 0
    assert f"@pytest.mark.{pytest_plugin.DESCRIPTION}" in said


def test_the_entry_point_names_the_plugin() -> None:
    """Installed, pytest would not find it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"orderproof": pytest_plugin.__name__}


def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    """The first tests that a user copies would fail, or another message be shown."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    excerpt = re.findall(r"```text\n(E .*?)```", PAGE, re.DOTALL)[0]
    status, said = run(tmp_path, code)
    assert status == 1
    assert "3 passed" in said and "FAILED test_given.py::test_causal_mean" in said
    assert "pytest_plugin.py:" not in said  # the traceback ends at the user's own line
    lines = [line.rstrip() for line in said.splitlines()]
    for line in excerpt.splitlines():
        if line.strip() != "…":
            assert line in lines
            lines = lines[lines.index(line) + 1 :]
    options = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)))
    assert options == [*pytest_plugin.MEASURED, *pytest_plugin.PROVED]
