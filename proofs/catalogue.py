"""The book's theorems in order: which there are, and the file that states each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from orderproof.symbolic.suggestions import suggestion

if TYPE_CHECKING:  # so that listing the theorems imports no library
    from orderproof.proofs.check.claims import TheoremFile

IDS = (
    "sum_act",
    "perm_transpose_mul",
    "qkv_equivariant",
    "scores_conjugate",
    "softmax_conjugate",
    "softmax_row_stochastic",
    "softmax_shift_invariant",
    "attention_weights_conjugate",
    "self_attention_equivariant",
    "token_output_same_in_any_order",
    "not_invariant_self_attention",
    "cross_attention_equivariant",
    "not_cross_attention_of_keys_alone",
    "multi_head_equivariant",
    "norms_equivariant",
    "row_wise_equivariant",
    "encoder_block_equivariant",
    "every_depth",
    "encoder_equivariant",
    "multi_head_cross_attention_equivariant",
    "decoder_block_invariant_of_memory",
    "decoder_block_equivariant_without_mask",
    "decoder_invariant_of_memory",
    "decoder_equivariant_without_mask",
    "encoder_decoder_invariant_of_source",
    "generation_order_independent",
    "pooling_invariant",
    "class_token_invariant",
    "bag_of_words",
    "pooled_encoder_invariant",
    "kernel_attention_equivariant",
    "linear_attention_equivariant",
    "random_features_equivariant",
    "sigmoid_attention_equivariant",
    "naturality",
    "naturality_of_fixed_index",
    "mask_transport",
    "equivariant_of_fixed_mask",
    "equivariant_of_fixed_position_table",
    "not_equivariant_of_learned_position",
    "not_equivariant_of_sinusoidal_position",
    "additive_position_iff",
    "not_equivariant_of_moved_position_table",
    "kernel_attention_of_fixed_position_table",
    "layer_norm_invariant_of_row_constants",
    "pre_norm_equivariant_of_row_constants",
    "normed_position_iff",
    "not_equivariant_of_normed_position",
    "uniform_attention_sees_no_table",
    "attention_contracts",
    "position_after_first_layer_contracts",
    "position_after_first_layer_skip",
    "position_after_first_layer_cancels",
    "position_after_first_layer_uniform",
    "equivariant_of_fixed_score_bias",
    "score_bias_row_factors",
    "score_bias_iff",
    "score_bias_iff_of_heads",
    "score_bias_iff_of_layers",
    "not_equivariant_of_score_bias",
    "output_differs_of_weights",
    "output_differs_of_relative_keys",
    "output_differs_of_rows",
    "causal_last_token_invariant",
    "not_equivariant_of_causal_mask",
    "not_decoder_block_equivariant_of_causal_mask",
    "two_causal_layers_see_order",
    "causal_weights_at_every_depth",
    "causal_variance",
    "causal_position_recoverable",
    "output_differs_of_columns",
    "constant_sequence_blind",
    "attention_is_colour_refinement",
    "two_causal_layers_see_everything",
    "positions_that_travel",
    "equivariant_of_equal_position_ids",
    "documents_in_parallel",
    "sinusoidal_shift_is_rotation",
    "sinusoidal_rows_distinct",
    "rope_relative_score",
    "not_equivariant_of_rotary_positions",
    "output_differs_of_rotations",
    "offset_invariant_of_alibi",
    "offset_invariant_of_relative_positions",
    "not_offset_invariant_of_added_rows",
)


class UnknownTheorem(ValueError):
    """An id that is not in the catalogue: says which, and which may be meant."""


def chosen(ids: Sequence[str]) -> list[str]:
    """The ids given, checked, in the book's order; all of them if none is given."""
    for name in ids:
        if name not in IDS:
            raise UnknownTheorem(f"theorem {name!r}: {unknown(name)}")
    return [name for name in IDS if not ids or name in ids]


def unknown(name: str) -> str:
    """That an id is not in the catalogue, and which may be meant: by their ids and titles."""
    titles = {known: title(known) for known in IDS}
    hint = suggestion(name, titles, "expected one that `orderproof list` shows")
    return f"not in the catalogue; {hint}"


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
