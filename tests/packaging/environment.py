"""An environment with the wheel in it, and the steps of the action as its runner would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
OWN = ("PYTEST", "PYTHON", "MAKE", "MFLAGS", "VIRTUAL_ENV", "COV")


def outside(**more: str) -> dict[str, str]:
    """The environment of a process that knows nothing of these tests."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
    return bare | more


def git(folder: Path, *arguments: str) -> str:
    """What git prints of a repository; by no one's name, and no one's settings."""
    someone = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    command = ("git", *someone, *arguments)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(folder: Path) -> str:
    """Keep a folder in git as it is; the hash of its tree."""
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=a")
    return git(folder, "rev-parse", "HEAD^{tree}")


def build(tree: Path, *options: str) -> None:
    """Build what a release has: wheel and sdist, or what the options say."""
    command = (sys.executable, "-m", "build", *options)
    done = subprocess.run(
        command, cwd=tree, env=outside(), capture_output=True, text=True, check=False, timeout=300
    )
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)


def checked(schema: str, path: Path) -> tuple[int, str]:
    """The status of check-jsonschema for a file, and what it says."""
    from check_jsonschema import main as check_jsonschema

    done = CliRunner().invoke(check_jsonschema, ["--builtin-schema", f"vendor.{schema}", str(path)])
    return done.exit_code, done.output


def action() -> dict[str, Any]:
    """action.yml, parsed."""
    found: dict[str, Any] = YAML(typ="safe").load(ROOT / "action.yml")
    return found


def steps() -> dict[str, dict[str, Any]]:
    """The steps of the action that run a shell, by the first word of their names."""
    return {s["name"].split()[0]: s for s in action()["runs"]["steps"] if "run" in s}


def evaluated(expression: str, inputs: Mapping[str, str]) -> str:
    """What an expression of the action gives: an input, which must not be empty where the runner
    would put a default for it. KeyError for any other expression."""
    found = re.fullmatch(r"\$\{\{ inputs\.([\w-]+)( \|\| .+)? \}\}", expression)
    if found is None or (found[2] and not inputs[found[1]]):
        raise KeyError(expression)
    return inputs[found[1]]


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it."""

    folder: Path
    wheel: Path

    @staticmethod
    def beside(folder: Path, dist: Path) -> Installed:
        """A new environment in this folder, for the wheel in `dist`, which is not installed yet."""
        venv.create(folder / "env", with_pip=True)
        (wheel,) = dist.glob("*.whl")
        return Installed(folder / "env", wheel)

    def run(self, *command: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command with this environment's programs before all others."""
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            command, cwd=cwd, env=outside(PATH=path, **env), capture_output=True, text=True,
            check=False, timeout=900,
        )  # fmt: skip

    def step(self, name: str, cwd: Path, inputs: Mapping[str, str]) -> tuple[int, str]:
        """Run a step of the action as the runner would: by bash, -e, its inputs as variables."""
        step = steps()[name]
        env = {key: evaluated(value, inputs) for key, value in step["env"].items()}
        done = self.run(
            "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"], cwd=cwd, **env
        )
        return done.returncode, done.stdout + done.stderr
