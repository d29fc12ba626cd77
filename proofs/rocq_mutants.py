"""Headline statements with one thing changed: none may be what the theorem of that name proves."""

from __future__ import annotations

import json
from pathlib import Path

from .rocq_library import IMPORTS, LIMIT, RECORDED, RocqError, coqc

Mutant = tuple[str, str, str]  # the id, what was changed, the statement

# What is changed, in the statement as Rocq printed it: (id, words, from, to), the first place.
EDITS = (
    ("sum_act", "one summand twice", r"\sum_j a (s j)", r"\sum_j a (s (s j))"),
    ("qkv_equivariant", "the inverse", "= perm_mx s *m", "= perm_mx s^-1 *m"),
    ("scores_conjugate", "P for its transpose", "(perm_mx t)^T", "perm_mx t"),
    ("scores_conjugate", "the inverse", "perm_mx s *m scores", "perm_mx s^-1 *m scores"),
    ("scores_conjugate", "rows alone", "perm_mx t *m K", "K"),
    ("softmax_conjugate", "P for its transpose", "(perm_mx t)^T) =", "perm_mx t) ="),
    ("softmax_conjugate", "the inverse", "perm_mx s *m softmax", "perm_mx s^-1 *m softmax"),
    ("softmax_conjugate", "no positive w", "0 < w x", "0 <= w x"),
    ("attention_weights_conjugate", "columns unmoved", "*m (perm_mx s)^T", ""),
    ("self_attention_equivariant", "invariant", "perm_mx s *m self_attention", "self_attention"),
    ("self_attention_equivariant", "the inverse", "perm_mx s *m self", "perm_mx s^-1 *m self"),
    ("cross_attention_equivariant", "keys alone", "(perm_mx t *m Y *m WV)", "(Y *m WV)"),
    ("multi_head_equivariant", "the inverse", "perm_mx s *m multi", "perm_mx s^-1 *m multi"),
    ("encoder_equivariant", "invariant", "perm_mx s *m encoder", "encoder"),
    ("encoder_equivariant", "the inverse", "perm_mx s *m encoder", "perm_mx s^-1 *m encoder"),
    ("mask_transport", "mask moved back", "*m (perm_mx s)^T)", "*m perm_mx s)"),
    ("equivariant_of_fixed_position_table", "any table", "perm_mx s *m E = E", "E = E"),
    ("kernel_attention_equivariant", "keys alone", "(perm_mx t *m V)", "V"),
    ("two_causal_layers_see_order", "another fraction", "11", "12"),
    ("two_causal_layers_see_order", "fractions swapped", "5%:R", "11%:R"),
    ("causal_last_token_invariant", "any permutation", "s ord_max = ord_max", "s = s"),
    ("not_invariant_self_attention", "one token", "n.+2", "n.+1"),
    ("additive_position_iff", "a negative w", "0 < w x", "w x < 0"),
    ("score_bias_iff", "no condition on w 0", "w 0 != 0", "w 0 = w 0"),
)


def mutants() -> list[Mutant]:
    """Every edit of EDITS that applies to the recorded statement, carried out."""
    recorded = json.loads(RECORDED.read_text())["theorems"]
    found = []
    for name, words, old, new in EDITS:
        statement = recorded[name]["statement"]
        if old in statement:
            found.append((name, words, statement.replace(old, new, 1)))
    return found


def reject(out: Path, limit: float = LIMIT) -> list[tuple[Mutant, bool | None, str]]:
    """Each mutant, whether Rocq rejects it (None: it is not a statement), and Rocq's words.

    The mutant must be a well-formed statement, and the theorem must not be a proof of it. The
    folder is one that `rocq_library.compile` has filled.
    """
    return [(m, *rejected(out, m[0], m[2], limit)) for m in mutants()]


def rejected(out: Path, name: str, statement: str, limit: float = LIMIT) -> tuple[bool | None, str]:
    """Whether the theorem of that name is no proof of a statement."""
    head = f"{IMPORTS}Definition statement : Prop := {statement}.\n"
    proof = f"Definition proof : statement := @Headlines.{name}.\n"
    try:
        (out / "Mutant.v").write_text(head)
        coqc(out, "Mutant", limit)
        (out / "Mutant.v").write_text(head + "Fail " + proof)
        return True, coqc(out, "Mutant", limit).strip()
    except RocqError as error:
        return (False if "has not failed" in str(error) else None), str(error)
