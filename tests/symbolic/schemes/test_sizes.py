"""Where a scheme breaks a symmetry for every n: rules that hold, and schemes that refute them."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3

from orderproof.symbolic.schemes.definitions import (
    MOST,
    POSITION_SCHEMES,
    PositionScheme,
    bucket,
    pick,
)
from orderproof.symbolic.schemes.every_size import Broken, Place
from orderproof.symbolic.schemes.rotations import DISTINCT_ROWS
from orderproof.symbolic.schemes.sizes import LARGEST, candidates, looked_at
from orderproof.symbolic.schemes.symmetries import SYMMETRIES
from orderproof.symbolic.witness.scheme_file import MAX_N

SWAPS = SYMMETRIES["permutation"]
LEARNED, CIRCULANT = POSITION_SCHEMES["learned"], POSITION_SCHEMES["circulant"]


def guesses(s: PositionScheme, symmetry: str, what: str) -> list[Broken]:
    """All guesses for a scheme."""
    y = SYMMETRIES[symmetry]
    return list(candidates(s, y, looked_at(s, y), what))


def proved(g: Broken) -> bool:
    """Whether Z3 proves all that is asked."""
    asked = g.obligations()
    return bool(asked) and all(o.check() is True for o in asked)


def where(condition: object, s: PositionScheme = LEARNED) -> PositionScheme:
    """A table whose rows differ at some n alone."""
    return replace(s, own=lambda i, f: (pick(condition(f["n"]), i.number, 0),))  # type: ignore[operator]


def test_a_scheme_that_breaks_at_even_sizes_alone() -> None:
    """Sizes at which the symmetry holds again would be passed over."""
    even = where(lambda n: n % 2 == 0)
    sizes = looked_at(even, SWAPS)
    assert sizes.smallest == 2 and sizes.smaller == (1,) and sizes.again == (3, 5, 7)
    assert guesses(even, "permutation", "row") == []
    assert not any(proved(g) for g in _forced(even))


def test_a_scheme_that_breaks_at_small_sizes_alone() -> None:
    """What is so at all sizes that were looked at would be called so for every n."""
    small = where(lambda n: n <= LARGEST)
    assert looked_at(small, SWAPS).again == ()
    found = guesses(small, "permutation", "row")
    assert found and not any(proved(g) for g in found)
    assert False in [o.check() for o in found[0].obligations()]  # refuted, not undecided


def _forced(s: PositionScheme) -> list[Broken]:
    """Guesses from the breaking sizes, as if there were no others."""
    sizes = looked_at(s, SWAPS)
    return list(candidates(s, SWAPS, replace(sizes, held=sizes.smaller), "row"))


def test_smaller_sizes_are_not_claimed() -> None:
    """A rule would claim sizes at which the symmetry holds."""
    (rule, *_) = guesses(POSITION_SCHEMES["window"], "permutation", "mask")
    assert rule.regime == "every w ≥ 1 and every n ≥ w + 2" and proved(rule)
    assert not proved(replace(rule, least=rule.least - 1))
    (alibi, *_) = guesses(POSITION_SCHEMES["alibi"], "permutation", "bias")
    assert alibi.regime == "every n ≥ 3" and proved(alibi)
    assert not proved(replace(alibi, least=2))


def test_a_place_outside_is_refused() -> None:
    """Tensors would be compared at a place that is not there, or by a σ outside the family."""
    (rule, *_) = guesses(POSITION_SCHEMES["alibi"], "context-1", "bias")
    assert proved(rule)
    there = rule.places
    assert not proved(replace(rule, places=(*there[:2], Place(0, from_end=True))))
    assert not proved(replace(rule, swap=Place(-2, from_end=True)))  # moves the last token


def test_constants_of_rows_are_no_difference() -> None:
    """B_ij = b_i has the trivial stabiliser and the group Sₙ: a bias would be called seen that no
    softmax sees."""
    rows = replace(CIRCULANT, pair=lambda i, j, f: (i.number,))
    assert looked_at(rows, SWAPS).smallest == 2
    assert any(proved(g) for g in guesses(rows, "permutation", "entry"))
    assert guesses(rows, "permutation", "bias") == []
    columns = replace(CIRCULANT, pair=lambda i, j, f: (j.number,))
    assert any(proved(g) for g in guesses(columns, "permutation", "bias"))


@pytest.mark.parametrize("two_sided", [False, True])
def test_buckets_at_integers_of_the_solver(two_sided: bool) -> None:
    """A bucket would be another number for the solver than for the tensors."""
    o = z3.Int("o")
    term = bucket(o, two_sided=two_sided)
    for offset in (*range(-40, 41), *range(-200, 201, 13)):
        value = z3.simplify(z3.substitute(term, (o, z3.IntVal(offset))))
        assert value.as_long() == bucket(offset, two_sided=two_sided)


def test_sines_of_places_that_are_near() -> None:
    """Rows of sines would be said to differ beyond the number of rows that are proved distinct."""
    (rule, *_) = guesses(POSITION_SCHEMES["sinusoidal"], "reversal", "row")
    assert not proved(rule) and [o.check() for o in rule.obligations()].count(False) == 1
    bounded = replace(rule, below=DISTINCT_ROWS)
    assert proved(bounded) and bounded.regime == "every n ≥ 2 and < 10¹⁸"
    assert not proved(replace(rule, below=DISTINCT_ROWS + 2))
    (near, *_) = guesses(POSITION_SCHEMES["sinusoidal"], "permutation", "row")
    assert proved(near)
    (turned, *_) = guesses(POSITION_SCHEMES["rope"], "shift", "entry")
    assert not proved(turned) and proved(replace(turned, below=DISTINCT_ROWS))
    assert not proved(replace(turned, below=DISTINCT_ROWS + 2))


def test_a_row_that_is_not_seen() -> None:
    """A row that is added to a token which the last one does not see would be said to be read."""
    documents = POSITION_SCHEMES["documents"]
    (rule, *_) = guesses(documents, "context-1", "row")
    assert proved(rule)
    apart = replace(documents, seen=lambda i, j, f: i.block == j.block)
    assert not proved(replace(rule, scheme=apart)) and guesses(apart, "context-1", "row") == []
    (turned, *_) = guesses(POSITION_SCHEMES["rope-causal"], "context-1", "entry")
    assert proved(turned)
    assert guesses(replace(turned.scheme, seen=lambda i, j, f: i.number == j.number),
                   "context-1", "entry") == []  # fmt: skip


def test_a_token_that_sees_nothing() -> None:
    """A row of weights that are all 0 has no softmax: a mask with one would be told apart by it."""
    causal = POSITION_SCHEMES["causal"]
    (rule, *_) = guesses(causal, "permutation", "mask")
    assert proved(rule) and "every token sees itself" in [o.says for o in rule.obligations()]
    before = replace(causal, seen=lambda i, j, f: j.number < i.number)
    assert not proved(replace(rule, scheme=before))
    assert guesses(before, "permutation", "mask") == []


def test_large_parameters() -> None:
    """The smallest size for a large parameter would lie beyond the sizes that are looked at."""
    wide = replace(POSITION_SCHEMES["window"], parameters={"w": 9})
    assert looked_at(wide, SWAPS).smallest == 11
    assert MOST == MAX_N  # sizes and parameters that a file may hold


def test_words() -> None:
    """A place would be told as another one."""
    assert str(Place(0)) == "0" and str(Place(-1, from_end=True)) == "n − 1"
    assert str(Place(1, parameter="w")) == "w + 1"
    assert str(Place(-2, from_end=True, parameter="w")) == "n − w − 2"
    (rule, *_) = guesses(POSITION_SCHEMES["window"], "context-1", "mask")
    assert rule.says == (  # tokens counted from 1
        "tokens n − w − 1 and n − w change places; whether token n sees token n − w − 1 changes"
    )
    (rule, *_) = guesses(POSITION_SCHEMES["alibi"], "blocks", "bias")
    assert rule.says.startswith("the blocks that begin at tokens 1 and 3 change places; ")
    assert Place(-2, from_end=True, parameter="w").at({"n": 9, "w": 3}) == 4
