"""The command line: `orderproof COMMAND`, each with --help and an example.

Exit status: 0 all as declared; 1 a claim failed; 2 bad usage or input; 3 something stayed open.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table as RichTable

from orderproof import RELEASED, __version__
from orderproof.commands.audit import audit
from orderproof.commands.recheck import recheck
from orderproof.commands.search import search
from orderproof.commands.symmetry import symmetry
from orderproof.commands.table import table

OUT = click.option(
    "--out", type=click.Path(path_type=Path), default=Path("build"), show_default=True,
    help="Folder to write to.",
)  # fmt: skip
JOBS = click.option(
    "--jobs", type=click.IntRange(min=1), default=min(2, os.cpu_count() or 1), show_default=True,
    help="Processes to use.",
)  # fmt: skip
ROCQ = click.option(
    "--rocq", is_flag=True, help="Have Rocq check its development, and a certificate of each claim."
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, for a program.")
MISTAKES = (  # errors that say what a person got wrong: module and class
    ("orderproof.numeric.trained.checkpoint", "CheckpointError"),
    ("orderproof.numeric.groups.exact_matrix", "MatrixError"),
    ("orderproof.proofs.catalogue", "UnknownTheorem"),
    ("orderproof.proofs.prove.results", "OutputError"),
    ("orderproof.symbolic.schemes.tables", "SchemeError"),
    ("orderproof.symbolic.schemes.table_search", "SearchError"),
    ("orderproof.symbolic.witness.table_file", "WitnessError"),
)
FAILURES = (  # errors that say which of our own files a tool rejects
    ("orderproof.proofs.rocq.run", "RocqError"),
    ("orderproof.proofs.check.claims", "StuckError"),
)


class BadInput(click.ClickException):
    """What a person got wrong, in one line; exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """One line on standard error."""
        click.echo(f"orderproof: {self.format_message()}", file=file or sys.stderr)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="orderproof")
def cli() -> None:
    """What attention sees of the order of its tokens: proofs, and counterexamples."""


@cli.command(epilog="Example: orderproof prove self_attention_equivariant --out build")
@click.argument("ids", nargs=-1)
@OUT
@JOBS
@ROCQ
@JSON
def prove(ids: tuple[str, ...], out: Path, jobs: int, rocq: bool, as_json: bool) -> None:
    """Check the theorems (all, or those with these IDS); write results.json, the book's sources,
    certificates and counterexamples."""
    from orderproof.proofs import catalogue
    from orderproof.proofs.book import book
    from orderproof.proofs.prove import certificates, results, run

    names = catalogue.chosen(ids)
    results.writable(out)
    asked = _rocq(out) if rocq else None
    pages, files = _with_progress(
        "theorems", len(names), lambda d: run.prove(names, jobs, d, asked)
    )
    for name, text in files.items():
        results.write(out / name, text)
    certificates.record(out / "certificates", files, names)
    data = results.results(pages, asked)
    book.write_sources(pages, out, date=RELEASED)
    confirmed = _confirm(None) if not ids else None
    if confirmed is not None:
        results.write_json(out / "confirmation.json", _public(confirmed))
    results.write_json(out / "results.json", data)
    if as_json:
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        _show_pages(pages)
        if confirmed is not None:
            _show_confirmation(confirmed)
        elif not ids:
            click.echo("Trained encoder: skipped, no checkpoint (make models fetches one, 83 MB).")
        click.echo(f"Written to {out}: results.json, book.tex" + _folders(files))
    code = results.status(pages)
    sys.exit(1 if confirmed is not None and not confirmed.confirmed else code)


@cli.command("list", epilog="Example: orderproof list --json")
@JSON
def list_theorems(as_json: bool) -> None:
    """The catalogue: every theorem's id and title."""
    from orderproof.proofs import catalogue

    found = {name: catalogue.load(name) for name in catalogue.IDS}
    if as_json:
        rows = [
            {"id": t.id, "title": t.title, "words": [dataclasses.asdict(s) for s in t.words]}
            for t in found.values()
        ]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        for t in found.values():
            click.echo(f"{t.id}\n    {t.title}")


