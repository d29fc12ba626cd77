"""The licences of what `pip install orderproof` brings along, read from the installed metadata."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

PERMISSIVE = re.compile(r"\b(MIT|BSD|Apache|ISC|PSF|Python Software Foundation|Zlib|CC0)\b", re.I)
COPYLEFT = re.compile(r"GPL|General Public|Mozilla|MPL", re.I)


def licence(name: str) -> str:
    """What a distribution's metadata say: its expression, its classifiers, or the first line."""
    found = distribution(name).metadata
    classifiers = [c for c in found.get_all("Classifier") or [] if c.startswith("License ::")]
    first = (found.get("License") or "").split("\n")[0]
    texts = [found.get("License-Expression"), *classifiers, first]
    return "; ".join(t for t in texts if t)


def permissive(name: str) -> bool:
    """Whether the metadata name a permissive licence, and no other kind."""
    said = licence(name)
    return bool(PERMISSIVE.search(said)) and not COPYLEFT.search(said)


def installed_by(requirements: list[str]) -> set[str]:
    """The distributions that are required without extras, and those that they require."""
    found: set[str] = set()
    left = list(requirements)
    while left:
        needed = Requirement(left.pop())
        if needed.marker is None or needed.marker.evaluate({"extra": ""}):
            if needed.name not in found:
                left += distribution(needed.name).requires or []
            found.add(needed.name)
    return found


def test_the_default_install_is_under_permissive_licences() -> None:
    """Otherwise a package under Apache-2.0 brings along one that asks for more."""
    project = Path(__file__).parents[1] / "pyproject.toml"
    names = installed_by(
        tomllib.loads(project.read_text(encoding="utf-8"))["project"]["dependencies"]
    )
    assert {"numpy", "sympy", "mpmath", "click"} <= names and "pynauty" not in names
    assert {n: licence(n) for n in sorted(names) if not permissive(n)} == {}


@pytest.mark.parametrize("name", ["pynauty"])
def test_a_copyleft_licence_is_noticed(name: str) -> None:
    """Otherwise the check above cannot fail."""
    assert not permissive(name), licence(name)
