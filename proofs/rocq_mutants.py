"""Headline statements with one thing changed: none may be what the theorem of that name proves.

All stand in one file: each mutant is defined first, so that it is a statement, and then the theorem
is put forward as its proof, which must fail; the unchanged statement, put forward so, must not.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from pathlib import Path

from .rocq_library import MATRICES, RECORDED, answers
from .rocq_run import LIMIT, RocqError, coqc

IMPORTS = (
    "From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.\n"
    f"From orderproof Require Import {' '.join(MATRICES)}.\n"
    "Import Order.Theory GRing.Theory Num.Theory.\nLocal Open Scope ring_scope.\n"
)
NOT_A_PROOF = "while it is expected to have type"

# What is changed, in the statement as Rocq printed it: (id, words, from, to), the first place.
EDITS = (
    ("sum_act", "one index moved twice", r"\sum_j a (s j)", r"\sum_j a (s (s j))"),
    ("sum_act", "another mean", "/ n.+1%:R = ", "/ n.+2%:R = "),
    ("qkv_equivariant", "the inverse", "= perm_mx s *m", "= perm_mx s^-1 *m"),
    ("scores_conjugate", "P for its transpose", "(perm_mx t)^T", "perm_mx t"),
    ("scores_conjugate", "the inverse", "perm_mx s *m scores", "perm_mx s^-1 *m scores"),
    ("scores_conjugate", "rows alone", "perm_mx t *m K", "K"),
    ("softmax_conjugate", "P for its transpose", "(perm_mx t)^T) =", "perm_mx t) ="),
    ("softmax_conjugate", "the inverse", "perm_mx s *m softmax", "perm_mx s^-1 *m softmax"),
    ("softmax_conjugate", "no positive w", "0 < w x", "0 <= w x"),
    ("attention_weights_conjugate", "columns unmoved", "(perm_mx s)^T", "1%:M"),
    ("self_attention_equivariant", "invariant", "perm_mx s *m self_attention", "self_attention"),
    ("self_attention_equivariant", "the inverse", "perm_mx s *m self", "perm_mx s^-1 *m self"),
    ("token_output_same_in_any_order", "another token", "row i X = row j Y", "row i X = row i Y"),
    ("token_output_same_in_any_order", "other tokens", "perm_eq (rows X) (rows Y)", "true"),
    ("cross_attention_equivariant", "keys alone", "(perm_mx t *m Y *m WV)", "(Y *m WV)"),
    ("cross_attention_equivariant", "values alone", "(perm_mx t *m Y *m WK)", "(Y *m WK)"),
    ("multi_head_equivariant", "the inverse", "perm_mx s *m multi", "perm_mx s^-1 *m multi"),
    ("encoder_equivariant", "invariant", "perm_mx s *m encoder", "encoder"),
    ("encoder_equivariant", "the inverse", "perm_mx s *m encoder", "perm_mx s^-1 *m encoder"),
    ("pooling_invariant", "a position picked", "sum_pool X", "sum_pool (0 *: X)"),
    ("bag_of_words", "other words", "perm_eq t u", "size t = size u"),
    ("generation_order_independent", "another cache", "perm_eq cache cache'", "cache = cache"),
    ("kernel_attention_equivariant", "keys alone", "(perm_mx t *m V)", "V"),
    ("mask_transport", "mask not moved", "(perm_mx s *m G *m (perm_mx s)^T)", "G"),
    ("mask_transport", "mask moved back", "*m (perm_mx s)^T)", "*m perm_mx s)"),
    ("equivariant_of_fixed_position_table", "any table", "perm_mx s *m E = E", "E = E"),
    ("not_invariant_self_attention", "one token", "n.+2", "n.+1"),
    ("not_invariant_self_attention", "a constant w", "w a != w 0", "w a == w 0"),
    ("not_invariant_self_attention", "no scale", "scale != 0 ->", "true ->"),
    ("additive_position_iff", "a negative w", "0 < w x", "w x < 0"),
    ("additive_position_iff", "fixed by the inverse", "perm_mx s *m E = E)", "perm_mx s *m E = 0)"),
    ("score_bias_iff", "no condition on w 0", "w 0 != 0", "w 0 == 0"),
    ("score_bias_iff", "w does not multiply", "w (x + y) = w x * w y", "w (x + y) = w x + w y"),
    ("causal_last_token_invariant", "any permutation", "s ord_max = ord_max", "s = s"),
    ("two_causal_layers_see_order", "another fraction", "11", "12"),
    ("two_causal_layers_see_order", "fractions swapped", "= 5 / 18", "= 11 / 18"),
    ("two_causal_layers_see_order", "a bound off by one", "j < j'", "j <= j'"),
)  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A changed statement: the theorem's name, what was changed, the statement."""

    name: str
    words: str
    statement: str


