"""A theorem as blocks: what it states, its proof, its false variant, its examples; and the whole
as a terminal shows it.

Every formula is one of the theorem's page; the words of a proof stand in the theorem's file, with
slots for formulas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from orderproof.check.formulas import Assumed
from orderproof.check.page import (
    UNCHECKED,
    ClaimPage,
    Example,
    Formula,
    Mark,
    Section,
    Table,
    TheoremPage,
    reads,
)
from orderproof.check.rocq.headlines import COLUMNS, headline
from orderproof.check.rocq.library import SOURCES
from orderproof.proofs import APPENDIX, CHAPTERS
from orderproof.proofs.catalogue import CHAPTER_OF
from orderproof.symbolic.counting import joined
from orderproof.symbolic.readings.notation import in_both

from . import evidence, formulas, markdown, to_text
from . import model as m
from .line_breaks import width

IN_SYMBOLS = "In symbols, which were compared in numbers and not with Rocq:"
OTHERS = "The other steps of the derivation:"
LONG = 150  # letters: of quantifiers that are told in words
WIDE = 60  # letters: of hypotheses that are displayed
ARROW, COMMA, COLON = r" \;\Rightarrow\; ", r",\; ", r"\colon\; "
ASSUMPTIONS = "chapter/notation.html#standing-assumptions"
_SYMBOL = re.compile(r"([A-Za-zΑ-ω]|1)(_\w+)?(′*)")
NOTATION = "self_attention_equivariant"  # whose definitions the chapter on notation gives


Displays = dict[str, Callable[[str], Sequence[m.Block]]]  # by the name of a slot, what fills it


class BadSlot(markdown.BadMarkdown):
    """A slot that asks for what there is not: one line that says which and what was expected."""


# ----------------------------------------------------------------------------------- what is stated
def statement(
    page: TheoremPage,
    *,
    claims: Sequence[int] | None = None,
    given: str = "",
    where: bool = True,
    known: Sequence[Formula] = (),
    letters: TheoremPage | None = None,
) -> tuple[m.Block, ...]:
    """What is said, for all what (in words; "short": tensors not listed; "none"), the claims of
    these numbers, and what their letters stand for, where neither `known` nor the theorem `letters`
    says it."""
    chosen = [(k, c) for k, c in enumerate(page.claims, 1) if claims is None or k in claims]
    shown = [(k, c) for k, c in chosen if not c.headline]
    several = len(page.claims) > 1
    found: list[m.Block] = [m.Paragraph((page.said,))]
    marked = [(f"({k})" if several else "", c) for k, c in shown]
    under = _assuming(marked)
    if shown and page.given and given != "none":
        found.append(_quantified(page, under, short=given == "short"))
    elif under:
        found.append(m.Paragraph(("Assuming ", *under, ":"), True))
    found += claimed(marked, standing=True)
    if shown and where:
        found += _meaning(page, known, letters)
    there: list[m.Words] = [
        (f"({k}) " if several else "", m.Code(c.headline)) for k, c in chosen if c.headline
    ]
    if there:
        found.append(m.Paragraph(("Stated in Rocq as ", *_separated(there), ".")))
    return (*found, *in_symbols(page))


def in_full(page: TheoremPage, *, web: bool) -> tuple[m.Block, ...]:
    """All of what is stated, by formulas: for all what, every claim, what letters stand for, what
    Rocq states. On the web every claim has a number, for links, what all assume is said once, and
    Rocq's text is folded; for a narrow column each claim is a formula of its own."""
    several = web or len(page.claims) > 1
    each_ = [(f"({k})" if several else "", c) for k, c in enumerate(page.claims, 1)]
    found: list[m.Block] = [m.Paragraph((page.said,))]
    found += [m.Display((("", page.given),))] if page.given else []
    shown = [(mark, c) for mark, c in each_ if not c.headline]
    found += claimed(shown) if web else [m.Display(((mark, c.statement),)) for mark, c in shown]
    if page.where:
        found += [m.Paragraph(("where",), True), m.Display(tuple(("", f) for f in page.where))]
    for mark, c in (x for x in each_ if x[1].headline):
        source = m.Source(c.statement.plain, mark)
        named = m.Paragraph((m.Code(c.headline), " in Rocq:"), True)
        found += [m.Folded(f"{mark} {c.headline} in Rocq", (source,))] if web else [named, source]
    return (*found, *in_symbols(page))


