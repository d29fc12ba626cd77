"""A document as HTML: on the site, or in a notebook.

It holds no script, and all that is no markup here is escaped: names come from users' models too.
How formulas are set, and what words lead to, are the document's choice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from markupsafe import Markup, escape

from orderproof.check.page import FROM_ROCQ, Formula, Section, broken

from . import model as m
from .bibliography import UnknownCitation
from .latex_text import MATHEMATICS, curly
from .line_breaks import width

Part = m.Block | Markup
SHORT = 12  # lines of a proof that is not folded
WIDTH = 30  # rem: the least of a table with columns of paragraphs
COLUMNS = 84  # of text that is printed letter by letter
SCROLLED = {"tabindex": "0", "role": "group"}  # what may be wider than a page, by keyboard too
NAMED = "named"  # the class of what begins with a name or a title
LEFT = 16  # letters: a longer left side of a chain has a line of its own
_INSIDE = re.compile(r"\w[\w./-]*(?:#[\w-]+)?|#[\w-]+")  # addresses within the site


@cache
def plain(text: str) -> Markup:
    """Words in which no theorem is cited: letters of mathematics as such, all else escaped."""
    text, out, last = curly(text), Markup(""), 0
    for x in re.finditer(MATHEMATICS, text):
        out += escape(text[last : x.start()])
        out += Markup("<var>{}</var>").format(x[1] or x[3] or x[5])
        if below := x[2] or x[4]:
            out += Markup("<sub>{}</sub>").format(below)
        last = x.end()
    out += escape(text[last:])
    # Some bold fonts have another letter in place of this one.
    return Markup(str(out).replace("ᵀ", "<sup>T</sup>"))


@cache
def code(text: str) -> Markup:
    """An identifier or a path, which may break after an underscore or a slash."""
    return tag("code", Markup(re.sub("([/_])", r"\1<wbr>", str(escape(text)))))


def tag(name: str, *inside: str, **attributes: str) -> Markup:
    """An element, with all escaped that is no markup; an empty attribute is left out."""
    given = (
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), value)
        for key, value in attributes.items()
        if value
    )
    return Markup("<{0}{1}>{2}</{0}>").format(name, Markup("").join(given), Markup("").join(inside))


@dataclass(frozen=True)
class Cited:
    """How a theorem is cited: by its number ("Lemma 3.1"), or its id where it has none; its verdict
    where it is not proved."""

    title: str = ""
    number: str = ""
    verdict: m.Verdict | None = None


@dataclass(frozen=True)
class Writer:
    """Writes a page that is `root` ("" or "../") away from the top of the site; without a root,
    what is on no site, and has no links. Of chapters their number and address, of references how
    they are called. `claims` begins the anchors of displayed claims."""

    shown: Callable[[str], Markup]  # LaTeX on a line of its own
    inline: Callable[[str], Markup]  # LaTeX in a line of words
    root: str | None = None
    theorems: Mapping[str, Cited] = field(default_factory=dict)
    chapters: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    claims: str = ""

    def blocks(self, found: Iterable[Part]) -> Markup:
        """The blocks, one after the other; what is HTML already stays as it is."""
        return Markup("\n").join(map(self.block, found))

    def block(self, b: Part) -> Markup:
        """A block."""
        match b:
            case Markup():
                return b
            case m.Paragraph():
                return tag("p", self.words(b.words))
            case m.Heading():
                return tag(f"h{min(b.level + 1, 6)}", self.words(b.words), id=b.anchor)
            case m.Display():
                return self.display(b)
            case Section():
                return self.chain(b)
            case m.Source():
                text = broken(b.text, COLUMNS)
                made = tag("pre", text, aria_label="Source text", **SCROLLED)
                return self.claim(b.mark, made) if b.mark else made
            case m.Table():
                return self.table(b)
            case m.Items():
                return tag("ul", *(tag("li", self.words(x)) for x in b.items))
            case m.Figure():
                return self.figure(b)
            case m.Theorem():
                return self.theorem(b)
            case m.Proof():
                checked = tag("p", self.words(b.checked), class_="quiet") if b.checked else ""
                lines = sum(len(x.lines) if isinstance(x, Section) else 2 for x in b.blocks)
                return self.folded("Proof", (*b.blocks, Markup(checked)), "proof", lines <= SHORT)
            case m.Remark():
                named = f"{b.kind.capitalize()} {b.number}".strip()
                title = tag("p", f"{named} (", self.said(b.title), ")", class_=NAMED)
                return tag("div", title, self.blocks(b.blocks), class_="remark")
            case m.Folded():
                return self.folded(b.title, b.blocks)

    def folded(
        self, title: str, inside: Iterable[Part], kind: str = "", unfolded: bool = False
    ) -> Markup:
        """What is unfolded when a reader asks for it."""
        summary, state = tag("summary", plain(title)), "open" if unfolded else ""
        return tag("details", summary, self.blocks(inside), class_=kind, open=state)

    # --------------------------------------------------------------------------------------- words
    def words(self, found: Iterable[m.Inline]) -> Markup:
        """Words in a line; references that they name before they are cited are links there."""
        parts: list[m.Inline] = []
        for x in found:
            parts += [self._named(x, parts)] if isinstance(x, m.Citation) else [x]
        return Markup("").join(map(self.part, parts))

    def _named(self, x: m.Citation, before: list[m.Inline]) -> m.Inline:
        """What is left to cite when names in the words before have become links."""
        left = []
        for key in x.keys:
            name = self.name(key)
            k = next((k for k, y in enumerate(before) if isinstance(y, str) and name in y), None)
            if k is None:
                left.append(key)
            else:
                first, _, last = str(before[k]).partition(name)
                before[k : k + 1] = [first, m.Link(name, f"references.html#ref-{key}"), last]
        if not left and before:
            before[-1] = before[-1].rstrip() if isinstance(before[-1], str) else before[-1]
        return m.Citation(tuple(left))

    def said(self, text: str) -> Markup:
        """Plain text in which ids cite theorems."""
        return self.words(x if isinstance(x, m.TheoremRef) else plain(x)
                          for x in m.cited(text, self.theorems))  # fmt: skip

    def part(self, x: m.Inline) -> Markup:
        """A part of a line."""
        match x:
            case Markup():
                return x
            case str():
                return self.said(x)
            case Formula():
                return self.inline(x.latex)
            case m.Emphasis():
                return tag("dfn" if x.term else "em", plain(x.text))
            case m.Code():
                return code(x.text)
            case m.Citation():
                links = (self.link(plain(self.name(key)), f"references.html#ref-{key}")
                         for key in x.keys)  # fmt: skip
                return Markup("[{}]").format(Markup("; ").join(links)) if x.keys else Markup()
            case m.TheoremRef():
                return self.ref(x.id)
            case m.ChapterRef():
                number, address = self.chapters.get(x.name, (x.name, ""))
                return self.link(plain(number), address)
            case m.Link():
                return self.link(plain(x.text), x.address, x.label)
            case m.Verdict():
                return tag("span", plain(x.text), class_=f"verdict {m.anchor(x.shade)}")
            case m.MarkName():
                return self.mark(x)

    def link(self, text: Markup, address: str, label: str = "", kind: str = "") -> Markup:
        """A link within the site; any other address is printed beside the words."""
        if self.root is None or not address:
            return tag("span", text, class_=kind) if kind else text
        if re.fullmatch(_INSIDE, address) is None:
            return text if address == text else Markup("{} ({})").format(text, address)
        href = address if address.startswith("#") else self.root + address
        return tag("a", text, class_=kind, href=href, aria_label=label, title=label)

    def name(self, key: str) -> str:
        """How a reference is called."""
        if key not in self.references:
            raise UnknownCitation(f"not in references.bib: {key}")
        return self.references[key]

    def ref(self, name: str, *, titled: bool = False) -> Markup:
        """A link to a theorem by its number, the title as a hint, or by both; one that is recorded
        from Rocq has a raised R; one that is not in the site is cited by its id."""
        found = self.theorems.get(name)
        if found is None:
            return code(name)
        address, whole = f"theorem/{name}.html", f"{found.number or name} ({found.title})"
        if titled:
            return self.link(plain(whole if found.number else found.title), address)
        text = plain(found.number) or code(name)
        if found.verdict and found.verdict.shade == "recorded":
            text += tag("sup", "R", title=FROM_ROCQ)
        return self.link(text, address, whole)

    def mark(self, x: m.MarkName) -> Markup:
        """A mark, which leads to what it means; then what it says, in which nothing is cited."""
        name, partial = m.anchor(x.name), " partial" * x.count[:1].isdigit()
        text = tag("i") + f"{x.name} {x.count}".strip()
        chip = self.link(text, f"trust.html#mark-{name}", kind=f"chip {name}{partial}")
        return Markup(" ").join([chip, plain(x.says)]) if x.says else chip

    # ------------------------------------------------------------------------------------ formulas
    def display(self, d: m.Display) -> Markup:
        """Formulas; one with a mark such as (2) has an anchor, if claims have some."""
        if not any(mark for mark, _ in d.formulas):
            return tag("div", *(self.shown(f.latex) for _, f in d.formulas), class_="shown")
        return Markup("\n").join(self.claim(mark, self.shown(f.latex)) for mark, f in d.formulas)

    def claim(self, mark: str, body: Markup) -> Markup:
        """What a claim says, beside its number."""
        known = self.claims and self.claims + mark.strip("()")
        return tag("div", tag("span", mark), body, class_="claim", id=known)

    def chain(self, s: Section) -> Markup:
        """A chain of equal formulas, a line each, with its reasons."""
        first = s.lines[0].formula.latex
        out = [tag("div", self.shown(first), class_="left")]
        for k, line in enumerate(s.lines):
            if k:
                out.append(tag("div", self.shown(f"= {line.formula.latex}"), class_="right"))
                out.append(tag("div", self.words(line.reason), class_="reason"))
            if line.aside:
                body = (self.shown(line.aside.latex),)
                out.append(self.folded("entry by entry", body, "aside"))
        title = tag("p", self.said(s.title), class_=NAMED) if s.title else Markup()
        return title + tag("div", *out, class_="chain wide" if width(first) > LEFT else "chain")

    # ------------------------------------------------------------------------ theorems and tables
    def theorem(self, t: m.Theorem) -> Markup:
        """A theorem under its number, which leads to its page."""
        found = self.theorems.get(t.id, Cited())
        name = plain(found.number or t.kind.capitalize())
        link = self.link(name, f"theorem/{t.id}.html" if t.id in self.theorems else "")
        verdict = self.words((" ", found.verdict) if found.verdict else ())
        title = tag("p", link, " (", plain(t.title), ")", verdict, class_=NAMED)
        return tag("div", title, self.blocks(t.blocks), class_="theorem", id=f"theorem-{t.id}")

    def table(self, t: m.Table) -> Markup:
        """A table; its heads may be turned."""
        named = [tag("span", x) if x else x for x in map(self.words, t.head)]
        style = "width: {:.0%}; min-width: {:.0f}rem"
        wide = (style.format(x, WIDTH * x) if x else "" for x in (*t.shares, *(0 for _ in named)))
        head = tag("tr", *(
            tag("th", x, scope="col", style=share) if x else tag("td")
            for x, share in zip(named, wide, strict=False)
        ))  # fmt: skip
        anchors = (*t.anchors, *("" for _ in t.rows))
        rows = (
            tag("tr", *(self.cell(c, t.turned and k == 0) for k, c in enumerate(row)), id=known)
            for row, known in zip(t.rows, anchors, strict=False)
        )
        kind = "turned" if t.turned else "full" if any(t.shares) else ""
        begin = tag("thead", head) if any(named) else ""
        body = tag("tbody", Markup("\n").join(rows))
        table = tag("table", begin, body, class_=kind)
        return tag("div", table, class_="scroll", aria_label="Table", **SCROLLED)

    def cell(self, found: m.Words, names: bool) -> Markup:
        """A cell, which may name its row; one that is a verdict alone is coloured as a whole."""
        shade = m.anchor(getattr(found[0], "shade", "")) if len(found) == 1 else ""
        name, scope = ("th", "row") if names else ("td", "")
        return tag(name, self.words(found), scope=scope, class_=shade)

    def figure(self, f: m.Figure) -> Markup:
        """A figure with its caption; or why there is none."""
        caption = tag("figcaption", self.words(f.caption))
        if f.missing:
            missing = tag("p", "No picture: ", self.said(f.missing), ".", class_="alarm")
            return tag("figure", missing, caption)
        picture = Markup('<img src="{}{}.svg" alt="{}">').format(self.root, f.name, f.alt)
        seen = tag("div", picture, class_="scroll", aria_label="The figure", **SCROLLED)
        return tag("figure", seen, caption)
