"""What a notebook shows: terms, statements, theorems, groups and counterexamples as mathematics.

The calculus and the kernel know no notation. Loaded, this file gives their types, and those of
answers, the methods that notebooks ask for: `_repr_latex_`, and `_repr_html_` where there is more
to say than one formula. Formulas stand between dollars, for the notebook to typeset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from markupsafe import Markup

from orderproof.check.claims import Claim
from orderproof.check.page import Formula, Section, TheoremPage
from orderproof.check.prove.standing import cited
from orderproof.check.schemes.answers import PositionAnswer
from orderproof.numeric.groups.symmetry import Answer
from orderproof.proofs import catalogue
from orderproof.publish import evidence
from orderproof.publish import theorem as book
from orderproof.publish.bibliography import references, short
from orderproof.publish.formulas import alone, array
from orderproof.publish.model import Block, Display, Folded, Paragraph, Proof, Table, Theorem
from orderproof.publish.pages.statements import given, rows_and_columns, stated
from orderproof.publish.to_html import Writer
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.terms import Term, reachable
from orderproof.symbolic.counting import PEOPLE, for_people
from orderproof.symbolic.derive.push import Stuck
from orderproof.symbolic.derive.steps import Show, write
from orderproof.symbolic.models.builders import symbols
from orderproof.symbolic.schemes.table_search import SearchResult
from orderproof.symbolic.statements.statement import Statement, of_theorem
from orderproof.symbolic.witness.scheme_file import UNITS, PositionWitness

from .api import MATRICES, Derivation


# --------------------------------------------------------------------------------------- as LaTeX
def show(*terms: Term) -> Show:
    """Permutations by their matrices: P for sigma; by themselves where a tensor has that name."""
    tensors = {n.op.data[0] for t in terms for n in reachable(t.node) if n.op.kind == "leaf"}
    maps = (m for m in symbols(*terms)[1] if m.data[3])
    named = {m: MATRICES.get(m.data[0], f"P_{m.data[0]}") for m in maps}
    return Show((), {m: letter for m, letter in named.items() if letter not in tensors}, {})


def term(t: Term) -> str:
    """A term in matrices where they can say it, else by its entries."""
    return write(t, show(t).style(), *rows_and_columns(t)).latex


def statement(s: Statement) -> str:
    """For all what, under which hypotheses, and what holds or is there."""
    claim = Claim(s, {})
    made = alone(claim, show(*s.terms))
    return rf"{given(made).latex}\colon\; {stated(claim, made).latex}"


def theorem(th: kernel.Theorem) -> str:
    """What a theorem of the kernel states."""
    return rf"\vdash\; {statement(of_theorem(th))}"


# --------------------------------------------------------------------------------------- as blocks
def derivation(d: Derivation) -> Iterator[Block]:
    """The theorem, and its derivation to unfold."""
    yield Display((("", d.statement),))
    yield Paragraph((f"Proved by the kernel for all sizes, inputs and weights "
                     f"(law: {d.theorem.law}).",))  # fmt: skip
    yield Folded("Derivation", d.sections)


def page(p: TheoremPage) -> Iterator[Block]:
    """A theorem of the book: what it states, by what it was checked, and its proof to unfold."""
    yield Theorem("theorem", p.id, p.title, book.in_full(p, web=False))
    yield Paragraph((f"{p.id}: {p.reads}. {evidence.line(p)}",))
    yield Proof(book.proof(p))


def witness(w: PositionWitness) -> Iterator[Block]:
    """A counterexample: σ, the tokens, what is added to them, and the two sides that differ."""
    parts = [rf"\sigma = {PEOPLE.images(w.sigma)}"]
    tensors = w.tensors if w.depth == 1 else {"X": w.x}
    parts += [f"{name} = {array(rows).latex}" for name, rows in tensors.items()]
    if w.kind == "exact" and w.reads == "layer":
        left, right = (array([[a for a, _ in row] for row in side]) for side in (w.lhs, w.rhs))
        parts.append(rf"f(PX) = {left.latex} \neq {right.latex} = P f(X)")
    yield Display((("", Formula(r",\quad ".join(parts), "")),))
    if w.kind == "exact":
        yield Paragraph((f"Units: {UNITS[w.kind]}.",))
    yield Paragraph((w.says(PEOPLE),))


def search(result: SearchResult | PositionAnswer) -> Iterator[Block]:
    """The counterexample, or in words why there is none."""
    if result.witness is not None:
        yield from witness(result.witness)
    else:
        asked = f"{result.scheme}, n = {result.n}, d = {result.d}"
        said = for_people(result.reason, result.sigma)
        yield Paragraph((f"{result.answer}: {asked}: {said}",))


def group(a: Answer) -> Iterator[Block]:
    """The order of the group, its generators, and what the last token cannot see."""
    yield Paragraph((f"n = {a.layer.n}",))
    groups = {"layer": a.layer} | {f"context, depth {k}": g for k, g in sorted(a.context.items())}
    yield Table((("group",), ("order",), ("generators, as σ(1), σ(2), …",)), tuple(
        ((name,), (str(g.order),),
         (", ".join(str(PEOPLE.images(s)) for s in g.generators) or "none",))
        for name, g in groups.items()
    ))  # fmt: skip
    yield Paragraph((f"No others: {'; '.join(map(cited, a.theorems))}.",))


class _Cell(Writer):
    """Writes a document into a notebook, which has no style of ours: chains as aligned lines."""

    def chain(self, s: Section) -> Markup:
        title = self.block(Paragraph((s.title,))) if s.title else Markup()
        first, *rest = s.lines
        lines = r" \\ ".join(
            rf"&= {line.formula.latex} && {''.join(map(_reason, line.reason))}" for line in rest
        )
        return title + self.shown(rf"\begin{{aligned}}{first.formula.latex} {lines}\end{{aligned}}")


def _reason(part: str | Formula) -> str:
    """Words or a formula within a formula."""
    if isinstance(part, Formula):
        return part.latex
    return r"\text{" + part.replace("_", r"\_") + "}"


def html(blocks: Iterator[Block]) -> str:
    """Blocks as a cell shows them."""
    return str(_Cell(
        Markup("<div>$$\\displaystyle {}$$</div>").format, Markup("${}$").format,
        chapters={c.name: (f"“{c.title}”", "") for c in catalogue.chapters()},
        references={key: short(r) for key, r in references().items()},
    ).blocks(blocks))  # fmt: skip


AS_LATEX: dict[type, Callable[[Any], str]] = {
    Term: term,
    Statement: statement,
    kernel.Theorem: theorem,
    Derivation: lambda d: d.statement.latex,
}
AS_BLOCKS: dict[type, Callable[[Any], Iterator[Block]]] = {
    Derivation: derivation,
    TheoremPage: page,
    PositionWitness: witness,
    SearchResult: search,
    PositionAnswer: search,
    Answer: group,
    Stuck: lambda s: iter([Paragraph((str(s),))]),
}
for _type, _said in AS_LATEX.items():
    setattr(_type, "_repr_latex_", lambda x, said=_said: f"$\\displaystyle {said(x)}$")  # noqa: B010
for _type, _made in AS_BLOCKS.items():
    setattr(_type, "_repr_html_", lambda x, made=_made: html(made(x)))  # noqa: B010
