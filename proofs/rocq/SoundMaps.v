(* Maps of index sets and index expressions: typing, bijections, substitution, normal forms. *)
Set Warnings "-notation-overridden".
From Coq Require Import String BinInt.
From mathcomp Require Import all_ssreflect.
From orderproof Require Import Calculus.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope seq_scope.

Lemma all2_nth T U (p : T -> U -> bool) x0 y0 s t :
  all2 p s t = (size s == size t) && all (fun k => p (nth x0 s k) (nth y0 t k)) (iota 0 (size s)).
Proof.
elim: s t => [|x s IH] [|y t] //=; rewrite IH eqSS /=.
by rewrite -[in RHS](addn0 1) iotaDl all_map andbCA.
Qed.

(* all2 for propositions *)
Definition all2P T U (P : T -> U -> Prop) : seq T -> seq U -> Prop :=
  fix go s t := match s, t with
  | [::], [::] => True | x :: s', y :: t' => P x y /\ go s' t' | _, _ => False end.

Section Maps.
Variable M : model.
Hypothesis U : forall s, uniq (carrier M s).

Lemma uniq_elems a : uniq (elems M a).
Proof.
elim: a => [s||a IHa b IHb|a IHa b IHb] //=.
- rewrite cat_uniq !map_inj_uniq ?IHa ?IHb ?andbT //=; try by move=> x y [].
  by apply/hasPn=> _ /mapP[x _ ->]; apply/mapP=> -[].
- by apply: allpairs_uniq => // -[x y] [x' y'] _ _ /= [-> ->].
Qed.

Lemma typed1 x a : typed M [:: x] [:: a] = (x \in elems M a).
Proof. by rewrite /typed /= andbT. Qed.

Lemma typed_size xs s : typed M xs s -> size xs = size s.
Proof. by rewrite /typed (all2_nth _ i0 One) => /andP[/eqP]. Qed.

Lemma typed_nth xs s k : typed M xs s -> k < size s -> nth i0 xs k \in elems M (nth One s k).
Proof.
move=> h; move: (h); rewrite /typed (all2_nth _ i0 One) => /andP[/eqP e /allP a] hk.
by apply: a; rewrite mem_iota e.
Qed.

Lemma typedP xs s : size xs = size s ->
  (forall k, k < size s -> nth i0 xs k \in elems M (nth One s k)) -> typed M xs s.
Proof.
move=> e h; rewrite /typed (all2_nth _ i0 One) e eqxx; apply/allP=> k.
by rewrite mem_iota => /h.
Qed.

Lemma mem_assignments xs s : (xs \in assignments M s) = typed M xs s.
Proof.
elim: s xs => [|a s IH] [|x xs] //=.
- by apply/negbTE/negP=> /allpairsP[] [? ?] [].
- apply/idP/idP; first by case/allpairsP=> -[y ys] [/= hy hys [-> ->]]; rewrite /typed /= hy -/(typed M ys s) -IH.
  by case/andP=> hx; rewrite -/(typed M xs s) -IH => h; apply/allpairsP; exists (x, xs).
Qed.

Definition mfine m := forall s, s \in map_syms m -> fine M s.

Lemma map_sound m : map_ok m -> mfine m ->
  (forall xs, typed M xs (dom m) -> mapden M m xs \in elems M (cod m)) /\
  (bij m -> size (dom m) = 1 /\
    perm_eq [seq mapden M m [:: x] | x <- elems M (head One (dom m))] (elems M (cod m))).
Proof.
elim: m => [f d c b|a|f IH|a b|a b|f IHf g IHg|a b|a b|a b] /=.
- move=> ok /(_ _ (mem_head _ _)) [h hb]; split=> // e; move: ok hb; rewrite /bij /= in e *.
  by case: d h e => [|a [|? ?]] h -> //= _ /(_ isT a erefl) hb.
- move=> _ _; split; first by move=> [|x [|? ?]]; rewrite //= /typed //= ?andbF // andbT.
  by split=> //; rewrite map_id.
