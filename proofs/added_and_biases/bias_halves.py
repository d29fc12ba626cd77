"""Attention with a score bias commutes with P iff P fixes it: both halves, as evidence.

G = exp B ≥ 0 are weights on the exponentials of the scores, D is G with each row divided by its
largest entry, N with each row divided by its sum. If: D gives the weights that G does, and where D
is kept, so is the symmetry. Only if: let query weights be 0, so that attention is N, and let one
token be 1 and all others 0. Then the output at place i shows N[i, q] for the permuted tokens, and
N[σi, σq] where the output is permuted. If these are equal for all i and q, N is kept, and so is D.
"""

from dataclasses import field

from orderproof.check.marks.joined import Joined, Lemma, by_laws, putting
from orderproof.proofs.prelude import *
from orderproof.symbolic.calculus.terms import rebuild
from orderproof.symbolic.schemes.weights import by_largest
from orderproof.symbolic.smt.chain import Served
from orderproof.symbolic.smt.obligation import Obligation
from orderproof.symbolic.statements import logic
from orderproof.symbolic.statements.evidence import Evidence
from orderproof.symbolic.statements.statement import Sizes, Statement

BOTH = {"i": sigma, "j": sigma}
ROW, COLUMN = constant("p", n), constant("q", n)
UNIT = at(delta(n, "i", "j"), {"j": sigma(COLUMN())})  # 1 at the token σ(q), 0 elsewhere
NOTHING = multiply(number(0), iota(n, "i"))


@dataclass(frozen=True)
class Bias:
    """The weights of a bias over (i, j), and heads."""

    G: Term

    @property
    def N(self) -> Term:
        """With each row divided by its sum."""
        return normalised(self.G, "j")

    @property
    def D(self) -> Term:
        """With each row divided by its largest entry."""
        return by_largest(self.G, "j")

    @property
    def weights(self) -> tuple[Atom, Atom]:
        """They are weights, and not all 0 in a row."""
        return Atom(number(0), "≤", self.G), Atom(number(0), "<", total(self.G, "j"))

    @property
    def kept(self) -> Atom:
        """D is the same at (σi, σj) as at (i, j)."""
        return Atom(moved(self.D, **BOTH), "=", self.D)

    @property
    def same_sums(self) -> Atom:
        """So is N."""
        return Atom(moved(self.N, **BOTH), "=", self.N)

    def of_sums(self) -> Theorem:
        """If N is kept, so is N with each row divided by its largest entry."""
        some = tensor("N", **{str(a): s for a, s in self.G.sets.items()})
        motion = tuple(sigma if s == n else None for s in some.sets.values())
        push = pushing(by_largest(some, "j"), {leaf_of(some): motion}).theorem
        over = self.N.rename({a: k for k, a in enumerate(some.axes)})
        push = kernel.inst(push, {leaf_of(some): over})
        return chain(kernel.sym(push), putting(push.lhs, kernel.hyp(*self.same_sums.terms)))

    def recovered(self) -> Joined:
        """If N is kept, D is: of N and of G it is the same."""
        form = by_laws(by_largest(self.N, "j"), self.D, "scale", "signed", given=self.weights)
        whole = self.of_sums()
        left, right = (putting(side, form.fact) for side in (whole.lhs, whole.rhs))
        return Joined(chain(kernel.sym(left), whole, right), (form,))

    def largest_alone(self, scores: Term) -> Lemma:
        """D gives the weights that G does: a factor for each row cancels."""
        left, right = (masked_softmax(scores, g, "j") for g in (self.G, self.D))
        return by_laws(left, right, "scale", "support", "signed", given=self.weights)

    def no_scores(self, query: Term, scores: Term) -> tuple[list[Theorem], list[Lemma]]:
        """Where queries and keys are 0 so are the scores, and what they weigh is G."""
        zero = multiply(NOTHING, as_keys(NOTHING))
        nothing = by_laws(query, NOTHING, "constant")
        bare = putting(scores, nothing.fact)
        known = by_laws(bare.rhs.rename(dict(enumerate(scores.axes))), zero, "constant")
        weighed = by_laws(multiply(self.G, exp(zero)), self.G, "single")
        return [nothing.fact, known.fact, weighed.fact], [nothing, known, weighed]

    def picked(self, token: Index, factor: Term) -> tuple[list[Theorem], Lemma]:
        """Σⱼ N[i, j] (δ(t, j) f) = N[i, t] f."""
        term = multiply(self.N, factor)
        stands = unit(token, factor)
        order = by_laws(multiply(self.N, stands), multiply(at_token(token), term))
        return [order.fact, kernel.sum_delta(term, "j", token)], order


def at_token(token: Index) -> Term:
    """δ(t, j)"""
    return at(delta(n, "i", "j"), {"i": token})


def unit(token: Index, factor: Term) -> Term:
    """The values of a token that is 1 where all others are 0, times a factor."""
    return multiply(at_token(token), factor)


def one(over: Set, axis: Name) -> Term:
    """δ(a, a), which is 1, over an axis."""
    return at(delta(over, 0, 1), {0: axis, 1: axis})


def put(t: Term, to: Mapping[Op, Term]) -> Term:
    """A term with others in place of tensors."""
    return rebuild(t.node, to).rename(dict(enumerate(t.axes)))


def rewritten(t: Term, *facts: Theorem) -> Theorem:
    """t = the same with one fact after another used in it."""
    steps: list[Theorem] = []
    for fact in facts:
        steps.append(putting(steps[-1].rhs if steps else t, fact))
    return chain(*steps)


