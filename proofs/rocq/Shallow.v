(* What the propositions of the claims are written with (symbolic/readings/rocq_statement.py), and how a sum
   over indices becomes an entry of a matrix, which the headlines speak of. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Definitions *)

Section Definitions.
Variable R : realFieldType.

(* What is used of exp and of the root; Real.v shows that the real ones are such. *)
Definition exponential (f : R -> R) : Prop :=
  [/\ forall x, 0 < f x, forall x y, f (x + y) = f x * f y & forall x y, x < y -> f x < f y].

Definition square_root (f : R -> R) : Prop := forall x, 0 <= x -> 0 <= f x /\ f x * f x = x.

(* The largest and the smallest of a family of numbers; 0 if there is none. *)
Definition maximum (T : finType) (a : T -> R) : R :=
  if [pick t : T] is Some t then \big[Num.max/a t]_u a u else 0.
Definition minimum (T : finType) (a : T -> R) : R :=
  if [pick t : T] is Some t then \big[Num.min/a t]_u a u else 0.

End Definitions.

Section Lemmas.
Variable R : realFieldType.
Implicit Types (f : R -> R) (x y : R).

(* ---- exp and the root ---- *)
Lemma exponential_gt0 f : exponential f -> forall x, 0 < f x.
Proof. by case. Qed.

Lemma exponential0 f : exponential f -> f 0 = 1.
Proof.
case=> f_gt0 fD _; have /mulfI := lt0r_neq0 (f_gt0 0); apply.
by rewrite -fD addr0 mulr1.
Qed.

Lemma exponential_up f : exponential f -> forall x, 0 < x -> f 0 < f x.
Proof. by case=> _ _ f_up x /f_up. Qed.

Lemma exponential_down f : exponential f -> forall x, x < 0 -> f x <= f 0.
Proof. by case=> _ _ f_up x /f_up /ltW. Qed.

Lemma exponential_not_constant f : exponential f -> exists a, f a != f 0.
Proof. by case=> _ _ f_up; exists 1; rewrite gt_eqF ?f_up ?ltr01. Qed.

Lemma square_root_neq0 f x : square_root f -> 0 < x -> f x != 0.
Proof.
move=> fP x_gt0; have [_ eq_x] := fP x (ltW x_gt0).
by apply/eqP => fx0; rewrite fx0 mulr0 in eq_x; rewrite -eq_x ltxx in x_gt0.
Qed.

Lemma square_root1 f : square_root f -> f 1 = 1.
Proof.
move=> fP; have [f_ge0 eq1] := fP 1 ler01.
have /eqP : f 1 ^+ 2 = 1 ^+ 2 by rewrite expr2 eq1 expr1n.
by rewrite eqr_expn2 ?ler01 // => /eqP.
Qed.

(* ---- the largest and the smallest ---- *)
Lemma maximum_leP (T : finType) (a : T -> R) (t : T) x :
  reflect (forall u, a u <= x) (maximum a <= x).
Proof.
rewrite /maximum; case: pickP => [v _|/(_ t)] //; apply: (iffP idP) => [le_x u|le_x].
  apply: le_trans le_x; have := mem_index_enum u.
  by elim: (index_enum _) => // l r IH; rewrite inE big_cons le_maxr => /orP[/eqP->|/IH->];
    rewrite ?lexx ?orbT.
by elim/big_ind: _ => // y z; rewrite le_maxl => -> ->.
Qed.

Lemma minimum_geP (T : finType) (a : T -> R) (t : T) x :
  reflect (forall u, x <= a u) (x <= minimum a).
Proof.
rewrite /minimum; case: pickP => [v _|/(_ t)] //; apply: (iffP idP) => [le_x u|le_x].
  apply: (le_trans le_x); have := mem_index_enum u.
  by elim: (index_enum _) => // l r IH; rewrite inE big_cons le_minl => /orP[/eqP->|/IH->];
    rewrite ?lexx ?orbT.
by elim/big_ind: _ => // y z; rewrite le_minr => -> ->.
Qed.

