"""`orderproof distinguish`: whether any weights of an architecture tell two prompts apart."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from orderproof.symbolic.counting import PEOPLE, count, token_text
from orderproof.symbolic.ending import end

from . import shared
from .help_text import Command
from .shared import say
from .symmetry import ON_PAPER

if TYPE_CHECKING:
    from orderproof.numeric.groups.distinguish import Refinement

READ = {"last": "at the last token", "pooled": "by the mean of a row-wise map over all tokens"}
POOLED = "a mean over all tokens, as one stack can tell all types apart at once"


@click.command(
    cls=Command,
    statuses={
        0: "decided, either way",
        3: "the theorem behind it is open",
    },
    examples={
        'distinguish --scheme causal --depth 2 "a b c" "b a c"': "by two causal layers",
        'distinguish --scheme none --read pooled "a b" "b a"': "without positions, pooled",
    },
)
@click.argument("first")
@click.argument("second")
@click.option("--scheme", help="Position scheme (orderproof symmetry --scheme help lists them).")
@click.option(
    "--depth",
    type=click.IntRange(1, 1_000_000),
    default=1,
    show_default=True,
    help="Number of layers.",
)
@click.option(
    "--read", type=click.Choice([*READ]), default="last", show_default=True,
    help="Compare the last tokens, or a mean over all tokens.",
)  # fmt: skip
@shared.scheme_parameters
@shared.position_files
@shared.JSON
def distinguish(
    first: str, second: str, depth: int, read: str, as_json: bool, **asked: Any
) -> None:
    """Decide whether any weights tell two prompts apart.

    The architecture is a stack of attention layers with skips and row-wise maps, of any width and
    any number of heads with the position terms that are given. A prompt is parted into words at
    white space, and nowhere else; equal words are equal tokens. Depth 0 is the words themselves,
    before any layer. Pooled is the mean over the tokens of any row-wise map of their outputs.
    """
    prompts = [text.split() for text in (first, second)]
    for text, words, name in zip((first, second), prompts, ("first", "second"), strict=True):
        if not words:
            raise click.UsageError(
                f"{name} prompt: given {text[:40]!r}, expected at least one word (parted by spaces)"
            )
    from orderproof.check.prove import standing
    from orderproof.numeric.groups.symmetry import TYPES

    found, title = _asked(prompts, **asked)
    least, chain = found.tell_apart(read)
    told, by = least is not None and least <= depth, standing.cited(TYPES)
    if as_json:
        data = {"distinguished": told, "depth": least if told else None, "read": read,
                "types": chain if told else [], "rests_on": standing.rests_on([TYPES])}  # fmt: skip
        click.echo(json.dumps(data, ensure_ascii=False))
        end(standing.ending([TYPES]))
    say(f"{title}; {count(depth, 'layer')} with skips.")
    for k, words in enumerate(prompts):
        say(f"Prompt {PEOPLE(k)}: {' '.join(words)}")
    if told:
        since = f"from depth {least} on" if least else "before any layer (depth 0)"
        say(f"Told apart {READ[read]}, {since}: for some weights the outputs differ ({by}).")
        for link in chain:
            say(f"  {_link(link, found)}")
        if read == "last" and not least:
            say("The words before them play no part in this; --read pooled reads all.")
    else:
        say(
            f"Not told apart {READ[read]}: with {count(depth, 'layer')} no weights, of any width, "
            f"give the two prompts different outputs ({by})."
        )
        say("Nor do more layers: the types are stable, at every depth." if least is None
            else f"More layers do: from depth {least} on, for some weights.")  # fmt: skip
    over = [ON_PAPER[kind] for kind in (found.kind, "E" * bool(found.added)) if kind in ON_PAPER]
    for what in over + [POOLED] * (read == "pooled"):
        say(f"On paper: the theorem is carried over to {what}.")
    end(standing.ending([TYPES]))


def _asked(prompts: list[list[str]], scheme: str | None, **asked: Any) -> tuple[Refinement, str]:
    """The prompts under the position terms that were asked for, and what these are called."""
    from orderproof.numeric.groups import distinguish

    longest = max(map(len, prompts))
    if scheme is not None:
        asked["n"] = longest
    terms = shared.position_terms("--scheme", scheme, **asked)
    if terms.scheme is not None:
        return distinguish.of_scheme(terms.scheme, prompts), terms.name + terms.says
    if terms.table:
        if len(terms.table) < longest:
            raise click.UsageError(
                f"{asked['table']}: given {len(terms.table)} rows, expected one for each of "
                f"{longest} tokens"
            )
        asked_for = distinguish.Refinement(prompts, (), terms.table)
        return asked_for, f"{terms.name}: a table added to the tokens"
    for k, words in enumerate(prompts):
        if len(words) != terms.heads[0].n:
            raise click.UsageError(
                f"prompt {PEOPLE(k)}: given {count(len(words), 'token')}, expected "
                f"{terms.heads[0].n}, the size of {asked['bias'] or asked['mask']}"
            )
    return distinguish.Refinement(prompts, terms.heads), terms.name + terms.says


def _link(link: dict[str, Any], asked: Refinement) -> str:
    """One step of the reason."""
    depth, seen = link["depth"], link["seen"]
    a, b = (_named(t) for t in link["tokens"] or (seen, seen))
    if seen is None:
        x, y = (t["word"] for t in link["tokens"])
        what = "rows added to them" if x == y else "words"
        return f"Depth 0: {a} and {b}: the {what} differ."
    of = f"tokens of the type of {_named(seen)}"
    if depth == (link["tokens"] is not None):  # the type is a word, with its row
        row = f" with the row of place {PEOPLE(seen['token'])}" if asked.added else ""
        of = f"“{seen['word']}”{row}"
    if link["tokens"] is None:
        parts = [f"{share} of prompt {PEOPLE(k)}" for k, share in enumerate(link["shares"])]
        return f"Depth {depth}: {of}: {' and '.join(parts)}."
    layer = f"Layer {depth}"
    if len(asked.heads) > 1:
        layer += f", head {PEOPLE(link['head'])}"
    if link["shares"]:
        x, y = (f"about {share}" if "." in share else share for share in link["shares"])
        return f"{layer}: of what it attends to, the share of {of} is {x} for {a}, {y} for {b}."
    x, y = (token_text(places) if places else "nowhere" for places in link["places"])
    return (
        f"{layer}: {of}: {a} attends to it at {x}, {b} at {y}, and the position terms tell these "
        "apart."
    )


def _named(t: dict[str, Any]) -> str:
    return f"token {PEOPLE(t['token'])} of prompt {PEOPLE(t['prompt'])} ({t['word']})"
