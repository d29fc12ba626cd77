"""Which permutations a bias of the scores hides: those that leave it as it is, up to row constants.

A bias B is written as weights G = exp B ≥ 0 on exp(s), so that −∞ is the weight 0, and some weight
of each row is positive. Softmax divides by the sum of a row, so a factor c of a row says nothing:
divide each row by its largest entry (B minus its row maximum). If what is left is the same at
(σi, σj) as at (i, j), permuting the tokens permutes the output, whatever the weights. Conversely,
let W_Q = 0: then attention is G alone, its rows divided by their sums, N. Give one token the value
1 and all others 0, and the output shows an entry of N: so if it is permuted for every such X, N is
the same at (σi, σj) as at (i, j). And N, its rows divided by their largest entries, is what is left
of G.
"""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.numeric import reference_sets, symmetry
from orderproof.numeric.bias_matrices import position
from orderproof.numeric.outside import outside
from orderproof.symbolic import kernel
from orderproof.symbolic.architecture import masked_softmax
from orderproof.symbolic.attention_variants import normalised
from orderproof.symbolic.group_witness import GroupWitness, WeightsWitness
from orderproof.symbolic.kernel import Theorem
from orderproof.symbolic.language import (
    contract,
    delta,
    image,
    inverse,
    leaf_of,
    moved,
    multiply,
    tensor,
    total,
)
from orderproof.symbolic.score_biases import (
    by_largest,
    normal_form_account,
    row_constants_account,
)
from orderproof.symbolic.tactic import chain, fixed
from orderproof.symbolic.terms import Map, Term, at, opened

from .biased_models import G_H, HEAD_PARTS, HEADS, deep, one_head
from .claims import (
    Claim,
    Formula,
    Named,
    TheoremFile,
    equality,
    equivariance,
    in_rocq,
    nearby,
    pushing,
)
from .marks import (
    by_kernel,
    by_smt,
    by_sympy,
    by_sympy_to,
    by_sympy_within,
    entrywise,
    same_simplified,
)
from .marks_numeric import Inputs, by_numpy, by_numpy_differs
from .naming import once, primed
from .script import main
from .vocabulary import SELF, TOKENS, d, d_k, d_v, n, show, sigma
from .witnesses import Witness, by_exact

G = tensor("G", i=n, j=n)
c = tensor("f", i=n)  # a factor for each row
A, SCALED = (masked_softmax(SELF.S, mask, "j") for mask in (G, multiply(c, G)))
Z = contract(A, SELF.V, "j")
DEEP, STREAM = deep(G, "H"), deep(G, "T", maps=False)  # two layers, with row-wise maps or not
OUTPUT, BARE = DEEP[-1].term, STREAM[-1].term
N = normalised(G, "j")  # what W_Q = 0 leaves of the weights
ANY = tensor("N", i=n, j=n)
HEAD = {0: "q", 1: "i", 2: "r"}
BOTH = {"i": sigma, "j": sigma}
TABLES = {
    leaf_of(G): Formula(
        r"G \in \mathbb{R}_{\geq 0}^{n \times n} \text{ with no row } 0",
        "G ∈ ℝ≥0^(n×n) with no row 0",
    ),
    leaf_of(G_H): Formula(
        r"G_{h} \in \mathbb{R}_{\geq 0}^{n \times n} \text{ likewise}", "G_h ∈ ℝ≥0^(n×n) likewise"
    ),
    leaf_of(c): Formula(r"f \in \mathbb{R}_{> 0}^{n}", "f ∈ ℝ>0^n"),
}
SHOWN = (("alibi", (3, 4)), ("window", (3, 4)), ("causal", (2, 3)))  # each σ outside, at these n


