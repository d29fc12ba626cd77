"""Names of a model as names of files, in LaTeX, in HTML and in formulas."""

from __future__ import annotations

import re

import pytest
from markupsafe import escape

from orderproof.proofs.decided import names

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


KNOWN = (
    r"\\(?:texttt|allowbreak|textbackslash|textasciicircum|textasciitilde|textless|textgreater|"
    r"textbar|textquotedbl|textquotesingle|textasciigrave|dots|sigma|times|mathtt|text|ttfamily|"
    r"upshape)(?![A-Za-z])|\\[{}$&#%_ ]"
)


def faults(text: str) -> list[str]:
    """What TeX would read as more than letters in a name that was escaped."""
    found = ["a command"] * ("\\" in re.sub(KNOWN, "", text))
    bare = re.sub(r"\\[{}$%#&_]", "", text)
    found += ["braces"] * (bare.count("{") != bare.count("}"))
    found += ["a special character"] * bool(set("%#&~^") & set(bare))
    return found + ["a letter"] * (not all(" " <= c <= "~" or c == "é" for c in text))


@pytest.mark.parametrize("name", NAMES)
def test_latex_holds_no_command_of_a_name(name: str) -> None:
    """A name would be run by TeX."""
    for text in (str(names.tex(name)), names.tex_in_formula(names.cut(name))):
        assert not faults(text)


@pytest.mark.parametrize("text", [r"\texttt{\write18{ls}}", r"\texttt{{}", r"\texttt{%}", "重"])
def test_latex_that_was_not_escaped_is_seen(text: str) -> None:
    """The test above would accept any text."""
    assert faults(text)


@pytest.mark.parametrize("name", [*NAMES, "<script>", "a&b", '"><img>'])
def test_html_holds_no_tag_of_a_name(name: str) -> None:
    """A name would be read as markup by a browser."""
    found = str(names.html(name))
    bare = found.replace("<wbr>", "").removeprefix("<code>").removesuffix("</code>")
    assert bare == str(escape(names.cut(name)))
    assert "<" not in bare


def test_what_shows_nothing_is_shown() -> None:
    """A name could turn the direction of a line, or end it."""
    assert names.visible("a\u202eb\nc\0") == "a\ufffdb\ufffdc\ufffd"


def test_short_names_differ() -> None:
    """Two tensors of a formula would look like one."""
    every = ["/a/Add_output_0", "/b/Add_output_0", "/Add_output_0", "Add", "y", "é" * 60,
             "é" * 60 + "z", "/c/Mul_output_0", "Mul_output_0"]  # fmt: skip
    found = names.short(every)
    assert len(set(found.values())) == len(every)
    assert all(len(x) <= names.IN_FORMULA + 2 for x in found.values())
    assert found["/a/Add_output_0"] == "a/Add"
    assert found["y"] == "y"
