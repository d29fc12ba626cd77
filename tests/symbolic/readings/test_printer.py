"""What is printed means what it was printed from: formulas are read back, evaluated on arrays."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

from orderproof.symbolic.calculus.terms import Map, Set, Term, at
from orderproof.symbolic.derive.push import Pushed, push
from orderproof.symbolic.derive.steps import Named, Show, write
from orderproof.symbolic.models.attention import scores, softmax
from orderproof.symbolic.models.builders import (
    POINT,
    add,
    call,
    cat,
    contract,
    define,
    delta,
    divide,
    exp,
    inverse,
    iota,
    leaf_of,
    mean,
    moved,
    multiply,
    number,
    opaque,
    permutation,
    pointwise,
    reduce,
    size,
    sqrt,
    subtract,
    tensor,
    total,
)
from orderproof.symbolic.readings.notation import Latex, Plain
from orderproof.symbolic.readings.printer import Label, Printer, Style

from .formula import Unreadable
from .reading import CLOSE, meaning, read_entries, read_matrix, value, values

N, M, D, H = (Set(x) for x in ("n", "m", "d", "h"))
σ, ρ = permutation("sigma", N), permutation("rho", M)
X, Y = tensor("X", i=N, c=D), tensor("Y", j=M, c=D)
S, A, B = tensor("S", i=N, j=M), tensor("A", i=N, j=M), tensor("B", i=N, j=M)
V, W = tensor("V", j=M, c=D), tensor("W", c=D, k=H)
E = tensor("E", i=N, j=N)
q, b, g = tensor("q", c=D), tensor("b", c=D), tensor("g", i=N)
MATRICES = {σ: "P", ρ: "R"}
LETTERS = {N: "ijl", M: "jl", D: "c", H: "k"}
STYLE = Style({}, MATRICES, LETTERS)


MATRIX_FORMS = [
    (softmax(moved(S, i=σ, j=ρ), "j"), "i", "j", "softmax(P S Rᵀ)"),
    (moved(softmax(S, "j"), i=σ, j=ρ), "i", "j", "P softmax(S) Rᵀ"),
    (moved(softmax(S, "j"), i=inverse(σ), j=inverse(ρ)), "i", "j", "Pᵀ softmax(S) R"),
    (moved(S, i=σ, j=ρ), "j", "i", "(P S Rᵀ)ᵀ"),
    (contract(moved(A, i=σ, j=ρ), moved(V, j=ρ), "j"), "i", "c", "(P A Rᵀ) (R V)"),
    (moved(contract(A, V, "j"), i=σ), "i", "c", "P (A V)"),
    (scores(X.rename({"c": "k"}), Y.rename({"c": "k"}), "k"), "i", "j", "X Yᵀ / √d"),
    (scores(X.rename({"c": "k"}), Y.rename({"c": "k"}), "k"), "j", "i", "(X Yᵀ)ᵀ / √d"),
    (moved(divide(A, size(D)), i=σ), "i", "j", "P (A / d)"),
    (divide(moved(A, i=σ), size(D)), "i", "j", "P A / d"),
    (moved(add(X, b), i=σ), "i", "c", "P (X + 1 bᵀ)"),
    (add(moved(X, i=σ), b), "i", "c", "P X + 1 bᵀ"),
    (add(X, g), "i", "c", "X + g 1ᵀ"),
    (add(X, moved(g, i=σ)), "i", "c", "X + (P g) 1ᵀ"),
    (subtract(A, subtract(B, S)), "i", "j", "A − (B − S)"),
    (subtract(subtract(A, B), S), "i", "j", "A − B − S"),
    (contract(q, X, "c"), "i", None, None),
    (contract(add(X, X), W, "c"), "i", "k", "(X + X) W"),
    (opaque("f", {"c": "c"}, moved(X, i=σ), {"k": D}), "i", "k", "f(P X)"),
    (add(E, moved(delta(N, "i", "j"), i=σ)), "i", "j", "E + P I"),
    (add(E, delta(N, "i", "j")), "i", "j", "E + I"),
    (pointwise("neg", moved(E, i=σ)), "i", "j", "−P E"),
    (cat(X, Y.rename({"j": "i"}), "i"), "i", "c", "[X; Y]"),
    (cat(moved(X, i=σ), Y.rename({"j": "i"}), "i"), "i", "c", "[P X; Y]"),
    (contract(cat(X, Y.rename({"j": "i"}), "i"), W, "c"), "i", "k", "[X; Y] W"),
]


@pytest.mark.parametrize(("t", "row", "column", "expected"), MATRIX_FORMS)
def test_matrix_notation_means_the_term(t: Term, row: Any, column: Any, expected: Any) -> None:
    """A printed matrix formula would denote another matrix than the term: Pᵀ for P, a bracket."""
    text = Printer(Plain(), STYLE).matrix(t, row, column)
    assert expected is None or text == expected
    assert read_matrix(t, text, row, column) < CLOSE


def test_another_power_is_noticed() -> None:
    """A square that prints as a cube, or as the number itself, would read back as the term."""
    t = multiply(S, S)
    assert read_entries(t, "S[i, j]²") < CLOSE
    for wrong in ("S[i, j]³", "S[i, j]"):
        assert read_entries(t, wrong) > 0.1


def test_a_transposed_print_is_noticed() -> None:
    """R softmax(S) Pᵀ, or P and Pᵀ exchanged, would pass: the reader would see no difference."""
    t = moved(softmax(S, "j"), i=σ, j=ρ)
    assert read_matrix(t, "P softmax(S) Rᵀ", "i", "j") < CLOSE
    for wrong in ("Pᵀ softmax(S) R", "P softmax(S) R", "Pᵀ softmax(S) Rᵀ", "softmax(S)"):
        assert read_matrix(t, wrong, "i", "j") > 0.01, wrong
    with pytest.raises(ValueError, match="matmul"):
        read_matrix(t, "R softmax(S) Pᵀ", "i", "j")
    square = moved(softmax(E, "j"), i=σ)
    assert read_matrix(square, "P softmax(E)", "i", "j") < CLOSE
    assert read_matrix(square, "Pᵀ softmax(E)", "i", "j") > 0.01
    assert read_matrix(square, "softmax(E) Pᵀ", "i", "j") > 0.01


def test_what_matrices_cannot_say_is_printed_by_entries() -> None:
    """A row-wise product would be printed as a matrix product, or printing would not end."""
    row_wise = total(multiply(A, B), "j")
    for t, column in ((row_wise, None), (multiply(A, B), "j"), (exp(A), "j")):
        text = Printer(Plain(), STYLE).matrix(t, "i", column)
        assert "[" in text
        assert read_entries(t, text) < CLOSE


ENTRY_TERMS: list[Callable[[], Term]] = [
    lambda: contract(moved(A, i=σ), V, "j"),
    lambda: contract(moved(A, i=σ, j=ρ), moved(V, j=ρ), "j"),
    lambda: softmax(S, "j"),
    lambda: moved(softmax(S, "j"), i=σ, j=ρ),
    lambda: contract(moved(softmax(S, "j"), j=ρ), moved(V, j=ρ), "j"),
    lambda: at(softmax(E, "j"), {"j": "i"}),
    lambda: at(softmax(E, "j"), {"j": "i", "i": σ("i")}),
    lambda: divide(exp(S), total(exp(S), "j")),
    lambda: moved(divide(exp(S), total(exp(S), "j")), j=ρ),
    lambda: multiply(divide(A, B), S),
    lambda: multiply(A, divide(B, S)),
    lambda: divide(divide(A, B), S),
    lambda: divide(A, divide(B, S)),
    lambda: subtract(A, subtract(B, S)),
    lambda: subtract(A, total(B, "j")),
    lambda: multiply(total(A, "j"), total(B, "j")),
    lambda: multiply(reduce("max", A, "j"), g),
    lambda: multiply(reduce("prod", A, "j"), g),
    lambda: add(reduce("max", A, "j"), g),
    lambda: reduce("min", add(A, B), "j"),
    lambda: total(total(multiply(A, V), "j"), "c"),
    lambda: multiply(total(contract(A, V, "j"), "c"), g),
    lambda: total(divide(A, add(multiply(B, B), number(1))), "j"),
    lambda: multiply(number(-3), A),
    lambda: divide(A, multiply(number(1), number(-3))),
    lambda: divide(A, size(N)),
    lambda: multiply(A, pointwise("neg", B)),
    lambda: sqrt(multiply(A, A)),
    lambda: mean(A, "j"),
    lambda: multiply(A, iota(M, "j")),
    lambda: total(multiply(delta(N, "i", "l"), E.rename({"i": "l"})), "l"),
    lambda: at(E, {"i": σ(σ("i")), "j": inverse(σ)("j")}),
    lambda: opaque("f", {"c": "c"}, X, {"c": D}),
    lambda: opaque("f", {"c": "c"}, moved(X, i=σ), {"k": D}),
    lambda: cat(g, tensor("h", i=M), "i"),
    lambda: at(tensor("T", i=Set("+", (N, POINT))), {"i": Map("inr", (N, POINT))("i")}),
    lambda: at(tensor("T", i=Set("+", (N, M))), {"i": Map("inr", (N, M))("j")}),
    lambda: at(tensor("T", i=Set("+", (N, M))), {"i": Map("inl", (N, M))("i")}),
    lambda: multiply(tensor("a", i=POINT), tensor("b", i=POINT, j=M)),
    lambda: total(multiply(total(E, "j"), at(g, {"i": "i"})), "i"),
]


@pytest.mark.parametrize("make", ENTRY_TERMS)
def test_index_notation_means_the_term(make: Callable[[], Term]) -> None:
    """A printed formula by entries would denote other entries, or could be read in two ways."""
    t = make()
    if any(s.parts for s in t.node.sets):
        found = values(t)
        got = meaning(found).entries(Printer(Plain(), STYLE).indices(t), {"i": 9})
        assert np.max(np.abs(got - value(t, found))) < CLOSE
        return
    assert read_entries(t, Printer(Plain(), STYLE).indices(t)) < CLOSE


def random_term(rng: Random, depth: int) -> Term:
    """A random term over axes i and j."""
    if depth == 0:
        return rng.choice([S, A, B, g, number(2), number(-1), size(N), multiply(g, g)])
    x, y = random_term(rng, depth - 1), random_term(rng, rng.randrange(depth))
    choice = rng.randrange(12)
    if choice < 5:
        how = rng.choice(["add", "sub", "mul", "max", "mul"])
        return pointwise(how, x, y)
    if choice < 7:
        return divide(x, add(number(2), multiply(y, y)))
    if choice == 7:
        return pointwise("neg", x)
    if "j" in x.axes:
        if choice == 8:
            return softmax(x, "j")
        if choice == 9:
            return moved(x, j=ρ)
        return reduce(rng.choice(["sum", "sum", "max"]), x, "j")
    return moved(x, i=σ) if "i" in x.axes else x


@pytest.mark.parametrize(
    ("count", "sums"), [(60, 6), pytest.param(250, 30, marks=pytest.mark.slow)]
)
def test_random_terms_are_printed_as_they_are(count: int, sums: int) -> None:
    """Some nesting of operators would lose a bracket, or bind a letter that is in use."""
    rng, seen = Random(5), 0
    for trial in range(count):
        t = random_term(rng, 3)
        text = Printer(Plain(), STYLE).indices(t)
        assert read_entries(t, text, seed=trial) < 1e-6 * (
            1 + np.max(np.abs(value(t, values(t, seed=trial))))
        ), text
        seen += "Σ" in text
    assert seen > sums


def test_a_printer_without_brackets_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reading would be so lenient that brackets made no difference."""
    monkeypatch.setattr(Printer, "_wrap", lambda self, piece, strength: piece.text)
    failed = 0
    for make in ENTRY_TERMS:
        t = make()
        if any(s.parts for s in t.node.sets):
            continue
        try:
            failed += read_entries(t, Printer(Plain(), STYLE).indices(t)) > 0.01
        except (Unreadable, KeyError):
            failed += 1
    assert failed >= 8
    t = moved(divide(A, size(D)), i=σ)
    with pytest.raises(Unreadable):
        read_matrix(contract(moved(A, i=σ, j=ρ), t, "j"), "P A / d Rᵀ", "i", "j")


