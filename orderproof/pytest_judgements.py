"""What the assertions of the pytest plugin judge by: a proof, or a measurement, and its words.

A judgement is a pair: what was found, and None or the message of the failure. For ONNX files and
torch modules it asks `decide`, loaded when it is needed; `decider` is where tests put another.
"""

from __future__ import annotations

import importlib
import inspect
import logging
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from orderproof import input_file
from orderproof.numeric.permuted import words
from orderproof.numeric.permuted.dependence import dependence_error
from orderproof.numeric.permuted.inputs import arguments, size_of
from orderproof.numeric.permuted.measure import Deviation, permutation_error, selected
from orderproof.numeric.permuted.shrink import shrunk
from orderproof.symbolic.counting import PEOPLE

TIMEOUT = 60.0
DECIDE = "orderproof.symbolic.onnx.decide"
WHO_SEES = "orderproof.symbolic.onnx.who_sees"
MISSING = "a proof needs the extra orderproof[onnx]"
OTHERWISE = "\n  fallback='measure' would settle for a measurement"
CLAIMS = {  # what is asserted, and what its negation says
    "causal": ("be causal", "is not causal"),
    "isolated": ("be independent of the batch", "is not independent of the batch"),
    "padding": ("ignore padding", "does not ignore padding"),
}
SHRINKING = {"permutations": 2, "directions": 4}  # for each candidate

Judgement = tuple[Any, str | None]


@dataclass(frozen=True)
class Question:
    """What is asserted of which model."""

    model: Any
    x: Any
    axis: Any
    output_axis: Any = None  # a number, or several; None: that of the input, or of no meaning
    invariant: bool = False
    output: Any = None
    along: Sequence[str] = ()
    n: int | None = None
    scope: str = "all n"
    conditions: Sequence[str] = ()
    timeout: float = TIMEOUT
    ask: str = ""  # of what it must not depend on, as in CLAIMS; of order where it is empty
    mask: Any = None
    masked: Any = 0.0

    @property
    def wanted(self) -> str:
        """The answer that is asserted."""
        return "invariant" if self.invariant else "equivariant"


class _Undecided(Exception):
    """No proof either way: why, in one line."""


def decider() -> Callable[..., Any]:
    """The function that decides an ONNX file.

    Errors: ImportError where what it needs is not installed.
    """
    found: Callable[..., Any] = importlib.import_module(DECIDE).decide
    return found


def seer() -> Callable[..., Any]:
    """The function that says of an ONNX file who sees whom. Errors: as decider."""
    found: Callable[..., Any] = importlib.import_module(WHO_SEES).who_sees
    return found


# Measured


def _refuse_unmeasurable(q: Question) -> None:
    if not callable(q.model):
        raise ValueError(
            f"given a model of {type(q.model).__name__}, expected a function, the path of an "
            "ONNX file, or a torch module"
        )
    if q.x is None:
        raise ValueError("given no x, expected an input to measure at")
    if q.along or q.conditions or q.n is not None or q.scope != "all n":
        raise ValueError(
            "given along, n, scope or conditions for a function, expected them for files alone"
        )


def _name(model: Any) -> str:
    return str(getattr(model, "__name__", type(model).__name__))


def measured(question: Question, options: dict[str, Any]) -> Judgement:
    """The deviation that was measured, and what is wrong with it."""
    q = question
    _refuse_unmeasurable(q)
    to = None if q.invariant else _output_axis(q)

    def measure(x: Any, axis: Any, **more: Any) -> Deviation:
        return permutation_error(q.model, x, axis, to, output=q.output, **{**options, **more})

    found = measure(q.x, q.axis)
    if found.ok:
        return found, None
    name = _name(q.model)
    told = found.blind and not found.differs
    head = (
        f"{name} was not seen to be permutation {q.wanted}"
        if told
        else (f"{name} is not permutation {q.wanted}")
    )
    lines = [f"{head} {words.COUNTED}", *_indented(words.finding(found, q.invariant))]
    lines.append(f"  {found.tried} permutations tried, seed {found.seed}")
    return found, "\n".join(lines if told else [*lines, *_smaller(q, found, measure)])


