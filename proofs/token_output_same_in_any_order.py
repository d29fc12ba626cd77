"""A token's output is the same vector wherever the token stands.

After a permutation, the token that stood at place i stands at σ⁻¹(i). Its output there is the
output that it had: it depends on the token itself and on the others as a multiset, not on places.
"the cat chased the dog" and "the dog chased the cat" give "cat" the same vector, digit by digit.
"""

from collections.abc import Mapping

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Named,
    Sentence,
    TheoremFile,
    equality,
    in_rocq,
    nearby,
    pushing,
)
from orderproof.proofs.check.page import Example, Formula, Table
from orderproof.proofs.marks.exact import (
    Witness,
    by_exact,
    exact_entries,
    fraction,
    in_units,
    vector,
)
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy
from orderproof.proofs.shared.symbols import SELF, TOKENS, show, sigma
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.terms import at
from orderproof.symbolic.derive.push import chain
from orderproof.symbolic.models.builders import image, inverse

WORDS = ["the", "cat", "chased", "the", "dog"]
EMBEDDING = {"the": (0, 1), "cat": (1, 1), "chased": (2, 0), "dog": (1, -1)}
WEIGHTS = {name: [[1, 0], [0, 1]] for name in ("W_Q", "W_K", "W_V")}
# of the mark: with equal weights, W_K for W_V or scores transposed would make no difference
UNEQUAL = {"W_Q": [[1, 1], [0, 1]], "W_K": [[1, 0], [2, 1]], "W_V": [[1, 2], [0, 1]]}


def theorem() -> TheoremFile:
    """Z′ at σ⁻¹(i) = Z at i: from Z′ = P Z."""
    pushed = pushing(SELF.Z, TOKENS)
    back = {0: inverse(sigma)(0)}
    put = kernel.cong(at(pushed.theorem.lhs, back), [pushed.theorem])
    there = kernel.at_at(SELF.Z.rename({"i": 0, "r": 1}), {0: sigma(0)}, back)
    marks = {
        "sympy": by_sympy,
        "numeric": by_numpy(),
        "exact": by_exact(
            [sentence(WORDS, to, UNEQUAL) for to in ((0, 4, 2, 3, 1), (1, 2, 0, 4, 3))]
        ),
    }
    came = chain(put, there)
    claim = equality(at(image(SELF.Z, TOKENS), {"i": inverse(sigma)("i")}), SELF.Z, came, marks)
    return TheoremFile(
        id="token_output_same_in_any_order",
        title="A token's output is the same in any order",
        words=(
            Sentence("Wherever a token stands, its output is the same vector.", (0,)),
            Sentence(
                "So of the other tokens it depends on which there are and how many of each, "
                "not on their order.",
                (),
            ),
        ),
        claims=in_rocq("token_output_same_in_any_order", claim),
        derivation="""
            Z′[σ⁻¹(i), r] = Z[σ(σ⁻¹(i)), r]   Z′ = P Z (self_attention_equivariant)
                          = Z[i, r]           composition of maps
        """,
        uses=("self_attention_equivariant",),
        neighbour=nearby(
            claim,
            "At place i itself another token stands now, and its output is there.",
            lhs=image(SELF.Z, TOKENS),
        ),
        source="S1",
        show=show(*SELF.named()),
        primes=(pushed,),
        chains=((Named("Where the token went", SELF.Z), came),),
        lemmas={pushed.theorem: "Z′ = P Z (self_attention_equivariant)"},
        examples=(example(),),
    )


def sentence(
    words: list[str],
    sigma: tuple[int, ...] = (),
    weights: Mapping[str, list[list[int]]] = WEIGHTS,
) -> Witness:
    """A sentence and a reordering of it: embeddings, and query weights in units of ln 2."""
    sizes = {"n": len(words), "d": 2, "d_k": 2, "d_v": 2}
    return Witness(sizes, {"sigma": sigma}, {"X": [EMBEDDING[w] for w in words], **weights})


def example() -> Example:
    """Scores, weights and output of "cat" in both sentences, computed from the theorem's terms."""
    other = [{"cat": "dog", "dog": "cat"}.get(w, w) for w in WORDS]
    parts: list[str | Formula | Table] = [
        "Embeddings: "
        + "; ".join(f"{w} = ({x}, {y})" for w, (x, y) in EMBEDDING.items())
        + ". Key and value of a token are its embedding, and so is its query, in units of √2·ln 2: "
        "so a score of s·ln 2 gives the weight 2 to the power s."
    ]
    results = []
    for words in (WORDS, other):
        witness, cat = sentence(words), words.index("cat")
        scores, weights, outputs = (exact_entries(t, witness) for t in (SELF.S, SELF.A, SELF.Z))
        row = [in_units(scores[cat, j]) for j in range(len(words))]
        shares = [weights[j, cat] for j in range(len(words))]
        output = tuple(outputs[k] for k in ((cat, 0), (cat, 1)))
        results.append((sorted(zip(row, shares, strict=True)), output))
        parts.append(
            Table(
                ("", *words),
                (
                    ("score of “cat” / ln 2", *map(str, row)),
                    ("weight", *(fraction(x) for x in shares)),
                ),
            )
        )
        z = vector(output)
        parts.append(Formula(rf"z_{{\mathrm{{cat}}}} = {z.latex}", f"z_cat = {z.plain}"))
    same = results[0] == results[1]
    parts.append(
        "The five scores are the same multiset, with the same weights, and so the weighted sum is "
        "the same vector."
        if same
        else "The two sentences give different results: the theorem is refuted."
    )
    return Example("“the cat chased the dog” and “the dog chased the cat”", tuple(parts))


if __name__ == "__main__":
    main(__spec__)
