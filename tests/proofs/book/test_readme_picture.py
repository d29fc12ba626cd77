"""The picture in README.md: drawn from the scheme, and as it stands in the repository."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orderproof.proofs.book import readme_picture
from orderproof.proofs.book.position_pictures import WrongPicture

FILE = Path(__file__).parents[3] / "docs/alibi.svg"


def test_the_file_is_what_is_drawn() -> None:
    """The README would show another bias than the scheme has; `make readme` was forgotten."""
    text = FILE.read_text(encoding="utf-8")
    assert readme_picture.drawn() == text
    assert "any permutation of the tokens of a layer: 16 of 36 entries change" in text
    assert "reversal of the tokens: no entry changes" in text
    assert not re.search(r"<script|href=|<style", text)


def test_a_symmetry_that_is_lost_is_not_drawn_as_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The README would say that a scheme cannot see what it sees."""
    monkeypatch.setattr(readme_picture, "SCHEME", "alibi-signed")
    with pytest.raises(WrongPicture):
        readme_picture.drawn()
