"""Every line of every derivation of the book, read back, denotes what was derived."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from orderproof.check.claims import TheoremFile
from orderproof.proofs import catalogue
from orderproof.symbolic.calculus.terms import Term, map_type, reachable
from orderproof.symbolic.derive.push import Pushed
from orderproof.symbolic.derive.steps import Named, Show, WrittenLine, sections
from orderproof.symbolic.models.builders import symbols
from orderproof.symbolic.readings.notation import Plain
from tests.judged import loaded

from .reading import CLOSE, SIZES, meaning, size, value, values

# From whose proofs quick tests read the lines: by entries, in matrices, of heads, of two sets, of a
# definition, of a hypothesis, and of what moves nothing.
SOME = (
    "self_attention_equivariant", "softmax_conjugate", "multi_head_equivariant", "naturality",
    "cross_attention_equivariant", "norms_equivariant", "pooling_invariant",
    "equivariant_of_fixed_position_table", "linear_attention_equivariant",
)  # fmt: skip
MATRIX = re.compile(r"(?<!\w)(P(?:_\d)?)(ᵀ?)(?![^\Wᵀ])")  # P, P_1, P_2 or a transpose; no PostNorm
Array = Any


def _all_marked(names: list[str]) -> bool:
    """Whether all weights have a mark, as those of layer 3, "W_1,3"; ε is the same for all."""
    return all("," in x for x in names if x != "epsilon")


def labelled(pushed: Pushed, show: Show, tensors: Mapping[str, Any]) -> dict[str, Any]:
    """What a reader sees: the arrays of the named tensors and of their images, and bundles."""
    found = {Plain().symbol(name): array for name, array in tensors.items()}
    here = set().union(*(reachable(t.node) for t in (pushed.theorem.lhs, pushed.theorem.rhs)))
    for node, label in show.style(pushed).labels.items():
        if node not in here:
            continue  # of another derivation, whose tensors may have the same names
        whole = value(Term(node, tuple(range(len(node.sets)))), tensors)
        array = np.transpose(whole, label.order)
        found[Plain().symbol(label.name) + "′" * label.primed] = array
    for nodes, bundle in show.bundles.items():  # W_1 of layer 3 is its "W_1,3"
        names = [node.op.data[0] for node in nodes]
        if set(names) <= set(tensors):
            marks = {x.rpartition(",")[2] for x in names if x != "epsilon" and "," in x}
            mark = f",{marks.pop()}" if len(marks) == 1 and _all_marked(names) else ""
            found[Plain().symbol(bundle)] = {x.removesuffix(mark): tensors[x] for x in names}
    return found


def as_supposed(pushed: Pushed, tensors: dict[str, Any]) -> None:
    """Make the hypotheses of a theorem true: of tables and biases that σ leaves as they are."""
    powers = [0, 1, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3]
    for left, right in pushed.theorem.hyps:
        if right.node.op.kind == "leaf":
            leaf, sets = right.node.op.data
            if [s.name for s in sets[:2]] == ["n", "n"]:
                first = [[min((p[i], p[j]) for p in powers) for j in range(4)] for i in range(4)]
                tensors[leaf] = np.array([[tensors[leaf][m] for m in row] for row in first])
            else:
                tensors[leaf] = tensors[leaf][[0, 0, 0, 3]]
        axes = [left.axes.index(a) for a in right.axes]
        assert np.array_equal(np.transpose(value(left, tensors), axes), value(right, tensors))


def printed_lines(
    names: Iterable[str],
) -> Iterator[tuple[TheoremFile, Named, Term, Array, Any, list[WrittenLine]]]:
    """Every line of these theorems' derivations, with the array that its chain denotes."""
    for theorem in map(loaded, names):
        for pushed in theorem.shown:
            tensors = values(pushed.theorem.lhs, *(x.term for x in theorem.show.named))
            as_supposed(pushed, tensors)
            found = labelled(pushed, theorem.show, tensors)
            for item, lines in sections(pushed, theorem.show):
                th = pushed.parts[item.term.node]
                names = {x: item.term.axes[s] for s, x in enumerate(th.rhs.axes)}
                image = th.lhs.rename(names)
                yield theorem, item, image, value(image, tensors), found, lines


def heads(show: Show) -> str:
    """The letters that pick one matrix out of several."""
    return "".join(show.letters[s] for s in show.stacked)


def in_matrices(text: str, show: Show) -> bool:
    """Whether a line is in matrix notation: its only indices, if any, are of heads."""
    return all(index in [*heads(show)] for index in re.findall(r"\[([^\]]*)\]", text))


