"""The names that a notebook uses, and what it shows of them."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from typing import Any

import numpy as np
import pytest

import orderproof as op
from orderproof import api
from orderproof.check.claims import StuckError
from orderproof.numeric.reference.attention import attention
from orderproof.proofs import catalogue
from orderproof.symbolic.calculus.terms import ShapeError
from orderproof.symbolic.derive.push import Stuck, push
from orderproof.symbolic.models.builders import leaf_of, opaque
from orderproof.symbolic.readings.error import ReadingError

n, d = op.Set("n"), op.Set("d")
X, E, M = op.tensor("X", i=n, c=d), op.tensor("E", i=n, c=d), op.tensor("M", i=n, j=n)
sigma, tau = op.permutation("sigma", n), op.permutation("tau", n)


def latex(x: object) -> str:
    """How a notebook shows it in a line."""
    return str(getattr(x, "_repr_latex_")())  # noqa: B009


def html(x: object) -> str:
    """How a notebook shows it."""
    return unescape(getattr(x, "_repr_html_")())  # noqa: B009


def test_attention_is_equivariant() -> None:
    """The first thing that a reader types would not say Z′ = P Z."""
    found = op.derive(op.attention(X), sigma, X)
    assert isinstance(found, op.Derivation)
    assert str(found) == "Z′ = P Z, where X′ = P X"
    assert found.theorem.law == "perm"


def test_a_primed_name_is_its_letter() -> None:
    """A tensor called beta would be printed as β, and its image as the word .beta."""
    beta = op.tensor("beta", i=n, c=d)
    found = op.derive(op.mean(beta, "i"), sigma, beta)
    assert isinstance(found, op.Derivation)
    assert found.statement.latex.endswith(r"\beta' = P\,\beta")


def test_a_table_is_named_where_the_push_is_stuck() -> None:
    """Attention with positions would pass as order-blind."""
    found = op.derive(op.attention(op.add(X, E)), sigma, X)
    assert isinstance(found, Stuck)
    assert found.tensor == "E"


def test_what_is_assumed_is_said() -> None:
    """A theorem would be shown without its hypothesis."""
    found = op.derive(op.attention(op.add(X, E)), sigma, X, keeps=[E])
    assert str(found) == "P E = E  ⇒  Z′ = P Z, where X′ = P X"


def test_a_square_mask_moves_along_both_axes() -> None:
    """A mask permuted along its rows alone would be taken for P M Pᵀ."""
    assert isinstance(op.derive(op.attention(X, mask=M), sigma, X), Stuck)
    assert str(op.derive(op.attention(X, mask=M), sigma, X, M)) == (
        "Z′ = P Z, where X′ = P X, M′ = P M Pᵀ"
    )
    assert op.permute(M, sigma) == api.moved(M, i=sigma, j=sigma)


def test_pooling_is_invariant() -> None:
    """f(PX) = f(X) would be printed as f(PX) = P f(X)."""
    assert str(op.derive(op.mean(op.attention(X), "i"), sigma, X)) == "f′ = f, where X′ = P X"


def test_what_is_printed_is_what_was_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A derivation would carry a statement that its theorem does not prove."""
    other = push(op.attention(X), {leaf_of(X): (tau, None)})
    assert not isinstance(other, Stuck)
    asked = push(op.attention(op.add(X, E)), {leaf_of(X): (sigma, None), leaf_of(E): (sigma, None)})
    assert not isinstance(asked, Stuck)
    swapped = type(asked)(other.theorem, asked.motion, asked.parts, asked.moves)
    monkeypatch.setattr(api, "push", lambda *_: swapped)
    with pytest.raises(StuckError, match="expected one of"):
        op.derive(op.attention(op.add(X, E)), sigma, X, E)


@pytest.mark.parametrize("name", ["Z", "Q", "P", "X′", "X'"])
def test_a_tensor_called_as_something_else_is_refused(name: str) -> None:
    """P Z = Z would be assumed of a table Z, and read as a hypothesis on the output Z; P P = P of a
    table P, beside the matrix P."""
    table = op.tensor(name, i=n, c=d)
    with pytest.raises(ShapeError, match="two things called"):
        op.derive(op.attention(op.add(X, table)), sigma, X, keeps=[table])


