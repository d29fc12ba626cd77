"""Encoders and decoders: torch's own, written by hand, and by fused attention; and bugs in them."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.models.make.spec import (
    BATCH,
    Input,
    Model,
    Question,
    equivariant,
    invariant,
    refuted,
    subgroup,
    tokens,
)

X = {"x": tokens()}
KEYS = {"d_model": 4, "dim_feedforward": 6, "batch_first": True}


class Attention(nn.Module):
    """Multi-head self- or cross-attention written out; subclasses change one step."""

    def __init__(self, width: int = 4, heads: int = 2) -> None:
        super().__init__()
        self.heads, self.width = heads, width
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def split(self, x: Tensor) -> Tensor:
        """Heads apart: batch, head, token, feature."""
        b, n, _ = x.shape
        return x.reshape(b, n, self.heads, self.width // self.heads).transpose(1, 2)

    def merge(self, z: Tensor) -> Tensor:
        """Heads together again."""
        b, _, n, _ = z.shape
        return z.transpose(1, 2).reshape(b, n, self.width)

    def weigh(self, scores: Tensor) -> Tensor:
        """Scores to weights."""
        return scores.softmax(-1)

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        m = x if memory is None else memory
        q, k, v = self.split(self.query(x)), self.split(self.key(m)), self.split(self.value(m))
        scores = q @ k.transpose(-1, -2) / (self.width // self.heads) ** 0.5
        return self.out(self.merge(self.weigh(scores) @ v))


class Block(nn.Module):
    """An encoder block, normalised before or after its parts."""

    def __init__(self, attention: nn.Module, pre: bool, width: int = 4) -> None:
        super().__init__()
        self.attention, self.pre = attention, pre
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 6), nn.Linear(6, width)

    def forward(self, x: Tensor) -> Tensor:
        if self.pre:
            x = x + self.attention(self.norm1(x))
            return x + self.down(F.gelu(self.up(self.norm2(x))))
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.down(torch.relu(self.up(x))))


class Causal(Attention):
    """A token sees itself and those before it."""

    def weigh(self, scores: Tensor) -> Tensor:
        n = scores.shape[-1]
        seen = torch.ones(n, n, dtype=torch.bool, device=scores.device).tril()
        return scores.masked_fill(~seen, float("-inf")).softmax(-1)


class OverQueries(Attention):
    """A bug: the weights of a key sum to one, not those of a query."""

    def weigh(self, scores: Tensor) -> Tensor:
        return scores.softmax(-2)


class OverHeads(Attention):
    """A bug: the softmax is taken over the heads."""

    def weigh(self, scores: Tensor) -> Tensor:
        return scores.softmax(1)


class Tempered(Attention):
    """Scores times log n, so that attention to many tokens stays sharp."""

    def weigh(self, scores: Tensor) -> Tensor:
        n = torch.ones_like(scores[:, :1, :1, :]).sum(-1, keepdim=True)
        return (scores * n.log()).softmax(-1)


class Cosine(Attention):
    """Queries and keys of length one, and a temperature that is learned."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        q, k = F.normalize(self.split(self.query(x)), dim=-1), self.split(self.key(x))
        scores = q @ F.normalize(k, dim=-1).transpose(-1, -2) * self.scale.exp()
        return self.out(self.merge(scores.softmax(-1) @ self.split(self.value(x))))


class Merged(Attention):
    """A bug: heads merged by a reshape alone, without the transpose before it."""

    def merge(self, z: Tensor) -> Tensor:
        b, _, n, _ = z.shape
        return z.reshape(b, n, self.width)