def _smaller(q: Question, found: Deviation, measure: Callable[..., Deviation]) -> list[str]:
    """The same failure at an input of fewer tokens, in lines; or x where none was found."""
    args, pairs = arguments(q.x, q.axis)

    def fails(candidate: tuple[Any, ...]) -> bool:
        seen = measure(candidate, pairs, **SHRINKING)
        alike = (seen.finite, seen.tried == 0) == (found.finite, found.tried == 0)
        return seen.differs and alike  # NaN is another failure, and so is NaN at x itself

    small = shrunk(args, pairs, found.sigma, fails)
    names = ["x"] if len(small) == 1 else [f"x{k + 1}" for k in range(len(small))]
    arrays = [line for pair in zip(names, small, strict=True) for line in words.array(*pair)]
    if size_of(small, pairs) == size_of(args, pairs):
        return ["  where", *_indented(arrays, 4)]
    head = f"  so it is at this smaller input, of {size_of(small, pairs)} tokens:"
    again = measure(small, pairs, **SHRINKING)
    return [head, *_indented([*arrays, *words.finding(again, q.invariant)], 4)]


def _indented(lines: Sequence[str], by: int = 2) -> list[str]:
    return [" " * by + line for line in lines]


def _output_axis(q: Question) -> Any:
    """The axis of the output: that of the (first) input unless it is given."""
    if q.output_axis is not None:
        return q.output_axis
    _, pairs = arguments(q.x, q.axis)
    own = q.axis[0][1] if isinstance(q.x, tuple) else q.axis
    return int(own if own < 0 else pairs[0][1])  # a negative one counts from the end again


# What must not be seen


def unseen(question: Question, options: dict[str, Any]) -> Judgement:
    """What was measured of the rows that must not depend on others, or what `who_sees` says of a
    file, and what is wrong with it."""
    q = question
    if not isinstance(q.masked, Real):
        raise ValueError(f"given masked={q.masked!r}, expected a number")
    if _is_file(q.model):
        try:
            return _unseen_by_file(q)
        except ImportError as error:
            return None, f"an ONNX file needs the extra orderproof[onnx] ({error})"
        except _Undecided as error:
            return None, str(error)
    _refuse_unmeasurable(q)
    to = () if q.output_axis == () else _output_axis(q)
    if q.ask == "padding":
        options = {**options, "mask": q.mask, "masked": q.masked}
    with sys.modules["torch"].no_grad() if _is_module(q.model) else nullcontext():
        found = dependence_error(q.model, q.x, q.axis, to, q.ask, output=q.output, **options)
    lines = words.dependence(found)
    return found, None if found.ok else _message(q, _name(q.model), found.differs, lines)


def _message(q: Question, name: str, differs: bool, lines: Sequence[str]) -> str:
    """The failure of a model of this name, which differs, or of which nobody could tell."""
    claim, negated = CLAIMS[q.ask]
    said = negated if differs else f"was not seen to {claim}"
    return "\n".join([f"{name} {said} ({words.ROWS[q.ask]}s counted from 1)", *_indented(lines)])


def _unseen_by_file(q: Question) -> Judgement:
    named = _named_axes(q)
    if q.ask == "padding" and not isinstance(q.mask, str):
        raise ValueError(f"given mask={q.mask!r} for an ONNX file, expected 'INPUT:K'")
    report = seer()(
        str(q.model),
        q.ask,
        axis=named[0],
        along=(*named[1:], *q.along),
        mask=q.mask,
        masked=q.masked,
        output=q.output,
        output_axis="none" if q.output_axis == () else q.output_axis,
        n=q.n,
        timeout=q.timeout,
    )
    r = _the_result(q, report, named[0])
    if r.answer == "unseen":
        return r, None
    parts = [(part, part is r.number) for part in (r.contents, r.number) if part]
    lines = [
        words.sees(q.ask, w.row, w.rows_changed, by_number, w.difference.d64, w.difference.rounding)
        for part, by_number in parts
        if (w := part.witness)
    ]
    reasons = [f"because {part.reason}" for part, _ in parts if part.answer == "unknown"]
    differs = r.answer == "depends"
    return r, _message(q, Path(q.model).name, differs, (lines or reasons or [r.said])[:1])


# Proved


def provable(model: Any) -> bool:
    """Whether a model is the path of an ONNX file, or a module of a torch that is loaded."""
    return _is_file(model) or _is_module(model)


def _is_file(model: Any) -> bool:
    return isinstance(model, (str, Path)) and str(model).endswith(".onnx")


def _is_module(model: Any) -> bool:
    torch: Any = sys.modules.get("torch")
    module = getattr(getattr(torch, "nn", None), "Module", None)
    return isinstance(module, type) and isinstance(model, module)


