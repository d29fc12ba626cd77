"""The book's sources, written from the cache where it has those of the same pages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from orderproof.check.prove.cache import Cache
from orderproof.check.prove.results import write
from orderproof.check.prove.run import KIND as THEOREM

if TYPE_CHECKING:
    from orderproof.check.page import TheoremPage

KIND = "sources"


def write_sources(
    pages: Sequence[TheoremPage], folder: Path, *, date: str, cache: Cache | None
) -> None:
    """`book.write_sources` of these pages without the chapter on positions. Sources are kept under
    the digests of the entries that hold the pages; where one of them has none, nothing is kept."""
    known = [cache.digests.get(f"{THEOREM} {page.id}") for page in pages] if cache else [None]
    name = hashlib.sha256(json.dumps([date, known]).encode()).hexdigest()[:32]
    texts = cache.load(KIND, name) if cache and all(known) else None
    if texts is not None:
        for file, text in texts.items():
            write(folder / file, text)
        return
    from .book import write_sources as made

    paths = made(pages, folder, date=date)
    if cache and all(known):
        texts = {p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8") for p in paths}
        cache.store(KIND, name, texts)
