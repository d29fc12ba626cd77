"""Where a formula may be broken over lines: in TeX, in a browser, in a column of a paper.

Nothing is shrunk. A line may end at a mark \\opcut{n}; the greater n, the less gladly: after a
comma or a colon, before ⇒ (0), before a relation (1), before + and − (2), between factors (3);
inside of brackets three more for each pair. What cannot be broken as it is, a fraction and what
stands between \\left and \\right, is written twice, \\opwide{as it is}{so that it can}: TeX
measures the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markupsafe import Markup

from .latex_text import UnknownCharacter, unknown

_TOKEN = re.compile(r"\\begin\{(\w+)\}.*?\\end\{\1\}|\\[A-Za-z]+|\\.|.", re.DOTALL)
_ARROWS = frozenset((r"\Rightarrow", r"\Leftrightarrow"))
_RELATIONS = frozenset("=<>") | {r"\neq", r"\leq", r"\geq", r"\in", r"\to"}
_OPERATORS = frozenset("+-")
_OPENS, _CLOSES = frozenset((*"([", r"\{")), frozenset((*")]", r"\}"))
_MARK = re.compile(r"\\opcut\{\d\}")
_SPACES = frozenset((r"\,", r"\;", r"\ ", r"\quad", r"\qquad"))
SHORT = 12  # letters of a fraction or bracket that fits every column
DEEPEST = 9  # the last \opcut
WHOLE = 20  # letters: a piece that is longer is cut between its factors and in its brackets


def breaking(latex: str) -> Markup:
    """The formula for math mode, with the marks; UnknownCharacter where TeX could not set it."""
    for c in latex:
        if not " " <= c <= "~":
            raise unknown(c, latex)
    if not latex.strip():
        raise UnknownCharacter("an empty formula")
    return Markup(_cut(latex))


def groups(latex: str) -> list[list[str]]:
    """The pieces of a formula that stay unbroken, those up to a comma together: no cut lies inside
    braces, \\left ... \\right or an environment, and the pieces join to `latex`."""
    marked = "".join(mark + text for mark, text, _ in _parts(latex))
    return [
        [text for piece in re.split(r"\\opcut\{[12]\}", group) for text in _listed(piece)]
        for group in marked.split(r"\opcut{0}")
    ]


def _listed(piece: str) -> list[str]:
    """A piece; of one that is long its parts, those in its brackets too."""
    whole = re.sub(_MARK, "", piece)
    return [whole] if width(whole) <= WHOLE else list(filter(None, re.split(_MARK, piece)))


def _tokens(latex: str) -> Iterator[str]:
    """Commands and characters; a group in braces, an environment, and what stands between \\left
    and \\right, is one token."""
    todo = [m[0] for m in re.finditer(_TOKEN, latex)]
    k = 0
    while k < len(todo):
        end = k
        if todo[k] in ("{", r"\left"):
            depth = 0
            for end in range(k, len(todo)):
                depth += todo[end] in ("{", r"\left")
                depth -= todo[end] in ("}", r"\right")
                if depth == 0:
                    break
            end += todo[k] == r"\left"  # the bracket after \right
        yield "".join(todo[k : end + 1])
        k = end + 1


def _parts(latex: str, depth: int = 0) -> Iterator[tuple[str, str, int]]:
    """The tokens, a fraction with its parts, at this depth of brackets: before each the mark where
    a line may end there, and behind it the depth after a closing bracket."""
    last, before, least = "", "", depth  # the last token that is no space, and the last of all
    rest = _tokens(latex)
    for token in rest:
        if token.isspace() or token in _SPACES:
            yield "", token, depth
            before = token
            continue
        cost = None
        if last in (",", r"\colon") or (last and token in _ARROWS):
            cost = 0
        elif last and token in _RELATIONS:
            cost = 1
        elif token in _OPERATORS and last not in ("", ",", *_OPENS, *_RELATIONS, *_OPERATORS):
            cost = 2
        elif (last and before == r"\,") or (last.endswith(")") and token in _OPENS):
            cost = 3
        inner = max(least, depth - 1) if token in _CLOSES else depth
        whole = token + next(rest) + next(rest) if token == r"\frac" else token
        yield "" if cost is None else _mark(cost, depth), whole, inner
        depth = inner + (token in _OPENS)
        last = before = token


def _cut(latex: str, depth: int = 0) -> str:
    """The formula with marks between its parts, at this depth of brackets."""
    out = []
    for mark, text, inner in _parts(latex, depth):
        out.append(mark)
        if text.startswith(r"\left"):
            out.append(_bracketed(text, inner))
        elif text.startswith(r"\frac{"):
            _, above, below = _tokens(text)
            out.append(_fraction(above, below, inner))
        else:
            out.append(text)
    return "".join(out)


def _mark(cost: int, depth: int) -> str:
    return rf"\opcut{{{min(DEEPEST, cost + 3 * depth)}}}"


def _bracketed(token: str, depth: int) -> str:
    """\\left( ... \\right), or with brackets of a fixed size, between which it can be broken."""
    found = re.fullmatch(r"\\left(\\.|.)(.*)\\right(\\.|.)", token, re.DOTALL)
    if found is None or width(found[2]) <= SHORT:
        return token
    size = "Big" if r"\frac" in found[2] or r"\sum" in found[2] else "big"
    inside = _cut(found[2], depth + 1)
    return rf"\opwide{{{token}}}{{\{size}l{found[1]}{inside}\{size}r{found[3]}}}"


def _fraction(above: str, below: str, depth: int) -> str:
    """A fraction, or with a stroke in place of its line."""
    whole = rf"\frac{above}{below}"
    if max(width(above), width(below)) <= SHORT:
        return whole
    over, under = (_in_brackets(part[1:-1], depth) for part in (above, below))
    cut = _mark(3, depth)
    return rf"\opwide{{{whole}}}{{{cut}{over}{cut}\big/{under}}}"


def _in_brackets(part: str, depth: int) -> str:
    """A numerator or denominator beside a stroke; one symbol needs no brackets."""
    if re.fullmatch(r"\\[A-Za-z]+|\w|\\sqrt\{\w(_\{\w\})?\}", part):
        return part
    return rf"\bigl({_cut(part, depth + 1)}\bigr)"


def letters(latex: str) -> int:
    """How many letters a formula has, those above and below a fraction's line all counted."""
    bare = re.sub(r"\[\d+pt\]|\\(?:t?frac|left|right|text|operatorname|math[a-z]+)\b", "", latex)
    bare = re.sub(r"\\[A-Za-z]+", "m", re.sub(r"\\[^A-Za-z]", "", bare))
    return len(re.sub(r"[{}^_&\s]", "", bare))


def width(latex: str) -> int:
    """About how many letters wide a formula is."""
    fractions = re.findall(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", latex)
    return letters(latex) - sum(min(map(letters, parts)) for parts in fractions)
