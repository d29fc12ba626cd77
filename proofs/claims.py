"""Claims and theorems of the book: what is stated, how it is written, which marks settle it.

A claim is an atom (=, ≠, >) between two terms, universally quantified unless its kind says
"exists". Its marks are functions that look at the claim itself; the statement that is printed and
the statement that is checked are the same two terms.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from orderproof.symbolic.derivation import (
    Named,
    Show,
    Written,
    WrittenLine,
    entries,
    lines,
    sections,
    write,
)
from orderproof.symbolic.kernel import Equation, Theorem
from orderproof.symbolic.language import image, symbols
from orderproof.symbolic.notation import Latex, Plain
from orderproof.symbolic.printing import Printer, Style
from orderproof.symbolic.tactic import Motion, Pushed, Stuck, act, push
from orderproof.symbolic.terms import Map, Name, Op, Set, Term, at, build, map_type, reachable

from .pages import ClaimPage, Example, Formula, Line, Mark, Section, TheoremPage

ERROR = "error: "  # begins the detail of a mark whose check broke down
Check = Callable[["Claim"], tuple[bool | None, str]]  # ok (None: undecided) and the detail


Condition = tuple[str, tuple[int, ...]]  # of a size: ("≥", (2,)), ("∈", (2, 3))


def meets(size: int, condition: Condition) -> bool:
    """Whether a size meets a condition."""
    relation, values = condition
    if relation not in ("≥", "∈"):
        raise ValueError(f"condition on a size: given {condition}, expected ≥ or ∈")
    return size >= min(values) if relation == "≥" else size in values


class StuckError(RuntimeError):
    """A derivation that a theorem file relies on did not go through: says where it ended."""


@dataclass(frozen=True)
class Claim:
    """lhs relation rhs, for all values of the axes of both, with the checks that give its marks."""

    kind: str
    lhs: Term
    rhs: Term
    marks: Mapping[str, Check]
    scope: str
    relation: str = "="
    row: Name | None = None
    column: Name | None = None
    hyps: frozenset[Equation] = frozenset()
    theorem: Theorem | None = None
    motion: bool = False  # whether what holds for two permutations holds for their product
    sizes: Mapping[Set, Condition] = field(default_factory=dict)
    tables: Mapping[Op, Formula] = field(default_factory=dict)  # tensors given by a formula
    expected: str = "proved"

    def holds(self, values: tuple[Any, Any]) -> bool:
        """The atom between two values; a NaN satisfies none."""
        left, right = values
        if left != left or right != right:
            return False
        match self.relation:
            case "=":
                return bool(left == right)
            case "≠":
                return bool(left != right)
            case ">":
                return bool(left > right)
        raise ValueError(f"relation: given {self.relation!r}, expected =, ≠ or >")


@dataclass(frozen=True)
class Neighbour:
    """A false statement next to the true one, changed in one place; every mark must reject it."""

    claim: Claim
    reason: str


@dataclass(frozen=True)
class TheoremFile:
    """A theorem as its file states it."""

    id: str
    title: str
    words: str
    source: str
    claims: tuple[Claim, ...]
    show: Show
    neighbour: Neighbour
    neighbours: tuple[Neighbour, ...] = ()  # further ones, where claims carry other checks
    pushed: tuple[Pushed, ...] = ()
    primes: tuple[Pushed, ...] = ()  # pushes whose images are primed, without their steps
    chains: tuple[tuple[Named, Theorem], ...] = ()  # theorems shown step by step
    lemmas: Mapping[Theorem, str] = field(default_factory=dict)  # named in those steps
    citations: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    certificates: Mapping[str, str] = field(default_factory=dict)  # file name ↦ SMT-LIB text
    witnesses: Mapping[str, str] = field(default_factory=dict)  # file name ↦ counterexample file


def pushing(term: Term, moves: Mapping[Op, Motion], facts: Sequence[Theorem] = ()) -> Pushed:
    """The push that a theorem file relies on."""
    result = push(term, moves, facts)
    if isinstance(result, Stuck):
        raise StuckError(f"{term.node}: {result}")
    return result


def equality(
    lhs: Term,
    rhs: Term,
    theorem: Theorem,
    marks: Mapping[str, Check],
    *,
    row: Name | None = None,
    column: Name | None = None,
    motion: bool = False,
    scope: str = "all n, all widths",
) -> Claim:
    """lhs = rhs, stated here, with the theorem that is to say the same (see `by_kernel`)."""
    return Claim(
        "equality", lhs, rhs, marks, scope, row=row, column=column, hyps=theorem.hyps,
        theorem=theorem, motion=motion,
    )  # fmt: skip


def equivariance(
    term: Term,
    moves: Mapping[Op, Motion],
    motion: Mapping[Any, Map],
    pushed: Pushed,
    marks: Mapping[str, Check],
    *,
    row: Name | None = None,
    column: Name | None = None,
) -> Claim:
    """term with its tensors moved = term with these axes moved (none: invariance).

    What holds for two permutations, for all values of the tensors, holds for one after the other,
    unless the permutations occur in the term itself or in a hypothesis.
    """
    rhs = at(term, {a: m(a) for a, m in motion.items()})
    composes = not symbols(term)[1] and not pushed.theorem.hyps
    return equality(
        image(term, moves), rhs, pushed.theorem, marks, row=row, column=column, motion=composes
    )


def nearby(claim: Claim, reason: str, **changed: Any) -> Neighbour:
    """The planted falsehood: the claim changed in one place, with its marks."""
    return Neighbour(replace(claim, **changed), reason)


# ----------------------------------------------------------------------------------- checking
def run(check: Check, mark: str, claim: Claim) -> Mark:
    """One mark, timed; an error while checking is a mark that is not ok, with the error."""
    start = time.perf_counter()
    try:
        ok, detail = check(claim)
    except Exception as error:  # whatever went wrong, the mark must not be green
        ok, detail = False, f"{ERROR}{type(error).__name__}: {error}"
    return Mark(mark, ok, time.perf_counter() - start, detail)


SETTLES = {"equality": {"kernel", "smt", "rocq"}, "exists": {"exact", "interval", "smt", "rocq"}}


def verdict(kind: str, marks: Sequence[Mark], expected: str) -> str:
    """As expected if all marks are ok and one of them can settle a claim of this kind; the
    opposite if a check looked and said no; open where one broke down, is undecided or missing."""
    if any(m.detail.startswith(ERROR) for m in marks):
        return "open"
    if any(m.ok is False for m in marks):
        return "refuted" if expected == "proved" else "proved"
    settled = {m.mark for m in marks} & SETTLES.get(kind, {"smt", "rocq"})
    return expected if settled and all(m.ok for m in marks) else "open"


def weakest(verdicts: Sequence[str], expected: Sequence[str]) -> str:
    """proved if every claim came out as declared; else refuted before open."""
    if all(v == e for v, e in zip(verdicts, expected, strict=True)) and verdicts:
        return "proved"
    wrong = [v for v, e in zip(verdicts, expected, strict=True) if v != e]
    return "open" if set(wrong) <= {"open"} else "refuted"


def check(theorem: TheoremFile) -> TheoremPage:
    """All marks of all claims of a theorem, and its page."""
    style = _style(theorem)
    pages = []
    for claim in theorem.claims:
        marks = tuple(run(c, name, claim) for name, c in claim.marks.items())
        outcome = verdict(claim.kind, marks, claim.expected)
        text = statement(claim, style)
        pages.append(ClaimPage(text, claim.kind, claim.scope, claim.expected, outcome, marks))
    return TheoremPage(
        id=theorem.id,
        title=theorem.title,
        words=theorem.words,
        source=theorem.source,
        citations=theorem.citations,
        given=_given(theorem),
        where=_where(theorem),
        sections=_derivations(theorem),
        claims=tuple(pages),
        neighbour=(statement(theorem.neighbour.claim, style), theorem.neighbour.reason),
        examples=theorem.examples,
        uses=theorem.uses,
        verdict=weakest([p.verdict for p in pages], [p.expected for p in pages]),
    )


# ----------------------------------------------------------------------------------- printing
def _style(theorem: TheoremFile) -> Style:
    style = theorem.show.style()
    for pushed in (*theorem.pushed, *theorem.primes):
        style = Style(
            {**style.labels, **theorem.show.style(pushed).labels}, style.matrices, style.letters
        )
    return style


def formula(w: Written) -> Formula:
    """The page's formula of a written one."""
    return Formula(w.latex, w.plain)


