"""Types of tokens against networks that are run, and against faults that are planted in them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from orderproof.numeric.groups import types
from orderproof.numeric.groups.bias_matrices import SCHEMES, position
from orderproof.numeric.groups.exact_matrix import Exact, MatrixError, masked, of_integers
from orderproof.numeric.groups.types import Multiset, Terms
from tests.oracles.networks import outputs, told

FREE_OF_N = [s for s in SCHEMES if SCHEMES[s].fits(4)]


def scheme(name: str, n: int) -> Terms:
    """The terms of a named scheme."""
    return types.of_scheme(position(name, n))


def random_terms(rng: np.random.Generator) -> Terms:
    """One or two heads of 2 to 5 tokens: masks, and in every second case integers from −2 to 0."""
    n, heads = int(rng.integers(2, 6)), []
    low = -2 * int(rng.integers(2))
    for _ in range(int(rng.integers(1, 3))):
        allowed = rng.random((n, n)) < 0.6
        allowed[np.arange(n), rng.integers(0, n, n)] = True
        entries = rng.integers(low, 1, (n, n))
        heads.append(masked(of_integers(entries, unit=Fraction(1, 2)), allowed))
    return Terms(tuple(heads))


def random_inputs(rng: np.random.Generator, n: int, count: int = 3) -> list[list[int]]:
    """Inputs over two words, in which types are often equal."""
    return [rng.integers(0, 2, n).tolist() for _ in range(count)]


def partition(found: Sequence[Sequence[int]]) -> list[int]:
    """Equal numbers where types are equal, in the order in which they occur."""
    number: dict[int, int] = {}
    return [number.setdefault(int(c), len(number)) for of_input in found for c in of_input]


def as_told(terms: Terms, inputs: Sequence[Sequence[int]], depth: int) -> bool:
    """Whether the network of the proof tells the same tokens apart, at each depth."""
    found = types.refine(terms, inputs)
    here = [partition(found.at(k)) for k in range(depth + 1)]
    return here == [partition(r) for r in told(terms, inputs, depth)]


def kept_by_networks(terms: Terms, inputs: Sequence[Sequence[int]], depth: int, seed: int) -> bool:
    """Whether tokens of equal types have equal outputs in a network of random weights."""
    found, runs = types.refine(terms, inputs), outputs(terms, inputs, depth, seed)
    for layer in range(depth + 1):
        first: dict[int, np.ndarray] = {}
        for k, of_input in enumerate(found.at(layer)):
            for i, kind in enumerate(of_input.tolist()):
                state = runs[k][layer][i]
                gap = np.abs(first.setdefault(kind, state) - state).max()
                if not gap <= 1e-9 * (1 + np.abs(state).max()):
                    return False
    return True


def trials(count: int, seed: int = 0) -> list[tuple[Terms, list[list[int]]]]:
    """Random heads with random inputs."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        terms = random_terms(rng)
        made.append((terms, random_inputs(rng, terms.n)))
    return made


def test_different_types_are_told_apart_by_the_network_of_the_proof() -> None:
    """A type would be too fine: no weights would tell apart what is called different."""
    assert all(as_told(terms, inputs, 3) for terms, inputs in trials(12))


@pytest.mark.parametrize("name", ["alibi-causal", "t5", "shaw", "rope", "rope-causal", "documents"])
def test_types_of_schemes_are_told_apart_by_the_network_of_the_proof(name: str) -> None:
    """Keys, rotations, free biases or added rows would be read otherwise than a network can."""
    n = 5
    inputs = [*random_inputs(np.random.default_rng(5), n, 2), [0] * n]
    assert as_told(scheme(name, n), inputs, 2)


def test_equal_types_have_equal_outputs() -> None:
    """A type would be too coarse: weights would tell apart what is called equal."""
    for seed, (terms, inputs) in enumerate(trials(20, 1)):
        assert kept_by_networks(terms, inputs, 3, seed)


@pytest.mark.parametrize("name", FREE_OF_N)
def test_equal_types_have_equal_outputs_in_every_scheme(name: str) -> None:
    """The same, where the position terms are keys, rotations or added rows."""
    inputs = [*random_inputs(np.random.default_rng(4), 4, 4), [1] * 4]
    assert kept_by_networks(scheme(name, 4), inputs, 3, 4)


@pytest.mark.slow  # the two above, of more heads and of every scheme
def test_types_are_those_of_networks() -> None:
    """A rare mask or word would be missed above."""
    for seed, (terms, inputs) in enumerate(trials(400, 2)):
        assert as_told(terms, inputs, 3) and kept_by_networks(terms, inputs, 3, seed)
    for name in SCHEMES:
        for n in range(1, 7):
            if SCHEMES[name].fits(n) and n > SCHEMES[name].extra:
                inputs = [*random_inputs(np.random.default_rng(n), n, 6), [0] * n]
                terms = scheme(name, n)
                assert as_told(terms, inputs, 3) and kept_by_networks(terms, inputs, 3, n), name


def without_multiplicities(a: Multiset, b: Multiset, kind: str = "B") -> bool:
    """Planted: which types are seen, and not how much of each."""
    return a.keys() == b.keys()