- case/andP=> ok b F; have [ht /(_ b) [s1 hp]] := IH ok F.
  move: ht hp s1; rewrite /dom /cod /bij /=; case: (map_type f) => [[d c] p] /=.
  case: d => [|a [|? ?]] //= ht hp _.
  have sz : size [seq mapden M f [:: x] | x <- elems M a] = size (elems M c) by rewrite (perm_size hp).
  have mem y : y \in elems M c -> nth i0 (elems M a)
      (index y [seq mapden M f [:: x] | x <- elems M a]) \in elems M a.
    rewrite -(perm_mem hp) => hy; apply: mem_nth.
    by move: hy; rewrite -index_mem size_map.
  split; first by move=> [|y [|? ?]]; rewrite //= /typed //= ?andbF // andbT => /mem.
  split=> //; rewrite /bij /=.
  have/perm_map h := hp; rewrite perm_sym in hp.
  have {}h := h _ (fun y => nth i0 (elems M a) (index y [seq mapden M f [:: x] | x <- elems M a])).
  rewrite perm_sym in h; apply: (perm_trans h).
  rewrite -map_comp (eq_in_map _ id _).1 ?map_id // => x hx /=.
  have un : uniq [seq mapden M f [:: x] | x <- elems M a] by rewrite -(perm_uniq hp) uniq_elems.
  rewrite -{1}(nth_index i0 hx) -(nth_map i0 i0 (fun x => mapden M f [:: x])) ?index_mem //.
  by rewrite index_uniq ?size_map ?index_mem // nth_index.
- move=> _ _; split=> //; move=> [|x [|? ?]]; rewrite //= /typed //= ?andbF // andbT => h.
  by rewrite mem_cat map_f.
- move=> _ _; split=> //; move=> [|x [|? ?]]; rewrite //= /typed //= ?andbF // andbT => h.
  by rewrite mem_cat map_f ?orbT.
- case/and4P=> okf okg sf sg F.
  have [|tf pf] := IHf okf; first by move=> s h; apply: F; rewrite mem_cat h.
  have [|tg pg] := IHg okg; first by move=> s h; apply: F; rewrite mem_cat h orbT.
  move: tf pf tg pg sf sg; rewrite /dom /cod /bij /=.
  case: (map_type f) => [[d c] p] /=; case: (map_type g) => [[d' c'] p'] /=.
  case: d => [|a [|? ?]] //=; case: d' => [|a' [|? ?]] //= tf pf tg pg _ _; split.
    move=> [|x [|? ?]]; rewrite //= /typed //= ?andbF // andbT mem_cat.
    by case/orP=> /mapP[y hy ->]; rewrite mem_cat map_f ?orbT //; [apply: tf | apply: tg];
      rewrite typed1.
  case/andP=> /pf[_ hf] /pg[_ hg]; split=> //; rewrite map_cat -!map_comp.
  by apply: perm_cat; [rewrite (map_comp L) | rewrite (map_comp R)]; apply: perm_map.
- move=> _ _; split=> //; move=> [|x [|y [|? ?]]]; rewrite /typed //= ?andbF // andbT.
  by case/andP=> hx hy; apply/allpairsP; exists (x, y).
- move=> _ _; split=> //; move=> [|x [|? ?]]; rewrite /typed //= ?andbF // andbT.
  by case/allpairsP=> -[y z] [/= hy hz ->].
- move=> _ _; split=> //; move=> [|x [|? ?]]; rewrite /typed //= ?andbF // andbT.
  by case/allpairsP=> -[y z] [/= hy hz ->].
Qed.

(* A bijection of one argument, by its two ends. *)
Lemma bijP m : map_ok m -> mfine m -> bij m -> let f x := mapden M m [:: x] in
  let a := head One (dom m) in
  [/\ dom m = [:: a], {in elems M a &, injective f}, {in elems M a, forall x, f x \in elems M (cod m)}
    & perm_eq [seq f x | x <- elems M a] (elems M (cod m))].
Proof.
move=> ok F b /=; have [t /(_ b) [s1 p]] := map_sound ok F.
have e : dom m = [:: head One (dom m)] by case: (dom m) s1 => [|? []].
split=> //; last by move=> x hx; apply: t; rewrite e typed1.
move=> x y hx hy exy; have un := uniq_elems (cod m); rewrite -(perm_uniq p) in un.
have := uniqP i0 un (index x (elems M (head One (dom m)))) (index y (elems M (head One (dom m)))).
rewrite !inE size_map !index_mem !(nth_map i0) ?index_mem // !nth_index // => /(_ hx hy exy) h.
by rewrite -(nth_index i0 hx) h nth_index.
Qed.

(* ------------------------------------------------------------------- index expressions *)
Definition efine e := forall s, s \in iexp_syms e -> fine M s.
Definition env_ok (us : seq (name * iset)) (env : name -> idx) :=
  forall u, u \in us -> env u.1 \in elems M u.2.

Lemma eval_ext e env env' a : (forall u, u \in uses e a -> env u.1 = env' u.1) -> iok e a ->
  eval M env e = eval M env' e.
