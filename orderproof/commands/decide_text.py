"""What `decide` prints for people: an answer a paragraph, tokens and entries counted from 1."""

from __future__ import annotations

import math
import re
import shlex
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderproof.symbolic.counting import PEOPLE, cycle_text, cycles, joined
from orderproof.symbolic.onnx import words
from orderproof.symbolic.onnx.graph import VALUES, Graph, Place, place_text
from orderproof.symbolic.onnx.roundings import EPS32
from orderproof.symbolic.witness.model_file import ENCLOSED, EVIDENCE, RENAMED, Recorded, axes_of

from .shared import WIDTH

if TYPE_CHECKING:
    from orderproof.symbolic.onnx.both_sides import Rounding
    from orderproof.symbolic.onnx.report import GroupFound, Report, Result
    from orderproof.symbolic.witness.model_file import ModelWitness

KEEP = "\N{NO-BREAK SPACE}"  # within what stays in one line; it is printed as a space
NO_GRAPH = Graph({}, {}, {}, ())
NAMED = 4  # constants that are named in a list
CONDITIONS = {  # by kind; what is permuted along has a line of its own
    words.GIVEN: "provided that {}",
    words.ROUNDED: "provided that {}: as real numbers its entries may differ",
    words.LOOKED: "provided that {}: no other size of it was looked at",
    words.OUTPUT: "{}",
    words.SCOPE: "{}",
}
COUNTED = "Axes are counted from 0, as in ONNX; tokens and entries from 1."


def show(report: Report, out: Path | None) -> None:
    """All answers, and what may be done next."""
    every = [lines(result, report.graph) for result in report.results]
    show_lines(report, every, [*written(report, out), *next_steps(report)])


def show_lines(report: Report, every: Sequence[Sequence[str]], following: Sequence[str]) -> None:
    """The lines of each answer, below what they are about, and what may be done next."""
    click.echo(f"{Path(report.file).name}  (SHA-256 {report.model[:16]}…)\n{COUNTED}")
    for part in [*every, following]:
        if part:
            click.echo("\n".join(["", *part]))


def lines(r: Result, graph: Graph = NO_GRAPH) -> list[str]:
    """One answer: the question and the answer in one line, then what it rests on."""
    return answer(heading(r), _parts(r, graph))


def answer(head: str, parts: Iterable[str]) -> list[str]:
    """The lines of an answer, those of what it rests on further in."""
    below = (line for part in parts for line in wrapped(part, "    ", "      "))
    return [*wrapped(head, "", "  "), *below]


# ------------------------------------------------------------------------------ the first line
def heading(r: Result) -> str:
    """The question and the answer."""
    axes = axes_of(r.output_axis)
    along = f", {_numbered(axes)}" if axes else ""
    return f"{r.input}, axis {r.axis} → {r.output}{along}: {_answer(r)}{_scope(r)}"


def _answer(r: Result) -> str:
    kind = "INVARIANT" if r.output_axis is None else "EQUIVARIANT"
    if r.answer == "subgroup":
        return f"{kind} UNDER SOME PERMUTATIONS{_if(r)}"
    if r.answer == "not equivariant":
        return f"NOT {kind}"
    return r.answer.upper() + (_if(r) if r.decided else "")


def _if(r: Result) -> str:
    """What has to be permuted along and was not named."""
    names = list(dict.fromkeys(name for name, _ in unnamed(r)))
    return f" IF {joined(names)} MOVE{'S' if len(names) == 1 else ''} ALONG" if names else ""


def unnamed(r: Result) -> list[Place]:
    """The axes of inputs that have to be permuted along and were not named."""
    return [c.about for c in r.conditions if c.kind == words.ALONG]


def _scope(r: Result) -> str:
    if not r.scope or not r.decided:
        return ""
    word = "shown at" if r.answer == "not equivariant" else "for"
    scope = words.of_size(r.scope, r.size).replace("= ", f"={KEEP}").replace(" =", f"{KEEP}=")
    return f", {word} {scope}"


# ---------------------------------------------------------------------------- what it rests on
def _parts(r: Result, graph: Graph) -> list[str]:
    found = [*_along(r)]
    shown = (c for c in r.conditions if c.kind in CONDITIONS and c != r.scope)
    found += [CONDITIONS[c.kind].format(c) for c in shown]
    if r.group is not None:
        found += _group(r, r.group)
    if r.answer in ("not equivariant", "subgroup", "unknown"):
        begin = "the proof stops at" if r.answer == "unknown" else "order enters at"
        where = (words.where_order_enters(s.tensor, s.node, graph) for s in r.stuck[:1])
        found += [f"{begin} {place}" for place in where]
    found += _proved(r)
    if r.witness is not None:
        found += _witness(r, r.witness)
    if r.checked and r.answer != "not equivariant":
        found.append(f"checked: what was read from the file agrees in {r.checked}")
    found += [e.detail for e in r.written if e.kind == "derivation" and e.file is None]
    if r.rounding is not None:
        found.append(_rounded(r.rounding, r.size, "f(X)" if r.output_axis is None else "P f(X)"))
    if r.reason and r.answer != "subgroup":
        found.append(r.reason if r.decided else f"because {r.reason}")
    return found


