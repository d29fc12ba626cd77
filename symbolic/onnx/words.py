"""What an answer says in words: conditions, reasons, and where order enters.

A node is named as the file names it and, where the exporter noted that, by the module and the line
of source that it comes from. Names are the file's: none is printed raw, or at full length.
"""

from __future__ import annotations

import re
from pathlib import PureWindowsPath
from typing import Any

from orderproof.input_file import escaped

from .graph import Graph, Place, every_call

# kinds of conditions of an answer
GIVEN = "given"  # of sizes
ALONG = "along"  # what has to be permuted too, and was not named; about it: the Place
OUTPUT = "output"  # how the output is permuted
LOOKED = "looked"  # sizes at which constants were compared; about it: a size's name, and a number
ROUNDED = "rounded"  # a constant in whose computation floats may round
SCOPE = "scope"  # for which numbers of tokens it is otherwise, or open


class Condition(str):
    """A condition of an answer: a sentence, its kind, and what it is about."""

    kind: str
    about: Any

    def __new__(cls, sentence: str, kind: str = GIVEN, about: Any = None) -> Condition:
        found = super().__new__(cls, sentence)
        found.kind, found.about = kind, about
        return found


NOT_LOOKED = "no counterexample was looked for"
NOT_FOUND = "no counterexample was found"
LATE = f"{NOT_FOUND} within the time of --timeout"
NOT_READ = "not all was read and proved within the time of --timeout"
NO_RUNNER = "onnxruntime is not installed"
TOO_LARGE = "the model is too large"
NO_AXIS = f"{NOT_LOOKED}: an axis of the output depends on the size of this one, and is not as long"
NO_SIZES = "the model has no such sizes"
NOT_ALIKE = "a proof needs constants that were not shown to be alike in every order"
NO_STEP = "a step of the proof does not apply"
SPLIT = "the model splits the axis, or joins it with others"
UNCHECKED = f"{NO_RUNNER}, and unchecked nothing counts as proved"
UNCERTAIN = "a difference was seen, and it is not certain: "
REVERSAL = "; of {} places the reversal alone was tried"

ADVICE = (  # what is in a reason, and what may help; the first that fits counts
    ("--timeout", "a longer --timeout gives it more time."),
    ("is not installed", "pip install 'orderproof[onnx]' installs all that a search needs."),
    ("draws random numbers", "an export for inference, after model.eval(), draws none."),
    (r"of domain \S+ is not read", "an export with ONNX's own operators alone may be read: without "
     "optimisation, which fuses operators, with dynamo=True, or with another opset."),
    (r"operator \w+ is not read", "an export with another opset, or with dynamo=True, may use "
     "operators that are read."),
    ("depends? on data", "an export in which only the axes that vary are dynamic has more "
     "constants, and may be read."),
    (r"of \d+ places the reversal|may be less",
     "an export in which this axis is dynamic can be tried with few tokens."),
    (r"a tensor of [\d,]+ entries", "an export with smaller fixed sizes can be run."),
)  # fmt: skip

MADE = (  # names that the reader gives, and what they say; {0} is the node
    (r"windows of (.+), dimension (\d+)",
     "{0}, whose windows along axis {1} of its input take neighbours together"),
    (r"(?:padding|outside) in (.+), dimension \d+", "{0}, which pads the axis at its ends"),
    (r"weights of (.+), dimension \d+", "{0}, which resizes the axis"),
    (r"causal mask in (.+)", "the causal mask inside of {0}"),
    (r"triangle in (.+)", "{0}, which takes for each token those on one side of it"),
    (r"slice in (.+)", "{0}, which takes tokens by their places"),
    (r"copies in (.+)", "{0}, which joins parts of the axis to it"),
    (r"order in (.+)", "{0}, which puts entries into other places in the order of storage"),
    (r"Fourier transform in (.+)", "the Fourier transform in {0}"),
    (r"identity in (.+)", "the identity matrix in {0}"),
    (r"places of the (largest|least)", "the places of the {0} entries: a sorted or TopK order"),
    (r"places (?:of|in) (.+)", "{0}, which numbers the tokens or picks them by their numbers"),
    (r"places (.+)", "the numbers in {0}, by which tokens are picked"),
    (r"[\w ]+ of (.+), (?:all|last|cell)", "{0}, which reads the tokens one after another"),
    (r"(argmax|argmin)", "an {0} along the axis, whose result is a place"),
    (r"hardmax", "a Hardmax along the axis, which takes the first of equal entries"),
    (r"token n", "the last token, which the model picks by its place"),
    (r"token (.+)", "token {0}, which the model picks by its place"),
    (r"\[(.+) = .+\]", "the numbers in {0}, which are compared with places"),
)  # fmt: skip


