"""Values of named tensors inside a graph, by onnxruntime: the judge of every translation."""

from __future__ import annotations

import math
import re
import sys
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
from onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    ValueInfoProto,
    helper,
    numpy_helper,
    shape_inference,
)

from orderproof.symbolic import time_limit
from orderproof.symbolic.onnx.graph import (
    Array,
    Call,
    Graph,
    Tensor,
    every_call,
    used_by,
)
from orderproof.symbolic.onnx.load import one_line
from orderproof.symbolic.onnx.order import plain_domain
from orderproof.symbolic.onnx.tensors import MAX_ENTRIES

_EMBEDDED = 1024  # bytes: smaller constants stand in the model, where operators look for shapes and
# axes; onnxruntime would copy larger ones for each session, so that they are fed like inputs
MAX_INPUT = 1 << 26  # entries of all inputs together
_SESSIONS = 8  # that are kept
MOST_ENTRIES = 1 << 26  # of a tensor that a node computes, if no constant is as large
_IR = 10  # the oldest version of the format that has all types; initialisers are no inputs

_PLAIN = (  # what onnxruntime says besides of itself, and what is left of that
    (r"\[ONNXRuntimeError\] : \d+ : \w+ : ", "onnxruntime: "),
    (r"Non-zero status code returned while running (\w+) node\. Name:'([^']*)' Status Message: ",
     r"node \2 (\1): "),
    (r"\S*/onnxruntime_src/.* was false\. |\S*/onnxruntime_src/\S+ ", ""),
)  # fmt: skip
Ranges = Mapping[str, tuple[int, int]]
_Session = tuple[Any, set[str], "Largest"]


class RunnerMissing(Exception):
    """onnxruntime is not installed."""


class RunError(Exception):
    """onnxruntime refused a model or an input: the node, where it says one, in one line."""


