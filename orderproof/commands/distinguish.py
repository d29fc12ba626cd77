"""`orderproof distinguish`: whether any weights of an architecture tell two prompts apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orderproof.symbolic.counting import JSON, PEOPLE, token_text

from . import shared
from .reasons_text import ON_PAPER
from .symmetry_text import count, say

if TYPE_CHECKING:
    from orderproof.numeric.groups.told_apart import Difference, Token, Verdict
    from orderproof.numeric.groups.types import Terms

FILE = click.Path(path_type=Path)
THEOREM = "attention_is_colour_refinement"
READ = {"last": "at the last token", "pooled": "by the mean of a row-wise map over all tokens"}
POOLED = "a mean over all tokens, as one stack can tell all types apart at once"
EXAMPLE = (
    'Example: orderproof distinguish --scheme causal --depth 2 "the cat chased the dog" '
    '"the dog chased the cat"'
)


@click.command(epilog=EXAMPLE)
@click.argument("first")
@click.argument("second")
@click.option("--scheme", help="Position scheme (orderproof symmetry --scheme help lists them).")
@click.option(
    "--depth", type=click.IntRange(min=1), default=1, show_default=True, help="Number of layers."
)
@click.option(
    "--read", type=click.Choice([*READ]), default="last", show_default=True,
    help="Compare the last tokens, or a mean over all tokens.",
)  # fmt: skip
@shared.scheme_parameters
@click.option("--bias", type=FILE, help="Score bias n×n, or heads of it: .npy, .json, .csv.")
@click.option("--mask", type=FILE, help="1 or true where token i may attend to token j.")
@click.option("--table", type=FILE, help="Position table n×d, added to the tokens.")
@shared.JSON
def distinguish(
    first: str, second: str, scheme: str | None, depth: int, read: str,
    bias: Path | None, mask: Path | None, table: Path | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Whether any weights of an architecture tell two prompts apart, and by what.

    The architecture is a stack of attention layers with skips and row-wise maps, of any width and
    any number of heads with the position terms that are given. A prompt is parted into words at
    white space, and nowhere else; equal words are equal tokens. Depth 0 is the words themselves,
    before any layer. Pooled is the mean over the tokens of any row-wise map of their outputs.

    Exit status: 0 whether they are told apart or not; 2 bad input.
    """
    from orderproof.numeric.groups.told_apart import tell_apart

    prompts = [_words(text, name) for text, name in ((first, "first"), (second, "second"))]
    terms, title = _terms(prompts, scheme, bias, mask, table, shared.given_parameters(options))
    verdict = tell_apart(terms, prompts, read)
    told = verdict.depth is not None and verdict.depth <= depth
    if as_json:
        chain = [_json(link, prompts) for link in verdict.chain] if told else []
        least = verdict.depth if told else None
        data = {"distinguished": told, "depth": least, "read": read, "types": chain}
        click.echo(json.dumps(data, ensure_ascii=False))
        return
    say(f"{title}; {count(depth, 'layer')} with skips.")
    for k, words in enumerate(prompts):
        say(f"Prompt {PEOPLE(k)}: {' '.join(words)}")
    for line in _said(verdict, told, depth, terms, prompts):
        say(line)


def _words(text: str, name: str) -> list[str]:
    words = text.split()
    if not words:
        raise click.UsageError(
            f"{name} prompt: given {text[:40]!r}, expected at least one word (parted by spaces)"
        )
    return words


def _terms(
    prompts: list[list[str]], scheme: str | None, bias: Path | None, mask: Path | None,
    table: Path | None, given: dict[str, Any],
) -> tuple[Terms, str]:  # fmt: skip
    """The position terms that were asked for, and what they are called."""
    from orderproof.numeric.groups import bias_matrices, exact_matrix, told_apart, types

    lengths = [len(words) for words in prompts]
    if sum([scheme is not None, bias is not None or mask is not None, table is not None]) != 1:
        raise click.UsageError("give one of --scheme, --bias and --mask, or --table")
    if scheme is not None:
        options = bias_matrices.Options(**given)
        entry = bias_matrices.found_scheme(scheme, options)
        terms = told_apart.terms_for(scheme, lengths, options)
        title = ", ".join(filter(None, (entry.name, terms.regime)))
        return terms, f"{title}: {entry.says} ({entry.paper})"
    if given:
        raise click.UsageError(f"{', '.join(f'--{k}' for k in given)}: only with --scheme")
    if table is not None:
        rows = exact_matrix.read_table(table)
        if len(rows) < max(lengths):
            raise click.UsageError(
                f"{table}: given {len(rows)} rows, expected one for each of {max(lengths)} tokens"
            )
        return types.of_table(rows[: max(lengths)]), f"{table.name}: a table added to the tokens"
    heads = exact_matrix.with_masks(
        [] if bias is None else exact_matrix.read(bias),
        [] if mask is None else exact_matrix.read_mask(mask),
    )
    for k, m in enumerate(lengths):
        if m != heads[0].n:
            raise click.UsageError(
                f"prompt {PEOPLE(k)}: given {count(m, 'token')}, expected {heads[0].n}, the size "
                f"of {bias or mask}"
            )
    source = " with ".join(p.name for p in (bias, mask) if p is not None)
    return types.Terms(tuple(heads)), f"{source}, {count(len(heads), 'head')}"


