"""Theorems of the kernel under lemmas of solvers: each lemma counts, and so do its sizes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderproof.check.claims import Claim, TheoremFile
from orderproof.check.marks.joined import Joined, by_laws, joined
from orderproof.proofs.added_and_biases import pre_norm_equivariant_of_row_constants as normed
from orderproof.proofs.added_and_biases import uniform_attention_sees_no_table as uniform
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.terms import Set
from orderproof.symbolic.models.builders import add, number, subtract, tensor, total
from orderproof.symbolic.statements.evidence import Weight, weigh
from orderproof.symbolic.statements.logic import LogicError
from orderproof.symbolic.statements.statement import Atom, Statement, sizes
from tests.judged import answering

d = Set("d")
x = tensor("x", c=d)


def found(claim: Claim, check: object = None) -> Weight:
    """What the solvers' mark, or another check, says of a claim."""
    return weigh(claim.statement, (check or claim.marks["smt"])(claim.statement))  # type: ignore[operator]


@pytest.mark.parametrize(
    "theorem",
    [normed.pre_norm_equivariant_of_row_constants(), uniform.uniform_attention_sees_no_table()],
    ids=lambda t: t.id,
)
def test_every_lemma_counts(theorem: TheoremFile) -> None:
    """A claim would be green without one of the equations that its theorem needs."""
    for claim in theorem.claims:
        check = claim.marks["smt"]
        assert isinstance(check, Joined) and found(claim).settles
        for k in range(len(check.lemmas)):
            fewer = replace(check, lemmas=[*check.lemmas[:k], *check.lemmas[k + 1 :]])
            refused = found(claim, fewer)
            assert refused.ok is False and "needs a hypothesis" in refused.detail


def test_sizes_of_a_lemma_are_those_of_the_claim() -> None:
    """A lemma for d ≥ 1 would prove a claim for every d; a mean of no features divides by 0."""
    for claim in normed.pre_norm_equivariant_of_row_constants().claims:
        refused = found(claim.stating(sizes=sizes()))
        assert refused.ok is False and "d ≥ 1" in refused.detail


def test_a_lemma_that_does_not_follow() -> None:
    """A false equation, or one that solvers do not see, could be cut from a theorem."""
    for wrong in (number(1), subtract(number(0), total(x, "c"))):
        lemma = by_laws(total(x, "c"), wrong, "split")
        th = kernel.cong(add(total(x, "c"), number(1)), [lemma.fact, None])
        s = Statement(Atom(th.lhs, "=", th.rhs))
        assert weigh(s, joined(th, lemma)(s)).ok is not True
        assert joined(th, replace(lemma, data=answering(None)))(s).ok is None


def test_a_lemma_about_something_else() -> None:
    """A lemma could be put in place of another."""
    lemma, other = by_laws(add(x, number(0)), x), by_laws(add(number(0), x), x)
    th = kernel.cong(total(lemma.statement.atom.lhs, "c"), [lemma.fact])
    s = Statement(Atom(th.lhs, "=", th.rhs))
    assert weigh(s, joined(th, lemma)(s)).settles
    with pytest.raises(LogicError, match="is not a hypothesis"):
        joined(th, other)(s)
