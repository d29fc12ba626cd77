"""A common offset of all places: relative schemes keep it, absolute ones lose it with one token.

"A position embedding breaks the permutation symmetry to translational": that depends on the scheme.
A bias, relative key or rotation that is made from the difference of two places is the same when
both places are t further on, and so is all that is computed from it, at any depth. A row that is
added to a token is not: already with one token, which attention only copies, the output is another.
(`orderproof table` has the column "offset" for every scheme.)
"""

from orderproof.symbolic.architecture import softmax
from orderproof.symbolic.language import add, contract, iota, multiply, pointwise, subtract, tensor
from orderproof.symbolic.rotations import T, differences_account
from orderproof.symbolic.terms import Term

from .claims import Claim, Named, TheoremFile, nearby
from .marks import by_smt, by_sympy
from .marks_numeric import by_numpy, by_numpy_differs
from .naming import like
from .script import main
from .vocabulary import SELF, Attention, X, as_keys, d, d_k, d_v, n, show
from .witnesses import Witness, by_exact

SLOPE = tensor("s")
HERE, FURTHER = (tensor(name, i=n, c=d) for name in ("E", "E_t"))  # rows p, and rows p + t


def parts(offset: Term, of: str = "") -> tuple[Named, ...]:
    """Self-attention with a slope times a distance added to the scores (Press et al. 2022): bias,
    weights and output by name."""
    bias = multiply(SLOPE, offset)
    weights = softmax(add(SELF.S, bias), "j")
    places = (("B", bias, "ij"), ("A", weights, "ij"), ("Z", contract(weights, SELF.V, "j"), "ir"))
    return tuple(Named(f"{x}{of}", t, *axes) for x, t, axes in places)


def rows_added(rows: Term, of: str) -> tuple[Named, ...]:
    """Rows added to the tokens, and the parts of attention to them, by name."""
    tokens = add(X, rows)
    return Named(f"H{of}", tokens, "i", "c"), *Attention(tokens, as_keys(tokens)).named(of=of)


def distance(i: Term, j: Term) -> Term:
    """|j − i| (of j − i alone softmax would see no more than j)."""
    return pointwise("max", subtract(j, i), subtract(i, j))


def theorem() -> TheoremFile:
    """A bias by offsets, for all n; rows added to tokens, at n = 1."""
    places = iota(n, "i"), iota(n, "j")
    further = add(places[0], T), add(places[1], T)
    near, far = parts(distance(*places)), parts(distance(*further), "_t")
    stretched = parts(distance(places[0], multiply(T, places[1])), "_w")
    account = differences_account(far[-1].term, near[-1].term)
    kept = Claim(
        "identity", account.lhs, account.rhs,
        {"smt": by_smt(account), "sympy": by_sympy, "numeric": by_numpy()},
        scope="all n, all widths, every offset t", row="i", column="r",
    )  # fmt: skip
    row, row_on = rows_added(HERE, "_E"), rows_added(FURTHER, "_Et")
    absolute, moved_on = row[-1].term, row_on[-1].term
    one = {"W_Q": [[0]], "W_K": [[0]], "W_V": [[1]]}
    witness = Witness(
        dict.fromkeys(("n", "d", "d_k", "d_v"), 1), {}, {"X": [[0]], "E": [[0]], "E_t": [[1]]} | one
    )
    lost = Claim(
        "exists", moved_on, absolute,
        {"exact": by_exact([witness]), "numeric": by_numpy_differs([witness])},
        scope="one token, whose row is 0 at one place and 1 at the next", relation="≠",
        row="i", column="r", sizes=dict.fromkeys((n, d, d_k, d_v), ("∈", (1,))),
    )  # fmt: skip
    return TheoremFile(
        id="translation_by_scheme",
        title="A common offset: relative schemes keep it, absolute ones do not",
        words="A bias made from differences of places does not change when all places are t "
        "further on. Rows added to tokens do, already with one token.",
        source="S0: “breaks permutation symmetry to translational”",
        citations=("s0", "press2022", "vaswani2017"),
        claims=(kept, lost),
        show=show(
            *SELF.named("QKVS"),
            *near,
            *far,
            *stretched,
            *row,
            *row_on,
            alike=(
                like(far, near),
                like(stretched, near),
                {"E_t": "E"} | like(row_on, row),
            ),
        ),
        neighbour=nearby(
            kept,
            "If the places of the keys are stretched, their distances are others.",
            lhs=stretched[-1].term,
        ),
        neighbours=(nearby(lost, "The same rows show nothing.", lhs=absolute),),
        uses=("rope_relative_score", "sinusoidal_shift_is_rotation"),
    )


if __name__ == "__main__":
    main(__spec__)