def test_softmax_of_a_moved_matrix() -> None:
    """The headline of softmax_conjugate would not be printed in the words of the papers."""
    t = softmax(S, "j")
    result = push(t, {leaf_of(S): (σ, ρ)})
    assert isinstance(result, Pushed)
    image = result.theorem.lhs.rename(dict(zip(result.theorem.rhs.axes, t.axes, strict=True)))
    right = result.theorem.rhs.rename(dict(zip(result.theorem.rhs.axes, t.axes, strict=True)))
    written = write(image, STYLE, "i", "j"), write(right, STYLE, "i", "j")
    assert [w.plain for w in written] == ["softmax(P S Rᵀ)", "P softmax(S) Rᵀ"]
    assert written[1].latex == r"P\,\operatorname{softmax}(S)\,R^{\top}"


def test_bound_letters_never_clash() -> None:
    """A bound letter would be one that is free, or bound around it: the formula would be wrong."""
    t = total(multiply(total(multiply(E, g), "i"), at(total(E, "i"), {"j": "j"})), "j")
    text = Printer(Plain(), Style({}, {}, {N: "j"})).indices(t)
    assert read_entries(t, text) < CLOSE
    shadow = divide(exp(S), total(exp(S), "j"))
    for to in (Latex(), Plain()):
        assert "_j" not in Printer(to, STYLE).indices(shadow).replace("{", "").split("}")[0]
    with pytest.raises(Unreadable, match="in use"):
        read_entries(shadow, "exp(S[i, j]) / (Σ_j exp(S[i, j]))")


