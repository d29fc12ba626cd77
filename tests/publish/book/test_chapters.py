"""The chapters: what they print and may type, and that each theorem stands in one of them."""

from __future__ import annotations

import datetime
import re
from dataclasses import replace
from pathlib import Path

import pytest

from orderproof.check.page import TheoremPage
from orderproof.proofs import catalogue
from orderproof.publish.book import prose, sources
from orderproof.publish.book.prose import Chapter
from orderproof.publish.book.references import Names
from orderproof.publish.book.theorems import BadChapter, Theorems
from orderproof.publish.book.typed import typed

Chapters = tuple[Chapter, ...]
ROCQ = Path(__file__).parents[3] / "proofs/rocq"
SEES_ORDER = {  # what Rocq asks of each constructor for naturality, in the chapter's words
    "Iota": ("read a place as a number", "place that is read as a number", "reads one as a number"),
    "At": ("\\emph{select} a row by its place", "a row that was selected", "selects a place"),
    "Iterate": ("the axis of the layers is not permuted",),
    "Opaque": ("takes or yields the whole axis of tokens", "takes or yields all tokens"),
}
Pages = tuple[TheoremPage, ...]


def with_text(chapter: Chapter, text: str) -> Chapter:
    """The chapter with something more at its end."""
    return replace(chapter, source=chapter.source + text)


def test_every_theorem_stands_in_one_chapter_with_its_proof() -> None:
    """A theorem would be missing, stand twice, or stand without proof; or a chapter would type
    mathematics that nothing checks."""
    assert prose.faults(prose.chapters(), catalogue.IDS) == []


def test_what_is_wrong_with_chapters_is_told(two: Chapters) -> None:
    """The test above would pass whatever the chapters say."""
    ids = [name for c in two for f, name in c.calls() if f in prose.KINDS]
    first, second = two
    assert prose.faults(two, ids) == []
    assert prose.faults(two, [*ids, "scores_conjugate"]) == [
        "scores_conjugate: printed by no chapter"
    ]
    for theorems in ((), first.theorems[::-1], second.theorems):
        (wrong,) = prose.faults((replace(first, theorems=theorems), second), ids)
        assert wrong.startswith("01_first: prints ('sum_act', 'self_attention_equivariant'), exp")
    printed = "01_first: expected a title and an introduction, each printed once"
    for change in (
        {"title": ""}, {"introduction": ""},
        *({"source": first.source.replace(f"<< {x}() >>", "T")} for x in ("title", "introduction")),
        *({"source": f"<< {x}() >>{first.source}"} for x in ("title", "introduction")),
    ):  # fmt: skip
        assert prose.faults((replace(first, **change), second), ids) == [printed]
    for text, found in (
        ("$P X$ is", "$"), ("n = 2", "="), ("11/18", "/"), ("a *b", "*"), ("x_1", "_"), ("σ", "σ"),
        ("σ²", "²"), ("√n", "√"), ("Σ", "Σ"), ("a < b", "<"), ("P ∘ Q", "∘"), ('"so"', '"'),
        ("it's", "'"), ("50%", "%"), ("{a}", "{"), ("\\emph", "\\"), ("a + b", "+"), ("x^2", "^"),
    ):  # fmt: skip
        wrong = prose.faults((replace(first, introduction=text), second), ids)
        assert f"01_first: {found!r} in its introduction" in wrong
    assert prose.faults(two, ids[1:]) == ["sum_act: no theorem of the catalogue"]
    unproved = replace(first, source=first.source.replace('<< proof("sum_act") >>', ""))
    assert prose.faults((unproved, second), ids) == ["sum_act: printed without a proof"]
    twice = with_text(second, '<< end_proof("sum_act") >>')
    assert prose.faults((first, twice), ids) == ["sum_act: proved twice"]
    mathematics = with_text(second, "so $a = b$ holds")
    assert prose.faults((first, mathematics), ids) == ["02_second: typed $a = b$"]
    with pytest.raises(BadChapter, match="02_second: sum_act is printed twice"):
        prose.kinds((first, with_text(second, '<< lemma("sum_act") >>')))


def test_an_introduction_is_prose_with_its_stress(two: Chapters) -> None:
    """What is not stressed would be, or a name of one letter be set as mathematics."""
    bare = replace(two[0], source="<< title() >>: << introduction() >>")
    (text,) = prose.rendered((bare,), {}, Names({}))
    assert text == r"First: A sum, and \emph{attention} of A and B."


