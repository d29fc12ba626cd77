"""Position terms: added, concatenated, rotated, as biases and masks; and such as say nothing."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.models.make.encoders import Attention, Block
from tests.models.make.spec import (
    BATCH,
    Input,
    Model,
    Question,
    equivariant,
    refuted,
    subgroup,
    tokens,
)

X = {"x": tokens()}
IDS = {"ids": Input(("b", "n"), "integers", "int64", 11)}
HALVES = {2: 2, 3: 2, 4: 2, 5: 2}  # the reversal alone


def places(x: Tensor) -> Tensor:
    """0, 1, ..., n − 1 along the tokens of x."""
    return torch.arange(x.shape[1], device=x.device)


def distances(x: Tensor) -> Tensor:
    """i − j for every two tokens of x."""
    return places(x)[:, None] - places(x)[None, :]


class Learned(nn.Module):
    """A block after a table of positions is added; `like` fills the table from its places."""

    def __init__(self, like: str = "random", rows: int = 8) -> None:
        super().__init__()
        self.block, self.like = Block(Attention(), True), like
        random = torch.Generator().manual_seed(5)
        table = torch.randn(rows, 4, generator=random)
        if like == "equal rows":
            table = table[:1].repeat(rows, 1)
        elif like == "equal for 40 rows":
            table[:40] = table[0]
        elif like == "period two":
            table = table[torch.arange(rows) % 2]
        elif like == "none at the end":
            table[2:] = 0
        self.fixed_table = nn.Parameter(table)

    def forward(self, x: Tensor) -> Tensor:
        return self.block(x + self.fixed_table[: x.shape[1]])


class Sinusoidal(nn.Module):
    """Sines and cosines of Vaswani et al., made in the graph for any n."""

    def __init__(self) -> None:
        super().__init__()
        self.block = Block(Attention(), False)

    def forward(self, x: Tensor) -> Tensor:
        angle = places(x)[:, None] / torch.tensor([1.0, 10.0])
        table = torch.stack((angle.sin(), angle.cos()), -1).reshape(x.shape[1], 4)
        return self.block(x + table)


class Centred(nn.Module):
    """A position term that a reversal keeps: the distance from the middle."""

    def __init__(self) -> None:
        super().__init__()
        self.block, self.direction = Block(Attention(), True), nn.Parameter(torch.zeros(4))

    def forward(self, x: Tensor) -> Tensor:
        middle = (x.shape[1] - 1) / 2
        return self.block(x + (places(x) - middle).abs()[:, None] * self.direction)


class OnlyValues(Attention):
    """Positions in the values, not in the scores."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(8, 4)

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        q, k = self.split(self.query(x)), self.split(self.key(x))
        v = self.split(self.value(x + self.table(places(x))))
        return self.out(self.merge((q @ k.transpose(-1, -2)).softmax(-1) @ v))


