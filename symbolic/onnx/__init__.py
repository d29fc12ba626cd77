"""A user's model in ONNX: read into the calculus, decided, and checked against onnxruntime."""
