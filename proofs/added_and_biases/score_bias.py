"""Attention with a score bias, and both halves of "it commutes with P iff P fixes the bias".

G = exp B ≥ 0 are weights on the exponentials of the scores, no row all 0; D is G with each row
divided by its largest entry, N with each row divided by its sum. If: D gives the weights that G
does, and where D is kept, so is the symmetry. Only if: let query weights be 0, so that attention is
N, and let one token be 1 and all others 0. Then the output at place i shows N[i, q] for the
permuted tokens, and N[σi, σq] where the output is permuted. If these are equal for all i and q, N
is kept, and so is D.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from orderproof.proofs.prelude import *
from orderproof.symbolic.calculus.terms import rebuild
from orderproof.symbolic.schemes.weights import by_largest
from orderproof.symbolic.statements import logic
from orderproof.symbolic.statements.evidence import Evidence
from orderproof.symbolic.statements.statement import Sizes, Statement

if TYPE_CHECKING:
    from orderproof.symbolic.smt.chain import Served
    from orderproof.symbolic.smt.obligation import Obligation

BOTH = {"i": sigma, "j": sigma}
ROW, COLUMN = constant("p", n), constant("q", n)
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
        order = by_laws(multiply(self.N, unit(token, factor)), unit(token, term))
        return [order.fact, kernel.sum_delta(term, "j", token)], order


BIAS = Bias(tensor("G", i=n, j=n))
WEIGHTS, NO_ZERO_ROW = BIAS.weights
LAYER = replace(SELF, mask=BIAS.G)


def unit(token: Index, factor: Term) -> Term:
    """The values of a token that is 1 where all others are 0, times a factor."""
    return multiply(at(delta(n, "i", "j"), {"i": token}), factor)


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


@dataclass(frozen=True)
class Model:
    """Layers of attention under a bias, and the weights for which their output shows N: in the last
    of them no queries, and as values the tokens times a factor; its output is that of the model."""

    bias: Bias
    layers: Callable[[Term, Term], Sequence[AttentionLayer]]  # of tokens and G
    output: Callable[[AttentionLayer], Term]
    factor: Term
    over: Sizes
    further: Mapping[Op, Term] = field(default_factory=dict)  # weights that are not of the last
    after: Callable[[Index], tuple[list[Theorem], list[Lemma]]] = lambda token: ([], [])
    heads: Mapping[Name, Map] = field(default_factory=dict)  # names a head, where there are several

    def f(self, tokens: Term, mask: Term) -> Term:
        """What the model makes of tokens under this G."""
        return self.output(self.layers(tokens, mask)[-1])

    @property
    def instead(self) -> dict[Op, Term]:
        """The tokens of which σ(q) alone is 1, and the weights."""
        q, k, v = map(leaf_of, self.layers(X, self.bias.G)[-1].weights)
        token = at(delta(n, 0, "j"), {"j": sigma(COLUMN())})
        value = divide(self.factor, size(d)).rename(dict.fromkeys(self.factor.axes, 1))
        return {leaf_of(X): token, q: number(0), k: number(0), v: value, **self.further}

    @property
    def sides(self) -> tuple[Term, Term]:
        """f(PX) and P f(X)."""
        return sides(self.f(X, self.bias.G), TOKENS, {"i": sigma})

    # ------------------------------------------------------------------------------------- if
    def kept_if(self) -> Joined:
        """If D is kept, f(PX) = P f(X)."""
        push = pushing(self.f(X, self.bias.D), TOKENS, [kernel.hyp(*self.bias.kept.terms)])
        both, lemmas = [], []
        for side, tokens in zip(self.sides, (moved(X, i=sigma), X), strict=True):
            layers = self.layers(tokens, self.bias.D)
            alone = [self.bias.largest_alone(layer.S) for layer in layers]
            both.append(rewritten(side, *(x.fact for x in alone)))
            lemmas += alone
        return Joined(chain(both[0], push.theorem, kernel.sym(both[1])), lemmas)

    # -------------------------------------------------------------------------------- only if
    def shown(self, tokens: Term, token: Index) -> tuple[Theorem, list[Lemma]]:
        """What the output is at `instead`, where the unit stands at this token."""
        to, (*before, last) = self.instead, self.layers(tokens, self.bias.G)
        last = replace(last, tokens=tokens, memory=as_keys(tokens), mask=None)
        facts, used = self.bias.no_scores(put(last.Q, to), put(last.S, to))
        nothing = add(put(tokens, to), contract(self.bias.N, as_keys(NOTHING), "j"))
        skips = [by_laws(nothing, put(tokens, to), "constant") for _ in before]
        value = by_laws(put(last.V, to), unit(token, self.factor), "constant", over=sizes({d: 1}))
        picked, order = self.bias.picked(token, self.factor)
        after, more = self.after(token)
        passed = [fact for skip in skips for fact in (skip.fact, *facts)]
        whole = put(self.f(tokens, self.bias.G), to)
        th = rewritten(whole, *facts, *passed, value.fact, *picked, *after)
        return chain(th, inward(th.rhs)), [*used, *skips, value, order, *more]

    def equal(self) -> tuple[Joined, Lemma]:
        """If both sides are equal there, so are entries of N, times what is not 0; so are they."""
        after, used = self.shown(moved(X, i=sigma), COLUMN())
        before, more = self.shown(X, sigma(COLUMN()))
        right = kernel.cong(put(self.sides[1], self.instead), [before])
        both = chain(kernel.sym(after), kernel.hyp(after.lhs, right.lhs), right, inward(right.rhs))
        axis = dict(zip(self.sides[0].axes, both.lhs.axes, strict=True))["i"]
        entries = at_places(both, {axis: ROW})
        here: dict[Name, Index] = {a: p() for a, p in self.places.items()}
        entry, other = (at(t, here) for t in self.bias.same_sums.terms)
        times = Atom(entries.lhs, "=", entries.rhs)
        over = sizes({x: k for x, k in self.over.least if x in Statement(times).sets})
        lemmas = {x.statement: x for x in (*used, *more)}
        same = by_laws(entry, other, "first", given=[times], over=over)
        return Joined(entries, [*lemmas.values()]), same

    @property
    def places(self) -> dict[Name, Map]:
        """A row, a column, and a head where there are several, at which N is not kept."""
        return {**self.heads, "i": ROW, "j": COLUMN}


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
        to, differ = self.model.instead, Atom(self.model.sides[0], "≠", self.model.sides[1], True)
        left, right = (put(t, to) for t in self.model.sides)
        unequal = logic.contraposition(equal, Atom(left, "=", right))
        claimed = Statement(differ, frozenset({entry}), frozenset(to), sizes=self.model.over)
        there = logic.there_is(claimed, to, unequal)
        somewhere = logic.from_some(there, same.opposite(), self.model.places)
        outside = logic.contraposition(self.model.bias.recovered()(s), same)
        asked = sum(map(len, self.served(s).values()))
        said = f"{asked} questions to solvers, law {joined.theorem.law}; then "
        said += "cut, contraposition, there is, a place from some"
        return replace(logic.cut(outside, somewhere), detail=said)


def halves(model: Model, column: Name | None) -> tuple[Claim, Claim]:
    """If D is kept, f(PX) = P f(X) for all X and weights; if not, for some it is not so."""
    left, right = model.sides
    claimed = partial(holds, left, rhs=right, row="i", column=column, over=model.over)
    given, kept = model.bias.weights, model.bias.kept
    if_kept = claimed("=", marks={"smt": model.kept_if()}, given=[*given, kept])
    marks = {"smt": OnlyIf(model)}
    only_if = claimed("≠", marks=marks, some=True, given=[*given, kept.opposite()])
    return if_kept, only_if.stating(exists=frozenset(model.instead))


def show_bias(named: Sequence[Named], bias: Bias, *alike: Mapping[str, str]) -> Show:
    """How the book writes the parts of a model under a bias, and primed those of PX."""
    images, pairs = primed_images(named, TOKENS)
    return show(*named, Named("D", bias.D, "i", "j"), *images, alike=(*alike, pairs))


def commutes_iff_kept(
    name: str, model: Model, named: Sequence[Named], *alike: Mapping[str, str]
) -> Proof:
    """The theorem of this name: the model commutes with P if and only if P keeps D."""
    if_kept, only_if = halves(model, named[-1].column)
    weights, kept = model.bias.weights, model.bias.kept
    without = "Without the condition it fails: a bias that P does not fix can break the symmetry."
    fixed = "If P fixes the bias, both sides are equal."
    return Proof(
        claims=in_rocq(name, if_kept, only_if),
        iffs=((0, 1),),
        planted=(
            nearby(if_kept, without, given=frozenset(weights)),
            nearby(only_if, fixed, given=frozenset({*weights, kept})),
        ),
        show=show_bias(named, model.bias, *alike),
    )


def with_falsehood(proof: Proof, false: Neighbour, *claims: Claim) -> Proof:
    """The theorem with this falsehood before the others, and further claims."""
    claims = (*proof.claims, *claims)
    return replace(proof, claims=claims, planted=(false, *proof.neighbours))
