"""What position makes in a trained encoder, layer by layer: measured, and kept as data.

    python -m orderproof.numeric.trained.by_layer CHECKPOINT FILE.json

The book prints the file that is kept with it, which says by its hash of which weights it is.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from orderproof import input_file
from orderproof.numeric.by_layer import POSITIONS, apart

from .checkpoint import LARGEST_WEIGHTS, CheckpointError, load_checkpoint
from .encoder import Encoder

MODEL = "all-MiniLM-L6-v2"
WORDS = ("the", "cat", "dog", "chased")


def record(folder: Path) -> dict[str, Any]:
    """`apart` of the input of the encoder's blocks, and of the output of each, for a grid of these
    words at the first positions, all of them at once.

    Errors: CheckpointError, also where the tokenizer cuts one of the words.
    """
    checkpoint = load_checkpoint(folder)
    ids = []
    for word in WORDS:
        found, _ = checkpoint.tokenize(word)
        if len(found) != 3:  # between the two special tokens
            raise CheckpointError(f"checkpoint {folder}: given {word!r}, expected one token")
        ids.append(found[1])
    states = Encoder(checkpoint, np.float64).states(
        [i for i in ids for _ in range(POSITIONS)], [*range(POSITIONS)] * len(ids)
    )
    weights = folder / "model.safetensors"
    with input_file.opened(weights, LARGEST_WEIGHTS, "weights", CheckpointError) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "model": MODEL,
        "sha256 of model.safetensors": digest,
        "words": list(WORDS),
        "apart": [float(f"{apart(x, POSITIONS):.6g}") for x in states],
    }


if __name__ == "__main__":
    text = json.dumps(record(Path(sys.argv[1])), indent=1)
    Path(sys.argv[2]).write_text(text + "\n", encoding="utf-8")