def _along(r: Result) -> Iterator[str]:
    more = unnamed(r)
    named = [p for p in r.along if p not in more]
    for begin, places, end in (
        ("", named, ", as --with says"),
        ("provided that ", more, f"; {_with(more)} makes this part of the question"),
    ):
        if places:
            verb = "is" if len(places) == 1 else "are"
            yield f"{begin}{_axes_of(places)} {verb} permuted in the same way{end}"


def _with(places: Sequence[Place]) -> str:
    """The options that name these."""
    return " ".join(f"--with {shlex.quote(place_text(p))}" for p in places)


def _numbered(axes: Sequence[int]) -> str:
    return f"ax{'i' if len(axes) == 1 else 'e'}s {joined([*map(str, axes)])}"


def _axes_of(every: Sequence[Place]) -> str:
    """Axes of inputs, as "axes 0 and 1 of mask"."""
    axes: dict[str, list[int]] = {}
    for name, k in every:
        axes.setdefault(name, []).append(k)
    return joined([
        f"the token numbers in {name}" if ks == [VALUES]
        else f"{_numbered(ks)} of {name}"
        for name, ks in axes.items()
    ])  # fmt: skip


def _group(r: Result, g: GroupFound) -> Iterator[str]:
    named = "" if g.name.startswith("a group of") else f": {g.name}"
    every_one = g.exact or g.exact_as_measured
    yield (
        f"{'exactly' if every_one else 'at least'} {g.order} of the {math.factorial(g.n)} "
        f"permutations of {g.n} tokens{named}; generated by "
        f"{', '.join(cycle_text(s).replace(' ', KEEP) for s in g.generators)}"
    )
    if every_one:
        k, how = len(r.witnesses), ", as measured" if g.exact_as_measured else ""
        of = "1 counterexample" if k == 1 else f"{k} counterexamples, one for each double coset"
        yield f"no other one{how}: refuted by {of}"
    else:
        yield "it is not known whether there are others" + (f": {r.reason}" if r.reason else "")


def _proved(r: Result) -> Iterator[str]:
    begin = "proved for all values of inputs and weights"
    if not r.proved or not r.proof.hypotheses:
        yield from [begin] if r.proved else []
        return
    each = list(dict.fromkeys(words.short(h.name) for h in r.proof.hypotheses))
    listed = joined(each[:NAMED]) + (f", … ({len(each)} in all)" if len(each) > NAMED else "")
    if r.answer == "subgroup":
        yield f"{begin}, for permutations that do not change {listed}"
    else:
        yield (f"{begin}, given that no permutation changes {listed}: every entry was compared, "
               f"for {words.of_size(r.scope, r.size)}")  # fmt: skip


def _witness(r: Result, w: ModelWitness) -> Iterator[str]:
    moved = cycles(w.sigma)
    if len(moved) == 1 and len(moved[0]) == 2:
        what = "swap places " + " and ".join(str(PEOPLE(k)) for k in moved[0])
    else:
        what = f"permute places by σ = {cycle_text(w.sigma, short=True)}"
    also = _axes_of([(name, VALUES if k == RENAMED else int(k)) for name, k in w.moving])
    values = apart(*w.at_entry())
    kind = "invariant" if w.output_axis is None else "equivariant"
    more = len(r.witnesses) - 1
    yield (
        f"counterexample, {r.size} = {len(w.sigma)}: {what} along axis {w.axis} of {w.input}"
        f"{f', and {also}' if also else ''}; then {entry(w)} is {values[0]}, where "
        f"an {kind} model has {values[1]}" + (f"; and {more} more" if more > 0 else "")
    )
    yield from evidence(w)


def entry(w: Recorded) -> str:
    """Where the two values are that a counterexample compares: y[2, 1, 1]."""
    return f"{w.output}[{', '.join(str(PEOPLE(k)) for k in w.difference.entry)}]"


def evidence(w: Recorded) -> Iterator[str]:
    """What a counterexample rests on."""
    if w.tie:
        yield (
            "at a tie: the model sorts or compares values that are equal there; no counterexample "
            "without a tie was found"
        )
    if w.evidence == ENCLOSED:
        yield (
            "enclosed: the two values as real numbers are apart; the term, in balls, agrees with "
            "onnxruntime on both"
        )
    else:
        times = f"{w.difference.d32 / (EPS32 * w.difference.scale):.0e}"
        times = times.replace("e+0", "e").replace("e+", "e")
        yield (
            f"measured: apart by {times} roundings of float32, and as far in float64; not "
            "enclosed, for the formula that was read is not complete or is large"
        )


