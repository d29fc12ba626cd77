"""The marks: how each layer of trust looks at a claim. Each check returns ok and a detail.

ok is None when the layer cannot decide; that leaves the claim open. Nothing here is random but by
the fixed seeds that the details name.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy
import z3
from numpy.typing import NDArray

from orderproof.numeric.rounding import bounded
from orderproof.symbolic import kernel, replay, witness
from orderproof.symbolic.entries import Model, evaluate
from orderproof.symbolic.induction import Obligation
from orderproof.symbolic.kernel import equation, is_theorem
from orderproof.symbolic.language import opened_at, symbols
from orderproof.symbolic.read_exact import Exact
from orderproof.symbolic.read_interval import Intervals, ends
from orderproof.symbolic.read_sympy import Formulas, generic
from orderproof.symbolic.read_z3 import Reals, powers_of_two
from orderproof.symbolic.schemes import sinusoid
from orderproof.symbolic.search import search
from orderproof.symbolic.terms import Ap, Map, Set, Term, at, map_type, reachable
from orderproof.symbolic.witness import dumps, parse

from .claims import Check, Claim
from .pages import Formula

SEED = 20261121
Sizes = dict[str, int]
Maps = dict[str, Any]


# ------------------------------------------------------------------------------------- kernel
def by_kernel(claim: Claim) -> tuple[bool | None, str]:
    """The kernel issued a theorem that says exactly this, under exactly these hypotheses."""
    theorem = claim.theorem
    if theorem is None or not is_theorem(theorem):
        return False, "no theorem of the kernel"
    same = (theorem.lhs, theorem.rhs) == equation(claim.lhs, claim.rhs)
    if not same or theorem.hyps != claim.hyps or claim.relation != "=":
        return False, "the kernel's theorem says something else"
    return True, f"law: {theorem.law}; hypotheses: {len(theorem.hyps)}"


# -------------------------------------------------------------------------- small sizes, all σ
def _moved_sets(claim: Claim) -> tuple[list[Map], list[Set], list[Set]]:
    """The permutation symbols, the sets that they permute, and the other sets."""
    sets, maps = symbols(claim.lhs, claim.rhs)
    permutations = [m for m in maps if map_type(m)[2]]
    moved = [s for s in sets if any(map_type(m)[1] == s for m in permutations)]
    return permutations, moved, [s for s in sets if s not in moved]


def generators(n: int) -> list[tuple[int, ...]]:
    """A swap and an n-cycle: every permutation is a product of these."""
    return [(1, 0, *range(2, n)), (*range(1, n), 0)] if n > 1 else [(0,)]


def small_models(claim: Claim) -> Iterator[tuple[Sizes, Maps]]:
    """Sizes and permutations for a check by entries: every σ for n ≤ 4 with every feature size up
    to 4 (two permuted sets: every pair to 3, and unequal sizes), then generators up to n = 8."""
    permutations, moved, others = _moved_sets(claim)
    tokens: list[tuple[int, ...]] = [(n,) * len(moved) for n in range(1, 5)]
    if len(moved) > 1:
        tokens = [(1, 2), (2, 3), (3, 2), (3, 3), (2, 4), (4, 2)]
    for ns in tokens if moved else [()]:
        widths = range(1, 5) if others else (1,)
        for width in widths if sum(ns) < 6 else [1 + sum(ns) % 2, 4][: len(widths)]:
            sizes = {s.name: n for s, n in zip(moved, ns, strict=True)}
            sizes |= {s.name: 1 + (width + k - 1) % 4 for k, s in enumerate(others)}
            yield from _assign(permutations, sizes, lambda n: list(itertools.permutations(range(n))))
    if claim.motion:
        for n in range(5, 9):
            sizes = {s.name: n for s in moved} | {s.name: 1 for s in others}
            yield from _assign(permutations, sizes, generators)


def _assign(
    permutations: Sequence[Map], sizes: Sizes, choices: Callable[[int], Any]
) -> Iterator[tuple[Sizes, Maps]]:
    lists = [choices(sizes[map_type(m)[1].name]) for m in permutations]
    for tables in itertools.product(*lists):
        yield sizes, {m.data[0]: t for m, t in zip(permutations, tables, strict=True)}


def composition_rule(claim: Claim) -> bool:
    """Whether the kernel has, for each σ of the claim, that σ after τ is one permutation: so that
    what holds for generators holds for all their products."""
    for m in _moved_sets(claim)[0]:
        over = map_type(m)[1]
        tau = Map("symbol", ("τ", (over,), over, True))
        x = kernel.build(kernel.Op("leaf", ("x", (over,))), names=["i"])
        theorem = kernel.at_at(x, {"i": tau("i")}, {"i": m("i")})
        if theorem.rhs.node is not at(x, {"i": tau(m("i"))}).node:
            return False
    return True


def by_sympy(claim: Claim) -> tuple[bool | None, str]:
    """Both sides, entry by entry in generic real symbols, are the same expressions as built."""
    return _entrywise(claim, lambda a, b: bool(a == b))


def by_sympy_simplified(claim: Claim) -> tuple[bool | None, str]:
    """Both sides, entry by entry in generic real symbols, differ by what simplifies to zero."""

    def same(a: Any, b: Any) -> bool:
        weights: dict[Any, Any] = {}
        difference = sympy.expand_power_exp(a - b).replace(
            lambda e: isinstance(e, sympy.exp),
            lambda e: weights.setdefault(e, sympy.Symbol(f"w{len(weights)}", positive=True)),
        )
        return bool(sympy.cancel(sympy.together(difference)) == 0)

    return _entrywise(claim, same)


def by_sympy_positive(claim: Claim) -> tuple[bool | None, str]:
    """Every entry, in generic real symbols, is positive by SymPy's assumptions."""
    return _entrywise(claim, lambda a, b: (a - b).is_positive is True)


