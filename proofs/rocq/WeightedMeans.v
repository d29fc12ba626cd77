(* Weighted means over any finite set of places, as the propositions of the claims speak of them: what
   they show of a factor at the weights, and of a table that is added to the tokens. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention Positions Shallow.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Weighted means over any finite set *)

Section Means.
Variable R : realFieldType.

(* Weights and values that move together, the weights up to a common factor. *)
Lemma mean_moved (T : finType) (s : T -> T) (c : R) (a a' v v' : T -> R) :
  injective s -> c != 0 -> (forall j, a' j = c * a (s j)) -> (forall j, v' j = v (s j)) ->
  \sum_j a' j / (\sum_k a' k) * v' j = \sum_j a j / (\sum_k a k) * v j.
Proof.
move=> s_inj c0 eq_a eq_v; have total : \sum_k a' k = c * \sum_k a k.
  by rewrite (eq_bigr _ (fun k _ => eq_a k)) -mulr_sumr [in RHS](reindex_inj s_inj).
rewrite [RHS](reindex_inj s_inj); apply: eq_bigr => j _.
by rewrite total eq_v eq_a -mulf_div divff // mul1r.
Qed.

Lemma mean_along (T : finType) (s : T -> T) (a a' v v' : T -> R) :
  injective s -> (forall j, a' j = a (s j)) -> (forall j, v' j = v (s j)) ->
  \sum_j a' j / (\sum_k a' k) * v' j = \sum_j a j / (\sum_k a k) * v j.
Proof. by move=> inj_s eq_a; apply: (mean_moved inj_s (oner_neq0 R)) => j; rewrite mul1r. Qed.

Lemma mean_same (T : finType) (a a' v v' : T -> R) :
  (forall j, a' j = a j) -> (forall j, v' j = v j) ->
  \sum_j a' j / (\sum_k a' k) * v' j = \sum_j a j / (\sum_k a k) * v j.
Proof. exact: (@mean_along _ id). Qed.

Lemma mean_of_constant (T : finType) (a : T -> R) (x : R) :
  \sum_k a k != 0 -> \sum_j a j / (\sum_k a k) * x = x.
Proof. by move=> total; rewrite -mulr_suml -mulr_suml divff // mul1r. Qed.

