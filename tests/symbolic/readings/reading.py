"""Values for the names in printed formulas, to compare what is read with the term's own array."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from orderproof.numeric.reference import decoder, sets
from orderproof.numeric.reference import encoder as reference
from orderproof.symbolic.calculus.terms import Set, Term, reachable
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays

from .formula import Meaning

SIZES = {
    "n": 4, "m": 5, "d": 3, "d_k": 3, "d_v": 2, "d_f": 3, "h": 3, "e": 3, "f": 3, "g": 2, "1": 1,
    "t": 4, "L": 2, "L_E": 2,
}  # fmt: skip
MAPS: dict[str, Any] = {
    "sigma": [1, 2, 0, 3],  # a 3-cycle is not its own inverse
    "rho": [2, 4, 1, 0, 3],
    "tau": [2, 0, 1, 3],  # commutes with σ, where a theorem asks that of it
    "q": 3,  # a place that σ leaves
    "g": [1, 4, 4, 2],
    "phi": [0, 1, 1],  # of heads to groups
    "p": [0, 2, 2, 4],  # of tokens to position ids
    "beta": [0, 2, 1, 1],  # of tokens to documents
}
CLOSE = 1e-9  # entries are about 1; a wrong reading is off by about 1


def soft(row: Any) -> Any:
    """softmax of one row, as a reader would compute it."""
    e = np.exp(row)
    return e / e.sum()


def turn(x: Any, size: int | None = None) -> Any:
    """A row-wise map: squares, turned by one place."""
    return np.roll(np.asarray(x) ** 2, 1, axis=-1)


def turn_back(x: Any, size: int | None = None) -> Any:
    """Another row-wise map."""
    return np.roll(1 / (1 + np.asarray(x) ** 2), -1, axis=-1)


def weight(x: Any, y: Any) -> Any:
    """A positive number of two rows, not the same when they are exchanged."""
    return 1 + np.sum((x * np.roll(y, 1, axis=-1)) ** 2, axis=-1)


# Operators of which nothing is known, by the names that they have in terms.
UNKNOWN: dict[str, Callable[..., Any]] = {
    "f": turn,
    "F": turn,
    "f_1": turn,
    "f_2": turn_back,
    "F1": turn,
    "F2": turn_back,
    "phi": turn,
    "w": lambda to, x, y: weight(x, y),
}


def attention_layer(x: Any, *others: Any) -> Any:
    """x + attention with W_Q, W_K and W_V, a bias B and a mask G where they are given."""
    *position, w = others
    weights = position[1] * np.exp(position[0]) if position else np.ones((len(x), len(x)))
    q, k, v = (x @ w[f"W_{y}"] for y in "QKV")
    return x + sets.weighted_attention(q, k, v, weights)


LAYERS = {  # one layer, of tokens, of what they look at and a mask where there are such, of weights
    "PostNorm": lambda x, w: reference.post_norm_block(x, w, reference.relu),
    "PreNorm": lambda x, w: reference.pre_norm_block(x, w, reference.gelu),
    "PostNormDecoder": lambda x, y, *g_w: decoder.post_norm_decoder_block(
        x, y, g_w[-1], reference.relu, *g_w[:-1]
    ),
    "Layer": attention_layer,
    "PreNormDecoder": lambda x, y, *g_w: decoder.pre_norm_decoder_block(
        x, y, g_w[-1], reference.gelu, *g_w[:-1]
    ),
}


def stack(layer: Callable[..., Any]) -> Callable[..., Any]:
    """A layer for each index of the last axis of its weights; ε is the same in all."""

    def layers(x: Any, *others: Any) -> Any:
        *same, w = others
        for k in range(next(v.shape[-1] for n, v in w.items() if n != "epsilon")):
            x = layer(x, *same, {n: v[..., k] if n != "epsilon" else v for n, v in w.items()})
        return x

    return layers


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **LAYERS,
    **{f"{n}^{over}": stack(f) for n, f in LAYERS.items() for over in ("L", "(L_E)")},
    "softmax": soft,
    "f": turn,
    "F": turn,
    "f_1": turn,
    "f_2": turn_back,
    "F1": turn,
    "F2": turn_back,
    "φ": turn,
    "w": weight,
    "LayerNorm": reference.layer_norm,
    "RMSNorm": reference.rms_norm,
    "ReLUFFN": lambda x, w: reference.feed_forward(x, w, reference.relu),
    "GELUFFN": lambda x, w: reference.feed_forward(x, w, reference.gelu),
    "MultiHead": reference.multi_head,
    "CrossHeads": decoder.heads,
    "MaskedHeads": lambda x, g, w: decoder.heads(x, x, w, g),
}


def size(s: Set) -> int:
    """How many elements an index set has."""
    return sum(map(size, s.parts)) if s.name == "+" else SIZES[s.name]


def values(*terms: Term, seed: int = 0) -> dict[str, Any]:
    """Random entries for all tensors in terms."""
    rng, found = np.random.default_rng(seed), {}
    for node in (n for t in terms for n in reachable(t.node)):
        if node.op.kind == "leaf":
            name, sets = node.op.data
            found.setdefault(name, rng.uniform(0.5, 2.0, [size(s) for s in sets]))
            if sets and name != "G":  # ε and the mask stay positive, as the theorems ask
                found[name] *= rng.choice([-1, 1], found[name].shape)
        elif node.op.kind == "opaque":
            found[node.op.data[0]] = UNKNOWN[node.op.data[0]]
    return found


def value(t: Term, tensors: Mapping[str, Any]) -> Any:
    """The array of a term, in the order of its axes."""
    return arrays(t, SIZES, MAPS, tensors, Floats(np.float64))


def meaning(found: Mapping[str, Any]) -> Meaning:
    """What a reader takes the names to stand for."""
    sigma = MAPS["sigma"]
    maps = {
        "σ": sigma,
        "ρ": MAPS["rho"],
        "τ": MAPS["tau"],
        "q": MAPS["q"],
        "g": MAPS["g"],
        "id+σ": [0, *(1 + i for i in sigma)],  # after the point
        "σ+σ": [*sigma, *(len(sigma) + i for i in sigma)],
    }
    return Meaning(found, FUNCTIONS, maps, SIZES, {"P": "σ", "R": "ρ", "P_1": "id+σ", "P_2": "σ+σ"})


def read_entries(t: Term, text: str, seed: int = 0) -> float:
    """How far a printed formula, read as entries, is from the term."""
    found = values(t, seed=seed)
    free = {str(a): size(s) for a, s in t.sets.items()}
    got = meaning(found).entries(text, free)
    return float(np.max(np.abs(got - value(t, found)), initial=0))


def read_matrix(t: Term, text: str, row: str | None, column: str | None) -> float:
    """How far a printed formula, read as a matrix, is from the term."""
    found = values(t)
    order = [t.axes.index(a) for a in (row, column) if a in t.axes]
    expected = np.transpose(value(t, found), order)
    got = meaning(found).matrix(text)
    return float(np.max(np.abs(got - expected), initial=0))
