"""Counterexamples about an ONNX file: evaluated in ball arithmetic, written, and replayed."""
