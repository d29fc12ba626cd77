"""After a layer norm, some gain not 0, attention commutes with P iff rows of P E − E are constant.

If it is, the norm loses what P changes in the table. If not, let P X + E be v in every row: one
side is attention to equal rows LN(v), the other to the rows of LN(v + D), D = E − PᵀE. In a feature
whose gain is not 0 they differ at v = 0, or, where D is at its mean in it, if v is 1 in it, as D
adds to the variance. And a column g that is its own queries, keys and values gives b in every
output only if it is b: weighed equally, h = g − b adds up to 0; weighed by exp h, only if h = 0.
"""

from orderproof.proofs.prelude import *

from .normed_choices import OVER, normed_tables, one_feature
from .normed_rows import CONSTANT, DEFINITIONS, PX, STAYING, E, attend, gamma, norm

SOME_GAIN = Atom(gamma, "≠", number(0), some=True)
NORMED = attend(add(X, E))
STAYS, OUTPUT_MOVES = attend(add(PX, E)).Z, moved(NORMED.Z, i=sigma)  # f(P X) and P f(X)
CHOSEN = frozenset(map(leaf_of, (X, W_Q, W_K, W_V)))


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
    over = sizes({d: 1, d_k: 1, d_v: 1})
    given = {POSITIVE, SOME_GAIN}
    if_constant = holds(
        STAYS, "=", OUTPUT_MOVES, {}, row="i", column="r", given=given | {CONSTANT}, over=over
    )
    only_if = holds(
        STAYS, "≠", OUTPUT_MOVES, {"numeric": by_choice(normed_tables, one_feature, OVER)},
        row="i", column="r", some=True, given=given | {CONSTANT.opposite()}, over=over,
    ).stating(exists=CHOSEN)  # fmt: skip
    no_gain = holds(
        STAYS, "=", OUTPUT_MOVES, {"sympy": by_sympy, "numeric": by_numpy()},
        row="i", column="r", given=[SOME_GAIN.opposite(), POSITIVE],
    )  # fmt: skip
    return Proof(
        claims=in_rocq("normed_position_iff", if_constant, only_if, no_gain),
        iffs=((0, 1),),
        neighbour=nearby(
            only_if,
            "If all gains are 0, both sides are equal, whatever the table.",
            given=frozenset({POSITIVE, SOME_GAIN.opposite(), CONSTANT.opposite()}),
        ),
        neighbours=(
            nearby(
                only_if,
                "If every row of P E − E is constant, both sides are equal.",
                given=frozenset(given | {CONSTANT}),
            ),
            nearby(
                no_gain,
                "If some gain is not 0, the norm need not lose the table.",
                given=frozenset(given),
            ),
        ),
        show=show(
            Named("N_E", norm(add(X, E)), "i", "c"),
            *NORMED.named(),
            Named("N_s", norm(add(PX, E)), "i", "c"),  # the table stays
            *attend(add(PX, E)).named(of="_s"),
            alike=(STAYING,),
        ),
        definitions=DEFINITIONS,
    )
