"""Several heads, each with a bias of its own, commute with P if and only if each bias is fixed.

Each bias must be fixed, up to row constants of its own. For if one head's is not kept,
project all other heads to 0, and what is left is that head, which shows it.
"""

from orderproof.proofs.prelude import *
from orderproof.publish.pages.primes import primed

from .bias_models import in_heads, several_heads
from .score_bias import broken_halves, halves


@theorem(
    title="Attention heads commute with P if and only if P D[h] Pᵀ = D[h] for each head",
    words=(
        Sentence(
            "Let head h have the weights G[h] ≥ 0 on the exponentials of its scores, no row "
            "all 0, and let D[h] be G[h] with each row divided by its largest entry. The heads "
            "together commute with P for all tokens and weights if and only if P D[h] Pᵀ = "
            "D[h] for every head: the group is the intersection of the heads' groups.",
            (0, 1),
        ),
    ),
    source="biases of the scores: Raffel et al. 2020, section 2.1; Press et al. 2022",
    citations=("raffel2020", "press2022"),
    uses=("score_bias_iff", "multi_head_equivariant"),
)
def score_bias_iff_of_heads() -> Proof:
    model = several_heads()
    if_kept, only_if = halves(model, "i", "c")
    here = in_heads(X, model.bias.G).named("QKVSAZO")
    images, pairs = primed(here, (replace(x, term=image(x.term, TOKENS)) for x in here))
    return Proof(
        claims=in_rocq("score_bias_iff_of_heads", if_kept, only_if),
        iffs=((0, 1),),
        neighbour=nearby(
            if_kept, "The output is permuted by P, not by Pᵀ.",
            rhs=moved(here[-1].term, i=inverse(sigma)),
        ),
        neighbours=broken_halves(if_kept, only_if),
        show=show(
            *here,
            Named("D", model.bias.D, "i", "j"),
            *images,
            alike=({"X'": "X"} | pairs,),
        ),
    )  # fmt: skip
