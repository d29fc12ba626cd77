"""Every file of the site: the front page, chapters, theorems, schemes and references."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from orderproof.check.page import Formula, Table, TheoremPage
from orderproof.check.prove.trust import MARKS, VERDICTS
from orderproof.proofs import catalogue

from . import chapters as book
from . import evidence, manifest, mathml, schemes, theorem, witness
from .beside import Beside, beside, source_of
from .bibliography import cited, references, short
from .chapters import Chapter
from .front import LIMITED, SLOGAN
from .model import (
    Block,
    Citation,
    Code,
    Display,
    Emphasis,
    Folded,
    Heading,
    Items,
    Link,
    MarkName,
    Paragraph,
    Remark,
    Section,
    Source,
    Theorem,
    Verdict,
    Words,
)
from .model import Table as Rows
from .questions import answered
from .schemes import PositionChapter
from .tables import BIAS, DEPTH, tables
from .to_html import Cited, Writer, anchor, elements, plain
from .to_text import text

ABOUT = (
    "Each architecture here is written once, as a term of a small calculus of tensors with named "
    "axes. Each derivation is printed from the theorem that a kernel checked; each counterexample "
    "was replayed in exact arithmetic, or separated from zero by intervals."
)
CITE = (
    "The orderproof authors. orderproof: what attention sees of the order of its tokens, derived "
    "and machine-checked. Version {}, {}. A single theorem has its digest on its page."
)
ADDRESSES = {  # of chapters that are pages of their own, beside the table and the marks
    "schemes": "schemes.html", "sentences": "sentences.html", "evidence": "trust.html",
}  # fmt: skip
FOLDER = Path(__file__).with_name("web")
FEW = 4  # sections of a derivation that are not all unfolded
AGREES = {True: "✓", False: "✗", None: "?"}


class BadPage(ValueError):
    """A page that the site cannot show."""


class BadDate(ValueError):
    """A date that is not one."""


def files(
    pages: Sequence[TheoremPage], *, date: str, positions: PositionChapter | None = None
) -> dict[str, str | bytes]:
    """The files of the site by their names. Of a few theorems it has no chapters but those on
    tables."""
    _check(pages)
    try:
        day = datetime.date.fromisoformat(date)
    except ValueError:
        raise BadDate(f"date {date!r}: expected year-month-day, as 2026-11-21") from None
    site = _Site(pages, positions, day)
    found: dict[str, str | bytes] = {
        ".nojekyll": "",  # GitHub Pages takes the files as they are
        "style.css": (FOLDER / "style.css").read_text(encoding="utf-8").replace(
            "FONT_DATA", mathml.font_data()
        ),
        "font-license.txt": (FOLDER / "fonts" / "GUST-FONT-LICENSE.txt").read_bytes(),
        "index.html": site.index(),
        **dict(site.every_theorem()),
        **dict(site.every_chapter()),
    }  # fmt: skip
    cells = []
    if positions:
        found |= positions.files | _pictures(positions)
        found |= {schemes.page_file(s): site.scheme(s, positions) for s in positions.schemes}
        cells = [c for s in positions.schemes for c in s.cells]
    keys = {k for t in found.values() for k in re.findall(r'references\.html#ref-(\w+)"', str(t))}
    found["references.html"] = site.references(keys)
    found["theorems.json"] = manifest.text(
        manifest.manifest(
            version("orderproof"), date, pages, site.places,
            [(c, schemes.cell_url(c), schemes.file_of(c) if c.witness else None) for c in cells],
        )
    )  # fmt: skip
    return found


def _check(pages: Sequence[TheoremPage]) -> None:
    seen = set()
    for page in pages:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", page.id) or page.id in seen:  # names a file
            raise BadPage(
                f"theorem id {page.id!r}: expected lower-case letters, digits and _, once"
            )
        if not all(section.lines for section in page.sections):
            raise BadPage(f"{page.id}: a section without lines")
        for table in (x for e in page.examples for x in e.parts if isinstance(x, Table)):
            if wrong := [len(row) for row in table.rows if len(row) != len(table.head)]:
                raise BadPage(f"{page.id}: {wrong[0]} cells under {len(table.head)} heads")
        seen.add(page.id)
        marks = {m.mark for c in page.claims for m in c.marks}
        if unknown := sorted(marks - {m.name for m in MARKS}):
            raise BadPage(f"{page.id}: unknown marks: {', '.join(unknown)}")


def verdict(page: Any) -> Verdict:
    """The verdict of a theorem or a claim."""
    return Verdict(manifest.outcome(page), page.shade)


class _Site:
    """The pages, and what all of them know of each other."""

    def __init__(
        self, pages: Sequence[TheoremPage], positions: PositionChapter | None, day: datetime.date
    ) -> None:
        self.pages = {p.id: p for p in pages}
        self.date = f"{day.day} {day:%B %Y}"
        self.year = day.year
        self.positions = positions
        whole = set(catalogue.IDS) <= self.pages.keys()
        texts = [t if whole or t.name in ADDRESSES else replace(t, source="") for t in book.texts()]
        self.chapters = book.chapters(pages, tables(pages, positions, undrawn()), texts)
        numbers = {name: f"{kind} {n}" for name, (kind, n) in book.numbers(self.chapters).items()}
        self.places = {
            p.id: manifest.Place(
                catalogue.CHAPTER_OF.get(p.id), numbers.get(p.id),
                tuple(q.id for q in pages if p.id in q.uses),
            )
            for p in pages
        }  # fmt: skip
        bare = Writer(
            mathml.shown, mathml.within,
            chapters={c.text.name: (c.number, self.address(c)) for c in self.chapters},
            references={key: short(r) for key, r in references().items()},
        )  # fmt: skip
        theorems = {
            p.id: Cited(numbers.get(p.id, ""), _card(p, bare), None if p.verdict == "proved" else
                        verdict(p))
            for p in pages
        }  # fmt: skip
        self.writers = {root: replace(bare, root=root, theorems=theorems) for root in ("", "../")}
        self.frame = jinja2.Environment(
            loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined
        ).get_template("base.html.jinja")

    def address(self, chapter: Chapter) -> str:
        """Where a chapter is, from the top of the site."""
        return ADDRESSES.get(chapter.text.name, f"chapter/{chapter.text.name}.html")

    def page(self, title: str, main: Markup, *, root: str = "", kind: str = "text",
             about: str = LIMITED) -> str:  # fmt: skip
        """A page in its frame."""
        return self.frame.render(
            title=title, main=main, root=root, kind=kind, about=about, date=self.date,
            version=version("orderproof"),
        )  # fmt: skip

    def named(self, name: str, writer: Writer) -> Markup:
        """A link to a theorem by number and title."""
        if name not in self.pages:
            return writer.ref(name)
        number = self.places[name].number
        title = plain(book.title(self.pages[name]))
        return writer.ref(name, Markup("{} ({})").format(number, title) if number else title)

    # ----------------------------------------------------------------------------- the front page
    def index(self) -> str:
        """The front page: what the site is, four questions, and the theorems by chapters."""
        writer = self.writers[""]
        asked = [
            Markup('<div class="question">\n<h3 id="question-{}">{}</h3>\n<ul>\n{}</ul>\n</div>').format(
                k, question,
                elements("li", (
                    Markup('{} <span class="by">{}</span>').format(
                        writer.words((s.text, *((" ", s.weaker) if s.weaker else ()))),
                        self.named(s.theorem, writer),
                    ) for s in said
                )),
            )
            for k, (question, said) in enumerate(answered(self.pages).items(), 1)
        ]  # fmt: skip
        questions = Markup(
            '<section aria-labelledby="questions">\n<h2 id="questions">Four questions, four answers'
            '</h2>\n<div class="questions">\n{}\n</div>\n<p class="quiet">Every sentence of an answer '
            "is a sentence of the theorem named after it, and is said by claims of it; where one of "
            "these is not proved in this copy, that stands beside the sentence.</p>\n</section>"
        ).format(Markup("\n").join(asked))
        counts: dict[str, int] = {}
        for claim in (c for p in self.pages.values() for c in p.claims):
            counts[manifest.outcome(claim)] = counts.get(manifest.outcome(claim), 0) + 1
        counted = [f"{n} claims {what}" for what, n in sorted(counts.items(), key=lambda x: -x[1])]
        told = (
            f"{len(self.pages)} theorems, {', '.join(counted)}. A mark names one layer that checked, "
            "and stands for all claims of the theorem unless a number says for how many; layers are "
            "never added up into one word. ", Link("What each mark means", "trust.html"),
            f". {VERDICTS}",
        )  # fmt: skip
        every = Markup("\n").join(self._in_index(c, writer) for c in self.chapters)
        return self.page("orderproof", Markup(
            '<section class="hero">\n<h1>{}</h1>\n<p class="lead">{}</p>\n<p>{}</p>\n</section>\n{}\n'
            '<section id="theorems">\n<h2>The chapters and their theorems</h2>\n<p>{}</p>\n{}\n'
            '</section>\n<section>\n<h2 id="cite">How to cite</h2>\n<p>{}</p>\n</section>'
        ).format(
            SLOGAN, LIMITED, ABOUT, questions if asked else "", writer.words(told), every,
            CITE.format(version("orderproof"), self.year),
        ), kind="front")  # fmt: skip

    def _in_index(self, c: Chapter, writer: Writer) -> Markup:
        names = [name for name in c.text.theorems if name in self.pages]
        items = []
        for name in names:
            page = self.pages[name]
            told = Markup("{} {}").format(
                self.named(name, writer), writer.part(verdict(page)) * (page.verdict != "proved")
            )
            items.append(Markup("<div>{}</div>{}").format(told, self.marks(page, writer)))
        listed = Markup('<ul class="theorems">\n{}</ul>').format(elements("li", items))
        return Markup('<h3 id="chapter-{}">{} <a href="{}">{}</a></h3>\n{}\n{}').format(
            c.text.name, c.number, self.address(c), plain(c.text.title),
            writer.blocks(c.introduction[:1]), listed if items else "",
        )  # fmt: skip

    @staticmethod
    def marks(page: TheoremPage, writer: Writer) -> Markup:
        """The marks of a theorem."""
        return Markup('<span class="chips">{}</span>').format(writer.words(manifest.marks(page)))

    # ------------------------------------------------------------------------------------ chapters
    def every_chapter(self) -> Iterator[tuple[str, str]]:
        """The pages of chapters."""
        for k, c in enumerate(self.chapters):
            beside = [("prev", self.chapters[k - 1])] if k else []
            beside += [("next", x) for x in self.chapters[k + 1 : k + 2]]
            yield self.address(c), self._chapter(c, beside)

    def _chapter(self, c: Chapter, beside: Sequence[tuple[str, Chapter]]) -> str:
        root = "../" if "/" in self.address(c) else ""
        writer = self.writers[root]
        links = Markup("\n").join(
            Markup('<a rel="{}" href="{}{}">{} {}</a>').format(
                rel, root, self.address(x), x.number, plain(x.text.title)
            )
            for rel, x in beside
        )
        return self.page(f"{c.text.title} · orderproof", Markup(
            '<p class="crumbs"><a href="{}index.html#theorems">Chapters</a></p>\n'
            '<h1><span class="quiet">{}</span> {}</h1>\n{}\n{}\n'
            '<nav class="nextprev" aria-label="Chapters">{}</nav>'
        ).format(
            root, c.number, plain(c.text.title), writer.blocks(c.introduction),
            writer.blocks(_numbered(c)), links,
        ), root=root, kind="wide" if c.text.name == "schemes" else "text")  # fmt: skip

    # ------------------------------------------------------------------------------------ theorems
    def every_theorem(self) -> Iterator[tuple[str, str]]:
        """The pages of theorems, their JSON, and counterexample files."""
        names = list(self.pages)
        for k, (name, page) in enumerate(self.pages.items()):
            found = beside(page)
            near = [("prev", names[k - 1])] if k else []
            near += [("next", x) for x in names[k + 1 : k + 2]]
            argument = text(theorem.proof(page, whole=False)) if page.argument else None
            whole = manifest.whole(page, self.places[name], found, argument)
            yield f"theorem/{name}.html", self._theorem(page, found, near)
            yield f"theorem/{name}.json", manifest.text(whole)
            yield from ((f"witnesses/{file}", made) for file, made in found.files.items())

    def _theorem(
        self, page: TheoremPage, found: Beside, near: Sequence[tuple[str, str]]
    ) -> str:
        writer = self.writers["../"]
        place = self.places[page.id]
        chapter = next((c for c in self.chapters if c.text.name == place.chapter), None)
        there = f"#theorem-{page.id}" if place.number else ""
        crumb = Link(f"{chapter.number} {chapter.text.title}", f"{self.address(chapter)}{there}") \
            if chapter else ""
        after = [("Proof", "proof", _proof(page)), ("Witness", "witness", _witness(page, found))]
        after += [
            (f"Example: {x.title}", f"example-{k}", theorem.example(x).blocks)
            for k, x in enumerate(page.examples, 1)
        ]
        after += [("A false variant", "variant", _variant(page)),
                  ("What the claims rest on", "marks", _rests(page, found))]  # fmt: skip
        body = Markup("\n").join(
            writer.blocks((Heading((title,), anchor=name), *blocks))
            for title, name, blocks in after if blocks
        )  # fmt: skip
        return self.page(f"{page.title} · orderproof", Markup(
            '<article>\n<p class="crumbs">{}</p>\n<h1>{}</h1>\n<p class="under"><span>{}</span> '
            "<code>{}</code> {} {}</p>\n"
            '<section class="statement" aria-label="Statement">\n{}\n</section>\n{}\n{}\n</article>\n'
            '<aside class="beside" aria-label="Around this theorem">\n{}\n{}\n<h2>This page</h2>\n'
            '<ul><li><a href="../theorem/{}.html">Permalink</a></li>'
            '<li><a href="{}.json">JSON</a></li></ul>\n<p class="nextprev">{}</p>\n</aside>'
        ).format(
            writer.words((Link("Chapters", "index.html#theorems"), " › ", crumb)),
            plain(book.title(page)), place.number or "", page.id, writer.part(verdict(page)),
            self.marks(page, writer),
            self._statement(page, replace(writer, claims="claim-")),
            writer.blocks(_said_beside(page)), body,
            self._listed("Uses", page.uses, writer), self._listed("Used by", place.users, writer),
            page.id, page.id,
            Markup("\n").join(
                Markup('<a rel="{}" href="{}.html">{}</a>').format(
                    rel, name, plain(book.title(self.pages[name]))
                ) for rel, name in near
            ),
        ), root="../", kind="theorem", about=page.said)  # fmt: skip

    def _statement(self, page: TheoremPage, writer: Writer) -> Markup:
        """What is said, for all what, the claims with their anchors, and what letters stand for."""
        several = [(f"({k})", c) for k, c in enumerate(page.claims, 1) if not c.headline]
        before: list[Block] = [Paragraph((page.said,))]
        before += [Display((("", page.given),))] if page.given and several else []
        out = [writer.blocks([*before, *theorem.claimed(several)])]
        for k, c in enumerate(page.claims, 1):
            if c.headline:
                source = (Paragraph((Code(c.headline), " in Rocq:")), Source(c.statement.plain))
                inside = Markup("<div>{}</div>").format(writer.blocks(source))
                out.append(writer.claim(f"({k})", inside))
        where = [Paragraph(("where",)), Display(tuple(("", f) for f in page.where))]
        out.append(writer.blocks(where if page.where else []))
        return Markup("\n").join(out)

    def _listed(self, title: str, names: Sequence[str], writer: Writer) -> Markup:
        items = elements("li", (self.named(name, writer) for name in names))
        none = Markup('<p class="quiet">No other theorem.</p>')
        listed = Markup("<ul>\n{}</ul>").format(items) if names else none
        return Markup("<h2>{}</h2>\n{}").format(title, listed)

    # ---------------------------------------------------------------------- schemes and references
    def scheme(self, s: schemes.SchemePage, positions: PositionChapter) -> str:
        """The page of a position scheme."""
        head = Markup('<p class="crumbs"><a href="../schemes.html">Schemes</a></p>\n<h1>{}</h1>\n{}')
        body = self.writers["../"].blocks(schemes.page(s, positions))
        return self.page(f"{s.name} · orderproof", head.format(s.name, body), root="../")

    def references(self, keys: Iterable[str]) -> str:
        """The references that the pages cite."""
        items = Markup("\n").join(
            Markup('<li id="ref-{}">{}<cite>{}</cite>. {}.{}</li>').format(
                r.key, plain(f"{r.authors}. ") if r.authors else "", plain(r.fields["title"]),
                plain(r.place), f" {r.fields['url']}" if "url" in r.fields else "",
            )
            for r in cited(keys)
        )  # fmt: skip
        main = Markup('<h1>References</h1>\n<ul class="references">\n{}\n</ul>').format(items)
        return self.page("References · orderproof", main)


# -------------------------------------------------------------------------- the parts of a theorem
def _card(page: TheoremPage, writer: Writer) -> Markup:
    """The preview of a theorem: title, verdict, its sentences and its first claim."""
    formula = Markup("")
    if page.claims and not page.claims[0].headline:
        formula = writer.shown(page.claims[0].statement.latex)
    more = f" and {len(page.claims) - 1} more" if len(page.claims) > 1 else ""
    return Markup(
        '<span class="card"><b>{}</b> {}<span class="card-words">{}</span>{}'
        '<span class="quiet">claim (1){}</span></span>'
    ).format(
        plain(page.title), writer.part(Verdict(page.reads, page.shade)), plain(page.said), formula,
        more,
    )  # fmt: skip


def _numbered(c: Chapter) -> list[Block]:
    """The blocks of a chapter, its examples with their numbers, no level of headings left out."""
    found: list[Block] = []
    levels: list[int] = []
    k = 0
    for block in c.blocks:
        if isinstance(block, Heading):
            levels = [x for x in levels if x < block.level] + [block.level]
            block = replace(block, level=len(levels))
        example = isinstance(block, Remark) and block.kind == "example"
        k += isinstance(block, Theorem) or example
        found.append(replace(block, kind=f"example {c.number}.{k}") if example else block)
    return found


def _said_beside(page: TheoremPage) -> Iterator[Block]:
    """The sentences that no claim says, and the source."""
    if page.remarks:
        yield Paragraph((Emphasis("Remark."), f" {page.remarks}"))
    if page.source or page.citations:
        yield Paragraph((Emphasis("From."), f" {page.source} ", Citation(page.citations)))


def _proof(page: TheoremPage) -> list[Block]:
    """The proof; of many chains those that its words do not show, or all but the last, folded."""
    found = list(theorem.proof(page))
    chains = [b for b in found if isinstance(b, Section) and b.title]
    folded = chains if page.argument else chains[:-1] if len(chains) >= FEW else []
    return [Folded(b.title, (replace(b, title=""),)) if b in folded else b for b in found]


def _witness(page: TheoremPage, found: Beside) -> list[Block]:
    """The values at which claims of existence hold, and the counterexample files."""
    blocks = list(witness.blocks(page))
    if found.files:
        links = [x for name in found.files for x in (", ", Link(name, f"witnesses/{name}"))]
        blocks.append(Paragraph((
            "Counterexample files, which ", Code("orderproof replay"),
            " rechecks without a solver: ", *links[1:], ".",
        )))  # fmt: skip
    return blocks


def _variant(page: TheoremPage) -> list[Block]:
    found = list(theorem.variant(page).blocks) if page.neighbour else []
    return found + [
        Paragraph(("That a false variant fails is ", Link(f"({k + 1})", f"#claim-{k + 1}"), "."))
        for k in page.refuted
    ]


def _rests(page: TheoremPage, found: Beside) -> list[Block]:
    """What was checked, in a line; folded, what each mark says, the claims in Rocq, digests."""
    links = [Link(f"({k})", f"#claim-{k}") for k in range(1, len(page.claims) + 1)]
    meaning = {m.name: m.says for m in MARKS}
    head: tuple[Words, ...] = (("Claim",), ("Kind and scope",), ("Verdict",), ("Marks",))
    rows = tuple(
        (((link,), (f"{c.kind}; {c.scope}",), (verdict(c),)) if first else ((), (), ()))
        + ((MarkName(m.mark, AGREES[m.ok], m.detail),),)
        for link, c in zip(links, page.claims, strict=True)
        for first, m in zip((True, *(False,) * len(c.marks)), c.marks, strict=False)
    )  # fmt: skip
    blocks: list[Block] = [
        Paragraph((evidence.line(page),)),
        Folded("What each mark says", (
            Rows(head, rows, (0, 0.2, 0, 0.6)),
            Items(tuple((MarkName(m, says=meaning[m]),) for m in manifest.carried(page))),
        )),
    ]  # fmt: skip
    blocks += [
        Folded(f"In Rocq: {name}, in {source_of(name)}", (Source(source),))
        for name, source in found.headlines.items()
    ]
    blocks += [
        Folded(f"Claim ({k + 1}) as a proposition of Rocq: {r.how}", (
            Display((("", page.claims[k].statement),)), Source(r.proposition)))
        for k, r in found.rocq.items()
    ]  # fmt: skip
    digests = tuple(
        ((link,), (Code(c.digest),)) for link, c in zip(links, page.claims, strict=True)
    )
    return [*blocks, Folded("Digests of the claims", (Rows(((), ()), digests, (0, 1)),))]


def undrawn() -> str:
    """Why there will be no pictures, or nothing."""
    return "" if find_spec("matplotlib") else "matplotlib is not installed (orderproof[book])"


def _pictures(positions: PositionChapter) -> dict[str, str]:
    """The pictures of chapters by the names of their files."""
    if undrawn():
        return {}
    from . import bias_picture, depth_figure

    return {
        f"{BIAS}.svg": bias_picture.svg(bias_picture.strips()),
        f"{DEPTH}.svg": depth_figure.svg(positions.depth),
    }
