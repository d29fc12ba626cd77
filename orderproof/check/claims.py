"""Claims and theorems of the book: a statement with the checks that look at it, and its neighbours.

What is printed, checked, hashed and mutated is the statement; rows and columns are for print alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, cast

from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Index, Map, Name, Op, Set, Term, at
from orderproof.symbolic.derive.push import Motion, Pushed, Stuck, push
from orderproof.symbolic.derive.steps import Named, Show
from orderproof.symbolic.models.builders import image, inverse
from orderproof.symbolic.statements.evidence import Check, Evidence
from orderproof.symbolic.statements.statement import (
    Atom,
    Sizes,
    Statement,
    Symbol,
    of_theorem,
    sizes,
)

from .page import Example, Formula

EVERYTHING: Sizes = sizes()


class StuckError(RuntimeError):
    """A derivation that a theorem file relies on did not go through: says where it ended."""


Counts = dict[str, int]  # the size of each index set, by name
Maps = dict[str, Any]  # a table for each map, by name


@dataclass(frozen=True)
class Witness:
    """Values at which a claim should hold: sizes, tables of maps, and exact tensors. `query` names
    the tensor on which the factor √d_k · ln 2 is, so that exponents are integers and weights
    powers of 2."""

    sizes: Counts
    maps: Maps
    tensors: Mapping[str, Any]
    query: str = "W_Q"
    logs: tuple[str, ...] = ()  # tensors that are given in units of ln 2


@dataclass(frozen=True)
class Maker:
    """A check as data: what makes it, by its name and module in marks/, and from what."""

    module: str
    name: str
    arguments: tuple[Any, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()
    called: bool = True  # or it is the check itself

    def made(self) -> Check:
        """The check; its module is imported now."""
        found = getattr(import_module(f"orderproof.check.marks.{self.module}"), self.name)
        made = found(*self.arguments, **dict(self.options)) if self.called else found
        return cast(Check, made)


def made(check: Check | Maker) -> Check:
    """A check, made where it is given as data."""
    return check.made() if isinstance(check, Maker) else check


class Marks(Mapping[str, Check]):
    """Checks by the names of their marks. One that is given as data is made when it is looked up:
    what a theorem states, and which marks it carries, is known without a single one."""

    def __init__(self, data: Mapping[str, Check | Maker]) -> None:
        self.data = data
        self._made: dict[str, Check] = {}

    def __getitem__(self, name: str) -> Check:
        if name not in self._made:
            self._made[name] = made(self.data[name])
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self.data  # without making it: what goes wrong then is no missing mark

    def get(self, name: str, default: Any = None) -> Any:
        """The check of this name, or the default where there is none; an error in it is raised."""
        return self[name] if name in self.data else default

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Marks) and self.data == other.data

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


@dataclass(frozen=True)
class Claim:
    """A statement, the checks that give its marks, and how it is printed."""

    statement: Statement
    marks: Mapping[str, Check]  # by name; those given as data are made when they are looked up
    row: Name | None = None
    column: Name | None = None
    expected: str = "proved"
    rocq: str = ""  # the theorem of proofs/rocq/ that states it
    push: tuple[Term, Pushed] | None = None  # what was pushed through which term, to be certified

    def __post_init__(self) -> None:
        if not isinstance(self.marks, Marks):
            object.__setattr__(self, "marks", Marks(self.marks))

    @property
    def pushed(self) -> Pushed:
        """The push that proves it; StuckError where none does."""
        if self.push is None:
            raise StuckError("given a claim that is not pushed, expected one that is")
        return self.push[1]

    def unmade(self, mark: str) -> Check | Maker:
        """The check of a mark as it was given: as data, where it was."""
        return cast(Marks, self.marks).data[mark]

    @property
    def rocq_alone(self) -> bool:
        """Whether no mark but that of Rocq looks at it."""
        return bool(self.rocq) and not self.marks

    def declared(self) -> tuple[str, ...]:
        """The marks that it is to carry where every tool is installed."""
        return (*self.marks, *(["rocq"] if self.rocq or self.push else []))

    @property
    def lhs(self) -> Term:
        """The left side of its atom."""
        return self.statement.atom.lhs

    @property
    def rhs(self) -> Term:
        """The right side of its atom."""
        return self.statement.atom.rhs

    def stating(self, **changed: Any) -> Claim:
        """The same checks for another statement: lhs, rhs, relation or some of the atom changed, or
        given, exists, such or sizes."""
        parts = {k: changed.pop(k) for k in ("lhs", "rhs", "relation", "some") if k in changed}
        atom = replace(self.statement.atom, **parts)
        return replace(self, statement=replace(self.statement, atom=atom, **changed))


@dataclass(frozen=True)
class Neighbour:
    """A false statement next to the true one, changed in one place; every mark must reject it."""

    claim: Claim
    reason: str


@dataclass(frozen=True)
class Sentence:
    """A sentence under the title, and the claims (numbered from 0) and headlines of Rocq that say
    it; with none, it is a remark, and does not stand under what is proved."""

    text: str
    claims: tuple[int, ...] = ()
    headlines: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What a theorem file states and derives. Without claims it consists of headlines of Rocq, and
    one more of these refutes a false variant, where no mark can be asked to reject one."""

    claims: tuple[Claim, ...]
    show: Show
    planted: Neighbour | tuple[Neighbour, ...] = ()  # falsehoods; the first is on its page
    derivation: str = ""  # its lines, compared with what the kernel derived
    iffs: tuple[tuple[int, int], ...] = ()  # two claims, if and only if: checked to be its halves
    headlines: tuple[str, ...] = ()  # theorems of proofs/rocq/Headlines.v that stand on its page
    refuted: tuple[str, ...] = ()  # those of them that say that a false variant fails
    in_symbols: tuple[str, ...] = ()  # formulas of its chapter that say what a headline states
    pushed: tuple[Pushed, ...] | None = None  # shown step by step; by default those of the claims
    primes: tuple[Pushed, ...] = ()  # pushes whose images are primed, without their steps
    chains: tuple[tuple[Named, Theorem], ...] = ()  # theorems shown step by step
    definitions: tuple[Op, ...] = ()  # written out, by entries
    lemmas: Mapping[Theorem, str] = field(default_factory=dict)  # named in those steps
    titles: Mapping[str, str] = field(default_factory=dict)  # of sections, where TITLES do not fit
    cited: Mapping[str, str] = field(default_factory=dict)  # tensor ↦ the theorem that moves it
    examples: tuple[Example, ...] = ()
    witnesses: Mapping[str, str] = field(default_factory=dict)  # file name ↦ counterexample file

    @property
    def neighbours(self) -> tuple[Neighbour, ...]:
        """The planted falsehoods: every mark must reject them."""
        return (self.planted,) if isinstance(self.planted, Neighbour) else self.planted

    @property
    def neighbour(self) -> Neighbour | None:
        """The false variant that stands on its page."""
        return self.neighbours[0] if self.neighbours else None

    @property
    def shown(self) -> tuple[Pushed, ...]:
        """The pushes that are shown step by step."""
        return self.pushed or ()

    def __post_init__(self) -> None:
        if self.pushed is None:  # set here: a derivation stays when claims are replaced
            object.__setattr__(self, "pushed", tuple(c.pushed for c in self.claims if c.push))


