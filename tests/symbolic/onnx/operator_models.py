"""Models of one operator or few along an axis n of any size, to be read and compared."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from orderproof.symbolic.onnx.graph import Graph
from tests.symbolic.onnx.one_operator import X, floats, graph, node, one, onnx, whole

ROWS: dict[str, Any] = {"x": ["b", "n", 4]}
LINE: dict[str, Any] = {"x": ["b", 4, "n"]}
PICTURE: dict[str, Any] = {"x": ["b", 4, "n", "m"]}
HEADS: dict[str, Any] = {"q": ["b", 4, "n", 3], "k": ["b", 2, "m", 3], "v": ["b", 2, "m", 5]}
FLAT: dict[str, Any] = {"q": ["b", "n", 12], "k": ["b", "m", 6], "v": ["b", "m", 10]}


def windows() -> list[Graph]:
    """Convolutions, pooling, padding and resizing along an axis, and views of views."""
    ends, scale = {"p": whole(0, 0, 1, 0, 0, 2)}, "coordinate_transformation_mode"
    found = [
        one("Conv", "w c", {"w": floats((8, 4 // a.get("group", 1), k)), "c": floats((8,))}, LINE,
            **a)
        for k, a in (
            (1, {}), (1, {"strides": [2]}), (2, {"strides": [2]}), (3, {"pads": [2, 0]}),
            (3, {"pads": [0, 3], "dilations": [2]}), (3, {"pads": [1, 1], "strides": [2]}),
            (4, {"auto_pad": "SAME_UPPER"}), (4, {"auto_pad": "SAME_LOWER"}),
            (4, {"auto_pad": "SAME_LOWER", "strides": [3]}),
            (3, {"auto_pad": "VALID", "strides": [2]}), (3, {"pads": [1, 1], "group": 2}),
            (1, {"group": 4}))
    ]  # fmt: skip
    found += [
        one(op, "", None, LINE, kernel_shape=[k], **a)
        for op in ("AveragePool", "MaxPool")
        for k, a in (
            (3, {}), (3, {"pads": [1, 1]}), (3, {"pads": [1, 1], "strides": [2]}),
            (2, {"dilations": [2]}), (4, {"auto_pad": "SAME_LOWER"}),
            (4, {"auto_pad": "SAME_UPPER", "strides": [3]}))
    ]  # fmt: skip
    found += [
        one("AveragePool", "", None, {"x": ["b", 4, k]}, kernel_shape=[2], strides=[3], ceil_mode=1)
        for k in (6, 7)
    ]
    found += [
        graph([node("Pad", "x p", "z", mode=mode), node(op, "z", "y", kernel_shape=[4], pads=pads)],
              LINE, ends)
        for op in ("AveragePool", "MaxPool")
        for mode in ("constant", "edge", "wrap")
        for pads in ([0, 0], [1, 1])
    ]  # fmt: skip
    found += [
        one("Resize", "- s", {"s": np.float32([1, 1, s])}, LINE, mode=mode, **{scale: placed})
        for mode in ("nearest", "linear")
        for placed in ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")
        for s in (2, 0.5)
    ]
    asymmetric = {scale: "asymmetric"}
    found += [
        one("Resize", "- s", {"s": np.float32([1, 1, 2])}, LINE, nearest_mode=how, **asymmetric)
        for how in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    ]
    both = {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1], "strides": [2, 1]}
    found += [
        *(one(op, "", None, PICTURE, **both) for op in ("AveragePool", "MaxPool")),
        one("Conv", "w", {"w": floats((4, 4, 3, 2))}, PICTURE, pads=[1, 0, 2, 1], strides=[2, 1],
            dilations=[1, 2]),
        *(one("Pad", "p", ends, LINE, mode=m) for m in ("constant", "edge", "reflect", "wrap")),
        one("Pad", "p v a", {"p": whole(1, 0, 1, 2), "v": np.float32(3.5), "a": whole(2, 3)},
            PICTURE),
        one("Pad", "p v", {"p": whole(0, 0, 1, 0, 0, -1), "v": np.float32(-2)}, LINE),
    ]  # fmt: skip
    numbers = {
        "z": whole(0), "o": whole(1), "two": whole(2), "back": whole(-1), "far": whole(2**62),
        "three": whole(3), "near": whole(-(2**62)), "w": floats((6, 4, 3)), "twice": whole(1, 1, 2),
    }  # fmt: skip
    turned = node("Slice", "roll back near two back", "y")
    views = [
        [node("Shape", "x", "own"), node("Mul", "own twice", "new"),
         node("Resize", "x - - new", "y")],
        [node("Slice", "x back far two", "a"), node("Slice", "x z o two", "b"),
         node("Concat", "a x b", "q", axis=2), node("Conv", "q w", "y")],
        [node("Slice", "x three far two", "a"), node("Slice", "x z three two", "b"),
         node("Concat", "a b", "roll", axis=2), turned],
        [node("Slice", "x o far two", "a"), node("Slice", "x z o two", "b"),
         node("Concat", "a b", "roll", axis=2), turned],
        [node("Pad", "x p", "a", mode="reflect"), node("Slice", "a o far two", "y")],
        [node("Pad", "x p", "a", mode="wrap"), node("Conv", "a w", "y")],
        [node("AveragePool", "x", "a", kernel_shape=[3], pads=[1, 1], name="pool"),
         node("AveragePool", "x", "b", kernel_shape=[5], pads=[2, 2], name="pool"),
         node("Sub", "a b", "y")],
    ]  # fmt: skip
    return found + [graph(nodes, LINE, numbers | ends) for nodes in views]


def blocks() -> list[Graph]:
    """Pooling of blocks; of one place onnxruntime makes a block of two."""
    a: Any = {"kernel_shape": [2], "strides": [2]}
    return [one(op, "", None, LINE, **a) for op in ("AveragePool", "MaxPool")]


def sequences() -> list[Graph]:
    """Running sums, Fourier transforms, ranks, places, attention and recurrent layers."""
    found = [
        one("CumSum", "a", {"a": np.int64(-2)}, ROWS, exclusive=e, reverse=b)
        for e in (0, 1)
        for b in (0, 1)
    ]
    found += [
        one("DFT", "- a", {"a": np.int64(1)}, {"x": ["b", "n", 3, parts]}, **a)
        for parts in (1, 2)
        for a in ({}, {"inverse": 1}, {"onesided": 1})
        if (parts, a) != (2, {"onesided": 1})
    ]
    found += [
        *(one("DFT", "k a", {"k": np.int64(k), "a": np.int64(1)}, {"x": ["b", 6, "n", 1]})
          for k in (4, 9)),
        one("DFT", "", None, {"x": ["b", 2, "n", 1]}),
        *(graph([node("Round", "x", "r"), node("TopK", "r k", "y i", axis=1, largest=most)], ROWS,
                {"k": whole(3)}) for most in (0, 1)),
        graph([node("TopK", "x k", "v y")], ROWS, {"k": whole(2)}),
        graph([node("Shape", "x", "k", start=1, end=2), node("TopK", "x k", "y i", axis=1)], ROWS),
        one("OneHot", "d v", {"d": np.int64(6), "v": floats((2,))}, {"i_at": ["b", "n"]}, axis=0),
        *(graph([node("EyeLike", "x", "e", k=k), node("Add", "e x", "y")], {"x": ["n", "m"]})
          for k in (0, 1)),
        one("GatherND", "i_at", None, {"x": ["n", 5, 2], "i_at": ["m", 2]}),
        one("GatherND", "i_at", None, {"x": ["b", "n", 2], "i_at": ["b", "m", 1]}, batch_dims=1),
    ]  # fmt: skip
    edges: dict[str, Any] = {"x": ["n", 4], "u": ["m", 4], "i_to": ["m", 1]}
    for how in ("add", "max", "min", "mul"):
        found += [
            one("ScatterND", "i_to u", None, edges, reduction=how),
            graph([node("Shape", "u", "s"), node("Expand", "i_to s", "p"),
                   node("ScatterElements", "x p u", "y", reduction=how)], edges),
        ]  # fmt: skip
    pairs = {"x": ["n", 5, 2], "u": ["m", 2], "i_to": ["m", 2]}
    found += [
        one("ScatterND", "i_to u", None, pairs, reduction="add"),
        one("ScatterND", "p u", {"p": np.array([[5], [0], [5], [-3]])},
            {"x": [6, "n"], "u": [4, "n"]}),
        one("ScatterND", "p u", {"p": np.array([[[0, 1], [2, 2]], [[5, 0], [0, 1]]])},
            {"x": [6, 3, "n"], "u": [2, 2, "n"]}),
        one("ScatterElements", "p u", {"p": np.array([[0, 3, 1, 2], [2, 0, 1, 3]])},
            {"x": [2, 6], "u": [2, 4]}, axis=1),
        graph([node("Shape", "x", "s", start=0, end=1), node("Squeeze", "s", "k"),
               node("Range", "one k one", "r"), node("Unsqueeze", "r last", "p"),
               node("Slice", "x last end", "t"), node("Neg", "t", "u"),
               node("ScatterND", "x p u", "y")],
              X, {"one": np.int64(1), "last": whole(1), "end": whole(2**62)}),
    ]  # fmt: skip
    return found


def layers() -> list[Graph]:
    """Attention, rotary embeddings, recurrent layers, losses."""
    call = "Attention"
    past = {"pk": ["b", 2, "m", 3], "pv": ["b", 2, "m", 5]}
    own = {"q": ["b", 4, "n", 3], "k": ["b", 2, "n", 3], "v": ["b", 2, "n", 5]}
    counts = {"q_num_heads": 4, "kv_num_heads": 2}
    found = [
        *(graph([node(call, "q k v", "y", **a)], x, opset=23) for x, a in (
            (HEADS, {}), (HEADS, {"scale": 0.3}), (HEADS, {"softcap": 0.7}), (FLAT, counts),
            (FLAT, counts | {"is_causal": 1}), (own, {"is_causal": 1}))),
        *(graph([node(call, "q k v mask", "y")], HEADS | {"mask": dims}, opset=23)
          for dims in (["n", "m"], ["b", 1, "n", "m"], ["b", 4, "n", "m"], [1, 4, "n", "m"])),
        *(graph([node("Or", "b_some first", "mask"), node(call, "q k v mask", "y")],
                HEADS | {"b_some": dims}, {"first": np.eye(1, 5, dtype=bool)}, opset=23)
          for dims in (["n", "m"], ["b", 1, "n", "m"])),
        *(graph([node(call, "q k v - pk pv", out, is_causal=causal)], own | past, opset=23)
          for out in ("y z w", "z y w", "z w y") for causal in (0, 1)),
    ]  # fmt: skip
    for pairs, part in itertools.product((0, 1), (0, 4)):
        angles = {k: ["b", "n", (part or 6) // 2] for k in "cs"}
        a = {"interleaved": pairs, "rotary_embedding_dim": part, "num_heads": 2}
        found += [
            graph([node("RotaryEmbedding", "x c s", "y", **a)], {"x": dims, **angles}, opset=23)
            for dims in (["b", 2, "n", 6], ["b", "n", 12])
        ]
    found.append(
        graph([node("Add", "i_at two", "p"), node("RotaryEmbedding", "x c s p", "y")],
              {"x": ["b", 2, "n", 6], "i_at": ["b", "n"]},
              {"two": np.int64(2), "c": floats((4, 3)), "s": floats((4, 3), 1)}, opset=23)
    )  # fmt: skip
    for op, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
        for k, out, more, a in (
            (1, "y", "", {}), (1, "z y", "", {}), (1, "y", "- h", {}), (2, "y", "", {}),
            (2, "z y", "", {}), (2, "y", "- h", {}), (1, "z y", "", {"direction": "reverse"}),
            *([(1, "z w1 y", "- h k", {}), (1, "y", "- h k p", {})] if op == "LSTM" else []),
            *([(1, "y", "", {"linear_before_reset": 1})] if op == "GRU" else []),
        ):  # fmt: skip
            both = {"direction": "bidirectional"} if k == 2 else {}
            states = {n: [k, "b", 5] for n in more.split() if n in "hk"}
            weights = {"w": floats((k, 5 * gates, 4)), "r": floats((k, 5 * gates, 5), 1),
                       "c": floats((k, 10 * gates), 2)}  # fmt: skip
            weights |= {"p": floats((k, 15), 3)} if "p" in more else {}
            nodes = [node(op, f"x w r c {more}", out, hidden_size=5, **a, **both)]
            found.append(graph(nodes, {"x": ["n", "b", 4], **states}, weights))
    return [
        *found,
        one("SoftmaxCrossEntropyLoss", "i_at", None, {"x": ["b", 2, "n"], "i_at": ["b", "n"]},
            reduction="none"),
        one("MeanVarianceNormalization", "", None, {"x": ["b", 3, "n", 2]}),
        one("Shrink", "", None, {"x": ["b", 3, "n", 2]}, bias=0.25),
    ]  # fmt: skip


def branches() -> list[Graph]:
    """If: the branch that is taken, what branches capture, conditions on sizes and on data."""

    def branch(nodes: list[Any], given: dict[str, Any]) -> Any:
        values = [onnx.numpy_helper.from_array(np.asarray(v), n) for n, v in given.items()]
        return onnx.helper.make_graph(nodes, "branch", [], [onnx.ValueInfoProto(name="t")], values)

    def choice(condition: str, then: Any, other: Any) -> Any:
        both = {"then_branch": branch(*then), "else_branch": branch(*other)}
        return node("If", condition, "y", **both)

    double: Any = ([node("Add", "x x", "t")], {})
    shift: Any = ([node("Mul", "x w", "u"), node("Add", "u k", "t")], {"k": np.float32(2.5)})
    same: Any = ([node("Identity", "x", "t")], {})
    # the constants p of a branch, and those of another one
    there: Any = ([node("Gather", "x p", "t", axis=1)], {"p": whole(2, 0, 3)})
    other: Any = ([node("Gather", "x p", "t", axis=1)], {"p": whole(1, 1, 1)})
    put: Any = ([node("ScatterND", "x p u", "t")],
                {"p": np.array([[2], [0]]), "u": floats((2, 3, 4))})  # fmt: skip
    is_one = [node("Shape", "x", "s", start=1, end=2), node("Equal", "s one", "e"),
              node("Squeeze", "e", "c")]  # fmt: skip
    longer = [node("Shape", "x", "s", start=2), node("Greater", "s five", "g"),
              node("Squeeze", "g", "c")]  # fmt: skip
    positive = [node("ReduceSum", "x", "s", keepdims=0), node("Greater", "s zero", "c")]
    given = {"w": floats((4, 1)), "five": whole(5), "one": whole(1), "zero": np.float32(0)}
    return [
        *(graph([choice("c", double, shift)], LINE, given | {"c": np.array(c)})
          for c in (True, False)),
        graph([*is_one, choice("c", ([node("Squeeze", "x one", "t")], {}), same)],
              {"x": ["b", 1, "n"]}, given),
        graph([*is_one, choice("c", double, same)], LINE, given),
        graph([*longer, choice("c", double, shift)], LINE, given),
        graph([*positive, choice("c", double, shift)], LINE, given),
        graph([choice("c", there, other)], LINE, {"c": np.array(True)}),
        graph([choice("c", put, other)], {"x": [5, 3, 4]}, {"c": np.array(True)}),
    ]  # fmt: skip