def in_symbols(page: TheoremPage) -> tuple[m.Block, ...]:
    """What Rocq states of a theorem, as formulas of its chapter."""
    if not page.in_symbols:
        return ()
    slots = ProofSlots(page)
    shown = (("", slots.formula(name)) for name in page.in_symbols)
    return m.Paragraph((IN_SYMBOLS,), True), m.Display(tuple(shown))


def claimed(numbered: Sequence[tuple[str, ClaimPage]], *, standing: bool = False) -> list[m.Block]:
    """Claims displayed; what all of several assume alike is said once, and with `standing` the
    standing assumptions are left out."""
    given = [
        [h for h in _parts(c)[1] if not standing or all(h not in x for x in assumed(c).values())]
        for _, c in numbered
    ]
    first, *others = given or [[]]
    shared = first if others and all(own == first for own in others) else []
    found = (
        (mark, c.statement if own == _parts(c)[1] and not shared else
         Formula(_implied(_parts(c), [] if shared else own), ""))
        for (mark, c), own in zip(numbered, given, strict=True)
    )  # fmt: skip
    conditions = [Formula(h, "") for h in shared]
    before: list[m.Block] = []
    if sum(map(width, shared)) > WIDE:
        listed = m.Display(tuple(("", f) for f in conditions))
        before = [m.Paragraph(("If",)), listed, m.Paragraph(("then",), True)]
    elif shared:
        before = [m.Paragraph(("If ", *_separated([(f,) for f in conditions]), ", then"))]
    return [*before, m.Display(tuple(found))] if numbered else []


@cache
def assumptions() -> Mapping[str, frozenset[str]]:
    """The standing assumptions by their numbers, each as its hypotheses."""
    return {
        number: frozenset(formulas.printed(a).latex.split(COMMA))
        for number, a in formulas.of_chapter("notation").items()
        if isinstance(a, Assumed)
    }


def assumed(claim: ClaimPage) -> dict[str, frozenset[str]]:
    """The standing assumptions that a claim makes, by their numbers, each with its hypotheses."""
    given = {*_parts(claim)[1]}
    return {number: own for number, own in assumptions().items() if own <= given}


def _assuming(numbered: Sequence[tuple[str, ClaimPage]]) -> m.Words:
    """Which claims make which standing assumptions: (A1), (A2) in (3)."""
    found: list[m.Words] = []
    for name in assumptions():
        own = [mark for mark, c in numbered if name in assumed(c)]
        here = f" in {joined(own)}" if len(own) < len(numbered) else ""
        found += [(m.Link(f"({name})", ASSUMPTIONS), here)] if own else []
    return _separated(found)


def _meaning(
    page: TheoremPage, known: Sequence[Formula], letters: TheoremPage | None
) -> list[m.Block]:
    """What letters stand for. What is known is said again where the theorem `letters` has another
    meaning for its letter."""
    before = _defined(letters) if letters else []
    others = [f for f in before if f not in known]
    again = {f.latex.partition(" = ")[0] for f in others}
    new = [f for f in _defined(page) if f not in before
           and (f not in known or f.latex.partition(" = ")[0] in again)]  # fmt: skip
    as_in: m.Words = ("with letters as in ", m.TheoremRef(letters.id)) if letters and others else ()
    if not new:
        return [m.Paragraph((*as_in, "."), continues=True)] if as_in else []
    said: m.Words = (*as_in, ", and where") if as_in else ("where",)
    return [m.Paragraph(said, continues=True), m.Display(tuple(("", f) for f in new))]


def _defined(page: TheoremPage) -> list[Formula]:
    return [f for whole in page.where for f in each(whole)]


def each(f: Formula) -> list[Formula]:
    """The definitions that stand in one line: Q = X W_Q, K = X W_K."""
    return [Formula(part, part) for part in f.latex.split(r", \quad ")]


