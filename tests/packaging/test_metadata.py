"""What Zenodo is told of a release: as CITATION.cff says it, and of the form that Zenodo takes."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from orderproof import RELEASED, __version__
from orderproof.publish.bibliography import AUTHORS

from .environment import ROOT

# The fields of Zenodo's deposition metadata that are used, as its documentation has them.
SCHEMA = {
    "type": "object",
    "required": ["title", "description", "upload_type", "access_right", "license", "creators"],
    "additionalProperties": False,
    "properties": {
        "title": {"type": "string"},
        "description": {"type": "string"},
        "upload_type": {"const": "software"},
        "access_right": {"enum": ["open", "embargoed", "restricted", "closed"]},
        "license": {"type": "string"},
        "creators": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["name"],
                "additionalProperties": False,
                "properties": {k: {"type": "string"} for k in ("name", "affiliation", "orcid")},
            },
        },
        "version": {"type": "string"},
        "publication_date": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
        "language": {"type": "string", "pattern": "^[a-z]{3}$"},
        "keywords": {"type": "array", "items": {"type": "string"}},
    },
}


def zenodo() -> dict[str, Any]:
    """.zenodo.json, parsed."""
    found: dict[str, Any] = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    return found


def citation() -> dict[str, Any]:
    """CITATION.cff, parsed."""
    found: dict[str, Any] = YAML(typ="safe").load(ROOT / "CITATION.cff")
    return found


def differing(found: dict[str, Any], cff: dict[str, Any]) -> list[str]:
    """The fields in which they do not say the same."""
    names = [a.get("name") or f"{a['family-names']}, {a['given-names']}" for a in cff["authors"]]
    same = {
        "title": cff["title"],
        "description": " ".join(cff["abstract"].split()),
        "license": cff["license"],
        "creators": [{"name": name} for name in names],
        "version": str(cff["version"]),
        "publication_date": str(cff["date-released"]),
        "keywords": cff["keywords"],
    }
    return [field for field, value in same.items() if found[field] != value]


def test_zenodo_is_told_what_the_citation_says() -> None:
    """The archived release would have another title, version or author than its citation."""
    found, cff = zenodo(), citation()
    jsonschema.validate(found, SCHEMA)
    assert differing(found, cff) == []
    assert differing({**found, "version": "9.9.9"}, cff) == ["version"]
    assert differing(found, {**cff, "authors": [{"name": "nobody"}]}) == ["creators"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**found, "creators": []}, SCHEMA)


def test_version_and_date_are_those_of_the_package() -> None:
    """A release would be archived under the number or the date of an earlier one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert zenodo()["version"] == project["version"] == __version__
    assert zenodo()["publication_date"] == RELEASED
    assert [a["name"] for a in citation()["authors"]] == [AUTHORS]
    assert zenodo()["license"] == project["license"]
