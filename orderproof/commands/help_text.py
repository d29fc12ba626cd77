"""What --help prints beside click's own: commands by purpose, and of each its exit statuses and
examples. docs/commands.md has the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click

BAD_INPUT = "bad usage or input"  # exit status 2, of every command


AS_PROVED = {  # how marks of theorems come out
    0: "every claim came out as declared, checked here or recorded from Rocq",
    1: "a claim failed",
    3: "a claim stayed open",
}
ON_CHECK = {  # the same of a command that prints, and makes the marks with --check alone
    0: f"printed; with --check, {AS_PROVED[0]}",
    1: f"with --check: {AS_PROVED[1]}",
    3: f"with --check: {AS_PROVED[3]}",
}
EVERY = {
    0: "all as declared or expected",
    1: "something is not",
    2: BAD_INPUT,
    3: "open or unknown",
}


def _write_statuses(formatter: click.HelpFormatter, statuses: Mapping[int, str]) -> None:
    with formatter.section("Exit status"):
        formatter.write_dl([(str(k), text) for k, text in statuses.items()])


class Command(click.Command):
    """A command whose help ends with its exit statuses and examples.

    `statuses` says what 0, 1 and 3 mean where the command can end so; 2 is bad usage or input.
    `examples` are command lines after `orderproof`, each with what it does.
    """

    def __init__(
        self, *args: Any, statuses: Mapping[int, str], examples: Mapping[str, str], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.statuses = dict(sorted({2: BAD_INPUT, **statuses}.items()))
        self.examples = dict(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The exit statuses, and below them the examples."""
        _write_statuses(formatter, self.statuses)
        with formatter.section("Examples"):
            for line, does in self.examples.items():
                formatter.write_text(f"orderproof {line}")
                with formatter.indentation():
                    formatter.write_text(does)


class Commands(click.Group):
    """Commands that help lists by purpose, each loaded when it is used."""

    def __init__(self, *args: Any, purposes: Mapping[str, Sequence[str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.purposes = purposes

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return sorted(name for names in self.purposes.values() for name in names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, from the module of its name."""
        if cmd_name in self.list_commands(ctx) and cmd_name not in self.commands:
            module = import_module(f"{__package__}.{cmd_name}")
            found = (x for x in vars(module).values() if isinstance(x, Command))
            self.add_command(next(x for x in found if x.name == cmd_name))
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A section for each purpose, a line for each command."""
        width = max(map(len, self.list_commands(ctx)))
        for purpose, names in self.purposes.items():
            found = [c for name in names if (c := self.get_command(ctx, name))]
            with formatter.section(purpose):
                formatter.write_dl(
                    [(f"{c.name:{width}}", c.get_short_help_str(formatter.width)) for c in found]
                )

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The exit statuses of all commands, and where those of one are."""
        _write_statuses(formatter, EVERY)
        super().format_epilog(ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named. What may be meant is found among those that are loaded."""
        if args[0] not in self.list_commands(ctx):
            for name in self.list_commands(ctx):
                self.get_command(ctx, name)
        return super().resolve_command(ctx, args)