def _entrywise(claim: Claim, same: Callable[[Any, Any], bool]) -> tuple[bool | None, str]:
    count, largest = 0, 0
    axes = claim.lhs.axes
    for sizes, maps in small_models(claim):
        left, right = (_under(claim, t, sizes, maps) for t in (claim.lhs, claim.rhs))
        order = [axes.index(a) for a in claim.rhs.axes]
        for index, value in left.items():
            other = right[tuple(index[k] for k in order)]
            if not same(value, other):
                where = ", ".join(str(k + 1) for k in index)
                return False, f"entry ({where}) differs at sizes {sizes}, maps {maps}"
        count, largest = count + 1, max(largest, *sizes.values())
    if not count:
        return None, "no case was checked"
    if claim.motion and not composition_rule(claim):
        return None, "the composition rule is missing"
    return True, f"{count} cases, sizes up to {largest}" + _words(claim)


def _under(claim: Claim, term: Term, sizes: Sizes, maps: Maps) -> Any:
    """A term by its entries in generic real symbols, those of tensors that a hypothesis fixes
    being the same along each orbit."""
    model = generic(term, sizes, maps)
    tensors = dict(model.tensors)
    for name, place in _orbits(claim, maps).items():
        if name in tensors:
            tensors[name] = lambda *i, f=tensors[name], place=place: f(*place(i))
    return evaluate(term, Model(sizes, maps, tensors), Formulas())


def _orbits(claim: Claim, maps: Maps) -> dict[str, Callable[[Sequence[int]], tuple[int, ...]]]:
    """For each tensor that a hypothesis at(E, maps) = E fixes: an index's first mate in its orbit."""
    found: dict[str, Callable[[Sequence[int]], tuple[int, ...]]] = {}
    for lhs, rhs in claim.hyps:
        part, exprs = opened_at(lhs)
        if part.node is not rhs.node or rhs.node.op.kind != "leaf":
            raise ValueError("hypothesis: expected a tensor that maps on its axes leave as it is")
        tables = [maps[e.map.data[0]] if isinstance(e, Ap) else None for e in exprs.values()]

        def first(index: Sequence[int], tables: Sequence[Any] = tables) -> tuple[int, ...]:
            orbit, here = [tuple(index)], tuple(index)
            while (here := tuple(t[i] if t else i for t, i in zip(tables, here, strict=True))) != orbit[0]:
                orbit.append(here)
            return min(orbit)

        found[rhs.node.op.data[0]] = first
    return found


