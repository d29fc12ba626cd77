"""What can stop an evaluation: each error is one line that names the node."""

from __future__ import annotations


class EvaluationError(ValueError):
    """An evaluation that gave no value: the node, what was given, what was expected."""

    def __init__(self, reason: str, node: str = "") -> None:
        super().__init__(f"{node}: {reason}" if node else reason)
        self.reason, self.node = reason, node


class BadModel(EvaluationError):
    """A model or an input of it that ONNX does not allow, or that is too large."""


class UnsupportedOperator(EvaluationError):
    """An operator, or a use of one, that has no evaluation here."""


class Undecided(EvaluationError):
    """A choice (a comparison, an order, a rounding) that hangs on a ball which allows both."""
