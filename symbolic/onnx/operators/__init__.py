"""What each operator of ONNX means in the calculus, one file a family."""
