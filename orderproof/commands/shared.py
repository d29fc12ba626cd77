"""What the commands share: options, the one line about a mistake, a progress bar."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from orderproof.symbolic.counting import indices

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
JSON = click.option(
    "--json", "as_json", is_flag=True,
    help="Print JSON, for a program; it counts tokens, rows and columns from 0.",
)  # fmt: skip


class BadInput(click.ClickException):
    """What a person got wrong, in one line; exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """One line on standard error."""
        click.echo(f"orderproof: {self.format_message()}", file=file or sys.stderr)


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Callable[..., None]]:
    """A bar on a terminal, and nothing elsewhere; the function that is yielded advances it by one,
    whatever it is given."""
    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=total)
        yield lambda *_: bar.advance(task)


def permutation(text: str, n: int) -> tuple[int, ...]:
    """The indices of a permutation that a person gives as σ(1), …, σ(n), or as JSON counts them."""
    try:
        found = indices([int(part) for part in text.split(",")], n)
    except ValueError:
        found = None
    if found is None:
        raise click.UsageError(
            f"--sigma: given {text[:40]!r}, expected a permutation of 1, …, {n}, as 2,1,3 for n = 3"
        )
    return found


def console(width: int = 100) -> Console:
    """Where tables go: as wide as the terminal, and of this width in a pipe."""
    return Console(width=None if sys.stdout.isatty() else width, highlight=False)


def rocq_library(out: Path) -> Any:
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
