"""What `decide` prints for people: an answer a paragraph, tokens and entries counted from 1."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderproof.input_file import escaped
from orderproof.numeric.permuted.words import ROWS, sees
from orderproof.publish import to_text
from orderproof.publish.model import Table
from orderproof.publish.to_text import KEEP, wrapped
from orderproof.symbolic.counting import PEOPLE, cycle_text, cycles, joined
from orderproof.symbolic.onnx import words
from orderproof.symbolic.onnx.dependence import DEPENDS, UNKNOWN, UNSEEN, DependenceResult
from orderproof.symbolic.onnx.graph import VALUES, Graph, Place, place_text
from orderproof.symbolic.onnx.report import Result
from orderproof.symbolic.onnx.roundings import EPS32
from orderproof.symbolic.witness.model_file import ENCLOSED, EVIDENCE, Recorded, axes_of

if TYPE_CHECKING:
    from orderproof.symbolic.onnx.both_sides import Rounding
    from orderproof.symbolic.onnx.dependence import Grid
    from orderproof.symbolic.onnx.relations import Layout
    from orderproof.symbolic.onnx.report import GroupFound, Report
    from orderproof.symbolic.witness.model_file import DependenceWitness, ModelWitness

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
    """All answers, and where files went, or what may be done next."""
    click.echo(f"{escaped(Path(report.file).name)}  (SHA-256 {report.model[:16]}…)\n{COUNTED}")
    every = [lines(r, report.graph) for r in report.results]
    for part in (*every, [*_written(report, out), *_next_steps(report)]):
        if part:
            click.echo("\n".join(["", *map(escaped, part)]))


def lines(r: Result | DependenceResult, graph: Graph | None = None) -> list[str]:
    """One answer: the question and the answer in one line, then, further in, what it rests on."""
    grid: Iterator[str] = iter(())
    if isinstance(r, Result):
        answer, parts = _heading(r), _parts(r, graph or NO_GRAPH)
    else:
        size = words.size_name(graph, (r.input, r.axis))
        answer, parts = _dependence(r), _tried(r, size)
        grid = _grid(r, r.grid, size) if r.grid else grid
    along = "".join(f", axis {k}" for k in axes_of(r.output_axis))
    head = f"{r.input}, axis {r.axis} → {r.output}{along}{answer}"
    below = (line for part in parts for line in wrapped(part, indent="    ", hang="  "))
    return [*wrapped(head, hang="  "), *below, *grid]


# ------------------------------------------------------------------------ whether order matters
def _heading(r: Result) -> str:
    """The answer, what has to be permuted along and was not named, and the scope."""
    said = f": {r.named.upper()}"
    names = list(dict.fromkeys(name for name, _ in _unnamed(r)))
    if names and r.decided and r.answer != "not equivariant":
        said += f" IF {joined(names)} MOVE{'S' if len(names) == 1 else ''} ALONG"
    if r.scope and r.decided:
        shown = "shown at" if r.answer == "not equivariant" else "for"
        scope = re.sub("(?<==) | (?==)", KEEP, words.of_size(r.scope, r.size))
        said += f", {shown} {scope}"
    return said


def _unnamed(r: Result) -> list[Place]:
    """The axes of inputs that have to be permuted along and were not named."""
    return [c.about for c in r.conditions if c.kind == words.ALONG]


def _parts(r: Result, graph: Graph) -> Iterator[str]:
    """What an answer rests on."""
    more = _unnamed(r)
    if named := [p for p in r.along if p not in more]:
        yield f"{_move(named)} along, as --with says"
    if more:
        yield f"provided that {_move(more)} along; {_with(more)} makes this part of the question"
    shown = (c for c in r.conditions if c.kind in CONDITIONS and c != r.scope)
    yield from (CONDITIONS[c.kind].format(c) for c in shown)
    if r.group is not None:
        yield from _group(r, r.group)
    if r.stuck and r.answer in ("not equivariant", "subgroup", "unknown"):
        begin = "the proof stops" if r.answer == "unknown" else "order enters"
        yield f"{begin} at {words.where_order_enters(r.stuck[0].tensor, r.stuck[0].node, graph)}"
    if r.proved:
        yield _proved(r)
    if r.witness is not None:
        yield from _refuted(r, r.witness)
    if r.checked and r.answer != "not equivariant":
        yield f"checked: what was read from the file agrees in {r.checked}"
    yield from (e.detail for e in r.written if e.kind == "derivation" and e.file is None)
    if r.rounding is not None:
        yield _rounded(r.rounding, r.size, "f(X)" if r.output_axis is None else "P f(X)")
    if r.reason and r.answer != "subgroup":
        yield r.reason if r.decided else f"because {r.reason}"


def _move(places: Sequence[Place]) -> str:
    """That these move, as "mask:0 and mask:1 move"."""
    return f"{joined([*map(place_text, places)])} move{'s' if len(places) == 1 else ''}"


def _with(places: Sequence[Place]) -> str:
    """The options that name these."""
    return " ".join(f"--with {shlex.quote(place_text(p))}" for p in places)


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


def _proved(r: Result) -> str:
    begin = "proved for all values of inputs and weights"
    each = list(dict.fromkeys(words.short(h.name) for h in r.proof.hypotheses))
    listed = joined(each[:NAMED]) + (f", … ({len(each)} in all)" if len(each) > NAMED else "")
    if not each:
        return begin
    if r.answer == "subgroup":
        return f"{begin}, for permutations that do not change {listed}"
    return (f"{begin}, given that no permutation changes {listed}: every entry was compared, "
            f"for {words.of_size(r.scope, r.size)}")  # fmt: skip


def _refuted(r: Result, w: ModelWitness) -> Iterator[str]:
    moved, more = cycles(w.sigma), len(r.witnesses) - 1
    what = f"permute places by σ = {cycle_text(w.sigma, short=True)}"
    if len(moved) == 1 and len(moved[0]) == 2:
        what = f"swap places {_numbers(moved[0])}"
    what += f" along {joined([f'{name}:{k}' for name, k in ((w.input, w.axis), *w.moving)])}"
    kind = "invariant" if w.output_axis is None else "equivariant"
    had = f", where an {kind} model has {{}}" + (f"; and {more} more" if more else "")
    yield from _shown(w, f"{r.size} = {len(w.sigma)}", what, had)


def _rounded(m: Rounding, size: str, side: str) -> str:
    """How far f(PX) was from the other side of a theorem in a run of the file, and what that is."""
    run = f"in {m.dtype}, at {size}{KEEP}={KEEP}{m.n},"
    theorem = "the theorem is about real numbers"
    if m.difference == 0:
        return f"{run} f(PX) and {side} were equal in this run"
    if math.isnan(m.difference):
        return (
            f"{run} one side is not finite where the other is, or neither is and they differ: "
            f"{theorem}, and stands; look for what {m.dtype} cannot hold, as a number that is too "
            "large"
        )
    share, entry = (f"{x:.1g}".replace("e-0", "e-") for x in (m.difference, m.entry))
    differed = f"{run} f(PX) and {side} differed by {share} of the largest entry"
    if m.small:
        return f"{differed}: {theorem}, so this is rounding"
    return (
        f"{differed}, and an entry by {entry} of its size or more, more than rounding makes by "
        f"itself: {theorem}, and stands. Look for what magnifies an error: large numbers that "
        "cancel, or a choice (a sort, a comparison, a step) between values that are nearly equal. "
        "That goes away in wider floats; what stays is a fault, of orderproof or of onnxruntime: "
        "please report it"
    )


# ------------------------------------------------------------------------------- who sees whom
WORDS = {DEPENDS: "DEPENDS ON", UNSEEN: "NO DEPENDENCE SEEN", UNKNOWN: "UNKNOWN:"}
SHORT = 8  # numbers of a mask that are printed in a line
OTHERS = {
    "causal": "later tokens", "isolated": "the other requests",
    "padding": "the tokens that the mask hides", "documents": "the other documents",
}  # fmt: skip
NOTHING = {
    "contents": "nothing changed with other contents in",
    "number": "nothing changed beyond rounding without",
}
MARKS = (
    "x sees, ! sees and should not, . did not change; ~ changed by no more than rounding, ? to no "
    "finite number"
)


def _dependence(r: DependenceResult) -> str:
    """What was asked, and the answer."""
    about = [name.upper() for name, part in r.parts.items() if part.answer == r.answer]
    on = "" if r.answer == UNSEEN else f" {' AND '.join(about)}"
    return f", {r.ask}: {WORDS[r.answer]}{on}"


def _tried(r: DependenceResult, size: str) -> Iterator[str]:
    """What was found about the contents of other rows and about their number, or tried in vain."""
    row, others = ROWS[r.ask], OTHERS[r.ask]
    if r.along:
        yield f"rows of {joined([*map(place_text, r.along)])} changed along, as asked"
    for name, part in r.parts.items():
        tried = f"with {joined([*map(str, part.sizes)])} {row}s"
        if part.witness is not None:
            yield from _seen(r, part.witness, part.layout, size)
        elif part.answer == UNKNOWN:
            yield f"{name}: unknown{f' {tried}' if part.sizes else ''}, because {part.reason}"
        else:
            yield f"{name}: {NOTHING[name]} {others}, {tried}"
            if part.reason:
                yield f"{name}: {part.reason}"
    if r.number is None:
        yield f"the number of {row}s is fixed by the file"
    if UNSEEN in [part.answer for part in r.parts.values()]:
        yield "what was not seen is not proved: other inputs may show it"


def _seen(
    r: DependenceResult, w: DependenceWitness, layout: Layout | None, size: str
) -> Iterator[str]:
    yield sees(
        r.ask, w.row, w.rows_changed, not w.contents, w.difference.d64, w.difference.rounding
    )
    many, at = len(w.rows_changed) > 1, f"{size} = {w.n}"
    if layout is not None and 0 < len(layout.values) <= SHORT:
        at += f", {_values(r)} {' '.join(f'{v:g}' for v in layout.values)}"
        at += " in the last request alone" if layout.last_only else ""
    changed = f"{ROWS[r.ask]}{'s' * many} {_numbers(w.rows_changed)}"
    changed += f" of {joined([p[0] for p in w.places])}"
    how = f"get{'s' * (not many)} other contents"
    if not w.contents:
        how = f"{'are' if many else 'is'} left out"
    yield from _shown(w, at, f"{changed} {how}", " and was {}")


def _values(r: DependenceResult) -> str:
    return "mask" if r.ask == "padding" else "ids"


def _grid(r: DependenceResult, grid: Grid, size: str) -> Iterator[str]:
    """Who sees whom: a line for each row of the output, a column for each of the inputs."""
    n = grid.layout.n
    title = f"who sees whom at {size} = {n}, rows of {r.output} below each other ({MARKS}):"
    yield from wrapped(title, indent="    ", hang="  ")
    counted = [str(PEOPLE(j)) for j in range(n)]
    labels = [r.output[:8]] if grid.whole else counted
    rows = [[label, *(_mark(grid, i, j) for j in range(n))] for i, label in enumerate(labels)]
    if grid.layout.values:
        rows.insert(0, [_values(r), *(f"{v:g}" for v in grid.layout.values)])
    head, *cells = (tuple((x,) for x in row) for row in (["", *counted], *rows))
    yield from to_text.text([Table(head, tuple(cells))], width=1000).splitlines()


def _mark(grid: Grid, i: int, j: int) -> str:
    if grid.sees[i, j]:
        return "!" if grid.hides(i, j) else "x"
    change = grid.changed[i, j]
    return "?" if math.isnan(change) else "~" if change else "."


# ------------------------------------------------------------------------------ counterexamples
def _numbers(indices: Sequence[int]) -> str:
    """Places, as people count them, in words."""
    return joined([str(PEOPLE(k)) for k in indices])


def _shown(w: Recorded, at: str, what: str, had: str) -> Iterator[str]:
    """A counterexample, with both values where they are furthest apart, and what it rests on."""
    entry = f",{KEEP}".join(str(PEOPLE(k)) for k in w.difference.entry)
    now, was = apart(*w.at_entry())
    yield f"counterexample, {at}: {what}; then {w.output}[{entry}] is {now}{had.format(was)}"
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
        times = re.sub(r"e\+0?", "e", f"{w.difference.d32 / (EPS32 * w.difference.scale):.0e}")
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


# ------------------------------------------------------------------------------ what to do next
def _written(report: Report, out: Path | None) -> Iterator[str]:
    """Where files went, or what writes them."""
    pieces = [e for r in report.results for e in r.evidence]
    witnesses = [e for e in pieces if e.kind in EVIDENCE]
    if out is not None:
        yield f"Written to {out}: report.json says which file is about what."
        yield from (f"A counterexample is {e.detail}" for e in witnesses if e.file is None)
        if files := [out / e.file for e in witnesses if e.file]:
            yield "A counterexample is rechecked, from the model's file alone, by"
            file, model = shlex.quote(str(files[0])), shlex.quote(report.file)
            yield f"  orderproof replay {file} --model {model}"
        return
    what = ["the counterexamples, for `orderproof replay`"] * bool(witnesses)
    what += ["the proofs"] * any(e.kind == "kernel" for e in pieces)
    if what:
        yield f"--out DIR writes {', and '.join(what)}."


def _next_steps(report: Report) -> Iterator[str]:
    """What may be asked besides, of the order."""
    every = [r for r in report.results if isinstance(r, Result)]
    numbered = [r for r in every if any(s.tensor.startswith("places of ") for s in r.stuck)]
    named = {x for r in numbered for x in (r.input, *dict(r.along))}
    inputs = report.graph.inputs.values() if numbered else ()
    found = [
        f"{_with([(t.name, VALUES)])}: its numbers, if they are of tokens, are renamed along."
        for t in inputs
        if t.dtype.kind in "iu" and t.name not in named
    ]
    open_ = [r for r in every if r.answer in ("unknown", "not equivariant", "subgroup")]
    still = dict.fromkeys(x for r in open_ for x in _still(r, report.graph))
    found += [f"{x}: the same with that input permuted along." for x in still]
    advice = dict.fromkeys(words.advice(r.reason) for r in every if not r.decided)
    found += [f"To try: {each}" for each in advice if each]
    if any(r.answer == "subgroup" for r in every):
        found.append("--n N lists the permutations of N tokens, 2 to 6.")
    for each in found:
        yield from wrapped(each, hang="  ")


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
