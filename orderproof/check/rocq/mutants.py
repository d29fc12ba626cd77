"""Headline statements with one thing changed: none may be what the theorem of that name proves.

All stand in one file. The theorem must prove the unchanged statement, and this must be no proof of
the changed one, which is a statement, as Rocq parses and types it.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

from .claims import imports
from .library import MATRICES, SOURCES, answers, read
from .run import LIMIT, RocqError, coqc, without_comments

SHOW_FAILURES = "-test-mode"  # or coqc says nothing of what failed as it should
NOT_A_PROOF = "while it is expected to have type"

# What is changed in a statement of Headlines.v: (id, words, from, to), the first place.
EDITS = (
    ("sum_act", "one index moved twice", r"\sum_j a (s j)", r"\sum_j a (s (s j))"),
    ("sum_act", "another mean", "/ n%:R = ", "/ n.+1%:R = "),
    ("perm_transpose_mul", "P for its transpose", "(perm_mx s)^T *m", "perm_mx s *m"),
    ("perm_transpose_mul", "the other convention", "s i == j", "s j == i"),
    ("perm_transpose_mul", "the other order", "X (t (s i)) j", "X (s (t i)) j"),
    ("qkv_equivariant", "a bias forgotten", "affine W b (perm", "affine W 0 (perm"),
    ("qkv_equivariant", "the inverse", "= perm_mx s *m", "= perm_mx s^-1 *m"),
    ("scores_conjugate", "P for its transpose", "(perm_mx t)^T", "perm_mx t"),
    ("scores_conjugate", "the inverse", "perm_mx s *m scores", "perm_mx s^-1 *m scores"),
    ("scores_conjugate", "rows alone", "perm_mx t *m K", "K"),
    ("softmax_conjugate", "P for its transpose", "(perm_mx t)^T) =", "perm_mx t) ="),
    ("softmax_conjugate", "the inverse", "perm_mx s *m softmax", "perm_mx s^-1 *m softmax"),
    ("softmax_conjugate", "no positive w", "0 < w x", "0 <= w x"),
    ("softmax_conjugate", "empty rows", "(0 < m)%N", "true"),
    ("attention_weights_conjugate", "columns unmoved", "(perm_mx s)^T", "1%:M"),
    ("self_attention_equivariant", "invariant", "perm_mx s *m self_attention", "self_attention"),
    ("self_attention_equivariant", "the inverse", "perm_mx s *m self", "perm_mx s^-1 *m self"),
    ("token_output_same_in_any_order", "another token", "row i X = row j Y", "row i X = row i Y"),
    ("token_output_same_in_any_order", "other tokens", "perm_eq (rows X) (rows Y)", "true"),
    ("cross_attention_equivariant", "keys alone", "out (perm_mx s *m X) (perm_mx t *m Y)",
     "attend w scale (perm_mx s *m X *m WQ) (perm_mx t *m Y *m WK) (Y *m WV)"),
    ("cross_attention_equivariant", "values alone", "out (perm_mx s *m X) (perm_mx t *m Y)",
     "attend w scale (perm_mx s *m X *m WQ) (Y *m WK) (perm_mx t *m Y *m WV)"),
    ("multi_head_equivariant", "the inverse", "perm_mx s *m multi", "perm_mx s^-1 *m multi"),
    ("encoder_equivariant", "invariant", "perm_mx s *m encoder", "encoder"),
    ("encoder_equivariant", "the inverse", "perm_mx s *m encoder", "perm_mx s^-1 *m encoder"),
    ("pooling_invariant", "a position picked", "sum_pool X", "sum_pool (0 *: X)"),
    ("bag_of_words", "other words", "perm_eq t u", "size t = size u"),
    ("generation_order_independent", "another cache", "perm_eq cache cache'", "cache = cache"),
    ("kernel_attention_equivariant", "keys alone", "(perm_mx t *m V)", "V"),
    ("mask_transport", "mask not moved", "perm_mx s *m G *m (perm_mx s)^T", "G"),
    ("mask_transport", "mask moved back", "*m (perm_mx s)^T in", "*m perm_mx s in"),
    ("mask_transport", "padding not moved", "perm_mx s *m g in", "g in"),
    ("equivariant_of_fixed_position_table", "any table", "perm_mx s *m E = E", "E = E"),
    ("not_invariant_self_attention", "one token",
     "_(n.+2, d.+1)) (s : 'S_n.+2)", "_(n.+1, d.+1)) (s : 'S_n.+1)"),
    ("not_invariant_self_attention", "a constant w", "w a != w 0", "w a == w 0"),
    ("not_invariant_self_attention", "no scale", "scale != 0 ->", "true ->"),
    ("additive_position_iff", "a negative w", "0 < w x", "w x < 0"),
    ("additive_position_iff", "fixed by the inverse", "perm_mx s *m E = E)", "perm_mx s *m E = 0)"),
    ("score_bias_iff", "no condition on w 0", "w 0 != 0", "w 0 == 0"),
    ("score_bias_iff", "w does not multiply", "w (x + y) = w x * w y", "w (x + y) = w x + w y"),
    ("causal_last_token_invariant", "any permutation", "s ord_max = ord_max", "s = s"),
    ("two_causal_layers_see_order", "another fraction", "11", "12"),
    ("two_causal_layers_see_order", "fractions swapped", "5%:R", "11%:R"),
    ("two_causal_layers_see_order", "a bound off by one", "j < j'", "j <= j'"),
    ("causal_weights_at_every_depth", "fractions swapped", "2 0 = 11%:R", "2 0 = 5%:R"),
    ("causal_weights_at_every_depth", "as many tokens as layers", "size layers <= n",
     "size layers <= n.+1"),
    ("causal_weights_at_every_depth", "two layers attend", "<= 1)%N", "<= 2)%N"),
    ("causal_weights_at_every_depth", "another factor", "- 4%:R *", "- 3%:R *"),
    ("constant_sequence_blind", "an empty row", "sees_some G ->", "true ->"),
    ("causal_variance", "the mean of two variances", "= i.+1%:R^-1", "= i.+1%:R"),
    ("causal_variance", "once more", "2%:R * i.+1%:R -", "i.+1%:R -"),
    ("causal_position_recoverable", "one too many", "1 + i%:R", "1 + i.+1%:R"),
    ("causal_position_recoverable", "a row and itself", "i != j ->", "true ->"),
    ("attention_is_colour_refinement", "one layer more", "size Bs = L ->", "size Bs = L.+1 ->"),
    ("attention_is_colour_refinement", "rows of sum 0",
     r"(forall h k, \sum_l G h k l != 0) -> (forall h k, \sum_l G' h k l != 0) -> ", ""),
    ("attention_is_colour_refinement", "one token", "(inl i) (inr j) in", "(inl i) (inl i) in"),
    ("colour_refinement_of_encoders", "one layer more", "(size Bs)", "(size Bs).-1"),
    ("context_group_at_every_depth", "one layer more", "L.+1 -> unmoved", "L.+2 -> unmoved"),
    ("context_group_at_every_depth", "rows of another sum", "= normalize (G h) k j", "= G h k j"),
    ("context_group_at_every_depth", "causal, any depth",
     "else t = 1%g", "else t ord_max = ord_max"),
    ("one_layer_computes_every_equivariant_function", "any function",
     "F x (s i)) ->", "F x (s i) -> true) ->"),
    ("one_layer_computes_every_equivariant_function", "order and all",
     "perm_eq x y -> F", "x = y -> F"),
    ("two_causal_layers_see_everything", "the first token anywhere",
     r"first \notin x ->", "true ->"),
    ("two_causal_layers_see_everything", "one layer", "averaging_layer w scale f1; ", ""),
    ("three_causal_layers_see_every_order", "one layer", "size fs = 3%N", "size fs = 1%N"),
    ("not_everything_seen_by_one_causal_layer", "any tokens", "perm_eq x y ->", "true ->"),
    ("normed_position_iff", "all gains 0", "(exists c, gamma 0 c != 0) ->", "true ->"),
    ("normed_position_iff", "any gain", "(forall c, gamma 0 c = 0) ->", "true ->"),
    ("normed_position_iff", "any table", "E - E) i b)", "E - E) i b \\/ True)"),
    ("normed_position_iff", "P E = E", "= (perm_mx s *m E - E) i b)",
     "= 0 * (perm_mx s *m E - E) i b)"),
    ("normed_position_iff", "no root", "square_root root ->", "true ->"),
    ("attention_contracts", "rows of any sums", r"(forall i j, \sum_k A i k = \sum_k A j k) ->",
     "true ->"),
    ("attention_contracts", "half of it", "variation (A i) (A j) * D)",
     "variation (A i) (A j) * D / 2%:R)"),
    ("position_after_first_layer_contracts", "half of kappa", "s ^+ 2 / 4%:R", "s ^+ 2 / 8%:R"),
    ("position_after_first_layer_contracts", "a lower power", "s ^+ 3 / 4%:R", "s ^+ 2 / 4%:R"),
    ("position_after_first_layer_contracts", "to any base",
     "(forall x, 0 <= x -> w x - 1 <= x / 2%:R * (w x + 1)) ->", "true ->"),
    ("position_after_first_layer_collapses", "a higher power", "(3 ^ L)", "(4 ^ L)"),
    ("position_after_first_layer_collapses", "half of r^2", "omega / 4%:R", "omega / 8%:R"),
    ("position_after_first_layer_skip", "farther apart", "(1 - kappa) *", "(1 + kappa) *"),
    ("position_after_first_layer_skip", "any kappa", "kappa < 1 ->", "true ->"),
    ("euclidean_norms", "no norm of the map", "(x *m M) <= frobenius root M * euclid root x",
     "(x *m M) <= euclid root x"),
)  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A changed statement: the theorem's name, what was changed, the statement."""

    name: str
    words: str
    statement: str


