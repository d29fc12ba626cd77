"""Derivations as they are printed: each line a theorem of the kernel, with its reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType

from orderproof.check.claims import StuckError, TheoremFile
from orderproof.check.page import Formula, Line, Reason, Section
from orderproof.symbolic.derive.push import Pushed
from orderproof.symbolic.derive.steps import (
    Named,
    Show,
    WrittenLine,
    ends,
    lines,
    sections,
    steps,
)
from orderproof.symbolic.readings.notation import equation, in_both

from .statements import style_of

PRODUCT = Formula(r"(A\,B)\,C = A\,(B\,C)", "(A B) C = A (B C)")
TRANSPOSED = Formula(r"(A\,B)^{\top} = B^{\top} A^{\top}", "(A B)ᵀ = Bᵀ Aᵀ")
SUM = Formula(r"P\,A + P\,B = P\,(A + B)", "P A + P B = P (A + B)")
ROW = Formula(r"P\,\mathbf{1} = \mathbf{1}", "P 1 = 1")  # equal rows stay as they are
PICKED = Formula(r"\sum_{j} \delta_{ij} a_{j} = a_{i}", "Σ_j δ[i, j] a[j] = a[i]")
TURNED = Formula(r"\delta_{ij} = \delta_{ji}", "δ[i, j] = δ[j, i]")
LEMMA = "sum_act"  # a sum does not depend on the order of its terms
IDENTITY = "perm_transpose_mul"  # Pᵀ P = I, which is that lemma in matrices
CANCELLED = re.compile(r"\b(\w+)(?: \S+\))?ᵀ\)? \(\1 ")  # (A Pᵀ) (P B), (P A)ᵀ (P B)
TURNS = re.compile(r"\(\S+ \S+\)ᵀ")  # (P K)ᵀ
DEFINED = {  # the theorems about what is defined
    "softmax": "softmax_conjugate",
    "MultiHead": "multi_head_equivariant",
    "PostNorm": "encoder_block_equivariant",
    "PreNorm": "encoder_block_equivariant",
    "CrossHeads": "multi_head_cross_attention_equivariant",
    "PostNormDecoder": "decoder_block_invariant_of_memory",
    "PreNormDecoder": "decoder_block_invariant_of_memory",
}
REASONS: Mapping[str, str | Formula] = {
    "definition": "by definition",
    "unfold": "by definition",
    "hyp": "by hypothesis",
    "at_equal": "by hypothesis",
    "inst": "an instance",
    **dict.fromkeys(("reindex", "reindex prod", "reindex max", "reindex min"), LEMMA),
    "at_delta": "a bijection is injective",
    "symmetric": TURNED,
    "sum_delta": PICKED,
    "at_cat": "on each part",
    "at_at": "composition of maps",
    "at_op product": PRODUCT,
    "at_op reduce sum": SUM,
    "at_op pointwise add": SUM,
    "at_op sum with a row": ROW,
    "at_op cat": "on each part",
    **DEFINED,
}
CITED = frozenset({LEMMA, "by hypothesis", *DEFINED.values()})
OWN = "shown above"  # in place of a theorem that its own derivation cites


def reason(names: Sequence[str], moved: Mapping[str, Reason], own: str = "") -> Reason:
    """Why a line equals the one before it, in the words of a textbook: what is cited, then the
    rules; how a substitution passes through an operator, only where nothing else is told."""
    cited = [moved[n] for n in names if n in moved]
    rules = [n for n in names if n not in moved]
    carrying = [n for n in rules if n == "at_at" or n.startswith("at_op ")]
    telling = [n for n in rules if n not in carrying] or ([] if cited else carrying)
    if "at_op product" in telling:  # its factors are multiplied entry by entry first
        telling = [n for n in telling if n != "at_op pointwise mul"]
    each: list[Reason] = list(dict.fromkeys([*cited, *(_by_rule(n) for n in telling)]))
    each = [(OWN,) if r == (own,) else r for r in each]
    return tuple(part for k, r in enumerate(each) for part in (("; ", *r) if k else r))


def _by_rule(name: str) -> Reason:
    """The reason for one rule of the kernel, and for the operator that it passes through."""
    rule, _, function = name.rpartition(" ")
    if rule in ("at_op apply", "at_op opaque"):
        return in_both(lambda to: to.function(function)), " acts on each row"
    if rule in ("at_op pointwise", "at_op reduce") and name not in REASONS:
        return ("entry by entry",)
    return (REASONS.get(name, name),)


TITLES = {
    "Q": "The queries",
    "K": "The keys",
    "V": "The values",
    "S": "The scores",
    "A": "The attention weights",
    "Z": "The output",
    "H": "The tokens with their positions",
    "B": "Queries with a bias",
    "F": "Any map of each row",
    "G": "The products, before they are scaled",
    "a": "The softmax of one row",
    "z": "One step of generation",
    "u": "The same without softmax",
    "O": "The heads together",
    "N_L": "Layer norm",
    "N_R": "RMS norm",
    "H_R": "Feed-forward with ReLU",
    "H_G": "Feed-forward with GELU",
    "Y": "A residual",
    "M_post": "Post-norm: the output of the heads",
    "Y_post": "Post-norm: after the first norm",
    "F_post": "Post-norm: the output of the feed-forward map",
    "Z_post": "Post-norm: the output",
    "N_pre": "Pre-norm: the input of the heads",
    "M_pre": "Pre-norm: the output of the heads",
    "Y_pre": "Pre-norm: after the first residual",
    "G_pre": "Pre-norm: the input of the feed-forward map",
    "F_pre": "Pre-norm: the output of the feed-forward map",
    "Z_pre": "Pre-norm: the output",
}


def derivations(theorem: TheoremFile) -> tuple[Section, ...]:
    """Pushes, then chains; what two pushes have in common stands once. StuckError where the lines
    in the theorem's file are not those of its derivation."""
    named_reasons(theorem)
    show, own, titles = theorem.show, theorem.id, theorem.titles
    found = [s for p in theorem.shown for s in of_push(p, show, own, titles, theorem.cited)]
    for item, proof in theorem.chains:
        written = lines(proof, item, style_of(theorem), theorem.lemmas, opening=False)
        found.append(Section(_title(item, titles), _shown(written, show, own, {})))
    sections = tuple(dict.fromkeys(found))
    compare(theorem.id, theorem.derivation, sections)
    return sections


