"""What rests on a theorem that Rocq alone proves says so: whatever prints a conclusion."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from orderproof.check.claims import TheoremFile
from orderproof.check.prove import standing
from orderproof.check.prove.standing import cited, of_theorem
from orderproof.check.rocq import record
from orderproof.check.rocq.record import Record
from orderproof.check.schemes import table
from orderproof.command_line import cli
from orderproof.proofs import catalogue
from orderproof.publish import sentences
from orderproof.publish.bibliography import bibtex
from orderproof.symbolic.schemes.definitions import position_scheme
from orderproof.symbolic.schemes.symmetries import SYMMETRIES
from tests.judged import loaded

RESTS = "rests in part on what is"
GOLDENS = Path(__file__).parents[2] / "goldens"
KEPT = record.load()
ALONE, DERIVED = "attention_is_colour_refinement", "self_attention_equivariant"
DISTINGUISH = [["distinguish", "--scheme", "causal", "a b", "b a"]]
NONE = Record("", "", trouble="record.json: given no such file")


@pytest.fixture
def with_record(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Record], None]]:
    """Puts another record in the place of the release's."""

    def put(kept: Record) -> None:
        standing.of_name.cache_clear()
        monkeypatch.setattr(standing.record, "load", lambda: kept)

    yield put
    standing.of_name.cache_clear()


def alone(name: str) -> Record:
    """A record that says that Rocq alone proves the claims of a theorem."""
    entries = {
        key: replace(e, proved_by="") if key.startswith(f"{name}_") else e
        for key, e in KEPT.entries.items()
    }
    return replace(KEPT, entries=entries)


def with_marks(name: str, *marks: str) -> TheoremFile:
    """A theorem whose claims have of their marks these alone."""
    theorem = loaded(name)
    claims = (
        replace(c, marks={m: check for m, check in c.marks.items() if m in marks})
        for c in theorem.claims
    )
    return replace(theorem, claims=tuple(claims))


def test_what_marks_prove_has_to_be_declared(with_record: Callable[[Record], None]) -> None:
    """A theorem would be cited as proved by marks that nobody makes any more, or by others than
    those that prove it; or by what was recorded of another statement."""
    assert of_theorem(with_marks("score_bias_iff")) == "recorded"
    assert of_theorem(with_marks("sum_act", "numeric", "sympy")) == "recorded"
    assert of_theorem(with_marks("every_depth", "numeric"), [1]) == "open"  # not for Rocq
    assert of_theorem(with_marks("sum_act", "smt")) == "proved"
    entries = {k: replace(e, digest="0" * 64) for k, e in KEPT.entries.items()}
    with_record(replace(KEPT, entries=entries))
    assert of_theorem(with_marks("sum_act", "numeric", "sympy")) == "open"
    assert of_theorem(with_marks("sum_act", "kernel")) == "proved"


def test_known_without_checking(with_record: Callable[[Record], None]) -> None:
    """A theorem would be cited as proved that is recorded, or that nobody proved."""
    assert cited(DERIVED) == DERIVED and cited("score_bias_iff") == "score_bias_iff"
    assert cited(ALONE) == f"{ALONE}, recorded from Rocq"
    mixed = loaded("constant_sequence_blind")  # the last of its five is a headline
    assert [of_theorem(mixed, [k]) for k in (0, 4)] == ["proved", "recorded"]
    assert of_theorem(mixed) == "recorded"
    with_record(NONE)
    assert cited(DERIVED) == DERIVED and cited(ALONE) == f"{ALONE}, open"
    assert cited("score_bias_iff") == "score_bias_iff"  # which solvers prove, as is declared
    assert cited("causal_variance") == "causal_variance, open"
    with_record(replace(KEPT, entries={k: replace(e, sources="") for k, e in KEPT.entries.items()}))
    assert cited(ALONE) == f"{ALONE}, open" and cited("score_bias_iff") == "score_bias_iff"