def _words(claim: Claim) -> str:
    if not _moved_sets(claim)[0]:
        return ""
    every = "every pair of permutations to n, m = 3" if len(_moved_sets(claim)[1]) > 1 else "every σ to n = 4"
    return f", {every}" + ("; generators and composition to n = 8" if claim.motion else "")


# ------------------------------------------------------------------------------------ numeric
def tensors_of(
    *terms: Term, sizes: Mapping[str, int], rng: np.random.Generator
) -> dict[str, Any]:
    """Random entries for the tensors of terms; for an opaque row-wise map, a shift of features."""
    found: dict[str, Any] = {}
    for term in terms:
        for node in reachable(term.node):
            match node.op.kind, node.op.data:
                case "leaf", (name, sets) if name not in found:
                    found[name] = rng.normal(size=[sizes[s.name] for s in sets])
                case "opaque", (name, _, _):
                    found[name] = _shift
    return found


def _shift(x: NDArray[Any], size: int) -> NDArray[Any]:
    """A row-wise map without rounding: the features turned by one place."""
    return x[..., (np.arange(size) + 1) % x.shape[-1]]


Reference = Callable[[dict[str, NDArray[Any]]], NDArray[Any]]


def by_numpy(reference: Reference | None = None) -> Check:
    """Both sides in floating point differ by no more than their rounding bounds allow; so do the
    right side before any permutation and an independent reference, where one is given."""

    def check(claim: Claim) -> tuple[bool | None, str]:
        rng = np.random.default_rng(SEED)
        permutations, moved, others = _moved_sets(claim)
        worst, count, smallest = 0.0, 0, float("inf")
        for dtype in (np.float64, np.float32):
            for trial in range(4):
                sizes = {s.name: 7 - k for k, s in enumerate(moved)}
                sizes |= {s.name: 3 + k for k, s in enumerate(others)}
                given = tensors_of(claim.lhs, claim.rhs, sizes=sizes, rng=rng)
                maps = {m.data[0]: _permutation(trial, sizes[map_type(m)[1].name], rng) for m in permutations}
                for name, place in _orbits(claim, maps).items():
                    shape = given[name].shape
                    given[name] = np.array([given[name][place(i)] for i in np.ndindex(*shape)]).reshape(shape)
                pair = [bounded(t, sizes, maps, given, dtype) for t in (claim.lhs, claim.rhs)]
                left, right = ((np.asarray(b.value, np.float64), b.error) for b in pair)
                right = tuple(_aligned(x, claim.rhs, claim.lhs) for x in right)
                ratio = _ratio(left, right, claim.relation)
                if reference is not None:
                    ratio = max(ratio, _against(reference, claim, sizes, given, dtype))
                if not (ratio <= 1):
                    return False, f"{dtype.__name__}, trial {trial}: {ratio:.3g} times the bound"
                worst, count = max(worst, ratio), count + 1
                smallest = min(smallest, float(np.max(np.abs(left[0]), initial=0)))
        if not smallest > 0:
            return None, "all values were zero: nothing was compared"
        return True, f"{count} runs, float64 and float32, seed {SEED}: at most {worst:.2f} of the bound"

    return check


def _aligned(x: NDArray[Any], source: Term, target: Term) -> NDArray[Any]:
    """An array with the axes of one term put in the order of another's, of size 1 if lacking."""
    order = [source.axes.index(a) for a in target.axes if a in source.axes]
    return np.transpose(x, order)[tuple(slice(None) if a in source.axes else None for a in target.axes)]


def _permutation(trial: int, n: int, rng: np.random.Generator) -> list[int]:
    """A 3-cycle first (a swap is its own inverse and would hide P in place of its transpose)."""
    return [1, 2, 0, *range(3, n)] if trial == 0 and n >= 3 else [int(x) for x in rng.permutation(n)]


