"""One causal layer: the output at the last token does not depend on the order of the others.

Under a causal mask the last token attends to all places. Its output is one query over all tokens,
like a step of generation, and a sum does not depend on the order of its terms. So it is whatever
the earlier tokens attend to (g, the rows of the mask that are theirs). Skip and row-wise maps act
on its row alone.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.causal import CONTEXT, C, last, masked, show_context, x

g = tensor("g", i=n, j=ALL)  # the rows of the context alone: the last token attends to all places


@theorem(
    title="One causal layer is invariant at the last token under permuting the others",
    words="Permuting the tokens before the last changes nothing in the last row of one causal "
    "layer, with skip and row-wise maps.",
    source="2402.05969, abstract; Irie 2025",
    citations=("irie2025", "kazemnejad2023"),
    uses=("sum_act", "generation_order_independent"),
)
def causal_last_token_invariant() -> Proof:
    """The row of the last token is one query over all tokens, as in a step of generation
    (generation_order_independent). Skip and row-wise map act on this row alone:
    {chain The last row}
    """
    layer = parts(C)
    L = layer[-1].term
    selected = inward(last(L))
    images, like = primed(layer, parts(image(C, CONTEXT)))
    pushed = pushing(selected.rhs, CONTEXT)
    permuted = {leaf: act(C.node, motion) for leaf, motion in CONTEXT.items()}
    opened, closed = kernel.inst(selected, permuted), kernel.sym(selected)
    proof = chain(opened, pushed.theorem, closed)
    marks = {"sympy": by_sympy, "numeric": by_numpy()}
    weights = [Atom(number(0), "≤", g), Atom(number(0), "<", total(g, "j"))]
    invariant = equality(
        image(last(L), CONTEXT), last(L), proof, marks, row="i", column="r", given=weights
    )
    return Proof(
        claims=in_rocq("causal_last_token_invariant", invariant),
        derivation="""
            L′[n+1, r] = F_r(x[1, r] + Z_x′[1, r])   selection of the last row
                       = F_r(x[1, r] + Z_x[1, r])    softmax_conjugate; sum_act
                       = L[n+1, r]                   selection of the last row
        """,
        planted=nearby(
            invariant,
            "An earlier row can change: another token is there, and it attends to other tokens.",
            lhs=earlier_rows(image(L, CONTEXT)),
            rhs=earlier_rows(L),
        ),
        show=show_context(*layer, *images, alike=(like,)),
        chains=((Named("The last row", last(L), "i", "r"), proof),),
        lemmas={
            opened: "selection of the last row",
            pushed.theorem: "softmax_conjugate; sum_act",
            closed: "selection of the last row",
        },
    )


def parts(context: Term) -> tuple[Named, ...]:
    """The layer of this context and x, its parts by name: L at the end."""
    tokens = cat(context, x, "i")
    earlier, final = masked(tokens, g, context), masked(tokens, None, x)
    skip = add(tokens.rename({"c": "r"}), cat(earlier.Z, final.Z, "i"))
    return (
        Named("C", context, "i", "c"),
        Named("T", tokens, "i", "c"),
        *earlier.named(),
        *final.named("QSAZ", "_x"),
        Named("L", opaque("F", {"r": "r"}, skip, {"r": d}), "i", "r"),  # F any map of each row
    )


def earlier_rows(t: Term) -> Term:
    """The rows of the context."""
    return at(t, {"i": Map("inl", (n, POINT))("i")})
