"""Graphs, kernels in place of softmax, low ranks, and norms that couple tokens or batches."""

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

X = {"x": tokens()}


class GraphAttention(nn.Module):
    """GAT: nodes attend along the edges of an adjacency matrix."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.left, self.right = nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)

    def forward(self, x: Tensor, adjacency: Tensor) -> Tensor:
        h = self.inner(x)
        scores = F.leaky_relu(self.left(h) + self.right(h).transpose(0, 1), 0.2)
        scores = scores.masked_fill(adjacency == 0, -1e9)
        return F.elu(scores.softmax(-1) @ h)


class GraphConvolution(nn.Module):
    """GCN of Kipf and Welling: degrees on both sides; `pooled`: the sum over nodes too."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.out = nn.Linear(4, 5), nn.Linear(5, 3)

    def forward(self, x: Tensor, adjacency: Tensor) -> tuple[Tensor, Tensor]:
        scale = adjacency.sum(1).pow(-0.5)
        matrix = scale[:, None] * adjacency * scale[None, :]
        y = self.out(matrix @ torch.relu(matrix @ self.inner(x)))
        return y, y.tanh().sum(0)


class Edges(nn.Module):
    """Messages along an edge list: what the sources say is added up at the targets."""

    def __init__(self) -> None:
        super().__init__()
        self.message, self.own = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        source, target = edge_index[0], edge_index[1]
        said = torch.tanh(self.message(x))[source]
        place = target[:, None].expand(-1, 4)
        return self.own(x) + torch.zeros_like(x).scatter_add(0, place, said)


class Baked(nn.Module):
    """The same with edges that are part of the model: a path, a ring, or a star of five nodes."""

    def __init__(self, edges: list[tuple[int, int]]) -> None:
        super().__init__()
        self.inner = Edges()
        self.register_buffer("edge_index", torch.tensor(edges).T.contiguous())

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x, self.edge_index)


class Grouped(nn.Module):
    """A table that says which token belongs to which of two groups; groups have means."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("group", torch.tensor([0, 1, 0, 1, 1]))
        self.own, self.all = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        belongs = F.one_hot(self.group, 2).to(x.dtype)
        means = (belongs.T @ x) / belongs.sum(0)[:, None]
        return torch.tanh(self.own(x) + belongs @ self.all(means))


class Nearest(nn.Module):
    """Each point and the maximum over its two nearest: edges found from the values."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        far = ((x[:, None] - x[None]) ** 2).sum(-1)
        nearest = far.topk(2, dim=1, largest=False).indices
        near = x[nearest]
        own = x[:, None].expand(-1, 2, -1)
        return torch.tanh(self.inner(torch.cat((own, near - own), -1))).amax(1)


class Linear(Attention):
    """Linear attention of Katharopoulos et al.: a feature map in place of the softmax."""

    causal = False

    def features(self, x: Tensor) -> Tensor:
        """What queries and keys become."""
        return F.elu(x) + 1

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        q, k = self.features(self.split(self.query(x))), self.features(self.split(self.key(x)))
        v = self.split(self.value(x))
        if self.causal:
            sums = (k[..., :, None] * v[..., None, :]).cumsum(2)
            z = (q[..., None, :] @ sums)[..., 0, :] / (q * k.cumsum(2)).sum(-1, keepdim=True)
        else:
            z = q @ (k.transpose(-1, -2) @ v) / (q * k.sum(2, keepdim=True)).sum(-1, keepdim=True)
        return self.out(self.merge(z))


class CausalLinear(Linear):
    """The same, each token with those before it."""

    causal = True


