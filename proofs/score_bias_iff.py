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
from typing import Any

from numpy.typing import NDArray

from orderproof.numeric import reference_sets, symmetry
from orderproof.numeric.bias_matrices import position
from orderproof.numeric.outside import outside
from orderproof.symbolic import kernel
from orderproof.symbolic.architecture import masked_softmax
from orderproof.symbolic.attention_variants import normalised
from orderproof.symbolic.chain import by_chain
from orderproof.symbolic.group_witness import GroupWitness, WeightsWitness
from orderproof.symbolic.kernel import Theorem
from orderproof.symbolic.language import (
    contract,
    delta,
    exp2,
    image,
    inverse,
    iota,
    leaf_of,
    moved,
    multiply,
    number,
    pointwise,
    subtract,
    tensor,
    total,
)
from orderproof.symbolic.running_means import causal_mask
from orderproof.symbolic.score_biases import (
    by_largest,
)
from orderproof.symbolic.statement import Statement
from orderproof.symbolic.tactic import chain, fixed
from orderproof.symbolic.terms import Map, Term, at, opened

from .biased_models import G_H, HEAD_PARTS, HEADS, deep, one_head
from .claims import (
    Atom,
    Claim,
    Evidence,
    Named,
    Sentence,
    TheoremFile,
    differs,
    equality,
    equivariance,
    holds,
    in_rocq,
    nearby,
    pushing,
    sizes,
)
from .marks import by_sympy, by_sympy_to, by_sympy_within, entrywise, same_simplified
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
WEIGHTS = Atom(number(0), "≤", G)
NO_ZERO_ROW = Atom(number(0), "<", total(G, "j"))
LARGEST = by_largest(G, "j")  # what is left of G: each row divided by its largest entry
OUTSIDE = Atom(moved(LARGEST, **BOTH), "≠", LARGEST, some=True)
APART = subtract(iota(n, "i"), iota(n, "j"))
DISTANCE = pointwise("max", APART, pointwise("neg", APART))
SHOWN = {  # weights G of three schemes, and the sizes at which every σ outside is shown
    "alibi": ((3, 4), exp2(pointwise("neg", DISTANCE))),
    "window": ((3, 4), pointwise("at_most", DISTANCE, number(1))),
    "causal": ((2, 3), causal_mask(n)),
}