def theorem() -> TheoremFile:
    """If, by pushing; row constants, by algebra; only if, at a place; every σ outside, replayed."""
    pushed = pushing(Z, TOKENS, [fixed(G, i=sigma, j=sigma)])
    marks = {
        "kernel": by_kernel,
        "sympy": by_sympy_within(3, 4),
        "numeric": by_numpy(_reference, drawn=_weights),
    }
    kept = equivariance(Z, TOKENS, {"i": sigma}, pushed, marks, row="i", column="r")
    plain = {"kernel": by_kernel, "sympy": by_sympy, "numeric": by_numpy(drawn=_weights)}
    account = row_constants_account(SELF.S, G, c, "j")
    constants = Claim(
        "row constants", account.lhs, account.rhs,
        {"smt": by_smt(account), "sympy": _by_entries, "numeric": by_numpy(drawn=_weights)},
        scope="all n, all factors f > 0", row="i", column="j", nonzero=account.where,
    )  # fmt: skip
    told = [
        equality(th.lhs, th.rhs, th, plain, row=1, column=0, scope=scope)
        for th, scope in zip(
            unit_tokens(),
            ("all n; f(P X), X being 1 at token σ(l), else 0", "all n; P f(X) for the same X"),
            strict=True,
        )
    ]
    largest = by_largest(N, "j")
    kept_form = recovered()
    shows = only_shown_if(kept_form)
    only_if = equality(
        shows.lhs, shows.rhs, shows, {"kernel": by_kernel}, row=0, column=1,
        scope="all n; if f(P X) = P f(X) for each of those X",
    )  # fmt: skip
    form = normal_form_account(G, "j")
    same_form = Claim(
        "normal form",
        form.lhs,
        form.rhs,
        {"smt": by_smt(form), "numeric": by_numpy(drawn=_weights)},
        scope="all n",
        row="i",
        column="j",
    )
    small = plain | {"sympy": by_sympy_to(3, h=2)}
    further = [
        equivariance(
whole, TOKENS, {"i": sigma}, pushing(whole, TOKENS, [fixed(mask, i=sigma, j=sigma)]),
            small, row="i", column="c",
        )
        for whole, mask in ((HEADS, G_H), (OUTPUT, G))
    ]  # fmt: skip
    alone = one_head()
    a_head = equality(
        alone.lhs.rename(HEAD),
        alone.rhs.rename(HEAD),
        alone,
        {"kernel": by_kernel, "numeric": by_numpy(drawn=_weights)},
        scope="all n, any heads: if the projections of all other heads are 0",
    )
    found = {name: list(witnesses(name, sizes)) for name, sizes in SHOWN}
    shown = [
        Claim(
            "exists", image(Z, TOKENS), moved(Z, i=sigma),
            {"exact": by_exact(found[name]), "numeric": by_numpy_differs(found[name])},
            scope=f"{name}, n = {' and '.join(map(str, sizes))}: every σ outside the group",
            relation="≠", row="i", column="r",
            sizes={n: ("∈", sizes)} | dict.fromkeys((d, d_k, d_v), ("∈", (1,))),
        )
        for name, sizes in SHOWN
    ]  # fmt: skip
    below = [in_second_layer(w) for w in witnesses("causal", (2, 3))]
    after_two = Claim(
        "exists", image(BARE, TOKENS), moved(BARE, i=sigma),
        {"exact": by_exact(below), "numeric": by_numpy_differs(below)},
        scope="causal, n = 2 and 3, two layers with skips: every σ outside the group",
        relation="≠", row="i", column="c",
        sizes={n: ("∈", (2, 3))} | dict.fromkeys((d, d_k), ("∈", (1,))),
    )  # fmt: skip
    kept_if, kept_only_if = in_rocq("score_bias_iff", kept, only_if)
    claims = (
        kept_if, constants, *told, kept_only_if, same_form, *further, a_head, *shown,
        after_two,
    )  # fmt: skip
    further_parts = once([*HEAD_PARTS, Named("O", HEADS, "i", "c"), *STREAM, *DEEP])
    here = [Named("A", A, "i", "j"), Named("Z", Z, "i", "r"), *further_parts]
    images, pairs = primed(here, (replace(x, term=image(x.term, TOKENS)) for x in here))
    return TheoremFile(
        id="score_bias_iff",
        title="A score bias hides σ exactly if σ keeps it, up to row constants",
        words="Softmax(QKᵀ + B)V, −∞ allowed in B but not in a whole row, commutes with σ for all "
        "weights if and only if B minus its row maxima is the same at (σi, σj) as at (i, j). Here "
        "G = exp(B minus its row maxima).",
        source="biases of the scores: Raffel et al. 2020, section 2.1; Press et al. 2022",
        citations=("raffel2020", "press2022"),
        claims=tuple(replace(claim, tables=TABLES) for claim in claims),
        pushed=(pushed,),
        show=show(
            *SELF.named("QKVS"),
            Named("A", A, "i", "j"),
            Named("Z", Z, "i", "r"),
            Named("N", N, "i", "j"),
            Named("D", largest, "i", "j"),
            Named("A_f", SCALED, "i", "j"),
            Named("U", told[0].lhs, 1, 0),
            Named("Y", told[1].lhs, 1, 0),
            *further_parts,
            *images,
            alike=({"X'": "X"} | pairs,),
        ),
        cited=dict.fromkeys("QKV", "qkv_equivariant") | {"S": "scores_conjugate"},
        neighbour=nearby(
            kept,
            "Without the hypothesis it is false: a bias that stays where it is shows the order.",
            hyps=frozenset(),
        ),
        neighbours=(
            nearby(told[1], "The row is that of the query's token.", rhs=told[0].rhs),
            nearby(
                only_if,
                "The columns, too, must be those of the tokens.",
                lhs=at(only_if.rhs, {0: sigma(0), 1: inverse(sigma)(1)}),
            ),
            nearby(
                same_form,
                "Divided by their sums, rows are no longer what they were.",
                lhs=normalised(G, "j"),
            ),
            nearby(constants, "A factor for each key is not one for each row.", lhs=by_key()),
            *(
                nearby(claim, "A bias that moves with its tokens shows nothing.", lhs=claim.rhs)
                for claim in (*shown, after_two)
            ),
            *(
                nearby(claim, "Without the hypothesis, likewise.", hyps=frozenset())
                for claim in further
            ),
            nearby(a_head, "A head, and no token, is picked.", rhs=moved(a_head.rhs, i=sigma)),
        ),
        uses=("mask_transport", "sum_act"),
    )


