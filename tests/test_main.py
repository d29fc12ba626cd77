"""The command line as a module: `python -m orderproof`, and `python -m orderproof.cli`."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["orderproof", "orderproof.cli"])
def test_the_module_is_the_command_line(module: str) -> None:
    """It would do nothing and exit with 0, as if all were in order."""
    command = [sys.executable, "-m", module, "replay", "nothing.json"]
    bad = subprocess.run(command, capture_output=True, text=True)
    assert bad.returncode == 2
    assert bad.stderr.startswith("orderproof: ") and bad.stderr.count("\n") == 1
