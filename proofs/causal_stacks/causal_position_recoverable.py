"""A first token unlike the others makes the position visible to one causal layer.

The tokens are b, x, …, x. Whatever the scores, which depend on content alone, row t weighs b by
exp(s_b) and each of the t − 1 others by exp(s_x), so it is v_x + (v_b − v_x)/(1 + (t − 1) ρ) with
ρ = exp(s_x − s_b) > 0. This is strictly monotone in t in every feature in which v_b and v_x differ:
all rows differ if and only if v_b ≠ v_x. With uniform weights ρ = 1, and row t carries 1/t.
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.running_means import causal_mask

b, x = tensor("b", c=d), tensor("x", c=d)
FIRST = pointwise("at_most", iota(n, "i"), number(0))  # 1 at the first token, else 0
SEQUENCE = add(multiply(FIRST, b), multiply(subtract(number(1), FIRST), x))
LAYER = AttentionLayer(SEQUENCE, as_keys(SEQUENCE), (W_Q, W_K, W_V), mask=causal_mask(n))
V_B, V_X = (contract(token, W_V, "c") for token in (b, x))
HERE, THERE = constant("s", n), constant("t", n)
BEFORE = Atom(at(iota(n, "i"), {"i": HERE()}), "<", at(iota(n, "i"), {"i": THERE()}))


@theorem(
    title="A first token unlike the others lets one causal layer tell positions apart",
    words=(
        Sentence(
            "On b, x, …, x, row t of the output is v_x + (v_b − v_x)/(1 + (t − 1) ρ), ρ the "
            "weight of x over that of b for the query of x.",
            (0,),
        ),
        Sentence("Any two rows differ if and only if v_b ≠ v_x.", (1, 2)),
    ),
    source="Kazemnejad et al. 2023; Haviv et al. 2022",
    citations=("kazemnejad2023", "haviv2022"),
    uses=("causal_last_token_invariant",),
)
def causal_position_recoverable() -> Proof:
    """A token after the first gives b some weight and each of the others ρ times this weight,
    itself among them. So its output is a mean of v_b and v_x with one share for b and ρ for each of
    the others. Since ρ is positive, the share of b falls with every token; where the values differ
    in a feature, so do all rows, and where they differ in none, all rows are equal.
    """
    small = by_sympy_simplified_at({"n": 2, "d": 2, "d_k": 2, "d_v": 1})
    share = add(number(1), multiply(iota(n, "i"), ratio()))
    closed = add(V_X, divide(subtract(V_B, V_X), share))
    rows = holds(
        LAYER.Z, "=", closed, {"sympy": small, "numeric": by_numpy()},
        row="i", column="r", over=sizes({d_k: 1}),
    )  # fmt: skip
    here, there = (at(LAYER.Z, {"i": place()}) for place in (HERE, THERE))
    differ, same = (
        holds(
            here, relation, there, {}, some=some,
            given=[BEFORE, Atom(V_B, relation, V_X, some=some)], over=sizes({d_k: 1}),
        )
        for relation, some in (("≠", True), ("=", False))
    )  # fmt: skip
    return Proof(
        claims=in_rocq("causal_position_recoverable", rows, differ, same),
        iffs=((1, 2),),
        planted=nearby(
            rows,
            "The first row is v_b, so that t − 1 tokens weigh ρ, not t.",
            rhs=add(V_X, divide(subtract(V_B, V_X), add(share, ratio()))),
        ),
        show=show(
            Named("X", SEQUENCE, "i", "c"), *LAYER.named(),
            Named("v_b", V_B), Named("v_x", V_X), Named("rho", ratio()),
        ),
    )  # fmt: skip


def ratio() -> Term:
    """exp(s_x − s_b): the weight of x over that of b, for the query of x."""
    query = contract(x, W_Q, "c")
    of_x, of_b = (contract(query, contract(token, W_K, "c"), "k") for token in (x, b))
    return exp(divide(subtract(of_x, of_b), sqrt(size(d_k))))