@cli.command(epilog="Example: orderproof show self_attention_equivariant --entries 2")
@click.argument("name", metavar="ID")
@click.option(
    "--entries", type=click.IntRange(1, 4), help="Every entry of both sides, this many tokens."
)
def show(name: str, entries: int | None) -> None:
    """One theorem: its statement, derivation and marks."""
    from orderproof.commands import terminal
    from orderproof.proofs import catalogue
    from orderproof.proofs.prove import results, run

    (chosen,) = catalogue.chosen([name])
    page, _ = run.prove_one(chosen)
    click.echo(terminal.theorem(page))
    if entries:
        click.echo(terminal.entries(catalogue.load(chosen), entries))
    sys.exit(results.status([page]))


cli.add_command(search)


@cli.command(epilog="Example: orderproof replay build/witnesses/learned-n2-d1.json")
@click.argument("file", type=click.Path(path_type=Path))
@JSON
def replay(file: Path, as_json: bool) -> None:
    """Recheck a saved counterexample, with no solver loaded."""
    from orderproof.symbolic.witness.replay import replay_file as recheck

    outcome = recheck(file)
    if as_json:
        click.echo(
            json.dumps({"file": str(file), "status": outcome.status, "reason": outcome.reason})
        )
    else:
        word = "confirmed" if outcome.ok else "REFUTED"
        click.echo(f"{word}: {outcome.witness.claim if outcome.ok else outcome.reason}")
    sys.exit(0 if outcome.ok else 1)


@cli.command(epilog="Example: orderproof confirm --model models/all-MiniLM-L6-v2")
@click.option(
    "--model", type=click.Path(path_type=Path), help="Folder of a BERT-family checkpoint."
)
@JSON
def confirm(model: Path | None, as_json: bool) -> None:
    """Two sentences with the same words through a trained encoder, with its position table and
    without it."""
    found = _confirm(model)
    if found is None:
        raise BadInput(
            "no checkpoint: given none and none installed, expected --model DIR or make models"
        )
    if as_json:
        click.echo(json.dumps(_public(found), ensure_ascii=False, indent=2, allow_nan=False))
    else:
        _show_confirmation(found)
    sys.exit(0 if found.confirmed else 1)


@cli.command(epilog="Example: orderproof book --out build")
@OUT
@JOBS
@ROCQ
def book(out: Path, jobs: int, rocq: bool) -> None:
    """Build the book: book.html, and book.pdf where pdflatex and bibtex are installed."""
    from orderproof.proofs import catalogue
    from orderproof.proofs.book import book as make
    from orderproof.proofs.book import position_chapter
    from orderproof.proofs.prove import results, run
    from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES

    results.writable(out)
    names = catalogue.chosen(())
    asked = _rocq(out) if rocq else None
    pages, _ = _with_progress("theorems", len(names), lambda d: run.prove(names, jobs, d, asked))
    positions = _with_progress(
        "schemes", len(POSITION_SCHEMES), lambda d: position_chapter.computed(jobs, d)
    )
    try:
        for line in make.build(pages, out, date=RELEASED, positions=positions):
            click.echo(line)
    except make.TypesettingFailed as failed:
        click.echo(f"PDF: {failed}", err=True)
        sys.exit(1)
    sys.exit(results.status(pages) or positions.status)


cli.add_command(audit)


cli.add_command(recheck)


cli.add_command(symmetry)


cli.add_command(table)


# ------------------------------------------------------------------------------------- output
def _with_progress(what: str, total: int, work: Any) -> Any:
    """Run `work` with a callback that advances a bar on a terminal, and nothing elsewhere."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=total)
        return work(lambda page: bar.advance(task))


def _rocq(out: Path) -> Any:
    """Rocq's development, compiled below `out`; bad usage where Rocq is not installed."""
    from orderproof.proofs.prove import results
    from orderproof.proofs.rocq import run as rocq_run
    from orderproof.proofs.rocq.mark import open_library

    if not rocq_run.installed():
        raise BadInput(
            "--rocq: no coqc with MathComp found, expected the Debian packages coq and "
            "libcoq-mathcomp-algebra"
        )
    return open_library(results.writable(out / "rocq" / "compiled"))