def test_types_without_multiplicities_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison with networks would not notice counts that are ignored."""
    monkeypatch.setattr(types, "equal_shares", without_multiplicities)
    monkeypatch.setattr(types._Head, "looks", lambda self, now, rng: _seen(self, now))
    assert not all(as_told(terms, inputs, 3) for terms, inputs in trials(12))
    assert not all(kept_by_networks(t, inputs, 3, k) for k, (t, inputs) in enumerate(trials(12, 1)))


def _seen(head: types._Head, now: Sequence[types.Integers]) -> types.Integers:
    """The types that each token attends to, as bits."""
    lines = []
    for of_length in now:
        m = of_length.shape[1]
        bits = np.where(head.entries[m] != types.HIDDEN, 1 << of_length[:, head.columns[m]], 0)
        lines.append(np.bitwise_or.reduce(bits, axis=2).reshape(-1, 1))
    return np.concatenate(lines)


def test_types_without_a_head_are_caught() -> None:
    """The comparison with networks would not notice a head that is ignored."""
    found = []
    for terms, inputs in trials(12):
        first = types.refine(replace(terms, heads=terms.heads[:1]), inputs)
        whole = told(terms, inputs, 3)
        found += [partition(first.at(k)) == partition(whole[k]) for k in range(4)]
    assert not all(found)


# ------------------------------------------------------------------------------- exact shares
def test_residues_are_never_believed_where_they_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two shares with equal residues by chance would be called equal."""
    tried = trials(12)
    monkeypatch.setattr(
        types._Head, "looks",
        lambda self, now, rng: np.zeros((sum(t.size for t in now), 1), dtype=np.int64),
    )  # fmt: skip
    assert all(as_told(terms, inputs, 3) for terms, inputs in tried)
    monkeypatch.setattr(types, "equal_shares", lambda a, b, kind="B": True)
    assert not all(as_told(terms, inputs, 3) for terms, inputs in tried)


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
        ({0: {2: 2}, 1: {0: 1}}, {0: {0: 2}, 1: {1: 1}}, False),  # no exponent in common
    ],
)
def test_shares_are_compared_as_quotients(a: Multiset, b: Multiset, equal: bool) -> None:
    """Shares with a common factor would be told apart, or different ones not."""
    assert types.equal_shares(a, b) is equal and types.equal_shares(b, a) is equal
    if set(a) == set(b) and len(a) > 1:
        proportional = {(c, e) for c in a for e in a[c]} == {(c, e) for c in b for e in b[c]}
        assert types.equal_shares(a, b, "R") is (equal and proportional)


@pytest.mark.parametrize("far", [1, 10**6])
def test_products_are_those_of_the_definition(far: int) -> None:
    """Coefficients in a list, and far apart, would be multiplied otherwise."""
    a, b = {0: 2, 3 * far: 1, -far: 4}, {5: 3, 5 + 2 * far: 7}
    expected: dict[int, int] = {}
    for x, m in a.items():
        for y, k in b.items():
            expected[x + y] = expected.get(x + y, 0) + m * k
    assert types.product(a, b) == expected


# ------------------------------------------------------------------------------------- refinement
def test_the_types_of_a_causal_mask() -> None:
    """What is known by hand: one layer sees how often a word came, two see the order."""
    one, two = ["a", "b", "a", "c"], ["b", "a", "a", "c"]
    found = types.refine(scheme("causal", 4), [one, two])
    last = [[int(t[-1]) for t in found.at(k)] for k in range(3)]
    assert last[0][0] == last[0][1] and last[1][0] == last[1][1] and last[2][0] != last[2][1]
    assert found.stable == 2 and len(found.rounds) == 3


def test_lengths_are_compared() -> None:
    """A short input and a long one would never have, or always have, equal types."""
    found = types.refine(scheme("causal", 5), [["a", "b"], ["a", "b", "b", "a", "a"]])
    short, long = found.at(2)
    assert short.tolist() == long[:2].tolist() and len(set(long.tolist())) == 5
    found = types.refine(scheme("none", 4), [["a", "b"], ["a", "b", "b", "a"], ["a", "a", "b"]])
    one, two, three = (set(t.tolist()) for t in found.at(3))
    assert one == two and not one & three


def test_depths_beyond_the_rounds() -> None:
    """Types that were not computed would be given, or stable ones not."""
    terms = scheme("window", 8)
    early = types.refine(terms, [list("aaaaaaab")], 2)
    assert early.stable is None and len(early.rounds) == 3
    with pytest.raises(ValueError, match="given depth 3, expected at most 2"):
        early.at(3)
    whole = types.refine(terms, [list("aaaaaaab")])
    assert whole.stable is not None and (whole.at(99)[0] == whole.at(whole.stable)[0]).all()


def test_what_has_no_types_is_refused() -> None:
    """An empty input, one that is too long, or a token without any to attend to would be typed."""
    terms = scheme("causal", 3)
    with pytest.raises(MatrixError, match="input 2: given 0 tokens, expected from 1 to 3"):
        types.refine(terms, ["ab", ""])
    with pytest.raises(MatrixError, match="input 1: given 4 tokens"):
        types.refine(terms, ["abcd"])
    with pytest.raises(MatrixError, match="given 1025 tokens, expected at most 1024"):
        types.refine(types.of_table(range(1025)), ["ab"])
    ahead = masked(Exact(np.zeros((2, 2), dtype=np.int64), (0,)), np.eye(2)[::-1] > 0)
    with pytest.raises(MatrixError, match="token 1 of 1 attends to none"):
        types.refine(Terms((ahead,)), ["a"])


def test_nothing_is_shared_with_the_other_engines() -> None:
    """The third way would be one of the other two. (The import linter looks at longer ways.)"""
    tree = ast.parse(Path(types.__file__).read_text(encoding="utf-8"))
    own = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.level}
    assert own == {"bias_matrices", "exact_matrix"}


@pytest.mark.slow  # a size of its own
def test_a_long_input_is_typed() -> None:
    """Refinement at 512 tokens would break down, or go on beyond the depth that is given."""
    words = np.random.default_rng(0).integers(0, 7, 512).tolist()
    for name in ("causal", "alibi-causal", "window", "rope", "shaw"):
        terms = scheme(name, 512)
        for tokens in (words, [0, 1] * 256):
            found = types.refine(terms, [tokens], 8)
            assert 1 < len(found.rounds) <= 9
