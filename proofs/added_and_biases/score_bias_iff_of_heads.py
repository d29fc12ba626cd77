"""Several heads, each with a bias of its own, commute with P if and only if each bias is fixed.

Each bias must be fixed, up to row constants of its own. For if one head's is not kept,
project all other heads to 0, and what is left is that head, which shows it.
"""

from orderproof.proofs.prelude import *

from .score_bias import Bias, Model, commutes_iff_kept, one, with_falsehood

HEAD = constant("a", h)
W_Q, W_K = (tensor(f"W_{x}", h=h, c=d, k=d_k) for x in "QK")
W_V, W_O = tensor("W_V", h=h, c=d, r=d_v), tensor("W_O", h=h, r=d_v, c=d)
OF_HEADS = Bias(tensor("G", h=h, i=n, j=n))


@theorem(
    title="Attention heads commute with P if and only if P D[h] Pᵀ = D[h] for each head",
    words="Let head h have the weights G[h] ≥ 0 on the exponentials of its scores, no row all 0, "
    "and let D[h] be G[h] with each row divided by its largest entry. The heads together commute "
    "with P for all tokens and weights if and only if P D[h] Pᵀ = D[h] for every head: the group "
    "is the intersection of the heads' groups.",
    source="biases of the scores: Raffel et al. 2020, section 2.1; Press et al. 2022",
    citations=("raffel2020", "press2022"),
    uses=("score_bias_iff", "multi_head_equivariant"),
)
def score_bias_iff_of_heads() -> Proof:
    """If each head commutes with P, so does the sum of their projected outputs
    (multi_head_equivariant). If one of them does not, let W_O be zero for all others: what is left
    is score_bias_iff for that head.
    """
    named = in_heads(X, OF_HEADS.G).named("QKVSAZO")
    proof = commutes_iff_kept("score_bias_iff_of_heads", several_heads(), named)
    rhs = moved(named[-1].term, i=inverse(sigma))
    back = nearby(proof.claims[0], "The output is permuted by P, not by Pᵀ.", rhs=rhs)
    return with_falsehood(proof, back)


def in_heads(tokens: Term, mask: Term) -> AttentionLayer:
    """Several heads, with weights on the scores of each."""
    return AttentionLayer(tokens, as_keys(tokens), (W_Q, W_K, W_V), mask=mask, output=W_O)


def several_heads() -> Model:
    """Several heads, each with its own bias; all but one are projected to 0."""
    last, mean = one(d, "c"), divide(number(1), size(d_v))
    head = at(delta(h, "g", "h"), {"g": HEAD()})

    def projected(token: Index) -> tuple[list[Theorem], list[Lemma]]:
        each = inward(at(multiply(OF_HEADS.N, mean), {"j": token}))
        entry = inward(at(OF_HEADS.N, {"j": token}))
        row = entry.rhs.rename(dict(zip(entry.lhs.axes, "hi", strict=True)))
        output = multiply(multiply(row, mean), multiply(head, last))
        summed, shown = reduce("sum", output, "r", d_v), multiply(row, last)
        alone = by_laws(summed, multiply(head, shown), "constant", over=sizes({d_v: 1}))
        return [each, alone.fact, kernel.sum_delta(shown, "h", HEAD())], [alone]

    only = {leaf_of(W_O): multiply(head, last).rename({"h": 0, "c": 2})}
    return Model(
        OF_HEADS,
        lambda tokens, mask: [in_heads(tokens, mask)],
        lambda layer: layer.O,
        mean,
        sizes({d: 1, d_v: 1}),
        further=only,
        after=projected,
        heads={"h": HEAD},
    )
