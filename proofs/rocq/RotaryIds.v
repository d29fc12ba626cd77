(* Rotary positions, position ids and documents.

   A pair of features (x, y) is turned by an angle a into (c a x - s a y, s a x + c a y), with any
   functions c and s that have the addition theorems and c^2 + s^2 = 1 in place of cos and sin. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From Coq Require Import Ring.
From orderproof Require Import Attention Positions Shallow WeightedMeans.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Identities of any commutative ring, by the tactic `ring`. *)

Section Identities.
Variables (T : Type) (zero one : T) (plus times minus : T -> T -> T) (opposite : T -> T).
Hypothesis laws : ring_theory zero one plus times minus opposite eq.
Add Ring any_ring : laws.
Local Infix "+" := plus.
Local Infix "-" := minus.
Local Infix "*" := times.

Lemma cos_back x y a b : x * (a * a + b * b) = a * (x * a - y * b) + b * (y * a + x * b).
Proof. ring. Qed.

Lemma sin_back x y a b : y * (a * a + b * b) = a * (y * a + x * b) - b * (x * a - y * b).
Proof. ring. Qed.

Lemma score_back a b c s x y u v :
  (a * x - b * y) * (c * u - s * v) + (b * x + a * y) * (s * u + c * v)
  = x * ((a * c + b * s) * u - (a * s - b * c) * v) + y * ((a * s - b * c) * u + (a * c + b * s) * v).
Proof. ring. Qed.

Lemma length_back a b x y :
  (a * x - b * y) * (a * x - b * y) + (b * x + a * y) * (b * x + a * y)
  = (a * a + b * b) * (x * x + y * y).
Proof. ring. Qed.

End Identities.

(* Turned pairs of features *)

Section Turns.
Variables (R : realFieldType) (c s : R -> R).

Lemma laws_of_rings : ring_theory 0 1 +%R *%R (fun x y : R => x - y) -%R eq.
Proof.
by split=> // *; rewrite ?add0r ?addrA ?mul1r ?mulrA ?mulrDl ?subrr //; [exact: addrC|exact: mulrC].
Qed.

Hypothesis turns : circular c s.

Lemma square_sum a : c a * c a + s a * s a = 1. Proof. by case: turns. Qed.
Lemma cos_add a b : c (a + b) = c a * c b - s a * s b. Proof. by case: turns. Qed.
Lemma sin_add a b : s (a + b) = s a * c b + c a * s b. Proof. by case: turns. Qed.

(* The turn by b - a is that by b, and back by a. *)
Lemma cos_sub a b : c (b - a) = c a * c b + s a * s b.
Proof.
rewrite -[LHS]mulr1 -(square_sum a) (cos_back laws_of_rings _ (s (b - a))).
by rewrite -cos_add -sin_add subrK.
Qed.

Lemma sin_sub a b : s (b - a) = c a * s b - s a * c b.
Proof.
rewrite -[LHS]mulr1 -(square_sum a) (sin_back laws_of_rings (c (b - a))).
by rewrite -cos_add -sin_add subrK.
Qed.

(* The score of a query turned by a and a key turned by b is that with the key turned by b - a. *)
Lemma turned_score a b x y u v :
  (c a * x - s a * y) * (c b * u - s b * v) + (s a * x + c a * y) * (s b * u + c b * v)
  = x * (c (b - a) * u - s (b - a) * v) + y * (s (b - a) * u + c (b - a) * v).
Proof. by rewrite cos_sub sin_sub; exact: (score_back laws_of_rings). Qed.

(* Lengths are kept. *)
Lemma turned_length a x y :
  (c a * x - s a * y) * (c a * x - s a * y) + (s a * x + c a * y) * (s a * x + c a * y)
  = x * x + y * y.
Proof.
by rewrite -[RHS]mul1r -(square_sum a); exact: (length_back laws_of_rings).
Qed.

End Turns.

(* Position ids that count from 0 in every document *)

Section Ids.
Variable R : realFieldType.

