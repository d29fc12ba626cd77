"""Definitions of the Rocq development as a chapter quotes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from orderproof.check.rocq.library import SOURCES
from orderproof.check.rocq.run import RocqError
from orderproof.publish.book.rocq_source import rocq_definition, rocq_name
from orderproof.publish.book.theorems import BadChapter


def test_a_definition_is_that_of_its_file() -> None:
    """The book would quote a definition that Rocq does not read, or half of one."""
    source = (SOURCES / "ColourRefinement.v").read_text(encoding="utf-8")
    for name, end in (("share", "G h i j.\n"), ("same_type", "x i == x j.\n")):
        text = rocq_definition(name).partition("\\begin{verbatim}\n")[2]
        text = text.partition("\\end{verbatim}")[0]
        assert text in source and text.endswith(end)


def test_a_definition_that_is_none_or_two_is_an_error(tmp_path: Path) -> None:
    """A chapter would quote nothing, or one of two definitions."""
    with pytest.raises(BadChapter, match="given 0 definitions"):
        rocq_definition("no_such_share")
    (tmp_path / "A.v").write_text("Definition twice : nat := 1.\n", encoding="utf-8")
    assert "twice : nat := 1." in rocq_definition("twice", sources=tmp_path)
    (tmp_path / "B.v").write_text("Definition twice : nat := 2.\n", encoding="utf-8")
    with pytest.raises(BadChapter, match="given 2 definitions"):
        rocq_definition("twice", sources=tmp_path)
    (tmp_path / "C.v").write_text(f"Definition long := {'1' * 110}.\n", encoding="utf-8")
    with pytest.raises(BadChapter, match="at most"):
        rocq_definition("long", sources=tmp_path)


def test_the_name_of_a_headline_is_checked() -> None:
    """A chapter would name a theorem of Rocq that there is not."""
    assert "colour" in rocq_name("colour_refinement_of_encoders")
    with pytest.raises(RocqError, match="colour_refinement_of_all"):
        rocq_name("colour_refinement_of_all")
