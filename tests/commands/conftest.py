"""What tests of the commands share: solvers that are started once."""

from __future__ import annotations

from tests.symbolic.smt.kept import kept_solvers, started

__all__ = ["kept_solvers", "started"]
