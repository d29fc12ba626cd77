"""Several heads, each with a bias of its own: which permutations they hide together.

Those that each of the biases hides, up to row constants of its own. For if one head's is not kept,
project all other heads to 0, and what is left is that head, which shows it.
"""

from orderproof.symbolic.language import inverse, moved

from .bias_models import in_heads, multi_head, several_heads
from .claims import Named, Sentence, TheoremFile, nearby
from .score_bias_iff import broken_halves, halves
from .script import main
from .vocabulary import X, sigma
from .vocabulary_encoder import show


def theorem() -> TheoremFile:
    """Both halves."""
    model = several_heads()
    if_kept, only_if = halves(model, "i", "c")
    parts = in_heads(X)
    left, _ = model.sides
    return TheoremFile(
        id="score_bias_iff_of_heads",
        title="Heads hide σ exactly if σ keeps every score bias, up to row constants",
        words=(
            Sentence(
                "Let head h have the weights G_h ≥ 0 on the exponentials of its scores, no row all "
                "0, and let D_h be G_h with each row divided by its largest entry. The heads "
                "together commute with P for all tokens and weights if and only if P D_h Pᵀ = D_h "
                "for every head: the group is the intersection of the heads' groups.",
                (0, 1),
            ),
        ),
        source="biases of the scores: Raffel et al. 2020, section 2.1; Press et al. 2022",
        citations=("raffel2020", "press2022"),
        claims=(if_kept, only_if),
        iffs=((0, 1),),
        show=show(
            *parts.named("QKVS", "_h"),
            Named("D_h", model.bias.D, "i", "j"),
            Named("O", multi_head(X, model.bias.G), "i", "c"),
            Named("O'", left, "i", "c"),
        ),
        neighbour=nearby(
            if_kept, "It moves with P, not back.",
            rhs=moved(multi_head(X, model.bias.G), i=inverse(sigma)),
        ),
        neighbours=broken_halves(if_kept, only_if),
        uses=("score_bias_iff", "multi_head_equivariant"),
    )  # fmt: skip


if __name__ == "__main__":
    main(__spec__)
