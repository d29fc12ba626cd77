"""Seconds and memory of one decision, after imports, in a process of its own.

python -m tests.real_models.measure MODEL.onnx INPUT:K
"""

from __future__ import annotations

import gc
import resource
import sys
import time


def main() -> None:
    """Print the answers, then wall-clock seconds, processor seconds and the peak of memory."""
    import flint  # noqa: F401
    import onnxruntime  # noqa: F401
    import z3  # noqa: F401

    from orderproof.command_line import COLLECTED
    from orderproof.symbolic.onnx.decide import decide

    gc.set_threshold(*COLLECTED)  # as the command does
    wall, own = time.perf_counter(), time.process_time()
    report = decide(sys.argv[1], sys.argv[2])
    wall, own = time.perf_counter() - wall, time.process_time() - own
    for r in report.results:
        print(f"{r.input}:{r.axis} {r.output}: {r.answer}, {r.scope}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{wall:.2f} s, {own:.2f} s of processor time, {peak:.2f} GiB")


if __name__ == "__main__":
    main()
