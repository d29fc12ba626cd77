"""The trust page, docs/trust.md: what each mark asks to be believed, which code two of them share,
what a decided model rests on, and which theorems carry which mark.

Generated from the marks that the claims declare; whether they are green is for `prove` to say.

python -m orderproof.check.prove.trust_page docs/trust.md
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from orderproof.check.claims import TheoremFile
from orderproof.check.page import RECORDED_ROCQ
from orderproof.proofs import catalogue

from . import results, trust_decided
from .trust import MARKS, SHARED, VERDICTS, joins

BEGIN = "<!-- trust: written by `make readme` from the claims -->"
END = "<!-- trust: end -->"
ROOT = "../"  # from docs/, for links


def markdown(theorems: Iterable[TheoremFile]) -> str:
    """The tables in Markdown: the marks in words, the code that two of them share, and how many
    claims of a theorem carry each."""
    each = {t.id: t.declared() for t in theorems}
    declared = {
        name: Counter(m for marks in claims for m in marks) for name, claims in each.items()
    }
    used = [m for m in MARKS if any(m.name in carried for carried in declared.values())]
    lines = ["| mark | says | you must believe |", "|---|---|---|"]
    lines += [
        f"| {m.name} | {m.says} | {m.believe} |"
        for m in MARKS
        if m in used or m.name == RECORDED_ROCQ  # which no claim declares: it stands for rocq
    ]
    lines += [
        "",
        "## Which marks make which verdict",
        "",
        VERDICTS,
        "",
        "## What marks have in common",
        "",
        SHARED,
        "",
        joins(),
    ]
    lines += ["", f"## {trust_decided.TITLE}", "", trust_decided.ABOUT, ""]
    lines += ["| part | what it does | you must believe |", "|---|---|---|"]
    lines += [f"| {t.name} | {t.says} | {t.believe} |" for t in trust_decided.DECIDED]
    lines += ["", "## The marks of every theorem"]
    lines += ["", "How many claims of each theorem carry the mark, of how many claims:", ""]
    lines += [f"| theorem | claims | {' | '.join(m.name for m in used)} |"]
    lines += ["|---" * (len(used) + 2) + "|"]
    for name, carried in declared.items():
        cells = [str(carried[m.name] or "") for m in used]
        lines.append(
            f"| [{name}]({ROOT}{catalogue.file(name)}) | {len(each[name])} | {' | '.join(cells)} |"
        )
    return "\n".join(lines)


def replaced(text: str, page: str, first: str = BEGIN, last: str = END) -> str:
    """A text with what stands between its two marker lines replaced."""
    before, begin, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise ValueError(f"expected the lines {first!r} and {last!r}, found {begin!r} and {end!r}")
    return f"{before}{first}\n{page}\n{last}{after}"


def main(path: Path) -> None:
    """Rewrite the trust page of a file in place."""
    page = markdown(map(catalogue.load, catalogue.IDS))
    results.write(path, replaced(path.read_text(encoding="utf-8"), page))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
