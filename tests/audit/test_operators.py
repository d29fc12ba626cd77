"""The operators of the audit: each changes what it says, in one place."""

from __future__ import annotations

import pytest

from orderproof.audit import operators as audit_mutants
from orderproof.audit import planted as audit_claims
from orderproof.audit.operators import EVERYWHERE, FUNCTIONS, MOTIONS, SYMBOLS
from orderproof.check.claims import Claim
from orderproof.proofs import catalogue
from orderproof.proofs.symbols import CROSS, SELF, m, n, rho, sigma
from orderproof.symbolic.calculus.terms import Map, Set, Term, at, reachable
from orderproof.symbolic.models.attention import softmax
from orderproof.symbolic.models.builders import (
    add,
    cat,
    inverse,
    moved,
    number,
    permutation,
    reduce,
    size,
    tensor,
    total,
)
from orderproof.symbolic.statements.statement import Atom, Statement


def context(*terms: Term) -> audit_mutants.Context:
    """What there is to be mixed up in terms."""
    whole = terms[0] if len(terms) == 1 else add(*terms)
    return audit_claims.context(Claim(Statement(Atom(whole, "=", whole)), {}))


S = tensor("S", i=n, j=n)
R = tensor("R", i=n, j=m)


@pytest.mark.parametrize(
    ("operator", "term", "expected"),
    [
        ("P for its transpose", moved(S, i=sigma), [moved(S, i=inverse(sigma))]),
        ("P for its transpose", moved(S, i=inverse(sigma)), [moved(S, i=sigma)]),
        ("P for its transpose", S, []),
        ("not moved", moved(R, i=sigma, j=rho), [moved(R, j=rho), moved(R, i=sigma)]),
        ("moved twice", moved(R, i=sigma), [moved(moved(R, i=sigma), i=sigma)]),
        ("other permutation", moved(R, i=sigma), [moved(R, i=permutation("pi", n))]),
        ("transposed", S, [S.rename({"i": "j", "j": "i"})]),
        ("transposed", R, []),
        ("by columns", softmax(R, "j"), [softmax(R, "i")]),
        ("by columns", softmax(tensor("s", j=n), "j"), []),
        ("other function", add(S, S), None),
        ("other reduction", total(S, "j"), [reduce("max", S, "j")]),
        ("other reduction", reduce("max", S, "j"), [total(S, "j")]),
        ("other constant", number(0), [number(1)]),
        ("other constant", size(n), [number(1)]),
        (
            "other part",
            cat(S.rename({"i": "c"}), tensor("T", c=n, j=n), "c"),
            [cat(tensor("T", c=n, j=n), S.rename({"i": "c"}), "c")],
        ),
        (
            "other part",
            at(tensor("U", c=Set("+", (n, n))), {"c": Map("inl", (n, n))("i")}),
            [at(tensor("U", c=Set("+", (n, n))), {"c": Map("inr", (n, n))("i")})],
        ),
    ],
)
def test_operator(operator: str, term: Term, expected: list[Term] | None) -> None:
    """An operator would change something else than it says, or nothing."""
    made = {**MOTIONS, **SYMBOLS, **FUNCTIONS}[operator](term, context(term))
    if expected is None:
        assert made and term not in made
    else:
        assert [(t.node, t.sets) for t in made] == [(t.node, t.sets) for t in expected]
        assert term not in made
    assert set(EVERYWHERE) <= set(FUNCTIONS)


@pytest.mark.slow  # all theorems
def test_every_operator_is_used() -> None:
    """An operator would never be used, or only where it is tested by hand."""
    used = {
        p.operator for name in catalogue.IDS for p in audit_claims.planted(catalogue.load(name), 0)
    }
    rare = {"other part"}  # needs a sum of a set with itself: see above
    from_terms = {
        p.operator
        for name in ("naturality", "softmax_conjugate", "scores_conjugate", "pooling_invariant")
        for p in audit_claims.planted(catalogue.load(name), 30)
    }
    assert used | from_terms >= {*MOTIONS, *SYMBOLS, *FUNCTIONS} - rare


def test_a_change_is_of_one_place() -> None:
    """A change of the keys would change the queries too, or the same node elsewhere."""
    claim = catalogue.load("self_attention_equivariant").claims[0]
    atom = Atom(claim.lhs, "=", SELF.Z)
    c = audit_claims.context(claim)
    made = [
        new.lhs
        for site in audit_mutants.sites(atom)
        if site.side == "lhs"
        for new in audit_mutants.at_site(atom, site, MOTIONS["not moved"], c)
    ]
    still = [t for t in made if _moved_inputs(t) == 2]
    assert len(made) == len(set(made)) == 3 == len(still)  # queries, keys, values


def _moved_inputs(t: Term) -> int:
    """How many products with a weight take the moved tokens."""
    return sum(
        any(p.node.op.kind == "at" for p in node.args)
        for node in reachable(t.node)
        if node.op.data == ("mul", 2)
    )


def test_a_definition_is_changed_at_one_application() -> None:
    """A change inside softmax would change the softmax of the other side as well."""
    atom = Atom(CROSS.A, "=", CROSS.A)
    c = context(CROSS.A)
    inside = [s for s in audit_mutants.sites(atom) if s.definition and s.side == "lhs"]
    made = [
        new
        for site in inside
        for new in audit_mutants.at_site(atom, site, FUNCTIONS["other function"], c)
    ]
    assert made and all(new.rhs == atom.rhs and new.lhs != atom.lhs for new in made)
