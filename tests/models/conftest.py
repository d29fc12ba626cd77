"""What is not collected: what measures needs the package onnx."""

from importlib.util import find_spec

NEEDS_ONNX = ["doubles.py", "leaks.py", "leak_truth.py", "truth.py"]
collect_ignore = [] if find_spec("onnx") else NEEDS_ONNX
