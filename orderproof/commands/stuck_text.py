"""Where order enters, in words: tensors of the model by their names, and what the reader of ONNX
names itself (the windows of a convolution, a token that is picked) by what it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orderproof.symbolic.onnx.graph import Graph
    from orderproof.symbolic.onnx.report import StuckAt

MADE = (  # names that the reader gives, and what they say; {0} is the node
    (r"windows of (.+?)(?: inside)?, dimension (\d+)",
     "{0}, whose windows along axis {1} of its input take neighbours together"),
    (r"padding in windows of (.+), dimension (\d+)",
     "{0}, whose windows along axis {1} of its input are padded at the ends"),
    (r"outside in (.+), dimension \d+", "{0}, which pads the axis at its ends"),
    (r"causal mask in (.+)", "the causal mask inside of {0}"),
    (r"triangle in (.+)", "{0}, which takes for each token those on one side of it"),
    (r"slice in (.+)", "{0}, which takes tokens by their places"),
    (r"copies in (.+)", "{0}, which joins parts of the axis to it"),
    (r"order in (.+)", "{0}, which puts entries into other places in the order of storage"),
    (r"Fourier transform in (.+)", "the Fourier transform in {0}"),
    (r"identity in (.+)", "the identity matrix in {0}"),
    (r"places of the (largest|least)", "the places of the {0} entries: a sorted or TopK order"),
    (r"places of (.+)", "{0}, which numbers the tokens or picks them by their numbers"),
    (r"(\w+) of (.+), (?:all|last|cell)", "{1}, which reads the tokens one after another"),
    (r"(argmax|argmin)", "an {0} along the axis, whose result is a place"),
    (r"hardmax", "a Hardmax along the axis, which takes the first of equal entries"),
    (r"token n", "the last token, which the model picks by its place"),
    (r"token (.+)", "token {0}, which the model picks by its place"),
    (r"\[(.+) = .+\]", "the numbers in {0}, which are compared with places"),
)  # fmt: skip


def told(stuck: StuckAt, graph: Graph | None) -> str:
    """One place at which order enters."""
    inner = re.fullmatch(r"σ\((.*)\)", stuck.tensor)
    name = inner[1] if inner else stuck.tensor
    calls = {c.name: c.op for c in graph.calls} if graph is not None else {}
    if not name:
        return node_text(stuck.node, calls)
    if graph is not None and name in graph.inputs:
        by = f" ({node_text(stuck.node, calls)} uses it)" if stuck.node else ""
        return f"the input {name}, which is not permuted along{by}"
    computed = {o for c in graph.calls for o in c.outputs} if graph is not None else set()
    if graph is not None and (name in graph.constants or name in computed):
        return f"the tensor {name}{_by(stuck.node, calls)}"
    for pattern, words in MADE:
        found = re.fullmatch(pattern, name)
        if found:
            return words.format(*(node_text(g, calls) for g in found.groups()))
    return f"{name}{_by(stuck.node, calls)}"


def short(name: str) -> str:
    """A constant of a theorem's hypotheses, in a list."""
    if name.startswith("token "):
        return "the last token" if name == "token n" else name
    made = any(re.fullmatch(pattern, name) for pattern, _ in MADE)
    return f"the {name}" if made else name


def _by(node: str, calls: dict[str, str]) -> str:
    return f", which {node_text(node, calls)} uses" if node else ""


def node_text(name: str, calls: dict[str, str]) -> str:
    """A node by its name, with its operator where the name does not say it; other text as it is."""
    op = calls.get(name)
    if op is None:
        return name
    return f"node {name}" if op.lower() in name.lower() else f"node {name} ({op})"
