"""Definitions of the Rocq development that a chapter quotes, word for word from their file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from markupsafe import Markup

from orderproof.check.rocq.headlines import COLUMNS, headline
from orderproof.check.rocq.library import SOURCES

from .latex_text import code
from .theorems import BadChapter


def functions() -> dict[str, Callable[..., Markup]]:
    """What a chapter's template may call."""
    return {"rocq_definition": rocq_definition, "rocq_name": rocq_name}


def rocq_definition(name: str, *, sources: Path = SOURCES) -> Markup:
    """A definition, letter by letter; BadChapter where not exactly one file has it."""
    begins = rf"^(?:Definition|Fixpoint) {re.escape(name)}\b.*?\.$"
    found = [
        text
        for path in sorted(sources.glob("*.v"))
        for text in re.findall(begins, path.read_text(encoding="utf-8"), re.M | re.S)
    ]
    if len(found) != 1:
        raise BadChapter(f"rocq_definition({name}): given {len(found)} definitions, expected one")
    (text,) = found
    if not text.isascii() or max(map(len, text.splitlines())) > COLUMNS:
        raise BadChapter(f"rocq_definition({name}): expected at most {COLUMNS} ASCII characters")
    return Markup("{{\\rocqsize\n\\begin{{verbatim}}\n{}\n\\end{{verbatim}}\n}}\n").format(
        Markup(text)
    )


def rocq_name(name: str) -> Markup:
    """The name of a headline that there is; RocqError where there is none."""
    return code(headline(name).name)
