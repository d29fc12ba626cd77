"""What is not collected: what measures needs the package onnx."""

from importlib.util import find_spec

collect_ignore = (
    []
    if find_spec("onnx")
    else [
        "doubles.py",
        "leaks.py",
        "leak_truth.py",
        "truth.py",
    ]
)
