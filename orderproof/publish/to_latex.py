r"""A document as LaTeX, by the commands of macros.tex: of the book, or of an author's own article.

Its lines break to the width of the column. The commands are the same in both; the book's preamble
sets some of them otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from orderproof.check.page import Formula, Section, broken

from . import model as m
from .latex_text import code, words
from .line_breaks import breaking, width

LINE = 40  # letters: of a formula that may share its line with others
SHORT = 26  # letters: of a formula that stands in a line of text unbroken
PARAGRAPHS = 36  # letters: a column with wider cells has paragraphs
LONG = 30  # rows: of a table that may go over pages
SECTIONS = ("section", "subsection", "paragraph")


@dataclass(frozen=True)
class Writer:
    """How a document refers to others: which theorems words cite by their ids, and what stands for
    such a one, for references, chapters and all other words. `columns` are those of a line of Rocq,
    `titled` puts a theorem's title behind its number."""

    known: Container[str]
    refer: Callable[[str], Markup]  # a theorem
    cite: Callable[[Sequence[str]], Markup]
    chapter: Callable[[str], Markup]
    plain: Callable[[str], Markup] = words
    columns: int = 100
    titled: bool = True

    def blocks(self, blocks: Iterable[m.Block]) -> Markup:
        """The blocks, one after the other."""
        return Markup("").join(map(self.block, blocks))

    def block(self, b: m.Block) -> Markup:
        """A block, with the end of its line."""
        match b:
            case m.Paragraph():
                begin = r"\noindent " if b.continues else "\n"
                return Markup(begin) + self.words(b.words) + "\n"
            case m.Heading():
                star = "" if b.numbered else "*"
                name = SECTIONS[min(b.level, len(SECTIONS)) - 1]
                return Markup("\n\\{}{}{{{}}}\n").format(name, star, self.words(b.words))
            case m.Display():
                return displayed(b.formulas)
            case Section():
                return self.chain(b)
            case m.Source():
                mark = Markup("\\par\\noindent {}\n").format(b.mark) if b.mark else ""
                text = Markup(broken(b.text, self.columns))
                return Markup(
                    "{}{{\\opsource\n\\begin{{verbatim}}\n{}\n\\end{{verbatim}}\n}}\n"
                ).format(mark, text)
            case m.Table():
                return self.table(b)
            case m.Items():
                items = (Markup(r"\item ") + self.words(x) for x in b.items)
                body = Markup("\n").join(items)
                return Markup("\\begin{{itemize}}\n{}\n\\end{{itemize}}\n").format(body)
            case m.Figure():
                return self.figure(b)
            case m.Theorem():
                return self.theorem(b)
            case m.Proof():
                marks = (
                    Markup("\\opmarks{{{}}}\n").format(self.words(b.checked)) if b.checked else ""
                )
                return Markup("\\begin{{proof}}\n{}{}\\end{{proof}}\n").format(
                    self.opened(b.blocks), marks
                )
            case m.Remark():
                return Markup("\\begin{{{}}}[{}]\n{}\\end{{{}}}\n").format(
                    b.kind,
                    Markup("{{{}}}").format(self.said(b.title)),
                    self.opened(b.blocks),
                    b.kind,
                )
            case m.Folded():
                title = Markup("\\par\\noindent\\emph{{{}.}}\n").format(self.said(b.title))
                return Markup("{{\\footnotesize {}{}}}\n").format(title, self.blocks(b.blocks))

    def opened(self, blocks: Sequence[m.Block]) -> Markup:
        """Blocks of an environment: its first paragraph goes on behind the heading."""
        return Markup(self.blocks(blocks).removeprefix("\n"))

    # ---------------------------------------------------------------------------------------- words
    def said(self, text: str) -> Markup:
        """Plain text in which ids cite theorems."""
        return Markup("").join(self.refer(x.id) if isinstance(x, m.TheoremRef) else self.plain(x)
                               for x in m.cited(text, self.known))  # fmt: skip

    def words(self, found: m.Words) -> Markup:
        """Words in a line."""
        return Markup("").join(map(self.inline, found))

    def inline(self, x: m.Inline) -> Markup:
        """A part of a line."""
        match x:
            case str():
                return self.said(x)
            case Formula():
                whole = breaking(x.latex)
                return Markup("${{{}}}$" if width(x.latex) <= SHORT else "${}$").format(whole)
            case m.Emphasis():
                # Pooling at the head of a sentence is listed as pooling, ALiBi as it is.
                term = x.text[0].lower() + x.text[1:] if x.text[1:2].islower() else x.text
                index = Markup(r"\index{{{}}}").format(words(term)) if x.term else ""
                return Markup(r"\emph{{{}}}{}").format(words(x.text), index)
            case m.Code():
                return code(x.text)
            case m.Citation():
                return self.cite(x.keys)
            case m.TheoremRef():
                return self.refer(x.id)
            case m.ChapterRef():
                return self.chapter(x.name)
            case m.Verdict():
                return Markup(r"\textsc{{{}}}").format(words(x.text))
            case m.MarkName():
                return Markup(r"\textsc{{{}}}").format(words(f"{x.name} {x.count}".strip()))
            case m.Link(text, address) if text == address:
                return Markup(r"\url{{{}}}").format(Markup(re.sub(r"([%#&])", r"\\\1", address)))
            case m.Link():
                chapter = re.fullmatch(r"chapter/(\w+)\.html(#.*)?", x.address)
                form = rf"\hyperref[ch:{chapter[1]}]{{{{{{}}}}}}" if chapter else "{}"
                return Markup(form).format(self.said(x.text))

    # ------------------------------------------------------------------------------------ theorems
    def theorem(self, t: m.Theorem) -> Markup:
        """A theorem in the environment of its kind, with the label thm:ID."""
        first, *others = t.blocks
        if self.titled or not isinstance(first, m.Paragraph):
            title, body = Markup("[{{{}}}]").format(words(t.title)), self.opened(t.blocks)
        else:
            said = Markup("\\opsaid{{{}}}{{{}}}\n").format(words(t.title), self.words(first.words))
            title, body = Markup(), said + self.opened(others)
        return Markup("\\begin{{{0}}}{1}\\label{{thm:{2}}}\n{3}\\end{{{0}}}\n").format(
            t.kind, title, Markup(t.id), body
        )

    def chain(self, s: Section) -> Markup:
        """A chain of equal formulas, a line each, with its reasons."""
        out = [Markup(r"\opchaintitle{{{}}}").format(words(s.title))] if s.title else []
        for k, line in enumerate(s.lines):
            shown = breaking(line.formula.latex)
            step = Markup(r"\opstep{{{}}}{{{}}}").format(shown, self.reason(line.reason))
            out.append(step if k else Markup(r"\opchain{{{}}}").format(shown))
            if line.aside:
                out.append(Markup(r"\opaside{{{}}}").format(breaking(line.aside.latex)))
        return Markup("\n").join([*out, Markup("\\opchainend\n")])

    def reason(self, parts: m.Words) -> Markup:
        """Why a line equals the one above it."""
        return Markup("").join(
            Markup("${}$").format(breaking(p.latex)) if isinstance(p, Formula) else self.inline(p)
            for p in parts
        )

    # ----------------------------------------------------------------------------- tables, figures
    def table(self, t: m.Table) -> Markup:
        """A table; one of paragraphs, or with many rows, may go over pages."""
        shares = t.shares or _shares(t)
        kinds = "".join(
            rf">{{\raggedright\arraybackslash}}p{{{x:.2f}\linewidth}}" if x else "l" for x in shares
        )
        head = [Markup(r"\rotatebox{{60}}{{{}}}").format(self.words(c)) if t.turned and c else
                self.words(c) for c in t.head]  # fmt: skip
        rows = [Markup(" & ").join(head) + Markup(r" \\ \midrule")] if any(t.head) else []
        long = len(t.rows) > LONG or bool(t.shares)
        if long and rows:
            rows[0] += Markup(r" \endhead")
        space = Markup(r" \\[2pt]" if t.shares else r" \\")
        rows += [Markup(r"\opstrut ") * _tall(r) + Markup(" & ").join(map(self.words, r)) + space
                 for r in t.rows]  # fmt: skip
        name = "longtable" if long else "tabular"
        body = Markup("\n").join([Markup(r"\toprule"), *rows, Markup(r"\bottomrule")])
        made = Markup("\\begin{{{}}}{{@{{}}{}@{{}}}}\n{}\n\\end{{{}}}").format(
            name, Markup(kinds), body, name
        )
        if long:
            size = r"\scriptsize\setlength{\tabcolsep}{4pt}" if t.turned else r"\optablesize"
            return Markup("{{{}\n{}}}\n").format(Markup(size), made)
        return Markup("\\begin{{shown}}\\small\n{}\n\\end{{shown}}\n").format(made)

    def figure(self, f: m.Figure) -> Markup:
        """A figure, its text for those who do not see it, and its caption; or why there is none."""
        if f.missing:
            return Markup("\\par\\noindent\\textbf{{No picture:}} {}.\\par\n").format(
                words(f.missing)
            )
        alt = f.alt.encode("utf-16-be").hex().upper()
        return Markup(
            "\\pictured{{figures/{}.pdf}}{{{}}}\n{{\\footnotesize\\noindent {}\\par}}\n"
        ).format(Markup(f.name), Markup(alt), self.words(f.caption))


