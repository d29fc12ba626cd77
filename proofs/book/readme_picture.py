"""The picture in README.md: ALiBi's bias before σ and after it, and the difference, for a σ that it
notices and for one that it does not. Needs matplotlib, of the extra `book`.

python -m orderproof.proofs.book.readme_picture docs/alibi.svg
"""

from __future__ import annotations

import sys
from pathlib import Path

from orderproof.proofs.prove import results
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES

from .position_figures import svg
from .position_pictures import picture

SCHEME, LOST, KEPT = "alibi", "permutation", "reversal"


def drawn() -> str:
    """The picture as a file; WrongPicture where it would not show what is said of the scheme."""
    return svg(picture(POSITION_SCHEMES[SCHEME], LOST, KEPT)) + "\n"


if __name__ == "__main__":
    results.write(Path(sys.argv[1]), drawn())
