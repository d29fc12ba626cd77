"""The bench of `decide`: a small model against running it, and depth against depth."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from .measure import Row, seconds

MODELS = Path(__file__).parents[1] / "models"
SMALL = ("encoder_pre_norm_stack", "positions_learned")  # one proved, one refuted


def rows(runs: int) -> Iterator[Row]:
    """Rows of ratios; none where onnx, onnxruntime or python-flint is missing."""
    try:
        import flint  # noqa: F401
        from onnxruntime import InferenceSession

        from orderproof.symbolic.onnx.decide import decide
    except ImportError:
        return

    def decided(path: Path, axis: str | None = None) -> None:
        if any(not r.decided for r in decide(path, axis).results):
            raise RuntimeError(f"{path.name} is not decided: its time means nothing")

    for name in SMALL:
        path = MODELS / f"{name}.onnx"
        decided(path)  # what is imported at the first decision
        load = partial(InferenceSession, str(path), providers=["CPUExecutionProvider"])
        ours, other = seconds(partial(decided, path), runs), seconds(load, runs)
        yield Row(f"decide {name}, against loading it in onnxruntime", ours, other, other / ours)
    yield _depths(decided)


def _depths(decided: Callable[[Path, str], None]) -> Row:
    """64 small layers against four times 16: 1 is linear."""
    from tests.real_models.large import make

    times = {}
    with tempfile.TemporaryDirectory() as folder:
        for depth in (16, 64):
            path = Path(folder) / f"{depth}.onnx"
            make(path, depth, 16, 2, 32)
            times[depth] = seconds(partial(decided, path, "tokens:1"), 1)
    linear = 4 * times[16]
    return Row("decide, 64 layers, against 4 times 16", times[64], linear, linear / times[64])
