"""A document as plain text for a terminal: the one place that breaks its lines."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest

from orderproof.check.page import Formula, Line, Section, broken
from orderproof.proofs import catalogue

from . import model as m

WIDTH = 80
LONG = 60  # letters of a formula that is broken rather than put on a line of its own
INDENT, HANG = " " * 4, " " * 8
GAP = "  "  # between the columns of a table
KEEP = "\N{NO-BREAK SPACE}"  # within what stays in one line; it is printed as a space


def text(blocks: Iterable[m.Block], width: int = WIDTH, indent: str = "") -> str:
    """The blocks, an empty line between those that do not go on with what is before."""
    return "\n".join(_lines(blocks, width, indent))


def _lines(blocks: Iterable[m.Block], width: int, indent: str) -> Iterator[str]:
    before: m.Block | None = None
    for b in blocks:
        if before is not None and not _goes_on(b, before):
            yield ""
        yield from _block(b, width, indent)
        before = b


def _goes_on(b: m.Block, before: m.Block) -> bool:
    match b:
        case m.Paragraph():
            return b.continues
        case m.Display():
            return not _alone(before) and isinstance(before, m.Paragraph | m.Display | m.Table)
        case m.Source() | m.Table() | m.Items():
            return not _alone(before) and isinstance(before, m.Paragraph | m.Display)
        case Section() | m.Folded():
            return not b.title
    return False


def _alone(b: m.Block) -> bool:
    """Whether it is a paragraph of a formula by itself: the quantifiers of a theorem."""
    return isinstance(b, m.Paragraph) and len(b.words) == 1 and isinstance(b.words[0], Formula)


def _block(b: m.Block, width: int, indent: str) -> Iterator[str]:
    """The lines of a block. What is displayed has the same indent everywhere."""
    match b:
        case m.Paragraph():
            yield from _paragraph(b.words, width, indent)
        case m.Heading():
            yield from wrapped(words(b.words), width, indent)
        case m.Display():
            for mark, f in b.formulas:
                yield from formula(f"{mark} {_plain(f)}".strip(), width, INDENT)
        case Section():
            yield from _chain(b, width, indent)
        case m.Source():
            yield from [INDENT + b.mark] * bool(b.mark)
            yield from (INDENT + x for x in broken(b.text, width - len(INDENT)).splitlines())
        case m.Items():
            for item in b.items:
                yield from wrapped(f"- {words(item)}", width, indent, "  ")
        case m.Table():
            yield from (INDENT + x for x in _table(b, width - len(INDENT)))
        case m.Figure():
            yield from wrapped(words(b.caption), width, indent)
            yield from wrapped(f"[{b.missing or b.alt}]", width, indent)
        case m.Theorem():
            yield from wrapped(f"{b.kind.capitalize()}: {b.title} ({b.id})", width, indent)
            yield from _lines(b.blocks, width, indent)
        case m.Proof():
            checked = [m.Paragraph(b.checked, continues=True)] if b.checked else []
            yield from _lines([*_begun("Proof. ", b.blocks), *checked], width, indent)
            yield f"{'∎':>{width}}"
        case m.Remark():
            yield from wrapped(f"{b.kind.capitalize()}: {b.title}", width, indent)
            yield from _lines(b.blocks, width, indent + INDENT)
        case m.Folded():
            yield from wrapped(b.title, width, indent)
            yield from _lines(b.blocks, width, indent + INDENT)


def _begun(begin: str, blocks: Sequence[m.Block]) -> Sequence[m.Block]:
    """The blocks, these words before those of the first, or alone."""
    if blocks and isinstance(blocks[0], m.Paragraph):
        return [m.Paragraph((begin, *blocks[0].words)), *blocks[1:]]
    return [m.Paragraph((begin,)), *blocks]


# ------------------------------------------------------------------------------------------- words
def words(found: m.Words) -> str:
    """Words in a line: a theorem by its id, a chapter by its title."""
    return "".join(map(_inline, found))


def _inline(x: m.Inline) -> str:
    match x:
        case str():
            return x
        case Formula():
            return _plain(x).replace(" ", KEEP) if len(_plain(x)) < LONG else _plain(x)
        case m.Citation():
            from .bibliography import short_names

            return f"[{'; '.join(short_names(x.keys))}]"
        case m.TheoremRef():
            return x.id
        case m.ChapterRef():
            return f"“{catalogue.chapter(x.name).title}”"
        case m.MarkName():
            return f"{x.name} {x.count}".strip() + (f": {x.says}" if x.says else "")
    return x.text


def wrapped(said: str, width: int = WIDTH, indent: str = "", hang: str = "") -> list[str]:
    """Words over lines, the first with this indent, the others hanging."""
    lines = textwrap.wrap(
        said, width, initial_indent=indent, subsequent_indent=indent + hang, break_on_hyphens=False
    )
    return [line.replace(KEEP, " ") for line in lines]


def _paragraph(found: m.Words, width: int, indent: str) -> list[str]:
    """Words; or a formula, alone or after its name; or a verdict, of what, and in what scope: on a
    line of its own where there is no room."""
    match found:
        case (Formula() as f,):
            return formula(_plain(f), width, indent)
        case (str() as name, Formula() as f) if name.endswith(": "):
            return formula(name + _plain(f), width, indent, after=",:")
        case (m.Verdict() as verdict, str() as colon, Formula() as f, str() as scope):
            said = f"{indent}{verdict.text}{colon}{_plain(f)}"
            if len(said) + len(scope) <= width:
                return [said + scope]
            below = wrapped(scope.strip(), width, indent + INDENT)
            return [*formula(said.strip(), width, indent, after=",:"), *below]
        case (m.Verdict(), *_):
            return wrapped(words(found), width, indent, "  ")
    return wrapped(words(found), width, indent)


# ---------------------------------------------------------------------------------------- formulas
def _plain(f: Formula) -> str:
    """What stands for a formula; of one that is made for LaTeX alone, that."""
    return f.plain or f.latex


def formula(said: str, width: int = WIDTH, indent: str = "", after: str = ",") -> list[str]:
    """A formula over lines that end after its commas (or other signs) outside brackets; in a part
    that is too long, before its relations too; and in what is too long even then, anywhere."""
    found = []
    for part in _split(said, lambda before, _: before[-1:] in after):
        long = len(part) >= LONG
        found += _split(part, lambda _, then: then[:1] in "=≠<≤⇒") if long else [part]
    whole = (p.replace(" ", KEEP) if len(p) < LONG else p for p in found)
    return wrapped(" ".join(whole), width, indent, INDENT)


def _split(said: str, here: Callable[[str, str], bool]) -> list[str]:
    """A text taken apart at those spaces outside brackets of which `here` says so, given what
    stands before the space and after it."""
    cuts, depth = [-1], 0
    for k, c in enumerate(said):
        depth += (c in "([{") - (c in ")]}")
        if c == " " and depth == 0 and here(said[:k], said[k + 1 :]):
            cuts.append(k)
    return [said[a + 1 : b] for a, b in zip(cuts, [*cuts[1:], len(said)], strict=True)]


def _chain(s: Section, width: int, indent: str) -> Iterator[str]:
    """A chain of equal formulas, with the reasons and, in brackets, what they are by entries."""
    yield from wrapped(s.title, width, indent)
    for k, line in enumerate(s.lines):
        yield from _step(line, indent + ("    = " if k else "  "), width)
        if line.aside:
            yield from wrapped(f"[{_plain(line.aside)}]", width, indent + HANG)


def _step(line: Line, sign: str, width: int) -> list[str]:
    """A line of a chain, its reason at the right or, where there is no room, below."""
    shown, reason = sign + _plain(line.formula), line.because
    if not reason:
        return [shown]
    if len(shown) + len(reason) + 3 <= width:
        return [f"{shown}{reason:>{width - len(shown)}}"]
    return [*wrapped(shown, width, hang=HANG), *wrapped(reason, width, HANG)]


# ------------------------------------------------------------------------------------------ tables
def _table(t: m.Table, width: int) -> Iterator[str]:
    """Columns; where they are too wide, the widest cells are wrapped."""
    head, rows = [words(x) for x in t.head], [[words(x) for x in row] for row in t.rows]
    if any(head):
        rows = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    while sum(widths) + len(GAP) * (len(widths) - 1) > width and max(widths) > 1:
        widths[widths.index(max(widths))] -= 1
    for row in rows:
        cells = [wrapped(x, w) if len(x) > w else [x] for x, w in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            line = GAP.join(x.ljust(w) for x, w in zip(parts, widths, strict=True))
            yield line.replace(KEEP, " ").rstrip()
