"""At which n a scheme breaks a symmetry: the sizes looked at."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3

from orderproof.symbolic.schemes.definitions import MOST, POSITION_SCHEMES, bucket, pick
from orderproof.symbolic.schemes.sizes import looked_at
from orderproof.symbolic.schemes.symmetries import SYMMETRIES
from orderproof.symbolic.witness.scheme_file import MAX_N

SWAPS = SYMMETRIES["permutation"]


def test_sizes_at_which_it_holds_again() -> None:
    """They would be passed over, or counted as smaller ones."""
    even = replace(
        POSITION_SCHEMES["learned"],
        own=lambda i, f: (pick(f["n"] % 2 == 0, i.number, 0),),
    )
    sizes = looked_at(even, SWAPS)
    assert sizes.smallest == 2 and sizes.smaller == (1,) and sizes.again == (3, 5, 7)
    assert sizes.larger == (4, 6, 8)


def test_large_parameters() -> None:
    """The smallest size for a large parameter would lie beyond the sizes that are looked at."""
    wide = replace(POSITION_SCHEMES["window"], parameters={"w": 9})
    assert looked_at(wide, SWAPS).smallest == 11
    assert MOST == MAX_N  # sizes and parameters that a file may hold


@pytest.mark.parametrize("two_sided", [False, True])
def test_buckets_at_integers_of_the_solver(two_sided: bool) -> None:
    """A bucket would be another number for the solver than for the tensors."""
    o = z3.Int("o")
    term = bucket(o, two_sided=two_sided)
    for offset in (*range(-40, 41), *range(-200, 201, 13)):
        value = z3.simplify(z3.substitute(term, (o, z3.IntVal(offset))))
        assert value.as_long() == bucket(offset, two_sided=two_sided)
