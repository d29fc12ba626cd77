"""The marks exact and interval: a claim of existence, or an example, at given values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import z3

from orderproof.symbolic import replay
from orderproof.symbolic.entries import Model, evaluate
from orderproof.symbolic.language import symbols
from orderproof.symbolic.obligation import Obligation
from orderproof.symbolic.read_exact import Exact
from orderproof.symbolic.read_fractions import entries_of
from orderproof.symbolic.read_interval import Intervals, ends
from orderproof.symbolic.read_z3 import Reals, powers_of_two
from orderproof.symbolic.reading_error import ReadingError
from orderproof.symbolic.schemes import SCHEMES, sinusoid
from orderproof.symbolic.search import search
from orderproof.symbolic.terms import Map, Term, map_type
from orderproof.symbolic.witness import Witness as Found
from orderproof.symbolic.witness import dumps, parse

from .claims import Check, Claim, meets
from .marks import BySmt, Maps, Sizes, count, settled
from .pages import Formula


@dataclass(frozen=True)
class Witness:
    """Values at which a claim is to hold: sizes, tables of maps, and exact tensors. `query` names
    the tensor on which the factor √d_k · ln 2 is, so that exponents are integers and weights
    powers of 2; `counts` says that the last token stands for r ≥ 0 tokens alike."""

    sizes: Sizes
    maps: Maps
    tensors: Mapping[str, Any]
    query: str = "W_Q"
    counts: str | None = None


def exact_entries(term: Term, witness: Witness) -> Any:
    """Every entry of a term at a witness, in rationals (1/√d_k is in the query's factor)."""
    return entries_of(term, witness.sizes, witness.maps, witness.tensors, _width(witness))


def fraction(x: Fraction) -> Formula:
    """A rational in both notations."""
    if x.denominator == 1:
        return Formula(str(x), str(x))
    return Formula(rf"\tfrac{{{x.numerator}}}{{{x.denominator}}}", str(x))


def vector(entries: Sequence[Fraction]) -> Formula:
    """A row of rationals in both notations."""
    parts = [fraction(x) for x in entries]
    inside = r",\; ".join(p.latex for p in parts)
    return Formula(rf"\left({inside}\right)", f"({', '.join(p.plain for p in parts)})")


class _Scaled(Exact):
    """Exact rationals in which 1/√d_k has been taken into the factor on the query weight: the one
    square root that is read, as 1, is that of the given d_k."""

    def __init__(self, width: int) -> None:
        def root(x: Fraction) -> Fraction:
            if x != width:
                raise ReadingError(f"square root: given {x}, expected the width {width}")
            return Fraction(1)

        self.functions = {**Exact.functions, "sqrt": root}


def _width(witness: Witness) -> int:
    return int(np.asarray(witness.tensors[witness.query]).shape[-1])


def _model(witness: Witness) -> Model:
    def look(name: str) -> Callable[..., Fraction]:
        values = np.asarray(witness.tensors[name], dtype=object)
        return lambda *index: Fraction(values[index])

    return Model(witness.sizes, witness.maps, {k: look(k) for k in witness.tensors})


def by_exact(witnesses: Sequence[Witness]) -> Check:
    """At each witness, in rational arithmetic, some entry of the two sides satisfies the atom (of a
    claim of existence), or every entry (of any other)."""

    def check(claim: Claim) -> tuple[bool | None, str]:
        found = []
        if witnesses and not covered(claim, [w.sizes for w in witnesses]):
            return False, "the witnesses are not of the sizes that the claim is about"
        for w in witnesses:
            left, right = (exact_entries(t, w) for t in (claim.lhs, claim.rhs))
            order = [claim.lhs.axes.index(a) for a in claim.rhs.axes]
            pairs = {i: (v, right[tuple(i[k] for k in order)]) for i, v in left.items()}
            where = [i for i, pair in pairs.items() if claim.holds(pair)]
            if not where or (claim.kind != "exists" and len(where) < len(pairs)):
                return False, f"not so at sizes {w.sizes}"
            found.append((w.sizes, where[0], pairs[where[0]]))
        if not found:
            return None, "no witness given"
        sizes, index, (a, b) = found[0]
        entry = ", ".join(str(k + 1) for k in index)
        shown = ", ".join(f"{name} = {size}" for name, size in sizes.items())
        return True, f"{count(found, 'case')}; {shown}, entry ({entry}): {a} {claim.relation} {b}"

    return check


def covered(claim: Claim, found: Sequence[Mapping[str, int]]) -> bool:
    """Whether these sizes meet the claim's conditions, and all listed sizes are among them, and the
    least size of each condition n ≥ k."""
    least = {
        s.name: min(values) for s, (relation, values) in claim.sizes.items() if relation == "≥"
    }
    listed = {s.name: values for s, (relation, values) in claim.sizes.items() if relation == "∈"}
    wanted = itertools.product(*listed.values())
    fits = all(meets(sizes[s.name], c) for sizes in found for s, c in claim.sizes.items())
    if any(min(sizes[name] for sizes in found) > size for name, size in least.items()):
        return False
    return fits and {tuple(sizes[name] for name in listed) for sizes in found} >= set(wanted)


def lumps(claim: Claim, witness: Witness, index: tuple[int, ...]) -> Obligation:
    """For every r ≥ 0 at once: the last token of the witness stands for r tokens alike, an entry
    of each side is a rational function of r, and they satisfy the atom. No map moves the last
    token, and the entry is not its own."""
    over = str(witness.counts)
    last = witness.sizes[over] - 1
    of_axis = claim.lhs.sets
    own = [i for a, i in zip(claim.lhs.axes, index, strict=True) if of_axis[a].name == over]
    moving = [m for m in symbols(claim.lhs, claim.rhs)[1] if _moves(m, over, witness, last)]
    if moving or last in own:
        raise ReadingError(f"lumps: given {index} and {witness.maps}, expected the last left alone")
    r = z3.Real("r")
    bare = _model(witness)
    tensors = {k: (lambda *i, f=f: z3.RealVal(str(f(*i)))) for k, f in bare.tensors.items()}
    model = Model(witness.sizes, witness.maps, tensors, {over: [1] * last + [r]})
    reals = Reals(powers_of_two)
    scaled = _Scaled(_width(witness)).functions["sqrt"]
    reals.functions = {
        **reals.functions,
        "sqrt": lambda x: z3.RealVal(str(scaled(Fraction(str(z3.simplify(x)))))),
    }
    left, right = (evaluate(t, model, reals) for t in (claim.lhs, claim.rhs))
    order = [claim.lhs.axes.index(a) for a in claim.rhs.axes]
    other = right[tuple(index[k] for k in order)]
    atom = {"≠": left[index] != other, "=": left[index] == other, ">": left[index] > other}
    says = f"an entry of both sides for {over} = {last} + r"
    return Obligation(f"{over}_at_least_{last}", says, (r >= 0,), atom[claim.relation])


def _moves(m: Map, over: str, witness: Witness, last: int) -> bool:
    dom, cod, _ = map_type(m)
    touches = any(s.name == over for s in (*dom, cod))
    return touches and (dom != (cod,) or witness.maps[m.data[0]][last] != last)


@dataclass(frozen=True)
class ByLumps(BySmt):
    """The obligation of `lumps`, by two solvers; it starts at the least size of the claim."""

    witness: Witness
    index: tuple[int, ...]

    def obligations(self, claim: Claim) -> tuple[Obligation, ...]:
        """The one of `lumps`."""
        return (lumps(claim, self.witness, self.index),)

    def __call__(self, claim: Claim) -> tuple[bool | None, str]:
        """No if the claim starts at another size."""
        over, least = str(self.witness.counts), self.witness.sizes[str(self.witness.counts)] - 1
        if ("≥", (least,)) not in [c for s, c in claim.sizes.items() if s.name == over]:
            return False, f"the claim is not about every {over} ≥ {least}"
        others = {s: c for s, c in claim.sizes.items() if s.name != over}
        if not covered(replace(claim, sizes=others), [self.witness.sizes]):
            return False, "the witness is not of the sizes that the claim is about"
        said = f"for {over} = {least} + r, r tokens being alike, a rational function of r"
        return settled(self.obligations(claim), said)


def by_lumps(witness: Witness, index: tuple[int, ...]) -> Check:
    """A claim for every size at once, by lumping the last tokens together."""
    return ByLumps(witness, index)


def by_search(scheme: str, sizes: Sequence[tuple[int, int]]) -> Check:
    """For each (n, d): the search finds a witness, its file is read back and replayed by code that
    shares nothing with the search, and the claim's own two terms differ at its tensors."""

    def check(claim: Claim) -> tuple[bool | None, str]:
        found = []
        if bool(claim.tables) != (SCHEMES[scheme].entry is not None):
            return False, "the claim's table is not that of the scheme"
        if sizes and not covered(claim, [{"n": n, "d": d} for n, d in sizes]):
            return False, "the witnesses are not of the sizes that the claim is about"
        for n, d in sizes:
            result = search(scheme, n, d)
            if result.answer in ("unknown", "none within bound"):
                return None, f"n = {n}, d = {d}: {result.reason}"
            if result.witness is None:
                return False, f"n = {n}, d = {d}: {result.answer}"
            again = replay.check(parse(dumps(result.witness).encode(), "witness"))
            if not again.ok or again.witness != result.witness:
                return False, f"n = {n}, d = {d}: {again.reason}"
            if not _terms_differ(claim, result.witness):
                return False, f"n = {n}, d = {d}: the claim's sides do not differ at the witness"
            found.append(f"({n}, {d})")
        return (True, f"replayed at (n, d) = {', '.join(found)}") if found else (None, "no sizes")

    return check


def witness_files(scheme: str, sizes: Sequence[tuple[int, int]]) -> dict[str, str]:
    """The counterexample files of these searches, by name."""
    results = {(n, d): search(scheme, n, d).witness for n, d in sizes}
    return {f"{scheme}-n{n}-d{d}.json": dumps(w) for (n, d), w in results.items() if w is not None}


def _terms_differ(claim: Claim, w: Found) -> bool:
    """Whether the two terms differ at a witness: in rationals, or with enclosures apart."""
    if claim.relation != "≠":
        return False
    exact, algebra = w.kind == "exact", Intervals()
    tensors: dict[str, Callable[..., Any]] = {
        name: (lambda *i, rows=rows: algebra.number(rows[i[0]][i[1]]))
        for name, rows in w.tensors.items()
    }
    if not exact:
        tensors["E"] = lambda i, k: algebra.sinusoid(*_sine(i, k, w.d))
    model = Model({"n": w.n, "d": w.d}, {"σ": w.sigma}, tensors)
    left, right = (
        entries_of(t, model.sizes, model.maps, w.tensors, w.d)
        if exact
        else evaluate(t, model, algebra)
        for t in (claim.lhs, claim.rhs)
    )
    order = [claim.lhs.axes.index(a) for a in claim.rhs.axes]
    pairs = [(v, right[tuple(i[k] for k in order)]) for i, v in left.items()]
    if exact:
        return any(claim.holds(pair) for pair in pairs)
    bounds = [(ends(a), ends(b)) for a, b in pairs]
    return any(a[1] < b[0] or b[1] < a[0] for a, b in bounds)


def _sine(row: int, column: int, d: int) -> tuple[str, int, Fraction]:
    function, power = sinusoid(row, column, d)
    return function, row, power