def unit_tokens() -> tuple[Theorem, Theorem]:
    """Σⱼ δ(σ(l), σ(j)) N[i, j] = N[i, l], and P of Σⱼ δ(σ(l), j) N[i, j] is N[σ(i), σ(l)]: what
    uniform attention makes of tokens that are 1 at σ(l) and 0 elsewhere, permuted and not."""
    same = Map("identity", (n,))
    back = delta(n, "j", "l")
    unit = kernel.at_delta(sigma)  # δ(σ(l), σ(j)) = δ(j, l) = δ(l, j)
    turned = chain(
        unit, kernel.sym(kernel.at_at(back, {a: same(a) for a in "jl"}, {})), kernel.at_delta(same)
    )
    product = multiply(turned.lhs.rename({0: "l", 1: "j"}), N)
    picked = kernel.sum_delta(N, "j", "l")
    moved_in = kernel.cong(total(product, "j"), [kernel.cong(product, [turned, None])])
    other = kernel.sum_delta(moved(N, i=sigma), "j", sigma("l"))
    both = kernel.at_at(N, {"i": sigma("i")}, {"j": sigma("l")})
    return chain(moved_in, picked), chain(other, both)


def recovered() -> Theorem:
    """P N Pᵀ = N ⊢ P D Pᵀ = D, D being N with each row divided by its largest entry."""
    stays, D = fixed(ANY, **BOTH), by_largest(ANY, "j")
    pushed = pushing(D, {leaf_of(ANY): (sigma, sigma)}).theorem  # D of P N Pᵀ is P D Pᵀ
    inside = image(D, {leaf_of(ANY): (sigma, sigma)})
    _, parts, *_ = opened(inside)
    row_maxima = kernel.cong(parts[1], [stays])
    whole = chain(kernel.sym(pushed), kernel.cong(inside, [stays, row_maxima]))
    return kernel.inst(whole, {leaf_of(ANY): N.rename({"i": 0, "j": 1})})


