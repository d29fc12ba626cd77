"""Small models of architectures that people asked about in public: README.md has the threads."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.models.make.encoders import Attention, Block
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


class Frames(nn.Module):
    """Attention within each frame and over all frames by turns; the first frame has a token of
    its own kind, the others share theirs."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.other = nn.Parameter(torch.zeros(4)), nn.Parameter(torch.zeros(4))
        self.within, self.over = Block(Attention(), True), Block(Attention(), True)

    def forward(self, x: Tensor) -> Tensor:
        b, n, p, d = x.shape
        kinds = torch.cat((self.first[None], self.other.expand(n - 1, d)))
        camera = kinds[None, :, None].expand(b, n, 1, d)
        x = torch.cat((camera, x), 2)
        x = self.within(x.reshape(b * n, p + 1, d)).reshape(b, n * (p + 1), d)
        return self.over(x).reshape(b, n, p + 1, d)


class Cloud(nn.Module):
    """Attention over points with offsets, as in a point cloud transformer; points, and maximum."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.attention, self.after = nn.Linear(3, 4), Attention(), nn.Linear(4, 4)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.embed(x)
        y = h + torch.relu(self.after(h - self.attention(h)))
        return y, y.amax(1)


class Senses(nn.Module):
    """Each sense goes through one recurrent cell with a state of its own, then attention pools."""

    def __init__(self) -> None:
        super().__init__()
        self.own, self.back = nn.Linear(1, 4), nn.Linear(4, 4)
        self.key, self.queries = nn.Linear(4, 4), nn.Parameter(torch.zeros(3, 4))

    def forward(self, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        after = torch.tanh(self.own(x[:, :, None]) + self.back(state))
        weights = (self.queries @ self.key(after).transpose(1, 2)).softmax(-1)
        return torch.tanh(weights @ x[:, :, None])[..., 0], after


class Trigram(nn.Module):
    """Two words, an unmasked block without positions, logits of the next word at every token."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.head = nn.Embedding(11, 4), nn.Linear(4, 11)
        self.block = Block(Attention(), True)

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        y = self.head(self.block(self.words(ids)))
        return y, y[:, -1]


class GraphPooled(nn.Module):
    """Graph attention, then the mean over nodes: a classifier of graphs."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.left, self.right = nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)
        self.head = nn.Linear(4, 2)

    def forward(self, x: Tensor, adjacency: Tensor) -> Tensor:
        h = self.inner(x)
        scores = F.leaky_relu(self.left(h) + self.right(h).transpose(0, 1), 0.2)
        weights = scores.masked_fill(adjacency == 0, -1e9).softmax(-1)
        return self.head(F.elu(weights @ h).mean(0)).softmax(-1)


class Resorted(nn.Module):
    """A bug: nodes are sorted by keys that are all equal, which an unstable sort may answer by
    the reverse order; the adjacency matrix is not sorted with them."""

    def __init__(self) -> None:
        super().__init__()
        self.pooled = GraphPooled()

    def forward(self, x: Tensor, adjacency: Tensor) -> Tensor:
        return self.pooled(x.flip(0), adjacency)


class Adaptive(nn.Module):
    """Two steps of an equation whose size depends on the error of the whole batch."""

    def __init__(self) -> None:
        super().__init__()
        self.field = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(2):
            slope = torch.tanh(self.field(x))
            error = (slope - torch.tanh(self.field(x + 0.1 * slope))).pow(2).mean().sqrt()
            x = x + slope / (1 + 5 * error)
        return x


def models() -> list[Model]:
    """The models of this file."""
    frames = {"x": Input(("b", "n", 2, 4))}
    senses = {"x": Input(("b", "n")), "state": Input(("b", "n", 4))}
    graph = {"x": Input(("n", 4)), "adjacency": Input(("n", "n"), "adjacency")}
    ids = {"ids": Input(("b", "n"), "integers", "int64", 11)}
    rest = {3: 2, 4: 6, 5: 24}
    rows, columns = ("adjacency", 0), ("adjacency", 1)
    state = [("state", 1)]
    # fmt: off
    return [  # name, what it is, module, inputs, questions, by torch.export or TorchScript, opset
        Model("asked_frames", "frames, of which the first is of its own kind", Frames(), frames,
              [subgroup({2: 1, **rest}), equivariant(2, axis=2, start=1, sizes=(2,)),
               BATCH], False, 17),
        Model("asked_point_attention", "attention over points: each point, and the maximum",
              Cloud(), {"x": tokens(3)}, [equivariant(), invariant(output="pooled"), BATCH], True,
              18, ("y", "pooled")),
        Model("asked_senses", "senses with a state each, pooled by attention", Senses(), senses,
              [invariant(moving=state), refuted(), equivariant(output="after", moving=state)],
              False, 17, ("y", "after")),
        Model("asked_next_word", "the next word after a few, unmasked, without positions",
              Trigram(), ids, [Question("ids", 1, "equivariant", 1),
              Question("ids", 1, "subgroup", None, "last", orders={2: 1, **rest})], True, 18,
              ("y", "last")),
        Model("asked_graph_pooled", "graph attention, pooled; and the adjacency moved by rows"
              " alone", GraphPooled(), graph, [invariant(axis=0, moving=[rows, columns]),
              refuted(axis=0, moving=[rows]), refuted(axis=0)], False, 17),
        Model("asked_graph_sorted", "a bug: nodes come in reverse after a sort of equal keys, their"
              " edges do not", Resorted(), graph, [Question("x", 0, "subgroup", None,
              moving=[rows, columns], orders={2: 2, 3: 2, 4: 8, 5: 8})], True, 18),
        Model("asked_adaptive_steps", "step sizes by the error of the whole batch", Adaptive(),
              {"x": Input(("b", 4))}, [BATCH], True, 18),
    ]
    # fmt: on
