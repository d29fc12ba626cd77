"""theorems.json and the JSON of each theorem: what the site says, for programs. Equal pages give
equal bytes: how long a mark took is left out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orderproof.check.page import ClaimPage, Formula, Mark, TheoremPage
from orderproof.check.prove.trust import MARKS
from orderproof.check.schemes.table import Cell

from .beside import Beside

FORMAT = "orderproof-theorems"


@dataclass(frozen=True)
class Place:
    """Where the book has a theorem: the folder of its chapter, and its number, "Lemma 3.1"; and
    which theorems use it."""

    chapter: str | None = None
    number: str | None = None
    users: tuple[str, ...] = field(default=())


def text(data: Any) -> str:
    """The JSON of a file."""
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def outcome(x: TheoremPage | ClaimPage) -> str:
    """The verdict as it is read: what is not as declared says what was."""
    return x.reads if x.as_declared else f"{x.verdict}, expected: {x.expected}"


def carried(page: TheoremPage) -> dict[str, int]:
    """On how many claims of a theorem each mark is, in the order of the page on trust."""
    made = {m.mark for c in page.claims for m in c.marks}
    return {
        name: sum(any(m.mark == name and m.ok for m in c.marks) for c in page.claims)
        for name in (m.name for m in MARKS)
        if name in made
    }


def entry(page: TheoremPage, place: Place) -> dict[str, Any]:
    """A theorem in the manifest."""
    return {
        "id": page.id,
        "title": page.title,
        "number": place.number,
        "chapter": place.chapter,
        "verdict": page.verdict,
        "expected": page.expected,
        "sentences": [
            {"text": said, "claims": [k + 1 for k in claims]} for said, claims in page.words
        ],
        "claims": [
            {"number": k, "kind": c.kind, "scope": c.scope, "verdict": c.verdict,
             "digest": c.digest, "marks": [m.mark for m in c.marks if m.ok]}
            for k, c in enumerate(page.claims, 1)
        ],
        "marks": {name: {"claims": n, "of": len(page.claims)} for name, n in carried(page).items()},
        "uses": list(page.uses),
        "used_by": list(place.users),
        "url": f"theorem/{page.id}.html",
        "json": f"theorem/{page.id}.json",
    }  # fmt: skip


def whole(page: TheoremPage, place: Place, found: Beside, proof: str | None) -> dict[str, Any]:
    """A theorem in its own file: with its formulas, its proof in words if it has one, its
    derivation and all that its marks say."""
    return entry(page, place) | {
        "source": page.source,
        "citations": list(page.citations),
        "given": _formula(page.given),
        "where": [_formula(f) for f in page.where],
        "claims": [_claim(k, c, found) for k, c in enumerate(page.claims)],
        "proof": proof,
        "derivation": [
            {
                "title": s.title,
                "lines": [
                    {"formula": _formula(line.formula), "reason": line.because}
                    | ({"by_entries": _formula(line.aside)} if line.aside else {})
                    for line in s.lines
                ],
            }
            for s in page.sections
        ],
        "false_variant": None if page.neighbour is None else {
            "statement": _formula(page.neighbour[0]),
            "reason": page.neighbour[1],
            "marks": [_mark(m) for m in page.refusals],
        },
    }  # fmt: skip


def _claim(k: int, c: ClaimPage, found: Beside) -> dict[str, Any]:
    rocq = found.rocq.get(k)
    return {
        "number": k + 1,
        "statement": _formula(c.statement),
        "kind": c.kind,
        "scope": c.scope,
        "verdict": c.verdict,
        "expected": c.expected,
        "digest": c.digest,
        "marks": [_mark(m) for m in c.marks],
        "rocq": {"headline": c.headline, "proposition": c.statement.plain} if c.headline else
        None if rocq is None else {"headline": rocq.headline, "proposition": rocq.proposition},
    }  # fmt: skip


def _mark(m: Mark) -> dict[str, Any]:
    return {"mark": m.mark, "ok": m.ok, "settles": m.settles, "states": m.states,
            "detail": m.detail}  # fmt: skip


def _formula(f: Formula | None) -> dict[str, str] | None:
    return None if f is None else {"latex": f.latex, "plain": f.plain}


def manifest(
    version: str,
    date: str,
    pages: Sequence[TheoremPage],
    places: Mapping[str, Place],
    cells: Sequence[tuple[Cell, str, str | None]],
) -> dict[str, Any]:
    """theorems.json: every theorem and every cell of the table of schemes, with where it is; of a
    cell the address of its page, and of its counterexample where it has one."""
    return {
        "format": FORMAT,
        "version": version,
        "date": date,
        "theorems": [entry(p, places[p.id]) for p in pages],
        "cells": [c.to_json(file) | {"url": url} for c, url, file in cells],
    }
