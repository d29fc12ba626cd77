"""Two prompts told apart or not: the types and the depth against networks that are run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from orderproof.numeric.groups import distinguish
from orderproof.numeric.groups.bias_matrices import position
from orderproof.numeric.groups.distinguish import Refinement, equal_shares
from orderproof.numeric.groups.exact_matrix import MatrixError, masked
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from tests.numeric.groups.matrices import of_integers, random_heads
from tests.oracles.networks import told

CAT = ["the", "cat", "chased", "the", "dog", "."]
DOG = ["the", "dog", "chased", "the", "cat", "."]
Prompts = list[list[str]]


def of_scheme(name: str, prompts: Prompts, **options: object) -> Refinement:
    """The prompts under the scheme at the length of the longest."""
    return distinguish.of_scheme(position(name, max(map(len, prompts)), **options), prompts)


def answers(asked: Refinement) -> list[int | None]:
    """The least depths, read at the last token and pooled."""
    fields = vars(asked)
    given = {k: fields[k] for k in ("prompts", "heads", "added", "kind", "fixed")}
    return [Refinement(**given).tell_apart(read)[0] for read in ("last", "pooled")]


def partition(found: Sequence[int]) -> list[int]:
    """Equal numbers where types are equal, in the order in which they occur."""
    number: dict[int, int] = {}
    return [number.setdefault(c, len(number)) for c in found]


def as_network(asked: Refinement, depth: int = 4) -> bool:
    """Whether the network of the proof tells the same tokens apart at each depth, and the prompts
    from the same depth on."""
    run = told(asked, depth)
    here = [partition([*now.values()]) for now in asked.refine()]
    here += here[-1:] * (depth + 1 - len(here))
    last = (k for k, (a, b) in enumerate(run) if a[-1] != b[-1])
    shares = [[{c: Fraction(m, len(x)) for c, m in Counter(x).items()} for x in r] for r in run]
    pooled = (k for k, (a, b) in enumerate(shares) if a != b)
    return here[: depth + 1] == [partition([*r[0], *r[1]]) for r in run] and [
        next(last, None), next(pooled, None)
    ] == [k if k is None or k <= depth else None for k in answers(asked)]  # fmt: skip


def orders(rng: np.random.Generator, n: int) -> Prompts:
    """Two prompts of two words in different orders, their last words equal."""
    words = rng.integers(0, 2, n)
    tried = words[:-1], rng.permutation(words[:-1])
    return [[*(f"w{k}" for k in order), f"w{words[-1]}"] for order in tried]


def random_prompts(rng: np.random.Generator) -> Refinement:
    """One or two heads of 2 to 5 tokens: masks, and in every second case integers from −2 to 0."""
    n, entries = int(rng.integers(2, 6)), range(-2 * int(rng.integers(2)), 1)
    heads = random_heads(rng, n, int(rng.integers(1, 3)), 0.6, entries, Fraction(1, 2))
    return Refinement(orders(rng, n), heads)


@pytest.mark.parametrize(("seed", "count"), [(0, 20), pytest.param(1, 300, marks=pytest.mark.slow)])
def test_types_are_those_of_a_network(seed: int, count: int) -> None:
    """A type would be too fine or too coarse; prompts told apart too early, too late, or not."""
    rng = np.random.default_rng(seed)
    assert all(as_network(random_prompts(rng)) for _ in range(count))


@pytest.mark.parametrize("name", POSITION_SCHEMES)
def test_types_of_schemes_are_those_of_a_network(name: str) -> None:
    """The same for keys, rotations, free biases and added rows, and prompts of two lengths."""
    rng = np.random.default_rng(5)
    tried = 0
    for n in (3, 4, 5):
        first, second = orders(rng, n)
        for prompts in ([first, second], [first, second[:-1]]):
            try:
                asked = of_scheme(name, prompts)
            except MatrixError:
                continue
            assert as_network(asked, 3), prompts
            tried += 1
    assert tried > 0


def test_what_is_ignored_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison with networks would pass types without a head, without counts or without what
    parts equal residues."""
    rng = np.random.default_rng(2)
    tried = [random_prompts(rng) for _ in range(30)]
    assert not all(told(a, 3) == told(Refinement(a.prompts, a.heads[:1]), 3) for a in tried)
    monkeypatch.setattr(distinguish, "_residues", lambda seen: 0)
    assert all(as_network(Refinement(a.prompts, a.heads)) for a in tried)
    monkeypatch.setattr(distinguish, "equal_shares", lambda a, b: a.keys() == b.keys())
    assert not all(as_network(Refinement(a.prompts, a.heads)) for a in tried)


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ({0: {0: 1}, 1: {0: 1}}, {0: {0: 3}, 1: {0: 3}}, True),
        ({0: {0: 1}, 1: {0: 1}}, {0: {0: 1}, 1: {0: 2}}, False),
        ({0: {0: 1, 1: 1}, 1: {1: 1, 2: 1}}, {0: {0: 1}, 1: {1: 1}}, True),  # 1 + e divides both
        ({0: {0: 1, 1: 1}, 1: {1: 1, 2: 1}}, {0: {0: 1}, 1: {2: 1}}, False),
        ({0: {0: 1, 10**6: 1}, 1: {1: 1, 10**6 + 1: 1}}, {0: {0: 1}, 1: {1: 1}}, True),
        ({0: {-7: 2, 5: 1}}, {0: {1: 1}}, True),  # all that is seen is of one type
        ({0: {0: 1}}, {1: {0: 1}}, False),
    ],
)
def test_shares_are_compared_as_quotients(
    a: dict[int, dict[int, int]], b: dict[int, dict[int, int]], equal: bool
) -> None:
    """Shares with a common factor would be told apart, or different ones not; or equal shares would
    have other residues."""
    one, two = ({(c, 0): Counter(sums) for c, sums in given.items()} for given in (a, b))
    assert equal_shares(one, two) is equal and equal_shares(two, one) is equal
    assert (distinguish._residues(one) == distinguish._residues(two)) is equal


