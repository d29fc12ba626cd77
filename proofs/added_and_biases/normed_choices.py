"""Tables behind a layer norm, drawn; and tokens and weights for which the outputs differ.

About half of the gains are 0, and about half of the tables have rows that differ by a number in all
features: the hypotheses of a claim say which of these it is about.
"""

from orderproof.check.sampling import Counts, Maps
from orderproof.proofs.prelude import *

OVER = ({"n": 2, "d": 2, "d_k": 1, "d_v": 2}, {"n": 4, "d": 3, "d_k": 2, "d_v": 1})


def normed_tables(rng: np.random.Generator, sizes: Counts, maps: Maps) -> Values:
    """A table E, and gain, bias and ε of a layer norm."""
    n, d = sizes["n"], sizes["d"]
    table = rng.integers(-8, 9, size=(n if rng.random() < 0.5 else 1, d))
    return {
        "E": (table + rng.integers(-8, 9, size=(n, 1))) / 4,
        "gamma": np.where(rng.random(d) < 0.5, 0, rng.integers(2, 9, size=d) / 4),
        "beta": rng.integers(-8, 9, size=d) / 4,
        "epsilon": np.array(0.5),
    }


def one_feature(sizes: Counts, maps: Maps, given: Values) -> Iterator[Values]:
    """P X + E is v in every row, where v is 0, or 1 in one feature; one feature of the norm is
    query, key and value, and the scores are its products, or 0."""
    table, sigma = given["E"], list(maps["sigma"])
    for c in range(sizes["d"]):
        for v in (np.zeros(sizes["d"]), np.eye(sizes["d"])[c]):
            x = np.zeros_like(table)
            x[sigma] = v - table
            for scale in (1.0, 0.0):
                yield {
                    "X": x,
                    "W_Q": _reads(sizes, c, "d_k", scale * np.sqrt(sizes["d_k"])),
                    "W_K": _reads(sizes, c, "d_k"),
                    "W_V": _reads(sizes, c, "d_v"),
                }


def _reads(sizes: Counts, feature: int, to: str, factor: float = 1.0) -> Array:
    """Weights that read one feature."""
    found = np.zeros((sizes["d"], sizes[to]))
    found[feature, 0] = factor
    return found
