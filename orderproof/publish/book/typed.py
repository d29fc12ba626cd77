"""Mathematics typed by hand in a chapter: symbols alone; all else comes from what was checked.

$X$, $W_Q$, $\\sigma$, $Z'$ may be typed; a relation, an operator, a sum, a fraction or a number may
not, and no displayed formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_GREEK = (
    "alpha|beta|gamma|delta|varepsilon|epsilon|theta|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|varphi"
    "|phi|psi|omega|Gamma|Delta|Theta|Lambda|Sigma|Phi|Psi|Omega|ell"
)
_LETTER = rf"(?:[A-Za-z]|\\(?:{_GREEK})(?![A-Za-z])|\\(?:mathbb|mathbf|mathrm)\{{[A-Za-z1]+\}})"
_BELOW = rf"(?:_(?:{_LETTER}|[0-9]|\{{(?:{_LETTER}|[0-9]|,|\\,|\s)+\}}))?"
_ABOVE = r"(?:\^(?:\\top(?![A-Za-z])|\{\\top\}|\{-1\}|L))?"
SYMBOL = re.compile(
    rf"\s*{_LETTER}'*{_BELOW}'*{_ABOVE}(?:\({_LETTER}\))?\s*|\s*\\(?:softmax|exp|tanh)\s*"
)

_TEMPLATE = re.compile(r"<<.*?>>|<%.*?%>|<#.*?#>", re.DOTALL)
_NOT_SHOWN = re.compile(r"\\(?:index|label|ref|pageref|cite|url|href)\{[^{}]*\}|(?<!\\)%.*")
_MATH = re.compile(r"(?<!\\)\$([^$]*)\$")
_DISPLAYED = re.compile(
    r"\$\$|\\\[|\\\(|\\begin\{(?:equation|align|gather|multline|math|displaymath|eqnarray)\*?\}"
)
_SIGNS = re.compile(r"[=≠≤≥<>∑Σ√→⇒]|\b\d+\s*/\s*\d+|\b\d+\.\d+")


def typed(source: str) -> Iterator[str]:
    """What a chapter's source types that it may not, each as it stands there."""
    text = re.sub(_NOT_SHOWN, "", re.sub(_TEMPLATE, " ", source))
    yield from re.findall(_DISPLAYED, text)
    for found in re.finditer(_MATH, text):
        if not re.fullmatch(SYMBOL, found[1]):
            yield found[0]
    words = re.sub(r"\[[^\]\n]*=[^\]\n]*\]", "", re.sub(_MATH, " ", text))  # options of commands
    for line in words.splitlines():
        if sign := re.search(_SIGNS, line):
            yield f"{sign[0]} in {line.strip()!r}"
