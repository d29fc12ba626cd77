"""README.md against the program: its examples are commands, its excerpts what they print."""

from __future__ import annotations

import inspect
import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from orderproof.cli import cli
from orderproof.symbolic.calculus import terms

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^\| `orderproof ([^`]*)`", README, re.MULTILINE)
NUMBERS = {10: "ten", 11: "eleven", 12: "twelve", 13: "thirteen"}
CASES = [line for line in inspect.getsource(terms.signature).splitlines() if " case " in line]
KINDS = {kind for line in CASES for kind in re.findall(r'\(?"(\w+)", \(', line)}
DECIDED = "tests/models/positions_learned.onnx"  # the model.onnx of its excerpt
EXCERPTS = re.findall(r"```text\n\$ orderproof ([^\n]*)\n(.*?)```", README, re.DOTALL)


def parsed(line: str) -> str:
    """The command of an example, its options and arguments read but not run."""
    name, *rest = shlex.split(line)
    whole = click.Context(cli, **cli.context_settings)  # whose options for help are kept
    cli.commands[name].make_context(name, rest, parent=whole)
    return name


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


def test_every_command_has_an_example_that_it_reads() -> None:
    """A command would be missing from the table, or an example would be a usage error."""
    assert {parsed(line) for line in EXAMPLES} == set(cli.commands)
    with pytest.raises(click.ClickException):
        parsed("prove --nothing")


@pytest.mark.parametrize(("line", "excerpt"), EXCERPTS)
def test_excerpts_are_what_is_printed(
    line: str, excerpt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newcomer would be shown an output that the program no longer gives."""
    monkeypatch.chdir(tmp_path)
    if line.startswith("decide"):
        pytest.importorskip("onnx", reason="the extra `onnx` is missing")
        (tmp_path / "model.onnx").write_bytes((ROOT / DECIDED).read_bytes())
    printed = CliRunner().invoke(cli, shlex.split(line)).output
    assert missing(excerpt, printed) == []
    other = excerpt.replace("P Z", "Pᵀ Z").replace("32/17", "1").replace("depth 2", "depth 1")
    other = other.replace("EQUIVARIANT", "BLIND")
    assert missing(other, printed) != []


def test_the_constructors_are_counted() -> None:
    """A reader would be promised fewer constructors than the trusted file has."""
    assert f"the calculus: {NUMBERS[len(KINDS)]} constructors" in " ".join(README.split())
    assert f"axes, {NUMBERS[len(KINDS)]} constructors" in (terms.__doc__ or "")
    assert {"leaf", "apply", "iterate"} <= KINDS


def test_there_are_four_excerpts() -> None:
    """The test above would run over nothing."""
    assert [line.split()[0] for line, _ in EXCERPTS] == ["show", "search", "distinguish", "decide"]


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


PAGES = ["README.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("file", PAGES)
def test_every_link_leads_somewhere(file: str) -> None:
    """A reader would be sent to a theorem, a page or a heading that is not there."""
    text = (ROOT / file).read_text(encoding="utf-8")
    assert dangling(text, (ROOT / file).parent) == []
    planted = f"{text}\n[a](docs/no.md) [b](#no-such-heading)"
    assert dangling(planted, (ROOT / file).parent) == ["docs/no.md", "#no-such-heading"]


def test_the_first_screen_says_what_it_is() -> None:
    """The slogan would be the sentence that the book itself calls true under a condition alone; or
    what `pip install` brings would have to be guessed."""
    first = README.partition("## Install")[0]
    assert first.startswith("# orderproof\n\n*Unmasked attention cannot see the order")
    assert len(first.splitlines()) <= 50
    assert all(f"**{way} it.**" in first for way in ("Read", "Check", "Attack"))
    assert first.count("?** ") == 4 and "![" in first
    assert "*one* solver, Z3" in README and "It does not bring a second" in README


def test_the_example_for_a_notebook_runs() -> None:
    """What a reader copies into a notebook would fail, or say something else."""
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    *setup, derived, searched = code.strip().splitlines()
    names: dict[str, object] = {}
    exec("\n".join(setup), names)
    assert str(eval(derived, names)).startswith("Z′ = P Z")
    assert "# Z′ = P Z" in derived
    assert eval(searched, names).answer == "witness"
