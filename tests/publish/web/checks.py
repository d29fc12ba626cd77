"""What is asked of every page of the site: by a parser, and by a browser that is installed."""

from __future__ import annotations

import posixpath
import shutil
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from fontTools.ttLib import TTFont

from orderproof.publish.mathml import FONT

BROWSERS = "chromium|chromium-browser|google-chrome"  # whichever is installed
VOID = ("meta", "link", "wbr", "img", "br", "mspace")
OPEN = "document.querySelectorAll('details').forEach(d => { d.open = true; })"
CARRIES = {"href": ("a", "link"), "src": ("img", "script", "iframe", "source")}


class Seen(HTMLParser):
    """The tags of a page with their attributes; a tag that is not closed in order is an error."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the tag."""
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag of an SVG that has no content."""
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """It must close the tag opened last."""
        if tag not in VOID and (not self.open or self.open.pop() != tag):
            self.wrong.append(tag)


def seen(text: str) -> Seen:
    """The page as a parser sees it."""
    parser = Seen()
    parser.feed(text)
    parser.close()
    return parser


def faults(files: Mapping[str, str | bytes]) -> list[str]:
    """What is wrong with the files of a site: tags not closed, an id twice, a link or a fragment
    that leads nowhere, an address that is not of the site, a script."""
    pages = {n: seen(str(t)) for n, t in files.items() if n.endswith(".html")}
    ids = {n: [str(a["id"]) for _, a in p.tags if "id" in a] for n, p in pages.items()}
    found = []
    for name, page in pages.items():
        found += [f"{name}: {tag} not closed" for tag in (*page.open, *page.wrong)]
        found += [f"{name}: id {i} twice" for i in {*ids[name]} if ids[name].count(i) > 1]
        for tag, attributes in page.tags:
            if tag == "script" or any(a.startswith("on") for a in attributes):
                found.append(f"{name}: a script, in {tag}")
            for key, tags in CARRIES.items():
                if tag in tags and key in attributes:
                    found += _leads(name, str(attributes[key]), files, ids)
    return found


def _leads(
    name: str, target: str, files: Mapping[str, str | bytes], ids: Mapping[str, list[str]]
) -> Iterator[str]:
    address, _, fragment = unquote(target).partition("#")
    if ":" in address or address.startswith("/"):
        yield f"{name}: {target} is not of the site"
        return
    to = posixpath.normpath(posixpath.join(posixpath.dirname(name), address)) if address else name
    if to not in files:
        yield f"{name}: no file {target}"
    elif fragment and fragment not in ids.get(to, ()):
        yield f"{name}: no place {target}"


# ------------------------------------------------------------------------------------ in a browser
WIDTH = 375  # pixels of a narrow telephone


@contextmanager
def browser() -> Iterator[Any]:
    """The browser that is installed; nothing is downloaded."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, BROWSERS.split("|"))))
    with sync_playwright() as p:
        started = p.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


def console(started: Any, path: Path) -> list[str]:
    """What a page says on the console when it is opened: errors and warnings, and what it could
    not load."""
    said: list[str] = []
    page = started.new_page()
    page.on("console", lambda m: said.append(f"{m.type}: {m.text}"))
    page.on("pageerror", lambda e: said.append(str(e)))
    page.on("requestfailed", lambda r: said.append(f"not loaded: {r.url}"))
    page.goto(path.as_uri())
    page.close()
    return said


@contextmanager
def opened(started: Any, path: Path, **options: Any) -> Iterator[Any]:
    """A page in the browser, all of it unfolded."""
    page = started.new_page(**options)
    page.goto(path.as_uri())
    page.evaluate(OPEN)
    yield page
    page.close()


def sideways(started: Any, path: Path) -> int:
    """By how many pixels a page is wider than a narrow telephone."""
    with opened(started, path, viewport={"width": WIDTH, "height": 800}) as page:
        return int(page.evaluate("document.documentElement.scrollWidth")) - WIDTH


def strange_glyphs(started: Any, path: Path) -> set[str]:
    """The fonts, other than one that the site brings along, in which a page draws formulas, and the
    characters of formulas that the site's font lacks: on another machine they would be boxes."""
    leaves = "math :is(mi, mo, mn, mtext, ms)"
    with opened(started, path) as page, TTFont(FONT) as font:
        page.evaluate("document.fonts.ready.then(() => 0)")
        session = page.context.new_cdp_session(page)
        session.send("DOM.enable")
        session.send("CSS.enable")
        root = session.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
        asked = {"nodeId": root, "selector": leaves}
        nodes = session.send("DOM.querySelectorAll", asked)["nodeIds"]
        text = page.evaluate(f"[...document.querySelectorAll('{leaves}')].map(e => e.textContent)")
        unseen = ("Cf", "Mn", "Zs", "Cc")
        found = {c for c in "".join(text) if unicodedata.category(c) not in unseen}
        found -= {*map(chr, font.getBestCmap())}
        for node in nodes:
            used = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
            found |= {f["familyName"] for f in used if not f["isCustomFont"]}
    return found


def barriers(started: Any, path: Path, scheme: str = "light") -> list[str]:
    """What axe finds on a page, in light or dark: the rule, and the first element."""
    from axe_playwright_python.sync_playwright import Axe

    with opened(started, path, color_scheme=scheme) as page:
        found = Axe().run(page).response["violations"]
    return [f"{v['id']}: {v['nodes'][0]['html'][:200]}" for v in found]


def hidden_on_paper(started: Any, path: Path) -> int:
    """How many of a page's derivations would not be printed."""
    hidden = "[...document.querySelectorAll('.chain')].filter(c => !c.getClientRects().length)"
    page = started.new_page()
    page.goto(path.as_uri())
    page.emulate_media(media="print")
    found = int(page.evaluate(f"{hidden}.length"))
    page.close()
    return found