@dataclass(frozen=True, kw_only=True)
class TheoremFile(Proof):
    """A theorem: its id and title, the sentences under it, where it is from, and its proof."""

    id: str
    title: str
    words: tuple[Sentence, ...]
    source: str
    citations: tuple[str, ...] = ()  # keys of proofs/references.bib
    uses: tuple[str, ...] = ()
    argument: str = ""  # the proof in words: Markdown with slots for formulas

    def __repr__(self) -> str:
        return f"<TheoremFile {self.id}: {len(self.claims)} claims>"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.neighbour is None and (self.claims or not self.refuted):
            raise ValueError(
                f"{self.id}: given no neighbour, expected one beside claims, and beside headlines "
                "alone one that refutes a false variant"
            )
        every = (*self.headlines, *self.refuted)
        if len(set(every)) < len(every):
            raise ValueError(f"{self.id}: given a headline twice, expected each once")
        for sentence in self.words:
            for k in sentence.claims:
                if not 0 <= k < len(self.claims):
                    raise ValueError(f"{self.id}: given claim {k}, expected one of the claims")
            for name in sentence.headlines:
                if name not in every:
                    raise ValueError(f"{self.id}: given {name}, expected one of its headlines")

    def said_by(self, sentence: Sentence) -> tuple[int, ...]:
        """The numbers from 0 of what says a sentence: on a page, headlines follow the claims."""
        every = (*self.headlines, *self.refuted)
        return (*sentence.claims, *(len(self.claims) + every.index(h) for h in sentence.headlines))

    def declared(self) -> list[tuple[str, ...]]:
        """The marks that each claim, and each headline, is to carry."""
        stated = len(self.headlines) + len(self.refuted)
        return [*(claim.declared() for claim in self.claims), *([("rocq",)] * stated)]


