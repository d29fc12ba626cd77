"""The shell of the project: what is shipped, what may import what, and what the commands run."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

import orderproof
from tests.packaging.environment import checked

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("orderproof", "symbolic", "numeric", "proofs")
CFF = "citation-file-format"
NO_ASSERT = ("ruff", "check", "--no-cache", "--ignore-noqa", "--select", "S101", *PACKAGES)


def run(*command: str, cwd: Path = ROOT) -> tuple[int, str]:
    """Return exit status and output; the caller's own pytest and make settings do not leak in."""
    outside = ("PYTEST", "PYTHON", "MAKE", "MFLAGS")
    env = {name: value for name, value in os.environ.items() if not name.startswith(outside)}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def run_module(*arguments: str, cwd: Path = ROOT) -> tuple[int, str]:
    """Run `python -m` with the interpreter that runs the tests."""
    return run(sys.executable, "-m", *arguments, cwd=cwd)


def lint_imports(cwd: Path) -> tuple[int, str]:
    """Run the import linter on the tree in `cwd`."""
    linter = Path(sys.executable).with_name("lint-imports")
    return run(str(linter), "--no-cache", "--no-logo", cwd=cwd)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Copy the project, with its links as links, to a place where faults may be planted."""
    for name in PACKAGES:
        shutil.copytree(
            ROOT / name,
            tmp_path / name,
            symlinks=True,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    (tmp_path / "tests").mkdir()
    shared = (ROOT / f"tests/{name}.py" for name in ("conftest", "programs", "share"))
    own = (p for p in ROOT.iterdir() if p.is_file() and p.name != ".git")  # that of a worktree
    for path in (*shared, *own):
        shutil.copy(path, tmp_path / path.relative_to(ROOT))
    return tmp_path


def plant(path: Path, line: str) -> None:
    """Append a line to a file of the copy."""
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")


def test_citation_is_valid_and_current() -> None:
    """If this fails, citation tools reject the file, or it cites another version."""
    status, output = checked(CFF, ROOT / "CITATION.cff")
    assert status == 0, output
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f"version: {orderproof.__version__}" in lines


def test_invalid_citation_is_rejected(tmp_path: Path) -> None:
    """If this fails, the check of the citation file passes a file without authors."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    planted = tmp_path / "CITATION.cff"
    planted.write_text(text.replace("\nauthors:", "\ncontact:"), encoding="utf-8")
    status, output = checked(CFF, planted)
    assert status == 1
    assert "'authors' is a required property" in output


@pytest.mark.slow
@pytest.mark.parametrize(("name", "expected"), [("numeric", 0), ("symbolic", 1)])
def test_module_loaded_twice_is_reported(tree: Path, name: str, expected: int) -> None:
    """If this fails, terms interned under two module names could meet in one run unnoticed."""
    twice = f"def test_planted():\n    import symbolic\n    import orderproof.{name}\n"
    (tree / "tests/test_planted.py").write_text(twice, encoding="utf-8")
    status, output = run_module("pytest", "tests/test_planted.py", cwd=tree)
    assert status == expected, output
    assert ("['orderproof.symbolic', 'symbolic']" in output) == bool(expected), output


@pytest.mark.slow  # every run fails in which a module has a second name
def test_doctest_runs_once_under_its_full_name(tree: Path) -> None:
    """If this fails, doctests import the project's modules under a second name, or run twice."""
    for path in (p for name in PACKAGES for p in (tree / name).iterdir() if not p.is_symlink()):
        if path.is_dir():  # to import what is there takes longer than all else here
            shutil.rmtree(path)
        elif path.name not in ("__init__.py", "pytest_plugin.py"):
            path.unlink()
    plant(tree / "symbolic/planted.py", '""">>> __name__\n\'orderproof.symbolic.planted\'\n"""')
    status, output = run_module("pytest", "-k", "planted", cwd=tree)
    assert status == 0, output
    assert " 1 passed" in output


