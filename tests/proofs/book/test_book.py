"""The book's sources and its PDF, and the checks on both with what they must reject."""

from __future__ import annotations

import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from orderproof.proofs.book import latex as book_latex
from orderproof.proofs.book.bibliography import BadBibliography, UnknownCitation, parse, references
from orderproof.proofs.book.book import (
    BadPage,
    TypesettingFailed,
    build_pdf,
    write_html,
    write_sources,
)
from orderproof.proofs.book.latex_text import (
    UnknownCharacter,
    bookmark,
    formula,
    groups,
    pieces,
    words,
)
from orderproof.proofs.book.pdf import faults
from orderproof.proofs.check.page import Section, Table, TheoremPage

DATE = "2026-11-21"
Pages = tuple[TheoremPage, ...]

needs_tex = pytest.mark.skipif(
    shutil.which("pdflatex") is None or shutil.which("bibtex") is None, reason="no pdflatex, bibtex"
)


def sources(pages: Sequence[TheoremPage], folder: Path, date: str = DATE) -> str:
    """The text of book.tex."""
    folder.mkdir(exist_ok=True)
    return write_sources(pages, folder, date=date)[0].read_text(encoding="utf-8")


def page_of(pages: Sequence[TheoremPage], folder: Path) -> str:
    """The text of book.html."""
    folder.mkdir(exist_ok=True)
    return write_html(pages, folder, date=DATE).read_text(encoding="utf-8")


def with_seconds(page: TheoremPage, seconds: float) -> TheoremPage:
    """The page whose marks took another time."""
    claims = tuple(
        replace(c, marks=tuple(replace(m, seconds=seconds) for m in c.marks)) for c in page.claims
    )
    return replace(page, claims=claims)


# ------------------------------------------------------------------------------------- sources


def test_equal_pages_give_equal_bytes(pages: Pages, tmp_path: Path) -> None:
    """Else two runs would make two books; how long a mark took must not show."""
    slower = tuple(with_seconds(p, 99.0) for p in pages)
    assert sources(pages, tmp_path / "a") == sources(slower, tmp_path / "b")
    assert page_of(pages, tmp_path / "a") == page_of(slower, tmp_path / "b")
    assert sources(pages[:2], tmp_path / "a") != sources(pages, tmp_path / "b")


