"""Models under a bias of the scores: one head, several heads, two layers with skips.

Each with the weights for which it shows the bias itself, its rows divided by their sums.
"""

from orderproof.check.marks.joined import Lemma, by_laws
from orderproof.proofs.prelude import *

from .bias_halves import NOTHING, UNIT, Bias, Model, one, put, rewritten, unit

G, G_H = tensor("G", i=n, j=n), tensor("G", h=h, i=n, j=n)
UNITS = {leaf_of(X): UNIT.rename({"i": 0})}


def attention(tokens: Term, mask: Term) -> Term:
    """Self-attention with these weights on the exponentials of the scores."""
    return Attention(tokens, as_keys(tokens), mask=mask).Z


def one_head() -> Model:
    """Self-attention."""
    bias, factor = Bias(G), one(d_v, "r")
    to = UNITS | {
        leaf_of(W_Q): number(0), leaf_of(W_K): number(0),
        leaf_of(W_V): divide(factor, size(d)).rename({"r": 1}),
    }  # fmt: skip

    def told(tokens: Term, token: Index) -> tuple[Theorem, list[Lemma]]:
        parts = Attention(tokens, as_keys(tokens))
        facts, used = bias.no_scores(put(parts.Q, to), put(parts.S, to))
        value = by_laws(put(parts.V, to), unit(token, factor), "constant", over=sizes({d: 1}))
        steps, order = bias.picked(token, factor)
        th = rewritten(put(attention(tokens, G), to), *facts, value.fact, *steps)
        return chain(th, inward(th.rhs)), [*used, value, order]

    def of(tokens: Term) -> list[Term]:
        return [Attention(tokens, as_keys(tokens)).S]

    return Model(bias, attention, of, to, told, sizes({d: 1, d_v: 1}))


HEAD = constant("a", h)
W_QH, W_KH = (tensor(f"W_{x}", h=h, c=d, k=d_k) for x in "QK")
W_VH, W_O = tensor("W_V", h=h, c=d, r=d_v), tensor("W_O", h=h, r=d_v, c=d)


def in_heads(tokens: Term, mask: Term | None = None) -> AttentionLayer:
    """Several heads, with weights on the scores of each."""
    weights = W_QH, W_KH, W_VH
    return AttentionLayer(tokens, as_keys(tokens), weights, mask=mask, output=W_O)


def multi_head(tokens: Term, mask: Term) -> Term:
    """The sum of all heads' projections, each head with weights of its own on its scores."""
    return in_heads(tokens, mask).O


def several_heads() -> Model:
    """Several heads, each with its own bias; all but one are projected to 0."""
    bias, last = Bias(G_H), one(d, "c")
    mean = divide(number(1), size(d_v))
    head = at(delta(h, "g", "h"), {"g": HEAD()})
    to = UNITS | {
        leaf_of(W_QH): number(0), leaf_of(W_KH): number(0), leaf_of(W_VH): divide(mean, size(d)),
        leaf_of(W_O): multiply(head, last).rename({"h": 0, "c": 2}),
    }  # fmt: skip

    def told(tokens: Term, token: Index) -> tuple[Theorem, list[Lemma]]:
        parts = in_heads(tokens)
        facts, used = bias.no_scores(put(parts.Q, to), put(parts.S, to))
        value = by_laws(put(parts.V, to), unit(token, mean), "constant", over=sizes({d: 1}))
        steps, order = bias.picked(token, mean)
        each = inward(at(multiply(bias.N, mean), {"j": token}))
        row = _named(inward(at(bias.N, {"j": token})), "hi")
        projected = multiply(multiply(row, mean), multiply(head, last))
        alone = by_laws(
            reduce("sum", projected, "r", d_v), multiply(head, multiply(row, last)), "constant",
            over=sizes({d_v: 1}),
        )  # fmt: skip
        heads = kernel.sum_delta(multiply(row, last), "h", HEAD())
        whole = put(multi_head(tokens, G_H), to)
        th = rewritten(whole, *facts, value.fact, *steps, each, alone.fact, heads)
        return chain(th, inward(th.rhs)), [*used, value, order, alone]

    def of(tokens: Term) -> list[Term]:
        return [in_heads(tokens).S]

    some = sizes({d: 1, d_v: 1})
    return Model(bias, multi_head, of, to, told, some, {"h": HEAD})


def _named(th: Theorem, axes: str) -> Term:
    return th.rhs.rename(dict(zip(th.lhs.axes, axes, strict=True)))


def of_layer(number_: int) -> tuple[Term, Term, Term]:
    """The projections of a layer whose values are as wide as the tokens."""
    q, k = (tensor(f"W_{x}{number_}", c=d, k=d_k) for x in "QK")
    return q, k, tensor(f"W_V{number_}", c=d, r=d)


WEIGHTS_OF = FIRST, SECOND = of_layer(1), of_layer(2)


def with_skip(tokens: Term, mask: Term, number_: int, *, maps: bool = False) -> tuple[Named, ...]:
    """The parts of a layer of attention, and the tokens after it and its skip, last; with a map of
    rows after that (a norm, a feed-forward map), or none."""
    parts = AttentionLayer(tokens, as_keys(tokens), WEIGHTS_OF[number_ - 1], mask=mask)
    after = add(tokens, parts.Z.rename({"r": "c"}))
    if maps:
        after = opaque(f"F{number_}", {"c": "c"}, after, {"c": d})
    of, name = (f"_F{number_}", "F") if maps else (f"_{number_}", "T")
    return (*parts.named("QKVSA", of), Named(f"{name}_{number_}", after, "i", "c"))


def deep(tokens: Term, mask: Term, *, maps: bool = False) -> tuple[Named, ...]:
    """The parts of two layers, the tokens after both last."""
    first = with_skip(tokens, mask, 1, maps=maps)
    return (*first, *with_skip(first[-1].term, mask, 2, maps=maps))


def layers(tokens: Term, mask: Term) -> Term:
    """Two layers with skips, each with weights of its own."""
    return deep(tokens, mask)[-1].term


def two_layers() -> Model:
    """Two layers with skips; the first adds nothing."""
    bias, factor = Bias(G), one(d, "r")
    to = UNITS | {leaf_of(w): number(0) for w in (*FIRST, *SECOND)}
    to[leaf_of(SECOND[2])] = divide(factor, size(d)).rename({"r": 1})

    def told(tokens: Term, token: Index) -> tuple[Theorem, list[Lemma]]:
        parts = AttentionLayer(tokens, as_keys(tokens), SECOND)
        facts, used = bias.no_scores(put(parts.Q, to), put(parts.S, to))
        nothing = contract(bias.N, as_keys(NOTHING), "j")
        skip = by_laws(add(put(tokens, to), nothing), put(tokens, to), "constant")
        value = by_laws(put(parts.V, to), unit(token, factor), "constant", over=sizes({d: 1}))
        steps, order = bias.picked(token, factor)
        whole = put(layers(tokens, G), to)
        th = rewritten(whole, *facts, skip.fact, *facts, value.fact, *steps)
        return chain(th, inward(th.rhs)), [*used, skip, value, order]

    def of(tokens: Term) -> list[Term]:
        after = with_skip(tokens, bias.D, 1)[-1].term
        return [AttentionLayer(t, as_keys(t), w).S for t, w in ((tokens, FIRST), (after, SECOND))]

    return Model(bias, layers, of, to, told, sizes({d: 1}))
