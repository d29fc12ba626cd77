"""A first token unlike the others makes the position visible to one causal layer.

The tokens are b, x, …, x. Whatever the scores, which depend on content alone, row t weighs b by
exp(s_b) and each of the t − 1 others by exp(s_x), so it is v_x + (v_b − v_x)/(1 + (t − 1) ρ) with
ρ = exp(s_x − s_b) > 0. This is strictly monotone in t in every feature in which v_b and v_x differ:
all rows differ if and only if v_b ≠ v_x. With uniform weights ρ = 1, and row t carries 1/t.
"""

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Atom,
    Named,
    Sentence,
    TheoremFile,
    holds,
    in_rocq,
    nearby,
    sizes,
)
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_simplified_at
from orderproof.proofs.shared.symbols import W_K, W_Q, W_V, as_keys, d, d_k, n, show
from orderproof.symbolic.calculus.terms import Map, Term, at
from orderproof.symbolic.models.attention import AttentionLayer
from orderproof.symbolic.models.builders import (
    add,
    constant,
    contract,
    divide,
    exp,
    iota,
    multiply,
    number,
    pointwise,
    size,
    sqrt,
    subtract,
    tensor,
)
from orderproof.symbolic.schemes.running_means import causal_mask

b, x = tensor("b", c=d), tensor("x", c=d)
FIRST = pointwise("at_most", iota(n, "i"), number(0))  # 1 at the first token, else 0
TOKENS = add(multiply(FIRST, b), multiply(subtract(number(1), FIRST), x))
LAYER = AttentionLayer(TOKENS, as_keys(TOKENS), (W_Q, W_K, W_V), mask=causal_mask(n))
V_B, V_X = (contract(token, W_V, "c") for token in (b, x))
HERE, THERE = constant("s", n), constant("t", n)
BEFORE = Atom(at(iota(n, "i"), {"i": HERE()}), "<", at(iota(n, "i"), {"i": THERE()}))


def theorem() -> TheoremFile:
    """The rows, and when they differ."""
    sizes_of = {"n": 2, "d": 2, "d_k": 2, "d_v": 1}
    marks = {"sympy": by_sympy_simplified_at(sizes_of), "numeric": by_numpy()}
    share = add(number(1), multiply(iota(n, "i"), ratio()))
    closed = add(V_X, divide(subtract(V_B, V_X), share))
    rows = holds(LAYER.Z, "=", closed, marks, row="i", column="r", over=sizes({d_k: 1}))
    differ = holds(
        row(HERE), "≠", row(THERE), {}, some=True,
        given=[BEFORE, Atom(V_B, "≠", V_X, some=True)], over=sizes({d_k: 1}),
    )  # fmt: skip
    same = holds(
        row(HERE), "=", row(THERE), {},
        given=[BEFORE, Atom(V_B, "=", V_X)], over=sizes({d_k: 1}),
    )  # fmt: skip
    return TheoremFile(
        id="causal_position_recoverable",
        title="A first token unlike the others lets one causal layer tell positions apart",
        words=(
            Sentence(
                "On b, x, …, x, row t of the output is v_x + (v_b − v_x)/(1 + (t − 1) ρ), ρ the "
                "weight of x over that of b for the query of x.",
                (0,),
            ),
            Sentence("Any two rows differ if and only if v_b ≠ v_x.", (1, 2)),
        ),
        claims=in_rocq("causal_position_recoverable", rows, differ, same),
        iffs=((1, 2),),
        uses=("causal_last_token_invariant",),
        neighbour=nearby(
            rows,
            "The first row is v_b, so that t − 1 tokens weigh ρ, not t.",
            rhs=add(V_X, divide(subtract(V_B, V_X), add(share, ratio()))),
        ),
        source="Kazemnejad et al. 2023; Haviv et al. 2022",
        citations=("kazemnejad2023", "haviv2022"),
        show=show(
            Named("X", TOKENS, "i", "c"), *LAYER.named(),
            Named("v_b", V_B), Named("v_x", V_X), Named("rho", ratio()),
        ),
    )  # fmt: skip


def ratio() -> Term:
    """exp(s_x − s_b): the weight of x over that of b, for the query of x."""
    query = contract(x, W_Q, "c")
    of_x, of_b = (contract(query, contract(token, W_K, "c"), "k") for token in (x, b))
    return exp(divide(subtract(of_x, of_b), sqrt(size(d_k))))


def row(place: Map) -> Term:
    """The output at a place, over r."""
    return at(LAYER.Z, {"i": place()})


if __name__ == "__main__":
    main(__spec__)
