"""The catalogue: what is chosen, and that several processes find what one finds."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
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
from tests.judged import loaded

TWO = "offset_invariant_of_relative_positions"
SOME = ("not_equivariant_of_learned_position", "not_invariant_self_attention", "sum_act")


def test_chosen_are_in_the_books_order() -> None:
    """The book's order would depend on the order of the arguments, or an id would come twice."""
    assert chosen(()) == list(IDS)
    assert chosen(SOME) == chosen((*SOME, *reversed(SOME))) == [i for i in IDS if i in SOME]


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("self_attention_equivarient", "did you mean self_attention_equivariant?"),
        ("sum-act", "did you mean sum_act?"),
        ("rope", "did you mean rope_relative_score?"),
        (
            "Softmax",
            "did you mean one of softmax_conjugate, softmax_row_stochastic, "
            "softmax_shift_invariant?",
        ),
        ("relative distances", "expected one that `orderproof list` shows"),
        ("zzz", "expected one that `orderproof list` shows"),
        ("", "expected one that `orderproof list` shows"),
    ],
)
def test_unknown_id_names_what_may_be_meant(given: str, near: str) -> None:
    """A typing error would be answered by nothing, or by a suggestion of something else."""
    with pytest.raises(UnknownTheorem) as error:
        chosen(("sum_act", given))
    assert str(error.value) == f"theorem {given!r}: not in the catalogue; {near}"


@pytest.mark.parametrize("name", IDS)
def test_title_is_that_of_the_theorem(name: str) -> None:
    """`orderproof list` would show another title than the book does."""
    assert catalogue.title(name) == loaded(name).title


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


def test_an_error_of_ours_in_another_process_is_not_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A theorem that breaks down in a process would be missing from the book without a word."""

    def broken(name: str) -> Any:
        raise RuntimeError(f"{name} is broken")

    monkeypatch.setattr(catalogue, "load", broken)  # the processes are forked from this one
    for jobs in (1, 2):
        with pytest.raises(RuntimeError, match="is broken"):
            prove(SOME, jobs)
