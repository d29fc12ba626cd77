"""The SMT certificates of a theorem: every obligation behind its marks, each a standalone file."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from orderproof.symbolic.certificate import MANIFEST, CertificateError, header, read_manifest
from orderproof.symbolic.obligation import Obligation

from .claims import TheoremFile
from .results import write_json
from .statements import stated


def certificates(theorem: TheoremFile) -> dict[str, str]:
    """File name ↦ SMT-LIB text. An obligation that several claims rest on is one file, which names
    them all; of several obligations with one name, those after the first carry their number."""
    serves: dict[Obligation, list[str]] = {}
    for claim in theorem.claims:
        check = claim.marks.get("smt")
        if check is None:
            continue
        asked = getattr(check, "obligations", ())
        for obligation in asked(claim.statement) if callable(asked) else asked:
            serves.setdefault(obligation, []).append(stated(claim, theorem).plain)
    files: dict[str, str] = {}
    for obligation, claims in serves.items():
        about = {"theorem": (theorem.id,), "title": (theorem.title,), "serves": claims}
        name, number = f"{theorem.id}_{obligation.name}", 1
        while f"{name}.smt2" in files:
            number += 1
            name = f"{theorem.id}_{obligation.name}_{number}"
        files[f"{name}.smt2"] = obligation.smtlib(about)
    return files


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
