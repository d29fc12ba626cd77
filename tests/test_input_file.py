"""Files from outside are opened by one function: without waiting, if regular, and up to a bound."""

from __future__ import annotations

import ast
import functools
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from orderproof.input_file import opened, read, shown

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("orderproof", "numeric", "symbolic", "proofs")
OPENS = {
    "open", "fdopen", "FileIO", "read_text", "read_bytes", "memmap", "fromfile", "from_file",
    "loadtxt", "genfromtxt", "safe_open", "InferenceSession", "load_external_data_for_model",
    "load_model", "load_file",
}  # fmt: skip
MODULES = {"np", "numpy", "onnx", "io", "os", "Path"}  # of these `load` and `open` too


class Mine(Exception):
    """The error of a caller."""


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


@functools.cache
def _terminal() -> str:
    """A terminal, which is a device, and waits for what is typed."""
    return os.ttyname(os.openpty()[1])


KINDS: dict[str, tuple[Callable[[Path], object], str]] = {
    "nothing": (lambda path: None, "no such file"),
    "a folder": (Path.mkdir, "a folder"),
    "a pipe": (os.mkfifo, "a pipe"),
    "a socket": (_socket, "a socket or a device"),
    "a terminal": (lambda path: path.symlink_to(_terminal()), "a device"),
    "zeros": (lambda path: path.symlink_to("/dev/zero"), "a device"),
    "null": (lambda path: path.symlink_to("/dev/null"), "a device"),
    "a dangling link": (lambda path: path.symlink_to(path.parent / "gone"), "no such file"),
    "a link to itself": (
        lambda path: path.symlink_to(path),
        "a file that cannot be read (Too many levels of symbolic links)",
    ),
    "too large": (
        lambda path: (path.touch(), os.truncate(path, 2**40)),  # sparse: it takes no room
        "1,099,511,627,776 bytes, which is more than 10",
    ),
    "no size": (
        lambda path: path.symlink_to("/proc/self/status"),
        "11 bytes, which is more than 10",
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_refused(kind: str, tmp_path: Path) -> None:
    """A pipe would be waited for, a device read without end, or anything end in a traceback."""
    path = tmp_path / "x"
    make, given = KINDS[kind]
    make(path)
    with pytest.raises(Mine) as error:
        read(path, 10, "a list", Mine)
    assert str(error.value) == f"{path}: given {given}, expected a list"


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    """A file, or a link to one, would be refused, or not be read to the end."""
    path, link = tmp_path / "x", tmp_path / "link"
    path.write_bytes(b"0123456789")
    link.symlink_to(path)
    assert read(str(path), 10, "a file") == read(link, 10, "a file") == b"0123456789"
    with opened(path, 10, "a file") as file:
        assert file.read(3) == b"012"


def test_names_that_no_file_has(tmp_path: Path) -> None:
    """An empty name, or one with unprintable characters, would break the line or be unseen."""
    line = (f"{tmp_path}/a\nb", rf"'{tmp_path}/a\nb'")
    for name, said in (("", "''"), ("a\0b", r"'a\x00b'"), ("\ud800", r"'\ud800'"), line):
        with pytest.raises(Mine) as error:
            read(name, 10, "a list", Mine)
        assert str(error.value).startswith(f"{said}: given ") and shown(name) == said
    with pytest.raises(Mine, match=r"^it: given no such file, expected a list$"):
        read(tmp_path / "no", 10, "a list", Mine, "it")


def test_an_error_while_it_is_read_is_the_callers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fails, or a file that this user may not read, would end in a traceback."""

    def forbidden(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "x").write_bytes(b"")
    with monkeypatch.context() as patch:
        patch.setattr("orderproof.input_file.os.open", forbidden)
        with pytest.raises(Mine, match=r"that cannot be read \(Permission denied\), expected"):
            read(tmp_path / "x", 10, "a list", Mine)
    for own in (KeyError, FileNotFoundError, ValueError):
        with pytest.raises(own), opened(__file__, 10**6, "a file", Mine):
            raise own  # what the caller does with it is the caller's
    (tmp_path / "grown").write_bytes(b"0123456789+")
    before = (tmp_path / "x").stat()
    with monkeypatch.context() as patch, pytest.raises(Mine, match="11 bytes, which is more"):
        patch.setattr("orderproof.input_file.os.fstat", lambda _: before)
        read(tmp_path / "grown", 10, "a list", Mine)


def test_descriptors_are_closed(tmp_path: Path) -> None:
    """A folder of many files that are refused would use up the descriptors of the process."""
    before = len(os.listdir("/proc/self/fd"))
    for path in (tmp_path, Path("/dev/null"), tmp_path / "no", Path(__file__)):
        with pytest.raises(ValueError):
            read(path, 10, "a list")
    assert len(os.listdir("/proc/self/fd")) == before


# Modules that open files in another way, by what these files are.
ELSEWHERE = {
    "of the package": {
        "orderproof/source_tree.py",
        "orderproof/publish/bibliography.py",
        "orderproof/publish/book.py",
        "orderproof/publish/chapters.py",
        "orderproof/publish/figures.py",
        "orderproof/publish/fragment.py",
        "orderproof/publish/mathml.py",
        "orderproof/publish/site.py",
        "orderproof/publish/theorem.py",
        "proofs/catalogue.py",
        "orderproof/check/prove/basis.py",
        "orderproof/check/prove/trust.py",
        "orderproof/check/rocq/claims.py",
        "orderproof/check/rocq/headlines.py",
        "orderproof/check/rocq/library.py",
        "orderproof/check/rocq/mutants.py",
        "orderproof/check/rocq/record.py",
    },
    "written by this program in a folder of its own": {
        "orderproof/commands/prove.py",
        "orderproof/publish/pdf.py",
        "orderproof/check/rocq/run.py",
    },
    "a page of docs, for `make readme`": {
        "orderproof/publish/sentences.py",
        "orderproof/check/prove/trust_page.py",
    },
    "a temporary file to be written, or the null device": {
        "orderproof/command_line.py",
        "orderproof/interruption.py",
        "orderproof/check/prove/results.py",
        "symbolic/smt/solvers.py",
    },
    "what the one function opened": {"symbolic/onnx/tensors.py"},
    "what the one function examined just before, by a library that takes a name alone": {
        "numeric/trained/checkpoint.py",
        "orderproof/pytest_judgements.py",  # and what it exported itself
    },
    "no file, but the bytes of a model": {"symbolic/onnx/precisions.py", "symbolic/onnx/run.py"},
    "the one function": {"orderproof/input_file.py"},
}


def opening(text: str) -> set[str]:
    """The names in a source, called or not, that may open a file in another way."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(ast.Name(module), "load" | "open" as name) if module in MODULES:
                found.add(name)
            case ast.Call(ast.Attribute(attr="open")):
                found.add("open")
            case ast.Name(name, ast.Load()) if name in OPENS:
                found.add(name)
            case ast.Attribute(attr=name) if name in OPENS - {"open"}:
                found.add(name)
            case ast.ImportFrom(module, names):
                known = OPENS | {"load"} if module in MODULES else OPENS
                found |= {alias.name for alias in names} & known
    return found


def test_every_file_is_opened_by_one_function() -> None:
    """A reader would wait for a pipe, or read a device to its end, since it opens by itself."""
    paths = (p for folder in FOLDERS for p in (ROOT / folder).rglob("*.py"))
    texts = {p.relative_to(ROOT).as_posix(): p.read_text("utf-8") for p in paths}
    found = {path for path, text in texts.items() if opening(text)}
    assert found == set().union(*ELSEWHERE.values())
    assert opening("input_file.read(path); catalogue.load(name)") == set()


@pytest.mark.parametrize(
    "planted",
    ["path.open()", "f = open", "f = Path.open", "from io import open as f", "io.FileIO(p)",
     "np.load(p)", "from numpy import load as f", "np.loadtxt(p)", "np.genfromtxt(p)",
     "np.fromfile(p)", "onnx.load(p)", "onnx.load_model(p)", "library.safe_open(p)",
     "from safetensors import safe_open", "ort.InferenceSession(p)"],
)  # fmt: skip
def test_a_way_to_open_a_file_is_known(planted: str) -> None:
    """A file would be opened by a library, or by another name, and no test see it."""
    assert len(opening(planted)) == 1
