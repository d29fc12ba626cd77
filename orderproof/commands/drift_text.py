"""What `drift` prints and writes: the answer and what it rests on, tokens counted from 1."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from orderproof.numeric.permuted.words import permutation
from orderproof.symbolic.counting import PEOPLE

if TYPE_CHECKING:
    from orderproof.numeric.drift.drift import Drift
    from orderproof.numeric.drift.enclosed import Span
    from orderproof.numeric.drift.sums import LastSum, Summation

WIDTH = 80
ANSWER, COUNTEREXAMPLE = "drift.json", "counterexample.json"


def lines(d: Drift) -> list[str]:
    """The model, the answer in one line, then what it rests on."""
    (name, axis), *_ = d.asked.axes
    found = [
        f"{Path(d.file).name}  (SHA-256 {d.model[:16]}…)",
        "",
        f"{name}, axis {axis} → {_output(d)}: {d.answer.upper()}",
    ]
    return [*found, *(line for part in _parts(d) for line in _wrapped(part))]


def _output(d: Drift) -> str:
    if not d.output_axes:
        return f"{d.output}, unmoved"
    word = "axis" if len(d.output_axes) == 1 else "axes"
    return f"{d.output}, {word} {' and '.join(map(str, d.output_axes))}"


def _parts(d: Drift) -> list[str]:
    found = [f"{permutation(d.asked.sigma)}, (PX)_i = X_σ(i); tokens and entries counted from 1"]
    if len(d.asked.axes) > 1:
        found.append("with " + ", ".join(f"{n}:{k}" for n, k in d.asked.axes[1:]) + " moved along")
    other = "P f(X)" if d.output_axes else "f(X)"
    if d.difference is not None:
        at = f"by {_near(d.difference)} at most, in entry {PEOPLE.images(d.entry)}"
        how = f"differ {at}" if d.difference else "are equal to the last bit"
        found.append(f"in onnxruntime f(PX) and {other} {how}")
    if d.reason:
        found.append(f"it cannot be told, because {d.reason}")
    found += _truth(d, other)
    found += _distances(d)
    if d.summation is not None:
        found += _summation(d.summation)
    return found


def _truth(d: Drift, other: str) -> list[str]:
    """What is known of the true values."""
    from orderproof.numeric.drift.decimals import up

    found = []
    if not _finite(d):
        pass  # a theorem is about numbers, and nothing is known of infinities
    elif d.proof.covers and d.overlap is not False:
        found.append(f"{_theorem(d)}: the true values of f(PX) and {other} are equal")
    elif d.overlap and d.gap is not None and d.gap.high is not None:
        at_most = up(d.gap.high)
        found.append(f"at this input the true values agree to within {at_most}; no more is known")
    if d.overlap is False and d.gap is not None:
        found.append(f"the true values differ, by {_span(d.gap)} where most ({d.bits} bits)")
    return found


def _finite(d: Drift) -> bool:
    """Whether all inputs are numbers."""
    floats = (x for x in d.asked.inputs.values() if x.dtype.kind == "f")
    return all(bool(np.isfinite(x).all()) for x in floats)


def _theorem(d: Drift) -> str:
    if d.proof.answer == "subgroup":
        return "the model follows this permutation (proved)"
    return f"the model is {d.proof.answer} (proved, for {d.proof.scope})"


def _distances(d: Drift) -> list[str]:
    from orderproof.numeric.drift.decimals import down, up

    if d.distances is None:
        return []
    given, permuted = d.distances
    found = [
        f"largest distance of a float from its true value: {_span(given)} in the order given, "
        f"{_span(permuted)} in the other"
    ]
    if d.answer == "rounding" and d.difference:
        parts = [*d.distances, *([] if d.proof.covers or d.gap is None else [d.gap])]
        total = " + ".join(up(s.high) for s in parts if s.high is not None)
        found.append(f"so that rounding is all of it: {down(d.difference)} ≤ {total}")
    return found


def _summation(s: Summation) -> list[str]:
    orders = "this order" if s.orders == 1 else f"{s.orders} orders, this among them"
    text = f"measured in {orders}: floats differ by up to {s.as_is:.3g} from the order given"
    if s.wide is None:
        return [f"{text}; with sums in float64 not measured: {s.reason}", *_last(s.last)]
    sums = ", ".join(f"{k} {op}" for op, k in s.nodes.items())
    text += f", and by {s.wide:.3g} with the sums ({sums}) in float64, each rounded once"
    if s.left:
        text += f"; sums inside {', '.join(s.left)} stay as they are"
    return [text, *_last(s.last)]


def _last(last: LastSum | None) -> list[str]:
    if last is None:
        return []
    terms = "equal to the last bit" if last.same_terms else "not equal to the last bit"
    return [
        f"the output is a sum over the {last.terms} tokens, in {last.node}: no two orders of the "
        f"terms of that entry differ by more than {last.bound:.2e}, and {last.orders} orders tried "
        f"by {last.measured:.2e}; its terms are {terms} in both orders"
    ]


def _span(span: Span) -> str:
    from orderproof.numeric.drift.decimals import down, up

    if span.high is None:
        return f"{down(span.low)} or more"
    if span.low == 0 and span.high:
        return f"at most {up(span.high)}"
    ends = down(span.low), up(span.high)
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _near(x: Fraction) -> str:
    return f"{float(x):.3g}"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent="    ", subsequent_indent="      ", break_on_hyphens=False
    )


def write(d: Drift, out: Path) -> Sequence[str]:
    """Write the answer into a folder, and the counterexample if it replays; what was written."""
    from orderproof.proofs.prove import results
    from orderproof.symbolic.witness.fields import WitnessError
    from orderproof.symbolic.witness.model.file import dumps, parse
    from orderproof.symbolic.witness.model.replay import check

    results.writable(out)
    if (out / ANSWER).is_file():  # of an earlier run: its counterexample would seem to be of this
        results.remove(out / COUNTEREXAMPLE)
    results.write_json(out / ANSWER, d.to_json())
    said = ["", f"Written to {out}."]
    if d.witness is None:
        return [*said, f"No counterexample file: {d.no_witness}."] if d.no_witness else said
    try:
        text = dumps(d.witness)
        replayed = check(parse(text.encode(), COUNTEREXAMPLE), d.file)
    except WitnessError as e:
        return [*said, f"No counterexample file: {e}."]
    if not replayed.ok:
        return [*said, f"No counterexample file: {replayed.says(PEOPLE)}."]
    results.write(out / COUNTEREXAMPLE, text)
    return [*said, "To recheck:", f"  orderproof replay {out / COUNTEREXAMPLE} --model {d.file}"]