Lemma maximumE n (a : 'I_n.+1 -> R) : maximum a = largest a.
Proof.
apply/le_anti/andP; split; first by apply/(maximum_leP _ ord0) => j; apply/(largest_leP a).
by apply/largest_leP => j; apply/(maximum_leP a ord0).
Qed.

Lemma minimumE n (a : 'I_n.+1 -> R) : minimum a = smallest a.
Proof.
apply/le_anti/andP; split; last by apply/(minimum_geP _ ord0) => j; apply/(smallest_geP a).
by apply/smallest_geP => j; apply/(minimum_geP a ord0).
Qed.

Lemma eq_maximum (T : finType) (a b : T -> R) : a =1 b -> maximum a = maximum b.
Proof.
by move=> eq_ab; rewrite /maximum; case: pickP => // t _; rewrite eq_ab; apply: eq_bigr.
Qed.

Lemma maximum_perm (T : finType) (s : {perm T}) (a : T -> R) :
  maximum (fun t => a (s t)) = maximum a.
Proof.
have [t _|no] := pickP (@predT T); last first.
  by rewrite /maximum; case: pickP => // t _; have := no t.
apply/le_anti/andP; split; apply/(maximum_leP _ t) => u; last rewrite -[u](permKV s);
  exact: (maximum_leP (fun u => _) t _ (lexx _)).
Qed.

(* ---- one more place at the end ---- *)
Definition last_too n (u : 'I_n + 'I_1) : 'I_n.+1 :=
  if u is inl i then widen_ord (leqnSn n) i else ord_max.

Lemma sum_last_too n (F : 'I_n.+1 -> R) : \sum_u F (last_too u) = \sum_i F i.
Proof. by rewrite big_sumType [RHS]big_ord_recr big_ord1. Qed.

Lemma sum_perm_left n (T : finType) (s : 'S_n) (F : 'I_n + T -> R) :
  \sum_u F (if u is inl i then inl (s i) else u) = \sum_u F u.
Proof. by rewrite !big_sumType /= (sum_perm s (fun i => F (inl i))). Qed.

(* ---- attention, entry by entry ---- *)
Lemma attendE (w : R -> R) c n m d e (Q : 'M[R]_(n, d)) (K : 'M_(m, d)) (V : 'M_(m, e)) i r :
  attend w c^-1 Q K V i r
  = \sum_j w ((\sum_k Q i k * K j k) / c) / (\sum_l w ((\sum_k Q i k * K l k) / c)) * V j r.
Proof.
have scoresE j : scores c^-1 Q K i j = (\sum_k Q i k * K j k) / c.
  by rewrite !mxE mulrC; congr (_ / _); apply: eq_bigr => k _; rewrite mxE.
rewrite mxE; apply: eq_bigr => j _; rewrite normalizeE mxE scoresE.
by congr (_ / _ * _); apply: eq_bigr => l _; rewrite mxE scoresE.
Qed.

Lemma masked_attendE (w : R -> R) c n m d e (G : 'M[R]_(n, m)) (Q : 'M_(n, d)) (K : 'M_(m, d))
    (V : 'M_(m, e)) i r :
  masked_attend w c^-1 G Q K V i r
  = \sum_j G i j * w ((\sum_k Q i k * K j k) / c)
            / (\sum_l G i l * w ((\sum_k Q i k * K l k) / c)) * V j r.
Proof.
have scoresE j : scores c^-1 Q K i j = (\sum_k Q i k * K j k) / c.
  by rewrite !mxE mulrC; congr (_ / _); apply: eq_bigr => k _; rewrite mxE.
rewrite mxE; apply: eq_bigr => j _; rewrite normalizeE mxE scoresE.
by congr (_ / _ * _); apply: eq_bigr => l _; rewrite mxE scoresE.
Qed.

Lemma matrix_differ n m (A B : 'M[R]_(n, m)) : A <> B -> exists i j, A i j <> B i j.
Proof.
move=> ne; have /existsP[i /existsP[j /eqP]] : [exists i, exists j, A i j != B i j].
  apply: wlog_neg => /existsPn same; case: ne; apply/matrixP => i j.
  by have /existsPn /(_ j) /negPn /eqP := same i.
by exists i, j.
Qed.

End Lemmas.

(* Entries of products of matrices, whatever they are made of, are sums over indices: closes an
   equation between the two, one side of it at least in the form of the other. *)
Ltac entries := repeat first
  [ done | rewrite perm_mxE | rewrite attendE | rewrite masked_attendE | rewrite mxE /=
  | apply: eq_bigr => ? _
  | congr (_ + _) | congr (_ * _) | congr (_^-1) | congr (- _)
  | match goal with |- ?f _ = ?f _ => is_var f; congr (f _) end ].
