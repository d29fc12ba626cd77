"""`orderproof drift`: what it prints, its JSON and files, its exit status; and its page."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("onnx", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")
pytest.importorskip("flint", reason="the extra `onnx` is missing")

from orderproof.cli import cli
from orderproof.commands import drift_text
from orderproof.numeric.drift.decimals import down, outward, up

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "tests/models"
PAGE = (ROOT / "docs/drift.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```text\n\$ orderproof ([^\n]*)\n(.*?)```", PAGE, re.DOTALL)
SIGMA = ("--sigma", "2,1,3,5,4")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with two models, and what the page's Python writes."""
    monkeypatch.chdir(tmp_path)
    for name in ("encoder_post_norm.onnx", "positions_learned.onnx"):
        (tmp_path / name).write_bytes((MODELS / name).read_bytes())
    block = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert block
    exec(block[1], {})
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    """Exit status and output."""
    done = CliRunner().invoke(cli, ["drift", *arguments])
    return done.exit_code, done.output


def missing(excerpt: str, printed: str) -> list[str]:
    """The lines of an excerpt that are not printed, in this order; … stands for any lines."""
    rest, lost = printed.splitlines(), []
    for line in excerpt.splitlines():
        if line.strip() not in ("", "…"):
            if line in rest:
                rest = rest[rest.index(line) + 1 :]
            else:
                lost.append(line)
    return lost


@pytest.mark.parametrize(("line", "excerpt"), EXAMPLES)
def test_the_page_shows_what_is_printed(folder: Path, line: str, excerpt: str) -> None:
    """A person would be shown an output that the program no longer gives."""
    printed = CliRunner().invoke(cli, shlex.split(line)).output
    assert missing(excerpt, printed) == []
    assert missing(excerpt.replace("ROUNDING", "FLOATS"), printed)  # a line that is not printed


def test_the_page_is_one_screen() -> None:
    """It would not be read."""
    assert len(EXAMPLES) == 2 and len(PAGE.splitlines()) <= 65


def test_rounding_for_people(folder: Path) -> None:
    """Words would claim more than was computed, or count from 0, or not fit a terminal."""
    status, out = run("encoder_post_norm.onnx", "--input", "x.npy", *SIGMA)
    assert status == 0 and max(map(len, out.splitlines())) <= 80
    said = " ".join(out.split())
    assert "σ = [2, 1, 3, 5, 4] = (1 2)(4 5)" in said
    assert "the model is equivariant (proved, for all n)" in said
    assert re.search(r"differ by \S+ at most, in entry \[1, [1-5], [1-4]\]", said)
    given, other = re.findall(r"(\S+e-07) (?:in the order given|in the other)", said)
    total = re.search(r"so that rounding is all of it: (\S+) ≤ (\S+) \+ (\S+)", said)
    assert total and (total[2], total[3]) == (given, other)
    assert float(total[1]) <= float(given) + float(other)
    assert "measured in 8 orders" in said and "each rounded once" in said


def test_what_is_not_proved_is_not_called_so(folder: Path, monkeypatch: Any) -> None:
    """That true values agree at one input would be printed as a theorem."""
    from orderproof.numeric.drift import drift
    from orderproof.numeric.drift.proof import Proof

    monkeypatch.setattr(drift, "proof", lambda *_: Proof("unknown", "", None))
    status, out = run("encoder_post_norm.onnx", "--input", "x.npy", *SIGMA)
    said = " ".join(out.split())
    assert status == 0 and "proved" not in said and "equivariant" not in said
    assert "at this input the true values agree to within" in said and "measured in this" in said


def test_json_counts_from_0(folder: Path) -> None:
    """A program would read another answer than a person, or other indices."""
    status, out = run("encoder_post_norm.onnx", "--input", "x.npy", *SIGMA, "--json")
    found = json.loads(out)
    assert status == 0 and found["answer"] == "rounding" and found["sigma"] == [1, 0, 2, 4, 3]
    assert (found["input"], found["axis"], found["output"], found["output_axis"]) == (
        "x",
        1,
        "y",
        1,
    )
    assert (
        found["overlap"] is True and found["proved"] == "equivariant" and len(found["model"]) == 64
    )
    one, other = found["distances"]
    assert 0 < found["difference"] <= one["high"] + other["high"]
    assert all(0 < s["low"] < s["high"] for s in found["distances"])
    assert found["summation"]["orders"] == 8 and found["seconds"] > 0


