"""What a notebook shows: terms, statements, theorems, groups and counterexamples as mathematics.

The calculus and the kernel know no notation. Loaded, this file gives their types, and those of
answers, the methods that notebooks ask for: `_repr_latex_`, and `_repr_html_` where there is more
to say than one formula. Formulas stand between dollars, for the notebook to typeset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from html import escape
from typing import Any

from markupsafe import Markup

from orderproof.check.page import UNCHECKED, Formula, Section, TheoremPage
from orderproof.check.prove.standing import cited
from orderproof.check.schemes.answers import PositionAnswer
from orderproof.numeric.groups.symmetry import Answer
from orderproof.publish.model import (
    Block,
    Code,
    Display,
    Emphasis,
    Folded,
    Paragraph,
    Source,
    Table,
)
from orderproof.publish.pages.statements import atom, conditions, hypotheses, rows_and_columns
from orderproof.publish.to_html import Writer
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Map, Term, reachable
from orderproof.symbolic.counting import PEOPLE, for_people
from orderproof.symbolic.derive.push import Pushed, Stuck
from orderproof.symbolic.derive.steps import write
from orderproof.symbolic.models.builders import symbols
from orderproof.symbolic.readings.printer import Style
from orderproof.symbolic.schemes.table_search import SearchResult
from orderproof.symbolic.statements.statement import Statement, of_theorem
from orderproof.symbolic.witness.scheme_file import UNITS, PositionWitness

from .api import MATRICES, Derivation


def style(*terms: Term) -> Style:
    """Permutations by their matrices: P for sigma; by themselves where a tensor has that name."""
    maps: Sequence[Map] = symbols(*terms)[1]
    tensors = {n.op.data[0] for t in terms for n in reachable(t.node) if n.op.kind == "leaf"}
    named = {m: MATRICES.get(m.data[0], f"P_{m.data[0]}") for m in maps if m.data[3]}
    return Style(matrices={m: letter for m, letter in named.items() if letter not in tensors})


def term(t: Term) -> str:
    """A term in matrices where they can say it, else by its entries."""
    return write(t, style(t), *rows_and_columns(t)).latex


def statement(s: Statement) -> str:
    """Hypotheses, what there is, and the atom, with what is asked of sizes."""
    how = style(*s.terms)
    given = [f.latex for f in hypotheses(s.given, how)]
    signs = {"≥": r"\geq", "∈": r"\in"}
    for size, (sign, values) in conditions(s.sizes).items():
        listed = ", ".join(map(str, values))
        right = listed if sign == "≥" else rf"\{{{listed}\}}"
        given.append(f"{size.name} {signs[sign]} {right}")
    such = [f.latex for f in (*hypotheses(s.such, how), atom(s.atom, how))]
    names = ", ".join(sorted(str(x.data[0]) for x in s.exists))
    there = rf"\exists\,{names}\colon\; " if names else ""
    before = r",\; ".join(given) + r" \;\Rightarrow\; " if given else ""
    return before + there + r",\; ".join(such)


def theorem(th: Theorem) -> str:
    """What a theorem of the kernel states."""
    return r"\vdash\; " + statement(of_theorem(th))


def chain(section: Section) -> str:
    """A derivation as aligned lines, each with its reason."""
    first, *rest = section.lines
    lines = [
        rf"&= {line.formula.latex} && {''.join(map(_reason, line.reason))}" for line in rest
    ] or ["&"]
    lines[0] = f"{first.formula.latex} {lines[0]}"
    return r"\begin{aligned}" + r"\\ ".join(lines) + r"\end{aligned}"


def _reason(part: str | Formula) -> str:
    return part.latex if isinstance(part, Formula) else _text(part)


def _text(words: str) -> str:
    """Words within a formula."""
    return r"\text{" + words.replace("_", r"\_") + "}"


class _Cell(Writer):
    """Writes a document into a notebook, which has no style of ours: chains as aligned lines."""

    def chain(self, s: Section) -> Markup:
        title = self.block(Paragraph((s.title,))) if s.title else Markup()
        return title + Markup(_display(chain(s)))


def _html(blocks: Iterable[Block]) -> str:
    writer = _Cell(lambda x: Markup(_display(x)), lambda x: Markup(f"${escape(x, quote=False)}$"))
    return str(writer.blocks(blocks))


def derivation(d: Derivation) -> str:
    """The theorem, and its derivation to unfold."""
    law = f"Proved by the kernel for all sizes, inputs and weights (law: {d.theorem.law})."
    return _html([
        Display((("", d.statement),)), Paragraph((law,)), Folded("Derivation", d.sections)
    ])  # fmt: skip


def page(p: TheoremPage) -> str:
    """A theorem of the book: its sentences, statement, derivation, and marks by claim."""
    return _html(document(p))


def document(p: TheoremPage) -> Iterator[Block]:
    """A theorem in a cell: what it states, the marks of each claim, its derivation to unfold."""
    verdict = "no mark checked" if p.verdict == UNCHECKED else p.verdict
    yield Paragraph((Emphasis(p.title), f" ({p.id}: {verdict})"))
    yield Paragraph((p.said,))
    stated = (*([p.given] if p.given else []), *p.where)
    if stated:
        yield Display(tuple(("", f) for f in stated))
    yield Table(((), ("claim",), ("verdict",), ("marks",)), tuple(
        ((str(k),), (Code(c.headline) if c.headline else c.statement,), (c.verdict,),
         (", ".join(f"{m.mark} {_sign(m.ok)}".strip() for m in c.marks),))
        for k, c in enumerate(p.claims, 1)
    ))  # fmt: skip
    yield from (Source(c.statement.plain) for c in p.claims if c.headline)
    if p.sections:
        yield Folded("Derivation", p.sections)


def _sign(ok: bool | None) -> str:
    return {True: "✓", False: "✗", None: ""}[ok]


def matrix(rows: Sequence[Sequence[object]]) -> str:
    """Numbers as a matrix; fractions as fractions."""
    lines = (" & ".join(map(_number, row)) for row in rows)
    return r"\begin{bmatrix}" + r"\\ ".join(lines) + r"\end{bmatrix}"


def _number(x: object) -> str:
    if isinstance(x, Fraction) and x.denominator > 1:
        sign = "-" if x < 0 else ""
        return rf"{sign}\tfrac{{{abs(x.numerator)}}}{{{x.denominator}}}"
    return str(x)


def witness(w: PositionWitness) -> str:
    """A counterexample: σ, the tokens, what is added to them, and the two sides that differ."""
    parts = [rf"\sigma = {PEOPLE.images(w.sigma)}"]
    tensors = w.tensors if w.depth == 1 else {"X": w.x}
    parts += [f"{name} = {matrix(rows)}" for name, rows in tensors.items()]
    if w.kind == "exact" and w.reads == "layer":
        left, right = ([[a for a, _ in row] for row in side] for side in (w.lhs, w.rhs))
        parts.append(rf"f(PX) = {matrix(left)} \neq {matrix(right)} = P f(X)")
    units = _paragraph(f"Units: {UNITS[w.kind]}.") if w.kind == "exact" else ""
    return _display(r",\quad ".join(parts)) + units + _paragraph(w.says(PEOPLE))


def search(result: SearchResult | PositionAnswer) -> str:
    """The counterexample, or in words why there is none."""
    if result.witness is not None:
        return witness(result.witness)
    said = for_people(result.reason, result.sigma)
    return _paragraph(f"{result.answer}: {result.scheme}, n = {result.n}, d = {result.d}: {said}")


def group(a: Answer) -> str:
    """The order of the group, its generators, and what the last token cannot see."""
    rows = [("layer", a.layer), *((f"context, depth {k}", g) for k, g in sorted(a.context.items()))]
    cells = "".join(
        f"<tr><td>{name}</td><td>{g.order}</td>"
        f"<td>{escape(', '.join(str(PEOPLE.images(s)) for s in g.generators) or 'none')}</td></tr>"
        for name, g in rows
    )
    head = "<tr><th>group</th><th>order</th><th>generators, as σ(1), σ(2), …</th></tr>"
    by = _paragraph(f"No others: {'; '.join(map(cited, a.theorems))}.")
    return f"<p>n = {a.layer.n}</p><table>{head}{cells}</table>{by}"


def _display(latex: str) -> str:
    return f"<div>$$\\displaystyle {escape(latex, quote=False)}$$</div>"


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _latex(said: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda x: f"$\\displaystyle {said(x)}$"


AS_LATEX: dict[type, Callable[[Any], str]] = {
    Term: term,
    Statement: statement,
    Theorem: theorem,
    Pushed: lambda p: theorem(p.theorem),
    Derivation: lambda d: d.statement.latex,
}
AS_HTML: dict[type, Callable[[Any], str]] = {
    Derivation: derivation,
    TheoremPage: page,
    PositionWitness: witness,
    SearchResult: search,
    PositionAnswer: search,
    Answer: group,
    Stuck: lambda s: _paragraph(str(s)),
}
for _type, _said in AS_LATEX.items():
    setattr(_type, "_repr_latex_", _latex(_said))  # noqa: B010 (the type does not know of it)
for _type, _said in AS_HTML.items():
    setattr(_type, "_repr_html_", lambda x, said=_said: said(x))  # noqa: B010
