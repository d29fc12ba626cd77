"""Random uses of the rules between statements, on small statements that are true."""

import random
from typing import Any

from orderproof.symbolic.calculus.terms import Map, Op, ShapeError, Term, at, rebuild
from orderproof.symbolic.models.builders import (
    add,
    multiply,
    permutation,
    pointwise,
    size,
    symbol,
    total,
)
from orderproof.symbolic.statements.evidence import Evidence, weigh
from orderproof.symbolic.statements.logic import (
    Iff,
    LogicError,
    contraposition,
    cut,
    from_some,
    iff,
    instance,
    one_point,
    there_is,
    to_every,
    weakening,
)
from orderproof.symbolic.statements.statement import (
    Atom,
    Sizes,
    Statement,
    StatementError,
    in_text_order,
    sizes,
)
from tests.symbolic.statements.models import TooLarge, falsified, iff_falsified
from tests.symbolic.statements.small_statements import ONE, ZERO, A, B, M, X, Y, Z, m, n, op, p, r

LIMIT = 64  # values of tensors and maps that are tried at most, at each size
q, sigma, f = (
    symbol("q", (), n),
    permutation("σ", n),
    symbol("f", (m,), n),
)
FLAT = (ZERO, ONE, A, B, size(n), at(X, {"i": p()}), at(X, {"i": q()}), at(Z, {"j": r()}))
ROWS = (X, Y, at(X, {"i": sigma("i")}), at(M, {"j": r()}))
COLUMNS = (Z, at(X, {"i": f("j")}), at(M, {"i": p()}), at(Y, {"i": f("j")}))
RELATIONS = ("=", "≠", "<", "≤")
SIZES = (*[Sizes()] * 6, sizes({n: 1}), sizes({m: 1}), sizes(among={n: [1, 2]}), sizes({n: 2}))


