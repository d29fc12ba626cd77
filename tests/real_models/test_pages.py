"""The pages in docs/models against new runs, where the models are there."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from orderproof.command_line import cli
from tests.questions import without_measured
from tests.real_models import trained_encoder
from tests.real_models.large import make

PAGES = Path(__file__).parents[2] / "docs" / "models"
DROPPED = ("SHA-256",)  # an export's bytes differ from one version of PyTorch to the next


def said(page: str, command: str) -> list[str]:
    """What a page says that a command printed."""
    text = (PAGES / page).read_text("utf-8")
    block = next(b for b in text.split("```") if b.startswith(f"text\n$ orderproof {command}\n"))
    return kept(block.partition(command)[2])


def kept(text: str) -> list[str]:
    """The lines that do not depend on the run."""
    settled = without_measured(text).splitlines()
    return [x.rstrip() for x in settled if x.strip() and not any(d in x for d in DROPPED)]


def answered(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the command prints in a folder."""
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(cli, command.split())
    assert done.exit_code == 0, done.output
    return kept(done.output)


def test_a_page_that_says_otherwise_is_noticed() -> None:
    """The comparison could not fail: an answer changed by one word would pass."""
    page = (PAGES / "large.md").read_text("utf-8")
    assert "EQUIVARIANT, for all n" in page
    assert kept(page) != kept(page.replace("EQUIVARIANT", "INVARIANT"))


@pytest.mark.slow
def test_the_large_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page about the large encoder would say what the tool does not."""
    pytest.importorskip("onnxruntime")
    make(tmp_path / "large.onnx", 12, 768, 12, 3072)
    command = "decide large.onnx --axis tokens:1"
    assert answered(command, tmp_path, monkeypatch) == said("large.md", command)


@pytest.mark.slow
@pytest.mark.parametrize("axis", ["0", "1 --timeout 600"])
def test_the_classifier_of_files(axis: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page about the classifier of files would say what the tool does not."""
    found = find_spec("magika")
    if found is None or not found.submodule_search_locations:
        pytest.skip("magika is not installed")
    folder = Path(found.submodule_search_locations[0]) / "models" / "standard_v3_3"
    command = f"decide model.onnx --axis bytes:{axis}"
    assert answered(command, folder, monkeypatch) == said("file_types.md", command)


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")  # the exporter's own
@pytest.mark.parametrize("which", ["with_positions", "without_positions"])
def test_the_trained_encoder(which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page about the trained encoder would say what the tool does not."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    folder = trained_encoder.checkpoint()
    if folder is None:
        pytest.skip("the checkpoint is not there: run `make models`")
    trained_encoder.export(folder, tmp_path)
    command = f"decide {which}.onnx --axis input_ids:1 --with attention_mask:1 --timeout 600"
    assert answered(command, tmp_path, monkeypatch) == said("trained_encoder.md", command)
