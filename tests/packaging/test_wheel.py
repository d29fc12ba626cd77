"""The wheel in an empty environment outside the repository: the commands that a newcomer tries."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from orderproof import __version__

from .environment import Installed

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]
IDS = ("sum_act", "self_attention_equivariant", "not_equivariant_of_learned_position")


def test_it_is_the_wheel_that_runs(installed: Installed, tmp_path: Path) -> None:
    """All tests of this file would run the repository's own files, or those of another version."""
    script = "import orderproof; print(orderproof.__version__, orderproof.__file__)"
    done = installed.run("python", "-c", script, cwd=tmp_path)
    version, _, file = done.stdout.strip().partition(" ")
    assert version == __version__ and Path(file).is_relative_to(installed.folder)
    absent = installed.run("python", "-c", "import matplotlib, math_core", cwd=tmp_path)
    assert "ModuleNotFoundError" in absent.stderr


def test_prove_and_recheck(installed: Installed, tmp_path: Path) -> None:
    """What the package needs would not come with it."""
    done = installed.run("orderproof", "prove", *IDS, "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    data = json.loads((tmp_path / "out/results.json").read_text(encoding="utf-8"))
    assert [t["verdict"] for t in data["theorems"]] == ["proved"] * 3
    done = installed.run("orderproof", "recheck", "out/certificates", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    (witness, *_) = (tmp_path / "out/witnesses").glob("*.json")
    done = installed.run("orderproof", "replay", str(witness), cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("show self_attention_equivariant", "P Z"),
        ("show self_attention_equivariant --latex", r"\label{thm:self_attention_equivariant}"),
        ("show --latex --macros", r"\newcommand{\opcut}"),
        ("cite sum_act", "@misc{orderproof:sum_act,"),
        ("digests sum_act", "\nsum_act "),
        ("search --scheme learned --n 2 --d 1", "witness: learned"),
        ("book --help", "Build the site"),
    ],
)
def test_what_is_printed(installed: Installed, tmp_path: Path, command: str, says: str) -> None:
    """A file that a command reads, a template or a table, would not be in the wheel."""
    done = installed.run("orderproof", *command.split(), cwd=tmp_path)
    assert done.returncode == 0 and says in done.stdout, done.stdout + done.stderr


def test_audit_of_one_theorem(installed: Installed, tmp_path: Path) -> None:
    """Nobody could put falsehoods before the marks without a clone."""
    done = installed.run("orderproof", "audit", "perm_transpose_mul", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_unknown_id_is_one_line(installed: Installed, tmp_path: Path) -> None:
    """A newcomer's misspelling would be a traceback, or pass."""
    for command in ("prove", "show", "cite", "digests", "audit"):
        done = installed.run("orderproof", command, "sum_akt", cwd=tmp_path)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
        assert "did you mean sum_act?" in done.stderr


def test_the_sdist_builds_the_same_wheel(dist: Path, installed: Installed, tmp_path: Path) -> None:
    """Who builds from the source distribution would get another package, or none."""
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    assert folder.name == f"orderproof-{__version__}"
    command = ("python", "-m", "pip", "wheel", "--no-deps", "--quiet", "-w", "again", str(sdist))
    done = installed.run(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (again,) = (tmp_path / "again").glob("*.whl")
    assert again.name == installed.wheel.name
    assert again.stat().st_size == pytest.approx(installed.wheel.stat().st_size, rel=0.01)
