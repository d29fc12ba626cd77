"""The position schemes and their symmetries: values by hand, group orders by enumeration."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import factorial

import pytest
import z3

from orderproof.numeric.groups import bias_matrices as matrices
from orderproof.numeric.groups import symmetry
from orderproof.symbolic.calculus.kernel import is_theorem
from orderproof.symbolic.schemes.definitions import (
    POSITION_SCHEMES,
    PositionScheme,
    bucket,
    position_scheme,
)
from orderproof.symbolic.schemes.models import equivariant, last_row, travelling
from orderproof.symbolic.schemes.search import find
from orderproof.symbolic.schemes.symmetries import SYMMETRIES, entry, holds_at, obligations
from orderproof.symbolic.schemes.tables import SchemeError
from orderproof.symbolic.witness.fields import WitnessError
from orderproof.symbolic.witness.replay import check
from orderproof.symbolic.witness.scheme_file import PARAMETERS, dumps, parse

LETTERS = sorted({s.letters for s in POSITION_SCHEMES.values()})


def seen(name: str, n: int) -> list[str]:
    """A mask as a picture, a row a string."""
    s = POSITION_SCHEMES[name]
    spots = [s.spot(i, n) for i in range(n)]
    return ["".join(".x"[entry(s, i, j, s.frame(n))[2]] for j in spots) for i in spots]


def labels(name: str, n: int, row: int) -> list[object]:
    """The labels of one row."""
    s = POSITION_SCHEMES[name]
    spots = [s.spot(i, n) for i in range(n)]
    return [entry(s, spots[row], j, s.frame(n))[0] for j in spots]


def test_masks_are_those_of_the_papers() -> None:
    """A mask would let other places through than its name says."""
    assert seen("causal", 3) == ["x..", "xx.", "xxx"]
    assert seen("window", 4) == ["xx..", "xxx.", ".xxx", "..xx"]
    assert seen("window-causal", 4) == ["x...", "xx..", ".xx.", "..xx"]
    assert seen("prefix", 4) == ["xx..", "xx..", "xxx.", "xxxx"]
    assert seen("blocks", 4) == ["xx..", "xx..", "..xx", "..xx"]
    assert seen("documents", 5) == ["xx...", "xx...", "..xx.", "..xx.", "xxxxx"]
    assert seen("learned", 2) == ["xx", "xx"]


def test_biases_are_those_of_the_papers() -> None:
    """A bias would be a function of something else than its name says."""
    alibi = POSITION_SCHEMES["alibi"]
    values = [alibi.value(key) for key in labels("alibi", 4, 1)]  # type: ignore[misc,arg-type]
    assert values == [-1, 0, -1, -2]
    assert labels("circulant", 4, 1) == [(3,), (0,), (1,), (2,)]
    assert labels("circulant-even", 4, 1) == [(1,), (0,), (1,), (2,)]
    assert labels("shaw", 6, 0) == [0, 1, 2, 2, 2, 2]
    assert labels("relative-2d", 4, 0) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [bucket(k, two_sided=True) for k in (-8, -7, 0, 7, 8, 200)] == [8, 7, 0, 23, 24, 31]
    assert [bucket(k, two_sided=False) for k in (3, 0, -15, -16, -18)] == [0, 0, 15, 16, 16]


ORDERS: dict[str, tuple[list[int], list[int]]] = {
    "none": ([2, 6, 24, 120, 720], [1, 2, 6, 24, 120]),
    "constant": ([2, 6, 24, 120, 720], [1, 2, 6, 24, 120]),
    "learned": ([1] * 5, [1] * 5),
    "sinusoidal": ([1] * 5, [1] * 5),
    "rope": ([1] * 5, [1] * 5),
    "rope-causal": ([1] * 5, [1] * 5),
    "alibi-signed": ([1] * 5, [1] * 5),
    "alibi-causal": ([1] * 5, [1] * 5),
    "t5": ([1] * 5, [1] * 5),
    "alibi": ([2] * 5, [1] * 5),
    "causal": ([1] * 5, [1, 2, 6, 24, 120]),
    "window": ([2] * 5, [1, 1, 2, 6, 24]),
    "circulant-even": ([2, 6, 8, 10, 12], [1, 2, 2, 4, 4]),
    "circulant": ([2, 3, 4, 5, 6], [1] * 5),
}


def order(s: PositionScheme, symmetry: str, n: int) -> int:
    """How many permutations leave the position tensors as they are, by listing n!."""
    fixed = symmetry != "permutation"
    listed = (p for p in permutations(range(n)) if not fixed or p[-1] == n - 1)
    return sum(holds_at(s, SYMMETRIES[symmetry], n, p) for p in listed)


@pytest.mark.parametrize("name", ORDERS)
def test_orders_of_the_groups(name: str) -> None:
    """The definition of a scheme would have another symmetry group than the catalogue says."""
    layer, context = ORDERS[name]
    s = POSITION_SCHEMES[name]
    assert [order(s, "permutation", n) for n in range(2, 7)] == layer
    assert [order(s, "context-1", n) for n in range(2, 7)] == context


def test_orders_that_depend_on_a_parameter() -> None:
    """A window of 2, a prefix or blocks would have another group than their formulas say."""
    wide = replace(POSITION_SCHEMES["window"], parameters={"w": 2})
    assert [order(wide, "permutation", n) for n in range(2, 7)] == [2, 6, 4, 2, 2]
    assert [order(wide, "context-1", n) for n in range(2, 7)] == [1, 2, 2, 4, 12]
    for p in (1, 2, 3):
        prefix = replace(POSITION_SCHEMES["prefix"], parameters={"p": p})
        assert all(order(prefix, "permutation", n) == factorial(p) for n in range(p + 1, 6))
    for s, n in ((2, 4), (2, 6), (3, 6)):
        blocks = replace(POSITION_SCHEMES["blocks"], parameters={"s": s})
        m = n // s
        assert order(blocks, "permutation", n) == factorial(s) ** m * factorial(m)
    assert [order(POSITION_SCHEMES["causal"], "context-2", n) for n in range(2, 6)] == [1] * 4
    assert order(POSITION_SCHEMES["relative-2d-distance"], "permutation", 6) == 4
    assert order(POSITION_SCHEMES["relative-2d"], "permutation", 6) == 1


@pytest.mark.parametrize("letters", LETTERS)
def test_models_are_pushed_through(letters: str) -> None:
    """The kernel would not derive a model's symmetry, or would derive it from too little."""
    for derived in (equivariant(letters), last_row(letters, 1), last_row(letters, 2)):
        assert derived is not None and is_theorem(derived.theorem)
        assert len(derived.hyps) == len(letters)  # one of each position tensor, and no other
    free = travelling(letters)
    assert free is not None and is_theorem(free.theorem) and free.hyps == frozenset()


