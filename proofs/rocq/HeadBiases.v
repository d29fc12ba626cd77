(* Heads as matrices, each with a factor and a bias of its own (ALiBi and T5 have one each), as the
   headlines speak of them. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention Encoder Positions.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Heads.
Variables (R : realFieldType) (w : R -> R) (scale : R).

(* Attention with a factor G at each weight and a bias B added to each score. *)
Definition biased_attend n m d e (G B : 'M[R]_(n, m))
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) (V : 'M[R]_(m, e)) : 'M[R]_(n, e) :=
  masked_softmax w G (scores scale Q K + B) *m V.

(* Several heads: head a has the factor G a and the bias B a. *)
Definition heads_with d e p n m (H : head_weights R d e p) (G B : nat -> 'M[R]_(n, m))
    (X : 'M[R]_(n, d)) (Y : 'M[R]_(m, e)) : 'M[R]_(n, p) :=
  affine (WO H) (bO H) (\mxrow_a biased_attend (G a) (B a) (affine (WQ a) (bQ a) X)
    (affine (WK (group a)) (bK (group a)) Y) (affine (WV (group a)) (bV (group a)) Y)).

(* A block (Encoder.v) with such heads. *)
Definition block_with d n (L : block R d) (G B : nat -> 'M[R]_n) (X : 'M[R]_(n, d)) :=
  let attention N := heads_with (weights L) G B N N in
  if pre_norm L then
    let Y := X + attention (row_wise (norm1 L) X) in
    Y + row_wise (ffn L) (row_wise (norm2 L) Y)
  else
    let Y := row_wise (norm1 L) (X + attention X) in
    row_wise (norm2 L) (Y + row_wise (ffn L) Y).

(* Any number of blocks: head a of block l has the factor G l a and the bias B l a. *)
Fixpoint encoder_with d n (Ls : seq (block R d)) (G B : nat -> nat -> 'M[R]_n) (X : 'M[R]_(n, d)) :=
  if Ls is L :: rest
  then encoder_with rest (fun l => G l.+1) (fun l => B l.+1) (block_with L (G 0%N) (B 0%N) X)
  else X.

Lemma biased_attend0 n m d e (G : 'M[R]_(n, m)) (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d))
    (V : 'M[R]_(m, e)) : biased_attend G 0 Q K V = masked_attend w scale G Q K V.
Proof. by rewrite /biased_attend addr0. Qed.

Lemma biased_attend_perm n m d e (s : 'S_n) (t : 'S_m) (G B : 'M[R]_(n, m))
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) (V : 'M[R]_(m, e)) :
  biased_attend (perm_mx s *m G *m (perm_mx t)^T) (perm_mx s *m B *m (perm_mx t)^T)
    (perm_mx s *m Q) (perm_mx t *m K) (perm_mx t *m V)
  = perm_mx s *m biased_attend G B Q K V.
Proof.
by rewrite /biased_attend scores_conj -mulmxDl -mulmxDr masked_softmax_conj conj_mul.
Qed.

Lemma heads_with_same d e p n m (H : head_weights R d e p) (G : 'M[R]_(n, m)) X Y :
  heads_with H (fun=> G) (fun=> 0) X Y = multi_head w scale H G X Y.
Proof. by congr (affine _ _ _); apply: eq_mxrow => a; exact: biased_attend0. Qed.

Lemma block_with_same d n (L : block R d) (G : 'M[R]_n) X :
  block_with L (fun=> G) (fun=> 0) X = apply_block w scale L G X.
Proof.
rewrite /block_with /apply_block; case: (pre_norm L).
  by rewrite /pre_norm_block heads_with_same.
by rewrite /post_norm_block heads_with_same.
Qed.

Lemma heads_with_perm d e p n m (H : head_weights R d e p) (s : 'S_n) (t : 'S_m)
    (G B : nat -> 'M[R]_(n, m)) (X : 'M[R]_(n, d)) (Y : 'M[R]_(m, e)) :
  heads_with H (fun a => perm_mx s *m G a *m (perm_mx t)^T)
    (fun a => perm_mx s *m B a *m (perm_mx t)^T) (perm_mx s *m X) (perm_mx t *m Y)
  = perm_mx s *m heads_with H G B X Y.
Proof.
rewrite /heads_with -affine_perm mul_mxrow; congr (affine _ _ _); apply: eq_mxrow => a.
by rewrite !affine_perm biased_attend_perm.
Qed.

Lemma eq_heads_with d e p n m (H : head_weights R d e p) (G G' B B' : nat -> 'M[R]_(n, m)) X Y :
  G =1 G' -> B =1 B' -> heads_with H G B X Y = heads_with H G' B' X Y.
Proof. by move=> eqG eqB; congr (affine _ _ _); apply: eq_mxrow => a; rewrite eqG eqB. Qed.

(* Kept folded: to compare two blocks by unfolding them takes minutes. *)
Opaque heads_with multi_head apply_block.

Section Encoders.
Variables (d n : nat) (s : 'S_n).
Local Notation P := (perm_mx s).
Implicit Types (L : block R d) (X : 'M[R]_(n, d)).

Lemma block_with_perm L (G B : nat -> 'M[R]_n) X :
  block_with L (fun a => P *m G a *m P^T) (fun a => P *m B a *m P^T) (P *m X)
  = P *m block_with L G B X.
Proof.
rewrite /block_with; case: (pre_norm L).
  by rewrite !row_wise_perm heads_with_perm -!mulmxDr !row_wise_perm -mulmxDr.
by rewrite heads_with_perm -mulmxDr !row_wise_perm -mulmxDr row_wise_perm.
Qed.

Lemma eq_block_with L (G G' B B' : nat -> 'M[R]_n) X :
  G =1 G' -> B =1 B' -> block_with L G B X = block_with L G' B' X.
Proof.
move=> eqG eqB; rewrite /block_with.
by case: (pre_norm L); rewrite (eq_heads_with _ _ _ eqG eqB).
Qed.

Opaque block_with.

Lemma eq_encoder_with (Ls : seq (block R d)) (G G' B B' : nat -> nat -> 'M[R]_n) X :
  (forall l, G l =1 G' l) -> (forall l, B l =1 B' l) ->
  encoder_with Ls G B X = encoder_with Ls G' B' X.
Proof.
elim: Ls G G' B B' X => [//|L Ls IH] G G' B B' X eqG eqB.
rewrite [LHS]/= [RHS]/= (eq_block_with L _ (eqG 0%N) (eqB 0%N)).
by apply: IH => l; [exact: eqG | exact: eqB].
Qed.

Lemma encoder_with_perm (Ls : seq (block R d)) (G B : nat -> nat -> 'M[R]_n) X :
  encoder_with Ls (fun l a => P *m G l a *m P^T) (fun l a => P *m B l a *m P^T) (P *m X)
  = P *m encoder_with Ls G B X.
Proof.
elim: Ls G B X => [//|L Ls IH] G B X; rewrite [LHS]/= [X in _ = _ *m X]/= block_with_perm.
exact: IH.
Qed.

End Encoders.

(* Heads commute with s, whatever their weights, exactly if s keeps the factor of each head, up to a
   positive factor for each of its rows. *)
Lemma encoder_with_same d n (Ls : seq (block R d)) (G : 'M[R]_n) X :
  encoder_with Ls (fun _ _ => G) (fun _ _ => 0) X = encoder w scale Ls G X.
Proof.
elim: Ls X => [//|L Ls IH] X; rewrite [RHS]/= -block_with_same; exact: IH.
Qed.

Transparent heads_with.

Section Iff.
Variables (n : nat) (s : 'S_n.+1).
Local Notation P := (perm_mx s).

Lemma biased_attend_kept (F : 'M[R]_n.+1) (c : 'I_n.+1 -> R) d e
    (Q K : 'M[R]_(n.+1, d)) (V : 'M[R]_(n.+1, e)) :
  (forall i, 0 < c i) -> (forall i j, F (s i) (s j) = c i * F i j) ->
  biased_attend F 0 (P *m Q) (P *m K) (P *m V) = P *m biased_attend F 0 Q K V.
Proof.
move=> c_gt0 eqF; rewrite !biased_attend0 -(masked_attend_perm w scale s s) /masked_attend.
have c0 i : c i != 0 by rewrite gt_eqF.
congr (_ *m _); apply/esym/(normalize_scale c0) => i j.
by rewrite mxE [in RHS]mxE conjE eqF mulrA.
Qed.

(* h heads of the same widths, of which number a0 alone is read, by W_O = 1 there. *)
Definition one_of_heads h (a0 : 'I_h) d k e (Q K : 'M[R]_(d, k)) (V : 'M[R]_(d, e)) :
    head_weights R d d e :=
  @HeadWeights R d d e h h id (fun=> k) (fun=> e) (fun=> Q) (fun=> 0) (fun=> K) (fun=> 0)
    (fun=> V) (fun=> 0) (\mxcol_a ((if a == a0 then 1%:M else 0) : 'M[R]_e)) 0.

Lemma one_of_headsE h (a0 : 'I_h) d k e (Q K : 'M[R]_(d, k)) (V : 'M[R]_(d, e)) (G : nat -> 'M[R]_n.+1)
    (X : 'M[R]_(n.+1, d)) :
  heads_with (one_of_heads a0 Q K V) G (fun=> 0) X X = masked_self_attention w scale (G a0) Q K V X.
Proof.
rewrite /heads_with /= affine0 mul_mxrow_mxcol (bigD1 a0) //= eqxx mulmx1 big1 => [|a /negPf ne].
  by rewrite addr0 biased_attend0 !affine0.
by rewrite ne mulmx0.
Qed.

Lemma heads_iff h d p (G : nat -> 'M[R]_n.+1) : w 0 != 0 ->
  (forall a, (a < h)%N -> (forall i j, 0 <= G a i j) /\ forall i, exists j, 0 < G a i j) ->
  (forall H : head_weights R d.+1 d.+1 p.+1, heads H = h -> forall X,
     heads_with H G (fun=> 0) (P *m X) (P *m X) = P *m heads_with H G (fun=> 0) X X)
  <-> forall a, (a < h)%N ->
      exists c : 'I_n.+1 -> R, (forall i, 0 < c i) /\ forall i j, G a (s i) (s j) = c i * G a i j.
Proof.
move=> w0 G_ge; split=> [commutes a lt_a|kept H eq_h X].
  have [G_ge0 G_gt0] := G_ge a lt_a.
  apply: (@commutes_factor R w scale n s (G a) G_ge0 G_gt0 d 0 p w0) => WQ WK WV X.
  by have := commutes (one_of_heads (Ordinal lt_a) WQ WK WV) erefl X; rewrite !one_of_headsE.
rewrite /heads_with -affine_perm mul_mxrow; congr (affine _ _ _); apply: eq_mxrow => a.
have [|c [c_gt0 eqG]] := kept a; first by rewrite -eq_h.
by rewrite !affine_perm (biased_attend_kept _ _ _ c_gt0 eqG).
Qed.

End Iff.
End Heads.
