"""Lines of the project by folder: `make count` prints them, `make readme` writes CONTRIBUTING.md.

Lines are all lines of a file; code is what has a token that is neither comment nor docstring. Of
each folder also the mean length of a function and of a line of code: shorter files by longer lines
are no gain.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOP = ("orderproof", "symbolic", "numeric", "proofs", "tests")
TEMPLATES = {".html", ".css", ".tex"}
BEGIN, END = "<!-- lines: written by `make readme` -->\n", "<!-- end of lines -->\n"
SILENT = (
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER,
)  # fmt: skip
NAMED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Count:
    """What a folder has; lengths are sums, in lines of functions and characters of code."""

    files: int = 0
    lines: int = 0
    code: int = 0
    docstrings: int = 0
    functions: int = 0
    length: int = 0
    characters: int = 0
    templates: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def row(self) -> tuple[str, ...]:
        """The columns of the table."""
        function = f"{self.length / self.functions:.1f}" if self.functions else ""
        line = f"{self.characters / self.code:.1f}" if self.code else ""
        counts = (self.files, self.lines, self.code, self.docstrings)
        return (*(f"{n:,}" for n in counts), function, line, f"{self.templates:,}")


HEADER = ("files", "lines", "code", "docstrings", "a function", "a line", "templates")


def of_source(text: str) -> Count:
    """The count of one Python file."""
    docs: set[int] = set()
    lengths = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lengths.append((node.end_lineno or node.lineno) - node.lineno + 1)
        if isinstance(node, NAMED) and ast.get_docstring(node) is not None:
            docs.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SILENT:
            code.update(range(token.start[0], token.end[0] + 1))
    code -= docs
    lines = text.splitlines()
    characters = sum(len(lines[k - 1].strip()) for k in code)
    return Count(1, len(lines), len(code), len(docs), len(lengths), sum(lengths), characters, 0)


def folders() -> dict[str, Count]:
    """Folder ↦ its count; of what a top folder has below, each folder by itself."""
    found: dict[str, Count] = {}
    for top in TOP:
        for path in sorted((ROOT / top).rglob("*")):
            inside = path.relative_to(ROOT).parts
            if "__pycache__" in inside or path.is_dir():
                continue
            name = "/".join(inside[:2]) if len(inside) > 2 else top
            if path.suffix == ".py":
                found[name] = found.get(name, Count()) + of_source(path.read_text("utf-8"))
            elif path.suffix in TEMPLATES:
                lines = len(path.read_text("utf-8").splitlines())
                found[name] = found.get(name, Count()) + Count(templates=lines)
    return found


def sums(found: Mapping[str, Count]) -> Iterator[tuple[str, Count]]:
    """All outside the tests, and all in them."""
    for title, inside in (("outside tests", False), ("tests", True)):
        mine = [c for name, c in found.items() if (name.split("/")[0] == "tests") is inside]
        yield title, sum(mine, Count())


def table() -> Iterator[str]:
    """The lines of the table, folder by folder, then both sums."""
    found = folders()
    rows = [("folder", *HEADER)]
    rows += [(name, *count.row()) for name, count in found.items()]
    rows += [(title, *count.row()) for title, count in sums(found)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        first, *rest = (cell.rjust(w) if k else cell.ljust(w)
                        for k, (cell, w) in enumerate(zip(row, widths, strict=True)))  # fmt: skip
        yield "  ".join([first, *rest]).rstrip()


def short() -> str:
    """The two sums, for CONTRIBUTING.md, to the nearest hundred."""
    rows = ["| | lines | code | docstrings | templates |", "|---|---:|---:|---:|---:|"]
    for title, c in sums(folders()):
        shown = (f"{round(n, -2):,}" for n in (c.lines, c.code, c.docstrings, c.templates))
        rows.append(f"| {title} | {' | '.join(shown)} |")
    return "\n".join(rows) + "\n"


def written(text: str) -> str:
    """A page with the two sums of now between its marks."""
    page, count = re.subn(f"{BEGIN}.*?{END}", lambda _: BEGIN + short() + END, text, flags=re.S)
    if count != 1:
        raise ValueError(f"given {count} places for the lines, expected one: {BEGIN.strip()}")
    return page


if __name__ == "__main__":
    if len(sys.argv) > 1:
        target = Path(sys.argv[1])
        target.write_text(written(target.read_text("utf-8")), "utf-8")
    else:
        print("\n".join(table()))