def _quantified(page: TheoremPage, under: m.Words, *, short: bool) -> m.Paragraph:
    whole, without = page.for_all
    long = sum(width(x.latex) for x in whole if isinstance(x, Formula)) > LONG
    assuming = (", assuming ", *under) if under else ()
    return m.Paragraph((*(without if short or long else whole), *assuming, ":"), True)


def _separated(found: Sequence[m.Words]) -> m.Words:
    return tuple(x for k, words in enumerate(found) for x in ((", ", *words) if k else words))


def _parts(claim: ClaimPage) -> tuple[str, list[str], str]:
    """The conditions on sizes of a claim, its hypotheses, and what it says."""
    before, _, says = claim.statement.latex.rpartition(ARROW)
    sizes, colon, given = before.rpartition(COLON)
    return sizes + colon, given.split(COMMA) if given else [], says


def _implied(parts: tuple[str, list[str], str], given: Sequence[str]) -> str:
    """A claim with these hypotheses in place of its own."""
    sizes, _, says = parts
    return sizes + ARROW.join(filter(None, [COMMA.join(given), says]))


# ---------------------------------------------------------------------------------------- its proof
def proof(
    page: TheoremPage,
    *,
    only: Sequence[str] = (),
    asides: bool = True,
    whole: bool = True,
    entries: bool = False,
) -> tuple[m.Block, ...]:
    """The words of its proof, with the chains that they show; then, if `whole`, all other chains of
    its derivation. Without words the derivation, or the chains of these letters `only`; without
    either the witnesses of its claims, or else by what it was checked.
    With `entries` the chains of the words have their formulas by entries, as those behind them have
    with `asides`."""
    slots = ProofSlots(page, entries=entries)
    found = list(markdown.blocks(page.argument, slots))
    chains = [chain(page, x) for x in only] if only else list(page.sections)
    others = [s if asides else without_asides(s) for s in chains if s not in slots.shown]
    if found and whole and others:
        found.append(m.Paragraph((OTHERS,)))
    if not found or whole:
        found += others
    if found:
        return tuple(found)
    from . import witness  # imports NumPy

    return witness.blocks(page) or (m.Paragraph((evidence.line(page),)),)


def chain(page: TheoremPage, letter: str) -> Section:
    """The chain of a derivation that begins with a letter, or has it as its title."""
    by_letter = {left_side(s): s for s in page.sections} | {s.title: s for s in page.sections}
    if letter not in by_letter:
        known = ", ".join(by_letter) or "none"
        raise BadSlot(f"{page.id}: given the chain {letter}, expected one of: {known}")
    return by_letter[letter]


def left_side(section: Section) -> str:
    """The letters of what a chain begins with: Z for Z′, H_post for H′_post[i, c]."""
    return re.sub(r"\[.*|[′']", "", section.lines[0].formula.plain)


def without_asides(section: Section) -> Section:
    """A chain without the formulas by entries."""
    return replace(section, lines=tuple(replace(line, aside=None) for line in section.lines))


def where(page: TheoremPage, letters: str) -> m.Display:
    """What letters stand for, those of a list such as "C; z[1, r]"; of an empty one all."""
    found: dict[Formula, None] = {}
    for letter in (x.strip() for x in letters.split(";")):
        start = re.compile(rf"{re.escape(letter)}(?!\w)" if letter else "")
        told = [f for f in page.where if re.match(start, f.plain)]
        if not told:
            raise BadSlot(f"{page.id}: given the letter {letter}, expected one it defines")
        found |= dict.fromkeys(told)
    return m.Display(tuple(("", f) for f in found))


def claim(page: TheoremPage, number: str) -> ClaimPage:
    """A claim of a page, counted from 1."""
    if not number.isdigit() or not 1 <= int(number) <= len(page.claims):
        raise BadSlot(f"{page.id}: given claim {number}, there are {len(page.claims)}")
    return page.claims[int(number) - 1]


