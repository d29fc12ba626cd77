"""Generation: one query over cached (key, value) pairs does not depend on their order.

The next token is computed from the query q of the last one and the pairs (kⱼ, vⱼ) of all tokens
so far, the last one's own among them. Reorder the pairs, and the weighted sum has the same terms.
That is so with softmax, and also in the form Σⱼ (q·kⱼ) vⱼ in which the softmax is left out.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.causal import CONTEXT, swapped

from . import generation as g

SIZES = tuple(range(2, 8))  # tokens before the last


@theorem(
    title="A step of generation does not depend on the order of its cache",
    words=(
        Sentence(
            "Reordering the cached (key, value) pairs does not change the output of "
            "attention for the next query.",
            (0,),
        ),
        Sentence("Nor does it without softmax.", (1,)),
        Sentence(
            "So it is if the last token's own key and value stand beside the cache, with "
            "softmax and without.",
            (2, 3),
        ),
        Sentence(
            "In a second layer the pairs are made of hidden states: without a mask these move "
            "along with their tokens, so that the step is the same for each order of the prompt.",
            (4,),
        ),
        Sentence(
            "Under a causal mask the hidden states can depend on the order of the tokens "
            "before them, and so the step in a second layer on the order of the prompt, for "
            "n = 2 to 7 tokens before the last (two_causal_layers_see_order).",
            (5,),
        ),
    ),
    source="Wang, Why Transformer Models Need Positional Encoding",
    uses=("softmax_conjugate", "sum_act"),
)
def generation_order_independent() -> Proof:
    """Each value keeps its weight, and a sum does not depend on the order of its terms:
    {chain z}
    Without softmax the same sum has simpler weights. The softmax is not what makes the step blind,
    nor does it spoil it. For (5), the outputs of the first layer are permuted with the prompt
    (self_attention_equivariant); so the second layer finds the same pairs in another order. For (6)
    there is a counterexample for each length that is claimed: uniform weights, and a prompt of
    which one token is 1 and all others are 0.
    """

    def claim(t: Term, step: str, sympy: Check, *cases: Witness) -> Claim:
        marks = {"sympy": sympy, "exact": by_exact(cases), "numeric": g.over_pairs(step)}
        return equivariance(t, g.PAIRS, {}, marks)

    softmaxed, summed = "generation_step", "generation_step_unnormalised"
    cases = g.cached("ABC", (1, 0, 2)), g.cached("ABDC", (1, 2, 0, 3))
    first, plain = claim(g.z, softmaxed, by_sympy, *cases), claim(g.u, summed, by_sympy, *cases)
    beside = g.cached("AB", (1, 0), own=True), g.cached("ABD", (1, 2, 0), own=True)
    small = by_sympy_to(3, d_k=2, d_v=2)
    own = claim(g.z_C, softmaxed, small, *beside), claim(g.u_C, summed, small, *beside)
    still, causal = g.OPEN[-1].term, g.MASKED[-1].term
    deep = {"sympy": by_sympy_to(2, d=2), "numeric": by_numpy(scale=1 / 4)}
    travels = equivariance(still, CONTEXT, {}, deep, row="i", column="r")
    found = [swapped(size) for size in SIZES]
    depends = differs(
        image(causal, CONTEXT), causal,
        by_witnesses(found),
        row="i", column="r", over=sizes(among={n: SIZES} | dict.fromkeys((d, d_k), (1,))),
    )  # fmt: skip
    return Proof(
        claims=(*in_rocq("generation_order_independent", first, plain), *own, travels, depends),
        derivation="""
            z′[r] = Σ_j softmax_j((Σ_k q[k] K[ρ(j), k]) / √(d_k)) V[ρ(j), r]   by definition
                  = Σ_j softmax_l((Σ_k q[k] K[l, k]) / √(d_k))[ρ(j)] V[ρ(j), r]   softmax_conjugate
                  = Σ_j softmax_j((Σ_k q[k] K[j, k]) / √(d_k)) V[j, r]   sum_act
                  = z[r]                                   by definition

            u′[r] = Σ_j (Σ_k q[k] K[ρ(j), k]) V[ρ(j), r]   by definition
                  = Σ_j (Σ_k q[k] K[j, k]) V[j, r]         sum_act
                  = u[r]                                   by definition
        """,
        planted=(
            nearby(
                first,
                "If the keys are reordered and the values are not, the pairs are others.",
                lhs=image(g.z, {leaf_of(g.K): (rho, None)}),
            ),
            nearby(
                own[0],
                "If the keys alone are reordered, so too beside the last token's own pair.",
                lhs=image(g.z_C, {leaf_of(g.K): (rho, None)}),
            ),
            nearby(
                depends,
                "Without a mask the step in a second layer is the same for each order.",
                lhs=image(still, CONTEXT),
                rhs=still,
            ),
        ),
        show=g.show_steps(),
        pushed=(first.pushed, plain.pushed),
        primes=tuple(c.pushed for c in own),
        examples=(g.example(),),
    )
