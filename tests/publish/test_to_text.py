"""Documents as text: every part of a block is there, within the columns that there are."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from orderproof.check.page import Formula, Line, Section, TheoremPage
from orderproof.check.prove.checking import check
from orderproof.proofs.catalogue import IDS
from orderproof.publish import theorem_text
from orderproof.publish.model import (
    Block,
    ChapterRef,
    Citation,
    Code,
    Display,
    Emphasis,
    Figure,
    Folded,
    Heading,
    Items,
    Link,
    MarkName,
    Paragraph,
    Proof,
    Remark,
    Source,
    Table,
    Theorem,
    TheoremRef,
    Verdict,
    Words,
)
from orderproof.publish.to_text import formula, text
from tests.judged import loaded


def shown(name: str) -> tuple[TheoremPage, str]:
    """A theorem's page, its marks left out, and its text."""
    theorem = loaded(name)
    page = check(replace(theorem, claims=tuple(replace(c, marks={}) for c in theorem.claims)))
    return page, theorem_text.plain(page)


def too_wide(text: str) -> list[str]:
    """The lines that a terminal of 80 columns would break somewhere."""
    return [line for line in text.splitlines() if len(line) > 80]


QUICK = ("sum_act", "self_attention_equivariant")


@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in IDS]
)
def test_a_theorem_fits_the_terminal(name: str) -> None:
    """A line would be broken at the edge, or a part of a formula lost when it is wrapped; the words
    of a proof, or a chain that they do not show, would be left out."""
    page, said = shown(name)
    assert too_wide(said) == []
    flat = " ".join(said.split())
    lines = [line for s in page.sections for line in s.lines]
    for f in (page.given, *page.where, *(f for x in lines for f in (x.formula, x.aside))):
        assert f is None or " ".join(f.plain.split()) in flat
    begins = re.split("[{*`]", page.argument)[0]
    assert " ".join(begins.split()) in flat and "\nProof." in said
    for section in page.sections:
        assert f"\n{section.title}\n" in said or "{chain " in page.argument


def test_a_line_that_is_too_wide_is_noticed() -> None:
    """The test above would pass whatever is printed."""
    page, _ = shown("sum_act")
    assert too_wide(theorem_text.plain(replace(page, title="x" * 90))) == ["x" * 90]


def test_what_stands_between_two_commas_is_not_broken() -> None:
    """A line would end after W ∈, or between the braces of {1, …, n}."""
    parts = ", ".join(f"W_{k} ∈ ℝ^(d×d)" for k in range(9)) + ", f: {1, …, n} → {1, …, m}"
    lines = formula(parts)
    assert len(lines) == 3
    assert all(line.endswith(",") for line in lines[:-1])
    assert all(line.startswith("    ") for line in lines[1:])
    assert len(formula("a, " + "b " * 90)) == 3  # too long to be kept whole
    lines = formula(" ".join(f"A[σ({k}), f(i, j)] = {k} ⇒" for k in range(9)))
    assert len(lines) > 2 and all(x.count("[") == x.count("]") for x in lines)
    long = "Σ_i ([i ≤ a] / (1 + Σ_j [j ≤ a])) 1 ≠ Σ_i ([i ≤ b] / (1 + Σ_j [j ≤ b])) 1"
    assert formula(f"proved: {long}")[1].strip().startswith("≠ Σ_i ([i ≤ b]")


def plain(said: str) -> Formula:
    """A formula of these letters."""
    return Formula("", said)