def statement(claim: Claim, style: Style) -> Formula:
    """A claim as it is printed, from the two terms that are checked."""
    left, right = (write(t, style, claim.row, claim.column) for t in (claim.lhs, claim.rhs))
    sign = {"=": "=", "≠": r"\neq", ">": ">"}[claim.relation]
    given = [(write(a, style, *_two(b)), write(b, style, *_two(b))) for a, b in claim.hyps]
    given.sort(key=lambda sides: [side.plain for side in sides])  # a set has no order
    before = Formula(
        "".join(f"{a.latex} = {b.latex} \\;\\Rightarrow\\; " for a, b in given),
        "".join(f"{a.plain} = {b.plain}  ⇒  " for a, b in given),
    )
    return Formula(
        f"{before.latex}{left.latex} {sign} {right.latex}",
        f"{before.plain}{left.plain} {claim.relation} {right.plain}",
    )


def _two(t: Term) -> tuple[Name | None, Name | None]:
    """The rows and columns of a tensor in its own order."""
    return (*t.axes, None, None)[0], (*t.axes, None, None)[1]


def _given(theorem: TheoremFile) -> Formula:
    """The quantifiers, read off the terms: sizes, tensors with their shapes, maps."""
    terms = [t for c in theorem.claims for t in (c.lhs, c.rhs)]
    sets, maps = symbols(*terms)
    tensors: dict[Op, None] = {
        n.op: None for t in terms for n in reachable(t.node) if n.op.kind in ("leaf", "opaque")
    }
    conditions = {s: c for claim in theorem.claims for s, c in claim.sizes.items()}
    tables = {op: f for claim in theorem.claims for op, f in claim.tables.items()}
    both = []
    for to in (Latex(), Plain()):
        printer = Printer(to, theorem.show.style())
        fixed = [f.latex if isinstance(to, Latex) else f.plain for f in tables.values()]
        parts: list[str] = []
        for op in sorted(tensors, key=lambda op: op.data[0] != "X"):
            name = to.symbol(op.data[0])
            if op in tables:
                continue
            if op.kind == "leaf":
                parts.append(
                    f"{name} {to.member} {to.reals([printer.size(s) for s in op.data[1]])}"
                )
            else:
                ((bound,),), made = op.data[1], op.data[2]
                shapes = (to.reals([printer.size(bound)]), to.reals([printer.size(made[0])]))
                parts.append(f"{name}: {shapes[0]} {to.arrow} {shapes[1]}")
        for m in maps:
            _, cod, bijective = map_type(m)
            name, size = to.symbol(m.data[0]), printer.size(cod)
            parts.append(
                f"{name} {to.member} {to.symmetric(size) if bijective else to.range(size)}"
            )
        sizes = to.forall + ", ".join(
            printer.size(s) + (to.condition(*conditions[s]) if s in conditions else "")
            for s in sets
        )
        some = all(c.kind == "exists" for c in theorem.claims)
        between = f"{to.comma} " + (to.exists if some else "")
        text = between.join([sizes, f"{to.comma} ".join(parts)])
        both.append(f"{to.comma} ".join([text, *fixed]))
    return Formula(*both)


