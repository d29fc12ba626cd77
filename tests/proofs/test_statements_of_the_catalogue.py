"""The statements of the catalogue: each is read back from its text, and no two share a digest."""

from collections import defaultdict
from itertools import pairwise

import pytest

from orderproof.proofs.catalogue import IDS
from orderproof.publish.pages.statements import atom, style_of
from orderproof.symbolic.statements.statement import Statement, uncovered
from orderproof.symbolic.statements.text import canonical, digest, parse
from tests.judged import loaded
from tests.symbolic.statements.renaming import renamed

# Claims that say the same, of other letters or in another theorem; a digest may be shared by these.
ALIKE = (
    ("qkv_equivariant 1", "qkv_equivariant 2", "qkv_equivariant 3"),
    ("qkv_equivariant 5", "row_wise_equivariant 4"),
    ("equivariant_of_fixed_mask 2", "equivariant_of_fixed_score_bias 1"),
    ("equivariant_of_fixed_position_table 1", "additive_position_iff 1"),
    ("equivariant_of_fixed_position_table 2", "additive_position_iff 3"),
    ("sinusoidal_shift_is_rotation 3", "rope_relative_score 3"),
)


@pytest.fixture(scope="module")
def statements() -> dict[str, Statement]:
    """The statement of each claim, by theorem and number."""
    return {
        f"{name} {k}": c.statement for name in IDS for k, c in enumerate(loaded(name).claims, 1)
    }


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_each_is_read_back_from_its_text(statements: dict[str, Statement], step: int) -> None:
    """A certificate of the claim could not say what it is of."""
    assert len(statements) > 130
    for name, s in [*statements.items()][::step]:
        text = canonical(s)
        assert canonical(parse(text)) == text, name


def test_only_what_states_the_same_has_the_same_digest(statements: dict[str, Statement]) -> None:
    """Two different claims would be cited as one: ALiBi, a window and a causal mask, say."""
    found = defaultdict(list)
    for name, s in statements.items():
        found[digest(s)].append(name)
    assert sorted(tuple(v) for v in found.values() if len(v) > 1) == sorted(ALIKE)


@pytest.mark.parametrize("names", ALIKE)
def test_what_shares_a_digest_says_the_same(
    names: tuple[str, ...], statements: dict[str, Statement]
) -> None:
    """Claims listed as alike would differ in more than their letters."""
    for one, other in pairwise(statements[name] for name in names):
        letters = {
            x.data[0]: y.data[0]
            for x, y in zip((*one.tensors, *one.maps), (*other.tensors, *other.maps), strict=True)
        } | {x.name: y.name for x, y in zip(one.sets, other.sets, strict=True)}
        there = renamed(one, lambda x, to=letters: to.get(x, x))
        assert uncovered(there, other) == "" == uncovered(other, there)
        assert there == other


@pytest.mark.parametrize("name", IDS)
def test_two_sides_look_different(name: str) -> None:
    """A claim would be printed as P X = P X: the product, and the rows moved."""
    theorem = loaded(name)
    for claim in theorem.claims:
        said = atom(claim.statement.atom, style_of(theorem), claim.row, claim.column)
        for text in (said.plain, said.latex):
            left, relation, right = text.partition(" = ")
            assert not relation or left.strip() != right.strip(), text
