"""What the calculus can say: heads, batches, shared keys, class tokens, deep stacks, pooling.

Each architecture is pushed, and both sides of the theorem are computed on random arrays under a
3-cycle; with the inverse permutation on the right, or nothing moved, they must differ.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from orderproof.symbolic.calculus.kernel import Theorem, is_theorem
from orderproof.symbolic.calculus.terms import Map, Op, Set, Term, at, reachable
from orderproof.symbolic.derive.push import Pushed, Stuck, push
from orderproof.symbolic.models.attention import attention
from orderproof.symbolic.models.builders import (
    add,
    call,
    cat,
    contract,
    define,
    divide,
    image,
    inverse,
    leaf_of,
    mean,
    multiply,
    number,
    opaque,
    permutation,
    reduce,
    sqrt,
    subtract,
    tensor,
)
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays

N, M, D, K, R, H, BATCH, ONE = (Set(x) for x in ("n", "m", "d", "k", "r", "h", "b", "1"))
SIZES = {"n": 5, "m": 4, "d": 3, "k": 2, "r": 3, "h": 2, "b": 2}
σ, ρ = permutation("sigma", N), permutation("rho", M)
MAPS = {"sigma": [1, 2, 0, 3, 4], "rho": [0, 3, 1, 2]}  # 3-cycles
HEADED = Set("×", (H, R))
CLOSE = {"rtol": 1e-9, "atol": 1e-9}  # a wrong side differs by about 1


def size(s: Set) -> int:
    """The number of elements of an index set."""
    if not s.parts:
        return SIZES.get(s.name, 1)
    a, b = map(size, s.parts)
    return a + b if s.name == "+" else a * b


def values(*terms: Term, seed: int = 0) -> dict[str, Any]:
    """Random entries for all tensors in terms."""
    rng, found = np.random.default_rng(seed), {}
    for node in (n for t in terms for n in reachable(t.node)):
        if node.op.kind == "leaf" and node.op.data[0] not in found:
            found[node.op.data[0]] = rng.normal(size=[size(s) for s in node.op.data[1]])
    return found | {"φ": lambda x, k: np.tanh(x - 2 * np.roll(x, 1, axis=-1))[..., :k]}


def value(t: Term, found: Any) -> Any:
    """The array of a term, in the order of its axes."""
    return arrays(t, SIZES, MAPS, found, Floats(np.float64))


def derived(t: Term, moves: Any, expected: dict[Any, Map]) -> Theorem:
    """The push of t moves the expected axes; both sides agree on arrays, and the twins do not."""
    result = push(t, moves)
    assert isinstance(result, Pushed), str(result)
    motion = dict(zip(t.axes, result.motion, strict=True))
    assert {a: m for a, m in motion.items() if m} == expected
    th = result.theorem
    assert is_theorem(th)
    assert th.lhs.node is image(t, moves).node
    assert not th.hyps
    found = values(th.lhs)
    left = value(image(t, moves), found)

    def right(maps: dict[Any, Map]) -> Any:
        whole = at(t, {a: m(a) for a, m in maps.items()})
        return np.transpose(value(whole, found), [whole.axes.index(a) for a in t.axes])

    np.testing.assert_allclose(left, right(expected), **CLOSE)
    assert np.max(np.abs(left)) > 1e-3
    if expected:
        for twin in ({}, {a: inverse(m) for a, m in expected.items()}):
            assert not np.allclose(left, right(twin), **CLOSE)
    return th


X = tensor("X", b=BATCH, i=N, c=D)
Y = tensor("Y", b=BATCH, j=M, c=D)
TOKENS = {leaf_of(X): (None, σ, None)}
W_Q, W_K = tensor("W_Q", h=H, c=D, k=K), tensor("W_K", h=H, c=D, k=K)
W_V = tensor("W_V", h=H, c=D, r=R)
W_O = tensor("W_O", o=HEADED, e=D)


def merged(z: Term) -> Term:
    """Heads side by side: the axis over heads × values from the two, then the output projection."""
    one = at(z, {"h": Map("fst", (H, R))("o"), "r": Map("snd", (H, R))("o")})
    return contract(one, W_O, "o")


def heads(queries: Term, memory: Term, keys: Term = W_K, inputs: Term = W_V) -> Term:
    """Multi-head attention in a batch (Vaswani et al. 2017, section 3.2.2)."""
    q, k, v = (contract(x, w, "c") for x, w in ((queries, W_Q), (memory, keys), (memory, inputs)))
    return merged(attention(q, k, v, "j", "k"))


def by_hand(x: Any, y: Any, w: dict[str, Any]) -> Any:
    """The same with einsum, from the paper."""
    q, k = np.einsum("bic,hck->bhik", x, w["W_Q"]), np.einsum("bjc,hck->bhjk", y, w["W_K"])
    s = np.einsum("bhik,bhjk->bhij", q, k) / np.sqrt(q.shape[-1])
    a = np.exp(s) / np.exp(s).sum(-1, keepdims=True)
    z = np.einsum("bhij,bjc,hcr->bihr", a, y, w["W_V"])
    return z.reshape(*z.shape[:2], -1) @ w["W_O"]


def test_multi_head_attention_in_a_batch() -> None:
    """Heads and batches could not be said, or a permutation would not reach the tokens alone."""
    t = heads(X, X.rename({"i": "j"}))
    derived(t, TOKENS, {"i": σ})
    found = values(t)
    order = [t.axes.index(a) for a in ("b", "i", "e")]
    got = np.transpose(value(t, found), order)
    np.testing.assert_allclose(got, by_hand(found["X"], found["X"], found), **CLOSE)
    wrong = found | {"W_O": found["W_O"][::-1]}  # merged with the heads in another order
    assert not np.allclose(got, by_hand(found["X"], found["X"], wrong), **CLOSE)


def test_shared_keys() -> None:
    """Multi-query attention (one key and value head for all) would not be derived."""
    keys, inputs = tensor("U_K", c=D, k=K), tensor("U_V", c=D, r=R)
    derived(heads(X, X.rename({"i": "j"}), keys, inputs), TOKENS, {"i": σ})


def test_grouped_keys() -> None:
    """Heads that share keys by group (a map of heads to groups) would not be derived."""
    group = Map("symbol", ("group", (H,), K, False))
    shared = at(tensor("G", g=K, c=D, k=K), {"g": group("h")})
    MAPS["group"] = [1, 1]
    derived(heads(X, X.rename({"i": "j"}), shared), TOKENS, {"i": σ})


def test_cross_attention_under_two_permutations() -> None:
    """Queries and memory could not be permuted independently."""
    t = heads(X, Y)
    derived(t, TOKENS | {leaf_of(Y): (None, ρ, None)}, {"i": σ})
    derived(t, {leaf_of(Y): (None, ρ, None)}, {})
    derived(t, TOKENS, {"i": σ})


def test_moved_features_stick() -> None:
    """Permuting the features of X would be taken for permuting its tokens."""
    π = permutation("pi", D)
    result = push(heads(X, X.rename({"i": "j"})), {leaf_of(X): (None, None, π)})
    assert isinstance(result, Stuck)
    assert result.tensor in ("W_Q", "W_K", "W_V")
    assert "its axis over d" in result.reason


def test_permuted_heads_and_batches() -> None:
    """Permuting batches moves the output's batches; permuting all heads' weights moves W_O's."""
    π = permutation("pi", BATCH)
    MAPS["pi"] = [1, 0]
    t = heads(X, X.rename({"i": "j"}))
    result = push(t, {leaf_of(X): (π, σ, None)})
    assert isinstance(result, Pushed)
    assert dict(zip(t.axes, result.motion, strict=True)) == {"b": π, "i": σ, "e": None}
    some = push(t, {leaf_of(W_Q): (permutation("eta", H), None, None)})
    assert isinstance(some, Stuck)