# ---------------------------------------------------------------------------------------- output
def _json(link: Difference, prompts: list[list[str]]) -> dict[str, Any]:
    def token(t: Token | None) -> dict[str, Any] | None:
        if t is None:
            return None
        return {
            "prompt": JSON(t.prompt),
            "token": JSON(t.place),
            "word": prompts[t.prompt][t.place],
        }

    return {
        "depth": link.depth,
        "tokens": None if link.tokens is None else [token(t) for t in link.tokens],
        "head": link.head,
        "seen": token(link.seen),
        "shares": None if link.shares is None else list(link.shares),
        "places": [list(spots) for spots in link.places],
    }


def _said(
    verdict: Verdict, told: bool, depth: int, terms: Terms, prompts: list[list[str]]
) -> list[str]:
    """The verdict in sentences."""
    where, least = READ[verdict.read], verdict.depth
    if told:
        since = f"from depth {least} on" if least else "before any layer (depth 0)"
        lines = [f"Told apart {where}, {since}: for some weights the outputs differ ({THEOREM})."]
        lines += [f"  {_link(link, terms, prompts)}" for link in verdict.chain]
        if verdict.read == "last" and not least:
            lines.append("The words before them play no part in this; --read pooled reads all.")
    else:
        layers = count(depth, "layer")
        lines = [
            f"Not told apart {where}: with {layers} no weights, of any width, give the two "
            f"prompts different outputs ({THEOREM})."
        ]
        if least is None:
            lines.append("Nor do more layers: the types are stable, at every depth.")
        else:
            lines.append(f"More layers do: from depth {least} on, for some weights.")
    kinds = [terms.kind] * (terms.kind in ON_PAPER) + ["E"] * bool(terms.rows)
    over = [ON_PAPER[kind] for kind in kinds] + [POOLED] * (verdict.read == "pooled")
    return lines + [f"On paper: the theorem is carried over to {what}." for what in over]


def _link(link: Difference, terms: Terms, prompts: list[list[str]]) -> str:
    """One step of the reason."""

    def named(t: Token) -> str:
        word = prompts[t.prompt][t.place]
        return f"token {PEOPLE(t.place)} of prompt {PEOPLE(t.prompt)} ({word})"

    def kind(t: Token, depth: int) -> str:
        """The type of a token at this depth."""
        if depth:
            return f"tokens of the type of {named(t)}"
        word = f"“{prompts[t.prompt][t.place]}”"
        return f"{word} with the row of place {PEOPLE(t.place)}" if terms.rows else word

    if link.tokens is None:
        seen = "" if link.seen is None else kind(link.seen, link.depth)
        parts = [f"{share} of prompt {PEOPLE(k)}" for k, share in enumerate(link.shares or ())]
        return f"Depth {link.depth}: {seen}: {' and '.join(parts)}."
    a, b = link.tokens
    if link.seen is None:
        what = "rows added to them" if _word(a, prompts) == _word(b, prompts) else "words"
        return f"Depth 0: {named(a)} and {named(b)}: the {what} differ."
    head = f", head {PEOPLE(link.head or 0)}" if len(terms.heads) > 1 else ""
    of = kind(link.seen, link.depth - 1)
    if link.shares is not None:
        x, y = (f"about {share}" if "." in share else share for share in link.shares)
        return (
            f"Layer {link.depth}{head}: of what it attends to, the share of {of} is {x} for "
            f"{named(a)}, {y} for {named(b)}."
        )
    spots = [token_text(places) if places else "nowhere" for places in link.places]
    return (
        f"Layer {link.depth}{head}: {of}: {named(a)} attends to it at {spots[0]}, {named(b)} at "
        f"{spots[1]}, and the position terms tell these apart."
    )


def _word(t: Token, prompts: list[list[str]]) -> str:
    return prompts[t.prompt][t.place]
