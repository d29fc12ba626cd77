"""What is not collected: make/ needs PyTorch, and what measures needs the package onnx."""

from importlib.util import find_spec

collect_ignore = ["make"]
if find_spec("onnx") is None:
    collect_ignore += ["doubles.py", "truth.py"]
