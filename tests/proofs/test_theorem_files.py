"""The book's theorems as their files state them: verdicts, marks, planted neighbours, pages."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from orderproof._paths import REFERENCES
from orderproof.check.claims import Claim
from orderproof.check.page import RECORDED_ROCQ, TheoremPage
from orderproof.check.prove import checking, results
from orderproof.check.prove.run import prove_one
from orderproof.check.prove.unchecked import unchecked
from orderproof.proofs import catalogue
from orderproof.proofs.catalogue import IDS
from orderproof.publish import fragment
from orderproof.publish.theorem import as_text
from orderproof.symbolic.statements.statement import kind
from orderproof.symbolic.statements.text import digest
from tests.judged import FIVE, claiming, each_theorem, loaded

ROOT = Path(__file__).resolve().parents[2]
# Claims whose entries SymPy cannot build within seconds, whose hypothesis is no condition on single
# entries, or whose rounding bound says nothing: the file says so, and what is left settles them.
KERNEL, BOTH, SMT = {"kernel"}, {"kernel", "numeric"}, {"smt"}
BY_FEWER_MARKS: dict[str, dict[int, set[str]]] = {  # by theorem and number of the claim
    "causal_position_recoverable": {2: set()},  # about all lengths together: Rocq alone
    "decoder_block_equivariant_without_mask": {0: BOTH, 1: BOTH},
    "decoder_equivariant_without_mask": {0: KERNEL, 1: BOTH},
    "decoder_invariant_of_memory": {0: KERNEL, 1: BOTH},
    "encoder_decoder_invariant_of_source": dict.fromkeys(range(4), KERNEL),
    "encoder_equivariant": {0: BOTH, 1: BOTH},
    "every_depth": {0: BOTH, 1: BOTH},
    "normed_position_iff": {0: set()},  # equal features are not drawn: Rocq alone
    "offset_invariant_of_relative_positions": {0: SMT, 1: SMT},  # two layers of unknown functions
    "pooled_encoder_invariant": {0: BOTH},
    "pre_norm_equivariant_of_row_constants": {0: SMT},
    "score_bias_iff": {0: SMT, 1: SMT},
    "score_bias_iff_of_heads": {0: SMT},
    "score_bias_iff_of_layers": {0: SMT},
    "score_bias_row_factors": {1: KERNEL},
}


@cache
def proved(name: str) -> TheoremPage:
    """A theorem's page with all its marks."""
    return prove_one(name)[0]


@pytest.mark.slow
def test_a_false_variant_reads_otherwise_than_what_is_true() -> None:
    """A true claim would be printed under the words: a false variant."""
    for name in IDS:
        found = unchecked(loaded(name))
        false = found.neighbour[0] if found.neighbour else None
        assert false not in [c.statement for c in found.claims], name


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("sinusoidal_rows_distinct", "h ≥ 0: n ≤ 10¹⁸, ω[k] = "),
        ("position_after_first_layer_cancels",
         "X[a, c] ≠ X[b, c] for some c, Z[a, r] = Z[b, r], Y[a, c] = Y[b, c]"),
        ("two_causal_layers_see_order",
         "n ∈ {2, 3, 4, 5, 6, 7}: ∃ C, x, W_Q, W_K, W_V, σ: Z_1′[n+1, r] ≠ "),
    ],
)  # fmt: skip
def test_a_false_variant_has_its_sizes_its_conditions_and_its_there_are(
    name: str, begins: str
) -> None:
    """What was refused would be printed as another statement, which may be true."""
    found = unchecked(loaded(name)).neighbour
    assert found and found[0].plain.startswith(begins)


def planted(name: str) -> list[Claim]:
    """The false neighbours of a theorem; one of headlines alone has none."""
    return [near.claim for near in loaded(name).neighbours]


# ---------------------------------------------------------------------------- marks and verdicts
@each_theorem
def test_comes_out_as_declared(name: str) -> None:
    """A claim of the book failed, stayed open, or was called proved without a mark that says so."""
    page = proved(name)
    assert page.id == name and page.expected == "proved"
    assert page.as_declared
    assert len(page.claims) == len(loaded(name).declared()) > 0
    for claim, declared in zip(page.claims, loaded(name).declared(), strict=True):
        recorded = claim.verdict == "recorded"
        assert not recorded or not {"kernel", "smt"} & {*declared}
        assert claim.as_declared and claim.expected == "proved"
        names = [RECORDED_ROCQ if name == "rocq" else name for name in declared]
        assert [m.mark for m in claim.marks] == names
        assert claim.marks and [m for m in claim.marks if m.ok is not True] == []


