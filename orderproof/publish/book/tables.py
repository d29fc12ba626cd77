"""The functions by which a chapter prints tables and figures: position schemes, quoted sentences,
the figure of position by layer, the marks and what they rest on, the list of claims.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jinja2
from markupsafe import Markup

from orderproof.check.page import Mark, TheoremPage
from orderproof.check.prove import trust_decided
from orderproof.check.prove.trust import MARKS, SHARED, VERDICTS
from orderproof.check.schemes.table import Cell

from . import quotations
from .latex import SYNTAX, TEMPLATES
from orderproof.publish.latex_text import code, words
from .position_chapter import PositionChapter
from .position_chapter import sign as cell_sign
from .references import Names

DEPTH, BIAS = "position-by-layer", "alibi"  # names of figures
WITHOUT_POSITIONS = (
    "The table of position schemes and their counterexamples are not in this copy of the book; "
    "orderproof book adds them."
)


class Tables:
    """What chapters print besides theorems."""

    def __init__(
        self,
        pages: Sequence[TheoremPage],
        positions: PositionChapter | None,
        names: Names,
        cite: Callable[..., Markup],
        undrawn: str,
    ) -> None:
        self.pages = [page for page in pages if page.id in names.kinds]
        self.every = pages
        self.positions = positions
        self.names = names
        self.cite = cite
        self.undrawn = undrawn
        self.environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(TEMPLATES), finalize=names.tex, **SYNTAX
        )
        self.environment.filters |= {
            "code": code, "raw": Markup, "alternative": _alternative,
            "sentence": lambda text: f"{text[0].upper()}{text[1:]}.",
        }  # fmt: skip

    def functions(self) -> dict[str, Callable[..., Markup]]:
        """What a chapter's template may call."""
        return {
            "scheme_table": partial(self._of_positions, "scheme_table"),
            "scheme_notes": partial(self._of_positions, "scheme_notes"),
            "scheme_about": self.scheme_about,
            "bias_picture": self.bias_picture, "depth_figure": self.depth_figure,
            "sentences": self.sentences,
            "trust": self.trust, "trust_decided": self.trust_decided,
            "in_common": self.in_common, "verdicts": self.verdicts, "evidence": self.evidence,
            "claims_list": self.claims_list,
        }  # fmt: skip

    def _print(self, template: str, **context: Any) -> Markup:
        found = self.environment.get_template(f"{template}.tex.jinja")
        return Markup(found.render(cite=self.cite, ref=self.names.ref, **context))

    # -------------------------------------------------------------------------- position schemes
    def _of_positions(self, template: str) -> Markup:
        if self.positions is None:
            return self._missing()
        return self._print(template, positions=self.positions, tabled=_tabled)

    def scheme_about(self) -> Markup:
        """How to read the table."""
        return words(self.positions.about) if self.positions else Markup()

    def bias_picture(self) -> Markup:
        """A bias before and after a permutation that it notices, and one that it does not."""
        undrawn = self.undrawn if self.positions else "orderproof book draws it"
        if undrawn:
            return self._print("bias_picture", drawn=False, undrawn=undrawn)
        from . import bias_picture

        return self._print(
            "bias_picture", drawn=True, name=BIAS, caption=bias_picture.CAPTION,
            alt=bias_picture.alt(bias_picture.strips()),
        )  # fmt: skip

    def depth_figure(self) -> Markup:
        """The figure of distances layer by layer."""
        if self.positions is None:
            return self._missing() + Markup(r"\phantomsection\label{{fig:{}}}").format(DEPTH)
        return self._print(
            "depth_figure", name=DEPTH, depth=self.positions.depth, drawn=not self.undrawn,
            undrawn=self.undrawn,
        )  # fmt: skip

    def _missing(self) -> Markup:
        return Markup("\\par\\noindent\\emph{{{}}}\\par\n").format(words(WITHOUT_POSITIONS))

    # ---------------------------------------------------------------------- sentences and evidence
    def sentences(self) -> Markup:
        """Sentences that people quote, each with its verdict and what can be upheld."""
        return self._print("sentences", sentences=quotations.of_pages(self.every))

    def trust(self) -> Markup:
        """Each mark: what it says, and what one who accepts it believes."""
        return self._print("trust", marks=MARKS)

    def trust_decided(self) -> Markup:
        """What must be believed about a model that `orderproof decide` answered about."""
        return self._print("trust_decided", about=trust_decided.ABOUT, parts=trust_decided.DECIDED)

    def in_common(self) -> Markup:
        """Which marks could be wrong together."""
        return words(SHARED)

    def verdicts(self) -> Markup:
        """Which marks make which verdict."""
        return words(VERDICTS)

    def evidence(self) -> Markup:
        """How many claims of each theorem carry each mark."""
        found = {m.mark for page in self.pages for c in page.claims for m in c.marks}
        used = [m.name for m in MARKS if m.name in found]
        return self._print(
            "evidence", pages=self._in_order(), used=used, title=self.names.title,
            carried=carried,
        )  # fmt: skip

    def claims_list(self) -> Markup:
        """Every theorem with its number, page and id, and the digests of its claims."""
        return self._print("claims", pages=self._in_order())

    def _in_order(self) -> list[TheoremPage]:
        """The theorems in the order in which chapters print them."""
        by_id = {page.id: page for page in self.pages}
        return [by_id[name] for name in self.names.kinds if name in by_id]


def _tabled(c: Cell) -> Markup:
    """A cell of the table: ✓, or ✗ with the least n."""
    if c.verdict == "refuted":
        return Markup(r"$\times_{{{}}}$").format(c.smallest)
    return words(cell_sign(c))


def _alternative(text: str) -> Markup:
    """The text of a figure for those who do not see it, as a PDF has it: UTF-16, in hexadecimal."""
    return Markup(text.encode("utf-16-be").hex().upper())


def carried(page: TheoremPage, name: str) -> str:
    """How many claims of the page carry the mark."""
    given: list[Mark] = [m for claim in page.claims for m in claim.marks if m.mark == name]
    if not given:
        return ""
    if any(m.ok is False for m in given):
        return "✗"
    if any(m.ok is None for m in given):
        return "?"
    count = sum(any(m.mark == name for m in claim.marks) for claim in page.claims)
    return f"{count}/{len(page.claims)}"
