"""Position tensors that satisfy the hypotheses of position_changes.py, drawn; and for each of them
the tokens and weights for which the outputs differ.
"""

from orderproof.check.marks.choices import Choose
from orderproof.check.sampling import Counts, Maps
from orderproof.proofs.prelude import *

Array = Array
OVER = ({"n": 2, "d": 2}, {"n": 4, "d": 3})
WIDER = ({"n": 4, "d": 2}, {"n": 5, "d": 3})
SHAPES = {"E": "nd", "B": "nn", "A": "nnd", "R": "nndd", "G": "nn"}


def drawn(letters: str, rng: np.random.Generator, sizes: Counts) -> Values:
    """All tensors T and T′ of these letters; of a mask about one entry in four is 0."""
    found: Values = {}
    for name in letters:
        for suffix in ("", "_t"):
            x = rng.normal(size=[sizes[s] for s in SHAPES[name]]).astype(np.float32).astype(float)
            if name == "G":
                x = np.where(x < -0.67, 0, np.abs(x)) + np.eye(sizes["n"])
            found[name + suffix] = x
    return found


def place(sizes: Counts, row: int, column: int, value: float = 1.0) -> Array:
    """Weights that read one feature and write to one."""
    found = np.zeros((sizes["d"], sizes["d"]))
    found[row, column] = value
    return found


def layers(depth: int, sizes: Counts, first: Mapping[str, Array], second: Mapping[str, Array]
           ) -> Values:  # fmt: skip
    """The weights of one layer, or of two; what is not given is 0."""
    given = {"": first} if depth == 1 else {"1": first, "2": second}
    zero = np.zeros((sizes["d"], sizes["d"]))
    return {f"W_{x}{s}": w.get(x, zero) for s, w in given.items() for x in "QKV"}


def units(sizes: Counts, maps: Maps) -> Iterator[Array]:
    """Tokens that are 0, and tokens of which PX has one that is 1 in every feature."""
    yield np.zeros((sizes["n"], sizes["d"]))
    for token in range(sizes["n"]):
        x = np.zeros((sizes["n"], sizes["d"]))
        x[maps["sigma"][token]] = 1
        yield x


def first_layer_means(depth: int) -> Choose:
    """W_Q = 0, and one token that is 1: means of values with the weights G exp B."""

    def choose(sizes: Counts, maps: Maps, given: Values) -> Iterator[Values]:
        for x in units(sizes, maps):
            yield {"X": x, **layers(depth, sizes, {"V": place(sizes, 0, 0)}, {})}

    return choose


def keys_read(depth: int) -> Choose:
    """Feature 1 of every token is 1 and asks for one feature of the relative keys; one token is 1
    in feature 2."""

    def choose(sizes: Counts, maps: Maps, given: Values) -> Iterator[Values]:
        for x in units(sizes, maps):
            x[:, 0] = 1
            for c in range(sizes["d"]):
                first = {"Q": place(sizes, 0, c), "V": place(sizes, 1, 1)}
                yield {"X": x, **layers(depth, sizes, first, {})}

    return choose


def rotations_read(depth: int) -> Choose:
    """Feature 1 of every token is 1, feature 2 of token q alone; W_Q and W_K take them to an entry
    of the rotation."""

    def choose(sizes: Counts, maps: Maps, given: Values) -> Iterator[Values]:
        x = np.zeros((sizes["n"], sizes["d"]))
        x[:, 0], x[maps["sigma"][maps["q"]], 1] = 1, 1
        for c in range(sizes["d"]):
            for e in range(sizes["d"]):
                first = {"Q": place(sizes, 0, c), "K": place(sizes, 1, e), "V": place(sizes, 1, 1)}
                yield {"X": x, **layers(depth, sizes, first, {})}

    return choose


def rows_read(depth: int) -> Choose:
    """In one feature: uniform weights; or tokens u that are what the rows differ by, δ; or u = δ
    but ±1 at token m."""

    def choose(sizes: Counts, maps: Maps, given: Values) -> Iterator[Values]:
        sigma, m = list(maps["sigma"]), maps["m"]
        for c in range(sizes["d"]):
            delta = given["E_t"][:, c] - given["E"][sigma, c]
            for scale, at_m in ((0.0, 0.0), (1.0, delta[m]), (1.0, 1.0), (-1.0, -1.0)):
                u = delta.copy()
                u[m] = at_m
                x = np.zeros((sizes["n"], sizes["d"]))
                x[sigma] = (u - given["E_t"][:, c])[:, None]
                read = place(sizes, c, c)
                ask = place(sizes, c, c, scale * np.sqrt(sizes["d"]))
                yield {"X": x, **layers(depth, sizes, {"Q": ask, "K": read, "V": read}, {})}
        yield {"X": np.zeros((sizes["n"], sizes["d"])), **layers(depth, sizes, {}, {})}

    return choose


def two_means(sizes: Counts, maps: Maps, given: Values) -> Iterator[Values]:
    """W_Q = 0 in two layers, of which the second takes its means away; token σ(q) alone is 1."""
    x = np.zeros((sizes["n"], sizes["d"]))
    x[maps["sigma"][maps["q"]]] = 1
    one = place(sizes, 0, 0)
    yield {"X": x, **layers(2, sizes, {"V": one}, {"V": -one})}


# ------------------------------------------------------------------- tensors with the hypotheses
def any_weights(rng: np.random.Generator, sizes: Counts, maps: Maps) -> Values:
    """All of them, at random."""
    return drawn("EBARG", rng, sizes)


def any_keys(rng: np.random.Generator, sizes: Counts, maps: Maps) -> Values:
    """Relative keys, at random."""
    return drawn("A", rng, sizes)


def rotations(rng: np.random.Generator, sizes: Counts, maps: Maps) -> Values:
    """Matrices between queries and keys, at random; the mask of σ(m) is that of m."""
    found, sigma, m = drawn("RG", rng, sizes), list(maps["sigma"]), maps["m"]
    found["G_t"][m] += 1
    found["G"][sigma[m], sigma] = found["G_t"][m]
    return found


def rows(rng: np.random.Generator, sizes: Counts, maps: Maps) -> Values:
    """Tables at random; tokens m and σ(m) see all."""
    found, m = drawn("EG", rng, sizes), maps["m"]
    found["G_t"][m], found["G"][maps["sigma"][m]] = 1, 1
    return found


def columns(rng: np.random.Generator, sizes: Counts, maps: Maps) -> Values:
    """A mask in which token q is seen by all that see σ(q); m and σ(m) see all."""
    found, sigma, m, q = drawn("RG", rng, sizes), maps["sigma"], maps["m"], maps["q"]
    g = found["G"]
    g[:, q] = g[:, sigma[q]] + 1
    g[m], g[sigma[m]] = 1, 1
    return {"G": g, "R": found["R"]}
