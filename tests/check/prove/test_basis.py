"""What evidence rests on: another file, version or tool is another basis."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import sympy  # noqa: F401  (what it computes with is asked of it)

from orderproof._paths import PACKAGE
from orderproof.check.prove import basis as module
from orderproof.check.prove.basis import basis, files, sources, stamp, versions
from orderproof.check.rocq import run as rocq_run


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A package of two files, one of them by a link."""
    folder, linked = tmp_path / "package", tmp_path / "linked"
    folder.mkdir()
    linked.mkdir()
    (folder / "a.py").write_text("x = 1\n")
    (linked / "b.v").write_text("Qed.\n")
    (folder / "below").symlink_to(linked)
    return folder


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found of this process is found anew."""
    monkeypatch.setattr(module, "_here", module._here.__wrapped__)


def test_every_file_of_the_package_is_in_it() -> None:
    """Code, a Rocq file or a table could change without a proof being checked again."""
    found = {p.relative_to(PACKAGE).as_posix() for p in files()}
    assert {
        "cli.py", "py.typed", "proofs/self_attention/sum_act.py", "symbolic/calculus/kernel.py",
        "numeric/rounding.py", "proofs/rocq/Headlines.v", "proofs/references.bib",
    } <= found  # fmt: skip
    assert not any("__pycache__" in name for name in found)
    assert found >= {p.relative_to(PACKAGE).as_posix() for p in PACKAGE.glob("**/*.py")}


def test_any_other_file_is_another_basis(tree: Path) -> None:
    """A file that was changed, renamed, added or removed would not be noticed."""
    seen = {sources(tree)}

    def another() -> None:
        assert sources(tree) not in seen
        seen.add(sources(tree))

    (tree / "a.py").write_text("x = 2\n")
    another()
    (tree / "below" / "b.v").write_text("Admitted.\n")
    another()
    (tree / "a.py").rename(tree / "c.py")
    another()
    (tree / "empty").write_text("")
    another()
    (tree / "empty").rename(tree / "void")
    another()
    (tree / "c.py").unlink()
    another()
    before = sources(tree)
    (tree / "__pycache__").mkdir()
    (tree / "__pycache__" / "a.pyc").write_bytes(b"compiled")
    assert sources(tree) == before


def test_bytes_belong_to_their_file(tmp_path: Path) -> None:
    """Text that moves from one file into the next would not be noticed."""
    found = set()
    for k, (first, second) in enumerate((("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", ""))):
        folder = tmp_path / str(k)
        folder.mkdir()
        (folder / "a").write_text(first)
        (folder / "b").write_text(second)
        found.add(sources(folder))
    assert len(found) == 4


def test_a_file_written_meanwhile_is_noticed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was computed from a file as it was before would be kept under what it is now."""
    before = stamp(tree)
    assert stamp(tree) == before
    path = tree / "a.py"
    path.write_text("x = 3\n")
    os.utime(path, ns=(1, 1))
    assert stamp(tree) != before
    kept = basis()
    assert kept.holds
    monkeypatch.setattr(module, "stamp", lambda: before)
    assert not kept.holds


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("package", ["z3-solver", "cvc5", "numpy", "orderproof"])
@pytest.mark.parametrize("found", ["0.0.0", None])
def test_another_version_is_another_basis(
    package: str, found: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one solver proved would stand as proved by another, or by two."""
    before = basis().digest
    assert basis().digest == before and package in versions()
    own = module._version
    monkeypatch.setattr(module, "_version", lambda p: found if p == package else own(p))
    assert basis().digest != before


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(("integers", "same"), [("python", True), ("flint", False)])
def test_flint_counts_where_sympy_computes_with_it(
    integers: str, same: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`make test` after `make prove` would have theorems checked again for a package that no mark
    uses; or what one arithmetic computed would be taken for what another does."""
    monkeypatch.setattr(sys.modules["sympy.external.gmpy"], "GROUND_TYPES", integers)
    seen = set()
    own = module._version
    for number in ("0.8.0", None):
        found = {"python-flint": number}
        monkeypatch.setattr(module, "_version", lambda p, f=found: f[p] if p in f else own(p))
        seen.add(basis().digest)
    assert (len(seen) == 1) == same


@pytest.mark.parametrize("name", ["prove", pytest.param("audit", marks=pytest.mark.slow)])
def test_marks_compute_with_the_integers_of_python(name: str, tmp_path: Path) -> None:
    """The marks of sympy would rest on python-flint where another command needs that."""
    program = (
        "import atexit, sys; "
        "of = lambda: sys.modules['sympy.external.gmpy'].GROUND_TYPES; "
        "atexit.register(lambda: print(of(), file=sys.stderr)); "
        "from orderproof.cli import main; main()"
    )
    command = (sys.executable, "-c", program, name, "perm_transpose_mul")
    env = {name: value for name, value in os.environ.items() if name != module.INTEGERS}
    done = subprocess.run(
        command, env=env, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stderr == "python\n"


@pytest.mark.usefixtures("fresh")
def test_a_package_from_another_folder_is_another_basis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a patched mpmath on PYTHONPATH computed would be served as the installed one's, whose
    version it has."""
    before = basis().digest
    (tmp_path / "mpmath").mkdir()
    (tmp_path / "mpmath" / "__init__.py").write_text("pi = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mpmath", raising=False)
    assert basis().digest != before
    monkeypatch.delenv("PYTHONPATH", raising=False)
    sys.path.remove(str(tmp_path))
    assert basis().digest == before


@pytest.mark.usefixtures("fresh")
def test_a_solver_without_its_package_is_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program of this name on PATH, or none, would not be noticed: what one solver said
    would stand as said by two."""
    own = module._version
    monkeypatch.setattr(module, "_version", lambda p: None if p == "cvc5" else own(p))
    monkeypatch.setenv("PATH", str(tmp_path))
    seen = {basis().digest}
    for text in ("#!/bin/sh\necho unsat\n", "#!/bin/sh\necho sat\n"):
        (tmp_path / "cvc5").write_text(text)
        (tmp_path / "cvc5").chmod(0o755)
        seen.add(basis().digest)
    assert len(seen) == 3


@pytest.mark.usefixtures("fresh")
def test_another_python_is_another_basis(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one Python computed would be taken for what another does."""
    before = basis().digest
    monkeypatch.setattr(sys, "version", "3.99.0")
    assert basis().digest != before


def test_another_path_of_rocq_is_another_basis(monkeypatch: pytest.MonkeyPatch) -> None:
    """A MathComp in another folder could prove what the one here does not."""
    monkeypatch.delenv("COQPATH", raising=False)
    before, without = basis(rocq=True).digest, basis().digest
    monkeypatch.setenv("COQPATH", "/nowhere")
    assert basis(rocq=True).digest != before and basis().digest == without


def test_rocq_is_part_of_what_it_proved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A page without the marks of Rocq, or with those of another, would be taken for this one."""
    library = tmp_path / "matrix.vo"
    library.write_bytes(b"one")
    monkeypatch.setattr(rocq_run, "version", lambda: "8.16.1")
    monkeypatch.setattr(rocq_run, "library_file", lambda package: library)
    seen = {basis().digest, basis(rocq=True).digest}
    monkeypatch.setattr(rocq_run, "version", lambda: "8.17.0")
    seen.add(basis(rocq=True).digest)
    library.write_bytes(b"two")
    seen.add(basis(rocq=True).digest)
    library.unlink()
    seen.add(basis(rocq=True).digest)
    assert len(seen) == 5 and basis(rocq=True).stamp == basis().stamp


def test_a_worker_of_a_cluster_computes_with_them_too() -> None:
    """A worker would rest on python-flint, and be refused for it; or a notebook that imports
    orderproof would compute with something else than it had chosen."""
    program = (
        "import os, orderproof.api, orderproof.check.prove.executor as e; "
        f"before = os.environ.get({module.INTEGERS!r}); "
        "e._there(e.basis().digest, lambda: None) if before is None else None; "
        f"print(before, os.environ.get({module.INTEGERS!r}))"
    )
    env = {name: value for name, value in os.environ.items() if name != module.INTEGERS}
    command = (sys.executable, "-c", program)
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "None python\n"
