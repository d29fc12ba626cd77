"""What each mark says, and what a reader who accepts it must believe."""

from __future__ import annotations

from dataclasses import dataclass

from orderproof._paths import PACKAGE
from orderproof.check.page import RECORDED_ROCQ, ROCQ


@dataclass(frozen=True)
class Trust:
    """A layer of trust in words."""

    name: str
    says: str
    believe: str


MARKS = (
    Trust(
        ROCQ,
        "The claim for every size, every weight and exact real numbers: a proof by hand of the "
        "proposition that is generated from the claim, over any ordered field and any function "
        "with the properties of exp and √ that it names, where x/0 = 0; or a certificate of the "
        "derivation itself; or a headline, which is shown as Rocq states it.",
        "Rocq's kernel. For a proof by hand, that one file writes a claim as the proposition that "
        "says it; for a certificate, that two short files say the same thing: the calculus in "
        "Python and its meaning in Rocq, where every rule is proved; for a headline, that it says "
        "what the sentence that cites it says. Print Assumptions was read and compared: no axiom, "
        "but where the exponential is the real one the classical axioms of its library.",
    ),
    Trust(
        RECORDED_ROCQ,
        "The same, as a run of Rocq for this release found it, and not checked here: the digests "
        "of the claim, of its certificate (a headline has none) and of the files that it needs "
        "are those of the record.",
        "Whoever made the release, and Rocq's kernel. The record has a digest of its own, which "
        "guards against accident and not against attack; CI compares it with a run of Rocq.",
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
        "The claim for every size that it names: the question is generated from its terms, sums "
        "standing for themselves under laws that are proved by induction.",
        "Z3 and, where it is installed, cvc5: solvers by different authors, the second of which "
        "reads the exported questions alone; the principle of induction, for which base and step "
        "are made of one formula; and the translation of terms into questions, with the laws of "
        "exponentials, roots, sines and quotients that it takes as given.",
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
        "computed exactly, in fractions with √d and ln 2 beside them.",
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
        "paper",
        "An argument in prose stands between what was checked and what is claimed. It settles "
        "nothing, and is printed as what it is.",
        "The argument.",
    ),
    Trust(
        "conjecture",
        "The claim is stated and not settled.",
        "Nobody claims it yet.",
    ),
)

VERDICTS = (
    "A claim is refuted if a mark shows that it is false. It is proved if all marks that were made "
    "agree, one of them establishes it for all that it ranges over, and values were found that "
    "satisfy its hypotheses; where only the release's record of Rocq does so, it is recorded. "
    "Otherwise it is open, and so it is where a check broke down. A theorem is open if a mark does "
    "not reject its false variant; otherwise it has the weakest verdict of its claims: refuted, "
    "open, recorded, proved. So has whatever rests on several theorems. What Rocq states itself, a "
    "headline, is proved by Rocq alone."
)

SHARED = (
    "An error in code that two marks share could make both of them green. Three pairs share code "
    "that evaluates for both: sympy and interval the reading of a term by its entries "
    "(symbolic/readings/entries.py), exact and numeric the reading by arrays, with NumPy "
    "(symbolic/readings/index_arrays.py and symbolic/readings/numpy_arrays.py), exact and interval "
    "the program that replays counterexamples (symbolic/witness). All share what a claim is made "
    "of, its terms, stacks of layers and its statement, and the files in check/ that choose "
    "sizes, maps and inputs. Contracts on imports hold the readings apart (pyproject.toml)."
)

CORE = ("calculus/terms", "calculus/kernel")  # with a bound of 600 lines
JOINS = tuple(
    f"statements/{name}" for name in ("statement", "canonical", "text", "evidence", "logic")
)


def lines(names: tuple[str, ...]) -> int:
    """How many lines these files of symbolic/ have together."""
    files = (PACKAGE / "symbolic" / f"{name}.py" for name in names)
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def joins() -> str:
    """What has to be trusted for every mark: that evidence is compared with the claim."""
    files = [f"symbolic/{name}.py" for name in JOINS]
    listed = f"{', '.join(files[:-1])} and {files[-1]}"
    return (
        f"What a mark is about is decided by {listed} ({lines(JOINS)} lines): what a statement is, "
        "whether what evidence establishes covers what is claimed, and the rules that make one "
        "established statement of others. They are trusted for every mark, as the calculus and its "
        f"kernel ({lines(CORE)} lines) are for theirs."
    )
