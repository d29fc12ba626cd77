"""With a first token unlike the others, two causal layers can tell all sequences apart.

Layer one averages: the share of the first token at token t is 1/t, so a row-wise map knows t, and
writes the number of the token, one of B, times B^t. Layer two averages these: at the last token of
n stand 1/n, and the whole sequence in base B, over n.

Without such a first token, let k be how many tokens are equal to all before them. These know it
after one layer, so that after two the share of them at token t is k/t, or 1 up to k; in the third
the last token of n, where it is k/n, sees of every token its word and t. Whether two layers tell
apart all sequences of one length is open.
"""

from orderproof.proofs.prelude import *


@theorem(
    title="After a first token unlike the others, two causal layers can see everything",
    words=(
        Sentence(
            "Over a finite vocabulary there are an embedding and two row-wise maps of width 2 "
            "with which two causal layers of one head that averages give different sequences, "
            "of any lengths, different rows at the last token, if one token that occurs "
            "nowhere else comes first.",
            headlines=("two_causal_layers_see_everything",),
        ),
        Sentence(
            "One causal layer does not, whatever its heads, weights and row-wise map: with "
            "a first token before them, a b a and b a a give the last token the same row. "
            "Nor do any layers without such a first token, if lengths may differ: all "
            "sequences of one token repeated give the same row.",
            headlines=("not_everything_seen_by_one_causal_layer",),
        ),
        Sentence(
            "Without such a first token three layers do, for sequences of one length: for any "
            "two that differ, some embedding and row-wise maps give their last tokens "
            "different rows.",
            headlines=("three_causal_layers_see_every_order",),
        ),
        Sentence(
            "The rows are exact real numbers, with such a first token growing with the length, "
            "so this says nothing of finite precision. Without it, that two layers tell apart "
            "all sequences of one length is a conjecture: of two letters, no two sequences "
            "collide up to length 30, where all were compared "
            "(tests/oracles/causal_collisions.py)."
        ),
    ),
    source="2402.05969; Irie 2025; Kazemnejad et al. 2023, theorem 1",
    citations=("irie2025", "haviv2022", "kazemnejad2023"),
    uses=("two_causal_layers_see_order", "attention_is_colour_refinement"),
)
def two_causal_layers_see_everything() -> Proof:
    """The first layer averages; the share of the first token is the reciprocal of the number of a
    token, so that a row-wise map knows this number, and writes the word of the token, one of
    finitely many, as a digit at the place of that number. The second layer averages these: at the
    last token stands the whole sequence, as a number in positional notation, divided by its length,
    beside the reciprocal of that length.

    One layer does not do it: its last row depends on the last token and on the multiset of the
    others (causal_last_token_invariant). Nor is there, without a first token unlike the others, any
    stack that tells a word said twice from the same word said three times
    (constant_sequence_blind).

    For sequences of one length without such a token, consider those that begin with the same word
    repeated. These tokens know after one layer that they have seen nothing else. So in a second
    layer every token sees how many they are among its past, and this tells its number; in the third
    the last token sees the word and the number of every other.
    """
    return Proof(
        claims=(),
        headlines=("two_causal_layers_see_everything", "three_causal_layers_see_every_order"),
        refuted=("not_everything_seen_by_one_causal_layer",),
        show=show(),
    )