@each_theorem
def test_neighbour_is_rejected(name: str) -> None:
    """A false statement in the place of the true one would be called proved by the same run, or
    accepted by one of its marks, or one would break down before it has looked at it."""
    theorem, false = loaded(name), planted(name)
    if not false:  # headlines alone: Rocq refutes a false variant
        assert theorem.refuted and not theorem.claims
        return
    page = checking.check(claiming(theorem, *false))
    assert "proved" not in {page.verdict, *(c.verdict for c in page.claims)}
    assert results.ending([page]).status == 1 and theorem.neighbour.reason
    marks = [m for claim in page.claims for m in claim.marks]
    assert not any(m.ok for m in marks if m.mark == RECORDED_ROCQ)
    found = [m for m in marks if m.mark != RECORDED_ROCQ]
    assert [m.mark for m in found] == [mark for c in false for mark in c.marks] != []
    assert [m for m in found if not m.rejects] == []
    assert not {digest(c.statement) for c in theorem.claims} & {digest(c.statement) for c in false}


@each_theorem
def test_neighbour_carries_the_marks_of_a_claim(name: str) -> None:
    """Some mark that settles a true claim would have no falsehood planted beside it."""
    marks = [set(c.marks) for c in planted(name)]
    assert all(any(set(c.marks) <= of for of in marks) for c in loaded(name).claims)


@each_theorem
def test_equalities_carry_sympy_numeric_and_what_settles(name: str) -> None:
    """An equality of the book would lack one of the three marks that it must have."""
    for k, claim in enumerate(loaded(name).claims):
        marks, fewer = claim.marks.keys(), BY_FEWER_MARKS.get(name, {})
        if k in fewer:
            assert marks == fewer[k]
        elif kind(claim.statement) == "equality":
            assert {"sympy", "numeric"} <= marks and {*claim.declared()} & {"kernel", "smt", "rocq"}
        else:
            assert "kernel" not in marks  # nothing else is in the kernel's reach


def says(claim: Claim) -> bool:
    """Whether the kernel's theorem is the claim: the same nodes, axes in the same places, and no
    more hypotheses (compared here slot by slot, and not as `uncovered` does it)."""
    check = claim.marks.get("kernel")
    shown = check(claim.statement).states if check else None
    if shown is None or shown.sizes.sets() or shown.exists:
        return False
    one, other = shown.atom, claim.statement.atom
    axes: dict[Any, Any] = {}
    for t, s in zip(one.terms, other.terms, strict=True):
        pairs = list(zip(s.axes, t.axes, strict=True))
        if t.node is not s.node or any(axes.setdefault(a, x) != x for a, x in pairs):
            return False
    same = (one.relation, one.some) == (other.relation, other.some)
    return same and shown.given <= claim.statement.given


@each_theorem
def test_the_kernels_theorem_is_the_claim(name: str) -> None:
    """What is printed would not be what the kernel proved."""
    for claim in loaded(name).claims:
        assert ("kernel" in claim.marks) == says(claim)
    assert not any(map(says, planted(name)))


# --------------------------------------------------------------------------------- the catalogue
def test_the_five_carry_every_mark() -> None:
    """The quick tests would say nothing of a mark: no theorem of theirs carries it."""
    marks = {n: {m for c in loaded(n).claims for m in c.declared()} for n in IDS}
    assert set(FIVE) <= set(IDS)
    assert set().union(*(marks[n] for n in FIVE)) == set().union(*marks.values())


def test_ids_are_the_files() -> None:
    """A theorem file would be left out of the book, or an id would have no file."""
    states = re.compile(r"^@theorem\(\n(?:.*\n)*?\)\ndef (\w+)\(\) -> Proof:", re.MULTILINE)
    found = {
        path: states.findall(path.read_text("utf-8")) for path in (ROOT / "proofs").glob("*/*.py")
    }
    assert {p for p, ids in found.items() if ids} == {ROOT / catalogue.file(n) for n in IDS}
    assert all(ids == [path.stem] for path, ids in found.items() if ids)
    assert [loaded(name).id for name in IDS] == list(IDS)
    assert [name for c in catalogue.chapters() for name in c.theorems] == list(IDS)  # each once


LONGEST = 110  # lines: what can be read in one sitting, and projected on a few slides


