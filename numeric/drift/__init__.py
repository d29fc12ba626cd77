"""Why the outputs of a model differ when its input is permuted: rounding, or not."""
