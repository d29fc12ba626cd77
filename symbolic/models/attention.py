"""The architectures of the book, each written once as a term.

Axis names are the caller's: `i` and `j` for tokens, `k` for features and so on. Each function
says which axes it needs and which it leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from orderproof.symbolic.calculus.terms import Name, Op, Set, ShapeError, Term, reachable

from .builders import (
    add,
    call,
    contract,
    define,
    divide,
    exp,
    inlined,
    mean,
    multiply,
    pointwise,
    reduce,
    size,
    sqrt,
    subtract,
    tensor,
    total,
)
from .named import Named
from .variants import normalised


def softmax_definition(over: Set) -> Op:
    """exp(sⱼ) / Σⱼ exp(sⱼ), on one row."""
    row = tensor("s", j=over)
    return define("softmax", [row], divide(exp(row), total(exp(row), "j")))


def shifted_softmax_definition(over: Set) -> Op:
    """softmax as computed: the largest score is subtracted first, so that exp cannot overflow."""
    row = tensor("s", j=over)
    shifted = exp(subtract(row, reduce("max", row, "j")))
    return define("shifted_softmax", [row], divide(shifted, total(shifted, "j")))


def masked_softmax(scores: Term, mask: Term, axis: Name) -> Term:
    """gⱼ exp(sⱼ) / Σⱼ gⱼ exp(sⱼ): a mask as weights gⱼ ≥ 0, not all of them 0 in a row.

    With gⱼ = exp(bⱼ) it is softmax(s + b), and gⱼ = 0 says bⱼ = −∞ without subtracting ∞ from ∞.
    """
    return normalised(multiply(mask, exp(scores)), axis)


def softmax(scores: Term, axis: Name) -> Term:
    """The softmax over an axis, kept as a definition of one row."""
    return call(softmax_definition(scores.sets[axis]), [scores], [[axis]], [axis])


def shifted_softmax(scores: Term, axis: Name) -> Term:
    """The shifted softmax over an axis."""
    return call(shifted_softmax_definition(scores.sets[axis]), [scores], [[axis]], [axis])


def as_computed(term: Term) -> Term:
    """term without definitions, each softmax in its shifted form: what array libraries do."""
    ops = {n.op for n in reachable(term.node) if n.op.kind == "apply" and n.op.data[0] == "softmax"}
    sets = [op.data[1][0].data[1][0] for op in ops]
    swap = {softmax_definition(s): shifted_softmax_definition(s) for s in sets}
    return inlined(term, swap)


def scores(queries: Term, keys: Term, feature: Name) -> Term:
    """QKᵀ/√d_k: the scaled dot products over the feature axis (Vaswani et al. 2017, eq. 1)."""
    return divide(contract(queries, keys, feature), sqrt(size(queries.sets[feature])))


def attention(queries: Term, keys: Term, values: Term, memory: Name, feature: Name) -> Term:
    """softmax(QKᵀ/√d_k) V: queries over `feature`; keys over `memory` and `feature`; values over
    `memory` and their own features; softmax and sum over `memory`. Other axes are shared: one
    query is the generation step, an axis of queries is attention, and so are heads and batches
    (Vaswani et al. 2017, eq. 1). Raises ShapeError where they have other axes: queries over
    `memory` would meet each their own key alone."""
    for name, t, wanted in (
        ("queries", queries, (feature,)), ("keys", keys, (memory, feature)),
        ("values", values, (memory,)),
    ):  # fmt: skip
        for axis in wanted:
            if axis not in t.axes:
                raise ShapeError(f"attention: {name}: given axes {t.axes}, expected {axis!r} too")
    if memory in queries.axes:
        raise ShapeError(
            f"attention: queries: given axes {queries.axes}, expected none called {memory!r}, the "
            f"axis of keys and values: rename one, as X.rename({{{memory!r}: 'j'}})"
        )
    return contract(softmax(scores(queries, keys, feature), memory), values, memory)


def unnormalised(queries: Term, keys: Term, values: Term, memory: Name, feature: Name) -> Term:
    """Σⱼ (q·kⱼ) vⱼ: attention without softmax, as generation is often described."""
    return total(multiply(contract(queries, keys, feature), values), memory)


# ---------------------------------------------------------------------------------------- layers
def linear(t: Term, weight: Term, axis: Name, bias: Term | None = None) -> Term:
    """t W + b: a linear map of the features over `axis`, with a bias where one is given."""
    product = contract(t, weight, axis)
    return add(product, bias) if bias else product


def merged(heads: Term, output: Term, head: Name, feature: Name) -> Term:
    """Concat(head₁, …, head_h) W_O, as Σₕ Zₕ W_{O,h}: the output projection with its rows cut into
    those of each head (Vaswani et al. 2017, section 3.2.2)."""
    return total(contract(heads, output, feature), head)


def as_keys(tokens: Term) -> Term:
    """The same tokens in the role of keys and values: their axis i called j."""
    return tokens.rename({"i": "j"})


@dataclass(frozen=True)
class AttentionLayer:
    """A layer of attention, each of its tensors by its letter: queries from tokens over i, keys and
    values from a memory over j (Vaswani et al. 2017, eq. 1). Any other axis that the weights have,
    of heads say, all tensors have.

    `axes` are those of the features: of tokens, queries, keys and values.
    """

    tokens: Term
    memory: Term
    weights: tuple[Term, Term, Term]  # W_Q, W_K, W_V
    biases: tuple[Term | None, Term | None, Term | None] = (None, None, None)  # b_Q, b_K, b_V
    score_bias: Term | None = None  # added to the scores
    mask: Term | None = None  # ≥ 0, weights on the exponentials of the scores
    key_bias: Term | None = None  # added to the keys, for each query (Shaw et al. 2018, eq. 4)
    rotation: Term | None = None  # over (i, j) and both features (Su et al. 2021, eq. 16)
    output: Term | None = None  # W_O, of several heads over h
    axes: tuple[Name, Name, Name, Name] = ("c", "k", "k", "r")

    def _projected(self, tokens: Term, k: int) -> Term:
        return linear(tokens, self.weights[k], self.axes[0], self.biases[k])

    @cached_property
    def Q(self) -> Term:
        """X W_Q, the queries."""
        return self._projected(self.tokens, 0)

    @cached_property
    def K(self) -> Term:
        """Y W_K, the keys."""
        return self._projected(self.memory, 1)

    @cached_property
    def V(self) -> Term:
        """Y W_V, the values."""
        return self._projected(self.memory, 2)

    @cached_property
    def S(self) -> Term:
        """Q Kᵀ/√d_k, the scores."""
        _, query, key, _ = self.axes
        keys = self.K.rename({key: query})
        if self.rotation is not None:
            keys = contract(self.rotation, self.K, key)
        if self.key_bias is not None:
            keys = add(keys, self.key_bias)
        found = scores(self.Q, keys, query)
        return found if self.score_bias is None else add(found, self.score_bias)

    @cached_property
    def A(self) -> Term:
        """softmax(S), the weights."""
        return softmax(self.S, "j") if self.mask is None else masked_softmax(self.S, self.mask, "j")

    @cached_property
    def Z(self) -> Term:
        """A V, the output, of each head where there are several."""
        return contract(self.A, self.V, "j")

    @cached_property
    def O(self) -> Term:  # noqa: E743 (a letter of the papers)
        """Concat(Z₁, …, Z_h) W_O, the output of all heads."""
        if self.output is None:
            raise ValueError("O: given a layer without W_O, expected one of several heads")
        return merged(self.Z, self.output, "h", self.axes[3])

    def named(self, letters: str = "QKVSAZ", of: str = "") -> tuple[Named, ...]:
        """Tensors by name, with their rows and columns, `of` after each letter."""
        c, k, e, r = self.axes
        places: dict[str, tuple[Name, Name]] = {
            "Q": ("i", k), "K": ("j", e), "V": ("j", r), "S": ("i", "j"), "A": ("i", "j"),
            "Z": ("i", r), "O": ("i", c),
        }  # fmt: skip
        return tuple(Named(f"{x}{of}", getattr(self, x), *places[x]) for x in letters)


# ------------------------------------------------------------------------------- row-wise maps
def relu(t: Term) -> Term:
    """max(x, 0), entry by entry."""
    return pointwise("relu", t)


def gelu(t: Term) -> Term:
    """x Φ(x), entry by entry, Φ the normal distribution's (Hendrycks and Gimpel 2016)."""
    return pointwise("gelu", t)


