"""A pooled encoder without positions reads a bag of words: which tokens, and how many of each.

Each layer commutes with P (self_attention_equivariant, encoder_equivariant). So the rows of the
last layer move with the tokens, however many layers there are, and their mean does not change. Two
sequences with the same tokens, each as often, are permutations of one another: so the result
depends on the multiset of the tokens alone.
"""

import numpy as np

from orderproof.numeric.reference import attention as reference
from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Check,
    Claim,
    Named,
    Sentence,
    TheoremFile,
    equivariance,
    in_rocq,
    nearby,
    sizes,
)
from orderproof.proofs.check.page import Example, Formula, Table
from orderproof.proofs.marks.exact import by_exact, exact_entries, vector
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy, by_sympy_to
from orderproof.proofs.shared.encoder_symbols import POSITIVE, show
from orderproof.proofs.shared.symbols import SELF, TOKENS, n, sigma
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models.attention import scores, softmax
from orderproof.symbolic.models.builders import contract, image, mean, moved, tensor

from .encoder_equivariant import POST, post
from .token_output_same_in_any_order import UNEQUAL, WORDS, sentence

KEYS_ALONE = contract(softmax(scores(SELF.Q, moved(SELF.K, j=sigma), "k"), "j"), SELF.V, "j")
z = mean(SELF.Z, "i")  # self-attention, and the mean of its rows
X_1, X_2 = POST[:2]  # the tokens after one block of an encoder, and after two
x_1, x_2 = mean(X_1, "i"), mean(X_2, "i")


def weighted(t: Term) -> Term:
    """A sum of rows with weights that belong to places."""
    return contract(tensor("v", i=n), t, "i")


def theorem() -> TheoremFile:
    """After self-attention; and after one and two blocks of an encoder, which shows all depths."""
    numeric = by_numpy(
        lambda t: np.mean(reference.self_attention(t["X"], t["W_Q"], t["W_K"], t["W_V"]), axis=0)
    )
    orders = ((0, 4, 2, 3, 1), (1, 2, 0, 4, 3))
    exact = by_exact([sentence(WORDS, sigma, UNEQUAL) for sigma in orders])
    marks = {"sympy": by_sympy, "exact": exact, "numeric": numeric}
    over = sizes({n: 1})  # the mean of nothing is none
    claim = equivariance(z, TOKENS, {}, marks, over=over)

    def pooled(t: Term, depth: int, marks: dict[str, Check]) -> Claim:
        layers = post(depth)
        numeric = by_numpy(lambda given: np.mean(layers(given), axis=0), scale=1 / 8)
        return equivariance(
            t, TOKENS, {}, marks | {"numeric": numeric},
            given=[POSITIVE], over=sizes({n: 1}),
        )  # fmt: skip

    shallow = pooled(x_1, 1, {"sympy": by_sympy_to(3, d=3)})
    deep = pooled(x_2, 2, {})
    return TheoremFile(
        id="bag_of_words",
        title="A pooled encoder without positions reads a bag of words",
        words=(
            Sentence(
                "Permuting the tokens does not change the mean of the outputs of self- attention.",
                (0,),
            ),
            Sentence(
                "Nor that of the outputs of an encoder without positions after one block and "
                "after two.",
                (1, 2),
            ),
            Sentence(
                "Two sequences with the same tokens, each as often, are permutations of one "
                "another: so the mean depends on the multiset of the tokens alone.",
                (),
            ),
        ),
        claims=in_rocq("bag_of_words", claim, shallow, deep),
        derivation="""
            z′[r] = (Σ_i Z′[i, r]) / n         by definition
                  = (Σ_i Z[σ(i), r]) / n       Z′ = P Z (self_attention_equivariant)
                  = (Σ_i Z[i, r]) / n          Lemma 1
                  = z[r]                       by definition

            x_1′[c] = (Σ_i X_1′[i, c]) / n     by definition
                    = (Σ_i X_1[σ(i), c]) / n   X_1′ = P X_1 (encoder_equivariant)
                    = (Σ_i X_1[i, c]) / n      Lemma 1
                    = x_1[c]                   by definition

            x_2′[c] = (Σ_i X_2′[i, c]) / n     by definition
                    = (Σ_i X_2[σ(i), c]) / n   X_2′ = P X_2 (encoder_equivariant)
                    = (Σ_i X_2[i, c]) / n      Lemma 1
                    = x_2[c]                   by definition
        """,
        uses=("self_attention_equivariant", "encoder_equivariant", "pooling_invariant", "sum_act"),
        neighbour=nearby(
            claim,
            "A token is key and value at once: reordered as keys alone, the words are others.",
            lhs=mean(KEYS_ALONE, "i"),
        ),
        neighbours=tuple(
            nearby(
                c,
                "With weights that stay at their places, as in reading one row, the order is seen.",
                lhs=image(weighted(t), TOKENS),
                rhs=weighted(t),
            )
            for c, t in ((shallow, X_1), (deep, X_2))
        ),
        source="S1; Zaheer et al. 2017, theorem 2",
        citations=("zaheer2017",),
        show=show(
            Named("Z", SELF.Z, "i", "r"),
            Named("z", z),
            Named("X_1", X_1, "i", "c"),
            Named("x_1", x_1),
            Named("X_2", X_2, "i", "c"),
            Named("x_2", x_2),
        ),
        cited={"Z": "self_attention_equivariant"}
        | dict.fromkeys(("X_1", "X_2"), "encoder_equivariant"),
        titles={
            "z": "The mean after self-attention",
            "x_1": "The mean after one block of an encoder",
            "x_2": "The mean after two blocks",
        },
        examples=(example(),),
    )


def example() -> Example:
    """The pooled output of both sentences, and of one that has a word once more."""
    other = [{"cat": "dog", "dog": "cat"}.get(w, w) for w in WORDS]
    rows: list[tuple[str | Formula, ...]] = []
    outputs = []
    for words in (WORDS, other, [*WORDS, "dog"]):
        entries = exact_entries(z, sentence(words))
        outputs.append(tuple(entries[k,] for k in (0, 1)))
        rows.append((" ".join(words), vector(outputs[-1])))
    same, more = outputs[0] == outputs[1], outputs[0] != outputs[2]
    return Example(
        "“the cat chased the dog”, pooled",
        (
            "Embeddings and weights are those of token_output_same_in_any_order.",
            Table(("sentence", "mean of the outputs"), tuple(rows)),
            "Both orders give the same vector."
            if same
            else "The two orders give different vectors: the theorem is refuted",
            "One word more of a kind that is there already gives another: what counts is the "
            "multiset, and not the set."
            if more
            else "One word more of a kind that is there already makes no difference here.",
        ),
    )


if __name__ == "__main__":
    main(__spec__)
