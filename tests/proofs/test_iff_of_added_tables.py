"""An application of the logic that the book makes: the two halves of additive_position_iff."""

from dataclasses import replace

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
FEWER = [sizes({s: k for s, k in WIDTHS.items() if s != missing}) for missing in WIDTHS]
ELSEWHERE = Atom(E, "≠", moved(E, i=sigma), some=True)
WRONG = [  # of one size each half could be at d_v = 0, where nothing is put out
    *(("the sizes are not the same", replace(IF, sizes=few), ONLY_IF) for few in FEWER),
    *(("the sizes are not the same", IF, replace(ONLY_IF, sizes=few)) for few in FEWER),
    ("atoms are not opposite", IF, replace(ONLY_IF, atom=COMMUTES)),
    ("hypotheses are not opposite", IF, replace(ONLY_IF, given=frozenset({ELSEWHERE}))),
    ("not one hypothesis", IF, replace(ONLY_IF, given=frozenset())),
    ("conditions on what there is", ONLY_IF, IF),
]


def test_the_halves_of_an_added_table_make_an_iff() -> None:
    """The theorem in the title would be two sentences that nothing connects."""
    assert sorted(str(x.data[0]) for x in ANY) == ["W_K", "W_Q", "W_V", "X"]
    assert len(WIDTHS) == 3 and scope(IF) == "all n, d ≥ 1, d_k ≥ 1, d_v ≥ 1"
    assert (kind(IF), kind(ONLY_IF)) == ("equality", "exists")
    whole = iff(IF, ONLY_IF)
    assert (whole.condition, whole.conclusion, whole.every) == (FIXED, COMMUTES, ANY)
    assert not whole.given and whole.sizes == IF.sizes


@pytest.mark.parametrize(("reason", "one", "other"), WRONG)
def test_halves_that_do_not_fit(reason: str, one: Statement, other: Statement) -> None:
    """One half at sizes ≥ 0, the other at sizes ≥ 1, would be an iff at all sizes; a table that is
    moved somewhere else, or a layer that commutes at some entry, would do."""
    with pytest.raises(LogicError, match=reason):
        iff(one, other)
