"""If two tokens' weights G exp B are in another proportion, an output of attention changes.

Let W_Q = 0, so that all scores are 0, and the output of a token is a mean of values with weights
that do not depend on X. Divide these weights by their sum: as two of them are in another
proportion, some share of the whole changes. The output is an affine function of the tokens, be rows
added to them or not; where it is the same for tokens that are 0, one token that is 1 shows the
share.
"""

from orderproof.proofs.prelude import *

from .changes import Chosen, Counts, Maps, here, output_differs, there, units

NEW, OLD = (multiply(row("G"), exp(row("B"))) for row in (here, there))
CHANGED = Atom(
    multiply(NEW, OLD.rename({"j": "l"})), "≠", multiply(OLD, NEW.rename({"j": "l"})), some=True
)


@theorem(
    title="If the weights of two tokens are in another proportion, an output can change",
    words=(
        Sentence(
            "Let two tokens' weights G exp B for token m be in another proportion than their "
            "images' for σ(m). Then for some tokens and weights the output of one layer at m, "
            "for the permuted tokens, is not that at σ(m).",
            (0,),
        ),
        Sentence("So it is of two layers, each with its skip.", (1,)),
    ),
    source="biases of the scores: Raffel et al. 2020, section 2.1; Press et al. 2022",
    citations=("raffel2020", "press2022"),
    uses=("sum_act",),
)
def output_differs_of_weights() -> Proof:
    """With all queries zero the output is a mean with weights that do not depend on the tokens. If
    two weights are in another proportion, some share of the whole has changed. The output is an
    affine function of the tokens, so either it differs for tokens that are zero, or one token that
    is one shows the share.
    """
    return output_differs("output_differs_of_weights", "EBARG", {CHANGED}, means)


def means(sizes: Counts, maps: Maps, given: Values) -> Iterator[Chosen]:
    """W_Q = 0, and one token that is 1: means of values with the weights G exp B."""
    for x in units(sizes, maps):
        yield x, {"V": (0, 0)}