def definition(name: str, *, sources: Path = SOURCES) -> m.Source:
    """A definition of the Rocq development, letter by letter; BadSlot where not exactly one file
    has it."""
    begins = rf"^(?:Definition|Fixpoint) {re.escape(name)}\b.*?\.$"
    found = [
        text
        for path in sorted(sources.glob("*.v"))
        for text in re.findall(begins, path.read_text(encoding="utf-8"), re.M | re.S)
    ]
    if len(found) != 1:
        raise BadSlot(f"definition {name}: given {len(found)} definitions, expected one")
    (text,) = found
    if not text.isascii() or max(map(len, text.splitlines())) > COLUMNS:
        raise BadSlot(f"definition {name}: expected at most {COLUMNS} ASCII characters in a line")
    return m.Source(text)


# ------------------------------------------------------------------------------ what is beside them
def variant(page: TheoremPage) -> m.Remark:
    """The false variant of a theorem, why it fails, and which checks refuse it."""
    if page.neighbour is None:
        raise BadSlot(f"variant {page.id}: given a theorem without one")
    false, why = page.neighbour
    said = ("This variant of ", m.TheoremRef(page.id), f" is {page.refused}:")
    shown = (m.Paragraph(said), m.Display((("", false),)), m.Paragraph((why,), True))
    return m.Remark("remark", "a false variant", shown)


def example(found: Example) -> m.Remark:
    """A worked example."""
    return m.Remark("example", found.title, tuple(map(_part, found.parts)))


def _part(part: str | Formula | Table) -> m.Block:
    if isinstance(part, str):
        return m.Paragraph((part,))
    if isinstance(part, Formula):
        return m.Display((("", part),))
    return m.Table(tuple((x,) for x in part.head), tuple(tuple((x,) for x in r) for r in part.rows))


# ---------------------------------------------------------------------------------- in a terminal
def as_text(page: TheoremPage) -> str:
    """A theorem, its claims with their marks, its proof, examples, and a false variant."""
    return to_text.text(_in_terminal(page))


def _in_terminal(page: TheoremPage) -> Iterator[m.Block]:
    yield m.Heading((page.title,))
    yield m.Paragraph((f"({page.id}: {page.reads})",), continues=True)
    yield m.Paragraph((page.said,))
    if page.remarks:
        yield m.Paragraph((f"Remark: {page.remarks}",))
    if page.given:
        yield m.Paragraph((page.given,))
    if page.where:
        yield m.Display(tuple(("", w) for w in page.where))
    for k, c in enumerate(page.claims, 1):
        yield from _claim(c, f"({k}) " if len(page.claims) > 1 else "", first=k == 1)
    yield from in_symbols(page)
    yield m.Proof(proof(page, entries=True))
    yield from map(_example, page.examples)
    if page.neighbour:
        false, why = page.neighbour
        refused = "" if page.verdict == UNCHECKED else f", and {page.refused}"
        yield m.Paragraph((f"A false variant{refused}:",))
        yield m.Display((("", false),))
        yield m.Paragraph((why,), continues=True)
    for k in page.refuted:
        yield m.Paragraph((f"That a false variant fails: {page.claims[k].called}.",))
    yield m.Paragraph((f"Source: {page.source}",))
    if page.uses:
        yield m.Paragraph((f"Uses: {', '.join(page.uses)}",), continues=True)
    if page.verdict == UNCHECKED:
        yield m.Paragraph(
            ("No mark was checked for this page: --check does, and shows what each says.",)
        )


def _claim(c: ClaimPage, number: str, *, first: bool) -> Iterator[m.Block]:
    """A claim with what its marks say or, where none was made, with their names."""
    unchecked = c.verdict == UNCHECKED
    word = "claimed" if unchecked else reads(c.verdict)
    verdict = m.Verdict(number + word, c.shade)
    if c.headline:
        yield m.Paragraph((verdict, f": {c.called} of Rocq"), continues=not first)
        yield m.Source(c.statement.plain)
    else:
        said = (verdict, ": ", c.statement, f"   ({c.scope})")
        yield m.Paragraph(said, continues=not first)
    names = f"marks: {', '.join(x.mark for x in c.marks)}"
    details = [names] if unchecked else map(_mark, c.marks)
    yield m.Folded("", tuple(m.Paragraph((x,), continues=True) for x in details))


def _mark(x: Mark) -> str:
    word = "" if x.ok else "FAILED: " if x.ok is False else "undecided: "
    return f"{x.mark}: {word}{x.detail}"


