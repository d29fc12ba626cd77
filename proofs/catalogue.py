"""The book's theorems in order: which there are, and the file that states each."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:  # so that listing the theorems imports no library
    from orderproof.proofs.check.claims import TheoremFile

IDS = (
    "sum_act",
    "perm_transpose_mul",
    "qkv_equivariant",
    "scores_conjugate",
    "softmax_conjugate",
    "attention_weights_conjugate",
    "self_attention_equivariant",
    "token_output_same_in_any_order",
    "not_invariant_self_attention",
    "cross_attention_equivariant",
    "not_cross_attention_of_keys_alone",
    "multi_head_equivariant",
    "row_wise_equivariant",
    "encoder_block_equivariant",
    "encoder_equivariant",
    "generation_order_independent",
    "pooling_invariant",
    "bag_of_words",
    "kernel_attention_equivariant",
    "naturality",
    "mask_transport",
    "equivariant_of_fixed_position_table",
    "not_equivariant_of_learned_position",
    "not_equivariant_of_sinusoidal_position",
    "additive_position_iff",
    "pre_norm_equivariant_of_row_constants",
    "uniform_attention_sees_no_table",
    "score_bias_iff",
    "score_bias_iff_of_heads",
    "score_bias_iff_of_layers",
    "causal_last_token_invariant",
    "two_causal_layers_see_order",
    "constant_sequence_blind",
    "positions_that_travel",
    "documents_in_parallel",
    "documents_in_parallel_needs_each",
    "sinusoidal_shift_is_rotation",
    "rope_relative_score",
    "translation_by_scheme",
)


class UnknownTheorem(ValueError):
    """An id that is not in the catalogue: says which, and the nearest that is."""


def chosen(ids: Sequence[str]) -> list[str]:
    """The ids given, checked, in the book's order; all of them if none is given."""
    for name in ids:
        if name not in IDS:
            near = difflib.get_close_matches(name, IDS, 1)
            hint = (
                f"did you mean {near[0]}?" if near else "expected one that `orderproof list` shows"
            )
            raise UnknownTheorem(f"theorem {name!r}: not in the catalogue; {hint}")
    return [name for name in IDS if not ids or name in ids]


def title(name: str) -> str:
    """The title of a theorem: the keyword `title` in its file, read without building the theorem.
    Raises ValueError if there is none, or more than one."""
    path = Path(__file__).with_name(f"{name}.py")
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    found = [
        k.value for x in nodes if isinstance(x, ast.Call) for k in x.keywords if k.arg == "title"
    ]
    if len(found) != 1 or not isinstance(found[0], ast.Constant):
        raise ValueError(f"{path.name}: {len(found)} titles found, expected one, as title='...'")
    return str(found[0].value)


def load(name: str) -> TheoremFile:
    """The theorem that a file of this folder states."""
    module = import_module(f"{__package__}.{name}")
    return cast("Callable[[], TheoremFile]", module.theorem)()
