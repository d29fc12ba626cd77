"""The lecture, docs/lecture.ipynb: run from its first cell to its last, and written or compared.

python -m tests.lecture docs/lecture.ipynb
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

LECTURE = Path(__file__).parents[1] / "docs" / "lecture.ipynb"
SECONDS = 120  # for one cell


def executed(notebook: Any) -> Any:
    """A copy of the notebook with the outputs that its cells give now; CellExecutionError where one
    of them fails."""
    found = nbformat.from_dict(notebook)  # type: ignore[no-untyped-call]
    for cell in found.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    NotebookClient(found, timeout=SECONDS, kernel_name="python3").execute()
    for cell in found.cells:
        cell.metadata = {}  # it holds times
    found.metadata.pop("language_info", None)  # the version of the Python that ran it
    return found


def outputs(notebook: Any) -> list[list[dict[str, Any]]]:
    """What each cell of code shows: its texts by their kind, or what it printed."""
    return [
        [dict(o.get("data", {"stdout": o.get("text", "")})) for o in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def read(path: Path) -> Any:
    """A notebook."""
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    where = Path(sys.argv[1])
    nbformat.write(executed(read(where)), where)  # type: ignore[no-untyped-call]
