"""README.md and docs/commands.md against the program: what they show is what is printed."""

from __future__ import annotations

import inspect
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from orderproof.command_line import cli
from orderproof.publish.book import LIMITED, SLOGAN
from orderproof.symbolic.calculus import terms
from tests import commands_page

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXCERPTS = re.findall(r"```text\n\$ orderproof ([^\n]*)\n(.*?)```", README, re.DOTALL)


def missing(excerpt: str, printed: str) -> list[str]:
    """The lines of an excerpt that are not printed, in this order; … stands for any lines."""
    rest, lost = printed.splitlines(), []
    for line in excerpt.splitlines():
        if line.strip() != "…":
            if line in rest:
                rest = rest[rest.index(line) + 1 :]
            else:
                lost.append(line)
    return lost


@pytest.mark.parametrize(("line", "excerpt"), EXCERPTS)
def test_excerpts_are_what_is_printed(
    line: str, excerpt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newcomer would be shown an output that the program no longer gives, or be given the name of
    a file that is not in the clone."""
    monkeypatch.chdir(tmp_path)
    if line.startswith("decide"):
        pytest.importorskip("onnx", reason="the extra `onnx` is missing")
        from tests.models.leaks import BY_NAME
        from tests.questions import without_measured

        excerpt = without_measured(excerpt)
        if "model.onnx" in line:
            BY_NAME["causal_tril_off_by_one"].write(tmp_path).rename("model.onnx")
        else:
            monkeypatch.chdir(ROOT)
        printed = without_measured(CliRunner().invoke(cli, shlex.split(line)).output)
    else:
        printed = CliRunner().invoke(cli, shlex.split(line)).output
    assert missing(excerpt, printed) == []
    other = excerpt.replace("P Z", "Pᵀ Z").replace("32/17", "1").replace("EQUIVARIANT", "BLIND")
    assert missing(other.replace("by 1.5", "by 1"), printed) != []


def test_there_are_four_excerpts() -> None:
    """The test above would run over nothing."""
    assert [line.split()[0] for line, _ in EXCERPTS] == ["show", "search", "decide", "decide"]


def test_the_commands_are_as_their_help_says() -> None:
    """docs/commands.md would describe an option that is not there; `make readme` was forgotten."""
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert text == commands_page.page()
    assert {f"### {name}" for name in cli.commands} <= set(text.splitlines())


def test_the_constructors_are_counted() -> None:
    """A reader would be promised fewer constructors than the trusted file has."""
    cases = [line for line in inspect.getsource(terms.signature).splitlines() if " case " in line]
    kinds = {kind for line in cases for kind in re.findall(r'\(?"(\w+)", \(', line)}
    number = {11: "eleven", 12: "twelve", 13: "thirteen"}[len(kinds)]
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"the calculus: {number} constructors" in " ".join(contributing.split())
    assert f"axes, {number} constructors" in (terms.__doc__ or "")
    assert {"leaf", "apply", "iterate"} <= kinds


def dangling(text: str, folder: Path) -> list[str]:
    """The links of a text in Markdown to files or headings that are not there."""
    headings = {
        re.sub(r"[^\w -]", "", line.lstrip("# ")).lower().replace(" ", "-")
        for line in text.splitlines()
        if line.startswith("#")
    }
    found = re.findall(r"\]\(([^)\s]+)\)", " ".join(text.split()))
    local = [link for link in found if "://" not in link]
    return [
        link
        for link in local
        if not (link[1:] in headings if link.startswith("#") else (folder / link).exists())
    ]


PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md")),
]


@pytest.mark.parametrize("file", PAGES)
def test_every_link_leads_somewhere(file: str) -> None:
    """A reader would be sent to a theorem, a page or a heading that is not there."""
    text = (ROOT / file).read_text(encoding="utf-8")
    assert dangling(text, (ROOT / file).parent) == []
    planted = f"{text}\n[a](docs/no.md) [b](#no-such-heading)"
    assert dangling(planted, (ROOT / file).parent) == ["docs/no.md", "#no-such-heading"]


def test_the_readme_is_short_and_says_what_it_is() -> None:
    """The slogan would be the sentence that the book itself calls true under a condition alone; a
    newcomer would read for long before the first command."""
    first, lines = README.partition("## Install")[0], README.splitlines()
    assert first.startswith(f"# orderproof\n\n*{SLOGAN} {LIMITED}*\n")
    assert len(lines) <= 120 and len(first.splitlines()) <= 20 and "![" in first
    assert [x for x in lines if x.startswith("## ")][:3] == [
        "## Install", "## Two commands", "## Three examples",
    ]  # fmt: skip
