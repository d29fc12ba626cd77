"""One theorem for another author's document: statement, proof and label; the macros stand apart.

Its lines break to the width of the column, whatever the class; nothing is shrunk to fit.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from importlib.metadata import version

from markupsafe import Markup

from orderproof.check.page import UNCHECKED, ClaimPage, Formula, TheoremPage
from orderproof.check.page import broken as narrowed
from orderproof.check.prove import digests
from orderproof.check.rocq.claims import scripts
from orderproof.proofs import catalogue
from orderproof.publish.pages.derivations import LEMMA, LEMMA_ID

from .citation import title
from .evidence import numbers_of
from .fragment_math import breaking
from .latex import IDENTIFIER, environment
from .latex_text import code, words

COLUMNS = 58  # of a statement in Rocq: what fits a column of 230 points in \\scriptsize
NO_DERIVATION = "No derivation is printed."  # what checked it, if anything did, the marks say


def macros() -> str:
    """What the fragments need in the preamble, once."""
    template = environment(_text, raw=Markup).get_template("macros.tex.jinja")
    return template.render(version=_version())


def theorem(page: TheoremPage) -> str:
    """A theorem with its proof, for a document that has the macros."""
    templates = environment(
        _text,
        math=lambda f: breaking(f.latex),
        verbatim=lambda f: Markup(f.latex.replace(f.plain, narrowed(f.plain, COLUMNS))),
        reason=_reason,
        raw=Markup,
    )
    return templates.get_template("theorem.tex.jinja").render(
        page=page,
        catalogued=page.id in catalogue.IDS,
        title=title(page.title),
        version=_version(),
        digest=digests.of_page(page),
        evidence=_evidence(page),
        no_derivation=NO_DERIVATION,
        cited=_cited(page),
    )


def _version() -> str:
    return version("orderproof")


def _text(value: object) -> Markup:
    """Words as LaTeX, in which a theorem of the catalogue is cited, and a name may be broken; LaTeX
    as it is."""
    if isinstance(value, Markup):
        return value
    out, last, text = Markup(), 0, str(value)
    for found in re.finditer(IDENTIFIER, text):
        name, shown = found[0], code(found[0])
        cited = Markup(rf"\opuse{{{name}}}{{{shown}}}") if name in catalogue.IDS else shown
        out += words(text[last : found.start()]) + cited
        last = found.end()
    return out + words(text[last:])


def _cited(page: TheoremPage) -> list[str]:
    """The theorems that the lines of a proof name."""
    words = " ".join(p.replace(LEMMA, LEMMA_ID) for p in page.reasons if isinstance(p, str))
    names = dict.fromkeys(found[0] for found in re.finditer(IDENTIFIER, words))
    return [name for name in names if name in catalogue.IDS]


def _reason(parts: Sequence[str | Formula]) -> Markup:
    """Why a line equals the one before it."""
    return Markup("").join(
        Markup("${}$").format(breaking(p.latex))
        if isinstance(p, Formula)
        else _text(p.replace(LEMMA, LEMMA_ID))
        for p in parts
    )


def _evidence(page: TheoremPage) -> Markup:
    """Which marks the claims carry, claims of the same marks together; and where proofs by hand in
    Rocq stand."""
    numbered = enumerate(page.claims, 1)
    said = []
    for names, group in itertools.groupby(numbered, lambda item: _marks(item[1])):
        which = numbers_of(k for k, _ in group)
        said.append(f"{which} {names}" if len(page.claims) > 1 else names)
    kind = "Marks declared" if page.verdict == UNCHECKED else "Marks"
    marks = words(f"{kind} in orderproof {_version()}: {'; '.join(said)}.")
    file = code(f"proofs/rocq/by_hand/{page.id}.v").replace("/", Markup(r"/\allowbreak{}"))
    return marks + (Markup(" In Rocq: {}.").format(file) if scripts(page.id) else "")


def _marks(claim: ClaimPage) -> str:
    signs = {True: "", False: " failed", None: " undecided"}
    declared = claim.verdict == UNCHECKED
    return ", ".join(m.mark + ("" if declared else signs[m.ok]) for m in claim.marks) or "none"
