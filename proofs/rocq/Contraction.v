(* How far apart rows are after attention: averages contract, and softmax does so by at most
   tanh(osc/4), a quarter of the oscillation of the scores.

   N is any seminorm of rows, of which the Euclidean norm is one. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Definitions *)

Section Definitions.
Variable R : realFieldType.

Definition seminorm d (N : 'rV[R]_d -> R) : Prop :=
  (forall x y, N (x + y) <= N x + N y) /\ (forall a x, N (a *: x) = `|a| * N x).

(* The distance of rows i and j of X. *)
Definition apart d (N : 'rV[R]_d -> R) n (X : 'M[R]_(n, d)) (i j : 'I_n) : R :=
  N (row i X - row j X).

(* The total variation of two families of weights: half the sum of their absolute differences. *)
Definition variation (T : finType) (p q : T -> R) : R := (\sum_k `|p k - q k|) / 2%:R.

(* How much the scores of query i less those of query j vary over the keys is at most o. *)
Definition oscillates n m (S : 'M[R]_(n, m)) (i j : 'I_n) (o : R) : Prop :=
  forall k l, (S i k - S j k) - (S i l - S j l) <= o.

End Definitions.

(* Sums of squares *)

Section Squares.
Variable R : realFieldType.

Lemma cauchy_schwarz (T : finType) (a b : T -> R) :
  (\sum_k a k * b k) ^+ 2 <= (\sum_k a k ^+ 2) * (\sum_k b k ^+ 2).
Proof.
set C := \sum_k a k * b k; set A := \sum_k a k ^+ 2; set B := \sum_k b k ^+ 2.
have B_ge0 : 0 <= B by apply: sumr_ge0 => k _; exact: sqr_ge0.
have : 0 <= \sum_k (B * a k - C * b k) ^+ 2 by apply: sumr_ge0 => k _; exact: sqr_ge0.
have -> : \sum_k (B * a k - C * b k) ^+ 2 = B * (A * B - C ^+ 2).
  have each k : (B * a k - C * b k) ^+ 2
      = B ^+ 2 * a k ^+ 2 - (B * C *+ 2) * (a k * b k) + C ^+ 2 * b k ^+ 2.
    by rewrite sqrrB !exprMn [B * a k * (C * _)]mulrACA mulrnAl.
  under eq_bigr do rewrite each.
  rewrite big_split sumrB /= -!mulr_sumr -/A -/B -/C mulrnAl mulr2n -mulrA -expr2.
  by rewrite opprD addrA [C ^+ 2 * B]mulrC subrK -mulrA -mulrBr [B * A]mulrC.
have [B0 _|B_neq0] := eqVneq B 0; last by rewrite pmulr_rge0 ?lt_def ?B_neq0 // subr_ge0.
suff -> : C = 0 by rewrite B0 mulr0 expr0n.
apply: big1 => k _; suff -> : b k = 0 by rewrite mulr0.
apply/eqP; rewrite -sqrf_eq0; move: B0 => /eqP; rewrite psumr_eq0 => [/allP/(_ k)|j _].
  by rewrite mem_index_enum => /(_ isT).
exact: sqr_ge0.
Qed.

End Squares.

(* Averages *)

Section Seminorm.
Variables (R : realFieldType) (d : nat) (N : 'rV[R]_d -> R).
Hypothesis N_seminorm : seminorm N.

Lemma seminormD x y : N (x + y) <= N x + N y. Proof. by case: N_seminorm. Qed.

Lemma seminormZ a x : N (a *: x) = `|a| * N x. Proof. by case: N_seminorm. Qed.

Lemma seminorm0 : N 0 = 0. Proof. by rewrite -(scale0r 0) seminormZ normr0 mul0r. Qed.

Lemma seminormN x : N (- x) = N x. Proof. by rewrite -scaleN1r seminormZ normrN normr1 mul1r. Qed.

Lemma seminorm_ge0 x : 0 <= N x.
Proof.
have := seminormD x (- x); rewrite subrr seminorm0 seminormN -mulr2n.
by rewrite -mulr_natl pmulr_rge0 // ltr0n.
Qed.

Lemma seminorm_sum (T : finType) (v : T -> 'rV[R]_d) : N (\sum_k v k) <= \sum_k N (v k).
Proof.
elim/big_ind2: _ => // [|x a y b xa yb]; first by rewrite seminorm0.
by apply: le_trans (seminormD _ _) _; rewrite ler_add.
Qed.

Lemma seminorm_leD x y : N x <= N (x + y) + N y.
Proof. by have := seminormD (x + y) (- y); rewrite addrK seminormN. Qed.

(* Weights that add up to 0 make of rows at most half the sum of their absolute values times the
   largest distance of two rows: each pair of a positive and a negative one brings one distance. *)
Lemma seminorm_mix (T : finType) (c : T -> R) (v : T -> 'rV[R]_d) D :
  \sum_k c k = 0 -> (forall k l, N (v k - v l) <= D) ->
  N (\sum_k c k *: v k) <= (\sum_k `|c k|) / 2%:R * D.
Proof.
move=> sum0 le_D.
pose a k := Num.max (c k) 0; pose b k := Num.max (- c k) 0.
have a_ge0 k : 0 <= a k by rewrite le_maxr lexx orbT.
have b_ge0 k : 0 <= b k by rewrite le_maxr lexx orbT.
have cE k : c k = a k - b k.
  rewrite /a /b; case: (lerP 0 (c k)) => [c_ge0|c_lt0].
    by rewrite max_r ?subr0 // oppr_le0.
  by rewrite max_l ?sub0r ?opprK // oppr_ge0 ltW.
have absE k : `|c k| = a k + b k.
  rewrite /a /b; case: (lerP 0 (c k)) => [c_ge0|c_lt0].
    by rewrite max_r ?addr0 ?ger0_norm // oppr_le0.
  by rewrite max_l ?add0r ?ltr0_norm // oppr_ge0 ltW.
pose t : R := \sum_k a k.
have sum_b : \sum_k b k = t.
  apply/esym/eqP; rewrite -subr_eq0 -sumrB -{2}sum0; apply/eqP/eq_bigr => k _.
  by rewrite cE.
have -> : (\sum_k `|c k|) / 2%:R = t.
  under eq_bigr do rewrite absE.
  by rewrite big_split /= sum_b -mulr2n -[t *+ 2]mulr_natr mulfK ?pnatr_eq0.
