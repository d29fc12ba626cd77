"""Models of sequences: recurrent ones, scans, convolutions of every padding, mixers, Fourier."""

from __future__ import annotations

from typing import Any

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


class Recurrent(nn.Module):
    """LSTM or GRU: all its states, or the last."""

    def __init__(self, cell: type[nn.RNNBase], last: bool = False, **more: Any) -> None:
        super().__init__()
        self.cell, self.last = cell(4, 4, batch_first=True, **more), last

    def forward(self, x: Tensor) -> Tensor:
        states, last = self.cell(x)
        if not self.last:
            return states
        return (last[0] if isinstance(last, tuple) else last)[-1]


class Selective(nn.Module):
    """A scan as in Mamba: a state that decays by a gate of each token, by cumulative sums."""

    def __init__(self, last: bool) -> None:
        super().__init__()
        self.gate, self.inner, self.read, self.last = (
            nn.Linear(4, 4),
            nn.Linear(4, 4),
            nn.Linear(4, 4),
            last,
        )

    def forward(self, x: Tensor) -> Tensor:
        decay = F.softplus(self.gate(x)).cumsum(1)  # minus the log of what is left of the start
        states = (-decay).exp() * (decay.exp() * self.inner(x)).cumsum(1)
        y = torch.sigmoid(self.read(x)) * states
        return y[:, -1] if self.last else y


class Sums(nn.Module):
    """Means of all tokens so far."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        count = torch.arange(1, x.shape[1] + 1, device=x.device).to(x.dtype)
        return torch.tanh(self.inner(x)).cumsum(1) / count[:, None]


class Convolution(nn.Module):
    """A convolution along the tokens; `mirror` makes its kernel a palindrome."""

    def __init__(self, size: int, mirror: bool = False, causal: bool = False, **more: Any) -> None:
        super().__init__()
        self.conv, self.mirror, self.causal = nn.Conv1d(4, 4, size, **more), mirror, causal

    def forward(self, x: Tensor) -> Tensor:
        h = x.transpose(1, 2)
        if self.causal:
            h = F.pad(h, (self.conv.kernel_size[0] - 1, 0))
        y = self.conv(h)
        if self.mirror:  # the sum with the flipped kernel
            y = y + F.conv1d(h, self.conv.weight.flip(-1), padding=1)
        return torch.tanh(y.transpose(1, 2))


class Around(nn.Module):
    """Neighbours on a ring, by rolling: a circular convolution by hand."""

    def __init__(self, mirror: bool) -> None:
        super().__init__()
        self.own, self.left, self.right, self.mirror = *(nn.Linear(4, 4) for _ in range(3)), mirror

    def forward(self, x: Tensor) -> Tensor:
        right = self.left if self.mirror else self.right
        after = torch.cat((x[:, 1:], x[:, :1]), 1)
        before = torch.cat((x[:, -1:], x[:, :-1]), 1)
        return torch.tanh(self.own(x) + self.left(before) + right(after))


class Mixer(nn.Module):
    """MLP-Mixer: a map along the tokens, of which there are four, and one along the features."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(5), nn.LayerNorm(5)
        self.up, self.down, self.own = nn.Linear(4, 6), nn.Linear(6, 4), nn.Linear(5, 5)

    def forward(self, x: Tensor) -> Tensor:
        h = self.norm1(x).transpose(1, 2)
        x = x + self.down(F.gelu(self.up(h))).transpose(1, 2)
        return x + torch.relu(self.own(self.norm2(x)))


