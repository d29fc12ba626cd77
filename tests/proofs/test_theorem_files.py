"""The book's theorems as their files state them: verdicts, marks, planted neighbours, numbers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

from orderproof._paths import REFERENCES
from orderproof.check.claims import Claim
from orderproof.check.marks.exact import exact_entries
from orderproof.check.page import NEEDS_ROCQ, Formula, Table, TheoremPage
from orderproof.check.prove import checking, results
from orderproof.check.prove.run import prove_one
from orderproof.check.prove.unchecked import unchecked
from orderproof.commands import terminal
from orderproof.proofs import catalogue
from orderproof.proofs.catalogue import IDS
from orderproof.proofs.cross_attention import generation
from orderproof.proofs.pooling import not_invariant_self_attention
from orderproof.proofs.shared import sentences
from orderproof.proofs.symbols import SELF
from orderproof.publish.book import fragment, script
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
QUICK = ("perm_transpose_mul",)


@cache
def proved(name: str) -> tuple[TheoremPage, dict[str, str]]:
    """A theorem's page with all its marks, and the files that go with it."""
    return prove_one(name)


# ---------------------------------------------------------------------------- marks and verdicts
@each_theorem
def test_comes_out_as_declared(name: str) -> None:
    """A claim of the book failed, stayed open, or was called proved without a mark that says so."""
    page = proved(name)[0]
    assert page.id == name and page.expected == "proved"
    assert page.verdict == "proved" or page.needs_rocq
    assert len(page.claims) == len(loaded(name).declared()) > 0
    for claim, declared in zip(page.claims, loaded(name).declared(), strict=True):
        if claim.needs_rocq:
            assert "rocq" in declared and not {"kernel", "smt"} & {*declared}
            continue
        assert claim.verdict == claim.expected == "proved"
        assert claim.marks and [m for m in claim.marks if m.ok is not True] == []


def planted(name: str) -> list[Claim]:
    """The false neighbours of a theorem; one of headlines alone has none."""
    theorem = loaded(name)
    return [n.claim for n in theorem.neighbours]


@each_theorem
def test_neighbour_is_rejected(name: str) -> None:
    """A false statement in the place of the true one would be called proved by the same run, or
    accepted by one of its marks, or one would break down before it has looked at it."""
    if not planted(name):  # headlines alone: Rocq refutes a false variant
        assert loaded(name).refuted and not loaded(name).claims
        return
    page = checking.check(claiming(loaded(name), *planted(name)))
    assert "proved" not in {page.verdict, *(c.verdict for c in page.claims)}
    assert results.ending([page]).status == 1
    found = [m for claim in page.claims for m in claim.marks if m.mark != "rocq"]
    assert [m.mark for m in found] == [mark for c in planted(name) for mark in c.marks]
    assert found and [m for m in found if not m.rejects] == []
    true = {digest(c.statement) for c in loaded(name).claims}
    assert true.isdisjoint(digest(c.statement) for c in planted(name))
    assert loaded(name).neighbour.reason


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


