"""What each mark says, and what a reader who accepts it must believe."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Trust:
    """A layer of trust in words."""

    name: str
    says: str
    believe: str


MARKS = (
    Trust(
        "rocq",
        "The claim for every size, every weight and exact real numbers: a proof by hand of the "
        "proposition that is generated from the claim, over any ordered field and any function "
        "with the properties of exp and √ that it names, where x/0 = 0; or a certificate of the "
        "derivation itself. An encoder's certificate is for its depth.",
        "Rocq's kernel. For a proof by hand, that one file writes a claim as the proposition that "
        "says it; for a certificate, that two short files say the same thing: the calculus in "
        "Python and its meaning in Rocq, where every rule is proved. Print Assumptions was read "
        "and compared: no axiom, but where the exponential is the real one the classical axioms "
        "of its library.",
    ),
    Trust(
        "kernel",
        "An equality for every size, every weight and every input. Its law is what was used of "
        "the numbers: perm nothing, ring their arithmetic (so not with −∞ among them).",
        "The constructors and the rules of this project's calculus: two short files on the "
        "standard library alone.",
    ),
    Trust(
        "smt",
        "The one lemma, and identities between numbers, for every size by induction.",
        "Z3 and, where it is installed, cvc5: solvers by different authors, the second of which "
        "reads the exported obligation alone; the principle of induction, for which base and step "
        "are made of one formula; the definitions that the obligations use; and that the last of "
        "the lemmas, compared with the claim entry by entry at sizes up to three, says the claim "
        "at every size.",
    ),
    Trust(
        "sympy",
        "The claim for small sizes, with symbols for entries: for each permutation, or for "
        "generators together with the rule for composing them.",
        "SymPy's way of writing an expression in one form.",
    ),
    Trust(
        "exact",
        "A counterexample, or an example, at the sizes and entries given: both sides were "
        "computed as fractions.",
        "Integer fractions of Python, and a small evaluator that shares no code with the search.",
    ),
    Trust(
        "interval",
        "A counterexample with exponentials or sines in it: both sides were enclosed, and the "
        "enclosures are apart. Of an identity: they are narrow, and meet (evidence, not proof).",
        "Interval arithmetic: that every rounding was outward.",
    ),
    Trust(
        "numeric",
        "Both sides agree on random inputs within a bound that is derived from rounding, in double "
        "and in single precision.",
        "Nothing is proved by this: it is evidence, as good as NumPy and the inputs that were "
        "tried.",
    ),
    Trust(
        "conjecture",
        "The claim is stated and not settled.",
        "Nobody claims it yet.",
    ),
)
