"""The mark sympy: all entries of both sides at small sizes, in generic real symbols.

Its evidence is the statement at the sizes that were checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import sympy

from orderproof.check.claims import Counts
from orderproof.check.sampling import (
    Case,
    all_maps,
    least_cases,
    moved_sets,
    orbits,
    paired,
    read,
    signs,
    small_cases,
    substituted,
    unread,
)
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.readings.entries import Entries, Model, evaluate
from orderproof.symbolic.readings.sympy_entries import Formulas, generic, numbered
from orderproof.symbolic.statements.evidence import Check, Evidence
from orderproof.symbolic.statements.logic import composes
from orderproof.symbolic.statements.statement import Statement, in_text_order

Same = Callable[[Any, Any], bool]
KNOWN: dict[object, Entries] = {}  # of parts of terms
LARGEST = 50_000  # entries in this cache
CONTRARY = {("=", "≠"), ("=", "<"), ("<", "=")}  # where the first holds, the second fails


def identical(a: Any, b: Any) -> bool:
    """Whether two entries are the same expression as built."""
    return bool(a == b)


def by_sympy(s: Statement) -> Evidence:
    """Both sides, entry by entry in generic real symbols, are the same expressions as built."""
    return entrywise(s, "=", identical)


def by_sympy_to(tokens: int, **widths: int) -> Check:
    """The same at fewer sizes, for terms with large entries: every σ of at most `tokens` tokens."""
    return by_sympy_at((tokens, widths))


def by_sympy_at(*sizes: tuple[int, Mapping[str, int]]) -> Check:
    """The same, each time up to this many tokens and at these widths."""

    def check(s: Statement) -> Evidence:
        bare = substituted(s)
        cases = (case for tokens, widths in sizes for case in least_cases(bare, tokens, widths))
        return entrywise(s, "=", identical, cases)

    return check


def by_sympy_within(tokens: int, width: int) -> Check:
    """by_sympy where entries are large: permuted sets, and the others, up to these sizes."""

    def check(s: Statement) -> Evidence:
        moved = [x.name for x in moved_sets(s)[1]]
        cases = (
            (sizes, maps)
            for sizes, maps in small_cases(substituted(s), composes=False)
            if all(k <= (tokens if name in moved else width) for name, k in sizes.items())
        )
        return entrywise(s, "=", identical, cases)

    return check


def by_sympy_simplified(s: Statement) -> Evidence:
    """Both sides, entry by entry in generic real symbols, differ by what simplifies to zero."""
    return entrywise(s, "=", same_simplified)


def by_sympy_simplified_at(*sizes: Mapping[str, int], tokens: int = 0) -> Check:
    """The same at these sizes alone, by name (2 where none is given), and every σ of at most
    `tokens` tokens: for long entries."""

    def check(s: Statement) -> Evidence:
        bare = substituted(s)
        cases = (case for widths in sizes for case in least_cases(bare, tokens, widths))
        return entrywise(s, "=", same_simplified, cases)

    return check


def by_sympy_positive(s: Statement) -> Evidence:
    """Every entry of the difference, in generic real symbols, is positive by SymPy's rules."""
    return entrywise(s, "<", lambda a, b: (b - a).is_positive is True)


def same_simplified(a: Any, b: Any) -> bool:
    """Whether a − b simplifies to zero, exp of each symbol being a variable of its own."""
    weights: dict[Any, Any] = {}

    def weight(e: Any) -> Any:  # exp(−s) is 1/exp(s)
        times, s = e.exp.as_coeff_Mul()
        symbol = sympy.Symbol(f"w{len(weights)}", positive=True)
        return weights.setdefault(s, symbol) ** times

    def in_sums(e: Any) -> Any:
        return sympy.expand_power_exp(sympy.exp(sympy.expand(e.exp)))

    def exponential(e: Any) -> bool:
        return isinstance(e, sympy.exp)

    if (a - b).has(sympy.sin, sympy.cos):
        point = {s: 0.5 + k / 7 for k, s in enumerate(sorted((a - b).free_symbols, key=str))}
        there = (a - b).evalf(subs=point)
        if there.is_finite and abs(there) > 1e-6:  # not 0 there: trigsimp would take minutes to say
            return False
    difference = (a - b).replace(exponential, in_sums).replace(exponential, weight)
    if difference.has(sympy.sin, sympy.cos):
        difference = sympy.trigsimp(sympy.expand(sympy.expand_trig(difference)))
    return bool(sympy.cancel(sympy.together(difference)) == 0)


