"""The SMT certificates of a theorem: every obligation behind its marks, each a standalone file."""

from __future__ import annotations

from orderproof.check.claims import TheoremFile
from orderproof.check.marks.smt import Certified
from orderproof.publish.pages.statements import stated
from orderproof.symbolic.smt.certificate import ABOUT, MODEL
from orderproof.symbolic.smt.chain import Served
from orderproof.symbolic.smt.models_of_assumptions import model
from orderproof.symbolic.smt.obligation import Obligation, one_line


def served(theorem: TheoremFile) -> dict[Served, dict[Obligation, list[str]]]:
    """What the certificates of a theorem serve, and the claims that rest on each question."""
    found: dict[Served, dict[Obligation, list[str]]] = {}
    for claim in theorem.claims:
        check: object = claim.marks.get("smt")
        if check is None:
            continue
        if not isinstance(check, Certified):
            raise TypeError(f"{theorem.id}: an smt mark that does not tell its questions")
        for what, questions in check.served(claim.statement).items():
            for o in questions:
                claims = found.setdefault(what, {}).setdefault(o, [])
                claims.append(stated(claim, theorem).plain)
    return found


def questions(theorem: TheoremFile) -> dict[str, tuple[Obligation, dict[str, tuple[str, ...]]]]:
    """File name ↦ a question, and what its certificate says it is about: the lines of ABOUT. A
    question that several claims rest on is one file, which carries all their statements; of
    several with one name, those after the first have their number."""
    by_text: dict[tuple[object, ...], tuple[Obligation, list[Served], list[str]]] = {}
    for what, asked in served(theorem).items():
        for o, claims in asked.items():
            key = o.name, o.says, o.uses, o.text
            _, serves, said = by_text.setdefault(key, (o, [], []))
            serves.append(what)
            said += [c for c in claims if c not in said]
    found: dict[str, tuple[Obligation, dict[str, tuple[str, ...]]]] = {}
    for o, serves, said in by_text.values():
        lines = ([o.name], [theorem.id], [theorem.title], said, [what.line() for what in serves])
        about = {
            key: tuple(map(one_line, values)) for key, values in zip(ABOUT, lines, strict=True)
        }
        name, number = f"{theorem.id}_{o.name}", 1
        while f"{name}.smt2" in found:
            number += 1
            name = f"{theorem.id}_{o.name}_{number}"
        found[f"{name}.smt2"] = o, about
    return found


def certificates(theorem: TheoremFile) -> dict[str, str]:
    """File name ↦ SMT-LIB text, with values for which the assumptions hold."""
    found = questions(theorem).items()
    return {name: o.smtlib({**about, MODEL: model(o)}) for name, (o, about) in found}
