"""From a theorem to the steps that a person reads: a chain of theorems, with its reasons."""

from dataclasses import replace

import pytest

from orderproof.proofs.symbols import CROSS, MEMORY, SELF, TOKENS, X, show, sigma
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import Theorem, is_theorem
from orderproof.symbolic.calculus.terms import Set, ShapeError, Term, at
from orderproof.symbolic.derive import steps as derivation
from orderproof.symbolic.derive.push import Pushed, fixed, push, refl
from orderproof.symbolic.derive.select import inward
from orderproof.symbolic.derive.steps import Named, Step, lines, sections, steps
from orderproof.symbolic.models.builders import add, exp, leaf_of, moved, tensor

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


def broken(name: str, whole: list[Step]) -> list[Step]:
    """A chain that is not the derivation of its theorem."""
    first = whole[0].theorem
    last = whole[-1].theorem
    elsewhere = kernel.hyp(last.lhs, exp(last.lhs))
    return {
        "no steps": [],
        "the last step left out": whole[:-1],
        "the first step left out": whole[1:],
        "a step left out": [*whole[:1], *whole[2:]],
        "turned round": whole[::-1],
        "a step of another derivation": [*whole[:-1], Step(elsewhere, ("hyp",))],
        "a step too many": [*whole, Step(kernel.sym(last), ("sym",))],
        "a step that is no theorem": [Step(replace(first), whole[0].reasons), *whole[1:]],
    }[name]


@pytest.mark.parametrize("name", [
    "no steps", "the last step left out", "the first step left out", "a step left out",
    "turned round", "a step of another derivation", "a step too many", "a step that is no theorem",
])  # fmt: skip
def test_no_line_is_written_of_a_broken_chain(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines would end at another term than the theorem, which is printed below them."""
    result = pushed(SELF.Z, TOKENS)
    whole = steps(result.theorem, {})
    style, item = show(*SELF.named()).style(result), Named("Z", SELF.Z, "i", "r")
    assert len(lines(result.theorem, item, style, {})) > 3
    monkeypatch.setattr(derivation, "steps", lambda *_: broken(name, whole))
    with pytest.raises(ShapeError, match=r"a step of|the steps end at"):
        lines(result.theorem, item, style, {})


def test_a_step_with_its_axes_exchanged_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line would say t[j, i] where the theorem says t[i, j]."""
    n = Set("n")
    s, t = tensor("S", i=n, j=n), tensor("T", i=n, j=n)
    right, wrong = kernel.hyp(s, t), kernel.hyp(s, t.rename({"i": "j", "j": "i"}))
    item, style = Named("T", t, "i", "j"), show(*SELF.named()).style()
    assert len(lines(right, item, style, {})) == 2
    monkeypatch.setattr(derivation, "steps", lambda *_: [Step(wrong, ("hyp",))])
    with pytest.raises(ShapeError, match="the steps end at"):
        lines(right, item, style, {})


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
    rules = {
        *("at_at", "reindex", "hyp", "softmax", "at_cat", "unfold", "inst"),
        *(f"at_op pointwise {f}" for f in ("add", "mul", "div", "exp")),
        *("at_op product", "at_op apply softmax"),
    }
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
    for item, written in found:
        first, last = written[0].formula.plain, written[-1].formula.plain
        assert first == f"{item.name}′"
        assert last.startswith("P ")
        assert all(line.reasons for line in written[1:])
        assert len({line.formula.plain for line in written}) == len(written)
    by_name = {item.name: written for item, written in found}
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