(* A common factor of the weights cancels. *)
Lemma weights_scaled (T : finType) (c : R) (a a' : T -> R) j :
  c != 0 -> (forall k, a' k = c * a k) -> a' j / (\sum_k a' k) = a j / (\sum_k a k).
Proof.
by move=> c0 eq_a; rewrite eq_a (eq_bigr _ (fun k _ => eq_a k)) -mulr_sumr -mulf_div divff ?mul1r.
Qed.

(* Of weights that are g_j e, the value 1 at t and 0 elsewhere shows that of t. *)
Lemma mean_of_unit (T : finType) (g v : T -> R) (e : R) t :
  e != 0 -> (forall j, v j = (j == t)%:R) ->
  \sum_j g j * e / (\sum_k g k * e) * v j = g t / \sum_k g k.
Proof.
move=> e0 eq_v; rewrite (bigD1 t) //= eq_v eqxx mulr1 [X in _ + X]big1 ?addr0 => [|j /negPf ne]; last first.
  by rewrite eq_v ne mulr0.
by rewrite -mulr_suml -mulf_div divff ?mulr1.
Qed.

(* What is added to all of a row is added to its mean. *)
Lemma centred d (x y : 'I_d -> R) (a : R) c : (forall k, y k = x k + a) ->
  y c - (\sum_k y k) / d%:R = x c - (\sum_k x k) / d%:R.
Proof.
case: d x y c => [|d] x y c eq_y; first by case: c.
rewrite (eq_bigr _ (fun k _ => eq_y k)) big_split /= sumr_const card_ord -[a *+ _]mulr_natr.
by rewrite mulrDl mulfK ?pnatr_eq0 // eq_y opprD addrACA subrr addr0.
Qed.

(* So a layer norm does not see it. *)
Lemma normed_same d (x y : 'I_d -> R) (a : R) (root : R -> R) (g b eps : R) c :
  (forall k, y k = x k + a) ->
  let mean (z : 'I_d -> R) := (\sum_j z j) / d%:R in
  let var (z : 'I_d -> R) := (\sum_j (z j - mean z) * (z j - mean z)) / d%:R in
  g * ((y c - mean y) / root (var y + eps)) + b = g * ((x c - mean x) / root (var x + eps)) + b.
Proof.
move=> eq_y mean var; have lost k : y k - mean y = x k - mean x := centred k eq_y.
have -> : var y = var x by rewrite /var; congr (_ / _); apply: eq_bigr => k _; rewrite lost.
by rewrite lost.
Qed.

(* How many of the first places there are up to place i. *)
Lemma count_past n (i : 'I_n) : \sum_(k < n) (k%:R <= i%:R :> R)%R%:R = i.+1%:R :> R.
Proof.
rewrite (eq_bigr (fun k : 'I_n => if (k < i.+1)%N then 1 else 0)) => [|k _]; last first.
  by rewrite ler_nat ltnS; case: (_ <= _)%N.
by rewrite -big_mkcond -(big_ord_widen n (fun=> 1)) // sumr_const card_ord.
Qed.

End Means.

(* A factor G at the weights: what its rows, divided by their maximum, decide *)

Section Factors.
Variables (R : realFieldType) (n : nat) (s : 'S_n) (G : 'I_n -> 'I_n -> R).
Hypothesis G_gt0 : forall i, 0 < \sum_j G i j.
Let largest_of i := maximum (fun k => G i k).

Lemma largest_of_gt0 i : 0 < largest_of i.
Proof.
rewrite ltNge; apply/negP => /(maximum_leP _ i) le0; have := G_gt0 i.
by rewrite ltNge -oppr_ge0 -sumrN sumr_ge0 // => j _; rewrite oppr_ge0 le0.
Qed.

Lemma kept_factor : (forall i j, G (s i) (s j) / largest_of (s i) = G i j / largest_of i) ->
  forall i, exists2 c, c != 0 & forall j, G i j = c * G (s i) (s j).
Proof.
move=> kept i; exists (largest_of i / largest_of (s i)) => [|j].
  by rewrite mulf_neq0 ?invr_eq0 ?gt_eqF ?largest_of_gt0.
by rewrite mulrAC -mulrA kept mulrC mulfVK // gt_eqF ?largest_of_gt0.
Qed.

Lemma bias_seen :
  (exists i j, G (s i) (s j) / largest_of (s i) <> G i j / largest_of i) ->
  exists i j, G i j / (\sum_k G i k) <> G (s i) (s j) / \sum_k G (s i) k.
Proof.
move=> [i [j moved]]; exists i.
have /existsP[k /eqP ne] : [exists k, G i k / (\sum_k G i k) != G (s i) (s k) / \sum_k G (s i) k].
  apply: wlog_neg => /existsPn same; case: moved.
  pose c := (\sum_k G (s i) k) / \sum_k G i k.
  have c_gt0 : 0 < c by rewrite divr_gt0.
  have eqG k : G (s i) (s k) = c * G i k.
    have /negPn/eqP eq_k := same k; rewrite /c mulrAC -mulrA eq_k mulrC mulfVK //.
    by rewrite gt_eqF.
  have -> : largest_of (s i) = c * largest_of i.
    rewrite /largest_of -(maximum_perm s); apply/le_anti/andP; split.
      apply/(maximum_leP _ i) => k; rewrite eqG ler_pmul2l //.
      exact: (maximum_leP (fun k => G i k) i _ (lexx _)).
    rewrite -ler_pdivl_mull //; apply/(maximum_leP _ i) => k; rewrite ler_pdivl_mull // -eqG.
    exact: (maximum_leP (fun k => G (s i) (s k)) i _ (lexx _)).
  by rewrite eqG -mulf_div divff ?mul1r // gt_eqF.
by exists k.
Qed.

End Factors.

(* Tokens and weights that show a factor: one token is 1, queries and keys are 0 *)

Section Shown.
Variables (R : realFieldType) (root w : R -> R).
Hypothesis wP : exponential w.

Lemma differ (x y x' y' : R) : x <> y -> x' = x -> y' = y -> x' <> y'.
Proof. by move=> ne -> ->. Qed.

Lemma sum_of_ones d (x : R) : (0 < d)%N -> \sum_(c < d) x * (1 / d%:R) = x.
Proof.
move=> d_gt0; rewrite sumr_const card_ord -mulrnAr -[_ *+ d]mulr_natr mul1r mulVf ?mulr1 //.
by rewrite pnatr_eq0 -lt0n.
Qed.

Lemma no_scores d k (x : 'I_d -> R) (y : 'I_k -> R) (z : R) :
  w ((\sum_f (\sum_c x c * 0) * y f) / z) = w 0.
Proof.
rewrite [X in w (X / _)]big1 ?mul0r // => f _.
by rewrite big1 ?mul0r // => c _; rewrite mulr0.
Qed.

(* Weights with scores 0, values that are 1 at t: what is seen is the share of t. *)
Lemma share_seen (T : finType) (g a v : T -> R) t :
  (forall j, a j = g j * w 0) -> (forall j, v j = (j == t)%:R) ->
  \sum_j a j / (\sum_l a l) * v j = g t / \sum_l g l.
Proof.
move=> eq_a eq_v; rewrite -(mean_of_unit g (e := w 0) _ eq_v) ?gt_eqF ?(exponential_gt0 wP) //.
exact: mean_same.
Qed.

Variables (n : nat) (s : 'S_n).

Section OneFactor.
Variables (G : 'I_n -> 'I_n -> R) (i j : 'I_n).
Hypothesis ne : G i j / (\sum_k G i k) <> G (s i) (s j) / \sum_k G (s i) k.

Lemma head_shows d k e : (0 < d)%N -> (0 < e)%N ->
  exists (X : 'I_n -> 'I_d -> R) (WQ WK : 'I_d -> 'I_k -> R) (WV : 'I_d -> 'I_e -> R),
  let factor (Y : 'I_n -> 'I_d -> R) a b (g : R) := g * w ((\sum_(f < k)
    (\sum_(c < d) Y a c * WQ c f) * (\sum_(c < d) Y b c * WK c f)) / root k%:R) in
  let moved a := X (s a) in
  exists a r,
    \sum_b factor moved a b (G a b) / (\sum_l factor moved a l (G a l))
      * (\sum_(c < d) X (s b) c * WV c r)
    <> \sum_b factor X (s a) b (G (s a) b) / (\sum_l factor X (s a) l (G (s a) l))
      * (\sum_(c < d) X b c * WV c r).
Proof.
move=> d_gt0 e_gt0; exists (fun t _ => (t == s j)%:R), (fun _ _ => 0), (fun _ _ => 0).
exists (fun _ _ => 1 / d%:R) => factor moved; exists i, (Ordinal e_gt0); apply: (differ ne).
  apply: share_seen => b; first by rewrite /factor no_scores.
  by rewrite sum_of_ones // (inj_eq (@perm_inj _ s)).
by apply: share_seen => b; rewrite ?sum_of_ones // /factor no_scores.
Qed.

Lemma layers_show d k : (0 < d)%N ->
  exists (X : 'I_n -> 'I_d -> R) (Q1 K1 : 'I_d -> 'I_k -> R) (V1 : 'I_d -> 'I_d -> R)
    (Q2 K2 : 'I_d -> 'I_k -> R) (V2 : 'I_d -> 'I_d -> R),
  let factor (Y : 'I_n -> 'I_d -> R) (Q K : 'I_d -> 'I_k -> R) a b := G a b * w ((\sum_(f < k)
    (\sum_(c < d) Y a c * Q c f) * (\sum_(c < d) Y b c * K c f)) / root k%:R) in
  let layer Y Q K (V : 'I_d -> 'I_d -> R) a r := Y a r + \sum_b factor Y Q K a b
    / (\sum_l factor Y Q K a l) * (\sum_(c < d) Y b c * V c r) in
  exists a r, layer (layer (fun a => X (s a)) Q1 K1 V1) Q2 K2 V2 a r
    <> layer (layer X Q1 K1 V1) Q2 K2 V2 (s a) r.
Proof.
move=> d_gt0; exists (fun t _ => (t == s j)%:R), (fun _ _ => 0), (fun _ _ => 0), (fun _ _ => 0).
exists (fun _ _ => 0), (fun _ _ => 0), (fun _ _ => 1 / d%:R) => factor layer.
exists i, (Ordinal d_gt0).
have first (Y : 'I_n -> 'I_d -> R) a r : layer Y (fun _ _ => 0) (fun _ _ => 0) (fun _ _ => 0) a r = Y a r.
  rewrite /layer [X in _ + X]big1 ?addr0 // => b _.
  by rewrite [X in _ * X]big1 ?mulr0 // => c _; rewrite mulr0.
have second (Y Z : 'I_n -> 'I_d -> R) t a r : (forall b c, Z b c = Y b c) ->
    (forall b c, Y b c = (b == t)%:R) ->
    layer Z (fun _ _ => 0) (fun _ _ => 0) (fun _ _ => 1 / d%:R) a r = Y a r + G a t / \sum_k G a k.
  move=> eqZ eqY; rewrite /layer eqZ; congr (_ + _).
  apply: share_seen => b; first by rewrite /factor no_scores.
  by rewrite (eq_bigr (fun c => (b == t)%:R * (1 / d%:R))) ?sum_of_ones // => c _; rewrite eqZ eqY.
have moved b (c : 'I_d) : (s b == s j)%:R = (b == j)%:R :> R by rewrite (inj_eq (@perm_inj _ s)).
have left := second (fun a _ => (s a == s j)%:R) _ j i _ (first _) moved.
have right := second (fun a _ => (a == s j)%:R) _ (s j) (s i) _ (first _) (fun _ _ => erefl).
by rewrite left right => /addrI/ne.
Qed.

End OneFactor.

Lemma heads_show h (G : 'I_h -> 'I_n -> 'I_n -> R) a0 i j d k e :
  G a0 i j / (\sum_k G a0 i k) <> G a0 (s i) (s j) / (\sum_k G a0 (s i) k) ->
  (0 < d)%N -> (0 < e)%N ->
  exists (X : 'I_n -> 'I_d -> R) (WQ WK : 'I_h -> 'I_d -> 'I_k -> R) (WV : 'I_h -> 'I_d -> 'I_e -> R)
    (WO : 'I_h -> 'I_e -> 'I_d -> R),
  let factor (Y : 'I_n -> 'I_d -> R) a t b (g : R) := g * w ((\sum_(f < k)
    (\sum_(c < d) Y t c * WQ a c f) * (\sum_(c < d) Y b c * WK a c f)) / root k%:R) in
  let moved t := X (s t) in
  exists t c,
    \sum_a \sum_r (\sum_b factor moved a t b (G a t b) / (\sum_l factor moved a t l (G a t l))
      * (\sum_(c < d) X (s b) c * WV a c r)) * WO a r c
    <> \sum_a \sum_r (\sum_b factor X a (s t) b (G a (s t) b)
      / (\sum_l factor X a (s t) l (G a (s t) l)) * (\sum_(c < d) X b c * WV a c r)) * WO a r c.
Proof.
move=> ne d_gt0 e_gt0; exists (fun t _ => (t == s j)%:R), (fun _ _ _ => 0), (fun _ _ _ => 0).
exists (fun _ _ _ => 1 / d%:R), (fun a _ _ => (a == a0)%:R * (1 / e%:R)) => factor moved.
exists i, (Ordinal d_gt0); have alone (z : 'I_h -> R) :
    \sum_a \sum_(r < e) z a * ((a == a0)%:R * (1 / e%:R)) = z a0.
  rewrite (bigD1 a0) //= eqxx mul1r sum_of_ones // big1 ?addr0 // => a /negPf ne_a.
  by rewrite big1 // => r _; rewrite ne_a mul0r mulr0.
rewrite !alone; apply: (differ ne).
  apply: share_seen => b; first by rewrite /factor no_scores.
  by rewrite sum_of_ones // (inj_eq (@perm_inj _ s)).
by apply: share_seen => b; rewrite ?sum_of_ones // /factor no_scores.
Qed.

End Shown.

(* A table that s moves shows, for every width *)

Section Tables.
Variables (R : realFieldType) (w root : R -> R) (scale : R).
Hypothesis w_gt0 : forall x, 0 < w x.
Hypothesis w_up : forall x, 0 < x -> w 0 < w x.
Hypothesis w_down : forall x, x < 0 -> w x <= w 0.

Lemma table_seen n d k e (s : 'S_n) (E : 'M[R]_(n, d.+1)) : scale != 0 -> perm_mx s *m E <> E ->
  exists (WQ WK : 'M[R]_(d.+1, k.+1)) (WV : 'M[R]_(d.+1, e.+1)) (X : 'M[R]_(n, d.+1)),
    self_attention w scale WQ WK WV (perm_mx s *m X + E)
    <> perm_mx s *m self_attention w scale WQ WK WV (X + E).
Proof.
move=> scale0 /matrix_differ[i [c /eqP]]; rewrite perm_mxE -subr_eq0 => moved.
pose x r := E r c - E ((s^-1)%g r) c.
have sum0 : \sum_r x r = 0 by rewrite sumrB (sum_perm _ (fun r => E r c)) subrr.
have xi : x (s i) != 0 by rewrite /x permK.
exists (reads k c (scale^-1 * 1)), (reads k c 1), (reads e c 1), (- ((perm_mx s)^T *m E)).
rewrite mulmxN mulmxA tr_perm_mx -perm_mxM mulgV perm_mx1 mul1mx addNr.
move=> /(congr1 (fun T : 'M_(_, _) => T i ord0)); rewrite perm_mxE !attend_unscaled //.
have xE r : (- (perm_mx s^-1 *m E) + E) r c = x r by rewrite mxE [X in X + _]mxE perm_mxE addrC.
rewrite big1 ?mul0r => [|j _]; last by rewrite [X in _ * X]mxE mulr0.
rewrite xE (eq_bigr (fun j => w (1 * x (s i) * x j) * x j)) => [|j _]; last by rewrite xE.
apply/eqP; rewrite eq_sym mulf_neq0 ?invr_eq0 ?sum_w_mul_neq0 //.
exact: (sum_w_neq0_of w_gt0 (s i)).
Qed.

(* One head, entry by entry, of tokens with these entries. *)
Lemma self_attentionE n d k e (c : R) (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (Y : 'M[R]_(n, d))
    (y : 'I_n -> 'I_d -> R) i r :
  (forall i f, Y i f = y i f) ->
  \sum_j w ((\sum_l (\sum_f y i f * WQ f l) * (\sum_f y j f * WK f l)) / c)
    / (\sum_j w ((\sum_l (\sum_f y i f * WQ f l) * (\sum_f y j f * WK f l)) / c))
    * (\sum_f y j f * WV f r)
  = self_attention w c^-1 WQ WK WV Y i r.
Proof.
move=> eqY; have projected p (W : 'M[R]_(d, p)) a l : (Y *m W) a l = \sum_f y a f * W f l.
  by rewrite mxE; apply: eq_bigr => f _; rewrite eqY.
rewrite /self_attention attendE; apply: mean_same => j; last by rewrite projected.
by congr (w (_ / _)); apply: eq_bigr => l _; rewrite !projected.
Qed.

End Tables.

(* Tokens of one feature, minus the table as s^-1 moves it, and weights 1: on one side all tokens
   are 0 then, on the other they are what s changes in the table. *)
Lemma table_of_one_feature (R : realFieldType) (root w : R -> R) n (s : 'S_n)
    (e : 'I_n -> 'I_1 -> R) (uQ uK uV : 'I_1 -> 'I_1 -> R) :
  square_root root -> exponential w ->
  (forall f l, uQ f l = 1) -> (forall f l, uK f l = 1) -> (forall f l, uV f l = 1) ->
  (exists i f, e (s i) f <> e i f) ->
  let factor (y : 'I_n -> 'I_1 -> R) i j :=
    w ((\sum_l (\sum_f y i f * uQ f l) * (\sum_f y j f * uK f l)) / root 1%:R) in
  let head y i r := \sum_j factor y i j / (\sum_j factor y i j) * (\sum_f y j f * uV f r) in
  let x i f := - e ((s^-1)%g i) f in
  exists i r, head (fun i f => x (s i) f + e i f) i r <> head (fun i f => x i f + e i f) (s i) r.
Proof.
move=> rootP wP one1 one2 one3 [i [c moves]].
have root1 : root 1%:R = 1 := square_root1 rootP.
pose x r := - e ((s^-1)%g r) ord0 + e r ord0.
have sum0 : \sum_r x r = 0.
  by rewrite big_split /= sumrN (sum_perm (s^-1)%g (fun r => e r ord0)) addNr.
have xi : x (s i) != 0.
  by rewrite /x permK addrC subr_eq0; apply/eqP; move: moves; rewrite (ord1 c).
exists i, ord0 => /=; rewrite [X in X <> _]big1 => [|j _]; last first.
  by rewrite !big_ord1 !permK !addNr !mul0r mulr0.
rewrite (eq_bigr (fun j => w (1 * x (s i) * x j) * x j / \sum_l w (1 * x (s i) * x l))) => [|j _].
  rewrite -mulr_suml; apply/eqP; rewrite eq_sym mulf_neq0 ?invr_eq0 //.
    exact: (sum_w_mul_neq0 (exponential_up wP) (exponential_down wP)).
  exact: (sum_w_neq0_of (exponential_gt0 wP) (s i)).
have scoreE l : (\sum_(k < 1) (\sum_(f < 1) (- e ((s^-1)%g (s i)) f + e (s i) f) * uQ f k)
    * (\sum_(f < 1) (- e ((s^-1)%g l) f + e l f) * uK f k)) / root 1%:R = 1 * x (s i) * x l.
  by rewrite !big_ord1 ?(one1, one2, one3) !mulr1 mul1r root1 divr1.
rewrite scoreE big_ord1 ?(one1, one2, one3) mulr1 mulrAC; congr (_ * _ / _).
by apply: eq_bigr => l _; rewrite scoreE.
Qed.
