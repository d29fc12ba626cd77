"""A causal layer is not equivariant: rows before the last do not move with the tokens.

With uniform weights a causal layer takes running means: the values (1, 0, 0) give (1, 1/2, 1/3),
and (0, 1, 0) gives (0, 1/2, 1/3). These are not the old rows in another order.
"""

from itertools import permutations

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.causal import masked, show_context
from orderproof.symbolic.schemes.running_means import causal_mask

SIZES = tuple(range(3, 9))
Y = tensor("Y", i=m, c=POINT)  # m tokens with one feature, and their causal mask
M = causal_mask(m)
RY = moved(Y, i=rho)
tau = permutation("tau", m)


def layer(tokens: Term, mask: Term = M) -> AttentionLayer:
    """Attention of tokens with one feature."""
    u_Q, u_K = (tensor(name, c=POINT, k=POINT) for name in ("u_Q", "u_K"))
    return masked(tokens, mask, weights=(u_Q, u_K, tensor("u_V", c=POINT, r=POINT)))


def parts(tokens: Term) -> tuple[Named, ...]:
    """The tokens and their layer by name."""
    return Named("Y", tokens, "i", "c"), *layer(tokens).named(of="_m")


def witness(size: int) -> Witness:
    """Uniform weights, the values (1, 0, …, 0), and the first two tokens swapped."""
    tokens = [[1]] + [[0]] * (size - 1)
    tensors = {"Y": tokens, "u_Q": [[0]], "u_K": [[0]], "u_V": [[1]]}
    return Witness({"m": size}, {"rho": (1, 0, *range(2, size))}, tensors, query="u_Q")


@theorem(
    title="One causal layer need not be permutation equivariant",
    words=(
        Sentence(
            "For m = 3 to 8 there are tokens and a permutation of them for which the rows "
            "of a causal layer are not permuted with them.",
            (0,),
        ),
        Sentence(
            "For m = 3 and every permutation τ of the rows there are tokens and a "
            "permutation of them for which the new rows are not the old rows permuted by "
            "τ.",
            (1,),
        ),
    ),
    source="2402.05969, abstract; Irie 2025",
    citations=("irie2025", "kazemnejad2023"),
    uses=("causal_last_token_invariant",),
)
def not_equivariant_of_causal_mask() -> Proof:
    """For (1), the tokens 1, 0, 0 of the running means, and longer sequences that have a 1 at the
    first token alone, with the first two exchanged; R is the exchange. For (2), the rows that are
    made of 1, 0, 0 and of 0, 1, 0, for each of the six orders.
    """

    def claim(rows: Map, found: list[Witness], every: tuple[Map, ...] = ()) -> Claim:
        return differs(
            *sides(layer(Y).Z, {leaf_of(Y): (rho, None)}, {"i": rows}),
            by_witnesses(found), every=every,
            row="i", column="r", over=sizes(among={m: sorted({w.sizes["m"] for w in found})}),
        )  # fmt: skip

    swapped = [witness(size) for size in SIZES]
    earlier = claim(rho, swapped)
    three = [
        replace(swapped[0], maps={**swapped[0].maps, "tau": t}) for t in permutations(range(3))
    ]
    rearranged = claim(tau, three, (tau,))
    images, like = primed(parts(Y), parts(RY))
    return Proof(
        claims=in_rocq("causal_last_token_invariant", earlier, rearranged),
        planted=(
            nearby(
                earlier,
                "If the mask is permuted with the tokens, both sides are equal.",
                lhs=layer(RY, moved(M, i=rho, j=rho)).Z,
            ),
            nearby(
                rearranged,
                "With the old rows on both sides, both sides are equal.",
                lhs=rearranged.rhs,
            ),
        ),
        show=show_context(*parts(Y), *images, alike=(like,)),
    )
