"""The catalogue: what is chosen, what claims state, and that several processes find the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import z3

from orderproof.check.page import Mark, TheoremPage
from orderproof.check.prove import executor
from orderproof.check.prove.certificates import certificates
from orderproof.check.prove.run import prove
from orderproof.proofs import catalogue
from orderproof.proofs.catalogue import IDS, UnknownTheorem, chosen
from orderproof.publish.pages.statements import atom, style_of
from orderproof.symbolic.statements.statement import Statement, uncovered
from orderproof.symbolic.statements.text import canonical, digest, parse
from tests.judged import loaded
from tests.symbolic.statements.renaming import renamed

TWO = "offset_invariant_of_relative_positions"
SOME = ("not_equivariant_of_learned_position", "not_invariant_self_attention", "sum_act")
# Claims that say the same, of other letters or in another theorem; a digest may be shared by these.
ALIKE = (
    ("qkv_equivariant 1", "qkv_equivariant 2", "qkv_equivariant 3"),
    ("qkv_equivariant 5", "row_wise_equivariant 4"),
    ("equivariant_of_fixed_mask 2", "equivariant_of_fixed_score_bias 1"),
    ("equivariant_of_fixed_position_table 1", "additive_position_iff 1"),
    ("equivariant_of_fixed_position_table 2", "additive_position_iff 3"),
    ("sinusoidal_shift_is_rotation 3", "rope_relative_score 3"),
)


def test_chosen_are_in_the_books_order() -> None:
    """The book's order would depend on the order of the arguments, or an id would come twice."""
    assert chosen(()) == list(IDS)
    assert chosen(SOME) == chosen((*SOME, *reversed(SOME))) == [i for i in IDS if i in SOME]


@pytest.mark.parametrize("given", ["relative distances", "zzz", ""])
def test_an_unknown_id_that_nothing_resembles(given: str) -> None:
    """A typing error would be answered by nothing, or by a suggestion of something else."""
    with pytest.raises(UnknownTheorem) as error:
        chosen(("sum_act", given))
    expected = "not in the catalogue; expected one that `orderproof list` shows"
    assert str(error.value) == f"theorem {given!r}: {expected}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", 0),
        ("f(title='a', words=g(title='b'))", 2),
        ("f(title=words)", 1),
        ("f(title=f'{a}')", 1),
    ],
)
def test_a_title_that_cannot_be_read_is_an_error(
    text: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A title that the file computes would be listed as something else."""
    monkeypatch.setattr(catalogue, "PROOFS", tmp_path)
    monkeypatch.setitem(catalogue.CHAPTER_OF, "toy", ".")
    (tmp_path / "toy.py").write_text(text, "utf-8")
    with pytest.raises(ValueError, match=rf"toy\.py: {found} titles found, expected one"):
        catalogue.title("toy")


# ---------------------------------------------------------------------------- what claims state
@pytest.fixture(scope="module")
def statements() -> dict[str, Statement]:
    """The statement of each claim, by theorem and number."""
    return {
        f"{name} {k}": c.statement for name in IDS for k, c in enumerate(loaded(name).claims, 1)
    }


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_each_is_read_back_from_its_text(statements: dict[str, Statement], step: int) -> None:
    """A certificate of the claim could not say what it is of."""
    assert len(statements) > 130
    for name, s in [*statements.items()][::step]:
        text = canonical(s)
        assert canonical(parse(text)) == text, name


def test_only_what_states_the_same_has_the_same_digest(statements: dict[str, Statement]) -> None:
    """Two different claims would be cited as one: ALiBi, a window and a causal mask, say."""
    found = defaultdict(list)
    for name, s in statements.items():
        found[digest(s)].append(name)
    assert sorted(tuple(v) for v in found.values() if len(v) > 1) == sorted(ALIKE)
    # those listed as alike differ in their letters alone
    for one, other in (pair for names in ALIKE for pair in pairwise(statements[x] for x in names)):
        letters = {
            x.data[0]: y.data[0]
            for x, y in zip((*one.tensors, *one.maps), (*other.tensors, *other.maps), strict=True)
        } | {x.name: y.name for x, y in zip(one.sets, other.sets, strict=True)}
        there = renamed(one, lambda x, to=letters: to.get(x, x))
        assert there == other and uncovered(there, other) == "" == uncovered(other, there)


@pytest.mark.parametrize("name", IDS)
def test_two_sides_look_different(name: str) -> None:
    """A claim would be printed as P X = P X: the product, and the rows moved."""
    theorem = loaded(name)
    for claim in theorem.claims:
        said = atom(claim.statement.atom, style_of(theorem), claim.row, claim.column)
        for text in (said.plain, said.latex):
            left, relation, right = text.partition(" = ")
            assert not relation or left.strip() != right.strip(), text


# ------------------------------------------------------------------------------- many processes
def timeless(page: TheoremPage) -> TheoremPage:
    """A page without its seconds."""

    def bare(marks: Sequence[Mark]) -> tuple[Mark, ...]:
        return tuple(replace(m, seconds=0.0) for m in marks)

    claims = tuple(replace(c, marks=bare(c.marks)) for c in page.claims)
    return replace(page, claims=claims, refusals=bare(page.refusals))


@pytest.mark.slow  # all theorems twice
def test_two_processes_find_what_one_finds() -> None:
    """The pages, the files or their order would depend on the number of processes."""
    seen: list[str] = []
    one, two = prove(SOME, 1), prove(SOME, 2, lambda page: seen.append(page.id))
    assert [timeless(p) for p in one[0]] == [timeless(p) for p in two[0]]
    assert [p.id for p in one[0]] == list(SOME) and sorted(seen) == sorted(SOME)
    assert list(one[1]) == list(two[1]) == sorted(one[1])
    assert {name.partition("/")[0] for name in one[1]} == {"certificates", "witnesses"}
    assert timeless(replace(one[0][0], words="something else")) != timeless(two[0][0])


def test_files_do_not_depend_on_what_the_process_did_before() -> None:
    """A certificate would differ from run to run, by which theorems one process checked first."""
    before = certificates(catalogue.load(TWO))
    kept = [z3.Int(f"something else {k}") + k for k in range(1000)]
    assert len(kept) == 1000 and certificates(catalogue.load(TWO)) == before != {}


def test_no_more_processes_than_theorems(monkeypatch: pytest.MonkeyPatch) -> None:
    """`--jobs 1000000` would start a million processes."""
    asked: list[int] = []

    def pool(jobs: int, **_: Any) -> Any:
        asked.append(jobs)
        return ProcessPoolExecutor(1)

    monkeypatch.setattr(executor, "ProcessPoolExecutor", pool)
    pages, _ = prove(("perm_transpose_mul", "softmax_conjugate"), 1_000_000)
    assert asked == [2] and [p.verdict for p in pages] == ["proved", "proved"]
