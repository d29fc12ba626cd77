"""Self-attention commutes with every permutation of its tokens: Z′ = P Z.

Permute the rows of X, and queries, keys and values are permuted (Q′ = P Q, K′ = P K, V′ = P V);
so the scores move by row and by column, S′ = P S Pᵀ; softmax acts on each row and does not mind
the order within it, A′ = P A Pᵀ; and in A′ V′ = P A (Pᵀ P) V the two permutations inside cancel.
"""

from orderproof.numeric.reference import attention as reference
from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Sentence,
    TheoremFile,
    equivariance,
    in_rocq,
    nearby,
    pushing,
)
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy
from orderproof.proofs.shared.symbols import SELF, TOKENS, show, sigma
from orderproof.symbolic.models.builders import inverse, moved


def theorem() -> TheoremFile:
    """Z′ = P Z, by pushing P through Q, K, V, S and A."""
    pushed = pushing(SELF.Z, TOKENS)
    marks = {
        "sympy": by_sympy,
        "numeric": by_numpy(
            lambda t: reference.self_attention(t["X"], t["W_Q"], t["W_K"], t["W_V"])
        ),
    }
    claim = equivariance(SELF.Z, TOKENS, {"i": sigma}, pushed, marks, row="i", column="r")
    return TheoremFile(
        id="self_attention_equivariant",
        title="Self-attention is permutation equivariant",
        words=(
            Sentence(
                "Permuting the tokens permutes the outputs of self-attention.",
                (0,),
            ),
        ),
        source="S1, the three-step proof; attention as in Vaswani et al. 2017, eq. (1)",
        citations=("vaswani2017",),
        claims=in_rocq("self_attention_equivariant", claim),
        pushed=(pushed,),
        show=show(*SELF.named()),
        neighbour=nearby(
            claim,
            "With Pᵀ in place of P it fails for every σ that is not its own inverse: a 3-cycle "
            "shows it, a swap cannot.",
            rhs=moved(SELF.Z, i=inverse(sigma)),
        ),
        uses=("attention_weights_conjugate", "qkv_equivariant", "sum_act"),
    )


if __name__ == "__main__":
    main(__spec__)
