"""The command line: `orderproof COMMAND`, each with --help.

Exit status: 0 all as declared; 1 a claim failed; 2 bad usage or input, or no room for what is
written; 3 something stayed open; 130 interrupted; 141 nobody reads the output any more.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NoReturn

import click

from orderproof.commands.help_text import Commands
from orderproof.commands.shared import BadInput, version_options
from orderproof.symbolic.ending import Ending, end

MISTAKES = (  # errors that say what a person got wrong: module and class
    ("orderproof.numeric.trained.checkpoint", "CheckpointError"),
    ("orderproof.numeric.groups.exact_matrix", "MatrixError"),
    ("orderproof.proofs.catalogue", "UnknownTheorem"),
    ("orderproof.check.prove.digests", "BadList"),
    ("orderproof.check.prove.executor", "SchedulerError"),
    ("orderproof.check.prove.results", "OutputError"),
    ("orderproof.publish.site", "SiteError"),
    ("orderproof.symbolic.onnx.graph", "ModelError"),
    ("orderproof.symbolic.schemes.tables", "SchemeError"),
    ("orderproof.symbolic.schemes.table_search", "SearchError"),
    ("orderproof.symbolic.witness.fields", "WitnessError"),
)
FAILURES = {  # errors of our own files, or of a process: module and class, and what was expected
    ("orderproof.check.prove.executor", "WorkerDied"): "processes that end their work",
    ("orderproof.check.rocq.run", "RocqError"): "files that Rocq accepts",
    ("orderproof.check.claims", "StuckError"): "a derivation that goes through",
    ("orderproof.publish.sentences", "BadQuotation"): "rows that the catalogue bears out",
}
REMOVED = {  # options, and what serves instead
    "distinguish --rows": "--columns is how many tokens a row has",
    "recheck --model": "`decide` compares the constants of a model by itself, entry by entry",
    "search --param": "--window, --prefix, --clip, --blocks or --columns, as in symmetry",
    "symmetry --rows": "--columns is how many tokens a row has",
    "table --param": "--window, --prefix, --clip, --blocks or --columns, as in symmetry",
    "symmetry --layout": "symmetry --mask takes what a prompt's tokens may attend to, as a matrix",
}


# What is in a message of click that says what was expected.
SAYS_WHAT = r"\bexpected|[Dd]id you mean|was removed|not in the range|not one of|not a valid"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # no room on the device, or for this user
COLLECTED = (50_000, 20, 20)  # objects: terms are kept for good, and looked through in vain
PURPOSES = {  # the commands, each of a module of its name in commands/
    "Read": ("list", "show", "sentences", "book"),
    "Check": ("prove", "recheck", "audit", "confirm"),
    "Attack position schemes": ("search", "replay", "table", "symmetry", "distinguish"),
    "Decide it for your own model": ("decide",),
    "Cite, and pin what you rely on": ("cite", "digests"),
}


@click.group(
    cls=Commands,
    purposes=PURPOSES,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="orderproof COMMAND --help: its options and examples, and what its statuses mean.",
)
@version_options
def cli() -> None:
    """What attention sees of the order of its tokens: proofs, and counterexamples."""


def _loaded(errors: Iterable[tuple[str, str]]) -> tuple[type[Exception], ...]:
    """Of these errors those that may have been raised. One that was comes from a module that is
    loaded; none is loaded for this, so that `replay` stays without a solver."""
    return tuple(getattr(sys.modules[m], name) for m, name in errors if m in sys.modules)


def _message(error: click.ClickException) -> str:
    """What was wrong, and what was expected; of an option that was removed, what serves instead."""
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        option = f"{error.ctx.command.name} {error.option_name}"
        if option in REMOVED:
            return f"{option} was removed: {REMOVED[option]}"
    text = error.format_message()
    if not isinstance(error, click.UsageError) or re.search(SAYS_WHAT, text):
        return text
    inside = error.ctx is not None and error.ctx.parent is not None
    line = f"orderproof {error.ctx.command.name}" if inside and error.ctx else "orderproof"
    return f"{text.rstrip('.')}; expected what `{line} --help` says"


def main() -> None:
    """Run a command; what goes wrong with an output is found here, where all of it is written."""
    gc.set_threshold(*COLLECTED)
    os.environ.setdefault("SYMPY_GROUND_TYPES", "python")  # before all imports; basis.py says why
    atexit.register(gc.freeze)  # the end of the process looks through nothing that is left
    if sys.stdout is None:
        BadInput("standard output: given it closed, expected it open").show()
        sys.exit(2)
    try:
        try:
            _run()
        finally:
            sys.stdout.flush()
    except (OSError, SystemExit) as error:
        # rich makes SystemExit(1) of the error of a closed pipe
        wrong = error if isinstance(error, OSError) else error.__context__
        if not isinstance(wrong, OSError) or wrong.errno not in (errno.EPIPE, *FULL):
            raise
        end_of_output(wrong)


def _run() -> None:
    """One line, and status 2 for what a person got wrong, 1 for a failure. This is in the place of
    click's own `main`, which ends with status 1 where the output is closed."""
    try:
        with cli.make_context("orderproof", sys.argv[1:] or ["--help"]) as context:
            cli.invoke(context)
    except click.exceptions.Exit as e:
        sys.exit(e.exit_code)
    except click.ClickException as e:
        BadInput(" ".join(_message(e).split())).show()
        sys.exit(2)
    except Exception as e:
        for failure, expected in FAILURES.items():
            if isinstance(e, _loaded([failure])):
                end(Ending(1, expected, str(e)))
        if not isinstance(e, _loaded(MISTAKES)):
            raise
        BadInput(" ".join(str(e).split())).show()
        sys.exit(2)


def end_of_output(error: OSError) -> NoReturn:
    """End where nobody reads what is written, quietly, or where there is no room for it."""
    _drop(sys.stdout)
    if error.errno == errno.EPIPE:
        _drop(sys.stderr)  # it may be this one that is closed
        sys.exit(141)
    try:
        end(Ending(2, "room for what is written", "none left on the device"))
    except OSError:  # nor is there room for the line
        _drop(sys.stderr)
        sys.exit(2)


def _drop(stream: Any) -> None:
    """What is still in a buffer is not written: it would fail once more when Python ends."""
    with suppress(OSError, AttributeError):  # one of a test, or closed from the start
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