def lines_of(name: str) -> int:
    """The lines of a theorem's file, without its proof in words."""
    text = (ROOT / catalogue.file(name)).read_text("utf-8")
    (proof,) = (x for x in ast.parse(text).body if getattr(x, "name", "") == name)
    assert isinstance(proof, ast.FunctionDef)
    words = proof.body[0] if ast.get_docstring(proof) else None
    return len(text.splitlines()) - (words.end_lineno - words.lineno + 1 if words else 0)


def test_theorem_files_are_short() -> None:
    """A theorem file would be too long to be read like a textbook's proof."""
    lines = {name: lines_of(name) for name in IDS}
    assert {name: k for name, k in lines.items() if k > LONGEST} == {}
    assert sorted(lines.values())[len(lines) // 2] <= 60
    assert lines["self_attention_equivariant"] <= 57 and min(lines.values()) > 20  # it counts


def test_titles_are_unique() -> None:
    """Two theorems of the book could not be told apart by their titles."""
    titles = [loaded(name).title for name in IDS]
    assert len(set(titles)) == len(titles) and all(titles)


def test_citations_are_in_the_bibliography() -> None:
    """The book would cite what its bibliography does not have."""
    keys = set(re.findall(r"^@\w+\{(\w+),", REFERENCES.read_text("utf-8"), re.MULTILINE))
    assert {key for name in IDS for key in loaded(name).citations} <= keys
    assert "vaswani2017" in keys and "nobody1900" not in keys


def resting_on_later(uses: Mapping[str, Sequence[str]]) -> list[str]:
    """The theorems that use one that does not come before them."""
    return [name for k, name in enumerate(IDS) if not set(uses[name]) <= set(IDS[:k])]


def test_uses_are_earlier_theorems() -> None:
    """A proof would rest on a theorem that is not in the book, or in the end on itself."""
    uses = {name: loaded(name).uses for name in IDS}
    assert resting_on_later(uses) == []
    for wrong in ("self_attention_equivariant", "sum_act", "no_theorem"):
        assert resting_on_later(uses | {"sum_act": (wrong,)}) == ["sum_act"]


def undefined_primes(page: TheoremPage) -> set[str]:
    """Primed letters in what claims conclude that no line of the page explains."""
    where = [f.plain for f in page.where]
    if any(line.startswith("any other prime") for line in where):
        return set()
    told = {x for line in where if ": as " in line for x in line.partition(": as ")[0].split(", ")}
    told |= {re.split(r"[\[ ]", part)[0] for line in where for part in line.split(", ")}
    given = " ".join(c.statement.plain.rpartition("⇒")[0] for c in page.claims)
    ends = [c.statement.plain.rpartition("⇒")[2] for c in page.claims if not c.headline]
    found = {x for end in ends for x in re.findall(r"[^\W\d]\w*′", end)}
    return {x for x in found - told if x not in given}


@each_theorem
def test_a_page_says_what_its_primes_mark(name: str) -> None:
    """A reader would be told what X′ is, and not what Z′ is."""
    page = unchecked(loaded(name))
    assert undefined_primes(page) == set()
    if name == "self_attention_equivariant":  # without its line, a prime is found
        bare = tuple(f for f in page.where if "any other prime" not in f.plain)
        assert undefined_primes(replace(page, where=bare)) == {"Z′"}


@each_theorem
def test_page_shows_labels_and_fits_a_terminal(name: str) -> None:
    """A reader would not find a tensor of the derivation on the page, in either notation, or lines
    would be broken by a terminal of 80 columns."""
    page = proved(name)
    plain, latex = as_text(page), fragment.theorem(page)
    for item in loaded(name).show.named:
        word = rf"(?<![A-Za-z]){re.escape(item.name.replace('ᵀ', '')[0])}"
        assert re.search(word, plain) and re.search(word, latex), item.name
    assert page.title in plain and page.claims[0].statement.plain.split()[0] in plain
    assert "Ω" not in plain
    assert [line for line in plain.splitlines() if len(line) > 80] == []


# ----------------------------------------------------------------------------------- as a script
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow if n != "perm_transpose_mul" else ()) for n in IDS],
)
def test_file_is_a_script(name: str) -> None:
    """`python -m orderproof.proofs.CHAPTER.ID` would fail, print no LaTeX, or more than that."""
    module = f"orderproof.proofs.{catalogue.CHAPTER_OF[name]}.{name}"
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    command = [sys.executable, "-m", module]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith((f"% {name}: proved. ", f"% {name}: recorded from Rocq. "))
    assert done.stdout.count("\n\\begin{theorem}\\label{thm:") == 1
    assert ("\n\\opshow{" in done.stdout) == bool(loaded(name).claims)