def test_many_bound_axes_have_letters() -> None:
    """With more bound axes than letters, two nested sums would share one."""
    t = tensor("T", **{f"a{k}": N for k in range(20)})
    for axis in list(t.axes):
        t = total(t, axis)
    text = Printer(Plain(), STYLE).indices(t)
    bound = [w[2:] for w in text.split() if w.startswith("Σ_")]
    assert len(set(bound)) == len(bound) == 20


def test_labels_open() -> None:
    """A named tensor could not be opened, and every derivation would be Z′ = P Z without steps."""
    A_ = softmax(S, "j")
    Z = contract(A_, V, "j")
    show = Show((Named("A", A_, "i", "j"), Named("Z", Z, "i", "c")), MATRICES, LETTERS)
    style = show.style()
    forms = [
        write(Z, s, "i", "c").plain
        for s in (style, style.without(Z.node), style.without(Z.node, A_.node))
    ]
    assert forms == ["Z", "A V", "softmax(S) V"]


def test_heads_are_subscripts() -> None:
    """A head would be dropped from a symbol, two heads would look alike, or TeX would stop at a
    transposed prime."""
    over, group = Set("h2"), Map("symbol", ("phi", (Set("h2"),), H, False))
    W_, U = tensor("W", h=over, c=D, k=D), tensor("U", g=H, k=D, e=D)
    keys = contract(X, W_, "c")
    shared = at(U, {"g": group("h")})
    out = total(contract(keys, shared, "k"), "h")
    style = Style({}, MATRICES, LETTERS | {over: "h"}, frozenset({over, H}))
    forms = [
        (keys, "i", "k", "X W[h]", r"X\,W_{h}"),
        (moved(keys, i=σ), "k", "i", "(P (X W[h]))ᵀ", None),
        (out, "i", "e", "Σ_h (X W[h]) U[φ(h)]", r"\sum_{h} (X\,W_{h})\,U_{\varphi(h)}"),
        (moved(out, i=σ), "i", "e", "P (Σ_h (X W[h]) U[φ(h)])", None),
    ]
    for t, row, column, plain, latex in forms:
        written = write(t, style, row, column)
        if row == "i":
            assert written.plain == plain
        assert latex is None or written.latex == latex
    label = {keys.node: Label("K", tuple(keys.axes.index(a) for a in "hik"), primed=True)}
    primed = write(keys, replace(style, labels=label), "k", "i")
    assert (primed.plain, primed.latex) == ("K′[h]ᵀ", r"{K'_{h}}^{\top}")
    assert "[" in write(keys, replace(style, stacked=frozenset()), "i", "k").plain  # by entries


