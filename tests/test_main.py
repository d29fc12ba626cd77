"""The command line as a module: `python -m orderproof`, and `python -m orderproof.cli`."""

import subprocess
import sys

import pytest

from orderproof import __version__


@pytest.mark.parametrize("module", ["orderproof", "orderproof.cli"])
def test_the_module_is_the_command_line(module: str) -> None:
    """It would do nothing and exit with 0, as if all were in order."""
    good = subprocess.run(
        [sys.executable, "-m", module, "--version"], capture_output=True, text=True, check=True
    )
    assert good.stdout == f"orderproof, version {__version__}\n"
    bad = subprocess.run(
        [sys.executable, "-m", module, "show", "nothing"], capture_output=True, text=True
    )
    assert bad.returncode == 2
    assert bad.stderr.startswith("orderproof: ") and bad.stderr.count("\n") == 1