def displayed(numbered: Sequence[tuple[str, Formula]]) -> Markup:
    """Formulas on lines of their own; short ones that follow one another share lines."""
    out: list[Markup] = []
    for short, together in groupby(numbered, lambda item: width(item[1].latex) <= LINE):
        same = list(together)
        if short and len(same) > 1:
            item = Markup(r"\opitem{{{}}}{{{}}}")
            items = (item.format(mark, breaking(f.latex)) for mark, f in same)
            out.append(Markup("\\oprow{{{}}}").format(Markup("\\opgap\n").join(items)))
        else:
            out += [_alone(mark, f) for mark, f in same]
    return Markup("\n").join([*out, Markup("")])


def _alone(mark: str, f: Formula) -> Markup:
    if mark:
        return Markup(r"\opclaim{{{}}}{{{}}}").format(mark, breaking(f.latex))
    return Markup(r"\opshow{{{}}}").format(breaking(f.latex))


def _shares(t: m.Table) -> list[float]:
    """0 for a column of short cells; for one of paragraphs its share of a line."""
    columns = zip(*([t.head] if any(t.head) else []), *t.rows, strict=True)
    wide = [max(map(_letters, column)) for column in columns]
    room = max(0.2, 0.9 - 0.014 * sum(w for w in wide if w <= PARAGRAPHS))
    share = room / max(1, sum(w > PARAGRAPHS for w in wide))
    return [share if w > PARAGRAPHS else 0 for w in wide]


def _letters(cell: m.Words) -> int:
    return sum(
        width(x.latex)
        if isinstance(x, Formula)
        else len(getattr(x, "text", x if isinstance(x, str) else ""))
        for x in cell
    )


def _tall(row: Sequence[m.Words]) -> bool:
    return any(isinstance(x, Formula) and "frac" in x.latex for cell in row for x in cell)