Lemma same_place T m (a b : T -> 'I_m) :
  (forall i, (a i)%:R = (b i)%:R :> R) -> forall i, a i = b i.
Proof. by move=> eq_ab i; apply/val_inj/eqP; rewrite -(eqr_nat R) eq_ab. Qed.

(* Documents in another order, each in its own order inside: the ids move with the tokens.  [before]
   says which tokens stand before which; beta and beta' in which document a token is. *)
Lemma ids_moved n m h (s : 'S_n) (p p' : 'I_n -> 'I_m) (beta beta' : 'I_n -> 'I_h)
    (before : 'I_n -> 'I_n -> R) :
  (forall i, (beta' i)%:R = (beta (s i))%:R :> R) ->
  (forall i, (p i)%:R = \sum_j (beta i == beta j)%:R * before j i) ->
  (forall i, (p' i)%:R = \sum_j (beta' i == beta' j)%:R * before j i) ->
  (forall i j, (beta' i == beta' j)%:R * before j i = (beta' i == beta' j)%:R * before (s j) (s i)) ->
  forall i, p' i = p (s i).
Proof.
move=> eq_beta eq_p eq_p' kept; apply: same_place => i.
rewrite eq_p' eq_p -[RHS](sum_perm s); apply: eq_bigr => j _.
by rewrite kept !(same_place eq_beta).
Qed.

(* The query stands still while the others move. *)
Definition beside n (T : finType) (s : 'S_n) (u : 'I_n + T) : 'I_n + T :=
  if u is inl i then inl (s i) else u.

Lemma beside_inj n (T : finType) (s : 'S_n) : injective (@beside n T s).
Proof. by move=> [i|a] [j|b] //= [/perm_inj->]. Qed.

End Ids.

(* Attention whose score may depend on where its query and its key stand: relative keys, biases,
   rotary positions and masks of any kind are of this form *)

Section Placed.
Variable R : realFieldType.

(* A weight r i j q k of query q at place i and key k at place j, in place of exp of their score. *)
Definition placed_attend n m d e f (r : 'I_n -> 'I_m -> 'rV[R]_d -> 'rV[R]_e -> R)
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, e)) (V : 'M[R]_(m, f)) : 'M[R]_(n, f) :=
  normalize (\matrix_(i, j) r i j (row i Q) (row j K)) *m V.

Lemma placed_attend_perm n m d e f (s : 'S_n) (t : 'S_m) (r r' : 'I_n -> 'I_m -> 'rV[R]_d -> 'rV[R]_e -> R)
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, e)) (V : 'M[R]_(m, f)) :
  (forall i j q k, r' i j q k = r (s i) (t j) q k) ->
  placed_attend r' (perm_mx s *m Q) (perm_mx t *m K) (perm_mx t *m V)
  = perm_mx s *m placed_attend r Q K V.
Proof.
move=> eq_r; rewrite /placed_attend -(conj_mul s t) -normalize_conj; congr (normalize _ *m _).
by apply: conjP => i j; rewrite !mxE !row_perm_mx eq_r.
Qed.

Lemma eq_placed_attend n m d e f (r r' : 'I_n -> 'I_m -> 'rV[R]_d -> 'rV[R]_e -> R)
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, e)) (V : 'M[R]_(m, f)) :
  (forall i j q k, r' i j q k = r i j q k) -> placed_attend r' Q K V = placed_attend r Q K V.
Proof.
by move=> eq_r; congr (normalize _ *m _); apply/matrixP => i j; rewrite !mxE eq_r.
Qed.

(* A layer: maps of rows to queries, keys and values, and any map of a row and of what it reads. *)
Record placed_layer (I : Type) (d : nat) := PlacedLayer {
  query_width : nat;
  read_width : nat;
  query : 'rV[R]_d -> 'rV[R]_query_width;
  key : 'rV[R]_d -> 'rV[R]_query_width;
  value : 'rV[R]_d -> 'rV[R]_read_width;
  weight : I -> I -> 'rV[R]_query_width -> 'rV[R]_query_width -> R;
  after : 'rV[R]_d -> 'rV[R]_read_width -> 'rV[R]_d }.
Arguments query {I d} p x : rename.
Arguments key {I d} p x : rename.
Arguments value {I d} p x : rename.
Arguments weight {I d} p i j q k : rename.
Arguments after {I d} p x z : rename.

Definition apply_placed I d n (L : placed_layer I d) (p : 'I_n -> I) (X : 'M[R]_(n, d)) :
    'M[R]_(n, d) :=
  let Z := placed_attend (fun i j => weight L (p i) (p j))
    (row_wise (query L) X) (row_wise (key L) X) (row_wise (value L) X) in
  \matrix_i after L (row i X) (row i Z).

(* Any number of layers, each with weights of its own; p says where the tokens stand. *)
Definition placed_stack I d n (Ls : seq (placed_layer I d)) (p : 'I_n -> I) (X : 'M[R]_(n, d)) :=
  foldl (fun Z L => apply_placed L p Z) X Ls.

Lemma apply_placed_perm I d n (L : placed_layer I d) (s : 'S_n) (p p' : 'I_n -> I) (X : 'M[R]_(n, d)) :
  (forall i, p' i = p (s i)) -> apply_placed L p' (perm_mx s *m X) = perm_mx s *m apply_placed L p X.
Proof.
move=> eq_p; apply/row_matrixP => i; rewrite row_perm_mx !rowK row_perm_mx; congr (after L _ _).
rewrite !row_wise_perm -row_perm_mx; congr (row i _).
by apply: placed_attend_perm => a b q k; rewrite !eq_p.
Qed.

Lemma placed_stack_perm I d n (Ls : seq (placed_layer I d)) (s : 'S_n) (p p' : 'I_n -> I)
    (X : 'M[R]_(n, d)) :
  (forall i, p' i = p (s i)) ->
  placed_stack Ls p' (perm_mx s *m X) = perm_mx s *m placed_stack Ls p X.
Proof.
by move=> eq_p; elim: Ls X => //= L Ls IH X; rewrite (apply_placed_perm L X eq_p) IH.
Qed.


(* The same layer, with weights that depend on two places by their difference: the weight that it
   gives to a query at 0 and a key at q - p. *)
Definition by_difference d (L : placed_layer R d) : placed_layer R d :=
  PlacedLayer (query L) (key L) (value L) (fun p q => weight L 0 (q - p)) (after L).

Lemma offset_lost d n (Ls : seq (placed_layer R d)) (place : 'I_n -> R) (t : R) (X : 'M[R]_(n, d)) :
  placed_stack [seq by_difference L | L <- Ls] (fun i => place i + t) X
  = placed_stack [seq by_difference L | L <- Ls] place X.
Proof.
elim: Ls X => [//|L Ls IH] X; rewrite [LHS]/= [RHS]/= -IH; congr (foldl _ _ _).
apply/row_matrixP => i; rewrite !rowK; congr (after L _ (row i _)).
by apply: eq_placed_attend => a b q k; rewrite /= opprD addrACA subrr addr0.
Qed.

End Placed.

(* Two tokens with two features, (1, 0) and (0, 1), keys turned by what depends on both places *)

Section Pair.
Variables (R : realFieldType) (w : R -> R).
Hypothesis w_gt0 : forall x, 0 < w x.
Hypothesis w_inj : injective w.

Lemma turned_pair_seen (z : R) (T : 'I_2 -> 'I_2 -> 'I_2 -> 'I_2 -> R) :
  let one : 'I_2 := lift ord0 ord0 in
  z != 0 -> T one one ord0 ord0 = T ord0 ord0 ord0 ord0 -> T one ord0 ord0 one <> T ord0 one ord0 one ->
  exists (s : 'S_2) (X WQ WK WV : 'I_2 -> 'I_2 -> R),
  let factor (Y : 'I_2 -> 'I_2 -> R) a b (t : 'I_2 -> 'I_2 -> R) := w ((\sum_l (\sum_f Y a f * WQ f l)
    * (\sum_f t l f * (\sum_g Y b g * WK g f))) / z) in
  let moved a := X (s a) in
  exists i v,
    \sum_j factor moved i j (T i j) / (\sum_j factor moved i j (T i j)) * (\sum_f X (s j) f * WV f v)
    <> \sum_j factor X (s i) j (T (s i) j) / (\sum_j factor X (s i) j (T (s i) j))
       * (\sum_f X j f * WV f v).
Proof.
move=> one z0 same differs; pose s := tperm (ord0 : 'I_2) one.
pose unit := fun a b : 'I_2 => (a == b)%:R : R.
exists s, unit, unit, unit, unit => factor moved; exists one, ord0.
have pick (F : 'I_2 -> R) a : \sum_l unit a l * F l = F a.
  rewrite (bigD1 a) //= /unit eqxx mul1r big1 ?addr0 // => l ne.
  by rewrite eq_sym (negPf ne) mul0r.
have pick' (F : 'I_2 -> R) a : \sum_l F l * unit a l = F a.
  by rewrite -[RHS]pick; apply: eq_bigr => l _; rewrite mulrC.
have scoreE a b (t : 'I_2 -> 'I_2 -> R) : \sum_l (\sum_f unit a f * unit f l)
    * (\sum_f t l f * (\sum_g unit b g * unit g f)) = t a b.
  rewrite (eq_bigr (fun l => unit a l * t l b)) ?pick // => l _.
  rewrite pick; congr (_ * _); rewrite -[RHS]pick'; apply: eq_bigr => f _; by rewrite pick.
have factorE a b t : factor unit a b t = w (t a b / z) by rewrite /factor scoreE.
have movedE a b t : factor moved a b t = w (t (s a) (s b) / z) by rewrite /factor /moved scoreE.
have s0 : s ord0 = one by rewrite tpermL.
have s1 : s one = ord0 by rewrite tpermR.
have ord1E : lift ord0 ord0 = one by [].
rewrite s1 !big_ord_recl !big_ord0 !addr0 ord1E !movedE !factorE s0 s1 !(mulr1, mulr0, add0r, addr0).
have w0 := lt0r_neq0 (w_gt0 (T ord0 ord0 ord0 ord0 / z)); have z'0 : z^-1 != 0 by rewrite invr_eq0.
rewrite same => /eqP; rewrite eqr_div ?lt0r_neq0 ?addr_gt0 // => /eqP /(mulfI w0).
by rewrite addrC => /addIr /w_inj /(mulIf z'0) /esym.
Qed.

End Pair.
