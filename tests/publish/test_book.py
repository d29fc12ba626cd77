"""The book's sources and its PDF, and the checks on both with what they must reject."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from orderproof.check.page import RECORDED, Section, Table, TheoremPage
from orderproof.check.prove.unchecked import unchecked
from orderproof.proofs import catalogue
from orderproof.publish import book
from orderproof.publish.bibliography import BadBibliography, UnknownCitation, parse, references
from orderproof.publish.book import BadPage, write_sources
from orderproof.publish.chapters import Text, chapters, numbers
from orderproof.publish.fragment import MACROS
from orderproof.publish.latex_text import UnknownCharacter, words
from orderproof.publish.line_breaks import breaking, groups
from orderproof.publish.pdf import TOOLS, TypesettingFailed, build_pdf, faults, untypeset

DATE = "2026-11-21"
Pages = tuple[TheoremPage, ...]
Two = tuple[Text, ...]

needs_tex = pytest.mark.needs(*TOOLS)


def sources(pages: Sequence[TheoremPage], folder: Path, two: Two, date: str = DATE) -> str:
    """The text of book.tex."""
    folder.mkdir(exist_ok=True)
    written = write_sources(pages, folder, date=date, chapters=two)
    return written[0].read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------- sources


def test_equal_pages_give_equal_bytes(pages: Pages, two: Two, tmp_path: Path) -> None:
    """Else two runs would make two books; how long a mark took must not show."""

    def slow(page: TheoremPage) -> TheoremPage:
        marks = [tuple(replace(m, seconds=99.0) for m in c.marks) for c in page.claims]
        claims = (replace(c, marks=m) for c, m in zip(page.claims, marks, strict=True))
        return replace(page, claims=tuple(claims))

    slower = tuple(map(slow, pages))
    assert sources(pages, tmp_path / "a", two) == sources(slower, tmp_path / "b", two)
    other = (replace(pages[0], title="Another"), *pages[1:])
    assert sources(other, tmp_path / "a", two) != sources(pages, tmp_path / "b", two)


def test_what_cannot_be_printed_is_an_error(pages: Pages, two: Two, tmp_path: Path) -> None:
    """A broken anchor, two of one name, an empty chain, a ragged table, a mark nobody explains, on
    the title page a date that is none; or half a book, and a temporary file, after an error."""
    sources(pages, tmp_path, two)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    assert set(before) == {"book.tex", "references.bib"}
    lemma, main, _ = pages
    ragged = Table(("a", "b"), (("1", "2"), ("3",)))
    other = replace(lemma.claims[0].marks[0], mark="trustme")
    cites = replace(two[1], source=two[1].source + "\n\nSee {cite nobody1999}.")
    for broken, why in (
        ([replace(lemma, id='x" onload="y')], "theorem id"),
        ([lemma, lemma], "theorem id 'sum_act'"),
        ([replace(lemma, sections=(Section("none", ()),))], "a section without lines"),
        ([replace(main, examples=(replace(main.examples[0], parts=(ragged,)),))], "1 cells under"),
        ([replace(lemma, claims=(replace(lemma.claims[0], marks=(other,)),))], "marks: trustme"),
    ):
        with pytest.raises(BadPage, match=why):
            sources(broken, tmp_path, two)
    for date in ("", "2026-13-01"):
        with pytest.raises(BadPage, match="expected year-month-day"):
            sources(pages, tmp_path, two, date)
    with pytest.raises(UnknownCitation, match=r"^not in references.bib: nobody1999$"):
        sources(pages, tmp_path, (two[0], cites))
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def test_an_unexpected_verdict_stands_out(pages: Pages, two: Two, tmp_path: Path) -> None:
    """A theorem that stayed open would look like one that did not."""
    tex = sources(pages, tmp_path, two)
    assert tex.count("open, expected: proved") == 1 and "Not proved" in tex
    claims = tuple(replace(c, verdict=c.expected) for c in pages[2].claims)
    settled = replace(pages[2], verdict="proved", claims=claims)
    assert "expected: proved" not in sources([*pages[:2], settled], tmp_path, two)


def test_what_is_recorded_is_cited_so(pages: Pages, two: Two, tmp_path: Path) -> None:
    """A theorem that this run did not prove would be cited as proved."""
    cited = r"Theorem~\ref{thm:self_attention_equivariant}"
    assert rf"{cited}\recorded" not in sources(pages, tmp_path, two)
    kept = replace(pages[1], verdict=RECORDED)
    tex = sources([pages[0], kept, pages[2]], tmp_path, two)
    assert tex.count(cited) == tex.count(rf"{cited}\recorded{{}}") > 0


def test_digests_are_those_of_the_claims(pages: Pages, two: Two, tmp_path: Path) -> None:
    """A reader would compare the digest of another claim, or of a book with another statement."""
    claims = tuple(replace(pages[0].claims[0], digest=x * 64) for x in "ab")
    changed = [replace(pages[0], claims=claims), *pages[1:]]
    tex = sources(changed, tmp_path, two)
    assert r"\texttt{sum\_\allowbreak{}act} (1)~\texttt{aaaaaaaa} (2)~\texttt{bbbbbbbb}\par" in tex
    assert book.digest(changed) in tex and book.digest(pages) not in tex


def test_what_no_claim_says_is_not_in_the_theorem(pages: Pages, two: Two, tmp_path: Path) -> None:
    """A sentence that no claim says would stand under what is proved."""
    tex = sources(pages, tmp_path, two)
    assert "the output rows are permuted alike." in tex and "No row of the output" not in tex


def test_nothing_is_scaled_but_pictures() -> None:
    """A formula would be shrunk to fit its line, until nobody can read it."""
    for file in (book.TEMPLATE, MACROS):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"\\(?:resize|scale)box", text), file.name
        assert text.count("[width=") == text.count(r"\includegraphics[width=")


# ------------------------------------------------------------------------------- words in LaTeX


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("50% & ab_c #1 {4} \\ $", r"50\% \& ab\_c \#1 \{4\} \textbackslash{} \$"),
        ("σ ≠ Σ — “the”", r"$\sigma$~$\neq$~$\Sigma$ --- ``the''"),
        ("Z′ = PᵀP", r"$Z {}'$ = $P {}^{\top} P$"),
        ('"the" isn\'t', "``the'' isn't"),
        ("book --rocq", "book -{}-rocq"),
        ("$x of σX$", r"\$$x$ of $\sigma X$\$"),
        ("10⁻¹", r"10${}^{-} {}^{1}$"),
        ("P_σ with d_k = 2", r"$P_{\sigma}$ with $d_{k}$~=~2"),
        ("sum_act x_yz", r"sum\_act x\_yz"),
        ("a Σ_{i ≥ j} 1/i", r"a $\Sigma_{i\geq j}$ 1/$i$"),
        ("Łukasz Schütze Póczos", "Łukasz Schütze Póczos"),
        # P in a sentence as in a formula, and no article as a matrix
        ("A token, row i of X, I say; A = V", "A token, row $i$ of $X$, I say; $A$~=~$V$"),
        ("f(PX) is P f(X), e.g. the cat's, x-axis, C4",
         r"$f$($P\,X$) is $P$ $f$($X$), e.g. the cat's, x-axis, C4"),
    ],
)  # fmt: skip
def test_words_are_escaped_and_mapped(text: str, latex: str) -> None:
    """TeX would read the words as commands, or drop a character."""
    assert words(text) == latex


@pytest.mark.parametrize(
    ("printed", "text"),
    [(words, "日"), (words, "🙂"), (words, "a\u200bb"), (words, "\x07"), (words, "Σ_{i ☃ j}"),
     (breaking, "σ"), (breaking, ""), (breaking, "  ")],
)  # fmt: skip
def test_what_tex_cannot_set_is_an_error(printed: Callable[[str], str], text: str) -> None:
    """A character would be missing from the PDF without a word, or a line say nothing."""
    with pytest.raises(UnknownCharacter, match=r"U\+|an empty formula"):
        printed(text)


LISTED = ["t ", "= (a, ", *(f"{c}, " for c in "bcdefghijklmnopqrstuvwx"), "y)"]
LONG = [r"A_{1}\,", r"B_{2}\,", r"C_{3}\,", r"D_{4}\,", r"E_{5}\,", r"F_{6}\,", r"(G_{7} ",
        r"+ H_{8})\,", r"J_{9}\,", "K_{10}"]  # fmt: skip


@pytest.mark.parametrize(
    "pieces",
    [
        # a line ends neither within W ∈ ℝ, nor between the braces of {1, …, n}
        [["X ", r"\in \mathbb{R}^{n},\; "], [r"f: \{1, \dots, n\} ", r"\to \{1, \dots, m\}"]],
        [[r"(P A)\,(P V)"]],  # a space is no comma
        [[r"X, \quad "], ["Y ", "= 1"]],
        # nor inside braces or \left ... \right, which would leave two halves that are no formulas
        [["(P A)(P V) ", "= f(a, b) ", "+ -c"]],
        [LISTED], [LONG],
        [[r"\left(a + b = c\right)"]], [[r"\frac{a + b}{c = d}"]], [["x_{i, j}"]], [["-x"]],
        [[r"\begin{cases} a + b & c = d \\ e, & f \end{cases}"]],
    ],
)  # fmt: skip
def test_formulas_are_cut_into_parts_that_are_formulas(pieces: list[list[str]]) -> None:
    """A line would end where nobody ends it, or a long formula not be broken at all."""
    assert groups("".join(x for group in pieces for x in group)) == pieces


# ---------------------------------------------------------------------------------- references


def test_references_are_read_whole() -> None:
    """A reference on the page would lack what the .bib has."""
    known = references()
    attention = known["vaswani2017"]
    assert attention.fields["title"] == "Attention Is All You Need"
    assert attention.authors.startswith("Ashish Vaswani, Noam Shazeer")
    assert attention.authors.endswith("Łukasz Kaiser and Illia Polosukhin")
    assert known["dufter2022"].place == "Computational Linguistics 48(3), 733–763, 2022"
    assert [r.authors for r in known.values()].count("") == 0


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
    """A book with such a line in its log would pass for one in order, or every book be rejected."""
    fine = "Overfull \\hbox (9.9pt too wide) in paragraph\nUnderfull \\hbox (badness 10000)"
    assert faults(f"This is pdfTeX\n{line}\n{fine}\nOutput written") == [line]


# ------------------------------------------------------------------------------------- the PDF


def plant(tex: str, planted: str, folder: Path) -> None:
    """Put something at the end of the last chapter."""
    text = tex.replace(r"\backmatter", rf"{planted}\backmatter")
    (folder / "book.tex").write_text(text, encoding="utf-8")


@needs_tex
@pytest.mark.slow
@pytest.mark.parametrize(
    ("planted", "why"),
    [
        (r"\noindent\rule{700pt}{1pt}\par", "Overfull"),
        (r"\ref{thm:nowhere}", "nowhere"),
        (r"\undefinedcommand", "Undefined control sequence"),
        (r"\cite{nobody1999}", "nobody1999"),
    ],
)
def test_a_faulty_book_is_refused(
    pages: Pages, two: Two, tmp_path: Path, planted: str, why: str
) -> None:
    """An overfull line, an undefined reference or TeX's error would pass; the old PDF stays."""
    plant(sources(pages, tmp_path, two), planted, tmp_path)
    (tmp_path / "book.pdf").write_bytes(b"old")
    with pytest.raises(TypesettingFailed, match=why):
        build_pdf(tmp_path, date=DATE)
    assert (tmp_path / "book.pdf").read_bytes() == b"old"


