"""The output of self-attention at a class token does not depend on the order of the tokens.

A class token stands apart from the tokens, in front of them. Permuting the tokens is then
diag(1, P), which leaves the class token where it is, and so its row of the output.
"""

from orderproof.proofs.prelude import *

t = tensor("t", i=POINT, c=d)  # the class token, in front of the others
C = cat(t, X, "i")
WITH_CLASS = Attention(C, as_keys(C))
z = at(WITH_CLASS.Z, {"i": Map("inl", (POINT, n))("p")})  # its row of the output
others = at(WITH_CLASS.Z, {"i": Map("inr", (POINT, n))("i")})  # those of the tokens
BESIDE = Map("beside", (Map("identity", (POINT,)), sigma))


@theorem(
    title="The output at a class token is permutation invariant",
    words="The output of self-attention at a class token in front of the tokens does not change "
    "when the tokens are permuted.",
    source="Why positionnal Embedding Matters?; Lee et al. 2019, section 3.2",
    citations=("lee2019",),
    uses=("self_attention_equivariant",),
)
def class_token_invariant() -> Proof:
    numeric = by_numpy(
        lambda g: reference.attention.cross_attention(
            g["t"], np.vstack([g["t"], g["X"]]), g["W_Q"], g["W_K"], g["W_V"]
        )
    )
    claim = equivariance(z, TOKENS, {}, {"sympy": by_sympy, "numeric": numeric}, over=sizes({n: 0}))
    return Proof(
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
        planted=nearby(
            claim,
            "The rows of the tokens themselves do change.",
            lhs=image(others, TOKENS),
            rhs=others,
        ),
        show=show(
            Named("C", C, "i", "c"),
            Named("D", WITH_CLASS.Z, "i", "r"),
            Named("z", z, "r"),
            matrices={BESIDE: "P_1"},
        ),
        cited={"D": "self_attention_equivariant"},
        titles={
            "C": "A class token in front; P₁ = diag(1, P) leaves it where it is",
            "z": "The output of self-attention at the class token",
        },
    )
