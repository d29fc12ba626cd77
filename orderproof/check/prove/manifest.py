"""The manifest of written certificates: what each file is about, and its SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from orderproof.symbolic.smt.certificate import MANIFEST, CertificateError, header, read_manifest

from .results import write_json


def manifest(files: Mapping[str, str]) -> dict[str, Any]:
    """For each certificate its SHA-256, and what its header says."""
    return {
        name: {"sha256": hashlib.sha256(text.encode()).hexdigest(), **header(text)}
        for name, text in sorted(files.items())
    }


def record(folder: Path, files: Mapping[str, str], ids: Collection[str]) -> None:
    """Write the manifest of the certificates that were just written for these theorems. What an
    earlier run wrote for others stays listed; what it wrote for these and is no more is removed."""
    here = {Path(name).name: text for name, text in files.items() if name.endswith(".smt2")}
    try:
        known = read_manifest(folder) or {}
    except CertificateError:  # what is there is not what an earlier run wrote: it is replaced
        known = {}
    for name, entry in known.items():
        if entry["theorem"] in ids and name not in here:
            (folder / name).unlink(missing_ok=True)
    kept = {name: e for name, e in known.items() if e["theorem"] not in ids}
    if here or known:
        write_json(folder / MANIFEST, dict(sorted((kept | manifest(here)).items())))
