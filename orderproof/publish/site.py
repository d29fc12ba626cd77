"""The site: the front page, chapters, theorems, schemes and references; written whole beside its
place, and renamed into it."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from markupsafe import Markup, escape

from orderproof.check.page import ClaimPage, Section, TheoremPage
from orderproof.check.prove.results import OutputError, writable
from orderproof.check.prove.trust import MARKS
from orderproof.proofs import catalogue

from . import chapters as book
from . import evidence, figures, manifest, mathml, schemes, theorem, witness
from . import model as m
from .bibliography import cited, references, short
from .book import LIMITED, SLOGAN, check, day
from .chapters import Chapter
from .evidence import carried, used
from .latex_text import curly
from .manifest import Beside, beside, source_of
from .model import anchor
from .schemes import PositionChapter
from .to_html import Cited, Part, Writer, plain, tag
from .to_text import text, words

ABOUT = (
    "Each architecture here is written once, as a term of a small calculus of tensors with named "
    "axes. Each derivation is printed from the theorem that a kernel checked; each counterexample "
    "was replayed in exact arithmetic, or separated from zero by intervals."
)
CITE = (
    "The orderproof authors. orderproof: what attention sees of the order of its tokens, derived "
    "and machine-checked. Version {}, {}. A single theorem has its digest on its page."
)
ADDRESSES = {  # of chapters that are not pages below chapter/
    "schemes": "schemes.html", "sentences": "sentences.html", "evidence": "trust.html",
}  # fmt: skip
SITE = "site"  # the name of its folder
MARKER = "theorems.json"  # what tells a site of ours from a folder of someone else's
NEEDED = {"brotli": "brotli", "fontTools": "fonttools", "math_core": "math-core"}
FOLDER = Path(__file__).with_name("web")
FEW = 4  # chains of a proof that are not all unfolded
AGREES = {True: "✓", False: "✗", None: "?"}
Page = tuple[str, str]  # the name of its file, and the text


class SiteError(RuntimeError):
    """A site that cannot be written here, in one line."""


def files(
    pages: Sequence[TheoremPage], *, date: str, positions: PositionChapter | None = None
) -> dict[str, str | bytes]:
    """The files of the site by their names. Where some of the theorems are not among the pages, it
    has no text of the chapters that state theorems."""
    check(pages)
    site = _Site(pages, positions, date)
    found: dict[str, str | bytes] = {
        ".nojekyll": "",  # GitHub Pages takes the files as they are
        "style.css": (FOLDER / "style.css").read_text(encoding="utf-8").replace(
            "FONT_DATA", mathml.font_data()
        ),
        "font-license.txt": (FOLDER / "fonts" / "GUST-FONT-LICENSE.txt").read_bytes(),
    }  # fmt: skip
    found.update([site.index(), *site.every_theorem(), *site.every_chapter()])
    if positions:
        found.update(positions.files)
        found.update(figures.files("svg"))
        found.update(map(site.scheme, positions.schemes))
    keys = {k for t in found.values() for k in re.findall(r'references\.html#ref-(\w+)"', str(t))}
    cells = positions.cells if positions else []
    found["theorems.json"] = manifest.text(manifest.manifest(date, pages, site.places, cells))
    return found | dict([site.references(keys)])


def verdict(x: TheoremPage | ClaimPage) -> m.Verdict:
    """The verdict of a theorem or a claim."""
    return m.Verdict(x.told, x.shade)


class _Site:
    """The pages, and what all of them know of each other."""

    def __init__(
        self, pages: Sequence[TheoremPage], positions: PositionChapter | None, date: str
    ) -> None:
        self.pages = {p.id: p for p in pages}
        self.date = day(date)
        whole = set(catalogue.IDS) <= self.pages.keys()
        texts = [t if whole or t.name in ADDRESSES else replace(t, source="") for t in book.texts()]
        self.chapters = book.chapters(pages, positions, texts)
        numbers = {name: f"{kind} {n}" for name, (kind, n) in book.numbers(self.chapters).items()}
        self.places = {
            p.id: manifest.Place(
                catalogue.CHAPTER_OF.get(p.id), numbers.get(p.id),
                tuple(q.id for q in pages if p.id in q.uses),
            )
            for p in pages
        }  # fmt: skip
        theorems = {
            p.id: Cited(p.title, numbers.get(p.id, ""),
                        None if p.verdict == "proved" else verdict(p))
            for p in pages
        }  # fmt: skip
        self.writers = {
            root: Writer(
                mathml.shown, mathml.within, root, theorems,
                {c.text.name: (c.number, _address(c)) for c in self.chapters},
                {key: short(r) for key, r in references().items()},
            )
            for root in ("", "../")
        }  # fmt: skip
        self.frame = Markup((FOLDER / "base.html").read_text(encoding="utf-8"))

    def page(
        self, name: str, title: str, parts: Iterable[Part], *, crumbs: m.Words = (),
        aside: Iterable[Part] = (), kind: str = "text", about: str = LIMITED,
    ) -> Page:  # fmt: skip
        """A page in its frame."""
        writer = self.writer(name)
        above, beside = writer.words(crumbs), writer.blocks(aside)
        if beside:
            beside = tag("aside", beside, class_="beside", aria_label="Around this page")
        return name, str(self.frame.format(
            title=title, heading=plain(title), main=writer.blocks(parts), root=writer.root,
            crumbs=tag("p", above, class_="crumbs") if above else "", aside=beside, kind=kind,
            about=about, date=f"{self.date.day} {self.date:%B %Y}", version=version("orderproof"),
        ))  # fmt: skip

    def writer(self, name: str) -> Writer:
        """What writes the page of this name."""
        return self.writers["../" * name.count("/")]

    # ----------------------------------------------------------------------------- the front page
    def index(self) -> Page:
        """What the site is, four questions, and the theorems by chapters."""
        counts = Counter(c.told for p in self.pages.values() for c in p.claims)
        counted = [f"{n} claims {what}" for what, n in counts.most_common()]
        summary = (
            f"{len(self.pages)} theorems, {', '.join(counted)}. A mark names one layer that "
            "checked, and is for all claims of the theorem unless a number says for how many; "
            "layers are never added up into one word. ",
            m.Link("What each mark means", "trust.html"), ".",
        )  # fmt: skip
        listed = [b for c in self.chapters for b in self._listed(c)]
        every = self.writer("").blocks([
            m.Heading(("The chapters and their theorems",)), m.Paragraph(summary), *listed
        ])  # fmt: skip
        parts: list[Part] = [
            tag("p", LIMITED, class_="lead"),
            m.Paragraph((ABOUT,)),
            *self._questions(),
            tag("section", every, id="theorems"),
            m.Heading(("How to cite",), anchor="cite"),
            m.Paragraph((CITE.format(version("orderproof"), self.date.year),)),
        ]
        return self.page("index.html", SLOGAN, parts, kind="front")

    def _questions(self) -> Iterator[Part]:
        """The questions of the first chapter, each with its answer, which the chapter stresses, and
        the theorems that it cites, with the verdicts of those that are open or refuted here."""
        c, boxes, writer = self.chapters[0], list[Markup](), self.writer("")
        question, behind = list[m.Block](), dict[str, None]()
        for block in _anchored(c):
            if isinstance(block, m.Heading):
                there = f"{_address(c)}#{block.anchor}"
                question, behind = [m.Heading((m.Link(words(block.words), there),), 2)], {}
            elif isinstance(block, m.Paragraph):
                behind |= dict.fromkeys(
                    x.id for said in block.words
                    for x in (m.cited(said, self.pages) if isinstance(said, str) else [said])
                    if isinstance(x, m.TheoremRef)
                )  # fmt: skip
                if isinstance(block.words[0], m.Emphasis):
                    by: list[m.Inline] = ["By"]
                    for p in (self.pages[name] for name in behind):
                        by += [" " if len(by) == 1 else ", ", m.TheoremRef(p.id)]
                        by += [" ", verdict(p)] if p.shade not in ("proved", "recorded") else []
                    inside = [*question, block, m.Paragraph((*by, "."))]
                    boxes.append(tag("div", writer.blocks(inside), class_="question"))
        if boxes:
            yield m.Heading((c.text.title,), anchor="questions")
            yield tag("div", *boxes, class_="questions")

    def _listed(self, c: Chapter) -> Iterator[m.Block]:
        """A chapter on the front page: its first paragraph, its theorems and their marks."""
        title = (f"{c.number} ", m.Link(c.text.title, _address(c)))
        yield m.Heading(title, 2, anchor=f"chapter-{c.text.name}")
        yield from c.introduction[:1]
        here = [self.pages[name] for name in c.text.theorems if name in self.pages]
        writer = self.writer("")
        items = tuple(
            (writer.ref(p.id, titled=True), "" if p.verdict == "proved" else verdict(p),
             _chips(p, writer))
            for p in here
        )  # fmt: skip
        yield from [m.Items(items)] if items else []

    # ------------------------------------------------------------------------------------ chapters
    def every_chapter(self) -> Iterator[Page]:
        """The pages of chapters."""
        every = [(_called(c), _address(c)) for c in self.chapters]
        for k, c in enumerate(self.chapters):
            links = self.writer(_address(c)).words(_beside(every, k))
            yield self.page(
                _address(c), _called(c),
                [*c.introduction, *_anchored(c),
                 tag("nav", links, class_="under", aria_label="Chapters")],
                crumbs=(m.Link("Chapters", "index.html#theorems"),),
                kind="wide" if c.text.name == "schemes" else "text",
            )  # fmt: skip

    # ------------------------------------------------------------------------------------ theorems
    def every_theorem(self) -> Iterator[Page]:
        """The pages of theorems, their JSON, and counterexample files."""
        every = [(p.title, f"theorem/{p.id}.html") for p in self.pages.values()]
        for k, (name, page) in enumerate(self.pages.items()):
            found = beside(page)
            proof = text(theorem.proof(page, whole=False)) if page.argument else None
            whole = manifest.whole(page, self.places[name], found, proof)
            yield self._theorem(page, found, _beside(every, k))
            yield f"theorem/{name}.json", manifest.text(whole)
            yield from ((f"witnesses/{file}", made) for file, made in found.files.items())

    def _theorem(self, page: TheoremPage, found: Beside, near: Sequence[m.Link]) -> Page:
        name, place = f"theorem/{page.id}.html", self.places[page.id]
        writer = self.writer(name)
        number = f"{place.number} " if place.number else ""
        under = (number, m.Code(page.id), " ", verdict(page), " ", _chips(page, writer))
        stated = replace(writer, claims="claim-").blocks(theorem.in_full(page, web=True))
        parts: list[Part] = [
            tag("p", writer.words(under), class_="under"),
            tag("section", stated, class_="statement", aria_label="Statement"),
            *_remark(page), m.Heading(("Proof",), anchor="proof"), *_proof(page),
            *_witness(page, found),
        ]  # fmt: skip
        for k, example in enumerate(page.examples, 1):
            parts += [m.Heading((f"Example: {example.title}",), anchor=f"example-{k}")]
            parts += theorem.example(example).blocks
        crumbs: list[m.Inline] = [m.Link("Chapters", "index.html#theorems")]
        there = f"#theorem-{page.id}" if place.number else ""
        for c in self.chapters:
            if c.text.name == place.chapter:
                crumbs += [" › ", m.Link(_called(c), _address(c) + there)]
        aside: list[m.Block] = []
        for title, names in (("Uses", page.uses), ("Used by", place.users)):
            listed = m.Items(tuple((writer.ref(x, titled=True),) for x in names))
            aside += [m.Heading((title,)), listed if names else m.Paragraph(("No other theorem.",))]
        links = [m.Link("JSON", f"theorem/{page.id}.json"), *near]
        aside += [m.Heading(("This page",)), m.Items(tuple((x,) for x in links))]
        return self.page(
            name, page.title, [*parts, *_variant(page), *_rests(page, found)],
            crumbs=tuple(crumbs), aside=aside, kind="theorem", about=page.said,
        )  # fmt: skip

    # ---------------------------------------------------------------------- schemes and references
    def scheme(self, s: schemes.SchemePage) -> Page:
        """The page of a position scheme."""
        crumbs = (m.Link("Schemes", "schemes.html"),)
        return self.page(schemes.page_file(s), s.name, schemes.page(s), crumbs=crumbs)

    def references(self, keys: Iterable[str]) -> Page:
        """The references that the pages cite."""
        found = cited(keys)
        rows = tuple(
            ((escape(curly(f"{r.authors}. " if r.authors else "")), m.Emphasis(r.fields["title"]),
              escape(f". {r.place}. {r.fields.get('url', '')}")),)
            for r in found
        )  # fmt: skip
        listed = m.Table(((),), rows, anchors=tuple(f"ref-{r.key}" for r in found))
        return self.page("references.html", "References", [listed])


def _address(c: Chapter) -> str:
    """Where a chapter is, from the top of the site."""
    return ADDRESSES.get(c.text.name, f"chapter/{c.text.name}.html")


def _called(c: Chapter) -> str:
    return f"{c.number} {c.text.title}"


def _beside(pages: Sequence[tuple[str, str]], k: int) -> list[m.Link]:
    """Links to the pages before and after page k, of which titles and addresses are given."""
    before = [m.Link(f"←\u00a0{title}", address) for title, address in pages[max(k - 1, 0) : k]]
    return before + [m.Link(f"{title}\u00a0→", address) for title, address in pages[k + 1 : k + 2]]


def _anchored(c: Chapter) -> Iterator[m.Block]:
    """The blocks of a chapter, headings with anchors and without a level left out."""
    levels: list[int] = []
    for block in c.blocks:
        if isinstance(block, m.Heading):
            levels = [x for x in levels if x < block.level] + [block.level]
            named = block.anchor or anchor(words(block.words))
            yield replace(block, level=len(levels), anchor=named)
        else:
            yield block


# -------------------------------------------------------------------------- the parts of a theorem
def _chips(page: TheoremPage, writer: Writer) -> Markup:
    """The marks of a theorem, of one that is not on all claims on how many."""
    whole = f"{len(page.claims)}/{len(page.claims)}"
    said = ((name, carried(page, name)) for name in used([page]))
    marks = (m.MarkName(name, "" if count == whole else count) for name, count in said)
    return tag("span", writer.words(marks), class_="chips")


def _remark(page: TheoremPage) -> Iterator[m.Block]:
    """The sentences that no claim says, and the source."""
    if page.remarks:
        yield m.Paragraph((m.Emphasis("Remark."), f" {page.remarks}"))
    if page.source or page.citations:
        yield m.Paragraph((m.Emphasis("From."), f" {page.source} ", m.Citation(page.citations)))


def _proof(page: TheoremPage) -> list[m.Block]:
    """The proof, each chain with its formulas by entries; of many chains those that the words do
    not show, or all but the last, folded."""
    found = theorem.proof(page, entries=True)
    chains = [b for b in found if isinstance(b, Section) and b.title]
    folded = chains if page.argument else chains[:-1] if len(chains) >= FEW else []
    return [
        m.Folded(b.title, (replace(b, title=""),)) if isinstance(b, Section) and b in folded else b
        for b in found
    ]


def _witness(page: TheoremPage, found: Beside) -> Iterator[m.Block]:
    """The values at which claims of existence hold, where the proof does not show them, and the
    counterexample files."""
    values = witness.blocks(page) if page.argument or page.sections else ()
    if values or found.files:
        yield m.Heading(("Witness",), anchor="witness")
    yield from values
    if found.files:
        links = [x for name in found.files for x in (", ", m.Link(name, f"witnesses/{name}"))]
        yield m.Paragraph((
            "Counterexample files, which ", m.Code("orderproof replay"),
            " rechecks without a solver: ", *links[1:], ".",
        ))  # fmt: skip


def _variant(page: TheoremPage) -> Iterator[m.Block]:
    """A false variant of the statement, and how it fails."""
    if page.neighbour or page.refuted:
        yield m.Heading(("A false variant",), anchor="variant")
    if page.neighbour:
        yield from theorem.variant(page).blocks
    for k in page.refuted:
        link = m.Link(f"({k + 1})", f"#claim-{k + 1}")
        yield m.Paragraph(("That a false variant fails is ", link, "."))


def _rests(page: TheoremPage, found: Beside) -> Iterator[m.Block]:
    """What was checked, in a line; folded, what each mark says, the claims in Rocq, digests."""
    links = [m.Link(f"({k})", f"#claim-{k}") for k in range(1, len(page.claims) + 1)]
    head: tuple[m.Words, ...] = (("Claim",), ("Kind and scope",), ("Verdict",), ("Marks",))
    rows: list[tuple[m.Words, ...]] = []
    for link, c in zip(links, page.claims, strict=True):
        begin: tuple[m.Words, ...] = ((link,), (f"{c.kind}; {c.scope}",), (verdict(c),))
        for mark in c.marks:
            rows.append((*begin, (m.MarkName(mark.mark, AGREES[mark.ok], mark.detail),)))
            begin = ((), (), ())
        rows += [] if c.marks else [(*begin, ("none",))]
    here = used([page])
    meanings = m.Items(tuple((m.MarkName(x.name, says=x.says),) for x in MARKS if x.name in here))
    yield m.Heading(("What the claims rest on",), anchor="marks")
    yield m.Paragraph((evidence.line(page),))
    yield m.Folded("What each mark says", (m.Table(head, tuple(rows), (0, 0.2, 0, 0.6)), meanings))
    for name, source in found.headlines.items():
        yield m.Folded(f"In Rocq: {name}, in {source_of(name)}", (m.Source(source),))
    for k, r in found.rocq.items():
        title = f"Claim ({k + 1}) as a proposition of Rocq: {r.how}"
        both = (m.Display((("", page.claims[k].statement),)), m.Source(r.proposition))
        yield m.Folded(title, both)
    digests = tuple(
        ((link,), (m.Code(c.digest),)) for link, c in zip(links, page.claims, strict=True)
    )
    yield m.Folded("Digests of the claims", (m.Table(((), ()), digests, (0, 1)),))


# --------------------------------------------------------------------------------------- its folder
def ready(folder: Path) -> None:
    """Before any work: SiteError where a library is missing, OutputError where the place of the
    site holds something else."""
    if missing := [name for module, name in NEEDED.items() if find_spec(module) is None]:
        extra = "expected the extra: pip install 'orderproof[book]'"
        raise SiteError(f"the site: {' and '.join(missing)} not installed, {extra}")
    _replaceable(folder / SITE)


def write_site(
    pages: Sequence[TheoremPage],
    folder: Path,
    *,
    date: str,
    positions: PositionChapter | None = None,
) -> Path:
    """Write the site into the folder `site` of `folder`, and return its front page; `date` as
    2026-11-21. It runs no script and loads nothing but its own files; equal pages give equal bytes.

    Raises UnknownCitation, BadFormula, MissingGlyph, BadMarkdown, BadPage or BadDate before
    anything is written, OutputError where it cannot be.
    """
    return publish(folder / SITE, files(pages, date=date, positions=positions)) / "index.html"


def publish(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """The folder with these files and no others. OutputError where it cannot be written, or holds
    what is no site: nothing is changed then."""
    _replaceable(folder)
    writable(folder.parent)
    try:
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as beside:
            new, old = Path(beside) / "new", Path(beside) / "old"
            for name, text in files.items():
                path = new / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text if isinstance(text, bytes) else text.encode())
            if folder.exists():
                folder.rename(old)
            try:
                shutil.move(new, folder)
            except BaseException:
                if old.exists():
                    old.rename(folder)
                raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"output folder {folder}: {reason}; expected one to write to") from error
    return folder


def _replaceable(folder: Path) -> None:
    """OutputError for a folder that holds what is no site."""
    ours = (folder / MARKER).is_file()
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not ours)):
        raise OutputError(
            f"output folder {folder}: given one without {MARKER}, expected an empty one, a site "
            "that was written before, or none"
        )
