"""Sentences about attention and order that people quote: what is true of each, and what says so.

Each has a verdict, the sentence as it can be upheld, and the claims behind both. A claim is cited
by its theorem and its number from 0, or by the headline of Rocq on the theorem's page. A sentence
is literally a span of its source (spans.py), with […] where words are left out; one that is said in
substance is printed without quotation marks.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .spans import FIRST_LINE


class Verdict(Enum):
    """What is true of a quoted sentence, as it stands."""

    TRUE = "true"
    CONDITION = "true under a condition"
    EXISTENTIAL = "true of some weights and inputs, not of all"
    INCOMPLETE = "incomplete"  # what it leaves out makes no difference to what it is quoted for
    FALSE = "false"
    CONJECTURE = "a conjecture"


@dataclass(frozen=True)
class Cited:
    """Claims of a theorem (numbered from 0), and headlines on its page."""

    theorem: str
    claims: tuple[int, ...] = ()
    headlines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Quoted:
    """A sentence with its source, its verdict, and what is upheld of it.

    `holds` says the upheld sentence; `fails` shows where the quoted one ends: a counterexample, or
    a case in which it is empty.
    """

    text: str  # with the emphasis of its source, **so**
    source: str  # the key in references.bib; none of what has no author
    place: str  # in the source; of what has no author, who says it
    verdict: Verdict
    upheld: str
    holds: tuple[Cited, ...]
    fails: tuple[Cited, ...] = ()
    literal: bool = True

    @property
    def words(self) -> str:
        """The sentence in quotation marks; without, where it is said in substance."""
        plain = self.text.replace("**", "")
        return f"“{plain}”" if self.literal else plain


SELF = Cited("self_attention_equivariant", (0,))
ENCODER = Cited("encoder_equivariant", (0, 1))
MOVES = Cited("not_invariant_self_attention", (0,))
POOLED = Cited("pooled_encoder_invariant", (0,))
ONE_CAUSAL = Cited("causal_last_token_invariant", (0,))
TWO_CAUSAL = Cited("two_causal_layers_see_order", (0, 1))
CAUSAL_MOVES = Cited("not_equivariant_of_causal_mask", (0, 1))
CONSTANT = Cited("constant_sequence_blind", (0, 1), headlines=("constant_sequence_blind",))
UNNORMALISED = Cited("constant_sequence_blind", (2, 3))
TABLE_SEEN = Cited("additive_position_iff", (1,))
ROWS_SEEN = Cited("output_differs_of_rows", (0,))  # of any number of features
TABLE_KEPT = Cited("additive_position_iff", (0, 2))
LEARNED = Cited("not_equivariant_of_learned_position", (0, 1))
UNIFORM = Cited("uniform_attention_sees_no_table", (0,))
GROUP = Cited("attention_is_colour_refinement", headlines=("context_group_at_every_depth",))
WEIGHTS = "causal_weights_at_every_depth"
EVERY_DEPTH = Cited(WEIGHTS, headlines=(WEIGHTS,))
RECOVERED = Cited("causal_position_recoverable", (0, 1, 2))
SEEN = "two_causal_layers_see_everything"
EVERYTHING = Cited(SEEN, headlines=(SEEN,))
NOT_EVERYTHING = Cited(SEEN, headlines=("not_everything_seen_by_one_causal_layer",))

SENTENCES = (
    Quoted(
        "By definition, a Transformer is invariant with respect to reordering of the input.",
        "dufter2022",
        "abstract",
        Verdict.FALSE,
        "Without positions and masks a Transformer is equivariant: reordering its input reorders "
        "its output rows alike. It is invariant once the rows are pooled, or read at a class "
        "token.",
        (SELF, ENCODER, POOLED, Cited("class_token_invariant", (0,))),
        (MOVES,),
    ),
    Quoted(
        "the prediction for output token n+1 of Transformer architectures without one of the "
        "mechanisms of positional encodings and causal attention is invariant to permutations of "
        "input tokens 1, 2, ..., n-1.",
        "zuo2024",
        "abstract",
        Verdict.CONDITION,
        "It is so without both. With causal attention alone it is so after one layer, and need not "
        "be after two. With a position table alone, attention commutes for all weights only with "
        "permutations that leave the table unchanged.",
        (SELF, ENCODER, ONE_CAUSAL, GROUP, Cited("additive_position_iff", (0,)), ROWS_SEEN),
        (TWO_CAUSAL, TABLE_SEEN),
    ),
    Quoted(
        "The answer is ‘no’ provided they have more than one layer—they can distinguish sequences "
        "with permuted tokens without the need for explicit PEs. […] (in contrast, one-layer "
        "models require PEs to discern order information of their inputs)",
        "irie2025",
        "abstract",
        Verdict.EXISTENTIAL,
        "At the last token one causal layer cannot tell the orders of the tokens before it apart. "
        "Two can for some weights, and after a first token unlike the others tell all sequences "
        "apart; but not for all weights: where all values are alike, as with W_V = 0, attention "
        "adds the same to every row.",
        (ONE_CAUSAL, TWO_CAUSAL, EVERY_DEPTH, EVERYTHING),
        (CONSTANT, NOT_EVERYTHING),
    ),
    Quoted(
        "We conjecture that causal attention enables the model to infer the number of predecessors "
        "that each token can attend to, thereby approximating its absolute position.",
        "haviv2022",
        "abstract",
        Verdict.CONJECTURE,
        "It is a conjecture there, about trained models. Some weights do: after a first token "
        "unlike the others no two rows of a constant rest are equal, if the values of the two "
        "tokens differ. Without such a token, no row of normalised attention on a constant "
        "sequence depends on how many tokens stand before it.",
        (RECOVERED, EVERYTHING, UNNORMALISED),
        (CONSTANT, NOT_EVERYTHING),
    ),
    Quoted(
        "the “add&norm” layer will lose the sequential information",
        "s2",
        "",
        Verdict.EXISTENTIAL,
        "Residuals, norms and feed-forward maps add no order of their own. A layer norm loses a "
        "table that is one number in all features of a row. Attention behind it, some gain not 0, "
        "commutes with P for all projections only if P changes the table by such numbers; a skip "
        "can show these too.",
        (
            Cited("norms_equivariant", (0, 1)),
            Cited("row_wise_equivariant", (0, 1, 2, 3)),
            Cited("layer_norm_invariant_of_row_constants", (0,)),
            Cited("normed_position_iff", (0,)),
        ),
        (Cited("normed_position_iff", (1,)), Cited("not_equivariant_of_normed_position", (0, 1))),
    ),
    Quoted(
        "Without them, the model is fundamentally **permutation invariant**",
        "s1",
        "",
        Verdict.FALSE,
        "Without positional embeddings the model is permutation equivariant, as the article itself "
        "derives; its outputs do move.",
        (SELF, ENCODER),
        (MOVES,),
    ),
    Quoted(
        "The final output is: q(C)·k(A) v(A) + q(C)·k(B) v(B) + q(C)·k(C) v(C)",
        "s3",
        "",
        Verdict.INCOMPLETE,
        "The softmax is left out. With it and without it, the output does not depend on the order "
        "of the cached pairs.",
        (
            Cited("generation_order_independent", (0, 1)),
            Cited("kernel_attention_equivariant", (0, 1)),
        ),
    ),
    Quoted(
        "breaks permutation symmetry to translational",
        "s0",
        "",
        Verdict.CONDITION,
        "A scheme that uses differences of positions alone keeps a common offset, through one "
        "layer and through two. A table that is added to the tokens can lose it: where the offset "
        "gives some token another row, some tokens and weights show it at every token that sees "
        "all.",
        (
            Cited("offset_invariant_of_alibi", (0, 1)),
            Cited("offset_invariant_of_relative_positions", (0, 1)),
            Cited("rope_relative_score", (0, 1, 2)),
            ROWS_SEEN,
        ),
        (Cited("not_offset_invariant_of_added_rows", (0,)),),
    ),
    Quoted(
        "My guess is, that since Transformers involve skip connections, these transfer the notion "
        "of the location to the next layers. But this depends on the relative magnitude between "
        "the activation of the given self-attention layer and the skip-connections",
        "s0",
        "",
        Verdict.CONDITION,
        "By magnitude, for one layer of attention without a mask, without a bias on its scores and "
        "before any norm: with a skip, the outputs of two tokens are apart by 1 − κ to 1 + κ times "
        "as much as the tokens, so that for κ < 1 tokens that differ stay different. Some such "
        "layers make two tokens equal (κ is then at least 1); and without a skip uniform weights "
        "make all equal.",
        (
            Cited("position_after_first_layer_skip", (0, 1, 2)),
            Cited("not_equivariant_of_normed_position", (1,)),
        ),
        (
            Cited("position_after_first_layer_cancels", (0,)),
            Cited("position_after_first_layer_uniform", (0,)),
        ),
    ),
    Quoted(
        "The attention scores will be different because they are calculated using these "
        "position-aware vectors.",
        "s1",
        "",
        Verdict.EXISTENTIAL,
        "For a table e of one feature and P e ≠ e, all weights 1 and one input make the outputs "
        "differ, and so the scores or the values. Where P E = E no weights do: reordering the "
        "tokens then only reorders the outputs. Nor do uniform weights for any table.",
        (TABLE_SEEN, LEARNED),
        (TABLE_KEPT, UNIFORM),
    ),
    Quoted(
        "the transformer requires positional embeddings to break this symmetry and understand "
        "sequential information.",
        "s1",
        "",
        Verdict.CONDITION,
        "A transformer without masks sees no order without them. A causal decoder of two layers "
        "can see order without them, and after a first token unlike the others it can tell all "
        "sequences apart.",
        (SELF, ENCODER, EVERYTHING),
        (TWO_CAUSAL, CAUSAL_MOVES),
    ),
    Quoted(
        "denotes the embedding vector (or more generally, the hidden state) of a token",
        "s3",
        "",
        Verdict.CONDITION,
        "The step does not depend on the order of its cached pairs either way. But the hidden "
        "states of a causal model can depend on the order of the prompt, and with two layers so "
        "can its output.",
        (Cited("generation_order_independent", (0, 1)),),
        (TWO_CAUSAL, CAUSAL_MOVES, Cited("generation_order_independent", (5,))),
    ),
    Quoted(
        "these three Q,K,V are actually the same input matrices",
        "s2",
        "there of some articles",
        Verdict.INCOMPLETE,
        "They are three projections of one matrix, or in cross-attention of two. Equivariance "
        "needs no relation between the three weights, and equal ones are an instance of it.",
        (SELF, Cited("cross_attention_equivariant", (0, 1, 2))),
        (Cited("not_cross_attention_of_keys_alone", (0, 1)),),
    ),
    Quoted(
        "Attention cannot see the order of its tokens",
        "",
        FIRST_LINE,
        Verdict.CONDITION,
        "It cannot without a mask and without position terms. A causal mask is a position term.",
        (SELF, ENCODER),
        (CAUSAL_MOVES, TWO_CAUSAL, GROUP),
    ),
    Quoted(
        "positional encoding breaks equivariance",
        "",
        "folklore",
        Verdict.EXISTENTIAL,
        "For a table e of one feature and P e ≠ e, all weights 1 and one input show it. It is "
        "false of a table with equal rows, and of uniform weights.",
        (TABLE_SEEN, LEARNED, Cited("not_equivariant_of_sinusoidal_position", (0,))),
        (TABLE_KEPT, UNIFORM),
        literal=False,
    ),
)
