"""Make orderproof-math.woff2, a subset of Latin Modern Math 1.959 under another name.

    python tests/tools/make_math_font.py latinmodern-math.otf

The font is in Debian's fonts-lmodern and on CTAN (lm-math); the sum of the file that was used is
below. The subset keeps the MATH table, every stretched and script-size variant of the characters
kept, and the italic, bold, script and double-struck alphabets; primes are drawn in script form.
Latin Modern Math is by B. Jackowski, P. Strzelczyk and P. Pianowski, under the GUST Font License,
which asks that a changed font bear another name: hence "Orderproof Math".
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

FONT = Path(__file__).parents[2] / "proofs" / "web" / "fonts" / "orderproof-math.woff2"
SHA256 = "6075562b771f8b82f0c179e363389684f2dd09de30038269e2628e504bd7be0f"

# Ranges of characters, both ends included.
KEPT = """
20-7E A0 AC B1 B7 D7 300-304 307 308 338 2C6 2DC 391-3C9 3D1 3D5 3F5 2016 2026 2032-2034
2061-2064 210B 210E 2102 2110 2112 2115 211A 211B 211D 2124 212C 2130 2131 2133 2190-2194 21A6
21D0-21D4 2200 2203-2205 2207-2209 220F 2211-2213 2216-221A 221D 221E 2223 2225 2227-222B 223C
2245 2248 2254 2260 2261 2264 2265 226A 226B 2282 2283 2286 2287 2295 2297 2299 22A2 22A4 22A5
22C0 22C1 22C5 22EE-22F1 2308-230B 27E8 27E9 1D400-1D467 1D49C-1D4CF 1D538-1D56B 1D6A4 1D6A5
1D6A8-1D71B 1D7CE-1D7D7
"""


def kept() -> set[int]:
    """The characters that the subset keeps."""
    ranges = [[int(end, 16) for end in part.split("-")] for part in KEPT.split()]
    return {c for ends in ranges for c in range(ends[0], ends[-1] + 1)}


def _raise_primes(font: TTFont) -> None:
    """Give primes their script form alone: browsers raise a prime, but do not ask for the form."""
    forms: dict[str, list[str]] = {}
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for table in lookup.SubTable:
            forms |= getattr(table, "alternates", {})
    for table in font["cmap"].tables:
        for prime in (0x2032, 0x2033, 0x2034):
            if prime in table.cmap:
                table.cmap[prime] = forms[table.cmap[prime]][0]


def main(source: Path) -> None:
    """Write the subset where the book reads it."""
    if (found := hashlib.sha256(source.read_bytes()).hexdigest()) != SHA256:
        sys.exit(f"{source}: SHA-256 {found}, expected {SHA256}")
    font = TTFont(source, recalcTimestamp=False)
    options = Options(layout_features=["ssty", "dtls", "flac", "kern"], drop_tables=["FFTM"])
    options.hinting, options.desubroutinize = False, True
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=kept())
    subsetter.subset(font)
    _raise_primes(font)
    for platform, encoding, language in ((1, 0, 0), (3, 1, 0x409)):
        for name, text in (
            (1, "Orderproof Math"),
            (3, "Orderproof Math, subset of Latin Modern Math 1.959"),
            (4, "Orderproof Math"),
            (6, "OrderproofMath"),
            (16, "Orderproof Math"),
        ):
            font["name"].setName(text, name, platform, encoding, language)
    top = font["CFF "].cff
    top.fontNames = ["OrderproofMath"]
    top[0].FullName = top[0].FamilyName = "Orderproof Math"
    font.flavor = "woff2"
    font.save(FONT)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
