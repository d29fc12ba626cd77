"""The mark smt: an account says what it is of, stands on what is proved before, and is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3

from orderproof.proofs import softmax_conjugate, vocabulary
from orderproof.proofs.claims import Claim, sizes
from orderproof.proofs.marks_smt import by_smt
from orderproof.proofs.vocabulary import m, sigma
from orderproof.symbolic import second_solver
from orderproof.symbolic.induction import reduction_account, sum_is_order_blind
from orderproof.symbolic.language import number, tensor, total
from orderproof.symbolic.linked import unlinked
from orderproof.symbolic.schema import Account, Schema, axiom, lemma
from orderproof.symbolic.softmax_induction import positive_account, row_sum_account
from tests.proofs.judged import loaded, mark, ok

A, S = softmax_conjugate.A, softmax_conjugate.S


def row_sums() -> Claim:
    """Row sums are 1, with its smt mark."""
    return loaded("softmax_conjugate").claims[1]


def also(*schemas: Schema) -> Account:
    """The account of the row sums with more lemmas before the last."""
    account = row_sum_account(S, "j")
    return replace(account, schemas=(*account.schemas[:-1], *schemas, account.schemas[-1]))


x = z3.Real("x")
TRUE = lemma("true", "x = x", (x,), x == x)
FALSE = lemma("false", "x > 0 for all x", (x,), x > 0)
ABSURD = axiom("absurd", "x > 0 and x < 0", (), z3.And(x > 0, x < 0))
EMPTY = lemma("empty", "from x > 0 and x < 0", (x,), x > 5, (ABSURD.at(),))


def test_smt() -> None:
    """Obligations about another statement, refuted, undecided or none would carry a claim."""
    claim, check = row_sums(), by_smt(row_sum_account(S, "j"))
    assert mark(check, claim).settles
    for false in (
        claim.stating(rhs=number(2)),
        claim.stating(relation="<"),
        claim.stating(lhs=total(A, "i")),
        claim.stating(sizes=sizes()),
        claim.stating(sizes=sizes(among={m: (0, 1)})),
        claim.stating(sizes=sizes({vocabulary.n: 1})),
        claim.stating(exists=frozenset(claim.statement.tensors)),
    ):
        assert not mark(check, false).ok
    for fewer in (sizes({m: 2}), sizes(among={m: (1, 3)}), sizes({m: 1, vocabulary.n: 1})):
        assert mark(check, claim.stating(sizes=fewer)).settles
    assert ok(by_smt(positive_account(S, "j")), claim) is False
    assert ok(by_smt(also(TRUE)), claim) is True
    assert ok(by_smt(also(TRUE, EMPTY)), claim) is None
    assert ok(by_smt(also(FALSE, EMPTY)), claim) is False
    assert ok(by_smt(replace(row_sum_account(S, "j"), schemas=())), claim) is False


def test_an_account_stands_on_what_is_proved_before() -> None:
    """A lemma could be used that nobody proves, that is proved by it, or under another's name."""
    total_, row, row_sum = row_sum_account(S, "j").schemas
    for schemas, words in (
        ((row, row_sum), "row_sum uses total, which is not proved before"),
        ((row, row_sum, total_), "row_sum uses total, which is not proved before"),
        ((replace(total_), row, row_sum), "row_sum uses total"),
        ((total_, row, TRUE), "no lemma about every size"),
        ((total_, row, TRUE, TRUE, row_sum), "two lemmas of one name"),
        ((total_, row, ABSURD, row_sum), "absurd is assumed"),
    ):
        account = replace(row_sum_account(S, "j"), schemas=schemas)
        assert words in account.fault()
        if schemas[-1].least is not None:
            assert words in mark(by_smt(account), row_sums()).detail
    assert not row_sum_account(S, "j").fault()


def test_an_account_says_its_claim() -> None:
    """A trivial lemma, or a true one about something else, would carry any claim."""
    claim, honest = row_sums(), row_sum_account(S, "j")
    size = honest.schemas[-1].variables[0]
    seven = replace(honest, rhs=number(7))
    trivial = lemma("trivial", "x = x", (size, x), x == x, least=1)
    ones = lemma("ones", "1 = 1", (size,), z3.RealVal(1) == 1, least=1)
    for account in (
        seven,
        replace(seven, schemas=(trivial,)),
        replace(honest, schemas=(trivial,)),
        replace(honest, schemas=(ones,)),
        replace(seven, schemas=(trivial,), reading={**honest.reading, "x": seven.lhs}),
        replace(honest, reading={**honest.reading, "q": honest.reading["w"]}),
        replace(honest, reading={**honest.reading, "w": honest.reading["q"]}),
        replace(honest, relation=">"),
    ):
        assert unlinked(account)
        assert ok(by_smt(account), claim.stating(rhs=account.rhs)) is False
    assert not unlinked(honest)
    maximum = reduction_account("max", tensor("a", j=vocabulary.n), "j", sigma)
    assert not unlinked(maximum) and unlinked(replace(maximum, kind="min"))


def test_a_second_solver_that_disagrees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two solvers would contradict each other, or one give up, and the mark stay green."""
    claim = row_sums()
    monkeypatch.setattr(second_solver, "installed", lambda: True)
    for said, green in (("unsat", True), ("sat", False), ("unknown", False)):
        monkeypatch.setattr(second_solver, "answer", lambda text, said=said: said)
        assert (ok(by_smt(row_sum_account(S, "j")), claim) is True) is green


def test_smt_asks_the_solver() -> None:
    """A false obligation would be said to be proved, or one from contradictory assumptions."""
    sums = [s for s in sum_is_order_blind() if s.least is not None]
    assert ok(by_smt(also(*sums)), row_sums()) is True
    assert ok(by_smt(also(*sums, FALSE)), row_sums()) is False
    assert ok(by_smt(also(*sums, EMPTY)), row_sums()) is None
