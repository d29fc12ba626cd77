(* What the propositions of the claims are written with (symbolic/readings/rocq_statement.py), and how a sum
   over indices becomes an entry of a matrix, which the headlines speak of. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention Contraction.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Definitions *)

Section Definitions.
Variable R : realFieldType.

(* What is used of exp (to base e or 2), of the root, and of cos and sin; Real.v shows that the real
   ones are such. *)
Definition exponential (f : R -> R) : Prop :=
  [/\ forall x, 0 < f x, forall x y, f (x + y) = f x * f y, forall x y, x < y -> f x < f y
    & (* tanh (x/2) <= x/2 *) forall x, 0 <= x -> f x - 1 <= x / 2%:R * (f x + 1)].

Definition square_root (f : R -> R) : Prop := forall x, 0 <= x -> 0 <= f x /\ f x * f x = x.

Definition circular (c s : R -> R) : Prop :=
  [/\ forall x, c x * c x + s x * s x = 1, forall x y, c (x + y) = c x * c y - s x * s y
    & forall x y, s (x + y) = s x * c y + c x * s y].

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
case=> f_gt0 fD _ _; have /mulfI := lt0r_neq0 (f_gt0 0); apply.
by rewrite -fD addr0 mulr1.
Qed.

Lemma exponential_up f : exponential f -> forall x, 0 < x -> f 0 < f x.
Proof. by case=> _ _ f_up _ x /f_up. Qed.

Lemma exponential_down f : exponential f -> forall x, x < 0 -> f x <= f 0.
Proof. by case=> _ _ f_up _ x /f_up /ltW. Qed.

Lemma exponential_not_constant f : exponential f -> exists a, f a != f 0.
Proof. by case=> _ _ f_up _; exists 1; rewrite gt_eqF ?f_up ?ltr01. Qed.

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


(* ---- distances of tokens before and after attention ---- *)
Section Distances.
Variables (R : realFieldType) (w root : R -> R).
Hypothesis wP : exponential w.
Hypothesis rootP : square_root root.