PROSE = "a word after another, " * 9 + "end"
LONG = plain(" = ".join(f"f(x_{k})" for k in range(20)))
SAID: Words = (
    "By ", TheoremRef("sum_act"), " in ", ChapterRef("pooling"), " and ",
    Citation(("vaswani2017", "haviv2022")), ", ", Code("replay"), " ", Emphasis("commutes"), " ",
    Link("here", "a.html"), " ", Verdict("proved", "proved"), " ", MarkName("rocq", "1/2", "now"),
    " for ", plain("Q = X W_Q"), ", ", PROSE,
)  # fmt: skip
READ = (
    "By sum_act in “Equivariant is not invariant” and [Vaswani et al. 2017; Haviv et al. 2022], "
    f"replay commutes here proved rocq 1/2: now for Q = X W_Q, {PROSE}"
)
BODY: tuple[Block, ...] = (Paragraph((PROSE,)), Display((("(1)", LONG), ("", plain("a ≠ b")))))
SHOWN = f"    (1) {LONG.plain}\n    a ≠ b"
LINES = f"{PROSE}\n{SHOWN}"  # of the body
INDENTED = "    " + LINES
BLOCKS: dict[str, tuple[Block, str]] = {  # with how they read where there is room
    "words": (Paragraph(SAID), READ),
    "a formula": (Paragraph((LONG,)), LONG.plain),
    "a formula without plain text": (Paragraph(("For ", Formula("n_k", ""))), "For n_k"),
    "a named formula": (Paragraph(("claim 1: ", LONG)), f"claim 1: {LONG.plain}"),
    "a claim": (
        Paragraph((Verdict("open", "open"), ": ", LONG, "   (all n)")),
        f"open: {LONG.plain}   (all n)",
    ),
    "a heading": (Heading((PROSE,)), PROSE),
    "displayed": (BODY[1], SHOWN),
    "a chain": (
        Section(PROSE, (Line(plain("Z")), Line(LONG, (PROSE, plain("a")), plain("z_1")))),
        f"{PROSE}\n  Z\n    = {LONG.plain}{f'{PROSE}a':>{9994 - len(LONG.plain)}}\n        [z_1]",
    ),
    "Rocq": (Source("T :\n  " + "a = b " * 20 + "."), "    T :\n      " + "a = b " * 20 + "."),
    "a list": (Items(((PROSE,), ("short",))), f"- {PROSE}\n- short"),
    "a figure": (Figure("a", (PROSE,), PROSE), f"{PROSE}\n[{PROSE}]"),
    "no figure": (Figure("a", (), "", PROSE), f"[{PROSE}]"),
    "a theorem": (Theorem("lemma", "x", PROSE, BODY), f"Lemma: {PROSE} (x)\n{LINES}"),
    "a proof": (Proof(BODY, PROSE), f"Proof. {LINES}\n{PROSE}\n{'∎':>10000}"),
    "a proof without words": (Proof(BODY[1:]), f"Proof.\n{SHOWN}\n{'∎':>10000}"),
    "a remark": (Remark("remark", PROSE, BODY), f"Remark: {PROSE}\n{INDENTED}"),
    "what is folded": (Folded(PROSE, (*BODY, *BODY)), f"{PROSE}\n{INDENTED}\n\n{INDENTED}"),
    "a table": (
        Table((("mark",), (PROSE,)), (((MarkName("a"),), SAID), (("b",), ("c",)))),
        f"    mark  {PROSE}\n    a     {READ}\n    b     c",
    ),
    "a table without heads": (Table(((),), ((("a",),),)), "    a"),
    "a table with turned heads": (
        Table((("s",), ("ab",), ("c",)), ((("alibi",), ("✓",), ("✗2",)),), turned=True),
        "           a\n    s      b  c\n    alibi  ✓  ✗2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_reads_alike_in_any_width(name: str) -> None:
    """A kind of block, or a part of one, would not be printed; or lines would be too long."""
    block, reads = BLOCKS[name]
    assert text([block], 10_000) == reads
    for width in (80, 40):
        narrow = text([block], width)
        assert max(map(len, narrow.splitlines())) <= width
        letters = ["".join(x.split()) for x in (narrow, reads)]
        if isinstance(block, Table):  # whose cells stand side by side
            letters = ["".join(sorted(x)) for x in letters]
        assert letters[0] == letters[1]


def test_blocks_that_go_on_are_close_to_what_is_before() -> None:
    """A paragraph would be torn apart where a formula interrupts it, or two become one."""
    shown, further = Display((("", plain("a")),)), Paragraph(("then",), continues=True)
    apart = text([Paragraph((plain("∀ n"),)), shown, further, *BODY[:1], Heading(("H",)), *BODY])
    for part in ("∀ n\n\n    a\nthen\n\n", "\n\nH\n\n"):
        assert part in apart
