(* The theorems at the real exponential: w = exp and, where the scale matters, scale = 1/sqrt d.

   R is any type of real numbers of MathComp Analysis.  Of exp is used that it is positive, strictly
   increasing and turns sums into products, so what the general theorems ask of w is gone here.
   Classical logic comes in with the reals: `Print Assumptions` names the axioms. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From mathcomp.analysis Require Import reals sequences exp.
From orderproof Require Import Attention Encoder Positions Causal Headlines Shallow.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
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

End Exponential.

(* What the propositions of the claims ask of exp and of the root, the real ones have. *)
(* real: functions *)
Theorem real_functions (R : realType) : exponential (@expR R) /\ square_root (@Num.sqrt R).
Proof.
split; first by split; [exact: exp_pos | exact: expRD | move=> x y; rewrite ltr_expR].
by move=> x x_ge0; split; [exact: sqrtr_ge0 | rewrite -expr2 sqr_sqrtr].
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
