"""If the matrix between a query and a key is another, an output of attention changes.

Let R(m, q) differ in an entry. Let the first feature of every token be 1 and W_Q take it to the row
of that entry; let the second be 1 at token q and 0 elsewhere, and W_K take it to the column. The
score of token q for m is then that entry over √d, and all other scores are 0. With W_V the
projection on the second feature the output is g exp(s)/(g exp(s) + r), where s is that score, g > 0
the weight that the mask gives to q, and r > 0 the sum of the others'; it is increasing in s.
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.models import CONTEXT

from .changes import OTHER, SEEN, Chosen, Counts, Maps, here, nothing, output_differs, there

SAME_MASK = Atom(here("G"), "=", there("G"))
TWO_SEEN = {Atom(number(0), "<", at(here("G"), {"j": token()})) for token in (SEEN, OTHER)}
TWO = Atom(at(delta(CONTEXT, "i", "j"), {"i": SEEN(), "j": OTHER()}), "=", number(0))
NEW, OLD = (at(row("R"), {"j": SEEN()}) for row in (here, there))
CHANGED = Atom(NEW, "≠", OLD, some=True)


@theorem(
    title="If the rotation between a query and a key is another, an output can change",
    words=(
        Sentence(
            "Let token m see token q and one token more, and σ(m) their images alike, and let "
            "the matrix R'(m, q) between query and key be another than R(σ(m), σ(q)). Then, "
            "with two features or more, for some tokens and weights the output of one layer at "
            "m, for the permuted tokens, is not that at σ(m).",
            (0,),
        ),
        Sentence("So it is of two layers, each with its skip.", (1,)),
    ),
    source="rotated queries and keys: Su et al. 2021, eq. 16",
    citations=("su2021",),
    uses=("sum_act",),
)
def output_differs_of_rotations() -> Proof:
    """Let one entry of the matrix between m and q have changed. Let the first feature of every
    token be one and take it, by W_Q, to the row of that entry; let the second feature be one at q
    alone and take it, by W_K, to the column. Then the score of q is that entry, all other scores
    are zero, and the weight of q grows with its score.
    """
    given = {SAME_MASK, *TWO_SEEN, TWO, CHANGED}
    name = "output_differs_of_rotations"
    return output_differs(name, "RG", given, entries_read, fit=same_mask, features=2)


def same_mask(drawn: Values, maps: Maps) -> None:
    """The mask of σ(m) is that of m."""
    sigma, m = list(maps["sigma"]), maps["m"]
    drawn["G_t"][m] += 1
    drawn["G"][sigma[m], sigma] = drawn["G_t"][m]


def entries_read(sizes: Counts, maps: Maps, given: Values) -> Iterator[Chosen]:
    """Feature 1 of every token is 1, feature 2 of token q alone; W_Q and W_K take them to an entry
    of the rotation."""
    x = nothing(sizes)
    x[:, 0], x[maps["sigma"][maps["q"]], 1] = 1, 1
    for c in range(sizes["d"]):
        for e in range(sizes["d"]):
            yield x, {"Q": (0, c), "K": (1, e), "V": (1, 1)}
