"""The audit: every planted falsehood is checked by every mark of its claim; none may accept it.

Each mark checks it twice: the evidence that the mark found for the true statement is weighed
against the falsehood (stale), and the mark checks the falsehood itself (anew). It is rejected
where no mark is ok either time; of changes of terms each mark must say no, and undecided is no
answer. What no mark settles, but some confirm, is open. A mutant that is true after all is an
equivalent, for a reason that is checked independently of the marks (reasons.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from orderproof.check.claims import Claim, by_kernel
from orderproof.check.marks.numeric import ByNumpy
from orderproof.check.marks.sympy_entries import entrywise, identical
from orderproof.check.prove.executor import each
from orderproof.check.sampling import least_cases, moved_sets, substituted
from orderproof.proofs import catalogue
from orderproof.symbolic.readings.error import ReadingError
from orderproof.symbolic.smt.budget import FALSEHOOD
from orderproof.symbolic.smt.chain import ByChain
from orderproof.symbolic.statements.evidence import Evidence, weigh
from orderproof.symbolic.statements.statement import Statement

from .attempts import FORMS, SHORT, derived, weight
from .laws import PlantedLemma, mutated_obligations, proved, refusal
from .planted import Original, Planted, cited, planted
from .reasons import reason
from .sample import Sample, T

LARGE = 80  # nodes, above which swaps are not tried
EACH = 8  # mutants by changes of terms beside a claim, fewer where its terms are large
LAST = ("numeric", "sympy")  # slow, so checked last
SOLVERS = {"smt"}  # for these "undecided" is an answer: nobody searches a proof of a falsehood
REFUTED, REJECTED, UNDECIDED, UNREAD = "refuted", "rejected", "undecided", "unreadable"
CONFIRMED, SETTLED, BROKE = "CONFIRMED", "SETTLED", "broke down"
AT_SIZES = "confirmed at its own sizes"  # of the true claim: so it does where sizes alone differ
UNASKED = "not asked"  # of a claim that stands before Rocq alone, which the audit does not ask
NO = {REFUTED, REJECTED, AT_SIZES}
LEMMAS = "lemmas of the smt marks"  # in place of a theorem's id
TRANSPOSE = "P for its transpose"


@dataclass(frozen=True)
class Outcome:
    """The result of one planted falsehood: the answer of each mark, or why it is true after all."""

    theorem: str
    operator: str
    where: str
    answers: tuple[tuple[str, str, str], ...]  # mark, stale or anew, answer
    reason: str = ""  # of an equivalent
    swaps: bool | None = None  # whether it passes where every permutation is its own inverse
    claim: int | None = None  # of which claim it was made, from 1
    strict: bool = True

    @property
    def status(self) -> str:
        """rejected, equivalent, open or SURVIVED."""
        if self.reason:
            return "equivalent"
        said = {answer for _, _, answer in self.answers}
        if said == {UNASKED} and not self.strict:
            return "open"
        if not said or any(a == SETTLED or a.startswith(BROKE) for a in said):
            return "SURVIVED"
        if self.strict:
            return "SURVIVED" if any(accepts(*a) for a in self.answers) else "rejected"
        return "open" if CONFIRMED in said else "rejected"

    @property
    def superfluous(self) -> bool:
        """Whether a hypothesis was left out, and what is left is settled and true."""
        return self.operator == "no hypothesis" and bool(self.reason)

    def __str__(self) -> str:
        """One line."""
        said = self.reason or ", ".join(" ".join(answer) for answer in self.answers)
        of = f" claim {self.claim}" if self.claim else ""
        return f"{self.theorem}{of}: {self.operator} ({self.where}): {said or 'before no mark'}"


def accepts(mark: str, how: str, answer: str) -> bool:
    """Whether a mark did not reject what it must reject."""
    unable = answer == UNREAD or (answer == UNDECIDED and mark in SOLVERS)
    return answer not in NO and not (unable and how == "anew")


def answer(claimed: Statement, find: Callable[[], Evidence]) -> str:
    """What evidence says of a statement, in one word; a reading refuses what it cannot read."""
    try:
        weight = weigh(claimed, find())
    except ReadingError:
        return UNREAD
    except Exception as error:  # the check did not run to its end
        return f"{BROKE}: {type(error).__name__}: {error}"
    if weight.ok:
        return SETTLED if weight.settles else CONFIRMED
    if weight.refutes:
        return REFUTED
    return UNDECIDED if weight.ok is None else REJECTED


# ------------------------------------------------------------------------------------ the checks
def judge(theorem: str, p: Planted) -> Outcome:
    """One falsehood checked by its marks; the kernel's is also given every theorem that the tactic
    finds about the two sides. If one accepts it, a reason is looked for before the slow marks."""
    s = p.claim.statement
    number = p.of.number + 1 if p.of else None
    true = p.of.claim.statement if p.of and p.excusable else None

    def outcome(answers: Iterable[tuple[str, str, str]], why: str = "") -> Outcome:
        swaps = None
        if p.operator == TRANSPOSE and "sympy" in p.claim.marks and not why:
            swaps = passes_by_swaps(s)
        return Outcome(theorem, p.operator, p.where, tuple(answers), why, swaps, number, p.strict)

    if p.excusable and (why := reason(p.claim, true, None, quick=True)):
        return outcome((), why)
    found, made = derived(s, SHORT, cited(p.claim)) if _provable(p) else (None, [])
    if found and p.excusable and (why := reason(p.claim, true, found, quick=True)):
        return outcome((), why)
    said: list[tuple[str, str, str]] = []
    looked = not p.excusable
    for mark in [*sorted(p.claim.marks, key=lambda m: LAST.index(m) + 1 if m in LAST else 0), ""]:
        if not looked and any(_doubtful(p, *a) for a in said):
            looked = True
            found, made = derived(s, FORMS, cited(p.claim)) if _provable(p) else (None, made)
            if why := reason(p.claim, true, found):
                return outcome((), why)
        for how, find in _evidence(p, mark) if mark else ():
            told = answer(s, find)
            if (how, told) == ("stale", CONFIRMED) and p.of and _sizes_alone(p.of, s):
                told = AT_SIZES
            said.append((mark, how, told))
    said += [("kernel", "anew", answer(s, partial(by_kernel(th), s))) for th in made]
    if p.claim.rocq_alone:
        said.append(("rocq", "anew", UNASKED))
    return outcome(dict.fromkeys(said))


def _sizes_alone(of: Original, s: Statement) -> bool:
    return replace(of.claim.statement, sizes=s.sizes) == s


def _doubtful(p: Planted, mark: str, how: str, said: str) -> bool:
    return said == SETTLED or (p.strict and accepts(mark, how, said))


def _provable(p: Planted) -> bool:
    """Whether a theorem of the kernel can state it, and the claim has that mark."""
    a = p.claim.statement.atom
    sides = a.relation == "=" and not a.some and a.lhs.sets == a.rhs.sets
    new = p.of is not None and _without_sizes(p.of.claim) != _without_sizes(p.claim)
    return "kernel" in p.claim.marks and sides and not p.claim.statement.exists and new


def _without_sizes(claim: Claim) -> tuple[object, ...]:
    return claim.statement.atom, claim.statement.given, claim.statement.exists


def _evidence(p: Planted, mark: str) -> Iterator[tuple[str, Callable[[], Evidence]]]:
    """The evidence for the true statement, and that for the falsehood."""
    of = p.of
    if of is not None:
        yield "stale", lambda: of.evidence(mark)
    check = p.claim.marks[mark]
    if isinstance(check, ByChain):
        check = replace(check, budget=FALSEHOOD)
    elif isinstance(check, ByNumpy):
        check = replace(check, dtypes=(np.float64,))  # float32 has wider bounds, and rejects less
    if p.swept or mark not in LAST:
        yield "anew", lambda: check(p.claim.statement)


def passes_by_swaps(s: Statement) -> bool | None:
    """Whether the entries of both sides are the same for all permutations of up to three that are
    their own inverses: then no test without a 3-cycle can tell P from its transpose."""
    if weight(s.atom.lhs) + weight(s.atom.rhs) > LARGE:
        return None  # it would take long
    bare = substituted(s)
    names = [m.data[0] for m in moved_sets(bare)[0]]
    cases = (
        (sizes, maps)
        for sizes, maps in least_cases(bare, 3, {})
        if all(maps[x][j] == i for x in names for i, j in enumerate(maps[x]))
    )
    return entrywise(s, "=", identical, cases).ok is True


def judge_lemmas(lemmas: Iterable[PlantedLemma]) -> list[Outcome]:
    """Laws behind the chains of the smt marks, changed: refuted by a solver or not proved, or the
    chain is refused."""
    found = []
    for p in lemmas:
        said = refusal(p)
        became = UNDECIDED if UNDECIDED in said else REFUTED if REFUTED in said else REJECTED
        why = "" if said else proved(p)
        answers = () if why else (("smt", "anew", became if said else SETTLED),)
        found.append(Outcome(LEMMAS, p.kind, f"{p.lemma}: {p.operator}", answers, why))
    return found


def audit_one(group: str, part: Sample | None = None) -> list[Outcome]:
    """The falsehoods planted beside one theorem, or of the lemmas, checked: all, or a sample."""

    def chosen(every: Iterable[T]) -> Iterable[T]:
        return every if part is None else part.of(group, every)

    if group == LEMMAS:
        return judge_lemmas(chosen(mutated_obligations()))
    return [judge(group, p) for p in chosen(planted(catalogue.load(group), EACH))]


def audit(
    names: Sequence[str],
    jobs: int,
    done: Callable[[str], None] = lambda name: None,
    scheduler: str | None = None,
    part: Sample | None = None,
) -> list[Outcome]:
    """The whole audit, or a sample of it, in several processes where jobs > 1, or on the cluster of
    a scheduler; outcomes in the order of names."""
    work = groups(names)
    found: dict[str, list[Outcome]] = {}
    # what takes longest stands last, and is begun first
    for name, outcomes in each(audit_one, reversed(work), part, jobs=jobs, scheduler=scheduler):
        found[name] = outcomes
        done(name)
    return [outcome for name in work for outcome in found[name]]


def groups(names: Iterable[str]) -> list[str]:
    """What an audit of theorems looks at: these, and the lemmas."""
    return [*names, LEMMAS]


# ---------------------------------------------------------------------------------------- counts
@dataclass(frozen=True)
class Row:
    """An operator: planted, how many each mark rejected of those that it checked, and the other
    results."""

    operator: str
    planted: int
    rejected: dict[str, tuple[int, int]]
    open: int
    equivalents: int
    survived: int


def rows(outcomes: Iterable[Outcome]) -> list[Row]:
    """The table of an audit, operators in the order of their first use."""
    by_operator: dict[str, list[Outcome]] = {}
    for o in outcomes:
        by_operator.setdefault(o.operator, []).append(o)
    return [_row(operator, found) for operator, found in by_operator.items()]


def _row(operator: str, found: Sequence[Outcome]) -> Row:
    rejected: dict[str, tuple[int, int]] = {}
    for o in found:
        for mark in dict.fromkeys(m for m, _, _ in o.answers):
            said = {a for m, _, a in o.answers if m == mark}
            no, all_ = rejected.get(mark, (0, 0))
            rejected[mark] = (no + (said <= {*NO, UNDECIDED, UNREAD}), all_ + 1)
    status = [o.status for o in found]
    counts = (status.count(word) for word in ("open", "equivalent", "SURVIVED"))
    return Row(operator, len(found), rejected, *counts)
