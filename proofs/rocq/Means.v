(* A token's output is a mean of values with weights, whatever these are made of: what means with other
   weights have in common, and weights of a layer that reads one feature alone. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention Positions Shallow.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Means with weights *)

Lemma eq_differ (T : Type) (x x' y y' : T) : x = x' -> y = y' -> x' <> y' -> x <> y.
Proof. by move=> -> ->. Qed.

Section Means.
Variables (R : realFieldType) (n : nat).
Implicit Types (a b v y : 'I_n -> R) (s : 'S_n).

Definition mean a v : R := \sum_j a j / (\sum_l a l) * v j.

Lemma eq_mean a b v y : a =1 b -> v =1 y -> mean a v = mean b y.
Proof.
move=> eq_ab eq_vy; rewrite /mean (eq_bigr _ (fun l _ => eq_ab l)).
by apply: eq_bigr => j _; rewrite eq_ab eq_vy.
Qed.

Lemma mean_perm s a v : mean (fun j => a (s j)) (fun j => v (s j)) = mean a v.
Proof. by rewrite /mean (sum_perm s) (sum_perm s (fun j => a j / _ * v j)). Qed.

Lemma mean0 a : mean a (fun=> 0) = 0.
Proof. by rewrite /mean big1 // => j _; rewrite mulr0. Qed.

Lemma meanD a v y : mean a (fun j => v j + y j) = mean a v + mean a y.
Proof. by rewrite /mean -big_split; apply: eq_bigr => j _; rewrite mulrDr. Qed.

Lemma meanE a v : mean a v = (\sum_j a j * v j) / \sum_l a l.
Proof. by rewrite /mean mulr_suml; apply: eq_bigr => j _; rewrite mulrAC. Qed.

(* A factor of all weights cancels. *)
Lemma mean_scale c a v : c != 0 -> mean (fun j => a j * c) v = mean a v.
Proof.
move=> c0; rewrite /mean -mulr_suml; apply: eq_bigr => j _; congr (_ * _).
by rewrite -mulf_div divff // mulr1.
Qed.

Lemma sum_at (r : 'I_n -> R) t : \sum_j r j * (j == t)%:R = r t.
Proof.
by rewrite (bigD1 t) //= eqxx mulr1 big1 ?addr0 // => j /negPf ->; rewrite mulr0.
Qed.

(* Weights of which two are in another proportion: some share of the whole is another. *)
Lemma shares_differ a b j l : \sum_t a t != 0 -> \sum_t b t != 0 ->
  a j * b l <> b j * a l -> exists t, a t / (\sum_u a u) != b t / (\sum_u b u).
Proof.
move=> a0 b0 ne.
have [t |same] := pickP (fun t => a t / (\sum_u a u) != b t / (\sum_u b u)); first by exists t.
case: ne; have aE t : a t = b t / (\sum_u b u) * (\sum_u a u).
  by have /negbFE/eqP <- := same t; rewrite mulfVK.
by rewrite (aE j) (aE l) -!mulrA; congr (_ * _); rewrite [RHS]mulrC -mulrA.
Qed.

(* What depends on values in two affine ways differs for some of them. *)
Lemma affine_differ (f g : ('I_n -> R) -> R) c (r : 'I_n -> R) t :
  (forall y, f y - g y = c + \sum_j r j * y j) -> r t != 0 -> exists y, f y <> g y.
Proof.
move=> fgE r0; have [c0|c0] := eqVneq c 0; last first.
  exists (fun=> 0) => /eqP; rewrite -subr_eq0 fgE big1 ?addr0 ?(negPf c0) // => j _.
  by rewrite mulr0.
exists (fun j => (j == t)%:R) => /eqP.
by rewrite -subr_eq0 fgE c0 add0r sum_at (negPf r0).
Qed.

End Means.

(* Weights of a layer that reads one feature alone *)

Section Reading.
Variables (R : realFieldType) (n d : nat).

(* The output of a layer with weights a, for tokens t. *)
Definition output (a : 'I_n -> 'I_n -> R) (t : 'I_n -> 'I_d -> R) (WV : 'I_d -> 'I_d -> R) i v :=
  mean (a i) (fun j => \sum_k t j k * WV k v).

(* Reads feature c, a times, and writes it to feature e; other features are 0. *)
Definition reads_one (c e : 'I_d) (a : R) (k l : 'I_d) : R := (k == c)%:R * (l == e)%:R * a.

Lemma readsE (t : 'I_d -> R) c e a l :
  \sum_k t k * reads_one c e a k l = t c * (l == e)%:R * a.
Proof.
rewrite (bigD1 c) //= /reads_one eqxx mul1r mulrA big1 ?addr0 // => k /negPf ->.
by rewrite !mul0r mulr0.
Qed.

(* Reads nothing. *)
Definition none (k l : 'I_d) : R := 0.

Lemma noneE (t : 'I_d -> R) l : \sum_k t k * none k l = 0.
Proof. by rewrite big1 // => k _; rewrite mulr0. Qed.

Lemma output0 a t i v : output a t none i v = 0.
Proof. by rewrite -[RHS](mean0 (a i)); apply: eq_mean => // j; apply: noneE. Qed.

Lemma output_one a t c i v : output a t (reads_one c c v) i c = mean (a i) (fun j => t j c * v).
Proof. by apply: eq_mean => // j; rewrite readsE eqxx mulr1. Qed.

End Reading.