def compare(name: str, text: str, sections: Sequence[Section]) -> None:
    """Refuse the lines of a theorem's file unless they are those of its derivation, one by one:
    formula and reason, with two spaces or the end of a line between them."""
    parts = re.split(r"\s*\n\s*|\s{2,}", text.strip()) if text.strip() else []
    given = [tuple(parts[k : k + 2]) for k in range(0, len(parts), 2)]
    for k, (own, derived) in enumerate(zip_longest(given, in_lines(sections)), 1):
        if own != derived:
            said = ["  ".join(line) if line else "no line" for line in (own, derived)]
            where = f"{name}: line {k} of its derivation"
            raise StuckError(f"{where}: given {said[0]}, expected {said[1]}")


def in_lines(sections: Sequence[Section]) -> list[tuple[str, str]]:
    """The lines of derivations as a theorem's file has them: ("Q′ = (P X) W_Q", "by definition"),
    ("= P (X W_Q)", "(A B) C = A (B C)")."""
    found = []
    for section in sections:
        first, *rest = section.lines
        left = f"{first.formula.plain} "
        for line in rest:
            found.append((f"{left}= {line.formula.plain}", line.because))
            left = ""
    return found


def named_reasons(theorem: TheoremFile) -> None:
    """Refuse a reason that the file gives by hand, unless the theorems that it names are those that
    the file uses, or all that the kernel's steps cite."""
    for by in theorem.cited.values():
        if by not in theorem.uses:
            raise StuckError(f"{theorem.id}: cited {by}, expected one of its uses")
    for proof, said in theorem.lemmas.items():
        named = re.search(r"\((\w+)\)$", said)
        rules = [r for s in steps(proof, {}) for r in s.reasons]
        told = {part for r in rules for part in _by_rule(r)} & CITED
        given = set(said.split("; ")) & CITED
        right = named[1] in theorem.uses if named else given == told
        if not right:
            wanted = "; ".join(sorted(map(str, told))) or "no theorem"
            raise StuckError(f"{theorem.id}: given the reason {said}, expected {wanted}")


def _title(item: Named, titles: Mapping[str, str]) -> str:
    return {**TITLES, **titles}.get(item.name, item.name)


def _shown(
    written: Sequence[WrittenLine], show: Show, own: str, moved: Mapping[str, Reason]
) -> tuple[Line, ...]:
    first, *rest = written
    shown = [Line(first.formula)]
    matrices = show.matrices.values()
    for before, line in zip(written, rest, strict=False):
        found = reason(line.reasons, moved, own)
        beside = CANCELLED.search(before.formula.plain)
        if LEMMA in found and beside and beside[1] in matrices:
            k = found.index(LEMMA)
            found = (*found[:k], _identity(beside[1]), f" ({IDENTITY})", *found[k + 1 :])
        turned, still = (TURNS.search(x.formula.plain) for x in (before, line))
        if PRODUCT in found and turned and not still:
            found = (TRANSPOSED, "; ", *found)
        shown.append(Line(line.formula, found, line.aside))
    return tuple(shown)


def _identity(matrix: str) -> Formula:
    """PᵀP = I."""
    return in_both(lambda to: f"{to.symbol(matrix)}{to.top} {to.symbol(matrix)} = I")


def of_push(
    pushed: Pushed,
    show: Show,
    own: str = "",
    titles: Mapping[str, str] = MappingProxyType({}),
    cited: Mapping[str, str] = MappingProxyType({}),
) -> list[Section]:
    """How each named tensor moves, from those before it; those that are cited are not shown. `own`
    is the theorem whose derivation it is."""
    written = sections(pushed, show)
    style = show.style(pushed)
    sides = {x.name: ends(pushed.parts[x.term.node], x, style) for x, _ in written}
    moved: dict[str, Reason] = {
        x: (REASONS["definition"] if a == b else equation(a, b),) for x, (a, b) in sides.items()
    }
    moved |= {x: (*moved[x], f" ({by})") for x, by in cited.items() if x in moved}
    return [
        Section(_title(item, titles), _shown(ls, show, own, moved))
        for item, ls in written
        if item.name not in cited
    ]
