"""Names for the states and parts of the models of documents in parallel."""

from orderproof.proofs.prelude import *
from orderproof.publish.pages.primes import once, primed
from orderproof.symbolic.schemes.models import parts, weights

from .documents import PC, C, Model, by_ids, x

ROWS = "EBG"  # rows, biases and masks
ROTATIONS = "RG"  # rotations and masks
MODELS = (Model(ROWS, 1), Model(ROWS, 2), Model(ROTATIONS, 1), Model(ROTATIONS, 2),
          Model(ROWS, 2, reads=True))  # fmt: skip


def names() -> tuple[list[Named], tuple[dict[str, str], ...]]:
    """Names for the states and parts of each model, primed in the other order."""
    found, alike = [], []
    for model, of in ((MODELS[1], ""), (MODELS[3], "r"), (MODELS[4], "q")):
        here = [replace(y, name=below(y.name, of)) for y in parts_of(model, "")]
        there = [replace(y, name=below(y.name, of)) for y in parts_of(model, "'")]
        images, pairs = primed(here, there)
        found += [*here, *images]
        alike.append({"C'": "C"} | pairs)
    named = once([Named("C'", PC, "i", "k"), *found])
    return [one for one in named if one.term not in (C, x)], tuple(alike)


def below(name: str, letter: str) -> str:
    """z_p1 of z_1."""
    base, _, number = name.partition("_")
    return f"{base}_{letter}{number}" if letter else name


def parts_of(model: Model, of: str) -> list[Named]:
    """Names for the states and parts of each layer: of the context in capital letters, of the query
    in small ones."""
    output, before = model.states(of)
    found = []
    read = {y: t for y, (t, _) in by_ids(of).items()}
    position, row = {y: read[y] for y in model.letters}, model.row(of)
    if model.reads:
        position = {"B": cat(read["B"], read["s"], "j"), "G": cat(read["G"], read["u"], "j")}
    for layer, (tokens, query) in enumerate(before, 1):
        memory, w = cat(tokens, query, "i"), weights(str(layer))
        each = (("H", tokens), ("z", query), ("M", memory))
        found += [Named(f"{y}_{layer - 1}", t, "i", "k") for y, t in each]
        if layer < len(before):
            own = parts(tokens, position, w, memory if model.reads else None)
            found += own.named("QKVSA", f"_{layer}")
        of_query = parts(query, row, w, memory).named("QKVSA", f"_{layer}")
        found += [replace(y, name=y.name.lower()) for y in of_query]
    return [*found, Named(f"z_{len(before)}", output, "i", "k")]
