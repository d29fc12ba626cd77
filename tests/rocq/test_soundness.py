"""The calculus in Rocq: the rules of kernel.py and the constructors of terms.py, proved sound."""

import ast
import inspect
import re
from pathlib import Path

import pytest

from orderproof.proofs.rocq_library import SOURCES, Library, stated
from orderproof.proofs.rocq_run import RocqError, coqc
from orderproof.symbolic import kernel, terms


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
    mine = constructors_of(inspect.getsource(terms._signature))
    assert mine == inductive(CALCULUS, "op")
    assert mine != inductive(CALCULUS.replace("| Cat of", "| Glue of"), "op")
    kinds = {"symbol", "identity", "inverse", "inl", "inr", "beside", "pair", "fst", "snd"}
    assert inductive(CALCULUS, "imap") == kinds


UNSOUND = {  # a rule, its side condition dropped, the lemma that refutes what is left
    "reindex": (" -> bij m -> depends axes t ->", " -> depends axes t ->", "reindex_unsound"),
    "at_op": (" else fresh inner (s a)) ->", " else True) ->", "at_op_unsound"),
    "at_delta": ("mfine M m -> bij m ->\n", "mfine M m ->\n", "at_delta_unsound"),
    "sum_delta": ("ring M -> depends", "True -> depends", "sum_delta_unsound"),
    "inst": ("  (forall M, good M C' -> good (on M) C) ->", " ", "inst_unsound_of_no_bijection"),
}


def without_condition(rule: str) -> str:
    """Sound.v with a rule that does not check its side condition."""
    old, new, _ = UNSOUND[rule]
    where = SOUND.index(f"(* rule: {rule} *)")
    assert old in SOUND[where:]
    return SOUND[:where] + SOUND[where:].replace(old, new, 1)


@pytest.mark.parametrize("rule", UNSOUND)
def test_a_dropped_side_condition_has_its_counterexample(rule: str) -> None:
    """That a rule needs its side condition would rest on a proof that no one found."""
    lemmas = re.findall(r"^Lemma (\w+)", (SOURCES / "Unsound.v").read_text(), re.M)
    assert UNSOUND[rule][2] in lemmas
    assert lemmas_of(without_condition(rule)).keys() == lemmas_of(SOUND).keys()


@pytest.mark.slow
@pytest.mark.parametrize("rule", UNSOUND)
def test_a_rule_without_its_side_condition_has_no_proof(
    rule: str, library: Library, tmp_path: Path
) -> None:
    """Rocq would accept a rule that does not check what makes it true."""
    path = tmp_path / "Sound.v"
    path.write_text(without_condition(rule))
    with pytest.raises(RocqError, match=r"^Sound\.v:\d+: rejected by Rocq"):
        coqc(path, library.folder, 300)
    path.write_text(SOUND)
    assert coqc(path, library.folder, 300)