def mean_definition(over: Set) -> Op:
    """The mean of one row."""
    return define("mean", [tensor("x", c=over)], mean(tensor("x", c=over), "c"))


def variance_definition(over: Set) -> Op:
    """The mean square of one row less its mean (Ba et al. 2016, eq. 3, before the root)."""
    x = tensor("x", c=over)
    centred = subtract(x, call(mean_definition(over), [x], ["c"], ()))
    return define("var", [x], mean(multiply(centred, centred), "c"))


def layer_norm_definition(over: Set) -> Op:
    """g (x − mean(x))/√(var(x) + ε) + b on one row (Ba et al. 2016, eq. 3 and 4)."""
    x, g, b, epsilon = (*(tensor(name, c=over) for name in "xgb"), tensor("epsilon"))
    mu, v = (call(op(over), [x], ["c"], ()) for op in (mean_definition, variance_definition))
    scaled = divide(subtract(x, mu), sqrt(add(v, epsilon)))
    return define("LayerNorm", [x, g, b, epsilon], add(multiply(g, scaled), b))


def rms_norm_definition(over: Set) -> Op:
    """g x/√(q + ε) on one row, q the mean of its squares (Zhang and Sennrich 2019, eq. 4)."""
    x, g, epsilon = (*(tensor(name, c=over) for name in "xg"), tensor("epsilon"))
    scaled = divide(x, sqrt(add(mean(multiply(x, x), "c"), epsilon)))
    return define("RMSNorm", [x, g, epsilon], multiply(g, scaled))


