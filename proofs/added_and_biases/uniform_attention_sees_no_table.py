"""Attention with uniform weights is permutation invariant, whatever the position table is.

With a constant in place of exp(q·k) each weight is 1/n, and every row of the output is the mean of
the values. The values of P X + E are P X W_V + E W_V, and a sum does not depend on the order of its
terms: so their mean is that of the values of X + E. This is why P E = E need hold only for weight
functions that are not constant.
"""

from orderproof.proofs.prelude import *

E = tensor("E", i=n, c=d)
PX = moved(X, i=sigma)


def values(tokens: Term) -> Term:
    """Their values, over j and r."""
    return contract(as_keys(tokens), W_V, "c")


def uniform(rows: Term) -> Term:
    """The output of uniform weights for any query: each row weighed 1/n."""
    return contract(divide(number(1), size(n)), rows, "j")


def apart(tokens: Term) -> tuple[Theorem, list[Lemma]]:
    """(X + E) W_V = X W_V + E W_V: of each product, and of their sums."""
    rows, table = as_keys(tokens), as_keys(E)
    products = add(multiply(rows, W_V), multiply(table, W_V))
    each = by_laws(multiply(add(rows, table), W_V), products)
    first = kernel.cong(values(add(tokens, E)), [each.fact])
    sums = by_laws(total(products, "c"), add(values(tokens), values(E)), "split")
    return chain(first, sums.fact), [each, sums]


@theorem(
    title="Uniform attention is permutation invariant with any position table",
    words="With every weight 1/n, the values of P X + E and those of X + E have the same mean for "
    "all X, E and W_V: the output does not depend on the order of the tokens.",
    source="positions added to the tokens: Vaswani et al. 2017, section 3.5",
    citations=("vaswani2017",),
    uses=("additive_position_iff", "sum_act"),
)
def uniform_attention_sees_no_table() -> Proof:
    """Products and sums distribute over the sum of tokens and table, so that
    {the mean of values}
    The first sum on the right has the terms of the unpermuted one in another order (sum_act), and
    the second does not contain σ.
    """
    sides, lemmas = [], []
    for tokens in (PX, X):
        linear, own = apart(tokens)
        sides.append(putting(uniform(values(add(tokens, E))), linear))
        lemmas += own
    left, right = (uniform(values(add(tokens, E))) for tokens in (PX, X))
    moved_mean, mean = (uniform(add(values(tokens), values(E))) for tokens in (PX, X))
    same = by_laws(moved_mean, mean, "scale", "split", "permute")
    proof = chain(sides[0], same.fact, kernel.sym(sides[1]))
    marks = {
        "smt": joined(proof, *lemmas, same),
        "sympy": by_sympy_simplified_at({"d_v": 1}, tokens=3), "numeric": by_numpy(),
    }  # fmt: skip
    blind = holds(left, "=", right, marks, column="r")
    return Proof(
        claims=in_rocq("uniform_attention_sees_no_table", blind),
        planted=nearby(
            blind,
            "The output depends on the tokens too, not on the table alone.",
            rhs=uniform(values(E)),
        ),
        show=show(
            Named("V", values(add(X, E)), "j", "r"),
            Named("V_s", values(add(PX, E)), "j", "r"),
            Named("z", right, None, "r"),
            Named("z_s", left, None, "r"),
        ),
    )
