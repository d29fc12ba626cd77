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
    assert_batch_independent,
    assert_causal,
    assert_padding_ignored,
    assert_permutation_equivariant,
    assert_permutation_invariant,
)

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/in_your_tests.md").read_text(encoding="utf-8")
PLUGIN = ("-p", "no:orderproof", "-p", "orderproof.pytest_plugin", "-p", "no:cacheprovider")
HEAVY = ("click", "cvc5", "flint", "jax", "mpmath", "onnx", "rich", "sympy", "torch", "z3")
NEEDED = ("numpy", "orderproof.pytest_judgements")  # by the first assertion
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


def sometimes(x: Any) -> Any:
    """What is NaN for some orders."""
    return np.where(x[0, 0] < x[1, 0], np.nan, x)


def averages(mask: Any, x: Any) -> Any:
    """Sums of the tokens that a mask lets through, in a batch of one."""
    return (mask @ x)[None]


MASK = np.tril(np.ones((5, 5), int))
MADE = np.random.default_rng(0)
TOGETHER = [(1, -2), (0, 0), (0, 1)]


@pytest.mark.parametrize(
    ("assertion", "model", "x", "options", "said"),
    [
        (assert_permutation_equivariant, causal_mean, X, {"seed": 7},
         r"^causal_mean is not permutation equivariant \(tokens and entries counted from 1\)\n"
         r"  σ = \[(\d, ){4}\d\] = (\(\d( \d)+\))+, where \(P x\)_i = x_σ\(i\)\n"
         r"  entry \[\d, \d\]: model\(P x\) has \S+, P model\(x\) has \S+\n"
         r"  error \S+, bound \S+e-0\d: an estimate, .*\n"
         r"  \d+ permutations tried, seed 7\n"
         r"  so it is at this smaller input, of 2 tokens:\n"
         r"    x: float32 \(2, 4\) =\n.*\n.*\n"
         r"    σ = \[2, 1\] = \(1 2\), where \(P x\)_i = x_σ\(i\)\n"),
        (assert_permutation_invariant, lambda x: x[0], X, {},
         r"<lambda> is not permutation invariant (.|\n)*, model\(x\) has "),
        (assert_permutation_invariant, lambda x: x, X, {}, "is not permutation invariant"),
        (assert_permutation_invariant, lambda x: x.sum() * np.nan, X, {},
         "the output for x itself is not finite: the value is nan"),
        (assert_permutation_equivariant, sometimes, X[np.argsort(-X[:, 0])], {},
         r"model\(P x\) has nan(.|\n)*of 2 tokens(.|\n)*"
         r"\n *an output that is not finite is no agreement$"),
        (assert_permutation_invariant, lambda x: x.sum(0) * MADE.random(4), X, {"factor": 100},
         r"was not seen to be permutation invariant((?!smaller input)(.|\n))*is there dropout"
         r"((?!smaller input)(.|\n))*$"),
        (assert_permutation_equivariant, averages, (MASK, X), {"axis": TOGETHER[:1]},
         r"\n    x1: int64 \((2, 2|5, 5)\) =(.|\n)*\n    x2: float32 \("),
    ],
    ids=["equivariant", "invariant", "equivariant alone", "NaN", "NaN for some", "dropout", "two"],
)  # fmt: skip
def test_a_failure_says_what_is_wrong(
    assertion: Any, model: Any, x: Any, options: Any, said: str
) -> None:
    """A person would learn that something failed, and not what; one assertion would stand for the
    other; or NaN pass, or dropout, whose chance is larger than what the model sees of the order."""
    heard = message(assertion, model, x, **{"axis": 0, **options})
    assert re.search(said, heard), heard


