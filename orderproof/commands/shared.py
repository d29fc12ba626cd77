"""What the commands share: options, the one line about a mistake, a progress bar."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orderproof.symbolic.counting import count, indices

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Shown

    from orderproof.check.prove.cache import Cache
    from orderproof.check.prove.results import RocqRun
    from orderproof.numeric.groups.bias_matrices import Position, Table
    from orderproof.numeric.groups.exact_matrix import Exact


class Name(click.Path):
    """The name of a file or folder of some kind; not an empty one, which would be the current
    folder's."""

    def __init__(self, kind: str) -> None:
        super().__init__(path_type=Path)
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A path."""
        if not os.fspath(value):
            self.fail(f"given an empty name, expected a {self.kind}", param, ctx)
        return super().convert(value, param, ctx)


class Seconds(click.FloatRange):
    """A time limit above 0, and no longer than so many seconds."""

    def __init__(self, longest: float) -> None:
        super().__init__(0, longest, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A number, which is not NaN: that would be in every range."""
        seconds = super().convert(value, param, ctx)
        if math.isnan(seconds):
            self.fail(f"given {value}, expected a number of seconds", param, ctx)
        return seconds


class Output(Name):
    """The name of a folder to write to; OutputError, before any work, where none can be there."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A path."""
        from orderproof.check.prove.results import possible

        return possible(super().convert(value, param, ctx))


FILE, FOLDER, OUTPUT = Name("file to read"), Name("folder to read"), Output("folder to write to")
WIDTH = 80  # columns of what is printed for people

OUT = click.option(
    "--out", type=OUTPUT, default=Path("build"), show_default=True,
    help="Folder to write to.",
)  # fmt: skip
JOBS = click.option(
    "--jobs", type=click.IntRange(1, 1024), default=min(2, os.cpu_count() or 1),
    show_default="2, or 1 on one processor", help="Processes to use.",
)  # fmt: skip