def test_definitions_of_whole_matrices() -> None:
    """Arguments would be left out, exchanged, or written as one symbol that stands for others."""
    x, w, v = tensor("x", i=N, c=D), tensor("w", c=D), tensor("v", c=D)
    op = define("Layer", [x, w, v], multiply(x, add(w, v)))
    t = call(op, [moved(X, i=σ), b, q], ["ic", "c", "c"], "ic")
    assert write(t, STYLE, "i", "c").plain == "Layer(P X, b, q)"
    bundled = replace(STYLE, bundles={(b.node, q.node): "theta_1"})
    assert write(t, bundled, "i", "c").plain == "Layer(P X, θ_1)"
    assert write(moved(t, i=σ), bundled, "i", "c").latex == (
        r"P\,\operatorname{Layer}(P\,X, \theta_{1})"
    )
    other = call(op, [X, q, b], ["ic", "c", "c"], "ic")  # the same two, exchanged: no bundle
    assert write(other, bundled, "i", "c").plain == "Layer(X, q, b)"
    assert write(t, STYLE, "c", "i").plain != "Layer(P X, b, q)"  # its transpose


def test_powers_and_sizes_mean_the_term() -> None:
    """x x² or |x − y| would be read as something else, or a factor be lost."""
    apart = subtract(A, B)
    absolute = pointwise("max", apart, pointwise("neg", apart))
    cube = multiply(multiply(multiply(S, A), A), A)
    whole = add(absolute, multiply(add(A, B), add(A, B)), cube)
    text = Printer(Plain(), STYLE).indices(whole)
    assert text == "|A[i, j] − B[i, j]| + (A[i, j] + B[i, j])² + S[i, j] A[i, j]³"
    assert read_entries(whole, text) < CLOSE
    for wrong in (text.replace("³", "²"), text.replace("|", ""), text.replace("²", "")):
        assert read_entries(whole, wrong) > 0.01, wrong
    other = pointwise("max", apart, pointwise("neg", A))  # no absolute value
    assert "|" not in Printer(Plain(), STYLE).indices(other)
    assert "²" not in Printer(Plain(), STYLE).indices(multiply(A, B))
    square = multiply(A, A)
    assert read_entries(multiply(square, square), "(A[i, j]²)²") < CLOSE
    assert Printer(Plain(), STYLE).indices(multiply(square, square)) == "(A[i, j]²)²"


