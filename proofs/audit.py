"""The audit: every planted falsehood before every mark that its claim carries; all must say no.

A falsehood counts as rejected when each of its marks looked at it and said no: one that is
undecided, or broke down, has not. A mutant that is true after all is an equivalent, and for that
there is a reason that is checked here by means of its own, whatever the claim's marks said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from typing import Any

from orderproof.symbolic.kernel import Theorem
from orderproof.symbolic.tactic import Stuck
from orderproof.symbolic.terms import ShapeError

from . import catalogue
from .audit_claims import planted
from .audit_derive import FORMS, SHORT, derived
from .audit_mutants import Planted
from .audit_obligations import mutated_obligations, refusal
from .audit_rules import PLANTED_STEPS
from .audit_same import makes_no_difference
from .checking import run
from .claims import Claim, meets
from .marks import by_kernel, by_sympy_positive, by_sympy_simplified, entrywise, small_models
from .marks_numeric import UNBOUNDED, by_numpy
from .pages import ERROR, Mark
from .rocq_claims import certifies, known

EACH = 8  # mutants by changes of terms beside a claim, fewer where its terms are large
ROCQ = "rocq"  # before it asks Rocq, it asks whether the claim is one that was proved there;
SLOWEST = "sympy"  # asked last: what is true after all does not come before it
ELSEWHERE = {ROCQ}  # certificates and headlines are corrupted by tests of their own
REJECTED, ACCEPTED, UNDECIDED, BROKE = "rejected", "ACCEPTED", "undecided", "broke down"
STEPS = "rules and derivation steps"  # what stands for a theorem's id where there is none
LEMMAS = "lemmas of the smt marks"  # likewise
TRANSPOSE = "P for its transpose"
AXES = "axes"  # in place of marks, where the sides have other axes: no mark gets to see that


@dataclass(frozen=True)
class Outcome:
    """What became of one planted falsehood: what each mark said, or why it is true after all."""

    theorem: str
    operator: str
    where: str
    answers: tuple[tuple[str, str], ...]  # mark and answer
    reason: str = ""  # of an equivalent
    swaps: bool | None = None  # whether it passes where every permutation is its own inverse

    @property
    def status(self) -> str:
        """rejected, equivalent or SURVIVED."""
        if self.reason:
            return "equivalent"
        return "rejected" if {answer for _, answer in self.answers} == {REJECTED} else "SURVIVED"

    def __str__(self) -> str:
        """One line."""
        said = self.reason or ", ".join(f"{mark} {answer}" for mark, answer in self.answers)
        return f"{self.theorem}: {self.operator} ({self.where}): {said or 'before no mark'}"


def answer(mark: Mark) -> str:
    """What a mark said to a falsehood."""
    if mark.detail.startswith(ERROR):
        return f"{BROKE}: {mark.detail.removeprefix(ERROR)}"
    return UNDECIDED if mark.ok is None else ACCEPTED if mark.ok else REJECTED


# -------------------------------------------------------------------------------- true after all
def evident(claim: Claim, theorem: Theorem | None) -> str:
    """Why a mutant is true, where that is seen without algebra; nothing if no reason is found."""
    if claim.relation == "=" and claim.lhs == claim.rhs:
        return "both sides are the same term"
    if theorem is not None:
        ok, said = by_kernel(replace(claim, theorem=theorem))
        return f"derived: a theorem of the kernel, {said}" if ok and _agrees(claim) else ""
    return _only_empty(claim)


def equivalent(claim: Claim, theorem: Theorem | None) -> str:
    """Why a mutant is true, checked here and now; nothing if no reason is found."""
    reason = evident(claim, theorem)
    if reason or theorem is not None:
        return reason
    if "kernel" in claim.marks or claim.kind == "exists":
        return ""
    by_algebra = {"=": by_sympy_simplified, ">": by_sympy_positive}.get(claim.relation)
    ok, said = by_algebra(claim) if by_algebra and _agrees(claim) else (None, "")
    return f"by algebra at small sizes: {said}; numeric agrees" if ok else ""


def _agrees(claim: Claim) -> bool:
    """Whether both sides agree in floating point, as far as that can be seen: small numbers where
    others overflow."""
    for drawn in (lambda given: given, _small):
        mark = run(by_numpy(drawn=drawn), "numeric", claim)
        ok, said = mark.ok, mark.detail
        if ok or (ok is False and not said.endswith(UNBOUNDED)):
            return ok
    return True


def _small(given: dict[str, Any]) -> dict[str, Any]:
    return {name: x if callable(x) else abs(x) / 64 for name, x in given.items()}


def _only_empty(claim: Claim) -> str:
    """A bound lowered to 0 adds the empty set alone, and over that there is nothing to state."""
    for s, condition in claim.sizes.items():
        if meets(0, condition) and s in claim.lhs.sets.values():
            return f"vacuous: at {s.name} = 0 no entry is stated, and all else is the true claim"
    return ""


# ------------------------------------------------------------------------------ before the marks
def judge(theorem: str, p: Planted) -> Outcome:
    """One falsehood before its marks. The kernel's mark also gets every theorem that the tactic
    makes of the two sides: none of them may do. It tries hard where no other mark says no."""
    if p.claim.marks and not p.claim.rhs.sets.items() <= p.claim.lhs.sets.items():
        name, check = next(iter(p.claim.marks.items()))
        refused = answer(run(check, name, p.claim))
        return Outcome(theorem, p.operator, p.where, ((AXES, refused),))
    may_be_true = p.derive and p.operator != "by hand"
    found, made = derived(p.claim, SHORT) if p.derive else (None, [])
    if may_be_true and (reason := evident(p.claim, found)):
        return Outcome(theorem, p.operator, p.where, (), reason)
    checks = {n: check for n, check in p.claim.marks.items() if n not in {"kernel", *ELSEWHERE}}
    said: dict[str, str] = {}
    to_try = p.derive
    for name in [*sorted(checks, key=lambda n: n == SLOWEST), ""]:  # and once more at the end
        doubted = {*said.values()} - {REJECTED} or not (said or name)  # a mark did not say no
        if to_try and doubted:
            to_try, (found, made) = False, derived(p.claim, FORMS)
            reason = _after_all(p, found) if may_be_true else ""
            if reason:
                return Outcome(theorem, p.operator, p.where, (), reason)
        if name:
            said[name] = answer(run(checks[name], name, p.claim))
    if "kernel" in p.claim.marks:
        tried = [p.claim, *(replace(p.claim, theorem=th) for th in made)]
        heard = [answer(run(p.claim.marks["kernel"], "kernel", c)) for c in tried]
        said["kernel"] = next((a for a in heard if a != REJECTED), REJECTED)
    swaps = None
    if p.operator == TRANSPOSE and "sympy" in p.claim.marks:
        swaps = passes_by_swaps(p.claim)
    names = [name for name in p.claim.marks if name in said]
    if names and p.derive and ROCQ in p.claim.declared():  # the gate alone looks at nothing
        said[ROCQ] = ACCEPTED if known(p.claim) or certifies(p.claim) else REJECTED
        names.append(ROCQ)
    answers = tuple((name, said[name]) for name in names)
    return Outcome(theorem, p.operator, p.where, answers, "", swaps)


def _after_all(p: Planted, found: Theorem | None) -> str:
    """Why what was planted is true after all, or nothing."""
    reason = equivalent(p.claim, found)
    if not reason and p.of is not None:
        reason = makes_no_difference(p.claim, p.of)
    return reason


def passes_by_swaps(claim: Claim) -> bool | None:
    """Whether the entries of both sides are the same for all permutations that are their own
    inverses: then no test without a 3-cycle can tell P from its transpose."""
    models = (
        (sizes, maps)
        for sizes, maps in small_models(replace(claim, motion=False))
        if max(sizes.values(), default=1) <= 3
        and sum(sizes.values()) <= 8
        and all(
            t[t[i]] == i for t in maps.values() if not isinstance(t, int) for i in range(len(t))
        )
    )
    return entrywise(claim, "=", lambda a, b: bool(a == b), models)[0]


def judge_steps() -> list[Outcome]:
    """The misuses of rules and of steps: refused by the kernel, or stuck."""
    found = []
    for step in PLANTED_STEPS:
        try:
            said = REJECTED if isinstance(step.attempt(), Stuck) else ACCEPTED
        except ShapeError:
            said = REJECTED
        except Exception as error:  # no refusal, and no theorem either: a break-down
            said = f"{BROKE}: {type(error).__name__}: {error}"
        where = f"{step.rule}: {step.wrong}"
        found.append(Outcome(STEPS, step.operator, where, (("kernel", said),)))
    return found


def judge_lemmas() -> list[Outcome]:
    """Lemmas of the accounts behind smt marks, changed: refuted by a solver, or the account is
    refused."""
    found = []
    for p in mutated_obligations():
        said = refusal(p)
        became = UNDECIDED if UNDECIDED in said else REJECTED if said else ACCEPTED
        where = f"{p.lemma}: {p.operator}"
        found.append(Outcome(LEMMAS, p.kind, where, (("smt", became),)))
    return found


def audit_one(name: str, limit: int = EACH) -> list[Outcome]:
    """All that is planted beside one theorem, before its marks."""
    if name == STEPS:
        return judge_steps()
    if name == LEMMAS:
        return judge_lemmas()
    return [judge(name, p) for p in planted(catalogue.load(name), limit)]


def audit(
    names: Sequence[str], jobs: int, done: Callable[[str], None] = lambda name: None
) -> list[Outcome]:
    """The whole audit, in several processes where jobs > 1; outcomes in the order of names."""
    work = [*names, STEPS, LEMMAS]
    found: dict[str, list[Outcome]] = {}
    if jobs <= 1:
        for name in work:
            found[name] = audit_one(name)
            done(name)
    else:
        with ProcessPoolExecutor(min(jobs, len(work))) as pool:
            futures = {pool.submit(audit_one, name): name for name in work}
            for future in as_completed(futures):
                found[futures[future]] = future.result()
                done(futures[future])
    return [outcome for name in work for outcome in found[name]]


# ---------------------------------------------------------------------------------------- counts
@dataclass(frozen=True)
class Row:
    """An operator: planted, rejected by each mark out of those that it met, equivalents."""

    operator: str
    planted: int
    rejected: dict[str, tuple[int, int]]
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
    for mark, said in (pair for o in found for pair in o.answers):
        no, all_ = rejected.get(mark, (0, 0))
        rejected[mark] = (no + (said == REJECTED), all_ + 1)
    status = [o.status for o in found]
    return Row(operator, len(found), rejected, status.count("equivalent"), status.count("SURVIVED"))