def _ratio(left: Any, right: Any, relation: str) -> float:
    """How much of the bound the difference takes; NaN or no bound at all is infinitely much."""
    difference, bound = np.abs(left[0] - right[0]), left[1] + right[1]
    if relation == ">":
        return 0.0 if np.all(left[0] - left[1] > right[0] + right[1]) else float("inf")
    fine = np.isfinite(difference) & np.isfinite(bound)
    if not np.all(fine):
        return float("inf")
    exact = difference == 0
    ratios = np.where(exact, 0.0, difference / np.where(bound > 0, bound, np.finfo(float).tiny))
    return float(np.max(ratios, initial=0))


def _against(
    reference: Reference, claim: Claim, sizes: Sizes, given: dict[str, Any], dtype: Any
) -> float:
    """The term and the independent reference on the same inputs, against twice the term's bound
    (each computes in its own order, within the same bound)."""
    inputs = {k: v.astype(dtype) for k, v in given.items()}
    expected = reference(inputs)
    still = {m.data[0]: list(range(sizes[map_type(m)[1].name])) for m in _moved_sets(claim)[0]}
    ball = bounded(claim.rhs, sizes, still, given, dtype)
    if expected.shape != ball.value.shape:
        return float("inf")
    return _ratio((np.asarray(ball.value, np.float64), ball.error), (expected, ball.error), "=")


# ---------------------------------------------------------------------------------- witnesses
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
    """Every entry of a term at a witness, in rationals (1/√d_k is taken into the query's factor)."""
    return evaluate(term, _model(witness), _Scaled())


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


def _count(things: Sequence[Any], word: str) -> str:
    return f"{len(things)} {word}{'s' if len(things) != 1 else ''}"


class _Scaled(Exact):
    """Exact rationals in which 1/√d_k has been taken into the factor on the query weight."""

    functions = {**Exact.functions, "sqrt": lambda x: Fraction(1)}


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
        for witness in witnesses:
            left, right = (exact_entries(t, witness) for t in (claim.lhs, claim.rhs))
            order = [claim.lhs.axes.index(a) for a in claim.rhs.axes]
            pairs = {i: (v, right[tuple(i[k] for k in order)]) for i, v in left.items()}
            where = [i for i, pair in pairs.items() if claim.holds(pair)]
            if not where or (claim.kind != "exists" and len(where) < len(pairs)):
                return False, f"not so at sizes {witness.sizes}"
            found.append((witness.sizes, where[0], pairs[where[0]]))
        if not found:
            return None, "no witness given"
        sizes, index, (a, b) = found[0]
        entry = ", ".join(str(k + 1) for k in index)
        shown = ", ".join(f"{name} = {size}" for name, size in sizes.items())
        return True, f"{_count(found, 'case')}; {shown}, entry ({entry}): {a} {claim.relation} {b}"

    return check


def by_lumps(witness: Witness, index: tuple[int, ...]) -> Check:
    """For every r ≥ 0 at once: the last token of the witness stands for r tokens alike, an entry
    of each side is a rational function of r, and Z3 proves that they satisfy the atom."""

    def check(claim: Claim) -> tuple[bool | None, str]:
        r = z3.Real("r")
        size = witness.sizes[str(witness.counts)]
        counts = {str(witness.counts): [1] * (size - 1) + [r]}
        bare = _model(witness)
        tensors = {k: (lambda *i, f=f: z3.RealVal(str(f(*i)))) for k, f in bare.tensors.items()}
        model = Model(witness.sizes, witness.maps, tensors, counts)
        reals = Reals(powers_of_two)
        reals.functions = {**reals.functions, "sqrt": lambda x: z3.RealVal(1)}
        left, right = (evaluate(t, model, reals) for t in (claim.lhs, claim.rhs))
        order = [claim.lhs.axes.index(a) for a in claim.rhs.axes]
        other = right[tuple(index[k] for k in order)]
        atom = {"≠": left[index] != other, "=": left[index] == other, ">": left[index] > other}
        obligation = Obligation("lumps", "for all r ≥ 0", (r >= 0,), atom[claim.relation])
        ok = obligation.check()
        return ok, f"one token stands for r ≥ 0 alike; Z3 on a rational function of r, n ≥ {size - 1}"

    return check


