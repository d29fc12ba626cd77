"""Small models drawn at random, and what `decide` says of them held against their own runs.

`python -m tests.models.random_models 0 1000` draws the models of these seeds, asks, and runs each
in onnxruntime at several sizes with the tokens permuted: what is claimed there must be seen there.
"""

from __future__ import annotations

import json
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import onnx

from orderproof.commands.decide_text import lines
from orderproof.symbolic.onnx.decide import decide
from orderproof.symbolic.onnx.enclose import check
from orderproof.symbolic.onnx.graph import ModelError
from orderproof.symbolic.onnx.report import Result
from tests.models.random_growing import Drawn, reads, session
from tests.models.random_judge import Judge
from tests.models.random_steps import STEPS

EACH = 3  # operators that are wanted in one model
ROUND = -(-len(STEPS) // EACH)  # seeds after which each was
MOVING = ("Concat", "Slice", "Split", "Gather", "Expand", "Where", "Add", "Mul", "Reshape",
          "Transpose", "MatMul", "Softmax", "ReduceSum")  # fmt: skip


def wanted(seed: int) -> list[str]:
    """The operators that a model has to have: of ROUND seeds every one is in a model."""
    turn, k = divmod(seed, ROUND)
    order = np.random.default_rng(turn).permutation(sorted(STEPS))
    return [str(op) for op in order[EACH * k : EACH * (k + 1)]]


def drawn(seed: int) -> tuple[Drawn, list[str]]:
    """The model of a seed, and its outputs: the results that no other node takes."""
    rng = np.random.default_rng(seed)
    while True:
        d = Drawn(rng, int(rng.choice([24, 24, 24, 18])))
        own = [
            tuple(d.pick("n", "m", 1, 2, 3, 4) for _ in range(d.pick(0, 1, 2, 3))) for _ in "xyz"
        ]
        d.input("x", d.pick(("n", *own[0]), (*own[0], "n")))
        for kind, dims in zip(d.pick("", "x", "i", "b", "xi"), own[1:], strict=False):
            before = d.inputs["x0"][d.pick(0, 1) :]
            d.input(kind, d.pick(dims, tuple(d.pick(k, k, 1) for k in before)))
        must = wanted(seed)
        every = [*must, *(d.pick(*MOVING) for _ in range(d.pick(0, 1, 2, 3)))]
        made = {op: d.step(op, STEPS[op]) for op in rng.permutation(every).tolist()}
        read = {x for node in d.nodes for x in reads(node)}
        outputs = [x for x in dict.fromkeys(made.values()) if x and x not in read]
        used = {x for node in d.model(*outputs).graph.node for x in reads(node)}
        d.inputs = {k: dims for k, dims in d.inputs.items() if k in used}
        asked = {*chain(*d.inputs.values())} - {1}
        if asked and all(made[op] for op in must) and d.loads(*outputs):
            return d, outputs


def judged(seed: int, folder: Path) -> list[tuple[Result | None, str]]:
    """What `decide` says of an axis of the model of a seed, with what is false of it; in place of
    an answer None where the model was refused."""
    found, outputs = drawn(seed)
    path = folder / f"random-{seed}.onnx"
    onnx.save(found.model(*outputs), path)
    places = {f"{k}:{i}": d for k, own in found.inputs.items() for i, d in enumerate(own) if d != 1}
    dynamic = [p for p, d in places.items() if isinstance(d, str)]
    axis = found.pick(*found.pick(dynamic, dynamic, [*places]) or places)
    same = [p for p, d in places.items() if d == places[axis] and p != axis]
    renamed = [f"{k}:values" for k in found.inputs if k[0] == "i"]
    try:
        report = decide(path, axis, found.pick((), (), same, same[:1], renamed))
    except ModelError as e:
        return [(None, str(e))]
    json.dumps(report.to_json())
    answers: list[tuple[Result | None, str]] = []
    for r in report.results:
        lines(r, report.graph)  # what is printed
        bad = [w.reason for w in (check(w, path) for w in r.witnesses) if not w.ok]
        judge = Judge(session(found.model(r.output)), found.inputs)
        answers.append((r, judge.wrong(r) or "; ".join(bad)))
    return answers


def main(arguments: Sequence[str]) -> None:
    """The models of seeds from the first argument on; what is wrong, and tallies."""
    first, last = map(int, arguments[:2])
    keep = Path(arguments[2]) if len(arguments) > 2 else None
    tally: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            try:
                found = judged(seed, keep or Path(folder))
            except Exception:
                tally["CRASH"] += 1
                print(seed, "CRASH", traceback.format_exc(), flush=True)
                continue
            for r, wrong in found:
                answer = "refused" if r is None else r.answer
                tally[("WRONG " if wrong and r is not None else "") + answer] += 1
                if r is None or answer in ("unknown", "unsupported"):
                    reasons[(wrong if r is None else r.reason)[:70]] += 1
                if wrong and r is not None:
                    print(seed, r.said, r.output_axis, r.along, "FALSE:", wrong, flush=True)
    print(dict(tally))
    for reason, count in reasons.most_common(25):
        print(f"{count:5d} {reason}")


if __name__ == "__main__":
    main(sys.argv[1:])
