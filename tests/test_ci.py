"""What continuous integration runs, tried with programs that only note that they were called."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.packaging.environment import ROOT, outside

FAKE = """#!/bin/sh
[ "$1" != -n ] || shift  # of sudo
line="$(basename "$0") $*"
echo "$line" >> "{0}/calls"
case "$line" in {1}) echo "it broke down"; exit 7;; "sudo true") exit 0;; esac
[ "$(basename "$0")" != sudo ] || exec "$@"
"""
CALLS = {  # what is called, in this order, by a word for each
    "lint": r"make lint", "test": r"make test", "prove": r"make prove",
    "apt": r"apt-get .* install -y --no-install-recommends coq .*", "rocq": r"make rocq",
    "prove --rocq": r"orderproof prove --rocq --require-checked", "compare": r"make compare-record",
    "slow": r"make SHARE=\d+ SEED=[0-9a-f]{40} test-slow",
    "audit": r"orderproof audit --sample 300 --seed [0-9a-f]{40} --audited .ci/audited.digests",
    "book": r"make book",
}  # fmt: skip
BESIDE = {  # beside others, so that their order is open
    "models": r"make models",
    "TeX": r"apt-get .* install -y --no-install-recommends texlive.*",
}


def called(folder: Path, broken: str) -> tuple[int, str, list[str]]:
    """The status of .ci/run where one program breaks down, what it printed, and the calls."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", folder / ".ci/run")
    for place, names in (
        ("bin", ("make", "apt-get", "dpkg-query", "coqc", "sudo")),
        (".venv/bin", ("orderproof",)),
    ):
        (folder / place).mkdir(parents=True)
        for name in names:
            (folder / place / name).write_text(FAKE.format(folder, broken))
            (folder / place / name).chmod(0o755)
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    for command in (("init", "-q"), ("add", ".ci"), ("commit", "-qm", "one")):
        subprocess.run([*git, *command], cwd=folder, check=True, env=outside())
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", ".ci/run"], cwd=folder, env=outside(PATH=path), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    lines = (folder / "calls").read_text(encoding="utf-8").splitlines()
    patterns = (CALLS | BESIDE).items()
    calls = [name for line in lines for name, p in patterns if re.fullmatch(p, line)]
    return done.returncode, done.stdout + done.stderr, calls


def test_all_of_it_is_run_in_order(tmp_path: Path) -> None:
    """A check would be left out, or made only after what takes long."""
    status, said, calls = called(tmp_path, "none")
    assert status == 0 and "==> all of it passed (shares were drawn by " in said, said
    assert [c for c in calls if c in CALLS] == [*CALLS]
    assert BESIDE.keys() <= {*calls}
    table = said.partition("\nseconds  step\n")[2]
    for what in ("make lint", "coq, beside", "make rocq", "orderproof audit", "make book"):
        assert re.search(rf"^ +\d+  (\.venv/bin/)?{what}", table, re.MULTILINE), table
    for name in ("download", "install", "models"):
        assert f"  {name}, beside other steps\n" in table, table


@pytest.mark.parametrize(
    ("broken", "last"),
    [
        ('"make lint"', "lint"),
        ('"make test"', "test"),
        ('"make prove"', "prove"),
        ("make*test-slow", "slow"),
        ("apt-get*update", "prove"),
        ("apt-get*--download-only*", "prove"),
        ("apt-get*install*recommends\\ coq*", "apt"),
        ("apt-get*install*recommends\\ texlive*", "compare"),
        ('"make rocq"', "rocq"),
        ('"orderproof prove --rocq"*', "prove --rocq"),
        ('"make compare-record"', "compare"),
        ('"make models"', "compare"),
        ('"orderproof audit"*', "audit"),
        ('"make book"', "book"),
    ],
)
def test_it_stops_at_the_first_failure(broken: str, last: str, tmp_path: Path) -> None:
    """A check that failed would be followed by others, or pass; so would one beside others."""
    status, said, calls = called(tmp_path, broken)
    assert status != 0 and "==> failed" in said, said
    assert [c for c in calls if c in CALLS][-1] == last, said
    assert "it broke down" in said and ": status 7\n" in said, said
