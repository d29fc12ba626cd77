"""The calculus in Rocq: the rules of kernel.py and the constructors of terms.py, proved sound."""

import ast
import inspect
import re
from pathlib import Path

import pytest

from orderproof.proofs.rocq_certificate import (
    CLOSED,
    LIBRARY,
    SOURCES,
    check_file,
    compile_library,
    rocq_version,
)
from orderproof.symbolic import kernel, terms

installed = pytest.mark.skipif(not rocq_version(), reason="coqc is not installed")


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
    pattern = r"\(\* rule: (\w+) \*\)\s*(?:\(\*.*?\*\)\s*)?(?:Lemma|Theorem) (\w+)"
    return dict(re.findall(pattern, source, flags=re.DOTALL))


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
    assert set(lemmas_of(SOUND.replace("(* rule: reindex *)", ""))) != rules_of(KERNEL)
    extra = KERNEL + "\ndef guess(s, t):\n    return _issue('guess', s, t)\n"
    assert set(lemmas_of(SOUND)) != rules_of(extra)


def test_the_constructors_are_the_same() -> None:
    """Rocq would prove the rules of another calculus."""
    mine = constructors_of(inspect.getsource(terms.signature.__wrapped__))
    assert mine == inductive(CALCULUS, "op")
    assert mine != inductive(CALCULUS.replace("| Cat of", "| Glue of"), "op")
    kinds = {"symbol", "identity", "inverse", "inl", "inr", "beside", "pair", "fst", "snd"}
    assert inductive(CALCULUS, "imap") == kinds


@installed
def test_nothing_is_assumed(tmp_path: Path) -> None:
    """A lemma would rest on an axiom or on `Admitted`, which coqc lets pass."""
    result = compile_library(tmp_path, [*LIBRARY, "Sound"])
    assert result.ok, result.detail
    files = {"Sound": list(lemmas_of(SOUND).values()), "SoundProgram": ["certified"]}
    for file, lemmas in files.items():
        shown = "\n".join(f"Print Assumptions {lemma}." for lemma in lemmas)
        path = tmp_path / f"Shown{file}.v"
        path.write_text(f"From orderproof Require Import {file}.\n{shown}\n")
        said = check_file(path, tmp_path).detail
        assert said.count(CLOSED) == len(lemmas), said


UNSOUND = {
    "reindex": (" -> bij m -> depends axes t ->", " -> depends axes t ->"),
    "at_op": (" else fresh inner (s a)) ->", " else True) ->"),
    "at_delta": ("map_ok m -> mfine M m -> bij m ->\n", "map_ok m -> mfine M m ->\n"),
}


@installed
@pytest.mark.parametrize("rule", UNSOUND)
def test_a_rule_without_its_side_condition_has_no_proof(rule: str, tmp_path: Path) -> None:
    """Rocq would accept a rule that does not check what makes it true."""
    old, new = UNSOUND[rule]
    where = SOUND.index(f"(* rule: {rule} *)")
    assert old in SOUND[where:]
    (tmp_path / "Sound.v").write_text(SOUND[:where] + SOUND[where:].replace(old, new, 1))
    assert compile_library(tmp_path).ok
    assert "Error" in check_file(tmp_path / "Sound.v", tmp_path).detail