class Fourier(nn.Module):
    """FNet: the real part of a Fourier transform along features and tokens, by ONNX's DFT."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.fft.fft(torch.fft.fft(x, dim=2), dim=1).real


class Spectrum(nn.Module):
    """The size of each Fourier coefficient along four tokens, by the matrix of 1, −i, −1, i."""

    def __init__(self) -> None:
        super().__init__()
        turns = torch.arange(4)[:, None] * torch.arange(4)[None, :] % 4
        self.register_buffer("fixed_cos", torch.tensor([1.0, 0.0, -1.0, 0.0])[turns])
        self.register_buffer("fixed_sin", torch.tensor([0.0, 1.0, 0.0, -1.0])[turns])

    def forward(self, x: Tensor) -> Tensor:
        return (self.fixed_cos @ x) ** 2 + (self.fixed_sin @ x) ** 2


class Windows(nn.Module):
    """Pooling of windows of tokens, or of all of them."""

    def __init__(self, pool: nn.Module) -> None:
        super().__init__()
        self.pool, self.inner = pool, nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.pool(torch.tanh(self.inner(x)).transpose(1, 2)).transpose(1, 2)


class Doubled(nn.Module):
    """Pairs of tokens added: blocks of two, of which the output has half as many tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.out = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        b, n, d = x.shape
        pairs = torch.tanh(self.inner(x)).reshape(b, n // 2, 2, d).sum(2)
        return self.out(pairs).relu().mean(1)


class Differences(nn.Module):
    """What neighbours differ by; squared and summed, a reversal keeps it."""

    def forward(self, x: Tensor) -> Tensor:
        return ((x[:, 1:] - x[:, :-1]) ** 2).sum(1)


class Flipped(nn.Module):
    """The sequence and its reversal, multiplied."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(self.left(x) + self.right(x.flip(1)))


class Flattened(nn.Module):
    """All tokens as one vector, as a linear map of a fixed number of them."""

    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(16, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(x.flatten(1)).tanh()


class Image(nn.Module):
    """A ViT-like embedding of patches by a convolution, and their mean: patches are a set."""

    def __init__(self, positions: bool) -> None:
        super().__init__()
        self.patch, self.out = nn.Conv2d(1, 4, 2, stride=2), nn.Linear(4, 3)
        self.table = nn.Parameter(torch.zeros(1, 4, 4)) if positions else None

    def forward(self, x: Tensor) -> Tensor:
        h = self.patch(x).flatten(2).transpose(1, 2)
        if self.table is not None:
            h = h + self.table
        return self.out(F.gelu(h).mean(1))


def models() -> list[Model]:
    """The models of this file."""
    none = [refuted(output_axis=1), BATCH]
    half = {2: 2, 3: 2, 4: 2, 5: 2}
    cyclic = {2: 2, 3: 3, 4: 4, 5: 5}
    dihedral = {2: 2, 3: 6, 4: 8, 5: 10}
    large = (3, 4, 5)
    even = (2, 4)
    fixed = [Question("x", 1, "not equivariant", 1, sizes=(4,)), BATCH]
    image = {"x": Input(("b", 1, 4, 4))}
    # fmt: off
    return [  # name, what it is, module, inputs, questions, by torch.export or TorchScript, opset
        Model("lstm", "LSTM, all states", Recurrent(nn.LSTM), X, none, False, 17),
        Model("lstm_dynamo", "LSTM by torch.export, which notes a wrong shape for the output",
              Recurrent(nn.LSTM), X, [refuted(output_axis=1)], True, 18),
        Model("lstm_both_ways_last", "LSTM in both directions, the last state",
              Recurrent(nn.LSTM, True, bidirectional=True), X, [refuted()], False, 17),
        Model("gru", "GRU, all states", Recurrent(nn.GRU), X, none, False, 17),
        Model("gru_last", "GRU, the last state", Recurrent(nn.GRU, True), X, [refuted()], False,
              18),
        Model("selective_scan", "a gated scan as in Mamba", Selective(False), X, none, False, 17),
        Model("selective_scan_last", "a gated scan, its last state", Selective(True), X,
              [refuted(), BATCH], True, 18),
        Model("running_mean", "means of all tokens so far", Sums(), X, none, True, 18),
        Model("conv_1", "a convolution of kernel 1: a map of each token", Convolution(1), X,
              [equivariant(), BATCH], False, 17),
        Model("conv_1_dynamo", "a convolution of kernel 1, torch.export", Convolution(1), X,
              [equivariant()], True, 18),
        Model("conv_3_same", "kernel 3, zeros beyond the ends", Convolution(3, padding=1), X, none,
              False, 17),
        Model("conv_3_valid", "kernel 3 without padding: two tokens fewer", Convolution(3), X,
              [refuted(output_axis=1, sizes=large)], True, 18),
        Model("conv_3_causal", "kernel 3, two zeros before the start",
              Convolution(3, causal=True), X, none, False, 18),
        Model("conv_3_mirror", "kernel 3, a palindrome: a reversal keeps it",
              Convolution(3, mirror=True, padding=1), X, [subgroup(half), BATCH], False, 17),
        Model("conv_3_circular", "kernel 3 on a ring, torch's padding_mode: rotations",
              Convolution(3, padding=1, padding_mode="circular"), X, [subgroup(cyclic)], False,
              17),
        Model("conv_3_dilated", "kernel 3, dilation 2, zeros beyond the ends",
              Convolution(3, padding=2, dilation=2), X, none, True, 18),
        Model("conv_3_replicate", "kernel 3, the ends repeated",
              Convolution(3, padding=1, padding_mode="replicate"), X, none, False, 17),
        Model("ring", "neighbours on a ring: rotations", Around(False), X,
              [subgroup(cyclic), BATCH], False, 17),
        Model("ring_mirror", "neighbours on a ring, alike: rotations and reflections",
              Around(True), X, [subgroup(dihedral)], True, 18),
        Model("mlp_mixer", "MLP-Mixer with four tokens", Mixer(), {"x": Input(("b", 4, 5))}, fixed,
              False, 17),
        Model("fnet", "FNet: the reversal of the ring, i to −i modulo n, moves the output alike",
              Fourier(), X, [subgroup({2: 1, 3: 2, 4: 2, 5: 2}), BATCH], True, 20),
        Model("spectrum", "the power spectrum of four tokens: rotations and reflections leave it",
              Spectrum(), {"x": Input(("b", 4, 5))},
              [subgroup({4: 8}, None, sizes=(4,)), BATCH], False, 17),
        Model("average_pool_windows", "means of windows of two tokens",
              Windows(nn.AvgPool1d(2)), X, [Question("x", 1, "subgroup", None, sizes=even,
              orders={2: 2, 4: 4})], False, 17),
        Model("max_pool_windows", "maxima of windows of three tokens, one apart",
              Windows(nn.MaxPool1d(3, 1, 1)), X, [subgroup(half)], False, 18),
        Model("average_pool_all", "AdaptiveAvgPool1d(1): the mean of all",
              Windows(nn.AdaptiveAvgPool1d(1)), X, [invariant()], False, 17),
        Model("pairs_summed", "pairs of neighbours summed, then a mean: blocks of two",
              Doubled(), X, [Question("x", 1, "subgroup", None, sizes=even,
              orders={2: 2, 4: 8})], False, 17),
        Model("differences", "squared differences of neighbours, summed: the reversal",
              Differences(), X, [subgroup(half, None)], True, 18),
        Model("with_reversal", "a token and its mirror image", Flipped(), X,
              [subgroup({2: 2, 3: 2, 4: 8, 5: 8})], False, 17),
        Model("flattened", "four tokens as one vector", Flattened(), {"x": Input(("b", 4, 4))},
              [Question("x", 1, "not equivariant", sizes=(4,)), BATCH], True, 18),
        Model("image_patches", "an image of 4 by 4 in patches, and their mean: rows move by whole"
              " patches", Image(False), image,
              [Question("x", 2, "subgroup", None, sizes=(4,), orders={4: 2}), BATCH], False, 17),
        Model("image_patches_positions", "the same with positions", Image(True), image,
              [Question("x", 2, "not equivariant", sizes=(4,)), BATCH], True, 18),
    ]
    # fmt: on