Proof.
elim/iexp_rect': e a => [x|m es IH] a /=; first by move/(_ (x, a) (mem_head _ _)).
move=> h /and3P[_ _ ok]; congr (mapden _ _ _).
elim: es (dom m) IH h ok => [|e es IHs] [|b d] //= IH h /andP[ok oks].
rewrite (IH 0 isT b) //; last by move=> u hu; apply: h; rewrite mem_cat hu.
by rewrite (IHs d) // => [k|u hu]; [apply: (IH k.+1)|apply: h; rewrite mem_cat hu orbT].
Qed.

Lemma eval_subst env to e : eval M env (subst to e) = eval M (fun a => eval M env (to a)) e.
Proof.
elim/iexp_rect': e => [a|m es IH] //=; congr (mapden _ _ _); rewrite -map_comp.
elim: es IH => //= e es IHs IH; rewrite (IH 0 isT) (IHs (fun k => IH k.+1)) //.
Qed.

(* An expression that is of its type at an assignment. *)
Fixpoint st (env : name -> idx) (e : iexp) (a : iset) {struct e} : Prop :=
  match e with
  | Ax x => env x \in elems M a
  | Ap m es => [/\ map_ok m, mfine m, cod m = a & all2P (st env) es (dom m)]
  end.

Lemma st_subst env to e a : iok e a -> efine e ->
  (forall u, u \in uses e a -> st env (to u.1) u.2) -> st env (subst to e) a.
Proof.
elim/iexp_rect': e a => [x|m es IH] a /=; first by move=> _ _ /(_ (x, a)); apply; exact: mem_head.
case/and3P=> ok /eqP<- oks F h; split=> //; first by move=> s hs; apply: F; rewrite mem_cat hs.
have {}F : forall s, s \in flatten [seq iexp_syms x | x <- es] -> fine M s.
  by move=> s hs; apply: F; rewrite mem_cat hs orbT.
elim: es (dom m) IH h oks F => [|e es IHs] [|b d] //= IH h /andP[oke oks] F; split.
  by apply: (IH 0 isT) => // [s hs|u hu]; [apply: F|apply: h]; rewrite mem_cat ?hs ?hu.
apply: IHs => // [k|u hu|s hs]; first exact: (IH k.+1).
  by apply: h; rewrite mem_cat hu orbT.
by apply: F; rewrite mem_cat hs orbT.
Qed.

Lemma subst_id e : subst Ax e = e.
Proof.
elim/iexp_rect': e => [a|m es IH] //=; congr (Ap _ _); elim: es IH => //= e es IHs IH.
by rewrite (IHs (fun k => IH k.+1)); have /= -> := IH 0 isT.
Qed.

Lemma st_intro env e a : iok e a -> efine e -> env_ok (uses e a) env -> st env e a.
Proof. by move=> ok F h; rewrite -[e]subst_id; apply: st_subst => // u /h. Qed.

