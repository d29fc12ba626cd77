"""An interruption ends the command line at any moment, and a time limit whatever takes long."""

from __future__ import annotations

import os
import pty
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from orderproof.check.prove.basis import basis
from orderproof.check.prove.cache import Cache
from orderproof.check.prove.run import prove
from orderproof.symbolic import time_limit
from tests.check.prove.test_executor import running
from tests.commands.running import ROOT

MODEL = ROOT / "tests" / "models" / "decoder_causal_last_2.onnx"
DECIDE = f"decide {MODEL} --axis x:1"
MODULE, SCRIPT = ("-m", "orderproof"), ("-c", "from orderproof.cli import main; main()")
SAID = "orderproof: interrupted"

# Python runs this before anything of ours. It interrupts the process when a module is looked for,
# by its name or by how many were before, and then does with the exception what libraries do.
PLANTED = """
import atexit, os, signal, sys, time
at, how, count = os.environ["AT"], os.environ["HOW"], 0

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000): pass  # a handler is called between two instructions

class Cleared:
    def __del__(self): interrupt()  # an exception of it is printed, and ignored

class Finder:
    def find_spec(self, name, path=None, target=None):
        global count
        if "orderproof.interruption" not in sys.modules:
            return
        count += 1
        if at not in (name, str(count)):
            return
        try:
            Cleared() if how == "ignored" else interrupt()
        except KeyboardInterrupt:
            if how == "raised": raise
            if how == "another": raise ImportError(name=name) from None
            if how == "stuck": time.sleep(600)

sys.meta_path.insert(0, Finder())
if at == "end": atexit.register(interrupt)
if at == "count": atexit.register(lambda: print(count, file=sys.stderr))
"""


