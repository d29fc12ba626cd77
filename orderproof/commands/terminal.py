"""A theorem, or a search, as plain text for a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING

from orderproof.check.page import (
    UNCHECKED,
    ClaimPage,
    Example,
    Formula,
    Table,
    TheoremPage,
    broken,
)
from orderproof.proofs import catalogue
from orderproof.publish.pages.derivations import LEMMA, LEMMA_ID
from orderproof.symbolic.counting import PEOPLE, for_people

from .shared import WIDTH

if TYPE_CHECKING:
    from orderproof.symbolic.schemes.table_search import SearchResult

COUNTED = f", tokens {PEOPLE}"
ENTRIES = 64  # of a tensor that is printed
VARIANT = "A false variant:"
LONG = 60  # letters of a formula that are broken rather than put on a line of their own


def _wrapped(text: str, indent: str = "", hang: str = "") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent + hang)


def _formula(text: str, indent: str = "", after: str = ",") -> str:
    """A formula over lines that end after its commas (or other signs) outside brackets; in a part
    that is too long, before its relations too; and in what is too long even then, anywhere."""
    found = []
    for part in _split(text, lambda before, _: before[-1:] in after):
        long = len(part) >= LONG
        found += _split(part, lambda _, then: then[:1] in "=≠<≤⇒") if long else [part]
    whole = (p.replace(" ", "\u00a0") if len(p) < LONG else p for p in found)
    return _wrapped(" ".join(whole), indent, "    ").replace("\u00a0", " ")


def _split(text: str, here: Callable[[str, str], bool]) -> list[str]:
    """A text taken apart at those spaces outside brackets of which `here` says so, given what
    stands before the space and after it."""
    cuts, depth = [-1], 0
    for k, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == " " and depth == 0 and here(text[:k], text[k + 1 :]):
            cuts.append(k)
    return [text[a + 1 : b] for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)]


def _line(formula: str, reason: str) -> list[str]:
    """A line of a derivation, its reason at the right or, where there is no room, below."""
    if not reason:
        return [formula]
    if len(formula) + len(reason) + 3 <= WIDTH:
        return [f"{formula}{reason:>{WIDTH - len(formula)}}"]
    return [
        *textwrap.wrap(formula, WIDTH, subsequent_indent=" " * 8),
        *textwrap.wrap(reason, WIDTH - 8, initial_indent=" " * 8, subsequent_indent=" " * 8),
    ]


def theorem(page: TheoremPage) -> str:
    """A theorem with its derivation, claims and marks."""
    title = textwrap.fill(page.title, WIDTH, break_long_words=False)
    out = [title, f"({page.id}: {page.reads})", "", _wrapped(page.said), ""]
    out += [_wrapped(f"Remark: {page.remarks}"), ""] if page.remarks else []
    out += [_formula(page.given.plain), ""] if page.given else []
    if page.where:
        out += [_formula(w.plain, "    ") for w in page.where] + [""]
    for section in page.sections:
        out.append(_wrapped(section.title))
        for k, line in enumerate(section.lines):
            sign = "  " if k == 0 else "    = "
            out += _line(sign + line.formula.plain, "".join(map(_cell, line.reason)))
            if line.aside:
                out.append(_wrapped(f"[{line.aside.plain}]", " " * 8))
        out.append("")
    for example in page.examples:
        out += [_example(example), ""]
    for claim in page.claims:
        out += _claim(claim)
    out.append("")
    if page.neighbour:
        false, why = page.neighbour
        out += [
            _wrapped(
                VARIANT if page.verdict == UNCHECKED else f"{VARIANT[:-1]}, and {page.refused}:"
            ),
            _formula(false.plain, "    "),
            _wrapped(why),
            "",
        ]
    for k in page.refuted:
        out += [_wrapped(f"That a false variant fails: {page.claims[k].called}."), ""]
    out.append(_wrapped(f"Source: {page.source}"))
    if page.uses:
        out.append(_wrapped(f"Uses: {', '.join(page.uses)}"))
    if any(LEMMA in _cell(part) for part in page.reasons):
        out.append(f"{catalogue.title(LEMMA_ID)} ({LEMMA_ID})")
    if page.verdict == UNCHECKED:
        out += ["", "No mark was checked for this page: --check does, and shows what each says."]
    return "\n".join(out)


def _claim(claim: ClaimPage) -> list[str]:
    """A claim with what its marks say or, where none was made, with their names."""
    word = "claimed" if claim.verdict == UNCHECKED else claim.reads
    said = f"{word}: {claim.statement.plain}"
    if claim.headline:
        lines = broken(claim.statement.plain, WIDTH - 4)
        out = [
            _wrapped(f"{word}: {claim.called} of Rocq", hang="  "),
            textwrap.indent(lines, "    "),
        ]
    elif len(said) + len(claim.scope) + 5 <= WIDTH:
        out = [f"{said}   ({claim.scope})"]
    else:
        out = [_formula(said, after=",:"), _wrapped(f"({claim.scope})", "    ")]
    if claim.verdict == UNCHECKED:
        return [*out, _wrapped(f"marks: {', '.join(m.mark for m in claim.marks)}", "    ")]
    for m in claim.marks:
        word = "" if m.ok else "FAILED: " if m.ok is False else "undecided: "
        out.append(_wrapped(f"{m.mark}: {word}{m.detail}", "    "))
    return out


def _example(example: Example) -> str:
    out = [f"Example: {example.title}"]
    for part in example.parts:
        if isinstance(part, Table):
            rows = [[_cell(c) for c in row] for row in (part.head, *part.rows)]
            widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
            out += [
                "    " + "  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip()
                for r in rows
            ]
        else:
            out.append(_wrapped(_cell(part), "    "))
    return "\n".join(out)


def _cell(cell: str | Formula) -> str:
    return cell if isinstance(cell, str) else cell.plain


def search(result: SearchResult) -> str:
    """What a search found, so that a person can redo it."""
    w = result.witness
    alone = result.answer == "symmetric" and result.proof is None and result.n > 1
    out = [
        f"{result.answer}: {result.scheme}, n = {result.n}, d = {result.d}"
        + (", for the identity" if alone else ""),
        _wrapped(
            for_people(result.reason, result.sigma, COUNTED) if w is None else w.differs(PEOPLE)
        ),
    ]
    if w is not None:
        out.append(f"σ = {PEOPLE.images(w.sigma)}, tokens {PEOPLE}; (PX)[i] = X[σ(i)]")
        if w.n * w.d > ENTRIES:
            out.append(f"The tensors and both sides, {w.n}×{w.d}, are in the file.")
            return "\n".join(out)
        for name, rows in w.tensors.items():
            unit = " (in units of √d·ln 2)" if name == "W_Q" and w.kind == "exact" else ""
            out.append(f"{name} = {[[str(v) for v in row] for row in rows]}{unit}".replace("'", ""))
        for name, side in (("f(PX)", w.lhs), ("P f(X)", w.rhs)):
            shown = [[str(a) if a == b else f"{float(a):.9f}…" for a, b in row] for row in side]
            out.append(f"{name} = {shown}".replace("'", ""))
    return "\n".join(out)
