"""Stacks of encoder blocks, and the time of pushing a permutation through them."""

from __future__ import annotations

from collections.abc import Callable

from orderproof.symbolic.calculus.terms import Op, Set, Term
from orderproof.symbolic.derive import push as tactic
from orderproof.symbolic.models.attention import attention
from orderproof.symbolic.models.builders import (
    add,
    call,
    contract,
    define,
    divide,
    leaf_of,
    mean,
    multiply,
    number,
    permutation,
    pointwise,
    sqrt,
    subtract,
    tensor,
)

TOKENS, FEATURES, HIDDEN = Set("n"), Set("d"), Set("h")
SIGMA = permutation("sigma", TOKENS)


def _norm(t: Term, gain: Term, bias: Term) -> Term:
    """Layer norm over the features."""
    centred = subtract(t, mean(t, "c"))
    spread = sqrt(add(mean(multiply(centred, centred), "c"), tensor("eps")))
    return add(multiply(divide(centred, spread), gain), bias)


def block() -> tuple[Op, list[Term]]:
    """An encoder block of one head as a definition: attention, residual, layer norm, feed-forward,
    residual, layer norm (Vaswani et al. 2017, section 3.1); and its formals, the tokens first."""
    x = tensor("x", i=TOKENS, c=FEATURES)
    square = {"c": FEATURES, "k": FEATURES}
    w_q, w_k, w_v = (tensor(name, **square) for name in ("w_q", "w_k", "w_v"))
    w_1, b_1 = tensor("w_1", c=FEATURES, f=HIDDEN), tensor("b_1", f=HIDDEN)
    w_2, b_2 = tensor("w_2", f=HIDDEN, c=FEATURES), tensor("b_2", c=FEATURES)
    norms = [tensor(name, c=FEATURES) for name in ("g_1", "h_1", "g_2", "h_2")]
    memory = x.rename({"i": "j"})
    values = contract(memory, w_v, "c").rename({"k": "c"})
    mixed = attention(contract(x, w_q, "c"), contract(memory, w_k, "c"), values, "j", "k")
    first = _norm(add(x, mixed), *norms[:2])
    inner = pointwise("max", add(contract(first, w_1, "c"), b_1), number(0))
    whole = _norm(add(first, add(contract(inner, w_2, "f"), b_2)), *norms[2:])
    formals = [x, w_q, w_k, w_v, w_1, b_1, w_2, b_2, *norms, tensor("eps")]
    return define("block", formals, whole), formals


def stack(depth: int) -> Term:
    """That many blocks, each with weights of its own."""
    definition, formals = block()
    tokens = tensor("X", i=TOKENS, c=FEATURES)
    for k in range(depth):
        weights = [
            tensor(f"{f.node.op.data[0]}_{k}", **{str(a): s for a, s in f.sets.items()})
            for f in formals[1:]
        ]
        parts = [tokens, *weights]
        tokens = call(definition, parts, [p.axes for p in parts], ["i", "c"])
    return tokens


def pushing(depth: int) -> Callable[[], None]:
    """What pushes a permutation of the tokens through a stack, its one definition included."""
    term, moves = stack(depth), {leaf_of(tensor("X", i=TOKENS, c=FEATURES)): (SIGMA, None)}

    def push() -> None:
        tactic._lemmas.clear()
        if isinstance(tactic.push(term, moves), tactic.Stuck):
            raise RuntimeError("the push is stuck: the comparison means nothing")

    return push