def test_a_tensor_called_as_a_matrix_is_not_taken_for_it() -> None:
    """A permuted table P would show as P P, a product."""
    table = op.tensor("P", i=n, c=d)
    assert latex(op.permute(table, sigma)) == r"$\displaystyle P_{\sigma(i)\,c}$"


def test_two_layers_of_the_same_letters_are_refused() -> None:
    """The first layer's queries would be printed as made of its own output: Q′ = Z′ W_Q."""
    tokens = op.tensor("X", i=n, c=op.Set("d_v"))
    tied = op.attention(op.attention(tokens).rename({"r": "c"}))
    with pytest.raises(ShapeError, match=r"two things called Q, .* of="):
        op.derive(tied, sigma, tokens)
    other = op.attention(op.attention(X).rename({"r": "c"}), of="2")
    assert str(op.derive(other, sigma, X)) == "Z2′ = P Z2, where X′ = P X"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda: op.attention(op.tensor("X", a=n, c=d)), "tokens: given axes"),
        (lambda: op.attention(X, X), "memory: given axes"),
        (lambda: op.derive(op.attention(X), sigma, op.tensor("W", c=d)), "an axis over n"),
        (lambda: op.derive(op.attention(X), sigma, E), "expected one of"),
        (lambda: op.derive(op.attention(X), sigma), "none that moves"),
        (lambda: op.derive(X, sigma, X), "a tensor alone"),
    ],
)
def test_what_does_not_fit_is_refused(given: object, said: str) -> None:
    """A tensor that the permutation does not act on would be said to move along."""
    with pytest.raises(ShapeError, match=said):
        given()  # type: ignore[operator]


def test_terms_and_theorems_show_as_mathematics() -> None:
    """A notebook would show the text of an object, or a theorem without what it is about."""
    found = op.derive(op.attention(X), sigma, X)
    assert isinstance(found, op.Derivation)
    assert latex(op.permute(X, sigma)) == r"$\displaystyle P\,X$"
    assert r"\vdash\; \forall\;n, d" in latex(found.theorem)
    assert html(found).count("<details>") == 1 and r"P^{\top} P = I" in html(found)
    there = catalogue.load("not_cross_attention_of_keys_alone").claims[0].statement
    assert there.exists and r"\exists" in latex(there)


def test_answers_show_what_they_are() -> None:
    """A witness would be shown without the numbers that make it one, a proved symmetry as an empty
    witness, a group without its order."""
    found = html(op.search("learned", 2, 1))
    assert r"\begin{pmatrix}\tfrac{32}{17} \\[3pt] 1\end{pmatrix} \neq" in found
    assert "W_V" in found and "counted from 1" in found
    assert "symmetric" in html(op.search("none", 2, 1))
    assert "<td>layer</td><td>2</td>" in html(op.symmetry("alibi", 4))


def test_a_page_has_all_its_claims_and_chains() -> None:
    """A claim in the words of Rocq would be missing or be read as HTML, a chain be lost, or what
    was not checked pass for proved."""
    for name, chains in (("causal_weights_at_every_depth", 0), ("self_attention_equivariant", 6)):
        page = op.show(name)
        flat = "".join(html(page).split())
        for c in page.claims:
            said = c.statement.plain if c.headline else c.statement.latex
            assert "".join(said.split()) in flat, said
        assert html(page).count(r"\begin{aligned}") == len(page.sections) == chains
        assert f"{name}: not checked" in html(page) and html(page).count("<details") == 1
        assert " <= " not in getattr(page, "_repr_html_")()  # noqa: B009
        assert repr(page) == f"<TheoremPage {name}: not checked>"


def test_reprs_are_short() -> None:
    """A list of answers would fill the terminal."""
    for x in (op.attention(X), op.search("learned", 2, 1), op.symmetry("alibi", 4),
              op.derive(op.attention(X), sigma, X)):  # fmt: skip
        assert len(repr(x)) < 160


