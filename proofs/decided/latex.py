"""A derivation as an article in LaTeX, with the packages that the book uses."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from orderproof.proofs.book.latex_text import UnknownCharacter, bookmark, pieces, words

from . import names
from .printing import PLACEHOLDER
from .text import NEW, Code, Display, Document, Line, Math, Table

TEMPLATES = Path(__file__).with_name("templates")


class Tex:
    """Writes the parts of a document."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def page(self) -> str:
        """The whole article."""
        environment = _environment()
        environment.filters |= {"line": self.line, "text": text, "mark": _bookmark}
        template = environment.get_template("derivation.tex.jinja")
        return template.render(d=self.document, block=self.block)

    def line(self, line: Line) -> Markup:
        """Words, names and formulas."""
        return Markup("").join(self._inline(x) for x in line)

    def _inline(self, x: str | Code | Math) -> Markup:
        if x == NEW:
            return Markup(r"\newline ")
        if isinstance(x, Code):
            return names.tex(x.text)
        if isinstance(x, Math):
            return self.formula(x.latex) if x.wide else Markup(f"${self._named(x.latex)}$")
        return text(x)

    def formula(self, latex: str) -> Markup:
        """A formula: as one where it fits the line, else in pieces, of which each fits."""
        cut = [self._named(("{}" if k else "") + p + "{}") for k, p in enumerate(pieces(latex))]
        parts = r"\allowbreak ".join(rf"\piece{{{p}}}" for p in cut)
        return Markup(rf"\fitting{{{self._named(latex)}}}{{{parts}}}")

    def _named(self, latex: str) -> str:
        return PLACEHOLDER.sub(
            lambda found: names.tex_in_formula(self.document.names[int(found[1])]), latex
        )

    def block(self, block: Line | Table | Display) -> Markup:
        """A paragraph, a table or a formula on its own line."""
        if isinstance(block, Display):
            return Markup("\\shownline{{{}}}{{{}}}").format(
                text(block.mark), self.formula(block.latex)
            )
        if not isinstance(block, Table):
            return self.line(block) + Markup(r"\par")
        columns = "".join(
            rf">{{\raggedright\arraybackslash}}p{{\dimexpr {w:g}\linewidth-8pt\relax}}"
            for w in block.widths
        )
        head = Markup(" & ").join(text(h) for h in block.head)
        rows = Markup("\n").join(
            Markup(" & ").join(self.line(cell) for cell in row) + Markup(r" \\ \addlinespace[3pt]")
            for row in block.rows
        )
        size = r"\footnotesize" if block.small else r"\normalsize"
        return Markup(
            "{{{}\n\\begin{{longtable}}{{@{{}}{}@{{}}}}\n\\toprule\n{} \\\\\n\\midrule\n\\endhead\n"
            "\\bottomrule\n\\endfoot\n{}\n\\end{{longtable}}}}"
        ).format(Markup(size), Markup(columns), head, rows)


def text(value: str) -> Markup:
    """Words; characters that the book has no letters for as names have them."""
    try:
        return words(value)
    except UnknownCharacter:
        return names.tex(value)


def _bookmark(value: str) -> Markup:
    """The title for the properties of the PDF: letters and digits of every language go."""
    plain = "".join(c if " " <= c <= "~" and c not in '\\{}$&#%^~<>|"' else "?" for c in value)
    return bookmark(plain)


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        block_start_string="<%", block_end_string="%>", variable_start_string="<<",
        variable_end_string=">>", comment_start_string="<#", comment_end_string="#>",
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined, autoescape=True, finalize=_finalize,
    )  # fmt: skip


def _finalize(value: object) -> Markup:
    return value if isinstance(value, Markup) else text(str(value))
