"""The package without any extra: it imports, and each command says in one line what it lacks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .environment import Installed

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]
OF_EXTRAS = (  # what may need an extra: folders and files, each with the packages that it needs
    ("symbolic.onnx", {"onnx", "flint", "google"}),  # protobuf, of onnx
)
IMPORT_ALL = """
import importlib, json, pkgutil, orderproof
missing = {}
for module in pkgutil.walk_packages(orderproof.__path__, "orderproof."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            missing[module.name] = error.name
print(json.dumps(missing))
"""


@pytest.fixture(scope="session")
def plain(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel as a newcomer installs it, with pytest, which loads its plugin."""
    folder = tmp_path_factory.mktemp("plain")
    made = Installed.beside(folder, dist)
    command = ("python", "-m", "pip", "install", "--quiet", str(made.wheel), "pytest")
    done = made.run(*command, cwd=folder)
    assert done.returncode == 0, done.stderr
    return made


def test_what_needs_no_extra_is_imported(plain: Installed, tmp_path: Path) -> None:
    """A module that everybody uses would need a package that only some have."""
    done = plain.run("python", "-c", IMPORT_ALL, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    missing = {k.removeprefix("orderproof."): v for k, v in json.loads(done.stdout).items()}
    known = {
        name: package
        for name, package in missing.items()
        for place, packages in OF_EXTRAS
        if (name == place or name.startswith(f"{place}.")) and package in packages
    }
    assert missing == known != {}


@pytest.mark.parametrize(
    ("command", "status", "says"),
    [
        ("decide model.onnx", 2, "pip install 'orderproof[onnx]'"),
        ("confirm", 2, "make models"),
        ("book", 2, "pip install 'orderproof[book]'"),
        ("prove sum_act --scheduler tcp://127.0.0.1:9", 2, "orderproof[cluster]"),
        ("audit sum_act --scheduler tcp://127.0.0.1:9", 2, "orderproof[cluster]"),
        ("table --scheduler tcp://127.0.0.1:9", 2, "orderproof[cluster]"),
        ("recheck out/certificates --solver cvc5", 2, "pip install 'orderproof[solvers]'"),
        ("recheck out/certificates --independent", 3, "pip install 'orderproof[solvers]'"),
        ("prove sum_act --rocq", 2, "coq libcoq-mathcomp-algebra"),
    ],
)
def test_what_is_missing_is_said_in_one_line(
    plain: Installed, tmp_path: Path, command: str, status: int, says: str
) -> None:
    """A newcomer would read a traceback, or take a check that was not made for one that passed."""
    (tmp_path / "model.onnx").touch()
    if command.startswith("recheck"):
        made = plain.run("orderproof", "prove", "perm_transpose_mul", "sum_act", cwd=tmp_path)
        assert made.returncode == 0, made.stderr
        (tmp_path / "build").rename(tmp_path / "out")
    done = plain.run("orderproof", *command.split(), cwd=tmp_path)
    assert done.returncode == status, done.stdout + done.stderr
    (line,) = [x for x in (done.stdout + done.stderr).splitlines() if says in x]
    assert status == 3 or done.stderr == f"{line}\n"


def test_the_plugin_measures(plain: Installed, tmp_path: Path) -> None:
    """Functions could be tested only where the extras for models are installed."""
    lines = (
        "import numpy as np",
        "def test_sum(assert_permutation_invariant):",
        "    assert_permutation_invariant(lambda x: x.sum(0), np.eye(3), axis=0)",
    )
    (tmp_path / "test_it.py").write_text("\n".join(lines))
    done = plain.run("python", "-m", "pytest", "-q", cwd=tmp_path)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr
