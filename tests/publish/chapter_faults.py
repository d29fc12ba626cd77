"""What may be wrong with the chapters and with proofs in words, as their authors wrote them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderproof.check.page import TheoremPage
from orderproof.publish.chapters import Chapter
from orderproof.publish.model import Proof, Theorem

FOREIGN = r"[^A-Za-zÀ-ÖØ-öø-ž0-9\s.,:;?!()\[\]*“”’-]"  # in an introduction: what is no prose
# What words may not hold, for it comes from what was checked: relations, sums, fractions, TeX.
TYPED = re.compile(r"[=≠≤≥<>∑√→⇒$\\]|\b\d+\s*/\s*\d+|\b\d+\.\d+|Σ_")


def faults(found: Sequence[Chapter], pages: Sequence[TheoremPage]) -> list[str]:
    """What is wrong with the chapters of these theorems: mathematics that is typed; a title or an
    introduction that is missing; other theorems than the catalogue has, or another order; a theorem
    that no chapter states, or none proves, or that is proved twice."""
    wrong = [f"{c.text.name}: typed {x}" for c in found for x in typed(c.text.source)]
    wrong += [f"{page.id}: typed {x}" for page in pages for x in typed(page.argument)]
    stated: list[str] = []
    for chapter in found:
        text = chapter.text
        foreign = re.findall(FOREIGN, text.introduction) + ["*"] * (
            text.introduction.count("*") % 2
        )
        wrong += [f"{text.name}: {x!r} in its introduction" for x in foreign]
        if not (text.title and text.introduction):
            wrong.append(f"{text.name}: expected a title and an introduction")
        here = tuple(b.id for b in chapter.blocks if isinstance(b, Theorem))
        if here != text.theorems:
            wrong.append(f"{text.name}: states {here}, expected its theorems {text.theorems}")
        stated += here
    wrong += [f"{p.id}: stated by no chapter" for p in pages if p.id not in stated]
    wrong += [f"{x}: stated twice" for x in dict.fromkeys(stated) if stated.count(x) > 1]
    proved = [b.id for c in found for b in c.blocks if isinstance(b, Proof)]
    wrong += [f"{name}: stated without a proof" for name in stated if name not in proved]
    return wrong + [f"{x}: proved twice" for x in dict.fromkeys(proved) if proved.count(x) > 1]


def typed(text: str) -> list[str]:
    """Mathematics that is typed by hand in words, as it stands there: letters alone may be."""
    words = " ".join(re.sub(r"(?<!_)\{[^{}]*\}|`[^`]*`", " ", text).split())
    return [f"{m[0]} in {words[max(0, m.start() - 20) : m.end() + 20]!r}"
            for m in re.finditer(TYPED, words)]  # fmt: skip
