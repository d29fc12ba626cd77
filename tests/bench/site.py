"""The site written from pages, against the import of what it is written with."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from orderproof import RELEASED
from orderproof.proofs.catalogue import IDS, load
from orderproof.proofs.prove.checking import unchecked
from orderproof.proofs.web.site import write_site

from .measure import Row, seconds

IMPORTS = "import fontTools.ttLib, jinja2, math_core, networkx, numpy, sympy, z3"


def rows(ids: Sequence[str], runs: int) -> Iterator[Row]:
    """The site of these theorems (all, if none), their marks declared, without the schemes."""
    pages = [unchecked(load(name)) for name in ids or IDS]
    with tempfile.TemporaryDirectory() as out:
        ours = seconds(lambda: write_site(pages, Path(out), date=RELEASED), runs)
    other = seconds(lambda: subprocess.run([sys.executable, "-c", IMPORTS], check=True), runs)
    what = f"site of {len(pages)} theorem{'s' if len(pages) != 1 else ''}"
    yield Row(f"{what}, against importing what it is written with", ours, other, other / ours)