def proved(question: Question) -> Judgement:
    """The result of `decide`, and None or why it is not what is asserted; None in place of the
    result where there was no proof either way."""
    try:
        if _is_file(question.model):
            return _of_file(question, str(question.model))
        with tempfile.TemporaryDirectory() as folder:
            return _of_module(question, Path(folder) / "model.onnx")
    except ImportError as error:
        return None, f"{MISSING} ({error}){OTHERWISE}"
    except _Undecided as error:
        return None, f"{error}{OTHERWISE}"


def _named_axes(q: Question) -> tuple[str, ...]:
    """The axes of a file that move together. Errors: ValueError unless they are texts."""
    named = (q.axis,) if isinstance(q.axis, str) else q.axis
    if not (isinstance(named, Sequence) and named and all(isinstance(a, str) for a in named)):
        raise ValueError(f"given axis={q.axis!r} for an ONNX file, expected 'INPUT:K'")
    if not (q.output is None or isinstance(q.output, str)):
        raise ValueError(f"given output={q.output!r} for an ONNX file, expected an output's name")
    return tuple(named)


def _of_file(q: Question, path: str) -> Judgement:
    named = _named_axes(q)
    place = named[0].rpartition(":")[2]
    to = q.output_axis
    if to is None and place.isdecimal():
        to = int(place)
    if not q.invariant and min(_axes(to), default=-1) < 0:
        given = f"axis={named[0]!r}, output_axis={q.output_axis}"
        raise ValueError(f"given {given}, expected axes counted from 0")
    report = decider()(
        path,
        axis=named[0],
        along=[*named[1:], *q.along],
        output=q.output,
        n=q.n,
        timeout=q.timeout,
    )
    return _judged(q, to, _the_result(q, report, named[0]))


def _the_result(q: Question, report: Any, axis: str) -> Any:
    """The result about this axis and the output that is asked about.

    Errors: _Undecided without one; ValueError where there are several.
    """
    place = axis.rpartition(":")[2]
    found = [
        r
        for r in report.results
        if f"{r.input}:{r.axis if place.isdecimal() else place}" == axis
        and q.output in (None, r.output)
    ]
    if not found:
        raise _Undecided(f"axis {axis}: nothing was decided about it")
    if len(found) > 1:
        outputs = ", ".join(str(r.output) for r in found)
        raise ValueError(f"given a model of several outputs, expected output= one of {outputs}")
    return found[0]


def _judged(q: Question, to: Any, r: Any) -> Judgement:
    """Whether a result of `decide` is what is asserted, and if not, what stands in the way."""
    head = f"axis {r.input}:{r.axis}, output {r.output}: {r.answer}"
    if r.answer in ("unknown", "unsupported"):
        raise _Undecided("\n".join([head, *_indented(_reasons(r))]))
    if r.answer != q.wanted:
        return r, "\n".join([f"{head}, where {q.wanted} is asserted", *_indented(_reasons(r))])
    if not q.invariant and _axes(r.output_axis) != _axes(to):
        given, expected = (", ".join(map(str, _axes(a))) for a in (r.output_axis, to))
        return r, f"{head} along axis {given}, where axis {expected} is asserted"
    unasked = [c for c in r.conditions if c not in q.conditions]
    if unasked:
        more = f"conditions={[str(c) for c in r.conditions]} asserts no more"
        return r, f"{head} only if {', and '.join(map(str, unasked))}; {more}"
    scopes = ("all n", q.scope, *(() if q.n is None else (f"n = {q.n}",)))
    if not {r.scope, r.scope.partition(",")[0]} & {*scopes}:
        return r, f"{head} for {r.scope} alone; scope={r.scope!r} asserts no more"
    return r, None


def _axes(axis: Any) -> tuple[int, ...]:
    return tuple(axis) if isinstance(axis, Sequence) else () if axis is None else (int(axis),)


