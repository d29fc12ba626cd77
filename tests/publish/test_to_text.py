"""Documents as text: every part of a block is there, within the columns that there are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orderproof.check.page import Formula, Line, Section
from orderproof.publish import model as m
from orderproof.publish.to_text import formula, text


def test_theorems_fit_the_terminal() -> None:
    """A line of a theorem would be broken at the edge of the terminal."""
    kept = json.loads((Path(__file__).parents[1] / "goldens/show.json").read_text("utf-8"))
    assert [line for lines in kept.values() for line in lines if len(line) > 80] == []


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
SAID: m.Words = (
    "By ", m.TheoremRef("sum_act"), " in ", m.ChapterRef("pooling"), " and ",
    m.Citation(("vaswani2017", "haviv2022")), ", ", m.Code("replay"), " ", m.Emphasis("commutes"),
    " ", m.Link("here", "a.html"), " ", m.Verdict("proved", "proved"), " ",
    m.MarkName("rocq", "1/2", "now"), " for ", plain("Q = X W_Q"), ", ", PROSE,
)  # fmt: skip
READ = (
    "By sum_act in “Equivariant is not invariant” and [Vaswani et al. 2017; Haviv et al. 2022], "
    f"replay commutes here proved rocq 1/2: now for Q = X W_Q, {PROSE}"
)
DISPLAY = m.Display((("(1)", LONG), ("", plain("a ≠ b"))))
BODY: tuple[m.Block, ...] = (m.Paragraph((PROSE,)), DISPLAY)
SHOWN = f"    (1) {LONG.plain}\n    a ≠ b"
LINES = f"{PROSE}\n{SHOWN}"  # of the body
INDENTED = "    " + LINES
BLOCKS: dict[str, tuple[m.Block, str]] = {  # with how they read where there is room
    "words": (m.Paragraph(SAID), READ),
    "a formula": (m.Paragraph((LONG,)), LONG.plain),
    "a formula without plain text": (m.Paragraph(("For ", Formula("n_k", ""))), "For n_k"),
    "a named formula": (m.Paragraph(("claim 1: ", LONG)), f"claim 1: {LONG.plain}"),
    "a claim": (
        m.Paragraph((m.Verdict("open", "open"), ": ", LONG, "   (all n)")),
        f"open: {LONG.plain}   (all n)",
    ),
    "a heading": (m.Heading((PROSE,)), PROSE),
    "displayed": (DISPLAY, SHOWN),
    "a chain": (
        Section(PROSE, (Line(plain("Z")), Line(LONG, (PROSE, plain("a")), plain("z_1")))),
        f"{PROSE}\n  Z\n    = {LONG.plain}{f'{PROSE}a':>{9994 - len(LONG.plain)}}\n        [z_1]",
    ),
    "Rocq": (m.Source("T :\n  " + "a = b " * 20 + "."), "    T :\n      " + "a = b " * 20 + "."),
    "a list": (m.Items(((PROSE,), ("short",))), f"- {PROSE}\n- short"),
    "a figure": (m.Figure("a", (PROSE,), PROSE), f"{PROSE}\n[{PROSE}]"),
    "no figure": (m.Figure("a", (), "", PROSE), f"[{PROSE}]"),
    "a theorem": (m.Theorem("lemma", "x", PROSE, BODY), f"Lemma: {PROSE} (x)\n{LINES}"),
    "a proof": (m.Proof(BODY, PROSE), f"Proof. {LINES}\n{PROSE}\n{'∎':>10000}"),
    "a proof without words": (m.Proof(BODY[1:]), f"Proof.\n{SHOWN}\n{'∎':>10000}"),
    "a remark": (m.Remark("remark", PROSE, BODY), f"Remark: {PROSE}\n{INDENTED}"),
    "what is folded": (m.Folded(PROSE, (*BODY, *BODY)), f"{PROSE}\n{INDENTED}\n\n{INDENTED}"),
    "a table": (
        m.Table((("mark",), (PROSE,)), (((m.MarkName("a"),), SAID), (("b",), ("c",)))),
        f"    mark  {PROSE}\n    a     {READ}\n    b     c",
    ),
    "a table without heads": (m.Table(((),), ((("a",),),)), "    a"),
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
        if isinstance(block, m.Table):  # whose cells stand side by side
            letters = ["".join(sorted(x)) for x in letters]
        assert letters[0] == letters[1]


def test_blocks_that_go_on_are_close_to_what_is_before() -> None:
    """A paragraph would be torn apart where a formula interrupts it, or two become one."""
    shown, further = m.Display((("", plain("a")),)), m.Paragraph(("then",), continues=True)
    apart = text(
        [m.Paragraph((plain("∀ n"),)), shown, further, *BODY[:1], m.Heading(("H",)), *BODY]
    )
    for part in ("∀ n\n\n    a\nthen\n\n", "\n\nH\n\n"):
        assert part in apart
