"""Changed headline statements: Rocq must reject every one, for the right reason."""

from pathlib import Path

import pytest

from orderproof.check.rocq import mutants as rocq_mutants
from orderproof.check.rocq.library import SOURCES, Library
from orderproof.check.rocq.mutants import Mutant, controls, mutants, reject, statements
from orderproof.check.rocq.run import RocqError


def test_every_edit_applies() -> None:
    """An edit whose place is gone would be left out silently, and test nothing."""
    found = mutants()
    assert len(found) == len(rocq_mutants.EDITS) >= 25
    assert len({m.statement for m in found}) == len(found)
    assert not {m.statement for m in found} & set(statements().values())


def test_an_edit_that_does_not_apply_is_an_error(copy: Path) -> None:
    """A statement would be reworded, and its mutants vanish."""
    path = copy / "Headlines.v"
    path.write_text(path.read_text().replace("perm_mx s *m self_attention", "act s"))
    with pytest.raises(RocqError, match=r"^mutant self_attention_equivariant, invariant: no 'perm"):
        mutants(copy)


def test_the_statements_are_those_of_the_source() -> None:
    """A control would be another statement than the one that Headlines.v proves."""
    source = " ".join((SOURCES / "Headlines.v").read_text().split())
    said = statements()["scores_conjugate"]
    assert said.startswith("forall (R : realFieldType) (scale : R) n m d")
    assert said.partition(", scores")[2] in source
    assert len(controls()) == len({name for name, *_ in rocq_mutants.EDITS})


@pytest.mark.slow
def test_rocq_rejects_every_mutant(library: Library) -> None:
    """A false statement would have a proof, or be rejected because it is no statement at all."""
    found = reject(library.folder, limit=300)
    assert found.rejected == mutants()


@pytest.mark.slow
def test_a_mutant_that_is_still_true_is_named(library: Library) -> None:
    """What Rocq accepts would be counted as rejected."""
    true = statements()["scores_conjugate"]
    false = mutants()[0]
    with pytest.raises(RocqError, match=r"^mutant scores_conjugate, nothing: .*has not failed"):
        reject(library.folder, [false, Mutant("scores_conjugate", "nothing", true), false], 300)


@pytest.mark.slow
def test_a_mutant_that_is_no_statement_is_named(library: Library) -> None:
    """What does not even parse would be counted as rejected."""
    odd = Mutant("sum_act", "half a statement", "forall (R : realFieldType), \\sum_j")
    with pytest.raises(RocqError, match=r"^mutant sum_act, half a statement: Mutants.v:\d+: "):
        reject(library.folder, [mutants()[0], odd], 300)
