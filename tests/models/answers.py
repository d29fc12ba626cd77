"""Prints the answers of `decide` about the bank beside what was measured: a line a question.

python -m tests.models.answers [FILE...]
"""

from __future__ import annotations

import sys
import time
from collections import Counter

from orderproof.symbolic.onnx.decide import decide
from orderproof.symbolic.onnx.report import Result
from tests.models.files import model_file, read_bank


def main(names: list[str]) -> None:
    """The table, and how many questions were answered how."""
    counts: Counter[str] = Counter()
    begin = time.monotonic()
    print(f"{'model':40} {'axis':16} {'measured':16} {'answer':16} {'scope':10} seconds")
    for model in read_bank():
        if names and model["file"] not in names:
            continue
        for q in model["questions"]:
            along = [f"{name}:{k}" for name, k in q["with"]]
            asked = f"{q['input']}:{q['axis']}"
            report = decide(model_file(model["file"]), asked, along, q["output"])
            (r,) = report.results
            counts[r.answer] += 1
            print(
                f"{model['file'].removesuffix('.onnx'):40} {asked:16} {q['truth']['answer']:16} "
                f"{r.answer:16} {r.scope:10} {r.seconds:5.2f}{_more(r)}"
            )
    total = ", ".join(f"{n} {answer}" for answer, n in counts.most_common())
    print(f"{counts.total()} questions: {total}; {time.monotonic() - begin:.0f} s")


def _more(r: Result) -> str:
    """What stands beside the answer."""
    moving = [f"with {', '.join(r.along)}"] if r.along else []
    group = [f"{r.group.order} of S_{r.group.n}: {r.group.name}"] if r.group else []
    said = "; ".join([*moving, *r.conditions, *group])
    return f"  {said}" if said else ""


if __name__ == "__main__":
    main(sys.argv[1:])