class NotConstant(Exception):
    """A tensor that was expected to depend on the sizes of the inputs alone, and does not."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} depends on the values of the inputs")
        self.name = name


class Runner:
    """Runs parts of one graph: deterministic, in one thread, as the file says it (no
    optimisations)."""

    def __init__(self, graph: Graph) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise RunnerMissing(
                "onnxruntime is not installed; it comes with the extra orderproof[onnx]"
            ) from None
        self._ort: Any = onnxruntime
        self.graph = graph
        self._call_of = {name: call for call in graph.calls for name in call.outputs if name}
        self._type_of = {value.name: value for value in graph.proto.graph.input}
        self._sessions: OrderedDict[tuple[Any, ...], _Session] = OrderedDict()
        self._worker = ThreadPoolExecutor(1)

    def run(
        self,
        inputs: Mapping[str, Array],
        outputs: Sequence[str] = (),
        constants: Mapping[str, Array] | None = None,
    ) -> dict[str, Array]:
        """The values of `outputs`, any tensors of the graph (none named: its outputs), with
        `constants` in the place of those of the same names. The arrays are the caller's to read,
        not to change."""
        replaced = dict(constants or {})
        for name, value in replaced.items():
            old = self.graph.constants.get(name)
            if old is None or old.shape != value.shape or old.dtype != value.dtype:
                raise RunError(f"{name} cannot be replaced: a constant of its shape was expected")
        known = {**self.graph.constants, **replaced, **inputs}
        wanted = list(dict.fromkeys(outputs or self.graph.outputs))
        computed = tuple(name for name in wanted if name in self._call_of)
        for name in wanted:
            if name not in self._call_of and name not in known:
                raise RunError(f"{name} is no tensor of the graph, or an input without a value")
        values = {name: known[name] for name in wanted if name in known}
        if computed:
            session, needed, largest = self._session(computed, frozenset(replaced))
            entries = largest.beyond(self._most, {x: v.shape for x, v in inputs.items()})
            if entries:
                at = ", ".join(f"{x} of {list(v.shape)}" for x, v in inputs.items()) or "any size"
                raise RunError(f"a tensor of {entries:,} entries, at {at}; at most {self._most:,}")
            feeds = {name: known[name] for name in sorted(needed) if name in known}
            missing = sorted(needed - set(feeds))
            if missing:
                raise RunError(f"the input {missing[0]} has no value")
            results = self._run(session, list(computed), feeds)
            for name, result in zip(computed, results, strict=True):
                if not isinstance(result, np.ndarray):
                    raise RunError(f"{name} is no tensor")
                values[name] = result
        return {name: values[name] for name in wanted}

    @cached_property
    def _most(self) -> int:
        """The most entries of a tensor that is computed: no model needs its weights many times."""
        return max([MOST_ENTRIES, *(x.size for x in self.graph.constants.values())])

    def _run(self, session: Any, names: list[str], feeds: Mapping[str, Array]) -> list[Any]:
        """The results of a session, which is told to end where the time is over or the process is
        interrupted: in a thread of its own, as no signal is handled before it returns."""
        options = self._ort.RunOptions()
        time_limit.check()
        left = time_limit.end() - time.monotonic()
        running = self._worker.submit(session.run, names, feeds, options)
        try:
            found: list[Any] = running.result(left if math.isfinite(left) else None)
        except TimeoutError:
            raise time_limit.Late from None
        except Exception as error:  # its exceptions have no common class of their own
            raise _refused(error) from None
        finally:
            if not running.done():
                options.terminate = True
                wait([running])
        return found

    def constants_at(
        self, names: Sequence[str], sizes: Mapping[str, int], ranges: Ranges | None = None
    ) -> dict[str, Array]:
        """The values of tensors that depend on the sizes of the inputs alone.

        Three runs, with inputs that differ in every entry, and NotConstant where a value differs in
        a bit. That catches what depends on the values of the inputs as good as always, and does
        not prove that nothing does: whoever asks looks at the operators in between.
        """
        if not names:
            return {}
        drawn, third = (self.random_inputs(sizes, seed, ranges) for seed in (0, 1))
        rng, given = np.random.default_rng(2), ranges or {}
        second = {x: another(value, given.get(x, (0, 1)), rng) for x, value in drawn.items()}
        first = self.run(drawn, names)
        for draw in (second, third):
            for name, value in self.run(draw, names).items():
                if not same_bits(first[name], value):
                    raise NotConstant(name)
        return first

    def random_inputs(
        self, sizes: Mapping[str, int], seed: int, ranges: Ranges | None = None
    ) -> dict[str, Array]:
        """Values for every input, where its named dimensions have these `sizes`: floats from the
        normal distribution, integers from `ranges[input]`, both ends included, else 0 or 1."""
        rng = np.random.default_rng(seed)
        given = ranges or {}
        shapes = {name: _shape(tensor, sizes) for name, tensor in self.graph.inputs.items()}
        entries = sum(math.prod(map(int, s)) for s in shapes.values())
        if not entries <= MAX_INPUT:
            raise RunError(f"inputs of {entries:,} entries; at most {MAX_INPUT:,} are drawn")
        return {
            name: _random(tensor.dtype, shapes[name], rng, given.get(name, (0, 1)))
            for name, tensor in self.graph.inputs.items()
        }

    def ancestors(self, outputs: Sequence[str], stop: frozenset[str] = frozenset()) -> list[Call]:
        """The calls that the tensors need, in the graph's order; not beyond those in `stop`."""
        found: set[Call] = set()
        pending = list(outputs)
        while pending:
            name = pending.pop()
            call = self._call_of.get(name)
            if call is None or name in stop or call in found:
                continue
            found.add(call)
            pending.extend(used_by(call))
        return [call for call in self.graph.calls if call in found]

    def _session(self, outputs: tuple[str, ...], replaced: frozenset[str]) -> _Session:
        """A session for these outputs, the names that it is fed, and how large its tensors are."""
        small = frozenset(n for n in replaced if not _is_fed(self.graph.constants[n]))
        key = (outputs, small)
        if key in self._sessions:
            self._sessions.move_to_end(key)
            return self._sessions[key]
        model, fed = self._model(outputs, small)
        ort = self._ort
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.use_deterministic_compute = True
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 4
        try:
            session = ort.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise _refused(error) from None
        self._sessions[key] = session, fed, Largest(model)
        if len(self._sessions) > _SESSIONS:
            self._sessions.popitem(last=False)
        return self._sessions[key]

    def _model(self, outputs: tuple[str, ...], replaced: frozenset[str]) -> tuple[Any, set[str]]:
        """The model of the ancestors of `outputs`, and the names that it is fed."""
        calls = self.ancestors(outputs)
        needed = dict.fromkeys(name for call in calls for name in used_by(call))
        graph = GraphProto(name="part")
        names: set[str] = set()
        for call in calls:
            graph.node.append(self._node(call, names))
        fed: set[str] = set()
        for name in needed:
            constant = self.graph.constants.get(name)
            if name in self.graph.inputs:
                graph.input.append(self._type_of[name])
                fed.add(name)
            elif constant is not None and (name in replaced or _is_fed(constant)):
                graph.input.append(
                    helper.make_tensor_value_info(
                        name, helper.np_dtype_to_tensor_dtype(constant.dtype), constant.shape
                    )
                )
                fed.add(name)
            elif constant is not None:
                held = np.ascontiguousarray(constant).reshape(constant.shape)
                graph.initializer.append(numpy_helper.from_array(held, name))
        for name in outputs:
            graph.output.add(name=name)  # onnxruntime finds its type by itself
        # onnxruntime may refuse a domain that nothing here needs
        used = {"", *(call.domain for call in every_call(calls))}
        imports = [o for o in self.graph.proto.opset_import if plain_domain(o.domain) in used]
        model = helper.make_model(graph, opset_imports=imports)
        model.ir_version = max(_IR, self.graph.proto.ir_version)
        return model, fed

    def _node(self, call: Call, names: set[str]) -> NodeProto:
        """The node of a call, with a name that is not among `names`: two of one name are refused
        by onnxruntime, and its errors should name a node as we do."""
        node, name = NodeProto(), call.name
        if name in names:
            name += f" {next(filter(None, call.outputs))}"
        names.add(name)
        node.CopyFrom(call.proto)
        node.name = name
        return node


