r"""Documents as LaTeX: every part of a block is there, and no word becomes a command."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from markupsafe import Markup

from orderproof.check.page import Formula, Line, Section
from orderproof.publish import model as m
from orderproof.publish.latex_text import code, words
from orderproof.publish.to_latex import Writer


def cite(keys: Sequence[str]) -> Markup:
    """References by their keys."""
    return words(f"[{'; '.join(keys)}]")


WRITER = Writer((), code, cite, words)
F = Formula("X", "X")
LONG = Formula(" = ".join(f"f(x_{{{k}}})" for k in range(12)), "")
CHAIN = Section("It is so", (Line(F, (), F), Line(Formula("y", "y"), ("by 5%", F), LONG)))
SO = m.Paragraph(("so",))
WORDS: list[tuple[m.Words, str]] = [
    (("50% of W_Q",), r"50\% of $W_{Q}$"),
    ((F,), "${X}$"),
    ((m.Emphasis("so"), m.Emphasis("a term", True)), r"\emph{so}\emph{a term}\index{a term}"),
    ((m.Emphasis("Pooling", True), m.Emphasis("ALiBi", True)),
     r"\emph{Pooling}\index{pooling}\emph{ALiBi}\index{ALiBi}"),
    ((m.Code("ab_cd"),), r"\texttt{ab\_\allowbreak{}cd}"),
    ((m.Citation(("one", "two")),), "[one; two]"),
    ((m.TheoremRef("sum"),), r"\texttt{sum}"),
    ((m.ChapterRef("heads"),), "heads"),
    ((m.Verdict("proved", "proved"),), r"\textsc{proved}"),
    ((m.MarkName("smt", "1/2"),), r"\textsc{smt 1/2}"),
    ((m.Link("here", "a.html"),), "here"),
    ((m.Link("(A1)", "chapter/notation.html#a"),), "\\hyperref[ch:notation]{(A1)}"),
    ((m.Link("https://a.org/?x=%20&y#z", "https://a.org/?x=%20&y#z"),),
     r"\url{https://a.org/?x=\%20\&y\#z}"),
]  # fmt: skip
BLOCKS: list[tuple[m.Block, str]] = [
    (SO, "\nso\n"),
    (m.Paragraph(("so",), True), "\\noindent so\n"),
    (m.Heading(("A",)), "\n\\section{A}\n"),
    (m.Heading(("A",), 2, False), "\n\\subsection*{A}\n"),
    (m.Display((("", F),)), "\\opshow{X}\n"),
    (m.Display((("(2)", F),)), "\\opclaim{(2)}{X}\n"),
    (m.Display((("(1)", F), ("(2)", F))),
     "\\oprow{\\opitem{(1)}{X}\\opgap\n\\opitem{(2)}{X}}\n"),
    (m.Display((("(1)", F), ("(2)", F), ("(3)", LONG), ("(4)", F))), "}\n\\opclaim{(4)}{X}\n"),
    (CHAIN, "\\opchaintitle{It is so}\n\\opchain{X}\n\\opaside{X}\n"
     "\\opstep{y}{by 5\\%$X$}\n\\opaside{f"),
    (m.Source("a < b."), "\\begin{verbatim}\na < b.\n\\end{verbatim}"),
    (m.Items((("a",), ("so",))), "\\begin{itemize}\n\\item a\n\\item so\n\\end{itemize}\n"),
    (m.Table((("head",), ()), ((("ab",), (F,)),)),
     "\\begin{tabular}{@{}ll@{}}\n\\toprule\nhead &  \\\\ \\midrule\nab & ${X}$ \\\\\n"),
    (m.Table((("head",), ("side",)), ((("ab",), ("cd",)),), turned=True),
     "\\rotatebox{60}{head} & \\rotatebox{60}{side} \\\\"),
    (m.Figure("f", ("so",), "A"), "\\pictured{figures/f.pdf}{0041}\n{\\footnotesize\\noindent so"),
    (m.Figure("f", (), "", "no TeX"), "\\textbf{No picture:} no TeX."),
    (m.Theorem("lemma", "sum_act", "A sum", (SO,)),
     "\\begin{lemma}[{A sum}]\\label{thm:sum_act}\nso\n\\end{lemma}\n"),
    (m.Proof((SO,), ("by 5%",)), "\\begin{proof}\nso\n\\opmarks{by 5\\%}\n\\end{proof}\n"),
    (m.Proof((SO,)), "\\begin{proof}\nso\n\\end{proof}\n"),
    (m.Remark("example", "50%", (SO,)), "\\begin{example}[{50\\%}]\nso\n\\end{example}\n"),
    (m.Folded("More", (SO,)), "{\\footnotesize \\par\\noindent\\emph{More.}\n\nso\n}\n"),
]  # fmt: skip


@pytest.mark.parametrize(("found", "shown"), WORDS)
def test_words(found: m.Words, shown: str) -> None:
    """A part of a line would be lost, or an address be read as a command."""
    assert WRITER.words(found) == shown


@pytest.mark.parametrize(("block", "shown"), BLOCKS)
def test_blocks(block: m.Block, shown: str) -> None:
    """A part would be left out of the book: an aside, a mark, a number, a head."""
    assert shown in WRITER.block(block)


EVIL = r"$x$ \input{y} &b #c %d ~e ^f _g $"


@pytest.mark.parametrize(
    "x", [EVIL, m.Emphasis(EVIL, True), m.Code(EVIL), m.Verdict(EVIL, ""), m.Link(EVIL, "a")]
)
def test_no_word_becomes_a_command(x: m.Inline) -> None:
    """A name in a user's model would be run by TeX, or open a formula that nothing closes."""
    made = re.sub(r"\\[$&#%_{}]", "", WRITER.words((x,)))
    assert r"\input" not in made and not set("&#%") & set(made)
    assert made.count("$") % 2 == 0
    assert all(part.strip() in "xybcdefg" for part in made.split("$")[1::2])