class Concatenated(nn.Module):
    """The relative place as one feature more."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.block = nn.Linear(5, 4), Block(Attention(), False)

    def forward(self, x: Tensor) -> Tensor:
        place = (places(x) / x.shape[1])[None, :, None].expand(x.shape[0], -1, -1)
        return self.block(self.inner(torch.cat((x, place), -1)))


class Words(nn.Module):
    """Token ids, embedded; without positions, with a table, or with position ids given."""

    def __init__(self, positions: bool = False) -> None:
        super().__init__()
        self.words, self.block = nn.Embedding(11, 4), Block(Attention(), False)
        self.table = nn.Embedding(8, 4) if positions else None

    def forward(self, ids: Tensor, position_ids: Tensor | None = None) -> Tensor:
        x = self.words(ids)
        if self.table is not None:
            x = x + self.table(places(ids) if position_ids is None else position_ids)
        return self.block(x)


class Bert(nn.Module):
    """Words and positions, two blocks; the tokens and tanh of a map of the first."""

    def __init__(self, positions: bool) -> None:
        super().__init__()
        self.words, self.pooler, self.norm = nn.Embedding(11, 4), nn.Linear(4, 4), nn.LayerNorm(4)
        self.blocks = nn.Sequential(Block(Attention(), False), Block(Attention(), False))
        self.table = nn.Parameter(torch.zeros(8, 4)) if positions else None

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        x = self.words(ids)
        if self.table is not None:
            x = x + self.table[: ids.shape[1]]
        y = self.blocks(self.norm(x))
        return y, torch.tanh(self.pooler(y[:, 0]))


class Rotary(Attention):
    """RoPE: pairs of features turned by an angle that grows with the place."""

    def turn(self, x: Tensor, place: Tensor) -> Tensor:
        """Features 2k and 2k + 1 of batch, head, token, feature."""
        angle = place[..., None].to(x.dtype) * torch.tensor([0.5])
        cos, sin = angle.cos(), angle.sin()
        even, odd = x[..., ::2], x[..., 1::2]
        return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)

    def forward(self, x: Tensor, position_ids: Tensor | None = None) -> Tensor:
        place = places(x) if position_ids is None else position_ids[:, None]
        q, k = (self.turn(self.split(f(x)), place) for f in (self.query, self.key))
        weights = (q @ k.transpose(-1, -2)).softmax(-1)
        return self.out(self.merge(weights @ self.split(self.value(x))))


class Biased(Attention):
    """Scores with a bias that is a function of i − j; subclasses say which."""

    def bias(self, x: Tensor) -> Tensor:
        """Of shape (query, key), or (head, query, key)."""
        raise NotImplementedError

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        q, k, v = (self.split(f(x)) for f in (self.query, self.key, self.value))
        scores = q @ k.transpose(-1, -2) + self.bias(x)
        return self.out(self.merge(scores.softmax(-1) @ v))


class Alibi(Biased):
    """ALiBi: minus the distance, with a slope a head."""

    def bias(self, x: Tensor) -> Tensor:
        return -distances(x).abs() * torch.tensor([0.5, 0.25])[:, None, None]


class CausalAlibi(Biased):
    """ALiBi in a decoder."""

    def bias(self, x: Tensor) -> Tensor:
        slopes = torch.tensor([0.5, 0.25])[:, None, None]
        return torch.where(distances(x) < 0, float("-inf"), -distances(x) * slopes)


class Buckets(Biased):
    """T5: a learned number for each bucket of offsets, exact ones and logarithmic ones."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(8, 2)

    def bias(self, x: Tensor) -> Tensor:
        offset = -distances(x)
        side, size = (offset > 0).long() * 4, offset.abs()
        far = 2 + (torch.log(size.clamp(min=1) / 2.0) / 1.4 * 2).long()
        bucket = side + torch.where(size < 2, size, far.clamp(min=2, max=3))
        return self.table(bucket).permute(2, 0, 1)


class Offsets(Biased):
    """A learned number for each offset: relative positions of Shaw et al., as a bias."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.zeros(15))

    def bias(self, x: Tensor) -> Tensor:
        return self.table[distances(x) + 7]


class Seen(Biased):
    """A mask made in the graph: who sees whom."""

    def __init__(self, which: str) -> None:
        super().__init__()
        self.which = which

    def bias(self, x: Tensor) -> Tensor:
        i, j = places(x)[:, None], places(x)[None, :]
        seen = {
            "window": (i - j).abs() <= 1,
            "wide window": (i - j).abs() < 64,
            "blocks": (i // 2) == (j // 2),
            "diagonal": i != j,
            "hub": (i == j) | (i == 0) | (j == 0),
        }[self.which]
        return torch.where(seen, 0.0, -1e9)


class Gated(nn.Module):
    """Positions times a gate; with the gate that this file has, nothing is left of them."""

    def __init__(self) -> None:
        super().__init__()
        self.block, self.table = Block(Attention(), True), nn.Parameter(torch.zeros(8, 4))
        self.fixed_gate = nn.Parameter(torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        return self.block(x + self.fixed_gate * self.table[: x.shape[1]])


class WrongAxis(nn.Module):
    """A bug: a table of positions that is added along the batch."""

    def __init__(self) -> None:
        super().__init__()
        self.block, self.table = Block(Attention(), False), nn.Parameter(torch.zeros(8, 1, 4))

    def forward(self, x: Tensor) -> Tensor:
        return self.block(x + self.table[: x.shape[0]])


class Timed(nn.Module):
    """Times given as an input, as Fourier features: they move along with their tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.block = nn.Linear(6, 4), Block(Attention(), True)

    def forward(self, x: Tensor, times: Tensor) -> Tensor:
        t = times[:, :, None]
        return self.block(self.inner(torch.cat((x, t.sin(), t.cos()), -1)))


