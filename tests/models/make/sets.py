"""Sets and points: Deep Sets, PointNet, Set Transformer, relation networks, every pooling."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

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

X = {"x": tokens()}


def mlp(*widths: int) -> nn.Sequential:
    """Linear maps with ReLU between them."""
    parts: list[nn.Module] = []
    for a, b in pairwise(widths):
        parts += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*parts[:-1])


class Pooled(nn.Module):
    """A map of each token, a pooling, a map of what is left."""

    def __init__(self, how: str, width: int = 5, out: int = 5) -> None:
        super().__init__()
        self.how, self.inner, self.outer = how, mlp(4, 6, width), mlp(out, 6, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.outer(self.pool(self.inner(x)))

    def pool(self, h: Tensor) -> Tensor:
        """One vector of a set of them."""
        match self.how:
            case "sum":
                return h.sum(1)
            case "mean":
                return h.mean(1)
            case "max":
                return h.amax(1)
            case "sort":
                return h.sort(1).values[:, -2:].flatten(1)
            case "top-k":
                return h.topk(2, 1).values.flatten(1)
            case "top-k first":
                return h.topk(2, 1).values[:, 0]
            case "log-sum-exp":
                return h.logsumexp(1)
            case "deviation":
                return torch.cat((h.mean(1), h.var(1, unbiased=False)), -1)
            case "many":
                return torch.cat((h.mean(1), h.amax(1), h.amin(1), (h > 0.1).sum(1)), -1)
            case "first":
                return h[:, 0]
            case "last":
                return h[:, -1]
            case "first and last":
                return h[:, 0] * h[:, -1]
            case "adaptive":
                return F.adaptive_max_pool1d(h.transpose(1, 2), 1).squeeze(-1)
            case "weighted":  # gated attention pooling of multiple-instance learning
                weights = (h[..., :1].tanh() * h[..., 1:2].sigmoid()).softmax(1)
                return (weights * h).sum(1)
            case "product":
                return (1 + 0.1 * h).prod(1)
        raise ValueError(self.how)


class Zaheer(nn.Module):
    """The equivariant linear layer of Zaheer et al.: λ I + γ 1 1ᵀ, twice."""

    def __init__(self) -> None:
        super().__init__()
        self.own, self.all = nn.Linear(4, 5), nn.Linear(4, 5, bias=False)
        self.own2, self.all2 = nn.Linear(5, 3), nn.Linear(5, 3, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        h = torch.relu(self.own(x) + self.all(x.mean(1, keepdim=True)))
        return self.own2(h) + self.all2(h.amax(1, keepdim=True))


class ZaheerMatrix(nn.Module):
    """The same layer as a matrix (n, n) made in the graph: λ I + γ 1 1ᵀ times x."""

    def __init__(self, tilted: bool = False) -> None:
        super().__init__()
        self.own, self.all, self.tilted = (
            nn.Parameter(torch.ones(1)),
            nn.Parameter(torch.ones(1)),
            tilted,
        )

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        matrix = self.own * torch.eye(n) + self.all * torch.ones(n, n)
        if self.tilted:
            matrix = matrix + 0.3 * torch.ones(n, n).triu(1)
        return torch.tanh(matrix @ x)


class PointNet(nn.Module):
    """Points as batch, coordinate, point; convolutions of kernel 1, batch norm, the maximum."""

    def __init__(self, segment: bool) -> None:
        super().__init__()
        self.segment = segment
        self.conv1, self.norm1 = nn.Conv1d(3, 5, 1), nn.BatchNorm1d(5)
        self.conv2, self.norm2 = nn.Conv1d(5, 6, 1), nn.BatchNorm1d(6)
        self.head = nn.Conv1d(11, 3, 1) if segment else nn.Linear(6, 3)

    def forward(self, x: Tensor) -> Tensor:
        local = torch.relu(self.norm1(self.conv1(x)))
        whole = torch.max(self.norm2(self.conv2(local)), 2).values
        if not self.segment:
            return self.head(whole).log_softmax(-1)
        spread = whole[:, :, None].expand(-1, -1, x.shape[2])
        return self.head(torch.cat((local, spread), 1))


class Induced(nn.Module):
    """ISAB: learned points attend to the set, the set to them; PMA: a learned seed attends."""

    def __init__(self, pool: bool) -> None:
        super().__init__()
        self.points, self.seed = (
            nn.Parameter(torch.zeros(1, 3, 4)),
            nn.Parameter(torch.zeros(1, 1, 4)),
        )
        self.gather, self.spread, self.pool = Attention(), Attention(), pool
        self.pma, self.norm1, self.norm2 = Attention(), nn.LayerNorm(4), nn.LayerNorm(4)

    def forward(self, x: Tensor) -> Tensor:
        points = self.points.expand(x.shape[0], -1, -1)
        h = self.norm1(points + self.gather(points, x))
        y = self.norm2(x + self.spread(x, h))
        if not self.pool:
            return y
        seed = self.seed.expand(x.shape[0], -1, -1)
        return (seed + self.pma(seed, y))[:, 0]


class Perceiver(nn.Module):
    """Latent vectors attend to the input, then to each other; their mean is read."""

    def __init__(self, positions: bool) -> None:
        super().__init__()
        self.latents, self.cross, self.inner = (
            nn.Parameter(torch.zeros(3, 4)),
            Attention(),
            Block(Attention(), True),
        )
        self.table = nn.Parameter(torch.zeros(8, 4)) if positions else None

    def forward(self, x: Tensor) -> Tensor:
        if self.table is not None:
            x = x + self.table[: x.shape[1]]
        latents = self.latents[None].repeat(x.shape[0], 1, 1)
        return self.inner(latents + self.cross(latents, x)).mean(1)


class Queries(nn.Module):
    """DETR: object queries attend to a memory; positions in its keys: none, given, a table."""

    def __init__(self, positions: bool = False) -> None:
        super().__init__()
        self.queries = nn.Embedding(3, 4)
        self.own, self.norm1, self.norm2 = Attention(), nn.LayerNorm(4), nn.LayerNorm(4)
        self.query, self.key, self.value, self.boxes = (nn.Linear(4, 4) for _ in range(4))
        self.table = nn.Parameter(torch.zeros(8, 4)) if positions else None

    def forward(self, x: Tensor, positions: Tensor | None = None) -> Tensor:
        keys = x if positions is None else x + positions
        if self.table is not None:
            keys = x + self.table[: x.shape[1]]
        target = self.queries.weight[None].repeat(x.shape[0], 1, 1)
        target = self.norm1(target + self.own(target))
        weights = (self.query(target) @ self.key(keys).transpose(1, 2)).softmax(-1)
        return self.boxes(self.norm2(target + weights @ self.value(x))).sigmoid()


class Relations(nn.Module):
    """A relation network: a map of every ordered pair, summed over all, or over the second."""

    def __init__(self, pooled: bool) -> None:
        super().__init__()
        self.pair, self.out, self.pooled = mlp(8, 6, 4), mlp(4, 3), pooled

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        left, right = x[:, :, None].expand(-1, -1, n, -1), x[:, None].expand(-1, n, -1, -1)
        pairs = self.pair(torch.cat((left, right), -1)).tanh()
        return self.out(pairs.sum((1, 2)) if self.pooled else pairs.mean(2))


class Formula(nn.Module):
    """A formula without weights."""

    def __init__(self, formula: Any) -> None:
        super().__init__()
        self.formula = formula

    def forward(self, x: Tensor) -> Tensor:
        return self.formula(x)  # type: ignore[no-any-return]


class ClassToken(nn.Module):
    """A learned token before the others; all tokens are read, or the class token alone."""

    def __init__(self, read: bool, positions: bool = False) -> None:
        super().__init__()
        self.token, self.patch = nn.Parameter(torch.zeros(1, 1, 4)), nn.Linear(6, 4)
        self.block, self.head, self.read = Block(Attention(), True), nn.Linear(4, 3), read
        self.table = nn.Parameter(torch.zeros(8, 4)) if positions else None

    def forward(self, x: Tensor) -> Tensor:
        x = torch.cat((self.token.expand(x.shape[0], -1, -1), self.patch(x)), 1)
        if self.table is not None:
            x = x + self.table[: x.shape[1]]
        y = self.block(x)
        return self.head(y[:, 0]) if self.read else y


def models() -> list[Model]:
    """The models of this file."""
    pooled = [invariant(), BATCH]
    both = [equivariant(), BATCH]
    points = {"x": Input(("b", 3, "n"))}
    patches = {"x": tokens(6)}
    rest = {3: 2, 4: 6, 5: 24}
    small = {"x": Input(("n", 3))}
    square = {"x": Input(("n", "n"))}

    def pool(how: str, width: int = 5, out: int = 5, **more: Any) -> Model:
        name = f"pool_{how.replace(' ', '_').replace('-', '_')}"
        sentence = f"Deep Sets: a map of each token, then {how}"
        return Model(name, sentence, Pooled(how, width, out), X, more.pop("asked", pooled), **more)

    def formula(name: str, about: str, f: Any, questions: list[Question], **more: Any) -> Model:
        return Model(name, about, Formula(f), more.pop("inputs", small), questions, **more)

    # fmt: off
    return [  # name, what it is, module, inputs, questions, by torch.export or TorchScript, opset
        pool("sum"), pool("mean", dynamo=True, opset=18), pool("max"),
        pool("sort", 4, 8), pool("top-k", 4, 8, dynamo=True, opset=18), pool("top-k first"),
        pool("log-sum-exp", opset=18), pool("deviation", 5, 10, dynamo=True, opset=20),
        pool("many", 3, 12), pool("adaptive"), pool("weighted", dynamo=True, opset=18),
        pool("product"),
        pool("first", asked=[subgroup({2: 1, **rest}, None), BATCH]),
        pool("last", asked=[subgroup({2: 1, **rest}, None)], dynamo=True, opset=18),
        pool("first and last", asked=[subgroup({2: 2, 3: 2, 4: 4, 5: 12}, None)]),
        Model("zaheer_layer", "two permutation-equivariant layers of Zaheer et al., mean and max",
              Zaheer(), X, both, True, 18),
        Model("zaheer_matrix", "λ I + γ 1 1ᵀ as a matrix made in the graph", ZaheerMatrix(), X,
              both, False, 17),
        Model("zaheer_matrix_tilted", "the same with more above the diagonal: it sees order",
              ZaheerMatrix(True), X, [refuted(output_axis=1), BATCH], True, 18),
        Model("pointnet", "PointNet: coordinates before points, batch norm, the maximum",
              PointNet(False), points,
              [invariant(axis=2), BATCH, Question("x", 1, "not equivariant", sizes=(3,))], False,
              17),
        Model("pointnet_segments", "PointNet for each point", PointNet(True), points,
              [equivariant(2, axis=2), BATCH], True, 18),
        Model("set_transformer_isab", "Set Transformer: induced points", Induced(False), X, both,
              False, 17),
        Model("set_transformer_pma", "Set Transformer: induced points, then a seed that pools",
              Induced(True), X, pooled, True, 18),
        Model("perceiver", "latent vectors attend to the input", Perceiver(False), X, pooled,
              False, 17),
        Model("perceiver_with_positions", "the same with a table of positions", Perceiver(True),
              X, [refuted(), BATCH], True, 18),
        Model("detr", "object queries attend to a memory without positions", Queries(), X, pooled,
              False, 17),
        Model("detr_positions_given", "the same with positions of the memory as an input",
              Queries(), {**X, "positions": Input(("b", "n", 4))},
              [invariant(moving=[("positions", 1)]), refuted()], True, 18),
        Model("detr_positions_table", "the same with a table of positions", Queries(True), X,
              [refuted(), BATCH], False, 17),
        Model("relations", "a map of every pair, summed over both", Relations(True), X, pooled,
              False, 17),
        Model("relations_by_token", "a map of every pair, the mean over the second",
              Relations(False), X, both, True, 18),
        Model("class_token", "a class token before the patches, which is read", ClassToken(True),
              patches, pooled, False, 17),
        Model("class_token_all", "a class token before the patches; all tokens are read",
              ClassToken(False), patches, [equivariant(1, start=1), BATCH], True, 18),
        Model("vit_like", "a class token and a table of positions", ClassToken(True, True),
              patches, [refuted(), BATCH], False, 17),
        formula("gram", "x xᵀ: both axes of the output move", lambda x: torch.tanh(x @ x.T),
                [equivariant([0, 1], axis=0)]),
        formula("gram_of_features", "xᵀ x: a sum over tokens", lambda x: torch.tanh(x.T @ x),
                [invariant(axis=0), equivariant([0, 1], axis=1, sizes=(3,))]),
        formula("gram_degrees", "the row sums of exp(x xᵀ)",
                lambda x: (x @ x.T).exp().sum(1).log(), [equivariant(0, axis=0)], dynamo=True,
                opset=18),
        formula("distances", "Euclidean distances of all pairs",
                lambda x: ((x[:, None] - x[None]) ** 2).sum(-1), [equivariant([0, 1], axis=0)],
                dynamo=True, opset=18),
        formula("symmetrised", "x + xᵀ: rows alone do not move, rows with columns do",
                lambda x: (x + x.T).tanh(),
                [refuted(axis=0, output_axis=0), equivariant([0, 1], axis=0, moving=[("x", 1)])],
                inputs=square),
        formula("symmetrised_fixed", "x + xᵀ of a fixed size, 4 by 4",
                lambda x: (x + x.T).tanh(), [Question("x", 0, "not equivariant", 0, sizes=(4,))],
                inputs={"x": Input((4, 4))}, dynamo=True, opset=18),
        formula("argmax_class", "the largest feature of each token, as an index",
                lambda x: x.argmax(1), [equivariant(0, axis=0)]),
        formula("argmax_token", "the token with the largest feature, as an index",
                lambda x: x.argmax(0), [refuted(axis=0)], dynamo=True, opset=18),
        formula("sorted_tokens", "the values of each feature in order: a sort forgets the order",
                lambda x: x.sort(0).values, [invariant(axis=0)]),
        formula("argsort_tokens", "the order itself, as indices", lambda x: x.argsort(0),
                [refuted(axis=0, output_axis=0)], dynamo=True, opset=18),
        formula("ranks", "the rank of each value among the tokens, by comparing all pairs",
                lambda x: (x[:, None] > x[None]).to(x.dtype).sum(1), [equivariant(0, axis=0)]),
    ]
    # fmt: on