def _where(theorem: TheoremFile) -> tuple[Formula, ...]:
    style = theorem.show.style()
    maps = symbols(*(t for c in theorem.claims for t in (c.lhs, c.rhs)))[1]
    result = [
        Formula(rf"({matrix}\,t)_{{i}} = t_{{{to[0]}(i)}}", f"({matrix} t)[i] = t[{to[1]}(i)]")
        for m, matrix in theorem.show.matrices.items()
        if theorem.show.named
        and m in maps
        and (to := [n.symbol(m.data[0]) for n in (Latex(), Plain())])
    ]
    for pushed in (*theorem.pushed, *theorem.primes):
        for op, motion in pushed.moves.items():
            t = act(build(op, names=range(len(motion))).node, motion)
            printed = write(t, style, *_two(t))
            left, right = (to.prime(op.data[0]) for to in (Latex(), Plain()))
            new = Formula(f"{left} = {printed.latex}", f"{right} = {printed.plain}")
            result += [new] if new not in result else []
    for item in theorem.show.named:
        if item.term.node.op.kind != "leaf":
            body = write(item.term, style.without(item.term.node), item.row, item.column)
            name = write(item.term, style, item.row, item.column)
            result.append(Formula(f"{name.latex} = {body.latex}", f"{name.plain} = {body.plain}"))
    return tuple(result)