def models() -> list[Model]:
    """The models of this file."""
    none = [refuted(output_axis=1), BATCH]
    ids = [Question("ids", 1, "equivariant", 1), Question("ids", 0, "equivariant", 0)]
    no_ids = [Question("ids", 1, "not equivariant", 1)]
    given = {**IDS, "position_ids": Input(("b", "n"), "places", "int64")}
    turned = {**X, "position_ids": given["position_ids"]}
    hub = {3: 2, 4: 6, 5: 24}
    # fmt: off
    return [  # name, what it is, module, inputs, questions, by torch.export or TorchScript, opset
        Model("positions_learned", "a learned table is added", Learned(), X, none, False, 17),
        Model("positions_learned_dynamo", "a learned table is added, torch.export", Learned(), X,
              none, True, 20),
        Model("positions_sinusoidal", "sines and cosines made in the graph", Sinusoidal(), X, none,
              True, 18),
        Model("positions_centred", "the distance from the middle, the same for mirror images",
              Centred(), X, [subgroup({2: 2, 3: 2, 4: 4, 5: 4}), BATCH], False, 17),
        Model("positions_to_values", "positions in the values alone", OnlyValues(), X, none, False,
              18),
        Model("positions_concatenated", "the place as one more feature", Concatenated(), X, none,
              True, 18),
        Model("positions_equal_rows", "a table whose rows are equal: it says nothing",
              Learned("equal rows"), X, [equivariant(), BATCH], False, 17),
        Model("positions_equal_rows_40", "a table of 48 rows, of which the first 40 are equal: what"
              " holds for small n does not for all", Learned("equal for 40 rows", 48), X,
              [equivariant(breaks_at=41)], True, 18),
        Model("positions_period_two", "a table that alternates: even and odd places",
              Learned("period two"), X, [subgroup({2: 1, 3: 2, 4: 4, 5: 12})], False, 17),
        Model("positions_zero_at_the_end", "a table with two rows, then zeros",
              Learned("none at the end"), X, [subgroup({2: 1, 3: 1, 4: 2, 5: 6})], True, 18),
        Model("positions_gate_closed", "positions times a gate that is 0 in this file", Gated(), X,
              [equivariant(), BATCH], False, 17),
        Model("positions_along_batch", "a bug: the table is added along the batch", WrongAxis(), X,
              [equivariant(), Question("x", 0, "not equivariant", 0)], False, 17),
        Model("positions_times_given", "times as an input that moves along", Timed(),
              {**X, "times": Input(("b", "n"))},
              [equivariant(moving=[("times", 1)]), refuted(output_axis=1)], True, 18),
        Model("words", "token ids without positions", Words(), IDS, ids, False, 17),
        Model("words_with_positions", "token ids with a table of positions", Words(True), IDS,
              [*no_ids, ids[1]], True, 18),
        Model("words_with_position_ids", "token ids, and position ids as an input", Words(True),
              given, [Question("ids", 1, "equivariant", 1, moving=[("position_ids", 1)]), *no_ids],
              False, 17),
        Model("bert_like", "words, positions, two blocks; tokens, and a pooler at the first",
              Bert(True), IDS, [*no_ids, Question("ids", 1, "not equivariant", output="pooled")],
              True, 18, ("y", "pooled")),
        Model("bert_like_without_positions", "the same without positions: the pooler sees the"
              " first token, and a set", Bert(False), IDS,
              [ids[0], Question("ids", 1, "subgroup", None, "pooled", orders=hub)], False, 17,
              ("y", "pooled")),
        Model("rope", "RoPE", Rotary(), X, none, False, 17),
        Model("rope_position_ids", "RoPE with position ids as an input", Rotary(), turned,
              [equivariant(moving=[("position_ids", 1)]), refuted(output_axis=1)], True, 18),
        Model("alibi", "ALiBi in both directions: a reversal keeps it", Alibi(), X,
              [subgroup(HALVES), BATCH], False, 17),
        Model("alibi_causal", "ALiBi in a decoder", CausalAlibi(), X, none, True, 18),
        Model("t5_buckets", "T5's buckets of offsets", Buckets(), X, none, False, 17),
        Model("t5_buckets_dynamo", "T5's buckets of offsets, torch.export", Buckets(), X, none,
              True, 20),
        Model("offsets_learned", "a learned number for each offset", Offsets(), X, none, True, 18),
        Model("window", "a token sees its neighbours", Seen("window"), X, [subgroup(HALVES)],
              False, 17),
        Model("window_64", "a token sees those less than 64 away: all, as long as n <= 64",
              Seen("wide window"), X, [equivariant(breaks_at=65)], False, 17),
        Model("blocks", "a token sees its block of two", Seen("blocks"), X,
              [subgroup({2: 2, 3: 2, 4: 8, 5: 8})], True, 18),
        Model("all_but_itself", "a token sees all but itself: a mask that says nothing of order",
              Seen("diagonal"), X, [equivariant(), BATCH], False, 17),
        Model("hub", "a token sees itself and the first, which sees all", Seen("hub"), X,
              [subgroup({2: 2, **hub})], True, 18),
    ]
    # fmt: on