def only_shown_if(kept: Theorem) -> Theorem:
    """f(P X) = P f(X) for the units X ⊢ P D Pᵀ = D: by what both sides are, P N Pᵀ = N."""
    here, there = unit_tokens()
    same = kernel.hyp(there.lhs, here.lhs)
    return kernel.discharge(kept, chain(kernel.sym(there), same, here))


def in_second_layer(w: Witness) -> Witness:
    """The same in the second of two layers with skips, the first of which adds nothing."""
    off, on = {"W_Q1": [[0]], "W_K1": [[0]], "W_V1": [[0]]}, {"W_Q2": [[0]], "W_K2": [[0]]}
    tensors = {name: w.tensors[name] for name in ("X", "G")} | off | on | {"W_V2": [[1]]}
    sizes = {name: size for name, size in w.sizes.items() if name != "d_v"}
    return Witness(sizes, w.maps, tensors, query="W_Q2")


def by_key() -> Term:
    """The weights where the factor belongs to the key."""
    return masked_softmax(SELF.S, multiply(c.rename({"i": "j"}), G), "j")


def witnesses(name: str, sizes: tuple[int, ...]) -> Iterator[Witness]:
    """For every σ outside the group: W_Q = 0, and the value 1 at the token that is read where the
    weights differ. The bias is in units of ln 2, with integers where the scheme has multiples of a
    slope."""
    for size in sizes:
        layer = symmetry.of_scheme(position(name, size))
        head = layer.heads[0]
        scale = head.scale
        entries = [[head.entry(i, j) for j in range(size)] for i in range(size)]
        mask = [
            [Fraction(0) if v is None else Fraction(2) ** (v * scale) for v in row]
            for row in entries
        ]
        for s in itertools.permutations(range(size)):
            found = outside(layer, s, name)
            if found is not None:
                x = [[int(k == s[_column(found.witness)])] for k in range(size)]
                weights = {"W_Q": [[0]], "W_K": [[0]], "W_V": [[1]]}
                at = {"n": size, "d": 1, "d_k": 1, "d_v": 1}
                yield Witness(at, {"sigma": s}, {"X": x, "G": mask, **weights})


def _column(w: GroupWitness) -> int:
    """Where the weights of a row differ."""
    if not isinstance(w, WeightsWitness):
        raise TypeError(f"given a witness of {w.kind}, expected one of weights")
    return w.column


def _by_entries(claim: Claim) -> tuple[bool | None, str]:
    """By entries that are simplified, at two choices of sizes."""
    sizes = {"n": 2, "d": 1, "d_k": 2}, {"n": 3, "d": 2, "d_k": 1}
    return entrywise(claim, "=", same_simplified, [(each, {}) for each in sizes])


def _weights(given: Inputs) -> Inputs:
    """Weights as they are meant: about half of them 0 and no row without one; positive factors."""
    drawn: Inputs = {x: np.maximum(given[x], 0) for x in ("G", "G_h") if x in given}
    for w in drawn.values():
        w[(..., *np.diag_indices(w.shape[-1]))] += 1
    if "f" in given:
        drawn["f"] = np.exp(given["f"])
    return given | drawn


def _reference(t: Inputs) -> NDArray[Any]:
    q, k, v = (t["X"] @ t[name] for name in ("W_Q", "W_K", "W_V"))
    return reference_sets.weighted_attention(q, k, v, t["G"])


if __name__ == "__main__":
    main(__spec__)
