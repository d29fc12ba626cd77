"""The theorem about a user's model with its derivation, as a page like those of the catalogue.

The names of a model are anything that a file of ONNX holds: paths, mathematics, markup. None is
ever a path or a command of TeX.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from orderproof.check.claims import sides
from orderproof.check.page import ClaimPage, Mark, TheoremPage
from orderproof.check.prove import checking
from orderproof.publish.pages.derivations import of_push
from orderproof.publish.pages.statements import implication
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.terms import Name, Node, Set, Term, reachable
from orderproof.symbolic.derive.steps import Show, ends
from orderproof.symbolic.models.builders import POINT
from orderproof.symbolic.models.named import Named
from orderproof.symbolic.onnx.report import Report, Result
from orderproof.symbolic.onnx.values import Tensor
from orderproof.symbolic.onnx.words import short_name
from orderproof.symbolic.readings.notation import equation, in_both
from orderproof.symbolic.readings.printer import Label
from orderproof.symbolic.statements.statement import Atom

TOKENS = "ijklmpq"  # letters for indices of the axis in question
OTHERS = "cdefghrstuvwabz"
LARGE = 60  # parts of a formula
MOST = 400  # tensors whose lines are printed
IN_FORMULA = 20  # letters of a name
HOW = (
    "A tensor is called by the end of its name; with a prime it is that of the permuted inputs. "
    "Indices of dimensions of size 1 are left out, and a merged dimension has one for each factor. "
    "Sizes that the file fixes are d4 and d4′ for 4, and so on."
)
_LETTER = re.compile("[ -~À-ÖØ-öø-ÿσ]")  # what both a terminal and TeX have a letter for


def term_of(r: Result) -> Term | None:
    """The term of the output; None where it has none, or is a constant."""
    value = r.reading and r.reading.value(r.output)
    if not isinstance(value, Tensor):
        return None
    term: Term = r.reading.realised.of(value)
    if r.proof is not None and r.proof.same is not None:
        return r.proof.same.rhs.rename(dict(enumerate(term.axes)))  # type: ignore[no-any-return]
    return term


def page_of(report: Report, r: Result, stem: str) -> TheoremPage | None:
    """The page of a result's theorem, for the file of that name: what it says, what is permuted,
    how each tensor moves, and its mark. None where there is none, or no input is in the term of the
    output."""
    term = term_of(r)
    if r.proof is None or r.proof.pushed is None or term is None:
        return None
    pushed, theorem = r.proof.pushed, r.proof.theorem
    tensors = _tensors(r, term)
    called = symbols(name for name, _ in tensors)
    letters = {s: _letters(r, s) for node in reachable(term.node) for s in node.sets}
    show = Show(tuple(_named(called[name], t, letters) for name, t in tensors), {}, letters)
    whole = show.named[-1]
    titles = {called[name]: "" if t.node.op.kind == "leaf" else cut(name) for name, t in tensors}
    sections = [s for s in of_push(pushed, show, titles=titles) if s.title]
    leaves = r.reading.realised.leaves  # of which a hypothesis puts constants back
    inputs = {op: m for op, m in pushed.moves.items() if leaves[op].role == "input"}
    moved = [x for x in show.named if x.term.node.op in pushed.moves]
    axes = zip(whole.term.axes, pushed.motion, strict=True)
    lhs, rhs = sides(whole.term, inputs, {a: m for a, m in axes if m})
    stated, proved = (kernel.equation(*x) for x in ((lhs, rhs), (theorem.lhs, theorem.rhs)))
    holds = kernel.is_theorem(theorem) and stated == proved
    given = [Atom(left, "=", right) for left, right in theorem.hyps]
    mark = Mark("kernel", holds, 0.0, f"law {theorem.law}", settles=holds)
    style = show.style(pushed)
    own = Label(whole.name, tuple(lhs.axes.index(a) for a in whole.axes), primed=True)
    style = replace(style, labels={lhs.node: own, **style.labels})
    claim = ClaimPage(
        implication(given, Atom(lhs, "=", rhs), style), "equation", _sizes(r), "proved",
        checking.verdict([mark], model=True), (mark,),
    )  # fmt: skip
    of = [[whole.name], [x.name for x in moved if x.term.node.op in inputs]]
    prime = in_both(  # what the prime says of the output: which inputs were put in place of which
        lambda to: to.instead(*(to.listed(map(f, x)) for x in of for f in (to.prime, to.symbol)))
    )
    where = [  # x′[i] = x[σ(i)], of which the second side is the first where it has no label
        equation(*(ends(pushed.parts[x.term.node], x, s)[1] for s in (style, show.style())))
        for x in moved
    ]
    file = cut(Path(report.file).name)
    alone = "" if not given else f", under {'hypotheses' if given[1:] else 'a hypothesis'}"
    return TheoremPage(
        id=stem,
        title=f"The output {cut(r.output)} of {file}, axis {r.axis} of {cut(r.input)}{alone}",
        words=tuple(_words(r, len(sections))),
        source=f"{file}, SHA-256 {report.model}; orderproof {version('orderproof')}",
        citations=(),
        given=None,
        where=(prime, *where),
        sections=tuple(sections[:MOST]),
        claims=(claim,),
        neighbour=None,
        verdict=f"the implication is {claim.verdict}" if given else claim.verdict,
    )


# ------------------------------------------------------------------------------------- in words
def _words(r: Result, lines: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What the theorem is about, what the answer is, and how formulas are to be read."""
    given = [cut(h.name) for h in r.proof.hypotheses]
    under = (f", under the hypothesis that σ leaves as {'they are' if given[1:] else 'it is'}: "
             f"{', '.join(given)}") if given else ""  # fmt: skip
    yield (f"The theorem is about every permutation σ of {_places(r)}, {_sizes(r)}, all inputs "
           f"and all weights{under}.", (0,))  # fmt: skip
    group = r.group and f", {r.group.order} of those of {r.group.n} tokens ({r.group.name})"
    yield f"orderproof decide answers: {cut(r.says, 900)}{group or ''}.", ()
    yield HOW, ()
    if lines > MOST:
        yield f"Of {lines} tensors the first {MOST} have lines; the certificate has all.", ()


