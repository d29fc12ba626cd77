(* The master theorem: permute every tensor, and the value of a term is permuted.

   Each index set is permuted by one map; a sum or a product of index sets by the maps of its parts.
   Order can enter a term only where `sees_no_order` says that it must not: an index read as a
   number, an operator that consumes a permuted axis, and the index expressions of `at`, of which
   the selected places must stay and the inner maps must commute with the permutation. *)
Set Warnings "-notation-overridden".
From Coq Require Import String BinInt.
From mathcomp Require Import all_ssreflect.
From orderproof Require Import Calculus SoundMaps SoundNatural.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope seq_scope.

(* Well formed, as `build` of terms.py makes terms: parts wired to axes of their sets, and index
   expressions over the slots of `at`. *)
Definition slot_of (sets : seq iset) (u : name * iset) : bool :=
  if u.1 is Slot k then (k < size sets) && (nth One sets k == u.2) else false.
Definition wire_ok (sets bs : seq iset) (c : iset) (a : name) : bool :=
  match a with
  | Slot k => (k < size sets) && (nth One sets k == c)
  | Bound k => (k < size bs) && (nth One bs k == c)
  | _ => false
  end.
Definition op_formed (body : node -> bool) (o : op node) : bool :=
  match o with
  | At es old new => all2 (fun e a => iok e a && all (slot_of new) (uses e a)) es old
  | Apply _ _ b => body b
  (* what a layer yields are tokens again *)
  | Iterate _ formals b _ => body b && ([seq f.2 | f <- take 1 formals] == [:: sets_of b])
  | _ => true
  end.
Fixpoint well_formed (n : node) : bool :=
  let: Node o args sets := n in
  [&& take (size (yields sets_of o)) sets == yields sets_of o, op_formed well_formed o &
    all2 (fun a bs => [&& well_formed a.1, size a.2 == size (sets_of a.1) &
      all (fun j => wire_ok sets bs (nth One (sets_of a.1) j) (nth (Slot 0) a.2 j))
        (iota 0 (size a.2))]) args (binds o)].

Section Naturality.
Variables (M : model) (move : string -> idx -> idx).

(* What moves the indices of any index set, given what moves those of the symbols. *)
Fixpoint shift (a : iset) (x : idx) : idx :=
  match a, x with
  | Sym s, _ => move s x
  | Plus b _, L y => L (shift b y)
  | Plus _ c, R y => R (shift c y)
  | Times b c, Pr y z => Pr (shift b y) (shift c z)
  | _, _ => x
  end.
Definition shifts (ss : seq iset) (xs : seq idx) : seq idx := actf [seq shift a | a <- ss] xs.
Definition still (a : iset) : Prop := {in elems M a, forall x, shift a x = x}.
Definition permutation : Prop :=
  forall s, perm_eq [seq move s x | x <- carrier M s] (carrier M s).

