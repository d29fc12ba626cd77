"""Two layers of means tell two tokens apart if one of them is seen by more tokens.

Let W_Q = 0 in both layers, so that each of them takes means N with the weights of the mask, and let
the second take away what the first adds: X + N X becomes X − N N X. Tokens m and σ(m) see all n
tokens alike, so what token j contributes to their output is −1/n times the sum of column j of N.
Row by row the entry of σ(q) is no more than that of q, and once it is less, so the sums differ.
"""

from orderproof.proofs.prelude import *

from .changes import OLD, SEEN, SIGMA, Chosen, Counts, Maps, here, nothing, output_differs, there

G = OLD["G"]
ALL_SEEN = {Atom(row, "=", number(1)) for row in (here("G", OLD), there("G"))}
ONE, IMAGE = at(G, {"j": SEEN()}), at(G, {"j": SIGMA(SEEN())})
FEWER, ONCE = Atom(IMAGE, "≤", ONE), Atom(IMAGE, "<", ONE, some=True)


@theorem(
    title="Two layers under a mask can tell tokens apart that not the same tokens see",
    words="Let tokens m and σ(m) see all tokens alike, let every token give σ(q) at most the "
    "weight that it gives q, and let one give it less. Then for some tokens and weights the "
    "output of two layers at m, each with its skip, for the permuted tokens, is not that at σ(m).",
    source="Irie 2025",
    citations=("irie2025",),
    uses=("two_causal_layers_see_order",),
)
def output_differs_of_columns() -> Proof:
    """Let both layers average, and let the second take away what the first adds. Token m sees all
    tokens alike, so what token j contributes to its output is, up to a factor that all share, the
    sum of a column of the matrix of averages. By hypothesis the column of the image of q has a
    smaller sum than that of q.
    """
    return output_differs(
        "output_differs_of_columns",
        "RG",
        ALL_SEEN | {FEWER, ONCE},
        two_means,
        fit=seen_by_more,
        depths=(2,),
        new=OLD,
        over=({"n": 4, "d": 2}, {"n": 5, "d": 3}),
    )


def seen_by_more(drawn: Values, maps: Maps) -> None:
    """Token q is seen by all that see σ(q); m and σ(m) see all."""
    g, sigma, m, q = drawn["G"], maps["sigma"], maps["m"], maps["q"]
    g[:, q] = g[:, sigma[q]] + 1
    g[m], g[sigma[m]] = 1, 1


def two_means(sizes: Counts, maps: Maps, given: Values) -> Iterator[Chosen]:
    """W_Q = 0 in two layers, of which the second takes its means away; token σ(q) alone is 1."""
    x = nothing(sizes)
    x[maps["sigma"][maps["q"]]] = 1
    yield x, {"V": (0, 0)}, {"V": (0, 0, -1)}
