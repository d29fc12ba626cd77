"""Names and parentheses for text in Rocq."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from itertools import count

from orderproof.symbolic.calculus.terms import Node

LETTERS = "ijklpqruv"  # for axes
TAKEN = {  # what the text itself refers to, and words of Rocq
    "R", "realFieldType", "nat", "nat_of_ord", "inl", "inr", "cancel", "maximum", "minimum", "Num",
    "perm", "as", "at", "cofix", "else", "end", "exists", "exists2", "fix", "for", "forall", "fun",
    "if", "in", "is", "let", "match", "mod", "of", "return", "then", "using", "where", "with", "by",
    "Prop", "Set", "Type", "SProp", "S", "O", "exponential", "square_root",
}  # fmt: skip


@dataclass
class Scope:
    """Names in Rocq for what is in scope, all different."""

    of: dict[object, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=lambda: set(TAKEN))

    def name(self, x: object, wish: str) -> str:
        """A new name for x, similar to `wish`."""
        found = self.fresh(wish)
        self.of[x] = found
        return found

    def fresh(self, wish: str) -> str:
        """A name that is not taken."""
        plain = ascii_name(wish)
        tries = (plain if k == 0 else f"{plain}_{k}" for k in count())
        found = next(x for x in tries if x not in self.taken)
        self.taken.add(found)
        return found

    def axis(self) -> str:
        """A name for an axis: the first letter that is free."""
        found = next((x for x in LETTERS if x not in self.taken), None)
        return self.fresh(found or "i")

    def closed(self) -> Scope:
        """The scope without nodes, whose names refer to tensors outside the definition."""
        return Scope({x: a for x, a in self.of.items() if not isinstance(x, Node)}, set(self.taken))

    def copy(self) -> Scope:
        """A scope inside this one."""
        return Scope(dict(self.of), set(self.taken))


def ascii_name(text: str) -> str:
    """A name as Rocq takes it: Greek letters by name, primes as such."""
    letters = (
        c if c.isascii() else "'" if c == "′" else unicodedata.name(c, "x").split()[-1].lower()
        for c in text
    )
    plain = re.sub(r"[^\w']", "_", "".join(letters), flags=re.ASCII)
    return plain if re.match(r"[A-Za-z]", plain) else f"x{plain}"


def atomic(text: str) -> str:
    """text as an argument: in parentheses, unless it is one word or stands in them already."""
    return text if re.fullmatch(r"[\w']+(%:R)?|\([^()]*\)(%N)?(%:R)?", text) else f"({text})"


def operand(text: str) -> str:
    """text beside an operator: an application of words needs no parentheses."""
    first, *_ = words = text.split(" ")
    plain = all(re.fullmatch(r"[\w']+", x) for x in words)
    return text if plain and first not in TAKEN else atomic(text)
