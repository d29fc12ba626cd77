(* With a first token unlike the others, two causal layers tell all sequences of all lengths apart at
   the last token.  One layer does not; and without such a token, constant sequences of different
   lengths are alike after any number of layers.

   Layer one: the first token's share at the token of number t is 1/t, so a row map knows t, and
   writes down the token's number times B^t.  Layer two averages these: all of them in base B. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention Encoder Positions Causal ColourRefinement.
From orderproof Require Import ColourCorollaries.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Definitions *)

Section Definitions.
Variables (R : archiFieldType) (w : R -> R) (scale : R) (V : finType) (first : V).

Definition pair_row (a b : R) : 'rV[R]_2 := \row_c (if c == 0 then a else b).

(* Is the token the first one?  And its number among the words. *)
Definition marked_number (v : V) : 'rV[R]_2 := pair_row (v == first)%:R (enum_rank v)%:R.

(* From 1/(t + 1) to t. *)
Definition place_of (r : R) : nat :=
  find (fun t : nat => t.+1%:R^-1 == r) (iota 0 (Num.bound r^-1)).

(* The row maps: a token's number, times B^t at token t (counted from 0); what the heads then say. *)
Definition write_digit (u : 'rV[R]_2) (O : 'M[R]_(1, 2)) : 'rV[R]_2 :=
  pair_row (O 0 0) (u 0 1 * #|V|%:R ^+ place_of (O 0 0)).
Definition collect (u : 'rV[R]_2) (O : 'M[R]_(1, 2)) : 'rV[R]_2 := pair_row (u 0 0) (O 0 1).

(* What the two layers say at the last token of the sequence x after the first token. *)
Definition read_last (x : seq V) : 'rV[R]_2 :=
  row ord_max (apply_layers [:: averaging_layer w scale write_digit; averaging_layer w scale collect]
    (fun=> causal_mask R (size x).+1) (embed marked_number (cons_tuple first (in_tuple x)))).

End Definitions.

(* Digits *)

Lemma digits_inj B n (a b : nat -> nat) :
  (forall i, a i < B)%N -> (forall i, b i < B)%N ->
  (\sum_(i < n) a i * B ^ i)%N = (\sum_(i < n) b i * B ^ i)%N -> forall i, (i < n)%N -> a i = b i.
Proof.
elim: n a b => [|n IH] a b ltB ltB' //.
have split_off (c : nat -> nat) :
    (\sum_(i < n.+1) c i * B ^ i = (\sum_(i < n) c i.+1 * B ^ i) * B + c 0)%N.
  rewrite big_ord_recl muln1 addnC; congr (_ + _)%N; rewrite big_distrl; apply: eq_bigr => i _.
  by rewrite lift0 expnSr mulnA.
rewrite !split_off => eq_ab; have eq0 : a 0%N = b 0%N.
  by have := congr1 (fun c => c %% B)%N eq_ab; rewrite !modnMDl !modn_small.
case=> [_ //|i lt_i]; apply: (IH (fun i => a i.+1) (fun i => b i.+1)) => //.
move/eqP: eq_ab; rewrite eq0 eqn_add2r eqn_pmul2r => [/eqP //|].
exact: leq_ltn_trans (ltB 0%N).
Qed.

Section Reading.
Variables (R : archiFieldType) (w : R -> R) (scale : R) (V : finType) (first : V).
Hypothesis w0 : w 0 != 0.

Lemma place_ofE t : place_of (t.+1%:R^-1 : R) = t.
Proof.
rewrite /place_of invrK; set s := iota _ _; set a := fun _ => _.
have t_in : (t < Num.bound (t.+1%:R : R))%N.
  by rewrite -ltnS -(ltr_nat R) (lt_le_trans (archi_boundP (ler0n _ _))) // ler_nat.
have has_t : has a s by apply/hasP; exists t; rewrite ?mem_iota // /a eqxx.
have found := has_t; rewrite has_find size_iota in found.
have := nth_find 0%N has_t; rewrite {1}/a nth_iota //.
by rewrite add0n => /eqP/invr_inj/eqP; rewrite eqr_nat => /eqP[].
Qed.

Variable x : seq V.
Hypothesis x_first : first \notin x.
Local Notation n := (size x).
Local Notation input := (embed (marked_number R first) (cons_tuple first (in_tuple x))).
Local Notation mask := ((fun=> causal_mask R n.+1) : 'I_1 -> 'M[R]_n.+1).

Lemma inputE (i : 'I_n.+1) : row i input = marked_number R first (nth first (first :: x) i).
Proof. by rewrite rowK (tnth_nth first). Qed.

Lemma share_of_first (i : 'I_n.+1) :
  (\sum_j causal_mask R n.+1 i j * input j 0) / (\sum_j causal_mask R n.+1 i j) = i.+1%:R^-1.
Proof.
have inE j : input j 0 = (nth first (first :: x) j == first)%:R.
  by have /rowP/(_ 0) := inputE j; rewrite !mxE eqxx.
rewrite causal_sum (bigD1 ord0) //= inE mxE eqxx mul1r big1 ?addr0 ?mul1r // => j j0.
rewrite inE; case: j j0 => -[|j] //= lt_j _.
by case: eqP => [eq_j|]; rewrite ?mulr0 //; move: x_first; rewrite -eq_j mem_nth.
Qed.

Lemma first_layerE : apply_layer (averaging_layer w scale (@write_digit R V)) mask input
  = \matrix_i pair_row i.+1%:R^-1
      ((enum_rank (nth first (first :: x) i) * #|V| ^ i)%N)%:R.
Proof.
apply/row_matrixP => i; rewrite [LHS]rowK [RHS]rowK /= /write_digit.
rewrite mxE averaging_headE // share_of_first place_ofE inputE; congr pair_row.
by rewrite !mxE natrM natrX.
Qed.

Lemma read_lastE : read_last w scale first x
  = pair_row n.+1%:R^-1
      ((\sum_(i < n.+1) enum_rank (nth first (first :: x) i) * #|V| ^ i)%N%:R / n.+1%:R).
Proof.
rewrite /read_last /= first_layerE rowK /collect; congr pair_row; first by rewrite !mxE.
rewrite mxE averaging_headE // causal_sum natr_sum; congr (_ / _); apply: eq_bigr => j _.
by rewrite !mxE -ltnS ltn_ord mul1r.
Qed.

End Reading.

Lemma all_told_apart (R : archiFieldType) (w : R -> R) (scale : R) (V : finType) (first : V) :
  w 0 != 0 -> forall x y, first \notin x -> first \notin y ->
  read_last w scale first x = read_last w scale first y -> x = y.
Proof.
move=> w0 x y x_first y_first; rewrite !read_lastE // => eq_xy.
have := congr1 (fun u : 'rV_2 => u 0 0) eq_xy; have := congr1 (fun u : 'rV_2 => u 0 1) eq_xy.
rewrite !mxE /= => eq_sum /invr_inj/eqP; rewrite eqr_nat => /eqP[eq_size].
move: eq_sum; rewrite eq_size => /(divIf _) eq_sum.
have {}eq_sum := eq_sum (lt0r_neq0 (ltr0Sn _ _)); move/eqP: eq_sum; rewrite eqr_nat => /eqP eq_sum.
have eq_digit := @digits_inj #|V| _ (fun i => enum_rank (nth first (first :: x) i))
  (fun i => enum_rank (nth first (first :: y) i)) (fun i => ltn_ord _) (fun i => ltn_ord _) eq_sum.
apply: (@eq_from_nth _ first) => // i lt_i.
by have /ord_inj/enum_rank_inj := eq_digit i.+1 (eq_ind _ (fun k => i < k)%N lt_i _ eq_size).
Qed.

(* What is not seen *)

Section Unseen.
Variables (R : realFieldType) (V : eqType).

(* The multiset of the tokens and the last of them decide what one causal layer says there. *)
Lemma one_causal_layer n d p (B : layer R 1 d p) (emb : V -> 'rV[R]_d) (x y : n.+1.-tuple V) :
  perm_eq x y -> tnth x ord_max = tnth y ord_max ->
  row ord_max (apply_layer B (fun=> causal_mask R n.+1) (embed emb x))
  = row ord_max (apply_layer B (fun=> causal_mask R n.+1) (embed emb y)).
Proof.
move=> eq_xy eq_last; pose G := (fun=> causal_mask R n.+1) : 'I_1 -> 'M[R]_n.+1.
have G0 h i : \sum_j G h i j != 0 by rewrite causal_sum pnatr_eq0.
apply: (agree_layer G0 G0 B (agree_embed (x := x) (y := y) (G := G) (G' := G) emb)
  (t := inl ord_max) (u := inr ord_max)).
apply/same_typeP; split=> [|h k]; first by rewrite /= eq_last.
have seen (z : n.+1.-tuple V) (c : pred V) :
    \sum_(j | c (tnth z j)) G h ord_max j = \sum_(v <- z | c v) 1.
  by rewrite big_tuple; apply: eq_bigr => j _; rewrite mxE -ltnS ltn_ord.
rewrite share_inl share_inr /= !(seen _ (fun v => either x y k == v)).
by rewrite (perm_big _ eq_xy).
Qed.

(* Constant sequences, of any lengths under any masks, at every depth. *)
Lemma constant_sequences H n m d (G : 'I_H -> 'M[R]_n) (G' : 'I_H -> 'M[R]_m) (v : V)
    (Bs : seq (layer R H d d)) (emb : V -> 'rV[R]_d) i j :
  (forall h k, \sum_l G h k l != 0) -> (forall h k, \sum_l G' h k l != 0) ->
  row i (apply_layers Bs G (embed emb (nseq_tuple n v)))
  = row j (apply_layers Bs G' (embed emb (nseq_tuple m v))).
Proof.
move=> G0 G'0; pose x := nseq_tuple n v; pose y := nseq_tuple m v.
have all_same l t u : same_type (either x y) (side_by_side G G') l t u.
  elim: l t u => [|l IH] t u.
    by case: t u => t [] u; rewrite /= !(tnth_nth v) !nth_nseq !ltn_ord.
  apply/same_typeP; split=> // h k; rewrite /share !(eq_bigl _ _ (IH k)).
  by rewrite !divff ?both_neq0.
exact: (agree_stack G0 G'0 (Bs := Bs) (agree_embed emb) (t := inl i) (u := inr j) (all_same _ _ _)).
Qed.

End Unseen.