class Performer(Linear):
    """Random features of the exponential: positive ones of Choromanski et al."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("directions", torch.zeros(2, 5))

    def features(self, x: Tensor) -> Tensor:
        return (x @ self.directions - (x * x).sum(-1, keepdim=True) / 2).exp() + 1e-4


class Nystrom(Attention):
    """Landmarks that are means of neighbouring tokens, two landmarks; an approximate inverse."""

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        q, k, v = (self.split(f(x)) for f in (self.query, self.key, self.value))
        b, h, n, d = q.shape
        ql, kl = (t.reshape(b, h, 2, n // 2, d).mean(3) for t in (q, k))
        middle = (ql @ kl.transpose(-1, -2)).softmax(-1)
        inverse = middle.transpose(-1, -2) / 2
        for _ in range(2):
            inverse = 2 * inverse - inverse @ middle @ inverse
        left, right = (q @ kl.transpose(-1, -2)).softmax(-1), (ql @ k.transpose(-1, -2)).softmax(-1)
        return self.out(self.merge(left @ inverse @ (right @ v)))


class Linformer(Attention):
    """Keys and values projected along the tokens, of which there are four, to two."""

    def __init__(self) -> None:
        super().__init__()
        self.low = nn.Parameter(torch.zeros(2, 4))

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        q = self.split(self.query(x))
        k, v = (self.split(self.low @ f(x)) for f in (self.key, self.value))
        return self.out(self.merge((q @ k.transpose(-1, -2)).softmax(-1) @ v))


class LocalBlocks(Attention):
    """Attention within blocks of two tokens, by a reshape."""

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        b, n, d = x.shape
        return super().forward(x.reshape(b * (n // 2), 2, d)).reshape(b, n, d)


class Norm(nn.Module):
    """A norm between two maps of each token; `front`: with features before tokens."""

    def __init__(self, norm: nn.Module, front: bool = True) -> None:
        super().__init__()
        self.first, self.norm, self.last, self.front = nn.Linear(4, 4), norm, nn.Linear(4, 4), front

    def forward(self, x: Tensor) -> Tensor:
        h = self.first(x)
        h = self.norm(h.transpose(1, 2)).transpose(1, 2) if self.front else self.norm(h)
        return self.last(F.silu(h))


class Statistics(nn.Module):
    """Batch norm by the statistics of the batch itself: examples see each other, as a set."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.norm_weight, self.bias = (
            nn.Linear(4, 4),
            nn.Parameter(torch.ones(4)),
            nn.Parameter(torch.zeros(4)),
        )

    def forward(self, x: Tensor) -> Tensor:
        h = self.inner(x)
        mean, var = h.mean((0, 1), keepdim=True), h.var((0, 1), unbiased=False, keepdim=True)
        return torch.relu((h - mean) / (var + 1e-5).sqrt() * self.norm_weight + self.bias)


class Root(nn.Module):
    """RMS norm, then a gated unit (SwiGLU)."""

    def __init__(self) -> None:
        super().__init__()
        self.norm_weight = nn.Parameter(torch.ones(4))
        self.gate, self.up, self.down = nn.Linear(4, 6), nn.Linear(4, 6), nn.Linear(6, 4)

    def forward(self, x: Tensor) -> Tensor:
        h = x * (x.pow(2).mean(-1, keepdim=True) + 1e-6).rsqrt() * self.norm_weight
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Squeezed(nn.Module):
    """Squeeze and excitation: features scaled by a map of their means over the tokens; GLU."""

    def __init__(self) -> None:
        super().__init__()
        self.squeeze, self.excite, self.glu = nn.Linear(4, 2), nn.Linear(2, 4), nn.Linear(4, 8)

    def forward(self, x: Tensor) -> Tensor:
        scale = torch.sigmoid(self.excite(torch.relu(self.squeeze(x.mean(1)))))
        return F.glu(self.glu(x * scale[:, None]), -1)


class OverTokens(nn.Module):
    """A layer norm along the tokens, of which there are four, with a weight for each, or none."""

    def __init__(self, weights: bool) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(4, elementwise_affine=weights)
        self.inner = nn.Linear(5, 5)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.inner(x).transpose(1, 2)).transpose(1, 2)


class Columns(nn.Module):
    """A table: rows are examples, columns features; each column has an embedding of its own."""

    def __init__(self, own: bool) -> None:
        super().__init__()
        self.own = nn.Parameter(torch.zeros(4 if own else 1, 4))
        self.bias, self.block, self.out = (
            nn.Parameter(torch.zeros(4)),
            Block(Attention(), True),
            nn.Linear(4, 2),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.block(x[:, :, None] * self.own + self.bias).mean(1))