have [t0|t_neq0] := eqVneq t 0.
  have c0 k : c k = 0.
    have zero (f : T -> R) : (forall k, 0 <= f k) -> \sum_k f k = 0 -> f k = 0.
      move=> f_ge0 /eqP; rewrite psumr_eq0 // => /allP/(_ k).
      by rewrite mem_index_enum => /(_ isT)/eqP.
    by rewrite cE (zero a) // (zero b) ?subrr // sum_b.
  by rewrite t0 mul0r big1 ?seminorm0 // => k _; rewrite c0 scale0r.
have t_gt0 : 0 < t by rewrite lt_def t_neq0 sumr_ge0.
rewrite -(ler_pmul2l t_gt0) -[X in X * N _](gtr0_norm t_gt0) -seminormZ.
have -> : t *: (\sum_k c k *: v k) = \sum_k \sum_l (a k * b l) *: (v k - v l).
  have aE : \sum_k (a k * t) *: v k = \sum_k \sum_l (a k * b l) *: v k.
    by apply: eq_bigr => k _; rewrite -sum_b mulr_sumr scaler_suml.
  have bE : \sum_l (t * b l) *: v l = \sum_k \sum_l (a k * b l) *: v l.
    by rewrite exchange_big; apply: eq_bigr => l _; rewrite mulr_suml scaler_suml.
  transitivity (\sum_k (a k * t) *: v k - \sum_l (t * b l) *: v l).
    rewrite scaler_sumr -sumrB; apply: eq_bigr => k _.
    by rewrite scalerA cE mulrBr scalerBl mulrC.
  rewrite aE bE -sumrB; apply: eq_bigr => k _.
  by rewrite -sumrB; apply: eq_bigr => l _; rewrite scalerBr.