def test_a_cell_is_no_better_than_its_theorem(with_record: Callable[[Record], None]) -> None:
    """The table would state flatly what rests on a theorem that was not checked here."""
    with_record(alone("score_bias_iff"))
    cell = table.cell(position_scheme("alibi", {}), SYMMETRIES["permutation"])
    assert "(score_bias_iff, recorded from Rocq)" in cell.told
    assert "1 by score_bias_iff, recorded from Rocq." in table.summary([cell])


def test_a_citation_says_what_was_not_checked(with_record: Callable[[Record], None]) -> None:
    """A paper would cite a theorem as proved here that is recorded, or open."""
    said = f", recorded from Rocq {KEPT.version}"
    entry = bibtex(loaded(ALONE), date="2026-11-28")
    assert said in entry and said not in bibtex(loaded(DERIVED), date="2026-11-28")
    with_record(NONE)
    assert "\\dots, open}" in bibtex(loaded(ALONE), date="2026-11-28")


def test_a_sentence_is_no_better_than_its_claims(with_record: Callable[[Record], None]) -> None:
    """A quoted sentence would be called false by claims that were not checked here."""
    entries = sentences.checked()
    weak = [e for e in entries if any(b.verdict for b in (*e.holds, *e.fails))]
    assert 0 < len(weak) < len(entries)
    assert {e.judged for e in weak} == {
        f"{e.quoted.verdict.value} ({RESTS} recorded from Rocq)" for e in weak
    }
    with_record(NONE)
    (entry,) = sentences.checked([weak[0].quoted])
    assert entry.judged == f"{entry.quoted.verdict.value} ({RESTS} open)"


@pytest.mark.parametrize(
    "command",
    [
        ["symmetry", "--scheme", "rope", "--n", "3"],
        ["symmetry", "--scheme", "alibi", "--n", "3", "--json"],
        ["distinguish", "--scheme", "causal", "a b", "b a"],
        ["distinguish", "--scheme", "causal", "a b", "b a", "--json"],
        ["sentences"],
    ],
)
def test_a_command_says_it_beside_the_theorem(command: list[str]) -> None:
    """What a command concludes from a recorded theorem would be read as checked here."""
    said = " ".join(CliRunner().invoke(cli, command).output.split())
    ways = (f"{ALONE}, recorded from Rocq", f"{ALONE} (3) (recorded from Rocq)",
            f'"rests_on": {{"{ALONE}": "recorded"}}')  # fmt: skip
    assert any(way in said for way in ways)


@pytest.mark.parametrize("command", [["symmetry", "--scheme", "rope", "--n", "3"], *DISTINGUISH])
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_command_by_an_open_theorem_has_its_status(
    command: list[str], more: list[str], with_record: Callable[[Record], None]
) -> None:
    """A script would go on by an answer that rests on a theorem that nobody proved."""
    assert CliRunner().invoke(cli, [*command, *more]).exit_code == 0
    with_record(NONE)
    ran = CliRunner().invoke(cli, [*command, *more])
    assert ran.exit_code == 3 and "open" in ran.output


def flat(kind: str) -> str:
    """What a command printed, of every kind of question, in one line."""
    return " ".join((GOLDENS / f"{kind}.json").read_text("utf-8").split())


def unsaid(text: str) -> list[str]:
    """Recorded theorems that a text names without saying that they are."""
    names = {key.rpartition("_")[0] for key, e in KEPT.entries.items() if not e.proved_by}
    names |= {t for t in catalogue.IDS if f"headline {t}" in KEPT.entries}
    pattern = rf"""\b(?:{"|".join(sorted(names))})\b(?!, recorded from Rocq|": "recorded")"""
    return re.findall(pattern, text)


@pytest.mark.parametrize("kind", ["table", "symmetry", "search", "decide"])
def test_no_answer_names_one_without_saying_it(kind: str) -> None:
    """An answer to some question would rest on a recorded theorem, and not say so."""
    text = flat(kind)
    assert unsaid(text) == []
    if kind == "symmetry":
        assert unsaid(text.replace(", recorded from Rocq", "", 1)) == [ALONE]
