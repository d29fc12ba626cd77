"""The encoder term, read as arrays, against PyTorch's own modules on copied weights.

Both sides are float64. The tolerance is twice the rounding bound derived for the term: each side
computes in an order of its own, within the same bound.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from orderproof.numeric.rounding import Ball, bounded
from orderproof.symbolic.calculus.terms import Set, Term
from orderproof.symbolic.models.attention import (
    BLOCK,
    HEADS,
    Activation,
    Widths,
    block,
    gelu,
    layer_norm,
    linear,
    merged,
    multi_head,
    relu,
    scores,
    softmax,
)
from orderproof.symbolic.models.builders import add, contract, tensor

pytestmark = pytest.mark.torch

W = Widths(*(Set(name) for name in ("n", "d", "h", "d_k", "d_v", "d_f")))
SIZES = {"n": 5, "d": 6, "h": 3, "d_k": 2, "d_v": 2, "d_f": 7}
X = tensor("X", i=W.i, c=W.c)
EPSILON = 0.1  # far from 0, where the derived bound through several layers says something
FINAL = {"gamma": tensor("gamma", c=W.c), "beta": tensor("beta", c=W.c)}


@pytest.fixture
def torch() -> Any:
    """PyTorch, in float64, with dropout and autograd of no account."""
    return pytest.importorskip("torch", reason="PyTorch is not installed: run make torch-test")


def randomised(torch: Any, module: Any, seed: int) -> Any:
    """The module in eval mode and float64 with small random weights, biases and gains too."""
    generator = torch.Generator().manual_seed(seed)
    module = module.double().eval()
    with torch.no_grad():
        for name, p in module.named_parameters():
            noise = torch.randn(p.shape, generator=generator, dtype=torch.float64)
            p.copy_(noise / 4 + (1.0 if "norm" in name and name.endswith("weight") else 0.0))
    return module


def heads_of(module: Any) -> dict[str, Any]:
    """The weights of a torch.nn.MultiheadAttention by the term's names and shapes: torch computes
    x Wᵀ + b, has queries, keys and values one below the other, and the features cut into heads."""
    h, d = SIZES["h"], SIZES["d"]
    found = {}
    stacked = zip(module.in_proj_weight.chunk(3), module.in_proj_bias.chunk(3), strict=True)
    for x, (weight, bias) in zip("QKV", stacked, strict=True):
        found[f"W_{x}"] = weight.detach().numpy().reshape(h, -1, d).transpose(0, 2, 1)
        found[f"b_{x}"] = bias.detach().numpy().reshape(h, -1)
    found["W_O"] = module.out_proj.weight.detach().numpy().T.reshape(h, -1, d)
    return found | {"b_O": module.out_proj.bias.detach().numpy()}


def layer_of(module: Any) -> dict[str, Any]:
    """The weights of a torch.nn.TransformerEncoderLayer by the term's names."""
    found = heads_of(module.self_attn)
    for k in (1, 2):
        lin, norm = getattr(module, f"linear{k}"), getattr(module, f"norm{k}")
        found[f"W_{k}"], found[f"b_{k}"] = lin.weight.detach().numpy().T, lin.bias.detach().numpy()
        found[f"gamma_{k}"] = norm.weight.detach().numpy()
        found[f"beta_{k}"] = norm.bias.detach().numpy()
    return found


def library(torch: Any, depth: int, activation: str, *, pre_norm: bool) -> Any:
    """A torch.nn.TransformerEncoder; a pre-norm one ends in a norm."""
    layer = torch.nn.TransformerEncoderLayer(
        SIZES["d"], SIZES["h"], SIZES["d_f"], dropout=0.0, activation=activation,
        layer_norm_eps=EPSILON, batch_first=True, norm_first=pre_norm,
    )  # fmt: skip
    final = torch.nn.LayerNorm(SIZES["d"], eps=EPSILON) if pre_norm else None
    whole = torch.nn.TransformerEncoder(layer, depth, norm=final, enable_nested_tensor=False)
    return randomised(torch, whole, seed=depth)


def ours(module: Any, tokens: Any, activation: Activation, *, pre_norm: bool, final: bool) -> Ball:
    """The encoder term on the library's weights, with its rounding bound."""
    epsilon = tensor("epsilon")
    weights = [{**W.tensors(BLOCK, f",{k}"), "epsilon": epsilon} for k in range(len(module.layers))]
    t = X
    for each in weights:
        t = block(t, each, W, activation, pre_norm=pre_norm)
    given = {"X": tokens, "epsilon": np.asarray(EPSILON)}
    for k, layer in enumerate(module.layers):
        given |= {f"{name},{k}": value for name, value in layer_of(layer).items()}
    if final:
        t = layer_norm(t, FINAL["gamma"], FINAL["beta"], epsilon, "c")
        given["gamma"] = module.norm.weight.detach().numpy()
        given["beta"] = module.norm.bias.detach().numpy()
    return rows_first(t, bounded(t, SIZES, {}, given, np.float64))


def rows_first(t: Term, ball: Ball) -> Ball:
    """Tokens as rows, features as columns."""
    order = [t.axes.index(a) for a in ("i", "c")]
    return Ball(ball.value.transpose(order), ball.error.transpose(order))


