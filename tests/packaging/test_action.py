"""The GitHub action and the hooks for pre-commit: their files are valid, and their steps, run here
as far as can be, fail where they should."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from ruamel.yaml import YAML

from orderproof import __version__
from orderproof.command_line import cli

from .environment import ROOT, Installed, action, checked, steps

pytestmark = pytest.mark.xdist_group("wheel")
PINNED = ("sum_act", "self_attention_equivariant")
RECORDED = "attention_is_colour_refinement"


def test_the_action_is_valid(tmp_path: Path) -> None:
    """GitHub would refuse the action; a check that takes any file would not see it."""
    assert checked("github-actions", ROOT / "action.yml")[0] == 0
    planted = tmp_path / "action.yml"
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    planted.write_text(text.replace("      shell: bash\n", "", 1), encoding="utf-8")
    assert checked("github-actions", planted)[0] == 1


def test_every_input_is_used_and_reaches_the_shell_as_a_variable() -> None:
    """An input would do nothing; or what a person gives would be pasted into a script."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    named = set(re.findall(r"\$\{\{ inputs\.([\w-]+) (?:\}\}|\|\|)", text))
    assert named == set(action()["inputs"])
    assert list(steps()) == ["Install", "Compare", "Recheck"]
    for step in steps().values():
        assert "${{" not in step["run"]
        assert set(re.findall(r"\$([A-Z]+)", step["run"])) == set(step["env"])


def test_the_folder_of_the_action_is_asked_for_in_a_step() -> None:
    """A runner knows its folders within the steps of an action, and perhaps not yet where defaults
    of inputs are read: pip would be given "[solvers]"."""
    assert not any("${{" in given["default"] for given in action()["inputs"].values())
    assert "github.action_path" in steps()["Install"]["env"]["PACKAGE"]


def hooks() -> dict[str, list[str]]:
    """The entries of the hooks, by id."""
    found = YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")
    for hook in found:
        assert hook["language"] == "python" and hook["always_run"] and not hook["pass_filenames"]
    return {hook["id"]: hook["entry"].split() for hook in found}


def test_a_hook_refuses_a_changed_statement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit would pass although what it relies on has changed."""
    monkeypatch.chdir(tmp_path)
    program, *arguments = hooks()["orderproof-digests"]
    assert program == "orderproof"
    missing = CliRunner().invoke(cli, arguments)
    assert "no such file" in str(missing.exception)
    text = CliRunner().invoke(cli, ["digests", *PINNED]).output
    Path("orderproof.digests").write_text(text, encoding="utf-8")
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    first = re.search(r"sum_act (\w)", text)
    assert first
    other = text.replace(f"sum_act {first[1]}", f"sum_act {'1' if first[1] == '0' else '0'}")
    Path("orderproof.digests").write_text(other, encoding="utf-8")
    changed = CliRunner().invoke(cli, arguments)
    assert changed.exit_code == 1
    assert re.search(r"^sum_act: pinned \w{16}…, states \w{16}… now$", changed.output, re.M)
    assert "1 of 2 theorems state what orderproof.digests pins" in changed.output
    proving = CliRunner().invoke(cli, hooks()["orderproof-prove"][1:])
    assert proving.exit_code == 1 and not Path("build").exists()


def test_what_is_recorded_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A green check would be read as one of theorems that Rocq alone proves, checked now."""
    monkeypatch.chdir(tmp_path)
    text = CliRunner().invoke(cli, ["digests", "perm_transpose_mul", RECORDED]).output
    Path("orderproof.digests").write_text(text, encoding="utf-8")
    proving = CliRunner().invoke(cli, [*hooks()["orderproof-prove"][1:], "--no-cache"])
    assert proving.exit_code == 0
    assert "1 theorem proved here, 1 recorded from Rocq" in proving.output
    for file in ("action.yml", ".pre-commit-hooks.yaml"):
        text = (ROOT / file).read_text(encoding="utf-8")
        assert "what Rocq alone proves is compared with the record" in " ".join(text.split())


@pytest.mark.slow
def test_the_steps_of_the_action(installed: Installed, tmp_path: Path) -> None:
    """A project would have a green check that checked nothing, or a red one for no reason."""
    listed = installed.run("orderproof", "digests", *PINNED, cwd=tmp_path)
    (tmp_path / "orderproof.digests").write_text(listed.stdout, encoding="utf-8")
    given = {"digests": "orderproof.digests", "out": str(tmp_path / "out of here")}
    status, output = installed.step("Compare", tmp_path, given)
    assert status == 0, output
    assert "2 of 2 theorems state what orderproof.digests pins" in output
    assert "2 theorems proved here." in output
    status, output = installed.step("Recheck", tmp_path, given)
    assert status == 0, output
    assert re.search(r"(\d+) of \1 certificates checked by z3 and cvc5", output), output

    certificate = next((tmp_path / "out of here/certificates").glob("sum_act*.smt2"))
    text = certificate.read_text(encoding="utf-8")
    certificate.write_text(text.replace("(check-sat)", ""), encoding="utf-8")
    assert installed.step("Recheck", tmp_path, given)[0] != 0
    other = (tmp_path / "orderproof.digests").read_text("utf-8").replace("sum_act", "sum_akt")
    (tmp_path / "orderproof.digests").write_text(other, encoding="utf-8")
    status, output = installed.step("Compare", tmp_path, given)
    assert status == 1 and "did you mean sum_act?" in output, output


@pytest.mark.slow
def test_theorems_without_certificates_pass_the_action(
    installed: Installed, tmp_path: Path
) -> None:
    """A project that pins theorems of the kernel alone would fail for having no certificate."""
    listed = installed.run("orderproof", "digests", PINNED[1], cwd=tmp_path)
    (tmp_path / "orderproof.digests").write_text(listed.stdout, encoding="utf-8")
    given = {"digests": "orderproof.digests", "out": "out"}
    assert installed.step("Compare", tmp_path, given)[0] == 0
    status, output = installed.step("Recheck", tmp_path, given)
    assert status == 0 and "no certificate" in output, output


@pytest.mark.slow
def test_another_version_is_refused(installed: Installed, tmp_path: Path) -> None:
    """The version that a project pins would not be the one that checks it."""
    given = {"package": f"{installed.wheel}[solvers]", "version": "9.9.9"}
    status, output = installed.step("Install", tmp_path, given)
    assert status == 1
    assert f"::error::given version 9.9.9, installed orderproof, version {__version__}" in output
    given = {"package": str(tmp_path / "no.whl"), "version": ""}
    assert installed.step("Install", tmp_path, given)[0] != 0
