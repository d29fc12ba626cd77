"""theorems.json and the JSON of each theorem: what the site says, for programs; and what stands
beside claims: each as a proposition of Rocq, and counterexample files.

Equal pages give equal bytes: how long a mark took is left out. What stands beside a claim is read
from the theorem's file and bound to the page by the digest of its statement: of a claim that is not
the file's, nothing is shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Any

from orderproof.check.claims import Claim, TheoremFile
from orderproof.check.page import TheoremPage
from orderproof.check.rocq import headlines
from orderproof.check.rocq.claims import scripts
from orderproof.check.schemes.table import Cell
from orderproof.proofs import catalogue
from orderproof.symbolic.readings.rocq_statement import proposition
from orderproof.symbolic.statements.text import digest

from .evidence import used
from .schemes import cell_url, file_of

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
        "marks": {
            name: {"claims": len(made), "of": len(page.claims)}
            for name in used([page])
            for made in [[c for c in page.claims if any(m.mark == name and m.ok for m in c.marks)]]
        },
        "uses": list(page.uses),
        "used_by": list(place.users),
        "url": f"theorem/{page.id}.html",
        "json": f"theorem/{page.id}.json",
    }  # fmt: skip


def whole(page: TheoremPage, place: Place, found: Beside, proof: str | None) -> dict[str, Any]:
    """A theorem in its own file: all that its page holds, but for seconds; its proof in words, if
    it has one, as text; and of each claim its proposition in Rocq."""
    data = asdict(page)
    for k, (claim, c) in enumerate(zip(data["claims"], page.claims, strict=True)):
        rocq = found.rocq.get(k)
        named = {"headline": c.headline, "proposition": c.statement.plain} if c.headline else None
        claim["number"] = k + 1
        claim["rocq"] = named or (
            rocq and {"headline": rocq.headline, "proposition": rocq.proposition}
        )
    for mark in [*data["refusals"], *(m for claim in data["claims"] for m in claim["marks"])]:
        del mark["seconds"]
    del data["words"], data["for_all"]  # which are its sentences, and `given` in words
    return entry(page, place) | data | {"proof": proof}


def manifest(
    date: str, pages: Sequence[TheoremPage], places: Mapping[str, Place], cells: Sequence[Cell]
) -> dict[str, Any]:
    """theorems.json: every theorem and every cell of the table of schemes, with where it is; of a
    cell the address of its page, and of its counterexample where it has one."""
    return {
        "format": FORMAT,
        "version": version("orderproof"),
        "date": date,
        "theorems": [entry(p, places[p.id]) for p in pages],
        "cells": [
            c.to_json(file_of(c) if c.witness else None) | {"url": cell_url(c)} for c in cells
        ],
    }


# ------------------------------------------------------------------------------ beside its claims
@dataclass(frozen=True)
class InRocq:
    """A claim in Rocq: the proposition generated from it, the theorem of the development that
    states it too, and how Rocq is shown that it holds."""

    proposition: str
    headline: str
    how: str


@dataclass(frozen=True)
class Beside:
    """By the number of the claim, from 0; and by name the theorems of Rocq, as their files have
    them, and the counterexample files."""

    rocq: Mapping[int, InRocq] = field(default_factory=dict)
    headlines: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


def beside(page: TheoremPage) -> Beside:
    """What there is beside the claims of a page; nothing of a page without a theorem file."""
    if page.id not in catalogue.IDS:
        return Beside()
    theorem = catalogue.load(page.id)
    by_digest = {digest(c.statement): (k, c) for k, c in enumerate(theorem.claims, 1)}
    rocq: dict[int, InRocq] = {}
    for k, claim in enumerate(page.claims):
        if claim.digest in by_digest:
            number, found = by_digest[claim.digest]
            how = _shown(theorem, number, found)
            rocq[k] = InRocq(proposition(found.statement), found.rocq, how)
    named = dict.fromkeys(r.headline for r in rocq.values() if r.headline)
    sources = {name: headlines.headline(name).source for name in named}
    return Beside(rocq, sources, theorem.witnesses if rocq else {})


def _shown(theorem: TheoremFile, number: int, claim: Claim) -> str:
    """How Rocq is shown that a claim holds."""
    if number in scripts(theorem.id):
        return f"proved by hand in proofs/rocq/by_hand/{theorem.id}.v"
    if claim.push is not None:
        return "Rocq checks a certificate of the derivation"
    return "stated by the theorem above" if claim.rocq else "not for Rocq"


def source_of(headline: str) -> str:
    """The file of the development that states a headline."""
    return f"proofs/rocq/{headlines.file_of(headline)}.v"
