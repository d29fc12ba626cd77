"""A document as HTML: on the site, or in a notebook.

It holds no script, and all that is no markup here is escaped: names come from users' models too.
How formulas are set, and what words lead to, are the document's choice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from markupsafe import Markup, escape

from orderproof.check.page import Section

from . import model
from .bibliography import UnknownCitation
from .latex_text import LETTER, SUBSCRIPT, UNDER, curly
from .line_breaks import width
from .model import TheoremRef, Words, cited

SHORT = 12  # lines of a proof that is not folded
LEFT = 16  # letters: of the left side of a chain that stands beside the other sides
_MATHEMATICS = re.compile(f"{UNDER.pattern}|{SUBSCRIPT.pattern}|({LETTER.pattern}|[α-ω])")
_INSIDE = re.compile(r"[\w./-]+(?:#[\w-]+)?|#[\w-]+")  # addresses within the site


@cache
def plain(text: str) -> Markup:
    """Words in which no theorem is cited: letters of mathematics as such, all else escaped."""
    text, out, last = curly(text), Markup(""), 0
    for m in re.finditer(_MATHEMATICS, text):
        out += escape(text[last : m.start()])
        out += Markup("<var>{}</var>").format(m[1] or m[3] or m[5])
        if below := m[2] or m[4]:
            out += Markup("<sub>{}</sub>").format(below)
        last = m.end()
    return out + escape(text[last:])


@cache
def code(text: str) -> Markup:
    """An identifier or a path, which may break after an underscore or a slash."""
    broken = Markup(re.sub("([/_])", r"\1<wbr>", str(escape(text))))
    return Markup("<code>{}</code>").format(broken)


def anchor(name: str) -> str:
    """A name as part of an anchor or a class: rocq-recorded."""
    return "-".join(re.findall(r"\w+", name))


def elements(tag: str, found: Iterable[Markup]) -> Markup:
    """Each of these in an element of its own."""
    return Markup("").join(Markup(f"<{tag}>{{}}</{tag}>\n").format(x) for x in found)


@dataclass(frozen=True)
class Cited:
    """How a theorem is cited: by its number ("Lemma 3.1"), or its id where it has none; a preview;
    its verdict where it is not proved."""

    number: str = ""
    preview: Markup = field(default_factory=Markup)
    verdict: model.Verdict | None = None


@dataclass(frozen=True)
class Writer:
    """Writes a page that is `root` ("" or "../") away from the top of the site. Of chapters their
    number and address, of references how they are called. `claims` begins the anchors of
    displayed claims."""

    shown: Callable[[str], Markup]  # LaTeX on a line of its own
    inline: Callable[[str], Markup]  # LaTeX in a line of words
    root: str = ""
    theorems: Mapping[str, Cited] = field(default_factory=dict)
    chapters: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    claims: str = ""

    def blocks(self, found: Iterable[model.Block]) -> Markup:
        """The blocks, one after the other."""
        return Markup("\n").join(map(self.block, found))

    def block(self, b: model.Block) -> Markup:
        """A block."""
        match b:
            case model.Paragraph():
                return Markup("<p>{}</p>").format(self.words(b.words))
            case model.Heading():
                known = Markup(' id="{}"').format(b.anchor) if b.anchor else ""
                level = min(b.level + 1, 6)
                return Markup("<h{}{}>{}</h{}>").format(level, known, self.words(b.words), level)
            case model.Display():
                return self.display(b)
            case Section():
                return self.chain(b)
            case model.Source():
                return Markup(
                    '<pre tabindex="0" role="group" aria-label="Source text">{}</pre>'
                ).format(b.text)
            case model.Table():
                return self.table(b)
            case model.Items():
                return Markup("<ul>\n{}</ul>").format(elements("li", map(self.words, b.items)))
            case model.Figure():
                return self.figure(b)
            case model.Theorem():
                return self.theorem(b)
            case model.Proof():
                checked = Markup('<p class="quiet">{}</p>\n').format(self.said(b.checked))
                return Markup(
                    '<details class="proof"{}><summary>Proof</summary>\n{}\n{}</details>'
                ).format(
                    " open" if _lines(b.blocks) <= SHORT else "",
                    self.blocks(b.blocks), checked if b.checked else "",
                )  # fmt: skip
            case model.Remark():
                return Markup('<div class="remark">\n<p class="named">{} ({})</p>\n{}</div>').format(
                    b.kind.capitalize(), self.said(b.title), self.blocks(b.blocks)
                )
            case model.Folded():
                return Markup("<details><summary>{}</summary>\n{}\n</details>").format(
                    plain(b.title), self.blocks(b.blocks)
                )

    # --------------------------------------------------------------------------------------- words
    def words(self, found: Iterable[model.Inline]) -> Markup:
        """Words in a line; references that they name before they are cited are links there."""
        parts: list[model.Inline] = []
        for x in found:
            parts += [self._named(x, parts)] if isinstance(x, model.Citation) else [x]
        return Markup("").join(map(self.part, parts))

    def _named(self, x: model.Citation, before: list[model.Inline]) -> model.Inline:
        """What is left to cite when names in the words before have become links."""
        left = []
        for key in x.keys:
            name = self.name(key)
            k = next((k for k, y in enumerate(before) if isinstance(y, str) and name in y), None)
            if k is None:
                left.append(key)
            else:
                first, _, last = str(before[k]).partition(name)
                before[k : k + 1] = [first, model.Link(name, f"references.html#ref-{key}"), last]
        if not left and before:
            before[-1] = before[-1].rstrip() if isinstance(before[-1], str) else before[-1]
        return model.Citation(tuple(left))

    def said(self, text: str) -> Markup:
        """Plain text in which ids cite theorems."""
        return self.words(x if isinstance(x, TheoremRef) else plain(x)
                          for x in cited(text, self.theorems))  # fmt: skip

    def part(self, x: model.Inline) -> Markup:
        """A part of a line."""
        match x:
            case Markup():
                return x
            case str():
                return self.said(x)
            case model.Formula():
                return self.inline(x.latex)
            case model.Emphasis():
                tag = "dfn" if x.term else "em"
                return Markup(f"<{tag}>{{}}</{tag}>").format(plain(x.text))
            case model.Code():
                return code(x.text)
            case model.Citation():
                links = (self.link(plain(self.name(key)), f"references.html#ref-{key}")
                         for key in x.keys)  # fmt: skip
                return Markup("[{}]").format(Markup("; ").join(links)) if x.keys else Markup()
            case TheoremRef():
                return self.ref(x.id)
            case model.ChapterRef():
                number, address = self.chapters.get(x.name, (x.name, ""))
                return self.link(plain(number), address)
            case model.Link():
                return self.link(plain(x.text), x.address, x.label)
            case model.Verdict():
                return Markup('<span class="verdict {}">{}</span>').format(
                    anchor(x.shade), plain(x.text)
                )
            case model.MarkName():
                return self.mark(x)

    def link(self, text: Markup, address: str, label: str = "") -> Markup:
        """A link within the site; any other address is printed beside the words."""
        if re.fullmatch(_INSIDE, address) is None:
            return text if address in ("", text) else Markup("{} ({})").format(text, address)
        root = "" if address.startswith("#") else self.root
        said = Markup(' aria-label="{0}" title="{0}"').format(label) if label else ""
        return Markup('<a href="{}{}"{}>{}</a>').format(root, address, said, text)

    def name(self, key: str) -> str:
        """How a reference is called."""
        if key not in self.references:
            raise UnknownCitation(f"not in references.bib: {key}")
        return self.references[key]

    def ref(self, name: str, text: Markup | None = None) -> Markup:
        """A link to a theorem, with its preview; one that is not in the site by its id."""
        if name not in self.theorems:
            return code(name)
        found = self.theorems[name]
        number = plain(found.number) if found.number else code(name)
        link = self.link(number if text is None else text, f"theorem/{name}.html")
        return Markup('<span class="ref">{}{}</span>').format(link, found.preview)

    def mark(self, x: model.MarkName) -> Markup:
        """A mark, which leads to what it means; then what it says, in which nothing is cited."""
        chip = Markup(
            '<a class="chip {}{}" href="{}trust.html#mark-{}"><i></i>{}{}</a>{}'
        )  # fmt: skip
        partial = " partial" if "/" in x.count else ""
        name, count = anchor(x.name), f" {x.count}" if x.count else ""
        said = Markup(" {}").format(plain(x.says)) if x.says else ""
        return chip.format(name, partial, self.root, name, x.name, count, said)

    # ------------------------------------------------------------------------------------ formulas
    def display(self, d: model.Display) -> Markup:
        """Formulas; one with a mark such as (2) has an anchor, if claims have some."""
        if not any(mark for mark, _ in d.formulas):
            body = Markup("\n").join(self.shown(f.latex) for _, f in d.formulas)
            return Markup('<div class="shown">{}</div>').format(body)
        return Markup("\n").join(
            self.claim(mark, self.shown(f.latex)) for mark, f in d.formulas
        )

    def claim(self, mark: str, body: Markup) -> Markup:
        """What a claim says, beside its number."""
        number = Markup(' id="{}{}"').format(self.claims, mark.strip("()")) if self.claims else ""
        return Markup('<div class="claim"{}><span>{}</span>{}</div>').format(number, mark, body)

    def chain(self, s: Section) -> Markup:
        """A chain of equal formulas, a line each, with its reasons."""
        wide = " wide" if width(s.lines[0].formula.latex) > LEFT else ""
        out = [Markup('<div class="chain{}">').format(wide)]
        for k, line in enumerate(s.lines):
            if k == 0:
                out.append(Markup('<div class="left">{}</div>').format(
                    self.shown(line.formula.latex)))  # fmt: skip
            else:
                out.append(Markup('<div class="right">{}</div><div class="reason">{}</div>').format(
                    self.shown(f"= {line.formula.latex}"), self.words(line.reason)))  # fmt: skip
            if line.aside:
                out.append(Markup(
                    '<details class="aside"><summary>entry by entry</summary>{}</details>'
                ).format(self.shown(line.aside.latex)))  # fmt: skip
        title = Markup('<p class="named">{}</p>\n').format(self.said(s.title)) if s.title else ""
        return title + Markup("\n").join([*out, Markup("</div>")])

    # ------------------------------------------------------------------------ theorems and tables
    def theorem(self, t: model.Theorem) -> Markup:
        """A theorem under its number, which leads to its page."""
        found = self.theorems.get(t.id)
        name = plain(found.number if found and found.number else t.kind.capitalize())
        link = self.link(name, f"theorem/{t.id}.html" if found else "")
        verdict = self.words((" ", found.verdict) if found and found.verdict else ())
        return Markup(
            '<div class="theorem" id="theorem-{}">\n<p class="named">{} ({}){}</p>\n{}</div>'
        ).format(t.id, link, plain(t.title), verdict, self.blocks(t.blocks))

    def table(self, t: model.Table) -> Markup:
        """A table; its heads may be turned."""
        kind = "turned" if t.turned else "full" if any(t.shares) else "data"
        scope = Markup('<th scope="col"><span>{}</span></th>')
        head = Markup("").join(
            scope.format(self.words(c)) if c else Markup("<td></td>") for c in t.head
        )
        rows = []
        for k, row in enumerate(t.rows):
            known = Markup(' id="{}"').format(t.anchors[k]) if k < len(t.anchors) else ""
            rows.append(Markup("<tr{}>{}</tr>").format(known, self.cells(row, turned=t.turned)))
        return Markup(
            '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table class="{}">\n'
            "{}<tbody>\n{}\n</tbody>\n</table></div>"
        ).format(
            kind, Markup("<thead><tr>{}</tr></thead>\n").format(head) if any(t.head) else "",
            Markup("\n").join(rows),
        )  # fmt: skip

    def cells(self, row: Sequence[Words], *, turned: bool) -> Markup:
        """The cells of a row; one that is a verdict alone is coloured as a whole."""
        out = Markup("")
        for k, cell in enumerate(row):
            tag = 'th scope="row"' if turned and k == 0 else "td"
            alone = getattr(cell[0], "shade", "") if len(cell) == 1 else ""
            shade = Markup(' class="{}"').format(anchor(alone)) if alone else ""
            out += Markup(f"<{tag}{{}}>{{}}</{tag[:2]}>").format(shade, self.words(cell))
        return out

    def figure(self, f: model.Figure) -> Markup:
        """A figure with its caption; or why there is none."""
        caption = Markup("<figcaption>{}</figcaption>").format(self.words(f.caption))
        if f.missing:
            missing = Markup('<p class="alarm">No picture: {}.</p>').format(self.said(f.missing))
            return Markup("<figure>{}{}</figure>").format(missing, caption)
        return Markup(
            '<figure><div class="scroll" tabindex="0" role="group" aria-label="The figure">'
            '<img src="{}{}.svg" alt="{}"></div>\n{}</figure>'
        ).format(self.root, f.name, f.alt, caption)


def _lines(found: Sequence[model.Block]) -> int:
    """About how many lines a proof has."""
    return sum(
        len(b.lines) if isinstance(b, Section) else
        len(b.formulas) if isinstance(b, model.Display) else
        sum(len(x) for x in b.words if isinstance(x, str)) // 90 + 1 if isinstance(b, model.Paragraph)
        else SHORT
        for b in found
    )  # fmt: skip
