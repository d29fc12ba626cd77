"""If relative keys of two tokens differ by another vector, an output of attention changes.

Let the first feature of every token be 1, let W_Q take it to a feature in which the differences are
not the same, and let W_K = 0. The score of token j is then that feature of the relative key, over
√d: as if it were a bias. The weights of the two tokens are in another proportion, and so some share
of the whole changes; that token alone is 1 in the second feature, which W_V reads.
"""

from orderproof.proofs.prelude import *

from .changes import Chosen, Counts, Maps, here, output_differs, there, units

NEW, OLD = (subtract(row("A"), row("A").rename({"j": "l"})) for row in (here, there))
CHANGED = Atom(NEW, "≠", OLD, some=True)


@theorem(
    title="If relative keys differ by another vector, an output of attention can change",
    words=(
        Sentence(
            "Let the relative keys of two tokens for token m differ by another vector than "
            "those of their images for σ(m). Then, with two features or more, for some tokens "
            "and weights the output of one layer at m, for the permuted tokens, is not that at "
            "σ(m).",
            (0,),
        ),
        Sentence("So it is of two layers, each with its skip.", (1,)),
    ),
    source="a vector added to the key: Shaw et al. 2018, section 3.2",
    citations=("shaw2018",),
    uses=("output_differs_of_weights",),
)
def output_differs_of_relative_keys() -> Proof:
    """Let all keys be zero and the query a unit vector. The scores are then one feature of the
    relative keys, as if they were a bias, and output_differs_of_weights applies, with a second
    feature for the values.
    """
    return output_differs("output_differs_of_relative_keys", "A", {CHANGED}, keys_read, features=2)


def keys_read(sizes: Counts, maps: Maps, given: Values) -> Iterator[Chosen]:
    """Feature 1 of every token is 1, and its query one feature of the relative keys; one token is 1
    in feature 2."""
    for x in units(sizes, maps):
        x[:, 0] = 1
        for c in range(sizes["d"]):
            yield x, {"Q": (0, c), "V": (1, 1)}
