"""Whether every permutation leaves the constants of the hypotheses as they are, and for which n.

First all of them are looked at, entry by entry, at few tokens. Then each that can be read as an
expression in its indices and n is settled for all n by two solvers. Of the others every size up to
a bound is looked at, and the scope says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from orderproof.symbolic.calculus.terms import Map

from .check import sample_sizes
from .graph import Call, Unsupported
from .naturality import Hypothesis
from .stabiliser import transpositions
from .values import Leaf

if TYPE_CHECKING:
    from .reading import Reading

SMALL = 6  # tokens up to which every constant is looked at
BOUND = 64  # tokens up to which those are that no solver settles
COMPARING = ("Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Floor", "Ceil", "Round",
             "Mod", "Sign", "ArgMax", "ArgMin")  # fmt: skip
SAMPLES = 5  # sizes at which an expression is compared with its constant


@dataclass
class Settled:
    """For which n all hypotheses hold: up to `bound`, None for all n (and nothing holds where it is
    below 2); the first n at which one fails, or 0; the questions that two solvers answered."""

    bound: int | None
    failing: int = 0
    by_solvers: list[str] = field(default_factory=list)
    by_listing: list[str] = field(default_factory=list)
    questions: list[tuple[str, str]] = field(default_factory=list)
    others: set[str] = field(default_factory=set)  # "b = 3": other sizes that were looked at alone


def settle_all(q: Reading, hypotheses: Sequence[Hypothesis], most: int | None) -> Settled:
    """The hypotheses for a dynamic axis; `most` is the largest n of which the model is read."""
    found = Settled(most)
    found.bound, found.failing, _ = _listed(q, hypotheses, 2, min(SMALL, most or SMALL))
    if found.failing or (found.bound is not None and found.bound < 2):
        return found
    found.bound = most
    left = []
    for h in hypotheses:
        answer = _by_solvers(q, h)
        if answer is None:
            left.append(h)
            continue
        bound, failing, questions = answer
        found.questions += questions
        found.bound = _least(found.bound, bound)
        if failing:
            found.failing = min(failing, found.failing or failing)
        else:
            found.by_solvers.append(h.name)
    if left:
        top = min(BOUND, most or BOUND)
        bound, failing, found.others = _listed(q, left, 2, top)
        found.by_listing += [h.name for h in left]
        found.failing = min(filter(None, (failing, found.failing)), default=0)
        found.bound = _least(found.bound, bound)
    return found


def _least(a: int | None, b: int | None) -> int | None:
    return min((x for x in (a, b) if x is not None), default=None)


def _listed(
    q: Reading, hypotheses: Sequence[Hypothesis], first: int, last: int
) -> tuple[int, int, set[str]]:
    """The largest n up to which every swap fixes the constants, of those at which the model has
    them; the first at which one does not, or 0; and which other sizes were looked at alone."""
    bound, others = 0, set[str]()
    for n in range(first, last + 1):
        at_n = q.constants(hypotheses, n)
        if at_n is None or not q.part(n)[1]:
            continue
        others |= q.others(at_n)
        if not all(at_n.fixed(s) for s in transpositions(q.part(n)[1])):
            return bound, n, others
        bound = n
    return bound, 0, others


def _by_solvers(q: Reading, h: Hypothesis) -> tuple[int | None, int, list[Any]] | None:
    """The bound (None: all n), an n at which it fails (or 0), the first if the bound is below it by
    one, and the questions; None where solvers do not settle it."""
    size = q.size
    axes = _moved_axes(q, h)
    if q.cut or axes is None or h.leaf is None or not size.is_Symbol or q.reader.atoms.equal:
        return None
    from .certificates import texts
    from .entries.check import Misread, numeric_check
    from .entries.evaluate import TooLarge
    from .entries.reader import entry
    from .entries.run import cone
    from .settle import FALSE, PROVED, settle

    try:
        read = entry(q.graph, h.leaf.source)
        compared = numeric_check(read, q.graph, sample_sizes(q.reader, {}, SAMPLES))
        answer = settle(compared, axes, str(size))
    except (Unsupported, Misread, TooLarge, ValueError):
        return None
    other = {str(size)} != (q.reader.varying.get(h.leaf.source) or {str(size)})
    if answer.answer == FALSE and answer.shown is not None and not other:
        shown = len(answer.shown.sigma)  # it may fail at fewer: what fails need not fail from there
        up_to, failing, _ = _listed(q, [h], SMALL + 1, min(shown - 1, BOUND))
        return max(up_to, SMALL), failing or shown, []
    if answer.answer != PROVED or (other and answer.by != "solvers"):
        return None  # what was listed, was listed at some of the other sizes alone
    if _compares_floats(cone(q.graph, h.leaf.source)):  # rounded, one may be another at some n
        up_to, failing, _ = _listed(q, [h], SMALL + 1, BOUND)
        if failing:
            return max(up_to, SMALL), failing, []
    of = texts(answer, q.graph.sha256, h.leaf.source, axes, str(size))
    asked = [(f"{h.leaf.source}-{k}", text) for k, text in enumerate(of)]
    if answer.scope == "all n":
        return None, 0, asked
    _, at_most, bound = answer.scope.partition("n <= ")
    return (int(bound), 0, asked) if at_most and bound.isdigit() else None


def _compares_floats(calls: Iterable[Call]) -> bool:
    """Whether floats made of whole numbers are compared, or made whole again, in nodes in order."""
    from .entries.arithmetic import dtype_of

    floats = False
    for call in calls:
        to = dtype_of(call.attributes.get("to", 0)).kind if call.op == "Cast" else ""
        if floats and (call.op in COMPARING or to in ("i", "u", "b")):
            return True
        floats = floats or to == "f"
    return False


def _moved_axes(q: Reading, h: Hypothesis) -> dict[int, int] | None:
    """For each moved dimension of a constant of the graph, the position of its first token; None
    where it is no whole constant, or a dimension is more than the tokens and few others."""
    leaf: Leaf | None = h.leaf
    if leaf is None or leaf.role != "constant" or h.tensor is None:
        return None
    atoms = q.reader.atoms
    own = [(i, a) for i, d in enumerate(leaf.dims) for a in atoms.resolve(d)]
    found: dict[int, int] = {}
    for (i, atom), m in zip(own, h.motion, strict=True):
        if m is None:
            continue
        start = 0 if m.kind != "beside" else _offset(q, atom, m)
        if start is None or len(atoms.resolve(leaf.dims[i])) != 1:
            return None
        found[i] = start
    return found


def _offset(q: Reading, atom: Any, m: Map) -> int | None:
    start = 0
    for part in q.reader.atoms.leaves(atom):
        if m.kind != "beside":
            return start if m.kind != "identity" else None
        left, right = m.data
        if left.kind != "identity":
            return start
        size = q.reader.atoms.canonical(part.size)
        if not size.is_Integer:
            return None
        start, m = start + int(size), right
    return None