def test_the_output_axis_is_that_of_the_first_input_that_is_named() -> None:
    """The axis of another argument than the first would be taken for the output's."""
    for more in ({}, {"output_axis": 1}):
        assert assert_permutation_equivariant(averages, (MASK, X), axis=TOGETHER, **more).ok
    with pytest.raises(ValueError, match="given output_axis 0 and an output of shape"):
        assert_permutation_equivariant(lambda x: x.sum(0), X, axis=0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        *(({name: given}, "given along, n, scope or conditions for a function, expected them for ")
          for name, given in (("n", 3), ("along", ["mask:1"]), ("scope", "n <= 4"),
                              ("conditions", ["a"]))),
        ({"permutation": 3}, "given permutation, expected some of seed"),
        ({"fallback": "pass"}, "given fallback='pass', expected 'measure' or none"),
        ({"model": X}, "given a model of ndarray, expected a function"),
        ({"x": None}, "given no x"),
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
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_in_one_line(given: Any, said: str) -> None:
    """An option of proofs, or a misspelt one, would be passed over in silence, or an error of NumPy
    or of Python be shown, far from the mistake."""
    options = {"model": np.abs, "x": X, "axis": 0, **given}
    with pytest.raises((TypeError, ValueError)) as caught:
        assert_permutation_equivariant(options.pop("model"), options.pop("x"), **options)
    assert str(caught.value).startswith(said) and "\n" not in str(caught.value)


def test_numbers_of_numpy_are_options() -> None:
    """A factor or a seed that was computed would be refused."""
    numbers = {"factor": np.float32(8), "seed": np.int64(3), "unit": None}
    assert assert_permutation_equivariant(np.abs, X, axis=0, **numbers).ok


# What must not be seen

BATCH = np.random.default_rng(1).normal(size=(3, 5, 4)).astype(np.float32)
PADDED = (BATCH, np.repeat([[1, 1, 1, 0, 0]], 3, 0))
CAUSAL, PADDING = {"axis": 0}, {"axis": [(0, 1)], "mask": (1, 1)}


def two(x: Any) -> Any:
    """Row 2 has something of the last."""
    return x + x[-1:] * (np.arange(len(x)) == 1)[:, None].astype(x.dtype)


@pytest.mark.parametrize(
    ("assertion", "model", "x", "options", "said"),
    [
        (assert_causal, two, X, CAUSAL,
         "two is not causal (tokens counted from 1)\n  token 2 sees token 5: its output moves by ~ "
         "(rounding: ~)"),
        (assert_causal, lambda x: x + len(x), X, CAUSAL,
         "<lambda> is not causal (tokens counted from 1)\n  token ~ sees how many tokens follow: "
         "its output moves by 4 (rounding: ~) between 5 tokens and 1"),
        (assert_causal, lambda x: x * np.nan, X, CAUSAL,
         "<lambda> is not causal (tokens counted from 1)\n"
         "  the output for x itself is not finite: entry [1, 1] is nan"),
        (assert_causal, lambda x: x * MADE.random(x.shape), X, CAUSAL,
         "<lambda> was not seen to be causal (tokens counted from 1)\n~: is there dropout ~"),
        (assert_batch_independent, two, BATCH[:, 0], {},
         "two is not independent of the batch (requests counted from 1)\n"
         "  request 2 sees request 3: its output moves by ~ (rounding: ~)"),
        (assert_padding_ignored, lambda x, m: x * m.shape[1], PADDED, PADDING,
         "<lambda> does not ignore padding (tokens counted from 1)\n  token ~ sees how many masked "
         "tokens follow: its output moves by ~ (rounding: ~) between 5 tokens and 3"),
        (assert_padding_ignored, lambda x, m: x - x[:, 4:], PADDED, PADDING,
         "~  token ~ sees token 5, which the mask hides: its output moves by ~ (rounding: ~)"),
        (assert_padding_ignored, lambda x, m: x[:, 4], PADDED, PADDING,
         "~  the output sees token 5, which the mask hides: it moves by ~ (rounding: ~)"),
    ],
)  # fmt: skip
def test_a_failure_says_who_sees_whom(
    assertion: Any, model: Any, x: Any, options: Any, said: str
) -> None:
    """One assertion would stand for another, tokens be counted from 0, or chance pass."""
    heard = message(assertion, model, x, **options)
    assert re.fullmatch(re.escape(said).replace("\\~", r"(.|\n)+"), heard), heard


@pytest.mark.parametrize(
    ("assertion", "x", "options", "said"),
    [
        (assert_causal, X, {"axis": 2}, "given axis 2 and an input of shape (5, 4), expected an "),
        (assert_causal, X, {"axis": 0, "permutations": 3}, "given permutations, expected some of "
         "output_axis=, output=, along=, n=, seed=, factor=, unit=, timeout="),
        (assert_causal, X, {"axis": 0, "seed": -1}, "given seed=-1, expected a whole number of at"),
        (assert_causal, X, {"axis": 0, "n": 4}, "given along, n, scope or conditions for a func"),
        (assert_causal, None, {"axis": 0}, "given no x, expected an input"),
        (assert_causal, X, {"axis": 0, "output_axis": 1}, "given output_axis 1 and an output of "),
        (assert_batch_independent, X[:1], {}, "given 1 tokens on the named axes, expected one"),
        *((assert_padding_ignored, (X, mask), {"axis": [(0, 0)], "mask": (1, 0), **more}, said)
          for mask, more, said in (
            (np.ones(5), {}, "given a mask that hides no tokens, expected 0 at some, and at some "),
            (np.ones(5), {"masked": 1}, "given a mask that hides all tokens, expected 1 at some, "),
            (np.ones(4), {}, "given 5 and 4 tokens on the named axes"),
            (np.eye(5), {}, "given a mask for 5 sequences and an array of shape (5, 4), expected "),
            (np.arange(5), {"masked": "0"}, "given masked='0', expected a number"),
            (np.arange(5), {"mask": 1}, "given mask=[1], expected pairs (argument, axis)"),
            (np.arange(5), {"axis": [(1, 0)]}, "given axis=[(1, 0)] of the mask alone, expected"),
            (np.arange(5), {"mask": (2, 0)}, "given axis (2, 0), expected an array among 2 argu"))),
    ],
)  # fmt: skip
def test_what_cannot_be_seen_is_refused_in_one_line(
    assertion: Any, x: Any, options: Any, said: str
) -> None:
    """A mistake would pass, as of a mask the wrong way round, or be taken for one of the model."""
    with pytest.raises((TypeError, ValueError)) as caught:
        assertion(lambda *x: x[0], x, **options)
    assert str(caught.value).startswith(said) and "\n" not in str(caught.value)


# In pytest


def test_a_run_that_asserts_nothing_loads_nothing(tmp_path: Path) -> None:
    """Every run would wait for NumPy, those that assert for other libraries, or hooks of the plugin
    print in it."""
    text = (
        "import sys\n"
        "def test_none(): pass\n"
        f"def test_loaded(): assert not {{*{HEAVY + NEEDED}}} & set(sys.modules)\n"
        "def test_assertion(assert_permutation_invariant):\n"
        "    import numpy\n"
        "    assert_permutation_invariant(lambda x: x.sum(0), numpy.eye(3), axis=0)\n"
        f"    assert {{*{NEEDED}}} <= set(sys.modules)\n"
        f"    assert not {{*{HEAVY}}} & set(sys.modules)\n"
    )
    status, said = run(tmp_path, text, "-p", "no:hypothesispytest", "-p", "no:xdist")
    assert status == 0, said
    assert "orderproof" not in said.replace(str(ROOT), "")


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

    def test_class(self, assert_permutation_equivariant, assert_causal):
        assert assert_permutation_equivariant(lambda x: x, X, axis=0).tried == 5
        assert assert_causal(lambda x: x, X, axis=0).seed == 5

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


def test_the_marker_is_described(pytestconfig: pytest.Config) -> None:
    """`pytest --markers` would not know it, and --strict-markers refuse it."""
    assert pytest_plugin.DESCRIPTION in pytestconfig.getini("markers")


def test_the_entry_point_names_the_plugin() -> None:
    """Installed, pytest would not find it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"orderproof": pytest_plugin.__name__}


def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    """The first tests that a user copies would fail, or another message be shown."""
    codes = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    excerpts = re.findall(r"```text\n(E .*?)```", PAGE, re.DOTALL)
    for code, excerpt, failing in zip(codes, excerpts, ("causal_mean", "shifted"), strict=True):
        status, said = run(tmp_path, code)
        assert status == 1
        assert "3 passed" in said and f"FAILED test_given.py::test_{failing}" in said
        assert "pytest_plugin.py:" not in said  # the traceback ends at the user's own line
        lines = [line.rstrip() for line in said.splitlines()]
        for line in excerpt.splitlines():
            if line.strip() != "…":
                assert line in lines
                lines = lines[lines.index(line) + 1 :]
    options = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)))
    assert options == [*pytest_plugin.MEASURED, *pytest_plugin.PROVED]
