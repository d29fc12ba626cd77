"""The workflow that puts the site on GitHub Pages."""

from __future__ import annotations

from pathlib import Path

from orderproof.publish.web.site import FOLDER
from tests.packaging.environment import checked

WORKFLOW = Path(__file__).parents[3] / ".github" / "workflows" / "pages.yml"


def status(path: Path) -> int:
    """What the schema of GitHub's workflows says of a file."""
    return checked("github-workflows", path)[0]


def test_the_workflow_publishes_what_the_command_writes(tmp_path: Path) -> None:
    """It would be refused, or publish a folder that is not there."""
    text = WORKFLOW.read_text(encoding="utf-8")
    assert "orderproof book --rocq --out build\n" in text
    assert f"path: build/{FOLDER}\n" in text
    assert status(WORKFLOW) == 0
    broken = tmp_path / "pages.yml"
    broken.write_text(text.replace("runs-on:", "runs:"), encoding="utf-8")
    assert status(broken) == 1
