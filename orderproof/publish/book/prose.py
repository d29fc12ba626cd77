"""The chapters: prose in templates, rendered with functions that print what was checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jinja2
from jinja2 import nodes
from markupsafe import Markup

from orderproof._paths import PROOFS
from orderproof.proofs import catalogue

from .latex import SYNTAX
from .latex_text import prose
from .references import Names
from .theorems import BadChapter
from .typed import typed

KINDS = ("theorem", "lemma", "corollary", "proposition")
ENDS = ("proof", "end_proof")
STRESSED = r"\*([^*]+)\*"  # in an introduction
FOREIGN = r"[^A-Za-zÀ-ÖØ-öø-ž0-9\s.,:;?!()\[\]*“”’-]"  # in an introduction: what is no prose


@dataclass(frozen=True)
class Chapter(catalogue.Chapter):
    """A chapter with its text, a template."""

    source: str = ""

    def calls(self) -> Iterator[tuple[str, str]]:
        """The functions that it calls with a theorem's id, and the id, in order."""
        tree = jinja2.Environment(**SYNTAX).parse(self.source)
        for call in tree.find_all(nodes.Call):
            first = call.args[0] if call.args else None
            if isinstance(call.node, nodes.Name) and isinstance(first, nodes.Const):
                yield call.node.name, str(first.value)


def chapters() -> tuple[Chapter, ...]:
    """The chapters in order, each with the text in its folder."""
    return tuple(
        Chapter(
            **vars(c), source=(PROOFS / c.name / "chapter.tex.jinja").read_text(encoding="utf-8")
        )
        for c in catalogue.chapters()
    )


def kinds(found: Sequence[Chapter]) -> dict[str, str]:
    """As what each theorem is printed; BadChapter where one is printed twice."""
    result: dict[str, str] = {}
    for chapter in found:
        for function, name in chapter.calls():
            if function in KINDS:
                if name in result:
                    raise BadChapter(f"{chapter.name}: {name} is printed twice")
                result[name] = function
    return result


def faults(found: Sequence[Chapter], ids: Sequence[str]) -> list[str]:
    """What is wrong with the chapters: typed mathematics, in an introduction any sign that is no
    prose; a title or an introduction that is missing, or not printed once; other theorems than the
    chapter's, or another order; a theorem that none prints, or that is no theorem; one without
    proof, or with several that end."""
    wrong = [f"{c.name}: typed {text}" for c in found for text in typed(c.source)]
    for c in found:
        foreign = re.findall(FOREIGN, c.introduction) + ["*"] * (c.introduction.count("*") % 2)
        wrong += [f"{c.name}: {x!r} in its introduction" for x in foreign]
        calls = [c.source.count(f"<< {call}() >>") for call in ("title", "introduction")]
        if not (c.title and c.introduction and calls == [1, 1]):
            wrong.append(f"{c.name}: expected a title and an introduction, each printed once")
    stated = kinds(found)
    for c in found:
        here = tuple(name for function, name in c.calls() if function in KINDS)
        if here != c.theorems:
            wrong.append(f"{c.name}: prints {here}, expected its theorems {c.theorems}")
    wrong += [f"{name}: printed by no chapter" for name in ids if name not in stated]
    wrong += [f"{name}: no theorem of the catalogue" for name in stated if name not in ids]
    proved = [name for c in found for function, name in c.calls() if function in ENDS]
    wrong += [f"{name}: printed without a proof" for name in stated if name not in proved]
    wrong += [f"{name}: proved twice" for name in dict.fromkeys(proved) if proved.count(name) > 1]
    return wrong


def rendered(
    found: Sequence[Chapter], functions: dict[str, Callable[..., Any]], names: Names
) -> list[Markup]:
    """The LaTeX of each chapter. BadChapter names the chapter that asks for what there is not."""
    environment = jinja2.Environment(
        finalize=lambda value: names.tex(value).rstrip("\n"),  # the template's own line end follows
        **SYNTAX,
    )
    texts = []
    for chapter in found:
        try:
            own = functions | {"title": partial(names.tex, chapter.title)}
            own |= {"introduction": partial(_introduction, chapter)}
            template = environment.from_string(chapter.source, globals=own)
            texts.append(Markup(template.render()))
        except (BadChapter, jinja2.TemplateError, TypeError) as error:
            raise BadChapter(f"chapter {chapter.name}: {error}") from error
    return texts


def _introduction(chapter: Chapter) -> Markup:
    """The introduction of a chapter, with what is stressed in it."""
    parts = map(prose, re.split(STRESSED, chapter.introduction))
    stressed = Markup(r"\emph{{{}}}")
    return Markup("").join(stressed.format(x) if k % 2 else x for k, x in enumerate(parts))
