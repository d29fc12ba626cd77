"""What every test shares: examples that can be had again, and one copy of every module."""

import gc
import itertools
import os
import pickle
import random
import shutil
import sys
from collections import defaultdict
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import filelock
import hypothesis
import pytest
from _pytest.doctest import DoctestModule

from tests.programs import Hidden
from tests.share import is_drawn

os.environ.setdefault("SYMPY_GROUND_TYPES", "python")  # as the command line has it: basis.py
NUMBER = itertools.count()
ROOT = Path(__file__).resolve().parent.parent

# How long an example takes says nothing about whether it is true: no deadline.
hypothesis.settings.register_profile("local", deadline=None, print_blob=True)
hypothesis.settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_addoption(parser: pytest.Parser) -> None:
    """A share of the slow tests: sweeps take one in every run of CI, and all before a release."""
    parser.addoption("--share", type=int, default=1, help="run one in so many of the slow tests")
    parser.addoption("--seed", default="", help="the text that they are drawn by")


class Examples:
    """The plugin: collects doctests where there are examples, and imports no module for none."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path) -> Generator[None, list[Any], list[Any]]:
        """Leave the file out that has no prompt in it."""
        found = yield
        prompt = file_path.suffix == ".py" and b">>>" in file_path.read_bytes()
        return [c for c in found if prompt or not isinstance(c, DoctestModule)]


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Fix the seed and `-O` here, so that all worker processes share them; hide the programs; do
    not look for garbage while tests are collected: there is none, and they are many."""
    gc.disable()
    config.pluginmanager.register(Hidden())
    config.pluginmanager.register(Examples())
    if sys.flags.optimize:
        os.environ["PYTHONOPTIMIZE"] = str(sys.flags.optimize)
    if config.option.hypothesis_seed is None and not hypothesis.settings().derandomize:
        config.option.hypothesis_seed = str(random.randrange(2**32))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests whose fixtures need what may not be installed, before `-m` chooses: they are
    among those of `make test-all` that run again where it was installed since. Leave out the slow
    tests that are not drawn."""
    for item in items:
        names = {*getattr(item, "fixturenames", ())}
        if "library" in names:
            item.add_marker(pytest.mark.needs("coqc"))
        if "trained" in names:
            item.add_marker("needs")
    seed, share = config.getoption("--seed"), config.getoption("--share")
    slow = (item for item in items if item.get_closest_marker("slow"))
    left = {item for item in slow if not is_drawn(item.nodeid, seed, share)}
    config.hook.pytest_deselected(items=[item for item in items if item in left])
    items[:] = [item for item in items if item not in left]


def pytest_collection_finish() -> None:
    """Leave what was collected out of every later search for garbage, and search seldom."""
    gc.freeze()
    gc.set_threshold(100_000)
    gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give each test a cache of its own, made when it is used: what another test, or a person,
    proved would be taken for what this one proves."""
    folder = item.config._tmp_path_factory.getbasetemp() / "caches"  # type: ignore[attr-defined]
    os.environ["ORDERPROOF_CACHE"] = str(folder / str(next(NUMBER)))


def pytest_report_header(config: pytest.Config) -> str:
    """Say how to run the same examples again, and whether `assert` statements are compiled."""
    seed = config.option.hypothesis_seed
    examples = "the same in every run" if seed is None else f"--hypothesis-seed={seed}"
    share, text = config.getoption("--share"), config.getoption("--seed")
    slow = f"; slow tests: one in {share}, drawn by {text!r}" if share > 1 else ""
    return f"examples: {examples}; optimisation level: {sys.flags.optimize}{slow}"


@pytest.fixture(scope="session", autouse=True)
def _each_module_is_loaded_once() -> Iterator[None]:
    """Fail if a module was loaded under two names: its equal interned terms would differ."""
    yield
    names = defaultdict(list)
    for name, module in list(sys.modules.items()):
        path = Path(getattr(module, "__file__", None) or "/").resolve()
        if path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / ".venv"):
            names[path].append(name)
    twice = sorted(sorted(found) for found in names.values() if len(found) > 1)
    if twice:
        pytest.fail(f"loaded under two names: {twice}", pytrace=False)


@pytest.fixture
def pages() -> Any:
    """The pages of three theorems: a lemma, the main one, and one that is open."""
    from tests.pages import PAGES

    return PAGES


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The Rocq development, compiled; the tests that need it are skipped without Rocq.
    The first of several processes compiles what `make rocq` did not, and each has a copy, for
    tests add files to it."""
    from orderproof.check.rocq import library, run

    if not run.installed():
        pytest.skip(f"coqc with MathComp is not installed (Debian: {run.PACKAGED})")
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    kept = shared / "rocq.pickle"
    with filelock.FileLock(shared / "rocq.lock"):
        if not kept.exists():
            (shared / "rocq").mkdir()
            for name in library.ORDER:
                for file in (ROOT / "build" / library.COMPILED).glob(f"{name}.*"):
                    shutil.copy(file, shared / "rocq")
            kept.write_bytes(pickle.dumps(library.compile(shared / "rocq")))
    found = pickle.loads(kept.read_bytes())
    mine = tmp_path_factory.mktemp("library") / "rocq"
    return replace(found, folder=shutil.copytree(found.folder, mine))
