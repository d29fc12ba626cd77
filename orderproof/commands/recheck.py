"""`orderproof recheck`: the certificates of a folder, by every solver that is found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderproof.symbolic.ending import end

from .help_text import Command
from .shared import FOLDER, JSON, Seconds, console, plain_table, progress

if TYPE_CHECKING:
    from orderproof.symbolic.smt.recheck import Report

LONGEST = 3600  # seconds for one question


@click.command(
    cls=Command,
    statuses={
        0: "every solver proves every file",
        1: "one is refuted or vacuous, or the solvers disagree",
        2: "bad usage or input, or a certificate of another question",
        3: "a time-out, an unknown, a missing file, or with --independent no second solver",
    },
    examples={
        "recheck build/certificates": "what prove wrote",
        "recheck build/certificates --independent": "the same, by two solvers at least",
    },
)
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option("--timeout", type=Seconds(LONGEST), default=60.0,
              show_default=True, help="Seconds until a solver is stopped.")  # fmt: skip
@click.option("--solver", type=click.Choice(["z3", "cvc5"]), help="Ask this one alone.")
@click.option("--independent", is_flag=True, help="Ask for two solvers: with one, exit status 3.")
@JSON
def recheck(
    folder: Path, timeout: float, solver: str | None, independent: bool, as_json: bool
) -> None:
    """Recheck SMT certificates, with every solver that is found.

    DIR is what prove wrote. A file is checked against the statement that it carries, and this
    against the catalogue. Of each theorem that is named, every certificate must be there.
    """
    if solver and independent:
        raise click.UsageError(
            f"--independent: given with --solver {solver}, expected one of the two options"
        )
    from orderproof.symbolic.smt.certificate import CertificateError
    from orderproof.symbolic.smt.recheck import recheck as run

    try:
        with progress("answers", None) as advance:
            report = run(folder, timeout, _known, solver, advance, independent=independent)
    except CertificateError as error:
        raise click.ClickException(str(error)) from None
    others = len(_on_solvers() - {row.says.get("theorem") for row in report.rows})
    if as_json:
        data = {**report.to_json(), "theorems without certificates here": others}
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        _show(report)
        if others:
            click.echo(f"Of {others} other theorems with SMT marks no certificate is here.")
    end(report.ending)


def _known(theorem: str) -> Mapping[str, Mapping[str, tuple[str, ...]]] | None:
    """What the certificates of a theorem of the catalogue are about, by file name."""
    from orderproof.check.prove.certificates import questions
    from orderproof.proofs import catalogue

    if theorem not in catalogue.IDS:
        return None
    return {name: about for name, (_, about) in questions(catalogue.load(theorem)).items()}


@cache
def _on_solvers() -> frozenset[str | None]:
    """The theorems of the catalogue that rest on solvers."""
    from orderproof.proofs import catalogue

    loaded = {name: catalogue.load(name).claims for name in catalogue.IDS}
    return frozenset(
        name for name, claims in loaded.items() if any("smt" in c.marks for c in claims)
    )


def _show(report: Report) -> None:
    """The table of verdicts and times, a line for each file that is not checked, the totals."""
    from orderproof.symbolic.smt.recheck import INSTALL

    table = plain_table()
    table.add_column("certificate", overflow="fold")
    table.add_column("verdict")
    for solver in report.solvers:
        table.add_column(f"{solver.name} {solver.version}", justify="right")
    for row in report.rows:
        times = [row.answers.get(s.name) for s in report.solvers]
        cells = [f"{a.word} {1000 * a.seconds:.0f} ms" if a else "" for a in times]
        table.add_row(row.file, row.verdict, *cells)
    console(120).print(table)
    for row in report.rows:
        if row.verdict != "checked":
            click.echo(f"{row.file}: {row.verdict}: {row.reason}")
    if not report.recorded:
        click.echo(
            "No MANIFEST.json: each file here was judged by its own text; whether they are the "
            "files that prove wrote, and all of them, is not known."
        )
    if len(report.solvers) < 2 and not report.named:
        click.echo(
            f"Asked one solver alone, {report.solvers[0].name}. For a second, by other authors: "
            f"{INSTALL}"
        )
    count = sum(row.verdict == "checked" for row in report.rows)
    names = " and ".join(s.name for s in report.solvers)
    click.echo(
        f"{count} of {len(report.rows)} certificates checked by {names}, {report.seconds:.2f} s"
    )
