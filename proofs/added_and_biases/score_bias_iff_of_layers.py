"""Two layers with skips under one bias commute with the permutations that one layer commutes with.

If the bias is kept, up to row constants, each layer commutes with P, and so do its skip and a map
of rows after it. Conversely let the first layer add nothing, W_V = 0: then the second one is given
the tokens themselves, and its output differs as that of one layer does; what the skips carry is the
same on both sides.
"""

from orderproof.proofs.prelude import *

from .score_bias import BIAS, NO_ZERO_ROW, WEIGHTS, Model, commutes_iff_kept, one, with_falsehood

FIRST, SECOND = (  # the values are as wide as the tokens
    (tensor(f"W_Q{k}", c=d, k=d_k), tensor(f"W_K{k}", c=d, k=d_k), tensor(f"W_V{k}", c=d, r=d))
    for k in "12"
)
WEIGHTS_OF = {f"W_{x}2": f"W_{x}1" for x in "QKV"}
LIKE_THE_FIRST = {f"{x}_2": f"{x}_1" for x in "QKVSAT"} | WEIGHTS_OF | {"T_1": "X"}


@theorem(
    title="Two layers with a score bias commute with P if and only if P D Pᵀ = D",
    words=(
        Sentence(
            "Let G = exp B ≥ 0 be the weights on the exponentials of the scores in both "
            "of two layers with skips, no row all 0, and D be G with each row divided by "
            "its largest entry. The two layers commute with P for all tokens and weights "
            "if and only if P D Pᵀ = D, as one layer does.",
            (0, 1),
        ),
        Sentence(
            "If P G Pᵀ = G, they also commute with P where any map of rows, such as a norm, "
            "follows each skip.",
            (2,),
        ),
        Sentence(
            "Whether the group is the same with a norm or with more layers is not claimed here."
        ),
    ),
    source="biases of the scores: Raffel et al. 2020, section 2.1; Press et al. 2022",
    citations=("raffel2020", "press2022"),
    uses=("score_bias_iff", "row_wise_equivariant"),
)
def score_bias_iff_of_layers() -> Proof:
    """If each layer commutes with P, so do its skip and a map of its rows. Conversely let the first
    layer add nothing, all its values being zero. Then the second is given the tokens themselves,
    its output differs as that of one layer does, and what the skips carry is the same on both
    sides.
    """
    mapped = parts(maps=True)
    rows = equivariance(
        mapped[-1].term, TOKENS, {"i": sigma},
        {"sympy": by_sympy_to(3), "numeric": by_numpy(scale=1 / 2)}, row="i", column="c",
        facts=[fixed(BIAS.G, i=sigma, j=sigma)], given=[WEIGHTS, NO_ZERO_ROW],
    )  # fmt: skip
    named = once([*parts(), *mapped])
    proof = commutes_iff_kept("score_bias_iff_of_layers", two_layers(), named, LIKE_THE_FIRST)
    return with_falsehood(proof, transposed(rows), rows)


def with_skip(layer: AttentionLayer) -> Term:
    """The tokens after a layer and its skip."""
    return add(layer.tokens, layer.Z.rename({"r": "c"}))


def two_layers() -> Model:
    """Two layers with skips; the first adds nothing."""

    def layers(tokens: Term, mask: Term) -> tuple[AttentionLayer, AttentionLayer]:
        first = AttentionLayer(tokens, as_keys(tokens), FIRST, mask=mask)
        after = with_skip(first)
        return first, AttentionLayer(after, as_keys(after), SECOND, mask=mask)

    none = {leaf_of(w): number(0) for w in FIRST}
    return Model(BIAS, layers, with_skip, one(d, "r"), sizes({d: 1}), further=none)


def parts(*, maps: bool = False) -> list[Named]:
    """The parts of two layers, the tokens after each last; with a map of rows after each skip (a
    norm, a feed-forward map), or none."""
    tokens, found = X, []
    for k, weights in enumerate((FIRST, SECOND), 1):
        layer = AttentionLayer(tokens, as_keys(tokens), weights, mask=BIAS.G)
        tokens, of, name = with_skip(layer), f"_{k}", f"T_{k}"
        if maps:
            tokens, of, name = opaque(f"F{k}", {"c": "c"}, tokens, {"c": d}), f"_F{k}", f"F_{k}"
        found += [*layer.named("QKVSA", of), Named(name, tokens, "i", "c")]
    return found
