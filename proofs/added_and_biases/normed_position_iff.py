"""After a layer norm, some gain not 0, attention commutes with P iff rows of P E − E are constant.

If it is, the norm loses what P changes in the table. If not, let P X + E be v in every row: one
side is attention to equal rows LN(v), the other to the rows of LN(v + D), D = E − PᵀE. In a feature
whose gain is not 0 they differ at v = 0, or, where D is at its mean in it, if v is 1 in it, as D
adds to the variance. And a column g that is its own queries, keys and values gives b in every
output only if it is b: weighed equally, h = g − b adds up to 0; weighed by exp h, only if h = 0.
"""

from orderproof.proofs.prelude import *

from .normed_rows import CONSTANT, DEFINITIONS, SHOWN, SIDES, gamma

SOME_GAIN = Atom(gamma, "≠", number(0), some=True)
CHOSEN = frozenset(map(leaf_of, (X, W_Q, W_K, W_V)))
OVER = ({"n": 2, "d": 2, "d_k": 1, "d_v": 2}, {"n": 4, "d": 3, "d_k": 2, "d_v": 1})


@theorem(
    title="Normed attention (γ ≠ 0) commutes with P iff P E − E is constant on rows",
    words=(
        Sentence(
            "Let some gain of the layer norm not be 0. Attention to the layer norm of X + E "
            "commutes with P for all X and all projections if and only if every row of "
            "P E − E is constant.",
            (0, 1),
        ),
        Sentence("If all gains are 0, it commutes with every P, whatever the table.", (2,)),
    ),
    source="layer norm: Ba et al. 2016, eq. (3)",
    citations=("ba2016", "vaswani2017"),
    uses=("pre_norm_equivariant_of_row_constants",),
)
def normed_position_iff() -> Proof:
    """The first claim is pre_norm_equivariant_of_row_constants, and for the third all rows of the
    norm are β, in any order. For the second choose the tokens so that, permuted, they meet the
    table in equal rows. Attention to equal rows copies one of them: all outputs of that side are
    equal. The other side attends to the norm of rows that P has changed. In a feature whose gain is
    not zero these rows differ from the first ones, if need be because what has changed adds to the
    variance. Let this feature be its own query, key and value. Weighed equally, its differences
    from the output of the other side would have to add up to zero; weighed by the exponential,
    which gives more to what is larger, they can do so only if they all are zero.
    """
    over = sizes({d: 1, d_k: 1, d_v: 1})
    given, changes = {POSITIVE, SOME_GAIN}, CONSTANT.opposite()
    sides = partial(holds, SIDES[0], rhs=SIDES[1], row="i", column="r")
    chosen = by_choice(normed_tables, one_feature, OVER)
    if_constant = sides("=", marks={}, given=given | {CONSTANT}, over=over)
    only_if = sides("≠", marks={"numeric": chosen}, some=True, given=given | {changes}, over=over)
    only_if = only_if.stating(exists=CHOSEN)
    no_gain = sides(
        "=", marks={"sympy": by_sympy, "numeric": by_numpy()},
        given=[SOME_GAIN.opposite(), POSITIVE],
    )  # fmt: skip
    return Proof(
        claims=in_rocq("normed_position_iff", if_constant, only_if, no_gain),
        iffs=((0, 1),),
        planted=(nearby(
            only_if, "If all gains are 0, both sides are equal, whatever the table.",
            given=frozenset({POSITIVE, SOME_GAIN.opposite(), changes}),
        ), nearby(
                only_if, "If every row of P E − E is constant, both sides are equal.",
                given=frozenset(given | {CONSTANT}),
            ), nearby(
                no_gain, "If some gain is not 0, the norm need not lose the table.",
                given=frozenset(given),
            ),),
        show=SHOWN,
        definitions=DEFINITIONS,
    )  # fmt: skip


def normed_tables(rng: Any, sizes: Counts, maps: Maps) -> Values:
    """A table E, and gain, bias and ε of a layer norm. About half of the gains are 0, and about
    half of the tables have rows that differ by a number in all features."""
    n, d = sizes["n"], sizes["d"]
    table = rng.integers(-8, 9, size=(n if rng.random() < 0.5 else 1, d))
    return {
        "E": (table + rng.integers(-8, 9, size=(n, 1))) / 4,
        "gamma": np.where(rng.random(d) < 0.5, 0, rng.integers(2, 9, size=d) / 4),
        "beta": rng.integers(-8, 9, size=d) / 4,
        "epsilon": np.array(0.5),
    }


def one_feature(sizes: Counts, maps: Maps, given: Values) -> Iterator[Values]:
    """P X + E is v in every row, where v is 0, or 1 in one feature; one feature of the norm is
    query, key and value, and the scores are its products, or 0."""
    table, sigma = given["E"], list(maps["sigma"])
    for c in range(sizes["d"]):
        for v in (np.zeros(sizes["d"]), np.eye(sizes["d"])[c]):
            x = np.zeros_like(table)
            x[sigma] = v - table
            for scale in (1.0, 0.0):
                query = scale * np.sqrt(sizes["d_k"])
                weights = (("W_Q", "d_k", query), ("W_K", "d_k", 1.0), ("W_V", "d_v", 1.0))
                found = {"X": x}
                for name, to, factor in weights:
                    found[name] = np.zeros((sizes["d"], sizes[to]))
                    found[name][c, 0] = factor
                yield found