def agree(ball: Ball, theirs: Any) -> bool:
    """Within twice the bound, where there is one; and the bound is far below the values."""
    assert ball.error.max() < 1e-6 * np.abs(ball.value).max()
    assert theirs.dtype == np.float64 and theirs.shape == ball.value.shape
    return bool(np.all(np.abs(ball.value - theirs) <= 2 * ball.error))


def tokens_and_output(torch: Any, module: Any) -> tuple[Any, Any]:
    """Random tokens, and what the module makes of them."""
    tokens = np.random.default_rng(3).normal(size=(SIZES["n"], SIZES["d"]))
    with torch.no_grad():
        return tokens, module(torch.from_numpy(tokens)[None])[0].numpy()


@pytest.mark.parametrize("activation", [relu, gelu])
@pytest.mark.parametrize("pre_norm", [False, True])
@pytest.mark.parametrize("depth", [1, 3])
def test_the_encoder(torch: Any, depth: int, pre_norm: bool, activation: Activation) -> None:
    """The theorems would be about another encoder than torch.nn.TransformerEncoder."""
    module = library(torch, depth, activation.__name__, pre_norm=pre_norm)
    tokens, theirs = tokens_and_output(torch, module)
    own = {"pre_norm": pre_norm, "final": pre_norm}
    assert agree(ours(module, tokens, activation, **own), theirs)
    # planted: the norms in the other order, the other activation, the tokens reversed
    other = gelu if activation is relu else relu
    assert not agree(
        ours(module, tokens, activation, pre_norm=not pre_norm, final=pre_norm), theirs
    )
    assert not agree(ours(module, tokens, other, **own), theirs)
    assert not agree(ours(module, tokens[::-1], activation, **own), theirs)
    assert agree(ours(module, tokens[::-1], activation, **own), theirs[::-1])  # the theorem


def test_a_missing_final_norm(torch: Any) -> None:
    """A pre-norm encoder without its last norm would pass as the library's with it."""
    module = library(torch, 2, "relu", pre_norm=True)
    tokens, theirs = tokens_and_output(torch, module)
    assert agree(ours(module, tokens, relu, pre_norm=True, final=True), theirs)
    assert not agree(ours(module, tokens, relu, pre_norm=True, final=False), theirs)


def attended(torch: Any) -> tuple[Any, Any]:
    """A torch.nn.MultiheadAttention, and the term's values on its weights."""
    module = torch.nn.MultiheadAttention(SIZES["d"], SIZES["h"], batch_first=True)
    module = randomised(torch, module, seed=9)
    tokens = np.random.default_rng(4).normal(size=(SIZES["n"], SIZES["d"]))
    return module, heads_of(module) | {"X": tokens}


def test_multi_head_attention(torch: Any) -> None:
    """The theorems would be about other heads than those of torch.nn.MultiheadAttention."""
    module, given = attended(torch)
    x = torch.from_numpy(given["X"])[None]
    with torch.no_grad():
        theirs, _ = module(x, x, x)
    t = multi_head(X, W.tensors(HEADS), W)

    def found(values: dict[str, Any]) -> Ball:
        return rows_first(t, bounded(t, SIZES, {}, values, np.float64))

    assert agree(found(given), theirs[0].numpy())
    swapped = given | {"W_Q": given["W_Q"][::-1]}  # planted: heads with each other's queries
    assert not agree(found(swapped), theirs[0].numpy())
    merged_otherwise = given | {"W_O": given["W_O"][::-1]}
    assert not agree(found(merged_otherwise), theirs[0].numpy())


@pytest.mark.parametrize("padded", [False, True])
def test_masked_attention(torch: Any, padded: bool) -> None:
    """A mask would be another thing for the term (scores + B, B large and negative) than for
    torch (an attention mask, or one that hides padding from all queries)."""
    module, given = attended(torch)
    n = SIZES["n"]
    hidden = np.triu(np.ones((n, n), dtype=bool), 1)
    if padded:
        hidden = np.broadcast_to(np.arange(n) >= n - 2, (n, n))
    x = torch.from_numpy(given["X"])[None]
    mask = (
        {"key_padding_mask": torch.from_numpy(hidden[:1].copy())}
        if padded
        else {"attn_mask": torch.from_numpy(hidden)}
    )
    with torch.no_grad():
        theirs = module(x, x, x, need_weights=False, **mask)[0][0].numpy()
    w, B = W.tensors(HEADS), tensor("B", i=W.i, j=W.i)
    memory = X.rename({"i": "j"})
    q, k, v = (
        linear(s, w[f"W_{p}"], "c", w[f"b_{p}"])
        for s, p in ((X, "Q"), (memory, "K"), (memory, "V"))
    )
    weighed = contract(softmax(add(scores(q, k, "k"), B), "j"), v, "j")
    t = add(merged(weighed, w["W_O"], "h", "r"), w["b_O"])

    def found(bias: Any) -> Ball:
        return rows_first(t, bounded(t, SIZES, {}, given | {"B": bias}, np.float64))

    assert agree(found(np.where(hidden, -1000.0, 0.0)), theirs)
    # planted: no mask, and the rows and columns of the mask exchanged
    assert not agree(found(np.zeros((n, n))), theirs)
    assert not agree(found(np.where(hidden.T, -1000.0, 0.0)), theirs)
