"""The calculus in Rocq: the rules of kernel.py and the constructors of terms.py, proved sound."""

import ast
import inspect
import re
from pathlib import Path

import pytest

from orderproof.check.rocq.library import SOURCES, Library, stated
from orderproof.check.rocq.run import RocqError, coqc
from orderproof.symbolic.calculus import kernel, terms


def rules_of(source: str) -> set[str]:
    """The functions of a kernel that issue theorems, and `normal`, which they compute with."""
    found = {"normal"}
    for f in ast.parse(source).body:
        if isinstance(f, ast.FunctionDef) and f.name != "_issue":
            calls = [n.func for n in ast.walk(f) if isinstance(n, ast.Call)]
            if any(isinstance(c, ast.Name) and c.id == "_issue" for c in calls):
                found.add(f.name)
    return found


def lemmas_of(source: str) -> dict[str, str]:
    """The lemma under each marker `(* rule: NAME *)`."""
    return {rule: lemma for lemma, rule in stated("Sound", source).items()}


def constructors_of(source: str) -> set[str]:
    """The kinds in the cases of `signature`."""
    (match,) = (n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Match))
    patterns = [p for c in match.cases for p in ast.walk(c.pattern)]
    values = [p.value for p in patterns if isinstance(p, ast.MatchValue)]
    written = {v.value for v in values if isinstance(v, ast.Constant)}
    return {str(v) for v in written} - {"sum", "prod", "max", "min"}


def inductive(source: str, called: str) -> set[str]:
    """The constructors of an inductive type."""
    text = source[source.index(f"Inductive {called}") :]
    text = re.sub(r"\(\*.*?\*\)", "", text[: text.index(".\n")], flags=re.DOTALL)
    return {x.lower() for x in re.findall(r"\|\s*(\w+)", text)}


SOUND = (SOURCES / "Sound.v").read_text()
CALCULUS = (SOURCES / "Calculus.v").read_text()
KERNEL = inspect.getsource(kernel)


def test_each_rule_has_its_lemma() -> None:
    """A rule of the kernel would have no proof, or a lemma would be about no rule."""
    assert set(lemmas_of(SOUND)) == rules_of(KERNEL)
    assert all(lemma.startswith(rule) for rule, lemma in lemmas_of(SOUND).items())


def test_a_missing_lemma_or_rule_is_noticed() -> None:
    """The comparison would be blind to a rule with no lemma, or a lemma with no rule."""
    assert set(lemmas_of(SOUND.replace("(* rule: reindex *)\n", ""))) != rules_of(KERNEL)
    extra = KERNEL + "\ndef guess(s, t):\n    return _issue('guess', s, t)\n"
    assert set(lemmas_of(SOUND)) != rules_of(extra)


def test_the_constructors_are_the_same() -> None:
    """Rocq would prove the rules of another calculus."""
    mine = constructors_of(inspect.getsource(terms.signature))
    assert mine == inductive(CALCULUS, "op")
    assert mine != inductive(CALCULUS.replace("| Cat of", "| Glue of"), "op")
    kinds = {"symbol", "identity", "inverse", "inl", "inr", "beside", "pair", "fst", "snd"}
    assert inductive(CALCULUS, "imap") == kinds


UNSOUND = {  # the lemma that refutes a rule without a side condition; the rule, and what is dropped
    "reindex_unsound": ("reindex", " -> bij m -> depends axes t ->", " -> depends axes t ->"),
    "at_op_unsound": ("at_op", " else fresh inner (s a)) ->", " else True) ->"),
    "at_delta_unsound": ("at_delta", "mfine M m -> bij m ->\n", "mfine M m ->\n"),
    "sum_delta_unsound": ("sum_delta", "ring M -> depends", "True -> depends"),
    "inst_unsound_of_slot": ("inst", "all (fits strings) us ->", "True ->"),
    "inst_unsound_of_two_sets": ("inst", "uniq [seq a.1 | a <- strings] ->", "True ->"),
    "inst_unsound_of_capture": ("inst", "of_slots axes e ->", "True ->"),
    "inst_unsound_of_lost_axis": ("inst", "{subset axes <= axes'} ->", "True ->"),
    "inst_unsound_of_string_in_hypothesis": (
        "inst", "& {in after h, forall a, is_str a.1 -> a.1 \\in [seq b.1 | b <- axes']}]",
        "& True]"),
    "inst_unsound_of_forgotten_map": ("inst", "{subset C <= C'} ->", "True ->"),
}  # fmt: skip


def without_condition(lemma: str) -> str:
    """Sound.v with a rule that does not check a side condition."""
    rule, old, new = UNSOUND[lemma]
    where = SOUND.index(f"(* rule: {rule} *)")
    assert old in SOUND[where:]
    return SOUND[:where] + SOUND[where:].replace(old, new, 1)


@pytest.mark.parametrize("lemma", UNSOUND)
def test_a_dropped_side_condition_has_its_counterexample(lemma: str) -> None:
    """That a rule needs its side condition would rest on a proof that no one found."""
    lemmas = re.findall(r"^Lemma (\w+)", (SOURCES / "Unsound.v").read_text(), re.M)
    assert lemma in lemmas
    assert lemmas_of(without_condition(lemma)).keys() == lemmas_of(SOUND).keys()


def test_each_side_condition_of_inst_that_is_refuted_is_one_of_its_lemma() -> None:
    """The rule that Unsound.v refutes, with a condition left out, would be another than Sound.v's:
    each condition would be dropped from some rule, and from none that the kernel has."""
    unsound = (SOURCES / "Unsound.v").read_text()
    flags = ["fitting", "one_set", "fresh", "kept", "named", "mapped"]
    assert f"Definition inst_if ({' '.join(flags)} : bool)" in unsound
    assert f"Lemma inst_with_all : inst_if{' true' * len(flags)}." in unsound
    dropped = [re.search(rf"^Lemma {lemma} : ~ inst_if ([a-z ]+)\.$", unsound, re.M)
               for lemma, (rule, *_) in UNSOUND.items() if rule == "inst"]  # fmt: skip
    given = [found[1].split() for found in dropped if found]
    assert sorted(given) == sorted(
        ["false" if k == n else "true" for k in range(len(flags))] for n in range(len(flags))
    )


@pytest.mark.slow
@pytest.mark.parametrize("lemma", UNSOUND)
def test_a_rule_without_its_side_condition_has_no_proof(
    lemma: str, library: Library, tmp_path: Path
) -> None:
    """Rocq would accept a rule that does not check what makes it true."""
    path = tmp_path / "Sound.v"
    path.write_text(without_condition(lemma))
    with pytest.raises(RocqError, match=r"^Sound\.v:\d+: rejected by Rocq"):
        coqc(path, library.folder, 300)
    path.write_text(SOUND)
    assert coqc(path, library.folder, 300)