def pushing(term: Term, moves: Mapping[Op, Motion], facts: Sequence[Theorem] = ()) -> Pushed:
    """The push that a theorem file relies on."""
    result = push(term, moves, facts)
    if isinstance(result, Stuck):
        raise StuckError(f"{term.node}: {result}")
    return result


@dataclass(frozen=True)
class ByKernel:
    """What a theorem of the kernel states, whatever is claimed."""

    theorem: Theorem

    def __call__(self, _: Statement) -> Evidence:
        """Evidence of that, for all sizes; it refuses what the kernel did not issue."""
        stated = of_theorem(self.theorem)
        said = f"{_count(stated.sets, 'size')} arbitrary, law {self.theorem.law}"
        hyps = self.theorem.hyps
        under = f", under {_count(hyps, 'hypothesis')}" if hyps else ""
        return Evidence(True, said + under, stated)


def by_kernel(theorem: Theorem) -> Check:
    """The check of a claim by a theorem of the kernel."""
    return ByKernel(theorem)


def _count(things: Collection[Any], word: str) -> str:
    plural = {"hypothesis": "hypotheses"}.get(word, f"{word}s")
    return f"{len(things)} {word if len(things) == 1 else plural}"


def equality(
    lhs: Term,
    rhs: Term,
    theorem: Theorem,
    marks: Mapping[str, Check],
    *,
    row: Name | None = None,
    column: Name | None = None,
    given: Iterable[Atom] = (),
    over: Sizes = EVERYTHING,
) -> Claim:
    """lhs = rhs under the hypotheses of a theorem and others, with that theorem as its evidence."""
    hyps = frozenset({*of_theorem(theorem).given, *given})
    statement = Statement(Atom(lhs, "=", rhs), hyps, sizes=over)
    return Claim(statement, {"kernel": by_kernel(theorem), **marks}, row, column)


def sides(term: Term, moves: Mapping[Op, Motion], motion: Mapping[Any, Map]) -> tuple[Term, Term]:
    """f(P X) and P f(X): a term with its tensors moved, and with these axes moved."""
    return image(term, moves), at(term, {a: m(a) for a, m in motion.items()})


def equivariance(
    term: Term,
    moves: Mapping[Op, Motion],
    motion: Mapping[Any, Map],
    marks: Mapping[str, Check],
    *,
    facts: Sequence[Theorem] = (),
    row: Name | None = None,
    column: Name | None = None,
    given: Iterable[Atom] = (),
    over: Sizes = EVERYTHING,
) -> Claim:
    """term with its tensors moved = term with these axes moved (none: invariance), by pushing; the
    push may use these facts. StuckError where it does not go through."""
    pushed = pushing(term, moves, facts)
    lhs, rhs = sides(term, moves, motion)
    claim = equality(
        lhs, rhs, pushed.theorem, marks, row=row, column=column, given=given, over=over
    )
    return replace(claim, push=(term, pushed))