def apart(a: float, b: float) -> tuple[str, str]:
    """Two numbers, of as many digits as tell them apart."""
    for digits in range(4, 18):
        texts = f"{a:.{digits}g}", f"{b:.{digits}g}"
        if texts[0] != texts[1]:
            return texts
    return f"{a!r}…", f"{b!r}…, apart in later digits"


def _rounded(m: Rounding, size: str, side: str) -> str:
    """How far f(PX) was from the other side of a theorem in a run of the file, and what that is."""
    run = f"in {m.dtype}, at {size}{KEEP}={KEEP}{m.n},"
    theorem = "the theorem is about real numbers"
    share, entry = (f"{x:.1g}".replace("e-0", "e-") for x in (m.difference, m.entry))
    differed = f"{run} f(PX) and {side} differed by {share} of the largest entry"
    if m.difference == 0:
        return f"{run} f(PX) and {side} were equal in this run"
    if math.isnan(m.difference):
        return (
            f"{run} one side is not finite where the other is, or neither is and they differ: "
            f"{theorem}, and stands; look for what {m.dtype} cannot hold, as a number that is too "
            "large"
        )
    if m.small:
        return f"{differed}: {theorem}, so this is rounding"
    if not m.gross:
        return (
            f"{differed}, and an entry by {entry} of its size or more: {theorem}; a difference of "
            "this size can be rounding that the model magnifies"
        )
    return (
        f"{differed}, more than rounding makes by itself: {theorem}, and stands. Look for what "
        "magnifies an error: large numbers that cancel, or a choice (a sort, a comparison, a step) "
        "between values that are nearly equal. That goes away in wider floats; what stays is a "
        "fault, of orderproof or of onnxruntime: please report it"
    )


# ------------------------------------------------------------------------------ what to do next
def written(report: Report, out: Path | None) -> Iterator[str]:
    """Where files went, or what writes them."""
    witnesses = [e for r in report.results for e in r.evidence if e.kind in EVIDENCE]
    proved = any(e.kind == "kernel" for r in report.results for e in r.evidence)
    if out is not None:
        yield f"Written to {out}: report.json says which file is about what."
        yield from (f"A counterexample is {e.detail}" for e in witnesses if e.file is None)
        files = [out / e.file for e in witnesses if e.file]
        if files:
            yield "A counterexample is rechecked, from the model's file alone, by"
            file, model = shlex.quote(str(files[0])), shlex.quote(report.file)
            yield f"  orderproof replay {file} --model {model}"
    elif witnesses:
        proofs = ", and the proofs" if proved else ""
        yield f"--out DIR writes the counterexamples, for `orderproof replay`{proofs}."
    elif proved:
        yield "--out DIR writes the proofs."


def _still(r: Result, graph: Graph) -> Iterator[str]:
    """The options by which an input that stays as it is, where order enters, is permuted along; and
    one whose axis has a name that an exporter made up, which may be as long for all that."""
    named, own = {r.input, *dict(r.along)}, graph.dim((r.input, r.axis))
    for name, dims in ((x, t.dims) for x, t in graph.inputs.items() if x not in named):
        axes = [k for k, d in enumerate(dims) if d == own and r.stuck and r.stuck[0].tensor == name]
        symbols = [re.fullmatch(r"s\d+", str(d)) for d in (own, *dims[r.axis : r.axis + 1])]
        if not axes and len(symbols) == 2 and all(symbols):
            axes = [r.axis]
        if axes:
            yield _with([(name, k) for k in axes])


def next_steps(report: Report) -> Iterator[str]:
    """What may be asked besides."""
    every = report.results
    numbered = [r for r in every if any(s.tensor.startswith("places of ") for s in r.stuck)]
    named = {x for r in numbered for x in (r.input, *dict(r.along))}
    whole = [t.name for t in report.graph.inputs.values() if t.dtype.kind in "iu"]
    found = [
        f"{_with([(x, VALUES)])}: its numbers, if they are of tokens, are renamed along."
        for x in whole
        if numbered and x not in named
    ]
    open_ = [r for r in every if r.answer in ("unknown", "not equivariant", "subgroup")]
    still = dict.fromkeys(x for r in open_ for x in _still(r, report.graph))
    found += [f"{x}: the same with that input permuted along." for x in still]
    advice = dict.fromkeys(words.advice(r.reason) for r in every if not r.decided)
    found += [f"To try: {each}" for each in advice if each]
    if any(r.answer == "subgroup" for r in every):
        found.append("--n N lists the permutations of N tokens, 2 to 6.")
    for each in found:
        yield from wrapped(each, "", "  ")


def wrapped(text: str, first: str, others: str) -> list[str]:
    """A text in lines as wide as the terminal, the first and the others indented."""
    found = textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=others, break_on_hyphens=False
    )
    return [line.replace(KEEP, " ") for line in found]