def test_a_counterexample_is_written_and_replays(folder: Path) -> None:
    """The file of a true difference would not be there, or would not convince."""
    status, out = run("positions_learned.onnx", "--input", "x.npy", *SIGMA, "--out", "o")
    assert status == 1 and "NOT ROUNDING" in out and max(map(len, out.splitlines())) <= 80
    line = out.splitlines()[-1].split()
    done = CliRunner().invoke(cli, line[1:])
    assert done.exit_code == 0 and done.output.startswith("confirmed:")
    assert json.loads(Path("o/drift.json").read_text())["answer"] == "not rounding"
    Path("positions_learned.onnx").write_bytes((MODELS / "pool_mean.onnx").read_bytes())
    assert CliRunner().invoke(cli, line[1:]).exit_code != 0  # of another model it is none


def test_a_counterexample_that_does_not_replay_is_not_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person would be handed a file that is refused."""
    from orderproof.numeric.drift import drift

    true = drift.witness

    def moved(*args: Any) -> Any:
        found = true(*args)
        return type(found)(**{**vars(found), "moved": found.expected, "expected": found.moved})

    monkeypatch.setattr(drift, "witness", moved)
    status, out = run("positions_learned.onnx", "--input", "x.npy", *SIGMA, "--out", "o")
    assert status == 1 and "No counterexample file: moved" in out
    assert not Path("o", drift_text.COUNTEREXAMPLE).exists()


def test_a_counterexample_of_an_earlier_run_is_gone(folder: Path) -> None:
    """It would stand beside the answer "rounding" about another model."""
    run("positions_learned.onnx", "--input", "x.npy", *SIGMA, "--out", "o")
    assert Path("o", drift_text.COUNTEREXAMPLE).is_file()
    status, _ = run("encoder_post_norm.onnx", "--input", "x.npy", *SIGMA, "--out", "o")
    assert status == 0 and not Path("o", drift_text.COUNTEREXAMPLE).exists()
    Path("other").mkdir()
    Path("other", drift_text.COUNTEREXAMPLE).write_text("a person's own")
    run("encoder_post_norm.onnx", "--input", "x.npy", *SIGMA, "--out", "other")
    assert Path("other", drift_text.COUNTEREXAMPLE).is_file()  # no answer of drift was there


@pytest.mark.parametrize("number", [np.inf, -np.inf])
def test_nothing_is_proved_of_what_is_not_finite(folder: Path, number: float) -> None:
    """Infinite values would be called equal, by a theorem about real numbers."""
    x = np.load("x.npy")
    x.flat[0] = number
    np.save("bad.npy", x)
    status, out = run("encoder_post_norm.onnx", "--input", "bad.npy", *SIGMA)
    assert status == 3 and "CANNOT TELL" in out
    assert "true values" not in out and "proved" not in out


def test_bad_input_is_one_line(folder: Path) -> None:
    """A mistake would be a traceback, or an answer."""
    from orderproof.symbolic.onnx.graph import ModelError

    np.save("wide.npy", np.load("x.npy").astype(np.float64))
    for arguments in (
        ("encoder_post_norm.onnx", "--input", "wide.npy"),
        ("encoder_post_norm.onnx", "--input", "none.npy"),
        ("none.onnx", "--input", "x.npy"),
        ("x.npy", "--input", "x.npy"),
        ("encoder_post_norm.onnx", "--input", "x.npy", "--output", "z"),
        ("encoder_post_norm.onnx", "--input", "x.npy", "--output-axis", "2"),
    ):
        done = CliRunner().invoke(cli, ["drift", *arguments])
        assert isinstance(done.exception, ModelError), arguments  # `main` prints it: status 2
        assert "\n" not in str(done.exception)
    assert CliRunner().invoke(cli, ["drift", "encoder_post_norm.onnx"]).exit_code == 2


def test_ends_are_rounded_outward() -> None:
    """What is printed of an enclosure would not enclose."""
    from fractions import Fraction

    third, tiny = Fraction(1, 3), Fraction(1, 10**400)
    assert (down(third), up(third)) == ("0.333", "0.334")
    assert (down(Fraction(10)), up(Fraction(0)), down(tiny)) == ("10.0", "0", "1E-400")
    assert (down(Fraction(7, 3 * 10**7)), up(Fraction(7, 3 * 10**7))) == ("2.33e-07", "2.34e-07")
    for x in (third, -third, tiny, Fraction(1, 8)):
        low, high = outward(x, x)
        assert high is not None and Fraction(low) <= x <= Fraction(high)
    assert outward(third, None)[1] is None
    low, high = outward(Fraction(2**4000), Fraction(2**4000))  # beyond any float
    assert Fraction(low) < 2**4000 and high is None
