"""From a theorem to the steps that a person reads: a chain of theorems, with its reasons."""

import pytest

from orderproof.proofs.vocabulary import CROSS, MEMORY, SELF, TOKENS, X, show, sigma
from orderproof.symbolic import kernel
from orderproof.symbolic.derivation import Named, Step, sections, steps
from orderproof.symbolic.inward import inward
from orderproof.symbolic.kernel import Theorem, is_theorem
from orderproof.symbolic.language import add, exp, leaf_of, moved, tensor
from orderproof.symbolic.tactic import Pushed, fixed, push, refl
from orderproof.symbolic.terms import Set, Term, at

E = tensor("E", i=Set("n"), c=Set("d"))


def pushed(t: Term, moves: object, facts: object = ()) -> Pushed:
    """A push that goes through."""
    result = push(t, moves, facts)  # type: ignore[arg-type]
    assert isinstance(result, Pushed)
    return result


def linked(chain: list[Step], th: Theorem) -> None:
    """Every step is a theorem, each begins where the last ended, and the ends are those of th."""
    assert chain
    assert all(is_theorem(s.theorem) for s in chain)
    assert all(s.reasons for s in chain)
    ends = [th.lhs.node, *(s.theorem.rhs.node for s in chain)]
    assert [s.theorem.lhs.node for s in chain] == ends[:-1]
    assert ends[-1] is th.rhs.node


THEOREMS = [
    pushed(SELF.Z, TOKENS).theorem,
    pushed(CROSS.Z, TOKENS | MEMORY).theorem,
    pushed(add(X, E), TOKENS, [fixed(E, i=sigma)]).theorem,
    inward(at(SELF.Z, {"i": sigma(sigma("i"))})),
]


@pytest.mark.parametrize("th", THEOREMS)
def test_steps_are_a_chain_of_theorems(th: Theorem) -> None:
    """A step would not follow, or the last would not arrive at what was claimed."""
    linked(steps(th, {}), th)


def test_a_broken_chain_is_noticed() -> None:
    """The comparison of steps would pass with a step left out, or turned round."""
    th = THEOREMS[0]
    whole = steps(th, {})
    for broken in (whole[1:], whole[:-1], whole[::-1], [*whole[:2], *whole[3:]]):
        with pytest.raises(AssertionError):
            linked(broken, th)


def test_symmetry_turns_the_chain_round() -> None:
    """The steps of t = s would still be those of s = t."""
    th = kernel.sym(THEOREMS[0])
    linked(steps(th, {}), th)
    assert len(steps(th, {})) == len(steps(THEOREMS[0], {}))


def test_named_theorems_are_cited_and_not_unrolled() -> None:
    """A theorem of an earlier page would be proved again in the middle of this one."""
    result = pushed(SELF.Z, TOKENS)
    named = {result.parts[SELF.A.node]: "A", result.parts[SELF.V.node]: "V"}
    reasons = [r for s in steps(result.theorem, named) for r in s.reasons]
    assert {"A", "V"} <= set(reasons)
    assert "softmax" not in reasons
    assert "softmax" in [r for s in steps(result.theorem, {}) for r in s.reasons]
    assert len(steps(result.theorem, named)) < len(steps(result.theorem, {}))


def test_reasons_are_rules_names_or_definitions() -> None:
    """A reason would be the inside of an object, which the book would print."""
    rules = {"at_op", "at_at", "reindex", "hyp", "softmax", "at_cat", "unfold", "inst"}
    for th in THEOREMS:
        assert {r for s in steps(th, {}) for r in s.reasons} <= rules
    instance = kernel.inst(pushed(exp(X), TOKENS).theorem, {leaf_of(X): E.rename({"i": 0, "c": 1})})
    assert [s.reasons for s in steps(instance, {})] == [("inst",)]


def test_a_hypothesis_is_a_reason() -> None:
    """PE = E would be used without being named."""
    assert "hyp" in [r for s in steps(THEOREMS[2], {}) for r in s.reasons]
    assert "hyp" not in [r for s in steps(THEOREMS[0], {}) for r in s.reasons]


def test_nothing_to_show_for_a_reflexive_theorem() -> None:
    """t = t would be given a step."""
    assert steps(refl(X), {}) == []


def test_sections_follow_the_derivation() -> None:
    """A named tensor that moves would be missing, or come before what it is made of."""
    result = pushed(SELF.Z, TOKENS)
    found = sections(result, show(*SELF.named()))
    assert [item.name for item, _ in found] == list("QKVSAZ")
    for item, lines in found:
        first, last = lines[0].formula.plain, lines[-1].formula.plain
        assert first == f"{item.name}′"
        assert last.startswith("P ")
        assert all(line.reasons for line in lines[1:])
        assert len({line.formula.plain for line in lines}) == len(lines)
    by_name = {item.name: lines for item, lines in found}
    assert [line.formula.plain for line in by_name["Z"]] == [
        "Z′", "A′ V′", "(P A Pᵀ) (P V)", "(P A) V", "P (A V)", "P Z",
    ]  # fmt: skip
    assert by_name["Z"][3].aside is not None  # where PᵀP = I is used, by entries
    assert "Σ_j A[σ(i), j] V[j, r]" in by_name["Z"][3].aside.plain


def test_what_does_not_move_has_no_section() -> None:
    """A tensor that the permutation leaves alone would be shown as moving."""
    result = pushed(CROSS.Z, MEMORY)
    found = [item.name for item, _ in sections(result, show(*CROSS.named()))]
    assert "Q" not in found
    assert {"K", "V", "S", "A", "Z"} <= set(found)
    other = Named("X", X, "i", "c")
    moved_alone = pushed(moved(X, i=sigma), {})
    assert sections(moved_alone, show(other)) == []
