"""A document as HTML: what stands for each part of it, and that no word of it becomes markup."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest
from markupsafe import Markup

from orderproof.check.page import Formula, Line
from orderproof.publish import model
from orderproof.publish.bibliography import UnknownCitation
from orderproof.publish.model import (
    ChapterRef,
    Citation,
    Code,
    Display,
    Emphasis,
    Figure,
    Folded,
    Heading,
    Inline,
    Items,
    Link,
    MarkName,
    Paragraph,
    Proof,
    Remark,
    Section,
    Source,
    Table,
    Theorem,
    TheoremRef,
    Verdict,
)
from orderproof.publish.to_html import SHORT, Cited, Writer, plain
from tests.publish.web.checks import seen


def dollars(latex: str) -> Markup:
    """A formula as a notebook has it."""
    return Markup("${}$").format(latex)


WRITER = Writer(
    dollars,
    dollars,
    "../",
    {"sum_act": Cited("A sum", "Lemma 3.1"), "naturality": Cited("It is natural")},
    {"pooling": ("6", "chapter/pooling.html")},
    {"press2022": "Press et al. 2022", "s0": "A title"},
)
F = Formula("x < y", "x < y")
LEMMA = '<span class="ref"><a href="../theorem/sum_act.html">Lemma 3.1</a></span>'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("W_Q and P_σ", "<var>W</var><sub>Q</sub> and <var>P</var><sub>σ</sub>"),
        ("Σ_{i ≥ j} of X′", "<var>Σ</var><sub>i\u00a0≥\u00a0j</sub> of <var>X</var>′"),
        ("A set I of rows i; σ(k)", "A set I of rows <var>i</var>; <var>σ</var>(<var>k</var>)"),
        ('sum_act: "n < k"', "sum_act: “<var>n</var>\u00a0&lt;\u00a0<var>k</var>”"),
    ],
)
def test_letters_of_words_are_mathematics(text: str, shown: str) -> None:
    """An index would stand beside its letter, an article in italics, or a sign of HTML bare."""
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("by sum_act, not swap_act or `sum_act.py`",),
         f"by {LEMMA}, not swap_act or `sum_act.py`"),
        ((TheoremRef("sum_act"), ", by Lemma 1"), f"{LEMMA}, by {LEMMA}"),
        ((TheoremRef("naturality"),),
         '<span class="ref"><a href="../theorem/naturality.html"><code>naturality</code></a></span>'),
        ((TheoremRef("no_such"),), "<code>no_<wbr>such</code>"),
        ((F, Emphasis("so"), Emphasis("term", True)), "$x &lt; y$<em>so</em><dfn>term</dfn>"),
        (("chapter ", ChapterRef("pooling")), 'chapter <a href="../chapter/pooling.html">6</a>'),
        ((ChapterRef("none"),), "none"),
        ((Link("✓", "scheme/alibi.html#order", "proved", "alibi: proved"),),
         '<a href="../scheme/alibi.html#order" aria-label="alibi: proved" title="alibi: proved">✓'
         "</a>"),
        ((Link("(2)", "#claim-2"),), '<a href="#claim-2">(2)</a>'),
        ((Link("here", "javascript:x()"),), "here (javascript:x())"),
        ((Link("there", "//example.org"),), "there (//example.org)"),
        ((Citation(("press2022", "s0")),),
         '[<a href="../references.html#ref-press2022">Press et al. 2022</a>; '
         '<a href="../references.html#ref-s0">A title</a>]'),
        (("Press et al. 2022, section 3 ", Citation(("press2022",)), "."),
         '<a href="../references.html#ref-press2022">Press et al. 2022</a>, section 3.'),
        ((Verdict("open", "open"),), '<span class="verdict open">open</span>'),
        ((MarkName("rocq (recorded)", "2/3", "of sum_act"),),
         '<a class="chip rocq-recorded partial" href="../trust.html#mark-rocq-recorded"><i></i>'
         "rocq (recorded) 2/3</a> of sum_act"),
    ],
)  # fmt: skip
def test_words(words: tuple[Inline, ...], shown: str) -> None:
    """A reader would find no link, or one that leads elsewhere, or out of the site."""
    assert WRITER.words(words) == shown


def test_a_reference_that_is_not_there_is_an_error() -> None:
    """A page would cite nothing."""
    with pytest.raises(UnknownCitation, match=r"not in references\.bib: nobody1999"):
        WRITER.words((Citation(("nobody1999",)),))


CHAIN = Section("It is so", (Line(F), Line(Formula("y", "y"), ("by sum_act",), F)))


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        (Heading(("A",), 2, anchor="a"), '<h3 id="a">A</h3>'),
        (Display((("", F), ("", F))), '<div class="shown">$x &lt; y$$x &lt; y$</div>'),
        (Display((("(2)", F),)), '<div class="claim" id="c-2"><span>(2)</span>$x &lt; y$</div>'),
        (CHAIN, '<p class="named">It is so</p><div class="chain"><div class="left">$x &lt; y$</div>'
         f'<div class="right">$= y$</div><div class="reason">by {LEMMA}</div>'),
        (Source("<>"), 'aria-label="Source text">&lt;&gt;</pre>'),
        (Items((("a",), ("so",))), "<ul><li>a</li><li>so</li></ul>"),
        (Table((("head",), ("",)), ((("a",), (F,)),), anchors=("row",)),
         '<thead><tr><th scope="col"><span>head</span></th><td></td></tr></thead>'
         '<tbody><tr id="row"><td>a</td><td>$x &lt; y$</td></tr></tbody>'),
        (Table((), ((("a",), (Verdict("✗2", "refuted"),)),), turned=True),
         '<table class="turned"><tbody><tr><th scope="row">a</th><td class="refuted">'),
        (Figure("f", ("so",), "said"), '<img src="../f.svg" alt="said"></div><figcaption>so<'),
        (Figure("f", (), "", "no TeX"), '<p class="alarm">No picture: no TeX.</p>'),
        (Theorem("lemma", "sum_act", "A sum", ()), '<div class="theorem" id="theorem-sum_act">'
         '<p class="named"><a href="../theorem/sum_act.html">Lemma 3.1</a> (A sum)</p>'),
        (Theorem("lemma", "other", "It", ()), '<p class="named">Lemma (It)</p>'),
        (Proof((CHAIN,) * (SHORT // 2), "checked"), '<details class="proof" open="open"><summary>'),
        (Proof((CHAIN,) * SHORT, "checked"), '<details class="proof"><summary>Proof</summary>'),
        (Proof((), "by sum_act"), f'<p class="quiet">by {LEMMA}</p></details>'),
        (Remark("remark", "A", (Paragraph(("so",)),)), '<p class="named">Remark (A)</p><p>so<'),
        (Folded("sum_act", ()), "<details><summary>sum_act</summary></details>"),
    ],
)  # fmt: skip
def test_blocks(block: Any, shown: str) -> None:
    """A part would be printed as another, or without its anchor, its name or its state."""
    made = replace(WRITER, claims="c-").block(block)
    assert shown in made
    assert not (seen(made).open or seen(made).wrong)


EVIL = '<script>alert(1)</script><img src=x onerror=alert(2)>&amp;"'
FORMULA = Formula(EVIL, EVIL)
INLINE = (
    EVIL, Emphasis(EVIL), Code(EVIL), TheoremRef(EVIL), ChapterRef(EVIL), FORMULA,
    Link(EVIL, EVIL, EVIL, EVIL), Link(EVIL, "a.html", EVIL, EVIL), Verdict(EVIL, EVIL),
    MarkName(EVIL, EVIL, EVIL), Citation(("evil",)),
)  # fmt: skip
INSIDE = (Paragraph(INLINE),)
BLOCKS = (
    Paragraph(INLINE), Heading(INLINE, anchor=EVIL), Display(((EVIL, FORMULA), ("", FORMULA))),
    Section(EVIL, (Line(FORMULA), Line(FORMULA, (EVIL,), FORMULA))), Source(EVIL), Items((INLINE,)),
    Table((INLINE,), ((INLINE,),), (1.0,), anchors=(EVIL,)), Figure(EVIL, INLINE, EVIL),
    Figure(EVIL, INLINE, EVIL, EVIL), Theorem(EVIL, EVIL, EVIL, INSIDE), Proof(INSIDE, EVIL),
    Remark(EVIL, EVIL, INSIDE), Folded(EVIL, INSIDE),
)  # fmt: skip


@pytest.mark.parametrize("block", BLOCKS, ids=lambda b: type(b).__name__)
def test_no_word_becomes_markup(block: Any) -> None:
    """A name in a user's model would run as a script in the reader's browser."""
    writer = replace(
        WRITER, claims=EVIL, references={"evil": EVIL}, chapters={EVIL: (EVIL, EVIL)},
        theorems={EVIL: Cited(EVIL, EVIL, verdict=Verdict(EVIL, EVIL))},
    )  # fmt: skip
    found = seen(writer.block(block))
    assert not (found.open or found.wrong)
    drawn = isinstance(block, Figure) and not block.missing
    assert [t for t, _ in found.tags if t in ("script", "img")] == ["img"] * drawn
    assert not [a for _, given in found.tags for a in given if a.startswith("on")]


def test_every_part_of_a_document_is_there() -> None:
    """A part that is new would be left out of the test above."""
    known = {type(x) for x in (*BLOCKS, *INLINE)}
    assert known == {*get_args(model.Block), *get_args(model.Inline)}
