"""A folder put in its place whole, and what is left alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from orderproof.check.prove.results import OutputError
from orderproof.publish.web.publish import MARKER, publish

FILES = {"index.html": "1", MARKER: "{}", "theorem/a.html": "a"}


def held(folder: Path) -> dict[str, str]:
    """The files of a folder."""
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}


def test_a_site_takes_the_place_of_the_last(tmp_path: Path) -> None:
    """A page of a theorem that is gone would stay, or a temporary folder be left."""
    folder = publish(tmp_path / "new" / "site", FILES)
    assert held(folder) == FILES
    publish(folder, {MARKER: "{}", "index.html": "2"})
    assert held(folder) == {MARKER: "{}", "index.html": "2"}
    assert [p.name for p in folder.parent.iterdir()] == ["site"]
    assert folder.stat().st_mode & 0o055 == 0o055  # a server may read it


def test_another_folder_is_left_alone(tmp_path: Path) -> None:
    """Someone's files would be deleted, since they are in a folder of this name."""
    (tmp_path / "site").mkdir()
    publish(tmp_path / "site", FILES)  # an empty one is taken
    (tmp_path / "site" / MARKER).unlink()
    before = held(tmp_path / "site")
    with pytest.raises(OutputError, match=r"site: given one without theorems\.json, expected"):
        publish(tmp_path / "site", FILES)
    assert held(tmp_path / "site") == before


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    """A traceback, for a file where a folder should be."""
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "file", tmp_path / "file" / "site"):
        with pytest.raises(OutputError, match=r"^output folder .*expected") as caught:
            publish(folder, FILES)
        assert "\n" not in str(caught.value)
    assert (tmp_path / "file").read_text() == "x"


def test_an_interrupted_run_leaves_the_last_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a site, or none."""
    folder = publish(tmp_path / "site", FILES)

    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "move", full)
    with pytest.raises(OutputError, match="No space left on device"):
        publish(folder, {MARKER: "{}"})
    assert held(folder) == FILES and [p.name for p in tmp_path.iterdir()] == ["site"]