@pytest.mark.parametrize("most", [6, pytest.param(7, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", POSITION_SCHEMES)
def test_all_n_agrees_with_listing(name: str, most: int) -> None:
    """The solver would answer for all n what is false at some n, or read another definition."""
    s = POSITION_SCHEMES[name]
    for y in SYMMETRIES.values():
        asked = obligations(s, y) if y.reads != "ids" else None
        if asked is None:
            continue
        listed = all(
            holds_at(s, y, n, g)
            for n in range(1, most + 1)
            if s.fits(n)
            for g in y.generators(s, n)
        )
        assert all(o.check() for o in asked) == listed, y.name


def test_an_obligation_can_be_refuted() -> None:
    """The question put to the solver would be answered by yes whatever it is."""
    (o,) = obligations(POSITION_SCHEMES["alibi"], SYMMETRIES["reversal"]) or ()
    assert o.check() is True
    assert replace(o, goal=z3.Not(o.goal)).check() is False
    (signed,) = obligations(POSITION_SCHEMES["alibi-signed"], SYMMETRIES["reversal"]) or ()
    assert signed.check() is False


@pytest.mark.parametrize(
    ("name", "symmetry", "n", "sigma"),
    [
        ("alibi", "permutation", 3, (1, 0, 2)),
        ("causal", "context-2", 3, (1, 0, 2)),
        ("rope", "permutation", 2, (1, 0)),
        ("sinusoidal", "offset", 1, (0,)),
        ("shaw", "context-1", 3, (1, 0, 2)),
        ("documents", "permutation", 3, (1, 0, 2)),
    ],
)
def test_witness_is_written_read_and_replayed(
    name: str, symmetry: str, n: int, sigma: tuple[int, ...]
) -> None:
    """A counterexample would not survive its file, or a changed one would be confirmed too."""
    w = find(POSITION_SCHEMES[name], SYMMETRIES[symmetry], n, sigma)
    assert w is not None and parse(dumps(w).encode(), "w") == w and check(w).ok
    nothing = tuple((Fraction(0),) * w.d for _ in range(w.d))
    weightless = tuple(dict.fromkeys(layer, nothing) for layer in w.layers)
    still = replace(w, layers=weightless)
    assert not check(still).ok  # no weights at all
    a, b = w.lhs[w.differ[0]][w.differ[1]]
    rows = [list(row) for row in w.lhs]
    rows[w.differ[0]][w.differ[1]] = (a + 1, b + 1)
    assert not check(replace(w, lhs=tuple(map(tuple, rows)))).ok


def test_no_witness_where_there_is_none() -> None:
    """The search would find a counterexample to what is proved."""
    assert find(POSITION_SCHEMES["alibi"], SYMMETRIES["reversal"], 3, (2, 1, 0)) is None
    assert find(POSITION_SCHEMES["causal"], SYMMETRIES["context-1"], 3, (1, 0, 2)) is None
    assert find(POSITION_SCHEMES["alibi"], SYMMETRIES["permutation"], 2, (1, 0)) is None


def test_causal_witness_is_eleven_eighteenths() -> None:
    """Two layers with skips would not give the last token what two running means give."""
    w = find(POSITION_SCHEMES["causal"], SYMMETRIES["context-2"], 3, (1, 0, 2))
    assert w is not None
    difference = abs(w.lhs[0][0][0] - w.rhs[0][0][0])
    assert difference in (Fraction(1, 3), Fraction(5, 18), Fraction(1, 18), Fraction(11, 18))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scheme": "alibbi"}, "scheme"),
        ({"n": 99}, "n: given 99"),
        ({"sigma": [0, 0, 2]}, "sigma"),
        ({"units": "none"}, "units"),
        ({"claim": "all is well"}, "claim"),
        ({"parameters": {"w": 1}}, "parameters"),
    ],
)
def test_bad_files_are_refused(change: dict[str, object], message: str) -> None:
    """A file that says something else than its data would be read."""
    import json

    w = find(POSITION_SCHEMES["alibi"], SYMMETRIES["permutation"], 3, (1, 0, 2))
    assert w is not None
    data = json.loads(dumps(w)) | change
    with pytest.raises(WitnessError, match=message):
        parse(json.dumps(data).encode(), "w")


def test_names() -> None:
    """A scheme would be known to one module and not to another; a typing error would not help."""
    assert set(PARAMETERS) == set(POSITION_SCHEMES)
    assert all(PARAMETERS[s.name] == tuple(s.parameters) for s in POSITION_SCHEMES.values())
    with pytest.raises(SchemeError, match="did you mean alibi"):
        position_scheme("alibbi")


@pytest.mark.parametrize("name", POSITION_SCHEMES)
def test_groups_are_those_of_the_matrices(name: str) -> None:
    """The hypotheses of the kernel, looked at σ by σ, would leave another group than the one that
    the search finds of the scheme's exact matrix less its row maxima."""
    s = POSITION_SCHEMES[name]
    for n in range(2, 7):
        if not s.fits(n):
            continue
        layer = symmetry.of_scheme(matrices.position(name, n))
        found = symmetry.answer(layer)
        assert found.layer.order == order(s, "permutation", n), n
        assert found.context[1].order == order(s, "context-1", n), n
        kept, reach = order(s, "context-2", n), symmetry.reached(layer)
        # the hypotheses are on the whole tensors, and not on the rows alone that are reached
        assert found.context[2].order % kept == 0, n
        assert found.context[2].order == kept or not reach[min(1, len(reach) - 1)].all(), n
