(* Behind a layer norm, attention sees of a position table all that is not constant along rows. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention Encoder Positions Shallow WeightedMeans.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* A column of values that are their own queries and keys: not the same number b in each output *)

Section Column.
Variables (R : realFieldType) (w : R -> R).
Hypothesis w_gt0 : forall x, 0 < w x.
Hypothesis wD : forall x y, w (x + y) = w x * w y.
Hypothesis w_up : forall x y, x < y -> w x < w y.

(* Values weighed by w of themselves do not add up to 0 too, unless all are 0. *)
Lemma sum_w_self_neq0 n (h : 'I_n -> R) i :
  h i != 0 -> \sum_j h j = 0 -> \sum_j w (h j) * h j != 0.
Proof.
move=> hi sum0; have up0 x : 0 < x -> w 0 < w x := @w_up 0 x.
have down0 x : x < 0 -> w x <= w 0 by move=> /w_up /ltW.
have term_ge0 u : 0 <= (w u - w 0) * u.
  case: (ltrgt0P u) => [u_gt0|u_lt0|->]; last by rewrite mulr0.
    by rewrite mulr_ge0 ?subr_ge0 ?ltW ?up0.
  by rewrite mulr_le0 ?subr_le0 ?down0 // ltW.
have : 0 < \sum_j (w (h j) - w 0) * h j.
  rewrite (bigD1 i) //= ltr_paddr ?sumr_ge0 //.
  case: (ltrgt0P (h i)) hi => // [h_gt0|h_lt0] _; first by rewrite mulr_gt0 ?subr_gt0 ?up0.
  by rewrite nmulr_rgt0 // subr_lt0 w_up.
under eq_bigr do rewrite mulrBl; rewrite sumrB -mulr_sumr sum0 mulr0 subr0.
by apply: contraTneq => ->; rewrite ltxx.
Qed.

(* Equal weights show it; or else some query l, with which h j = g j - b adds up to 0. *)
Lemma column_seen n (g : 'I_n -> R) (b : R) i : g i != b ->
  exists a l, (\sum_j w (a * g l * g j) * g j) / (\sum_j w (a * g l * g j)) != b.
Proof.
move=> gi; pose h j := g j - b; have hi : h i != 0 by rewrite subr_eq0.
have total x l : \sum_j w (x * g l * g j) != 0.
  exact: (sum_w_neq0_of w_gt0 i (fun j => x * g l * g j)).
have apart x l : \sum_j w (x * g l * g j) * h j != 0 ->
    (\sum_j w (x * g l * g j) * g j) / (\sum_j w (x * g l * g j)) != b.
  apply: contraNneq => eq_b; under eq_bigr do rewrite mulrBr.
  by rewrite sumrB -mulr_suml -eq_b [_ * (_ / _)]mulrC divfK ?subrr.
have [sum0|sum_neq0] := eqVneq (\sum_j h j) 0; last first.
  exists 0, i; apply: apart; under eq_bigr do rewrite !mul0r.
  by rewrite -mulr_sumr mulf_neq0 // gt_eqF.
have [l gl] : exists l, g l != 0.
  apply/existsP; apply: wlog_neg => /existsPn g0; have gE j : g j = 0 by apply/eqP/negPn/g0.
  move: gi sum0; rewrite /h gE; under eq_bigr do rewrite gE sub0r.
  rewrite sumr_const card_ord eq_sym => /negPf b0 /eqP.
  by rewrite mulrn_eq0 oppr_eq0 b0 orbF -leqn0 leqNgt (leq_ltn_trans _ (ltn_ord i)).
exists (g l)^-1, l; apply: apart.
have -> : \sum_j w ((g l)^-1 * g l * g j) * h j = w b * \sum_j w (h j) * h j.
  rewrite mulr_sumr; apply: eq_bigr => j _.
  by rewrite mulVf // mul1r mulrA -wD /h [b + _]addrC subrK.
by apply: mulf_neq0; [rewrite gt_eqF | exact: sum_w_self_neq0 hi sum0].
Qed.

End Column.

(* Rows that differ by what is not constant, and their layer norms *)

Section Rows.
Variables (R : realFieldType) (root : R -> R) (eps : R).
Hypothesis rootP : square_root root.
Hypothesis eps_gt0 : 0 < eps.
Implicit Types d : nat.

Lemma variance_ge0 d (x : 'rV[R]_d) : 0 <= variance x.
Proof. by rewrite mulr_ge0 ?invr_ge0 ?ler0n // sumr_ge0 // => j _; exact: sqr_ge0. Qed.

Lemma variance_eq0 d (x : 'rV[R]_d) a b : variance x = 0 -> x 0 a = x 0 b.
Proof.
case: d x a b => [|d] x a b; first by case: a.
move=> /eqP; rewrite mulf_eq0 invr_eq0 pnatr_eq0 orbF => /eqP sum0.
have at_mean j : x 0 j = mean x.
  have /(_ j isT) /eqP := psumr_eq0P (fun j _ => sqr_ge0 (x 0 j - mean x)) sum0.
  by rewrite sqrf_eq0 subr_eq0 => /eqP.
by rewrite (at_mean a) (at_mean b).
Qed.

Lemma norm_root_neq0 d (x : 'rV[R]_d) : root (variance x + eps) != 0.
Proof. by apply: (square_root_neq0 rootP); rewrite ltr_paddl ?variance_ge0. Qed.

Lemma meanD d (x y : 'rV[R]_d) : mean (x + y) = mean x + mean y.
Proof.
by rewrite /mean -mulrDl -big_split; congr (_ / _); apply: eq_bigr => j _; rewrite mxE.
Qed.

Lemma mean0 d : mean (0 : 'rV[R]_d) = 0.
Proof. by rewrite /mean big1 ?mul0r // => j _; rewrite mxE. Qed.

Lemma sum_centred d (x : 'rV[R]_d) : \sum_j (x 0 j - mean x) = 0.
Proof.
case: d x => [|d] x; first by rewrite big_ord0.
by rewrite sumrB sumr_const card_ord -[_ *+ _]mulr_natr /mean divfK ?subrr // pnatr_eq0.
Qed.

(* One feature more in x, in which it is at its mean, adds to the variance. *)
Lemma variance_delta d (x : 'rV[R]_d) c : x 0 c = mean x ->
  variance (x + delta_mx 0 c) = variance x + variance (delta_mx 0 c : 'rV[R]_d).
Proof.
move=> at_mean; rewrite /variance meanD -[RHS]mulrDl -big_split /=; congr (_ / _).
set m := mean (delta_mx 0 c).
rewrite (eq_bigr (fun j => (x 0 j - mean x) ^+ 2 + ((delta_mx 0 c : 'rV[R]_d) 0 j - m) ^+ 2
    + 2%:R * ((x 0 j - mean x) * ((delta_mx 0 c : 'rV[R]_d) 0 j - m)))) => [|j _]; last first.
  by rewrite [(x + _) 0 j]mxE opprD addrACA sqrrD addrAC mulr_natl.
rewrite big_split /= -mulr_sumr [X in _ + _ * X](_ : _ = 0) ?mulr0 ?addr0 //.
under eq_bigr do rewrite mulrBr; rewrite sumrB -mulr_suml sum_centred mul0r subr0.
rewrite (bigD1 c) //= at_mean subrr mul0r add0r big1 // => j /negPf ne.
by rewrite mxE ne andbF mulr0.
Qed.

(* What is not constant along a row changes, beside some v, feature c of the norm. *)
Lemma norm_seen n d (gamma beta : 'rV[R]_d) (D : 'M[R]_(n, d)) c i a b :
  gamma 0 c != 0 -> D i a <> D i b ->
  let N := layer_norm root eps gamma beta in
  exists v r, N (row r D + v) 0 c != N v 0 c.
Proof.
move=> gamma0 ne_ab N.
have NE x : N x 0 c = gamma 0 c * ((x 0 c - mean x) / root (variance x + eps)) + beta 0 c.
  by rewrite mxE.
have [/existsP[r seen]|/existsPn same] := boolP [exists r, row r D 0 c != mean (row r D)].
  exists 0, r; rewrite addr0 !NE [(0 : 'rV_d) 0 c]mxE mean0 subrr mul0r mulr0 add0r.
  rewrite -subr_eq0 addrK !mulf_neq0 ?invr_eq0 ?norm_root_neq0 // subr_eq0 //.
pose x : 'rV[R]_d := row i D; pose v : 'rV[R]_d := delta_mx 0 c.
have at_mean : x 0 c = mean x by apply/eqP/negPn/same.
exists v, i; rewrite !NE -/x variance_delta // meanD [(x + v) 0 c]mxE.
rewrite at_mean opprD addrACA subrr add0r (inj_eq (addIr _)) (inj_eq (mulfI gamma0)).
have apart : v 0 c - mean v != 0.
  have sum1 : \sum_j v 0 j = 1.
    by rewrite (bigD1 c) //= mxE !eqxx big1 ?addr0 // => j /negPf ne; rewrite mxE ne andbF.
  rewrite /mean sum1 mxE !eqxx subr_eq0 eq_sym mul1r invr_eq1 -[1]/(1%:R) eqr_nat.
  by apply: contra_notN ne_ab => /eqP d1; congr (D i _); apply/val_inj;
    case: (d) d1 a b => [|[]] // _ {}a {}b; rewrite !ord1.
rewrite (inj_eq (mulfI apart)) (inj_eq invr_inj); apply: contra_notN ne_ab => /eqP same_root.
have both_gt0 : 0 < variance x + variance v + eps by rewrite ltr_paddl ?addr_ge0 ?variance_ge0.
have v_gt0 : 0 < variance v + eps by rewrite ltr_paddl ?variance_ge0.
have [_ left] := rootP (ltW both_gt0); have [_ right] := rootP (ltW v_gt0).
move: left; rewrite -/v same_root right => /eqP; rewrite (inj_eq (addIr _)) eq_sym.
rewrite -subr_eq0 addrK => /eqP /(variance_eq0 a b); by rewrite !mxE.
Qed.

End Rows.

Section Table.
Variables (R : realFieldType) (w root : R -> R) (scale eps : R).
Hypothesis w_gt0 : forall x, 0 < w x.
Hypothesis wD : forall x y, w (x + y) = w x * w y.
Hypothesis w_up : forall x y, x < y -> w x < w y.
Hypothesis rootP : square_root root.
Hypothesis eps_gt0 : 0 < eps.
Hypothesis scale0 : scale != 0.
Variables (n d : nat) (s : 'S_n) (gamma beta : 'rV[R]_d) (E : 'M[R]_(n, d)).
Let N (X : 'M[R]_(n, d)) : 'M[R]_(n, d) := row_wise (layer_norm root eps gamma beta) X.

(* Tokens for which P X + E is v in each row: on one side all rows are the norm of v, on the other
   those of v + E - P^T E. *)
Lemma normed_table_seen k e c i a b :
  gamma 0 c != 0 -> (perm_mx s *m E - E) i a <> (perm_mx s *m E - E) i b ->
  exists (WQ WK : 'M[R]_(d, k.+1)) (WV : 'M[R]_(d, e.+1)) (X : 'M[R]_(n, d)),
    self_attention w scale WQ WK WV (N (perm_mx s *m X + E))
    <> perm_mx s *m self_attention w scale WQ WK WV (N (X + E)).
Proof.
move=> gamma0 changed; pose P : 'M[R]_n := perm_mx s.
have [v [r seen]] := norm_seen rootP eps_gt0 beta gamma0 changed.
pose V : 'M[R]_(n, d) := \matrix_(_, j) v 0 j; pose X := perm_mx s^-1 *m (V - E).
have PX : P *m X + E = V by rewrite /P mulmxA -perm_mxM mulgV perm_mx1 mul1mx subrK.
have XE j f : X j f = v 0 f - E ((s^-1)%g j) f by rewrite perm_mxE !mxE.
have DE j f : (P *m E - E) j f = E (s j) f - E j f by rewrite mxE perm_mxE [X in _ + X]mxE.
have rowX j : row j (X + E) = row ((s^-1)%g j) (P *m E - E) + v.
  apply/rowP => f; rewrite [LHS]mxE [LHS]mxE XE [RHS]mxE [X in _ = X + _]mxE DE permKV.
  by rewrite addrC addrA [RHS]addrAC.
pose g j := N (X + E) j c; pose y := layer_norm root eps gamma beta v 0 c.
have gE j : g j = layer_norm root eps gamma beta (row ((s^-1)%g j) (P *m E - E) + v) 0 c.
  by rewrite /g /N /row_wise mxE rowX.
have g_seen : g (s r) != y by rewrite gE permK.
have NV j : N V j c = y by rewrite /N /row_wise mxE; congr (layer_norm _ _ _ _ _ 0 c);
  apply/rowP => f; rewrite !mxE.
have [x [l differ]] := column_seen w_gt0 wD w_up g_seen.
exists (reads k c (scale^-1 * x)), (reads k c 1), (reads e c 1), X.
move=> /(congr1 (fun T : 'M_(_, _) => T ((s^-1)%g l) ord0)); rewrite PX perm_mxE permKV.
rewrite !attend_unscaled // => same; case/eqP: differ; rewrite -[LHS]/(_ / _) -same.
under eq_bigr do rewrite !NV; under [X in _ / X]eq_bigr do rewrite !NV.
rewrite -mulr_suml mulrAC divff ?mul1r //; exact: (sum_w_neq0_of w_gt0 l).
Qed.

End Table.

(* The same of tables and weights as functions of their indices, as the claims have them *)

Section Entries.
Variables (R : realFieldType) (w root : R -> R) (n d : nat) (gamma beta : 'I_d -> R) (eps : R).

Definition normed (y : 'I_n -> 'I_d -> R) f j :=
  let mean (x : 'I_d -> R) := (\sum_c x c) / d%:R in
  let var (x : 'I_d -> R) := (\sum_c (x c - mean x) * (x c - mean x)) / d%:R in
  gamma f * ((y j f - mean (y j)) / root (var (y j) + eps)) + beta f.

Lemma normedE (Y : 'M[R]_(n, d)) (y : 'I_n -> 'I_d -> R) j f : (forall j f, Y j f = y j f) ->
  row_wise (layer_norm root eps (\row_c gamma c) (\row_c beta c)) Y j f = normed y f j.
Proof.
move=> eqY; have meanE : mean (row j Y) = (\sum_c y j c) / d%:R.
  by rewrite /mean; congr (_ / _); apply: eq_bigr => c _; rewrite mxE eqY.
have varE : variance (row j Y) = (\sum_c (y j c - (\sum_c y j c) / d%:R)
    * (y j c - (\sum_c y j c) / d%:R)) / d%:R.
  by rewrite /variance meanE; congr (_ / _); apply: eq_bigr => c _; rewrite mxE eqY expr2.
by rewrite [LHS]mxE [LHS]mxE meanE varE !mxE eqY.
Qed.

Lemma normed_table_shown k e (s : 'S_n) (E : 'I_n -> 'I_d -> R) c i a b :
  square_root root -> exponential w -> (0 < k)%N -> (0 < e)%N -> 0 < eps -> gamma c <> 0 ->
  E (s i) a - E i a <> E (s i) b - E i b ->
  exists (X : 'I_n -> 'I_d -> R) (WQ WK : 'I_d -> 'I_k -> R) (WV : 'I_d -> 'I_e -> R),
  let factor (y : 'I_d -> 'I_n -> R) i j :=
    w ((\sum_l (\sum_f y f i * WQ f l) * (\sum_f y f j * WK f l)) / root k%:R) in
  let head y i r := \sum_j factor y i j / (\sum_j factor y i j) * (\sum_f y f j * WV f r) in
  exists i r, head (normed (fun j f => X (s j) f + E j f)) i r
    <> head (normed (fun j f => X j f + E j f)) (s i) r.
Proof.
case: k e => [|k] [|e] // rootP [w_gt0 wD w_up _] _ _ eps_gt0 /eqP gamma0 changed.
pose Em : 'M[R]_(n, d) := \matrix_(j, f) E j f; pose gain : 'rV[R]_d := \row_f gamma f.
have EE j f : (perm_mx s *m Em - Em) j f = E (s j) f - E j f.
  by rewrite mxE perm_mxE [X in _ + X]mxE !mxE.
have gain0 : gain 0 c != 0 by rewrite mxE.
have scale0 : (root k.+1%:R)^-1 != 0 by rewrite invr_eq0 (square_root_neq0 rootP) ?ltr0Sn.
rewrite -!EE in changed.
have [WQ [WK [WV [X /matrix_differ[j [r]]]]]] :=
  normed_table_seen w_gt0 wD w_up rootP eps_gt0 scale0 (\row_f beta f) k e gain0 changed.
rewrite perm_mxE => ne; exists (fun j f => X j f), (fun f l => WQ f l), (fun f l => WK f l).
exists (fun f l => WV f l) => factor head; exists j, r; apply: (differ ne).
  by apply: self_attentionE => l f; apply: normedE => {}l {}f; rewrite mxE perm_mxE !mxE.
by apply: self_attentionE => l f; apply: normedE => {}l {}f; rewrite !mxE.
Qed.

End Entries.
