"""Fragments for other people's documents: what TeX says of them in four classes, and what of a
formula is lost on the way: nothing."""

from __future__ import annotations

import functools
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from orderproof.check.page import Formula, TheoremPage
from orderproof.check.prove.unchecked import unchecked
from orderproof.proofs import catalogue
from orderproof.publish import fragment
from orderproof.publish.latex_text import UnknownCharacter
from orderproof.publish.line_breaks import breaking
from orderproof.publish.pdf import faults

CLASSES = {
    "article": r"\documentclass{article}",
    "amsart": r"\documentclass{amsart}",
    "two columns": r"\documentclass[twocolumn]{article}",
    "IEEEtran": r"\documentclass[conference]{IEEEtran}",
    "acmart": r"\documentclass[sigconf,nonacm]{acmart}",
}
TWO = ("softmax_conjugate", "self_attention_equivariant")
NEEDS_TEX = pytest.mark.needs("pdflatex")


@functools.cache
def page(name: str) -> TheoremPage:
    """The page of a theorem, no mark made."""
    return unchecked(catalogue.load(name))


def typeset(folder: Path, first: str, fragments: Sequence[str], macros: str = "") -> list[str]:
    """What is not in order in a document of these fragments, from the log of its last run."""
    begin = (r"\begin{document}", r"\title{A}\author{B}\maketitle")
    lines = (first, macros or fragment.macros(), *begin, *fragments, r"\end{document}")
    (folder / "a.tex").write_text("\n".join(lines), encoding="utf-8")
    command = ("pdflatex", "-no-shell-escape", "-interaction=nonstopmode", "a.tex")
    env = os.environ | {"max_print_line": "1000"}
    for _ in range(3):  # the second knows the labels, the third their pages
        subprocess.run(
            command, cwd=folder, env=env, check=False, timeout=240, stdout=subprocess.DEVNULL
        )
    return faults((folder / "a.log").read_text(encoding="utf-8", errors="replace"))


def as_it_is(marked: str) -> str:
    """A formula without its marks, what is written twice as it stands first."""
    while r"\opwide{" in marked:
        start = marked.index(r"\opwide{")
        ends, depth = [], 0
        for k in range(start, len(marked)):
            depth += (marked[k] == "{") - (marked[k] == "}")
            if marked[k] == "}" and depth == 0:
                ends.append(k)
            if len(ends) == 2:
                break
        first = marked[start + len(r"\opwide{") : ends[0]]
        second = marked[ends[0] + 2 : ends[1]]
        assert letters(first) == letters(second)
        marked = marked[:start] + first + marked[ends[1] + 1 :]
    return re.sub(r"\\opcut\{\d\}", "", marked)


def letters(latex: str) -> list[str]:
    """What a formula is made of, without brackets, strokes and spaces."""
    if r"\opwide{" in latex:
        latex = as_it_is(latex)
    bare = re.sub(r"\\opcut\{\d\}|\\frac|\\(?:left|right|[bB]ig[lr]?(?!\w))(?=\W|$)", "", latex)
    return re.findall(r"\\[A-Za-z]+|[^\s\\(){}/,;]", bare)


def formulas(p: TheoremPage) -> list[str]:
    """Every formula of a page."""
    lines = [line for section in p.sections for line in section.lines]
    found: list[Formula | None] = [p.given, *p.where, *(c.statement for c in p.claims)]
    found += [f for line in lines for f in (line.formula, line.aside)]
    return [f.latex for f in found if f is not None and "verbatim" not in f.latex]


def test_where_a_line_may_end() -> None:
    """A formula would not be broken, or within an index, or before a sign that belongs to what
    follows it."""
    assert breaking(r"Z' = P\,Z") == r"Z' \opcut{1}= P\,\opcut{3}Z"
    assert breaking("a, b + c_{i,j}") == r"a, \opcut{0}b \opcut{2}+ c_{i,j}"
    assert breaking("x = -y(a, -b)") == r"x \opcut{1}= -y(a, \opcut{3}-b)"
    assert breaking(r"\frac{a}{b}\left(c\right)") == r"\frac{a}{b}\left(c\right)"
    wide = r"\frac{a + b + c + d + e + f + g + h}{\sqrt{d_{k}}}"
    assert breaking(wide).startswith(rf"\opwide{{{wide}}}{{\opcut{{3}}\bigl(a \opcut{{5}}+ b")
    assert breaking(wide).endswith(r"\bigr)\opcut{3}\big/\sqrt{d_{k}}}")


@pytest.mark.parametrize(("latex", "says"), [("σ", "U\\+03C3"), (" ", "an empty formula")])
def test_what_tex_cannot_set_is_refused(latex: str, says: str) -> None:
    """The author of another document would be shown an error of TeX."""
    with pytest.raises(UnknownCharacter, match=says):
        breaking(latex)


FEW = (*TWO, "equivariant_of_fixed_mask", "linear_attention_equivariant")


@pytest.mark.parametrize("names", [FEW, pytest.param(catalogue.IDS, marks=pytest.mark.slow)])
def test_nothing_of_a_formula_is_lost(names: Sequence[str]) -> None:
    """A fragment would state something else than what was checked."""
    for latex in (f for name in names for f in formulas(page(name))):
        assert as_it_is(breaking(latex)) == latex
    assert letters("(a + b)/c") == letters(r"\frac{a + b}{c}") != letters(r"\frac{a + c}{b}")


@NEEDS_TEX
def test_two_theorems_in_an_article(tmp_path: Path) -> None:
    """The first thing that another author tries would not compile; or a reference to a theorem
    that stands in the same document would not be one."""
    both = [fragment.theorem(page(name)) for name in TWO]
    assert typeset(tmp_path, CLASSES["article"], both) == []
    aux = (tmp_path / "a.aux").read_text(encoding="utf-8")
    assert aux.count(r"\newlabel{thm:") == 2


@NEEDS_TEX
@pytest.mark.slow
def test_a_faulty_fragment_is_seen(tmp_path: Path) -> None:
    """The tests beside this one would pass whatever TeX says."""
    text = fragment.theorem(page(TWO[1]))
    wide = text.replace(r"\opshow{\forall", r"\mbox{" + "wide " * 40 + r"}\opshow{\forall")
    assert wide != text
    (found,) = typeset(tmp_path, CLASSES["article"], [wide])
    assert found.startswith(r"Overfull \hbox")
    assert typeset(tmp_path, CLASSES["article"], [text], macros=r"\usepackage{amsmath}")
    twice = typeset(tmp_path, CLASSES["article"], [text, text])
    assert any("multiply" in line for line in twice)


@NEEDS_TEX
@pytest.mark.slow
@pytest.mark.parametrize("name", CLASSES)
def test_all_theorems_in_every_class(name: str, tmp_path: Path) -> None:
    """A theorem would not compile in somebody's paper, or stand out of its column."""
    found = re.search(r"\{(\w+)\}$", CLASSES[name])
    file = f"{found[1] if found else ''}.cls"
    there = subprocess.run(("kpsewhich", file), check=False, stdout=subprocess.DEVNULL)
    if there.returncode:
        pytest.skip(f"{file} not installed (Debian: texlive-publishers)")
    texts = [fragment.theorem(page(theorem)) for theorem in catalogue.IDS]
    assert typeset(tmp_path, CLASSES[name], texts) == []