def _address(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
    """The address of a scheduler, refused before anything is written."""
    if given is None:
        return None
    from orderproof.check.prove.executor import address

    return address(given)


SCHEDULER = click.option(
    "--scheduler", metavar="ADDRESS", callback=_address,
    help="Dask scheduler on whose workers to run, as tcp://10.0.0.1:8786.",
)  # fmt: skip
ROCQ = click.option(
    "--rocq", is_flag=True, help="Have Rocq check its development, and a certificate of each claim."
)
JSON = click.option(
    "--json", "as_json", is_flag=True,
    help="Print JSON, for a program; it counts tokens, rows and columns from 0.",
)  # fmt: skip

VARIABLE = "ORDERPROOF_CACHE"  # names a folder for the cache
CACHE = (
    click.option("--cache", type=OUTPUT, metavar="DIR",
                 help=f"Folder for finished work; by default ${VARIABLE}, or one of the user's."),
    click.option("--no-cache", is_flag=True, help="Do all work now, and keep none of it."),
)  # fmt: skip


def _sizes(_: click.Context, option: click.Parameter, text: str | None) -> Any:
    """One size, or several."""
    try:
        sizes = None if text is None else tuple(int(part) for part in text.split(","))
    except ValueError:
        wanted = "numbers with commas, as 2 or 2,2,3"
        given = f"given {(text or '')[:40]!r}, expected {wanted}"
        raise click.UsageError(f"{option.opts[0]}: {given}") from None
    return sizes[0] if sizes and len(sizes) == 1 else sizes


PARAMETERS = (
    click.option("--window", type=int, help="Width w of a window (window, window-causal)."),
    click.option("--prefix", type=int, help="Length p of a prefix."),
    click.option("--clip", type=int, help="Largest offset k that is not clipped (shaw)."),
    click.option("--blocks", metavar="SIZE", callback=_sizes,
                 help="Size s of blocks or documents; of symmetry, distinguish also 2,2,3."),
    click.option("--columns", type=int, help="Columns c of a plane of tokens (relative-2d)."),
)  # of schemes: OPTIONS of symbolic/schemes/definitions.py  # fmt: skip
FILES = (
    click.option("--bias", type=FILE, help="Score bias n×n, or heads of it: .npy, .json, .csv."),
    click.option(
        "--mask",
        type=FILE,
        help="1 or true where token i may attend to token j (torch's True may mean the opposite).",
    ),
    click.option("--table", type=FILE, help="Position table n×d, added to the tokens."),
)  # of position terms


Command = Callable[..., None]


def _all(options: Sequence[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """Several options of a command as one decorator."""

    def decorated(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


def _version(ctx: click.Context, option: click.Parameter, given: bool) -> None:
    """The version; with --verbose also what runs. Called for both options, in either order."""
    asked = ctx.meta.setdefault("orderproof.version", {})
    asked[option.name] = given
    if len(asked) < 2 or not any(asked.values()):
        return
    if not asked["version"]:
        raise click.UsageError("--verbose: given alone, expected with --version")
    from orderproof import __version__

    click.echo(f"orderproof, version {__version__}")
    if asked["verbose"]:
        from orderproof import source_tree

        click.echo(f"source tree: {source_tree.identifier() or UNKNOWN_TREE}")
    ctx.exit()


UNKNOWN_TREE = "unknown, neither in a checkout of git nor noted by a build"
VERSION = tuple(
    click.option(
        name, is_flag=True, is_eager=True, expose_value=False, callback=_version, help=says
    )
    for name, says in (
        ("--version", "Print the version."),
        ("--verbose", "With --version: and the Software Heritage identifier of the source tree."),
    )
)
scheme_parameters, position_files, cached = _all(PARAMETERS), _all(FILES), _all(CACHE)
version_options = _all(VERSION)


def given_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def opened_cache(folder: Path | None, no_cache: bool, *, rocq: bool = False) -> Cache | None:
    """The cache that a person asked for, or the user's; None where it is not wanted, or the user's
    cannot be written."""
    if no_cache and folder is not None:
        raise click.UsageError("--no-cache: given with --cache, expected one of the two")
    if no_cache:
        return None
    import platformdirs

    from orderproof.check.prove.basis import basis
    from orderproof.check.prove.cache import Cache
    from orderproof.check.prove.results import OutputError, writable

    named = folder or os.environ.get(VARIABLE)
    usual = platformdirs.user_cache_path("orderproof", appauthor=False)
    try:
        place = writable(Path(named or usual))
    except OutputError as error:
        if named:
            raise
        click.echo(f"orderproof: no cache: {error}", err=True)
        return None
    return Cache(place, basis(rocq))


def told_troubles(cache: Cache | None) -> None:
    """A line for each entry that was not taken, or could not be kept."""
    for line in cache.trouble if cache else ():
        click.echo(f"orderproof: cache: {' '.join(line.split())}", err=True)


@dataclass(frozen=True)
class PositionTerms:
    """The position terms that a person asked for: a scheme, a table, or heads of a bias; their
    name, what is said after it, and what files of witnesses call them."""

    name: str
    says: str
    source: str
    scheme: Position | None = None
    table: Table = ()
    heads: Sequence[Exact] = ()


def position_terms(
    one: str, scheme: str | None, bias: Path | None, mask: Path | None, table: Path | None,
    **parameters: Any,
) -> PositionTerms:  # fmt: skip
    """The terms of these options; `one` says which are needed for a scheme. A line warns of a bias
    that may mean a mask, as −1e9 often does."""
    from orderproof.numeric.groups import bias_matrices, exact_matrix

    if sum([scheme is not None, bias is not None or mask is not None, table is not None]) != 1:
        raise click.UsageError(
            f"given none or several, expected one of {one}, --bias and --mask, or --table"
        )
    given = given_of(parameters)
    if scheme is not None:
        if "n" not in given:
            raise click.UsageError(
                "--scheme: given without --n, expected with the number of tokens"
            )
        found = bias_matrices.position(scheme, **given)
        of, regime = found.scheme, f", {found.regime}" if found.regime else ""
        says = f"{regime}: {of.says} ({of.paper})"
        return PositionTerms(of.name, says, of.name + regime, scheme=found)
    if given:
        raise click.UsageError(
            f"{', '.join(f'--{k}' for k in given)}: given without --scheme, expected with it"
        )
    if table is not None:
        rows = exact_matrix.read_table(table)
        says = ": a table that is added to the tokens"
        return PositionTerms(table.name, says, table.name, table=rows)
    heads = [] if bias is None else exact_matrix.read(bias)
    if mask is None and any(exact_matrix.has_fills(head) for head in heads):
        click.echo(
            f"orderproof: {bias}: entries below -1e4 are read as numbers, not as −∞; pass --mask",
            err=True,
        )
    allowed = [] if mask is None else exact_matrix.read_mask(mask)
    heads = exact_matrix.with_masks(heads, allowed)
    name = " with ".join(p.name for p in (bias, mask) if p is not None)
    return PositionTerms(name, f", {count(len(heads), 'head')}", name, heads=heads)


class BadInput(click.ClickException):
    """What a person got wrong, in one line; exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """One line on standard error."""
        click.echo(f"orderproof: {self.format_message()}", file=file, err=True)


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Callable[..., None]]:
    """A bar on a terminal, and nothing elsewhere; the function that is yielded advances it by one,
    whatever it is given."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

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


def say(text: str) -> None:
    """Print a paragraph in 80 columns; its later lines are set in."""
    from orderproof.publish.to_text import wrapped

    said = text.lstrip()
    click.echo("\n".join(wrapped(said, indent=" " * (len(text) - len(said)), hang="  ")))


def console(width: int = 100) -> Console:
    """Where tables go: as wide as the terminal, and of this width in a pipe."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else width, highlight=False)


def plain_table(**more: Any) -> Shown:
    """A table without lines, with its header in bold."""
    from rich.table import Table

    return Table(box=None, pad_edge=False, header_style="bold", **more)


def rocq_library(out: Path) -> Any:
    """Rocq's development, compiled below `out`."""
    from orderproof.check.prove import results
    from orderproof.check.rocq.library import COMPILED
    from orderproof.check.rocq.mark import open_library

    return open_library(results.writable(out / COMPILED))


class Development:
    """Rocq's development: compiled below a folder when it is first asked, which is not where all
    is in the cache. Bad usage where Rocq is not installed."""

    def __init__(self, out: Path, scheduler: str | None) -> None:
        from orderproof.check.rocq import run

        if scheduler is not None:
            raise click.UsageError("--rocq: given with --scheduler, expected one of the two")
        if not run.installed():
            raise BadInput(
                f"--rocq: no coqc with MathComp found, expected the Debian packages {run.PACKAGED}"
            )
        self._out = out
        self._compiled: Any = None

    def __call__(self) -> Any:
        """The development, compiled."""
        if self._compiled is None:
            self._compiled = rocq_library(self._out)
        return self._compiled

    def ran(self, cache: Cache | None) -> RocqRun:
        """The version and seconds of the run that compiled it: this one, or that of the cache."""
        from orderproof.check.prove.results import RocqRun

        kept = cache.load("rocq", "development") if cache and self._compiled is None else None
        if kept is not None:
            return RocqRun(**kept)
        found = RocqRun(self().version, self().seconds)
        if cache:
            cache.store("rocq", "development", asdict(found))
        return found
