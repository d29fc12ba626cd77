"""Digests of theorems, and lists of them: what is pinned, what has changed, what is no list."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from orderproof.check.prove import digests
from orderproof.check.prove.digests import BadList
from orderproof.check.prove.unchecked import unchecked
from orderproof.check.rocq.headlines import Shown, headline
from orderproof.proofs import catalogue

NAMES = ("sum_act", "softmax_conjugate", "attention_is_colour_refinement")  # the last: headlines


def pinned(tmp_path: Path, text: str) -> Path:
    """A list with this text."""
    path = tmp_path / "orderproof.digests"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_the_digest_of_its_file(name: str) -> None:
    """A fragment would carry another digest than the citation of the same theorem."""
    theorem = catalogue.load(name)
    assert digests.of_page(unchecked(theorem)) == digests.of_theorem(theorem)


def test_another_statement_has_another_digest() -> None:
    """A claim could be dropped, weakened or put elsewhere, and no project that relies on it would
    be told."""
    theorem = catalogue.load("sum_act")
    first, second, *rest = theorem.claims
    weaker = first.stating(sizes=second.statement.sizes)
    assert weaker.statement != first.statement
    found = {
        digests.of_theorem(replace(theorem, claims=tuple(claims), words=()))
        for claims in ([first, second, *rest], [first, *rest], [second, first, *rest],
                       [weaker, second, *rest])
    }  # fmt: skip
    assert len(found) == 4
    stated = catalogue.load("attention_is_colour_refinement")
    fewer = replace(stated, headlines=stated.headlines[1:], words=())
    assert digests.of_theorem(fewer) != digests.of_theorem(stated)


def test_a_claim_that_is_now_to_be_refuted_has_another_digest() -> None:
    """What a project relies on could turn out false, be declared so, and its check stay green."""
    theorem = catalogue.load("sum_act")
    first, *rest = theorem.claims
    other = replace(theorem, claims=(replace(first, expected="refuted"), *rest))
    assert digests.of_theorem(other) != digests.of_theorem(theorem)
    page = unchecked(other)
    assert digests.of_page(page) == digests.of_theorem(other)


def test_a_headline_of_other_words_has_another_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Rocq is not asked, its file could state something else than its record, and what is
    printed change under a list that stays green."""
    theorem = catalogue.load("attention_is_colour_refinement")
    before = digests.of_theorem(theorem)

    def weaker(name: str) -> Shown:
        return replace(headline(name), source=headline(name).source.replace("<->", "->"))

    monkeypatch.setattr(digests, "headline", weaker)
    assert digests.of_theorem(theorem) != before


def test_a_list_is_read_back(tmp_path: Path) -> None:
    """A project could not pin what the command printed."""
    text = digests.listed(NAMES)
    found = digests.read(pinned(tmp_path, text))
    assert tuple(found) == NAMES and digests.changed(found) == []
    assert found["sum_act"] == digests.of_theorem(catalogue.load("sum_act"))
    assert digests.read(pinned(tmp_path, f"\n# said\n{text}  # again\n")) == found


def test_what_has_changed_is_told() -> None:
    """A statement could change, or go, under a project that relies on it."""
    good = digests.of_theorem(catalogue.load("sum_act"))
    other, gone = digests.changed({"sum_act": "0" * 64, "sum_akt": good})
    assert other == f"sum_act: pinned 0000000000000000…, states {good[:16]}… now"
    assert gone.endswith("not in the catalogue; did you mean sum_act?")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "pins nothing"),
        ("# nothing\n", "pins nothing"),
        ("sum_act\n", "line 1: given 'sum_act', expected an id, once, and its digest"),
        (f"sum_act {'0' * 64} twice\n", "line 1: given 'sum_act 000"),
        (f"sum_act {'0' * 64}\nsum_act {'1' * 64}\n", "line 2: given 'sum_act 111"),
        (f"../sum_act {'0' * 64}\n", "line 1: given '../sum_act"),
        (f"sum_act {'0' * 63}\n", "expected 64 letters"),
        (f"sum_act {'g' * 64}\n", "expected 64 letters"),
    ],
)
def test_what_is_no_list_is_refused(text: str, says: str, tmp_path: Path) -> None:
    """A file that pins nothing, or something else than it seems to, would pass for a check."""
    with pytest.raises(BadList, match=says):
        digests.read(pinned(tmp_path, text))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """Bytes of another file would be a traceback, or pass."""
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(BadList, match="no text in UTF-8"):
        digests.read(tmp_path / "binary")
