"""What stands beside a claim on its page: the claim as a proposition of Rocq, and its witness.

Both are read from the theorem's file and bound to the page by the digest of the statement: of a
claim that is not the file's, nothing is shown.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from orderproof.check.claims import Claim, TheoremFile, Witness
from orderproof.check.marks.exact import ByExact, compared, exact_entries, fraction
from orderproof.check.page import Formula, TheoremPage
from orderproof.check.rocq import headlines
from orderproof.check.rocq.claims import scripts
from orderproof.check.sampling import paired, substituted
from orderproof.proofs import catalogue
from orderproof.symbolic.counting import PEOPLE, cycle_text
from orderproof.symbolic.readings.notation import Latex, Plain
from orderproof.symbolic.readings.rocq_statement import proposition
from orderproof.symbolic.statements.text import digest

from .model import Block, Link, Paragraph, Table

MOST = 12  # entries of both sides that are listed


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
    witnesses: Mapping[int, tuple[Block, ...]] = field(default_factory=dict)
    headlines: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


def beside(page: TheoremPage) -> Beside:
    """What there is beside the claims of a page; nothing of a page without a theorem file."""
    if page.id not in catalogue.IDS:
        return Beside()
    theorem = catalogue.load(page.id)
    by_digest = {digest(c.statement): (k, c) for k, c in enumerate(theorem.claims, 1)}
    rocq: dict[int, InRocq] = {}
    witnesses: dict[int, tuple[Block, ...]] = {}
    for k, claim in enumerate(page.claims):
        if claim.digest in by_digest:
            number, found = by_digest[claim.digest]
            how = _shown(theorem, number, found)
            rocq[k] = InRocq(proposition(found.statement), found.rocq, how)
            check = found.marks.get("exact")
            if found.statement.exists and isinstance(check, ByExact):
                witnesses[k] = _at_witness(k + 1, found, check.witnesses)
    named = dict.fromkeys(r.headline for r in rocq.values() if r.headline)
    sources = {name: headlines.headline(name).source for name in named}
    return Beside(rocq, witnesses, sources, theorem.witnesses if rocq else {})


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


# -------------------------------------------------------------------------------------- a witness
def _at_witness(k: int, claim: Claim, witnesses: Sequence[Witness]) -> tuple[Block, ...]:
    """Values at which claim k holds, one of existence: sizes and maps, tensors, both sides."""
    bare, w = substituted(claim.statement), witnesses[0]
    left, right = (exact_entries(t, w) for t in bare.atom.terms)
    relation = bare.atom.relation
    rows = tuple(
        ((_place(index),), (_value(a),), (_sign(relation, a, b),), (_value(b),))
        for index, a, b in itertools.islice(paired(bare.atom, w.sizes, left, right), MOST)
    )
    at = [f"{name} = {size}" for name, size in w.sizes.items()]
    at += [f"{Plain().symbol(name)} = {_map(m)}" for name, m in w.maps.items()]
    units = [f"{w.query} in units of √d·ln 2"] * (w.query in w.tensors)
    units += [f"{name} in units of ln 2" for name in w.logs]
    values = tuple(
        ((Formula(Latex().symbol(name), name),), (_array(value),))
        for name, value in w.tensors.items()
    )
    more = len(witnesses) - 1
    said = f"and at {more} witness{'es' if more != 1 else ''} more, at other sizes or maps."
    told = f" holds at {', '.join(at)}, with{' ' if units else ''}{'; '.join(units)}"
    return (
        Paragraph(("Claim ", Link(f"({k})", f"#claim-{k}"), told)),
        Table(((), ()), values),
        Table((("entry",), ("left side",), (), ("right side",)), rows),
        *([Paragraph((said,))] if more else []),
    )


def _place(index: Sequence[int]) -> str:
    return f"({', '.join(str(PEOPLE(i)) for i in index)})" if index else "–"


def _sign(relation: str, a: Any, b: Any) -> str:
    """The claim's relation where it holds; else what is so."""
    return relation if compared(a, relation, b) else "=" if a == b else "not " + relation


def _value(x: Any) -> Formula | str:
    """A rational as a formula; a number with √d or ln 2 in it in words."""
    return fraction(x) if isinstance(x, int) or hasattr(x, "denominator") else str(x)


def _map(table: Any) -> str:
    if not isinstance(table, Sequence):
        return str(PEOPLE(int(table)))
    images = [int(k) for k in table]
    if sorted(images) == list(range(len(images))):
        return cycle_text(images)
    return f"[{', '.join(str(PEOPLE(k)) for k in images)}]"


def _array(value: Any) -> Formula:
    """A number, a row or a matrix; of more axes, its matrices side by side."""
    found = np.asarray(value, dtype=object)
    if found.ndim > 2:
        parts = [_array(part) for part in found]
        return Formula(r",\; ".join(p.latex for p in parts), ", ".join(p.plain for p in parts))
    if found.ndim == 0:
        return fraction(found.item())
    rows = [[fraction(x) for x in row] for row in np.atleast_2d(found)]
    if found.size == 1:
        return Formula(rf"\left({rows[0][0].latex}\right)", f"({rows[0][0].plain})")
    inside = r" \\ ".join(" & ".join(x.latex for x in row) for row in rows)
    plain = "; ".join(", ".join(x.plain for x in row) for row in rows)
    return Formula(rf"\begin{{pmatrix}} {inside} \end{{pmatrix}}", f"({plain})")
