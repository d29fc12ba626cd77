"""A pooled encoder without positions reads a bag of words: which tokens, and how many of each.

Each layer commutes with P: attention by self_attention_equivariant, and what follows it because it
acts on each row. So the rows of the last layer move with the tokens, however many layers there
are, and their mean does not change. Two sequences with the same tokens, each as often, are
permutations of one another: so the result depends on the multiset of the tokens alone.
"""

from typing import Any

import numpy as np

from orderproof.numeric import reference
from orderproof.symbolic.architecture import attention, scores, softmax
from orderproof.symbolic.language import add, contract, mean, moved, opaque, tensor
from orderproof.symbolic.terms import Term

from .claims import Named, TheoremFile, equivariance, in_rocq, nearby, pushing
from .marks import by_kernel, by_sympy, by_sympy_to
from .marks_numeric import by_numpy
from .pages import Example, Formula, Table
from .script import main
from .token_output_same_in_any_order import UNEQUAL, WORDS, sentence
from .vocabulary import SELF, TOKENS, X, as_keys, d, d_k, show, sigma
from .witnesses import by_exact, exact_entries, vector

KEYS_ALONE = contract(softmax(scores(SELF.Q, moved(SELF.K, j=sigma), "k"), "j"), SELF.V, "j")
z = mean(SELF.Z, "i")  # self-attention, and the mean of its rows


def layer(rows: Term, k: int) -> tuple[Term, Term]:
    """Y = Att(X), and f(xᵢ + yᵢ) with any map f of a row: norms, feed-forward networks and further
    residuals are such maps. Weights and f are the layer's own."""
    w_q, w_k, w_v = (
        tensor(f"W_{name}{k}", c=d, k=over) for name, over in (("Q", d_k), ("K", d_k), ("V", d))
    )
    keys = as_keys(rows)
    values = contract(keys, w_v, "c").rename({"k": "c"})
    out = attention(contract(rows, w_q, "c"), contract(keys, w_k, "c"), values, "j", "k")
    return out, opaque(f"f_{k}", {"c": "c"}, add(rows, out), {"c": d})


Y_1, H = layer(X, 1)
Y_2, G = layer(H, 2)
g = mean(G, "i")


def theorem() -> TheoremFile:
    """After self-attention; and after two layers of an encoder, which shows all depths."""
    numeric = by_numpy(
        lambda t: np.mean(reference.self_attention(t["X"], t["W_Q"], t["W_K"], t["W_V"]), axis=0)
    )
    orders = ((0, 4, 2, 3, 1), (1, 2, 0, 4, 3))
    exact = by_exact([sentence(WORDS, sigma, UNEQUAL) for sigma in orders])
    marks = {"kernel": by_kernel, "sympy": by_sympy, "exact": exact, "numeric": numeric}
    claim = equivariance(z, TOKENS, {}, pushing(z, TOKENS), marks)
    deep = {"kernel": by_kernel, "sympy": by_sympy_to(3, d=3), "numeric": by_numpy(drawn=tame)}
    encoder = equivariance(g, TOKENS, {}, pushing(g, TOKENS), deep)
    return TheoremFile(
        id="bag_of_words",
        title="A pooled encoder without positions reads a bag of words",
        words="Two sequences that are permutations of one another give the same pooled output: it "
        "depends on which tokens there are and how many of each, and on nothing else.",
        source="S1; Zaheer et al. 2017, theorem 2",
        citations=("zaheer2017",),
        claims=in_rocq("bag_of_words", claim, encoder),
        pushed=(pushing(z, TOKENS), pushing(g, TOKENS)),
        show=show(
            Named("Z", SELF.Z, "i", "r"),
            Named("z", z),
            Named("Y_1", Y_1, "i", "c"),
            Named("H", H, "i", "c"),
            Named("Y_2", Y_2, "i", "c"),
            Named("G", G, "i", "c"),
            Named("g", g),
        ),
        titles={
            "z": "The mean after self-attention",
            "H": "A layer: any map of each row of the tokens plus their attention",
            "G": "The next layer, in the same way",
            "g": "The mean after two layers",
        },
        cited=dict.fromkeys(("Z", "Y_1", "Y_2"), "self_attention_equivariant"),
        neighbour=nearby(
            claim,
            "A token is key and value at once: reordered as keys alone, the words are others.",
            lhs=mean(KEYS_ALONE, "i"),
        ),
        uses=("self_attention_equivariant", "pooling_invariant", "sum_act"),
        examples=(example(),),
    )


def tame(given: dict[str, Any]) -> dict[str, Any]:
    """Small weights: with large scores a softmax is 0 or 1, and hides what they were made of."""
    return {k: x / 4 if k[:2] in ("W_", "X") else x for k, x in given.items()}


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