REASONS = {
    "definition": "by definition",
    "at_op": "it acts on other axes, so this one passes",
    "at_at": "one after the other",
    "reindex": "sum_act: a sum does not see the order of its terms",
    "softmax": "softmax of one row (softmax_conjugate)",
    "unfold": "by definition",
    "hyp": "by hypothesis",
    "inst": "an instance",
    "at_delta": "a bijection is injective",
    "sum_delta": "the identity matrix picks one term",
    "at_equal": "the selected place is fixed",
    "at_cat": "part by part",
}


def reason(names: Sequence[str], moved: Mapping[str, str]) -> str:
    """Why a line equals the one before it, in words: what does the work, before what carries it."""
    cited = [moved[n] for n in names if n in moved]
    rules = [n for n in names if n not in moved]
    telling = [n for n in rules if n not in ("at_op", "at_at")] or ([] if cited else rules[:1])
    return "; ".join([*cited, *(REASONS.get(n, n) for n in telling)])


TITLES = {
    "Q": "The queries",
    "K": "The keys",
    "V": "The values",
    "S": "The scores",
    "A": "The attention weights",
    "Z": "The output",
    "H": "The tokens with their positions",
    "B": "Queries with a bias",
    "F": "Any map of each row",
    "G": "The products, before they are scaled",
    "a": "The softmax of one row",
    "z": "One step of generation",
    "u": "The same without softmax",
}


def _derivations(theorem: TheoremFile) -> tuple[Section, ...]:
    """Chains, then pushes; what two pushes have in common stands once."""
    found = [_chain(theorem, item, th) for item, th in theorem.chains]
    found += [s for p in theorem.pushed for s in _sections(theorem, p)]
    return tuple(dict.fromkeys(found))


def _chain(theorem: TheoremFile, item: Named, proof: Theorem) -> Section:
    written = lines(proof, item, _style(theorem), theorem.lemmas, opening=False)
    return _section(item.name, written, {}, {})


def _section(
    name: str,
    written: Sequence[WrittenLine],
    moved: Mapping[str, str],
    matrices: Mapping[Map, str],
) -> Section:
    shown = (
        Line(
            formula(line.formula),
            reason(line.reasons, moved) + _cancelled(line, matrices) if k else "",
            formula(line.aside) if line.aside else None,
        )
        for k, line in enumerate(written)
    )
    return Section(TITLES.get(name, name), tuple(shown))


def _cancelled(line: WrittenLine, matrices: Mapping[Map, str]) -> str:
    """Where the step, in matrices, is PᵀP = I: the matrix of the map that it reindexes by."""
    todo = [line.theorem] if line.theorem and "reindex" in line.reasons else []
    while todo:
        th = todo.pop()
        if th.rule == "reindex":
            before, after = (symbols(t)[1] for t in (th.lhs, th.rhs))
            for m in [m for m in after if m not in before] or after:
                if m in matrices:
                    return f" ({matrices[m]}ᵀ{matrices[m]} = I)"
        todo += th.premises
    return ""


def _sections(theorem: TheoremFile, pushed: Pushed) -> list[Section]:
    written = sections(pushed, theorem.show)
    moved = {item.name: f"{ls[0].formula.plain} = {ls[-1].formula.plain}" for item, ls in written}
    matrices = theorem.show.matrices
    return [
        _section(item.name, ls, moved, matrices if item.row or item.column else {})
        for item, ls in written
    ]


__all__ = [
    "Claim",
    "Formula",
    "Map",
    "Named",
    "Neighbour",
    "Set",
    "Show",
    "StuckError",
    "TheoremFile",
    "check",
    "entries",
    "equality",
    "equivariance",
    "nearby",
    "pushing",
    "statement",
]  # fmt: skip
