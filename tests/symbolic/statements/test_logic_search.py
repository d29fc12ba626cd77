"""Random uses of the rules between statements: no conclusion from true ones is false."""

from typing import Any

import pytest

from orderproof.symbolic.statements import logic, statement
from tests.symbolic.statements.random_logic import RULES, Search
from tests.symbolic.statements.small_statements import dropped


def first_falsehood(seed: int, rounds: int, rules: tuple[str, ...] = RULES) -> str:
    """The first false conclusion that a seed finds, or nothing; says what was tried."""
    search = Search(seed)
    for k in range(rounds):
        for rule in rules:
            if found := search.falsehood(rule):
                return f"seed {seed}, round {k}: {found}"
    print(f"seed {seed}, {rounds} rounds, {len(search.true)} true statements: {search.conclusions}")
    assert sum(search.conclusions.values()) > rounds
    return ""


def test_no_random_use_of_a_rule_concludes_a_falsehood() -> None:
    """A misuse that nobody thought of would prove what is false in a small model."""
    assert first_falsehood(seed=1, rounds=3) == ""


@pytest.mark.slow
def test_no_random_use_of_a_rule_concludes_a_falsehood_in_many() -> None:
    """The same, for longer."""
    assert first_falsehood(seed=2, rounds=120) == ""


HOLES: dict[str, tuple[tuple[str, ...], int]] = {  # a check, the rules that have it, rounds
    "an entry somewhere": (("weakening",), 100),
    "in something else": (("from some", "to every"), 100),
    "may depend on the place": (("to every",), 200),
    "is not what is shown": (("to every",), 200),
    "sizes are not the same": (("iff",), 600),
    "is lost": (("instance", "there is"), 1500),
}


@pytest.mark.slow
@pytest.mark.parametrize("check", HOLES)
def test_the_search_finds_a_hole(check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that finds nothing where a check is missing says nothing where none is."""
    rules, rounds = HOLES[check]
    dropped(monkeypatch, check)
    assert first_falsehood(3, rounds, rules)


@pytest.mark.slow
def test_the_search_finds_that_a_definition_may_hold_the_tensor_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same, of a check that is no condition of the rule's own."""

    def loose(a: statement.Atom) -> Any:
        return (a.lhs.node.op, a.rhs) if a.lhs.node.op.kind == "leaf" else None

    monkeypatch.setattr(logic, "definition", loose)
    assert first_falsehood(3, 100, ("one point",))