def test_a_class_token_in_front() -> None:
    """The class token would be moved, or the tokens behind it would not."""
    token = tensor("T", i=ONE, c=D)
    x = tensor("x", i=N, c=D)
    s = cat(token, x, "i")
    U = tensor("U", c=D, k=K)
    keys = s.rename({"i": "j"})
    q, k = contract(s, U, "c"), contract(keys, U, "c")
    t = attention(q, k, keys, "j", "k")
    beside = Map("beside", (Map("identity", (ONE,)), σ))
    derived(t, {leaf_of(x): (σ, None)}, {"i": beside})
    first = at(t, {"i": Map("inl", (ONE, N))("z")})
    derived(first, {leaf_of(x): (σ, None)}, {})  # the class token's output sees no order
    last = at(t, {"i": Map("inr", (ONE, N))("i")})
    derived(last, {leaf_of(x): (σ, None)}, {"i": σ})


def test_pooling_is_invariant() -> None:
    """A pooled output would still see the order."""
    t = heads(X, X.rename({"i": "j"}))
    for pooled in (mean(t, "i"), reduce("max", t, "i"), reduce("min", t, "i")):
        derived(pooled, TOKENS, {})
    place = at(t, {"i": Map("symbol", ("q", (), N, False))()})
    assert isinstance(push(place, TOKENS), Stuck)  # the twin: a selected token


