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

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)
_ARROWS = frozenset((r"\Rightarrow", r"\Leftrightarrow"))
_RELATIONS = frozenset("=<>") | {r"\neq", r"\leq", r"\geq", r"\in", r"\to"}
_OPERATORS = frozenset("+-")
_OPENS, _CLOSES = frozenset((*"([", r"\{")), frozenset((*")]", r"\}"))
_SPACES = frozenset((r"\,", r"\;", r"\ ", r"\quad", r"\qquad"))
SHORT = 12  # letters of a fraction or bracket that fits every column
DEEPEST = 9  # the last \opcut


def breaking(latex: str) -> Markup:
    """The formula for math mode, with the marks; UnknownCharacter where TeX could not set it."""
    settable(latex)
    return Markup(_cut(list(_tokens(latex))))


def _tokens(latex: str) -> Iterator[str]:
    """Commands and characters; a group in braces, and what stands between \\left and \\right, is
    one token."""
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


def _cut(tokens: list[str], depth: int = 0) -> str:
    """The tokens with marks between them, at this depth of brackets."""
    out: list[str] = []
    last, least = "", depth  # the last token that is no space
    rest = iter(tokens)
    for token in rest:
        if token.isspace() or token in _SPACES:
            out.append(token)
            continue
        if last in (",", r"\colon") or (last and token in _ARROWS):
            out.append(_mark(0, depth))
        elif last and token in _RELATIONS:
            out.append(_mark(1, depth))
        elif token in _OPERATORS and last not in ("", ",", *_OPENS, *_RELATIONS, *_OPERATORS):
            out.append(_mark(2, depth))
        elif (last and out[-1] == r"\,") or (last.endswith(")") and token in _OPENS):
            out.append(_mark(3, depth))
        if token in _CLOSES:
            depth = max(least, depth - 1)
        if token.startswith(r"\left"):
            out.append(_bracketed(token, depth))
        elif token == r"\frac":
            out.append(_fraction(next(rest), next(rest), depth))
        else:
            out.append(token)
        if token in _OPENS:
            depth += 1
        last = token
    return "".join(out)


def _mark(cost: int, depth: int) -> str:
    return rf"\opcut{{{min(DEEPEST, cost + 3 * depth)}}}"


def _bracketed(token: str, depth: int) -> str:
    """\\left( ... \\right), or with brackets of a fixed size, between which it can be broken."""
    found = re.fullmatch(r"\\left(\\.|.)(.*)\\right(\\.|.)", token, re.DOTALL)
    if found is None or width(found[2]) <= SHORT:
        return token
    size = "Big" if r"\frac" in found[2] or r"\sum" in found[2] else "big"
    inside = _cut(list(_tokens(found[2])), depth + 1)
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
    return rf"\bigl({_cut(list(_tokens(part)), depth + 1)}\bigr)"


# ------------------------------------------------------------------------- pieces of a formula
_PART = re.compile(r"\\(?:begin|end)\{\w+\*?\}|\\[A-Za-z]+\*?|\\.|.", re.DOTALL)
_RELATION = r"neq|ne|leq|le|geq|ge|approx|equiv|mapsto|to|iff|implies|(?:Left)?[Rr]ightarrow"
_OPERATOR = re.compile(rf"[=<>+-]|\\(?:{_RELATION}|cdot|times)")
_COMMA = re.compile(r"((?<!\\),|\\colon)(?:\\[ ,:;!]|\\q?quad|\s)*$")
_UNARY_AFTER = frozenset("({[,;:")
_BLANKS = frozenset((r"\ ", r"\,", r"\;", r"\:", r"\!", r"\quad", r"\qquad"))
WHOLE = 40  # letters: what stands between two commas is broken only if it is longer


def pieces(latex: str) -> list[str]:
    """A formula cut where a line may end: at a relation, an operator, a comma, between factors.

    No cut lies inside braces, \\left ... \\right or an environment; the pieces join to `latex`.
    """
    cuts, depth, round_, last, comma = [0], 0, 0, "", False
    lists: list[int] = []  # after commas in round brackets: where a long list may be cut
    for m in re.finditer(_PART, latex):
        token = m[0]
        if token.isspace() or token in _BLANKS:
            continue
        if depth == 0 and last:
            between = last in (")", r"\right") and token in ("(", r"\left")
            unary = last in _UNARY_AFTER or re.fullmatch(_OPERATOR, last)
            operator = re.fullmatch(_OPERATOR, token) and not unary
            if between or operator or comma or last == r"\colon":
                cuts.append(m.start())
            elif last == "," and round_:
                lists.append(m.start())
        round_ += (token in ("(", r"\{")) - (token in (")", r"\}"))
        comma = token == "," and depth == round_ == 0
        if token in ("{", r"\left") or token.startswith(r"\begin{"):
            depth += 1
        elif token in ("}", r"\right") or token.startswith(r"\end{"):
            depth -= 1
        last = token
    for a, b in zip(cuts, [*cuts[1:], len(latex)], strict=True):
        if width(latex[a:b]) > WHOLE:
            cuts = sorted({*cuts, *(c for c in lists if a < c < b)})
    return [latex[a:b] for a, b in zip(cuts, [*cuts[1:], len(latex)], strict=True)]


def groups(latex: str) -> list[list[str]]:
    """The pieces of a formula, those up to a comma together."""
    found: list[list[str]] = [[]]
    for piece in pieces(latex):
        found[-1].append(piece)
        if re.search(_COMMA, piece):
            found.append([])
    return [g for g in found if g]


def settable(latex: str) -> None:
    """UnknownCharacter for a formula that TeX could not set."""
    for c in latex:
        if not " " <= c <= "~":
            raise unknown(c, latex)
    if not latex.strip():
        raise UnknownCharacter("an empty formula")


def width(latex: str) -> int:
    """About how many letters wide a formula is."""
    bare = re.sub(r"\\(?:left|right|operatorname|math[a-z]+|text)\b|[{}^_&]|\\[,;! ]", "", latex)
    fractions = [max(map(len, m)) for m in re.findall(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", latex)]
    bare = re.sub(r"\\[A-Za-z]+", "m", re.sub(r"\\frac", "", bare))
    return len(bare.replace(" ", "")) - sum(fractions) // 2
