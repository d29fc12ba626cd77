"""The chapters: what they print and may type, and that each theorem stands in one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orderproof.check.page import RECORDED, Formula, Mark, TheoremPage
from orderproof.check.prove.unchecked import unchecked
from orderproof.proofs import catalogue
from orderproof.publish import markdown, to_text
from orderproof.publish.chapters import (
    Chapter,
    ChapterSlots,
    Text,
    chapters,
    numbers,
    texts,
)
from orderproof.publish.model import (
    Block,
    ChapterRef,
    Code,
    Display,
    Emphasis,
    Heading,
    Items,
    Paragraph,
    Proof,
    Theorem,
)
from orderproof.publish.theorem import BadSlot, ProofSlots

SHARED = "one mask or bias that all heads share"
Two = tuple[Text, ...]
Pages = tuple[TheoremPage, ...]
ROCQ = Path(__file__).parents[2] / "proofs/rocq"
SEES_ORDER = {  # what Rocq asks of each constructor for naturality, in the chapter's words
    "Iota": ("read a place as a number", "place that is read as a number", "reads one as a number"),
    "At": ("*select* a row by its place", "a row that was selected", "selects a place"),
    "Iterate": ("the axis of the layers is not permuted",),
    "Opaque": ("takes or yields the whole axis of tokens", "takes or yields all tokens"),
}

FOREIGN = r"[^A-Za-zÀ-ÖØ-öø-ž0-9\s.,:;?!()\[\]*“”’-]"  # in an introduction: what is no prose
# What words may not hold, for it comes from what was checked: relations, sums, fractions, TeX.
TYPED = re.compile(r"[=≠≤≥<>∑√→⇒$\\]|\b\d+\s*/\s*\d+|\b\d+\.\d+|Σ_")


def faults(found: Sequence[Chapter], pages: Sequence[TheoremPage]) -> list[str]:
    """What is wrong with the chapters of these theorems: mathematics that is typed; a title or an
    introduction that is missing; other theorems than the catalogue has, or another order; a theorem
    that no chapter states, or none proves, or that is proved twice."""
    wrong = [f"{c.text.name}: typed {x}" for c in found for x in typed(c.text.source)]
    wrong += [f"{page.id}: typed {x}" for page in pages for x in typed(page.argument)]
    stated: list[str] = []
    for chapter in found:
        text = chapter.text
        foreign = re.findall(FOREIGN, text.introduction) + ["*"] * (
            text.introduction.count("*") % 2
        )
        wrong += [f"{text.name}: {x!r} in its introduction" for x in foreign]
        if not (text.title and text.introduction):
            wrong.append(f"{text.name}: expected a title and an introduction")
        here = tuple(b.id for b in chapter.blocks if isinstance(b, Theorem))
        if here != text.theorems:
            wrong.append(f"{text.name}: states {here}, expected its theorems {text.theorems}")
        stated += here
    wrong += [f"{p.id}: stated by no chapter" for p in pages if p.id not in stated]
    wrong += [f"{x}: stated twice" for x in dict.fromkeys(stated) if stated.count(x) > 1]
    proved = [b.id for c in found for b in c.blocks if isinstance(b, Proof)]
    wrong += [f"{name}: stated without a proof" for name in stated if name not in proved]
    return wrong + [f"{x}: proved twice" for x in dict.fromkeys(proved) if proved.count(x) > 1]


def typed(text: str) -> list[str]:
    """Mathematics that is typed by hand in words, as it stands there: letters alone may be."""
    words = " ".join(re.sub(r"(?<!_)\{[^{}]*\}|`[^`]*`", " ", text).split())
    return [f"{m[0]} in {words[max(0, m.start() - 20) : m.end() + 20]!r}"
            for m in re.finditer(TYPED, words)]  # fmt: skip


def made(found: Sequence[Text], pages: Sequence[TheoremPage]) -> tuple[Chapter, ...]:
    """The chapters of these texts, without the table of schemes."""
    return chapters(pages, found=found)


def with_text(chapter: Text, text: str) -> Text:
    """The chapter with something more at its end."""
    return replace(chapter, source=f"{chapter.source}\n\n{text}\n")


def test_every_theorem_stands_in_one_chapter_with_its_proof() -> None:
    """A theorem would be missing, stand twice, or stand without proof; or a chapter, or a proof in
    words, would type mathematics that nothing checks."""
    pages = [unchecked(catalogue.load(name)) for name in catalogue.IDS]
    assert faults(made(texts(), pages), pages) == []


def test_what_is_wrong_with_chapters_is_said(two: Two, pages: Pages) -> None:
    """The test above would pass whatever the chapters say."""
    first, second = two

    def wrong(*found: Text, of: Sequence[TheoremPage] = pages) -> list[str]:
        return faults(made(found, pages), of)

    assert wrong(*two) == []
    read = (Paragraph(("A sum, and ", Emphasis("attention"), " of A and B.")),)
    assert [c.introduction for c in made(two[:1], pages)] == [read]
    other = replace(pages[0], id="scores_conjugate")
    assert wrong(*two, of=[*pages, other]) == ["scores_conjugate: stated by no chapter"]
    for theorems in ((), first.theorems[::-1], second.theorems):
        (said,) = wrong(replace(first, theorems=theorems), second)
        assert said.startswith("01_first: states ('sum_act', 'self_attention_equivariant'), exp")
    for change in ({"title": ""}, {"introduction": ""}):
        said = "01_first: expected a title and an introduction"
        assert wrong(replace(first, **change), second) == [said]
    for found in "$=/*_σ²√Σ<∘\"'%\\+^":
        text = replace(first, introduction=f"a {found} b")
        assert f"01_first: {found!r} in its introduction" in wrong(text, second)
    unproved = replace(first, source=first.source.replace("{proof sum_act}", ""))
    assert wrong(unproved, second) == ["sum_act: stated without a proof"]
    assert wrong(first, with_text(second, "{proof sum_act}")) == ["sum_act: proved twice"]
    assert "sum_act: stated twice" in wrong(first, with_text(second, "{lemma sum_act}"))
    said = "02_second: typed = in 'so a = b holds'"
    assert wrong(first, with_text(second, "so a = b holds")) == [said]
    false = replace(pages[0], argument="Since a ≤ b.")
    assert faults(made(two, pages), [false, *pages[1:]]) == ["sum_act: typed ≤ in 'Since a ≤ b.'"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("W_Q of X, σ and Z′", 0), ("`a = b` and {claim sum_act 1}", 0), ("S_n of K and Kᵀ", 0),
        ("n = 2", 1), ("gives 11/18", 1), ("0.5", 1), ("Z ≠ PZ", 1), ("$X$", 2), ("\\sum", 1),
        ("Σ_j a", 1), ("X_{i = 2}", 1),
    ],
)  # fmt: skip
def test_only_letters_may_be_typed(text: str, found: int) -> None:
    """A formula would stand in the book that nothing checked; or authors could not name what they
    speak of."""
    assert len(typed(f"so it is, {text}, and so on")) == found


@pytest.mark.parametrize(
    ("slot", "why"),
    [
        ("theorem nonsense", "given nonsense, expected the id of a theorem"),
        ("theorem sum_act | nonsense 1", "given the option nonsense"),
        ("theorem sum_act | claims", "given the option claims"),
        ("theorem sum_act | where nothing", "given the option where nothing"),
        ("theorem sum_act | given shor", "given the option given shor"),
        ("theorem sum_act | claims 1 9", "given claim 9, there are 1"),
        ("ref nonsense", "given nonsense, expected the id of a theorem"),
        ("claim sum_act 9", "given claim 9, there are 1"),
        ("chain self_attention_equivariant Y", "given the chain Y, expected one of: .*The output"),
        ("proof self_attention_equivariant | Y", "given the chain Y, expected one of"),
        ("example sum_act 1", "given 1, there are 0"),
        ("where self_attention_equivariant Y", "given the letter Y, expected one it defines"),
        ("nonsense", "given {nonsense}, expected a slot, a symbol or a formula"),
        ("running_means; nonsense", "given {nonsense}"),
        ("definition nonsense", "given 0 definitions"),
        ("chain A", "expected the id of a theorem"),
    ],
)
def test_a_chapter_that_asks_for_what_there_is_not(
    pages: Pages, two: Two, slot: str, why: str
) -> None:
    """An author would get a traceback, or a book with a hole."""
    with pytest.raises(BadSlot, match=f"^chapter 02_second: .*{why}"):
        made((two[0], with_text(two[1], f"{{{slot}}}")), pages)


X = Formula("X", "X")


@pytest.mark.parametrize(
    ("source", "blocks"),
    [
        ("a\n{X}\nb\n{X}\nc {X} d", (
            Paragraph(("a",)), Display((("", X),)), Paragraph(("b",), True), Display((("", X),)),
            Paragraph(("c ", X, " d"), True),
        )),
        ("{X}\na\n\nb", (Display((("", X),)), Paragraph(("a",), True), Paragraph(("b",)))),
        ("a **b** *c* `d`", (
            Paragraph(("a ", Emphasis("b", True), " ", Emphasis("c"), " ", Code("d"))),
        )),
        ("## A {X}\n\n### B {-}", (Heading(("A ", X)), Heading(("B",), 2, False))),
        ("- a {X} b\n- c\n  d", (Items((("a ", X, " b"), ("c d",))),)),
        ("so Σ_{i ≥ j} is", (Paragraph(("so Σ_{i ≥ j} is",)),)),
        ("{chapter heads}, {Chapter evidence}", (
            Paragraph(("chapter\u00a0", ChapterRef("heads"), ", Appendix\u00a0",
                       ChapterRef("evidence"))),
        )),
    ],
)  # fmt: skip
def test_markdown_is_read_whole(source: str, blocks: tuple[Block, ...]) -> None:
    """Words beside a slot would be lost, a paragraph begin where it goes on, a term not be in the
    index, or a remark go on to the end."""
    assert markdown.blocks(source, ProofSlots(None)) == blocks


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("a {claim sum_act 1 b", "braces in pairs"), ("a {{X}} b", "braces in pairs"),
        ("a } b", "braces in pairs"), ("`{X}` is", "given {X} in code"),
        ("*{X}* is", "given {X} in stressed words"), ("- a\n\n  > b", "blockquote_open"),
        ("- a\n\n  ```\n  b\n  ```", "given fence in a list"), ("- a\n  - b", "bullet_list_open"),
        ("1. a", "ordered_list_open"), ("a  \nb", "hardbreak"),
    ],
)  # fmt: skip
def test_what_no_writer_prints_is_refused(pages: Pages, two: Two, source: str, why: str) -> None:
    """Words or a slot would be lost, or be printed as braces or as a character without a form."""
    with pytest.raises(BadSlot, match=f"^chapter 01_first: .*{re.escape(why)}"):
        made((replace(two[0], source=source),), pages)


NONE = "No claims stayed open or came out other than declared. "
WEAK = "No claims rested on an argument on paper or on a conjecture. "
OPEN = "1 claim stayed open or came out other than declared: sum_act. "


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, NONE + WEAK), *(({"verdict": x}, OPEN + WEAK) for x in ("open", "refuted")),
        ({"verdict": "not checked"}, OPEN + WEAK),
        ({"verdict": RECORDED}, "Rocq alone proves 1 claim, and was not run for this copy"),
        *(({"marks": (Mark(name, True, 0.0, ""),)},
           f"{NONE}1 claim rested on an argument on paper or on a conjecture: sum_act. ")
          for name in ("paper", "conjecture")),
    ],
)  # fmt: skip
def test_what_is_open_is_named(pages: Pages, change: dict[str, Any], said: str) -> None:
    """The book would say that no claim is open, or rests on paper, where one does."""
    first = pages[0].claims[0]
    page = replace(pages[0], claims=(first, replace(first, **change)))
    assert said in to_text.words(ChapterSlots([page]).within("open_claims"))


def test_theorems_have_the_numbers_of_the_book(two: Two, pages: Pages) -> None:
    """A reader of the site would look up another theorem in the PDF: examples count there, remarks
    do not."""
    example = "{example self_attention_equivariant 1}"
    before = replace(two[1], source=f"{example}\n\n{two[1].source}")
    assert numbers(made((two[0], before), pages)) == {
        "sum_act": ("Lemma", "1.1"),
        "self_attention_equivariant": ("Theorem", "1.2"),
        "not_equivariant_of_learned_position": ("Proposition", "2.2"),
    }


def test_chapters_are_named_in_order() -> None:
    """A folder of a chapter would be left out of the book."""
    names = [chapter.name for chapter in texts()]
    folders = [path.parent.name for path in ROCQ.parent.glob("*/chapter.md")]
    assert sorted(names) == sorted(folders) and len(names) == 16
    assert names[0] == "four_questions" and names[-1] == "evidence"


def test_the_chapter_names_each_way_in_which_a_term_sees_order() -> None:
    """A reader would take order to enter in fewer ways than those that Rocq's theorem excludes."""
    rocq = (ROCQ / "Naturality.v").read_text(encoding="utf-8")
    asked = rocq.partition("Definition op_sees_none")[2].partition("| _ => True")[0]
    found = set(re.findall(r"^  \| (\w+)", asked, re.MULTILINE))
    assert found - {"Apply"} == set(SEES_ORDER)  # a definition asks what its body asks
    (text,) = (" ".join(c.source.split()) for c in texts() if c.name == "naturality")
    assert [x for words in SEES_ORDER.values() for x in words if x not in text] == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("offsets", "token can show where it stands"), ("offsets", "can notice it from one token"),
        ("added_and_biases", "the norm loses can be seen beside it"), ("refinement", SHARED),
        ("refinement", "of which no row adds up to zero, the share"),
    ],
)  # fmt: skip
def test_chapters_say_no_more_than_theorems(name: str, words: str) -> None:
    """What is shown of some tables and encoders would be said of all."""
    (text,) = (" ".join(c.source.split()) for c in texts() if c.name == name)
    assert words in text and "strongest" not in text  # no bound is shown to be the best
    of_encoders = [s.text for s in catalogue.load("attention_is_colour_refinement").words
                   if "colour_refinement_of_encoders" in s.headlines]  # fmt: skip
    assert of_encoders and all(SHARED in s for s in of_encoders)
