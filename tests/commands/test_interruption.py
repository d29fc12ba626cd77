"""An interruption ends the command line at any moment, and a time limit whatever takes long."""

from __future__ import annotations

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

from orderproof.symbolic import time_limit
from tests.commands.running import ROOT

MODEL = ROOT / "tests" / "models" / "decoder_causal_last_2.onnx"
DECIDE = [sys.executable, "-m", "orderproof", "decide", str(MODEL), "--axis", "x:1"]
random.seed(36)
MOMENTS = [0.05, *sorted(random.uniform(0.05, 3) for _ in range(10)), 3.0]  # seconds after start


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("moment", MOMENTS)
def test_an_interruption_ends_it_at_any_moment(moment: float) -> None:
    """An import that is interrupted would be taken for a package that is not there, and a wrong
    answer be printed; or the interruption be lost."""
    pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")
    with subprocess.Popen(
        DECIDE, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=300)
    if process.returncode == -signal.SIGINT:  # a shell says 130: before the command line was there
        assert not out
    elif process.returncode == 130:
        said = [line for line in errors.splitlines() if line]
        assert said == ["orderproof: expected the end of the command, found an interruption"]
    else:
        assert process.returncode == 0 and "NOT INVARIANT" in out and not errors


LOST = """
import builtins, os, signal, sys
plain = builtins.__import__
def importing(name, *rest):
    if name == {module!r}:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(10_000): pass
        except KeyboardInterrupt:
            raise ImportError(name=name) from None  # as extension modules do
    return plain(name, *rest)
builtins.__import__ = importing
sys.argv[0] = 'orderproof'
from orderproof.command_line import main
main()
"""


@pytest.mark.parametrize("module", ["onnx", "onnxruntime"])
def test_an_interrupted_import_is_no_missing_package(module: str) -> None:
    """A person who interrupts would read that onnxruntime is not installed."""
    pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")
    done = subprocess.run(
        [sys.executable, "-c", LOST.format(module=module), *DECIDE[3:]],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (130, "") and "an interruption" in done.stderr


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