def holds(
    lhs: Term,
    relation: str,
    rhs: Term,
    marks: Mapping[str, Check],
    *,
    row: Name | None = None,
    column: Name | None = None,
    some: bool = False,
    given: Iterable[Atom] = (),
    over: Sizes = EVERYTHING,
) -> Claim:
    """A claim for all values: lhs relation rhs, in every entry or in some."""
    atom = Atom(lhs, relation, rhs, some)
    return Claim(Statement(atom, frozenset(given), sizes=over), marks, row, column)


def differs(
    lhs: Term,
    rhs: Term,
    marks: Mapping[str, Check],
    *,
    row: Name | None = None,
    column: Name | None = None,
    every: Collection[Symbol] = (),
    given: Iterable[Atom] = (),
    such: Iterable[Atom] = (),
    over: Sizes = EVERYTHING,
) -> Claim:
    """There are tensors and maps (but for those in `every`, and what is given of them, for which it
    is so whatever they are) such that lhs ≠ rhs in some entry."""
    atom = Atom(lhs, "≠", rhs, some=True)
    bare = Statement(atom, frozenset({*given, *such}))
    everything: frozenset[Symbol] = frozenset((*bare.tensors, *bare.maps))
    exists = everything - frozenset(every)
    statement = Statement(atom, frozenset(given), exists, frozenset(such), over)
    return Claim(statement, marks, row, column)


def in_rocq(name: str, *claims: Claim) -> tuple[Claim, ...]:
    """These claims, which the theorem of this name in proofs/rocq/Headlines.v states too."""
    return tuple(replace(claim, rocq=name) for claim in claims)


def nearby(claim: Claim, reason: str, **changed: Any) -> Neighbour:
    """The planted falsehood: the claim's statement changed in one place, before its marks. What
    there is, or is for all, stays: symbols that come in are as those of the claim are."""
    old = claim.statement
    if old.exists and "exists" not in changed:
        parts = {k: changed[k] for k in ("lhs", "rhs", "relation", "some") if k in changed}
        given, such = (changed.get(k, getattr(old, k)) for k in ("given", "such"))
        bare = Statement(replace(old.atom, **parts), given | such)
        every = {*old.tensors, *old.maps} - old.exists
        changed["exists"] = frozenset({*bare.tensors, *bare.maps} - every)
    return Neighbour(replace(claim.stating(**changed), rocq=""), reason)


def transposed(
    claim: Claim, reason: str = "With Pᵀ in place of P it fails at a 3-cycle; at a swap P is Pᵀ."
) -> Neighbour:
    """The planted falsehood that every equivariance has: with P⁻¹ = Pᵀ in place of P on the right,
    it fails for every permutation that is not its own inverse, as a 3-cycle."""
    term, pushed = claim.push or (claim.lhs, None)
    if pushed is None:
        raise StuckError("given a claim that is not pushed, expected an equivariance")
    back: dict[Name, Index] = {
        a: inverse(m)(a) for a, m in zip(term.axes, pushed.motion, strict=True) if m
    }
    if not back:
        raise StuckError("given an invariance, expected an equivariance")
    return nearby(claim, reason, rhs=at(term, back))


__all__ = [
    "Atom",
    "Check",
    "Claim",
    "Counts",
    "Evidence",
    "Formula",
    "Map",
    "Maps",
    "Named",
    "Neighbour",
    "Proof",
    "Sentence",
    "Set",
    "Show",
    "StuckError",
    "TheoremFile",
    "Witness",
    "by_kernel",
    "differs",
    "equality",
    "equivariance",
    "holds",
    "in_rocq",
    "nearby",
    "pushing",
    "sides",
    "sizes",
    "transposed",
]
