"""The syntax of the templates that make LaTeX, and the filters that they have in common."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from .latex_text import width

TEMPLATES = Path(__file__).with_name("templates")
SYNTAX: dict[str, Any] = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
    "undefined": jinja2.StrictUndefined,
    "autoescape": True,
}
SIGNS = {True: "✓", False: "✗", None: "?"}  # whether a layer agreed


# A theorem's id in words; one without an underscore (naturality) is a word.
IDENTIFIER = re.compile(r"(?<![\w#])[a-z]{2,}(?:_[a-z]+)+(?!\w)")


def environment(finalize: Callable[[object], Markup], **filters: Any) -> jinja2.Environment:
    """The templates with these filters, and those that LaTeX and HTML have in common."""
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), finalize=finalize, **SYNTAX
    )
    found.filters |= {
        "sign": lambda mark: SIGNS[mark.ok],
        "sentence": lambda text: f"{text[0].upper()}{text[1:]}.",
        "width": lambda f: width(f.latex),
        **filters,
    }
    return found
