"""Equivariant is not invariant: the rows of the output do move, for every n ≥ 2.

One feature, all weights 1, tokens (1, 0, …, 0): the first token's query meets its own key and
gives it weight 2, so its output is 2/(n+1); every other token has equal weights and gets 1/n.
Swap the first two tokens, and the first two outputs are swapped: 1/n where 2/(n+1) was. The rows
are ordered, and yet no row knows its number.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.swaps import swap, upto


def witness(size: int) -> Witness:
    """Tokens (1, 0, …, 0) and the swap of the first two; ln 2 on the query weight."""
    tensors = {"X": [[1]] + [[0]] * (size - 1), "W_Q": [[1]], "W_K": [[1]], "W_V": [[1]]}
    exchange = [1, 0, *range(2, size)]
    return Witness({"n": size, "d": 1, "d_k": 1, "d_v": 1}, {"sigma": exchange}, tensors)


@theorem(
    title="Self-attention need not be permutation invariant",
    words=(
        (
            "For every n ≥ 2 there are tokens with one feature, weights and a permutation "
            "for which the output changes."
        ),
        Sentence(
            "The rows of the output are in the order of the tokens, but no row depends on "
            "its own position."
        ),
    ),
    source="Why positionnal Embedding Matters?; Dive into Deep Learning, thread under "
    "section 10.6; udlbook, issue 131",
    uses=("self_attention_equivariant",),
)
def not_invariant_self_attention() -> Proof:
    """Let every token have one feature, which is 1 at the first token and 0 at all others:
    {one_token}
    (a bracket is 1 where it is true, and 0 elsewhere; an index that is used as a number counts from
    0). Let all weights be 1, and the queries in units of the logarithm of 2, so that a score of 1
    doubles a weight. The query of the first token meets its own key and gives it twice the weight
    of every other; the query of any other token is 0 and weighs all alike. So the outputs are
    {outputs_of_one_token}
    that is, one value at the first token and another one at the others, which differ as soon as
    there are two tokens. Exchange the first two tokens: by self_attention_equivariant their outputs
    are exchanged, and these two rows are not what they were. For three tokens, as they are and with
    the first two exchanged,
    {outputs_in_order; outputs_exchanged}
    """
    witnesses = [witness(size) for size in range(2, 9)]
    weights = [Atom(w, "=", number(1)) for w in (W_Q, W_K, W_V)]
    values = [Atom(X, "=", upto(n, 0)), *weights, swap(n, sigma)]  # the same for every n ≥ 2
    claim = differs(
        image(SELF.Z, TOKENS), SELF.Z,
        {
            "exact": by_exact(witnesses),
            "smt": by_chain("first", "scale", "single", values=values),
            "numeric": by_numpy_differs(witnesses),
        },
        row="i", column="r", over=sizes({n: 2}, dict.fromkeys((d, d_k, d_v), (1,))),
    )  # fmt: skip
    return Proof(
        claims=in_rocq("not_invariant_self_attention", claim),
        planted=nearby(
            claim,
            "Z′ = P Z for all tokens and weights.",
            lhs=moved(SELF.Z, i=sigma),
            rhs=image(SELF.Z, TOKENS),
        ),
        show=show(*SELF.named()),
        primes=(pushing(SELF.Z, TOKENS),),
    )
