"""The wheel in an empty environment outside the repository: the commands that a newcomer tries."""

from __future__ import annotations

import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from orderproof import __version__
from orderproof.source_tree import NOTE

from .environment import Installed, build, git

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
        ("book --help", "Build the book"),
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
    assert noted(again) == noted(installed.wheel) == noted(sdist)
    with (folder / "orderproof/cli.py").open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    done = installed.run(*command[:-2], "edited", str(folder), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (edited,) = (tmp_path / "edited").glob("*.whl")
    assert noted(edited) == f"modified since {noted(sdist)}"


def noted(file: Path) -> str:
    """The identifier of its source tree that a wheel or an sdist holds."""
    if file.suffix == ".whl":
        return zipfile.ZipFile(file).read(str(NOTE)).decode().splitlines()[0]
    with tarfile.open(file) as archive:
        held = archive.extractfile(f"{file.name.removesuffix('.tar.gz')}/{NOTE}")
        return held.read().decode().splitlines()[0] if held else ""


def test_wheel_and_sdist_name_their_source(
    dist: Path, installed: Installed, tmp_path: Path
) -> None:
    """A citation would locate nothing, or other files than those that were installed."""
    (sdist,) = dist.glob("*.tar.gz")
    swhid = f"swh:1:dir:{git(dist.parent, 'rev-parse', 'HEAD^{tree}')}"
    assert noted(sdist) == noted(installed.wheel) == swhid
    said = installed.run("orderproof", "--version", "--verbose", cwd=tmp_path).stdout
    assert said.splitlines()[1:] == [f"source tree: {swhid}"]
    cited = installed.run("orderproof", "cite", "sum_act", cwd=tmp_path).stdout
    assert f"swhid = {{{swhid}}}" in cited
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(dist.parent), "clone")
    with (clone / "README.md").open("a", encoding="utf-8") as file:
        file.write("changed\n")
    build(clone, "--sdist")
    (changed,) = (clone / "dist").glob("*.tar.gz")
    assert noted(changed) == f"modified since {swhid}"


def test_what_an_earlier_build_left_is_not_packaged(dist: Path) -> None:
    """`pip install .` in a clone leaves a folder, from which a file that is gone, or was changed
    there, would be packaged once more, under the identifier of a tree that does not have it."""
    tree = dist.parent
    left = tree / "build/lib/orderproof/gone.py"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.write_text("", encoding="utf-8")
    build(tree, "--wheel", "--outdir", str(tree / "again"))
    (wheel,) = (tree / "again").glob("*.whl")
    with zipfile.ZipFile(wheel) as again, zipfile.ZipFile(*dist.glob("*.whl")) as first:
        assert sorted(again.namelist()) == sorted(first.namelist())
        assert again.read(NOTE.as_posix()) == first.read(NOTE.as_posix())