(* Every tensor is permuted, along all its axes. *)
Definition permuted (T' T : tensors M) : Prop :=
  forall x s y, typed M y s -> T' x s y = T x s (shifts s y).

Definition op_sees_none (body : node -> Prop) (o : op node) : Prop :=
  match o with
  | Iota a => still a
  | At es old new => forall y, typed M y new ->
      [seq eval M (slots (shifts new y)) e | e <- es] =
      shifts old [seq eval M (slots y) e | e <- es]
  | Apply _ _ b => body b
  | Iterate _ _ b a => body b /\ still a (* the layers come in their order *)
  | Opaque _ bs ys => forall a, a \in flatten bs ++ ys -> still a
  | _ => True
  end.
Fixpoint sees_no_order (n : node) : Prop :=
  let: Node o args _ := n in op_sees_none sees_no_order o /\ all_args sees_no_order args.

Section Permutation.
Variable C : seq imap.
Hypothesis G : good M C.
Hypothesis moves : permutation.
Let U := carriers_uniq G.

Lemma shift_sound a : {in elems M a, forall x, shift a x \in elems M a} /\
  {in elems M a &, injective (shift a)}.
Proof.
elim: a => [s||a [ta ia] b [tb ib]|a [ta ia] b [tb ib]].
- have p := moves s; split=> [x hx|x y hx hy e] /=; first by rewrite -(perm_mem p) map_f.
  have un : uniq [seq move s z | z <- carrier M s] by rewrite (perm_uniq p).
  have := uniqP i0 un (index x (carrier M s)) (index y (carrier M s)).
  rewrite !inE size_map !index_mem !(nth_map i0) ?index_mem // !nth_index // => /(_ hx hy e) h.
  by rewrite -(nth_index i0 hx) h nth_index.
- by split=> [x //|x y]; rewrite !inE => /eqP-> /eqP->.
- split=> [x|x y]; rewrite /= !mem_cat.
    by case/orP=> /mapP[z hz ->] /=; rewrite map_f ?orbT ?ta ?tb.
  by case/orP=> /mapP[z hz ->]; case/orP=> /mapP[t ht ->] //= [e]; congr (_ _);
    [apply: ia | apply: ib].
- split=> [x|x y]; case/allpairsP=> -[z t] [/= hz ht ->] /=.
    by apply/allpairsP; exists (shift a z, shift b t); split; rewrite /= ?ta ?tb.
  by case/allpairsP=> -[z' t'] [/= hz' ht' ->] /= [/ia-> // /ib->].
Qed.

Lemma shift_perm a : perm_eq [seq shift a x | x <- elems M a] (elems M a).
Proof.
have [t inj] := shift_sound a.
have un : uniq [seq shift a x | x <- elems M a] by rewrite map_inj_in_uniq ?(uniq_elems U).
apply: uniq_perm => //; first exact: uniq_elems.
have sub : {subset [seq shift a x | x <- elems M a] <= elems M a} by move=> _ /mapP[x hx ->]; apply: t.
by case: (uniq_min_size un sub); rewrite ?size_map.
Qed.

Lemma shifts_typed s y : typed M y s -> typed M (shifts s y) s.
Proof.
elim: s y => [|a s IH] [|x y] //= /andP[hx hy].
by apply/andP; split; [apply: (shift_sound a).1 | apply: IH].
Qed.

Lemma still_shifts s y : (forall a, a \in s -> still a) -> typed M y s -> shifts s y = y.
Proof.
elim: s y => [|a s IH] [|x y] //= h /andP[hx hy]; rewrite /shifts /= /actf /=.
rewrite (h a (mem_head _ _) x hx) -/(actf _ _) -/(shifts s y) IH // => b hb.
by apply: h; rewrite inE hb orbT.
Qed.

Lemma nth_shift s k : k < size s -> nth id [seq shift a | a <- s] k = shift (nth One s k).
Proof. by move=> h; rewrite (nth_map One). Qed.

Definition moves_along (n : node) := well_formed n -> {subset node_syms n <= C} ->
  sees_no_order n -> forall T' T : tensors M, permuted T' T ->
  natural_at T' T n [seq shift a | a <- sets_of n].

Lemma formals_permuted formals (fs' fs : seq (fn M)) : size fs' = size formals ->
  size fs = size formals ->
  related [seq f.2 | f <- formals]
    (fun i => [seq shift a | a <- nth [::] [seq f.2 | f <- formals] i]) fs' fs ->
  permuted (formal_tensors formals fs') (formal_tensors formals fs).
Proof.
move=> sz' sz rel x st z tz; rewrite /formal_tensors.
case: (ltnP (index (x, st) formals) (size formals)) => hi; last first.
  by rewrite /part !nth_default ?sz ?sz'.
have hi' : index (x, st) formals < size [seq f.2 | f <- formals] by rewrite size_map.
have e : nth [::] [seq f.2 | f <- formals] (index (x, st) formals) = st.
  by rewrite (nth_map (x, st)) // nth_index // -index_mem.
by have [|_ ->] := rel _ z hi'; rewrite e.
Qed.

Lemma op_along o T' T :
  op_formed well_formed o ->
  (if o is At es _ _ then forall e, e \in es -> {subset iexp_syms e <= C}
   else match o with Apply _ _ body | Iterate _ _ body _ => {subset node_syms body <= C}
        | _ => True end) ->
  op_sees_none sees_no_order o -> on_body moves_along o -> permuted T' T ->
  op_moves T' T o (fun i => [seq shift a | a <- nth [::] (binds o) i])
    [seq shift a | a <- yields sets_of o].
Proof.
case: o => //= [x s|a|k a|es old new|f formals body|f bs ys|f formals body a] wf sub see along T_T.
- by move=> y ty; split; [apply: shifts_typed | apply: T_T].
- move=> x y hx hy; apply/eqP/eqP=> [|-> //]; exact: (shift_sound a).2.
- exact: shift_perm.
- move=> y ty; split; last exact: see.
  move: wf; rewrite (all2_nth _ (Ax (Slot 0)) One) => /andP[/eqP sz /allP wf].
  apply: typedP; rewrite ?size_map // => k hk; rewrite (nth_map (Ax (Slot 0))) ?sz //.
  have := wf k; rewrite mem_iota sz => /(_ hk)/andP[ok /allP us].
  apply: (eval_typed U ok) => [m hm|u /us].
    apply: (symbols_fine G); rewrite (sub (nth (Ax (Slot 0)) es k)) ?orbT ?mem_nth ?sz //.
  by case: u => [[j|?|?|?] b]; rewrite /slot_of //= => /andP[hj /eqP<-]; apply: typed_nth.
- by move=> fs' fs sz' sz rel y ty; apply: along => //; apply: formals_permuted rel.
- split=> [i xs hi t|y t]; apply: still_shifts t => a ha; apply: see; rewrite mem_cat ?ha ?orbT //.
  by apply/orP; left; apply/flattenP; exists (nth [::] bs i); rewrite ?mem_nth.
- case: formals wf => [|g fm]; case/andP=> // wf /andP[/eqP one _]; case: see => see layers.
  exists (fun i => [seq shift a | a <- nth [::] [seq f.2 | f <- g :: fm] i]); split; last first.
    by move=> fs' fs s' s rel y ty; apply: along => //; apply: formals_permuted rel.
  split=> //=; rewrite ?take0 ?one // => -[|i] //= hi; rewrite !size_map; split=> //.
  by exists (shift a); rewrite !(nth_map g) // map_rcons; split.
Qed.

Lemma along n : moves_along n.
Proof.
elim/node_induction: n => o args sets hb ha /= /and3P[/eqP sy wf wa] sub [see sees] T' T T_T /=.
have subs C' : {subset C' <= node_syms (Node o args sets)} -> {subset C' <= C}.
  by move=> h x /h/sub.
move: wa; rewrite (all2_nth _ arg0 [::]) => /andP[/eqP sa /allP wa].
have part_along i : i < size args ->
    natural_at T' T (nth arg0 args i).1 [seq shift a | a <- sets_of (nth arg0 args i).1].
  move=> hi; have := wa i; rewrite mem_iota => /(_ hi)/and3P[wi _ _].
  have {subs} : {subset flatten [seq node_syms a.1 | a <- args] <= C}.
    by move=> x hx; apply: sub; rewrite /= mem_cat hx orbT.
  elim: args i hi ha sees wi {sa wa sub} => // a args IH [|i] hi [h hs] [s ss] wi /= sub.
    by apply: h => // x hx; apply: sub; rewrite mem_cat hx.
  by apply: IH => // x hx; apply: sub; rewrite mem_cat hx orbT.
apply: (@node_natural M (reduce_perm G) T' T o args sets _
  (fun i => [seq shift a | a <- nth [::] (binds o) i])
  (fun i => [seq shift a | a <- sets_of (nth arg0 args i).1])); rewrite ?size_map //.
- move=> i hi; have := wa i; rewrite mem_iota => /(_ hi)/and3P[_ /eqP sz /allP w].
  split; rewrite ?size_map //; first exact: part_along.
  move=> j hj; have := w j; rewrite mem_iota => /(_ hj).
  rewrite sz in hj; case: (nth (Slot 0) _ j) => //= k /andP[hk /eqP e]; split=> //;
  by rewrite !nth_shift // e.
- by move=> i xs hi; apply: shifts_typed.
- rewrite -map_take sy; apply: op_along => //.
    case: (o) subs => //= [es old new|f fm body|f fm body a] subs.
      by move=> e he; apply: subs => x hx; rewrite mem_cat; apply/orP; left;
        apply/flattenP; exists (iexp_syms e); rewrite ?map_f.
    by apply: subs => x hx; rewrite mem_cat hx.
    by apply: subs => x hx; rewrite mem_cat hx.
Qed.

(* The condition on `at`, map by map: a place stays where it is (it is a symbol of no arguments), and
   a map of the term commutes with the permutation. *)
Definition commutes (m : imap) : Prop := forall xs, typed M xs (dom m) ->
  mapden M m (shifts (dom m) xs) = shift (cod m) (mapden M m xs).

Lemma commutes1 m a : dom m = [:: a] ->
  commutes m <-> {in elems M a, forall x, mapden M m [:: shift a x] = shift (cod m) (mapden M m [:: x])}.
Proof.
rewrite /commutes => ->; split=> [h x hx|h xs]; first by apply: (h [:: x]); rewrite typed1.
by case: xs => [|x [|z zs]]; rewrite /typed //= ?andbF // andbT => /h.
Qed.

Lemma map_commutes m : map_ok m -> mfine M m -> (forall s, s \in map_syms m -> commutes s) ->
  commutes m.
Proof.
elim: m => [f d c b|a|f IH|a b|a b|f IHf g IHg|a b|a b|a b] ok F h.
- by apply: h; apply: mem_head.
- by apply/(@commutes1 (Identity a) (a) erefl).
- have /andP[okf bf] := ok; have [d inj mem _] := bijP U okf F bf.
  have dI : dom (Inverse f) = [:: cod f] by rewrite /dom /cod /=; case: (map_type f) => [[]].
  have cI : cod (Inverse f) = head One (dom f) by rewrite /dom /cod /=; case: (map_type f) => [[]].
  have cf := (commutes1 d).1 (IH okf F h); apply/(commutes1 dI) => y hy.
  have [tI _] := map_sound U ok F; have := tI [:: y]; rewrite dI typed1 cI => /(_ hy) hx.
  have [ta _] := shift_sound (head One (dom f)); have [tc _] := shift_sound (cod f).
  set x := mapden M (Inverse f) [:: y] in hx *.
  by rewrite -[in LHS](inverse_right U ok F hy) -/x -cf // (inverse_left U ok F) // ta.
- by apply/(@commutes1 (Inl a b) (a) erefl).
- by apply/(@commutes1 (Inr a b) (b) erefl).
- have /and4P[okf okg /eqP sf /eqP sg] := ok.
  have Ff : mfine M f by move=> s hs; apply: F; rewrite /= mem_cat hs.
  have Fg : mfine M g by move=> s hs; apply: F; rewrite /= mem_cat hs orbT.
  have df : dom f = [:: head One (dom f)] by case: (dom f) sf => [|? [|? ?]].
  have dg : dom g = [:: head One (dom g)] by case: (dom g) sg => [|? [|? ?]].
  have cf : commutes f by apply: IHf => // s hs; apply: h; rewrite /= mem_cat hs.
  have cg : commutes g by apply: IHg => // s hs; apply: h; rewrite /= mem_cat hs orbT.
  have dB : dom (Beside f g) = [:: Plus (head One (dom f)) (head One (dom g))].
    by rewrite /dom /=; case: (map_type f) => [[? ?] ?]; case: (map_type g) => [[? ?] ?].
  have cB : cod (Beside f g) = Plus (cod f) (cod g).
    by rewrite /cod /=; case: (map_type f) => [[? ?] ?]; case: (map_type g) => [[? ?] ?].
  apply/(commutes1 dB) => x; rewrite cB mem_cat => /orP[] /mapP[z hz ->] /=; congr (_ _).
    exact: ((commutes1 df).1 cf).
  exact: ((commutes1 dg).1 cg).
- by move=> [|x [|y [|? ?]]] //; rewrite /typed /= ?andbF.
- apply/(@commutes1 (Fst a b) (Times a b) erefl) => x; by case/allpairsP=> -[y z] [/= _ _ ->].
- apply/(@commutes1 (Snd a b) (Times a b) erefl) => x; by case/allpairsP=> -[y z] [/= _ _ ->].
Qed.

(* Index expressions made of such maps commute: what `sees_no_order` asks of `at`. *)
Lemma iexp_commutes y new e a : typed M y new -> iok e a -> all (slot_of new) (uses e a) ->
  (forall m, m \in iexp_syms e -> fine M m /\ commutes m) ->
  eval M (slots y) e \in elems M a /\
  eval M (slots (shifts new y)) e = shift a (eval M (slots y) e).
Proof.
move=> ty; elim/iexp_rect': e a => [x|m fs IH] a /=.
  case: x => [k|?|?|?] _; rewrite andbT /slot_of //= => /andP[hk /eqP <-] _.
  by rewrite nth_actf ?size_map ?(typed_size ty) // nth_shift //; split=> //; apply: typed_nth.
case/and3P=> okm /eqP<- ok us h.
have F : mfine M m by move=> s hs; apply: (h s _).1; rewrite mem_cat hs.
have com : commutes m by apply: map_commutes => // s hs; apply: (h s _).2; rewrite mem_cat hs.
suff [t e] : typed M [seq eval M (slots y) f | f <- fs] (dom m) /\
    [seq eval M (slots (shifts new y)) f | f <- fs] = shifts (dom m) [seq eval M (slots y) f | f <- fs].
  by rewrite e com //; split=> //; apply: (map_sound U okm F).1.
have {}h s : s \in flatten [seq iexp_syms f | f <- fs] -> fine M s /\ commutes s.
  by move=> hs; apply: h; rewrite mem_cat hs orbT.
elim: fs (dom m) IH ok us h {okm F com} => [|f fs IHs] [|b d] //= IH /andP[ok oks].
rewrite all_cat => /andP[us uss] h.
have [|t1 e1] := IH 0 isT b ok us; first by move=> s hs; apply: h; rewrite mem_cat hs.
have [|t2 e2] := IHs d (fun k => IH k.+1) oks uss; first by move=> s hs; apply: h; rewrite mem_cat hs orbT.
by rewrite e1 e2; split=> //; apply/andP.
Qed.

Lemma at_commutes es old new y :
  all2 (fun e a => iok e a && all (slot_of new) (uses e a)) es old ->
  (forall e m, e \in es -> m \in iexp_syms e -> fine M m /\ commutes m) -> typed M y new ->
  [seq eval M (slots (shifts new y)) e | e <- es] = shifts old [seq eval M (slots y) e | e <- es].
Proof.
move=> ok com ty; elim: es old ok com => [|e es IH] [|a old] //= /andP[/andP[ok us] oks] com.
have [|_ ->] := iexp_commutes ty ok us; first by move=> m; apply: com; apply: mem_head.
by rewrite (IH old) // => e' m he; apply: com; rewrite inE he orbT.
Qed.
End Permutation.
End Naturality.

(* The headline. *)
(* id: naturality *)
Theorem naturality (n : node) (M : model) (move : string -> idx -> idx) :
  well_formed n ->
  (* a model of the maps in the term; each index set is permuted *)
  good M (node_syms n) -> permutation M move ->
  (* selected places stay, inner maps commute *)
  sees_no_order M move n ->
  (* permute every tensor along all its axes: the value is permuted along all its axes *)
  forall T' T : tensors M, permuted move T' T ->
  forall xs, typed M xs (sets_of n) -> den T' n xs = den T n (shifts move (sets_of n) xs).
Proof. by move=> wf G moves see T' T T_T; apply: (along G moves wf _ see T_T). Qed.
