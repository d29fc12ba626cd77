"""The standing assumptions: hypotheses of many theorems, which chapters call by their numbers."""

from __future__ import annotations

from orderproof.check.formulas import Assumed, Shown
from orderproof.proofs.prelude import POSITIVE, show
from orderproof.proofs.shared.decoder_blocks import MASK

FORMULAS: dict[str, Shown] = {"A1": Assumed(MASK, show()), "A2": Assumed((POSITIVE,), show())}
