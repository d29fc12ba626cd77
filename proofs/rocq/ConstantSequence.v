(* On a constant sequence no layer with normalised weights tells positions apart, at any depth. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention Encoder Positions Causal.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Definitions *)

Section Definitions.
Variable R : realFieldType.

(* The sequence of n rows x. *)
Definition constant_rows n d (x : 'rV[R]_d) : 'M[R]_(n, d) := \matrix_(i < n) x.

(* Any number of heads, whose weights add up to 1 in each row and are otherwise any functions of all
   states and of the length (of scores with any bias, rotation or mask); the values are any function
   of the row, and so is the new row of the old one and the outputs of the heads, one a row (skips,
   norms, feed-forward layers). *)
Record mixing_layer (d : nat) := MixingLayer {
  mixing_heads : nat;
  mixing_width : nat;
  mixing_weights : 'I_mixing_heads -> forall n, 'M[R]_(n, d) -> 'M[R]_n;
  mixing_values : 'I_mixing_heads -> 'rV[R]_d -> 'rV[R]_mixing_width;
  mixing_output : 'rV[R]_d -> 'M[R]_(mixing_heads, mixing_width) -> 'rV[R]_d;
  mixing_sum1 : forall a n (X : 'M[R]_(n, d)) i, \sum_j mixing_weights a X i j = 1 }.

Arguments mixing_weights {d} L a {n} X : rename.
Arguments mixing_values {d} L a x : rename.
Arguments mixing_output {d} L x Y : rename.

Definition apply_mixing d n (L : mixing_layer d) (X : 'M[R]_(n, d)) : 'M[R]_(n, d) :=
  \matrix_(i < n) mixing_output L (row i X)
    (\matrix_a row i (mixing_weights L a X *m row_wise (mixing_values L a) X)).

Definition mixing_stack d n (Ls : seq (mixing_layer d)) (X : 'M[R]_(n, d)) : 'M[R]_(n, d) :=
  foldl (fun Z L => apply_mixing L Z) X Ls.

End Definitions.
Arguments mixing_weights {R d} L a {n} X : rename.
Arguments mixing_values {R d} L a x : rename.
Arguments mixing_output {R d} L x Y : rename.

Section Constant.
Variable R : realFieldType.
Implicit Types (n d : nat).

Lemma row_constant n d (x : 'rV[R]_d) (i : 'I_n) : row i (constant_rows n x) = x.
Proof. exact: rowK. Qed.

Lemma row_wise_constant n d e (f : 'rV[R]_d -> 'rV[R]_e) x :
  row_wise f (constant_rows n x) = constant_rows n (f x).
Proof. by apply/row_matrixP => i; rewrite !rowK. Qed.

Lemma add_constant n d (x y : 'rV[R]_d) :
  constant_rows n x + constant_rows n y = constant_rows n (x + y).
Proof. by apply/matrixP => i j; rewrite !mxE. Qed.

(* A mean of equal rows. *)
Lemma mean_constant n m d (A : 'M[R]_(n, m)) (x : 'rV[R]_d) :
  (forall i, \sum_j A i j = 1) -> A *m constant_rows m x = constant_rows n x.
Proof.
move=> sum1; apply/matrixP => i j; rewrite !mxE -[RHS]mul1r -(sum1 i) mulr_suml.
by apply: eq_bigr => l _; rewrite mxE.
Qed.

Lemma mixing_constant d (L : mixing_layer R d) x :
  exists y, forall n, apply_mixing L (constant_rows n x) = constant_rows n y.
Proof.
exists (mixing_output L x (\matrix_a mixing_values L a x)) => n; apply/row_matrixP => i.
rewrite !rowK; congr (mixing_output L _ _); apply/row_matrixP => a.
by rewrite !rowK row_wise_constant mean_constant ?row_constant //; exact: mixing_sum1.
Qed.

Lemma mixing_stack_constant d (Ls : seq (mixing_layer R d)) x :
  exists y, forall n, mixing_stack Ls (constant_rows n x) = constant_rows n y.
Proof.
rewrite /mixing_stack; elim: Ls x => [|L Ls IH] x /=; first by exists x.
have [y eq_y] := mixing_constant L x; have [z eq_z] := IH y.
by exists z => n; rewrite eq_y eq_z.
Qed.

End Constant.

(* Blocks of heads under a mask *)

Section Blocks.
Variables (R : realFieldType) (w : R -> R) (scale : R).
Hypothesis w_gt0 : forall x, 0 < w x.

(* No negative weight, and one in each row that is not 0. *)
Definition sees_some n m (G : 'M[R]_(n, m)) : Prop :=
  forall i, (forall j, 0 <= G i j) /\ exists j, 0 < G i j.

Lemma masked_softmax_sum1 n m (G S : 'M[R]_(n, m)) i :
  sees_some G -> \sum_j masked_softmax w G S i j = 1.
Proof.
move=> /(_ i)[G_ge0 [j G_gt0]]; set T := \matrix_(i, j) (G i j * w (S i j)).
rewrite (eq_bigr (fun j => T i j / \sum_k T i k)) => [|k _]; last exact: normalizeE.
rewrite -mulr_suml mulfV // gt_eqF // (bigD1 j) //= ltr_paddr //; last by rewrite mxE mulr_gt0.
by apply: sumr_ge0 => k _; rewrite mxE mulr_ge0 // ltW.
Qed.

Lemma causal_sees_some n : sees_some (causal_mask R n).
Proof.
move=> i; split=> [j|]; first by rewrite mxE ler0n.
by exists i; rewrite mxE leqnn ltr01.
Qed.

Lemma affine_constant n d e (W : 'M[R]_(d, e)) b x :
  affine W b (constant_rows n x) = constant_rows n (x *m W + b).
Proof.
apply/row_matrixP => i; rewrite /affine raddfD /= !row_mul !row_constant; congr (_ + _).
by apply/rowP => j; rewrite mxE big_ord1 !mxE mul1r.
Qed.

Lemma multi_head_constant d e p (H : head_weights R d e p) y :
  exists z, forall n m (G : 'M[R]_(n, m)) (X : 'M[R]_(n, d)), sees_some G ->
    multi_head w scale H G X (constant_rows m y) = constant_rows n z.
Proof.
exists ((\mxrow_(a < heads H) (y *m @WV _ _ _ _ H (group a) + @bV _ _ _ _ H (group a))) *m WO H + bO H).
move=> n m G X some.
rewrite /multi_head -affine_constant; congr (affine _ _ _).
apply/row_matrixP => i; rewrite row_constant row_mxrow; apply: eq_mxrow => a.
rewrite !affine_constant /masked_attend mean_constant ?row_constant // => l.
exact: masked_softmax_sum1.
Qed.

Lemma block_constant d (B : block R d) x :
  exists y, forall n (G : 'M[R]_n), sees_some G ->
    apply_block w scale B G (constant_rows n x) = constant_rows n y.
Proof.
rewrite /apply_block; case: (pre_norm B).
  have [z eq_z] := multi_head_constant (weights B) (norm1 B x).
  exists (x + z + ffn B (norm2 B (x + z))) => n G some.
  by rewrite /pre_norm_block !row_wise_constant eq_z // !(add_constant, row_wise_constant).
have [z eq_z] := multi_head_constant (weights B) x.
exists (norm2 B (norm1 B (x + z) + ffn B (norm1 B (x + z)))) => n G some.
by rewrite /post_norm_block eq_z // !(add_constant, row_wise_constant).
Qed.

(* Kept folded: to compare two blocks by unfolding them takes minutes. *)
Opaque apply_block.

Lemma encoder_constant d (Bs : seq (block R d)) x :
  exists y, forall n (G : 'M[R]_n), sees_some G ->
    encoder w scale Bs G (constant_rows n x) = constant_rows n y.
Proof.
elim: Bs x => [|B Bs IH] x /=; first by exists x.
have [y eq_y] := block_constant B x; have [z eq_z] := IH y.
by exists z => n G some; rewrite /= eq_y // eq_z.
Qed.

End Blocks.

(* Weights that do not add up to 1 count. *)
Lemma causal_count (R : realFieldType) n (i : 'I_n) :
  (causal_mask R n *m constant_rows n (1 : 'rV_1)) i 0 = i.+1%:R.
Proof.
rewrite mxE -causal_sum; apply: eq_bigr => j _.
by rewrite [X in _ * X]mxE [X in _ * X]mxE mulr1.
Qed.
