"""Small models drawn at random, and what `decide` says of them held against their own runs.

`python -m tests.models.random_models 0 1000` draws the models of these seeds, asks, and runs each
in onnxruntime at several sizes with the tokens permuted: what is claimed there must be seen there.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import onnx

from orderproof.symbolic.onnx.decide import decide
from orderproof.symbolic.onnx.graph import ModelError
from orderproof.symbolic.onnx.report import Result
from tests.models.random_growing import Drawn, session
from tests.models.random_judge import Judge
from tests.models.random_steps import STEPS


def drawn(seed: int) -> tuple[onnx.ModelProto, dict[str, tuple[str | int, ...]]]:
    """The model of a seed, and its inputs' dimensions."""
    rng = np.random.default_rng(seed)
    shapes: list[dict[str, tuple[str | int, ...]]] = [
        {"x": ("n", 4)}, {"x": (2, "n", 4)}, {"x": ("m", "n")}, {"x": ("m", "n", 3)},
        {"x": ("n", "n")}, {"x": ("n",)}, {"x": ("n", 4), "z": ("n", 4)},
        {"x": ("n", 4), "z": ("n", "n")}, {"x": ("n", 4), "z": ("m", 4)}, {"x": (4, "m")},
        {"x": (2, 4, "n")},
    ]  # fmt: skip
    found = Drawn(rng, shapes[int(rng.integers(len(shapes)))])
    wanted = int(rng.integers(1, 8))
    tries = 0
    while wanted and tries < 60:
        wanted -= found.step(STEPS)
        tries += 1
    last = list(found.shapes)[-1]
    if last in found.inputs:
        last = found.op("Identity", last)
    return found.model(last), found.inputs


def judged(seed: int, folder: Path) -> list[tuple[Result | None, str]]:
    """What `decide` says of the model of a seed, with what is false of it; in place of an answer
    None where the model was refused."""
    model, dims = drawn(seed)
    path = folder / f"random-{seed}.onnx"
    onnx.save(model, path)
    fixed = [f"{k}:{i}" for k, own in dims.items() for i, d in enumerate(own) if d == 4]
    rng = np.random.default_rng(seed + 1)
    asked = fixed[:1] if fixed and rng.random() < 0.3 else [None]
    try:
        report = decide(path, axis=asked[0], timeout=5.0)
    except ModelError as e:
        return [(None, str(e))]
    judge = Judge(session(model), dims)
    return [(r, judge.wrong(r)) for r in report.results]


def main() -> None:
    """The models of seeds from the first argument on; what is wrong, and tallies."""
    first, last = map(int, sys.argv[1:3])
    keep = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    tally: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            try:
                found = judged(seed, keep or Path(folder))
            except Exception as e:
                tally["CRASH"] += 1
                print(seed, "CRASH", type(e).__name__, str(e)[:200], flush=True)
                continue
            for r, wrong in found:
                answer = "refused" if r is None else r.answer
                tally[("WRONG " if wrong and r is not None else "") + answer] += 1
                if r is None or answer in ("unknown", "unsupported"):
                    reasons[(wrong if r is None else r.reason)[:70]] += 1
                if wrong and r is not None:
                    print(seed, r.input, r.axis, answer, r.scope, r.output_axis, r.along,
                          r.conditions, "FALSE:", wrong, flush=True)  # fmt: skip
    print(dict(tally))
    for reason, count in reasons.most_common(25):
        print(f"{count:5d} {reason}")


if __name__ == "__main__":
    main()