apply: le_trans (seminorm_sum _) _.
have -> : t * (t * D) = \sum_k \sum_l (a k * b l) * D.
  rewrite mulrA -{2}sum_b /t mulr_suml mulr_suml; apply: eq_bigr => k _.
  by rewrite mulr_sumr mulr_suml.
apply: ler_sum => k _; apply: le_trans (seminorm_sum _) _; apply: ler_sum => l _.
by rewrite seminormZ ger0_norm ?mulr_ge0 // ler_wpmul2l ?mulr_ge0.
Qed.

End Seminorm.

(* Two families of weights whose ratios are within a factor s^2 of each other *)

Section Ratio.
Variables (R : realFieldType) (T : finType) (p q : T -> R) (s : R).
Hypothesis p_ge0 : forall k, 0 <= p k.
Hypothesis q_ge0 : forall k, 0 <= q k.
Hypothesis sum_p : \sum_k p k = 1.
Hypothesis sum_q : \sum_k q k = 1.
Hypothesis s_ge1 : 1 <= s.
Hypothesis ratio : forall k l, p k * q l <= s ^+ 2 * (p l * q k).

(* P and Q are the weights of one set, and u is 1 - P: (P - Q)(s + 1) <= s - 1 as 0 <= (P - s u)^2. *)
Lemma apart_of_ratio (P Q u : R) : 0 <= P -> 0 <= u -> P + u = 1 ->
  P * (1 - Q) <= s ^+ 2 * (u * Q) -> (P - Q) * (s + 1) <= s - 1.
Proof.
move=> P_ge0 u_ge0 Pu le_PQ.
have s_ge0 : 0 <= s := le_trans ler01 s_ge1.
have s2_ge1 : 1 <= s ^+ 2 by rewrite exprn_ege1.
have D_gt0 : 0 < P + s ^+ 2 * u.
  by apply: (lt_le_trans ltr01); rewrite -Pu ler_add2l ler_pemull.
have le_T : (P - Q) * (P + s ^+ 2 * u) <= (s ^+ 2 - 1) * (P * u).
  rewrite -subr_ge0; suff -> : (s ^+ 2 - 1) * (P * u) - (P - Q) * (P + s ^+ 2 * u)
      = s ^+ 2 * (u * Q) - P * (1 - Q) by rewrite subr_ge0.
  have -> : s ^+ 2 * (u * Q) = P * (s ^+ 2 * u) - (P - Q) * (s ^+ 2 * u).
    by rewrite -mulrBl opprB addrCA subrr addr0 mulrA mulrC.
  have -> : P * (1 - Q) = P * u + (P - Q) * P.
    by rewrite [(P - Q) * P]mulrC -mulrDr -Pu addrA [u + P]addrC.
  rewrite mulrBl mul1r mulrDr [s ^+ 2 * (P * u)]mulrCA !opprD !addrA.
  by rewrite addrAC [X in X - _ = _]addrAC.
have le_D : (s + 1) ^+ 2 * (P * u) <= P + s ^+ 2 * u.
  rewrite -subr_ge0; suff -> : P + s ^+ 2 * u - (s + 1) ^+ 2 * (P * u) = (P - s * u) ^+ 2 by exact: sqr_ge0.
    have -> : P + s ^+ 2 * u = (P ^+ 2 + (s * u) ^+ 2) + (s ^+ 2 + 1) * (P * u).
    transitivity (P * (P + u) + s ^+ 2 * u * (P + u)); first by rewrite Pu !mulr1.
    rewrite !mulrDr -expr2 exprMn mulrDl mul1r -!mulrA -expr2 [u * P]mulrC.
    by rewrite [s * _ + s * _]addrC addrACA [P * u + _]addrC.
  rewrite sqrrD1 sqrrB [s ^+ 2 + s *+ 2 + 1]addrAC [(_ + s *+ 2) * _]mulrDl opprD addrA addrK.
  by rewrite [in RHS]addrAC mulrnAl mulrCA.
