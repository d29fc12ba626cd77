"""The picture of the folders in CONTRIBUTING.md, made from the imports: `make readme` writes it.

An arrow says that a folder imports another. Arrows that a longer way implies are left out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

import grimp

PACKAGE = "orderproof"
BEGIN, END = "<!-- folders: written by `make readme` from the imports -->\n", "<!-- end -->\n"
PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"

SCRIPT = f"{PACKAGE}.proofs.book.script"
READER = f"{PACKAGE}.input_file"


def folders() -> dict[str, set[str]]:
    """Folder ↦ the folders that its modules import; theorem files are `proofs`. That each of them
    is a script is left out, since formulas of the book are made of theorem files; and so is that
    every folder reads files from outside by one module, which imports none of them."""
    graph = grimp.build_graph(PACKAGE)
    found: dict[str, set[str]] = {}
    for module in graph.modules - {READER}:
        own = folder(module)
        imported = graph.find_modules_directly_imported_by(module) - {SCRIPT, READER}
        others = map(folder, imported)
        found.setdefault(own, set()).update(x for x in others if x != own)
    return found


def folder(module: str) -> str:
    """symbolic/readings of orderproof.symbolic.readings.exact; the command line is one folder, and
    so are the theorem files."""
    top, *rest = [*module.split(".")[1:], ""][:2]
    if top not in ("symbolic", "numeric", "proofs"):
        return "commands"
    name = rest[0] if rest else ""
    alone = name == "catalogue" or (PAGE.parent / top / name).is_dir()
    return f"{top}/{name}" if name and alone else top


def reduced(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Without the arrows that a longer way implies (of a graph without circles)."""

    def below(name: str) -> set[str]:
        return graph.get(name, set()).union(*map(below, graph.get(name, ())))

    return {a: bs - set().union(*map(below, bs)) for a, bs in graph.items()}


def picture(graph: Mapping[str, set[str]]) -> str:
    """As a Mermaid diagram, in a fixed order."""
    lines = ["```mermaid", "flowchart TD"]
    lines += [f"  {a} --> {b}" for a in sorted(graph) for b in sorted(graph[a])]
    return "\n".join([*lines, "```\n"])


def written(text: str) -> str:
    """A page with the picture of now between its marks."""
    new = BEGIN + picture(reduced(folders())) + END
    page, count = re.subn(f"{BEGIN}.*?{END}", lambda _: new, text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"given {count} places for the picture, expected one: {BEGIN.strip()}")
    return page


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.write_text(written(target.read_text(encoding="utf-8")), encoding="utf-8")
