"""Two causal layers: the output at the last token can depend on the order of the others.

With uniform weights a causal layer takes running means. Of three values, (1, 0, 0) becomes
(1, 1/2, 1/3), and in a second layer the last place reads their mean, 11/18; (0, 1, 0) becomes
(0, 1/2, 1/3), with the mean 5/18. An early token is in more of the running means: token j weighs
(1/n) Σ_{i ≥ j} 1/i, which is strictly decreasing in j, so that for n ≥ 3 no two tokens of the
context weigh the same.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.causal import CONTEXT, C, last, masked, show_context, swapped, x
from orderproof.symbolic.schemes.running_means import causal_mask, running_means, weight_of

SIZES = tuple(range(2, 8))  # of the context: one token more in all
G = causal_mask(ALL)
END, ONE, NEXT = constant("m", n), constant("j", n), constant("l", n)


@theorem(
    title="Two causal layers need not be invariant at the last token",
    words=(
        Sentence(
            "After two causal layers the output at the last of n + 1 tokens can depend on the "
            "order of those before it, for n = 2 to 7.",
            (0,),
        ),
        Sentence(
            "With uniform weights, a later token weighs less in the last row after two layers.",
            (1,),
        ),
        Sentence(
            "Of three tokens, (1, 0, 0) gives the last one 11/18, and (0, 1, 0) gives it "
            "5/18; in general token j of n weighs (1/n) Σ_{i ≥ j} 1/i."
        ),
    ),
    source="2402.05969, abstract; Irie 2025",
    citations=("irie2025", "haviv2022"),
    uses=("causal_last_token_invariant",),
)
def two_causal_layers_see_order() -> Proof:
    """For (1), uniform weights, and a 1 at the first token: exchange it with the second. For (2),
    what the last token gives to a token is a sum of shares over those that come between, and the
    later token has one share less.
    """
    whole, permuted = parts(C), parts(image(C, CONTEXT))
    first, second = (next(y.term for y in whole if y.name == f"Z_{k}") for k in (1, 2))
    images, like = primed(whole, permuted)
    found = [swapped(size) for size in SIZES]
    order = differs(
        last(image(second, CONTEXT)), last(second),
        by_witnesses(found),
        row="i", column="r", over=sizes(among={n: SIZES} | dict.fromkeys((d, d_k), (1,))),
    )  # fmt: skip
    places = (Atom(after(NEXT), "=", after(ONE, 1)), Atom(after(END, 1), "=", size(n)))
    here, there = (weight_of(n, END, token) for token in (ONE, NEXT))
    decreasing = holds(
        there, "<", here,
        {"smt": by_chain("present", "more"), "sympy": by_sympy_positive, "numeric": by_numpy()},
        given=places,
    )  # fmt: skip
    return Proof(
        claims=in_rocq("two_causal_layers_see_order", order, decreasing),
        planted=(
            nearby(
                order,
                "After one layer the last row is the same: 1/3 and 1/3.",
                lhs=last(image(first, CONTEXT)),
                rhs=last(first),
            ),
            nearby(decreasing, "The later token weighs less, not more.", lhs=here, rhs=there),
        ),
        show=show_context(*whole, *images, Named("M", running_means(n), "i", "j"), alike=(like,)),
    )


def parts(context: Term) -> tuple[Named, ...]:
    """Two layers of this context and x, their parts by name."""
    tokens = cat(context, x, "i")
    first = masked(tokens, G)
    second = masked(first.Z.rename({"r": "c"}), G)
    inputs = Named("C", context, "i", "c"), Named("T", tokens, "i", "c")
    return *inputs, *first.named(of="_1"), *second.named(of="_2")


def after(token: Map, by: int = 0) -> Term:
    """The number of a place, or of one that comes so much later."""
    here = at(iota(n, "i"), {"i": token()})
    return add(here, number(by)) if by else here
