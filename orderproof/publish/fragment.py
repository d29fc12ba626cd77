"""One theorem for another author's document: statement, proof and label; the macros stand apart.

Its lines break to the width of the column, whatever the class; nothing is shrunk to fit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from markupsafe import Markup

from orderproof.check.page import TheoremPage
from orderproof.check.prove import digests
from orderproof.check.rocq.claims import scripts
from orderproof.proofs import catalogue

from . import evidence
from . import theorem as filled
from .bibliography import short_names
from .latex_text import code, words
from .model import Block, Code, Proof, Theorem, Words
from .to_latex import Writer

COLUMNS = 58  # of a statement in Rocq: what fits a column of 230 points in \\scriptsize
MACROS = Path(__file__).with_name("macros.tex")


def macros() -> str:
    """What the fragments need in the preamble, once."""
    return MACROS.read_text(encoding="utf-8").replace("@version@", version("orderproof"))


def theorem(page: TheoremPage) -> str:
    """A theorem with its proof, for a document that has the macros."""
    catalogued = page.id in catalogue.IDS
    blocks: list[Block] = [
        Theorem("theorem", page.id, page.title, filled.in_full(page, web=False)),
        Proof(filled.proof(page), _evidence(page)),
    ]
    used = list[str]()
    body = _writer(used).blocks(blocks)
    if page.remarks:
        body += Markup("\\opremark{{{}}}\n").format(_writer([]).said(page.remarks))
    digest = f", sha256 {digests.of_page(page)}" if catalogued else ""
    head = [
        f"% {page.id}: {page.reads}. orderproof {version('orderproof')}{digest}",
        "% Needs the macros that `orderproof show --latex --macros` prints"
        + (f"; to cite it: orderproof cite {page.id}" if catalogued else ""),
    ]
    if names := ", ".join(dict.fromkeys(used)):
        head.append(
            f"% It cites {names}: with these in the same document, their names become references."
        )
    return "\n".join([*head, str(body)])


def _writer(used: list[str]) -> Writer:
    """LaTeX in which a theorem of the catalogue is cited by \\opuse; `used` collects their ids."""

    def refer(name: str) -> Markup:
        used.append(name)
        return Markup(r"\opuse{{{}}}{{{}}}").format(Markup(name), code(name))

    def cite(keys: Sequence[str]) -> Markup:
        return words(f"[{'; '.join(short_names(keys))}]")

    def chapter(name: str) -> Markup:
        return words(f"“{catalogue.chapter(name).title}”")

    return Writer(catalogue.IDS, refer, cite, chapter, _words, COLUMNS, titled=False)


def _words(text: str) -> Markup:
    """Words as LaTeX, in which an identifier, as the name of a file, is set as code."""
    parts = re.split(r"((?<![\w#])[a-z]{2,}(?:_[a-z]+)+(?!\w))", text)
    return Markup("").join(code(p) if k % 2 else words(p) for k, p in enumerate(parts))


def _evidence(page: TheoremPage) -> Words:
    """By what the claims were checked; and where proofs by hand in Rocq stand."""
    said = f"orderproof {version('orderproof')}: {evidence.line(page)}"
    if not scripts(page.id):
        return (said,)
    return f"{said} In Rocq: ", Code(f"proofs/rocq/by_hand/{page.id}.v"), "."
