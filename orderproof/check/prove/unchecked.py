"""The page of a theorem, of which no mark is made: what `show` prints, without what checks."""

from __future__ import annotations

from collections.abc import Sequence

from orderproof.check.claims import TheoremFile
from orderproof.check.page import HEADLINE, UNCHECKED, ClaimPage, Formula, Mark, TheoremPage
from orderproof.publish.pages.definitions import planted, where
from orderproof.publish.pages.derivations import derivations
from orderproof.publish.pages.statements import for_all, given, stated
from orderproof.symbolic.statements.logic import LogicError, iff
from orderproof.symbolic.statements.statement import kind, scope
from orderproof.symbolic.statements.text import digest


def kinds(theorem: TheoremFile) -> list[str]:
    """What kind of statement each claim is; halves of an iff are checked to be that."""
    found = [kind(c.statement) for c in theorem.claims]
    for k, other in theorem.iffs:
        try:
            iff(theorem.claims[k].statement, theorem.claims[other].statement)
        except LogicError as error:
            raise ValueError(f"{theorem.id}: claims {k + 1} and {other + 1}: {error}") from error
        found[k], found[other] = "iff, if", "iff, only if"
    return found


def headline_page(name: str, mark: Mark, verdict: str) -> ClaimPage:
    """The claim of a headline, in the words of its file; its verdict is that of its one mark."""
    from orderproof.check.rocq.headlines import headline

    found = headline(name)
    return ClaimPage(
        Formula(found.latex, found.source), HEADLINE, "as it states", "proved", verdict, (mark,),
        found.digest, headline=name,
    )  # fmt: skip


def unchecked(theorem: TheoremFile) -> TheoremPage:
    """The page of a theorem with its derivation and its statements; its marks are those that its
    claims are declared to carry, undecided, since none is made."""
    pages = [
        ClaimPage(
            stated(claim, theorem), kind_, scope(claim.statement), claim.expected, UNCHECKED,
            tuple(Mark(name, None, 0.0, "declared") for name in claim.declared()),
            digest(claim.statement),
        )
        for claim, kind_ in zip(theorem.claims, kinds(theorem), strict=True)
    ]  # fmt: skip
    declared = Mark("rocq", None, 0.0, "declared")
    pages += [
        headline_page(name, declared, UNCHECKED) for name in (*theorem.headlines, *theorem.refuted)
    ]
    return page_of(theorem, pages, (), UNCHECKED)


def page_of(
    theorem: TheoremFile, claims: Sequence[ClaimPage], refusals: tuple[Mark, ...], verdict: str
) -> TheoremPage:
    """The page of a theorem whose claims, falsehood and whole came out so."""
    return TheoremPage(
        id=theorem.id,
        title=theorem.title,
        words=tuple((s.text, theorem.said_by(s)) for s in theorem.words),
        source=theorem.source,
        citations=theorem.citations,
        given=given(theorem) if theorem.claims else None,
        where=where(theorem) if theorem.claims else (),
        sections=derivations(theorem),
        claims=tuple(claims),
        neighbour=(planted(theorem), theorem.neighbour.reason) if theorem.neighbour else None,
        refusals=refusals,
        examples=theorem.examples,
        uses=theorem.uses,
        verdict=verdict,
        refuted=tuple(range(len(claims) - len(theorem.refuted), len(claims))),
        in_symbols=theorem.in_symbols,
        argument=theorem.argument,
        for_all=for_all(theorem) if theorem.claims else ((), ()),
    )
