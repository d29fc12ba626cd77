"""The theorem about a user's model with its derivation, as a page like those of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from orderproof.check.claims import sides
from orderproof.check.page import ClaimPage, Formula, Mark, TheoremPage
from orderproof.check.prove import checking
from orderproof.publish.pages.derivations import of_push
from orderproof.publish.pages.statements import implication
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.terms import Map, Name, Node, Op, Set, Term, reachable
from orderproof.symbolic.derive.push import Pushed
from orderproof.symbolic.derive.steps import Show
from orderproof.symbolic.models.builders import POINT, Motion
from orderproof.symbolic.models.named import Named
from orderproof.symbolic.onnx.naturality import SIGMA
from orderproof.symbolic.onnx.report import Report, Result
from orderproof.symbolic.onnx.values import Tensor
from orderproof.symbolic.readings.notation import equation, in_both
from orderproof.symbolic.readings.printer import Label, Style
from orderproof.symbolic.statements.statement import Atom

from . import names

if TYPE_CHECKING:
    from orderproof.symbolic.onnx.reading import Reading

TOKENS = "ijklmpq"  # letters for indices of the axis in question
OTHERS = "cdefghrstuvwabz"
LEAF = "\n"  # above the lines of a leaf, which no name of a tensor is
LARGE = 60  # parts of a formula
MOST = 400  # tensors whose lines are printed
OURS = f": {SIGMA} moves "  # in a condition that says how the output is permuted
HOW = (
    "A tensor is called by the end of its name; with a prime it is that of the permuted inputs. "
    "Indices of dimensions of size 1 are left out, and a merged dimension has one for each factor. "
    "Sizes that the file fixes are d4 and d4′ for 4, and so on."
)


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
    """The page of a result's theorem, for the file of that name; None where there is none, or no
    input is in the term of the output."""
    term = term_of(r)
    if r.proof is None or r.proof.pushed is None or term is None:
        return None
    return _Derivation(report, r, r.reading, term, r.proof.pushed).page(stem)


@dataclass
class _Derivation:
    report: Report
    result: Result
    reading: Reading
    term: Term  # of the output
    pushed: Pushed

    def page(self, stem: str) -> TheoremPage:
        """The theorem: what it says, what is permuted, how each tensor moves, and its mark."""
        r, theorem = self.result, self.result.proof.theorem
        sections = of_push(self.pushed, self.show, titles=self._titles())
        moved = [s.lines for s in sections if s.title == LEAF]  # x′[i] = x[σ(i)]
        sections = [s for s in sections if s.title != LEAF]
        lhs, rhs = sides(self.whole.term, self.inputs, self._motion())
        stated, proved = (kernel.equation(*x) for x in ((lhs, rhs), (theorem.lhs, theorem.rhs)))
        holds = kernel.is_theorem(theorem) and stated == proved
        given = [Atom(left, "=", right) for left, right in theorem.hyps]
        mark = Mark("kernel", holds, 0.0, f"law {theorem.law}", settles=holds)
        shown = ClaimPage(
            implication(given, Atom(lhs, "=", rhs), self._style(lhs)), "equation", self._sizes(),
            "proved", checking.verdict([mark], model=True), (mark,),
        )  # fmt: skip
        file = names.cut(Path(self.report.file).name)
        alone = "" if not given else f", under {'hypotheses' if given[1:] else 'a hypothesis'}"
        return TheoremPage(
            id=stem,
            title=f"The output {names.cut(r.output)} of {file}, axis {r.axis} of "
            f"{names.cut(r.input)}{alone}",
            words=tuple(self._words(len(sections))),
            source=f"{file}, SHA-256 {self.report.model}; orderproof {version('orderproof')}",
            citations=(),
            given=None,
            where=(self._prime(), *(equation(x[0].formula, x[1].formula) for x in moved)),
            sections=tuple(sections[:MOST]),
            claims=(shown,),
            neighbour=None,
            verdict=f"the implication is {shown.verdict}" if given else shown.verdict,
        )

    def _words(self, lines: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """What the theorem is about, what the answer is, and how formulas are to be read."""
        r = self.result
        given = [names.cut(h.name) for h in r.proof.hypotheses]
        under = (f", under the hypothesis that σ leaves as {'they are' if given[1:] else 'it is'}: "
                 f"{', '.join(given)}") if given else ""  # fmt: skip
        yield (f"The theorem is about every permutation σ of {self._places()}, {self._sizes()}, "
               f"all inputs and all weights{under}.", (0,))  # fmt: skip
        yield f"orderproof decide answers: {', '.join((r.answer, *_for(r)))}.", ()
        yield HOW, ()
        if lines > MOST:
            yield f"Of {lines} tensors the first {MOST} have lines; the certificate has all.", ()

    def _places(self) -> str:
        """What σ permutes: an axis, or which part of it."""
        reading, axis = self.reading, f"axis {self.result.axis} of {names.cut(self.result.input)}"
        atoms = reading.reader.atoms
        parts = atoms.leaves(atoms.resolve(reading.dim)[0])
        own = [k for k, part in enumerate(parts) if atoms.set(part) == reading.over]
        if len(own) != 1:
            return f"a part of {axis}"
        before, after = parts[: own[0]], parts[own[0] + 1 :]
        if not before and not after:
            return axis if reading.fixed is None else f"the {reading.fixed} places of {axis}"
        ends = [
            f"{words} {names.cut(str(atoms.canonical(sum(part.size for part in cut_off))))}"
            for words, cut_off in (("after the first", before), ("before the last", after))
            if cut_off
        ]
        return f"the places of {axis} {' and '.join(ends)}"

    def _sizes(self) -> str:
        """The sizes that the theorem is about."""
        given = [*self.reading.conditions()]
        if self.reading.bound is not None:
            given.append(f"{self.reading.size} <= {self.reading.bound}")
        where = " and ".join(names.cut(c, 300) for c in given)
        return "all sizes that the file leaves open" + (f" where {where}" if given else "")

    # ------------------------------------------------------------------------ names and letters
    @cached_property
    def inputs(self) -> dict[Op, Motion]:
        """The inputs that move, without the constants that a hypothesis puts back."""
        leaves = self.reading.realised.leaves
        return {op: m for op, m in self.pushed.moves.items() if leaves[op].role == "input"}

    @cached_property
    def tensors(self) -> list[tuple[str, Term]]:
        """The leaves of the term, the tensors of the graph, parts before wholes, and the output,
        each with its name. What has no name and more parts than a formula should have is given one:
        written out, a part stands there as often as it is used."""
        graph = self.report.graph
        place = {o: k for k, c in enumerate(graph.calls) for o in c.outputs} if graph else {}
        own = sorted(
            ((min(place.get(n, -1) for n in t.names), t.names[0], term)
             for t, term in self.reading.realised.terms.items() if t.names),
            key=lambda found: found[0], reverse=True,
        )  # fmt: skip
        named = {t.node: (name, t) for _, name, t in own if t.node.op.kind != "leaf"}
        parts: dict[Node, int] = {}
        leaves: list[tuple[str, Term]] = []
        found: list[tuple[str, Term]] = []
        for node in reachable(self.term.node)[:-1]:
            parts[node] = 1 + sum(parts[p.node] for p in node.args)
            whole = Term(node, tuple(range(len(node.sets))))
            if node.op.kind == "leaf":
                leaves.append((str(node.op.data[0]), whole))
            elif node in named or parts[node] > LARGE:
                found.append(named.get(node, (f"part {len(found) + 1}", whole)))
                parts[node] = 1
        return [*leaves, *found, (self.result.output, self.term)]

    @cached_property
    def symbols(self) -> dict[str, str]:
        """What each tensor is called in formulas."""
        return names.symbols(name for name, _ in self.tensors)

    def _titles(self) -> dict[str, str]:
        """What stands above the lines of each tensor: its name; above those of a leaf a mark."""
        return {
            self.symbols[name]: LEAF if t.node.op.kind == "leaf" else names.cut(name)
            for name, t in self.tensors
        }

    @cached_property
    def show(self) -> Show:
        """How terms are printed."""
        letters = {s: self._letters(s) for n in reachable(self.term.node) for s in n.sets}
        named = (self._named(self.symbols[name], t) for name, t in self.tensors)
        return Show(tuple(named), {}, letters)

    @property
    def whole(self) -> Named:
        """The output."""
        return self.show.named[-1]

    def _letters(self, s: Set) -> str:
        hint = s.name[:1].lower()
        return TOKENS if s == self.reading.over else (hint if hint in OTHERS else "") + OTHERS

    def _named(self, name: str, t: Term) -> Named:
        """A tensor, a letter for each axis, its indices in the order of its dimensions."""
        letters: dict[Name, str] = {}
        for a in sorted(t.axes, key=lambda a: a):  # type: ignore[arg-type, return-value]
            choice = self._letters(t.sets[a]) + TOKENS + OTHERS
            free = (c for c in choice if c not in letters.values())
            letters[a] = next(free, f"i_{len(letters)}")
        order = tuple(x for a, x in letters.items() if t.sets[a] != POINT)
        return Named(name, t.rename(letters), order=order)

    # ------------------------------------------------------------------------------- statements
    def _motion(self) -> dict[Name, Map]:
        """What moves the axes of the output, by their letters."""
        axes = zip(self.whole.term.axes, self.pushed.motion, strict=True)
        return {a: m for a, m in axes if m}

    def _style(self, lhs: Term) -> Style:
        """The names of tensors, the output for the permuted inputs among them."""
        style = self.show.style(self.pushed)
        if lhs.node is self.whole.term.node or lhs.node in style.labels:
            return style
        order = tuple(lhs.axes.index(a) for a in self.whole.axes)
        return replace(
            style, labels={**style.labels, lhs.node: Label(self.whole.name, order, primed=True)}
        )

    def _prime(self) -> Formula:
        """What the prime says of the output: which inputs were put in place of which."""
        moved = [x.name for x in self.show.named if x.term.node.op in self.inputs]
        lists = ([self.whole.name], moved)
        return in_both(
            lambda to: to.instead(
                *(to.listed(map(of, x)) for x in lists for of in (to.prime, to.symbol))
            )
        )


def _for(r: Result) -> Iterator[str]:
    """For which sizes; of a group, for which permutations."""
    if r.decided and r.scope:
        yield f"for {r.scope}" if r.answer != "not equivariant" else f"at {r.scope}"
    if r.group is not None:
        yield f"for {r.group.order} of the permutations of {r.group.n} tokens ({r.group.name})"
    for c in r.conditions:  # of which σ may be a word, and all else be a name
        yield f"where {OURS.join(names.cut(part, 300) for part in c.split(OURS))}"
