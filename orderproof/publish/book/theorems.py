"""The functions by which a chapter prints theorems: everything that they set is read from the
pages of checked theorems.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from markupsafe import Markup

from orderproof.check.page import RECORDED, ClaimPage, Formula, Section, TheoremPage
from orderproof.check.rocq.headlines import headline as in_rocq
from orderproof.symbolic.counting import count

from . import displays, evidence
from . import hypotheses as apart
from .latex_text import code, width, words
from .references import Names

NOTATION = "self_attention_equivariant"  # whose definitions chapter 2 gives once for all
LONG = 150  # letters: of quantifiers that are told in words


class BadChapter(ValueError):
    """A chapter asks for what there is not: one line that says which and what was expected."""


class Theorems:
    """Theorems, claims, proofs, examples and variants by the id of their theorem."""

    def __init__(self, pages: Sequence[TheoremPage], names: Names) -> None:
        self.pages: Mapping[str, TheoremPage] = {page.id: page for page in pages}
        self.names = names
        known = self.pages.get(NOTATION)
        self.known = frozenset(part for f in known.where for part in _each(f)) if known else ()

    def functions(self) -> dict[str, Callable[..., Markup]]:
        """What a chapter's template may call."""
        kinds = ("theorem", "lemma", "corollary", "proposition")
        return {kind: self._stating(kind) for kind in kinds} | {
            "proof": self.proof, "begin_proof": self.begin_proof, "end_proof": self.end_proof,
            "variant": self.variant, "example": self.example, "claim": self.claim,
            "inline": self.inline, "where": self.where, "section": self.section,
            "said": self.said, "remarks": self.remarks, "open_claims": self.open_claims,
            "headline": self.headline, "ref": self.ref,
            "hypotheses": self.hypotheses, "conclusions": self.conclusions,
        }  # fmt: skip

    # ---------------------------------------------------------------------------- what is stated
    def _stating(self, kind: str) -> Callable[..., Markup]:
        def state(
            name: str,
            *,
            claims: Sequence[int] | None = None,
            where: bool = True,
            given: bool | str = True,
            letters_of: str = "",
        ) -> Markup:
            """The theorem in its environment: what is said, for all what, the claims, and what
            their letters stand for, if neither chapter 2 nor the theorem `letters_of` says it."""
            page = self._page(name)
            chosen = [(k, c) for k, c in enumerate(page.claims, 1) if claims is None or k in claims]
            displayed = [(k, c) for k, c in chosen if not c.headline]
            body = [self.said(name)]
            if displayed and given and page.given:
                body.append(self._quantified(page.given, short=given == "short"))
            several = len(page.claims) > 1
            body += self._claims([(f"({k})" if several else "", c) for k, c in displayed])
            if displayed and where:
                body += self._meaning(page, letters_of)
            there = [(f"({k}) " if several else "", c) for k, c in chosen if c.headline]
            body += [self._headlines(there)]
            begin = Markup("\\begin{{{}}}[{{{}}}]\\label{{thm:{}}}\n")
            title = self.names.title(page)
            return Markup("{}{}\n\\end{{{}}}\n").format(
                begin.format(kind, words(title), Markup(name)),
                Markup("\n").join(b for b in body if b),
                kind,
            )

        return state

    @staticmethod
    def _claims(numbered: Sequence[tuple[str, ClaimPage]]) -> list[Markup]:
        """Claims displayed; what all of them assume alike is said once."""
        under = apart.shared([c for _, c in numbered]) if numbered else []
        if not under:
            return displays.together([(mark, c.statement) for mark, c in numbered])
        told = Markup("If {}, then").format(Markup(", ").join(map(displays.inline, under)))
        return [told, *displays.together([(mark, apart.conclusion(c)) for mark, c in numbered])]

    def _meaning(self, page: TheoremPage, letters_of: str) -> list[Markup]:
        """What letters stand for, where neither chapter 2 nor that theorem says it."""
        before = self._own(self._page(letters_of)) if letters_of else []
        own = [f for f in self._own(page) if f not in before]
        said = []
        if before:
            said.append(Markup("with letters as in {}").format(self.ref(letters_of)))
        if own:
            shown = Markup("").join(displays.together([("", f) for f in own]))
            said.append(Markup("where{}").format(shown))
        joined = Markup(", and ").join(said) + ("" if own else ".")
        return [Markup("\\noindent {}").format(joined)] if said else []

    def _own(self, page: TheoremPage) -> list[Formula]:
        """What letters stand for, where chapter 2 does not say it."""
        return [f for whole in page.where for f in _each(whole) if f not in self.known]

    def _headlines(self, numbered: Sequence[tuple[str, ClaimPage]]) -> Markup:
        if not numbered:
            return Markup("")
        named = Markup(", ").join(Markup(mark) + code(c.headline) for mark, c in numbered)
        return Markup("Stated in Rocq as {}.").format(named)

    def _quantified(self, given: Formula, *, short: bool) -> Markup:
        parts = displays.apart(given)
        long = short or sum(width(part) for part in parts) > LONG
        if long:
            there = any(r"\exists" in p for p in parts)
            kept = [parts[0], *(p for p in parts if r"\in S_" in p)]
            tensors = Markup("{} tensors of the shapes that the formulas ask")
            first, *others = (self._quantifier(p) for p in kept)
            told = [first, tensors.format("there are" if there else "all"), *others]
            return Markup("{}{}").format(Markup(", ").join(told), ":" if there else ".")
        return Markup(", ").join(self._quantifier(p) for p in parts) + Markup(":")

    @staticmethod
    def _quantifier(part: str) -> Markup:
        """For all n, d; or: there are X."""
        before = ""
        for sign, spoken in ((r"\forall\;", "For all "), (r"\exists\;", "there are ")):
            if part.startswith(sign):
                before, part = spoken, part.removeprefix(sign)
        return Markup("{}{}").format(before, displays.inline(Formula(part, "")))

    def said(self, name: str) -> Markup:
        """The sentences that claims say."""
        return self.names.tex(self._page(name).said)

    def remarks(self, name: str) -> Markup:
        """The sentences that no claim says."""
        return self.names.tex(self._page(name).remarks)

    def open_claims(self) -> Markup:
        """Which claims came out other than declared, or stayed open, or rest on an argument on
        paper; how many are recorded from Rocq."""
        claims = [(page, c) for page in self.pages.values() for c in page.claims]
        weak = ("paper", "conjecture")
        named = {
            "stayed open or came out other than declared": [
                page.id for page, c in claims if not c.as_declared
            ],
            "rest on an argument on paper or are conjectures": [
                page.id for page, c in claims if any(m.mark in weak for m in c.marks)
            ],
        }
        said = []
        for what, ids in named.items():
            theorems = Markup(", ").join(self.ref(name) for name in dict.fromkeys(ids))
            said.append(Markup("{} {} {}{}.").format(
                str(len(ids)) if ids else "No", "claims" if len(ids) != 1 else "claim", what,
                Markup(": ") + theorems if ids else "",
            ))  # fmt: skip
        if kept := sum(c.verdict == RECORDED for _, c in claims):
            said.append(words(
                f"Rocq alone proves {count(kept, 'claim')}, and was not run for this copy: what it "
                "said is recorded."
            ))  # fmt: skip
        return Markup(" ").join(said)

    def claim(self, name: str, number: int) -> Markup:
        """A claim (counted from 1) on a line of its own."""
        return displays.displayed(self._claim(name, number).statement)

    def hypotheses(self, name: str, number: int, *besides: int) -> Markup:
        """The hypotheses of a claim that these others do not have; of two that say the same of
        tensors and of their primed twins, the first."""
        others = [self._claim(name, k) for k in besides]
        found = apart.hypotheses(self._claim(name, number), others)
        if not found:
            raise BadChapter(f"hypotheses({name}, {number}): given a claim with none of its own")
        return Markup("").join(displays.together([("", f) for f in found]))

    def conclusions(self, name: str, *numbers: int) -> Markup:
        """What these claims say under their hypotheses."""
        found = [(f"({k})", apart.conclusion(self._claim(name, k))) for k in numbers]
        return Markup("").join(displays.together(found))

    def inline(self, name: str, number: int) -> Markup:
        """A claim (counted from 1) in a line of text."""
        return displays.inline(self._claim(name, number).statement)

    def where(self, name: str, *only: str) -> Markup:
        """What the letters stand for, displayed; of these letters alone, if any are given."""
        found: dict[Formula, None] = {}
        for letter in only or ("",):
            start = re.compile(rf"{re.escape(letter)}(?!\w)" if letter else "")
            told = [f for f in self._page(name).where if re.match(start, f.plain)]
            if not told:
                raise BadChapter(f"where({name}): given {letter}, expected a letter it defines")
            found |= dict.fromkeys(told)
        return Markup("").join(displays.together([("", f) for f in found]))

    # ----------------------------------------------------------------------------------- proofs
    def proof(
        self, name: str, *, sections: Sequence[str] | None = None, asides: bool = False
    ) -> Markup:
        """The derivation, all of it or of these letters, in a proof environment; of a theorem
        without one, by what it is proved."""
        page = self._page(name)
        shown = self._sections(page, sections) if sections else list(page.sections)
        body = Markup("").join(
            Markup("\\chaintitle{{{}}}\n{}").format(
                words(s.title), displays.chain(s, self.names.tex, asides=asides)
            )
            for s in shown
        ) or self.names.tex(evidence.settled_by(page))  # fmt: skip
        return Markup("{}{}{}").format(self.begin_proof(), body, self.end_proof(name))

    def begin_proof(self) -> Markup:
        """A proof whose words the chapter gives."""
        return Markup("\\begin{proof}\n")

    def end_proof(self, name: str) -> Markup:
        """By what the claims were checked, and the end of the proof."""
        line = evidence.line(self._page(name))
        return Markup("\\checkedby{{{}}}\n\\end{{proof}}\n").format(words(line))

    def section(self, name: str, letter: str, *, asides: bool = False) -> Markup:
        """One chain of a derivation, that of Z, say, without a proof around it."""
        (found,) = self._sections(self._page(name), [letter])
        return displays.chain(found, self.names.tex, asides=asides)

    def _sections(self, page: TheoremPage, letters: Iterable[str]) -> list[Section]:
        by_letter = {displays.left_side(s.lines[0]): s for s in page.sections}
        by_letter |= {s.title: s for s in page.sections}
        if unknown := [x for x in letters if x not in by_letter]:
            known = ", ".join(by_letter) or "none"
            raise BadChapter(f"{page.id}: given section {unknown[0]}, expected one of: {known}")
        return [by_letter[x] for x in letters]

    # ------------------------------------------------------------------------- what is beside them
    def variant(self, name: str) -> Markup:
        """The false variant of a theorem, why it fails, and which checks refuse it."""
        page = self._page(name)
        if page.neighbour is None:
            raise BadChapter(f"variant({name}): given a theorem without one")
        false, why = page.neighbour
        return Markup(
            "\\begin{{remark}}[a false variant]\nThis variant of {} is {}:\n{}{}\n\\end{{remark}}\n"
        ).format(
            self.ref(name), words(page.refused), displays.displayed(false), self.names.tex(why)
        )

    def example(self, name: str, number: int) -> Markup:
        """A worked example (counted from 1)."""
        examples = self._page(name).examples
        if not 1 <= number <= len(examples):
            raise BadChapter(f"example({name}): given {number}, there are {len(examples)}")
        chosen = examples[number - 1]
        return Markup("\\begin{{example}}[{{{}}}]\n{}\\end{{example}}\n").format(
            words(chosen.title), displays.parts(chosen, self.names.tex)
        )

    def headline(self, name: str) -> Markup:
        """A theorem of Rocq, letter by letter."""
        return Markup("{{\\rocqsize\n{}\n}}\n").format(Markup(in_rocq(name).latex))

    def ref(self, name: str) -> Markup:
        """Theorem 3.4: a theorem by its number."""
        self._page(name)
        return self.names.ref(name)

    # --------------------------------------------------------------------------------------------
    def _page(self, name: str) -> TheoremPage:
        if name not in self.pages:
            raise BadChapter(f"given {name}, expected the id of a theorem")
        return self.pages[name]

    def _claim(self, name: str, number: int) -> ClaimPage:
        claims = self._page(name).claims
        if not 1 <= number <= len(claims):
            raise BadChapter(f"{name}: given claim {number}, there are {len(claims)}")
        return claims[number - 1]


def _each(f: Formula) -> list[Formula]:
    """The definitions that stand in one line: Q = X W_Q, K = X W_K."""
    return [Formula(part, part) for part in f.latex.split(r", \quad ")]