@pytest.fixture
def interrupted(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command that is interrupted when a module is imported."""
    (tmp_path / "sitecustomize.py").write_text(PLANTED)

    def run(
        words: str, at: str, how: str = "raised", entry: tuple[str, ...] = MODULE, **more: Any
    ) -> subprocess.CompletedProcess[str]:
        env = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "AT": at, "HOW": how}
        return subprocess.run(
            [sys.executable, *entry, *words.split()], cwd=tmp_path, env=env, text=True,
            timeout=300, check=False, **{"capture_output": True, **more},
        )  # fmt: skip

    return run


Interrupted = Callable[..., subprocess.CompletedProcess[str]]
MOMENTS = [  # a command, a module that it imports, and what becomes of the exception
    *(("list", "click", how) for how in ("raised", "another", "lost", "ignored", "stuck")),
    ("list", "orderproof.command_line", "another"),
    ("list", "orderproof.proofs.catalogue", "raised"),
    ("cite sum_act", "orderproof.check.prove.digests", "lost"),
    ("audit sum_act", "orderproof.audit.judge", "ignored"),
    ("audit sum_act", "sympy", "lost"),
    ("audit sum_act", "z3", "raised"),
    ("table", "orderproof.check.schemes.table", "another"),
    ("book", "orderproof.publish.book", "lost"),
    ("prove --no-such-option", "orderproof.commands.prove", "ignored"),
    (DECIDE, "onnx", "another"),
    (DECIDE, "onnxruntime", "another"),
]


@pytest.mark.parametrize("entry", [MODULE, SCRIPT], ids=["module", "script"])
@pytest.mark.parametrize(("words", "at", "how"), MOMENTS)
def test_an_interruption_ends_it_at_any_moment(
    interrupted: Interrupted, words: str, at: str, how: str, entry: tuple[str, ...]
) -> None:
    """It would be lost and the run go on, be taken for a package that is not there or a claim that
    failed, or end in a traceback."""
    if "onnx" in at:
        pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")
    done = interrupted(words, at, how, entry)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", f"{SAID}\n")


@pytest.mark.slow
@pytest.mark.parametrize("words", ["list", "audit sum_act", "table --scheme none", "search --help"])
def test_it_does_at_every_import(interrupted: Interrupted, words: str) -> None:
    """Some library would lose it that is not in the table."""
    last = int(interrupted(words, "count").stderr)
    assert last > 20
    for k in sorted(random.sample(range(1, last + 1), 8)):
        done = interrupted(words, str(k), random.choice(["raised", "another", "ignored"]))
        assert (done.returncode, done.stderr) == (130, f"{SAID}\n"), k


def test_an_interruption_after_the_end_comes_too_late(interrupted: Interrupted) -> None:
    """A script would take a whole output for a part of one; or Python print a traceback."""
    done, whole = interrupted("cite sum_act", "end"), interrupted("cite sum_act", "never")
    assert (done.returncode, done.stdout, done.stderr) == (0, whole.stdout, "") != (0, "", "")


def test_who_ignores_interruptions_is_not_interrupted(interrupted: Interrupted) -> None:
    """What `nohup` started would end with the terminal."""
    done = interrupted(
        "cite sum_act", "click",
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    assert (done.returncode, done.stderr, done.stdout != "") == (0, "", True)


def test_prove_says_what_is_kept(interrupted: Interrupted, tmp_path: Path) -> None:
    """Who interrupts would not know whether what was proved is to be proved again."""
    prove(["sum_act"], 1, cache=Cache(tmp_path / "cache", basis()))
    before = {p: p.read_bytes() for p in tmp_path.rglob("*.json")}
    command = f"prove --cache {tmp_path / 'cache'} sum_act bag_of_words"
    for words, how, kept in (
        (command, "raised", "1 of 2 theorems are kept"),
        (command, "lost", "1 of 2 theorems are kept"),
        ("prove sum_act --no-cache", "raised", "no theorem is kept (--no-cache)"),
    ):
        done = interrupted(words, "orderproof.check.prove.checking", how)
        assert (done.returncode, done.stdout, done.stderr) == (130, "", f"{SAID}; {kept}\n")
    assert before == {p: p.read_bytes() for p in tmp_path.rglob("*.json")} != {}


def test_a_terminal_is_left_in_order(interrupted: Interrupted) -> None:
    """The line would stand after half a progress bar, and the cursor stay hidden."""
    ours, theirs = pty.openpty()
    more = {"capture_output": False, "stdout": subprocess.DEVNULL, "stderr": theirs}
    done = interrupted("list", "click", **more)
    os.close(theirs)
    assert (done.returncode, os.read(ours, 1000)) == (130, f"\r\x1b[2K\x1b[?25h{SAID}\r\n".encode())
    os.close(ours)


COPIED = """
import os, signal
from orderproof import interruption

def run():
    child = os.fork()
    if not child:
        os.kill(os.getpid(), signal.SIGINT)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

interruption.guarded(run)
"""
WORKERS = """
import os, signal, sys, time
from pathlib import Path
from orderproof import interruption
from orderproof.check.prove.executor import each

def work(name):
    (Path(sys.argv[1]) / name).write_text(str(os.getpid()))
    while len(list(Path(sys.argv[1]).glob("worker*"))) < 2:
        time.sleep(0.01)
    if name == "worker a":
        os.killpg(0, signal.SIGINT)
    time.sleep(600)

interruption.guarded(lambda: list(each(work, ["worker a", "worker b"], jobs=2)))
"""


TWICE = """
import os, signal, time
from orderproof import interruption

def run():
    for _ in range(2):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(600)
        except KeyboardInterrupt:
            pass
    time.sleep(600)

interruption.PATIENCE = 600
interruption.guarded(run)
"""
CLOSED = """
import os, signal, sys
from orderproof import interruption
os.close(2)
sys.__stderr__ = None  # as Python has it where it was closed from the start
file = open(sys.argv[1] + "/file", "w")
interruption.guarded(lambda: os.kill(os.getpid(), signal.SIGINT) if file.fileno() == 2 else None)
"""


def test_a_closed_standard_error_is_left_alone(tmp_path: Path) -> None:
    """The line would be written into a file that has the descriptor of standard error."""
    done = subprocess.run([sys.executable, "-c", CLOSED, str(tmp_path)], cwd=ROOT, timeout=300)
    assert (done.returncode, (tmp_path / "file").read_text()) == (130, "")


@pytest.mark.parametrize(
    ("code", "status", "out", "err"),
    [(COPIED, 0, "130\n", ""), (WORKERS, 130, "", f"{SAID}\n"), (TWICE, 130, "", f"{SAID}\n")],
    ids=["a copy", "a terminal", "twice"],
)
def test_one_process_tells_of_it(
    tmp_path: Path, code: str, status: int, out: str, err: str
) -> None:
    """A terminal interrupts the workers too: each would say so, or go on for minutes."""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, capture_output=True, text=True,
        timeout=60, start_new_session=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (status, out, err)
    until = time.monotonic() + 60
    pids = [int(path.read_text()) for path in tmp_path.glob("worker*")]
    while any(map(running, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(running, pids))


def test_inner_limits_do_not_outlast_outer_ones() -> None:
    """What is given more time inside of something would go on after its end."""
    with time_limit.limited(0), time_limit.limited(1000), pytest.raises(time_limit.Late):
        time_limit.check()
    time_limit.check()


SLOW = """g (float[n, 64] x) => (float[n, 64] y)
    <int64 turns = {100000000}, bool true = {1}, float small = {0.001}> {
  y = Loop (turns, true, x) <body = l (int64 k, bool on, float[n, 64] a)
        => (bool go, float[n, 64] b) {go = Identity(on) s = Mul(a, small) b = Tanh(s)}>
}"""


def test_a_run_of_the_model_ends_with_the_time(tmp_path: Path) -> None:
    """A model that runs for an hour would be waited for, whatever --timeout is."""
    pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")
    from orderproof.symbolic.onnx.decide import decide
    from tests.symbolic.onnx.making import parsed, saved

    begin = time.monotonic()
    (result,) = decide(saved(parsed(SLOW), tmp_path), "x:0", timeout=2).results
    assert time.monotonic() - begin < 60
    assert "within the time of --timeout" in result.reason


@pytest.mark.parametrize("stage", ["read", "push", "compare", "evaluate", "choose sizes", "search"])
def test_every_stage_ends_with_the_time(stage: str) -> None:
    """One stage would go on after the time of all."""
    pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")
    from orderproof.symbolic.onnx.arrays import Evaluator
    from orderproof.symbolic.onnx.check import check, sources
    from orderproof.symbolic.onnx.decide import Question, runner_of
    from orderproof.symbolic.onnx.finder import Finder
    from orderproof.symbolic.onnx.load import load
    from orderproof.symbolic.onnx.naturality import conditionals
    from orderproof.symbolic.onnx.reading import reading_of
    from orderproof.symbolic.onnx.samples import sample_sizes

    graph, x = load(MODEL), ("x", 1)
    runner: Any = runner_of(graph)
    question = Question(Finder(MODEL, graph, runner), x, (), None)
    reading: Any = question.first
    value, reader, realised = reading.value("y"), reading.reader, reading.realised
    term, (sizes,) = realised.of(value), sample_sizes(reader, {}, 1)
    inputs = runner.random_inputs(sizes, 0)
    given = {**inputs, **runner.run(inputs, sources(realised))}
    evaluator = Evaluator(reader, realised, sizes, given.__getitem__)
    refuter = question.refuter
    stages: dict[str, Callable[[], Any]] = {
        "read": lambda: reading_of(graph, x, (), runner).value("y"),
        "push": lambda: conditionals(realised, value, x, reading.over, ()),
        "compare": lambda: check(reader, realised, runner, {"y": value}),
        "evaluate": lambda: evaluator.value(value, term, np.float64),
        "choose sizes": lambda: sample_sizes(reader, {}, 1),
        "search": lambda: refuter.search([x], "y", 1, 2, None),
    }
    assert not _late(stages[stage]())
    with time_limit.limited(0):
        try:
            found = stages[stage]()
        except time_limit.Late:
            return
    assert _late(found)


def _late(found: Any) -> bool:
    """Whether a result says that the time was over."""
    return "the time" in (found if isinstance(found, str) else getattr(found, "reason", ""))