Lemma st_typed env e a : st env e a -> eval M env e \in elems M a.
Proof.
elim/iexp_rect': e a => [x|m es IH] a //= [ok F <- h]; have [t _] := map_sound ok F.
apply: t; elim: es (dom m) IH h => [|e es IHs] [|b d] //= IH [h hs].
by rewrite /typed /= (IH 0 isT) // -/(typed _ _ _) (IHs d) // => k; apply: (IH k.+1).
Qed.

Lemma eval_typed e a env : iok e a -> efine e -> env_ok (uses e a) env ->
  eval M env e \in elems M a.
Proof. by move=> ok F h; apply/st_typed/st_intro. Qed.

(* normal: what the maps compute that their kinds fix. `normal1` has its parts in normal form. *)
Definition cancel (f : imap) (es : seq iexp) : iexp :=
  match es with
  | [:: Ap g [:: a]] => if (f == Inverse g) || (g == Inverse f) then a else Ap f es
  | _ => Ap f es
  end.
Fixpoint normal1 (m : imap) (es : seq iexp) : iexp :=
  match m with
  | Identity _ => if es is [:: a] then a else Ap m es
  | Fst _ _ => if es is [:: Ap (Pair _ _) [:: a; b]] then a else cancel m es
  | Snd _ _ => if es is [:: Ap (Pair _ _) [:: a; b]] then b else cancel m es
  | Beside f g =>
      match es with
      | [:: Ap (Inl _ _) [:: a]] => Ap (Inl (cod f) (cod g)) [:: normal1 f [:: a]]
      | [:: Ap (Inr _ _) [:: a]] => Ap (Inr (cod f) (cod g)) [:: normal1 g [:: a]]
      | _ => cancel m es
      end
  | _ => cancel m es
  end.
Fixpoint normal (e : iexp) : iexp :=
  match e with Ax a => Ax a | Ap m es => normal1 m [seq normal x | x <- es] end.

Lemma inverse_left f x : map_ok (Inverse f) -> mfine f -> x \in elems M (head One (dom f)) ->
  mapden M (Inverse f) [:: mapden M f [:: x]] = x.
Proof.
case/andP=> ok b F hx /=; have [e inj _ p] := bijP ok F b.
have un : uniq [seq mapden M f [:: x] | x <- elems M (head One (dom f))].
  by rewrite (perm_uniq p) uniq_elems.
rewrite -[in index _ _](nth_index i0 hx) -(nth_map i0 i0 (fun x => mapden M f [:: x])) ?index_mem //.
by rewrite index_uniq ?size_map ?index_mem // nth_index.
Qed.

Lemma inverse_right f y : map_ok (Inverse f) -> mfine f -> y \in elems M (cod f) ->
  mapden M f [:: mapden M (Inverse f) [:: y]] = y.
Proof.
case/andP=> ok b F hy /=; have [e inj _ p] := bijP ok F b.
rewrite -(nth_map i0 i0 (fun x => mapden M f [:: x])) ?nth_index //; last first.
  by rewrite -(size_map (fun x => mapden M f [:: x])) index_mem (perm_mem p).
by rewrite (perm_mem p).
Qed.

Lemma cancel_st env f g a b : map_ok f -> mfine f -> cod f = b -> st env (Ap g [:: a]) (head One (dom f)) ->
  size (dom f) = 1 -> (f == Inverse g) || (g == Inverse f) ->
  st env a b /\ eval M env a = eval M env (Ap f [:: Ap g [:: a]]).
Proof.
move=> ok F <- /= [okg Fg cg sa] _ /orP[/eqP e|/eqP e]; subst.
- have /andP[_ bg] := ok; have [d _ _ _] := bijP okg Fg bg.
  have sa' : st env a (head One (dom g)) by move: sa; rewrite d /= => -[].
  have -> : cod (Inverse g) = head One (dom g) by rewrite /cod /dom /=; case: (map_type g) => [[]].
  by split=> //; rewrite -/(mapden M (Inverse g) _) inverse_left // st_typed.
