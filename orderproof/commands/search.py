"""`orderproof search`: a counterexample to a symmetry of a position scheme, or the proof."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orderproof.symbolic.counting import PEOPLE, for_people
from orderproof.symbolic.ending import Ending, end

from .help_text import Command
from .shared import JSON, OUT, Seconds, given_of, permutation, say, scheme_parameters
from .symmetry import SCHEMES, derived

if TYPE_CHECKING:
    from orderproof.symbolic.schemes.table_search import SearchResult

LONGEST = 86_400  # seconds that a search may be given
ENTRIES = 64  # of a tensor that is printed


@click.command(
    cls=Command,
    statuses={
        0: "found a counterexample, or a proof that there is none",
        3: "found neither in the time or the bound",
    },
    examples={
        "search --scheme learned --n 3 --d 2": "of learned positions, for three tokens",
        "search --scheme alibi --symmetry shift --n 4 --d 1": "another symmetry",
    },
)
@click.option("--scheme", required=True, help="Position scheme (orderproof table lists them).")
@click.option("--n", type=int, required=True, help="Number of tokens.")
@click.option("--d", type=int, required=True, help="Number of features.")
@click.option("--sigma", help="The permutation as the list of σ(1), …, σ(n): 2,3,1.")
@click.option(
    "--symmetry",
    help="permutation, context-1, context-2, context-any, shift, reversal, "
    "offset, ids or blocks.  [default: permutation]",
)
@scheme_parameters
@click.option("--timeout", type=Seconds(LONGEST), default=10.0, show_default=True,
              help="Seconds for the search.")  # fmt: skip
@OUT
@JSON
def search(
    scheme: str, n: int, d: int, sigma: str | None, symmetry: str | None, timeout: float, out: Path,
    as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Find a counterexample to a symmetry of a position scheme.

    The symmetry is f(PX) = P f(X), or that of --symmetry. A scheme that has it gets its proof.
    """
    from orderproof import api
    from orderproof.check.prove import results
    from orderproof.check.schemes.answers import text
    from orderproof.symbolic.schemes.definitions import parameters, position_scheme
    from orderproof.symbolic.schemes.symmetries import SYMMETRIES
    from orderproof.symbolic.schemes.table_search import SearchResult
    from orderproof.symbolic.witness.scheme_file import dumps

    options = given_of(options)
    table = None if sigma is None else permutation(sigma, n)
    file = None
    result = api.search(scheme, n, d, symmetry, table, timeout, **options)
    named = scheme
    if isinstance(result, SearchResult):
        shown = _found(result)
    else:
        shown = text(result)
        named += "".join(f"-{p}{v}" for p, v in parameters(options).items()) + f"-{result.symmetry}"
    if result.witness is not None:
        file = out / "witnesses" / f"{named}-n{n}-d{d}.json"
        results.write(file, dumps(result.witness))
    if as_json:
        click.echo(json.dumps(result.to_json(None if file is None else str(file)), indent=2))
    else:
        for line in shown.splitlines():
            say(line)
        if result.answer == "symmetric" and not isinstance(result, SearchResult):
            kept = position_scheme(scheme, parameters(options)).letters
            if kept and SYMMETRIES[result.symmetry].reads == "layer":
                say(derived(kept, SCHEMES))
        if file is not None:
            click.echo(f"Written to {file}; recheck with:\n  orderproof replay {file}")
    left = result.answer in ("unknown", "none within bound")
    end(Ending(3, "a counterexample or a proof", result.answer) if left else Ending())


def _found(result: SearchResult) -> str:
    """What a search found, so that a person can redo it."""
    w = result.witness
    reason = for_people(result.reason, result.sigma, f", tokens {PEOPLE}")
    alone = result.answer == "symmetric" and result.proof is None and result.n > 1
    out = [
        f"{result.answer}: {result.scheme}, n = {result.n}, d = {result.d}"
        + (", for the identity" if alone else ""),
        w.differs(PEOPLE) if w else reason,
    ]
    if w is not None:
        out.append(f"σ = {PEOPLE.images(w.sigma)}, tokens {PEOPLE}; (PX)[i] = X[σ(i)]")
        if w.n * w.d > ENTRIES:
            out.append(f"The tensors and both sides, {w.n}×{w.d}, are in the file.")
            return "\n".join(out)
        for name, rows in w.tensors.items():
            unit = " (in units of √d·ln 2)" if name == "W_Q" and w.kind == "exact" else ""
            out.append(f"{name} = {[[str(v) for v in row] for row in rows]}{unit}".replace("'", ""))
        for name, side in (("f(PX)", w.lhs), ("P f(X)", w.rhs)):
            shown = [[str(a) if a == b else f"{float(a):.9f}…" for a, b in row] for row in side]
            out.append(f"{name} = {shown}".replace("'", ""))
    return "\n".join(out)
