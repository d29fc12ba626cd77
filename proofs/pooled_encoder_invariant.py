"""The mean of the outputs of an encoder without positions does not depend on the tokens' order.

Each layer commutes with P (encoder_equivariant). So the rows of the last layer move with the
tokens, however many layers there are, and their mean does not change.
"""

import numpy as np

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Check,
    Claim,
    Named,
    Neighbour,
    Sentence,
    TheoremFile,
    equivariance,
    in_rocq,
    nearby,
    sizes,
)
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_to
from orderproof.proofs.shared.encoder_models import POST, post
from orderproof.proofs.shared.encoder_symbols import POSITIVE, show
from orderproof.proofs.shared.symbols import TOKENS, n
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models.builders import contract, image, mean, tensor

X_1, X_2 = POST[:2]  # the tokens after one block of an encoder, and after two
x_1, x_2 = mean(X_1, "i"), mean(X_2, "i")


def theorem() -> TheoremFile:
    """After one and two blocks, which shows all depths."""

    def claim(t: Term, depth: int, marks: dict[str, Check]) -> Claim:
        layers = post(depth)
        numeric = by_numpy(lambda given: np.mean(layers(given), axis=0), scale=1 / 8)
        return equivariance(
            t, TOKENS, {}, marks | {"numeric": numeric}, given=[POSITIVE], over=sizes({n: 1})
        )

    def at_places(claim: Claim, t: Term) -> Neighbour:
        weighted = contract(tensor("v", i=n), t, "i")
        return nearby(
            claim,
            "With a weight for each position, as in reading one row, the order matters.",
            lhs=image(weighted, TOKENS),
            rhs=weighted,
        )

    shallow, deep = claim(x_1, 1, {"sympy": by_sympy_to(3, d=3)}), claim(x_2, 2, {})
    return TheoremFile(
        id="pooled_encoder_invariant",
        title="A pooled encoder without positions is permutation invariant",
        words=(
            Sentence(
                "Permuting the tokens does not change the mean of the outputs of an encoder "
                "without positions after one block and after two.",
                (0, 1),
            ),
        ),
        claims=in_rocq("bag_of_words", shallow, deep),
        derivation="""
            x_1′[c] = (Σ_i X_1′[i, c]) / n     by definition
                    = (Σ_i X_1[σ(i), c]) / n   X_1′ = P X_1 (encoder_equivariant)
                    = (Σ_i X_1[i, c]) / n      Lemma 1
                    = x_1[c]                   by definition

            x_2′[c] = (Σ_i X_2′[i, c]) / n     by definition
                    = (Σ_i X_2[σ(i), c]) / n   X_2′ = P X_2 (encoder_equivariant)
                    = (Σ_i X_2[i, c]) / n      Lemma 1
                    = x_2[c]                   by definition
        """,
        uses=("encoder_equivariant", "pooling_invariant", "sum_act"),
        neighbour=at_places(shallow, X_1),
        neighbours=(at_places(deep, X_2),),
        source="S1; Zaheer et al. 2017, theorem 2",
        citations=("zaheer2017",),
        show=show(
            Named("X_1", X_1, "i", "c"),
            Named("x_1", x_1),
            Named("X_2", X_2, "i", "c"),
            Named("x_2", x_2),
        ),
        cited=dict.fromkeys(("X_1", "X_2"), "encoder_equivariant"),
        titles={
            "x_1": "The mean after one block",
            "x_2": "The mean after two blocks",
        },
    )


if __name__ == "__main__":
    main(__spec__)
