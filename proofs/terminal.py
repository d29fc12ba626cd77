"""A theorem, a search, the entries of a claim: as plain text for a terminal of 80 columns."""

from __future__ import annotations

import re
import textwrap

from orderproof.symbolic.language import symbols
from orderproof.symbolic.read_sympy import formulas
from orderproof.symbolic.search import SearchResult
from orderproof.symbolic.terms import map_type

from .claims import TheoremFile
from .pages import Example, Formula, Table, TheoremPage

WIDTH = 80
LONG = 60  # letters of a formula that are broken rather than put on a line of their own


def _wrapped(text: str, indent: str = "", hang: str = "") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent + hang)


def _formula(text: str, indent: str = "") -> str:
    """A formula over lines that end after its commas; a part that is too long, before its relations
    too; and what is too long even then, anywhere."""
    parts = re.split(r"(?<=,) (?![^{(\[]*[})\]])", text)
    long = (re.split(r" (?=[=≠>⇒] )", p) if len(p) >= LONG else [p] for p in parts)
    whole = (p.replace(" ", "\u00a0") if len(p) < LONG else p for each in long for p in each)
    return _wrapped(" ".join(whole), indent, "    ").replace("\u00a0", " ")


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
    out = [page.title, f"({page.id}: {page.verdict})", "", _wrapped(page.words), ""]
    out += [_formula(page.given.plain), ""]
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
        said = f"{claim.verdict}: {claim.statement.plain}"
        if len(said) + len(claim.scope) + 5 <= WIDTH:
            out.append(f"{said}   ({claim.scope})")
        else:
            out += [_formula(said), _wrapped(f"({claim.scope})", "    ")]
        for m in claim.marks:
            word = "" if m.ok else "FAILED: " if m.ok is False else "undecided: "
            out.append(_wrapped(f"{m.mark}: {word}{m.detail}", "    "))
    false, why = page.neighbour
    out += [
        "",
        _wrapped(f"False, and {page.refused}:"),
        _formula(false.plain, "    "),
        _wrapped(why),
        "",
        _wrapped(f"Source: {page.source}"),
    ]
    if page.uses:
        out.append(_wrapped(f"Uses: {', '.join(page.uses)}"))
    return "\n".join(out)


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
    out = [
        f"{result.answer}: {result.scheme}, n = {result.n}, d = {result.d}",
        _wrapped(result.reason),
    ]
    w = result.witness
    if w is not None:
        out.append(f"σ = {list(w.sigma)}, (PX)[i] = X[σ(i)]")
        for name, rows in w.tensors.items():
            unit = " (in units of √d·ln 2)" if name == "W_Q" and w.kind == "exact" else ""
            out.append(f"{name} = {[[str(v) for v in row] for row in rows]}{unit}".replace("'", ""))
        for name, side in (("f(PX)", w.lhs), ("P f(X)", w.rhs)):
            shown = [[str(a) if a == b else f"{float(a):.9f}…" for a, b in row] for row in side]
            out.append(f"{name} = {shown}".replace("'", ""))
    return "\n".join(out)


def entries(theorem: TheoremFile, size: int) -> str:
    """Every entry of both sides of each claim, in generic real symbols: `size` tokens, one cycle
    of all of them, features of size 2."""
    out = []
    for claim in theorem.claims:
        sets, maps = symbols(claim.lhs, claim.rhs)
        moved = [map_type(m)[1] for m in maps]
        sizes = {s.name: size if s in moved else min(2, size) for s in sets}
        tables = {m.data[0]: (*range(1, size), 0) for m in maps}
        for title, term in (("left", claim.lhs), ("right", claim.rhs)):
            out.append(
                f"{title} side, {', '.join(map(str, term.axes)) or 'no axes'}; sizes {sizes}"
            )
            for index, value in formulas(term, sizes, tables).items():
                place = ", ".join(str(k + 1) for k in index)
                out.append(f"  [{place}] = {value}")
    return "\n".join(out)