_FRAME = re.compile(r'File "([^"\n]{1,400})", line (\d{1,9})')
_LIBRARY = re.compile(r"(^|[/\\])torch[/\\]")


def where_order_enters(tensor: str, node: str, graph: Graph) -> str:
    """A tensor of the model at which order enters, and the node that uses it, in words."""
    moved = re.fullmatch(r"σ\((.*)\)", tensor)
    name = (moved[1] if moved else tensor).removesuffix(AT_PLACES).rstrip(PRIME)
    by = f", which {node_text(node, graph)} uses" if node else ""
    if not name:
        return node_text(node, graph)
    if name in graph.inputs:
        used = f" ({node_text(node, graph)} uses it)" if node else ""
        return f"the input {short_name(name)}, which is not permuted along{used}"
    if tensor.endswith(AT_PLACES):
        return f"rows of {short_name(name)}, which the model picks by their positions"
    if name in graph.constants or any(name in c.outputs for c in graph.calls):
        return f"the tensor {short_name(name)}{by}"
    for pattern, words in MADE:
        found = re.fullmatch(pattern, name)
        if found:
            return words.format(*(node_text(g, graph) for g in found.groups()))
    return f"{short_name(name)}{by}"


PRIME = "′"  # at the end of the names of other tensors that would be called alike
AT_PLACES = ", at places"  # at the end of the name of a constant of which rows are meant


def short(name: str) -> str:
    """A constant of a theorem's hypotheses, in a list."""
    name = name.rstrip(PRIME)
    if name.startswith("token "):
        return "the last token" if name == "token n" else name
    if name.endswith(AT_PLACES):
        return f"rows of {short_name(name.removesuffix(AT_PLACES))}"
    made = any(re.fullmatch(pattern, name) for pattern, _ in MADE)
    return f"the {short_name(name)}" if made else short_name(name)


def short_name(name: str, longest: int = 100) -> str:
    """A name of the file, or a text with some, in one line of bounded length."""
    clean = escaped(name)
    return clean if len(clean) <= longest else f"{clean[: longest - 1]}…"


def refused(graph: Graph, node: str, reason: str) -> str:
    """Why a node is not read, with where it is. Its operator is not said twice."""
    where, (op, colon, rest) = node_text(node, graph), reason.partition(": ")
    why = rest if colon and op.lower() in where.lower() else reason
    return f"{where}: {short_name(why, 400)}"


def node_text(name: str, graph: Graph) -> str:
    """A node by its name, with its operator where the name does not say it, and with its source;
    other text as it is. One without a name is called by its operator and inputs."""
    call = next((c for c in every_call(graph.calls) if c.name == name), None)
    if call is None:
        return short_name(name)
    source = f", from {found}" if call.proto and (found := written(call.proto)) else ""
    if call.proto and not call.proto.name:
        given = ", ".join(short_name(x) for x in call.inputs[:3] if x)
        return f"the node {call.op}({given}) → {short_name(call.outputs[0])}{source}"
    op = "" if call.op.lower() in name.lower() else f" ({call.op})"
    return f"node {short_name(name)}{op}{source}"


def written(node: Any) -> str:
    """What an exporter noted of a node: the module's path, and the line of source."""
    noted = {p.key: p.value[:20_000] for p in node.metadata_props}
    trace = _FRAME.findall(noted.get("pkg.torch.onnx.stack_trace", ""))
    own = [frame for frame in trace if not _LIBRARY.search(frame[0])]
    line = [f"{PureWindowsPath(file).name}:{k}" for file, k in own[-1:]]
    return ", ".join(map(short_name, filter(None, [_module(noted), *line])))


def _module(noted: dict[str, str]) -> str:
    """The path of the module, as in `encoder.layers.0`: the last but one scope, the operator being
    the last; "" where there is none."""
    paths = re.findall(r"'([^']*)'", noted.get("pkg.torch.onnx.name_scopes", ""))
    return paths[-2] if len(paths) > 1 else ""


def size_name(graph: Graph | None, place: Place) -> str:
    """What the model calls the size of an axis; n where it has no name, or another word where the
    model calls something else n."""
    dim = graph.dim(place) if graph is not None else None
    if isinstance(dim, str) and dim.isidentifier() and len(dim) <= 20:
        return dim
    return "length" if graph is not None and "n" in graph.dynamic else "n"


def of_size(text: str, size: str) -> str:
    """A scope with what the model calls the size in place of n."""
    return re.sub(r"\bn\b", size, text)


def advice(reason: str) -> str:
    """What may help where something is not decided, for this reason; "" where nothing is known."""
    return next((words for pattern, words in ADVICE if re.search(pattern, reason)), "")
