(* A causal mask: one layer does not see the order of the past, two layers do. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention Encoder Positions.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Definitions *)

Section Definitions.
Variables (R : realFieldType) (w : R -> R) (scale : R).

(* Token i sees the tokens j <= i. *)
Definition causal_mask n : 'M[R]_n := \matrix_(i, j) ((j <= i)%N)%:R.

Definition causal_self_attention n d k e (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e))
    (X : 'M[R]_(n, d)) : 'M[R]_(n, e) :=
  masked_self_attention w scale (causal_mask n) WQ WK WV X.

(* One layer of uniform causal attention, W_Q = 0 and W_V = 1: every token averages its past. *)
Definition causal_average n d k (WK : 'M[R]_(d, k)) (X : 'M[R]_(n, d)) : 'M[R]_(n, d) :=
  causal_self_attention 0 WK 1%:M X.

(* (1/n) sum_(i >= j) 1/i, with n.+1 tokens counted from 0. *)
Definition two_layer_weight n (j : 'I_n.+1) : R :=
  n.+1%:R^-1 * \sum_(i < n.+1 | (j <= i)%N) i.+1%:R^-1.

End Definitions.
Arguments two_layer_weight R n j : clear implicits.

(* The last token sees all: its row is that of unmasked attention *)

Section Last.
Variables (R : realFieldType) (w : R -> R) (scale : R).

Lemma row_masked_attend n m d e (G G' : 'M[R]_(n, m)) (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d))
    (V : 'M[R]_(m, e)) i :
  (forall j, G i j = G' i j) ->
  row i (masked_attend w scale G Q K V) = row i (masked_attend w scale G' Q K V).
Proof.
move=> eqG; rewrite /masked_attend !row_mul; congr (_ *m _); apply/rowP => j.
rewrite [LHS]mxE [RHS]mxE !normalizeE; congr (_ / _); first by rewrite [LHS]mxE [RHS]mxE eqG.
by apply: eq_bigr => h _; rewrite [LHS]mxE [RHS]mxE eqG.
Qed.

Lemma row_multi_head d e p n m (H : head_weights R d e p) (G G' : 'M[R]_(n, m))
    (X : 'M[R]_(n, d)) (Y : 'M[R]_(m, e)) i :
  (forall j, G i j = G' i j) ->
  row i (multi_head w scale H G X Y) = row i (multi_head w scale H G' X Y).
Proof.
move=> eqG; rewrite [LHS]row_mul [RHS]row_mul [in LHS]row_mxrow row_mxrow.
apply: (congr1 (mulmx^~ (WO H))); by apply: eq_mxrow => a; apply: row_masked_attend.
Qed.

(* A row of a row-wise map, or of a sum, depends on the same rows alone. *)
Lemma row_wise_row n d e (f : 'rV[R]_d -> 'rV[R]_e) (X Y : 'M[R]_(n, d)) i :
  row i X = row i Y -> row i (row_wise f X) = row i (row_wise f Y).
Proof. by rewrite !rowK => ->. Qed.

Lemma add_row n d (X X' Y Y' : 'M[R]_(n, d)) i :
  row i X = row i X' -> row i Y = row i Y' -> row i (X + Y) = row i (X' + Y').
Proof.
move=> /rowP eqX /rowP eqY; apply/rowP => j; move: (eqX j) (eqY j).
by rewrite !mxE => -> ->.
Qed.

Lemma row_apply_block d n (B : block R d) (G G' : 'M[R]_n) (X : 'M[R]_(n, d)) i :
  (forall j, G i j = G' i j) ->
  row i (apply_block w scale B G X) = row i (apply_block w scale B G' X).
Proof.
move=> eqG; rewrite /apply_block; case: (pre_norm B).
  have eqY := add_row (erefl (row i X)) (row_multi_head (weights B)
    (row_wise (norm1 B) X) (row_wise (norm1 B) X) eqG).
  exact: (add_row eqY (row_wise_row _ (row_wise_row _ eqY))).
have eqY := row_wise_row (norm1 B)
  (add_row (erefl (row i X)) (row_multi_head (weights B) X X eqG)).
exact: (row_wise_row _ (add_row eqY (row_wise_row _ eqY))).
Qed.

(* Kept folded: to compare two blocks by unfolding them takes minutes. *)
Opaque apply_block.

Lemma causal_last d n (B : block R d) (s : 'S_n.+1) (X : 'M[R]_(n.+1, d)) :
  s ord_max = ord_max ->
  row ord_max (apply_block w scale B (causal_mask R n.+1) (perm_mx s *m X))
  = row ord_max (apply_block w scale B (causal_mask R n.+1) X).
Proof.
move=> fix_last; have all_seen j : causal_mask R n.+1 ord_max j = (const_mx 1 : 'M[R]_n.+1) ord_max j.
  by rewrite !mxE -ltnS ltn_ord.
have step Z := row_apply_block B Z all_seen.
have := apply_block_perm w scale s B (const_mx 1) X; rewrite conj_const => moved.
have first := step (perm_mx s *m X); have last := esym (step X).
have middle := congr1 (row ord_max) moved.
have kept := row_perm_mx s (apply_block w scale B (const_mx 1) X) ord_max.
rewrite fix_last in kept.
exact: (etrans first (etrans middle (etrans kept last))).
Qed.

End Last.

(* Uniform causal attention *)

Section Uniform.
Variables (R : realFieldType) (w : R -> R) (scale : R).
Hypothesis w0 : w 0 != 0.

Lemma causal_sum n (i : 'I_n) : \sum_j causal_mask R n i j = i.+1%:R.
Proof.
rewrite (eq_bigr (fun j : 'I_n => if (j < i.+1)%N then 1 else 0)) => [|j _]; last first.
  by rewrite mxE ltnS; case: (_ <= _)%N.
by rewrite -big_mkcond -(big_ord_widen n (fun=> 1)) // sumr_const card_ord.
Qed.

Lemma causal_averageE n d k (WK : 'M[R]_(d, k)) (X : 'M[R]_(n, d)) i f :
  causal_average w scale WK X i f = (\sum_j causal_mask R n i j * X j f) / i.+1%:R.
Proof.
rewrite /causal_average /causal_self_attention /masked_self_attention mulmx0 mulmx1.
by rewrite /masked_attend scores0 masked_softmax0 // normalize_mulE causal_sum.
Qed.

Lemma two_layers n d k (WK : 'M[R]_(d, k)) (X : 'M[R]_(n.+1, d)) f :
  causal_average w scale WK (causal_average w scale WK X) ord_max f
  = \sum_j two_layer_weight R n j * X j f.
Proof.
rewrite causal_averageE mulr_suml.
rewrite (eq_bigr (fun i : 'I_n.+1 =>
    \sum_(j < n.+1) n.+1%:R^-1 * ((if (j <= i)%N then i.+1%:R^-1 else 0) * X j f))) => [|i _]; last first.
  rewrite mxE -ltnS ltn_ord mul1r causal_averageE mulr_suml mulr_suml.
  apply: eq_bigr => j _; rewrite mxE mulrC; congr (_ * _).
  by case: (_ <= _)%N; rewrite ?mul0r // mul1r mulrC.
rewrite exchange_big; apply: eq_bigr => j _ /=.
by rewrite /two_layer_weight -mulr_sumr -mulr_suml mulrA [in RHS]big_mkcond.
Qed.

Lemma two_layer_weight_decreases n (j j' : 'I_n.+1) :
  (j < j')%N -> two_layer_weight R n j' < two_layer_weight R n j.
Proof.
move=> lt_j; rewrite /two_layer_weight ltr_pmul2l ?invr_gt0 ?ltr0Sn //.
rewrite [X in _ < X](bigID (fun i : 'I_n.+1 => (j' <= i)%N)) /=.
rewrite [X in _ < X + _](eq_bigl (fun i : 'I_n.+1 => (j' <= i)%N)) => [|i]; last first.
  by case: (leqP j' i) => [le_i|_]; rewrite ?andbF // (leq_trans (ltnW lt_j)).
rewrite ltr_addl (bigD1 j) /=; last by rewrite leqnn -ltnNge.
by rewrite ltr_paddr ?invr_gt0 ?ltr0Sn // sumr_ge0 // => i _; rewrite invr_ge0 ler0n.
Qed.

(* One unit at the first token, moved to the second: two layers tell the last token. *)
Lemma two_layers_see n d k (WK : 'M[R]_(d.+1, k)) :
  exists (s : 'S_n.+3) (X : 'M[R]_(n.+3, d.+1)), s ord_max = ord_max /\
    row ord_max (causal_average w scale WK (causal_average w scale WK (perm_mx s *m X)))
    <> row ord_max (causal_average w scale WK (causal_average w scale WK X)).
Proof.
pose j1 : 'I_n.+3 := lift ord0 ord0.
exists (tperm ord0 j1), (delta_mx ord0 ord0); split; first by rewrite tpermD.
move=> /(congr1 (fun r : 'rV_(_) => r ord0 ord0)); rewrite [LHS]mxE [RHS]mxE !two_layers.
have pick (s : 'S_n.+3) :
    \sum_j two_layer_weight R _ j * (perm_mx s *m delta_mx ord0 ord0 : 'M_(_, d.+1)) j ord0
    = two_layer_weight R _ ((s^-1)%g ord0).
  rewrite (bigD1 ((s^-1)%g ord0)) //= perm_mxE permKV mxE !eqxx mulr1 big1 ?addr0 // => j ne_j.
  rewrite perm_mxE mxE andbT; case: eqP => [eq_sj|]; last by rewrite mulr0.
  by rewrite -eq_sj permK eqxx in ne_j.
have := pick 1%g; rewrite perm_mx1 mul1mx invg1 perm1 => ->; rewrite pick tpermV tpermL => eq_w.
by have := @two_layer_weight_decreases n.+2 ord0 j1 isT; rewrite eq_w ltxx.
Qed.

(* One layer is not equivariant either: the first row sees itself alone. *)
Lemma one_layer_moves n d k (WK : 'M[R]_(d.+1, k)) :
  exists (s : 'S_n.+3) (X : 'M[R]_(n.+3, d.+1)), s ord_max = ord_max /\
    causal_average w scale WK (perm_mx s *m X) <> perm_mx s *m causal_average w scale WK X.
Proof.
pose j1 : 'I_n.+3 := lift ord0 ord0.
exists (tperm ord0 j1), (delta_mx ord0 ord0); split; first by rewrite tpermD.
move=> /(congr1 (fun Z : 'M_(_, _) => Z ord0 ord0)); rewrite perm_mxE tpermL !causal_averageE.
rewrite big1 ?mul0r => [|j _]; last first.
  rewrite mxE perm_mxE leqn0; case: eqP => [j0|]; last by rewrite mul0r.
  have -> : j = ord0 by exact: val_inj.
  by rewrite tpermL mxE mulr0.
rewrite (bigD1 ord0) //= big1 ?addr0 => [|j /negPf ne_j]; last by rewrite [X in _ * X]mxE ne_j mulr0.
rewrite !mxE !eqxx mulr1 mul1r => /esym/eqP; rewrite invr_eq0 pnatr_eq0 //.
Qed.

Lemma inv_frac a b : a.+1%:R^-1 = b.+1%:R / (a.+1 * b.+1)%:R :> R.
Proof. by rewrite natrM invfM mulrCA divff ?mulr1 // pnatr_eq0. Qed.

Lemma three_tokens : two_layer_weight R 2 ord0 = 11%:R / 18%:R
  /\ two_layer_weight R 2 (lift ord0 ord0) = 5%:R / 18%:R.
Proof.
have e1 : 1%:R^-1 = 6%:R / 6%:R :> R := inv_frac 0 5.
have e2 : 2%:R^-1 = 3%:R / 6%:R :> R := inv_frac 1 2.
have e3 : 3%:R^-1 = 2%:R / 6%:R :> R := inv_frac 2 1.
have third a : 2%:R / 6%:R * (a%:R / 6%:R) = a%:R / 18%:R :> R.
  by rewrite -e3 mulrCA -invfM -natrM.
rewrite /two_layer_weight; split; rewrite big_mkcond !big_ord_recl big_ord0 /= addr0 ?add0r /bump /=.
  by rewrite e1 e2 e3 -!mulrDl -!natrD third.
by rewrite e2 e3 -!mulrDl -!natrD third.
Qed.

End Uniform.
