"""What the graphs inside of a call, its branches and bodies, take from around it."""

from __future__ import annotations

from collections.abc import Iterator

from .graph import Call, Graph

_RANDOM = {
    "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli",
    "Multinomial",
}  # fmt: skip


def inner(call: Call) -> Iterator[Graph]:
    """The graphs among the attributes of a call."""
    for value in call.attributes.values():
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Graph):
                yield part


def used_by(call: Call) -> list[str]:
    """The tensors of its own graph that a call uses, those of its subgraphs included."""
    return [name for name in call.inputs if name] + captured(call)


def captured(call: Call) -> list[str]:
    """The tensors that the graphs inside of a call take from around it: inputs that are not listed.
    Whoever asks whether a call depends on data must ask for these too."""
    return [name for graph in inner(call) for name in _free(graph)]


def _free(graph: Graph) -> list[str]:
    """The names that a subgraph takes from around it."""
    own = {*graph.inputs, *graph.constants, *(o for call in graph.calls for o in call.outputs)}
    used = [name for call in graph.calls for name in used_by(call)] + list(graph.outputs)
    return [name for name in dict.fromkeys(used) if name not in own]


def draws(call: Call) -> bool:
    """Whether a call draws random numbers, itself or in a graph inside."""
    training = call.op == "Dropout" and bool(call.input(2))
    return call.op in _RANDOM or training or any(draws(c) for g in inner(call) for c in g.calls)
