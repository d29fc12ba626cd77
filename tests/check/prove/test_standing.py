"""What rests on a theorem that Rocq alone proves says so: whatever prints a conclusion."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from orderproof.check.prove import standing
from orderproof.check.prove.standing import cited, of_theorem
from orderproof.check.rocq import record
from orderproof.check.rocq.record import Record
from orderproof.check.schemes import table
from orderproof.command_line import cli
from orderproof.proofs import catalogue
from orderproof.publish.book import citation, depth_section, quotations
from orderproof.symbolic.schemes.definitions import position_scheme
from orderproof.symbolic.schemes.symmetries import SYMMETRIES
from tests.judged import loaded

GOLDENS = Path(__file__).parents[2] / "goldens"
KEPT = record.load()
ALONE, DERIVED = "attention_is_colour_refinement", "self_attention_equivariant"
NONE = Record("", "", trouble="record.json: given no such file")


@pytest.fixture
def with_record(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Record], None]]:
    """Puts another record in the place of the release's."""

    def put(kept: Record) -> None:
        cited.cache_clear()
        monkeypatch.setattr(standing.record, "load", lambda: kept)

    yield put
    cited.cache_clear()


def alone(name: str) -> Record:
    """A record that says that Rocq alone proves the claims of a theorem."""
    entries = {
        key: replace(e, alone=True) if key.startswith(f"{name}_") else e
        for key, e in KEPT.entries.items()
    }
    return replace(KEPT, entries=entries)


def test_known_without_checking(with_record: Callable[[Record], None]) -> None:
    """A theorem would be cited as proved that is recorded, or that nobody proved."""
    assert cited(DERIVED) == DERIVED and cited("score_bias_iff") == "score_bias_iff"
    assert cited(ALONE) == f"{ALONE}, recorded from Rocq"
    mixed = loaded("constant_sequence_blind")  # the last of its five is a headline
    assert [of_theorem(mixed, [k]) for k in (0, 4)] == ["proved", "recorded"]
    assert of_theorem(mixed) == "recorded"
    with_record(NONE)
    assert cited(DERIVED) == DERIVED and cited(ALONE) == f"{ALONE}, open"
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
    entry = citation.bibtex(loaded(ALONE), date="2026-11-28")
    assert said in entry and said not in citation.bibtex(loaded(DERIVED), date="2026-11-28")
    with_record(NONE)
    assert "\\dots, open}" in citation.bibtex(loaded(ALONE), date="2026-11-28")


def test_a_sentence_is_no_better_than_its_claims(with_record: Callable[[Record], None]) -> None:
    """A quoted sentence would be called false by claims that were not checked here."""
    entries = quotations.checked()
    weak = [e for e in entries if any(b.verdict for b in (*e.holds, *e.fails))]
    assert 0 < len(weak) < len(entries)
    assert {e.judged for e in weak} == {
        f"{e.quoted.verdict.value}, recorded from Rocq" for e in weak
    }
    with_record(NONE)
    (entry,) = quotations.checked([weak[0].quoted])
    assert entry.judged == f"{entry.quoted.verdict.value}, open"


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
    assert f"{ALONE}, recorded from Rocq" in said or f"{ALONE} (3): recorded from Rocq" in said


def test_the_page_on_depth_says_it() -> None:
    """The section on position and depth would state flatly what rests on recorded theorems."""
    said = " ".join(depth_section.section().sentences)
    for name in ("position_after_first_layer_contracts", "position_after_first_layer_skip"):
        assert f"({name}, recorded from Rocq)" in said
    assert "(position_after_first_layer_cancels)" in said


def flat(kind: str) -> str:
    """What a command printed, of every kind of question, in one line."""
    return " ".join((GOLDENS / f"{kind}.json").read_text("utf-8").split())


def unsaid(text: str) -> list[str]:
    """Recorded theorems that a text names without saying that they are."""
    names = {key.rpartition("_")[0] for key, e in KEPT.entries.items() if e.alone}
    names |= {t for t in catalogue.IDS if f"headline {t}" in KEPT.entries}
    pattern = rf"\b(?:{'|'.join(sorted(names))})\b(?!, recorded from Rocq)"
    return re.findall(pattern, text)


@pytest.mark.parametrize("kind", ["table", "symmetry", "search", "decide"])
def test_no_answer_names_one_without_saying_it(kind: str) -> None:
    """An answer to some question would rest on a recorded theorem, and not say so."""
    text = flat(kind)
    assert unsaid(text) == []
    if kind == "symmetry":
        assert unsaid(text.replace(", recorded from Rocq", "", 1)) == [ALONE]