def models() -> list[Model]:
    """The models of this file."""
    both = [equivariant(), BATCH]
    nodes = Input(("n", 4))
    adjacency = {"x": nodes, "adjacency": Input(("n", "n"), "adjacency")}
    edges = {"x": nodes, "edge_index": Input((2, "e"), "edges", "int64", "n")}
    moving = [("adjacency", 0), ("adjacency", 1)]
    five, fixed = Input((5, 4)), {"x": Input(("b", 4, 4))}
    path = [(i, i + 1) for i in range(4)]
    ring = [(i, (i + 1) % 5) for i in range(5)]
    back = [(j, i) for i, j in ring]
    star = [(i, 0) for i in range(1, 5)]

    def baked(
        edges: list[tuple[int, int]], order: int
    ) -> tuple[nn.Module, dict[str, Input], list[Question]]:
        answer = "subgroup" if order > 1 else "not equivariant"
        asked = Question("x", 0, answer, 0, sizes=(5,), orders={5: order})
        return Baked(edges), {"x": five}, [asked]

    # fmt: off
    return [  # name, what it is, module, inputs, questions, by torch.export or TorchScript, opset
        Model("graph_attention", "GAT with an adjacency matrix as an input", GraphAttention(),
              adjacency, [equivariant(0, axis=0, moving=moving), refuted(axis=0, output_axis=0)],
              False, 17),
        Model("graph_convolution", "GCN with an adjacency matrix; nodes, and their sum",
              GraphConvolution(), adjacency, [equivariant(0, axis=0, moving=moving),
              invariant(axis=0, moving=moving, output="pooled"), refuted(axis=0, output_axis=0)],
              True, 18, ("y", "pooled")),
        Model("edge_list", "messages along an edge list, relabelled", Edges(), edges,
              [equivariant(0, axis=0, moving=[("edge_index", "values")]),
               refuted(axis=0, output_axis=0), Question("edge_index", 1, "invariant")], False, 17),
        Model("edge_list_dynamo", "messages along an edge list, torch.export", Edges(), edges,
              [equivariant(0, axis=0, moving=[("edge_index", "values")])], True, 18),
        Model("edges_path", "a path of five nodes, part of the model", *baked(path, 1), False, 17),
        Model("edges_ring", "a directed ring of five nodes", *baked(ring, 5), True, 18),
        Model("edges_ring_both", "a ring in both directions", *baked(ring + back, 10), False, 18),
        Model("edges_star", "a star: four leaves and a centre", *baked(star, 24), True, 18),
        Model("groups_of_tokens", "tokens 0 and 2, and the other three, have means", Grouped(),
              {"x": five}, [Question("x", 0, "subgroup", 0, sizes=(5,), orders={5: 12})], False,
              17),
        Model("nearest_points", "each point and its two nearest by top-k: of those at one"
              " distance, the first", Nearest(), {"x": Input(("n", 4), "coarse")},
              [refuted(axis=0, output_axis=0)], False, 17),
        Model("linear_attention", "linear attention, ELU + 1", Linear(), X, both, False, 17),
        Model("linear_attention_causal", "linear attention by cumulative sums", CausalLinear(), X,
              [refuted(output_axis=1), BATCH], True, 18),
        Model("performer", "random features of the exponential", Performer(), X, both, True, 18),
        Model("nystrom", "Nyström attention: landmarks are means of halves", Nystrom(), X,
              [subgroup({2: 2, 4: 8}, sizes=(2, 4))], False, 17),
        Model("linformer", "Linformer with four tokens", Linformer(), fixed,
              [Question("x", 1, "not equivariant", 1, sizes=(4,)), BATCH], True, 18),
        Model("local_blocks", "attention within blocks of two, by a reshape", LocalBlocks(), X,
              [subgroup({2: 2, 4: 8}, sizes=(2, 4))], False, 17),
        Model("batch_norm", "BatchNorm1d in evaluation", Norm(nn.BatchNorm1d(4)), X, both, True,
              18),
        Model("batch_norm_script", "BatchNorm1d in evaluation, TorchScript",
              Norm(nn.BatchNorm1d(4)), X, both, False, 17),
        Model("batch_statistics", "batch norm by the statistics of the batch: a set of examples",
              Statistics(), X, both, False, 17),
        Model("group_norm", "GroupNorm of two groups of features, over the tokens too",
              Norm(nn.GroupNorm(2, 4)), X, both, False, 17),
        Model("group_norm_dynamo", "GroupNorm, torch.export", Norm(nn.GroupNorm(2, 4)), X, both,
              True, 21),
        Model("instance_norm", "InstanceNorm1d: each feature over the tokens",
              Norm(nn.InstanceNorm1d(4, affine=True)), X, both, False, 17),
        Model("rms_norm_gated", "RMS norm and SwiGLU", Root(), X, both, False, 17),
        Model("rms_norm_dynamo", "nn.RMSNorm, torch.export at opset 23",
              Norm(nn.RMSNorm(4), False), X, both, True, 23),
        Model("squeeze_excite", "features scaled by their means; GLU", Squeezed(), X, both, True,
              18),
        Model("layer_norm_over_tokens", "layer norm along four tokens without weights",
              OverTokens(False), {"x": Input(("b", 4, 5))}, [equivariant(sizes=(4,)), BATCH], False,
              17),
        Model("layer_norm_over_tokens_affine", "the same with a weight for each token",
              OverTokens(True), {"x": Input(("b", 4, 5))},
              [Question("x", 1, "not equivariant", 1, sizes=(4,)), BATCH], True, 18),
        Model("columns_embedded", "a table whose columns have embeddings: they are told apart",
              Columns(True), {"x": Input(("b", 4))},
              [Question("x", 1, "not equivariant", sizes=(4,)), BATCH], False, 17),
        Model("columns_alike", "a table whose columns are treated alike", Columns(False),
              {"x": Input(("b", "n"))}, [invariant(), BATCH], True, 18),
        Model("features", "the features of an encoder's token, which are not a set",
              Block(Attention(), True), X, [Question("x", 2, "not equivariant", 2, sizes=(4,))],
              False, 17),
    ]
    # fmt: on
