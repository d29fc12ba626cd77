"""The schemes as exact matrices: generic values, buckets, and the smallest sizes."""

from __future__ import annotations

import copy

import click
import pytest

from orderproof.command_line import cli
from orderproof.numeric.groups import symmetry
from orderproof.numeric.groups.bias_matrices import generic, position
from orderproof.numeric.groups.exact_matrix import LARGEST, MatrixError
from orderproof.numeric.groups.outside import examples, outside
from orderproof.symbolic.schemes.definitions import OPTIONS, POSITION_SCHEMES, bucket
from orderproof.symbolic.schemes.tables import SchemeError
from orderproof.symbolic.witness.scheme_file import LEAST


def test_every_scheme_of_the_table_is_known() -> None:
    """Otherwise `symmetry` and `table` speak of other schemes, or of other schemes by one name."""
    taken = {p for s in POSITION_SCHEMES.values() for p in s.parameters}
    assert taken == set(LEAST) == set(OPTIONS)


def unlisted(command: click.Command) -> set[str]:
    """The options of schemes that a command has not."""
    return set(OPTIONS.values()) - {str(p.name) for p in command.params}


def test_every_parameter_is_an_option_of_each_command() -> None:
    """A scheme could be asked for at one window by `symmetry`, and not by `table`."""
    for name in ("search", "symmetry", "table", "distinguish"):
        assert unlisted(cli.commands[name]) == set(), name
    command = copy.copy(cli.commands["table"])
    command.params = [p for p in command.params if p.name != "window"]
    assert unlisted(command) == {"window"}


def test_blocks_of_one_size_or_of_several() -> None:
    """`--blocks 3` would be one block of 3 tokens in `symmetry`, and blocks of 3 in `table`."""
    assert position("blocks", 6, blocks=3).spots == position("blocks", 6, blocks=(3, 3)).spots
    assert position("documents", 7, blocks=3).regime == "blocks 3,3"
    for given in ((), (3,), (3, 2), (6, 0)):
        with pytest.raises((MatrixError, SchemeError), match="blocks: given"):
            position("blocks", 6, blocks=given)
    with pytest.raises(MatrixError, match="expected a multiple of 4, or other blocks"):
        position("blocks", 6, blocks=4)


@pytest.mark.parametrize("name", POSITION_SCHEMES)
def test_the_smallest_sizes(name: str) -> None:
    """Otherwise one token, or two, end in a traceback or in a group without a reason."""
    sizes = 0
    for n in range(1, 6):
        try:
            layer = symmetry.of_scheme(position(name, n))
        except MatrixError as e:
            assert f"n = {n}" in str(e)
            continue
        found = symmetry.answer(layer)
        assert found.layer.proved and found.context[1].order <= max(1, found.layer.n) ** n
        assert all(outside(layer, sigma, name) is not None for sigma in examples(found.layer))
        sizes += 1
    assert sizes >= 2


def test_tokens_stand_where_the_options_say() -> None:
    """Rows and columns would be exchanged, which no order of a group shows; or the query would
    have the row of a document's token."""
    plane = position("relative-2d", 6, columns=3)
    assert [(s.block, s.rank) for s in plane.spots] == [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 0),
        (1, 1),
        (1, 2),
    ]
    assert plane.regime == "generic values, 2 × 3"
    assert position("documents", 5, blocks=(1, 3)).table == ((0,), (0,), (1,), (2,), (3,))


def test_t5_buckets_are_those_of_integers() -> None:
    """Otherwise the logarithm of a float puts a distance into the next bucket: in integers it is
    exact + k where (d/exact)^exact >= (128/exact)^k."""

    def exactly(d: int, exact: int) -> int:
        k, base = 0, 128 // exact
        while d >= exact and d**exact >= exact**exact * base ** (k + 1):
            k += 1
        return min(exact + k, 2 * exact - 1) if d >= exact else d

    for d in range(LARGEST):
        assert bucket(-d, two_sided=True) == exactly(d, 8)
        assert bucket(-d, two_sided=False) == exactly(d, 16)
        assert bucket(d, two_sided=True) == exactly(d, 8) + (16 if d else 0)


def test_generic_values_have_distinct_differences() -> None:
    """Otherwise two learned values agree when row maxima are subtracted, by accident of ours."""
    values = generic(60)
    gaps = [a - b for a in values for b in values if a != b]
    assert len(set(gaps)) == len(gaps)
    steps = list(range(60))  # planted: the indices themselves are no such set
    assert len({a - b for a in steps for b in steps if a != b}) < len(gaps)
