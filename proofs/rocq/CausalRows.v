(* Rows of causal attention: the squares of the weights of uniform layers, and the rows on a sequence
   whose first token is unlike the others. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention Encoder Positions WeightedMeans Causal.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Rows.
Variable R : realFieldType.

(* A sum over the past of place i. *)
Lemma sum_past n (i : 'I_n) (F : nat -> R) :
  \sum_(k < n) (k%:R <= i%:R :> R)%R%:R * F k = \sum_(k < i.+1) F k.
Proof.
rewrite [RHS](big_ord_widen n F) // [RHS]big_mkcond; apply: eq_bigr => k _.
by rewrite ler_nat ltnS; case: (_ <= _)%N; rewrite ?mul1r ?mul0r.
Qed.

(* ---- squares of weights ---- *)
(* The variance of a combination of uncorrelated values, each of variance v. *)
Lemma uncorrelated n (C : 'I_n -> 'I_n -> R) v (a : 'I_n -> R) :
  (forall j l, C j l = v * (j == l)%:R) ->
  \sum_j (\sum_k a k * C k j) * a j = v * \sum_j a j ^+ 2.
Proof.
move=> eqC; rewrite mulr_sumr; apply: eq_bigr => j _; rewrite (bigD1 j) //= eqC eqxx mulr1.
rewrite big1 ?addr0 => [|k /negPf ne]; last by rewrite eqC ne !mulr0.
by rewrite mulrAC mulrC expr2.
Qed.

Lemma mean_squares n (i : 'I_n) :
  \sum_(j < n) ((j%:R <= i%:R :> R)%R%:R / i.+1%:R) ^+ 2 = i.+1%:R^-1 :> R.
Proof.
rewrite (eq_bigr (fun j : 'I_n => (j%:R <= i%:R :> R)%R%:R * i.+1%:R^-2)) => [|j _]; last first.
  by rewrite exprMn -exprVn; case: (_ <= _)%R; rewrite ?expr1n // expr0n.
by rewrite -mulr_suml count_past expr2 invfM mulrA divff ?mul1r // pnatr_eq0.
Qed.

(* The sum of 1/(i+1) over j <= i < m: what token j weighs after two layers, times m. *)
Definition tail_weight m j : R := \sum_(i < m | (j <= i)%N) i.+1%:R^-1.

Lemma tailS m j : tail_weight m.+1 j = tail_weight m j + (if (j <= m)%N then m.+1%:R^-1 else 0).
Proof. by rewrite /tail_weight big_mkcond big_ord_recr -big_mkcond. Qed.

Lemma tail0 m j : (m <= j)%N -> tail_weight m j = 0.
Proof.
move=> le_m; rewrite /tail_weight big1 // => i le_j.
by have := leq_ltn_trans (leq_trans le_m le_j) (ltn_ord i); rewrite ltnn.
Qed.

Lemma sum_tail m : \sum_(j < m) tail_weight m j = m%:R.
Proof.
elim: m => [|m IH]; first by rewrite big_ord0.
rewrite big_ord_recr /= tailS tail0 // leqnn add0r.
rewrite (eq_bigr (fun j : 'I_m => tail_weight m j + m.+1%:R^-1)) => [|j _]; last first.
  by rewrite tailS ltnW.
rewrite big_split /= IH sumr_const card_ord -addrA -mulrSr -[_ *+ m.+1]mulr_natl.
by rewrite mulfV ?pnatr_eq0 // -mulrSr.
Qed.

(* The sum of the 1/max(i, i') is that of the (2 i - 1)/i, i from 1. *)
Lemma sum_tail_squares m :
  \sum_(j < m) tail_weight m j ^+ 2 = 2%:R * m%:R - \sum_(i < m) i.+1%:R^-1.
Proof.
elim: m => [|m IH]; first by rewrite !big_ord0 mulr0 subr0.
set u : R := m.+1%:R^-1; have uE : m.+1%:R * u = 1 by rewrite mulfV // pnatr_eq0.
rewrite !big_ord_recr /= tailS tail0 // leqnn add0r -/u.
rewrite (eq_bigr (fun j : 'I_m =>
    tail_weight m j ^+ 2 + (tail_weight m j * u + tail_weight m j * u) + u ^+ 2)) => [|j _]; last first.
  by rewrite tailS ltnW // -/u sqrrD mulr2n.
rewrite !big_split /= IH -mulr_suml sum_tail sumr_const card_ord -addrA -mulrSr.
have -> : u ^+ 2 *+ m.+1 = u by rewrite -mulr_natl expr2 mulrA uE mul1r.
have -> : m%:R * u = 1 - u by apply: (canRL (addrK _)); rewrite -[X in _ + X]mul1r -mulrDl -mulrSr.
have -> : m.+1%:R = m%:R + 1 :> R by exact: mulrSr.
rewrite mulrDr mulr1 [X in _ = _ + X - _]mulr2n opprD !addrA.
by rewrite [LHS](ACl (1*3*5*2*4*6*7))%AC /= subrK.
Qed.

Lemma two_mean_squares n (i : 'I_n) :
  \sum_(j < n) (\sum_(k < n) (k%:R <= i%:R :> R)%R%:R / i.+1%:R
    * ((j%:R <= k%:R :> R)%R%:R / k.+1%:R)) ^+ 2
  = (2%:R * i.+1%:R - \sum_(k < i.+1) k.+1%:R^-1) / i.+1%:R ^+ 2 :> R.
Proof.
have weightE (j : 'I_n) : \sum_(k < n) (k%:R <= i%:R :> R)%R%:R / i.+1%:R
    * ((j%:R <= k%:R :> R)%R%:R / k.+1%:R) = i.+1%:R^-1 * tail_weight i.+1 j.
  rewrite /tail_weight [X in _ * X]big_mkcond mulr_sumr.
  rewrite -(sum_past i (fun k => i.+1%:R^-1 * (if (j <= k)%N then k.+1%:R^-1 else 0))).
  apply: eq_bigr => k _; rewrite -mulrA; congr (_ * (_ * _)).
  by rewrite ler_nat; case: (_ <= _)%N; rewrite ?mul1r ?mul0r.
rewrite -sum_tail_squares mulrC -exprVn -(sum_past i (fun j => tail_weight i.+1 j ^+ 2)) mulr_sumr.
apply: eq_bigr => j _; rewrite weightE exprMn ler_nat; case: leqP => [_|lt_i]; first by rewrite mul1r.
by rewrite tail0 // expr0n mul0r.
Qed.

(* ---- a first token unlike the others ---- *)
Section First.
Variables (w : R -> R) (c : R) (n d e f : nat).
Hypothesis w_gt0 : forall x, 0 < w x.
Hypothesis wD : forall x y, w (x + y) = w x * w y.
Variables (b x : 'I_d -> R) (WQ WK : 'I_d -> 'I_e -> R) (WV : 'I_d -> 'I_f -> R).

(* The sequence b, x, ..., x: token i from 0 is b if it is the first, else x. *)
Definition marked_token (i : 'I_n) (k : 'I_d) : R :=
  (i%:R <= 0 :> R)%R%:R * b k + (1 - (i%:R <= 0 :> R)%R%:R) * x k.
Definition marked_score (y z : 'I_d -> R) : R :=
  (\sum_k (\sum_l y l * WQ l k) * (\sum_l z l * WK l k)) / c.
Definition marked_weight (i j : 'I_n) : R :=
  (j%:R <= i%:R :> R)%R%:R * w (marked_score (marked_token i) (marked_token j)).
Definition marked_output i r : R :=
  \sum_j marked_weight i j / (\sum_k marked_weight i k) * (\sum_l marked_token j l * WV l r).
Definition marked_value (y : 'I_d -> R) r : R := \sum_l y l * WV l r.

(* Its weight over that of the others, for their query. *)
Definition marked_ratio : R := w ((\sum_k (\sum_l x l * WQ l k) * (\sum_l x l * WK l k)
  - \sum_k (\sum_l x l * WQ l k) * (\sum_l b l * WK l k)) / c).

Lemma marked_row i r :
  marked_output i r
  = marked_value x r + (marked_value b r - marked_value x r) / (1 + i%:R * marked_ratio).
Proof.
pose other (j : nat) : 'I_d -> R := if j is 0%N then b else x.
have pick j k : marked_token j k = other j k.
  rewrite /marked_token lern0 /other; case: (nat_of_ord j) => [|j'] /=.
    by rewrite mul1r subrr mul0r addr0.
  by rewrite mul0r add0r subr0 mul1r.
have scoreE (y z y' z' : 'I_d -> R) : y =1 y' -> z =1 z' -> marked_score y z = marked_score y' z'.
  move=> eq_y eq_z; congr (_ / _); apply: eq_bigr => k _.
  by congr (_ * _); apply: eq_bigr => l _; rewrite ?eq_y ?eq_z.
pose A j := w (marked_score (other i) (other j)); pose V j := marked_value (other j) r.
have seenE j : marked_weight i j = (j%:R <= i%:R :> R)%R%:R * A j.
  by congr (_ * w _); apply: scoreE => k; exact: pick.
have -> : marked_output i r = (\sum_(j < i.+1) A j * V j) / \sum_(j < i.+1) A j.
  rewrite -(sum_past i (fun j => A j * V j)) -(sum_past i A) mulr_suml; apply: eq_bigr => j _.
  rewrite (eq_bigr _ (fun k _ => seenE k)) seenE mulrA mulrAC; congr (_ * _ / _).
  by apply: eq_bigr => l _; rewrite pick.
set y := i%:R * marked_ratio; have y_ge0 : 0 <= y by rewrite mulr_ge0 ?ler0n // ltW // w_gt0.
have y1 : 1 + y != 0 by rewrite gt_eqF // ltr_paddr ?ltr01.
have p_neq0 : A 0%N != 0 by rewrite gt_eqF // w_gt0.
have othersE : i%:R * A 1%N = A 0%N * y.
  rewrite /y mulrCA; case: (posnP i) => [->|i_gt0]; first by rewrite !mul0r.
  congr (_ * _); rewrite mulrC /A; case: (nat_of_ord i) i_gt0 => // i' _ /=.
  by rewrite /marked_ratio -wD -mulrDl subrK.
rewrite [X in X / _]big_ord_recl [X in _ / X]big_ord_recl.
have -> : \sum_(j < i) A (lift ord0 j) * V (lift ord0 j) = i%:R * (A 1%N * V 1%N).
  by rewrite (eq_bigr (fun=> A 1%N * V 1%N)) // sumr_const card_ord mulr_natl.
have -> : \sum_(j < i) A (lift ord0 j) = i%:R * A 1%N.
  by rewrite (eq_bigr (fun=> A 1%N)) // sumr_const card_ord mulr_natl.
have VE : V 0%N = marked_value b r /\ V 1%N = marked_value x r by [].
clearbody y; rewrite mulrA othersE -mulrA -[X in _ / (X + _)]mulr1 -!mulrDr !VE.1 !VE.2.
rewrite -mulf_div divff // mul1r; apply: (canLR (mulfK y1)).
by rewrite mulrDl mulfVK // mulrDr mulr1 [RHS]addrC addrA subrK [y * _]mulrC.
Qed.

Lemma marked_rows_differ i j r : i != j -> marked_value b r <> marked_value x r ->
  marked_output i r <> marked_output j r.
Proof.
rewrite !marked_row => /eqP ne_ij differ /addrI /mulfI rows; apply: ne_ij; apply: val_inj.
have /invr_inj/addrI/mulIf eq_ij : (1 + i%:R * marked_ratio)^-1 = (1 + j%:R * marked_ratio)^-1.
  by apply: rows; rewrite subr_eq0; apply/eqP.
by apply/eqP; rewrite -(eqr_nat R); apply/eqP/eq_ij; rewrite gt_eqF ?w_gt0.
Qed.

Lemma marked_rows_equal i j r :
  marked_value b r = marked_value x r -> marked_output i r = marked_output j r.
Proof. by move=> same; rewrite !marked_row same subrr !mul0r. Qed.

End First.
End Rows.