def test_the_names_are_loaded_when_used() -> None:
    """`import orderproof`, and so every command, would load solvers."""
    code = (
        "import sys, orderproof\n"
        "assert not {'z3', 'sympy', 'numpy'} & set(sys.modules)\n"
        "orderproof.Set\n"
        "assert 'orderproof.api' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_the_face_is_what_the_api_has() -> None:
    """A name would be offered that is not there, or kept from those who look."""
    assert sorted(op.__all__) == sorted(api.__all__)
    assert set(op.__all__) <= set(dir(op))
    with pytest.raises(AttributeError, match=re.escape("no attribute 'no_such_name'")):
        op.no_such_name  # noqa: B018


# ------------------------------------------------------------------------------ terms in numbers
def papers_attention(x: np.ndarray, scale: float = 1.0) -> np.ndarray:
    """Attention as the papers have it, of the weights that are drawn for 7 tokens and 3 features;
    with another scale of the scores it is a wrong one."""
    query, key = (op.evaluate(op.tensor(w, c=d, k=op.Set("d_k")), d=3) for w in ("W_Q", "W_K"))
    value = op.evaluate(op.tensor("W_V", c=d, r=op.Set("d_v")), d=3)
    return attention(x @ query * scale, x @ key, x @ value)


def test_a_term_in_numbers_is_that_of_the_papers() -> None:
    """Numbers in a lecture would be of another function, or of other weights in each call."""
    x = op.evaluate(X, n=7, d=3)
    assert x.shape == (7, 3) and x.flags.writeable
    assert not np.array_equal(x, op.evaluate(E, n=7, d=3))  # each tensor has entries of its own
    found = op.evaluate(op.attention(X), n=7, d=3)
    assert np.allclose(found, papers_attention(x))
    assert not np.allclose(found, papers_attention(x, scale=1.01))
    assert np.array_equal(found, op.evaluate(op.attention(X), values={"X": x}, n=7))
    assert not np.allclose(found, op.evaluate(op.attention(X), n=7, d=3, seed=1))
    wide = op.evaluate(op.attention(X), n=7, d=3, d_v=5)
    assert wide.shape == (7, 5) and op.attention(X).axes == ("i", "r")


def test_a_permutation_moves_rows_as_it_is_given() -> None:
    """P would be its inverse, or the identity, of which every equation holds."""
    given = [2, 0, 1]
    x = op.evaluate(X, n=3, d=2)
    moved = op.evaluate(op.permute(X, sigma), values={sigma: given}, n=3, d=2)
    assert np.array_equal(moved, x[given]) and not np.array_equal(moved, x[np.argsort(given)])
    for seed in range(9):
        x, moved = (op.evaluate(t, n=2, d=1, seed=seed) for t in (X, op.permute(X, sigma)))
        assert np.array_equal(moved, x[::-1])


def test_equivariance_in_numbers_can_fail() -> None:
    """Numbers would agree with the theorem whatever the model is."""
    sizes = {"n": 7, "d": 3}
    for tokens, holds in ((X, True), (op.add(X, E), False)):
        after = op.attention(
            op.permute(X, sigma) if tokens is X else op.add(op.permute(X, sigma), E)
        )
        before = op.permute(op.attention(tokens), sigma)
        same = np.allclose(op.evaluate(after, **sizes), op.evaluate(before, **sizes))
        assert same is holds


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"n": 7}, "given n = 7, expected sizes of d, d_k, d_v too"),
        ({}, "given no size, expected sizes of n, d, d_k, d_v too"),
        ({"n": 7, "d": 3, "m": 2}, "given a size of m, expected sizes of n, d, d_k, d_v"),
        ({"n": 0, "d": 3}, "given n = 0, expected an integer of at least 1"),
        ({"n": 7.0, "d": 3}, "given n = 7.0, expected an integer of at least 1"),
        ({"n": 7, "d": 3, "values": {"X": [[1.0]]}}, "X: given shape (1, 1), expected (7, 3)"),
        ({"n": 7, "d": 3, "values": {"X": 1.0}}, "X: given shape (), expected (7, 3)"),
        ({"n": 7, "d": 3, "values": {"X": "a"}}, "X: given 'a', expected an array of real numbers"),
        (
            {"n": 1, "d": 1, "values": {"X": [[1 + 2j]]}},
            "X: given [[(1+2j)]], expected an array of real numbers",
        ),
        (
            {"n": 2, "d": 2, "values": {"X": [[1.0], [1.0, 2.0]]}},
            "X: given [[1.0], [1.0, 2.0]], expected an array of real numbers",
        ),
        (
            {"n": 3, "d": 1, "values": {sigma: [1.7, 0.2, 2.0]}},
            "sigma: given [1.7, 0.2, 2.0], expected a list of integers",
        ),
        ({"n": 2, "d": 1, "values": {sigma: [True, False]}}, "expected a list of integers"),
        (
            {"n": 2, "d": 1, "values": {X: [[1.0], [2.0]], "X": [[1.0], [3.0]]}},
            "given values of X twice, expected them once",
        ),
        ({"values": {X: np.zeros((0, 3))}}, "given n = 0, expected an integer of at least 1"),
        ({"values": {3: [1.0]}}, "given values of 3, expected a tensor, map or name"),
        ({"n": True, "d": 3}, "given n = True, expected an integer of at least 1"),
        ({"n": 7, "d": 3, "seed": -1}, "given seed = -1, expected an integer of at least 0"),
        ({"n": 7, "d": 3, "seed": "a"}, "given seed = 'a', expected an integer of at least 0"),
        (
            {"n": 7, "d": 3, "values": {E: [[1.0]]}},
            "given values of E, expected those of W_K, W_Q, W_V, X, sigma",
        ),
        (
            {"n": 3, "d": 1, "values": {sigma: [1, 1, 2]}},
            "map sigma: given [1, 1, 2], expected a permutation of 3",
        ),
    ],
)
def test_numbers_that_do_not_fit_are_refused(given: dict[str, Any], said: str) -> None:
    """A misspelt tensor would be drawn at random, or a wrong shape broadcast."""
    with pytest.raises((ShapeError, ReadingError)) as error:
        op.evaluate(op.attention(op.permute(X, sigma)), **given)
    assert str(error.value).endswith(said) and "\n" not in str(error.value)


