"""Names of a model as names of files, in words and in formulas."""

from __future__ import annotations

import re

import pytest

from orderproof.publish.decided import names
from orderproof.publish.latex_text import words
from orderproof.symbolic.readings.notation import Latex

NAMES = (
    "x", "..", "/", "", "../../etc/passwd", "a:b", "x" * 5000, "重み", "é", "con\0", "a b",
    ".hidden", "-rf", "A", "a", "σ", "x\n", "\u202egnp.exe", r"\write18{ls}", "$(ls)", "~", "CON",
)  # fmt: skip


def test_a_name_of_a_file_stays_in_its_folder() -> None:
    """A name of a tensor would be a path: files would be written elsewhere, or hidden."""
    given = names.FileNames()
    for name in NAMES:
        found = given.of("model", name, 1, "y", ending="json")
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]*\.json", found)
        assert len(found) < 120


def test_no_two_files_have_one_name() -> None:
    """One witness would be written over another's, where names differ in what a file name loses,
    or in the case of letters alone."""
    given = names.FileNames()
    found = [given.of("m", name, 1, "y", ending="v", apart="_") for name in (*NAMES, *NAMES)]
    found += [given.of("m", "a", 1, "0_y", ending="v", apart="_"),
              given.of("m", "a_1", 0, "y", ending="v", apart="_")]  # fmt: skip
    assert len({f.lower() for f in found}) == len(found)


def test_simple_names_are_as_they_are() -> None:
    """A person would not find the file of an input and an output."""
    assert names.FileNames().of("bert", "ids", 1, "y", ending="tex") == "bert-ids-1-y.tex"


@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_words_is_letters(name: str) -> None:
    """TeX would have no letter for a name, or a name would turn the direction of a line."""
    shown = names.cut(name)
    assert len(shown) <= names.SHOWN
    words(shown)


def test_what_shows_nothing_is_shown() -> None:
    """A name could turn the direction of a line, or a terminal obey it."""
    assert names.visible("a\u202eb\nc\0") == "a\ufffdb\nc\ufffd"
    assert names.cut("a\u202eb\n") == "a\\u202eb\\n"


@pytest.mark.parametrize("name", NAMES)
def test_a_symbol_is_no_command(name: str) -> None:
    """A name would be run by TeX, or be the permutation's."""
    (symbol,) = names.symbols([name]).values()
    assert re.fullmatch(r"[A-Za-z0-9_.]+", symbol) and symbol != "sigma"
    assert Latex().symbol(name).count("{") == Latex().symbol(name).count("}")
    assert not set("%#&~$") & set(Latex().symbol(name) + Latex().function(name))
    assert not re.search(r"\\(?!mathrm|operatorname|sigma|_)", Latex().symbol(name))


def test_symbols_differ() -> None:
    """Two tensors of a formula would look like one."""
    every = ["/a/Add_output_0", "/b/Add_output_0", "/Add_output_0", "Add", "y", "é" * 60,
             "é" * 60 + "z", "/c/Mul_output_0", "Mul_output_0", "a<b", "a>b"]  # fmt: skip
    found = names.symbols(every)
    assert len(set(found.values())) == len(every)
    assert all(len(x) <= names.IN_FORMULA + 2 for x in found.values())
    assert found["/a/Add_output_0"] == "a.Add"
    assert found["y"] == "y"
