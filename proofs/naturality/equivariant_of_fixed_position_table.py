"""A position table that σ leaves as it is does not show σ: P E = E gives f(P X) = P f(X).

Adding E to the tokens breaks the symmetry only where E itself is moved. If P E = E, that is, if E
is constant on each cycle of σ, then P X + E = P (X + E), and attention takes it from there. If all
rows of E are equal, that is so for every σ.
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.table_search import HANG, search_bounded

E = tensor("E", i=n, c=d)
row = tensor("e", c=d)  # one row, the same for every token


@theorem(
    title="Self-attention commutes with the permutations that fix the position table",
    words=(
        Sentence("If PE = E, self-attention of X + E commutes with P for all weights.", (0,)),
        Sentence("With one row added to all tokens it commutes with every P.", (1,)),
    ),
    source="positions added to the tokens: Vaswani et al. 2017, section 3.5",
    citations=("vaswani2017",),
    uses=("self_attention_equivariant", "perm_transpose_mul"),
)
def equivariant_of_fixed_position_table() -> Proof:
    """The table is permuted with the tokens, since it does not change:
    {chain H}
    From here on it is the proof of self_attention_equivariant, with H in place of X. A single row
    that is added to all tokens is a table that no P changes.
    """
    H, H_e = add(X, E), add(X, row)
    with_table, with_row = (Attention(t, as_keys(t)) for t in (H, H_e))
    table_names = Named("H", H, "i", "c"), *with_table.named()
    row_names = Named("H_e", H_e, "i", "c"), *with_row.named(of="_e")

    def commutes(layer: AttentionLayer, *facts: Theorem) -> Claim:
        marks = {"sympy": by_sympy, "numeric": by_numpy()}
        return equivariance(layer.Z, TOKENS, {"i": sigma}, marks, facts=facts, row="i", column="r")

    claim, constant = commutes(with_table, fixed(E, i=sigma)), commutes(with_row)
    bounded = search_bounded("constant", 2, 1, timeout=HANG)
    return Proof(
        claims=in_rocq("equivariant_of_fixed_position_table", claim, constant),
        derivation="""
            H′ = P X + E                 by definition
               = P X + P E               by hypothesis
               = P (X + E)               P A + P B = P (A + B)
               = P H                     by definition

            Q′ = H′ W_Q                  by definition
               = (P H) W_Q               H′ = P H
               = P (H W_Q)               (A B) C = A (B C)
               = P Q                     by definition

            K′ = H′ W_K                  by definition
               = (P H) W_K               H′ = P H
               = P (H W_K)               (A B) C = A (B C)
               = P K                     by definition

            V′ = H′ W_V                  by definition
               = (P H) W_V               H′ = P H
               = P (H W_V)               (A B) C = A (B C)
               = P V                     by definition

            S′ = Q′ K′ᵀ / √(d_k)         by definition
               = (P Q) (P K)ᵀ / √(d_k)   Q′ = P Q; K′ = P K
               = P (Q Kᵀ) Pᵀ / √(d_k)    (A B)ᵀ = Bᵀ Aᵀ; (A B) C = A (B C)
               = P (Q Kᵀ / √(d_k)) Pᵀ    entry by entry
               = P S Pᵀ                  by definition

            A′ = softmax(S′)             by definition
               = softmax(P S Pᵀ)         S′ = P S Pᵀ
               = softmax(P S) Pᵀ         softmax_conjugate
               = P softmax(S) Pᵀ         softmax acts on each row
               = P A Pᵀ                  by definition

            Z′ = A′ V′                   by definition
               = (P A Pᵀ) (P V)          A′ = P A Pᵀ; V′ = P V
               = (P A) V                 Pᵀ P = I (perm_transpose_mul)
               = P (A V)                 (A B) C = A (B C)
               = P Z                     by definition
        """,
        planted=transposed(
            claim, "If P E = E, the output is permuted by P; with Pᵀ it fails at a 3-cycle."
        ),
        show=show(*table_names, *row_names, alike=(like(row_names, table_names),)),
        pushed=(claim.pushed,),
        primes=(constant.pushed,),
        examples=(
            Example(
                "The search for a counterexample with equal rows",
                (f"It answers “{bounded.answer}”: {bounded.reason}.",),
            ),
        ),
    )