def at_places(th: Theorem, places: Mapping[Name, Map]) -> Theorem:
    """A theorem at these elements, with both sides' indices put where they belong."""
    to: dict[Name, Index] = {a: p() for a, p in places.items()}
    there = kernel.cong(at(th.lhs, to), [th])
    return chain(kernel.sym(inward(there.lhs)), there, inward(there.rhs))


Told = Callable[[Term, Index], tuple[Theorem, list[Lemma]]]


@dataclass(frozen=True)
class Model:
    """A model f under a bias: what it makes of tokens X, and its tensors that show N.

    `scores` are those of each layer, with D for G in the layers before; `told` says what the output
    is at `instead` for tokens of which the unit stands at a token; `heads` name a head where there
    are several."""

    bias: Bias
    f: Callable[..., Term]  # of tokens, and G of each layer
    scores: Callable[[Term], Sequence[Term]]
    instead: Mapping[Op, Term]
    told: Told
    over: Sizes
    heads: Mapping[Name, Map] = field(default_factory=dict)

    @property
    def sides(self) -> tuple[Term, Term]:
        """f(PX) and P f(X)."""
        whole = self.f(X, self.bias.G)
        return sides(whole, TOKENS, {"i": sigma})

    # ------------------------------------------------------------------------------------- if
    def kept_if(self) -> Joined:
        """If D is kept, f(PX) = P f(X)."""
        left, right = self.sides
        push = pushing(self.f(X, self.bias.D), TOKENS, [kernel.hyp(*self.bias.kept.terms)])
        both, lemmas = [], []
        for side, tokens in ((left, moved(X, i=sigma)), (right, X)):
            alone = [self.bias.largest_alone(scores) for scores in self.scores(tokens)]
            both.append(rewritten(side, *(x.fact for x in alone)))
            lemmas += alone
        return Joined(chain(both[0], push.theorem, kernel.sym(both[1])), lemmas)

    def claimed_if(self) -> Statement:
        """What is shown."""
        left, right = self.sides
        given = frozenset({*self.bias.weights, self.bias.kept})
        return Statement(Atom(left, "=", right), given, sizes=self.over)

    # -------------------------------------------------------------------------------- only if
    def equal(self) -> tuple[Joined, Lemma]:
        """If both sides are equal there, so are entries of N, times what is not 0; so are they."""
        after, used = self.told(moved(X, i=sigma), COLUMN())
        before, more = self.told(X, sigma(COLUMN()))
        right = kernel.cong(put(self.sides[1], self.instead), [before])
        both = chain(kernel.sym(after), kernel.hyp(after.lhs, right.lhs), right, inward(right.rhs))
        axis = dict(zip(self.sides[0].axes, both.lhs.axes, strict=True))["i"]
        shown = at_places(both, {axis: ROW})
        here: dict[Name, Index] = {a: p() for a, p in self.places.items()}
        entry, other = (at(t, here) for t in self.bias.same_sums.terms)
        times = Atom(shown.lhs, "=", shown.rhs)
        over = sizes({x: k for x, k in self.over.least if x in Statement(times).sets})
        lemmas = {x.statement: x for x in (*used, *more)}
        same = by_laws(entry, other, "first", given=[times], over=over)
        return Joined(shown, [*lemmas.values()]), same

    @property
    def places(self) -> dict[Name, Map]:
        """A row, a column, and a head where there are several, at which N is not kept."""
        return {**self.heads, "i": ROW, "j": COLUMN}

    def claimed_only_if(self, given: frozenset[Atom] | None = None) -> Statement:
        """What is shown."""
        left, right = self.sides
        outside = frozenset({*self.bias.weights, self.bias.kept.opposite()})
        there = frozenset(self.instead)
        atom = Atom(left, "≠", right, some=True)
        return Statement(atom, outside if given is None else given, there, sizes=self.over)


@dataclass(frozen=True)
class OnlyIf:
    """If σ does not keep D, there are tokens and weights for which f(PX) ≠ P f(X)."""

    model: Model

    def served(self, s: Statement) -> dict[Served, tuple[Obligation, ...]]:
        """What the certificates of its lemmas carry, with the questions to solvers."""
        joined, last = self.model.equal()
        whole = Joined(joined.theorem, (*joined.lemmas, last))
        return whole.served(s) | self.model.bias.recovered().served(s)

    def __call__(self, s: Statement) -> Evidence:
        joined, last = self.model.equal()
        of_entries = last.check(last.statement)
        for found in (whole := joined(s), of_entries):
            if found.ok is not True:
                return found
        equal = logic.cut(whole, of_entries)
        same, entry = self.model.bias.same_sums, last.statement.atom.opposite()
        left, right = (put(t, self.model.instead) for t in self.model.sides)
        unequal = logic.contraposition(equal, Atom(left, "=", right))
        claimed = self.model.claimed_only_if(frozenset({entry}))
        there = logic.there_is(claimed, self.model.instead, unequal)
        somewhere = logic.from_some(there, same.opposite(), self.model.places)
        outside = logic.contraposition(self.model.bias.recovered()(s), same)
        asked = sum(map(len, self.served(s).values()))
        said = f"{asked} questions to solvers, law {joined.theorem.law}; then "
        said += "cut, contraposition, there is, a place from some"
        return replace(logic.cut(outside, somewhere), detail=said)
