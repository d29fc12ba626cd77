"""Attention with something else in place of softmax's exp(q·k): any weight, or features."""

from __future__ import annotations

from orderproof.symbolic.calculus.terms import Name, Op, Term, build

from .builders import contract, divide, exp, multiply, number, size, sqrt, subtract, total


def weigh(name: str, queries: Term, keys: Term, feature: Name) -> Term:
    """w(q, k): a number of a query and a key, of which nothing is known. Both have the feature
    axis, and keep their others."""
    over = (queries.sets[feature],), (keys.sets[feature],)
    return build(Op("opaque", (name, over, ())), [queries, keys], [[feature], [feature]])


def normalised(weights: Term, memory: Name) -> Term:
    """Weights divided by their sum over the memory axis, which must not be 0."""
    return divide(weights, total(weights, memory))


def linear_attention(queries: Term, keys: Term, values: Term, memory: Name, feature: Name) -> Term:
    """φ(q)ᵀ (Σⱼ φ(kⱼ) vⱼᵀ) / φ(q)ᵀ Σⱼ φ(kⱼ), of φ(q) and φ(k) over the feature axis: the sums over
    the memory are taken once for all queries (Katharopoulos et al. 2020, eq. 5)."""
    state = contract(keys, values, memory)
    return divide(
        contract(queries, state, feature), contract(queries, total(keys, memory), feature)
    )


def random_features(rows: Term, directions: Term, axis: Name, feature: Name) -> Term:
    """exp(ωᵀx − |x|²/2)/√f for each of f fixed directions ω, over the feature axis, of rows x over
    the other (Choromanski et al. 2021, lemma 1)."""
    half = divide(total(multiply(rows, rows), axis), number(2))
    powers = exp(subtract(contract(rows, directions, axis), half))
    return divide(powers, sqrt(size(directions.sets[feature])))
