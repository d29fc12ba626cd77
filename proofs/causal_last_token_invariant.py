"""One causal layer: the last token does not see in which order the others stand before it.

Under a causal mask the last token sees all places. Its output is one query over all tokens, like a
step of generation, and a sum does not see the order of its terms. So it is whatever the earlier
tokens see (g, the rows of the mask that are theirs). Skip and row-wise maps act on its row alone.
Earlier rows do move, and not as P would move them: with uniform weights the values (1, 0, 0) give
the running means (1, 1/2, 1/3), and (0, 1, 0) gives (0, 1/2, 1/3).
"""

from dataclasses import replace
from itertools import permutations

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Atom,
    Named,
    Sentence,
    StuckError,
    TheoremFile,
    differs,
    equality,
    in_rocq,
    nearby,
    pushing,
    sizes,
)
from orderproof.proofs.marks.exact import Witness, by_exact
from orderproof.proofs.marks.numeric import by_numpy, by_numpy_differs
from orderproof.proofs.marks.sympy_entries import by_sympy
from orderproof.proofs.pages.primes import primed
from orderproof.proofs.shared.causal import (
    CONTEXT,
    EARLIER,
    ONE,
    C,
    Masked,
    g,
    last,
    row_wise,
    show,
    skip,
    x,
)
from orderproof.proofs.shared.symbols import m, rho
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.terms import Term, at
from orderproof.symbolic.derive.push import act, chain
from orderproof.symbolic.derive.select import inward
from orderproof.symbolic.models.builders import (
    POINT,
    cat,
    image,
    leaf_of,
    moved,
    number,
    permutation,
    tensor,
    total,
)
from orderproof.symbolic.schemes.running_means import causal_mask

SIZES = tuple(range(3, 9))
Y = tensor("Y", i=m, c=POINT)  # m tokens with one feature, and their causal mask
M = causal_mask(m)
MOVED = {leaf_of(Y): (rho, None)}  # Y ↦ R Y
tau = permutation("tau", m)


def theorem() -> TheoremFile:
    """The last row by pushing: the last token sees all places, whatever the others see."""
    layer, bare = parts(C), (*Masked(Y, M, weights=ONE).named("m"),)
    L, Z = layer[-1].term, bare[-1].term
    selected = inward(last(L))
    PC, RY = image(C, CONTEXT), moved(Y, i=rho)
    images, like = primed(layer, parts(PC))
    means, like_bare = primed(bare, Masked(RY, M, weights=ONE).named("m"))
    pushed = pushing(selected.rhs, CONTEXT)
    if any(pushed.motion):
        raise StuckError("the last row was expected to stay where it is")
    permuted = {leaf_of(C): act(C.node, CONTEXT[leaf_of(C)])}
    opened, closed = kernel.inst(selected, permuted), kernel.sym(selected)
    proof = chain(opened, pushed.theorem, closed)
    marks = {"sympy": by_sympy, "numeric": by_numpy()}
    weights = [Atom(number(0), "≤", g), Atom(number(0), "<", total(g, "j"))]
    invariant = equality(
        image(last(L), CONTEXT), last(L), proof, marks, row="i", column="r", given=weights
    )
    swapped = [witness(size) for size in SIZES]
    earlier = differs(
        image(Z, MOVED), moved(Z, i=rho),
        {"exact": by_exact(swapped), "numeric": by_numpy_differs(swapped)},
        row="i", column="r", over=sizes(among={m: SIZES}),
    )  # fmt: skip
    others = [
        replace(swapped[0], maps={**swapped[0].maps, "tau": t}) for t in permutations(range(3))
    ]
    rearranged = differs(
        image(Z, MOVED), moved(Z, i=tau),
        {"exact": by_exact(others), "numeric": by_numpy_differs(others)}, every=(tau,),
        row="i", column="r", over=sizes(among={m: SIZES[:1]}),
    )  # fmt: skip
    return TheoremFile(
        id="causal_last_token_invariant",
        title="One causal layer: the last token does not see the order before it",
        words=(
            Sentence(
                "Permuting the tokens before the last changes nothing in the last row of one "
                "causal layer, with skip and row-wise maps.",
                (0,),
            ),
            Sentence(
                "Earlier rows do change, for m = 3 to 8 tokens: a causal layer is not equivariant.",
                (1,),
            ),
            Sentence(
                "For m = 3 and any other order there are tokens for which they are not the old "
                "rows in that order.",
                (2,),
            ),
        ),
        claims=(*in_rocq("causal_last_token_invariant", invariant, earlier), rearranged),
        derivation="""
            L′[n+1, r] = F_r(x[1, r] + Z_x′[1, r])   the last row alone: one query over all tokens
                       = F_r(x[1, r] + Z_x[1, r])
                    a sum does not see the order of its terms (sum_act)
                       = L[n+1, r]                   the last row alone
        """,
        uses=("sum_act", "generation_order_independent"),
        neighbour=nearby(
            invariant,
            "The same of an earlier row: its token is another one now, and so is what it sees.",
            lhs=earlier_rows(image(L, CONTEXT)),
            rhs=earlier_rows(L),
        ),
        neighbours=(
            nearby(
                earlier,
                "If the mask travels with the tokens, nothing differs.",
                lhs=Masked(moved(Y, i=rho), moved(M, i=rho, j=rho), weights=ONE).Z,
            ),
            nearby(
                rearranged, "The same rows in another order are the same rows.", lhs=rearranged.rhs
            ),
        ),
        source="2402.05969, abstract; Irie 2025",
        citations=("irie2025", "kazemnejad2023"),
        show=show(
            *layer,
            Named("C'", PC, "i", "c"),
            *images,
            *bare,
            Named("Y'", RY, "i", "c"),
            *means,
            alike=({"C'": "C"} | like, {"Y'": "Y"} | like_bare),
        ),
        chains=((Named("The last row", last(L), "i", "r"), proof),),
        lemmas={
            opened: "the last row alone: one query over all tokens",
            pushed.theorem: "a sum does not see the order of its terms (sum_act)",
            closed: "the last row alone",
        },
    )


def parts(context: Term) -> tuple[Named, ...]:
    """The layer of this context and x, its parts by name: L at the end."""
    tokens = cat(context, x, "i")
    earlier, final = Masked(tokens, g, context), Masked(tokens, None, x)
    whole = row_wise(skip(tokens, cat(earlier.Z, final.Z, "i")))
    return (
        Named("T", tokens, "i", "c"),
        *earlier.named(),
        *final.named("x", "QSAZ"),
        Named("L", whole, "i", "r"),
    )


def earlier_rows(t: Term) -> Term:
    """The rows of the context."""
    return at(t, {"i": EARLIER("i")})


def witness(size: int) -> Witness:
    """Uniform weights, the values (1, 0, …, 0), and the first two tokens swapped."""
    tensors = {
        "Y": [[1]] + [[0]] * (size - 1),
        **{"u_Q": [[0]], "u_K": [[0]], "u_V": [[1]]},
    }
    return Witness({"m": size}, {"rho": (1, 0, *range(2, size))}, tensors, query="u_Q")


if __name__ == "__main__":
    main(__spec__)