def test_a_root_squared_has_brackets() -> None:
    """√x² could be the root of a square, and in LaTeX a fraction would be squared below alone."""
    root, half = sqrt(exp(A)), divide(A, number(2))
    plain = Printer(Plain(), STYLE).indices(multiply(root, root))
    assert plain == "(√(exp(A[i, j])))²"
    assert read_entries(multiply(root, root), plain) < CLOSE
    latex = Printer(Latex(), STYLE)
    assert latex.indices(multiply(half, half)) == r"\left(\frac{A_{ij}}{2}\right)^{2}"


def test_a_primed_tensor_squared_has_braces() -> None:
    """K'_{ij}^{2} would be an error of TeX: a prime is an exponent already."""
    primed = replace(STYLE, labels={A.node: Label("K", (0, 1), primed=True)})
    latex = Printer(Latex(), primed)
    assert latex.indices(multiply(A, A)) == "{K'_{ij}}^{2}"
    assert latex.indices(multiply(multiply(B, A), A)) == r"B_{ij}\,{K'_{ij}}^{2}"


def test_norms_are_of_rows() -> None:
    """‖X[i] − X[l]‖ would be printed of other rows, or of entries."""
    difference = subtract(X, X.rename({"i": "l"}))
    x = tensor("x", c=D)
    norm = define("norm", [x], sqrt(total(multiply(x, x), "c")))
    plain, latex = (Printer(to, STYLE) for to in (Plain(), Latex()))
    assert plain.indices(call(norm, [difference], [["c"]], ())) == "‖X[i] − X[l]‖"
    assert latex.indices(call(norm, [X], [["c"]], ())) == r"\left\lVert X_{i} \right\rVert"
