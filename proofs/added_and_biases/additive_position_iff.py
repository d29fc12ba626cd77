"""Attention of X + E commutes with P for all X and all weights if and only if P E = E.

If P E = E, then P X + E = P (X + E), and attention takes it from there. If not, no search is
needed: take one feature in which D = P E − E is not 0, all weights 1, and X = −PᵀE. Then P X + E is
0, and so is f(P X). But P f(X) is the attention of D to itself, and D adds up to 0; where D is
largest, the query weighs positive entries more and negative ones less, and the output is positive.
"""

from orderproof.proofs.prelude import *

from .added_tables import DIFFERENCE, MOVED_TABLE, ONES, SIDES, WITH_TABLE, ZERO, E, table_moved

ROW = tensor("a", c=d)  # the same row for all
LARGEST_ROW = ("largest right", "split", "scale", "permute", "constant", "positive", "outweigh")


@theorem(
    title="When attention with an added table E commutes with P",
    words=(
        Sentence("If P E = E, attention of X + E commutes with P for all X and all weights.", (0,)),
        Sentence(
            "For a table e with one feature and P e ≠ e, attention of X + e does not "
            "commute with P: take X = −Pᵀe and all weights 1.",
            (1,),
        ),
        Sentence("If all rows of E are equal, it commutes with every P.", (2,)),
        Sentence("Of more features, too, only if P E = E: output_differs_of_rows."),
    ),
    source="positions added to the tokens: Vaswani et al. 2017, section 3.5",
    citations=("vaswani2017",),
    uses=("self_attention_equivariant", "sum_act", "equivariant_of_fixed_position_table"),
)
def additive_position_iff() -> Proof:
    """The first and the third claim are those of equivariant_of_fixed_position_table. For the
    second let there be one feature, all weights one, and the tokens {the tokens of the witness}.
    Where they are permuted they meet the table and cancel, since
    {the permuted tokens}
    so that O is zero, and with it the output Z_O. Where they are not permuted attention is given
    their sum with the table, D, and the query at i reads
    {what one query reads}
    A sum does not depend on the order of its terms (sum_act), and so
    {one sum in two orders}
    which says that the entries of D add up to zero. Not all of them are zero, since P moves e; the
    largest is therefore positive. Let i be its row and g its value. Such a query weighs what is
    positive more, and what is negative less, than a constant weight would:
    {weighed more or less}
    Added up over all entries of D the right sides are more than zero, for at row i itself the two
    sides are not equal. So the output Z_D is positive at i, while Z_O is zero everywhere.
    """
    marks = {"sympy": by_sympy, "numeric": by_numpy()}
    facts, out = [fixed(E, i=sigma)], {"i": sigma}
    if_fixed = equivariance(WITH_TABLE.Z, TOKENS, out, marks, facts=facts, row="i", column="r")
    only_if = holds(
        SIDES[0], "≠", SIDES[1], {"smt": by_chain(*LARGEST_ROW)}, some=True, row="i", column="r",
        given=[MOVED_TABLE, *ONES],
    )  # fmt: skip
    constant = Attention(add(X, ROW), as_keys(add(X, ROW)))
    every = equivariance(constant.Z, TOKENS, out, marks, row="i", column="r")
    table = Named("H", add(X, E), "i", "c"), *WITH_TABLE.named()
    same_row = Named("H_a", add(X, ROW), "i", "c"), *constant.named(of="_a")
    named = (*table, *ZERO, *DIFFERENCE, *same_row)
    return Proof(
        claims=in_rocq("additive_position_iff", if_fixed, only_if, every),
        planted=(
            transposed(
                if_fixed, "If P E = E, the output is permuted by P; with Pᵀ it fails at a 3-cycle."
            ),
            transposed(every),
            table_moved(only_if),
        ),
        show=show(*named, alike=(like(DIFFERENCE, ZERO), like(same_row, table))),
        pushed=(),  # equivariant_of_fixed_position_table shows them
        primes=(if_fixed.pushed, every.pushed),
    )
