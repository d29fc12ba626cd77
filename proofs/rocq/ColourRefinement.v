(* Which tokens attention can tell apart: those of different types, where the type of a token is
   refined once in each layer (colour refinement, the Weisfeiler-Leman test of graphs).

   T_0(i) is the token at i.  T_(l+1)(i) is T_l(i) and, for each mask or bias G_h, the share of the
   weight of row i that falls on each type T_l.  Types are given by when they are equal. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention Encoder Positions Causal.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Definitions *)

Section Types.
Variables (R : realFieldType) (V : eqType) (T : finType) (H : nat).
Variables (x : T -> V) (G : 'I_H -> T -> T -> R).

(* The share of the tokens in c in row i of G_h. *)
Definition share h i (c : pred T) : R := (\sum_(j | c j) G h i j) / \sum_j G h i j.

(* T_l(i) = T_l(j). *)
Fixpoint same_type l : rel T :=
  if l is l'.+1 then
    fun i j => same_type l' i j
      && [forall h, forall k, share h i (same_type l' k) == share h j (same_type l' k)]
  else fun i j => x i == x j.

End Types.

(* Two inputs side by side, of n and m tokens: no token of one sees a token of the other. *)
Definition either (V : Type) n m (x : n.-tuple V) (y : m.-tuple V) (t : 'I_n + 'I_m) : V :=
  match t with inl i => tnth x i | inr j => tnth y j end.

Definition side_by_side (R : realFieldType) H n m (G : 'I_H -> 'M[R]_n) (G' : 'I_H -> 'M[R]_m) h
    (t u : 'I_n + 'I_m) : R :=
  match t, u with inl i, inl j => G h i j | inr i, inr j => G' h i j | _, _ => 0 end.

Section Layers.
Variables (R : realFieldType) (H : nat).

(* A layer: heads with any positive or other function of two states for the weight, each under one
   of the H masks or biases; any values; and any map of a row and of what the heads say in it (one
   row for each head): output projection, residuals, norms and feed-forward are such a map. *)
Record layer (d p : nat) := Layer {
  head_count : nat;
  mask_of : 'I_head_count -> 'I_H;
  head_width : nat;
  weight : 'I_head_count -> 'rV[R]_d -> 'rV[R]_d -> R;
  value : 'I_head_count -> 'rV[R]_d -> 'rV[R]_head_width;
  row_map : 'rV[R]_d -> 'M[R]_(head_count, head_width) -> 'rV[R]_p }.
Arguments weight {d p} B a : rename.
Arguments value {d p} B a : rename.
Arguments mask_of {d p} B a : rename.
Arguments row_map {d p} B : rename.

Definition head_output d p n (B : layer d p) (G : 'I_H -> 'M[R]_n) (X : 'M[R]_(n, d))
    (a : 'I_(head_count B)) : 'M[R]_(n, head_width B) :=
  normalize (\matrix_(i, j) (G (mask_of B a) i j * weight B a (row i X) (row j X)))
    *m row_wise (value B a) X.
Arguments head_output {d p n} B G X a : rename.

Definition apply_layer d p n (B : layer d p) (G : 'I_H -> 'M[R]_n) (X : 'M[R]_(n, d)) :
    'M[R]_(n, p) :=
  \matrix_i row_map B (row i X) (\matrix_a row i (head_output B G X a)).

(* Any number of layers, first to last, each with its own weights. *)
Definition apply_layers d n (Bs : seq (layer d d)) (G : 'I_H -> 'M[R]_n) (X : 'M[R]_(n, d)) :
    'M[R]_(n, d) :=
  foldl (fun Z B => apply_layer B G Z) X Bs.

(* Dot-product attention with any w in place of exp, one head for each mask. *)
Definition dot_product_layer (w : R -> R) (scale : R) d k e p (WQ WK : 'I_H -> 'M[R]_(d, k))
    (WV : 'I_H -> 'M[R]_(d, e)) (f : 'rV[R]_d -> 'M[R]_(H, e) -> 'rV[R]_p) : layer d p :=
  @Layer d p H id e (fun h u v => w (scores scale (u *m WQ h) (v *m WK h) 0 0))
    (fun h v => v *m WV h) f.

(* W_Q = 0, W_K = 0 and W_V = 1: every head says the average that its mask takes. *)
Definition averaging_layer (w : R -> R) (scale : R) d p
    (f : 'rV[R]_d -> 'M[R]_(H, d) -> 'rV[R]_p) : layer d p :=
  dot_product_layer w scale (fun=> 0 : 'M_(d, 1)) (fun=> 0) (fun=> 1%:M) f.

End Layers.
Arguments weight {R H d p} B a : rename.
Arguments value {R H d p} B a : rename.
Arguments mask_of {R H d p} B a : rename.
Arguments row_map {R H d p} B : rename.
Arguments head_output {R H d p n} B G X a : rename.

(* Equal types are an equivalence, and refine each other *)

Section Refinement.
Variables (R : realFieldType) (V : eqType) (T : finType) (H : nat).
Variables (x : T -> V) (G : 'I_H -> T -> T -> R).
Local Notation same := (same_type x G).

Lemma same_typeP l i j :
  reflect (same l i j /\ forall h k, share G h i (same l k) = share G h j (same l k))
    (same l.+1 i j).
Proof.
apply: (iffP andP) => -[same_ij eq_ij]; split=> //.
  by move=> h k; have /forallP/(_ k)/eqP := forallP eq_ij h.
by apply/forallP => h; apply/forallP => k; rewrite eq_ij.
Qed.

Lemma same_type_refl l i : same l i i.
Proof. by elim: l => [|l IH]; [exact: eqxx | apply/same_typeP]. Qed.

Lemma same_type_sym l i j : same l i j = same l j i.
Proof.
have sym a b : same l a b -> same l b a; last by apply/idP/idP; apply: sym.
elim: l a b => [|l IH] a b; first by rewrite /= eq_sym.
by move=> /same_typeP[/IH ba eq_ab]; apply/same_typeP; split=> // h k; rewrite eq_ab.
Qed.

Lemma same_type_trans l j i k : same l i j -> same l j k -> same l i k.
Proof.
elim: l i j k => [|l IH] i j k; first by move=> /= /eqP-> /eqP->.
move=> /same_typeP[ij eq_ij] /same_typeP[jk eq_jk]; apply/same_typeP.
by split=> [|h c]; [exact: IH ij jk | rewrite eq_ij].
Qed.

Lemma same_type_class l i j : same l i j -> same l i =1 same l j.
Proof.
move=> ij k; apply/idP/idP => [ik|jk]; last exact: same_type_trans ij jk.
by apply: same_type_trans ik; rewrite same_type_sym.
Qed.

Lemma same_type_token l i j : same l i j -> x i = x j.
Proof. by elim: l => [/eqP|l IH /same_typeP[/IH]]. Qed.

(* A sum of weights times numbers that depend on the type alone: the shares of the types decide it. *)
Lemma class_sum l (a b F : T -> R) :
  (forall i j, same l i j -> F i = F j) ->
  (forall k, \sum_(j | same l k j) a j = \sum_(j | same l k j) b j) ->
  \sum_j a j * F j = \sum_j b j * F j.
Proof.
move=> constF eq_ab; pose N k : R := #|same l k|%:R.
have N0 k : N k != 0 by rewrite pnatr_eq0 -lt0n; apply/card_gt0P; exists k; exact: same_type_refl.
have spread (c : T -> R) :
    \sum_j c j * F j = \sum_k F k / N k * \sum_(j | same l k j) c j.
  rewrite (eq_bigr (fun j => \sum_(k | same l k j) F k / N k * c j)) => [|j _]; last first.
    rewrite -mulr_suml mulrC; congr (_ * _).
    rewrite (eq_bigr (fun=> F j / N j)) => [|k kj]; last first.
      by rewrite (constF _ _ kj) /N (eq_card (same_type_class kj)).
    rewrite sumr_const (_ : #|_| = #|same l j|); last first.
      by apply: eq_card => k; rewrite -!topredE /= same_type_sym.
    by rewrite -mulr_natr -mulrA mulVf ?mulr1 // N0.
  rewrite (exchange_big_dep predT) //=; apply: eq_bigr => k _.
  by rewrite mulr_sumr.
by rewrite !spread; apply: eq_bigr => k _; rewrite eq_ab.
Qed.

(* A quotient of two such sums is the same in both rows. *)
Lemma weighted_mean l h i j (F E : T -> R) :
  \sum_k G h i k != 0 -> \sum_k G h j k != 0 -> same l.+1 i j ->
  (forall a b, same l a b -> F a = F b) -> (forall a b, same l a b -> E a = E b) ->
  (\sum_k G h i k * F k) / (\sum_k G h i k * E k)
  = (\sum_k G h j k * F k) / (\sum_k G h j k * E k).
Proof.
move=> Gi0 Gj0 /same_typeP[_ eq_ij] constF constE.
pose g t k := G h t k / \sum_u G h t u.
have gE t (D : T -> R) : \sum_u G h t u != 0 ->
    \sum_k G h t k * D k = (\sum_u G h t u) * \sum_k g t k * D k.
  move=> t0; rewrite mulr_sumr; apply: eq_bigr => k _.
  by rewrite /g mulrA (mulrC (\sum_u G h t u)) divfK.
have mean t : \sum_u G h t u != 0 ->
    (\sum_k G h t k * F k) / (\sum_k G h t k * E k) = (\sum_k g t k * F k) / (\sum_k g t k * E k).
  by move=> t0; rewrite !gE // -mulf_div divff ?mul1r.
have eq_g k : \sum_(u | same l k u) g i u = \sum_(u | same l k u) g j u.
  by rewrite -!mulr_suml; exact: eq_ij.
by rewrite !mean // (class_sum constF eq_g) (class_sum constE eq_g).
Qed.

End Refinement.

(* What a head says in row i, entry by entry *)

Section Heads.
Variables (R : realFieldType) (H : nat).

Lemma head_outputE d p n (B : layer R H d p) (G : 'I_H -> 'M[R]_n) (X : 'M[R]_(n, d)) a i c :
  row i (head_output B G X a) 0 c
  = (\sum_j G (mask_of B a) i j * (weight B a (row i X) (row j X) * value B a (row j X) 0 c))
    / \sum_j G (mask_of B a) i j * weight B a (row i X) (row j X).
Proof.
rewrite [LHS]mxE mxE mulr_suml; apply: eq_bigr => j _; rewrite normalizeE !mxE.
rewrite mulrAC mulrA; congr (_ / _); apply: eq_bigr => u _; exact: mxE.
Qed.

(* A layer of dot products is the masked attention of the other files. *)
Lemma dot_product_layerE (w : R -> R) scale d k e p n (WQ WK : 'I_H -> 'M[R]_(d, k))
    (WV : 'I_H -> 'M[R]_(d, e)) (f : 'rV[R]_d -> 'M[R]_(H, e) -> 'rV[R]_p)
    (G : 'I_H -> 'M[R]_n) (X : 'M[R]_(n, d)) :
  apply_layer (dot_product_layer w scale WQ WK WV f) G X
  = \matrix_i f (row i X)
      (\matrix_h row i (masked_self_attention w scale (G h) (WQ h) (WK h) (WV h) X)).
Proof.
apply/row_matrixP => i; rewrite !rowK /=; congr f; apply/row_matrixP => h; rewrite !rowK.
congr (row i (_ *m _)); last by apply/row_matrixP => j; rewrite rowK row_mul.
congr normalize; apply/matrixP => u v; rewrite [LHS]mxE [RHS]mxE /= -!row_mul; congr (_ * w _).
by rewrite !mxE; congr (_ * _); apply: eq_bigr => c _; rewrite !mxE.
Qed.

Lemma averaging_headE (w : R -> R) scale d p n (f : 'rV[R]_d -> 'M[R]_(H, d) -> 'rV[R]_p)
    (G : 'I_H -> 'M[R]_n) (X : 'M[R]_(n, d)) h i c :
  w 0 != 0 ->
  row i (head_output (averaging_layer w scale f) G X h) 0 c
  = (\sum_j G h i j * X j c) / \sum_j G h i j.
Proof.
move=> w0; rewrite head_outputE.
have weightE u v : weight (averaging_layer w scale f) h u v = w 0.
  by rewrite /= !mulmx0 /scores mul0mx scaler0 mxE.
have valueE u : value (averaging_layer w scale f) h u = u by exact: mulmx1.
under eq_bigr do rewrite weightE valueE mulrCA [row _ _ _ _]mxE.
under [in X in _ / X]eq_bigr do rewrite weightE mulrC.
by rewrite -!mulr_sumr -mulf_div divff ?mul1r.
Qed.

End Heads.

(* Equal types give equal rows, in any layers *)

Section Equal.
Variables (R : realFieldType) (V : eqType) (H n m : nat) (x : n.-tuple V) (y : m.-tuple V).
Variables (G : 'I_H -> 'M[R]_n) (G' : 'I_H -> 'M[R]_m).
Hypothesis G0 : forall h i, \sum_j G h i j != 0.
Hypothesis G'0 : forall h i, \sum_j G' h i j != 0.
Local Notation both := (side_by_side G G').
Local Notation same := (same_type (either x y) both).

(* The states of the tokens of both inputs. *)
Definition states d (X : 'M[R]_(n, d)) (Y : 'M[R]_(m, d)) (t : 'I_n + 'I_m) : 'rV[R]_d :=
  match t with inl i => row i X | inr j => row j Y end.

Lemma sum_inl (F : 'I_n + 'I_m -> R) : (forall j, F (inr j) = 0) -> \sum_u F u = \sum_i F (inl i).
Proof. by move=> F0; rewrite big_sumType /= [X in _ + X]big1 ?addr0. Qed.

Lemma sum_inr (F : 'I_n + 'I_m -> R) : (forall i, F (inl i) = 0) -> \sum_u F u = \sum_j F (inr j).
Proof. by move=> F0; rewrite big_sumType /= [X in X + _]big1 ?add0r. Qed.

Lemma both_neq0 h t : \sum_u both h t u != 0.
Proof. by case: t => t; [rewrite sum_inl //; exact: G0 | rewrite sum_inr //; exact: G'0]. Qed.

Definition agree l d (X : 'M[R]_(n, d)) (Y : 'M[R]_(m, d)) : Prop :=
  forall t u, same l t u -> states X Y t = states X Y u.

Lemma agree_layer l d p (B : layer R H d p) (X : 'M[R]_(n, d)) (Y : 'M[R]_(m, d)) :
  agree l X Y -> agree l.+1 (apply_layer B G X) (apply_layer B G' Y).
Proof.
move=> eqz; pose z := states X Y.
pose out t := row_map B (z t) (\matrix_(a, c)
  ((\sum_u both (mask_of B a) t u * (weight B a (z t) (z u) * value B a (z u) 0 c))
    / \sum_u both (mask_of B a) t u * weight B a (z t) (z u))).
have outE t : states (apply_layer B G X) (apply_layer B G' Y) t = out t.
  by case: t => t; rewrite /states rowK; congr row_map; apply/matrixP => a c;
    rewrite mxE [RHS]mxE head_outputE; congr (_ / _);
    [rewrite sum_inl | rewrite sum_inl | rewrite sum_inr | rewrite sum_inr] => // v;
    rewrite mul0r.
move=> t u tu; rewrite !outE /out (_ : z t = z u); last by apply: eqz; case/same_typeP: tu.
congr row_map; apply/matrixP => a c; rewrite mxE [RHS]mxE.
by apply: weighted_mean tu _ _; rewrite ?both_neq0 // => v v' vv'; rewrite (_ : z v = z v') //; exact: eqz.
Qed.

Lemma agree_stack l d (Bs : seq (layer R H d d)) (X : 'M[R]_(n, d)) (Y : 'M[R]_(m, d)) :
  agree l X Y -> agree (l + size Bs) (apply_layers Bs G X) (apply_layers Bs G' Y).
Proof.
elim: Bs l X Y => [|B Bs IH] l X Y eqz; first by rewrite addn0.
by rewrite /= addnS -addSn; apply: IH; exact: agree_layer.
Qed.

Lemma agree_embed d (emb : V -> 'rV[R]_d) : agree 0 (embed emb x) (embed emb y).
Proof. by case=> i [] j /= /eqP; rewrite !rowK => ->. Qed.

(* Different types give different rows, in some layers that average *)

Local Notation T := ('I_n + 'I_m)%type.
Local Notation width := #|{: T}|.

(* A token's state after l layers: which tokens have the same type T_l. *)
Definition code l (t : T) : 'rV[R]_width := \row_c (same l (enum_val c) t)%:R.

Definition shares l (t : T) : 'M[R]_(H, width) := \matrix_(h, c) share both h t (same l (enum_val c)).

(* The row map of layer l: from a token's type and the shares of the types to the refined type. *)
Definition refine l (s : 'rV[R]_width) (O : 'M[R]_(H, width)) : 'rV[R]_width :=
  if [pick t | (code l t == s) && (shares l t == O)] is Some t then code l.+1 t else 0.

Lemma code_eq l t u : code l t = code l u <-> same l t u.
Proof.
split=> [eq_tu|tu].
  have /rowP/(_ (enum_rank t)) := eq_tu; rewrite !mxE enum_rankK same_type_refl.
  by case: (same l t u) => // /eqP; rewrite oner_eq0.
by apply/rowP => c; rewrite !mxE -!(same_type_sym _ _ _ _ (enum_val c)); congr (_%:R);
  rewrite (same_type_class tu).
Qed.

Lemma refineE l t : refine l (code l t) (shares l t) = code l.+1 t.
Proof.
rewrite /refine; case: pickP => [u /andP[/eqP/code_eq ut /eqP eqO]|/(_ t)]; last by rewrite !eqxx.
apply/code_eq/same_typeP; split=> // h k.
by have /matrixP/(_ h (enum_rank k)) := eqO; rewrite !mxE enum_rankK.
Qed.

Lemma states_codes l t :
  states (\matrix_i code l (inl i)) (\matrix_j code l (inr j)) t = code l t.
Proof. by case: t => t; rewrite /= rowK. Qed.

Lemma shares_inl l i h c :
  shares l (inl i) h c = (\sum_j G h i j * (\matrix_i code l (inl i)) j c) / \sum_j G h i j.
Proof.
rewrite mxE /share big_mkcond sum_inl /= ?sum_inl // => [|j]; last by case: ifP.
congr (_ / _); apply: eq_bigr => j _; rewrite !mxE.
by case: ifP; rewrite ?mulr1 ?mulr0.
Qed.

Lemma shares_inr l i h c :
  shares l (inr i) h c = (\sum_j G' h i j * (\matrix_i code l (inr i)) j c) / \sum_j G' h i j.
Proof.
rewrite mxE /share big_mkcond sum_inr /= ?sum_inr // => [|j]; last by case: ifP.
congr (_ / _); apply: eq_bigr => j _; rewrite !mxE.
by case: ifP; rewrite ?mulr1 ?mulr0.
Qed.

Variables (w : R -> R) (scale : R).
Hypothesis w0 : w 0 != 0.

Definition refining L : seq (layer R H width width) :=
  [seq averaging_layer w scale (refine l) | l <- iota 0 L].

Definition first_code (v : V) : 'rV[R]_width := \row_c (either x y (enum_val c) == v)%:R.

Lemma stack_refining L :
  apply_layers (refining L) G (embed first_code x) = \matrix_i code L (inl i)
  /\ apply_layers (refining L) G' (embed first_code y) = \matrix_j code L (inr j).
Proof.
elim: L => [|L [IH IH']].
  by split; apply/row_matrixP => i; rewrite !rowK; apply/rowP => c; rewrite !mxE.
have -> : refining L.+1 = rcons (refining L) (averaging_layer w scale (refine L)).
  by rewrite /refining -[in LHS]addn1 iotaD map_cat cats1.
rewrite /apply_layers !foldl_rcons -!/(apply_layers _ _ _) IH IH'.
split; apply/row_matrixP => i; rewrite !rowK -refineE; congr refine; apply/matrixP => h c;
  by rewrite mxE averaging_headE // ?shares_inl ?shares_inr.
Qed.

Lemma equal_rows_equal_types L i j :
  (forall d (fs : seq ('rV[R]_d -> 'M[R]_(H, d) -> 'rV[R]_d)) (emb : V -> 'rV[R]_d), size fs = L ->
     let Bs := [seq averaging_layer w scale f | f <- fs] in
     row i (apply_layers Bs G (embed emb x)) = row j (apply_layers Bs G' (embed emb y))) ->
  same L (inl i) (inr j).
Proof.
move=> /(_ width [seq refine l | l <- iota 0 L] first_code).
rewrite size_map size_iota -map_comp => /(_ erefl) /=.
have [eqX eqY] := stack_refining L.
by move: eqX eqY; rewrite /refining => -> ->; rewrite !rowK => /code_eq.
Qed.

(* The theorem *)
Lemma colour_refinement L i j :
  let same_rows := fun d (Bs : seq (layer R H d d)) (emb : V -> 'rV[R]_d) =>
    row i (apply_layers Bs G (embed emb x)) = row j (apply_layers Bs G' (embed emb y)) in
  (same L (inl i) (inr j) <-> forall d Bs emb, size Bs = L -> same_rows d Bs emb)
  /\ (same L (inl i) (inr j) <-> forall d (fs : seq ('rV[R]_d -> 'M[R]_(H, d) -> 'rV[R]_d)) emb,
        size fs = L -> same_rows d [seq averaging_layer w scale f | f <- fs] emb).
Proof.
move=> same_rows.
have all_same d Bs emb : same L (inl i) (inr j) -> size Bs = L -> same_rows d Bs emb.
  move=> ij sizeL; have := @agree_stack 0 d Bs _ _ (agree_embed emb).
  by rewrite add0n sizeL => /(_ _ _ ij).
split; split=> [ij d|eq_rows]; first by move=> *; exact: all_same.
- by apply: equal_rows_equal_types => d fs emb sizeL; apply: eq_rows; rewrite size_map.
- by move=> fs emb sizeL; apply: all_same; rewrite ?size_map.
- exact: equal_rows_equal_types.
Qed.

End Equal.
