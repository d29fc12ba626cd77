"""Writes what the tool prints about real models into docs/models, anew.

python -m tests.real_models.pages FOLDER...: a block that begins with a command is run in the first
folder that has its file; a block whose file is in none stays as it is.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

PAGES = Path(__file__).parents[2] / "docs" / "models"
BLOCK = re.compile(r"```text\n\$ orderproof (decide (\S+)[^\n]*)\n.*?```", re.S)


def main(folders: list[Path]) -> None:
    """All pages, block by block."""
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text("utf-8")
        page.write_text(BLOCK.sub(lambda m: block(m, folders), text), "utf-8")


def block(found: re.Match[str], folders: list[Path]) -> str:
    """A block with what its command prints now."""
    command, file = found[1], found[2]
    folder = next((f for f in folders if (f / file).exists()), None)
    if folder is None:
        print(f"{file}: in no folder that was given")
        return found[0]
    begin = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-m", "orderproof", *command.split()],
        cwd=folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    print(f"{command}: {time.monotonic() - begin:.1f} s")
    return f"```text\n$ orderproof {command}\n{run.stdout.rstrip()}\n```"


if __name__ == "__main__":
    main([Path(f) for f in sys.argv[1:]])
