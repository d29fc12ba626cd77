"""Multi-head attention commutes with every permutation of its tokens, however keys are shared.

Each head is self-attention with weights of its own, so each head's output moves as Z_h′ = P Z_h;
the output projection acts on features. That keys and values are shared by all heads (multi-query),
or by groups of heads (grouped-query, φ any map of heads to groups), changes nothing in this: the
permutation acts on tokens, and nothing is asked of heads.
"""

from typing import Any

import numpy as np
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
    pushing,
)
from orderproof.proofs.marks.numeric import Reference, by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_to
from orderproof.proofs.shared.encoder_symbols import WEIGHTS, g, h, show
from orderproof.proofs.shared.symbols import TOKENS, X, as_keys, d, d_k, d_v, sigma
from orderproof.symbolic.calculus.terms import Term, at
from orderproof.symbolic.models.attention import AttentionLayer
from orderproof.symbolic.models.builders import inverse, moved, symbol, tensor

W_Q, W_K, W_V, W_O = (WEIGHTS[f"W_{x}"] for x in "QKVO")
U_K, U_V = tensor("U_K", c=d, k=d_k), tensor("U_V", c=d, r=d_v)  # one for all heads
G_K, G_V = tensor("G_K", g=g, c=d, k=d_k), tensor("G_V", g=g, c=d, r=d_v)  # one for each group
phi = symbol("phi", (h,), g)


def heads(keys: Term, values: Term) -> AttentionLayer:
    """Attention with an axis h of heads, from the keys' and values' weights, and its projection."""
    return AttentionLayer(X, as_keys(X), (W_Q, keys, values), output=W_O)


OWN, SHARED = heads(W_K, W_V), heads(U_K, U_V)
GROUPED = heads(at(G_K, {"g": phi("h")}), at(G_V, {"g": phi("h")}))
Values = dict[str, NDArray[Any]]


def projection(t: Values) -> NDArray[Any]:
    """W_O as the papers have it: the heads' rows one below the other."""
    return t["W_O"].reshape(-1, t["W_O"].shape[-1])


def own(t: Values) -> NDArray[Any]:
    """Vaswani et al. 2017, section 3.2.2."""
    weights = (t["W_Q"], t["W_K"], t["W_V"], projection(t))
    return reference.multi_head_attention(t["X"], t["X"], *weights)


def shared(t: Values) -> NDArray[Any]:
    """Shazeer 2019: every head has the same keys and values."""
    keys, values = t["U_K"][None], t["U_V"][None]
    group = [0] * len(t["W_Q"])
    return reference.grouped_query_attention(t["X"], t["W_Q"], keys, values, projection(t), group)


def grouped(t: Values) -> NDArray[Any]:
    """Ainslie et al. 2023: head h has the keys and values of group φ(h)."""
    group = [int(x) for x in np.asarray(t["phi"])]
    return reference.grouped_query_attention(
        t["X"], t["W_Q"], t["G_K"], t["G_V"], projection(t), group
    )


def theorem() -> TheoremFile:
    """Heads with keys of their own, with shared keys, with keys by group."""

    def claim(t: Term, expected: Reference) -> Claim:
        marks = {
            "sympy": by_sympy_to(3, d=3),
            "numeric": by_numpy(expected),
        }
        pushed = pushing(t, TOKENS)
        return equivariance(t, TOKENS, {"i": sigma}, pushed, marks, row="i", column="c")

    first = claim(OWN.O, own)
    return TheoremFile(
        id="multi_head_equivariant",
        title="Multi-head attention is permutation equivariant, shared keys or not",
        words=(
            Sentence(
                "Permuting the tokens permutes the outputs of multi-head attention, for any "
                "number of heads and any widths: with keys and values of each head's own, "
                "shared by all heads (MQA), and shared by groups of heads (GQA).",
                (0, 1, 2),
            ),
        ),
        source="Vaswani et al. 2017, section 3.2.2; MQA: Shazeer 2019, section 3; GQA: Ainslie et "
        "al. 2023, section 2.2",
        citations=("vaswani2017", "shazeer2019", "ainslie2023"),
        claims=in_rocq(
            "multi_head_equivariant", first, claim(SHARED.O, shared), claim(GROUPED.O, grouped)
        ),
        pushed=(pushing(OWN.O, TOKENS),),
        primes=(pushing(SHARED.O, TOKENS), pushing(GROUPED.O, TOKENS)),
        show=show(
            *OWN.named("QKVSAZO"),
            Named("O_MQA", SHARED.O, "i", "c"),
            Named("O_GQA", GROUPED.O, "i", "c"),
        ),
        neighbour=nearby(
            first,
            "With Pᵀ in place of P it fails at a 3-cycle, in every head.",
            rhs=moved(OWN.O, i=inverse(sigma)),
        ),
        uses=("self_attention_equivariant", "qkv_equivariant", "softmax_conjugate", "sum_act"),
    )


if __name__ == "__main__":
    main(__spec__)