@needs_tex
@pytest.mark.needs("pdftotext")
@pytest.mark.slow
def test_the_whole_book_is_in_order(tmp_path: Path) -> None:
    """A line runs over, a reference leads nowhere, the index or the references are not made, the
    text cannot be searched, two builds differ; or the book grows beyond what people read."""
    pages = [unchecked(catalogue.load(name)) for name in catalogue.IDS]
    made = []
    for name in ("a", "b"):
        folder = tmp_path / name
        write_sources(pages, folder, date=DATE)
        path = build_pdf(folder, date=DATE)
        assert path is not None
        made.append(path.read_bytes())
    assert made[0] == made[1] and made[0].startswith(b"%PDF-")
    assert {p.name for p in folder.iterdir()} == {"book.tex", "references.bib", "book.pdf"}
    done = subprocess.run(
        ["pdftotext", str(tmp_path / "a" / "book.pdf"), "-"], capture_output=True, check=True
    )
    text = unicodedata.normalize("NFKC", done.stdout.decode())  # letters of formulas: 𝜎
    assert text.count("\f") <= 90
    for said in ("Self-attention is permutation equivariant", "List of claims", "References",
                 "Index", "The answer", book.digest(pages), book.TITLE):  # fmt: skip
        assert said in text, said
    assert "σ" in text and "??" not in text
    found = numbers(chapters(pages))  # the site has them too
    spaced = " ".join(text.split())
    assert [x for x in found.values() if f"{x[0]} {x[1]} (" not in spaced] == []


