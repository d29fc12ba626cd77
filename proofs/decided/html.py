"""A derivation as a page of HTML: MathML as the site has it, no script, nothing loaded but the
style sheet beside it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from orderproof.proofs.web import mathml
from orderproof.proofs.web.pages import STYLE
from orderproof.proofs.web.prose import plain

from . import names
from .text import NEW, Code, Display, Document, Line, Math, Table

TEMPLATES = Path(__file__).with_name("templates")
OWN = Path(__file__).with_name("derivation.css")
_NAME = re.compile(r"<mtext>(0*\d+)</mtext>")


@cache
def style() -> str:
    """The style sheet of the site, with its math font, and what derivations add to it."""
    site = STYLE.read_text(encoding="utf-8").replace("FONT_DATA", mathml.font_data())
    return site + OWN.read_text(encoding="utf-8")


def page(document: Document) -> str:
    """The whole page."""
    writer = _Writer(document)
    environment = _environment()
    environment.filters["line"] = writer.line
    template = environment.get_template("derivation.html.jinja")
    return template.render(d=document, block=writer.block)


class _Writer:
    def __init__(self, document: Document) -> None:
        self.document = document

    def line(self, line: Line) -> Markup:
        """Words, names and formulas."""
        return Markup("").join(self._inline(x) for x in line)

    def _inline(self, x: str | Code | Math) -> Markup:
        if x == NEW:
            return Markup("<br>")
        if isinstance(x, Code):
            return names.html(x.text)
        return self.formula(x.latex, wide=x.wide) if isinstance(x, Math) else plain(x)

    def formula(self, latex: str, *, wide: bool = True) -> Markup:
        """A formula, its names escaped after math-core has read it."""
        text = str(mathml.shown(f"{latex}{{}}") if wide else mathml.inline(latex))

        def name(found: re.Match[str]) -> str:
            shown = self.document.names[int(found[1])]
            return str(Markup('<mtext class="name">{}</mtext>').format(shown))

        return Markup(_NAME.sub(name, text))

    def block(self, block: Line | Table | Display) -> Markup:
        """A paragraph, a table or a formula on its own line."""
        if isinstance(block, Display):
            return Markup('<p class="display"><span class="mark">{}</span> {}</p>').format(
                block.mark, self.formula(block.latex)
            )
        if not isinstance(block, Table):
            return Markup("<p>{}</p>").format(self.line(block))
        head = Markup("").join(Markup('<th scope="col">{}</th>').format(h) for h in block.head)
        rows = Markup("\n").join(
            Markup("<tr>{}</tr>").format(
                Markup("").join(Markup("<td>{}</td>").format(self.line(c)) for c in row)
            )
            for row in block.rows
        )
        return Markup(
            '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table class="full">'
            "<thead><tr>{}</tr></thead>\n<tbody>\n{}\n</tbody></table></div>"
        ).format(head, rows)


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, undefined=jinja2.StrictUndefined, autoescape=True,
    )  # fmt: skip
