"""What attention can tell apart, exactly: colour refinement of its tokens, one step for each layer.

T_0(i) is the token at i. T_(l+1)(i) is T_l(i) and, for each head's mask or bias G_h, the share of
the weight of row i that falls on the tokens of each type T_l. Equal types give equal rows in every
layer, by induction: what a head says is a quotient of two sums that depend on the shares alone.
Where types differ, heads that average and maps that write each type as a vector of its own show it.
"""

from orderproof.proofs.prelude import *


@theorem(
    title="Attention tells tokens apart exactly as far as colour refinement does",
    words=(
        Sentence(
            "The type of a token is at first the token itself, and each round of "
            "refinement adds to it, for each mask or bias, the share of the token's row "
            "that falls on the tokens of each type. The tokens at i in one input and at j "
            "in another have one row after L layers, for all widths, heads, weights and "
            "row-wise maps, if and only if they have one type after L rounds. Masks and "
            "biases enter as factors of the weights, one for each head, with no row of "
            "sum 0. Where types differ, heads that average what they see suffice, with "
            "suitable embeddings and row-wise maps.",
            headlines=("attention_is_colour_refinement",),
        ),
        Sentence(
            "So, under one mask or bias that all heads share, tokens of one type after L "
            "rounds have one row in every encoder of L blocks of multi-head attention, "
            "residuals, norms and feed-forward layers.",
            headlines=("colour_refinement_of_encoders",),
        ),
        Sentence(
            "Row i of L + 1 layers does not change when s permutes the tokens, whatever the "
            "layers and the tokens, if and only if s leaves i in place and keeps the row of "
            "every token that i reaches in at most L steps, each row of a mask or bias divided "
            "by its sum. Under a causal mask, at the last token, these are all permutations of "
            "the others in one layer, and the identity alone from two layers on.",
            headlines=("context_group_at_every_depth",),
        ),
        Sentence(
            "One unmasked layer of one head computes every equivariant function of n tokens "
            "over a finite vocabulary, and with the mean of its rows every function of the "
            "multiset of n ≥ 1 tokens, n fixed, with a suitable embedding and row-wise map.",
            headlines=("one_layer_computes_every_equivariant_function",),
        ),
        Sentence(
            "For one layer one round fewer does not suffice, nor does the theorem hold with "
            "rows of sum 0.",
            headlines=("not_colour_refinement_of_fewer_layers",),
        ),
        Sentence(
            "This is the bound that the Weisfeiler-Leman test sets to graph networks, for "
            "attention. A position table enters with the token, as the pair of the two; rotary "
            "positions and relative keys are no factors of the weights, and not of this form. "
            "The row-wise maps are arbitrary functions; how large a feed-forward layer comes "
            "how near to one is another question. All layers have the same masks and biases. "
            "The definitions stand in proofs/rocq/ColourRefinement.v."
        ),
    ),
    source="the Weisfeiler-Leman bound of graph networks (1810.00826, 1810.02244)",
    citations=("xu2019", "morris2019", "zaheer2017"),
    uses=("encoder_equivariant", "mask_transport", "causal_last_token_invariant"),
)
def attention_is_colour_refinement() -> Proof:
    """*Equal types give equal rows*, by induction on the layers. Let type(j) be the type of token j
    before a layer. The share of row i on type k is
    {shares_of_types}
    where no row of G adds up to zero. What a head says at i is a quotient of two sums over all
    tokens. In both, tokens of one type contribute the same factor F, by induction, times their
    weights G. So both are, divided by the sum of the row of G, means by these shares,
    {sum_over_types}
    and the shares are equal. A row-wise map makes equal rows of equal rows.

    *Different types are shown.* Let all queries be zero, so that each head averages what its mask
    lets it see. Write each type as a vector with a one in a place of its own. Then the averages are
    the shares, and a map that gives each combination of shares, and of the type before, a vector of
    its own, writes the types of the next round.

    *The context group* asks when this is so for all tokens at once: give every token a name of its
    own, and a permutation that changes a share anywhere within reach is seen.

    *One layer computes every equivariant function* of n tokens, since without a mask the average of
    the vectors of n tokens is their multiset, and with the token’s own row it is all that an
    equivariant function of that token depends on.
    """
    return Proof(
        claims=(),
        headlines=(
            "attention_is_colour_refinement",
            "colour_refinement_of_encoders",
            "context_group_at_every_depth",
            "one_layer_computes_every_equivariant_function",
        ),
        refuted=("not_colour_refinement_of_fewer_layers",),
        show=show(),
    )