def _refused(error: Exception) -> RunError:
    """What onnxruntime refused, in one line."""
    text = " ".join(str(error).split())
    for pattern, words in _PLAIN:
        text = re.sub(pattern, words, text)
    return RunError(one_line(text))


def same_bits(a: Array, b: Array) -> bool:
    """One type, one shape, one value bit for bit."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "O":
        return bool(a.tolist() == b.tolist())
    one, other = (np.ascontiguousarray(x).ravel().view(np.uint8) for x in (a, b))
    return np.array_equal(one, other)


def _is_fed(value: Array) -> bool:
    """Whether a constant is handed over at each run: those are that onnxruntime takes as arrays."""
    return value.nbytes > _EMBEDDED and value.dtype.kind in "iufb"


def _shape(tensor: Tensor, sizes: Mapping[str, int]) -> tuple[int, ...]:
    shape = []
    for d in tensor.dims:
        if isinstance(d, str) and d not in sizes:
            raise RunError(f"the dimension {d} of the input {tensor.name} has no size")
        shape.append(sizes[d] if isinstance(d, str) else d)
    if math.prod(shape) > MAX_ENTRIES or any(size < 0 for size in shape):
        raise RunError(f"the input {tensor.name} with the shape {shape} is not made")
    return tuple(shape)


def _random(
    dtype: np.dtype[Any], shape: tuple[int, ...], rng: np.random.Generator, ends: tuple[int, int]
) -> Array:
    if dtype.kind in "biu":
        return np.asarray(rng.integers(ends[0], ends[1] + 1, shape)).astype(dtype)
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def another(value: Array, ends: tuple[int, int], rng: np.random.Generator) -> Array:
    """An array that differs from `value` in every entry, where its type and range have two."""
    if value.dtype.kind in "biu":
        span = ends[1] - ends[0] + 1
        step = rng.integers(1, span, value.shape) if span > 1 else 0
        whole = value.astype(np.int64)  # small types would overflow
        return np.asarray((whole - ends[0] + step) % span + ends[0]).astype(value.dtype)
    return np.asarray(value * value.dtype.type(-3))


# ----------------------------------------------------------- how large tensors are, before any run
WIDE = 136  # no window is longer, but for few


class Largest:
    """The entries of the largest tensor that a node of a model computes, as far as ONNX infers
    shapes."""

    def __init__(self, model: ModelProto) -> None:
        self._model, self._found = model, dict[Any, int]()
        # of a size below 0, where a window is longer than a tensor, a slice ends the whole process
        windows = any(node.op_type.endswith(("Conv", "Pool")) for node in model.graph.node)
        self._least = (WIDE, 1) if windows else (1,)

    def beyond(self, most: int, given: Mapping[str, tuple[int, ...]]) -> int:
        """The entries at inputs of given shapes, where they are more than this; else 0."""
        entries = 0
        for least in self._least:
            if (entries := self._at(least, given)) <= most:
                return 0
        return entries

    def _at(self, least: int, given: Mapping[str, tuple[int, ...]]) -> int:
        """The entries there, or where dynamic dimensions have a size that is larger."""
        key = (least, *given.items())
        if key not in self._found:
            model = ModelProto()
            model.CopyFrom(self._model)
            for value in model.graph.input:
                dims = value.type.tensor_type.shape.dim
                for d, size in zip(dims, given.get(value.name, ()), strict=False):
                    if not d.HasField("dim_value"):
                        d.dim_value = max(least, size)
            every: list[ValueInfoProto] = []  # where shapes cannot be inferred nothing is known
            with suppress(shape_inference.InferenceError, ValueError, RuntimeError):
                graph = shape_inference.infer_shapes(model, data_prop=True).graph
                every = [*graph.value_info, *graph.output]
            self._found[key] = max(map(_entries, every), default=0)
        return self._found[key]


def _entries(value: ValueInfoProto) -> int:
    """The entries of a tensor, a size that is not known counted as one; where one is beyond 64
    bits, more than there can be."""
    dims = value.type.tensor_type.shape.dim
    sizes = [d.dim_value if d.HasField("dim_value") else 1 for d in dims]
    return math.prod(sizes) if min(sizes, default=1) >= 0 else sys.maxsize
