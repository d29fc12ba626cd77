"""After a layer norm, attention commutes with P where P changes the table by numbers of rows alone.

If P E = E + a1ᵀ, then LN(P X + E) = LN(P X + P E) = P LN(X + E), as a layer norm loses what is
added to whole rows; and attention to it commutes with P although P E ≠ E. (A skip that carries
X + E past the norm shows the table all the same.)
"""

from orderproof.proofs.prelude import *

from .normed_rows import (
    DEFINITIONS,
    NORMED,
    PE,
    PX,
    SHOWN,
    SIDES,
    SOME,
    STAYS,
    E,
    a,
    norm,
    same_norm,
)

SHIFTED = Atom(PE, "=", add(E, a))


@theorem(
    title="After a layer norm, attention commutes with P if P E − E is constant on rows",
    words=(
        (
            "If every row of P E − E is constant, attention to the layer norm of X + E "
            "commutes with P for all X and all weights."
        ),
        Sentence("A skip connection that adds X + E itself commutes with P only if P E = E."),
    ),
    source="layer norm: Ba et al. 2016, eq. (3)",
    citations=("ba2016", "vaswani2017"),
    uses=(
        "layer_norm_invariant_of_row_constants",
        "self_attention_equivariant",
        "qkv_equivariant",
        "scores_conjugate",
        "attention_weights_conjugate",
        "perm_transpose_mul",
    ),
)
def pre_norm_equivariant_of_row_constants() -> Proof:
    """By layer_norm_invariant_of_row_constants the permuted tokens have the same norm with the
    table in place as with the table permuted, since the rows of the two sums differ by constants.
    And
    {chain N_E}
    after which attention moves its output (self_attention_equivariant).
    """
    travels = pushing(NORMED.Z, {leaf_of(t): (sigma, None) for t in (X, E)})
    table = putting(norm(add(PX, PE)), kernel.hyp(PE, add(E, a)))
    same, lemma = same_norm(add(PX, add(E, a)), add(PX, E))
    still = kernel.sym(chain(table, same))  # LN(P X + E) = LN(P X + P E)
    whole = chain(putting(STAYS.Z, still), travels.theorem)
    hidden = holds(
        SIDES[0], "=", SIDES[1], {"smt": joined(whole, lemma)}, row="i", column="r",
        given=[SHIFTED], over=SOME,
    )  # fmt: skip
    return Proof(
        claims=in_rocq("pre_norm_equivariant_of_row_constants", hidden),
        derivation="""
            N_E′ = LayerNorm(P X + P E, γ, β, ε)   by definition
                 = LayerNorm(P (X + E), γ, β, ε)   P A + P B = P (A + B)
                 = P LayerNorm(X + E, γ, β, ε)     LayerNorm acts on each row
                 = P N_E                           by definition

            Z′ = A′ V′                             by definition
               = (P A Pᵀ) (P V)
                               A′ = P A Pᵀ (attention_weights_conjugate); V′ = P V (qkv_equivariant)
               = (P A) V                           Pᵀ P = I (perm_transpose_mul)
               = P (A V)                           (A B) C = A (B C)
               = P Z                               by definition
        """,
        planted=(
            nearby(
                hidden,
                "The output is permuted by P, not by Pᵀ.",
                rhs=moved(NORMED.Z, i=inverse(sigma)),
            ),
            nearby(
                hidden, "Without the hypothesis the table breaks the symmetry.", given=frozenset()
            ),
        ),
        show=SHOWN,
        cited=dict.fromkeys("QKV", "qkv_equivariant")
        | {"S": "scores_conjugate", "A": "attention_weights_conjugate"},
        titles={"N_E": "The layer norm of tokens and table, both permuted"},
        pushed=(travels,),
        definitions=DEFINITIONS,
    )