def layer_norm(t: Term, gain: Term, bias: Term, epsilon: Term, axis: Name) -> Term:
    """Layer norm of each row over the features `axis`, which gain and bias have too."""
    parts, bound = [t, gain, bias, epsilon], [[axis], [axis], [axis], []]
    return call(layer_norm_definition(t.sets[axis]), parts, bound, [axis])


def rms_norm(t: Term, gain: Term, epsilon: Term, axis: Name) -> Term:
    """RMS norm of each row over the features `axis`, which the gain has too."""
    return call(rms_norm_definition(t.sets[axis]), [t, gain, epsilon], [[axis], [axis], []], [axis])


Weights = Mapping[str, Term]
Activation = Callable[[Term], Term]
FEED_FORWARDS: dict[Activation, str] = {relu: "ReLUFFN", gelu: "GELUFFN"}


def feed_forward_definition(over: Set, hidden: Set, activation: Activation) -> Op:
    """φ(x W₁ + b₁) W₂ + b₂ on one row (Vaswani et al. 2017, eq. 2, where φ is ReLU)."""
    x, W_1, b_1 = tensor("x", c=over), tensor("W_1", c=over, u=hidden), tensor("b_1", u=hidden)
    W_2, b_2 = tensor("W_2", u=hidden, e=over), tensor("b_2", e=over)
    wide = activation(linear(x, W_1, "c", b_1))
    return define(
        FEED_FORWARDS.get(activation, "FFN"), [x, W_1, b_1, W_2, b_2], linear(wide, W_2, "u", b_2)
    )


def feed_forward(t: Term, weights: Weights, activation: Activation) -> Term:
    """The feed-forward map of each row of t, over its axis c, with W_1 (c, u) and W_2 (u, c)."""
    parts = [t, *(weights[name] for name in ("W_1", "b_1", "W_2", "b_2"))]
    bound = [["c"], ["c", "u"], ["u"], ["u", "c"], ["c"]]
    op = feed_forward_definition(t.sets["c"], weights["b_1"].sets["u"], activation)
    return call(op, parts, bound, ["c"])


# -------------------------------------------------------------------------- blocks and encoders
@dataclass(frozen=True)
class Widths:
    """The index sets of an encoder: tokens i, features c, heads h, of each head the features of
    its queries and keys k and of its values r, and the hidden features u of the feed-forward."""

    i: Set
    c: Set
    h: Set
    k: Set
    r: Set
    u: Set

    def tensors(self, shapes: Mapping[str, str], suffix: str = "") -> Weights:
        """Free tensors by name, each with the axes given as letters."""
        return {
            name: tensor(f"{name}{suffix}", **{a: getattr(self, a) for a in axes})
            for name, axes in shapes.items()
        }


HEADS = {
    "W_Q": "hck", "b_Q": "hk", "W_K": "hck", "b_K": "hk", "W_V": "hcr", "b_V": "hr",
    "W_O": "hrc", "b_O": "c",
}  # fmt: skip
FEED_FORWARD = {"W_1": "cu", "b_1": "u", "W_2": "uc", "b_2": "c"}
NORMS = {"gamma_1": "c", "beta_1": "c", "gamma_2": "c", "beta_2": "c", "epsilon": ""}
BLOCK = HEADS | FEED_FORWARD | NORMS  # each weight of a block with its axes


