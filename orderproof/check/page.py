"""What the book, the terminal and results.json show of a theorem: plain data, printed from terms.

Formulas are held in both notations, LaTeX (for math mode) and plain text; words are plain text.
Nothing here concludes; it is filled from checked terms and from marks.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field

from orderproof.symbolic.readings.notation import Formula as Formula

Reason = tuple[str | Formula, ...]  # words and formulas in order


@dataclass(frozen=True)
class Line:
    """One line of a derivation, "= formula", with its reason; the first has none."""

    formula: Formula
    reason: Reason = ()
    aside: Formula | None = None  # the same step by entries, where a lemma does the work

    @property
    def because(self) -> str:
        """The reason in plain text."""
        return "".join(x if isinstance(x, str) else x.plain for x in self.reason)


@dataclass(frozen=True)
class Section:
    """A chain of equal formulas: the first line is its left side."""

    title: str
    lines: tuple[Line, ...]


UNCHECKED = "not checked"  # the verdict of a page on which marks are declared, and none was made
ROCQ, RECORDED_ROCQ = "rocq", "rocq (recorded)"  # marks: of a run of Rocq now, and of the release's
PROVING = ("kernel", "smt", "exact", "interval")  # marks that can prove a claim, besides
RECORDED = "recorded"  # the verdict where the release's run of Rocq alone proves the claim
FROM_ROCQ = "recorded from Rocq"  # what people read then
WEAKEST_FIRST = ("refuted", "open", UNCHECKED, RECORDED, "proved")  # verdicts
HEADLINE = "headline"  # the kind of a claim that a theorem of Rocq states
ERROR = "error: "  # begins the detail of a mark whose check broke down


@dataclass(frozen=True)
class Mark:
    """What one layer of trust says of a claim: ok, not ok, or (None) undecided."""

    mark: str  # kernel, sympy, numeric, smt, exact, interval, rocq, rocq (recorded), conjecture
    ok: bool | None
    seconds: float
    detail: str
    states: str = ""  # the digest of what its evidence states
    settles: bool = False  # it establishes the claim, and does not only confirm it
    refutes: bool = False  # it shows that the claim is false

    @property
    def rejects(self) -> bool:
        """Whether the check looked and said no; one that broke down has not looked."""
        return self.ok is False and not self.detail.startswith(ERROR)


class Outcome:
    """A verdict beside the one that was declared."""

    verdict: str  # one of WEAKEST_FIRST
    expected: str  # proved, refuted

    @property
    def as_declared(self) -> bool:
        """Whether it came out as declared, by marks that were made now or by the release's record
        of Rocq."""
        proof = self.expected == "proved" and self.verdict == RECORDED
        return proof or self.verdict == self.expected

    @property
    def shade(self) -> str:
        """The verdict as it is coloured: what is not as declared as what is open."""
        return self.verdict if self.as_declared else "open"

    @property
    def reads(self) -> str:
        """The verdict for people."""
        return reads(self.verdict)

    @property
    def told(self) -> str:
        """The same; of what is not as declared also what was expected."""
        return self.reads if self.as_declared else f"{self.verdict}, expected: {self.expected}"


def reads(verdict: str) -> str:
    """A verdict for people: what is recorded says from what."""
    return FROM_ROCQ if verdict == RECORDED else verdict


def unless_proved(verdict: str, before: str = "") -> str:
    """What is to be said of a verdict that is weaker than proved, after these words; of proved, or
    of what is not known to be weaker, nothing."""
    return "" if verdict in ("", "proved") else before + reads(verdict)


def weakest(verdicts: Iterable[str]) -> str:
    """The weakest of these verdicts, as what rests on all of them has it; of none, open."""
    return min(verdicts, key=WEAKEST_FIRST.index, default="open")


@dataclass(frozen=True)
class ClaimPage(Outcome):
    """A claim with its verdict."""

    statement: Formula
    kind: str
    scope: str
    expected: str
    verdict: str
    marks: tuple[Mark, ...]
    digest: str = ""  # of the statement
    model: bool = True  # whether values that satisfy its hypotheses were found
    headline: str = ""  # the theorem of Rocq that states it, in whose words the statement is

    @property
    def called(self) -> str:
        """The claim in one line: its statement, or the name of its headline."""
        return f"headline {self.headline}" if self.headline else self.statement.plain


def broken(source: str, columns: int) -> str:
    """A statement of Rocq with its lines broken at spaces where they are longer than so many
    columns; Rocq reads it as before."""
    lines = []
    for line in source.splitlines():
        indent = " " * (len(line) - len(line.lstrip()))
        lines += textwrap.wrap(
            line.strip(), columns, initial_indent=indent, subsequent_indent=f"{indent}    ",
            break_long_words=False, break_on_hyphens=False,
        ) if len(line) > columns else [line]  # fmt: skip
    return "\n".join(lines)


@dataclass(frozen=True)
class Table:
    """A table of a worked example: a head and rows, words or formulas."""

    head: tuple[str | Formula, ...]
    rows: tuple[tuple[str | Formula, ...], ...]


@dataclass(frozen=True)
class Example:
    """A worked example: words, displayed formulas and tables in order."""

    title: str
    parts: tuple[str | Formula | Table, ...]


@dataclass(frozen=True)
class TheoremPage(Outcome):
    """A theorem of the book."""

    id: str
    title: str
    words: tuple[tuple[str, tuple[int, ...]], ...]  # sentences, and the claims that say them
    source: str
    citations: tuple[str, ...]  # keys of proofs/references.bib
    given: Formula | None  # the quantifiers: for all n, d, σ, X …; none of headlines alone
    where: tuple[Formula, ...]  # what the labels stand for: Q = X W_Q
    sections: tuple[Section, ...]
    claims: tuple[ClaimPage, ...]
    neighbour: tuple[Formula, str] | None  # the planted false statement, and why it is rejected
    examples: tuple[Example, ...] = ()
    uses: tuple[str, ...] = field(default=())
    verdict: str = "open"
    expected: str = "proved"
    refusals: tuple[Mark, ...] = ()  # what each mark says of the neighbour: no
    refuted: tuple[int, ...] = ()  # the headlines (numbered from 0) that refute a false variant
    in_symbols: tuple[str, ...] = ()  # formulas of its chapter that say what Rocq states
    argument: str = ""  # the proof in words: Markdown with slots for formulas
    for_all: tuple[Reason, Reason] = ((), ())  # `given` in words; and without a list of tensors

    def __repr__(self) -> str:
        return f"<TheoremPage {self.id}: {self.verdict}>"

    @property
    def as_declared(self) -> bool:
        """Whether it, and each of its claims, came out as declared."""
        return super().as_declared and all(c.as_declared for c in self.claims)

    @property
    def said(self) -> str:
        """The sentences that claims say."""
        return " ".join(text for text, claims in self.words if claims)

    @property
    def remarks(self) -> str:
        """The sentences that no claim says."""
        return " ".join(text for text, claims in self.words if not claims)

    @property
    def refused(self) -> str:
        """Which marks reject the neighbour, and which do not, in words."""
        no = ", ".join(m.mark for m in self.refusals if m.rejects)
        yes = ", ".join(m.mark for m in self.refusals if not m.rejects)
        said = [f"rejected by {no}"] * bool(no) + [f"NOT REJECTED by {yes}"] * bool(yes)
        return " but ".join(said) or "put before no check"