rewrite -(ler_pmul2r D_gt0) mulrAC.
apply: le_trans (_ : _ <= (s ^+ 2 - 1) * (P * u) * (s + 1)) _.
  by rewrite ler_wpmul2r // addr_ge0 ?ler01.
have -> : (s ^+ 2 - 1) * (P * u) * (s + 1) = (s - 1) * ((s + 1) ^+ 2 * (P * u)).
  by rewrite subr_sqr_1 expr2 -!mulrA [u * (s + 1)]mulrC [P * ((s + 1) * u)]mulrCA.
by rewrite ler_wpmul2l // subr_ge0.
Qed.

Lemma variation_of_ratio : variation p q * (s + 1) <= s - 1.
Proof.
pose A := [pred k | q k <= p k].
have split (f : T -> R) : \sum_k f k = \sum_(k | A k) f k + \sum_(k | ~~ A k) f k.
  exact: bigID.
set P := \sum_(k | A k) p k; set Q := \sum_(k | A k) q k.
have outP : \sum_(k | ~~ A k) p k = 1 - P by rewrite -sum_p split addrC addKr.
have outQ : \sum_(k | ~~ A k) q k = 1 - Q by rewrite -sum_q split addrC addKr.
have -> : variation p q = P - Q.
  rewrite /variation split.
  under eq_bigr => k /= le_k do rewrite ger0_norm ?subr_ge0 //.
  under [X in _ + X]eq_bigr => k /= le_k do rewrite ler0_norm ?subr_le0 ?ltW ?ltNge // opprB.
  rewrite !sumrB -/P -/Q outP outQ opprB [1 - Q + _]addrC addrA subrK.
  by rewrite -mulr2n -[(P - Q) *+ 2]mulr_natr mulfK ?pnatr_eq0.
apply: (@apart_of_ratio P Q (1 - P)).
- exact: sumr_ge0.
- by rewrite -outP sumr_ge0.
- by rewrite addrC subrK.
rewrite -outP -outQ mulr_suml [X in _ * X]mulr_suml mulr_sumr.
have -> : \sum_(k | ~~ A k) s ^+ 2 * (p k * Q) = \sum_(k | A k) \sum_(l | ~~ A l) s ^+ 2 * (p l * q k).
  by rewrite exchange_big; apply: eq_bigr => l _; rewrite !mulr_sumr.
apply: ler_sum => k _; rewrite mulr_sumr; apply: ler_sum => l _; exact: ratio.
Qed.

End Ratio.

(* Softmax *)

Section Softmax.
Variables (R : realFieldType) (w : R -> R).
Hypothesis w_gt0 : forall x, 0 < w x.
Hypothesis wD : forall x y, w (x + y) = w x * w y.
Hypothesis w_up : forall x y, x < y -> w x < w y.

Lemma w_mono x y : x <= y -> w x <= w y.
Proof. by rewrite le_eqVlt => /orP[/eqP->|/w_up/ltW]. Qed.

Lemma w0 : w 0 = 1.
Proof. by have /mulfI := lt0r_neq0 (w_gt0 0); apply; rewrite -wD addr0 mulr1. Qed.