def test_the_head_that_tells_is_named() -> None:
    """The reason would be of a head in which nothing differs."""
    none = of_integers(np.zeros((3, 3)))
    window = masked(none, np.array([[1, 1, 1], [1, 1, 1], [1, 0, 1]]) > 0)
    depth, (link,) = Refinement([list("abc"), list("bac")], [none, window]).tell_apart("last")
    assert (depth, link["head"], link["shares"]) == (1, 1, ["1/2", "0"])


def test_shares_have_the_digits_that_part_them() -> None:
    """Two shares that differ would be shown as one number; free ones would have a share."""
    for unit, digits in ((9, 20), (40, 0)):
        rows = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0]])
        tiny = of_integers(rows, unit=Fraction(1, 10**unit))
        depth, (link,) = Refinement([list("abc"), list("bac")], [tiny]).tell_apart("last")
        assert depth == 1 and (link["shares"] is None) == (digits == 0)
        if digits:
            a, b = link["shares"]
            assert a != b and a[:8] == b[:8] == "0.333333" and len(a) < digits
    for name in ("t5", "rope", "shaw"):
        _, chain = of_scheme(name, [CAT, DOG]).tell_apart("last")
        assert {link["shares"] for link in chain} == {None}


def test_prompts_of_two_lengths() -> None:
    """A scheme that is another one at each length would compare two architectures."""
    short, long = list("ab"), list("abab")
    assert answers(of_scheme("t5-causal", [short, long]))[0] == 1
    assert answers(of_scheme("none", [short, list("aabb")]))[0] is None
    for name in ("circulant", "documents", "circulant-even"):
        with pytest.raises(MatrixError, match="expected equally many"):
            of_scheme(name, [list("abc"), list("abcde")])
    with pytest.raises(MatrixError, match="expected sizes that sum to 2"):
        of_scheme("blocks", [long, short], blocks=(2, 2))


def test_a_long_chain_is_followed() -> None:
    """A window's chain, a link for every token between, would break off before it ends in words."""
    words = ["b", *["a"] * 198, "c"], ["a", "b", *["a"] * 197, "c"]
    asked = of_scheme("window", words, window=1)
    depth, chain = asked.tell_apart("last")
    assert depth == len(chain) > 150
