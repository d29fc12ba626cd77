"""Hostile and malformed texts of statements: refused in one line, and nothing is run."""

import json
import random
from fractions import Fraction
from typing import Any

import pytest

from orderproof.symbolic.models.builders import call, define, number, pointwise, total
from orderproof.symbolic.statements.statement import Atom, Statement, StatementError
from orderproof.symbolic.statements.text import FORMAT, canonical, parse
from tests.symbolic.statements.odd_statements import (
    BASE,
    ODD,
    ONE,
    F,
    X,
)

# -------------------------------------------------------------------------------- hostile texts
GOOD = canonical(BASE)
POWER = canonical(Statement(Atom(pointwise("exp", X), "=", number(Fraction(3, 4)))))
NESTED = "[" * 100_000 + "]" * 100_000
DEEP_INDEX = "[0," * 900 + "0" + "]" * 900


def spoilt() -> dict[str, str]:
    """Texts that say no statement, or one that is not in canonical form."""
    low = json.loads(GOOD)
    found = {
        "empty": "", "null": "null", "a number": "3", "a word": '"statement"', "an object": "{}",
        "code": "__import__('os').abort()", "code in JSON": '["__import__(\'os\').abort()"]',
        "another format": GOOD.replace(FORMAT, "orderproof statement 2"),
        "a format of two lines": GOOD.replace(FORMAT, "a\\nb"),
        "no format": json.dumps(low[1:]), "one field more": json.dumps([*low, 0]),
        "white space": GOOD.replace(",", ", ", 1), "after it": GOOD + " ", "twice": GOOD * 2,
        "nested": NESTED, "nested in it": GOOD.replace("[", NESTED[:50_000], 1),
        "infinite size": GOOD.replace('[[2],[3]]', "[[2],[1e400]]"),
        "NaN": GOOD.replace('[[2],[3]]', "[[2],[NaN]]"),
        "a size of many digits": GOOD.replace('[[2],[3]]', f"[[2],[{'9' * 5000}]]"),
        "a size as a word": GOOD.replace('[[2],[3]]', '[[2],["3"]]'),
        "a size as a fraction": GOOD.replace('[[2],[3]]', "[[2],[3.0]]"),
        "a negative size": GOOD.replace('[[2],[3]]', "[[-2],[3]]"),
        "cases out of order": GOOD.replace('[[2],[3]]', "[[3],[2]]"),
        "a case twice": GOOD.replace('[[2],[3]]', "[[2],[3],[3]]"),
        "an index that is too large": GOOD.replace('["tensor",1]', '["tensor",99]'),
        "a negative index": GOOD.replace('["tensor",1]', '["tensor",-1]'),
        "numbers exchanged": GOOD.replace('["tensor",0]', '["tensor",9]')
        .replace('["tensor",1]', '["tensor",0]').replace('["tensor",9]', '["tensor",1]'),
        "an unknown relation": GOOD.replace('"<"', '">"'),
        "an unknown constructor": GOOD.replace('"pointwise"', '"eval"', 1),
        "a formal outside": GOOD.replace('["tensor",1]', '["formal",1]'),
        "fewer parts": GOOD.replace('["pointwise","mul",2]', '["pointwise","mul",1]'),
        "a number by zero": POWER.replace("3/4", "3/0"),
        "a number in other digits": POWER.replace("3/4", "٣"),
        "a number not in lowest terms": POWER.replace("3/4", "6/8"),
        "a huge exponent": POWER.replace("3/4", "1e999999999"),
        "a number that is none": POWER.replace('"3/4"', "0.75"),
        "a billion parts": POWER.replace('["pointwise","exp",1]', '["pointwise","exp",9000000000]'),
        "fewer than no parts": POWER.replace('["pointwise","exp",1]', '["pointwise","exp",-1]'),
        "true for 1": POWER.replace('["pointwise","exp",1]', '["pointwise","ex",true]'),
        "1.0 for 1": POWER.replace('["pointwise","exp",1]', '["pointwise","exp",1.0]'),
        "a function without a name": POWER.replace('"exp"', "[]"),
        "maps of any depth": GOOD.replace("[[0,0]]", f"[{DEEP_INDEX}]", 1),
        "a set of no kind": POWER.replace('["leaf",[0]]', '["leaf",[["-",0,0]]]'),
        "a set by its name": POWER.replace('["leaf",[0]]', '["leaf",[["n"]]]'),
    }  # fmt: skip
    return found


SPOILT = spoilt()


@pytest.mark.parametrize("what", SPOILT)
def test_a_text_that_says_no_statement_is_refused_in_one_line(what: str) -> None:
    """A certificate's text could stop `recheck` with a traceback, or keep it busy for ever."""
    assert SPOILT[what] not in (GOOD, POWER)
    with pytest.raises(StatementError) as found:
        parse(SPOILT[what])
    assert "\n" not in str(found.value) and len(str(found.value)) < 400


@pytest.mark.parametrize("depth", [100, 300, 500, 700, 900])
def test_sets_of_any_depth_are_read_or_refused(depth: int) -> None:
    """A set of sets of sets would end in another error than that of a statement."""
    deep = '["+",' * depth + "0" + ",0]" * depth
    text = POWER.replace('["leaf",[0]]', f'["leaf",[{deep}]]')
    try:
        assert canonical(parse(text)) == text
    except StatementError as error:
        assert "\n" not in str(error) and depth > 100


def test_every_truncated_text_is_refused() -> None:
    """A file that was cut off would say a statement."""
    for k in range(len(GOOD)):
        with pytest.raises(StatementError):
            parse(GOOD[:k])


def test_names_in_a_text_are_data() -> None:
    """The name of a definition would be run, or break the line of a message."""
    op = define("__import__('os')\nabort()", [F], total(F, "i"))
    s = Statement(Atom(call(op, [X], [["i"]], []), "=", ONE))
    assert canonical(parse(canonical(s))) == canonical(s)


def places(x: Any) -> list[tuple[list[Any], int]]:
    """All places in nested lists."""
    if not isinstance(x, list):
        return []
    return [(x, k) for k in range(len(x))] + [q for y in x for q in places(y)]


@pytest.mark.parametrize("count", [800, pytest.param(3000, marks=pytest.mark.slow)])
def test_what_parses_is_in_its_one_form_whatever_is_spoilt(count: int) -> None:
    """A text spoilt in one or two places would raise another error, or be read as a statement that
    it does not say. Seed 9."""
    rng = random.Random(9)
    texts = [canonical(s) for s in (BASE, *ODD.values())]
    junk = [
        None,
        True,
        -1,
        0,
        1,
        2,
        99,
        1e400,
        0.5,
        "",
        "1",
        "x",
        [],
        [[]],
        {},
        ["tensor", 0],
        ["+", 0, 0],
        [[0]],
    ]
    read = 0
    for _ in range(count):
        x = json.loads(rng.choice(texts))
        for _ in range(rng.randint(1, 2)):
            at_, k = rng.choice(places(x))
            other, j = rng.choice(places(x))
            at_[k] = json.loads(json.dumps(rng.choice([*junk, other[j]])))
        text = json.dumps(x, ensure_ascii=False, separators=(",", ":"))
        try:
            found = parse(text)
        except StatementError as error:
            assert "\n" not in str(error)
        else:
            read += 1
            assert canonical(found) == text
    assert 10 < read < count / 2