def theorem() -> TheoremFile:
    """If, by pushing; row constants, by algebra; only if, at a place; every σ outside, replayed."""
    pushed = pushing(Z, TOKENS, [fixed(G, i=sigma, j=sigma)])
    marks = {
        "sympy": by_sympy_within(3, 4),
        "numeric": by_numpy(_reference),
    }
    kept = equivariance(
        Z, TOKENS, {"i": sigma}, pushed, marks, row="i", column="r", given=[WEIGHTS, NO_ZERO_ROW]
    )
    plain = {"sympy": by_sympy, "numeric": by_numpy()}
    constants = holds(
        SCALED, "=", A,
        {"smt": by_chain("scale", "support"), "sympy": _by_entries, "numeric": by_numpy()},
        row="i", column="j",
        given=[WEIGHTS, Atom(number(0), "<", c), NO_ZERO_ROW],
    )  # fmt: skip
    told = [
        equality(th.lhs, th.rhs, th, plain, row=1, column=0, given=[WEIGHTS, NO_ZERO_ROW])
        for th in unit_tokens()
    ]
    largest = by_largest(N, "j")
    kept_form = recovered()
    shows = only_shown_if(kept_form)
    only_if = equality(
        shows.lhs, shows.rhs, shows, {}, row=0, column=1, given=[WEIGHTS, NO_ZERO_ROW],
    )  # fmt: skip
    same_form = holds(
        by_largest(N, "j"),
        "=",
        by_largest(G, "j"),
        {"smt": by_chain("scale", "signed"), "numeric": by_numpy()},
        row="i",
        column="j",
        given=[WEIGHTS, NO_ZERO_ROW],
        over=sizes({n: 1}),
    )
    small = plain | {"sympy": by_sympy_to(3, h=2)}
    further = [
        equivariance(
            whole, TOKENS, {"i": sigma}, pushing(whole, TOKENS, [fixed(mask, i=sigma, j=sigma)]),
            small, row="i", column="c",
            given=[Atom(number(0), "≤", mask), Atom(number(0), "<", total(mask, "j"))],
        )
        for whole, mask in ((HEADS, G_H), (OUTPUT, G))
    ]  # fmt: skip
    alone = one_head()
    a_head = equality(
        alone.lhs.rename(HEAD),
        alone.rhs.rename(HEAD),
        alone,
        {"numeric": by_numpy()},
        given=[Atom(number(0), "≤", G_H), Atom(number(0), "<", total(G_H, "j"))],
    )
    found = {name: list(witnesses(name, at)) for name, (at, _) in SHOWN.items()}
    shown = [
        differs(
            image(Z, TOKENS), moved(Z, i=sigma),
            {"exact": by_exact(found[name]), "numeric": by_numpy_differs(found[name])},
            every=(leaf_of(G), sigma), given=[Atom(G, "=", weights), OUTSIDE], row="i", column="r",
            over=sizes(among={n: at} | dict.fromkeys((d, d_k, d_v), (1,))),
        )
        for name, (at, weights) in SHOWN.items()
    ]  # fmt: skip
    below = [in_second_layer(w) for w in witnesses("causal", (2, 3))]
    after_two = differs(
        image(BARE, TOKENS), moved(BARE, i=sigma),
        {"exact": by_exact(below), "numeric": by_numpy_differs(below)},
        every=(leaf_of(G), sigma), given=[Atom(G, "=", SHOWN["causal"][1]), OUTSIDE],
        row="i", column="c", over=sizes(among={n: (2, 3)} | dict.fromkeys((d, d_k), (1,))),
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
        words=(
            Sentence(
                "If the weights G = exp B on the exponentials of the scores satisfy P G Pᵀ = "
                "G, attention commutes with P for all tokens and projections.",
                (0,),
            ),
            Sentence(
                "A factor for each row of G changes no weight.",
                (1,),
            ),
            Sentence(
                "Conversely, let W_Q = 0 and one token be 1, all others 0: then the output, "
                "of the permuted tokens and permuted, is an entry of N, which is G with its "
                "rows divided by their sums.",
                (2, 3),
            ),
            Sentence(
                "If these agree for all such tokens, G with each row divided by its largest "
                "entry is the same at (σi, σj) as at (i, j).",
                (4,),
            ),
            Sentence(
                "Dividing by the sums first does not change that quotient.",
                (5,),
            ),
            Sentence(
                "If the weights of every head, or of both of two layers, are kept, so is the "
                "symmetry of the whole.",
                (6, 7),
            ),
            Sentence(
                "One head is seen alone where the projections of all others are 0.",
                (8,),
            ),
            Sentence(
                "ALiBi, a window and the causal mask lose every other σ: at n = 3 and 4, at n "
                "= 3 and 4, and at n = 2 and 3.",
                (9, 10, 11),
            ),
            Sentence(
                "The causal mask does so after two layers with skips as well.",
                (12,),
            ),
        ),
        source="biases of the scores: Raffel et al. 2020, section 2.1; Press et al. 2022",
        citations=("raffel2020", "press2022"),
        claims=claims,
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
            given=frozenset({WEIGHTS, NO_ZERO_ROW}),
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
                nearby(claim, "Without the hypothesis, likewise.", given=_without_equations(claim))
                for claim in further
            ),
            nearby(a_head, "A head, and no token, is picked.", rhs=moved(a_head.rhs, i=sigma)),
        ),
        uses=("mask_transport", "sum_act"),
    )


def _without_equations(claim: Claim) -> frozenset[Atom]:
    """What is given of a claim but for the equations."""
    return frozenset(a for a in claim.statement.given if a.relation != "=")


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
    tensors = {"X": w.tensors["X"]} | off | on | {"W_V2": [[1]]}
    at = {name: size for name, size in w.sizes.items() if name != "d_v"}
    return Witness(at, w.maps, tensors, query="W_Q2")


def by_key() -> Term:
    """The weights where the factor belongs to the key."""
    return masked_softmax(SELF.S, multiply(c.rename({"i": "j"}), G), "j")


def witnesses(name: str, at: tuple[int, ...]) -> Iterator[Witness]:
    """For every σ outside the group: W_Q = 0, and the value 1 at the token that is read where the
    weights differ. The bias is in units of ln 2, with integers where the scheme has multiples of a
    slope."""
    for size in at:
        layer = symmetry.of_scheme(position(name, size))
        for s in itertools.permutations(range(size)):
            found = outside(layer, s, name)
            if found is not None:
                x = [[int(k == s[_column(found.witness)])] for k in range(size)]
                weights = {"W_Q": [[0]], "W_K": [[0]], "W_V": [[1]]}
                widths = {"d": 1, "d_k": 1, "d_v": 1}
                yield Witness({"n": size, **widths}, {"sigma": s}, {"X": x, **weights})


def _column(w: GroupWitness) -> int:
    """Where the weights of a row differ."""
    if not isinstance(w, WeightsWitness):
        raise TypeError(f"given a witness of {w.kind}, expected one of weights")
    return w.column


def _by_entries(s: Statement) -> Evidence:
    """By entries that are simplified, at two choices of sizes."""
    tried = {"n": 2, "d": 1, "d_k": 2}, {"n": 3, "d": 2, "d_k": 1}
    return entrywise(s, "=", same_simplified, [(each, {}) for each in tried])


def _reference(t: Inputs) -> NDArray[Any]:
    q, k, v = (t["X"] @ t[name] for name in ("W_Q", "W_K", "W_V"))
    return reference_sets.weighted_attention(q, k, v, t["G"])


if __name__ == "__main__":
    main(__spec__)
