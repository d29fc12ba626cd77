"""Two prompts told apart or not: the depth against networks that are run, and the reasons."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from orderproof.numeric.groups import types
from orderproof.numeric.groups.bias_matrices import SCHEMES, Options
from orderproof.numeric.groups.exact_matrix import MatrixError, masked, of_integers
from orderproof.numeric.groups.told_apart import (
    Difference,
    Token,
    Verdict,
    tell_apart,
    terms_for,
)
from orderproof.numeric.groups.types import Terms
from tests.oracles.networks import told

CAT = ["the", "cat", "chased", "the", "dog", "."]
DOG = ["the", "dog", "chased", "the", "cat", "."]
Prompts = list[list[str]]


def verdict(name: str, prompts: Prompts, read: str = "last") -> Verdict:
    """The verdict under a scheme."""
    return tell_apart(terms_for(name, [len(p) for p in prompts], Options()), prompts, read)


def by_network(terms: Terms, prompts: Prompts, read: str, depth: int) -> int | None:
    """The least depth at which the network of the proof gives other outputs."""
    for layer, (a, b) in enumerate(told(terms, prompts, depth)):
        if read == "last" and a[-1] != b[-1]:
            return layer
        shares = [{c: Fraction(k, len(x)) for c, k in Counter(x).items()} for x in (a, b)]
        if read == "pooled" and shares[0] != shares[1]:
            return layer
    return None


def pairs(rng: np.random.Generator, n: int, count: int) -> list[Prompts]:
    """Two prompts of two words in different orders, their last words equal."""
    found = []
    for _ in range(count):
        words = rng.integers(0, 2, n)
        orders = words[:-1], rng.permutation(words[:-1])
        found.append([[*(f"w{k}" for k in order), f"w{words[-1]}"] for order in orders])
    return found


def holds(terms: Terms, prompts: Prompts, found: Verdict) -> bool:
    """Whether each link of the chain is what it says: two tokens that first differ at its depth,
    what they attend to of the type, and the next link being of a token of that type."""
    types_ = types.refine(terms, prompts)
    chain = found.chain
    for link in chain:
        if link.tokens is not None:
            a, b = link.tokens
            kinds = [
                [int(types_.at(k)[t.prompt][t.place]) for t in (a, b)]
                for k in range(link.depth + 1)
            ]
            if any(x != y for x, y in kinds[:-1]) or kinds[-1][0] == kinds[-1][1]:
                return False
        if link.seen is None:
            continue
        now = types_.at(link.depth - (link.tokens is not None))
        kind = now[link.seen.prompt][link.seen.place]
        for k, places in enumerate(link.places):
            at = Token(k, -1) if link.tokens is None else link.tokens[k]
            seen = range(len(prompts[at.prompt]))
            if link.head is not None:
                head = terms.heads[link.head]
                seen = [j for j in seen if head.entry(at.place, j) is not None]  # type: ignore
            if places != tuple(j for j in seen if now[at.prompt][j] == kind):
                return False
    own = [link for link in chain if link.tokens is not None]
    return [link.depth for link in own] == list(range(found.depth or 0, 0, -1)) or (
        [link.depth for link in own] in ([0], [])
    )


def test_the_depth_is_that_of_a_network() -> None:
    """Prompts would be told apart too early, too late, or not at all."""
    rng = np.random.default_rng(0)
    for name in ("causal", "window", "alibi", "none"):
        for prompts in pairs(rng, 4, 3):
            for read in ("last", "pooled"):
                found, terms = verdict(name, prompts, read), terms_for(name, [4, 4], Options())
                assert found.depth == by_network(terms, prompts, read, 4), (name, prompts)
                assert holds(terms, prompts, found)


@pytest.mark.slow  # every scheme, and other lengths
def test_the_depth_is_that_of_a_network_in_every_scheme() -> None:
    """The same, for keys, rotations, added rows, and prompts of two lengths."""
    rng = np.random.default_rng(1)
    for name in SCHEMES:
        for n in (n for n in range(2, 7) if SCHEMES[name].fits(n)):
            for prompts in pairs(rng, n, 4):
                other = [prompts[0], prompts[1][: int(rng.integers(1, n + 1))]]
                for tried in (prompts, other):
                    lengths = [len(p) for p in tried]
                    try:
                        terms = terms_for(name, lengths, Options())
                    except MatrixError:
                        continue
                    for read in ("last", "pooled"):
                        found = tell_apart(terms, tried, read)
                        assert found.depth == by_network(terms, tried, read, 5), (name, tried)
                        assert holds(terms, tried, found)


@pytest.mark.parametrize(
    ("name", "last", "pooled"),
    [
        ("none", None, None), ("constant", None, None), ("causal", 2, 1), ("alibi", 1, 1),
        ("rope", 1, 1), ("shaw", 1, 1), ("learned", 1, 0), ("sinusoidal", 1, 0), ("t5", 1, 1),
        ("circulant", 1, 1), ("blocks", 1, 1), ("window", 1, 1), ("prefix", 2, 1),
    ],
)  # fmt: skip
def test_the_cat_and_the_dog(name: str, last: int | None, pooled: int | None) -> None:
    """The sentence of the introduction would get another answer."""
    assert [verdict(name, [CAT, DOG], read).depth for read in ("last", "pooled")] == [last, pooled]


def test_the_reason_at_depth_two() -> None:
    """The chain would not lead from the last token down to words."""
    assert verdict("causal", [CAT, DOG]).chain == (
        Difference(
            2, (Token(0, 5), Token(1, 5)), 0, Token(0, 1), ("1/6", "0"), ((1,), ())
        ),
        Difference(
            1, (Token(0, 1), Token(1, 4)), 0, Token(0, 0), ("1/2", "2/5"), ((0,), (0, 3))
        ),
    )  # fmt: skip
    (words,) = verdict("causal", [["a", "b"], ["a", "c"]]).chain
    assert words == Difference(0, (Token(0, 1), Token(1, 1)))


def test_the_head_that_tells_is_named() -> None:
    """The reason would be of a head in which nothing differs."""
    none = of_integers(np.zeros((3, 3)))
    heads = none, masked(none, np.tril(np.ones((3, 3), dtype=bool)) | (np.arange(3) == 0))
    window = masked(none, np.array([[1, 1, 1], [1, 1, 1], [1, 0, 1]]) > 0)
    found = tell_apart(Terms((heads[0], window)), [["a", "b", "c"], ["b", "a", "c"]], "last")
    (link,) = found.chain
    assert found.depth == 1 and link.head == 1 and link.shares == ("1/2", "0")


def test_shares_have_the_digits_that_part_them() -> None:
    """Two shares that differ would be shown as one number; free ones would have a share."""
    tiny = of_integers(np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0]]), unit=Fraction(1, 10**9))
    found = tell_apart(Terms((tiny,)), [["a", "b", "c"], ["b", "a", "c"]], "last")
    a, b = found.chain[0].shares or ("", "")
    assert a != b and a[:8] == b[:8] == "0.333333" and len(a) < 20
    assert verdict("alibi", [CAT, DOG]).chain[0].shares == ("0.0560404", "0.251156")
    least = of_integers(np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0]]), unit=Fraction(1, 10**40))
    found = tell_apart(Terms((least,)), [["a", "b", "c"], ["b", "a", "c"]], "last")
    assert found.depth == 1 and found.chain[0].shares is None
    for name in ("t5", "rope", "shaw"):
        assert {link.shares for link in verdict(name, [CAT, DOG]).chain} == {None}


def test_prompts_of_two_lengths() -> None:
    """A scheme that is another one at each length would compare two architectures; the entries of
    one that is not would be numbered anew at each length."""
    short = ["a", "b"]
    assert verdict("t5-causal", [short, ["a", "b", "a", "b"]]).depth == 1
    assert verdict("none", [short, ["a", "a", "b", "b"]]).depth is None
    assert verdict("none", [short, ["a", "a", "b"]]).depth == 1
    for name in ("circulant", "documents", "circulant-even"):
        with pytest.raises(MatrixError, match="expected equally many"):
            terms_for(name, [3, 5], Options())
    with pytest.raises(MatrixError, match="expected sizes that sum to 2"):
        terms_for("blocks", [4, 2], Options(blocks=(2, 2)))
    with pytest.raises(MatrixError, match="expected a multiple of 2 columns"):
        terms_for("relative-2d", [4, 3], Options())
    assert terms_for("blocks", [4, 2], Options()).n == 4