Definition distance n d (X : 'I_n -> 'I_d -> R) (i j : 'I_n) : R :=
  root (\sum_f (X i f - X j f) * (X i f - X j f)).

Lemma maximum_ge (T U : finType) (a : T -> U -> R) t u :
  a t u <= maximum (fun t => maximum (fun u => a t u)).
Proof.
apply: (@le_trans _ _ (maximum (fun u => a t u))).
  by apply/(@maximum_leP R _ (fun u => a t u) u); exact: lexx.
by apply/(@maximum_leP R _ (fun t => maximum (fun u => a t u)) t); exact: lexx.
Qed.

Lemma distanceE n d (X : 'I_n -> 'I_d -> R) i j :
  distance X i j = apart (euclid root (d := d)) (\matrix_(i, f) X i f) i j.
Proof. by congr root; apply: eq_bigr => f _; rewrite !mxE expr2. Qed.

Lemma variationE (T : finType) (p q : T -> R) :
  1 / 2%:R * (\sum_k Num.max (p k - q k) (- (p k - q k))) = variation p q.
Proof.
rewrite mul1r mulrC /variation; congr (_ / _); apply: eq_bigr => k _.
exact: maxrN.
Qed.

Lemma average_distance n m e (A : 'I_n -> 'I_m -> R) (V : 'I_m -> 'I_e -> R) i l :
  (forall i, \sum_j A i j = 1) ->
  distance (fun i r => \sum_k A i k * V k r) i l
  <= variation (A i) (A l) * maximum (fun j => maximum (fun k => distance V j k)).
Proof.
move=> sum1; pose Am : 'M[R]_(n, m) := \matrix_(i, j) A i j.
pose Vm : 'M[R]_(m, e) := \matrix_(j, r) V j r.
have AE a j : Am a j = A a j by rewrite mxE.
have outE : distance (fun i r => \sum_k A i k * V k r) i l
    = apart (euclid root (d := e)) (Am *m Vm) i l.
  rewrite distanceE /apart; congr (euclid root (_ - _)); apply/rowP => r; rewrite !mxE;
    by apply: eq_bigr => k _; rewrite AE mxE.
have varE : variation (A i) (A l) = variation (Am i) (Am l).
  by rewrite /variation; under [in RHS]eq_bigr do rewrite !AE.
have sumE a : \sum_j Am a j = 1 by under eq_bigr do rewrite AE.
have V_spread j k : apart (euclid root (d := e)) Vm j k
    <= maximum (fun j => maximum (fun k => distance V j k)).
  by rewrite -distanceE (maximum_ge (distance V)).
rewrite outE varE; apply: (average_apart (euclid_seminorm rootP e) _ V_spread).
by rewrite !sumE.
Qed.

(* The weights that softmax makes of two rows of scores. *)
Lemma softmax_tanh n m (S : 'I_n -> 'I_m -> R) (A : 'I_n -> 'I_m -> R) (o : R) i l : (0 < m)%N ->
  (forall i j, A i j = w (S i j) / (\sum_k w (S i k))) ->
  o = maximum (fun j => maximum (fun k => (S i j - S l j) - (S i k - S l k))) ->
  variation (A i) (A l) <= (w (o / 2%:R) - 1) / (w (o / 2%:R) + 1).
Proof.
move=> m_gt0 eqA eqo; have [w_gt0 wD w_up w_tanh] := wP.
pose Sm : 'M[R]_(n, m) := \matrix_(i, j) S i j.
have SE a j : Sm a j = S a j by rewrite mxE.
have AE a j : A a j = softmax w Sm a j.
  by rewrite eqA normalizeE mxE SE; under [in RHS]eq_bigr do rewrite mxE SE.
have varE : variation (A i) (A l) = variation (softmax w Sm i) (softmax w Sm l).
  by rewrite /variation; under [in LHS]eq_bigr do rewrite !AE.
have osc : oscillates Sm i l o.
  move=> j k; rewrite !SE eqo.
  exact: (maximum_ge (fun j k => (S i j - S l j) - (S i k - S l k)) j k).
rewrite varE ler_pdivl_mulr ?addr_gt0 ?ltr01 //.
exact: (softmax_variation w_gt0 wD w_up m_gt0 osc).
Qed.

Section Layer.
Variables (n d k e : nat) (X : 'I_n -> 'I_d -> R) (WQ WK : 'I_d -> 'I_k -> R).
Variables (WV : 'I_d -> 'I_e -> R) (mu omega s : R).

Definition layer i r : R :=
  \sum_j w ((\sum_p (\sum_f X i f * WQ f p) * (\sum_f X j f * WK f p)) / root k%:R)
       / (\sum_l w ((\sum_p (\sum_f X i f * WQ f p) * (\sum_f X l f * WK f p)) / root k%:R))
     * (\sum_f X j f * WV f r).

Hypotheses (mu_ge0 : 0 <= mu) (omega_ge0 : 0 <= omega).
Hypothesis scores_vary : forall i j a b,
  (\sum_p (\sum_f (X i f - X j f) * WQ f p) * (\sum_f (X a f - X b f) * WK f p)) / root k%:R
  <= mu * distance X i j * distance X a b.
Hypothesis values_vary : forall i j,
  root (\sum_r (\sum_f (X i f - X j f) * WV f r) * (\sum_f (X i f - X j f) * WV f r))
  <= omega * distance X i j.
Hypothesis spread : forall i j, distance X i j <= s.

Lemma layer_apart i j :
  distance layer i j <= mu * omega * s ^+ 2 / 4%:R * distance X i j
  /\ distance layer i j <= mu * omega * s ^+ 3 / 4%:R.
Proof.
have [w_gt0 wD w_up w_tanh] := wP.
pose Xm : 'M[R]_(n, d) := \matrix_(i, f) X i f; pose Qm : 'M[R]_(d, k) := \matrix_(f, p) WQ f p.
pose Km : 'M[R]_(d, k) := \matrix_(f, p) WK f p; pose Vm : 'M[R]_(d, e) := \matrix_(f, r) WV f r.
pose S := scores (root k%:R)^-1 (Xm *m Qm) (Xm *m Km).
have toX a b : apart (euclid root (d := d)) Xm a b = distance X a b by rewrite distanceE.
have vary a b f g : (S a f - S b f) - (S a g - S b g)
    <= mu * apart (euclid root (d := d)) Xm a b * apart (euclid root (d := d)) Xm f g.
  rewrite !toX scores_linear; apply: le_trans (scores_vary a b f g).
  rewrite /score_form -scalemxAr -scalemxAl mxE mulrC; set u := _ - _; set v := _ - _.
  have -> : u *m (Qm *m Km^T) *m v^T = u *m Qm *m (v *m Km)^T by rewrite trmx_mul !mulmxA.
  rewrite le_eqVlt; apply/orP; left; apply/eqP; rewrite mxE; congr (_ / _).
  by apply: eq_bigr => p _; rewrite !mxE; congr (_ * _); apply: eq_bigr => h _; rewrite !mxE.
have vary_values a b : apart (euclid root (d := e)) (Xm *m Vm) a b
    <= omega * apart (euclid root (d := d)) Xm a b.
  rewrite toX values_linear; apply: le_trans (values_vary a b); rewrite le_eqVlt; apply/orP; left.
  apply/eqP; congr root; apply: eq_bigr => r _; rewrite expr2 !mxE.
  by congr (_ * _); apply: eq_bigr => h _; rewrite !mxE.
have outE : distance layer i j = apart (euclid root (d := e)) (softmax w S *m (Xm *m Vm)) i j.
  rewrite distanceE; congr (apart _ _ _ _); apply/matrixP => a r.
  by rewrite [RHS]attendE mxE /layer; apply: eq_bigr => h _; entries.
have X_spread a b : apart (euclid root (d := d)) Xm a b <= s by rewrite toX.
rewrite outE -toX; split.
  exact: (layer_contracts w_gt0 wD w_up w_tanh (euclid_seminorm rootP _) (euclid_seminorm rootP _)
    mu_ge0 omega_ge0 vary vary_values X_spread).
exact: (layer_spread w_gt0 wD w_up w_tanh (euclid_seminorm rootP _) (euclid_seminorm rootP _)
    mu_ge0 omega_ge0 vary vary_values X_spread).
Qed.

End Layer.

(* The norm of all entries bounds what the scores and the values make of a difference. *)
Lemma frobenius_apart n d k e (X : 'I_n -> 'I_d -> R) (WQ WK : 'I_d -> 'I_k -> R)
    (WV : 'I_d -> 'I_e -> R) (s : R) i j : (forall i j, distance X i j <= s) ->
  let M f g := (\sum_p WQ f p * WK g p) / root k%:R in
  let form := root (\sum_f \sum_g M f g * M f g) in
  let map := root (\sum_f \sum_r WV f r * WV f r) in
  (distance (layer X WQ WK WV) i j <= form * map * s * s / 4%:R * distance X i j) = true.
Proof.
move=> spread M form map.
pose Mm : 'M[R]_d := \matrix_(f, g) M f g; pose Vm : 'M[R]_(d, e) := \matrix_(f, r) WV f r.
have formE : form = frobenius root Mm.
  by congr root; apply: eq_bigr => f _; apply: eq_bigr => g _; rewrite mxE expr2.
have mapE : map = frobenius root Vm.
  by congr root; apply: eq_bigr => f _; apply: eq_bigr => r _; rewrite mxE expr2.
pose between a b : 'rV[R]_d := \row_f (X a f - X b f).
have betweenE a b : euclid root (between a b) = distance X a b.
  by congr root; apply: eq_bigr => f _; rewrite mxE expr2.
have scores a b f g :
    (\sum_p (\sum_h (X a h - X b h) * WQ h p) * (\sum_h (X f h - X g h) * WK h p)) / root k%:R
    <= form * distance X a b * distance X f g.
  rewrite formE -!betweenE; apply: le_trans (frobenius_form rootP _ _ _).
  rewrite le_eqVlt; apply/orP; left; apply/eqP; rewrite mxE mulr_suml.
  transitivity (\sum_h \sum_c (X a c - X b c) * (M c h * (X f h - X g h))); last first.
    by apply: eq_bigr => h _; rewrite !mxE mulr_suml; apply: eq_bigr => c _; rewrite !mxE mulrA.
  under [RHS]eq_bigr do under eq_bigr do rewrite /M mulrAC mulrA mulr_suml mulr_sumr mulr_suml.
  under [RHS]eq_bigr do rewrite exchange_big.
  rewrite [RHS]exchange_big; apply: eq_bigr => p _ /=.
  under [RHS]eq_bigr do rewrite -mulr_suml; rewrite -mulr_suml; congr (_ / _).
  rewrite mulr_sumr; apply: eq_bigr => h _; rewrite mulr_suml; apply: eq_bigr => c _.
  by rewrite !mulrA [in RHS]mulrAC mulrAC.
have values a b :
    root (\sum_r (\sum_f (X a f - X b f) * WV f r) * (\sum_f (X a f - X b f) * WV f r))
    <= map * distance X a b.
  rewrite mapE -betweenE; apply: le_trans (frobenius_map rootP _ _).
  rewrite le_eqVlt; apply/orP; left; apply/eqP; congr root; apply: eq_bigr => r _.
  by rewrite expr2 !mxE; congr (_ * _); apply: eq_bigr => f _; rewrite !mxE.
have form_ge0 : 0 <= form by rewrite formE frobenius_ge0.
have map_ge0 : 0 <= map by rewrite mapE frobenius_ge0.
by have := (layer_apart form_ge0 map_ge0 scores values spread i j).1; rewrite expr2 !mulrA.
Qed.

Lemma skip_distance n d (X Z : 'I_n -> 'I_d -> R) kappa i j :
  distance Z i j <= kappa * distance X i j ->
  (1 - kappa) * distance X i j <= distance (fun i f => X i f + Z i f) i j
  /\ distance (fun i f => X i f + Z i f) i j <= (1 + kappa) * distance X i j.
Proof.
have sumE : distance (fun i f => X i f + Z i f) i j
    = apart (euclid root (d := d)) (\matrix_(i, f) X i f + \matrix_(i, f) Z i f) i j.
  by congr root; apply: eq_bigr => f _; rewrite !mxE expr2.
rewrite sumE !distanceE => /(skip_apart (euclid_seminorm rootP d)).
by move=> /andP[].
Qed.

End Distances.