def distance(
    text: str, theorem: TheoremFile, item: Named, image: Term, of: Array, found: Any
) -> float:
    """How far what a line denotes, a matrix for each head or entries, is from what was derived."""
    sizes = {str(a): size(s) for a, s in image.sets.items()}
    if in_matrices(text, theorem.show):
        stacked = [a for a in item.axes if image.sets[a] in theorem.show.stacked]
        above = {str(a): sizes[str(a)] for a in stacked}
        each = [dict(zip(above, i, strict=True)) for i in np.ndindex(*above.values())]
        of = np.transpose(of, [image.axes.index(a) for a in item.axes])
        got = np.asarray([meaning(found).matrix(text, at) for at in each])
        of = of.reshape(len(each), *of.shape[len(above) :])
    else:
        got = meaning(found).entries(text, sizes)
    assert np.shape(got) == np.shape(of), (theorem.id, text)
    return float(np.max(np.abs(got - of)))


@pytest.fixture(
    scope="module", params=[SOME, pytest.param(catalogue.IDS, marks=pytest.mark.slow)],
    ids=["some", "the book"],
)  # fmt: skip
def all_lines(request: pytest.FixtureRequest) -> list[Any]:
    """The lines, once for all tests here."""
    return list(printed_lines(request.param))


def most(all_lines: list[Any], of_all: int, of_some: int) -> int:
    """How many there are at least: of all theorems, or of some."""
    return of_all if len({theorem.id for theorem, *_ in all_lines}) > len(SOME) else of_some


def test_every_line_of_every_derivation_denotes_what_was_derived(all_lines: list[Any]) -> None:
    """A line of the book would say something else than the theorem of its step."""
    count = 0
    for theorem, item, image, expected, found, lines in all_lines:
        for line in lines:
            text = line.formula.plain
            off = distance(text, theorem, item, image, expected, found)
            assert off < CLOSE * (1 + np.max(np.abs(expected))), (theorem.id, item.name, text)
            count += 1
    assert count >= most(all_lines, 400, 150)


def test_a_wrong_line_of_a_derivation_is_noticed(all_lines: list[Any]) -> None:
    """The comparison of printed lines would pass for a line with P in place of Pᵀ."""
    wrong = 0
    for theorem, item, image, expected, found, lines in all_lines:
        if not MATRIX.search(lines[-1].formula.plain):
            continue  # what is the same in every order is so for P and for Pᵀ
        for line in lines:
            text = line.formula.plain
            other = MATRIX.sub(lambda m: m[1] + ("" if m[2] else "ᵀ"), text)
            if other != text:  # in matrices, or an entry of one: (P A Pᵀ)[i, j]
                wrong += 1
                assert distance(other, theorem, item, image, expected, found) > 1000 * CLOSE, other
    assert wrong >= most(all_lines, 200, 80)


def test_a_wrong_entry_of_a_derivation_is_noticed(all_lines: list[Any]) -> None:
    """The comparison would pass for a last line by entries with σ⁻¹ in place of σ."""
    wrong = 0
    for theorem, item, image, expected, found, lines in all_lines:
        text = lines[-1].formula.plain
        other = re.sub(r"(?<!\+)([σρ])\((\w)\)", r"\1⁻¹(\2)", text)
        if other != text:
            wrong += 1
            assert distance(other, theorem, item, image, expected, found) > 1000 * CLOSE, other
    assert wrong >= 2


def test_latex_and_plain_text_agree(all_lines: list[Any]) -> None:
    """The book would say P where the terminal says Pᵀ, or leave a factor out."""
    for *_, lines in all_lines:
        for line in lines:
            latex, plain = line.formula.latex, line.formula.plain
            for letter in "PRSQV":
                assert latex.count(letter) == plain.count(letter), (latex, plain)
            assert latex.count(r"^{\top}") == plain.count("ᵀ"), (latex, plain)
            assert latex.count(r"\sum") == plain.count("Σ"), (latex, plain)
            assert latex.count("'") == plain.count("′"), (latex, plain)
            assert latex.count(r"\sigma") == plain.count("σ"), (latex, plain)


@pytest.mark.slow
def test_statements_of_the_book_have_known_symbols_only() -> None:
    """A formula would use a map into a set that the statement does not quantify."""
    for theorem in map(loaded, catalogue.IDS):
        for claim in theorem.claims:
            for m in symbols(claim.lhs, claim.rhs)[1]:
                assert map_type(m)[1].name in SIZES
