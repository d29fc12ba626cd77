"""Averages contract: rows of A V are apart by at most the total variation of those of A.

If the rows of A have one sum, c = a_i − a_l adds up to 0. Each pair of a positive and a negative
entry of c brings one difference of two rows of V, so the distance of rows i and l of A V is at most
half the sum of |c| times the largest distance of two rows of V. The largest of these halves is
Dobrushin's coefficient τ(A). The theorem in Rocq is about any seminorm; the root of the sum of
squares of a whole matrix less its mean row does not contract so.
"""

from orderproof.proofs.prelude import *

from .distances import distance, largest, spread, there_are, variation

G, V = tensor("G", i=n, j=m), tensor("V", j=m, r=d_v)
A = normalised(G, "j")  # every row-stochastic matrix is one, itself normalised
Z = contract(A, V, "j")
WEIGHTS = (Atom(number(0), "≤", G), Atom(number(0), "<", total(G, "j")))
B, U = tensor("B", i=n, j=n), tensor("U", j=n, r=d_v)
MIXED = contract(B, U, "j")
STOCHASTIC = (Atom(number(0), "≤", B), Atom(total(B, "j"), "=", number(1)))
PAIRS = Witness(  # two rows that read the first token, two that read the second
    {"n": 4, "d_v": 1}, {},
    {"B": [[1, 0, 0, 0]] * 2 + [[0, 1, 0, 0]] * 2, "U": [[1], [0], [0], [0]]},
)  # fmt: skip


@theorem(
    title="Averages contract: rows of A V are at most τ(A) times as far apart as V’s",
    words=(
        Sentence(
            "Two rows of A V are apart by at most the total variation of those of A times the "
            "largest distance of two rows of V.",
            (0,),
        ),
        Sentence(
            "So the spread of A V is at most τ(A) times that of V, τ(A) the largest of these "
            "total variations.",
            (1,),
        ),
        Sentence(
            "The sum of squares about the mean row can grow: for rows (e₁, e₁, e₂, e₂) and "
            "V = (1, 0, 0, 0) it is 3/4 before and 1 after.",
            (2,),
        ),
    ),
    source="the coefficient of ergodicity: Dobrushin 1956",
    citations=("dobrushin1956",),
)
def attention_contracts() -> Proof:
    """Rows i and l of the output differ by
    {two rows of averages}
    The differences of the weights add up to zero, since both rows add up to one: what is more in
    one row is less in the other, and either comes to
    {as much more as less}
    Move the one onto the other, part by part. Each part moves between two rows of V, so by s_V at
    most, and the parts add up to T. The second claim takes the largest value on both sides, and the
    third is four tokens in numbers.
    """
    two = holds(
        distance(Z, "r"), "≤", multiply(variation(A), spread(V, "r")),
        {"numeric": by_numpy()}, given=WEIGHTS, over=sizes({m: 1}),
    )  # fmt: skip
    whole = holds(
        spread(Z, "r"), "≤", multiply(largest(variation(A, "p", "q")), spread(V, "r")),
        {"numeric": by_numpy()}, given=WEIGHTS, over=sizes({n: 1, m: 1}),
    )  # fmt: skip
    before, after = about_the_mean(U, "j"), about_the_mean(MIXED, "i")
    squares = there_are(before, "<", after, [PAIRS], such=STOCHASTIC, among={n: (4,), d_v: (1,)})
    return Proof(
        claims=(*in_rocq("attention_contracts", two, whole), squares),
        planted=(nearby(
            two,
            "Half of that is too little: rows e₁ and e₂ of A read two rows of V.",
            rhs=multiply(number(Fraction(1, 2)), variation(A), spread(V, "r")),
        ), nearby(
                whole, "The spread is not kept: means are closer.", lhs=whole.rhs, rhs=whole.lhs
            ), nearby(
                squares,
                "The largest distance of two rows does not grow.",
                lhs=spread(U, "r"),
                rhs=spread(MIXED, "r"),
            ),),
        show=show(
            Named("A", A, "i", "j"), Named("T", variation(A), "i", "l"),
            Named("Z", Z, "i", "r"),
            Named("tau", largest(variation(A, "p", "q"))),
            Named("s_V", spread(V, "r")), Named("s_Z", spread(Z, "r")),
            Named("q_U", before), Named("q_BU", after),
        ),
    )  # fmt: skip


def about_the_mean(rows: Term, row: str) -> Term:
    """The sum of the squares of a matrix less its mean row."""
    apart = subtract(rows, mean(rows, row))
    return total(total(multiply(apart, apart), "r"), row)
