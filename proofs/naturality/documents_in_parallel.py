"""Documents side by side: the output of the query after them does not depend on their order.

A prompt holds any number of documents, of any lengths, and then a query. Position ids begin anew in
each document, which reads none of the others, and the query's id does not depend on their order.
Let the documents stand in another order: a token keeps its document, and documents their order
inside. Then a token's id, the number of tokens before it in its document, is the one it had, and
all that is read by ids and documents moves with the tokens. Every layer moves them along, and the
query's weighted sums do not depend on the order of their terms.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.position_ids import show_ids

from .documents import KEPT, MODELS, RESTART, SAME_PLACE, Model, ids_travel, names, same_output
from .documents_witnesses import BROKEN


def claim(model: Model) -> Claim:
    """The query reads the same in both orders."""
    marks: dict[str, Check] = {
        "sympy": by_sympy_at(
            (3, {"d": 1, "m": 3, "h": 2}),  # all layouts
            (3 - model.depth, {"d": 2, "m": 2, "h": 1}),  # one document, and rows that can be seen
        ),
        "numeric": by_numpy(scale=1 / 2),
    }  # fmt: skip
    return equality(
        model.output("'"), model.output(""), same_output(model), marks, row="i", column="k",
        given=model.positive(),
    )  # fmt: skip


def without(claim: Claim, reason: str, *hypotheses: Atom) -> Neighbour:
    """What is false of a claim: the same without some hypotheses."""
    return nearby(claim, reason, given=claim.statement.given - set(hypotheses))


@theorem(
    title="Parallel documents: the query's output does not depend on their order",
    words=(
        Sentence(
            "If ids restart in each document, and a permutation keeps every token in its "
            "document and the order inside each document, every token keeps its id.",
            (0,),
        ),
        Sentence(
            "If rows, biases and masks are functions of ids, masks are 0 between "
            "documents and the query has the same id in both orders, its output is the "
            "same after one layer and after two, for any number of documents of any "
            "lengths.",
            (1, 2),
        ),
        Sentence("The same holds with rotations by ids.", (3, 4)),
        Sentence(
            "It also holds after two layers where the documents attend to the query, with "
            "biases and masks by ids.",
            (5,),
        ),
    ),
    source="[SBP] McIlroy-Young et al. 2024",
    citations=("mcilroyyoung2024",),
    uses=("positions_that_travel", "causal_last_token_invariant", "sum_act"),
)
def documents_in_parallel() -> Proof:
    """For (1): a token has as many tokens before it in its document as it had, for they are the
    same tokens in the same order. So each token has its old id. What is read by ids and documents
    then moves with the tokens, as in positions_that_travel, and every layer moves the rows of the
    documents along. The query stands where it stood, with the id that it had; its weighted sums do
    not depend on the order of their terms, as in causal_last_token_invariant.
    """
    travel = ids_travel()
    ids = equality(
        travel.lhs.rename({0: "i"}), travel.rhs.rename({0: "i"}), travel,
        {"sympy": by_sympy_to(4, m=4, h=2), "numeric": by_numpy()},
    )  # fmt: skip
    claims = [claim(model) for model in MODELS]
    other_id = (
        "A query with another id reads other rows of the tables, or rotates keys by other angles."
    )
    named, alike = names()
    return Proof(
        claims=in_rocq("documents_in_parallel", ids, *claims),
        planted=(
            without(
                claims[0],
                "If ids do not restart in each document, they can depend on the documents before "
                "it.",
                *RESTART,
            ),
            without(ids, "A change of order inside a document changes its ids.", KEPT),
            *(without(c, other_id, SAME_PLACE) for c in claims[1:]),
            *(  # at one layer and at two, each refuted at its prompt, exactly
                without(
                    replace(claims[layers - 1], marks={"exact": by_exact([prompt])}),
                    f"Without this hypothesis it fails where {how}.",
                    *MODELS[layers - 1].hypotheses()[word],
                )
                for word, (how, layers, prompt) in BROKEN.items()
            ),
        ),
        show=show_ids(*named, alike=alike),
    )
