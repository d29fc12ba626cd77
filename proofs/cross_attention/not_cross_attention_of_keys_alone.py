"""Move the keys without the values, and the order of the memory matters (m ≥ 2).

One query of 1 (in units of ln 2) over keys (1, 0, …, 0) and values (1, 0, …, 0): weight 2 meets
value 1, the output is 2/(m+1). Permute the keys alone, by the swap of the first two, and weight 2
meets value 0: the output is 1/(m+1). Permute the values alone: the same.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.swaps import swap, upto
from orderproof.symbolic.models.attention import attention

Q = tensor("Q", i=n, k=d_k)
K = tensor("K", j=m, k=d_k)
V = tensor("V", j=m, r=d_v)
Z = attention(Q, K, V, "j", "k")


def witness(size: int) -> Witness:
    """One query, keys and values (1, 0, …, 0), and the swap of the first two."""
    first = [[1]] + [[0]] * (size - 1)
    sizes = {"n": 1, "m": size, "d_k": 1, "d_v": 1}
    swap = [1, 0, *range(2, size)]
    return Witness(sizes, {"rho": swap}, {"Q": [[1]], "K": first, "V": first}, query="Q")


@theorem(
    title="Cross-attention need not be invariant if keys or values alone are permuted",
    words=(
        Sentence(
            "For every m ≥ 2, permuting the keys without the values can change the output.", (0,)
        ),
        Sentence("So can permuting the values without the keys.", (1,)),
    ),
    source="Dive into Deep Learning, thread under section 10.6 (Q, K and V differ)",
    uses=("cross_attention_equivariant",),
)
def not_cross_attention_of_keys_alone() -> Proof:
    """Let one query look at m pairs, of which the first has key 1 and value 1 and all others have
    0,
    {first_pair}
    and let it be in units of the logarithm of 2. It gives the first pair twice the weight of any
    other:
    {pairs_together}
    Now exchange the first two values and leave the keys where they are. The double weight meets a
    0, and the output is another one:
    {second_pair; pairs_apart}
    Exchanging the first two keys instead comes to the same.
    """
    witnesses = [witness(size) for size in range(2, 9)]
    first = upto(m, 0).rename({"i": "j"})  # the same for every m ≥ 2, as terms
    terms = [Atom(Q, "=", number(1)), *(Atom(t, "=", first) for t in (K, V)), swap(m, rho)]
    marks: dict[str, Check] = {
        "exact": by_exact(witnesses),
        "smt": by_chain("first", "scale", "single", values=terms),
        "numeric": by_numpy_differs(witnesses),
    }
    keys, values = {leaf_of(K): (rho, None)}, {leaf_of(V): (rho, None)}
    over = sizes({m: 2}, dict.fromkeys((n, d_k, d_v), (1,)))
    alone = tuple(
        differs(image(Z, moves), Z, marks, row="i", column="r", over=over)
        for moves in (keys, values)
    )
    return Proof(
        claims=in_rocq("not_cross_attention_of_keys_alone", *alone),
        planted=nearby(
            alone[0],
            "If keys and values are permuted together, the output is the same.",
            lhs=image(Z, keys | values),
        ),
        show=show(Named("Z", Z, "i", "r")),
    )
