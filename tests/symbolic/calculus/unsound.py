"""Faults to be planted in the kernel, by name: each makes a rule unsound in one way."""

from __future__ import annotations

from tests.symbolic.calculus.planted_kernels import Edit


def _kernel(old: str, new: str) -> list[Edit]:
    return [Edit("kernel", old, new)]


FAULTS: dict[str, list[Edit]] = {
    # The door
    "the law of premises is lost": _kernel("[law, *(premise.law for premise in by)]", "[law]"),
    "hypotheses of premises are lost": _kernel(
        "hyps = [h for premise in by for h in premise.hyps]", "hyps = []"
    ),
    "maps of premises are forgotten": _kernel("{m for t in before for m in t.node.maps}", "set()"),
    "maps of hypotheses are forgotten": _kernel(
        "for sides in ((p.lhs, p.rhs), *p.hyps) for", "for sides in ((p.lhs, p.rhs),) for"
    ),
    "the right side keeps its axes": _kernel(
        "return lhs.rename(number), rhs.rename(number)",
        "return lhs.rename(number), Term(rhs.node, tuple(range(len(rhs.axes))))",
    ),
    # The rules that take theorems
    "sym has no premise": _kernel(
        '_issue("sym", th.rhs, th.lhs, th)', '_issue("sym", th.rhs, th.lhs)'
    ),
    "trans forgets its first premise": _kernel("rhs, first, second)", "rhs, second)"),
    "trans forgets its second premise": _kernel("rhs, first, second)", "rhs, first)"),
    "trans mistakes the axes": _kernel(
        "rhs = second.rhs.rename(dict(enumerate(first.rhs.axes)))", "rhs = second.rhs"
    ),
    "cong mistakes the axes": _kernel(
        "[th.rhs.rename(dict(enumerate(p.axes))) if th else p for",
        "[(th.rhs.rename(dict(enumerate(sorted(p.axes, key=str)))) if th else p) for",
    ),
    "cong has no premises": _kernel(", *(th for _, th in pairs if th))", ")"),
    "hyp does not record what it assumes": _kernel("hyps=[(lhs, rhs)])", "hyps=[])"),
    "discharge loses the proof's hypotheses": _kernel(
        "(th.hyps - {h}) | proof.hyps", "th.hyps - {h}"
    ),
    "discharge loses all other hypotheses": _kernel("(th.hyps - {h}) | proof.hyps", "proof.hyps"),
    "discharge forgets the proof's law": _kernel(", th, proof, hyps=", ", th, hyps="),
    "discharge forgets the theorem's law": _kernel(", th, proof, hyps=", ", proof, hyps="),
    "discharge compares left sides only": _kernel(
        "h = (proof.lhs, proof.rhs)\n    need(h in th.hyps,",
        "h = next((g for g in th.hyps if g[0] == proof.lhs), None)\n    need(h in th.hyps,",
    ),
    "inst forgets its premise": _kernel('"inst", lhs, rhs, th, hyps', '"inst", lhs, rhs, hyps'),
    "inst leaves hypotheses as they were": _kernel(
        "[(put(s), put(t)) for s, t in th.hyps]", "list(th.hyps)"
    ),
    "inst lets an axis be any number": _kernel(
        "else slots.get(axis)", "else slots.get(axis, over)"
    ),
    "at_equal forgets its premise": _kernel("at(t, {axis: f}), th)", "at(t, {axis: f}))"),
    "at_equal compares left sides only": _kernel("eq == (th.lhs, th.rhs)", "eq[0] == th.lhs"),
    # The others
    "at_at composes in the other order": _kernel(
        "normal(index_subst(s.get(a, a), r))", "normal(index_subst(r.get(a, a), s))"
    ),
    "at_at substitutes one after the other": _kernel(
        "normal(index_subst(s.get(a, a), r))", "normal(index_subst(index_subst(s.get(a, a), r), r))"
    ),
    "at_op moves what op yields": _kernel(
        "new = [e for e in (to[a] for a in names) if not isinstance(e, Ap) and used.count(e) == 1]",
        "new = [a if isinstance(to[a], Ap) else to[a] for a in names]",
    ),
    "at_cat exchanges the parts": _kernel('(a, s) if m.kind == "inl"', '(a, s) if m.kind == "inr"'),
    "at_cat exchanges the maps": _kernel(
        "[at(s, {a: m.data[0](a)}), at(t, {b: m.data[1](b)})]",
        "[at(s, {a: m.data[1](a)}), at(t, {b: m.data[0](b)})]",
    ),
    "sum_delta holds by any law": _kernel('law="ring")', 'law="perm")'),
    "an inverse that is applied to an inverse is its map": _kernel(
        'case Ap(Map("identity"), (a,)):',
        'case Ap(Map("inverse", (f,)), (Ap(Map("inverse", (g,)), (a,)),)) if f == g:\n'
        "            return f(a)\n"
        '        case Ap(Map("identity"), (a,)):',
    ),
    "fst and snd are exchanged": _kernel(
        'return a if side == "fst" else b', 'return a if side == "snd" else b'
    ),
    "beside applies the right map on the left": _kernel('[side == "inr"](a)', "[1](a)"),
    "beside applies the left map on the right": _kernel('[side == "inr"](a)', "[0](a)"),
    "beside puts the left to the right": _kernel(
        "return Map(side, map_type(m)[1]", 'return Map("inr", map_type(m)[1]'
    ),
    "beside puts the right to the left": _kernel(
        "return Map(side, map_type(m)[1]", 'return Map("inl", map_type(m)[1]'
    ),
    # Stacks
    "a stack of any layer": _kernel("equation(*both(d, e)) == (th.lhs, th.rhs)", "th.lhs"),
    "a layer that is known for some tokens alone": _kernel(
        "for t in (*q, *p, *(t for h in th.hyps for t in h)) for", "for t in (*q, *p) for"
    ),
    "weights that are made of the tokens": _kernel(
        "for t in (*q, *p, *(t for h in th.hyps for t in h)) for",
        "for t in (t for h in th.hyps for t in h) for",
    ),
    "weights of the left layer that are made of the tokens": _kernel(
        "for t in (*q, *p, *(t", "for t in (*p, *(t"
    ),
    "weights of the right layer that are made of the tokens": _kernel(
        "for t in (*q, *p, *(t", "for t in (*q, *(t"
    ),
    "another map in each layer": _kernel("layer not in used", "True"),
    "weights on the right at each token on the left": _kernel(" and not at_y", ""),
    # The terms
    "a symbol of several arguments is a bijection": [
        Edit("terms", "if len(dom) == 1 or not bijective:", "if True:")
    ],
}
OLD_INST = '''
def inst(th: Theorem, to: Mapping[Any, Any]) -> Theorem:
    """X ↦ u, A ↦ B, f ↦ g throughout, and g is compared with the type that f had before."""
    for old, new in to.items():
        fits = False
        match old, new:
            case Op("leaf", (_, sets)), Term():
                own = dict(enumerate(sets))
                fits = all(isinstance(a, str) or own.get(a) == s for a, s in new.sets.items())
            case Set(name), Set():
                fits = name not in ("1", "+", "×")
            case Map("symbol", (_, *old_type, bijective)), Map():
                fits = map_type(new)[:2] == tuple(old_type) and map_type(new)[2] >= bijective
        need(fits, "inst", (old, new), "a symbol, and something of its type for it")

    def replaced(x: Any) -> Any:
        match x:
            case Set() | Map() if x in to:
                return to[x]
            case Set():
                return Set(x.name, replaced(x.parts))
            case Map() | Op():
                return x.__class__(x.kind, replaced(x.data))
            case Ap():
                return Ap(replaced(x.map), replaced(x.args))
            case tuple():
                return tuple(replaced(y) for y in x)
        return put(Term(x, tuple(range(len(x.sets))))).node if hasattr(x, "args") else x

    def put(t: Term) -> Term:
        if t.node.op in to:
            return to[t.node.op].rename(dict(enumerate(t.axes)))
        op, parts, bound, names = opened(t)
        new = [put(p) for p in parts]
        if op.kind == "at":
            exprs = [index_subst(e, dict(enumerate(names))) for e in replaced(op.data[0])]
            moved = dict(zip(bound[0], exprs, strict=True))
            return at(new[0], {a: e for a, e in moved.items() if a in new[0].axes})
        return build(replaced(op), new, bound, names)

    def of(t: Term) -> Term:
        return put(Term(t.node, tuple(range(len(t.axes))))).rename(dict(enumerate(t.axes)))

    lhs, rhs, hyps = of(th.lhs), of(th.rhs), [(of(s), of(t)) for s, t in th.hyps]
    extra = {x for h in hyps for x in h[0].sets.items() if isinstance(x[0], str)}
    need(set(th.lhs.axes) <= set(lhs.axes), "inst", to, "no axis lost")
    need(extra <= lhs.sets.items(), "inst", to, "no axis of a hypothesis lost")
    before = [t for sides in ((th.lhs, th.rhs), *th.hyps) for t in sides]
    after = [t for sides in ((lhs, rhs), *hyps) for t in sides]
    maps = {replaced(m) for t in before for m in t.node.maps}
    need(maps <= {m for t in after for m in t.node.maps}, "inst", maps, "these to be named")
    return _issue("inst", lhs, rhs, hyps=hyps, law=th.law)

'''
FAULTS["the old inst, of index sets and maps too"] = _kernel(
    "\n\ndef unfold(", f"\n{OLD_INST}\ndef unfold("
)

