"""Generation: one query over cached (key, value) pairs does not depend on their order.

The next token is computed from the query q of the last one and the pairs (kⱼ, vⱼ) of all tokens
so far, the last one's own among them. Reorder the pairs, and the weighted sum has the same terms.
That is so with softmax, and also in the form Σⱼ (q·kⱼ) vⱼ in which the softmax is left out.
"""

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from orderproof.numeric.reference import attention as reference
from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Claim,
    Named,
    Sentence,
    TheoremFile,
    equivariance,
    in_rocq,
    nearby,
)
from orderproof.proofs.marks.exact import by_exact
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy
from orderproof.proofs.shared.generation import PAIRS, K, cached, example, u, z
from orderproof.proofs.shared.symbols import rho, show
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models.builders import image, leaf_of

Step = Callable[[NDArray[Any], list[tuple[NDArray[Any], NDArray[Any]]]], NDArray[Any]]


def theorem() -> TheoremFile:
    """With softmax, and without it."""

    def claim(t: Term, step: Step) -> Claim:
        marks = {
            "sympy": by_sympy,
            "exact": by_exact([cached("ABC", (1, 0, 2)), cached("ABDC", (1, 2, 0, 3))]),
            "numeric": by_numpy(lambda g: step(g["q"], list(zip(g["K"], g["V"], strict=True)))),
        }
        return equivariance(t, PAIRS, {}, marks)

    softmaxed = claim(z, reference.generation_step)
    return TheoremFile(
        id="generation_order_independent",
        title="A step of generation does not depend on the order of its cache",
        words=(
            Sentence(
                "Reordering the cached (key, value) pairs does not change the output of "
                "attention for the next query.",
                (0,),
            ),
            Sentence("Nor does it without softmax.", (1,)),
            Sentence(
                "In a deeper model the pairs are made of hidden states: without a mask these move "
                "along with their tokens, under a causal mask they depend on the order of the "
                "tokens before them (two_causal_layers_see_order)."
            ),
        ),
        claims=in_rocq(
            "generation_order_independent",
            softmaxed,
            claim(u, reference.generation_step_unnormalised),
        ),
        derivation="""
            z′[r] = Σ_j softmax_j((Σ_k q[k] K[ρ(j), k]) / √(d_k)) V[ρ(j), r]   by definition
                  = Σ_j softmax_l((Σ_k q[k] K[l, k]) / √(d_k))[ρ(j)] V[ρ(j), r]   softmax_conjugate
                  = Σ_j softmax_j((Σ_k q[k] K[j, k]) / √(d_k)) V[j, r]   Lemma 1
                  = z[r]                                   by definition

            u′[r] = Σ_j (Σ_k q[k] K[ρ(j), k]) V[ρ(j), r]   by definition
                  = Σ_j (Σ_k q[k] K[j, k]) V[j, r]         Lemma 1
                  = u[r]                                   by definition
        """,
        uses=("softmax_conjugate", "sum_act"),
        neighbour=nearby(
            softmaxed,
            "If the keys are reordered and the values are not, the pairs are others.",
            lhs=image(z, {leaf_of(K): (rho, None)}),
        ),
        source="S3",
        show=show(Named("z", z), Named("u", u)),
        examples=(example(),),
    )


if __name__ == "__main__":
    main(__spec__)