@needs_tex
@pytest.mark.slow
def test_a_picture_has_a_text(pages: Pages, two: Two, tmp_path: Path) -> None:
    """One who cannot see the figure would not be told of it."""
    import matplotlib.figure

    plain = r"\pdfgentounicode=1"
    tex = sources(pages, tmp_path, two).replace(plain, rf"{plain}\pdfcompresslevel=0")
    plant(tex, r"\pictured{figures/dot.pdf}{00440041}", tmp_path)
    (tmp_path / "figures").mkdir()
    matplotlib.figure.Figure(figsize=(1, 1)).savefig(tmp_path / "figures" / "dot.pdf")
    build_pdf(tmp_path, date=DATE)
    assert b"/Alt<FEFF00440041>" in (tmp_path / "book.pdf").read_bytes().replace(b" ", b"")


def running_in(folder: Path) -> list[str]:
    """The processes of which the working folder is within this one, where the system tells."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            found += [link.parent.name] * os.readlink(link).startswith(str(folder))
    return found


@needs_tex
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="needs /proc")
def test_tex_has_a_time_limit(tmp_path: Path) -> None:
    """A loop in TeX would hang the run for ever, or go on behind it."""
    text = "\\documentclass{article}\\begin{document}\\def\\x{\\x}\\x\\end{document}"
    (tmp_path / "book.tex").write_text(text)
    (tmp_path / "references.bib").write_text("")
    with subprocess.Popen(["sleep", "30"], cwd=tmp_path) as left:
        assert running_in(tmp_path) == [str(left.pid)]
        left.kill()
    with pytest.raises(TypesettingFailed, match="longer than 1 s"):
        build_pdf(tmp_path, date=DATE, limit=1.0)
    until = time.monotonic() + 60
    while running_in(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    assert running_in(tmp_path) == []


def test_without_tex_the_result_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without TeX would get an error, or no reason."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build_pdf(tmp_path, date=DATE) is None
    assert untypeset() == "pdflatex and bibtex and makeindex and latexmk not installed"
