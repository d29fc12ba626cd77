"""The pytest plugin: its assertions fail where a model sees the order, and where nobody knows."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from orderproof import pytest_plugin
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
    path["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    done = subprocess.run(
        command, cwd=folder, env=path, capture_output=True, text=True, timeout=300
    )
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
    numbers = [float(text) for text in re.findall(r"[-\d.e]+", " ".join(said[7:9]))]
    assert len(numbers) == 8 and all(np.isclose(X, x, rtol=1e-2).any() for x in numbers)
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


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"factor": "8"}, "given factor='8', expected a number of at least 0"),
        ({"factor": -1}, "given factor=-1, expected a number of at least 0"),
        ({"factor": float("nan")}, "given factor=nan, expected"),
        ({"factor": float("inf")}, "given factor=inf, expected"),
        ({"unit": "2**-8"}, "given unit='2**-8', expected a number of at least 0"),
        ({"timeout": "1"}, "given timeout='1', expected a number of at least 0"),
        ({"seed": -1}, "given seed=-1, expected a whole number of at least 0"),
        ({"seed": 1.5}, "given seed=1.5, expected a whole number"),
        ({"permutations": "3"}, "given permutations='3', expected a whole number"),
    ],
)
def test_an_option_that_is_no_such_number_is_refused_in_one_line(given: Any, said: str) -> None:
    """An error of NumPy or of Python would be shown, far from the mistake."""
    with pytest.raises(ValueError) as caught:
        assert_permutation_equivariant(np.abs, X, axis=0, **given)
    assert str(caught.value).startswith(said) and "\n" not in str(caught.value)


def test_numbers_of_numpy_are_options() -> None:
    """A factor or a seed that was computed would be refused."""
    numbers = {"factor": np.float32(8), "seed": np.int64(3), "unit": None}
    assert assert_permutation_equivariant(np.abs, X, axis=0, **numbers).ok


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


@pytest.mark.slow
def test_a_run_that_loads_numpy_is_seen(tmp_path: Path) -> None:
    """The test above would pass whatever is loaded."""
    text = f"import numpy, sys\ndef test_loaded(): assert not set({HEAVY}) & set(sys.modules)\n"
    status, said = run(tmp_path, text, "-p", "no:hypothesispytest")
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


@pytest.mark.slow
def test_unknown_options_of_the_marker_are_a_usage_error(tmp_path: Path) -> None:
    """A mistake would be reported with a traceback of pytest, or for each test."""
    text = "import pytest\n@pytest.mark.orderproof(sed=1)\ndef test_a(): pass\n"
    status, said = run(tmp_path, text)
    assert status == 4
    assert "ERROR: test_given.py::test_a: given pytest.mark.orderproof with sed, " in said
    assert "Traceback" not in said


def test_the_marker_is_described(pytestconfig: pytest.Config) -> None:
    """`pytest --markers` would not know it, and --strict-markers refuse it."""
    assert pytest_plugin.DESCRIPTION in pytestconfig.getini("markers")


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