# Locks behind locks: what a rule no longer looks at, build refuses; and what build no longer looks
# at, the door refuses.
_ANY_PART = Edit(
    "terms", "        typed(op, [*zip(inner, over, strict=True), *part.sets.items()])\n", ""
)
_ANY_CODOMAIN = Edit("kernel", "bijective and t.sets.get(j) == cod", "bijective and j in t.sets")
LOCKED = {
    "reindex by a bijection onto another set, where build takes any part": [
        _ANY_CODOMAIN,
        _ANY_PART,
    ],
}
UNCHECKED = Edit("kernel", "        check(side.node)", "        pass")
FAULTS |= {f"{name}, and the door any term": [*edits, UNCHECKED] for name, edits in LOCKED.items()}

# Conditions that no theorem depends on: taken for true one at a time, no falsehood follows.
BACKED = {
    "is_theorem: isinstance(th, Theorem)": "nothing else is ever among those issued",
    "discharge: h in th.hyps": "to discharge what is not assumed changes nothing",
    "inst: set(th.lhs.axes) <= set(lhs.axes)": "the sides have the same axes: one of two suffices",
    "inst: set(th.rhs.axes) <= set(rhs.axes)": "the sides have the same axes: one of two suffices",
    "inst: isinstance(tensor, Op)": "nothing else has the kind of a leaf",
    "inst: isinstance(u, Term)": "nothing else has named axes",
    "unfold: definition.kind == 'apply'": "nothing else has a node for its body",
    "at_op: len(new) == len(names) and op.kind != 'at'": "build refuses two axes of one name",
    "at_op: len(new) == len(names)": "build refuses two axes of one name",
    "at_op: not isinstance(e, Ap)": "a term refuses an index expression for a name",
    "at_op: used.count(e) == 1": "build refuses two axes of one name",
    "at_op: op.kind != 'at'": "all axes are yielded, so they are renamed at most, which is sound",
    "at_cat: m.kind == 'beside'": "no other map is made of two maps",
    "reindex: t.sets.get(j) == cod": "build refuses a part over another set: see FAULTS",
    "index_uses: len(dom) == len(e.args)": "zip refuses it",
    "signature: len(exprs) == len(old)": "zip refuses it",
    "signature: len(names) == len(formals)": "without a change of index sets no two become one",
    "build: fits": "the door refuses it",
    "build: len(of) == len(bound) == len(binds)": "zip refuses it",
    "build: fits (again)": "the door refuses it",
    "build: len(axes) == len(set(axes))": "a term refuses two axes of one name",
    "at: set(to) <= set(term.axes)": "what is put for an axis that is not there is not used",
    "rename: names <= set(self.axes)": "an axis that is not there is not renamed",
    "__post_init__: len(self.parts) == expected": "such a set is a symbol of its own",
}
SECOND_LOCK = ("check: ", "_check_node: ")  # the door: refuses only what build let through