def by_search(scheme: str, sizes: Sequence[tuple[int, int]]) -> Check:
    """For each (n, d): the search finds a witness, its file is read back and replayed by code that
    shares nothing with the search, and the claim's own two terms differ at its tensors."""

    def check(claim: Claim) -> tuple[bool | None, str]:
        found = []
        for n, d in sizes:
            result = search(scheme, n, d)
            if result.answer == "unknown":
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


def _terms_differ(claim: Claim, w: witness.Witness) -> bool:
    """Whether the two terms differ at a witness: in rationals, or with enclosures apart."""
    exact = w.kind == "exact"
    algebra: Any = _Scaled() if exact else Intervals()
    tensors: dict[str, Callable[..., Any]] = {
        name: (lambda *i, rows=rows: algebra.number(rows[i[0]][i[1]])) for name, rows in w.tensors.items()
    }
    if not exact:
        tensors["E"] = lambda i, k: algebra.sinusoid(*_sine(i, k, w.d))
    model = Model({"n": w.n, "d": w.d}, {"σ": w.sigma}, tensors)
    left, right = (evaluate(t, model, algebra) for t in (claim.lhs, claim.rhs))
    order = [claim.lhs.axes.index(a) for a in claim.rhs.axes]
    pairs = [(v, right[tuple(i[k] for k in order)]) for i, v in left.items()]
    if exact:
        return any(claim.holds(pair) for pair in pairs)
    bounds = [(ends(a), ends(b)) for a, b in pairs]
    return claim.relation == "≠" and any(a[1] < b[0] or b[1] < a[0] for a, b in bounds)


def _sine(row: int, column: int, d: int) -> tuple[str, int, Fraction]:
    function, power = sinusoid(row, column, d)
    return function, row, power


def by_numpy_differs(witnesses: Sequence[Witness]) -> Check:
    """At each witness the two sides differ, in floating point, by more than rounding explains."""

    def check(claim: Claim) -> tuple[bool | None, str]:
        least = float("inf")
        for witness in witnesses:
            for dtype in (np.float64, np.float32):
                given = {k: np.asarray(v, dtype=float) for k, v in witness.tensors.items()}
                width = given[witness.query].shape[-1]
                given[witness.query] = given[witness.query] * np.sqrt(width) * np.log(2.0)
                left, right = (
                    bounded(t, witness.sizes, witness.maps, given, dtype)
                    for t in (claim.lhs, claim.rhs)
                )
                other = [_aligned(x, claim.rhs, claim.lhs) for x in (right.value, right.error)]
                gap = np.abs(left.value.astype(float) - other[0]) - left.error - other[1]
                best = float(np.nanmax(gap, initial=-1.0))
                if not (best > 0):
                    return False, f"sizes {witness.sizes}: no difference beyond rounding"
                least = min(least, best)
        return (True, f"{len(witnesses)} witnesses differ by at least {least:.3g} beyond rounding") if witnesses else (None, "no witness given")

    return check


# ---------------------------------------------------------------------------------------- smt
def by_smt(obligations: Sequence[Obligation], about: tuple[Term, str, Term]) -> Check:
    """Every obligation is proved by Z3; one undecided leaves the claim open. `about` is the
    statement that the obligations are an account of: the claim must be that one."""

    def check(claim: Claim) -> tuple[bool | None, str]:
        left, relation, right = about
        if (claim.lhs, claim.relation, claim.rhs) != (left, relation, right):
            return False, "the obligations are about another statement"
        answers = {o.name: o.check() for o in obligations}
        failed = [name for name, ok in answers.items() if ok is False]
        unknown = [name for name, ok in answers.items() if ok is None]
        if failed:
            return False, f"refuted: {', '.join(failed)}"
        if unknown or not answers:
            return None, f"undecided: {', '.join(unknown) or 'no obligation'}"
        return True, f"{_count(obligations, 'obligation')} by induction, Z3"

    return check