@pytest.mark.parametrize(
    "text",
    [
        "$X$", "$W_Q$", r"$\sigma$", "$Z'$", "$S_n$", r"$\mathbb{R}$", r"$K^{\top}$", r"$\softmax$",
        r"$\sigma(i)$", r"$\sigma^{-1}$", "costs 5\\$ or 6\\$", r"\label{a=b}",
        "<< claim('a = b') >>", "% a = b",
    ],
)  # fmt: skip
def test_symbols_may_be_typed(text: str) -> None:
    """Authors could not name what they speak of."""
    assert list(typed(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "$PX$", "$P X$", "$n = 2$", r"$\sum_j a_j$", r"$\frac{1}{2}$", "$2$", r"$a \leq b$",
        r"\[ x \]", r"\(x\)", r"\begin{align*}x\end{align*}", "$$x$$", "n = 2", "gives 11/18",
        "0.5", "Z ≠ PZ",
    ],
)  # fmt: skip
def test_mathematics_may_not_be_typed(text: str) -> None:
    """A formula would stand in the book that nothing checked."""
    assert list(typed(f"so it is, {text}, and so on"))


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ('theorem("nonsense")', "given nonsense, expected the id of a theorem"),
        ('claim("sum_act", 9)', "given claim 9, there are 1"),
        (
            'section("self_attention_equivariant", "Y")',
            "given section Y, expected one of: .*The output",
        ),
        ('example("sum_act", 1)', "given 1, there are 0"),
        ('where("self_attention_equivariant", "Y")', "given Y, expected a letter"),
        ('hypotheses("sum_act", 1)', "given a claim with none of its own"),
        ('formula("nonsense")', "given no name of"),
        ('formula("running_means", "nonsense")', "given no name of"),
        ('claim("sum_act", nonsense=1)', "unexpected keyword"),
    ],
)
def test_a_chapter_that_asks_for_what_there_is_not(
    pages: Pages, two: Chapters, call: str, why: str
) -> None:
    """An author would get a traceback of the template engine, or a book with a hole."""
    wrong = (two[0], with_text(two[1], f"<< {call} >>"))
    with pytest.raises(BadChapter, match=f"^chapter 02_second: .*{why}"):
        sources.text(pages, datetime.date(2026, 11, 21), chapters=wrong)


def test_a_theorem_is_cited_by_its_kind(pages: Pages) -> None:
    """A reader would look for theorem 1.1, which is lemma 1.1; or find an identifier."""
    names = Names({"sum_act": "lemma", "scores_conjugate": "theorem"})
    assert names.tex("by sum_act") == r"by Lemma~\ref{thm:sum_act}"
    assert names.tex("by Lemma 1") == r"by Lemma~\ref{thm:sum_act}"
    assert names.tex("qkv_equivariant: it") == r"qkv\_equivariant: it"  # not in this book
    assert names.title(replace(pages[0], title="Lemma 1: a sum")) == "A sum"


def test_what_chapter_two_says_is_not_said_again(pages: Pages) -> None:
    """Each theorem would define queries, keys and values anew."""
    lemma, main, learned = pages
    same = replace(learned, where=main.where[:1], claims=main.claims[:1])
    other = replace(learned, where=(*main.where[:1], *lemma.claims[:1]), claims=main.claims[:1])
    other = replace(other, where=(*main.where[:1], lemma.claims[0].statement))
    names = Names({learned.id: "theorem"})
    told = {
        page is same: Theorems((lemma, main, page), names).functions()["theorem"](learned.id)
        for page in (same, other)
    }
    assert "where" not in told[True] and "where" in told[False]


def test_the_chapter_names_each_way_in_which_a_term_sees_order() -> None:
    """A reader would take order to enter in fewer ways than those that Rocq's theorem excludes."""
    rocq = (ROCQ / "Naturality.v").read_text(encoding="utf-8")
    asked = rocq.partition("Definition op_sees_none")[2].partition("| _ => True")[0]
    found = set(re.findall(r"^  \| (\w+)", asked, re.MULTILINE))
    assert found - {"Apply"} == set(SEES_ORDER)  # a definition asks what its body asks
    (chapter,) = (c for c in prose.chapters() if c.name == "naturality")
    text = " ".join(chapter.source.split())
    for constructor, words in SEES_ORDER.items():
        assert [w for w in words if w not in text] == [], constructor
    assert "Two constructors" not in text and "through nothing else" not in text


def test_words_that_no_theorem_bears_out() -> None:
    """A bound would be called the best one, or what is shown of some tables and encoders be said of
    all."""
    text = {c.name: " ".join(c.source.split()) for c in prose.chapters()}
    assert "strongest" not in text["position_and_depth"]
    assert "token can show where it stands" in text["offsets"]
    assert "the norm loses can be seen beside it" in text["added_and_biases"]
    assert "can notice it from one token on" in text["offsets"]
    shared = "one mask or bias that all heads share"
    assert shared in text["refinement"]
    refinement = catalogue.load("attention_is_colour_refinement")
    of_encoders = [
        s.text for s in refinement.words if "colour_refinement_of_encoders" in s.headlines
    ]
    assert of_encoders and all(shared in s for s in of_encoders)