def _places(r: Result) -> str:
    """What σ permutes: an axis, or which part of it."""
    reading, axis = r.reading, f"axis {r.axis} of {cut(r.input)}"
    atoms = reading.reader.atoms
    parts = atoms.leaves(atoms.resolve(reading.dim)[0])
    own = [k for k, part in enumerate(parts) if atoms.set(part) == reading.over]
    if len(own) != 1:
        return f"a part of {axis}"
    cut_off = {"after the first": parts[: own[0]], "before the last": parts[own[0] + 1 :]}
    between = [
        f"{words} {cut(str(atoms.canonical(sum(part.size for part in each))))}"
        for words, each in cut_off.items()
        if each
    ]
    if between:
        return f"the places of {axis} {' and '.join(between)}"
    return axis if reading.fixed is None else f"the {reading.fixed} places of {axis}"


def _sizes(r: Result) -> str:
    """The sizes that the theorem is about."""
    given, bound = [*r.reading.conditions()], r.reading.bound
    given += [f"{r.reading.size} <= {bound}"] if bound is not None else []
    where = " and ".join(cut(c, 300) for c in given)
    return "all sizes that the file leaves open" + (f" where {where}" if given else "")


# --------------------------------------------------------------------------- names and letters
def cut(text: str, longest: int = 100) -> str:
    """A name in letters that can be read and set, others as Python escapes them, and not longer."""
    shown = "".join(c if _LETTER.fullmatch(c) else ascii(c)[1:-1] for c in text)
    return short_name(shown, longest)


def symbols(names: Iterable[str]) -> dict[str, str]:
    """For each name a symbol for formulas: the shortest end of its path that no other has, with a
    dot for what is no letter or digit; at most IN_FORMULA letters, numbered where two are alike."""
    ends = {name: _ends(name.removesuffix("_output_0")) for name in names}  # as exporters add
    counted = Counter(end for own in ends.values() for end in own)
    found: dict[str, str] = {}
    taken = {"sigma"}  # the permutation
    for name, own in ends.items():
        best = next((end for end in own if counted[end] == 1), own[-1])
        whole = re.sub(r"[^A-Za-z0-9_]+", ".", best).strip("._")
        end = whole[-IN_FORMULA:]
        first = (end.partition(".")[2] if end != whole else "") or end
        text = first = first if first[:1].isalpha() else f"T.{first}".strip(".")  # 4 is a number
        number = 1
        while text in taken:
            number += 1
            text = f"{first}.{number}"
        taken.add(text)
        found[name] = text
    return found


def _ends(path: str) -> list[str]:
    """The ends of a path that may stand for it, the shortest first."""
    parts = [p for p in path.split("/") if p][-8:] or [path]
    return ["/".join(parts[-k:]) for k in range(1, len(parts) + 1)]


def _tensors(r: Result, whole: Term) -> list[tuple[str, Term]]:
    """The leaves of the term, the tensors of the graph, parts before wholes, and the output, each
    with its name. What has no name and more parts than a formula should have is given one: written
    out, a part stands there as often as it is used."""
    named: dict[Node, tuple[str, Term]] = {}
    for tensor, term in r.reading.realised.terms.items():
        if tensor.names and term.node.op.kind != "leaf":
            named.setdefault(term.node, (tensor.names[0], term))
    parts: dict[Node, int] = {}
    leaves: list[tuple[str, Term]] = []
    found: list[tuple[str, Term]] = []
    for node in reachable(whole.node)[:-1]:
        parts[node] = 1 + sum(parts[p.node] for p in node.args)
        part = Term(node, tuple(range(len(node.sets))))
        if node.op.kind == "leaf":
            leaves.append((str(node.op.data[0]), part))
        elif node in named or parts[node] > LARGE:
            found.append(named.get(node, (f"part {len(found) + 1}", part)))
            parts[node] = 1
    return [*leaves, *found, (r.output, whole)]


def _letters(r: Result, s: Set) -> str:
    hint = s.name[:1].lower()
    return TOKENS if s == r.reading.over else (hint if hint in OTHERS else "") + OTHERS


def _named(name: str, t: Term, of: Mapping[Set, str]) -> Named:
    """A tensor, a letter for each axis, its indices in the order of its dimensions."""
    letters: dict[Name, str] = {}
    for a in sorted(t.axes, key=lambda a: a):  # type: ignore[arg-type, return-value]
        free = (c for c in of[t.sets[a]] + TOKENS + OTHERS if c not in letters.values())
        letters[a] = next(free, f"i_{len(letters)}")
    order = tuple(x for a, x in letters.items() if t.sets[a] != POINT)
    return Named(name, t.rename(letters), order=order)