def statements(sources: Path = SOURCES) -> dict[str, str]:
    """Each theorem of Headlines.v as one closed statement, without comments, on one line."""
    found = {}
    bare = without_comments((sources / "Headlines.v").read_text("utf-8"))
    for name, stated in re.findall(r"^Theorem (\w+)(.*?)\.\s*^Proof\b", bare, re.M | re.S):
        deep, line = 0, " ".join(stated.split())
        for k, letter in enumerate(line):
            deep += (letter in "([{") - (letter in ")]}")
            if letter == ":" and not deep:
                found[name] = f"forall {line[:k].strip()}, {line[k + 1 :].strip()}"
                break
    return found


def mutants(sources: Path = SOURCES) -> list[Mutant]:
    """Every edit, carried out; RocqError if the statement has not what is to be changed."""
    stated = statements(sources)
    found = []
    for name, words, old, new in EDITS:
        if old not in stated.get(name, ""):
            raise RocqError(f"mutant {name}, {words}: no {old!r} in the statement")
        found.append(Mutant(name, words, stated[name].replace(old, new, 1)))
    return found


def controls(sources: Path = SOURCES) -> list[Mutant]:
    """The statements that are changed, unchanged."""
    stated = statements(sources)
    names = dict.fromkeys(name for name, *_ in EDITS)
    return [Mutant(name, "unchanged", stated[name]) for name in names]


