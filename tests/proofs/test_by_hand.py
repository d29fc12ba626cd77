"""Attention worked out by hand, in fractions: what pages, witnesses and terms have to show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import pytest

from orderproof.check.claims import Witness
from orderproof.check.marks.exact import exact_entries
from orderproof.check.page import Formula, Table
from orderproof.check.prove.unchecked import unchecked
from orderproof.check.sampling import substituted
from orderproof.proofs.added_and_biases.score_bias import put
from orderproof.proofs.added_and_biases.score_bias_iff import one_head
from orderproof.proofs.cross_attention import generation
from orderproof.proofs.naturality.documents_witnesses import BROKEN
from orderproof.proofs.pooling import not_invariant_self_attention
from orderproof.proofs.shared import cat_and_dog as sentences
from orderproof.proofs.symbols import SELF
from tests.judged import loaded, mark

Row = Sequence[Fraction | int]


def weigh(scores: Row) -> list[Fraction]:
    """softmax of scores in units of ln 2: 2^s over the sum of the 2^s."""
    powers = [Fraction(2) ** int(s) for s in scores]
    return [p / sum(powers) for p in powers]


def mix(shares: Row, values: Sequence[Row]) -> tuple[Fraction, ...]:
    """Σⱼ shareⱼ valueⱼ"""
    columns = zip(*values, strict=True)
    return tuple(
        sum((s * v for s, v in zip(shares, column, strict=True)), Fraction()) for column in columns
    )


def attention(x: Row) -> list[Fraction]:
    """The outputs of tokens with one feature, all weights 1."""
    return [mix(weigh([q * k for k in x]), [[v] for v in x])[0] for q in x]


def cells(name: str) -> tuple[list[list[str]], list[str]]:
    """The rows of the tables of a theorem's examples, and their displayed formulas."""
    parts = [part for example in unchecked(loaded(name)).examples for part in example.parts]
    rows = [row for t in parts if isinstance(t, Table) for row in (t.head, *t.rows)]
    text = [[c.plain if isinstance(c, Formula) else str(c) for c in row] for row in rows]
    return text, [part.plain for part in parts if isinstance(part, Formula)]


def test_cat_sentence() -> None:
    """The numbers of "the cat chased the dog" on the page would be wrong, or would not be those of
    the sentence: another embedding gives another vector."""
    vectors = {"the": (0, 1), "cat": (1, 1), "chased": (2, 0), "dog": (1, -1)}

    def of_cat(words: str, vectors: Mapping[str, Row]) -> tuple[list[Any], Any]:
        row = [vectors[w] for w in words.split()]
        scores = [sum(a * b for a, b in zip(vectors["cat"], v, strict=True)) for v in row]
        return weigh(scores), mix(weigh(scores), row)

    shares, z = of_cat("the cat chased the dog", vectors)
    assert shares == [Fraction(w, 13) for w in (2, 4, 4, 2, 1)]
    assert z == (Fraction(1), Fraction(7, 13))
    assert of_cat("the dog chased the cat", vectors)[1] == z
    assert of_cat("the cat chased the dog", vectors | {"dog": (1, 0)})[1] != z

    rows, formulas = cells("token_output_same_in_any_order")
    table = [
        ["", "the", "cat", "chased", "the", "dog"],
        ["score of “cat” / ln 2", "1", "2", "2", "1", "0"],
        ["weight", *map(str, shares)],
    ]
    swap = [0, 1, 5, 3, 4, 2]  # the cells of a row, “cat” and “dog” exchanged
    assert rows == [*table, *([row[k] for k in swap] for row in table)]
    assert formulas == ["z_cat = (1, 7/13)"] * 2
    entries = exact_entries(SELF.Z, sentences.sentence(sentences.WORDS))
    assert (entries[1, 0], entries[1, 1]) == z


def test_generation() -> None:
    """The numbers of [A, B] → C on the page would be wrong."""
    keys, values = (1, 3, 2), [(1, 0), (0, 1), (1, 1)]
    softmaxed, plain = mix(weigh(keys), values), mix(keys, values)
    assert softmaxed == (Fraction(3, 7), Fraction(6, 7)) and plain == (3, 5)
    assert mix(weigh(keys[::-1]), values[::-1]) == softmaxed
    assert mix(weigh(keys[::-1]), values) != softmaxed  # keys without their values
    assert cells("generation_order_independent")[0][1:] == [
        ["[A, B] → C", "A: 1, B: 3, C: 2", "(3/7, 6/7)", "(3, 5)"],
        ["[B, A] → C", "B: 3, A: 1, C: 2", "(3/7, 6/7)", "(3, 5)"],
    ]
    entries = exact_entries(generation.z, generation.cached("ABC"))
    assert entries == {(k,): v for k, v in enumerate(softmaxed)}


