(* Terms as symbolic/calculus/terms.py builds, opens and rebuilds them, and what they mean.

   `Build` and `Subst` are the generic equation of terms.py and its `at`, for parts that are any
   functions of an assignment of indices to axis names. An `expr` is a term with names for the axes
   that are bound in it; `rebuild` puts terms for tensors, and `rebuild_means` says what comes out. *)
Set Warnings "-notation-overridden".
From Coq Require Import String BinInt.
From mathcomp Require Import all_ssreflect.
From orderproof Require Import Calculus SoundMaps SoundNatural.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope string_scope.
Open Scope seq_scope.

Section Shallow.
Variable M : model.
Implicit Types (T : tensors M) (env : name -> idx).
Definition here := (name -> idx) -> value M.

Definition bind (inner : seq name) (b : seq idx) env : name -> idx :=
  fun a => if a \in inner then nth i0 b (index a inner) else env a.
Definition Build T (o : op node) (ps : seq here) (bound : seq (seq name)) (names : seq name) : here :=
  fun env => sem T o (clamp (binds o) [seq fun b => p.1 (bind p.2 b env) | p <- zip ps bound])
    [seq env a | a <- names].
Definition Subst (to : name -> iexp) (t : here) : here := fun env => t (fun a => eval M env (to a)).
Definition depends (axes : seq name) (t : here) :=
  forall env env', {in axes, env =1 env'} -> t env = t env'.