class Search:
    """Random statements and rules, from one seed; `conclusions` counts what was concluded."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.true: list[Statement] = []
        self.conclusions: dict[str, int] = {}

    # ------------------------------------------------------------------------ statements
    def term(self) -> Term:
        """A small term."""
        rng = self.rng
        kind = rng.choice(("flat", "flat", "flat", "rows", "rows", "rows", "columns", "sum"))
        if rng.random() < 0.05:
            return M
        one, other = (rng.choice({"rows": ROWS, "columns": COLUMNS}.get(kind, FLAT)) for _ in "12")
        if kind == "sum":
            return total(rng.choice(ROWS), "i")
        match rng.randrange(6):
            case 0:
                return add(one, other)
            case 1:
                return multiply(one, other)
            case 2:
                return pointwise("max", one, rng.choice(FLAT))
        return one

    def atom(self) -> Atom:
        """A small atom."""
        left, right = self.term(), self.term()
        if self.rng.random() < 0.15:
            right = left
        return Atom(left, self.rng.choice(RELATIONS), right, self.rng.random() < 0.4)

    def statement(self, *given: Atom, atom: Atom | None = None) -> Statement:
        """A small statement with these hypotheses, and perhaps others."""
        rng, found = self.rng, None
        while found is None:
            hyps = {*given, *(self.atom() for _ in range(rng.choice((0, 0, 1, 1, 2))))}
            what = atom or rng.choice([self.atom(), *in_text_order(hyps)])
            such = {self.atom() for _ in range(rng.choice((0, 1)))}
            try:
                bare = Statement(what, frozenset(hyps | such))
                free = sorted({*bare.tensors, *bare.maps}, key=repr)
                exists = frozenset(x for x in free if rng.random() < 0.4)
                if rng.random() < 0.4 or not exists:
                    exists, such = frozenset(), set()
                found = Statement(what, frozenset(hyps), exists, frozenset(such), rng.choice(SIZES))
            except (StatementError, ShapeError):
                pass
        return found

    def is_true(self, s: Statement) -> bool:
        """Whether a statement is true in all models that are tried."""
        return falsified(s, limit=LIMIT) is None

    def find(self, *given: Atom, atom: Atom | None = None, tries: int = 12) -> Statement | None:
        """A true statement with these hypotheses, if one is found."""
        for _ in range(tries):
            s = self.statement(*given, atom=atom)
            try:
                if self.is_true(s):
                    return s
            except TooLarge:
                pass
        return None

    def some_true(self) -> Statement:
        """A true statement, new or found before."""
        if (len(self.true) < 60 or self.rng.random() < 0.3) and (found := self.find(tries=40)):
            self.true.append(found)
        return self.rng.choice(self.true)

    # ------------------------------------------------------------------------------- rules
    def tensor(self, s: Statement) -> Op:
        """A tensor of a statement, or any; now and then a function."""
        if self.rng.random() < 0.05:
            return Op("pointwise", ("max", 2))
        return self.rng.choice((*s.tensors, op(X), op(A)))

    def filling(self, tensor: Op) -> Term:
        """A term for a tensor; now and then with an axis that is none of its slots."""
        t = self.term()
        names = range(len(tensor.data[1])) if tensor.kind == "leaf" else ()
        to: dict[Any, int] = {}
        for axis, over in t.sets.items():
            slots = [k for k in names if tensor.data[1][k] == over and k not in to.values()]
            if slots and self.rng.random() < 0.95:
                to[axis] = slots[0]
        return t.rename(to)

    def places(self, a: Atom) -> dict[Any, Map]:
        """A place for each axis of an atom, nearly always of its set."""
        own = {n: [p, q], m: [r]}
        return {x: self.rng.choice(own[over]) for x, over in a.axes.items()}

    def there(self, a: Atom) -> tuple[Atom, dict[Any, Map]]:
        """An atom at places."""
        where = self.places(a)
        left, right = (at(t, {x: where[x]() for x in t.axes}) for t in a.terms)
        return Atom(left, a.relation, right), where

    def weakened(self) -> tuple[Evidence, Statement]:
        """A true statement, and one that may be weaker."""
        rng, s = self.rng, self.some_true()
        a, given, such, over, exists = s.atom, set(s.given), set(s.such), s.sizes, s.exists
        for _ in range(rng.choice((1, 1, 2))):
            match rng.randrange(7):
                case 0:
                    a = Atom(a.lhs, rng.choice(RELATIONS), a.rhs, a.some)
                case 1:
                    a = Atom(a.lhs, a.relation, a.rhs, not a.some)
                case 2:
                    given = given | {self.atom()}
                case 3:
                    given = set(in_text_order(given)[1:])
                case 4:
                    such = set(in_text_order(such)[1:])
                case 5:
                    over = rng.choice(SIZES)
                case 6:
                    a = a.opposite()
        return Evidence(True, "true", s), Statement(
            a, frozenset(given), exists, frozenset(such), over
        )

    def apply(self, rule: str) -> Any:
        """What one random use of a rule concludes: a statement, an Iff, or nothing."""
        rng = self.rng
        match rule:
            case "weakening":
                e, s = self.weakened()
                return weakening(e, s).states
            case "uncovered":
                e, s = self.weakened()
                return s if weigh(s, e).settles else None
            case "instance":
                s = self.some_true()
                chosen = [self.tensor(s) for _ in range(rng.choice((1, 1, 2)))]
                e = Evidence(True, "true", s)
                return instance(e, {x: self.filling(x) for x in chosen}).states
            case "one point":
                x = rng.choice((X, Y, A, Z))
                try:
                    h = Atom(x, "=", self.term())
                except StatementError:
                    return None
                found = self.find(h)
                return found and one_point(Evidence(True, "true", found), op(x)).states
            case "there is":
                claimed = self.statement()
                if not claimed.exists or not all(isinstance(x, Op) for x in claimed.exists):
                    claimed = self.some_true()
                    x = rng.choice(claimed.tensors or (op(X),))
                    claimed = Statement(
                        claimed.atom, frozenset(), frozenset({x}), claimed.given, claimed.sizes
                    )
                to = {x: self.filling(x) for x in claimed.tensors if x in claimed.exists}
                shown = []
                for a in (claimed.atom, *in_text_order(claimed.such)):
                    s = Statement(put(a, to), claimed.given)
                    if self.is_true(s):
                        shown.append(Evidence(True, "true", s))
                return there_is(claimed, to, *shown).states
            case "contraposition":
                s = self.some_true()
                h = rng.choice((*in_text_order(s.given), self.atom()))
                return contraposition(Evidence(True, "true", s), h).states
            case "from some":
                h = self.atom()
                there, where = self.there(h)
                found = self.find(there)
                return found and from_some(Evidence(True, "true", found), h, where).states
            case "to every":
                a = self.atom()
                there, where = self.there(a)
                found = self.find(atom=there)
                return found and to_every(Evidence(True, "true", found), a, where).states
            case "cut":
                s = self.some_true()
                t = self.find(s.atom)
                e = Evidence(True, "true", s)
                return t and cut(e, Evidence(True, "true", t)).states
            case "iff":
                s = self.some_true()
                if not s.given:
                    return None
                h = rng.choice(in_text_order(s.given))
                rest = s.given - {h}
                t = self.find(h.opposite(), *rest, atom=s.atom.opposite())
                return t and iff(s, t)
        raise ValueError(rule)

    def falsehood(self, rule: str) -> str:
        """A false conclusion of one random use of a rule, or nothing."""
        try:
            found = self.apply(rule)
            if found is None:
                return ""
            self.conclusions[rule] = self.conclusions.get(rule, 0) + 1
            wrong = (
                iff_falsified(found, limit=LIMIT)
                if isinstance(found, Iff)
                else falsified(found, limit=LIMIT)
            )
        except (LogicError, StatementError, ShapeError, TooLarge):
            return ""
        return f"{rule}: {found}, at {wrong.sizes}" if wrong else ""


RULES = (
    "weakening", "uncovered", "instance", "one point", "there is", "contraposition", "from some",
    "to every", "cut", "iff",
)  # fmt: skip


def put(a: Atom, to: dict[Op, Term]) -> Atom:
    """An atom with terms for tensors."""
    sides = (rebuild(t.node, to).rename(dict(enumerate(t.axes))) for t in a.terms)
    return Atom(next(sides), a.relation, next(sides), a.some)
