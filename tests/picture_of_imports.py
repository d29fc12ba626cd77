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

BELOW = {f"{PACKAGE}.{name}" for name in ("input_file", "sealed", "_paths")}
PARTS = ("symbolic", "numeric", "check", "publish")  # of whose folders each is one of the picture


def folders() -> dict[str, set[str]]:
    """Folder ↦ the folders that its modules import; what states theorems is `proofs`. That every
    folder reads files, and knows where they are, by modules that import none of them, is left out.
    """
    graph = grimp.build_graph(PACKAGE)
    found: dict[str, set[str]] = {}
    for module in graph.modules - BELOW:
        own = folder(module)
        imported = graph.find_modules_directly_imported_by(module) - BELOW
        others = map(folder, imported)
        found.setdefault(own, set()).update(x for x in others if x != own)
    return found


def folder(module: str) -> str:
    """symbolic/readings of orderproof.symbolic.readings.exact; the command line is one folder, and
    so are the chapters."""
    top, name = [*module.split(".")[1:], "", ""][:2]
    if top not in (*PARTS, "audit", "proofs"):
        return "commands"
    root = PAGE.parent / PACKAGE / top
    return f"{top}/{name}" if top in PARTS and name and (root / name).is_dir() else top


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