- have /andP[_ bf] := okg; have [d _ _ _] := bijP ok F bf.
  have dg : dom (Inverse f) = [:: cod f] by rewrite /cod /dom /=; case: (map_type f) => [[]].
  have sa' : st env a (cod f) by move: sa; rewrite dg /= => -[].
  by split=> //; rewrite -/(mapden M (Inverse f) _) inverse_right // st_typed.
Qed.

Lemma normal1_st env m es a : map_ok m -> mfine m -> cod m = a -> all2P (st env) es (dom m) ->
  st env (normal1 m es) a /\ eval M env (normal1 m es) = eval M env (Ap m es).
Proof.
have stay m' es' b : map_ok m' -> mfine m' -> cod m' = b -> all2P (st env) es' (dom m') ->
  st env (cancel m' es') b /\ eval M env (cancel m' es') = eval M env (Ap m' es').
  move=> ok F c h; rewrite /cancel.
  case: es' h => [|[x|g [|x [|? ?]]] [|? ?]] h; try by split.
  case: ifP => hc; last by split.
  apply: cancel_st => //; by move: h; case: (dom m') => [|? [|? ?]] //= -[].
elim: m es a => [f d c b|c|f IH|c d|c d|f IHf g IHg|c d|c d|c d] es a ok F e h; try exact: stay.
- by case: es h => [|x [|y es]] h; rewrite -e //=; case: h.
- have /= /and4P[okf okg sf sg] := ok.
  have Ff : mfine f by move=> s hs; apply: F; rewrite /= mem_cat hs.
  have Fg : mfine g by move=> s hs; apply: F; rewrite /= mem_cat hs orbT.
  have ec : Plus (cod f) (cod g) = a.
    by rewrite -e /cod /=; case: (map_type f) => [[? ?] ?]; case: (map_type g) => [[? ?] ?].
  have ed : dom (Beside f g) = [:: Plus (head One (dom f)) (head One (dom g))].
    by rewrite /dom /=; case: (map_type f) => [[? ?] ?]; case: (map_type g) => [[? ?] ?].
  have := stay _ _ _ ok F e h.
  case: es h => [|[x|[] // c d [|x [|? ?]]] [|? ?]] // h _; move: h; rewrite ed /= => -[[_ _ [ec' ed'] [hx _]] _].
  + have [|s1 s2] := IHf [:: x] (cod f) okf Ff erefl.
      by case: (dom f) sf ec' hx => [|? [|? ?]] //= _ <-.
    by rewrite -{1}ec; split; [split | rewrite s2].
  + have [|s1 s2] := IHg [:: x] (cod g) okg Fg erefl.
      by case: (dom g) sg ed' hx => [|? [|? ?]] //= _ <-.
    by rewrite -{1}ec; split; [split | rewrite s2].
- have := stay _ _ _ ok F e h.
  case: es h => [|[x|[] // c' d' [|x [|y [|? ?]]]] [|? ?]] // h _.
  by case: h => /= [[_ _ ec [hx [hy _]]] _]; rewrite -e; case: ec => e1 e2; subst.
- have := stay _ _ _ ok F e h.
  case: es h => [|[x|[] // c' d' [|x [|y [|? ?]]]] [|? ?]] // h _.
  by case: h => /= [[_ _ ec [hx [hy _]]] _]; rewrite -e; case: ec => e1 e2; subst.
Qed.

Lemma normal_sound env e a : st env e a ->
  st env (normal e) a /\ eval M env (normal e) = eval M env e.
Proof.
elim/iexp_rect': e a => [x|m es IH] a //= [ok F c h].
have [h' e] : all2P (st env) [seq normal x | x <- es] (dom m) /\
    [seq eval M env x | x <- [seq normal x | x <- es]] = [seq eval M env x | x <- es].
  elim: es (dom m) IH h => [|x es IHs] [|b d] //= IH [h hs].
  have [s1 ->] := IH 0 isT b h; have [//|s2 ->] := IHs d _ hs; first by move=> k; apply: (IH k.+1).
  by [].
by have [s1 s2] := normal1_st ok F c h'; split=> //; rewrite s2 /= e.
Qed.
End Maps.