def test_nothing_but_the_sources_is_left(pages: Pages, tmp_path: Path) -> None:
    """A temporary file left behind, or a half-written book after an error."""
    sources(pages, tmp_path)
    page_of(pages, tmp_path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    assert set(before) == {"book.tex", "references.bib", "book.html"}
    broken = replace(pages[1], citations=("nobody1999",))
    with pytest.raises(UnknownCitation):
        write_sources([broken], tmp_path, date=DATE)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_an_unknown_citation_is_an_error(pages: Pages, tmp_path: Path) -> None:
    """A reader would find [?] or nothing in the references."""
    broken = replace(pages[1], citations=("vaswani2017", "nobody1999"))
    with pytest.raises(UnknownCitation, match=r"^not in references.bib: nobody1999$"):
        write_sources([broken], tmp_path, date=DATE)
    with pytest.raises(UnknownCitation, match="nobody1999"):
        write_html([broken], tmp_path, date=DATE)


@pytest.mark.parametrize("date", ["", "yesterday", "2026-13-01"])
def test_a_bad_date_is_an_error(pages: Pages, tmp_path: Path, date: str) -> None:
    """The title page would bear a date that is none."""
    with pytest.raises(BadPage, match="expected year-month-day"):
        write_sources(pages, tmp_path, date=date)


def test_bad_pages_are_errors(pages: Pages, tmp_path: Path) -> None:
    """A broken anchor, two of one name, an empty chain, a ragged table, a mark nobody explains."""
    lemma, main, learned = pages
    ragged = Table(("a", "b"), (("1", "2"), ("3",)))
    other = replace(lemma.claims[0].marks[0], mark="trustme")
    for broken, why in (
        ([replace(lemma, id='x" onload="y')], "theorem id"),
        ([lemma, lemma], "theorem id 'sum_act'"),
        ([replace(lemma, sections=(Section("none", ()),))], "a section without lines"),
        ([replace(main, examples=(replace(main.examples[0], parts=(ragged,)),))], "1 cells under"),
        ([replace(lemma, claims=(replace(lemma.claims[0], marks=(other,)),))], "marks: trustme"),
    ):
        with pytest.raises(BadPage, match=why):
            write_sources(broken, tmp_path, date=DATE)
    write_sources([lemma, main, learned], tmp_path, date=DATE)


def test_an_unexpected_verdict_stands_out(pages: Pages, tmp_path: Path) -> None:
    """A theorem that stayed open would look like one that did not."""
    assert sources(pages, tmp_path).count("expected: proved") >= 2
    assert sources(pages[:2], tmp_path).count("expected: proved") == 0


def test_what_no_claim_says_is_a_remark(pages: Pages, tmp_path: Path) -> None:
    """A sentence that no claim says would stand in the theorem, or be lost."""
    tex = sources(pages, tmp_path)
    begin, end = r"\begin{theorem}\label{thm:self_attention_equivariant}", r"\end{theorem}"
    stated, _, rest = tex.partition(begin)[2].partition(end)
    assert "the output rows are permuted alike." in stated and "No row of the output" not in stated
    assert rest.lstrip().startswith(r"{\raggedright\textbf{Remark.} No row of the output")
    assert tex.count("Remark.") == 1  # the other theorems have none
    html = page_of(pages, tmp_path)
    assert html.count("<strong>Remark.</strong> No row of the output") == 1 == html.count("Remark.")
    alone = book_latex.theorem(pages[1])
    assert alone.rstrip().startswith("% self_attention_equivariant: proved.")
    assert r"\emph{Remark.} No row of the output" in alone.partition("Claimed, and checked:")[2]
    assert "Remark" not in book_latex.theorem(pages[0])


def test_the_sources_need_no_extra(pages: Pages, tmp_path: Path) -> None:
    """A plain install could not write the book's sources; and the page's error must say why."""
    script = (
        "import pickle, sys\n"
        "from pathlib import Path\n"
        "sys.modules['math_core'] = None\n"
        "from orderproof.proofs.book.book import write_html, write_sources\n"
        "pages = pickle.loads(sys.stdin.buffer.read())\n"
        f"write_sources(pages, Path({str(tmp_path)!r}), date={DATE!r})\n"
        f"write_html(pages, Path({str(tmp_path)!r}), date={DATE!r})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=pickle.dumps(pages), capture_output=True, check=False
    )
    assert (tmp_path / "book.tex").exists()
    assert done.returncode == 1
    last = done.stderr.decode().splitlines()[-1]
    assert last.startswith("orderproof.proofs.book.book.MissingExtra: book.html needs math_core: ")


def test_claims_told_alike_share_a_row(pages: Pages, tmp_path: Path) -> None:
    """The same marks five times over; or one row for claims that carry different marks."""
    one = pages[0].claims[0]
    other = replace(one, scope="n = 2")
    text = sources([replace(pages[0], claims=(one, one, one, other))], tmp_path)
    assert "(1)--(3) & equality; all n" in text
    assert "\n(4) & equality; n~=~2" in text


# ------------------------------------------------------------------------------- words in LaTeX


def test_words_are_escaped_and_mapped() -> None:
    """TeX would read the words as commands, or drop a character."""
    assert words("50% & ab_c #1 {x} \\ $") == r"50\% \& ab\_c \#1 \{x\} \textbackslash{} \$"
    assert words("σ ≠ Σ — “the”") == r"$\sigma$~$\neq$~$\Sigma$ --- ``the''"
    assert words("Z′ = PᵀP") == r"Z${}'$ = P${}^{\top}$P"
    assert words('"the" isn\'t') == "``the'' isn't"
    assert words("book --rocq") == "book -{}-rocq"
    assert words("10⁻¹") == r"10${}^{-}{}^{1}$"
    assert words("P_σ with d_k = 2") == r"P$_{\sigma}$ with d$_{\mathrm{k}}$~=~2"
    assert words("sum_act x_yz") == r"sum\_act x\_yz"
    assert words("a Σ_{i ≥ j} 1/i") == r"a $\Sigma_{i \geq  j}$ 1/i"
    with pytest.raises(UnknownCharacter):
        words("Σ_{i ☃ j}")
    assert words("Łukasz Schütze Póczos") == "Łukasz Schütze Póczos"
    assert bookmark("Z′ = σ(Z)") == "Z = sigma(Z)"


@pytest.mark.parametrize("text", ["日", "🙂", "a\u200bb", "\x07"])
def test_a_character_without_mapping_is_an_error(text: str) -> None:
    """It would be missing from the PDF without a word."""
    with pytest.raises(UnknownCharacter, match=r"U\+"):
        words(text)


@pytest.mark.parametrize("latex", ["σ", "", "  "])
def test_a_formula_is_ascii_and_not_empty(latex: str) -> None:
    """pdfLaTeX drops other characters in math mode, and an empty line says nothing."""
    with pytest.raises(UnknownCharacter):
        formula(latex)


def test_what_stands_between_commas_is_whole() -> None:
    """A line would end within W ∈ ℝ, or between the braces of {1, …, n}."""
    kept = r"X \in \mathbb{R}^{n},\; f: \{1, \dots, n\} \to \{1, \dots, m\}"
    assert formula(kept) == (
        r"{X \in \mathbb{R}^{n}},\; \allowbreak {f: \{1, \dots, n\} \to \{1, \dots, m\}}"
    )
    assert groups(r"(P A)\,(P V)") == [[r"(P A)\,", "(P V)"]]  # a space is no comma
    long = " + ".join("abcdefghij")
    assert formula(f"{long} = {long} + {long}, b = 1").count(r"\allowbreak") > 25


def test_a_theorem_of_the_book_is_cited_by_its_number(pages: Pages, tmp_path: Path) -> None:
    """A reason would show an identifier, or a number that no theorem has."""
    tex, html = sources(pages, tmp_path), page_of(pages, tmp_path)
    assert r"whatever order (theorem~\ref{thm:sum_act})" in tex
    assert 'whatever order (<a href="#sum_act">theorem 1</a>)' in html
    assert r"softmax\_conjugate: the sum" in tex  # not in this book
    told = replace(pages[0].claims[0].marks[0], detail="sum_act: Closed")
    claim = replace(pages[0].claims[0], marks=(told,))
    assert r"sum\_act: Closed" in sources([replace(pages[0], claims=(claim,))], tmp_path)
    assert "sum_act: Closed" in page_of([replace(pages[0], claims=(claim,))], tmp_path)
    assert "softmax_conjugate: the sum" in html


def test_a_reason_is_set_as_formulas(pages: Pages, tmp_path: Path) -> None:
    """A reason would show Q′ = P Q as words."""
    tex, html = sources(pages, tmp_path), page_of(pages, tmp_path)
    assert "{${Q' = P Q}$ and ${K' = P K}$, from above}" in tex.replace(r"\allowbreak ", "")
    assert re.search(r'<div class="reason"><math[^>]*><msup><mi>Q</mi>', html)


def test_formulas_are_cut_at_the_top_level_alone() -> None:
    """A cut inside braces or \\left ... \\right leaves two halves that are no formulas."""
    assert pieces(r"(P A)(P V) = f(a, b) + -c") == ["(P A)", "(P V) ", "= f(a, b) ", "+ -c"]
    listed = f"t = ({', '.join('abcdefghijklmnopqrstuvwxy')})"
    assert [p[:3] for p in pieces(listed)[:4]] == ["t ", "= (", "b, ", "c, "]
    assert pieces(r"X, \quad Y = 1") == [r"X, \quad ", "Y ", "= 1"]
    for whole in (r"\left(a + b = c\right)", r"\frac{a + b}{c = d}", r"x_{i, j}", "-x",
                  r"\begin{cases} a + b & c = d \\ e, & f \end{cases}"):  # fmt: skip
        assert pieces(whole) == [whole]


# ---------------------------------------------------------------------------------- references


def test_references_are_read_whole() -> None:
    """A reference on the page would lack what the .bib has."""
    known = references()
    assert {"vaswani2017", "chiang2023", "s0", "s1", "s2", "s3", "mcilroyyoung2024"} <= set(known)
    attention = known["vaswani2017"]
    assert attention.fields["title"] == "Attention Is All You Need"
    assert attention.authors.startswith("Ashish Vaswani, Noam Shazeer")
    assert attention.authors.endswith("Łukasz Kaiser and Illia Polosukhin")
    assert known["dufter2022"].place == "Computational Linguistics 48(3), 733–763, 2022"
    assert "http" not in "".join("".join(r.fields.values()) for r in known.values())


@pytest.mark.parametrize(
    "text",
    [
        "@misc{a,\n  title = {{A}},\n}\nrubbish",
        "@misc{a,\n  title = {{A}},\n  year = 2020,\n}\n",
        "@misc{a,\n  year = {2020},\n}\n",
        "@misc{a,\n  title = {{A}},\n}\n\n@misc{a,\n  title = {{B}},\n}\n",
    ],
)
def test_text_that_is_no_entry_is_an_error(text: str) -> None:
    """A reference would be dropped in silence: stray text, no braces, no title, a key twice."""
    with pytest.raises(BadBibliography):
        parse(text)


# ----------------------------------------------------------------------------------- TeX's log


@pytest.mark.parametrize(
    "line",
    [
        r"Overfull \hbox (10.5pt too wide) in paragraph at lines 3--4",
        r"Overfull \vbox (123.0pt too high) has occurred while \output is active",
        "LaTeX Warning: Reference `thm:x' on page 1 undefined on input line 9.",
        "Package natbib Warning: Citation `nobody1999' on page 3 undefined on input line 7.",
        "LaTeX Warning: There were undefined references.",
        "LaTeX Warning: There were multiply-defined labels.",
        "Missing character: There is no x in font cmr10!",
        "./book.tex:12: Undefined control sequence.",
        "! Emergency stop.",
    ],
)
def test_the_log_check_sees(line: str) -> None:
    """A book with such a line in its log would pass for one in order."""
    assert faults(f"This is pdfTeX\n{line}\nOutput written") == [line]


def test_the_log_check_lets_pass() -> None:
    """It would reject every book."""
    fine = "Overfull \\hbox (9.9pt too wide) in paragraph\nUnderfull \\hbox (badness 10000)"
    assert faults(fine) == []


# ------------------------------------------------------------------------------------- the PDF


@needs_tex
def test_the_pdf_is_made_and_is_the_same_again(pages: Pages, tmp_path: Path) -> None:
    """TeX fails on a realistic book, or stamps it with the time or the folder."""
    made = []
    for name in ("a", "b"):
        sources(pages, tmp_path / name)
        result = build_pdf(tmp_path / name, date=DATE)
        assert result.path == tmp_path / name / "book.pdf"
        assert {p.name for p in result.path.parent.iterdir()} == {
            "book.tex", "references.bib", "book.pdf",
        }  # fmt: skip
        made.append(result.path.read_bytes())
    assert made[0].startswith(b"%PDF-")
    assert made[0] == made[1]


@needs_tex
@pytest.mark.parametrize(
    ("after", "why"),
    [
        (r"\section*{On trust}", r"\noindent\rule{700pt}{1pt}\par"),
        (r"\section*{On trust}", r"\ref{thm:nowhere}"),
        (r"\section*{On trust}", r"\undefinedcommand"),
    ],
)
def test_a_faulty_book_is_refused(pages: Pages, tmp_path: Path, after: str, why: str) -> None:
    """An overfull line, an undefined reference or TeX's error would pass; the old PDF stays."""
    text = sources(pages[:1], tmp_path)
    (tmp_path / "book.pdf").write_bytes(b"old")
    (tmp_path / "book.tex").write_text(text.replace(after, after + why), encoding="utf-8")
    with pytest.raises(TypesettingFailed, match=r"Overfull|nowhere|Undefined control sequence"):
        build_pdf(tmp_path, date=DATE)
    assert (tmp_path / "book.pdf").read_bytes() == b"old"


@needs_tex
def test_tex_has_a_time_limit(tmp_path: Path) -> None:
    """A loop in TeX would hang the run for ever."""
    text = "\\documentclass{article}\\begin{document}\\def\\x{\\x}\\x\\end{document}"
    (tmp_path / "book.tex").write_text(text)
    (tmp_path / "references.bib").write_text("")
    with pytest.raises(TypesettingFailed, match="longer than 1 s"):
        build_pdf(tmp_path, date=DATE, limit=1.0)


def test_without_tex_the_result_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without TeX would get an error, or no reason."""
    monkeypatch.setenv("PATH", str(tmp_path))
    result = build_pdf(tmp_path, date=DATE)
    assert result.path is None
    assert result.skipped == "pdflatex and bibtex not installed"
