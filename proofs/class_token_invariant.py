"""The output of self-attention at a class token does not depend on the order of the tokens.

A class token stands apart from the tokens, in front of them. Permuting the tokens is then
diag(1, P), which leaves the class token where it is, and so its row of the output.
"""

import numpy as np

from orderproof.numeric.reference import attention as reference
from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Named,
    Sentence,
    Show,
    TheoremFile,
    equivariance,
    nearby,
    sizes,
)
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy
from orderproof.proofs.shared.symbols import (
    LETTERS,
    MATRICES,
    TOKENS,
    Attention,
    X,
    as_keys,
    d,
    n,
    sigma,
)
from orderproof.symbolic.calculus.terms import Map, at
from orderproof.symbolic.models.builders import POINT, cat, image, tensor

t = tensor("t", i=POINT, c=d)  # the class token, in front of the others
C = cat(t, X, "i")
WITH_CLASS = Attention(C, as_keys(C))
z = at(WITH_CLASS.Z, {"i": Map("inl", (POINT, n))("p")})  # its row of the output
others = at(WITH_CLASS.Z, {"i": Map("inr", (POINT, n))("i")})  # those of the tokens
BESIDE = Map("beside", (Map("identity", (POINT,)), sigma))


def theorem() -> TheoremFile:
    """The row of the class token, by pushing diag(1, P)."""
    numeric = by_numpy(
        lambda g: reference.cross_attention(
            g["t"], np.vstack([g["t"], g["X"]]), g["W_Q"], g["W_K"], g["W_V"]
        )
    )
    claim = equivariance(z, TOKENS, {}, {"sympy": by_sympy, "numeric": numeric}, over=sizes({n: 0}))
    return TheoremFile(
        id="class_token_invariant",
        title="The output at a class token is permutation invariant",
        words=(
            Sentence(
                "The output of self-attention at a class token in front of the tokens does not "
                "change when the tokens are permuted.",
                (0,),
            ),
        ),
        claims=(claim,),
        derivation="""
            C′[i, c] = [t[j, c]; X[σ(j), c]][i]        by definition
                     = [t[j, c]; X[j, c]][(id+σ)(i)]   on each part
                     = (P_1 C)[i, c]                   by definition

            z′[1, r] = D′[1, r]                        by definition
                     = D[(id+σ)(1), r]                 D′ = P_1 D (self_attention_equivariant)
                     = D[1, r]                         composition of maps
                     = z[1, r]                         by definition
        """,
        uses=("self_attention_equivariant",),
        neighbour=nearby(
            claim,
            "The rows of the tokens themselves do change.",
            lhs=image(others, TOKENS),
            rhs=others,
        ),
        source="Why positionnal Embedding Matters?; Lee et al. 2019, section 3.2",
        citations=("lee2019",),
        show=Show(
            (
                Named("C", C, "i", "c"),
                Named("D", WITH_CLASS.Z, "i", "r"),
                Named("z", z, "r"),
            ),
            MATRICES | {BESIDE: "P_1"},
            LETTERS,
        ),
        cited={"D": "self_attention_equivariant"},
        titles={
            "C": "A class token in front; P₁ = diag(1, P) leaves it where it is",
            "z": "The output of self-attention at the class token",
        },
    )


if __name__ == "__main__":
    main(__spec__)
