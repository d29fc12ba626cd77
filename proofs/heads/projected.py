"""References from the papers that are given queries, keys and values, from tokens and weights."""

from orderproof.proofs.prelude import *


def projected(reference: Callable[[Array, Array, Array, dict[str, Any]], Array]) -> Reference:
    """reference(X W_Q, X W_K, X W_V, all that is given), from what is given."""

    def of_tokens(given: Values) -> Array:
        q, k, v = (given["X"] @ given[name] for name in ("W_Q", "W_K", "W_V"))
        return reference(q, k, v, given)

    return of_tokens