x = tensor("x", i=N, c=D)
FORMALS = (
    x,
    tensor("A_Q", c=D, k=K),
    tensor("A_K", c=D, k=K),
    tensor("A_V", c=D, e=D),
    tensor("gain", c=D),
    tensor("shift", c=D),
    tensor("A_1", c=D, r=R),
    tensor("A_2", r=R, c=D),
)


def layer_norm(t: Term, gain: Term, shift: Term) -> Term:
    """(t − mean)/√(variance + ε) over the features, scaled and shifted (Ba et al. 2016)."""
    centred = subtract(t, mean(t, "c"))
    variance = mean(multiply(centred, centred), "c")
    scaled = divide(centred, sqrt(add(variance, number(Fraction(1, 1000)))))
    return add(multiply(scaled, gain), shift)


def encoder_block() -> Op:
    """x ↦ y + W₂ φ(W₁ norm y) with y = x + attention(norm x), as one definition."""
    tokens, A_Q, A_K, A_V, gain, shift, A_1, A_2 = FORMALS
    h = layer_norm(tokens, gain, shift)
    keys = h.rename({"i": "j"})
    q, k, v = contract(h, A_Q, "c"), contract(keys, A_K, "c"), contract(keys, A_V, "c")
    y = add(tokens, attention(q, k, v, "j", "k").rename({"e": "c"}))
    wide = opaque("φ", {"r": "r"}, contract(layer_norm(y, gain, shift), A_1, "c"), {"r": R})
    return define("block", FORMALS, add(y, contract(wide, A_2, "r")))


def encoder(tokens: Term, depth: int) -> Term:
    """Blocks, each with weights of its own."""
    t = tokens
    for layer in range(depth):
        weights = [
            tensor(f"{f.node.op.data[0]}{layer}", **{str(a): s for a, s in f.sets.items()})
            for f in FORMALS[1:]
        ]
        t = call(encoder_block(), [t, *weights], [f.axes for f in FORMALS], ["i", "c"])
    return t


@pytest.mark.parametrize("depth", [1, 12])
def test_an_encoder_of_blocks(depth: int) -> None:
    """Depth, residuals, norms or feed-forward maps would stop the permutation, or lose it."""
    t = encoder(X, depth)
    th = derived(t, TOKENS, {"i": σ})
    kept = [n for n in reachable(th.rhs.node) if n.op.kind == "apply"]
    assert len(kept) == depth  # blocks stay definitions


def test_a_pooled_encoder() -> None:
    """The embedding of a sentence without positions would depend on the order of its words."""
    derived(mean(encoder(X, 3), "i"), TOKENS, {})


def test_positions_stop_the_encoder() -> None:
    """A position table in front of twelve blocks would not be noticed, or the wrong one named."""
    table = tensor("E", i=N, c=D)
    result = push(encoder(add(X, table), 12), TOKENS)
    assert isinstance(result, Stuck)
    assert result.tensor == "E"