Definition same_tensors (T T' : tensors M) := forall x s y, typed M y s -> T x s y = T' x s y.
Definition den_ext_at n := forall (T T' : tensors M), same_tensors T T' ->
  forall xs, den T n xs = den T' n xs.
Definition same_leaf (T T' : tensors M) (o : op node) :=
  if o is Leaf x s then forall z, typed M z s -> T x s z = T' x s z else True.
Lemma sem_ext_at T T' o fs gs y : on_body den_ext_at o -> same_leaf T T' o ->
  size fs = size gs -> (forall i b, part fs i b = part gs i b) -> sem T o fs y = sem T' o gs y.
Proof.
case: o => //= [x s|f k|k a|es old new|a c|f formals body|f bs ys|f formals body a] hb hT sz h.
- by rewrite /clamp1; case: ifP => // t; apply: hT.
- congr (pointwise _ _ _); apply: (@eq_from_nth _ (junk M)); rewrite !size_map // => i hi.
  by rewrite !(nth_map (fun=> junk M)) -?sz //; apply: h.
- by congr (reduce _ _ _); apply: eq_map; exact: (fun x => h 0 [:: x]).
- exact: (h 0 _).
- by case: (nth i0 y 0) => // z; [exact: (h 0 [:: z]) | exact: (h 1 [:: z])].
- by apply: hb => x s z _; exact: (h _ z).
- congr (opaque _ _ _ _ _ _).
  elim: bs fs gs sz h => [|b bs IH] [|f0 fs] [|g gs] //= [sz] h; congr (_ :: _).
    by apply: eq_map => z; apply: (h 0).
  by apply: IH => // i; apply: (h i.+1).
- rewrite /stack; elim: (elems M a) (part fs 0) (part gs 0) (h 0) y => [|l ls IH] x x' e y //=.
  apply: IH => z; apply: hb => n s {}z _; rewrite /formal_tensors /at_layer.
  case: (index _ _) => [|i]; rewrite /part /=; first exact: e.
  have [hi|hi] := ltnP i (size (behead gs)); last first.
    by rewrite !nth_default ?size_map // !size_behead sz -?size_behead.
  have hi' : i < size (behead fs) by move: hi; rewrite !size_behead sz.
  by rewrite !(nth_map (fun=> junk M)) // !nth_behead; apply: (h i.+1).
Qed.

Lemma part_clamp_ext ss (fs gs : seq (fn M)) : size fs = size gs ->
  (forall i b, i < size ss -> typed M b (nth [::] ss i) -> part fs i b = part gs i b) ->
  forall i b, part (clamp ss fs) i b = part (clamp ss gs) i b.
Proof.
rewrite /clamp /part; elim: ss fs gs => [|s ss IH] [|f fs] [|g gs] //= [sz] h [|i] b //=.
  by rewrite /clamp1; case: ifP => // t; apply: (h 0).
by apply: IH => // j c hj t; apply: (h j.+1).
Qed.

Lemma den_sem T o args sets xs : den T (Node o args sets) xs = sem T o (clamp (binds o)
  [seq fun b => den T a.1 [seq wired xs b w | w <- a.2] | a <- args]) (take (size (yields sets_of o)) xs).
Proof. by []. Qed.

Lemma den_ext n : den_ext_at n.
Proof.
elim/node_induction: n => o args sets hb ha T T' hT xs; rewrite !den_sem.
apply: sem_ext_at => //; first by case: (o) => //=.
  by rewrite !size_map !size_zip !size_map.
apply: part_clamp_ext; rewrite ?size_map // => i b _ _.
by elim: args ha i => [|a args IH] //= [h1 h2] [|i]; [apply: h1 | apply: IH].
Qed.

Lemma sem_ext T o fs gs y : size fs = size gs -> (forall i b, part fs i b = part gs i b) ->
  sem T o fs y = sem T o gs y.
Proof.
by move=> s h; apply: sem_ext_at => //; case: o => //= f fm b *; apply: den_ext.
Qed.
End Shallow.

(* ------------------------------------------------------------------------- named terms *)
(* A term as `opened` gives it: a constructor, its parts, names for the axes that it binds in each
   of them, and for those that it yields. *)
Inductive expr := Expr of op node & seq expr & seq (seq name) & seq name.

Fixpoint each (P : expr -> Prop) (ps : seq expr) : Prop :=
  if ps is p :: ps' then P p /\ each P ps' else True.
Fixpoint expr_induction (P : expr -> Prop)
    (h : forall o ps bound names, each P ps -> P (Expr o ps bound names)) (e : expr) : P e :=
  let: Expr o ps bound names := e in
  h o ps bound names ((fix go ps : each P ps :=
    match ps with [::] => Logic.I | p :: ps' => conj (expr_induction h p) (go ps') end) ps).

Fixpoint means M (T : tensors M) (e : expr) : here M :=
  let: Expr o ps bound names := e in Build T o [seq means T p | p <- ps] bound names.
(* Its axes, with their sets. *)
Fixpoint free (e : expr) : seq (name * iset) :=
  let: Expr o ps bound names := e in
  [seq (nth (Slot 0) names k, nth One (yields sets_of o) k) | k <- iota 0 (size names)] ++
  zipflat (fun p inner => [seq a <- free p | a.1 \notin inner]) ps bound.
(* No axis in it is a string: those of a theorem are slots, and those bound are fresh objects. *)
Definition is_str (a : name) := if a is Str _ then true else false.
Fixpoint unnamed (e : expr) : bool :=
  let: Expr o ps bound names := e in
  ~~ has is_str (names ++ flatten bound) && all unnamed ps.

(* What is put for which tensors; slot k of a tensor is the axis Slot k of its term. *)
Definition instance := seq ((string * seq iset) * expr).
Definition found (us : instance) x s : option expr := ohead [seq u.2 | u <- us & u.1 == (x, s)].
Definition own_slots k : seq name := [seq Slot i | i <- iota 0 k].
Fixpoint rebuild (us : instance) (e : expr) : expr :=
  let: Expr o ps bound names := e in
  let anew := Expr o [seq rebuild us p | p <- ps] bound names in
  if o is Leaf x s then
    if found us x s is Some u then
      Expr (At [seq Ax a | a <- own_slots (size names)] s s) [:: u] [:: own_slots (size names)] names
    else anew
  else anew.
(* An axis of a term is a slot of its tensor, over the same set, or one of the strings. *)
Definition fits (strings : seq (name * iset)) (u : (string * seq iset) * expr) : bool :=
  all (fun a => match a.1 with
    | Slot k => (k < size u.1.2) && (nth One u.1.2 k == a.2)
    | Str _ => a \in strings
    | _ => false end) (free u.2).

(* At each index of the strings, the terms are tensors. *)
Definition putting us M (T : tensors M) env : tensors M := fun x s b =>
  if found us x s is Some u then means T u (bind (own_slots (size s)) b env) else T x s b.

Lemma Build_ext M (T T' : tensors M) o (ps qs : seq (here M)) bound names env env' :
  same_leaf T T' o -> size ps = size qs -> {in names, env =1 env'} ->
  (forall i b, part [seq fun b => p.1 (bind p.2 b env) | p <- zip ps bound] i b =
    part [seq fun b => p.1 (bind p.2 b env') | p <- zip qs bound] i b) ->
  Build T o ps bound names env = Build T' o qs bound names env'.
Proof.
move=> hT sz hn hp; rewrite /Build; have -> : [seq env a | a <- names] = [seq env' a | a <- names].
  exact/eq_in_map.
apply: sem_ext_at => //; first by case: (o) => //= f fm b *; apply: den_ext.
  by rewrite !size_map !size_zip !size_map !size_zip sz.
by apply: part_clamp_ext; rewrite ?size_map ?size_zip ?sz.
Qed.

(* A term depends on its axes alone, and on tensors through their values. *)
Lemma means_ext M e (T T' : tensors M) : (forall x s b, T x s b = T' x s b) ->
  forall env env', (forall a, a \in free e -> env a.1 = env' a.1) -> means T e env = means T' e env'.
Proof.
elim/expr_induction: e => o ps bound names IH hT env env' h.
apply: Build_ext; rewrite ?size_map //; first by case: o h => /=.
- move=> a ha; apply: (h (a, nth One (yields sets_of o) (index a names))).
  rewrite mem_cat; apply/orP; left; apply/mapP; exists (index a names).
    by rewrite mem_iota index_mem.
  by rewrite nth_index.
- have {}h a : a \in zipflat (fun p inner => [seq a <- free p | a.1 \notin inner]) ps bound ->
      env a.1 = env' a.1 by move=> ha; apply: h; rewrite mem_cat ha orbT.
  elim: ps bound IH h => [|p ps IHs] [|inner bound] //= [hp hps] h [|i] b //=.
    rewrite /part /=; apply: hp => // a ha; rewrite /bind; case: ifPn => // hi.
    by apply: h; rewrite mem_cat mem_filter hi ha.
  by apply: IHs => // a ha; apply: h; rewrite mem_cat ha orbT.
Qed.

Lemma found_all (P : (string * seq iset) * expr -> bool) us x s u :
  all P us -> found us x s = Some u -> P ((x, s), u).
Proof.
rewrite /found; elim: us => //= -[y v] us IH /andP[Py /IH h]; case: eqP => [<- [<-]|_ /h] //.
Qed.

Lemma putting_ext us strings M (T : tensors M) env env' : all (fits strings) us ->
  (forall a, is_str a -> env a = env' a) -> forall x s b, putting us T env x s b = putting us T env' x s b.
Proof.
move=> fs h x s b; rewrite /putting; case e: found => [u|] //.
apply: means_ext => // -[a c] ha; have /allP/(_ _ ha) := found_all fs e.
rewrite /bind; case: a {ha} => //= [k|y] hk.
  by rewrite map_f // mem_iota; case/andP: hk.
by case: ifP => // _; apply: h.
Qed.

(* What rebuild gives means what the term means with the terms in place of the tensors. *)
Lemma rebuild_means us strings M (T : tensors M) e : all (fits strings) us -> unnamed e ->
  forall env, means T (rebuild us e) env = means (putting us T env) e env.
Proof.
move=> fs; elim/expr_induction: e => o ps bound names IH /=.
rewrite has_cat negb_or => /andP[/andP[_ hb] hps] env.
have anew : same_leaf T (putting us T env) o ->
    means T (Expr o [seq rebuild us p | p <- ps] bound names) env =
    means (putting us T env) (Expr o ps bound names) env.
  move=> so; apply: Build_ext => //; rewrite ?size_map //.
  elim: ps bound IH hb hps {so} => [|p ps IHs] [|inner bound] //= [hp hrest].
  rewrite has_cat negb_or => /andP[hi hb] /andP[up ups] [|i] b; last exact: IHs.
  transitivity (means (putting us T (bind inner b env)) p (bind inner b env)); first exact: hp.
  apply: means_ext => //; apply: (putting_ext _ fs) => a sa.
  by rewrite /bind; case: ifP => // ha; case/hasP: hi; exists a.
case: o anew {IH} => [x s|p q|a|a|a|f k|k a|es old new|a c|f fm b|f bs ys|f fm b a] anew; try exact: anew.
rewrite /=; case e: found anew => [u|] anew; last by apply: anew => b; rewrite /putting e.
rewrite /Build /= /part /= -map_comp.
set ys := [seq env a | a <- names].
have -> : [seq eval M (slots ys) (Ax a) | a <- own_slots (size names)] = ys.
  rewrite -map_comp -[in RHS](mkseq_nth i0 ys) size_map; exact: eq_map.
rewrite /clamp1; case: ifP => // ty; rewrite /putting e.
by have <- := typed_size ty; rewrite size_map.
Qed.

(* Where the part of an `at` lacks an axis, the expression for it makes no difference, if it is of
   its set: terms.py leaves it out. *)
Lemma at_lacking M (T : tensors M) es old new (t : here M) axes inner names env :
  depends axes t -> size inner = size es ->
  let e a := eval M (slots [seq env x | x <- names]) (nth (Ax (Slot 0)) es (index a inner)) in
  typed M [seq eval M (slots [seq env x | x <- names]) x | x <- es] old ->
  Build T (At es old new) [:: t] [:: inner] names env =
  t (fun a => if (a \in inner) && (a \in axes) then e a else env a).
Proof.
move=> d sz e ty; rewrite /Build /= /part /= /clamp1 ty; apply: d => a ha.
rewrite /bind ha andbT; case: ifP => // hi.
by rewrite (nth_map (Ax (Slot 0))) // -sz index_mem.
Qed.
