"""A document as HTML: what stands for each part of it, and that no word of it becomes markup."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from markupsafe import Markup

from orderproof.check.page import Formula, Line, Section
from orderproof.publish import model as m
from orderproof.publish.bibliography import UnknownCitation
from orderproof.publish.to_html import SHORT, Cited, Writer, plain
from tests.publish.web.checks import seen


def dollars(latex: str) -> Markup:
    """A formula as a notebook has it."""
    return Markup("${}$").format(latex)


WRITER = Writer(
    dollars, dollars, "../",
    {"sum_act": Cited("A sum", "Lemma 3.1"), "naturality": Cited("It is natural"),
     "so_far": Cited("It", "Theorem 2.1", verdict=m.Verdict("recorded from Rocq", "recorded"))},
    {"pooling": ("6", "chapter/pooling.html")},
    {"press2022": "Press et al. 2022", "s0": "A title"},
    claims="c-",
)  # fmt: skip
F = Formula("x < y", "x < y")
HINT = "Lemma 3.1 (A sum)"
LEMMA = f'<a href="../theorem/sum_act.html" aria-label="{HINT}" title="{HINT}">Lemma 3.1</a>'
PRESS = '<a href="../references.html#ref-press2022">Press et al. 2022</a>'
CHAIN = Section("It is so", (Line(F), Line(Formula("y", "y"), ("by sum_act",), F)))
NAMED = '<p class="named">'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("W_Q and P_σ", "<var>W</var><sub>Q</sub> and <var>P</var><sub>σ</sub>"),
        ("Σ_{i ≥ j} of X′", "<var>Σ</var><sub>i\u00a0≥\u00a0j</sub> of <var>X</var>′"),
        ("A set I of rows i; σ(k)", "A set I of rows <var>i</var>; <var>σ</var>(<var>k</var>)"),
        ("P Pᵀ", "<var>P</var> <var>P</var><sup>T</sup>"),
        ('sum_act: "n < k"', "sum_act: “<var>n</var>\u00a0&lt;\u00a0<var>k</var>”"),
    ],
)
def test_letters_of_words_are_mathematics(text: str, shown: str) -> None:
    """An index would stand beside its letter, an article in italics, or a sign of HTML bare."""
    assert plain(text) == shown


WORDS: list[tuple[m.Words, str]] = [
    (("by sum_act, not swap_act or `sum_act.py`",), f"by {LEMMA}, not swap_act or `sum_act.py`"),
    ((m.TheoremRef("naturality"),), '<code>naturality</code></a>'),
    ((m.TheoremRef("so_far"),), 'Theorem 2.1<sup title="recorded from Rocq">R</sup></a>'),
    ((m.TheoremRef("no_such"),), "<code>no_<wbr>such</code>"),
    ((F, m.Emphasis("so"), m.Emphasis("term", True)), "$x &lt; y$<em>so</em><dfn>term</dfn>"),
    ((m.Code("a_b/c"),), "<code>a_<wbr>b/<wbr>c</code>"),
    (("chapter ", m.ChapterRef("pooling")), 'chapter <a href="../chapter/pooling.html">6</a>'),
    ((m.ChapterRef("none"),), "none"),
    ((m.Link("✓", "scheme/a.html#b", "proved", "it is"),),
     '<a href="../scheme/a.html#b" aria-label="it is" title="it is">✓</a>'),
    ((m.Link("(2)", "#claim-2"),), '<a href="#claim-2">(2)</a>'),
    ((m.Link("here", "javascript:x()"),), "here (javascript:x())"),
    ((m.Link("there", "//example.org"),), "there (//example.org)"),
    ((m.Citation(("press2022", "s0")),),
     f'[{PRESS}; <a href="../references.html#ref-s0">A title</a>]'),
    (("Press et al. 2022, table 3 ", m.Citation(("press2022",)), "."), f"{PRESS}, table 3."),
    ((m.Verdict("open", "open"),), '<span class="verdict open">open</span>'),
    ((m.MarkName("rocq (recorded)", "2/3", "of sum_act"),),
     '<a class="chip rocq-recorded partial" href="../trust.html#mark-rocq-recorded"><i></i>'
     "rocq (recorded) 2/3</a> of sum_act"),
]  # fmt: skip
BLOCKS: list[tuple[m.Block, str]] = [
    (m.Paragraph(("so",)), "<p>so</p>"),
    (m.Heading(("A",), 2, anchor="a"), '<h3 id="a">A</h3>'),
    (m.Display((("", F), ("", F))), '<div class="shown">$x &lt; y$$x &lt; y$</div>'),
    (m.Display((("(2)", F),)), '<div class="claim" id="c-2"><span>(2)</span>$x &lt; y$</div>'),
    (CHAIN, f'{NAMED}It is so</p><div class="chain"><div class="left">$x &lt; y$</div>'
     f'<div class="right">$= y$</div><div class="reason">by {LEMMA}</div>'),
    (m.Source("<>"), 'tabindex="0" role="group">&lt;&gt;</pre>'),
    (m.Items((("a",), ("so",))), "<ul><li>a</li><li>so</li></ul>"),
    (m.Table((("head",), ("",)), ((("a",), (F,)),), anchors=("row",)),
     '<thead><tr><th scope="col"><span>head</span></th><td></td></tr></thead>'
     '<tbody><tr id="row"><td>a</td><td>$x &lt; y$</td></tr></tbody>'),
    (m.Table(((), ()), ((("a",), (m.Verdict("✗2", "refuted"),)),), turned=True),
     '<table class="turned"><tbody><tr><th scope="row">a</th><td class="refuted">'),
    (m.Figure("f", ("so",), "said"), '<img src="../f.svg" alt="said"></div><figcaption>so<'),
    (m.Figure("f", (), "", "no TeX"), '<p class="alarm">No picture: no TeX.</p>'),
    (m.Theorem("lemma", "sum_act", "A sum", ()),
     f'<div class="theorem" id="theorem-sum_act">{NAMED}<a href="../theorem/sum_act.html">'
     "Lemma 3.1</a> (A sum)</p>"),
    (m.Theorem("lemma", "other", "It", ()), f"{NAMED}Lemma (It)</p>"),
    (m.Proof((CHAIN,) * (SHORT // 2)), '<details class="proof" open="open"><summary>Proof<'),
    (m.Proof((CHAIN,) * SHORT), '<details class="proof"><summary>Proof</summary>'),
    (m.Proof((), ("by sum_act",)), f'<p class="quiet">by {LEMMA}</p></details>'),
    (m.Remark("remark", "A", (m.Paragraph(("so",)),)), f"{NAMED}Remark (A)</p><p>so</p>"),
    (m.Folded("sum_act", ()), "<details><summary>sum_act</summary></details>"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "shown"), WORDS)
def test_words(words: m.Words, shown: str) -> None:
    """A reader would find no link, or one that leads elsewhere, or out of the site."""
    assert WRITER.words(words).endswith(shown)


@pytest.mark.parametrize(("block", "shown"), BLOCKS)
def test_blocks(block: m.Block, shown: str) -> None:
    """A part would be printed as another, or without its anchor, its name or its state."""
    assert shown in WRITER.block(block)


EVIL = '"><img src=x onerror=alert(2)><script>alert(1)</script>'


def spoiled(x: Any) -> Any:
    """The same with other words, wherever it has some."""
    if isinstance(x, tuple):
        return tuple(map(spoiled, x))
    if is_dataclass(x) and not isinstance(x, type):
        return replace(x, **{f.name: spoiled(getattr(x, f.name)) for f in fields(x)})
    return EVIL if isinstance(x, str) and x else x


@pytest.mark.parametrize("block", [b for b, _ in BLOCKS] + [m.Paragraph(w) for w, _ in WORDS])
def test_no_word_becomes_markup(block: m.Block) -> None:
    """A name in a user's model would run as a script in the reader's browser."""
    writer = replace(
        WRITER, claims=EVIL, references={EVIL: EVIL}, chapters={EVIL: (EVIL, EVIL)},
        theorems={EVIL: Cited(EVIL, EVIL, verdict=m.Verdict(EVIL, EVIL))},
    )  # fmt: skip
    made = writer.block(spoiled(block))
    found = seen(made)
    assert not (found.open or found.wrong) and "alert" in made
    assert {t for t, _ in found.tags if t in ("script", "img")} <= {"img" * ("<figure" in made)}
    assert not [a for _, given in found.tags for a in given if a.startswith("on")]


def test_what_is_not_there_is_said() -> None:
    """A page would cite nothing; or a link of a notebook, lead to a page beside it."""
    with pytest.raises(UnknownCitation, match=r"not in references\.bib: nobody1999"):
        WRITER.words((m.Citation(("nobody1999",)),))
    words = (m.Link("a page", "schemes.html"), m.TheoremRef("sum"), m.MarkName("smt", "1/2"))
    made = Writer(dollars, dollars).words(words)
    assert made == 'a page<code>sum</code><span class="chip smt partial"><i></i>smt 1/2</span>'