def entrywise(
    s: Statement, relation: str, same: Same, cases: Iterable[Case] | None = None
) -> Evidence:
    """All entries of both sides, at small sizes; of a claim of another relation, one entry at which
    this one holds refutes it."""
    if s.exists:
        return Evidence(None, "cases with generic entries do not prove existence")
    bare = substituted(s)
    if reason := unread(bare):
        return Evidence(None, f"no generic entries satisfy the hypotheses: {reason}")
    product = composes(bare) == ""
    tried = small_cases(bare, product) if cases is None else cases
    looked: set[tuple[int, ...]] = set()
    count, compared, every = 0, False, True
    for sizes, maps in tried:
        left, right = (entries(bare, t, sizes, maps) for t in bare.atom.terms)
        pairs = list(paired(bare.atom, sizes, left, right))
        for index, x, y in pairs:
            held = same(x, y)
            where = f"entry ({', '.join(str(k + 1) for k in index)})"
            if held and (relation, bare.atom.relation) in CONTRARY and not bare.atom.some:
                said = f"{where} is {relation} at sizes {sizes}, maps {maps}"
                return Evidence(False, said, refutes=all(map(read, bare.given)))
            if bare.atom.relation == relation and not held:
                return Evidence(False, f"{where} differs at sizes {sizes}, maps {maps}")
        if pairs and (bare.atom.relation != relation or bare.atom.some):
            return Evidence(None, f"this check is of {relation} in every entry")
        count += 1
        compared = compared or bool(pairs)
        every = every and all_maps(bare, sizes)
        looked.add(tuple(sizes[x.name] for x in bare.sets))
    if not compared:
        return Evidence(None, "no case was checked")
    whole = _at_sizes(s, bare, looked)
    said = f"{count} case{'s' if count != 1 else ''}, sizes up to {_largest(looked)}"
    if moved_sets(bare)[0]:
        said += ", every permutation" + (" to 4, generators and products to 8" * (
            cases is None and product
        ))  # fmt: skip
    return Evidence(True, said + ("" if every else ", some maps"), whole, sweep=True)


def _largest(looked: Iterable[Sequence[int]]) -> int:
    return max((k for sizes in looked for k in sizes), default=1)


def _at_sizes(s: Statement, bare: Statement, looked: set[tuple[int, ...]]) -> Statement:
    """The statement at the sizes that were checked."""
    return s.at(bare.sets, looked) if bare.sets else s


def entries(s: Statement, term: Term, sizes: Counts, maps: dict[str, Any]) -> Entries:
    """A term by its entries in generic real symbols. Parts that were evaluated before are kept: a
    term at another permutation, or changed in one place, has most of them too."""
    signed, one = signs(s.given), orbits(s, sizes, maps)
    case = (str(sizes), str(maps), *in_text_order(s.given)) if one else ()
    if len(KNOWN) > LARGEST:
        KNOWN.clear()
    model = satisfying(s, term, sizes, maps)
    return evaluate(term, model, Formulas(), KNOWN, (*signed.items(), *case))


def satisfying(s: Statement, term: Term, sizes: Counts, maps: dict[str, Any]) -> Model:
    """Generic real symbols for the entries of the tensors of a term: those that a hypothesis makes
    equal are one, and those to which one gives a sign have it."""
    tensors = dict(generic(term, sizes, maps).tensors)
    for name, sign in signs(s.given).items():
        if name in tensors:
            tensors[name] = _signed(name, sign)
    for name, first in orbits(s, sizes, maps).items():
        if name in tensors:
            tensors[name] = lambda *i, f=tensors[name], first=first: f(*first(i))
    return Model(sizes, maps, tensors)


def _signed(name: str, sign: str) -> Callable[..., Any]:
    has: Any = {"positive": True} if sign == "<" else {"nonnegative": True}
    return lambda *index: sympy.Symbol(numbered(name, index), **has)