def test_a_size_is_that_of_another_only_where_it_is_said() -> None:
    """A set n_keys would silently have as many elements as n."""
    Y = op.tensor("Y", i=n, j=op.Set("n_keys"))
    with pytest.raises(ShapeError, match="expected sizes of n_keys too"):
        op.evaluate(Y, n=3)
    assert op.evaluate(op.tensor("W", c=d, k=op.Set("d_k2")), d=3).shape == (3, 3)
    for name in ("seed", "values", "term"):
        with pytest.raises(ShapeError, match=f"given a set {name}, expected another name"):
            op.evaluate(op.tensor("W", c=op.Set(name)), seed=3)


def test_an_unknown_map_is_by_seed_and_name_alone() -> None:
    """f would be another map beside g, so that f(X) + g(X) − f(X) was not g(X)."""
    f, g = (opaque(name, {"c": "c"}, X, {"c": d}) for name in "fg")
    sizes: dict[str, Any] = {"n": 5, "d": 2}
    one, other, both = (op.evaluate(t, **sizes) for t in (f, g, op.add(f, g)))
    assert np.allclose(both, one + other) and not np.allclose(one, other)
    assert not np.allclose(one, op.evaluate(f, values={X: op.evaluate(X, **sizes)}, seed=1))
    permuted = op.evaluate(op.permute(f, sigma), values={sigma: [1, 0, 2, 3, 4]}, **sizes)
    assert np.allclose(permuted, one[:, [1, 0, 2, 3, 4]])
    doubled = op.evaluate(f, values={"f": lambda x, size: 2 * x}, **sizes)
    assert np.array_equal(doubled, 2 * op.evaluate(X, **sizes).T)
    v, w = (opaque(name, {"c": "c"}, X, {}) for name in "vw")
    one, other = (op.evaluate(t, **sizes) for t in (v, w))
    assert one.shape == (5,) and (one > 0).all() and not np.allclose(one, other)
