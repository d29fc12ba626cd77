"""The spread of content and of position in a trained encoder, measured and kept as data.

    python -m orderproof.numeric.trained.spread FILE.json

writes what is measured on the checkpoint that `orderproof confirm` finds; the book prints the file
that is kept with it, which says by its hash of which weights it is.
"""

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from orderproof.numeric.spread import operator_norm, spread
from orderproof.numeric.spread_by_layer import SKIPS, Kind, Layer, after, resolved, start

from .checkpoint import CheckpointError, load_checkpoint
from .confirm import find_checkpoint
from .encoder import Array, Encoder

MODEL = "all-MiniLM-L6-v2"
WORDS = ("the", "cat", "dog", "chased")
POSITIONS = 6
DIGITS = 6  # of what is kept


def measured(
    encoder: Encoder, ids: Sequence[int], positions: int = POSITIONS, *, skip: float = 1.0
) -> Iterator[Layer]:
    """The input of the encoder's blocks, and each attention with its skip, on the grid of these
    tokens at the first positions; all residual connections are scaled by `skip`. Layer l is
    compared with the input of its own block: norms and feed-forward map stand between that and the
    layer before. It ends where a spread falls below what float64 resolves.

    κ = Σ_h ‖M_h‖ ‖W_V,h W_O,h‖ s²/4, as the outputs of heads are added. Biases do not enter: in the
    difference of two rows of scores the query's cancels, the key's is the same for all keys, which
    softmax does not see, and those of values and output are the same for all tokens.
    """
    grid = [i for i in ids for _ in range(positions)]
    places = [*range(positions)] * len(ids)
    for i, (x, mixed) in enumerate(encoder.attended(grid, places, skip=skip)):
        if i == 0:
            yield start(x, positions)
        factor = sum(_norms(*head) for head in encoder.factors(i)) * spread(x) ** 2 / 4
        found = after(i + 1, x, mixed, factor, skip, positions)
        if not resolved(found, mixed):
            return
        yield found


def _norms(w_q: Array, w_k: Array, w_v: Array, w_o: Array) -> float:
    """‖W_Q W_Kᵀ/√k‖ ‖W_V W_O‖, from triangular factors: the matrices themselves are (d, d)."""
    q, k, v, o = (np.asarray(np.linalg.qr(w, mode="r")) for w in (w_q, w_k, w_v, w_o.T))
    form, values = (operator_norm(a @ b.T) for a, b in ((q, k), (v, o)))
    return form / float(np.sqrt(w_q.shape[1])) * values


def record(folder: Path) -> dict[str, Any]:
    """What is kept: the model, the hash of its weights, the grid, and the layers.

    Errors: CheckpointError where the checkpoint cannot be read, or has other words.
    """
    checkpoint = load_checkpoint(folder)
    ids = []
    for word in WORDS:
        found, spelled = checkpoint.tokenize(word)
        if len(found) != 3:  # between [CLS] and [SEP]
            raise CheckpointError(f"{folder}: given {spelled} for {word!r}, expected one token")
        ids.append(found[1])
    encoder = Encoder(checkpoint, np.float64)
    weights = (folder / "model.safetensors").read_bytes()
    return {
        "model": MODEL,
        "sha256 of model.safetensors": hashlib.sha256(weights).hexdigest(),
        "words": list(WORDS),
        "positions": POSITIONS,
        "stacks": [
            {"skip": skip, "layers": [_kept(x) for x in measured(encoder, ids, skip=skip)]}
            for skip in SKIPS
        ],
    }


def _kept(x: Layer) -> dict[str, Any]:
    both = zip(("position", "content"), x.kinds, strict=True)
    kinds = {name: {k: _short(v) for k, v in vars(kind).items()} for name, kind in both}
    return {"layer": x.number, "kappa": _short(x.kappa), **kinds}


def stacks_of(kept: dict[str, Any]) -> dict[float, list[Layer]]:
    """The layers of a record, by the scale of the residual connections."""
    return {
        stack["skip"]: [
            Layer(x["layer"], x["kappa"], Kind(**x["position"]), Kind(**x["content"]))
            for x in stack["layers"]
        ]
        for stack in kept["stacks"]
    }


def _short(x: float) -> float:
    return float(f"{x:.{DIGITS}g}")


def main(arguments: Sequence[str]) -> int:
    """Write the record to the file that is named; the exit status."""
    folder = find_checkpoint(None)
    if len(arguments) != 1 or folder is None:
        expected = "the trained checkpoint: make models" if folder is None else "one file to write"
        print(f"spread: given {' '.join(arguments)!r}, expected {expected}", file=sys.stderr)
        return 2
    text = json.dumps(record(folder), indent=1)
    Path(arguments[0]).write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