def heads_over(
    tokens: Term, memory: Term, weights: Weights, mask: Term | None = None
) -> AttentionLayer:
    """Attention with heads of tokens over (i, c) to a memory over (j, c), with biases b_Q, b_K and
    b_V, and a mask as weights over (i, j) where one is given; b_O is not added yet."""
    w_q, w_k, w_v, b_q, b_k, b_v = (weights[f"{x}_{y}"] for x in "Wb" for y in "QKV")
    return AttentionLayer(
        tokens, memory, (w_q, w_k, w_v), (b_q, b_k, b_v), mask=mask, output=weights["W_O"]
    )


def defined(
    name: str,
    given: Sequence[tuple[Term, str, Mapping[str, Set]]],
    widths: Widths,
    shapes: Mapping[str, str],
    body: Callable[[Sequence[Term], Weights], Term],
    weights: Weights,
) -> Term:
    """body(tensors, weights), kept by name as a definition of these tensors, each given with the
    letter of its formal and with the index sets of its axes, and of the weights. The first of them
    has its axes in the order of the result's, so that the definition can be a layer of a stack."""
    own = widths.tensors(shapes)

    def formals(first: Sequence[Name]) -> list[Term]:
        orders = [first, *(tuple(sets) for _, _, sets in given[1:])]
        return [
            tensor(letter, **{str(a): sets[str(a)] for a in order})
            for (_, letter, sets), order in zip(given, orders, strict=True)
        ]

    axes = body(formals(tuple(given[0][2])), own).axes
    tensors = formals(axes)
    op = define(name, [*tensors, *own.values()], body(tensors, own))
    parts = [*(t for t, _, _ in given), *(weights[x] for x in shapes)]
    return call(op, parts, [*(t.axes for t in tensors), *shapes.values()], axes)


def multi_head(tokens: Term, weights: Weights, widths: Widths) -> Term:
    """Multi-head self-attention of tokens over i and c, as a definition."""

    def body(given: Sequence[Term], w: Weights) -> Term:
        return add(heads_over(given[0], as_keys(given[0]), w).O, w["b_O"])

    return defined("MultiHead", [own_tokens(tokens, widths)], widths, HEADS, body, weights)


def own_tokens(tokens: Term, widths: Widths) -> tuple[Term, str, Mapping[str, Set]]:
    """Tokens as the first of what a definition is given: X, over (i, c)."""
    return tokens, "X", {"i": widths.i, "c": widths.c}


def normed(t: Term, weights: Weights, number: int) -> Term:
    """The layer norm of a block that has this number."""
    gain, bias = weights[f"gamma_{number}"], weights[f"beta_{number}"]
    return layer_norm(t, gain, bias, weights["epsilon"], "c")


@dataclass(frozen=True)
class Block:
    """The tensors of an encoder block from its tokens X: N the tokens as attention sees them, M
    what the heads add, Y the tokens with it, G those that the feed-forward sees, F what it adds, Z
    the output. Post-norm as Vaswani et al. 2017, section 3.1: Y = LN(X + M), Z = LN(Y + F);
    pre-norm as Xiong et al. 2020, table 1: Y = X + M, Z = Y + F, and N, G normed."""

    N: Term
    M: Term
    Y: Term
    G: Term
    F: Term
    Z: Term


def block_parts(
    tokens: Term, w: Weights, widths: Widths, activation: Activation, *, pre_norm: bool
) -> Block:
    """An encoder block, written out."""
    seen = normed(tokens, w, 1) if pre_norm else tokens
    heads = multi_head(seen, w, widths)
    mixed = add(tokens, heads)
    y = mixed if pre_norm else normed(mixed, w, 1)
    fed = normed(y, w, 2) if pre_norm else y
    wide = feed_forward(fed, w, activation)
    z = add(y, wide)
    return Block(seen, heads, y, fed, wide, z if pre_norm else normed(z, w, 2))


def block(
    tokens: Term, weights: Weights, widths: Widths, activation: Activation, *, pre_norm: bool
) -> Term:
    """An encoder block, as a definition of the tokens and its weights."""

    def body(given: Sequence[Term], w: Weights) -> Term:
        return block_parts(given[0], w, widths, activation, pre_norm=pre_norm).Z

    name = "PreNorm" if pre_norm else "PostNorm"
    return defined(name, [own_tokens(tokens, widths)], widths, BLOCK, body, weights)