class SplitBug(Attention):
    """A bug: heads split by a reshape alone, so that tokens and features mix."""

    def split(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        return x.reshape(b, self.heads, n, self.width // self.heads)


class Fused(Attention):
    """torch's scaled_dot_product_attention."""

    def __init__(self, causal: bool = False) -> None:
        super().__init__()
        self.causal = causal

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        q, k, v = (self.split(f(x)) for f in (self.query, self.key, self.value))
        return self.out(self.merge(F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)))


class Masked(Attention):
    """A mask of shape (batch, key), or (query, key) added to the scores."""

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = (self.split(f(x)) for f in (self.query, self.key, self.value))
        scores = q @ k.transpose(-1, -2)
        if mask is not None and mask.dtype == torch.bool:
            scores = scores.masked_fill(~mask[:, None, None, :], -1e9)
        elif mask is not None:
            scores = scores + mask
        return self.out(self.merge(scores.softmax(-1) @ v))


class Torch(nn.Module):
    """nn.MultiheadAttention on one tensor: its output, and its weights."""

    def __init__(self, weights: bool, batch_first: bool = True) -> None:
        super().__init__()
        self.weights = weights
        self.inner = nn.MultiheadAttention(4, 2, batch_first=batch_first)

    def forward(self, x: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        y, weights = self.inner(x, x, x, need_weights=self.weights)
        return (y, weights) if self.weights else y


class Padded(nn.Module):
    """nn.TransformerEncoderLayer with a padding mask, then the mean over what is not padding."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(nhead=2, **KEYS)

    def forward(self, x: Tensor, padding: Tensor) -> tuple[Tensor, Tensor]:
        y = self.layer(x, src_key_padding_mask=padding)
        kept = (~padding).to(x.dtype)[:, :, None]
        return y, (y * kept).sum(1) / kept.sum(1)


class Last(nn.Module):
    """The last token of a stack."""

    def __init__(self, depth: int) -> None:
        super().__init__()
        self.blocks = nn.Sequential(*(Block(Causal(), True) for _ in range(depth)))

    def forward(self, x: Tensor) -> Tensor:
        return self.blocks(x)[:, -1]


class Decoder(nn.Module):
    """nn.TransformerDecoderLayer without a causal mask: queries and memory."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerDecoderLayer(nhead=2, **KEYS)

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        return self.layer(x, memory)


class Dropped(nn.Module):
    """Dropout, which in evaluation is the identity, around a block."""

    def __init__(self) -> None:
        super().__init__()
        self.block, self.drop = Block(Attention(), False), nn.Dropout(0.5)

    def forward(self, x: Tensor) -> Tensor:
        return self.drop(self.block(self.drop(x)))


def models() -> list[Model]:
    """The models of this file."""
    layer, stack = nn.TransformerEncoderLayer, nn.TransformerEncoder
    both = [equivariant(), BATCH]
    mask = {"x": tokens(), "mask": Input(("n", "n"), "additive")}
    padding = {"x": tokens(), "padding": Input(("b", "n"), "bits", "bool")}
    kept = [("padding", 1)]
    # fmt: off
    return [  # name, what it is, module, inputs, questions, by torch.export or TorchScript, opset
        Model("encoder_post_norm", "nn.TransformerEncoderLayer, one head", layer(nhead=1, **KEYS),
              X, both, True, 18),
        Model("encoder_pre_norm_stack",
              "nn.TransformerEncoder, two layers of two heads, pre-norm", stack(layer(nhead=2,
              norm_first=True, **KEYS), 2, enable_nested_tensor=False), X, both, True, 18),
        Model("encoder_post_norm_stack",
              "nn.TransformerEncoder, two layers, post-norm, torch.export", stack(layer(nhead=2,
              **KEYS), 2, enable_nested_tensor=False), X, both, True, 20),
        Model("multihead_attention", "nn.MultiheadAttention: its output and its weights",
              Torch(True), X, [*both, equivariant([1, 2], output="weights")], True, 18, ("y",
              "weights")),
        Model("multihead_attention_one_size", "nn.MultiheadAttention by TorchScript, which fixes"
              " the number of tokens at the one of its example, 4, and says that it is dynamic",
              Torch(False), X, [equivariant(sizes=(4,))], False, 17),
        Model("multihead_attention_axes_swapped",
              "a bug: batch-first data in nn.MultiheadAttention without batch_first: the tokens"
              " are its batch and do not see each other", Torch(False, False), X, both, True, 18),
        Model("encoder_hand_pre", "one block by hand, pre-norm, GELU, one head",
              Block(Attention(heads=1), True), X, both, False, 17),
        Model("encoder_hand_post", "two blocks by hand, post-norm, two heads, opset 20",
              nn.Sequential(Block(Attention(), False), Block(Attention(), False)), X, both, False,
              20),
        Model("attention_fused", "scaled_dot_product_attention, written as opset 23's Attention",
              Block(Fused(), True), X, both, True, 23),
        Model("attention_fused_causal", "the same with is_causal", Block(Fused(True), True), X,
              [refuted(output_axis=1), BATCH], True, 23),
        Model("attention_fused_script", "scaled_dot_product_attention by TorchScript, decomposed",
              Block(Fused(), True), X, both, False, 17),
        Model("decoder_causal", "one causal block, all tokens", Block(Causal(), True), X,
              [refuted(output_axis=1), BATCH], False, 17),
        Model("decoder_causal_last_1", "one causal block, last token: the others are a set to it",
              Last(1), X, [subgroup({3: 2, 4: 6, 5: 24}, None), BATCH], True, 18),
        Model("decoder_causal_last_2", "two causal blocks, last token: it sees their order",
              Last(2), X, [refuted()], False, 17),
        Model("cross_attention", "queries x, memory of m tokens", Attention(), {"x": tokens(),
              "memory": tokens(name="m")}, [equivariant(), invariant(input="memory"),
              Question("x", 0, "equivariant", 0, moving=[("memory", 0)])], False, 17),
        Model("decoder_layer", "nn.TransformerDecoderLayer without masks", Decoder(), {"x":
              tokens(), "memory": tokens(name="m")}, [equivariant(), invariant(input="memory")],
              True, 18),
        Model("attention_softmax_over_queries",
              "a bug that no permutation shows: the softmax is over queries", OverQueries(), X,
              both, False, 17),
        Model("attention_softmax_over_heads",
              "a bug that no permutation shows: the softmax is over heads", OverHeads(), X, both,
              True, 18),
        Model("attention_temperature_log_n", "scores times log n", Tempered(), X, both, False, 18),
        Model("attention_cosine", "cosine attention with a learned temperature", Cosine(), X,
              both, True, 20),
        Model("heads_merged_without_transpose", "a bug: heads merged by reshape alone", Merged(),
              X, [refuted(output_axis=1), BATCH], False, 17),
        Model("heads_split_without_transpose", "a bug: heads split by reshape alone", SplitBug(),
              X, [refuted(output_axis=1), BATCH], True, 18),
        Model("mask_added", "a mask (n, n) as an input, added to the scores", Masked(), mask,
              [refuted(output_axis=1), equivariant(moving=[("mask", 0), ("mask", 1)])], False, 17),
        Model("mask_padding",
              "nn.TransformerEncoderLayer with a padding mask as an input; tokens and masked mean",
              Padded(), padding, [equivariant(moving=kept), invariant(moving=kept,
              output="pooled"), refuted(output_axis=1)], True, 20, ("y", "pooled")),
        Model("mask_padding_hand", "a padding mask by masked_fill, true where a token is kept",
              Masked(), {"x": tokens(), "padding": padding["padding"]}, [equivariant(moving=kept),
              refuted(output_axis=1)], True, 18),
        Model("dropout_in_evaluation", "dropout, which in evaluation is nothing", Dropped(), X,
              both, False, 17),
    ]
    # fmt: on
