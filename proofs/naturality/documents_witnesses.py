"""Prompts that satisfy all hypotheses of documents in parallel but one, and whose order matters."""

from orderproof.proofs.prelude import *

from .documents import ORDERS


def prompt(
    documents: Any = ([0, 1], [1, 0]), ids: Any = ([0, 0], [0, 0]), order: Any = (1, 0),
    query: Any = (1, 1), tokens: Any = (1, 0), w_q: int = 0, **own: Any,
) -> Witness:  # fmt: skip
    """Tokens of one feature in both orders, by default two documents of one token; rows that are
    the ids, no biases, W_K = W_V = 1, and position tensors of its own in both orders."""
    m = 1 + max(*ids[0], *ids[1], *query)
    sizes = {"n": len(tokens), "h": 1 + max(documents[0]), "m": m, "d": 1}
    tensors = {"C": [[v] for v in tokens], "x": [[0]], "q_B": [0], "q_G": [1]}
    tensors |= {"T_E": [[k] for k in range(m)], "T_B": [[0] * m] * m, "T_G": [[1] * m] * m}
    for k in (1, 2):
        tensors |= {f"W_Q{k}": [[w_q]], f"W_K{k}": [[1]], f"W_V{k}": [[1]]}
    maps: dict[str, Any] = {"sigma": order}
    for of, betas, places, place in zip(ORDERS, documents, ids, query, strict=True):
        maps |= {f"beta{of}": betas, f"p{of}": places, f"q{of}": [place]}
    tensors |= {
        f"{y}{of}": v for y, both in own.items() for of, v in zip(ORDERS, both, strict=True)
    }
    logs = tuple(f"{y}{of}" for y in own if y in "bB" for of in ORDERS)
    return Witness(sizes, maps, tensors, query="W_Q1", logs=logs)


UNEQUAL: dict[str, Any] = {
    "documents": ([0, 1, 1], [1, 1, 0]), "ids": ([0, 0, 1], [0, 1, 0]),
    "order": (1, 2, 0), "tokens": (0, 0, 0),
}  # fmt: skip
BROKEN = {  # a hypothesis, how it fails, layers, and a prompt that satisfies the others
    "ids": ("ids continue from one document to the next", 1,
            prompt(ids=([0, 1], [0, 1]), w_q=1)),
    "G": ("documents attend to those before them", 2, prompt(G=([[1, 0], [1, 1]],) * 2)),
    "query": ("the query's id follows that of the last token", 1, prompt(query=(2, 1), **UNEQUAL)),
    "b": ("the query's bias depends on the place", 1, prompt(b=([[1, 0]],) * 2)),
    "inside": ("the order inside a document changes", 1,
               prompt(([0, 0],) * 2, ([0, 1],) * 2, w_q=1)),
    "documents": ("two documents become one", 1,
                  prompt(([0, 1], [0, 0]), ([0, 0], [0, 1]), order=(0, 1))),
    "E": ("the added rows depend on the place", 1, prompt(w_q=1, E=([[1], [0]],) * 2)),
    "e": ("the query's row is that of the last token", 1,
          prompt(query=(2, 2), e=([[1]], [[0]]), **UNEQUAL)),
    "g": ("the query's mask depends on the place", 1, prompt(g=([[2, 1]],) * 2)),
    "B": ("a bias inside documents depends on the place", 2,
          prompt(([0, 0, 1], [1, 0, 0]), ([0, 1, 0], [0, 0, 1]), (2, 0, 1), (2, 2), (0, 0, 0),
                 B=([[1, 0, 0], [0, 0, 0], [0, 0, 0]],) * 2)),
}  # fmt: skip
