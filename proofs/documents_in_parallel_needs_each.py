"""Documents side by side whose order matters: for each hypothesis a prompt without it.

With rows, biases and masks `documents_in_parallel` assumes that ids begin anew in each document,
that none reads another, that the query has the same id in both orders, that rows, biases and masks
are read by ids, those of the query too, that a token keeps its document, and that order inside a
document stays. Here are ten prompts of one or two documents. Each satisfies all of this but for one
hypothesis, and the query's output is another: after two layers where it is about what documents
read, else after one.
"""

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import Sentence, TheoremFile, nearby
from orderproof.proofs.shared.documents_broken import BROKEN
from orderproof.proofs.shared.documents_named import names
from orderproof.proofs.shared.position_ids import show


def theorem() -> TheoremFile:
    """Ten prompts, each in two orders."""
    claims = [broken.claim() for broken in BROKEN]
    return TheoremFile(
        id="documents_in_parallel_needs_each",
        title="Parallel documents with rows, biases and masks: each hypothesis is needed",
        words=tuple(
            Sentence(f"The output of the query can depend on the order {how}.", (k,))
            for k, how in enumerate((
                "if ids continue from one document to the next",
                "after two layers, if documents attend to those before them",
                "if its id follows that of the last token, and the documents have unequal lengths",
                "if the query's bias depends on the place in the prompt",
                "of the tokens inside a document",
                "if tokens do not keep their documents",
                "if the added rows depend on the place in the prompt",
                "if the row added to the query is that of the last token",
                "if the query's mask depends on the place in the prompt",
                "after two layers, if a bias inside documents depends on the place in the prompt",
            ))
        ),
        claims=tuple(claims),
        uses=("documents_in_parallel",),
        neighbour=nearby(
            claims[0], "With the same order on both sides, both sides are equal.", lhs=claims[0].rhs
        ),
        neighbours=tuple(
            nearby(c, "With the hypothesis broken here, the outputs are equal.", such=b.mended(c))
            for b, c in zip(BROKEN, claims, strict=True)
        ),
        source="[SBP] McIlroy-Young et al. 2024",
        citations=("mcilroyyoung2024",),
        show=show(*names()[0], alike=names()[1]),
    )  # fmt: skip


if __name__ == "__main__":
    main(__spec__)
