"""docs/commands.md: every command by purpose, with what its --help prints.

python -m tests.commands_page docs/commands.md
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from orderproof.command_line import PURPOSES, cli
from orderproof.commands.help_text import EVERY

SEEN: dict[str, Any] = {"prog_name": "orderproof", "terminal_width": 80}
ABOUT = """\
# The commands

`orderproof COMMAND`; after `make prove` in a clone, `.venv/bin/orderproof COMMAND`. This page is
written by `make readme` from what `--help` prints.

- The exit status says how a command ended:
  {statuses}.
  Where it is not 0 the last line says why, but for a reader that stopped early, as `head` does
  (141). A full disk is 2, an interruption 130.
- `prove`, `book` and `table` take from a cache, and say so, what came out as declared by the same
  files and versions. `--no-cache` checks everything now, `--cache DIR` names the folder.
- Tokens are counted from 1 in text and in options, from 0 in JSON.
- A theorem file is a script as well:
  `python -m orderproof.proofs.self_attention.self_attention_equivariant` checks that one
  theorem and prints its LaTeX, as `show --latex --check` does.
"""


def page() -> str:
    """The whole page."""
    parts = [ABOUT.format(statuses="; ".join(f"{k} {text}" for k, text in EVERY.items()))]
    for purpose, names in PURPOSES.items():
        parts.append(f"## {purpose}\n")
        for name in names:
            printed = CliRunner().invoke(cli, [name, "--help"], **SEEN)
            parts.append(f"### {name}\n\n```text\n{printed.output.strip()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