def test_theorem_files_are_short() -> None:
    """A theorem file would be too long to be read like a textbook's proof."""
    lines = {n: len((ROOT / catalogue.file(n)).read_text("utf-8").splitlines()) for n in IDS}
    assert {name: k for name, k in lines.items() if k > LONGEST} == {}
    assert sorted(lines.values())[len(lines) // 2] <= 60
    assert lines["self_attention_equivariant"] <= 57 and min(lines.values()) > 20  # it counts


def test_titles_are_unique() -> None:
    """Two theorems of the book could not be told apart by their titles."""
    titles = [loaded(name).title for name in IDS]
    assert len(set(titles)) == len(titles) and all(titles)


def resting_on_later(uses: Mapping[str, Sequence[str]]) -> list[str]:
    """The theorems that use one that does not come before them."""
    return [name for k, name in enumerate(IDS) if not set(uses[name]) <= set(IDS[:k])]


def test_uses_are_earlier_theorems() -> None:
    """A proof would rest on a theorem that is not in the book, or in the end on itself."""
    uses = {name: loaded(name).uses for name in IDS}
    assert resting_on_later(uses) == []
    for wrong in ("self_attention_equivariant", "sum_act", "no_theorem"):
        assert resting_on_later(uses | {"sum_act": (wrong,)}) == ["sum_act"]


def printed(name: str) -> TheoremPage:
    """A theorem's page, no mark made."""
    return unchecked(loaded(name))


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
    page = printed(name)
    assert undefined_primes(page) == set()
    if name == "self_attention_equivariant":  # without its line, a prime is found
        bare = tuple(f for f in page.where if "any other prime" not in f.plain)
        assert undefined_primes(replace(page, where=bare)) == {"Z′"}


@each_theorem
def test_citations_are_in_the_bibliography(name: str) -> None:
    """The book would cite what its bibliography does not have."""
    keys = set(re.findall(r"^@\w+\{(\w+),", REFERENCES.read_text("utf-8"), re.MULTILINE))
    assert set(loaded(name).citations) <= keys and "vaswani2017" in keys
    assert "nobody1900" not in keys


@each_theorem
def test_page_shows_labels_and_fits_a_terminal(name: str) -> None:
    """A reader would not find a tensor of the derivation on the page, in either notation, or lines
    would be broken by a terminal of 80 columns."""
    page = proved(name)[0]
    plain, latex = terminal.theorem(page), fragment.theorem(page)
    for item in loaded(name).show.named:
        word = rf"(?<![A-Za-z]){re.escape(item.name.replace('ᵀ', '')[0])}"
        assert re.search(word, plain) and re.search(word, latex), item.name
    assert page.title in plain and page.claims[0].statement.plain.split()[0] in plain
    assert "Ω" not in plain
    assert [line for line in plain.splitlines() if len(line) > 80] == []


def test_existence_and_hypothesis_are_printed() -> None:
    """A claim that there is a counterexample would read as one about all, or a claim under a
    hypothesis as one without."""
    there_are = printed("not_invariant_self_attention").given
    assert "∃" in there_are.plain and r"\exists" in there_are.latex
    assert "∃" not in printed("self_attention_equivariant").given.plain
    with_table, with_row = printed("equivariant_of_fixed_position_table").claims
    assert with_table.statement.plain.startswith("P E = E  ⇒  ")
    assert with_table.statement.latex.startswith(r"P\,E = E \;\Rightarrow\; ")
    assert "⇒" not in with_row.statement.plain


# ----------------------------------------------------------------------------------- as a script
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n not in QUICK)) for n in IDS]
)
def test_file_is_a_script(name: str) -> None:
    """`python -m orderproof.proofs.CHAPTER.ID` would fail, print no LaTeX, or more than that."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    module = f"orderproof.proofs.{catalogue.CHAPTER_OF[name]}.{name}"
    done = subprocess.run(
        [sys.executable, "-m", module],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    code = 0 if loaded(name).claims else 3  # of headlines alone nothing is checked without Rocq
    why = "expected a claim that was checked, found those alone that Rocq has to check"
    assert (done.returncode, done.stderr) == (code, f"orderproof: {why}\n" * (code != 0))
    assert done.stdout.count("\n\\begin{theorem}\\label{thm:") == 1
    assert ("\n\\opshow{" in done.stdout) == bool(loaded(name).claims)
    starts = ("% proved: ", f"% open ({NEEDS_ROCQ}): ")
    comments = [line for line in done.stdout.splitlines() if line.startswith(starts)]
    assert len(comments) == len(loaded(name).declared())
    for claim, line in zip(loaded(name).claims, comments, strict=False):
        skipped = ["rocq ?"] if line.startswith(starts[1]) else []
        assert line.endswith(f"[{', '.join([*claim.marks, *skipped])}]")


def test_script_of_a_falsehood_exits_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A theorem file that fails would exit as if it had been proved, or not say why."""
    true = loaded("perm_transpose_mul")
    false = claiming(true, true.neighbour.claim)
    monkeypatch.setattr(catalogue, "load", lambda name: false)
    with pytest.raises(SystemExit) as end:
        script.main(ModuleSpec("orderproof.proofs.self_attention.perm_transpose_mul", None))
    found = "a claim of perm_transpose_mul refuted"
    assert end.value.code == 1 and found in capsys.readouterr().err


# -------------------------------------------------------------------- worked examples, by hand
Row = Sequence[Fraction | int]


def weigh(scores: Row) -> list[Fraction]:
    """softmax of scores in units of ln 2: 2^s over the sum of the 2^s."""
    powers = [Fraction(2) ** int(s) for s in scores]
    return [p / sum(powers) for p in powers]


def mix(shares: Row, values: Sequence[Row]) -> tuple[Fraction, ...]:
    """Σⱼ shareⱼ valueⱼ"""
    return tuple(
        sum((s * v[k] for s, v in zip(shares, values, strict=True)), Fraction(0))
        for k in range(len(values[0]))
    )