@pytest.mark.parametrize("workers", ["0", pytest.param("1", marks=pytest.mark.slow)])
def test_false_assertion_fails_under_optimisation(tree: Path, workers: str) -> None:
    """If this fails, tests under `python -O` cannot fail, or workers run them without `-O`."""
    planted = "def test_planted():\n    assert 1 == 2, f'debug: {__debug__}'"
    plant(tree / "tests/test_planted.py", planted)
    command = (sys.executable, "-O", "-m", "pytest", "-n", workers, "tests")
    status, output = run(*command, cwd=tree)
    assert status == 1, output
    assert "AssertionError: debug: False" in output, output


def test_no_guard_is_an_assertion() -> None:
    """If this fails, a guard outside the tests vanishes under `python -O`."""
    status, output = run_module(*NO_ASSERT)
    assert status == 0, output


def test_planted_assertions_are_found(tmp_path: Path) -> None:
    """If this fails, the search for `assert` statements does not look into one of the folders."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package in PACKAGES:
        (tmp_path / package).mkdir()
        plant(tmp_path / package / "planted.py", "assert True  # noqa: S101")
    status, output = run_module(*NO_ASSERT, cwd=tmp_path)
    assert status == 1
    for package in PACKAGES:
        assert re.search(rf"^ *--> {package}/planted.py:\d+", output, re.MULTILINE), output


def test_layering_holds() -> None:
    """If this fails, a module imports what its layer may not see."""
    status, output = lint_imports(ROOT)
    assert status == 0, output


FORBIDDEN = [
    ("symbolic/__init__.py", "import orderproof.numeric", "symbolic -> orderproof.numeric"),
    ("symbolic/__init__.py", "import orderproof.proofs", "symbolic -> orderproof.proofs"),
    ("numeric/__init__.py", "import orderproof.proofs", "numeric -> orderproof.proofs"),
    ("proofs/__init__.py", "import orderproof.cli", "proofs -> orderproof.cli"),
    ("symbolic/calculus/terms.py", "import sympy", "terms -> sympy"),
    ("symbolic/calculus/terms.py", "from . import kernel", "terms -> orderproof.symbolic"),
    ("symbolic/calculus/kernel.py", "def f(): import z3", "kernel -> z3"),
    (
        "symbolic/models/names.py",
        "from ..readings import error",
        "names -> orderproof.symbolic",
    ),
    ("symbolic/witness/replay.py", "from ..calculus import terms", "replay -> orderproof.sym"),
    ("symbolic/witness/fields.py", "import numpy", "fields -> numpy"),
    ("symbolic/witness/model_file.py", "from ..onnx import load", "model_file -> orderproof.sym"),
    ("symbolic/onnx/search.py", "from . import enclose", "search -> orderproof.symbolic.onnx"),
    ("symbolic/onnx/finder.py", "from . import enclose", "finder -> orderproof.symbolic.onnx"),
    ("symbolic/onnx/difference.py", "import sympy", "difference -> sympy"),
    (
        "symbolic/onnx/report.py",
        "if TYPE_CHECKING:\n    from .decide import Step",
        "In the reader of ONNX no file imports what imports it, not even for types BROKEN",
    ),
    ("symbolic/readings/exact.py", "from . import entries", "exact -> orderproof.symbolic"),
    ("symbolic/readings/sympy_entries.py", "from . import index_arrays", "sympy_entries -> "),
    ("symbolic/readings/interval.py", "from . import numpy_arrays", "interval -> "),
    ("symbolic/smt/chain.py", "from ..readings import entries", "chain -> orderproof.symbolic"),
    ("symbolic/new/__init__.py", "", "orderproof.symbolic.new"),
    ("orderproof/check/claims.py", "from .marks import smt", "claims -> orderproof.check.marks"),
    ("proofs/symbols.py", "from orderproof.check.prove import run", "symbols -> orderproof.che"),
    ("proofs/self_attention/sum_act.py", "import sympy", "sum_act -> sympy"),
    ("proofs/self_attention/sum_act.py", "import markdown_it", "sum_act -> markdown_it"),
    ("proofs/swaps.py", "from orderproof.publish.pages import statements", "swaps -> orderproof."),
    ("orderproof/check/rocq/run.py", "import orderproof.proofs.symbols", "run -> orderproof.proof"),
    ("numeric/reference/attention.py", "from . import encoder", "attention -> orderproof.num"),
    ("numeric/trained/encoder.py", "import orderproof.symbolic", "encoder -> orderproof.symb"),
    ("numeric/groups/names.py", "from ..permuted import measure", "names -> orderproof.numeric"),
]


@pytest.mark.parametrize(
    "planted",
    [FORBIDDEN, *(pytest.param([one], marks=pytest.mark.slow) for one in FORBIDDEN)],
    ids=["all", *(f"{path}: {line}" for path, line, _ in FORBIDDEN)],
)
def test_planted_imports_are_found(tree: Path, planted: Sequence[tuple[str, str, str]]) -> None:
    """If this fails, the layering that the linter reports as kept is not looked at."""
    for path, line, _ in planted:
        (tree / path).parent.mkdir(exist_ok=True)
        plant(tree / path, line)
    status, output = lint_imports(tree)
    assert status == 1, output
    assert [named for _, _, named in planted if named not in output] == [], output


@pytest.mark.parametrize("module", ["terms", "kernel"])
def test_trusted_module_loads_the_standard_library_alone(module: str) -> None:
    """If this fails, loading what must be trusted runs code of a library or of a solver."""
    script = (
        "import sys\n"
        "before = set(sys.modules)\n"
        f"import orderproof.symbolic.calculus.{module}\n"
        "loaded = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(sorted(loaded - sys.stdlib_module_names))\n"
    )
    assert run(sys.executable, "-c", script) == (0, "['orderproof']\n")


@pytest.mark.slow
def test_distribution_holds_every_file_once(tree: Path) -> None:
    """If this fails, the wheel misses a module or template, holds one twice, or does not import."""
    status, output = run_module("build", cwd=tree)
    assert status == 0, output
    (wheel,) = (tree / "dist").glob("*.whl")
    (sdist,) = (tree / "dist").glob("*.tar.gz")

    expected = sorted(
        (Path("orderproof") / folder / path.relative_to(tree / name)).as_posix()
        for name, folder in (("orderproof", "."), *((name, name) for name in PACKAGES[1:]))
        for path in (tree / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    shipped = zipfile.ZipFile(wheel).namelist()
    assert sorted(name for name in shipped if ".dist-info/" not in name) == expected
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in shipped)
    with tarfile.open(sdist) as archive:
        inside = [name.partition("/")[2] for name in archive.getnames()]
    assert {name for name in inside if name.startswith("orderproof/")} >= set(expected)
    assert not [name for name in inside if name.startswith(PACKAGES[1:])]

    # Without any dependency: the calculus and its kernel are to load on the standard library.
    venv.create(tree / "clean", with_pip=True)
    python = str(tree / "clean/bin/python")
    status, output = run(python, "-m", "pip", "install", "--no-deps", "--quiet", str(wheel))
    assert status == 0, output
    script = (
        "import orderproof, orderproof.symbolic as s; print(orderproof.__version__, s.__file__)"
    )
    status, output = run(python, "-I", "-c", script, cwd=tree)
    assert status == 0, output
    assert output.startswith(f"{orderproof.__version__} {tree}/clean/lib"), output


def test_commands_agree() -> None:
    """If this fails, the README, the Makefile and continuous integration run different things."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    in_readme = re.findall(r"^make ([a-z-]+)", readme, re.MULTILINE)
    in_ci = re.findall(r"^ *step \d+m make (?:\S+ )*?([a-z-]+)(?: #.*)?$", ci, re.MULTILINE)
    assert {"prove", "test"} <= set(in_readme)
    assert in_ci == ["lint", "test", "prove", "rocq", "compare-record", "test-slow", "book"]
    assert "bash .ci/run" in workflow
    for target in {*in_readme, *in_ci}:
        status, output = run("make", "--dry-run", target)
        assert status == 0, output


def test_unknown_target_is_an_error() -> None:
    """If this fails, asking make for a target would pass whether or not the target exists."""
    status, output = run("make", "--dry-run", "no-such-target")
    assert status == 2
    assert "no-such-target" in output
