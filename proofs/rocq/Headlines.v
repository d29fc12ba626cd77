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
Theorem sum_act (R : realFieldType) n (s : 'S_n) (a : 'I_n -> R) :
  \sum_j a (s j) = \sum_j a j
  /\ \prod_j a (s j) = \prod_j a j
  /\ (\sum_j a (s j)) / n%:R = (\sum_j a j) / n%:R
  (* of no numbers there is no largest, and only one order *)
  /\ forall m (t : 'S_m.+1) (b : 'I_m.+1 -> R),
       largest (fun j => b (t j)) = largest b /\ smallest (fun j => b (t j)) = smallest b.
Proof.
rewrite sum_perm prod_perm; do 3![split=> //] => m t b.
by rewrite largest_perm smallest_perm.
Qed.

(* id: perm_transpose_mul *)
Theorem perm_transpose_mul (R : realFieldType) n (s t : 'S_n) :
  (perm_mx s)^T *m perm_mx s = 1%:M :> 'M[R]_n
  (* the convention: entry (i, s i) is 1 *)
  /\ (forall i j, (perm_mx s : 'M[R]_n) i j = (s i == j)%:R)
  (* and so P_s P_t is the matrix of i |-> t (s i) *)
  /\ (forall d (X : 'M[R]_(n, d)) i j, (perm_mx s *m perm_mx t *m X) i j = X (t (s i)) j)
  /\ forall d (X : 'M[R]_(n, d)) i j, (perm_mx s *m X) i j = X (s i) j.
Proof.
split; first exact: mul_tr_perm.
split=> [i j|]; first by rewrite !mxE.
by split=> d X i j; rewrite -?mulmxA !perm_mxE.
Qed.

(* id: qkv_equivariant *)
Theorem qkv_equivariant (R : realFieldType) n d e (s : 'S_n) (X : 'M[R]_(n, d)) :
  (* a weight *)
  (forall W : 'M[R]_(d, e), perm_mx s *m X *m W = perm_mx s *m (X *m W))
  (* a weight and a bias *)
  /\ (forall (W : 'M[R]_(d, e)) (b : 'rV[R]_e),
        affine W b (perm_mx s *m X) = perm_mx s *m affine W b X)
  (* any map of rows *)
  /\ (forall f : 'rV[R]_d -> 'rV[R]_e, row_wise f (perm_mx s *m X) = perm_mx s *m row_wise f X).
Proof.
split=> [W|]; first by rewrite mulmxA.
by split=> [W b|f]; [exact: affine_perm | exact: row_wise_perm].
Qed.

(* id: scores_conjugate *)
Theorem scores_conjugate (R : realFieldType) (scale : R) n m d (s : 'S_n) (t : 'S_m)
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) :
  scores scale (perm_mx s *m Q) (perm_mx t *m K) = perm_mx s *m scores scale Q K *m (perm_mx t)^T.
Proof. exact: scores_conj. Qed.

(* id: softmax_conjugate *)
Theorem softmax_conjugate (R : realFieldType) (w : R -> R) n m (s : 'S_n) (t : 'S_m)
    (S : 'M[R]_(n, m)) :
  softmax w (perm_mx s *m S *m (perm_mx t)^T) = perm_mx s *m softmax w S *m (perm_mx t)^T
  (* for a positive w and m > 0 the entries are positive and the rows sum to 1 *)
  /\ ((forall x, 0 < w x) -> (0 < m)%N ->
      (forall i j, 0 < softmax w S i j) /\ forall i, \sum_j softmax w S i j = 1).
Proof.
split=> [|w_gt0]; first exact: softmax_conj.
case: m t S => // m t S _.
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
    (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (X : 'M[R]_(n, d)) i :
  let out (Z : 'M[R]_(n, d)) := self_attention w scale WQ WK WV Z in
  (* the token at i stands at s^-1 i in P X *)
  (forall s : 'S_n, row ((s^-1)%g i) (out (perm_mx s *m X)) = row i (out X))
  (* it stands at j in Y, and X and Y have the same tokens, each as often *)
  /\ forall (Y : 'M[R]_(n, d)) j, row i X = row j Y -> perm_eq (rows X) (rows Y) ->
       row i (out X) = row j (out Y).
Proof.
split=> [s|Y j]; last exact: row_self_attention.
by apply: row_self_attention; [rewrite row_perm_mx permKV | exact: rows_perm].
Qed.

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
  let out (X : 'M_(n, d)) (Y : 'M_(m, e)) := attend w scale (X *m WQ) (Y *m WK) (Y *m WV) in
  (* equivariant in the tokens X that ask, invariant in the memory Y *)
  out (perm_mx s *m X) (perm_mx t *m Y) = perm_mx s *m out X Y
  /\ out (perm_mx s *m X) Y = perm_mx s *m out X Y
  /\ out X (perm_mx t *m Y) = out X Y.
Proof.
have both a b : attend w scale (perm_mx a *m X *m WQ) (perm_mx b *m Y *m WK) (perm_mx b *m Y *m WV)
    = perm_mx a *m attend w scale (X *m WQ) (Y *m WK) (Y *m WV).
  by rewrite -!(mulmxA (perm_mx _)) attend_perm.
split; first exact: both.
by split; [have := both s 1%g | have := both 1%g t]; rewrite perm_mx1 !mul1mx.
Qed.

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
  (* any map of rows *)
  (forall f : 'rV[R]_d -> 'rV[R]_h, row_wise f (perm_mx s *m X) = perm_mx s *m row_wise f X)
  (* layer norm and RMS norm, with any function in place of the square root *)
  /\ (forall root eps gamma beta,
     row_wise (layer_norm root eps gamma beta) (perm_mx s *m X)
     = perm_mx s *m row_wise (layer_norm root eps gamma beta) X)
  /\ (forall root eps gamma,
        row_wise (rms_norm root eps gamma) (perm_mx s *m X)
        = perm_mx s *m row_wise (rms_norm root eps gamma) X)
  (* feed-forward *)
  /\ (forall phi (W1 : 'M[R]_(d, h)) b1 W2 b2,
        row_wise (feed_forward phi W1 b1 W2 b2) (perm_mx s *m X)
        = perm_mx s *m row_wise (feed_forward phi W1 b1 W2 b2) X)
  (* residual: the sum of two that move moves *)
  /\ (forall T : 'M[R]_(n, d), perm_mx s *m T + perm_mx s *m X = perm_mx s *m (T + X)).
Proof.
do 4![split; first by move=> *; exact: row_wise_perm].
by move=> T; rewrite mulmxDr.
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
Theorem pooling_invariant (R : realFieldType) (w : R -> R) (scale : R) n d (s : 'S_n)
    (X : 'M[R]_(n, d)) :
  sum_pool (perm_mx s *m X) = sum_pool X
  /\ mean_pool (perm_mx s *m X) = mean_pool X
  (* a learned query, to the tokens and to keys and values made of them *)
  /\ (forall q : 'rV[R]_d, attend w scale q (perm_mx s *m X) (perm_mx s *m X) = attend w scale q X X)
  /\ (forall k e (q : 'rV[R]_k) (WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)),
        query_pool w scale q WK WV (perm_mx s *m X) = query_pool w scale q WK WV X)
  (* of no numbers there is no largest *)
  /\ forall m (t : 'S_m.+1) (Y : 'M[R]_(m.+1, d)), max_pool (perm_mx t *m Y) = max_pool Y.
Proof.
split; first exact: sum_pool_perm.
split; first exact: mean_pool_perm.
split=> [q|]; last by split=> *; [exact: query_pool_perm | exact: max_pool_perm].
by have := attend_perm w scale 1%g s q X X; rewrite perm_mx1 !mul1mx.
Qed.

(* id: bag_of_words *)
Theorem bag_of_words (R : realFieldType) (w : R -> R) (scale : R) (T : eqType) n d k e
    (emb : T -> 'rV[R]_d) (Bs : seq (block R d)) (q : 'rV[R]_k)
    (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) :
  let reads_bag n A (f : 'M[R]_(n, d) -> A) :=
    (forall (s : 'S_n) X, f (perm_mx s *m X) = f X)
    (* the same words, each as often *)
    /\ forall t u : n.-tuple T, perm_eq t u -> f (embed emb t) = f (embed emb u) in
  let model n := encoder w scale Bs (const_mx 1 : 'M[R]_n) in
  (* one head *)
  reads_bag n _ (fun X => mean_pool (self_attention w scale WQ WK WV X))
  (* an encoder *)
  /\ reads_bag n _ (fun X => sum_pool (model n X))
  /\ reads_bag n _ (fun X => mean_pool (model n X))
  /\ reads_bag n.+1 _ (fun X => max_pool (model n.+1 X))
  /\ reads_bag n _ (fun X => query_pool w scale q WK WV (model n X)).
Proof.
move=> reads_bag model.
have words m A (f : 'M[R]_(m, d) -> A) :
    (forall (s : 'S_m) X, f (perm_mx s *m X) = f X) -> reads_bag m A f.
  by move=> blind; split=> // t u /(perm_embed emb)[s ->].
have moves m (s : 'S_m) X : model m (perm_mx s *m X) = perm_mx s *m model m X.
  exact: encoder_equivariant.
split; first by apply: words => s X; rewrite self_attention_equivariant mean_pool_perm.
split; first by apply: words => s X; rewrite moves sum_pool_perm.
split; first by apply: words => s X; rewrite moves mean_pool_perm.
by split; apply: words => s X; rewrite moves ?max_pool_perm ?query_pool_perm.
Qed.

(* id: generation_order_independent *)
Theorem generation_order_independent (R : realFieldType) (w : R -> R) (scale : R) d e
    (q : 'rV[R]_d) :
  (* a list of (key, value) pairs *)
  (forall cache cache' : seq ('rV[R]_d * 'rV[R]_e), perm_eq cache cache' ->
     generate w scale q cache = generate w scale q cache'
     /\ generate_linear q cache = generate_linear q cache')
  (* the pairs as the rows of K and V *)
  /\ forall m (t : 'S_m) (K : 'M[R]_(m, d)) (V : 'M[R]_(m, e)),
       attend w scale q (perm_mx t *m K) (perm_mx t *m V) = attend w scale q K V
       /\ q *m (perm_mx t *m K)^T *m (perm_mx t *m V) = q *m K^T *m V.
Proof.
split=> [c c' eqc|m t K V]; first by split; [exact: generate_perm | exact: generate_linear_perm].
split; first by have := attend_perm w scale 1%g t q K V; rewrite perm_mx1 !mul1mx.
by rewrite trmx_mul mulmxA -!mulmxA (mulmxA _^T (perm_mx t)) mul_tr_perm mul1mx.
Qed.

(* id: kernel_attention_equivariant *)
Theorem kernel_attention_equivariant (R : realFieldType) n m d e f
    (k : 'rV[R]_d -> 'rV[R]_e -> R) (s : 'S_n) (t : 'S_m)
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, e)) (V : 'M[R]_(m, f)) :
  (* any weights, normalised or not: a sigmoid of the score among them *)
  kernel_attention k (perm_mx s *m Q) (perm_mx t *m K) (perm_mx t *m V)
  = perm_mx s *m kernel_attention k Q K V
  /\ unnormalized_kernel_attention k (perm_mx s *m Q) (perm_mx t *m K) (perm_mx t *m V)
     = perm_mx s *m unnormalized_kernel_attention k Q K V
  (* linear attention with any features: random ones among them *)
  /\ forall h (phi : 'rV[R]_e -> 'rV[R]_h) (Q : 'M[R]_(n, e)),
       linear_attention phi (perm_mx s *m Q) (perm_mx t *m K) (perm_mx t *m V)
       = perm_mx s *m linear_attention phi Q K V.
Proof.
rewrite /kernel_attention /unnormalized_kernel_attention kernel_weights_conj normalize_conj !conj_mul.
by do 2![split=> //] => *; exact: linear_attention_perm.
Qed.

(* id: mask_transport *)
Theorem mask_transport (R : realFieldType) (w : R -> R) (scale : R) n d k e (s : 'S_n)
    (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (Bs : seq (block R d)) :
  (* the mask moves with the tokens; so one that s keeps may stay *)
  let goes_along M c (move : M -> M) (f : M -> 'M[R]_(n, d) -> 'M[R]_(n, c)) := forall G X,
    f (move G) (perm_mx s *m X) = perm_mx s *m f G X
    /\ (move G = G -> f G (perm_mx s *m X) = perm_mx s *m f G X) in
  let by_pairs G := perm_mx s *m G *m (perm_mx s)^T in
  let by_keys (g : 'cV_n) := perm_mx s *m g in
  (* one head: added to the scores; a factor at each weight; a factor for each key *)
  goes_along _ e by_pairs (fun M => added_self_attention w scale M WQ WK WV)
  /\ goes_along _ e by_pairs (fun G => masked_self_attention w scale G WQ WK WV)
  /\ goes_along _ e by_keys (fun g => masked_self_attention w scale (key_mask n g) WQ WK WV)
  (* an encoder, a factor at each weight *)
  /\ goes_along _ d by_pairs (fun G => encoder w scale Bs G).
Proof.
move=> goes_along by_pairs by_keys.
have along M c move (f : M -> 'M[R]_(n, d) -> 'M[R]_(n, c)) :
    (forall G X, f (move G) (perm_mx s *m X) = perm_mx s *m f G X) -> goes_along M c move f.
  by move=> moved G X; split=> // keepG; rewrite -moved keepG.
split; first by apply: along => M X; exact: added_self_attention_perm.
split; first by apply: along => G X; exact: masked_self_attention_perm.
split; apply: along => G X; last exact: encoder_perm.
by rewrite (key_mask_conj s); exact: masked_self_attention_perm.
Qed.

(* id: equivariant_of_fixed_position_table *)
Theorem equivariant_of_fixed_position_table (R : realFieldType) (w : R -> R) (scale : R) n d k e
    (s : 'S_n) (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (Bs : seq (block R d))
    (E X : 'M[R]_(n, d)) :
  let head (Z : 'M[R]_(n, d)) := self_attention w scale WQ WK WV Z in
  (perm_mx s *m E = E ->
     head (perm_mx s *m X + E) = perm_mx s *m head (X + E)
     /\ encoder w scale Bs (const_mx 1) (perm_mx s *m X + E)
        = perm_mx s *m encoder w scale Bs (const_mx 1) (X + E))
  (* one row for all tokens *)
  /\ forall r : 'rV[R]_d, let table := (const_mx 1 : 'cV_n) *m r in
       head (perm_mx s *m X + table) = perm_mx s *m head (X + table).
Proof.
move=> head; have moved Y : head (perm_mx s *m Y) = perm_mx s *m head Y.
  exact: self_attention_equivariant.
split=> [fixE|r table].
  have := encoder_equivariant w scale s Bs (X + E); have := moved (X + E).
  by rewrite mulmxDr fixE.
have kept : perm_mx s *m table = table.
  by rewrite /table mulmxA; congr (_ *m _); apply/matrixP => i j; rewrite perm_mxE !mxE.
by have := moved (X + table); rewrite mulmxDr kept.
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

From orderproof Require Import ColourRefinement ColourCorollaries TwoCausalLayers.

(* id: attention_is_colour_refinement *)
Theorem attention_is_colour_refinement (R : realFieldType) (w : R -> R) (scale : R) (V : eqType)
    H n m (x : n.-tuple V) (y : m.-tuple V) (G : 'I_H -> 'M[R]_n) (G' : 'I_H -> 'M[R]_m) L i j :
  (* H masks or biases for each input, as factors of the weights, no row of sum 0: so it is where
     they are >= 0 and one in each row is positive *)
  (forall h k, \sum_l G h k l != 0) -> (forall h k, \sum_l G' h k l != 0) -> w 0 != 0 ->
  (* the token at i in x and the token at j in y have the same type T_L *)
  let same := same_type (either x y) (side_by_side G G') L (inl i) (inr j) in
  let same_rows := fun d (Bs : seq (layer R H d d)) (emb : V -> 'rV[R]_d) =>
    row i (apply_layers Bs G (embed emb x)) = row j (apply_layers Bs G' (embed emb y)) in
  (* if and only if all stacks of L layers, of any width, heads, weights and row-wise maps, give
     them the same row *)
  (same <-> forall d Bs emb, size Bs = L -> same_rows d Bs emb)
  (* if and only if those do whose heads average what they see, before any row-wise map *)
  /\ (same <-> forall d (fs : seq ('rV[R]_d -> 'M[R]_(H, d) -> 'rV[R]_d)) emb, size fs = L ->
        same_rows d [seq averaging_layer w scale f | f <- fs] emb)
  (* and these heads are masked dot-product attention with W_Q = 0, W_K = 0 and W_V = 1 *)
  /\ (forall d k (f : 'rV[R]_d -> 'M[R]_(H, d) -> 'rV[R]_d) (F : 'I_H -> 'M[R]_k) X,
        apply_layer (averaging_layer w scale f) F X
        = \matrix_l f (row l X)
            (\matrix_h row l (masked_self_attention w scale (F h) (0 : 'M_(d, 1)) 0 1%:M X))).
Proof.
move=> G0 G'0 w0 same same_rows.
have [all_layers averaging] := colour_refinement x y G0 G'0 scale w0 L i j.
by split=> //; split=> // d k f F X; exact: dot_product_layerE.
Qed.

(* id: colour_refinement_of_encoders *)
Theorem colour_refinement_of_encoders (R : realFieldType) (w : R -> R) (scale : R) (V : eqType)
    n m (x : n.-tuple V) (y : m.-tuple V) (G : 'M[R]_n) (G' : 'M[R]_m) d (Bs : seq (block R d))
    (emb : V -> 'rV[R]_d) i j :
  (forall k, \sum_l G k l != 0) -> (forall k, \sum_l G' k l != 0) ->
  (* a mask or bias that all heads share *)
  let G_ := (fun=> G) : 'I_1 -> 'M[R]_n in
  let G'_ := (fun=> G') : 'I_1 -> 'M[R]_m in
  (* tokens of the same type T_L have the same row after L blocks: multi-head attention with any
     weights, pre-norm or post-norm, residuals and feed-forward *)
  same_type (either x y) (side_by_side G_ G'_) (size Bs) (inl i) (inr j) ->
  row i (encoder w scale Bs G (embed emb x)) = row j (encoder w scale Bs G' (embed emb y)).
Proof.
move=> G0 G'0 G_ G'_ same; rewrite !encoderE -[size Bs](size_map (@block_layer R w scale d)) in same *.
have [/iffLR/(_ same) rows _] := @colour_refinement _ _ _ _ _ x y G_ G'_ (fun=> G0) (fun=> G'0)
  (fun=> 1) 0 (oner_neq0 R) (size [seq block_layer w scale B | B <- Bs]) i j.
exact: rows.
Qed.

(* id: context_group_at_every_depth *)
Theorem context_group_at_every_depth (R : realFieldType) (w : R -> R) (scale : R) H n
    (G : 'I_H -> 'M[R]_n) (s : 'S_n) L i :
  (forall h k, \sum_l G h k l != 0) -> w 0 != 0 ->
  let unmoved := fun d (Bs : seq (layer R H d d)) (X : 'M[R]_(n, d)) =>
    row i (apply_layers Bs G (perm_mx s *m X)) = row i (apply_layers Bs G X) in
  (* s leaves i in place, and keeps the row of every token that i reaches in at most L steps, each
     row of G_h divided by its sum *)
  let kept := s i = i
    /\ forall k, reaches G L i k -> forall h j, normalize (G h) (s k) (s j) = normalize (G h) k j in
  (* if and only if row i of L + 1 layers does not change when s permutes the tokens, whatever the
     layers and the tokens *)
  (kept <-> forall d Bs X, size Bs = L.+1 -> unmoved d Bs X)
  (* if and only if it does not for heads that average *)
  /\ (kept <-> forall d (fs : seq ('rV[R]_d -> 'M[R]_(H, d) -> 'rV[R]_d)) X, size fs = L.+1 ->
        unmoved d [seq averaging_layer w scale f | f <- fs] X)
  (* under a causal mask, at the last token: all that leave it in place, in one layer; from two
     layers on, the identity alone *)
  /\ (forall p (t : 'S_p.+1),
        (forall d (Bs : seq (layer R 1 d d)) (X : 'M[R]_(p.+1, d)), size Bs = L.+1 ->
           row ord_max (apply_layers Bs (fun=> causal_mask R p.+1) (perm_mx t *m X))
           = row ord_max (apply_layers Bs (fun=> causal_mask R p.+1) X))
        <-> if L is 0%N then t ord_max = ord_max else t = 1%g).
Proof.
move=> G0 w0 unmoved kept; have [all_layers averaging] := context_group s G0 scale L i w0.
split; first exact: all_layers.
by split; [exact: averaging | move=> p t; exact: (causal_context scale t L w0)].
Qed.

(* id: one_layer_computes_every_equivariant_function *)
Theorem one_layer_computes_every_equivariant_function (R : realFieldType) (w : R -> R) (scale : R)
    (V : finType) n p :
  w 0 != 0 ->
  let one := fun k d (emb : V -> 'rV[R]_d) (f : 'rV[R]_d -> 'M[R]_(1, d) -> 'rV[R]_p) x =>
    apply_layer (averaging_layer w scale f) (fun=> const_mx 1) (embed emb x) : 'M[R]_(k, p) in
  (* a function of n tokens whose values move with the tokens: one unmasked layer of one head that
     averages, with some embedding and row-wise map *)
  (forall F : n.-tuple V -> 'I_n -> 'rV[R]_p,
     (forall (s : 'S_n) x i, F [tuple tnth x (s k) | k < n] i = F x (s i)) ->
     exists d emb f, forall x i, row i (one n d emb f x) = F x i)
  (* a function of the multiset of n + 1 tokens: such a layer and the mean of its rows *)
  /\ (forall F : n.+1.-tuple V -> 'rV[R]_p, (forall x y : n.+1.-tuple V, perm_eq x y -> F x = F y) ->
        exists d emb f, forall x, mean_pool (one n.+1 d emb f x) = F x).
Proof.
move=> w0 one; split=> F HF.
  by exists #|V|, (@one_hot R V), (answer F) => x i; exact: universal.
by exists #|V|, (@one_hot R V), (answer (fun x _ => F x)) => x; exact: universal_pooled.
Qed.

(* id: not_colour_refinement_of_fewer_layers *)
Theorem not_colour_refinement_of_fewer_layers (R : realFieldType) :
  (* equal tokens, so T_0 is the same, and yet some stack of one layer tells them apart *)
  (let x := [tuple true; true] in let y := [tuple true; false] in
   let G := (fun=> const_mx 1) : 'I_1 -> 'M[R]_2 in
   same_type (either x y) (side_by_side G G) 0 (inl ord0) (inr ord0)
   /\ ~ forall d (Bs : seq (layer R 1 d d)) (emb : bool -> 'rV[R]_d), size Bs = 1%N ->
          row ord0 (apply_layers Bs G (embed emb x)) = row ord0 (apply_layers Bs G (embed emb y)))
  (* a row of sum 0, which has no shares: T_1 is the same, and a layer tells the tokens apart *)
  /\ (let x := [tuple 0%N; 1%N] in let y := [tuple 0%N; 2%N] in
      let G := (fun=> \matrix_(i, j) (if j == 0 then 1 else -1)) : 'I_1 -> 'M[R]_2 in
      same_type (either x y) (side_by_side G G) 1 (inl 0) (inr 0)
      /\ exists (B : layer R 1 1 1) (emb : nat -> 'rV[R]_1),
           row 0 (apply_layers [:: B] G (embed emb x)) <> row 0 (apply_layers [:: B] G (embed emb y))).
Proof. by split; [exact: (@fewer_layers R (fun=> 1) 0 (oner_neq0 R)) | exact: rows_of_sum_0]. Qed.

(* id: two_causal_layers_see_everything *)
Theorem two_causal_layers_see_everything (R : archiFieldType) (w : R -> R) (scale : R) (V : finType)
    (first : V) :
  w 0 != 0 ->
  (* one embedding and two row-wise maps of width 2, for sequences of all lengths *)
  exists (emb : V -> 'rV[R]_2) (f1 f2 : 'rV[R]_2 -> 'M[R]_(1, 2) -> 'rV[R]_2),
  (* the row of the last token, two causal layers whose head averages, x after the first token *)
  let last_row := fun x : seq V =>
    row ord_max (apply_layers [:: averaging_layer w scale f1; averaging_layer w scale f2]
      (fun=> causal_mask R (size x).+1) (embed emb (cons_tuple first (in_tuple x)))) in
  (* the first token is unlike the others: different sequences have different rows *)
  forall x y, first \notin x -> first \notin y -> last_row x = last_row y -> x = y.
Proof.
move=> w0; exists (marked_number R first), (@write_digit R V), (@collect R).
exact: (@all_told_apart R w scale V first w0).
Qed.

(* id: not_everything_seen_by_one_causal_layer *)
Theorem not_everything_seen_by_one_causal_layer (R : realFieldType) (V : eqType) :
  (* one causal layer, any heads, weights and row-wise maps: the multiset and the last token decide
     the row of the last token *)
  (forall n d p (B : layer R 1 d p) (emb : V -> 'rV[R]_d) (x y : n.+1.-tuple V),
     perm_eq x y -> tnth x ord_max = tnth y ord_max ->
     row ord_max (apply_layer B (fun=> causal_mask R n.+1) (embed emb x))
     = row ord_max (apply_layer B (fun=> causal_mask R n.+1) (embed emb y)))
  (* so two sequences after one first token that are not told apart *)
  /\ (forall (first a b : V) d p (B : layer R 1 d p) (emb : V -> 'rV[R]_d), a != b ->
        let x := [tuple first; a; b; a] in let y := [tuple first; b; a; a] in
        x <> y /\ row ord_max (apply_layer B (fun=> causal_mask R 4) (embed emb x))
                  = row ord_max (apply_layer B (fun=> causal_mask R 4) (embed emb y)))
  (* no first token unlike the others: constant sequences of any lengths n and m, under any masks,
     after any layers *)
  /\ (forall H n m d (G : 'I_H -> 'M[R]_n) (G' : 'I_H -> 'M[R]_m) v (Bs : seq (layer R H d d))
        (emb : V -> 'rV[R]_d) i j,
        (forall h k, \sum_l G h k l != 0) -> (forall h k, \sum_l G' h k l != 0) ->
        row i (apply_layers Bs G (embed emb (nseq_tuple n v)))
        = row j (apply_layers Bs G' (embed emb (nseq_tuple m v)))).
Proof.
split; first exact: one_causal_layer.
split; last exact: constant_sequences.
move=> first a b d p B emb ne_ab x y; split=> [[eq_ab]|]; first by rewrite eq_ab eqxx in ne_ab.
apply: one_causal_layer => //; rewrite /= perm_cons; apply/seq.permP => c /=.
by rewrite addnCA.
Qed.

From mathcomp Require Import poly.
From orderproof Require Import Hausdorff ConstantSequence.

(* id: causal_weights_at_every_depth *)
Theorem causal_weights_at_every_depth (R : realFieldType) (w : R -> R) (scale : R) d k
    (WK : 'M[R]_(d.+1, k)) (layers : seq (R * R)) :
  w 0 != 0 ->
  (* layers r I + v M, M the mean of the past: the last of n + 1 tokens weighs token j, from 0, by
     C(n, j) sum_(p <= n - j) (-1)^p C(n - j, p) prod (r + v / (j + p + 1)) *)
  (forall n (X : 'M[R]_(n.+1, d.+1)) f,
     averaging_stack w scale WK layers X ord_max f = \sum_(j < n.+1) causal_weight layers n j * X j f)
  (* two layers without skips, three tokens, a unit at the first or at the second *)
  /\ causal_weight [:: (0, 1); (0, 1)] 2 0 = 11%:R / 18%:R :> R
  /\ causal_weight [:: (0, 1); (0, 1)] 2 1 = 5%:R / 18%:R :> R
  (* the last of n + 1 tokens is blind to the order of the others if and only if these weigh the
     same; that is, if the product of the layers is a + b u at u = 1, 1/2, ..., 1/(n + 1) *)
  /\ (forall n, last_token_blind w scale n WK layers
      <-> forall j, (j < n)%N -> causal_weight layers n j = causal_weight layers n 0)
  /\ (forall n, last_token_blind w scale n WK layers
      <-> exists a b, forall m, (m <= n)%N -> layer_product layers m.+1%:R^-1 = a + b * m.+1%:R^-1)
  (* three tokens: mu_0 - 4 mu_1 + 3 mu_2 = 0 *)
  /\ (last_token_blind w scale 2 WK layers
      <-> layer_product layers 1 - 4%:R * layer_product layers 2%:R^-1
          + 3%:R * layer_product layers 3%:R^-1 = 0)
  (* at one length of more tokens than layers, and so at all lengths: if and only if the product of
     the layers has degree at most 1 in u *)
  /\ (forall n, (size layers <= n)%N ->
      last_token_blind w scale n WK layers <-> (size (layer_polynomial layers) <= 2)%N)
  /\ ((forall n, last_token_blind w scale n WK layers) <-> (size (layer_polynomial layers) <= 2)%N)
  (* which is to say that a layer is 0, or at most one attends *)
  /\ (size (layer_polynomial layers) <= 2)%N
     = ((0, 0) \in layers) || (count (fun l => l.2 != 0%R) layers <= 1)%N.
Proof.
move=> w0; split=> [n X f|]; first exact: averaging_stack_weights.
have [first second] := three_tokens R.
split; first by rewrite -first -(two_layer_causal_weight scale w0).
split; first by rewrite -second -(two_layer_causal_weight scale w0).
split=> [n|]; first exact: blind_iff_weights.
split=> [n|]; first exact: blind_iff_interpolates.
split; first exact: blind_iff_three.
split=> [n le_n|]; first exact: blind_iff_degree.
by split; [rewrite degree_le1; exact: always_blind_iff | exact: degree_le1].
Qed.

(* id: constant_sequence_blind *)
Theorem constant_sequence_blind (R : realFieldType) (w : R -> R) (scale : R) d (x : 'rV[R]_d) :
  (* any stack of layers whose weights, any functions of the states and the length, add up to 1 in
     each row, with any maps of rows: all states are equal, at every position and every length *)
  (forall Ls : seq (mixing_layer R d), exists y, forall n,
     mixing_stack Ls (constant_rows n x) = constant_rows n y)
  (* so it is of any stack of blocks under a mask or bias that leaves each token something to see *)
  /\ ((forall z, 0 < w z) -> forall Bs : seq (block R d), exists y, forall n (G : 'M[R]_n),
        sees_some G -> encoder w scale Bs G (constant_rows n x) = constant_rows n y)
  (* as the causal mask does *)
  /\ (forall n, sees_some (causal_mask R n))
  (* weights that do not add up to 1 do tell: a causal sum of ones counts them *)
  /\ forall n i, (causal_mask R n *m constant_rows n (1 : 'rV_1)) i 0 = i.+1%:R.
Proof.
split=> [Ls|]; first exact: mixing_stack_constant.
split=> [w_gt0 Bs|]; first exact: encoder_constant.
by split=> [n|n i]; [exact: causal_sees_some | exact: causal_count].
Qed.

From orderproof Require Import WeightedMeans HausdorffEntries CausalRows.

(* id: causal_variance *)
Theorem causal_variance (R : realFieldType) n (i : 'I_n) :
  (* uncorrelated values, each of variance v: a combination has v times the sum of squares *)
  (forall (C : 'I_n -> 'I_n -> R) v (a : 'I_n -> R), (forall j l, C j l = v * (j == l)%:R) ->
     \sum_j (\sum_k a k * C k j) * a j = v * \sum_j a j ^+ 2)
  (* for the mean of the first t = i + 1 values this sum is 1/t *)
  /\ \sum_j averaging_mx n (0, 1) i j ^+ 2 = i.+1%:R^-1 :> R
  (* and for the mean of these means (2 t - H_t)/t^2 *)
  /\ \sum_j (averaging_mx n (0, 1) *m averaging_mx n (0, 1)) i j ^+ 2
     = (2%:R * i.+1%:R - \sum_(k < i.+1) k.+1%:R^-1) / i.+1%:R ^+ 2 :> R.
Proof.
have meanE (l j : 'I_n) : averaging_mx n (0, 1) l j = (j%:R <= l%:R :> R)%R%:R / l.+1%:R :> R.
  by rewrite mxE mul0r add0r mul1r count_past.
split=> [C v a|]; first exact: uncorrelated.
split; first by rewrite -[RHS](mean_squares R i); apply: eq_bigr => j _; rewrite meanE.
rewrite -two_mean_squares; apply: eq_bigr => j _; rewrite mxE; congr (_ ^+ 2).
by apply: eq_bigr => l _; rewrite !meanE.
Qed.

(* id: causal_position_recoverable *)
Theorem causal_position_recoverable (R : realFieldType) (w : R -> R) (c : R) n d e f
    (b x : 'I_d -> R) (WQ WK : 'I_d -> 'I_e -> R) (WV : 'I_d -> 'I_f -> R) :
  (forall z, 0 < w z) -> (forall y z, w (y + z) = w y * w z) ->
  (* causal attention on b, x, ..., x: row t = i + 1 is v_x + (v_b - v_x)/(1 + (t - 1) r) *)
  (forall (i : 'I_n) g, marked_output w c b x WQ WK WV i g
     = marked_value WV x g + (marked_value WV b g - marked_value WV x g)
         / (1 + i%:R * marked_ratio w c b x WQ WK))
  (* r > 0, the weight of x over that of b *)
  /\ 0 < marked_ratio w c b x WQ WK
  (* so any two rows differ if and only if v_b and v_x do *)
  /\ forall i j : 'I_n, i != j ->
       (exists g, marked_output w c b x WQ WK WV i g <> marked_output w c b x WQ WK WV j g)
       <-> exists g, marked_value WV b g <> marked_value WV x g.
Proof.
move=> w_gt0 wD; split=> [i g|]; first exact: marked_row.
split=> [|i j ne_ij]; first exact: w_gt0.
split=> - [g differ]; exists g => same; last by move: same; exact: marked_rows_differ.
by apply: differ; exact: marked_rows_equal.
Qed.

(* Heads with factors and biases of their own, and what depends on row constants. *)
From orderproof Require Import Shallow HeadBiases.

(* id: softmax_shift_invariant *)
Theorem softmax_shift_invariant (R : realFieldType) (w : R -> R) n m (S : 'M[R]_(n, m))
    (c : 'I_n -> R) :
  (forall x y, w (x + y) = w x * w y) -> (forall x, w x != 0) ->
  (* a number c_i subtracted from all scores of row i: its largest, as libraries do, or any other *)
  softmax w (\matrix_(i, j) (S i j - c i)) = softmax w S.
Proof.
move=> wD w_neq0; apply/matrixP => i j; rewrite !normalizeE !mxE.
under eq_bigr do rewrite !mxE; under [in RHS]eq_bigr do rewrite mxE.
by apply: (weights_scaled (c := w (- c i))) => // k; rewrite wD mulrC.
Qed.

(* id: layer_norm_invariant_of_row_constants *)
Theorem layer_norm_invariant_of_row_constants (R : realFieldType) (root : R -> R) (eps : R) d
    (gamma beta x : 'rV[R]_d) (a : R) :
  (* the same number added to all features of a row *)
  layer_norm root eps gamma beta (x + const_mx a) = layer_norm root eps gamma beta x.
Proof.
have added k : (x + const_mx a) 0 k = x 0 k + a by rewrite mxE [const_mx a _ _]mxE.
apply/rowP => c; rewrite [LHS]mxE [RHS]mxE.
exact: (normed_same root (gamma 0 c) (beta 0 c) eps c added).
Qed.

(* id: pre_norm_equivariant_of_row_constants *)
Theorem pre_norm_equivariant_of_row_constants (R : realFieldType) (w root : R -> R)
    (scale eps : R) n d k e (s : 'S_n) (gamma beta : 'rV[R]_d) (WQ WK : 'M[R]_(d, k))
    (WV : 'M[R]_(d, e)) (E X : 'M[R]_(n, d)) (a : 'I_n -> R) :
  (* s changes the table by the same number in all features of a row *)
  perm_mx s *m E = E + (\matrix_(i, j) a i) ->
  let norm := row_wise (layer_norm root eps gamma beta) in
  self_attention w scale WQ WK WV (norm (perm_mx s *m X + E))
  = perm_mx s *m self_attention w scale WQ WK WV (norm (X + E)).
Proof.
move=> moved norm; rewrite -self_attention_equivariant -row_wise_perm mulmxDr moved; congr self_attention.
apply/row_matrixP => i; rewrite !rowK addrA [in RHS]raddfD /=.
have -> : row i (\matrix_(i, j) a i) = const_mx (a i) :> 'rV[R]_d by apply/rowP => j; rewrite !mxE.
by rewrite layer_norm_invariant_of_row_constants.
Qed.

(* A table behind a layer norm. *)
From orderproof Require Import NormedTables.

(* id: normed_position_iff *)
Theorem normed_position_iff (R : realFieldType) (w root : R -> R) (scale eps : R) n d k e
    (s : 'S_n) (gamma beta : 'rV[R]_d) (E : 'M[R]_(n, d)) :
  (* w positive and increasing, and turns sums into products *)
  (forall x, 0 < w x) -> (forall x y, w (x + y) = w x * w y) -> (forall x y, x < y -> w x < w y) ->
  square_root root -> 0 < eps -> scale != 0 ->
  let norm := row_wise (layer_norm root eps gamma beta) in
  let commutes := forall (WQ WK : 'M[R]_(d, k.+1)) (WV : 'M[R]_(d, e.+1)) X,
    self_attention w scale WQ WK WV (norm (perm_mx s *m X + E))
    = perm_mx s *m self_attention w scale WQ WK WV (norm (X + E)) in
  (* one gain that is not 0: what s changes in the table is the same in all features of each row *)
  ((exists c, gamma 0 c != 0) ->
     (commutes <-> forall i a b, (perm_mx s *m E - E) i a = (perm_mx s *m E - E) i b))
  (* all gains 0: any table *)
  /\ ((forall c, gamma 0 c = 0) -> commutes).
Proof.
move=> w_gt0 wD w_up rootP eps_gt0 scale0 norm commutes; split=> [[c gamma0]|gamma0 WQ WK WV X].
  split=> [H i a b|same WQ WK WV X].
    apply/eqP; apply: wlog_neg => /eqP changed.
    have [WQ [WK [WV [X differ]]]] :=
      normed_table_seen w_gt0 wD w_up rootP eps_gt0 scale0 beta k e gamma0 changed.
    by case: differ; exact: H.
  apply: (@pre_norm_equivariant_of_row_constants _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
    (fun i => (perm_mx s *m E - E) i c)).
  apply/matrixP => i j; rewrite [RHS]mxE [X in _ = _ + X]mxE -(same i j c).
  by rewrite [X in _ = _ + X]mxE [X in _ = _ + (_ + X)]mxE addrC subrK.
have normE Y : norm Y = \matrix_(_, j) beta 0 j.
  by apply/matrixP => i j; rewrite [RHS]mxE [LHS]mxE [LHS]mxE gamma0 mul0r add0r.
rewrite !normE -[RHS]self_attention_equivariant; congr self_attention.
by apply/matrixP => i j; rewrite perm_mxE !mxE.
Qed.

(* id: uniform_attention_sees_no_table *)
Theorem uniform_attention_sees_no_table (R : realFieldType) n d e (s : 'S_n)
    (E X : 'M[R]_(n, d)) (WV : 'M[R]_(d, e)) :
  (* the mean of the values, which equal weights 1/n give; any table, moved or not *)
  mean_pool ((perm_mx s *m X + E) *m WV) = mean_pool ((X + E) *m WV).
Proof.
have apart (A B : 'M[R]_(n, e)) : mean_pool (A + B) = mean_pool A + mean_pool B.
  apply/rowP => j; rewrite !mxE -mulrDl -big_split; congr (_ / _).
  by apply: eq_bigr => i _; rewrite mxE.
by rewrite !mulmxDl -mulmxA !apart mean_pool_perm.
Qed.

(* id: score_bias_iff_of_heads *)
Theorem score_bias_iff_of_heads (R : realFieldType) (w : R -> R) (scale : R) n d p (s : 'S_n.+1) :
  let P : 'M[R]_n.+1 := perm_mx s in
  let model Ls G B := encoder_with w scale (n := n.+1) (d := d) Ls G B in
  (* an encoder of any depth, each head of each block with a factor G l a >= 0 at its weights and a
     bias B l a added to its scores: they move with the tokens *)
  (forall Ls G B X, model Ls (fun l a => P *m G l a *m P^T) (fun l a => P *m B l a *m P^T) (P *m X)
     = P *m model Ls G B X)
  (* so those that s keeps may stay *)
  /\ (forall Ls G B X, (forall l a, P *m G l a *m P^T = G l a) ->
        (forall l a, P *m B l a *m P^T = B l a) -> model Ls G B (P *m X) = P *m model Ls G B X)
  (* the same factor in all heads, and no biases: the encoder of Encoder.v *)
  /\ (forall Ls G X, model Ls (fun _ _ => G) (fun _ _ => 0) X = encoder w scale Ls G X)
  (* h heads of any widths commute with s for all weights iff s keeps the factor of every head, up to
     a positive factor for each row, of each head its own *)
  /\ (forall h (G : nat -> 'M[R]_n.+1), w 0 != 0 ->
        (forall a, (a < h)%N -> (forall i j, 0 <= G a i j) /\ forall i, exists j, 0 < G a i j) ->
        (forall H : head_weights R d.+1 d.+1 p.+1, heads H = h -> forall X,
           heads_with w scale H G (fun=> 0) (P *m X) (P *m X)
           = P *m heads_with w scale H G (fun=> 0) X X)
        <-> forall a, (a < h)%N -> exists c : 'I_n.+1 -> R,
              (forall i, 0 < c i) /\ forall i j, G a (s i) (s j) = c i * G a i j).
Proof.
move=> P model; split; first by move=> Ls G B X; exact: encoder_with_perm.
split=> [Ls G B X keepG keepB|].
  rewrite -[RHS]encoder_with_perm; apply: eq_encoder_with => l a; first by rewrite keepG.
  by rewrite keepB.
split; first by move=> Ls G X; exact: encoder_with_same.
by move=> h G w0 G_ge; exact: heads_iff.
Qed.

(* Rotary positions, position ids, documents and offsets. *)
From orderproof Require Import RotaryIds.

(* id: sinusoidal_shift_is_rotation *)
Theorem sinusoidal_shift_is_rotation (R : realFieldType) (cos sin : R -> R) h
    (theta : 'I_h -> R) (p q t : R) :
  (* the addition theorems, and cos^2 + sin^2 = 1 *)
  circular cos sin ->
  (* the pair of a later place is the earlier one turned *)
  (forall k, sin ((p + t) * theta k)
     = sin (t * theta k) * cos (p * theta k) + cos (t * theta k) * sin (p * theta k))
  /\ (forall k, cos ((p + t) * theta k)
     = cos (t * theta k) * cos (p * theta k) - sin (t * theta k) * sin (p * theta k))
  (* the product of two rows is a function of the difference of their places *)
  /\ \sum_k (sin (p * theta k) * sin (q * theta k) + cos (p * theta k) * cos (q * theta k))
     = \sum_k cos ((q - p) * theta k).
Proof.
move=> turns; split=> [k|]; first by rewrite mulrDl addrC (sin_add turns).
split=> [k|]; first by rewrite mulrDl addrC (cos_add turns).
by apply: eq_bigr => k _; rewrite mulrBl (cos_sub turns) addrC.
Qed.

(* id: rope_relative_score *)
Theorem rope_relative_score (R : realFieldType) (cos sin : R -> R) h
    (theta x y u v : 'I_h -> R) :
  circular cos sin ->
  (* pair k of a query turned by p theta_k, of a key by q theta_k *)
  let score p q := \sum_k
    ((cos (p * theta k) * x k - sin (p * theta k) * y k)
       * (cos (q * theta k) * u k - sin (q * theta k) * v k)
     + (sin (p * theta k) * x k + cos (p * theta k) * y k)
       * (sin (q * theta k) * u k + cos (q * theta k) * v k)) in
  (* the score is that of the query as it is and of the key turned by the difference *)
  (forall p q, score p q = \sum_k
     (x k * (cos ((q - p) * theta k) * u k - sin ((q - p) * theta k) * v k)
      + y k * (sin ((q - p) * theta k) * u k + cos ((q - p) * theta k) * v k)))
  (* a common offset changes nothing *)
  /\ (forall p q t, score (p + t) (q + t) = score p q)
  (* lengths are kept *)
  /\ (forall t, \sum_k ((cos (t * theta k) * x k - sin (t * theta k) * y k) ^+ 2
                        + (sin (t * theta k) * x k + cos (t * theta k) * y k) ^+ 2)
      = \sum_k (x k ^+ 2 + y k ^+ 2)).
Proof.
move=> turns score.
have relative p q : score p q = \sum_k
    (x k * (cos ((q - p) * theta k) * u k - sin ((q - p) * theta k) * v k)
     + y k * (sin ((q - p) * theta k) * u k + cos ((q - p) * theta k) * v k)).
  by apply: eq_bigr => k _; rewrite (turned_score turns) mulrBl.
split=> //; split=> [p q t|t]; last first.
  by apply: eq_bigr => k _; rewrite !expr2; exact: (turned_length turns).
by rewrite !relative; apply: eq_bigr => k _; rewrite opprD addrACA subrr addr0.
Qed.

(* id: positions_that_travel *)
Theorem positions_that_travel (R : realFieldType) (I : Type) n d (s : 'S_n) (p : 'I_n -> I)
    (Ls : seq (placed_layer R I d)) (E : I -> 'rV[R]_d) (X : 'M[R]_(n, d)) :
  (* any number of layers with skips and row-wise maps, in which the weight of a query and a key is
     any function of both and of the ids of both: biases, masks, relative keys, rotary positions *)
  placed_stack Ls (fun i => p (s i)) (perm_mx s *m X) = perm_mx s *m placed_stack Ls p X
  (* a row for each id, added to the tokens, goes along *)
  /\ placed_stack Ls (fun i => p (s i)) (perm_mx s *m X + \matrix_i E (p (s i)))
     = perm_mx s *m placed_stack Ls p (X + \matrix_i E (p i))
  (* ids that s keeps may stay *)
  /\ ((forall i, p (s i) = p i) ->
      placed_stack Ls p (perm_mx s *m X) = perm_mx s *m placed_stack Ls p X).
Proof.
have along Y : placed_stack Ls (fun i => p (s i)) (perm_mx s *m Y) = perm_mx s *m placed_stack Ls p Y.
  exact: placed_stack_perm.
split=> //; split=> [|keep]; last by apply: placed_stack_perm => i; rewrite keep.
rewrite -along mulmxDr; congr (placed_stack _ _ (_ + _)).
by apply/row_matrixP => i; rewrite row_perm_mx !rowK.
Qed.

(* id: offset_invariant_of_relative_positions *)
Theorem offset_invariant_of_relative_positions (R : realFieldType) n d (t : R) (place : 'I_n -> R)
    (Ls : seq (placed_layer R R d)) (X : 'M[R]_(n, d)) :
  (* any number of layers whose weights are any functions of the difference of the places, of the
     query and of the key: ALiBi, relative keys, rotary positions, windows, causal masks *)
  placed_stack [seq by_difference L | L <- Ls] (fun i => place i + t) X
  = placed_stack [seq by_difference L | L <- Ls] place X.
Proof. exact: offset_lost. Qed.

(* id: documents_in_parallel *)
Theorem documents_in_parallel (R : realFieldType) n m h d (s : 'S_n.+1)
    (p p' : 'I_n.+1 -> 'I_m) (beta beta' : 'I_n.+1 -> 'I_h)
    (Ls : seq (placed_layer R ('I_m * 'I_h) d)) (X : 'M[R]_(n.+1, d)) :
  (* tokens in documents, and a query, the last token, which stays the last *)
  s ord_max = ord_max ->
  (* every token keeps its document, and stands in it after the same ones as before *)
  (forall i, beta' i = beta (s i)) ->
  (forall i j, beta' i = beta' j -> (j < i)%N = (s j < s i)%N) ->
  (* ids count the tokens before it in its document; that of the query is what it was *)
  (forall i, i != ord_max -> p i = (\sum_(j | beta j == beta i) (j < i)%N)%N :> nat) ->
  (forall i, i != ord_max -> p' i = (\sum_(j | beta' j == beta' i) (j < i)%N)%N :> nat) ->
  p' ord_max = p ord_max ->
  (* any number of layers whose weights depend on the ids and documents of both tokens in any way *)
  row ord_max (placed_stack Ls (fun i => (p' i, beta' i)) (perm_mx s *m X))
  = row ord_max (placed_stack Ls (fun i => (p i, beta i)) X).
Proof.
move=> s_last eq_beta inside count count' last.
have eq_p i : p' i = p (s i).
  have [->|ne] := eqVneq i ord_max; first by rewrite s_last.
  have ne_s : s i != ord_max by rewrite -s_last (inj_eq (@perm_inj _ s)).
  apply/val_inj; rewrite /= count' // count // [RHS](reindex_inj (@perm_inj _ s)).
  apply: eq_big => j; rewrite !eq_beta // => /eqP same.
  by rewrite -inside // !eq_beta.
rewrite (@placed_stack_perm _ _ _ _ _ s (fun i => (p i, beta i))) => [|i]; last by rewrite eq_p eq_beta.
by rewrite row_perm_mx s_last.
Qed.

(* id: score_bias_iff_of_layers *)
Theorem score_bias_iff_of_layers (R : realFieldType) (w : R -> R) (scale : R) n d k l (s : 'S_n.+1)
    (G : 'M[R]_n.+1) :
  w 0 != 0 -> (forall i j, 0 <= G i j) -> (forall i, exists j, 0 < G i j) ->
  (* any number of layers from one on, each with a skip and with weights of its own *)
  let layer (Z : 'M_(n.+1, d.+1)) (W : 'M[R]_(d.+1, k) * 'M_(d.+1, k) * 'M_d.+1) :=
    Z + masked_self_attention w scale G W.1.1 W.1.2 W.2 Z in
  (* they commute with s for all weights iff s keeps G up to a positive factor for each row *)
  (forall Ws X, size Ws = l.+1 -> foldl layer (perm_mx s *m X) Ws = perm_mx s *m foldl layer X Ws)
  <-> exists c : 'I_n.+1 -> R, (forall i, 0 < c i) /\ forall i j, G (s i) (s j) = c i * G i j.
Proof.
move=> w0 G_ge0 G_gt0 layer; split=> [commutes|[c [c_gt0 eqG]] Ws X _]; last first.
  have c0 i : c i != 0 by rewrite gt_eqF.
  elim: Ws X => [//|W Ws IH] X; rewrite [LHS]/= [X in _ = _ *m X]/= -IH; congr (foldl _ _ _).
  by rewrite /layer (factor_commutes _ _ _ _ _ _ c0 eqG) -mulmxDr.
apply: (commutes_factor (w := w) (scale := scale) (d := d) (k := k) (e := d) G_ge0 G_gt0 w0) => Q K V X.
have still Z : foldl layer Z (nseq l (0, 0, 0)) = Z.
  elim: l {commutes} => //= j IH; rewrite -[RHS]IH; congr foldl.
  by rewrite /layer /= /masked_self_attention /masked_attend !mulmx0 addr0.
have := commutes ((Q, K, V) :: nseq l (0, 0, 0)) X; rewrite /= size_nseq => /(_ erefl).
by rewrite !still /layer /= mulmxDr => /addrI.
Qed.

(* Distances of rows.  N is any seminorm, apart N X i j the distance of rows i and j of X in it. *)
From orderproof Require Import Contraction.

(* id: attention_contracts *)
Theorem attention_contracts (R : realFieldType) e (N : 'rV[R]_e -> R) n m (A : 'M[R]_(n, m))
    (V : 'M[R]_(m, e)) (t D : R) :
  seminorm N ->
  (* the rows of A have one sum *)
  (forall i j, \sum_k A i k = \sum_k A j k) ->
  (* the rows of V are apart by D at most *)
  (forall k l, apart N V k l <= D) ->
  (* two rows of A V are apart by D times the total variation of those of A, half the sum of their
     absolute differences *)
  (forall i j, apart N (A *m V) i j <= variation (A i) (A j) * D)
  (* hence by t D, where no two rows of A have a larger variation than t *)
  /\ ((0 < m)%N -> (forall i j, variation (A i) (A j) <= t) ->
      forall i j, apart N (A *m V) i j <= t * D).
Proof.
move=> N_seminorm same le_D; have le_V i j := average_apart N_seminorm (same i j) le_D.
split=> // m_gt0 le_t i j; apply: (le_trans (le_V i j)); rewrite ler_wpmul2r //.
exact: le_trans (seminorm_ge0 N_seminorm _) (le_D (Ordinal m_gt0) (Ordinal m_gt0)).
Qed.

(* id: position_after_first_layer_contracts *)
Theorem position_after_first_layer_contracts (R : realFieldType) (w : R -> R) (scale : R)
    n d k e (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (X : 'M[R]_(n, d))
    (N0 : 'rV[R]_d -> R) (N : 'rV[R]_e -> R) (mu omega s : R) :
  (* of exp: positive, turns sums into products, increases, and tanh (x/2) <= x/2 *)
  (forall x, 0 < w x) -> (forall x y, w (x + y) = w x * w y) -> (forall x y, x < y -> w x < w y) ->
  (forall x, 0 <= x -> w x - 1 <= x / 2%:R * (w x + 1)) ->
  seminorm N0 -> seminorm N ->
  (* mu bounds the form of the scores, scale WQ WK^T, and omega the map of the values *)
  0 <= mu -> 0 <= omega ->
  (forall x y, (x *m score_form scale WQ WK *m y^T) 0 0 <= mu * N0 x * N0 y) ->
  (forall x, N (x *m WV) <= omega * N0 x) ->
  (* the tokens are apart by s at most *)
  (forall i j, apart N0 X i j <= s) ->
  let A := softmax w (scores scale (X *m WQ) (X *m WK)) in
  let Z := self_attention w scale WQ WK WV X in
  let tanh_quarter o := (w (o / 2%:R) - 1) / (w (o / 2%:R) + 1) in
  (* the weights of two tokens have a variation of at most tanh (mu |x_i - x_j| s / 4) *)
  (forall i j, variation (A i) (A j) <= tanh_quarter (mu * apart N0 X i j * s))
  (* kappa = mu omega s^2/4 bounds how the distance of two tokens grows *)
  /\ (forall i j, apart N Z i j <= mu * omega * s ^+ 2 / 4%:R * apart N0 X i j)
  (* so that all outputs are apart by mu omega s^3/4 at most *)
  /\ (forall i j, apart N Z i j <= mu * omega * s ^+ 3 / 4%:R).
Proof.
move=> w_gt0 wD w_up w_tanh N0P NP mu_ge0 omega_ge0 le_mu le_omega le_s A Z tanh_quarter.
have scores_vary i j a b : let S := scores scale (X *m WQ) (X *m WK) in
    (S i a - S j a) - (S i b - S j b) <= mu * apart N0 X i j * apart N0 X a b.
  by move=> S; rewrite scores_linear; exact: le_mu.
have values_vary a b : apart N (X *m WV) a b <= omega * apart N0 X a b.
  by rewrite values_linear; exact: le_omega.
split; last first.
  split=> i j; [apply: (layer_contracts w_gt0 wD w_up w_tanh NP N0P) => //
    | apply: (layer_spread w_gt0 wD w_up w_tanh NP N0P) => //]; by move=> *; exact: scores_vary.
move=> i j; rewrite ler_pdivl_mulr ?addr_gt0 ?ltr01 //; apply: (softmax_variation w_gt0 wD w_up (leq_ltn_trans (leq0n i) (ltn_ord i))) => a b.
apply: le_trans (scores_vary i j a b) _.
by rewrite ler_wpmul2l // mulr_ge0 // seminorm_ge0.
Qed.

(* id: position_after_first_layer_collapses *)
Theorem position_after_first_layer_collapses (R : realFieldType) (w : R -> R) (scale : R) n d k
    (WQ WK : nat -> 'M[R]_(d, k)) (WV : nat -> 'M[R]_d) (X : nat -> 'M[R]_(n, d))
    (N : 'rV[R]_d -> R) (mu omega r s : R) :
  (forall x, 0 < w x) -> (forall x y, w (x + y) = w x * w y) -> (forall x y, x < y -> w x < w y) ->
  (forall x, 0 <= x -> w x - 1 <= x / 2%:R * (w x + 1)) -> seminorm N ->
  (* layers of attention without skips, each with its own weights *)
  (forall l, X l.+1 = self_attention w scale (WQ l) (WK l) (WV l) (X l)) ->
  (* mu and omega bound the scores and the values of all of them, and r^2 = mu omega/4 *)
  0 <= mu -> 0 <= omega -> 0 <= r -> r ^+ 2 = mu * omega / 4%:R ->
  (forall l x y, (x *m score_form scale (WQ l) (WK l) *m y^T) 0 0 <= mu * N x * N y) ->
  (forall l x, N (x *m WV l) <= omega * N x) ->
  (* from tokens apart by s at most: the distances, times r, fall as (r s)^(3^L) *)
  (forall i j, apart N (X 0%N) i j <= s) ->
  forall L i j, r * apart N (X L) i j <= (r * s) ^+ (3 ^ L).
Proof.
move=> w_gt0 wD w_up w_tanh NP step mu_ge0 omega_ge0 r_ge0 r2 le_mu le_omega le_s L i j.
have s_ge0 : 0 <= s := le_trans (seminorm_ge0 NP _) (le_s i j).
pose bound := fix bound l := if l is l'.+1 then r ^+ 2 * bound l' ^+ 3 else s.
have bound_ge0 l : 0 <= bound l.
  by elim: l => //= l IH; rewrite mulr_ge0 ?sqr_ge0 ?exprn_ge0.
have le_bound l : forall a b, apart N (X l) a b <= bound l.
  elim: l => //= l IH a b; rewrite step r2 mulrAC.
  have [_ [_ le_3]] := position_after_first_layer_contracts w_gt0 wD w_up w_tanh NP NP mu_ge0
    omega_ge0 (le_mu l) (le_omega l) IH.
  exact: le_3.
have := @cubes R r bound r_ge0 bound_ge0 (fun l => lexx _) L.
by apply: le_trans; rewrite ler_wpmul2l.
Qed.

(* id: position_after_first_layer_skip *)
Theorem position_after_first_layer_skip (R : realFieldType) (w : R -> R) (scale : R) n d k
    (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_d) (X : 'M[R]_(n, d)) (N : 'rV[R]_d -> R) (mu omega s : R) :
  (forall x, 0 < w x) -> (forall x y, w (x + y) = w x * w y) -> (forall x y, x < y -> w x < w y) ->
  (forall x, 0 <= x -> w x - 1 <= x / 2%:R * (w x + 1)) -> seminorm N ->
  0 <= mu -> 0 <= omega ->
  (forall x y, (x *m score_form scale WQ WK *m y^T) 0 0 <= mu * N x * N y) ->
  (forall x, N (x *m WV) <= omega * N x) ->
  (forall i j, apart N X i j <= s) ->
  let Y := X + self_attention w scale WQ WK WV X in
  let kappa := mu * omega * s ^+ 2 / 4%:R in
  (* with a skip the distance of two tokens changes by a factor between 1 - kappa and 1 + kappa *)
  (forall i j, (1 - kappa) * apart N X i j <= apart N Y i j <= (1 + kappa) * apart N X i j)
  (* if kappa < 1, tokens that are apart stay apart *)
  /\ (kappa < 1 -> forall i j, 0 < apart N X i j -> 0 < apart N Y i j).
Proof.
move=> w_gt0 wD w_up w_tanh NP mu_ge0 omega_ge0 le_mu le_omega le_s Y kappa.
have [_ [le_kappa _]] := position_after_first_layer_contracts w_gt0 wD w_up w_tanh NP NP mu_ge0
  omega_ge0 le_mu le_omega le_s.
have both i j := skip_apart NP (le_kappa i j).
split=> // kappa_lt1 i j; have /andP[+ _] := both i j; move=> le_apart gt0.
by apply: lt_le_trans le_apart; rewrite mulr_gt0 ?subr_gt0.
Qed.

(* id: euclidean_norms *)
Theorem euclidean_norms (R : realFieldType) (root : R -> R) :
  (forall x, 0 <= x -> 0 <= root x /\ root x * root x = x) ->
  (* the root of a sum of squares is a seminorm *)
  (forall d, seminorm (@euclid R root d))
  (* and the root of the sum of all squares of a matrix bounds its form and its map *)
  /\ forall n m (M : 'M[R]_(n, m)), 0 <= frobenius root M
     /\ (forall x y, (x *m M *m y^T) 0 0 <= frobenius root M * euclid root x * euclid root y)
     /\ forall x, euclid root (x *m M) <= frobenius root M * euclid root x.
Proof.
move=> rootP; split=> [d|n m M]; first exact: euclid_seminorm.
by split; [exact: frobenius_ge0 | split; [exact: frobenius_form | exact: frobenius_map]].
Qed.

(* id: position_after_first_layer_uniform *)
Theorem position_after_first_layer_uniform (R : realFieldType) (w : R -> R) (scale : R) n d k e
    (WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (X : 'M[R]_(n, d)) :
  (* all scores 0, no skip: all rows are equal *)
  forall i j, row i (self_attention w scale 0 WK WV X) = row j (self_attention w scale 0 WK WV X).
Proof.
move=> i j; rewrite /self_attention /attend mulmx0 scores0 !row_mul; congr (_ *m _).
by apply/rowP => c; rewrite [LHS]mxE [RHS]mxE !normalizeE !mxE; congr (_ / _);
  apply: eq_bigr => h _; rewrite !mxE.
Qed.

From orderproof Require Import ColourRefinement ThreeCausalLayers.

(* id: three_causal_layers_see_every_order *)
Theorem three_causal_layers_see_every_order (R : realFieldType) (w : R -> R) (scale : R) (V : eqType)
    n (x y : n.+1.-tuple V) :
  w 0 != 0 ->
  (* any two different sequences of one length, no token of which need be unlike the others *)
  x != y ->
  (* three causal layers whose head averages, some width, embedding and row-wise maps *)
  exists d (fs : seq ('rV[R]_d -> 'M[R]_(1, d) -> 'rV[R]_d)) (emb : V -> 'rV[R]_d),
    let last_row := fun z : n.+1.-tuple V =>
      row ord_max (apply_layers [seq averaging_layer w scale f | f <- fs]
        (fun=> causal_mask R n.+1) (embed emb z)) in
    (* give their last tokens different rows *)
    size fs = 3%N /\ last_row x <> last_row y.
Proof.
move=> w0 ne_xy; apply: told_apart => //; apply: contra ne_xy => same_xy.
by apply/eqP; exact: (three_layers same_xy).
Qed.

(* id: not_offset_invariant_of_added_rows *)
Theorem not_offset_invariant_of_added_rows (R : realFieldType) (w : R -> R) (scale : R) d k
    (E : 'M[R]_(1, d.+1)) (t : R) :
  w 0 != 0 -> t != 0 ->
  (* one token, any row added to it, and the same with t added to every feature of that row *)
  exists (WQ WK : 'M[R]_(d.+1, k)) (WV : 'M[R]_d.+1) (X : 'M[R]_(1, d.+1)),
    self_attention w scale WQ WK WV (X + (E + const_mx t)) <> self_attention w scale WQ WK WV (X + E).
Proof.
move=> w0 t0; exists 0, 0, 1%:M, 0; rewrite !add0r.
have whole (Y : 'M[R]_(1, d.+1)) : self_attention w scale (0 : 'M_(_, k)) 0 1%:M Y = Y.
  rewrite /self_attention !mulmx0 mulmx1 /attend scores0; apply/matrixP => i f.
  by rewrite mxE big_ord1 !mxE big_ord1 !mxE divff // mul1r (ord1 i).
rewrite !whole => /matrixP /(_ ord0 ord0) /eqP.
by rewrite !mxE addrC -subr_eq0 addrK (negPf t0).
Qed.

(* id: not_equivariant_of_rotary_positions *)
Theorem not_equivariant_of_rotary_positions (R : realFieldType) (w : R -> R) (z : R)
    (T : 'I_2 -> 'I_2 -> 'I_2 -> 'I_2 -> R) :
  let one : 'I_2 := lift ord0 ord0 in
  (forall x, 0 < w x) -> injective w -> z != 0 ->
  (* two tokens, two features; the key of a pair of places (i, j) turned by the matrix T i j, which
     is the same at (0, 0) and (1, 1), and another at (1, 0) than at (0, 1): as rotations are *)
  T one one ord0 ord0 = T ord0 ord0 ord0 ord0 -> T one ord0 ord0 one <> T ord0 one ord0 one ->
  exists (s : 'S_2) (X WQ WK WV : 'I_2 -> 'I_2 -> R),
  let factor (Y : 'I_2 -> 'I_2 -> R) a b (t : 'I_2 -> 'I_2 -> R) := w ((\sum_l (\sum_f Y a f * WQ f l)
    * (\sum_f t l f * (\sum_g Y b g * WK g f))) / z) in
  let moved a := X (s a) in
  (* the outputs of permuted tokens are not the permuted outputs *)
  exists i v,
    \sum_j factor moved i j (T i j) / (\sum_j factor moved i j (T i j)) * (\sum_f X (s j) f * WV f v)
    <> \sum_j factor X (s i) j (T (s i) j) / (\sum_j factor X (s i) j (T (s i) j))
       * (\sum_f X j f * WV f v).
Proof. by move=> one w_gt0 w_inj z0 same differs; exact: turned_pair_seen. Qed.