def _show_pages(pages: Sequence[Any]) -> None:
    table = RichTable(box=None, pad_edge=False, header_style="bold")
    for column in ("theorem", "verdict", "claims", "marks"):
        table.add_column(column, overflow="fold")
    for page in pages:
        names = dict.fromkeys(m.mark for c in page.claims for m in c.marks)
        shown = ", ".join(_carried(page, name) for name in names)
        proved = sum(c.verdict == c.expected for c in page.claims)
        table.add_row(page.id, page.verdict, f"{proved}/{len(page.claims)}", shown)
    console = Console(width=None if sys.stdout.isatty() else 100, highlight=False)
    console.print(table)
    for page in pages:
        for claim in page.claims:
            for m in claim.marks:
                if m.ok is not True:
                    word = "failed" if m.ok is False else "undecided"
                    click.echo(f"{page.id}: {claim.statement.plain}: {m.mark} {word}: {m.detail}")
    claims = [c for page in pages for c in page.claims]
    good = sum(c.verdict == c.expected for c in claims)
    click.echo(f"{len(pages)} theorems, {good} of {len(claims)} claims as declared")


def _carried(page: Any, name: str) -> str:
    """A mark with the number of claims that carry it, where not all do, or that it failed."""
    marks = [m for c in page.claims for m in c.marks if m.mark == name]
    if not all(m.ok for m in marks):
        return f"{name} {'FAILED' if any(m.ok is False for m in marks) else 'open'}"
    return name if len(marks) == len(page.claims) else f"{name} {len(marks)}/{len(page.claims)}"


def _folders(files: dict[str, str]) -> str:
    kinds = sorted({name.partition("/")[0] for name in files})
    return "".join(f", {kind} ({sum(n.startswith(kind + '/') for n in files)})" for kind in kinds)


def _confirm(model: Path | None) -> Any:
    from orderproof.numeric.trained import confirm as numeric

    folder = numeric.find_checkpoint(model)
    return None if folder is None else numeric.confirm(folder)


def _public(confirmation: Any) -> dict[str, Any]:
    """The confirmation without the place of the checkpoint on this machine."""
    data = dict(confirmation.to_json())
    data["model"] = "/".join(Path(data["model"]).parts[-2:])
    return data


def _show_confirmation(c: Any) -> None:
    first, second = (" ".join(t for t in x if not t.startswith("[")) for x in (c.first, c.second))
    click.echo(f"Trained encoder: “{first}” against “{second}”")
    runs = [
        (name, dtype, getattr(comparison, dtype))
        for name, comparison in (("with", c.with_positions), ("without", c.without_positions))
        for dtype in ("float64", "float32")
    ]
    table = RichTable(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for column in ("difference of token", *(f"{name}, {dtype}" for name, dtype, _ in runs)):
        table.add_column(column)
    for k, token in enumerate(c.first):
        table.add_row(token, *(f"{m.per_token[k]:.3g}" for _, _, m in runs))
    table.add_row("largest", *(f"{m.largest:.3g}" for _, _, m in runs))
    table.add_row("cosine of the pooled", *(f"{m.cosine:.9f}" for _, _, m in runs))
    Console(width=None if sys.stdout.isatty() else 100, highlight=False).print(table)
    click.echo(
        f"With its position table it {c.with_positions.verdict}; with the table zeroed it is "
        f"{c.without_positions.verdict}."
    )


def _loaded(errors: Sequence[tuple[str, str]]) -> tuple[type[Exception], ...]:
    """Of these errors those that may have been raised. One that was comes from a module that is
    loaded; none is loaded for this, so that `replay` stays without a solver."""
    return tuple(getattr(sys.modules[m], name) for m, name in errors if m in sys.modules)


def main() -> None:
    """The entry point: one line, and status 2 for what a person got wrong, 1 for a failure."""
    try:
        cli(args=sys.argv[1:] or ["--help"], standalone_mode=False)
    except click.ClickException as e:
        BadInput(" ".join(e.format_message().split())).show()
        sys.exit(2)
    except click.Abort:
        sys.exit(130)
    except Exception as e:
        if not isinstance(e, _loaded((*MISTAKES, *FAILURES))):
            raise
        BadInput(" ".join(str(e).split())).show()
        sys.exit(1 if isinstance(e, _loaded(FAILURES)) else 2)


if __name__ == "__main__":
    main()