def text(false: list[Mutant], true: list[Mutant]) -> str:
    """The file in which the theorems prove the true statements, and these no false one."""
    lines = [imports(MATRICES)]
    for k, m in enumerate(true):
        lines.append(f"Definition control_{k} : {m.statement}.\nProof. exact @{m.name}. Qed.")
    layers = [d for t in read(MATRICES).values() for d in re.findall(r"^Definition (\w+)", t, re.M)]
    stated = {m.name: m.statement for m in true}
    for k, m in enumerate(false):
        # For any layers in place of ours: Rocq would unfold ours for minutes to compare them.
        # The last first: one that is defined by another must go before it does.
        used = [d for d in reversed(layers) if re.search(rf"\b{d}\b", stated[m.name])]
        lines.append(f"Goal ({stated[m.name]}) -> ({m.statement}).")
        lines.append(f"Proof. {' '.join(f'generalize @{d}.' for d in used)}")
        lines.append(f'do {len(used) + 1} intro. idtac "@@ {k}@rejected @@".')
        lines.append(
            "match goal with H : _ |- _ => rename H into true end. Fail exact true. Abort."
        )
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


def reject(out: Path, false: list[Mutant] | None = None, limit: float = LIMIT) -> Rejections:
    """Have Rocq reject all mutants in one file; RocqError, with the mutant's name, if it accepts
    one, or if one is no statement. The folder is one that `rocq_library.compile` has filled."""
    false = mutants() if false is None else false
    written = text(false, controls())
    (out / "Mutants.v").write_text(written, encoding="utf-8")
    start = time.perf_counter()
    try:
        ran = coqc(out / "Mutants.v", out, limit, SHOW_FAILURES)
    except RocqError as error:
        line = re.match(r"Mutants\.v:(\d+)", str(error))
        above = written.splitlines()[: int(line[1])] if line else []
        begun = sum(x.startswith("Goal ") for x in above)
        which = false[begun - 1] if begun else None
        named = f"mutant {which.name}, {which.words}: " if which else ""
        raise RocqError(f"{named}{error}") from None
    found = {k: words for (k, _), words in answers(ran.said).items()}
    return Rejections({m: found[str(k)] for k, m in enumerate(false)}, time.perf_counter() - start)
