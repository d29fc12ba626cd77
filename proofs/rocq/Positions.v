(* What a position table or a score bias lets one head see, and witnesses that order is seen.

   All counterexamples have a single feature that matters: weights that are zero but for one entry,
   and a column x of inputs, so that query i and key j have the score a x_i x_j. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Definitions *)

Section Definitions.
Variables (R : realFieldType) (w : R -> R) (scale : R).

(* softmax(Q K^T + B) V, where B may be -oo (None): such a key has weight 0. *)
Definition biased_weights n m (B : 'I_n -> 'I_m -> option R) (S : 'M[R]_(n, m)) : 'M[R]_(n, m) :=
  normalize (\matrix_(i, j) if B i j is Some b then w (S i j + b) else 0).

Definition biased_self_attention n d k e (B : 'I_n -> 'I_n -> option R)
    (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (X : 'M[R]_(n, d)) : 'M[R]_(n, e) :=
  biased_weights B (scores scale (X *m WQ) (X *m WK)) *m (X *m WV).

(* b + c, with -oo + c = -oo. *)
Definition shift (c : R) (b : option R) : option R := omap (fun x => x + c) b.

(* x is the largest entry of a row of biases. *)
Definition is_max m (b : 'I_m -> option R) (x : R) : Prop :=
  (exists j, b j = Some x) /\ forall j y, b j = Some y -> y <= x.

(* x is the largest entry of row i of G. *)
Definition row_max n m (G : 'M[R]_(n, m.+1)) (i : 'I_n) : R := largest (G i).

End Definitions.

(* Single-feature heads *)

Section Witness.
Variables (R : realFieldType) (w : R -> R) (scale : R).

(* The weights of a head that reads feature c alone, a times. *)
Definition reads d k (c : 'I_d) (a : R) : 'M[R]_(d, k.+1) := a *: delta_mx c ord0.

Lemma mul_readsE n d k (X : 'M[R]_(n, d)) (c : 'I_d) (a : R) i (f : 'I_k.+1) :
  (X *m reads k c a) i f = if f == ord0 then a * X i c else 0.
Proof.
rewrite /reads -scalemxAr mxE; case: (altP (f =P ord0)) => [->|/negPf ne_f0].
  rewrite mxE (bigD1 c) //= mxE !eqxx mulr1 big1 ?addr0 // => h /negPf ne_hc.
  by rewrite mxE ne_hc mulr0.
by rewrite mxE big1 ?mulr0 // => h _; rewrite mxE ne_f0 andbF mulr0.
Qed.

Lemma scores_reads n m d k (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) (c : 'I_d) (a : R) i j :
  scores scale (Q *m reads k c a) (K *m reads k c 1) i j = scale * (a * Q i c * K j c).
Proof.
rewrite mxE mxE (bigD1 ord0) //= mul_readsE [_^T _ _]mxE mul_readsE eqxx mul1r.
by rewrite big1 ?addr0 // => f /negPf ne_f0; rewrite mul_readsE ne_f0 mul0r.
Qed.

Lemma normalize_mulE n m e (G : 'M[R]_(n, m)) (V : 'M[R]_(m, e)) i f :
  (normalize G *m V) i f = (\sum_j G i j * V j f) / \sum_j G i j.
Proof. by rewrite mxE mulr_suml; apply: eq_bigr => j _; rewrite normalizeE mulrAC. Qed.

Lemma attend_reads n m d k e (Q : 'M[R]_(n, d)) (K V : 'M[R]_(m, d)) (c : 'I_d) (a : R) i :
  attend w scale (Q *m reads k c a) (K *m reads k c 1) (V *m reads e c 1) i ord0
  = (\sum_j w (scale * (a * Q i c * K j c)) * V j c) / \sum_j w (scale * (a * Q i c * K j c)).
Proof.
rewrite normalize_mulE; congr (_ / _); apply: eq_bigr => j _; rewrite mxE scores_reads //.
by rewrite mul_readsE mul1r.
Qed.

Lemma attend_unscaled n m d k e (Q : 'M[R]_(n, d)) (K V : 'M[R]_(m, d)) (c : 'I_d) (a : R) i :
  scale != 0 ->
  attend w scale (Q *m reads k c (scale^-1 * a)) (K *m reads k c 1) (V *m reads e c 1) i ord0
  = (\sum_j w (a * Q i c * K j c) * V j c) / \sum_j w (a * Q i c * K j c).
Proof.
move=> scale0; have unscale j : scale * (scale^-1 * a * Q i c * K j c) = a * Q i c * K j c.
  by rewrite !mulrA divff // mul1r.
by rewrite attend_reads; congr (_ / _); apply: eq_bigr => j _; rewrite unscale.
Qed.

(* Zero scores: the weights are those of the factors alone. *)
Lemma scores0 n m d (K : 'M[R]_(m, d)) : scores scale (0 : 'M_(n, d)) K = 0.
Proof. by rewrite /scores mul0mx scaler0. Qed.

Lemma masked_softmax0 n m (G : 'M[R]_(n, m)) : w 0 != 0 -> masked_softmax w G 0 = normalize G.
Proof.
move=> w0; apply/matrixP => i j; rewrite !normalizeE !mxE.
under eq_bigr do rewrite !mxE; by rewrite -mulr_suml -mulf_div divff ?mulr1.
Qed.

Hypothesis w_gt0 : forall x, 0 < w x.

Lemma sum_w_neq0 n (g : 'I_n.+1 -> R) : \sum_j w (g j) != 0.
Proof. by rewrite gt_eqF // sum_gt0. Qed.

Lemma sum_w_neq0_of n (i : 'I_n) (g : 'I_n -> R) : \sum_j w (g j) != 0.
Proof. by case: n i g => [[]|n] // _ g; exact: sum_w_neq0. Qed.

(* Order is seen by moving outputs: rows of the output differ, unless w is constant. *)
Lemma not_invariant n d k e (a : R) : scale != 0 -> w a != w 0 ->
  exists (WQ WK : 'M[R]_(d.+1, k.+1)) (WV : 'M[R]_(d.+1, e.+1)) (X : 'M[R]_(n.+2, d.+1)) (s : 'S_n.+2),
    self_attention w scale WQ WK WV (perm_mx s *m X) <> self_attention w scale WQ WK WV X.
Proof.
move=> scale0 ne_w.
pose c : 'I_d.+1 := ord0; pose X : 'M[R]_(n.+2, d.+1) := delta_mx ord0 c.
pose s : 'S_n.+2 := tperm ord0 (lift ord0 ord0).
exists (reads k c (scale^-1 * a)), (reads k c 1), (reads e c 1), X, s.
move=> /(congr1 (fun Z : 'M_(_, _) => Z ord0 ord0)) /esym.
rewrite /self_attention -!mulmxA attend_perm perm_mxE !attend_unscaled // tpermL.
have xE j : X j c = (j == ord0)%:R by rewrite mxE eqxx andbT.
have sumE (g : 'I_n.+2 -> R) : \sum_j g j * X j c = g ord0.
  rewrite (bigD1 ord0) //= xE mulr1 big1 ?addr0 // => j /negPf ne_j0.
  by rewrite xE ne_j0 mulr0.
have x0 : X ord0 c = 1 by rewrite xE.
have x1 : X (lift ord0 ord0) c = 0 by rewrite xE.
rewrite !sumE x1 x0 !mulr1 !mulr0 => /eqP.
rewrite eqr_div ?sum_w_neq0 // -subr_eq0 !mulr_sumr -sumrB.
rewrite (bigD1 ord0) //= x0 mul0r mulr1 [w 0 * w a]mulrC subrr add0r.
rewrite (eq_bigr (fun=> (w a - w 0) * w 0)) => [|j /negPf ne_j0].
  rewrite sumr_const cardC1 card_ord mulrn_eq0 /= mulf_eq0 subr_eq0 (negPf ne_w).
  by rewrite gt_eqF.
by rewrite xE ne_j0 mul0r mulr0 mulrBl.
Qed.

(* Keys and values are pairs: permuting one and not the other re-pairs them. *)
Lemma not_keys_alone n m d k e (a : R) : scale != 0 -> w a != w 0 ->
  exists (Q : 'M[R]_(n.+1, k.+1)) (WK : 'M[R]_(d.+1, k.+1)) (WV : 'M[R]_(d.+1, e.+1))
      (Y : 'M[R]_(m.+2, d.+1)) (s : 'S_m.+2),
    attend w scale Q (perm_mx s *m Y *m WK) (Y *m WV) <> attend w scale Q (Y *m WK) (Y *m WV)
    /\ attend w scale Q (Y *m WK) (perm_mx s *m Y *m WV) <> attend w scale Q (Y *m WK) (Y *m WV).
Proof.
move=> scale0 ne_w.
pose c : 'I_d.+1 := ord0; pose Y : 'M[R]_(m.+2, d.+1) := delta_mx ord0 c.
pose s : 'S_m.+2 := tperm ord0 (lift ord0 ord0).
pose X : 'M[R]_(n.+1, d.+1) := const_mx 1.
have X1 : X ord0 c = 1 by rewrite mxE.
have yE j : Y j c = (j == ord0)%:R by rewrite mxE eqxx andbT.
have sumE (g : 'I_m.+2 -> R) : \sum_j g j * Y j c = g ord0.
  rewrite (bigD1 ord0) //= yE mulr1 big1 ?addr0 // => j /negPf ne_j0.
  by rewrite yE ne_j0 mulr0.
have y0 : Y ord0 c = 1 by rewrite yE.
have y1 : Y (s ord0) c = 0 by rewrite tpermL yE.
pose Z := \sum_j w (a * X ord0 c * Y j c); have Z0 : Z != 0 by exact: sum_w_neq0.
have neZ : w 0 / Z <> w a / Z.
  by move/eqP; rewrite -subr_eq0 -mulrBl mulf_eq0 invr_eq0 (negPf Z0) orbF subr_eq0 eq_sym
    (negPf ne_w).
exists (X *m reads k c (scale^-1 * a)), (reads k c 1), (reads e c 1), Y, s.
split=> /(congr1 (fun T : 'M_(_, _) => T ord0 ord0)); rewrite !attend_unscaled // !sumE.
  rewrite perm_mxE y1 y0 X1 mulr0 !mulr1.
  have -> : \sum_j w (a * (perm_mx s *m Y) j c) = Z.
    by rewrite /Z -[RHS](sum_perm s); apply: eq_bigr => j _; rewrite perm_mxE X1 mulr1.
  have -> : \sum_j w (a * Y j c) = Z by apply: eq_bigr => j _; rewrite X1 mulr1.
  exact: neZ.
rewrite -/Z -[X in X / _ = _](sum_perm s).
rewrite (eq_bigr (fun j => w (a * X ord0 c * Y (s j) c) * Y j c)) => [|j _]; last first.
  by rewrite perm_mxE tpermK.
by rewrite (sumE (fun j => w (a * X ord0 c * Y (s j) c))) y1 y0 X1 mulr0 !mulr1.
Qed.

(* Position tables *)

Hypothesis w_up : forall u, 0 < u -> w 0 < w u.
Hypothesis w_down : forall u, u < 0 -> w u <= w 0.

(* Values that sum to 0, each its own key and query: outputs are not 0 where the value is not. *)
Lemma sum_w_mul_neq0 n (x : 'I_n -> R) i :
  \sum_j x j = 0 -> x i != 0 -> \sum_j w (1 * x i * x j) * x j != 0.
Proof.
move=> sum0 xi0; suff: 0 < x i * \sum_j w (1 * x i * x j) * x j.
  by apply: contraTneq => ->; rewrite mulr0 ltxx.
have -> : x i * (\sum_j w (1 * x i * x j) * x j)
    = \sum_j (w (x i * x j) - w 0) * (x i * x j).
  under [RHS]eq_bigr do rewrite mulrBl [w 0 * _]mulrA.
  rewrite sumrB -[X in _ = _ - X]mulr_sumr sum0 mulr0 subr0 mulr_sumr.
  by apply: eq_bigr => j _; rewrite mul1r mulrCA.
have term_ge0 u : 0 <= (w u - w 0) * u.
  case: (ltrgt0P u) => [u_gt0|u_lt0|->]; last by rewrite mulr0.
    by rewrite mulr_ge0 // ltW // subr_gt0 w_up.
  by rewrite mulr_le0 ?subr_le0 ?w_down // ltW.
rewrite (bigD1 i) //= ltr_paddr ?sumr_ge0 // mulr_gt0 ?subr_gt0 ?w_up //;
  by rewrite -expr2 exprn_even_gt0.
Qed.

Lemma additive_iff n d k e (s : 'S_n) (E : 'M[R]_(n, d.+1)) : scale != 0 ->
  (forall (WQ WK : 'M[R]_(d.+1, k.+1)) (WV : 'M[R]_(d.+1, e.+1)) X,
     self_attention w scale WQ WK WV (perm_mx s *m X + E)
     = perm_mx s *m self_attention w scale WQ WK WV (X + E))
  <-> perm_mx s *m E = E.
Proof.
move=> scale0; split=> [H|fixE WQ WK WV X]; last first.
  by rewrite -{1}fixE -mulmxDr /self_attention -!mulmxA attend_perm.
apply/matrixP => i c; apply/eqP; rewrite -subr_eq0; apply/negPn/negP => Dic.
pose x r := E r c - E ((s^-1)%g r) c.
have sum0 : \sum_r x r = 0 by rewrite sumrB (sum_perm _ (fun r => E r c)) subrr.
have xi : x (s i) != 0 by rewrite /x permK -[E (s i) c]perm_mxE.
have := H (reads k c (scale^-1 * 1)) (reads k c 1) (reads e c 1) (- ((perm_mx s)^T *m E)).
rewrite mulmxN mulmxA tr_perm_mx -perm_mxM mulgV perm_mx1 mul1mx addNr.
move=> /(congr1 (fun T : 'M_(_, _) => T i ord0)); rewrite perm_mxE !attend_unscaled //.
have xE r : (- (perm_mx s^-1 *m E) + E) r c = x r by rewrite mxE [X in X + _]mxE perm_mxE addrC.
rewrite big1 ?mul0r => [|j _]; last by rewrite [X in _ * X]mxE mulr0.
rewrite xE (eq_bigr (fun j => w (1 * x (s i) * x j) * x j)) => [|j _]; last by rewrite xE.
apply/eqP; rewrite eq_sym mulf_neq0 ?invr_eq0 ?sum_w_mul_neq0 //.
exact: (sum_w_neq0_of (s i)).
Qed.

End Witness.

(* Score biases *)

Section Bias.
Variables (R : realFieldType) (w : R -> R) (scale : R).

Lemma normalize_scale n m (G T : 'M[R]_(n, m)) (c : 'I_n -> R) :
  (forall i, c i != 0) -> (forall i j, T i j = c i * G i j) -> normalize T = normalize G.
Proof.
move=> c0 eqT; apply/matrixP => i j; rewrite !normalizeE; under eq_bigr do rewrite eqT.
by rewrite -mulr_sumr eqT -mulf_div divff ?mul1r.
Qed.

Section Factor.
Variables (n : nat) (s : 'S_n.+1) (G : 'M[R]_n.+1).
Local Notation P := (perm_mx s).

(* The weights commute with s as soon as G is kept up to a factor for each row. *)
Lemma factor_commutes (c : 'I_n.+1 -> R) d k e
    (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (X : 'M[R]_(n.+1, d)) :
  (forall i, c i != 0) -> (forall i j, G (s i) (s j) = c i * G i j) ->
  masked_self_attention w scale G WQ WK WV (P *m X)
  = P *m masked_self_attention w scale G WQ WK WV X.
Proof.
move=> c0 eqG; rewrite /masked_self_attention -(masked_attend_perm w scale s s) -!mulmxA /masked_attend.
congr (_ *m _); apply/esym/(normalize_scale c0) => i j.
by rewrite mxE [in RHS]mxE mulmxA conjE eqG mulrA.
Qed.

Hypothesis G_ge0 : forall i j, 0 <= G i j.
Hypothesis G_gt0 : forall i, exists j, 0 < G i j.

Lemma row_sum_gt0 i : 0 < \sum_j G i j.
Proof. by have [j ?] := G_gt0 i; rewrite (bigD1 j) //= ltr_paddr ?sumr_ge0. Qed.

Lemma row_max_gt0 i : 0 < row_max G i.
Proof.
have [j Gij] := G_gt0 i; apply: (lt_le_trans Gij).
exact: (largest_leP (G i) _ (lexx _)).
Qed.

Lemma commutes_factor d k e : w 0 != 0 ->
  (forall (WQ WK : 'M[R]_(d.+1, k)) (WV : 'M[R]_(d.+1, e.+1)) X,
     masked_self_attention w scale G WQ WK WV (P *m X)
     = P *m masked_self_attention w scale G WQ WK WV X) ->
  exists c : 'I_n.+1 -> R, (forall i, 0 < c i) /\ forall i j, G (s i) (s j) = c i * G i j.
Proof.
move=> w0 H; exists (fun i => (\sum_j G (s i) j) / \sum_j G i j).
split=> [i|i j]; first by rewrite divr_gt0 ?row_sum_gt0.
pose X : 'M[R]_(n.+1, d.+1) := delta_mx (s j) ord0.
have := H 0 0 (reads e ord0 1) X; rewrite /masked_self_attention !mulmx0 /masked_attend !scores0.
rewrite masked_softmax0 // -(mulmxA (perm_mx s) X) => /(congr1 (fun T : 'M_(_, _) => T i ord0)).
have XE r : (X *m reads e ord0 1) r ord0 = (r == s j)%:R by rewrite mul_readsE mul1r mxE andbT.
have pickE (g : 'I_n.+1 -> R) r0 : \sum_r g r * (r == r0)%:R = g r0.
  by rewrite (bigD1 r0) //= eqxx mulr1 big1 ?addr0 // => r /negPf ->; rewrite mulr0.
rewrite perm_mxE !normalize_mulE.
have -> : \sum_r G i r * (P *m (X *m reads e ord0 1)) r ord0 = G i j.
  rewrite -[RHS](pickE (G i)); apply: eq_bigr => r _.
  by rewrite perm_mxE XE (inj_eq (@perm_inj _ s)).
have -> : \sum_r G (s i) r * (X *m reads e ord0 1) r ord0 = G (s i) (s j).
  by rewrite -[RHS](pickE (G (s i))); apply: eq_bigr => r _; rewrite XE.
move=> eqA; rewrite mulrAC -mulrA eqA mulrC mulfVK // gt_eqF //; exact: row_sum_gt0.
Qed.

Lemma factor_row_max :
  (exists c : 'I_n.+1 -> R, (forall i, 0 < c i) /\ forall i j, G (s i) (s j) = c i * G i j)
  <-> forall i j, G (s i) (s j) / row_max G (s i) = G i j / row_max G i.
Proof.
split=> [[c [c_gt0 eqG]] i j|eqG]; last first.
  exists (fun i => row_max G (s i) / row_max G i); split=> [i|i j].
    by rewrite divr_gt0 ?row_max_gt0.
  by rewrite mulrAC -mulrA -eqG mulrC mulfVK // gt_eqF ?row_max_gt0.
suff -> : row_max G (s i) = c i * row_max G i.
  by rewrite eqG -mulf_div divff ?mul1r // gt_eqF.
have upper r : G r =1 G r by []; apply/le_anti/andP; split.
  apply/largest_leP => r; rewrite -[r](permKV s) eqG ler_pmul2l //.
  exact: (largest_leP (G i) _ (lexx _)).
rewrite -ler_pdivl_mull //; apply/largest_leP => r; rewrite ler_pdivl_mull // -eqG.
exact: (largest_leP (G (s i)) _ (lexx _)).
Qed.

End Factor.

(* A bias inside w, where w turns sums into products. *)
Hypothesis wD : forall x y, w (x + y) = w x * w y.
Hypothesis w_gt0 : forall x, 0 < w x.
Hypothesis w_inj : injective w.

Definition factor n m (B : 'I_n -> 'I_m -> option R) : 'M[R]_(n, m) :=
  \matrix_(i, j) if B i j is Some b then w b else 0.

Lemma biased_weightsE n m (B : 'I_n -> 'I_m -> option R) (S : 'M[R]_(n, m)) :
  biased_weights w B S = masked_softmax w (factor B) S.
Proof.
congr normalize; apply/matrixP => i j; rewrite !mxE.
by case: (B i j) => [b|]; rewrite ?mul0r // wD mulrC.
Qed.

Lemma bias_iff n d k e (s : 'S_n.+1) (B : 'I_n.+1 -> 'I_n.+1 -> option R) (top : 'I_n.+1 -> R) :
  (forall i, is_max (B i) (top i)) ->
  (forall (WQ WK : 'M[R]_(d.+1, k)) (WV : 'M[R]_(d.+1, e.+1)) X,
     biased_self_attention w scale B WQ WK WV (perm_mx s *m X)
     = perm_mx s *m biased_self_attention w scale B WQ WK WV X)
  <-> forall i j, shift (- top (s i)) (B (s i) (s j)) = shift (- top i) (B i j).
Proof.
move=> topP; split=> [H|eqB WQ WK WV X]; last first.
  rewrite /biased_self_attention !biased_weightsE.
  apply: (@factor_commutes _ _ _ (fun i => w (top (s i) - top i))) => [i|i j].
    by rewrite gt_eqF.
  rewrite !mxE; move: (eqB i j); case: (B i j) (B (s i) (s j)) => [b|] [b'|] //= ; last first.
    by rewrite mulr0.
  move=> [eqb]; rewrite -wD; congr w.
  by rewrite -[b'](subrK (top (s i))) eqb addrC addrA addrAC.
have [||||c [c_gt0 eqG]] := @commutes_factor n s (factor B) _ _ d k e.
- by move=> i j; rewrite mxE; case: (B i j) => // b; rewrite ltW.
- by move=> i; have [[j eqBij] _] := topP i; exists j; rewrite mxE eqBij.
- by rewrite gt_eqF.
- by move=> WQ WK WV X; move: (H WQ WK WV X); rewrite /biased_self_attention !biased_weightsE.
move=> i j.
have someE h b : B i h = Some b -> exists b', B (s i) (s h) = Some b' /\ w b' = c i * w b.
  move=> eqb; have := eqG i h; rewrite !mxE eqb; case: (B (s i) (s h)) => [b'|] eq0.
    by exists b'.
  by have := mulr_gt0 (c_gt0 i) (w_gt0 b); rewrite -eq0 ltxx.
have noneE h : B i h = None -> B (s i) (s h) = None.
  move=> eqb; have := eqG i h; rewrite !mxE eqb mulr0; case: (B (s i) (s h)) => // b' eq0.
  by have := w_gt0 b'; rewrite eq0 ltxx.
have [[j0 eq0] max0] := topP i; have [b1 [eq1 w1]] := someE _ _ eq0.
pose g := b1 - top i.
have cE : c i = w g.
  by apply: (@mulIf _ (w (top i))); rewrite ?gt_eqF // -w1 -wD /g subrK.
have plusE h b b' : B i h = Some b -> B (s i) (s h) = Some b' -> b' = g + b.
  move=> eqb eqb'; apply: w_inj; rewrite wD -cE.
  by have [b2 [eqb2 <-]] := someE _ _ eqb; move: eqb2; rewrite eqb' => - [->].
have topE : top (s i) = g + top i.
  have [[j1 eqj1] max1] := topP (s i); apply/le_anti/andP; split; last first.
    by rewrite -(plusE _ _ _ eq0 eq1); apply: max1 eq1.
  pose j2 := (s^-1)%g j1; have ej : s j2 = j1 by rewrite /j2 permKV.
  move: eqj1; rewrite -ej; case eqb: (B i j2) => [b|] eqj1; last first.
    by rewrite noneE in eqj1.
  by rewrite (plusE _ _ _ eqb eqj1) ler_add2l; apply: max0 eqb.
case eqb: (B i j) => [b|]; last by rewrite noneE.
have [b' [eqb' _]] := someE _ _ eqb.
by rewrite eqb' (plusE _ _ _ eqb eqb') topE /= opprD addrACA subrr add0r.
Qed.

End Bias.