Lemma softmax_ge0 n m (S : 'M[R]_(n, m)) i j : 0 <= softmax w S i j.
Proof.
by rewrite normalizeE mxE divr_ge0 ?(ltW (w_gt0 _)) // sumr_ge0 // => k _; rewrite mxE ltW.
Qed.

Lemma softmax_sum n m (S : 'M[R]_(n, m)) i : (0 < m)%N -> \sum_j softmax w S i j = 1.
Proof.
case: m S => // m S _; under eq_bigr do rewrite normalizeE.
by rewrite -mulr_suml divff // gt_eqF // sum_gt0 // => k; rewrite mxE.
Qed.

(* The scores of two queries differ, over the keys, by o at most: so do the weights, by tanh (o/4). *)
Lemma softmax_variation n m (S : 'M[R]_(n, m)) i j o : (0 < m)%N -> oscillates S i j o ->
  variation (softmax w S i) (softmax w S j) * (w (o / 2%:R) + 1) <= w (o / 2%:R) - 1.
Proof.
move=> m_gt0 le_o; have o_ge0 : 0 <= o by have := le_o (Ordinal m_gt0) (Ordinal m_gt0); rewrite subrr.
apply: variation_of_ratio; try by move=> k; exact: softmax_ge0.
- exact: softmax_sum.
- exact: softmax_sum.
- by rewrite -[X in X <= _]w0 w_mono // mulr_ge0 ?invr_ge0 ?ler0n.
move=> k l; rewrite expr2 -wD -splitr !normalizeE !mxE !mulf_div mulrA.
rewrite ler_wpmul2r ?invr_ge0 ?mulr_ge0 ?sumr_ge0 // => [h _|h _|]; rewrite ?mxE ?(ltW (w_gt0 _)) //.
rewrite -!wD w_mono // addrC -ler_subl_addr opprD addrA.
by have := le_o k l; rewrite opprB [X in X <= _]addrC addrACA addrA.
Qed.

(* tanh (x/2) <= x/2 *)
Hypothesis w_tanh : forall x, 0 <= x -> w x - 1 <= x / 2%:R * (w x + 1).

Lemma softmax_variation_le n m (S : 'M[R]_(n, m)) i j o : (0 < m)%N -> oscillates S i j o ->
  variation (softmax w S i) (softmax w S j) <= o / 4%:R.
Proof.
move=> m_gt0 le_o; have := softmax_variation m_gt0 le_o; set v := o / 2%:R => le_v.
have v_ge0 : 0 <= v.
  have := le_o (Ordinal m_gt0) (Ordinal m_gt0); rewrite subrr => o_ge0.
  by rewrite mulr_ge0 ?invr_ge0 ?ler0n.
have := le_trans le_v (w_tanh v_ge0); rewrite ler_pmul2r ?addr_gt0 ?ltr01 //.
by rewrite /v -mulrA -invfM -natrM.
Qed.

(* ---- rows after attention ---- *)
Section Rows.
Variables (e : nat) (N : 'rV[R]_e -> R).
Hypothesis N_seminorm : seminorm N.

Lemma average_apart n m (A : 'M[R]_(n, m)) (V : 'M[R]_(m, e)) i j D :
  \sum_k A i k = \sum_k A j k -> (forall k l, apart N V k l <= D) ->
  apart N (A *m V) i j <= variation (A i) (A j) * D.
Proof.
move=> same le_D; rewrite /apart !row_mul !mulmx_sum_row -sumrB.
under eq_bigr do rewrite -scalerBl !mxE.
by apply: (seminorm_mix N_seminorm) => //; rewrite sumrB same subrr.
Qed.

Lemma attention_apart n m (S : 'M[R]_(n, m)) (V : 'M[R]_(m, e)) i j o D : (0 < m)%N ->
  oscillates S i j o -> (forall k l, apart N V k l <= D) ->
  apart N (softmax w S *m V) i j <= o / 4%:R * D.
Proof.
move=> m_gt0 le_o le_D; have D_ge0 : 0 <= D.
  exact: le_trans (seminorm_ge0 N_seminorm _) (le_D (Ordinal m_gt0) (Ordinal m_gt0)).
apply: (le_trans (average_apart _ le_D)); first by rewrite !softmax_sum.
by rewrite ler_wpmul2r // softmax_variation_le.
Qed.

(* Scores and values that vary by no more than the tokens do, up to factors mu and omega. *)
Section Layer.
Variables (d : nat) (N0 : 'rV[R]_d -> R) (n : nat) (X : 'M[R]_(n, d)) (S : 'M[R]_n).
Variables (V : 'M[R]_(n, e)) (mu omega s : R).
Hypothesis N0_seminorm : seminorm N0.
Hypotheses (mu_ge0 : 0 <= mu) (omega_ge0 : 0 <= omega).
Hypothesis scores_vary : forall i j k l,
  (S i k - S j k) - (S i l - S j l) <= mu * apart N0 X i j * apart N0 X k l.
Hypothesis values_vary : forall k l, apart N V k l <= omega * apart N0 X k l.
Hypothesis spread : forall k l, apart N0 X k l <= s.

Lemma layer_contracts i j :
  apart N (softmax w S *m V) i j <= mu * omega * s ^+ 2 / 4%:R * apart N0 X i j.
Proof.
have m_gt0 : (0 < n)%N := leq_ltn_trans (leq0n i) (ltn_ord i).
have a_ge0 k l : 0 <= apart N0 X k l by exact: seminorm_ge0.
apply: le_trans (attention_apart (o := mu * apart N0 X i j * s) (D := omega * s) m_gt0 _ _) _.
- by move=> k l; apply: (le_trans (scores_vary _ _ _ _)); rewrite ler_wpmul2l ?mulr_ge0.
- by move=> k l; apply: (le_trans (values_vary _ _)); rewrite ler_wpmul2l.
by rewrite expr2 !mulrA [X in X <= _](ACl (1*5*3*6*4*2)).
Qed.

Lemma layer_spread i j : apart N (softmax w S *m V) i j <= mu * omega * s ^+ 3 / 4%:R.
Proof.
have -> : mu * omega * s ^+ 3 / 4%:R = mu * omega * s ^+ 2 / 4%:R * s.
  by rewrite exprSr mulrA mulrAC.
apply: (le_trans (layer_contracts i j)).
rewrite ler_wpmul2l //; apply: mulr_ge0; last by rewrite invr_ge0 ler0n.
by rewrite mulr_ge0 ?sqr_ge0 // mulr_ge0.
Qed.

End Layer.

(* With a skip the distance of two rows changes by kappa times itself at most. *)
Lemma skip_apart n (X Z : 'M[R]_(n, e)) i j kappa : apart N Z i j <= kappa * apart N X i j ->
  (1 - kappa) * apart N X i j <= apart N (X + Z) i j <= (1 + kappa) * apart N X i j.
Proof.
move=> le_Z; have rowE : row i (X + Z) - row j (X + Z) = row i X - row j X + (row i Z - row j Z).
  by apply/rowP => f; rewrite !mxE opprD addrACA.
rewrite /apart rowE mulrBl mulrDl !mul1r; apply/andP; split.
  rewrite ler_subl_addr; apply: (le_trans (seminorm_leD N_seminorm _ (row i Z - row j Z))).
  by rewrite ler_add2l.
by apply: (le_trans (seminormD N_seminorm _ _)); rewrite ler_add2l.
Qed.

End Rows.
End Softmax.

(* Scores and values that are linear in the tokens *)

Section Linear.
Variables (R : realFieldType) (scale : R).

Definition score_form d k (WQ WK : 'M[R]_(d, k)) : 'M[R]_d := scale *: (WQ *m WK^T).

Lemma scores_linear n d k (WQ WK : 'M[R]_(d, k)) (X : 'M[R]_(n, d)) i j f g :
  let S := scores scale (X *m WQ) (X *m WK) in
  (S i f - S j f) - (S i g - S j g)
  = ((row i X - row j X) *m score_form WQ WK *m (row f X - row g X)^T) 0 0.
Proof.
move=> S; have entry a b : S a b = (row a X *m score_form WQ WK *m (row b X)^T) 0 0.
  rewrite [S a b]mxE /score_form -scalemxAr -scalemxAl [RHS]mxE; congr (_ * _).
  have -> : row a X *m (WQ *m WK^T) *m (row b X)^T = row a (X *m WQ) *m (row b (X *m WK))^T.
    by rewrite !row_mul trmx_mul !mulmxA.
  rewrite [LHS]mxE [RHS]mxE.
  by apply: eq_bigr => h _; rewrite ![in RHS]mxE ![in LHS]mxE.
rewrite !entry linearB /= mulmxBr !mulmxBl; set M := score_form _ _.
have at_0 (A B : 'M[R]_1) : (A - B) 0 0 = A 0 0 - B 0 0 by rewrite !mxE.
by rewrite !at_0 opprB addrACA.
Qed.

Lemma values_linear n d e (W : 'M[R]_(d, e)) (X : 'M[R]_(n, d)) (N : 'rV[R]_e -> R) i j :
  apart N (X *m W) i j = N ((row i X - row j X) *m W).
Proof. by rewrite /apart !row_mul -mulmxBl. Qed.

End Linear.

(* The Euclidean norm, and the root of the sum of all squares of a matrix *)

Section Euclid.
Variables (R : realFieldType) (root : R -> R).
Hypothesis rootP : forall x, 0 <= x -> 0 <= root x /\ root x * root x = x.

Definition euclid d (x : 'rV[R]_d) : R := root (\sum_k x 0 k ^+ 2).
Definition frobenius n m (M : 'M[R]_(n, m)) : R := root (\sum_i \sum_j M i j ^+ 2).

Lemma root_ge0 x : 0 <= x -> 0 <= root x. Proof. by case/rootP. Qed.

Lemma sqr_root x : 0 <= x -> root x ^+ 2 = x. Proof. by rewrite expr2; case/rootP. Qed.

Lemma root_le x y : 0 <= x -> 0 <= y -> x <= y ^+ 2 -> root x <= y.
Proof. by move=> x_ge0 y_ge0; rewrite -{1}(sqr_root x_ge0) ler_pexpn2r ?nnegrE ?root_ge0. Qed.

Lemma root_unique x y : 0 <= x -> 0 <= y -> x = y ^+ 2 -> root x = y.
Proof.
move=> x_ge0 y_ge0 xE; apply/eqP; rewrite -(@eqr_expn2 _ 2) ?root_ge0 //.
by rewrite sqr_root // xE.
Qed.

Lemma squares_ge0 (T : finType) (a : T -> R) : 0 <= \sum_k a k ^+ 2.
Proof. by apply: sumr_ge0 => k _; exact: sqr_ge0. Qed.

Lemma root_schwarz (T : finType) (a b : T -> R) :
  \sum_k a k * b k <= root (\sum_k a k ^+ 2) * root (\sum_k b k ^+ 2).
Proof.
have ge0 : 0 <= root (\sum_k a k ^+ 2) * root (\sum_k b k ^+ 2).
  by rewrite mulr_ge0 ?root_ge0 ?squares_ge0.
apply: le_trans (ler_norm _) _; rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?normr_ge0 //.
by rewrite -normrX ger0_norm ?sqr_ge0 // exprMn !sqr_root ?squares_ge0 // cauchy_schwarz.
Qed.

Lemma euclid_ge0 d (x : 'rV[R]_d) : 0 <= euclid x. Proof. exact: root_ge0 (squares_ge0 _). Qed.

Lemma sqr_euclid d (x : 'rV[R]_d) : euclid x ^+ 2 = \sum_k x 0 k ^+ 2.
Proof. exact: sqr_root (squares_ge0 _). Qed.

Lemma euclid_seminorm d : seminorm (@euclid d).
Proof.
split=> [x y|a x]; last first.
  apply: root_unique; rewrite ?squares_ge0 ?mulr_ge0 ?normr_ge0 ?euclid_ge0 //.
  rewrite exprMn sqr_euclid -normrX ger0_norm ?sqr_ge0 // mulr_sumr.
  by apply: eq_bigr => k _; rewrite mxE exprMn.
apply: root_le; rewrite ?squares_ge0 ?addr_ge0 ?euclid_ge0 //.
rewrite sqrrD !sqr_euclid; under eq_bigr do rewrite mxE sqrrD.
rewrite !big_split /= ler_add2r ler_add2l -mulr2n ler_muln2r /=.
exact: root_schwarz.
Qed.

Lemma sum_pairs n m (M : 'M[R]_(n, m)) :
  \sum_i \sum_j M i j ^+ 2 = \sum_(p : 'I_n * 'I_m) M p.1 p.2 ^+ 2.
Proof. by rewrite pair_bigA. Qed.

Lemma frobenius_ge0 n m (M : 'M[R]_(n, m)) : 0 <= frobenius M.
Proof. by rewrite root_ge0 // sum_pairs squares_ge0. Qed.

Lemma frobenius_form n m (M : 'M[R]_(n, m)) (x : 'rV_n) (y : 'rV_m) :
  (x *m M *m y^T) 0 0 <= frobenius M * euclid x * euclid y.
Proof.
have -> : (x *m M *m y^T) 0 0 = \sum_(p : 'I_n * 'I_m) M p.1 p.2 * (x 0 p.1 * y 0 p.2).
  rewrite mxE -(pair_bigA _ (fun i j => M i j * (x 0 i * y 0 j))) /= exchange_big /=.
  apply: eq_bigr => j _; rewrite !mxE mulr_suml; apply: eq_bigr => i _.
  by rewrite mulrA [M i j * _]mulrC.
apply: (le_trans (root_schwarz _ _)); rewrite -mulrA /frobenius sum_pairs.
rewrite ler_wpmul2l ?root_ge0 ?squares_ge0 //; apply: root_le.
- exact: squares_ge0.
- by rewrite mulr_ge0 ?euclid_ge0.
rewrite exprMn !sqr_euclid mulr_suml -(pair_bigA _ (fun i j => (x 0 i * y 0 j) ^+ 2)) /=.
by apply: ler_sum => i _; rewrite mulr_sumr; apply: ler_sum => j _; rewrite exprMn.
Qed.

Lemma frobenius_map n m (M : 'M[R]_(n, m)) (x : 'rV_n) :
  euclid (x *m M) <= frobenius M * euclid x.
Proof.
apply: root_le; rewrite ?squares_ge0 ?mulr_ge0 ?frobenius_ge0 ?euclid_ge0 //.
rewrite exprMn sqr_euclid sqr_root ?sum_pairs ?squares_ge0 // -sum_pairs exchange_big mulr_suml.
apply: ler_sum => j _; rewrite mxE mulrC.
apply: le_trans (cauchy_schwarz _ _) _; rewrite lexx //.
Qed.

End Euclid.

(* Layers one after another *)

Section Depth.
Variable R : realFieldType.

(* Numbers each of which is at most c times the cube of the one before, r^2 = c. *)
Lemma cubes (r : R) (s : nat -> R) : 0 <= r -> (forall l, 0 <= s l) ->
  (forall l, s l.+1 <= r ^+ 2 * s l ^+ 3) -> forall L, r * s L <= (r * s 0%N) ^+ (3 ^ L).
Proof.
move=> r_ge0 s_ge0 step; elim=> [|L IH]; first by rewrite expn0 expr1.
rewrite expnS mulnC exprM; apply: (@le_trans _ _ ((r * s L) ^+ 3)).
  by rewrite exprMn [r ^+ 3]exprS -mulrA ler_wpmul2l.
by rewrite ler_expn2r ?nnegrE ?mulr_ge0 // exprn_ge0 ?mulr_ge0.
Qed.

End Depth.
