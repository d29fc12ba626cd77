"""Theorems checked, one by one or in several processes: pages, certificates, witnesses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed

from orderproof.proofs import catalogue
from orderproof.proofs.check.page import TheoremPage
from orderproof.proofs.rocq.mark import Rocq, by_rocq

from .certificates import certificates
from .checking import check


def prove_one(name: str, rocq: Rocq | None = None) -> tuple[TheoremPage, dict[str, str]]:
    """A theorem's page, with all marks made, and its certificates and counterexample files."""
    theorem = catalogue.load(name)
    files = {f"certificates/{name}": text for name, text in certificates(theorem).items()}
    files |= {f"witnesses/{name}": text for name, text in theorem.witnesses.items()}
    if rocq is None:
        return check(theorem), files
    asked = by_rocq(rocq, theorem)
    return check(theorem, asked.checks), files | {f"rocq/{f}": x for f, x in asked.texts.items()}


def prove(
    ids: Iterable[str],
    jobs: int,
    done: Callable[[TheoremPage], None] = lambda page: None,
    rocq: Rocq | None = None,
) -> tuple[list[TheoremPage], dict[str, str]]:
    """Check theorems, in several processes where jobs > 1; pages in the order of ids. Rocq is
    asked where it is given."""
    names = list(ids)
    pages: dict[str, TheoremPage] = {}
    written: dict[str, str] = {}

    def take(page: TheoremPage, files: dict[str, str]) -> None:
        pages[page.id] = page
        written.update(files)
        done(page)

    if jobs <= 1 or len(names) <= 1:
        for name in names:
            take(*prove_one(name, rocq))
    else:
        with ProcessPoolExecutor(min(jobs, len(names))) as pool:
            for future in as_completed([pool.submit(prove_one, name, rocq) for name in names]):
                take(*future.result())
    return [pages[name] for name in names], dict(sorted(written.items()))