def _reasons(r: Any) -> list[str]:
    """Why the answer is what it is: the group, the tensors at which order enters, a witness."""
    group, witness = getattr(r, "group", None), r.witness
    lines = [] if group is None else [f"under {group.order} permutations alone: {group.name}"]
    lines += [
        f"order enters at {s.tensor}" + (f" (at {s.node})" if s.node else "") for s in r.stuck
    ]
    if hasattr(witness, "says"):
        lines.append(f"counterexample: {witness.says(PEOPLE)}")
        for name, given in getattr(witness, "inputs", {}).items():
            numbers = np.array([float(v) for v in given.entries]).reshape(given.shape)
            lines += words.array(name, numbers)
    elif witness:
        lines.append(f"`orderproof replay {witness}` rechecks a counterexample")
    reason = getattr(r, "reason", "")
    return [*lines, f"because {reason}"] if reason else lines


# Torch modules, and what fallback="measure" needs


def _of_module(q: Question, path: Path) -> Judgement:
    """Export the module with its token axes dynamic, and decide the file."""
    module = q.model
    if module.training:
        raise ValueError("given a module in training mode, expected one after model.eval()")
    if q.x is None:
        raise ValueError("given a torch module and no x, expected an input to export it with")
    args, pairs = arguments(q.x, q.axis)
    names = _names(module, len(args))
    to: tuple[int, ...] | None = None
    if not q.invariant:
        to = _axes(_output_axis(q))
        if min(to) < 0:
            rank = len(selected(module(*args), q.output).shape)
            to = tuple(a % rank for a in to)
    _export(module, args, pairs, names, path)
    output = None
    if q.output is not None:
        onnx: Any = importlib.import_module("onnx")
        outputs = onnx.load(str(path), load_external_data=False).graph.output
        if not isinstance(q.output, int) or not -len(outputs) <= q.output < len(outputs):
            expected = f"a place among its {len(outputs)} outputs"
            raise ValueError(f"given output={q.output!r} for a torch module, expected {expected}")
        output = outputs[q.output].name
    axes = tuple(f"{names[k]}:{axis}" for k, axis in pairs)
    return _of_file(replace(q, axis=axes, output_axis=to, output=output), str(path))


def _names(module: Any, count: int) -> list[str]:
    """The names of the module's inputs, as its author wrote them where that can be seen."""
    parameters = [*inspect.signature(module.forward).parameters.values()][:count]
    plain = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return plain if len(plain) == count else [f"x{k + 1}" for k in range(count)]


def _export(
    module: Any, args: Sequence[Any], pairs: Sequence[tuple[int, int]], names: list[str], path: Path
) -> None:
    torch: Any = sys.modules["torch"]
    tokens = torch.export.Dim("tokens", min=2)
    log = logging.getLogger("torch.__trace")  # each step, which pytest would show in a failure
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    moving = [{axis: tokens for k, axis in pairs if k == place} for place in range(len(args))]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                module,
                tuple(args),
                str(path),
                input_names=names,
                dynamic_shapes=tuple(axes or None for axes in moving),
                dynamo=True,
                verbose=False,
            )
    except ImportError:
        raise
    except Exception as error:  # whatever the exporter does not know
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise _Undecided(f"torch could not export the module: {reason}") from error
    finally:
        log.setLevel(level)


def runnable(question: Question) -> Question:
    """The question with a model that can be called: that of a file is run by onnxruntime.

    Errors: ImportError without onnxruntime; ValueError where an axis names no input.
    """
    q = replace(question, along=(), n=None, scope="all n", conditions=())
    if not _is_file(question.model):
        return q
    runtime: Any = importlib.import_module("onnxruntime")
    with input_file.opened(q.model, input_file.LARGEST_MODEL, "an ONNX model"):
        pass  # onnxruntime opens it by its name, and would wait for a pipe
    session = runtime.InferenceSession(str(q.model), providers=["CPUExecutionProvider"])
    inputs = [i.name for i in session.get_inputs()]
    outputs = [o.name for o in session.get_outputs()]
    named = (q.axis,) if isinstance(q.axis, str) else tuple(q.axis)
    pairs = []
    for text in (*named, *question.along):
        name, _, place = text.rpartition(":")
        if name not in inputs or not place.isdecimal():
            raise ValueError(f"given axis {text!r}, expected one of {', '.join(inputs)} and :K")
        pairs.append((inputs.index(name), int(place)))

    def model(*args: Any) -> Any:
        values = session.run(None, dict(zip(inputs, args, strict=True)))
        return dict(zip(outputs, values, strict=True))

    x = q.x if isinstance(q.x, tuple) or q.x is None else (q.x,)
    output = outputs[0] if q.output is None and len(outputs) == 1 else q.output
    return replace(q, model=model, x=x, axis=tuple(pairs), output=output)
