(* The theorems at the real exponential: w = exp and, where the scale matters, scale = 1/sqrt d.

   R is any type of real numbers of MathComp Analysis.  Of exp is used that it is positive, strictly
   increasing and turns sums into products, so what the general theorems ask of w is gone here.
   Classical logic comes in with the reals: `Print Assumptions` names the axioms. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix interval.
From mathcomp.analysis Require Import reals topology normedtype derive sequences exp trigo.
From orderproof Require Import Attention Encoder Positions Causal Headlines Shallow.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory numFieldNormedType.Exports.
Local Open Scope ring_scope.

Opaque multi_head pre_norm_block post_norm_block apply_block encoder.

(* Definitions *)

(* 1/sqrt d for keys of width d = k + 1 *)
Definition inv_sqrt_width (R : realType) k : R := (Num.sqrt k.+1%:R)^-1.

Section Exponential.
Variable R : realType.
Implicit Types x : R.

Lemma inv_sqrt_width_neq0 k : inv_sqrt_width R k != 0.
Proof. by rewrite invr_eq0 gt_eqF // sqrtr_gt0 ltr0Sn. Qed.

Lemma exp_pos x : 0 < expR x. Proof. exact: expR_gt0. Qed.

Lemma exp0_neq0 : expR 0 != 0 :> R. Proof. by rewrite gt_eqF ?exp_pos. Qed.

Lemma exp_up x : 0 < x -> expR 0 < expR x. Proof. by rewrite ltr_expR. Qed.

Lemma exp_down x : x < 0 -> expR x <= expR 0. Proof. by rewrite ler_expR => /ltW. Qed.

Lemma exp_not_constant : exists a : R, expR a != expR 0.
Proof. by exists 1; rewrite gt_eqF // ltr_expR ltr01. Qed.

(* tanh (x/2) <= x/2, from exp x - 1 <= x exp x: at x/2^m, with an error that falls with m. *)
Lemma exp_below_slope x : 0 <= x -> expR x - 1 <= x * expR x.
Proof.
move=> x_ge0; have [|c in_0x] := @MVT_segment R expR expR 0 x x_ge0.
  by apply/continuous_subspaceT => y; exact: continuous_expR.
rewrite expR0 subr0 => ->; rewrite mulrC ler_wpmul2l // ler_expR.
by move: in_0x; rewrite in_itv /= => /andP[].
Qed.

Lemma exp_halves m x : 0 <= x ->
  2%:R * (expR x - 1) <= x * (expR x + 1) + x / 2%:R ^+ m * (expR x - 1).
Proof.
elim: m x => [|m IH] x x_ge0.
  rewrite expr0 divr1 -mulrDr addrACA addrN addr0 -mulr2n mulrnAr mulr_natl ler_muln2r.
  exact: exp_below_slope.
have h_ge0 : 0 <= x / 2%:R by rewrite mulr_ge0 ?invr_ge0 ?ler0n.
have a1_ge0 : 0 <= expR (x / 2%:R) + 1 by rewrite addr_ge0 ?ler01 // ltW ?exp_pos.
have := ler_wpmul2r a1_ge0 (IH _ h_ge0).
have -> : expR x = expR (x / 2%:R) ^+ 2 by rewrite expr2 -expRD -splitr.
set a := expR (x / 2%:R).
have -> : 2%:R * (a - 1) * (a + 1) = 2%:R * (a ^+ 2 - 1) by rewrite subr_sqr_1 mulrA.
have -> : (x / 2%:R * (a + 1) + x / 2%:R / 2%:R ^+ m * (a - 1)) * (a + 1)
    = x / 2%:R * (a + 1) ^+ 2 + x / 2%:R ^+ m.+1 * (a ^+ 2 - 1).
  by rewrite mulrDl expr2 subr_sqr_1 exprS invfM !mulrA.
move=> le_a; apply: (le_trans le_a); rewrite ler_add2r -!mulrA ler_wpmul2l //.
rewrite ler_pdivr_mull ?ltr0n // -subr_ge0.
suff -> : 2%:R * (a ^+ 2 + 1) - (a + 1) ^+ 2 = (a - 1) ^+ 2 by exact: sqr_ge0.
by rewrite mulr_natl mulr2n sqrrD1 sqrrB1 [_ + _ *+ 2 + 1]addrAC opprD addrA addrK addrAC.
Qed.

Lemma exp_tanh x : 0 <= x -> expR x - 1 <= x / 2%:R * (expR x + 1).
Proof.
move=> x_ge0; rewrite -(ler_pmul2l (ltr0Sn _ 1)) !mulrA [2%:R * x]mulrC mulfK ?pnatr_eq0 //.
rewrite leNgt; apply/negP; rewrite -subr_gt0; set gap := _ - _ => gap_gt0.
pose err := x * (expR x - 1).
have err_ge0 : 0 <= err / gap.
  rewrite mulr_ge0 ?invr_ge0 ?(ltW gap_gt0) // mulr_ge0 // subr_ge0.
  by apply: le_trans (expR_ge1Dx x_ge0); rewrite ler_addl.
pose m := Num.bound (err / gap).
have : err / gap < 2%:R ^+ m.
  by apply: (lt_trans (archi_boundP err_ge0)); rewrite -natrX ltr_nat ltn_expl.
apply/negP; rewrite ltr_pdivr_mulr // -leNgt -ler_pdivl_mull ?exprn_gt0 ?ltr0n //.
have := exp_halves m x_ge0; rewrite -ler_subl_addl -/gap => le_gap.
by apply: (le_trans le_gap); rewrite /err mulrA [_^-1 * x]mulrC.
Qed.

End Exponential.

(* What the propositions of the claims ask of exp, of the root, of cos and sin, the real ones have;
   and so has the exponential to base 2. *)
(* real: functions *)
Theorem real_functions (R : realType) :
  [/\ exponential (@expR R), exponential (fun x : R => expR (x * ln 2%:R)),
      square_root (@Num.sqrt R) & circular (@cos R) (@sin R)].
Proof.
have ln2_gt0 : 0 < ln 2%:R :> R by rewrite ln_gt0 // ltr1n.
have ln2_le1 : ln 2%:R <= 1 :> R by have := @le_ln1Dx R 1 ler01; rewrite -mulr2n.
split.
- by split; [exact: exp_pos | exact: expRD | move=> x y; rewrite ltr_expR | exact: exp_tanh].
- split=> [x|x y|x y|x x_ge0]; first exact: exp_pos; first by rewrite mulrDl expRD.
    by rewrite ltr_expR ltr_pmul2r.
  apply: le_trans (exp_tanh (mulr_ge0 x_ge0 (ltW ln2_gt0))) _.
  apply: ler_wpmul2r; first by rewrite addr_ge0 ?ler01 // ltW ?exp_pos.
  by apply: ler_wpmul2r; rewrite ?invr_ge0 ?ler0n // ler_pimulr.
- by move=> x x_ge0; split; [exact: sqrtr_ge0 | rewrite -expr2 sqr_sqrtr].
split=> [x|x y|x y]; first by rewrite -!expr2 cos2Dsin2.
  exact: cosD.
by rewrite sinD.
Qed.

(* real: softmax_conjugate *)
Theorem real_softmax_conjugate (R : realType) n m (s : 'S_n) (t : 'S_m.+1) (S : 'M[R]_(n, m.+1)) :
  softmax expR (perm_mx s *m S *m (perm_mx t)^T) = perm_mx s *m softmax expR S *m (perm_mx t)^T
  /\ (forall i j, 0 < softmax expR S i j)
  /\ forall i, \sum_j softmax expR S i j = 1.
Proof. by have [conj /(_ (@exp_pos R) isT)] := softmax_conjugate expR s t S. Qed.

(* real: self_attention_equivariant *)
Theorem real_self_attention_equivariant (R : realType) n d k e (s : 'S_n)
    (WQ WK : 'M[R]_(d, k.+1)) (WV : 'M[R]_(d, e)) (X : 'M[R]_(n, d)) :
  self_attention expR (inv_sqrt_width R k) WQ WK WV (perm_mx s *m X)
  = perm_mx s *m self_attention expR (inv_sqrt_width R k) WQ WK WV X.
Proof. exact: self_attention_equivariant. Qed.

(* real: not_invariant_self_attention *)
Theorem real_not_invariant_self_attention (R : realType) n d k e :
  exists (WQ WK : 'M[R]_(d.+1, k.+1)) (WV : 'M[R]_(d.+1, e.+1)) (X : 'M[R]_(n.+2, d.+1))
      (s : 'S_n.+2),
    self_attention expR (inv_sqrt_width R k) WQ WK WV (perm_mx s *m X)
    <> self_attention expR (inv_sqrt_width R k) WQ WK WV X.
Proof.
exact: (not_invariant_self_attention _ _ _ _ (@exp_pos R) (exp_not_constant R)
  (inv_sqrt_width_neq0 R k)).
Qed.

(* real: not_cross_attention_of_keys_alone *)
Theorem real_not_cross_attention_of_keys_alone (R : realType) n m d k e :
  exists (Q : 'M[R]_(n.+1, k.+1)) (WK : 'M[R]_(d.+1, k.+1)) (WV : 'M[R]_(d.+1, e.+1))
      (Y : 'M[R]_(m.+2, d.+1)) (s : 'S_m.+2),
    let out := attend expR (inv_sqrt_width R k) Q in
    out (perm_mx s *m Y *m WK) (Y *m WV) <> out (Y *m WK) (Y *m WV)
    /\ out (Y *m WK) (perm_mx s *m Y *m WV) <> out (Y *m WK) (Y *m WV).
Proof.
exact: (not_cross_attention_of_keys_alone _ _ _ _ _ (@exp_pos R) (exp_not_constant R)
  (inv_sqrt_width_neq0 R k)).
Qed.

(* real: encoder_equivariant *)
Theorem real_encoder_equivariant (R : realType) (scale : R) n d (s : 'S_n) (Bs : seq (block R d))
    (X : 'M[R]_(n, d)) :
  encoder expR scale Bs (const_mx 1) (perm_mx s *m X)
  = perm_mx s *m encoder expR scale Bs (const_mx 1) X.
Proof. exact: encoder_equivariant. Qed.

(* real: additive_position_iff *)
Theorem real_additive_position_iff (R : realType) n d k e (E : 'M[R]_(n, d.+1)) :
  let commutes s := forall (WQ WK : 'M[R]_(d.+1, k.+1)) (WV : 'M[R]_(d.+1, e.+1)) X,
    self_attention expR (inv_sqrt_width R k) WQ WK WV (perm_mx s *m X + E)
    = perm_mx s *m self_attention expR (inv_sqrt_width R k) WQ WK WV (X + E) in
  (forall s, commutes s <-> perm_mx s *m E = E)
  /\ (forall s : 'S_n, perm_mx s *m E = E <-> forall i, row (s i) E = row i E)
  /\ ((forall s, commutes s) <-> forall i j, row i E = row j E).
Proof.
exact: (additive_position_iff _ _ _ (@exp_pos R) (@exp_up R) (@exp_down R)
  (inv_sqrt_width_neq0 R k)).
Qed.

(* real: not_equivariant_of_learned_position *)
Theorem real_not_equivariant_of_learned_position (R : realType) n d k e :
  exists (E : 'M[R]_(n.+2, d.+1)) (s : 'S_n.+2),
    ~ forall (WQ WK : 'M[R]_(d.+1, k.+1)) (WV : 'M[R]_(d.+1, e.+1)) X,
        self_attention expR (inv_sqrt_width R k) WQ WK WV (perm_mx s *m X + E)
        = perm_mx s *m self_attention expR (inv_sqrt_width R k) WQ WK WV (X + E).
Proof.
exact: (not_equivariant_of_learned_position _ _ _ _ (@exp_pos R) (@exp_up R) (@exp_down R)
  (inv_sqrt_width_neq0 R k)).
Qed.

(* real: score_bias_iff *)
Theorem real_score_bias_iff (R : realType) (scale : R) n d k e (s : 'S_n.+1) :
  (forall G : 'M[R]_n.+1, (forall i j, 0 <= G i j) -> (forall i, exists j, 0 < G i j) ->
     let commutes := forall (WQ WK : 'M[R]_(d.+1, k)) (WV : 'M[R]_(d.+1, e.+1)) X,
       masked_self_attention expR scale G WQ WK WV (perm_mx s *m X)
       = perm_mx s *m masked_self_attention expR scale G WQ WK WV X in
     (commutes <->
        exists c : 'I_n.+1 -> R, (forall i, 0 < c i) /\ forall i j, G (s i) (s j) = c i * G i j)
     /\ (commutes <-> forall i j, G (s i) (s j) / row_max G (s i) = G i j / row_max G i))
  /\ (forall (B : 'I_n.+1 -> 'I_n.+1 -> option R) (top : 'I_n.+1 -> R),
        (forall i, is_max (B i) (top i)) ->
        (forall (WQ WK : 'M[R]_(d.+1, k)) (WV : 'M[R]_(d.+1, e.+1)) X,
           biased_self_attention expR scale B WQ WK WV (perm_mx s *m X)
           = perm_mx s *m biased_self_attention expR scale B WQ WK WV X)
        <-> forall i j, shift (- top (s i)) (B (s i) (s j)) = shift (- top i) (B i j)).
Proof.
have [factor bias] := @score_bias_iff R expR scale n d k e s.
split=> [G|B top topP]; first exact: (factor G (exp0_neq0 R)).
exact: (bias B top (@expRD R) (@exp_pos R) (@expR_inj R) topP).
Qed.

(* real: causal_last_token_invariant *)
Theorem real_causal_last_token_invariant (R : realType) (scale : R) n d (s : 'S_n.+1)
    (B : block R d) (X : 'M[R]_(n.+1, d)) :
  s ord_max = ord_max ->
  row ord_max (apply_block expR scale B (causal_mask R n.+1) (perm_mx s *m X))
  = row ord_max (apply_block expR scale B (causal_mask R n.+1) X).
Proof. exact: (causal_last_token_invariant expR scale 0 s B X).1. Qed.

(* real: two_causal_layers_see_order *)
Theorem real_two_causal_layers_see_order (R : realType) (scale : R) n d k (WK : 'M[R]_(d.+1, k)) :
  exists (s : 'S_n.+3) (X : 'M[R]_(n.+3, d.+1)), s ord_max = ord_max /\
    row ord_max (causal_average expR scale WK (causal_average expR scale WK (perm_mx s *m X)))
    <> row ord_max (causal_average expR scale WK (causal_average expR scale WK X)).
Proof. by have [_ [_ [see _]]] := two_causal_layers_see_order scale WK (exp0_neq0 R). Qed.

From orderproof Require Import ColourRefinement TwoCausalLayers.

Lemma positive_row (R : realType) n (g : 'I_n -> R) :
  (forall l, 0 <= g l) -> (exists l, 0 < g l) -> \sum_l g l != 0.
Proof.
by move=> g_ge0 [l g_gt0]; rewrite gt_eqF // (bigD1 l) //= ltr_paddr // sumr_ge0.
Qed.

(* real: attention_is_colour_refinement *)
Theorem real_attention_is_colour_refinement (R : realType) (scale : R) (V : eqType)
    H n m (x : n.-tuple V) (y : m.-tuple V) (G : 'I_H -> 'M[R]_n) (G' : 'I_H -> 'M[R]_m) L i j :
  (forall h k l, 0 <= G h k l) -> (forall h k, exists l, 0 < G h k l) ->
  (forall h k l, 0 <= G' h k l) -> (forall h k, exists l, 0 < G' h k l) ->
  let same := same_type (either x y) (side_by_side G G') L (inl i) (inr j) in
  let same_rows := fun d (Bs : seq (layer R H d d)) (emb : V -> 'rV[R]_d) =>
    row i (apply_layers Bs G (embed emb x)) = row j (apply_layers Bs G' (embed emb y)) in
  (same <-> forall d Bs emb, size Bs = L -> same_rows d Bs emb)
  /\ (same <-> forall d (fs : seq ('rV[R]_d -> 'M[R]_(H, d) -> 'rV[R]_d)) emb, size fs = L ->
        same_rows d [seq averaging_layer expR scale f | f <- fs] emb).
Proof.
move=> G_ge0 G_gt0 G'_ge0 G'_gt0 same same_rows.
have G0 h k : \sum_l G h k l != 0 by exact: positive_row.
have G'0 h k : \sum_l G' h k l != 0 by exact: positive_row.
have [all_layers [averaging _]] :=
  attention_is_colour_refinement scale x y L i j G0 G'0 (exp0_neq0 R).
by split.
Qed.

(* real: two_causal_layers_see_everything *)
Theorem real_two_causal_layers_see_everything (R : realType) (scale : R) (V : finType)
    (first : V) :
  exists (emb : V -> 'rV[R]_2) (f1 f2 : 'rV[R]_2 -> 'M[R]_(1, 2) -> 'rV[R]_2),
  let last_row := fun x : seq V =>
    row ord_max (apply_layers [:: averaging_layer expR scale f1; averaging_layer expR scale f2]
      (fun=> causal_mask R (size x).+1) (embed emb (cons_tuple first (in_tuple x)))) in
  forall x y, first \notin x -> first \notin y -> last_row x = last_row y -> x = y.
Proof. exact: (@two_causal_layers_see_everything R expR scale V first (exp0_neq0 R)). Qed.