def cells(page: TheoremPage) -> tuple[list[list[str]], list[str]]:
    """The rows of the tables of a page's examples, and its displayed formulas."""
    parts = [part for example in page.examples for part in example.parts]
    rows = [row for t in parts if isinstance(t, Table) for row in (t.head, *t.rows)]
    text = [[c.plain if isinstance(c, Formula) else str(c) for c in row] for row in rows]
    return text, [part.plain for part in parts if isinstance(part, Formula)]


def test_cat_sentence_by_hand() -> None:
    """The numbers of "the cat chased the dog" on the page would be wrong, or would not be those of
    the sentence: another embedding gives another vector."""
    vectors = {"the": (0, 1), "cat": (1, 1), "chased": (2, 0), "dog": (1, -1)}

    def of_cat(words: str, vectors: Mapping[str, Row]) -> tuple[list[Any], Any]:
        row = [vectors[w] for w in words.split()]
        scores = [sum(a * b for a, b in zip(vectors["cat"], v, strict=True)) for v in row]
        return weigh(scores), mix(weigh(scores), row)

    shares, z = of_cat("the cat chased the dog", vectors)
    assert shares == [Fraction(w, 13) for w in (2, 4, 4, 2, 1)]
    assert z == (Fraction(1), Fraction(7, 13))
    assert of_cat("the dog chased the cat", vectors)[1] == z
    assert of_cat("the cat chased the dog", vectors | {"dog": (1, 0)})[1] != z

    rows, formulas = cells(printed("token_output_same_in_any_order"))
    table = [
        ["", "the", "cat", "chased", "the", "dog"],
        ["score of “cat” / ln 2", "1", "2", "2", "1", "0"],
        ["weight", *map(str, shares)],
    ]
    swap = [0, 1, 5, 3, 4, 2]  # the cells of a row, “cat” and “dog” exchanged
    assert rows == [*table, *([row[k] for k in swap] for row in table)]
    assert formulas == ["z_cat = (1, 7/13)"] * 2
    entries = exact_entries(SELF.Z, sentences.sentence(sentences.WORDS))
    assert (entries[1, 0], entries[1, 1]) == z


def test_generation_by_hand() -> None:
    """The numbers of [A, B] → C on the page would be wrong."""
    keys, values = (1, 3, 2), [(1, 0), (0, 1), (1, 1)]
    softmaxed, plain = mix(weigh(keys), values), mix(keys, values)
    assert softmaxed == (Fraction(3, 7), Fraction(6, 7)) and plain == (3, 5)
    assert mix(weigh(keys[::-1]), values[::-1]) == softmaxed
    assert mix(weigh(keys[::-1]), values) != softmaxed  # keys without their values
    rows, _ = cells(printed("generation_order_independent"))
    assert rows[1:] == [
        ["[A, B] → C", "A: 1, B: 3, C: 2", "(3/7, 6/7)", "(3, 5)"],
        ["[B, A] → C", "B: 3, A: 1, C: 2", "(3/7, 6/7)", "(3, 5)"],
    ]
    g = generation
    assert exact_entries(g.z, g.cached("ABC")) == {(0,): Fraction(3, 7), (1,): Fraction(6, 7)}


@pytest.mark.parametrize("n", range(2, 9))
def test_not_invariant_by_hand(n: int) -> None:
    """The witness would not have the values that the file claims: 2/(n+1) becomes 1/n."""

    def outputs(x: list[int]) -> list[Fraction]:
        return [mix(weigh([q * k for k in x]), [[v] for v in x])[0] for q in x]

    x = [1] + [0] * (n - 1)
    z, moved = outputs(x), outputs([x[1], x[0], *x[2:]])
    assert z[0] == Fraction(2, n + 1) and set(z[1:]) == {Fraction(1, n)}
    assert moved[0] == Fraction(1, n) != z[0]
    assert moved == [z[1], z[0], *z[2:]]  # equivariant all the same
    (claim,) = loaded("not_invariant_self_attention").claims
    witness = not_invariant_self_attention.witness(n)
    for term, row in ((claim.lhs, moved), (claim.rhs, z)):
        assert [v for _, v in sorted(exact_entries(term, witness).items())] == row
    assert len(set(outputs([1] * n))) == 1  # equal tokens would be no witness
    if n == 2:
        assert (
            "entry (1, 1): 1/2 ≠ 2/3"
            in proved("not_invariant_self_attention")[0].claims[0].marks[0].detail
        )