def _example(found: Example) -> m.Remark:
    """An example, its parts close together."""
    made = example(found)
    return replace(made, blocks=tuple(
        replace(b, continues=True) if isinstance(b, m.Paragraph) else b for b in made.blocks
    ))  # fmt: skip


# -------------------------------------------------------------------------------------------- slots
class ProofSlots:
    """The slots of a proof in words: chains, letters and claims of its own theorem, and formulas of
    its chapter."""

    def __init__(self, page: TheoremPage | None, *, entries: bool = False) -> None:
        self._page, self._by_entries = page, entries
        self.shown: list[Section] = []  # the chains that the words show
        self.displays: Displays = {
            "chain": self._chain,
            "where": lambda rest: [where(*self._of(rest))],
            "claim": lambda rest: [m.Display((("", claim(*self._of(rest)).statement),))],
            "remarks": lambda rest: [m.Paragraph((self._of(rest)[0].remarks,))],
            "headline": lambda rest: [m.Source(headline(rest).source)],
            "definition": lambda rest: [definition(rest)],
        }
        self.words: dict[str, Callable[[str], m.Words]] = {
            "claim": lambda rest: (claim(*self._of(rest)).statement,),
            "headline": lambda rest: (m.Code(headline(rest).name),),
            "cite": lambda rest: (m.Citation(tuple(rest.split())),),
            "ref": lambda rest: (m.TheoremRef(_catalogued(rest)),),
            "chapter": lambda rest: (f"{_part_of_book(rest)}\u00a0", m.ChapterRef(rest)),
            "Chapter": lambda rest: (f"{_part_of_book(rest).title()}\u00a0", m.ChapterRef(rest)),
        }

    def _of(self, rest: str) -> tuple[TheoremPage, str]:
        """Of which theorem a slot is, and what of it is asked for."""
        if self._page is None:
            raise BadSlot("given a slot of a theorem's own proof, expected one with its id")
        return self._page, rest

    def displayed(self, slot: str) -> Sequence[m.Block]:
        """The blocks of a slot that is alone on its line."""
        name, _, rest = slot.partition(" ")
        if name in self.displays:
            return self.displays[name](rest)
        if name in self.words:
            return [m.Paragraph(self.words[name](rest))]
        return [m.Display(tuple(("", self.formula(x.strip())) for x in slot.split(";")))]

    def within(self, slot: str) -> m.Words:
        """The words of a slot in a line."""
        name, _, rest = slot.partition(" ")
        return self.words[name](rest) if name in self.words else (self.formula(slot),)

    def formula(self, name: str) -> Formula:
        """A formula by its name, of this chapter or of another, or a symbol."""
        if re.fullmatch(_SYMBOL, name):
            return _symbol(name)
        own = formulas.of_chapter(CHAPTER_OF[self._page.id]) if self._page else {}
        known = own if name in own else formulas.formulas()
        if name not in known:
            raise BadSlot(f"given {{{name}}}, expected a slot, a symbol or a formula of a chapter")
        return formulas.printed(known[name])

    def _chain(self, rest: str) -> Sequence[m.Block]:
        asked, _, option = rest.partition(" | ")
        page, letter = self._of(asked)
        if option not in ("", "entries"):
            raise BadSlot(f"chain {letter}: given the option {option}, expected entries or none")
        found = chain(page, letter)
        self.shown.append(found)
        entries = self._by_entries or option == "entries"
        return [replace(found if entries else without_asides(found), title="")]


def _catalogued(name: str) -> str:
    if name not in CHAPTER_OF:
        raise BadSlot(f"given {name}, expected the id of a theorem")
    return name


def _part_of_book(chapter: str) -> str:
    """What a chapter of this name is called before its number."""
    if chapter not in CHAPTERS:
        raise BadSlot(f"given {chapter}, expected the folder of a chapter")
    return "appendix" if CHAPTERS.index(chapter) >= CHAPTERS.index(APPENDIX) else "chapter"


def _symbol(name: str) -> Formula:
    if name == "1":
        return Formula(r"\mathbf{1}", "1")
    bare = name.rstrip("′")
    return in_both(lambda to: to.prime(bare) if bare != name else to.symbol(bare))
