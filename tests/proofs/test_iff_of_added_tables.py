"""An application of the logic that the book makes: the two halves of additive_position_iff."""

import pytest

from orderproof.proofs.symbols import TOKENS, Attention, X, as_keys, d, n, sigma
from orderproof.symbolic.models.builders import add, image, leaf_of, moved, tensor
from orderproof.symbolic.statements.logic import LogicError, iff
from orderproof.symbolic.statements.statement import Atom, Statement, kind, scope, sizes

E = tensor("E", i=n, c=d)
H = add(X, E)
LAYER = Attention(H, as_keys(H))
COMMUTES = Atom(image(LAYER.Z, TOKENS), "=", moved(LAYER.Z, i=sigma))
FIXED = Atom(moved(E, i=sigma), "=", E)
ANY = frozenset(x for x in Statement(COMMUTES).tensors if x != leaf_of(E))  # X and the weights
WIDTHS = {s: 1 for s in Statement(COMMUTES).sets if s != n}
IF = Statement(COMMUTES, frozenset({FIXED}), sizes=sizes(WIDTHS))
ONLY_IF = Statement(COMMUTES.opposite(), frozenset({FIXED.opposite()}), ANY, sizes=sizes(WIDTHS))


def test_the_halves_of_an_added_table_make_an_iff() -> None:
    """The theorem in the title would be two sentences that nothing connects."""
    assert sorted(str(x.data[0]) for x in ANY) == ["W_K", "W_Q", "W_V", "X"]
    assert len(WIDTHS) == 3 and scope(IF) == "all n, d ≥ 1, d_k ≥ 1, d_v ≥ 1"
    assert (kind(IF), kind(ONLY_IF)) == ("equality", "exists")
    whole = iff(IF, ONLY_IF)
    assert (whole.condition, whole.conclusion, whole.every) == (FIXED, COMMUTES, ANY)
    assert not whole.given and whole.sizes == IF.sizes


@pytest.mark.parametrize("missing", sorted(WIDTHS, key=str), ids=lambda s: s.name)
def test_the_halves_are_of_the_same_sizes(missing: object) -> None:
    """The words are false at d_v = 0, where nothing is put out: one half at sizes ≥ 0, the other
    at sizes ≥ 1 would be an iff at all sizes."""
    more = sizes({s: k for s, k in WIDTHS.items() if s != missing})
    for one, other in ((IF, ONLY_IF), (ONLY_IF, IF)):
        wide = Statement(one.atom, one.given, one.exists, sizes=more)
        halves = (wide, other) if one is IF else (other, wide)
        with pytest.raises(LogicError, match="the sizes are not the same"):
            iff(*halves)


def test_the_halves_are_opposite() -> None:
    """A table that is moved somewhere else, or a layer that commutes at some entry, would do."""
    wrong = {
        "atoms are not opposite": Statement(COMMUTES, ONLY_IF.given, ANY, sizes=ONLY_IF.sizes),
        "hypotheses are not opposite": Statement(
            ONLY_IF.atom, frozenset({Atom(E, "≠", moved(E, i=sigma), some=True)}), ANY,
            sizes=ONLY_IF.sizes,
        ),
        "not one hypothesis": Statement(ONLY_IF.atom, frozenset(), ANY, sizes=ONLY_IF.sizes),
    }  # fmt: skip
    for reason, other in wrong.items():
        with pytest.raises(LogicError, match=reason):
            iff(IF, other)
    with pytest.raises(LogicError, match="conditions on what there is"):
        iff(ONLY_IF, IF)
