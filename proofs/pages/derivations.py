"""Derivations as they are printed: each line a theorem of the kernel, with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orderproof.proofs.check.claims import TheoremFile
from orderproof.proofs.check.page import Formula, Line, Section
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Map
from orderproof.symbolic.derive.push import Pushed
from orderproof.symbolic.derive.steps import Named, WrittenLine, ends, lines, sections
from orderproof.symbolic.models.builders import symbols
from orderproof.symbolic.readings.notation import Latex, Plain

from .statements import style_of

REASONS = {
    "definition": "by definition",
    "at_op": "it acts on other axes, so this one passes",
    "at_op pointwise": "entry by entry",
    "at_at": "one after the other",
    "reindex": "sum_act: a sum does not see the order of its terms",
    "reindex prod": "sum_act: a product does not see the order of its terms",
    "reindex max": "sum_act: a maximum does not see the order of its terms",
    "reindex min": "sum_act: a minimum does not see the order of its terms",
    "softmax": "softmax of one row (softmax_conjugate)",
    "MultiHead": "multi_head_equivariant",
    "PostNorm": "encoder_block_equivariant",
    "PreNorm": "encoder_block_equivariant",
    "unfold": "by definition",
    "hyp": "by hypothesis",
    "inst": "an instance",
    "at_delta": "a bijection is injective",
    "symmetric": "δ is symmetric",
    "sum_delta": "the identity matrix picks one term",
    "at_equal": "the same place, by hypothesis",
    "at_cat": "part by part",
}


CARRYING = ("at_op", "at_op pointwise", "at_at")  # steps that are told where they stand alone
Reason = tuple[str | Formula, ...]  # words and formulas in order


def reason(names: Sequence[str], moved: Mapping[str, Reason]) -> Reason:
    """Why a line equals the one before it: what does the work, before what carries it."""
    cited = [moved[n] for n in names if n in moved]
    rules = [n for n in names if n not in moved]
    telling = [n for n in rules if n not in CARRYING] or ([] if cited else rules[:1])
    each: list[Reason] = [*cited, *((REASONS.get(n, n),) for n in telling)]
    return tuple(part for k, r in enumerate(each) for part in (("; ", *r) if k else r))


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
    "M_post": "Post-norm: what the heads add",
    "Y_post": "Post-norm: after the heads",
    "F_post": "Post-norm: what the feed-forward adds",
    "Z_post": "Post-norm: the output",
    "N_pre": "Pre-norm: what the heads see",
    "M_pre": "Pre-norm: what they add",
    "Y_pre": "Pre-norm: after the heads",
    "G_pre": "Pre-norm: what the feed-forward sees",
    "F_pre": "Pre-norm: what it adds",
    "Z_pre": "Pre-norm: the output",
    "X_1": "After one layer",
    "X_2": "After two layers",
}


def derivations(theorem: TheoremFile) -> tuple[Section, ...]:
    """Pushes, then chains; what two pushes have in common stands once."""
    found = [s for p in theorem.pushed for s in _sections(theorem, p)]
    found += [_chain(theorem, item, th) for item, th in theorem.chains]
    return tuple(dict.fromkeys(found))


def _chain(theorem: TheoremFile, item: Named, proof: Theorem) -> Section:
    written = lines(proof, item, style_of(theorem), theorem.lemmas, opening=False)
    return _section(_title(theorem, item), written, {}, {})


def _title(theorem: TheoremFile, item: Named) -> str:
    return {**TITLES, **theorem.titles}.get(item.name, item.name)


def _section(
    title: str,
    written: Sequence[WrittenLine],
    moved: Mapping[str, Reason],
    matrices: Mapping[Map, str],
) -> Section:
    shown = (
        Line(
            line.formula,
            (*reason(line.reasons, moved), *_cancelled(line, matrices)) if k else (),
            line.aside,
        )
        for k, line in enumerate(written)
    )
    return Section(title, tuple(shown))


def _cancelled(line: WrittenLine, matrices: Mapping[Map, str]) -> Reason:
    """Where the step, in matrices, is PᵀP = I: the matrix of the map that it reindexes by."""
    todo = [line.theorem] if line.theorem and "reindex" in line.reasons else []
    while todo:
        th = todo.pop()
        if th.rule == "reindex":
            before, after = (symbols(t)[1] for t in (th.lhs, th.rhs))
            for m in [m for m in after if m not in before] or after:
                if m in matrices:
                    latex, plain = (to.symbol(matrices[m]) for to in (Latex(), Plain()))
                    one = Formula(rf"{latex}^{{\top}} {latex} = I", f"{plain}ᵀ{plain} = I")
                    return " (", one, ")"
        todo += th.premises
    return ()


def _sections(theorem: TheoremFile, pushed: Pushed) -> list[Section]:
    written = sections(pushed, theorem.show)
    style = theorem.show.style(pushed)
    sides = {x.name: ends(pushed.parts[x.term.node], x, style) for x, _ in written}
    moved: dict[str, Reason] = {
        x: (Formula(f"{a.latex} = {b.latex}", f"{a.plain} = {b.plain}"),)
        for x, (a, b) in sides.items()
    }
    moved |= {x: (*moved[x], f" ({by})") for x, by in theorem.cited.items() if x in moved}
    matrices = {  # of chains in matrix notation
        item.name: theorem.show.matrices
        for item, ls in written
        if (item.row or item.column) and ls[0].formula == sides[item.name][0]
    }
    return [
        _section(_title(theorem, item), ls, moved, matrices.get(item.name, {}))
        for item, ls in written
        if item.name not in theorem.cited
    ]