@pytest.mark.parametrize("n", range(2, 9))
def test_not_invariant(n: int) -> None:
    """The witness would not have the values that the file claims: 2/(n+1) becomes 1/n."""
    x = [1] + [0] * (n - 1)
    z, moved = attention(x), attention([x[1], x[0], *x[2:]])
    assert z[0] == Fraction(2, n + 1) and set(z[1:]) == {Fraction(1, n)}
    assert moved[0] == Fraction(1, n) != z[0]
    assert moved == [z[1], z[0], *z[2:]]  # equivariant all the same
    (claim,) = loaded("not_invariant_self_attention").claims
    witness = not_invariant_self_attention.witness(n)
    for term, row in ((claim.lhs, moved), (claim.rhs, z)):
        assert [v for _, v in sorted(exact_entries(term, witness).items())] == row
    assert len(set(attention([1] * n))) == 1  # equal tokens would be no witness
    if n == 2:
        said = mark(claim.marks["exact"], claim).detail
        assert "entry (1, 1): 1/2 ≠ 2/3" in said


@pytest.mark.parametrize("table", [[0, 1, 3, -1], [0, 0, 1, 1], [3] * 4])
def test_tokens_that_show_what_moves_a_table(table: list[int]) -> None:
    """X = −PᵀE would not show some σ that moves E, or would show one that does not."""
    n = len(table)
    for s in permutations(range(n)):
        x = [-table[s.index(i)] for i in range(n)]
        assert attention([x[s[i]] + table[i] for i in range(n)]) == [0] * n
        inner = attention([x[i] + table[i] for i in range(n)])
        right, changes = [inner[k] for k in s], [table[s[i]] - table[i] for i in range(n)]
        assert any(changes) == any(right) == (right[changes.index(max(changes))] > 0)


def test_tables_that_are_not_seen() -> None:
    """The two ways in which a table that moves is not seen would not be what is said: a constant
    weight function, and rows that differ by a number in all features."""
    x, table, s = [[1, 4], [2, -1]], [[0, 0], [3, 3]], (1, 0)
    sides = [
        [[a + b for a, b in zip(x[i], table[k], strict=True)] for k, i in enumerate(order)]
        for order in (s, (0, 1))
    ]
    means = [[sum(column) for column in zip(*rows, strict=True)] for rows in sides]
    assert means[0] == means[1]
    centred = [[[2 * v - sum(row) for v in row] for row in rows] for rows in sides]
    assert sides[0] != [sides[1][i] for i in s] and centred[0] == [centred[1][i] for i in s]


def test_ids_that_go_on() -> None:
    """The witness would not be that of documents at 0 and 1 against 1 and 0, a query at 1."""
    broken = loaded("documents_in_parallel").neighbours[-len(BROKEN) :]
    atom = substituted(broken[[*BROKEN].index("ids")].claim.statement).atom
    for (first, second), said, term in (
        ((0, 1), Fraction(2), atom.rhs), ((1, 0), Fraction(17, 7), atom.lhs),
    ):  # fmt: skip
        tokens = [1 + first, second, 1]  # the query reads itself too
        assert 1 + attention(tokens)[2] == said
        assert {*exact_entries(term, BROKEN["ids"][2]).values()} == {said}


def test_shares_of_a_bias() -> None:
    """The units and weights would not show entries of the bias, its rows divided by their sums; or
    the normal form, its rows divided by their largest, would lose more of it than a factor."""
    model = one_head()
    g = [[Fraction(v) for v in row] for row in ((1, 2, 1), (3, 0, 1), (1, 1, 5))]
    shares = [[v / sum(row) for v in row] for row in g]
    for s, q in product(permutations(range(3)), range(3)):
        w = Witness({"n": 3, "d": 2, "d_k": 1, "d_v": 1}, {"sigma": s, "q": q}, {"G": g})
        after = [shares[i][q] for i in range(3)]
        before = [shares[s[i]][s[q]] for i in range(3)]
        for side, said in zip(model.sides, (after, before), strict=True):
            found = exact_entries(put(side, model.instead), w)
            assert [found[i, 0] for i in range(3)] == said
    for rows in (g, shares):
        normal = exact_entries(model.bias.D, Witness({"n": 3}, {}, {"G": rows}))
        assert normal == {(i, j): g[i][j] / max(g[i]) for i, j in product(range(3), repeat=2)}


def test_the_limits_of_kappa_are_as_the_remark_says() -> None:
    """The remark beside κ < 1 would name counterexamples that are none."""
    (said,) = [s.text for s in loaded("position_after_first_layer_skip").words if not s.claims]
    assert "0, 1 to 0, 0" in said and "to −1, −1" in said and "(1, 2, 3) and (2, 3, 4)" in said

    def after(weights: list[list[Fraction]], value: int) -> list[Fraction]:
        tokens = (Fraction(0), Fraction(1))
        means = [sum(a * x for a, x in zip(row, tokens, strict=True)) for row in weights]
        return [x + value * z for x, z in zip(tokens, means, strict=True)]

    half, third, none = Fraction(1, 2), Fraction(1, 3), Fraction(0)
    assert after([[Fraction(1), none], [half, half]], -2) == [0, 0]  # a causal mask
    assert after([[2 * third, third], [third, 2 * third]], -3) == [-1, -1]  # ALiBi, slope ln 2
    assert after([[half, half], [half, half]], -2) == [-1, 0]  # with neither they stay apart
