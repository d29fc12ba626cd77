"""Certificates: Rocq accepts those of true claims, and no corrupted one."""

from pathlib import Path
from typing import Any

import pytest

from orderproof.check.rocq.certificate import NoCertificate, certificate, check_file
from orderproof.check.rocq.library import Library
from orderproof.symbolic.calculus.terms import Set, Term, at
from orderproof.symbolic.derive.push import Pushed, fixed, push
from orderproof.symbolic.models.attention import attention
from orderproof.symbolic.models.builders import add, contract, leaf_of, mean, permutation, tensor
from tests.bench.stacks import FEATURES, SIGMA, TOKENS, stack

X = tensor("X", i=TOKENS, c=FEATURES)
MEMORY = Set("m")
Y = tensor("Y", j=MEMORY, c=FEATURES)
MOVES = {leaf_of(X): (SIGMA, None)}


def heads(x: Term, y: Term, *, mask: Term | None = None) -> Term:
    """Attention of x to y, its output over i and c."""
    q, k = (tensor(w, c=FEATURES, k=FEATURES) for w in ("W_Q", "W_K"))
    keys = contract(y, k, "c")
    t = attention(contract(x, q, "c"), keys, y.rename({"c": "e"}), "j", "k").rename({"e": "c"})
    return t if mask is None else add(t, contract(mask, y, "j"))


@pytest.fixture(scope="module")
def calculus(library: Library) -> Path:
    """The compiled development, of which certificates need a part."""
    return library.folder


def verdict(text: str, calculus: Path, tmp_path: Path) -> Any:
    """What Rocq says of a certificate."""
    path = tmp_path / "claim.v"
    path.write_text(text)
    return check_file(path, calculus)


CLAIMS = {
    "encoder": (stack(2), MOVES),
    "pooled": (mean(stack(2), "i"), MOVES),
    "cross_queries": (heads(X, Y), MOVES),
    "cross_memory": (heads(X, Y), {leaf_of(Y): (permutation("rho", MEMORY), None)}),
}


@pytest.mark.slow
@pytest.mark.parametrize("claim", CLAIMS)
def test_rocq_accepts_what_was_pushed(claim: str, calculus: Path, tmp_path: Path) -> None:
    """A derived claim could not be certified, or would rest on an assumption."""
    term, moves = CLAIMS[claim]
    text = certificate(push(term, moves), term, claim)
    result = verdict(text, calculus, tmp_path)
    assert result.ok, result.detail


@pytest.mark.slow
def test_a_fixed_mask_is_a_hypothesis(calculus: Path, tmp_path: Path) -> None:
    """PMPᵀ = M could not be assumed, or a mask that is not transported would pass."""
    mask = tensor("M", i=TOKENS, j=TOKENS)
    term = heads(X, X.rename({"i": "j"}), mask=mask)
    fact = fixed(mask, i=SIGMA, j=SIGMA)
    text = certificate(push(term, MOVES, [fact]), term, "masked", [fact])
    assert verdict(text, calculus, tmp_path).ok
    start = text.index("Definition fixed")
    end = text.index("\n", start)
    dropped = text[:start] + "Definition fixed : leaf_moves := [::]." + text[end:]
    assert not verdict(dropped, calculus, tmp_path).ok


def deep_certificate(blocks: int) -> str:
    """The certificate of an encoder of so many blocks."""
    return certificate(push(stack(blocks), MOVES), stack(blocks), "deep")


ENCODER = certificate(push(stack(1), MOVES), stack(1), "encoder")
MOVED = '(("X", [:: (Sym "n"); (Sym "d")]), [:: Some'
CORRUPTIONS = {
    "a constructor": ("Reduce Sum", "Iota"),
    "a wire": ("Bound 0", "Bound 1"),
    "a slot": ("Slot 1", "Slot 0"),
    "an index set": ('(Leaf "w_q" [:: (Sym "d")', '(Leaf "w_q" [:: (Sym "n")'),
    "the moved axis": ("[:: Some (Symbol", "[:: None; Some (Symbol"),
    "the moved tensor": (MOVED, MOVED.replace('"X"', '"Y"')),
    "not a bijection": ("true)", "false)"),
    "the conclusion": ("motion_ : moves := [:: Some", "motion_ : moves := [:: None; Some"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("what", CORRUPTIONS)
def test_rocq_refuses_a_corrupted_certificate(what: str, calculus: Path, tmp_path: Path) -> None:
    """A certificate that was changed in one place would still be accepted."""
    old, new = CORRUPTIONS[what]
    assert old in ENCODER
    assert not verdict(ENCODER.replace(old, new), calculus, tmp_path).ok


@pytest.mark.slow
def test_an_admitted_claim_is_no_certificate(calculus: Path, tmp_path: Path) -> None:
    """`Admitted` ends with status 0: it would pass for a proof."""
    start, end = ENCODER.index("Proof."), ENCODER.index("Qed.") + len("Qed.")
    result = verdict(ENCODER[:start] + "Admitted." + ENCODER[end:], calculus, tmp_path)
    assert not result.ok
    assert "assumptions" in result.detail


@pytest.mark.slow
def test_out_of_time_is_undecided(calculus: Path, tmp_path: Path) -> None:
    """A certificate that takes too long would count as rejected, and its claim as refuted."""
    path = tmp_path / "claim.v"
    path.write_text(ENCODER)
    result = check_file(path, calculus, 0.01)
    assert result.ok is None
    assert result.detail == "claim.v: not checked within 0.01 s"


def test_a_position_table_is_refused_before_rocq() -> None:
    """A model with positions would reach Rocq, or its refusal would look like a disproof."""
    table = tensor("E", i=TOKENS, c=FEATURES)
    term = heads(add(X, table), add(X, table).rename({"i": "j"}))
    with pytest.raises(NoCertificate, match=r"no certificate: stuck at E: .*not a disproof"):
        certificate(push(term, MOVES), term, "positions")


@pytest.mark.slow
def test_selected_places(calculus: Path, tmp_path: Path) -> None:
    """A memory token that is selected before it is moved could not be certified as unmoved."""
    from orderproof.symbolic.models.builders import constant

    last = at(heads(X, Y), {"i": constant("q", TOKENS)()})
    pushed = push(last, {leaf_of(Y): (permutation("rho", MEMORY), None)})
    assert isinstance(pushed, Pushed)
    assert verdict(certificate(pushed, last, "selected"), calculus, tmp_path).ok


@pytest.mark.slow
@pytest.mark.parametrize("blocks", [12, 48])
def test_depth(blocks: int, calculus: Path, tmp_path: Path) -> None:
    """A deep model could not be certified: Rocq would not come to an end, or not have the stack."""
    result = verdict(deep_certificate(blocks), calculus, tmp_path)
    assert result.ok, result.detail
