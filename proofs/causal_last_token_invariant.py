"""One causal layer: the last token does not see in which order the others stand before it.

The last row of a causal mask is all ones, so it is the same in any order of the context. The last
token's output is one query over all tokens, like a step of generation, and a sum does not see the
order of its terms. Skip and row-wise maps act on its row alone. Earlier rows do move, and not as P
would move them: with uniform weights the values (1, 0, 0) give the running means (1, 1/2, 1/3), and
(0, 1, 0) gives (0, 1/2, 1/3).
"""

from orderproof.symbolic import kernel
from orderproof.symbolic.inward import inward
from orderproof.symbolic.language import image, leaf_of, moved, tensor
from orderproof.symbolic.tactic import act, chain
from orderproof.symbolic.terms import Term, at

from .causal import AROUND, CONTEXT, EARLIER, C, G, Masked, T, causal, last, row_wise, show, skip, x
from .claims import Claim, Named, StuckError, TheoremFile, equality, nearby, pushing
from .marks import by_kernel, by_sympy
from .marks_numeric import by_numpy, by_numpy_differs
from .script import main
from .vocabulary import TOKENS, X, d, d_k, n, sigma
from .witnesses import Witness, by_exact

SIZES = tuple(range(2, 9))
M = tensor("G_n", i=n, j=n)  # the mask of n tokens


def theorem() -> TheoremFile:
    """The last row by pushing, under the hypothesis that its row of the mask does not move."""
    layer, bare = Masked(T, G), Masked(X, M)
    Y, Z = row_wise(skip(T, layer.Z)), bare.Z
    selected = inward(last(Y))
    D = image(T, CONTEXT)
    hypothesis = kernel.hyp(at(last(G), {"j": AROUND("j")}), last(G))
    pushed = pushing(selected.rhs, CONTEXT, [hypothesis])
    if any(pushed.motion):
        raise StuckError("the last row was expected to stay where it is")
    permuted = {leaf_of(C): act(C.node, CONTEXT[leaf_of(C)])}
    opened, closed = kernel.inst(selected, permuted), kernel.sym(selected)
    proof = chain(opened, pushed.theorem, closed)
    marks = {"kernel": by_kernel, "sympy": by_sympy, "numeric": by_numpy()}
    invariant = equality(image(last(Y), CONTEXT), last(Y), proof, marks, row="i", column="r")
    swapped = [witness(size) for size in SIZES]
    earlier = Claim(
        "exists", image(Z, TOKENS), moved(Z, i=sigma),
        {"exact": by_exact(swapped), "numeric": by_numpy_differs(swapped)},
        scope="n = 2, …, 8", relation="≠", row="i", column="r",
        sizes={n: ("∈", SIZES)} | dict.fromkeys((d, d_k), ("∈", (1,))),
    )  # fmt: skip
    return TheoremFile(
        id="causal_last_token_invariant",
        title="One causal layer: the last token does not see the order before it",
        words="Permuting the tokens before the last changes nothing in the last row of one causal "
        "layer, with skip and row-wise maps. But a causal layer is not equivariant: earlier rows "
        "see how many tokens stand before them.",
        source="2402.05969, abstract; Irie 2025",
        citations=("irie2025", "kazemnejad2023"),
        claims=(invariant, earlier),
        chains=((Named("The last row", last(Y), "i", "r"), proof),),
        lemmas={
            opened: "the last row alone: one query over all tokens",
            pushed.theorem: "a sum does not see the order of its terms (sum_act)",
            closed: "the last row alone",
        },
        show=show(
            Named("T", T, "i", "c"),
            *layer.named(),
            Named("Y", Y, "i", "r"),
            Named("D", D, "i", "c"),
            *Masked(D, G).named("D"),
            Named("U", image(Y, CONTEXT), "i", "r"),
            *Masked(T, last(G), x).named("x", "QSAZ"),
            *Masked(D, last(G), x).named("d", "SAZ"),
            *bare.named("n", "SA"),
            Named("f", Z, "i", "r"),
            *Masked(moved(X, i=sigma), M).named("P", "SA"),
            Named("g", image(Z, TOKENS), "i", "r"),
        ),
        neighbour=nearby(
            invariant,
            "The same of an earlier row: its token is another one now, and so is what it sees.",
            lhs=earlier_rows(image(Y, CONTEXT)),
            rhs=earlier_rows(Y),
        ),
        neighbours=(
            nearby(
                earlier,
                "If the mask travels with the tokens, nothing differs.",
                lhs=image(Z, TOKENS | {leaf_of(M): (sigma, sigma)}),
            ),
        ),
        uses=("sum_act", "generation_order_independent"),
    )


def earlier_rows(t: Term) -> Term:
    """The rows of the context."""
    return at(t, {"i": EARLIER("i")})


def witness(size: int) -> Witness:
    """Uniform weights, the values (1, 0, …, 0), and the first two tokens swapped."""
    tensors = {
        "X": [[1]] + [[0]] * (size - 1),
        "G_n": causal(size),
        **{"W_Q": [[0]], "W_K": [[0]], "W_V": [[1]]},
    }
    return Witness({"n": size, "d": 1, "d_k": 1}, {"sigma": (1, 0, *range(2, size))}, tensors)


if __name__ == "__main__":
    main(__spec__)
