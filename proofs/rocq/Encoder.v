(* Heads, row-wise layers, blocks, encoders of any depth, and pooling.

   Every layer takes a factor G_ij >= 0 at each attention weight (a mask, or exp of a bias), the
   same in all heads and blocks; const_mx 1 is no mask. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(* Definitions *)

Section Definitions.
Variables (R : realFieldType) (w : R -> R) (scale : R).

(* The weights of multi-head attention from memory of width e to tokens of width d, output width p.
   Head a looks at the keys and values number [group a]: one key head for all is MQA, some are GQA,
   one each (the identity) is the usual form.  Widths may differ from head to head.  Every map has a
   bias, which may be 0. *)
Record head_weights (d e p : nat) := HeadWeights {
  heads : nat;
  key_heads : nat;
  group : 'I_heads -> 'I_key_heads;
  key_width : 'I_key_heads -> nat;
  value_width : 'I_key_heads -> nat;
  WQ : forall a : 'I_heads, 'M[R]_(d, key_width (group a));
  bQ : forall a : 'I_heads, 'rV[R]_(key_width (group a));
  WK : forall b : 'I_key_heads, 'M[R]_(e, key_width b);
  bK : forall b : 'I_key_heads, 'rV[R]_(key_width b);
  WV : forall b : 'I_key_heads, 'M[R]_(e, value_width b);
  bV : forall b : 'I_key_heads, 'rV[R]_(value_width b);
  WO : 'M[R]_(\sum_a value_width (group a), p);
  bO : 'rV[R]_p }.
Arguments group {d e p} H a : rename.
Arguments WQ {d e p} H a : rename.
Arguments bQ {d e p} H a : rename.
Arguments WK {d e p} H b : rename.
Arguments bK {d e p} H b : rename.
Arguments WV {d e p} H b : rename.
Arguments bV {d e p} H b : rename.

(* The heads side by side, and the output projection. *)
Definition multi_head d e p n m (H : head_weights d e p) (G : 'M[R]_(n, m))
    (X : 'M[R]_(n, d)) (Y : 'M[R]_(m, e)) : 'M[R]_(n, p) :=
  affine (WO H) (bO H) (\mxrow_a masked_attend w scale G (affine (WQ H a) (bQ H a) X)
    (affine (WK H (group H a)) (bK H (group H a)) Y)
    (affine (WV H (group H a)) (bV H (group H a)) Y)).

(* Row-wise layers.  [root] stands for the square root. *)
Section RowMaps.
Variables (root : R -> R) (eps : R) (d : nat).
Implicit Types x gamma beta : 'rV[R]_d.

Definition mean x : R := (\sum_j x 0 j) / d%:R.
Definition variance x : R := (\sum_j (x 0 j - mean x) ^+ 2) / d%:R.
Definition mean_square x : R := (\sum_j x 0 j ^+ 2) / d%:R.

Definition layer_norm gamma beta x : 'rV[R]_d :=
  \row_j (gamma 0 j * ((x 0 j - mean x) / root (variance x + eps)) + beta 0 j).

Definition rms_norm gamma x : 'rV[R]_d :=
  \row_j (gamma 0 j * (x 0 j / root (mean_square x + eps))).

Definition feed_forward h (phi : R -> R) (W1 : 'M[R]_(d, h)) (b1 : 'rV[R]_h)
    (W2 : 'M[R]_(h, d)) (b2 : 'rV[R]_d) x : 'rV[R]_d :=
  map_mx phi (x *m W1 + b1) *m W2 + b2.
End RowMaps.

(* A block: heads, a feed-forward layer, and two norms, each any map of rows. *)
Record block (d : nat) := Block {
  pre_norm : bool;
  weights : head_weights d d d;
  norm1 : 'rV[R]_d -> 'rV[R]_d;
  norm2 : 'rV[R]_d -> 'rV[R]_d;
  ffn : 'rV[R]_d -> 'rV[R]_d }.

Definition pre_norm_block d n (B : block d) (G : 'M[R]_n) (X : 'M[R]_(n, d)) : 'M[R]_(n, d) :=
  let N := row_wise (norm1 B) X in
  let Y := X + multi_head (weights B) G N N in
  Y + row_wise (ffn B) (row_wise (norm2 B) Y).

Definition post_norm_block d n (B : block d) (G : 'M[R]_n) (X : 'M[R]_(n, d)) : 'M[R]_(n, d) :=
  let Y := row_wise (norm1 B) (X + multi_head (weights B) G X X) in
  row_wise (norm2 B) (Y + row_wise (ffn B) Y).

Definition apply_block d n (B : block d) (G : 'M[R]_n) (X : 'M[R]_(n, d)) : 'M[R]_(n, d) :=
  if pre_norm B then pre_norm_block B G X else post_norm_block B G X.

(* Any number of blocks, first to last, each with its own weights. *)
Definition encoder d n (Bs : seq (block d)) (G : 'M[R]_n) (X : 'M[R]_(n, d)) : 'M[R]_(n, d) :=
  foldl (fun Z B => apply_block B G Z) X Bs.

(* Pooling: one row for all tokens. *)
Definition sum_pool n d (X : 'M[R]_(n, d)) : 'rV[R]_d := \row_j \sum_i X i j.
Definition mean_pool n d (X : 'M[R]_(n, d)) : 'rV[R]_d := \row_j ((\sum_i X i j) / n%:R).
Definition max_pool n d (X : 'M[R]_(n.+1, d)) : 'rV[R]_d := \row_j largest (fun i => X i j).
Definition query_pool n d k e (q : 'rV[R]_k) (WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e))
    (X : 'M[R]_(n, d)) : 'rV[R]_e :=
  attend w scale q (X *m WK) (X *m WV).

(* The embedding of a sequence of words. *)
Definition embed (T : Type) d n (emb : T -> 'rV[R]_d) (t : n.-tuple T) : 'M[R]_(n, d) :=
  \matrix_i emb (tnth t i).

End Definitions.

(* Everything moves with its tokens *)

Section Equivariance.
Variables (R : realFieldType) (w : R -> R) (scale : R).
Local Notation multi_head := (multi_head w scale).
Local Notation pre_norm_block := (pre_norm_block w scale).
Local Notation post_norm_block := (post_norm_block w scale).
Local Notation apply_block := (apply_block w scale).
Local Notation encoder := (encoder w scale).
Local Notation query_pool := (query_pool w scale).

Lemma multi_head_perm d e p n m (H : head_weights R d e p) (s : 'S_n) (t : 'S_m) (G : 'M[R]_(n, m))
    (X : 'M[R]_(n, d)) (Y : 'M[R]_(m, e)) :
  multi_head H (perm_mx s *m G *m (perm_mx t)^T) (perm_mx s *m X) (perm_mx t *m Y)
  = perm_mx s *m multi_head H G X Y.
Proof.
rewrite /multi_head -affine_perm mul_mxrow; congr (affine _ _ _); apply: eq_mxrow => a.
by rewrite !affine_perm masked_attend_perm.
Qed.

Section Blocks.
Variables (d n : nat) (s : 'S_n).
Local Notation P := (perm_mx s).
Implicit Types (B : block R d) (G : 'M[R]_n) (X : 'M[R]_(n, d)).

Lemma pre_norm_block_perm B G X :
  pre_norm_block B (P *m G *m P^T) (P *m X) = P *m pre_norm_block B G X.
Proof. by rewrite /pre_norm_block !row_wise_perm multi_head_perm -!mulmxDr !row_wise_perm -mulmxDr. Qed.

Lemma post_norm_block_perm B G X :
  post_norm_block B (P *m G *m P^T) (P *m X) = P *m post_norm_block B G X.
Proof. by rewrite /post_norm_block multi_head_perm -mulmxDr !row_wise_perm -mulmxDr row_wise_perm. Qed.

Lemma apply_block_perm B G X : apply_block B (P *m G *m P^T) (P *m X) = P *m apply_block B G X.
Proof. by rewrite /apply_block pre_norm_block_perm post_norm_block_perm; case: ifP. Qed.

Lemma encoder_perm (Bs : seq (block R d)) G X :
  encoder Bs (P *m G *m P^T) (P *m X) = P *m encoder Bs G X.
Proof. by elim: Bs X => //= B Bs IH X; rewrite apply_block_perm IH. Qed.

End Blocks.

Lemma sum_pool_perm n d (s : 'S_n) (X : 'M[R]_(n, d)) : sum_pool (perm_mx s *m X) = sum_pool X.
Proof.
by apply/rowP => j; rewrite !mxE -[RHS](sum_perm s); apply: eq_bigr => i _; rewrite perm_mxE.
Qed.

Lemma mean_pool_perm n d (s : 'S_n) (X : 'M[R]_(n, d)) : mean_pool (perm_mx s *m X) = mean_pool X.
Proof.
apply/rowP => j; rewrite !mxE -[in RHS](sum_perm s); congr (_ / _).
by apply: eq_bigr => i _; rewrite perm_mxE.
Qed.

Lemma max_pool_perm n d (s : 'S_n.+1) (X : 'M[R]_(n.+1, d)) :
  max_pool (perm_mx s *m X) = max_pool X.
Proof.
apply/rowP => j; rewrite !mxE -[RHS](largest_perm s) /largest perm_mxE.
by apply: eq_bigr => i _; rewrite perm_mxE.
Qed.

Lemma query_pool_perm n d k e (s : 'S_n) (q : 'rV[R]_k) (WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e))
    (X : 'M[R]_(n, d)) :
  query_pool q WK WV (perm_mx s *m X) = query_pool q WK WV X.
Proof.
rewrite /query_pool -!mulmxA -[in LHS](mul1mx q) -perm_mx1 attend_perm.
by rewrite perm_mx1 mul1mx.
Qed.

(* Two sequences with the same words, each as often, are embedded as permutations of each other. *)
Lemma perm_embed (T : eqType) n d (emb : T -> 'rV[R]_d) (t u : n.-tuple T) :
  perm_eq t u -> exists s, embed emb t = perm_mx s *m embed emb u.
Proof.
move=> /tuple_permP[s eqt]; exists s; apply/row_matrixP => i; rewrite row_perm_mx !rowK.
congr emb; have x0 := tnth t i; rewrite (tnth_nth x0) eqt (nth_map i) ?size_enum_ord //.
by rewrite nth_ord_enum.
Qed.

End Equivariance.
