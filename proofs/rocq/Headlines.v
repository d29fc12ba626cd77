(* The theorems, stated together.  Read this file and the definitions in the others; the proofs are
   there.  Every statement holds for all sizes, over any ordered field R, for any function w in place
   of exp and any number [scale] in place of 1/sqrt d; what a statement needs of them it says.
   P = perm_mx s acts as (P X)_i = X_(s i). *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention Encoder Positions Causal.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Kept folded in the proofs below: to compare two encoders by unfolding them takes minutes. *)
Opaque multi_head pre_norm_block post_norm_block apply_block encoder.

(* id: sum_act *)
Theorem sum_act (R : realFieldType) n (s : 'S_n.+1) (a : 'I_n.+1 -> R) :
  \sum_j a (s j) = \sum_j a j
  /\ \prod_j a (s j) = \prod_j a j
  /\ largest (fun j => a (s j)) = largest a
  /\ smallest (fun j => a (s j)) = smallest a
  /\ (\sum_j a (s j)) / n.+1%:R = (\sum_j a j) / n.+1%:R.
Proof. by rewrite sum_perm prod_perm largest_perm smallest_perm. Qed.

(* id: perm_transpose_mul *)
Theorem perm_transpose_mul (R : realFieldType) n (s t : 'S_n) :
  (perm_mx s)^T *m perm_mx s = 1%:M :> 'M[R]_n
  (* the convention: entry (i, s i) is 1 *)
  /\ (forall i j, (perm_mx s : 'M[R]_n) i j = (s i == j)%:R)
  (* and so P_s P_t is the matrix of i |-> t (s i) *)
  /\ forall d (X : 'M[R]_(n, d)) i j, (perm_mx s *m perm_mx t *m X) i j = X (t (s i)) j.
Proof.
split; first exact: mul_tr_perm.
by split=> [i j|d X i j]; [rewrite !mxE | rewrite -mulmxA !perm_mxE].
Qed.

(* id: qkv_equivariant *)
Theorem qkv_equivariant (R : realFieldType) n d e (s : 'S_n) (X : 'M[R]_(n, d)) :
  (* a weight *)
  (forall W : 'M[R]_(d, e), perm_mx s *m X *m W = perm_mx s *m (X *m W))
  (* a weight and a bias *)
  /\ (forall (W : 'M[R]_(d, e)) (b : 'rV[R]_e),
        perm_mx s *m X *m W + (const_mx 1 : 'cV_n) *m b
        = perm_mx s *m (X *m W + (const_mx 1 : 'cV_n) *m b))
  (* any map of rows *)
  /\ (forall f : 'rV[R]_d -> 'rV[R]_e, row_wise f (perm_mx s *m X) = perm_mx s *m row_wise f X).
Proof.
split=> [W|]; first by rewrite mulmxA.
split=> [W b|f]; last exact: row_wise_perm.
rewrite mulmxDr !mulmxA; congr (_ + _ *m _).
by apply/matrixP => i j; rewrite perm_mxE !mxE.
Qed.

(* id: scores_conjugate *)
Theorem scores_conjugate (R : realFieldType) (scale : R) n m d (s : 'S_n) (t : 'S_m)
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) :
  scores scale (perm_mx s *m Q) (perm_mx t *m K) = perm_mx s *m scores scale Q K *m (perm_mx t)^T.
Proof. exact: scores_conj. Qed.

(* id: softmax_conjugate *)
Theorem softmax_conjugate (R : realFieldType) (w : R -> R) n m (s : 'S_n) (t : 'S_m.+1)
    (S : 'M[R]_(n, m.+1)) :
  softmax w (perm_mx s *m S *m (perm_mx t)^T) = perm_mx s *m softmax w S *m (perm_mx t)^T
  (* for a positive w the entries are positive and the rows sum to 1 *)
  /\ ((forall x, 0 < w x) ->
      (forall i j, 0 < softmax w S i j) /\ forall i, \sum_j softmax w S i j = 1).
Proof.
split=> [|w_gt0]; first exact: softmax_conj.
by split=> [i j|i]; [exact: softmax_gt0 | exact: softmax_sum1].
Qed.

(* id: attention_weights_conjugate *)
Theorem attention_weights_conjugate (R : realFieldType) (w : R -> R) (scale : R) n d k (s : 'S_n)
    (WQ WK : 'M[R]_(d, k)) (X : 'M[R]_(n, d)) :
  softmax w (scores scale (perm_mx s *m X *m WQ) (perm_mx s *m X *m WK))
  = perm_mx s *m softmax w (scores scale (X *m WQ) (X *m WK)) *m (perm_mx s)^T.
Proof. by rewrite -!(mulmxA (perm_mx s) X) scores_conj softmax_conj. Qed.

(* id: self_attention_equivariant *)
Theorem self_attention_equivariant (R : realFieldType) (w : R -> R) (scale : R) n d k e (s : 'S_n)
    (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (X : 'M[R]_(n, d)) :
  self_attention w scale WQ WK WV (perm_mx s *m X)
  = perm_mx s *m self_attention w scale WQ WK WV X.
Proof. by rewrite /self_attention -!mulmxA attend_perm. Qed.

(* id: token_output_same_in_any_order *)
Theorem token_output_same_in_any_order (R : realFieldType) (w : R -> R) (scale : R) n d k e
    (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (X Y : 'M[R]_(n, d)) i j :
  (* the token at i in X stands at j in Y, and X and Y have the same tokens, each as often *)
  row i X = row j Y -> perm_eq (rows X) (rows Y) ->
  row i (self_attention w scale WQ WK WV X) = row j (self_attention w scale WQ WK WV Y).
Proof. exact: row_self_attention. Qed.

(* id: not_invariant_self_attention *)
Theorem not_invariant_self_attention (R : realFieldType) (w : R -> R) (scale : R) n d k e :
  (* w positive and not constant; from two tokens on, every width from 1 on *)
  (forall x, 0 < w x) -> (exists a, w a != w 0) -> scale != 0 ->
  exists (WQ WK : 'M[R]_(d.+1, k.+1)) (WV : 'M[R]_(d.+1, e.+1)) (X : 'M[R]_(n.+2, d.+1))
      (s : 'S_n.+2),
    self_attention w scale WQ WK WV (perm_mx s *m X) <> self_attention w scale WQ WK WV X.
Proof. by move=> w_gt0 [a ne_w] scale0; apply: (not_invariant w_gt0 _ _ _ _ scale0 ne_w). Qed.

(* id: cross_attention_equivariant *)
Theorem cross_attention_equivariant (R : realFieldType) (w : R -> R) (scale : R) n m d e k f
    (s : 'S_n) (t : 'S_m) (WQ : 'M[R]_(d, k)) (WK : 'M[R]_(e, k)) (WV : 'M[R]_(e, f))
    (X : 'M[R]_(n, d)) (Y : 'M[R]_(m, e)) :
  (* equivariant in the tokens X that ask, invariant in the memory Y *)
  attend w scale (perm_mx s *m X *m WQ) (perm_mx t *m Y *m WK) (perm_mx t *m Y *m WV)
  = perm_mx s *m attend w scale (X *m WQ) (Y *m WK) (Y *m WV).
Proof. by rewrite -!(mulmxA (perm_mx _)) attend_perm. Qed.

(* id: not_cross_attention_of_keys_alone *)
Theorem not_cross_attention_of_keys_alone (R : realFieldType) (w : R -> R) (scale : R) n m d k e :
  (forall x, 0 < w x) -> (exists a, w a != w 0) -> scale != 0 ->
  exists (Q : 'M[R]_(n.+1, k.+1)) (WK : 'M[R]_(d.+1, k.+1)) (WV : 'M[R]_(d.+1, e.+1))
      (Y : 'M[R]_(m.+2, d.+1)) (s : 'S_m.+2),
    (* keys alone *)
    attend w scale Q (perm_mx s *m Y *m WK) (Y *m WV) <> attend w scale Q (Y *m WK) (Y *m WV)
    (* values alone *)
    /\ attend w scale Q (Y *m WK) (perm_mx s *m Y *m WV) <> attend w scale Q (Y *m WK) (Y *m WV).
Proof. by move=> w_gt0 [a ne_w] scale0; apply: (not_keys_alone w_gt0 _ _ _ _ _ scale0 ne_w). Qed.

(* id: multi_head_equivariant *)
Theorem multi_head_equivariant (R : realFieldType) (w : R -> R) (scale : R) n m d e p
    (s : 'S_n) (t : 'S_m) (H : head_weights R d e p) (X : 'M[R]_(n, d)) (Y : 'M[R]_(m, e)) :
  (* any number of heads and widths, keys shared between heads in any way; cross-attention, and
     self-attention with t = s and Y = X *)
  multi_head w scale H (const_mx 1) (perm_mx s *m X) (perm_mx t *m Y)
  = perm_mx s *m multi_head w scale H (const_mx 1) X Y.
Proof. by rewrite -(multi_head_perm w scale H s t) conj_const. Qed.

(* id: row_wise_equivariant *)
Theorem row_wise_equivariant (R : realFieldType) n d h (s : 'S_n) (X : 'M[R]_(n, d)) :
  (* layer norm and RMS norm, with any function in place of the square root *)
  (forall root eps gamma beta,
     row_wise (layer_norm root eps gamma beta) (perm_mx s *m X)
     = perm_mx s *m row_wise (layer_norm root eps gamma beta) X)
  /\ (forall root eps gamma,
        row_wise (rms_norm root eps gamma) (perm_mx s *m X)
        = perm_mx s *m row_wise (rms_norm root eps gamma) X)
  (* feed-forward *)
  /\ (forall phi (W1 : 'M[R]_(d, h)) b1 W2 b2,
        row_wise (feed_forward phi W1 b1 W2 b2) (perm_mx s *m X)
        = perm_mx s *m row_wise (feed_forward phi W1 b1 W2 b2) X)
  (* residual: the sum of what moves moves *)
  /\ (forall f : 'M[R]_(n, d) -> 'M[R]_(n, d), f (perm_mx s *m X) = perm_mx s *m f X ->
        perm_mx s *m X + f (perm_mx s *m X) = perm_mx s *m (X + f X)).
Proof.
do 3![split; first by move=> *; exact: row_wise_perm].
by move=> f ->; rewrite mulmxDr.
Qed.

(* id: encoder_block_equivariant *)
Theorem encoder_block_equivariant (R : realFieldType) (w : R -> R) (scale : R) n d (s : 'S_n)
    (B : block R d) (X : 'M[R]_(n, d)) :
  pre_norm_block w scale B (const_mx 1) (perm_mx s *m X)
  = perm_mx s *m pre_norm_block w scale B (const_mx 1) X
  /\ post_norm_block w scale B (const_mx 1) (perm_mx s *m X)
     = perm_mx s *m post_norm_block w scale B (const_mx 1) X.
Proof.
split; first by rewrite -(pre_norm_block_perm w scale s) conj_const.
by rewrite -(post_norm_block_perm w scale s) conj_const.
Qed.

(* id: encoder_equivariant *)
Theorem encoder_equivariant (R : realFieldType) (w : R -> R) (scale : R) n d (s : 'S_n)
    (Bs : seq (block R d)) (X : 'M[R]_(n, d)) :
  encoder w scale Bs (const_mx 1) (perm_mx s *m X)
  = perm_mx s *m encoder w scale Bs (const_mx 1) X.
Proof. by rewrite -(encoder_perm w scale s) conj_const. Qed.

(* id: pooling_invariant *)
Theorem pooling_invariant (R : realFieldType) (w : R -> R) (scale : R) n d (s : 'S_n.+1)
    (X : 'M[R]_(n.+1, d)) :
  sum_pool (perm_mx s *m X) = sum_pool X
  /\ mean_pool (perm_mx s *m X) = mean_pool X
  /\ max_pool (perm_mx s *m X) = max_pool X
  (* a learned query *)
  /\ (forall k e (q : 'rV[R]_k) (WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)),
        query_pool w scale q WK WV (perm_mx s *m X) = query_pool w scale q WK WV X).
Proof.
split; first exact: sum_pool_perm.
split; first exact: mean_pool_perm.
by split=> [|*]; [exact: max_pool_perm | exact: query_pool_perm].
Qed.

(* id: bag_of_words *)
Theorem bag_of_words (R : realFieldType) (w : R -> R) (scale : R) (T : eqType) n d k e
    (emb : T -> 'rV[R]_d) (Bs : seq (block R d)) (q : 'rV[R]_k) (WK : 'M[R]_(d, k))
    (WV : 'M[R]_(d, e)) (t u : n.+1.-tuple T) :
  let model pool := fun v => pool (encoder w scale Bs (const_mx 1) (embed emb v)) : 'rV[R]_d in
  (* the same words, each as often *)
  perm_eq t u ->
  model (@sum_pool R n.+1 d) t = model (@sum_pool R n.+1 d) u
  /\ model (@mean_pool R n.+1 d) t = model (@mean_pool R n.+1 d) u
  /\ model (@max_pool R n d) t = model (@max_pool R n d) u
  /\ query_pool w scale q WK WV (encoder w scale Bs (const_mx 1) (embed emb t))
     = query_pool w scale q WK WV (encoder w scale Bs (const_mx 1) (embed emb u)).
Proof.
move=> model /(perm_embed emb)[s eqt]; rewrite /model eqt (encoder_equivariant w scale s).
by rewrite sum_pool_perm mean_pool_perm max_pool_perm query_pool_perm.
Qed.

(* id: generation_order_independent *)
Theorem generation_order_independent (R : realFieldType) (w : R -> R) (scale : R) d e
    (q : 'rV[R]_d) (cache cache' : seq ('rV[R]_d * 'rV[R]_e)) :
  perm_eq cache cache' ->
  generate w scale q cache = generate w scale q cache'
  /\ generate_linear q cache = generate_linear q cache'.
Proof. by move=> eqc; split; [exact: generate_perm | exact: generate_linear_perm]. Qed.

(* id: kernel_attention_equivariant *)
Theorem kernel_attention_equivariant (R : realFieldType) n m d e f
    (k : 'rV[R]_d -> 'rV[R]_e -> R) (s : 'S_n) (t : 'S_m)
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, e)) (V : 'M[R]_(m, f)) :
  kernel_attention k (perm_mx s *m Q) (perm_mx t *m K) (perm_mx t *m V)
  = perm_mx s *m kernel_attention k Q K V
  /\ unnormalized_kernel_attention k (perm_mx s *m Q) (perm_mx t *m K) (perm_mx t *m V)
     = perm_mx s *m unnormalized_kernel_attention k Q K V.
Proof.
by rewrite /kernel_attention /unnormalized_kernel_attention kernel_weights_conj normalize_conj !conj_mul.
Qed.

(* id: mask_transport *)
Theorem mask_transport (R : realFieldType) (w : R -> R) (scale : R) n d (s : 'S_n)
    (Bs : seq (block R d)) (G : 'M[R]_n) (X : 'M[R]_(n, d)) :
  (* the mask moves with the tokens *)
  encoder w scale Bs (perm_mx s *m G *m (perm_mx s)^T) (perm_mx s *m X)
  = perm_mx s *m encoder w scale Bs G X
  (* a mask that s keeps *)
  /\ (perm_mx s *m G *m (perm_mx s)^T = G ->
      encoder w scale Bs G (perm_mx s *m X) = perm_mx s *m encoder w scale Bs G X).
Proof.
have moved := encoder_perm w scale s Bs G X.
split=> [|keepG]; first exact: moved.
exact: (etrans (congr1 (fun G' => encoder w scale Bs G' (perm_mx s *m X)) (esym keepG)) moved).
Qed.

(* id: equivariant_of_fixed_position_table *)
Theorem equivariant_of_fixed_position_table (R : realFieldType) (w : R -> R) (scale : R) n d
    (s : 'S_n) (Bs : seq (block R d)) (E X : 'M[R]_(n, d)) :
  perm_mx s *m E = E ->
  encoder w scale Bs (const_mx 1) (perm_mx s *m X + E)
  = perm_mx s *m encoder w scale Bs (const_mx 1) (X + E).
Proof.
move=> fixE; have := encoder_equivariant w scale s Bs (X + E).
by rewrite mulmxDr fixE.
Qed.

(* id: additive_position_iff *)
Theorem additive_position_iff (R : realFieldType) (w : R -> R) (scale : R) n d k e
    (E : 'M[R]_(n, d.+1)) :
  (* w positive, above w 0 to the right of 0 and not to its left: any positive increasing w *)
  (forall x, 0 < w x) -> (forall x, 0 < x -> w 0 < w x) -> (forall x, x < 0 -> w x <= w 0) ->
  scale != 0 ->
  let commutes s := forall (WQ WK : 'M[R]_(d.+1, k.+1)) (WV : 'M[R]_(d.+1, e.+1)) X,
    self_attention w scale WQ WK WV (perm_mx s *m X + E)
    = perm_mx s *m self_attention w scale WQ WK WV (X + E) in
  (forall s, commutes s <-> perm_mx s *m E = E)
  (* E is constant on each cycle of s *)
  /\ (forall s : 'S_n, perm_mx s *m E = E <-> forall i, row (s i) E = row i E)
  (* for all permutations: all rows are equal *)
  /\ ((forall s, commutes s) <-> forall i j, row i E = row j E).
Proof.
move=> w_gt0 w_up w_down scale0 commutes.
have iff_s s : commutes s <-> perm_mx s *m E = E by exact: (additive_iff w_gt0 w_up w_down).
have iff_rows (s : 'S_n) : perm_mx s *m E = E <-> forall i, row (s i) E = row i E.
  split=> [eqE i|eqE]; first by rewrite -row_perm_mx eqE.
  by apply/row_matrixP => i; rewrite row_perm_mx eqE.
split=> //; split=> //; split=> [H i j|eqE s]; last by apply/iff_s/iff_rows => i; exact: eqE.
by have /iff_s/iff_rows/(_ j) := H (tperm j i); rewrite tpermL.
Qed.

(* id: not_equivariant_of_learned_position *)
Theorem not_equivariant_of_learned_position (R : realFieldType) (w : R -> R) (scale : R) n d k e :
  (forall x, 0 < w x) -> (forall x, 0 < x -> w 0 < w x) -> (forall x, x < 0 -> w x <= w 0) ->
  scale != 0 ->
  (* from two tokens on, some table: any that has two different rows *)
  exists (E : 'M[R]_(n.+2, d.+1)) (s : 'S_n.+2),
    ~ forall (WQ WK : 'M[R]_(d.+1, k.+1)) (WV : 'M[R]_(d.+1, e.+1)) X,
        self_attention w scale WQ WK WV (perm_mx s *m X + E)
        = perm_mx s *m self_attention w scale WQ WK WV (X + E).
Proof.
move=> w_gt0 w_up w_down scale0; exists (delta_mx ord0 ord0), (tperm ord0 (lift ord0 ord0)).
move=> /(additive_iff w_gt0 w_up w_down _ _ _ _ scale0) /matrixP /(_ ord0 ord0) /eqP.
by rewrite perm_mxE tpermL !mxE /= eq_sym oner_eq0.
Qed.

(* id: score_bias_iff *)
Theorem score_bias_iff (R : realFieldType) (w : R -> R) (scale : R) n d k e (s : 'S_n.+1) :
  (* a factor G >= 0 at the weights, in each row one that is positive, and w 0 <> 0: kept up to a
     positive factor for each row; and so, when each row is divided by its maximum, kept *)
  (forall G : 'M[R]_n.+1, w 0 != 0 -> (forall i j, 0 <= G i j) -> (forall i, exists j, 0 < G i j) ->
     let commutes := forall (WQ WK : 'M[R]_(d.+1, k)) (WV : 'M[R]_(d.+1, e.+1)) X,
       masked_self_attention w scale G WQ WK WV (perm_mx s *m X)
       = perm_mx s *m masked_self_attention w scale G WQ WK WV X in
     (commutes <->
        exists c : 'I_n.+1 -> R, (forall i, 0 < c i) /\ forall i j, G (s i) (s j) = c i * G i j)
     /\ (commutes <-> forall i j, G (s i) (s j) / row_max G (s i) = G i j / row_max G i))
  (* a bias B, -oo allowed, for a w that is positive, injective and turns sums into products: B
     minus its row maximum is kept, -oo included *)
  /\ (forall (B : 'I_n.+1 -> 'I_n.+1 -> option R) (top : 'I_n.+1 -> R),
        (forall x y, w (x + y) = w x * w y) -> (forall x, 0 < w x) -> injective w ->
        (forall i, is_max (B i) (top i)) ->
        (forall (WQ WK : 'M[R]_(d.+1, k)) (WV : 'M[R]_(d.+1, e.+1)) X,
           biased_self_attention w scale B WQ WK WV (perm_mx s *m X)
           = perm_mx s *m biased_self_attention w scale B WQ WK WV X)
        <-> forall i j, shift (- top (s i)) (B (s i) (s j)) = shift (- top i) (B i j)).
Proof.
split=> [G w0 G_ge0 G_gt0 commutes|B top wD w_gt0 w_inj topP]; last exact: bias_iff.
have iff_c : commutes <-> exists c : 'I_n.+1 -> R,
    (forall i, 0 < c i) /\ forall i j, G (s i) (s j) = c i * G i j.
  split=> [|[c [c_gt0 eqG]] WQ WK WV X]; first exact: commutes_factor.
  apply: (@factor_commutes R w scale n s G c d.+1 k e.+1 WQ WK WV X _ eqG) => i.
  by rewrite gt_eqF.
by split=> //; apply: (iff_trans iff_c); exact: factor_row_max.
Qed.

(* id: causal_last_token_invariant *)
Theorem causal_last_token_invariant (R : realFieldType) (w : R -> R) (scale : R) n d k (s : 'S_n.+1)
    (B : block R d) (X : 'M[R]_(n.+1, d)) :
  (* one causal block, with residuals and row-wise maps: the last row, when earlier tokens move *)
  (s ord_max = ord_max ->
   row ord_max (apply_block w scale B (causal_mask R n.+1) (perm_mx s *m X))
   = row ord_max (apply_block w scale B (causal_mask R n.+1) X))
  (* earlier rows do change: not equivariant, from three tokens on *)
  /\ (w 0 != 0 -> forall p (WK : 'M[R]_(k.+1, p)),
      exists (t : 'S_n.+3) (Y : 'M[R]_(n.+3, k.+1)), t ord_max = ord_max /\
        causal_average w scale WK (perm_mx t *m Y) <> perm_mx t *m causal_average w scale WK Y).
Proof. by split=> [|w0 p WK]; [exact: causal_last | exact: one_layer_moves]. Qed.

(* id: two_causal_layers_see_order *)
Theorem two_causal_layers_see_order (R : realFieldType) (w : R -> R) (scale : R) d k
    (WK : 'M[R]_(d.+1, k)) :
  w 0 != 0 ->
  (* two layers of uniform attention: the last row weighs token j with (1/n) sum_(i >= j) 1/i *)
  (forall n (X : 'M[R]_(n.+1, d.+1)) f,
     causal_average w scale WK (causal_average w scale WK X) ord_max f
     = \sum_j two_layer_weight R n j * X j f)
  (* strictly decreasing in j *)
  /\ (forall n (j j' : 'I_n.+1), (j < j')%N -> two_layer_weight R n j' < two_layer_weight R n j)
  (* so the order of earlier tokens is seen, from three tokens on *)
  /\ (forall n, exists (s : 'S_n.+3) (X : 'M[R]_(n.+3, d.+1)), s ord_max = ord_max /\
        row ord_max (causal_average w scale WK (causal_average w scale WK (perm_mx s *m X)))
        <> row ord_max (causal_average w scale WK (causal_average w scale WK X)))
  (* three tokens, a unit at the first or at the second *)
  /\ two_layer_weight R 2 ord0 = 11%:R / 18%:R
  /\ two_layer_weight R 2 (lift ord0 ord0) = 5%:R / 18%:R.
Proof.
move=> w0; split; first by move=> n X f; exact: two_layers.
split; first by move=> n j j'; exact: two_layer_weight_decreases.
split; first by move=> n; exact: two_layers_see.
exact: three_tokens.
Qed.