def mutants(recorded: Path = RECORDED) -> list[Mutant]:
    """Every edit, carried out; RocqError if the recorded statement lacks what is to be changed."""
    theorems = json.loads(recorded.read_text(encoding="utf-8"))["Headlines"]["theorems"]
    found = []
    for name, words, old, new in EDITS:
        statement = theorems[name]["statement"]
        if old not in statement:
            raise RocqError(f"mutant {name}, {words}: no {old!r} in the recorded statement")
        found.append(Mutant(name, words, statement.replace(old, new, 1)))
    return found


def controls(recorded: Path = RECORDED) -> list[Mutant]:
    """The statements that are changed, unchanged."""
    theorems = json.loads(recorded.read_text(encoding="utf-8"))["Headlines"]["theorems"]
    names = dict.fromkeys(name for name, *_ in EDITS)
    return [Mutant(name, "unchanged", theorems[name]["statement"]) for name in names]


def text(false: list[Mutant], true: list[Mutant]) -> str:
    """The file in which every false statement must be rejected, and every true one accepted."""
    lines = [IMPORTS]
    for k, m in enumerate(true):
        lines.append(f"Definition control_{k} : {m.statement}.\nProof. exact @{m.name}. Qed.")
    for k, m in enumerate(false):
        lines.append(f"Definition mutant_{k} : Prop := {m.statement}.")
        lines.append(f'Goal True. idtac "@@ {k}@rejected @@". Abort.')
        lines.append(f"Fail Definition proof_{k} : mutant_{k} := @{m.name}.")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Rejections:
    """What Rocq said of each mutant, and how long it took for all of them."""

    said: dict[Mutant, str]
    seconds: float

    @property
    def rejected(self) -> list[Mutant]:
        """Those of which the theorem is no proof, in Rocq's words."""
        return [m for m, words in self.said.items() if NOT_A_PROOF in " ".join(words.split())]


def reject(
    out: Path,
    false: list[Mutant] | None = None,
    true: list[Mutant] | None = None,
    limit: float = LIMIT,
) -> Rejections:
    """Have Rocq reject all mutants in one file; RocqError, with the mutant's name, if it accepts
    one, or if one is no statement. The folder is one that `rocq_library.compile` has filled."""
    false = mutants() if false is None else false
    written = text(false, controls() if true is None else true)
    (out / "Mutants.v").write_text(written, encoding="utf-8")
    start = time.perf_counter()
    try:
        ran = coqc(out / "Mutants.v", out, limit)
    except RocqError as error:
        line = re.match(r"Mutants\.v:(\d+)", str(error))
        above = "\n".join(written.splitlines()[: int(line[1])]) if line else ""
        numbers = re.findall(r"^Definition mutant_(\d+)", above, re.M)
        which = false[int(numbers[-1])] if numbers else None
        named = f"mutant {which.name}, {which.words}: " if which else ""
        raise RocqError(f"{named}{error}") from None
    found = {k: words for (k, _), words in answers(ran.said).items()}
    return Rejections({m: found[str(k)] for k, m in enumerate(false)}, time.perf_counter() - start)
