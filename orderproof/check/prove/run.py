"""Theorems checked, or taken from the cache where they were: pages, certificates, witnesses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from orderproof.check import page as records
from orderproof.check.page import TheoremPage
from orderproof.proofs import catalogue

from . import as_json
from .cache import Cache
from .executor import each

if TYPE_CHECKING:  # nothing is checked where all is in the cache, and no mark is loaded then
    from orderproof.check.rocq.mark import Rocq

CLASSES = as_json.named(
    records.Formula, records.Line, records.Section, records.Mark, records.ClaimPage, records.Table,
    records.Example, records.TheoremPage,
)  # fmt: skip
KIND = "theorem"  # of entries in the cache
LONGEST = (  # begun first, so that nobody waits for them at the end
    "documents_in_parallel",
    "score_bias_iff_of_layers",
    "not_equivariant_of_learned_position",
    "equivariant_of_fixed_position_table",
    "additive_position_iff",
)
Made = tuple[TheoremPage, dict[str, str]]


def prove(
    ids: Iterable[str],
    jobs: int,
    done: Callable[[TheoremPage], None] = lambda page: None,
    rocq: Callable[[], Rocq] | None = None,
    *,
    cache: Cache | None = None,
    scheduler: str | None = None,
) -> tuple[list[TheoremPage], dict[str, str]]:
    """Check theorems, in several processes where jobs > 1, or on the cluster of a scheduler; pages
    in the order of ids. Rocq is asked where it is given. A page is taken from the cache, where one
    is given and has it, and is kept there as soon as it is made."""
    names = list(ids)
    found: dict[str, Made] = {}

    def take(name: str, made: Made) -> None:
        found[name] = made
        done(made[0])

    if cache:
        for name in names:
            if (made := taken(cache, name)) is not None:
                take(name, made)
    if missing := sorted((n for n in names if n not in found), key=_rank):
        from . import certificates, checking  # noqa: F401  (before processes are forked from this)

        asked = rocq() if rocq else None
        for name, made in each(prove_one, missing, asked, jobs=jobs, scheduler=scheduler):
            if cache:
                keep(cache, name, made)
            take(name, made)
    files = {file: text for name in names for file, text in found[name][1].items()}
    return [found[name][0] for name in names], dict(sorted(files.items()))


def prove_one(name: str, rocq: Rocq | None = None) -> Made:
    """A theorem's page, with all marks made anew, and its certificates and counterexample files."""
    from .certificates import certificates
    from .checking import check

    theorem = catalogue.load(name)
    files = {f"certificates/{name}": text for name, text in certificates(theorem).items()}
    files |= {f"witnesses/{name}": text for name, text in theorem.witnesses.items()}
    if rocq is None:
        return check(theorem), files
    from orderproof.check.rocq.mark import by_rocq
    from orderproof.check.rocq.mark import files as for_rocq

    page = check(theorem, by_rocq(rocq, theorem))
    return page, files | {f"rocq/{f}": x for f, x in for_rocq(theorem).items()}


def taken(cache: Cache, name: str) -> Made | None:
    """A theorem's page and files from the cache, if they are there."""
    data = cache.load(KIND, name)
    if data is None:
        return None
    try:
        page, files = as_json.decode(data, CLASSES)
        if not isinstance(page, TheoremPage) or page.id != name:
            raise TypeError(f"given no page of {name}")
    except (TypeError, ValueError, KeyError) as error:
        cache.refuse(KIND, name, f"{type(error).__name__}: {error}")
        return None
    return page, files


def keep(cache: Cache, name: str, made: Made) -> None:
    """Keep a theorem that came out as declared. What failed, stayed open or broke down may come
    out otherwise with more time or memory, and is done again."""
    page, _ = made
    if not page.as_declared:
        return
    cache.store(KIND, name, as_json.encoded(made, CLASSES))


def said_kept(names: Sequence[str], cache: Cache | None, *, no_cache: bool) -> str:
    """How many of these theorems the next run will find in the cache."""
    if cache is None:
        return "no theorem is kept" + " (--no-cache)" * no_cache
    found = sum(cache.path(KIND, name).exists() for name in names)
    return f"{found} of {len(names)} theorems are kept"


def from_cache(cache: Cache | None, names: Iterable[str]) -> dict[str, str]:
    """Of these theorems those that were taken from the cache, and when each was checked."""
    made = cache.made if cache else {}
    return {name: made[key] for name in names if (key := f"{KIND} {name}") in made}


def _rank(name: str) -> int:
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)
