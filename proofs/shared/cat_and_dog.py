"""“the cat chased the dog” in numbers: a sentence as a witness, and worked examples."""

from orderproof.check.marks.exact import exact_entries, fraction, in_units, vector
from orderproof.proofs.prelude import *

WORDS = ["the", "cat", "chased", "the", "dog"]
OTHER = ["the", "dog", "chased", "the", "cat"]
EMBEDDING = {"the": (0, 1), "cat": (1, 1), "chased": (2, 0), "dog": (1, -1)}
WEIGHTS = {name: [[1, 0], [0, 1]] for name in ("W_Q", "W_K", "W_V")}
# of the mark: with equal weights, W_K for W_V or scores transposed would make no difference
UNEQUAL = {"W_Q": [[1, 1], [0, 1]], "W_K": [[1, 0], [2, 1]], "W_V": [[1, 2], [0, 1]]}


def sentence(
    words: list[str], sigma: tuple[int, ...] = (), weights: Mapping[str, list[list[int]]] = WEIGHTS
) -> Witness:
    """A sentence and a reordering of it: embeddings, and query weights in units of ln 2."""
    sizes = {"n": len(words), "d": 2, "d_k": 2, "d_v": 2}
    return Witness(sizes, {"sigma": sigma}, {"X": [EMBEDDING[w] for w in words], **weights})


REORDERED = [sentence(WORDS, to, UNEQUAL) for to in ((0, 4, 2, 3, 1), (1, 2, 0, 4, 3))]


def one_token() -> Example:
    """Scores, weights and output of "cat" in both sentences, computed from the theorem's terms."""
    parts: list[str | Formula | Table] = [
        "Embeddings: "
        + "; ".join(f"{w} = ({x}, {y})" for w, (x, y) in EMBEDDING.items())
        + ". Key and value of a token are its embedding, and so is its query, in units of √2·ln 2: "
        "so a score of s·ln 2 gives the weight 2 to the power s."
    ]
    results = []
    for words in (WORDS, OTHER):
        witness, cat = sentence(words), words.index("cat")
        scores, weights, outputs = (exact_entries(t, witness) for t in (SELF.S, SELF.A, SELF.Z))
        row = [in_units(scores[cat, j]) for j in range(len(words))]
        shares = [weights[j, cat] for j in range(len(words))]
        z = vector([outputs[cat, k] for k in (0, 1)])
        results.append((sorted(zip(row, shares, strict=True)), z))
        body: tuple[tuple[str | Formula, ...], ...] = (
            ("score of “cat” / ln 2", *map(str, row)), ("weight", *(fraction(x) for x in shares)),
        )  # fmt: skip
        parts.append(Table(("", *words), body))
        parts.append(Formula(rf"z_{{\mathrm{{cat}}}} = {z.latex}", f"z_cat = {z.plain}"))
    parts.append(
        "The five scores are the same multiset, with the same weights, and so the weighted sum is "
        "the same vector."
        if results[0] == results[1]
        else "The two sentences give different results: the theorem is refuted."
    )
    return Example("“the cat chased the dog” and “the dog chased the cat”", tuple(parts))


def pooled(z: Term) -> Example:
    """The pooled output z of both sentences, and of one that has a word once more."""
    rows: list[tuple[str | Formula, ...]] = []
    for words in (WORDS, OTHER, [*WORDS, "dog"]):
        entries = exact_entries(z, sentence(words))
        rows.append((" ".join(words), vector([entries[k,] for k in (0, 1)])))
    one, other, more = (row[1] for row in rows)
    return Example(
        "“the cat chased the dog”, pooled",
        (
            "Embeddings and weights are those of token_output_same_in_any_order.",
            Table(("sentence", "mean of the outputs"), tuple(rows)),
            "Both orders give the same vector."
            if one == other
            else "The two orders give different vectors: the theorem is refuted",
            "A repeated word gives another vector: the mean depends on the multiset, not only "
            "on the set."
            if one != more
            else "A repeated word makes no difference here.",
        ),
    )
