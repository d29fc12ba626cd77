"""What tests of the commands share: the command line, and solvers that are started once."""

from __future__ import annotations

from tests.commands.running import run
from tests.symbolic.smt.kept import kept_solvers, started

__all__ = ["kept_solvers", "run", "started"]
