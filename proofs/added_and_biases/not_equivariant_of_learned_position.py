"""A learned position table can show the order: f(P X) ≠ P f(X) for some table, tokens and weights.

Z3 looks for the tokens, the table and the weights at once, among those whose scores are integer
multiples of ln 2, so that every attention weight is a power of 2 over a sum of powers of 2. What
it finds is replayed in rational arithmetic by code that shares nothing with the search. And for
every n ≥ 2 there is a table that can be told: (1, 0, …, 0), one feature, with all tokens 0.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.position_theorems import OUTPUT_MOVES, STAYS, E, refuted
from orderproof.proofs.shared.swaps import swap, upto
from orderproof.symbolic.schemes.tables import FEATURES, SIGMA, WEIGHTS, X
from orderproof.symbolic.schemes.tables import TOKENS as PLACES


@theorem(
    title="Self-attention with a learned position table need not be equivariant",
    words=(
        Sentence(
            "For n = 2, 3 and d = 1, 2 there are tokens, a table, weights and a "
            "permutation with f(PX) ≠ P f(X).",
            (0,),
        ),
        Sentence("For d = 1 there are such for every n ≥ 2.", (1,)),
    ),
    source="learned positions, added to the tokens: Vaswani et al. 2017, section 3.5",
    citations=("vaswani2017",),
    uses=("equivariant_of_fixed_position_table",),
)
def not_equivariant_of_learned_position() -> Proof:
    proof = refuted("learned", "exact", for_every_size())
    return replace(proof, claims=in_rocq("not_equivariant_of_learned_position", *proof.claims))


def for_every_size() -> Claim:
    """One feature: all tokens 0, and the table (1, 0, …, 0). The first row's query gives its own
    key the weight 2, so it becomes 2/(n+1), and every other row 1/n."""
    one: dict[str, list[list[int]]] = {w: [[1]] for w in WEIGHTS}
    found = []
    for size in range(2, 9):
        tensors = {"X": [[0]] * size, "E": [[1]] + [[0]] * (size - 1)}
        swapped = (1, 0, *range(2, size))
        found.append(Witness({"n": size, "d": 1}, {"σ": swapped}, tensors | one))
    values = [Atom(X, "=", number(0)), Atom(E, "=", upto(PLACES, 0)), swap(PLACES, SIGMA)]
    values += [Atom(w, "=", number(1)) for w in WEIGHTS.values()]
    marks: dict[str, Check] = {
        "exact": by_exact(found),
        "smt": by_chain("first", "scale", "single here", values=values),
        "numeric": by_numpy_differs(found),
    }
    over = sizes({PLACES: 2}, {FEATURES: (1,)})
    return differs(STAYS, OUTPUT_MOVES, marks, row="i", column="v", over=over)
