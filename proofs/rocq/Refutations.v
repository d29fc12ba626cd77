(* That outputs differ where position tensors do: weights of a mask or a bias, relative keys, rotations.

   Primed are the position tensors of one side, whose tokens are X_(s i); its output at m is compared with
   that of the other side at s m.  Two layers have skips. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention Positions Shallow Means.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Weights: a bias or a mask *)

Section Weights.
Variables (R : realFieldType) (root w : R -> R).
Hypotheses (rootP : square_root root) (wP : exponential w).
Variables (n d : nat) (d_gt0 : (0 < d)%N) (s : 'S_n) (m : 'I_n).
Variables (G G' B B' : 'I_n -> 'I_n -> R) (E E' : 'I_n -> 'I_d -> R).
Variables (A A' : 'I_n -> 'I_n -> 'I_d -> R) (T T' : 'I_n -> 'I_n -> 'I_d -> 'I_d -> R).

(* The weights of a layer, and its output: tokens t, position tensors g, b, a and r. *)
Definition weigh (g b : 'I_n -> 'I_n -> R) (a : 'I_n -> 'I_n -> 'I_d -> R)
    (r : 'I_n -> 'I_n -> 'I_d -> 'I_d -> R) (t : 'I_n -> 'I_d -> R) (WQ WK : 'I_d -> 'I_d -> R) i j :=
  g i j * w ((\sum_k ((\sum_l (t i l * WQ l k))
    * ((\sum_l (r i j k l * (\sum_p (t j p * WK p l)))) + a i j k))) / root d%:R + b i j).

Local Notation none := (@none R d).

Lemma weigh0 g b a r t WK i j : weigh g b a r t none WK i j = g i j * w (b i j).
Proof.
rewrite /weigh big1 ?mul0r ?add0r // => k _.
by rewrite noneE mul0r.
Qed.

Hypothesis G_ge0 : forall i j, 0 <= G i j.
Hypothesis G'_ge0 : forall i j, 0 <= G' i j.
Hypothesis G_gt0 : forall i, 0 < \sum_j G i j.
Hypothesis G'_gt0 : forall i, 0 < \sum_j G' i j.

Lemma weight_sum_neq0 (g b : 'I_n -> R) :
  (forall j, 0 <= g j) -> 0 < \sum_j g j -> \sum_j g j * w (b j) != 0.
Proof.
move=> g_ge0 g_gt0; have w_gt0 := exponential_gt0 wP.
have [j g_j|no] := pickP (fun j => g j != 0).
  rewrite gt_eqF // (bigD1 j) //= ltr_paddr ?sumr_ge0 // => [l _|]; first by rewrite mulr_ge0 // ltW.
  by rewrite mulr_gt0 // lt_neqAle eq_sym g_j g_ge0.
by move: g_gt0; rewrite big1 ?ltxx // => j _; have /negbFE/eqP := no j.
Qed.

Let new j := G' m j * w (B' m j).
Let old j := G (s m) (s j) * w (B (s m) (s j)).
Hypothesis changed : exists j l, new j * old l <> old j * new l.

Lemma some_share_differs : exists t, new t / (\sum_u new u) != old t / (\sum_u old u).
Proof.
have [j [l ne]] := changed; apply: shares_differ ne; first exact: weight_sum_neq0.
rewrite (sum_perm s (fun j => G (s m) j * w (B (s m) j))); exact: weight_sum_neq0.
Qed.

(* Values of the tokens for which the two means differ, rows and numbers added to them. *)
Lemma values_differ (c : 'I_d) u v : exists y : 'I_n -> R,
  u + mean new (fun j => y j + E' j c) <> v + mean old (fun j => y j + E (s j) c).
Proof.
have [t ne] := some_share_differs; rewrite -subr_eq0 in ne.
pose r j := new j / (\sum_u new u) - old j / (\sum_u old u).
pose f y := u + mean new (fun j => y j + E' j c).
pose g y := v + mean old (fun j => y j + E (s j) c).
have rE y : f y - g y = u + mean new (E'^~ c) - (v + mean old (fun j => E (s j) c)) + \sum_j r j * y j.
  have -> : \sum_j r j * y j = mean new y - mean old y.
    by rewrite -sumrB; apply: eq_bigr => j _; rewrite mulrBl.
  by rewrite /f /g !meanD addrCA [v + _]addrCA opprD addrACA addrC.
exact: affine_differ rE ne.
Qed.

Let c := Ordinal d_gt0.

Theorem weights_change_one_layer : exists (X : 'I_n -> 'I_d -> R) WQ WK WV,
  let t' i k := X (s i) k + E' i k in
  let t i k := X i k + E i k in
  exists v, output (weigh G' B' A' T' t' WQ WK) t' WV m v
            <> output (weigh G B A T t WQ WK) t WV (s m) v.
Proof.
have [y differ] := values_differ c 0 0.
exists (fun i _ => y ((s^-1)%g i)), none, none, (reads_one c c 1) => /=; exists c.
rewrite !add0r in differ; apply: (eq_differ _ _ differ).
  by apply: eq_mean => j; rewrite ?weigh0 // readsE eqxx !mulr1 permK.
rewrite /output -(mean_perm s).
by apply: eq_mean => j; rewrite ?weigh0 // readsE eqxx !mulr1 permK.
Qed.

Theorem weights_change_two_layers :
  exists (X : 'I_n -> 'I_d -> R) WQ1 WK1 WV1 WQ2 WK2 WV2,
  let t' i k := X (s i) k + E' i k in
  let h' i k := t' i k + output (weigh G' B' A' T' t' WQ1 WK1) t' WV1 i k in
  let t i k := X i k + E i k in
  let h i k := t i k + output (weigh G B A T t WQ1 WK1) t WV1 i k in
  exists v, h' m v + output (weigh G' B' A' T' h' WQ2 WK2) h' WV2 m v
            <> h (s m) v + output (weigh G B A T h WQ2 WK2) h WV2 (s m) v.
Proof.
have [y differ] := values_differ c (E' m c) (E (s m) c).
exists (fun i _ => y ((s^-1)%g i)), none, none, (reads_one c c 1), none, none, none => /=; exists c.
rewrite !output0 !addr0 permK -!addrA => /addrI; apply: (eq_differ _ _ differ); congr (_ + _).
  by apply: eq_mean => j; rewrite ?weigh0 // readsE eqxx !mulr1 permK.
rewrite /output -(mean_perm s).
by apply: eq_mean => j; rewrite ?weigh0 // readsE eqxx !mulr1 permK.
Qed.

End Weights.

(* Relative keys *)

Section Keys.
Variables (R : realFieldType) (root w : R -> R).
Hypotheses (rootP : square_root root) (wP : exponential w).
Variables (n d : nat) (d_gt1 : (1 < d)%N) (s : 'S_n) (m : 'I_n).
Variables (A A' : 'I_n -> 'I_n -> 'I_d -> R).

Definition weigh_keyed (r : 'I_n -> 'I_n -> 'I_d -> R) (t : 'I_n -> 'I_d -> R)
    (WQ WK : 'I_d -> 'I_d -> R) i j :=
  w ((\sum_k ((\sum_l (t i l * WQ l k)) * ((\sum_l (t j l * WK l k)) + r i j k))) / root d%:R).

Hypothesis changed : exists j c l, A' m j c - A' m l c <> A (s m) (s j) c - A (s m) (s l) c.

Let a := Ordinal (ltnW d_gt1).
Let b := Ordinal d_gt1.

Lemma keyed_differ : exists (X : 'I_n -> 'I_d -> R) WQ WK WV, exists v,
  output (weigh_keyed A' (fun i => X (s i)) WQ WK) (fun i => X (s i)) WV m v
  <> output (weigh_keyed A X WQ WK) X WV (s m) v.
Proof.
have [j [c [l ne]]] := changed; have w_gt0 := exponential_gt0 wP; have [_ wD w_up _] := wP.
have root0 : root d%:R != 0 by rewrite (square_root_neq0 rootP) // ltr0n ltnW.
pose new i := w (A' m i c / root d%:R); pose old i := w (A (s m) (s i) c / root d%:R).
have sum0 (g : 'I_n -> R) : \sum_i w (g i) != 0.
  by rewrite gt_eqF // (bigD1 m) //= ltr_paddr ?sumr_ge0 // => i _; rewrite ltW.
have [t differ] : exists t, new t / (\sum_u new u) != old t / (\sum_u old u).
  apply: (@shares_differ _ _ new old j l (sum0 _) (sum0 _)); rewrite /new /old /= -!wD -!mulrDl => eq_w; apply: ne.
  have eq_sums : (A' m j c + A (s m) (s l) c) / root d%:R = (A (s m) (s j) c + A' m l c) / root d%:R.
    by apply/eqP; apply: contraT; rewrite neq_lt => /orP[] /w_up; rewrite eq_w ltxx.
  have /mulIf/(_ _ _ eq_sums) eq_sum : (root d%:R)^-1 != 0 by rewrite invr_eq0.
  by apply/eqP; rewrite subr_eq addrAC eq_sym subr_eq eq_sum.
pose X i (k : 'I_d) : R := if k == a then 1 else (i == s t)%:R.
have ba : b == a = false by [].
exists X, (reads_one a c 1), (@none R d), (reads_one b b 1); exists b => eq_outputs.
have scoreE (r : 'I_n -> 'I_n -> 'I_d -> R) (u : 'I_n -> 'I_d -> R) i i' : u i a = 1 ->
    weigh_keyed r u (reads_one a c 1) (@none R d) i i' = w (r i i' c / root d%:R).
  move=> u1; rewrite /weigh_keyed (bigD1 c) //= readsE u1 eqxx !mul1r noneE add0r.
  by rewrite big1 ?addr0 // => k /negPf ne_k; rewrite readsE ne_k mulr0 mul0r mul0r.
have valueE i : X (s i) b * 1 = (i == t)%:R by rewrite mulr1 /X ba (inj_eq (@perm_inj _ s)).
have shareE (g : 'I_n -> R) v : v =1 (fun i => (i == t)%:R) -> mean g v = g t / \sum_u g u.
  by move=> vE; rewrite (eq_mean (frefl g) vE) meanE sum_at.
move/eqP: differ; apply; rewrite -(shareE _ _ valueE) -[RHS](shareE _ _ valueE).
have -> : mean new (fun i => X (s i) b * 1) = mean (weigh_keyed A' (fun i => X (s i))
    (reads_one a c 1) (@none R d) m) (fun i => X (s i) b * 1).
  by apply: eq_mean => // i; rewrite scoreE.
rewrite -(output_one (weigh_keyed A' (fun i => X (s i)) (reads_one a c 1) (@none R d))
  (fun i => X (s i)) b m 1) eq_outputs output_one -[LHS](mean_perm s).
by apply: eq_mean => // i; rewrite scoreE.
Qed.

Theorem keys_change_one_layer : exists (X : 'I_n -> 'I_d -> R) WQ WK WV,
  exists v, output (weigh_keyed A' (fun i => X (s i)) WQ WK) (fun i => X (s i)) WV m v
            <> output (weigh_keyed A X WQ WK) X WV (s m) v.
Proof.
by have [X [WQ [WK [WV [v ne]]]]] := keyed_differ; exists X, WQ, WK, WV, v.
Qed.

Theorem keys_change_two_layers : exists (X : 'I_n -> 'I_d -> R) WQ1 WK1 WV1 WQ2 WK2 WV2,
  let t' i k := X (s i) k in
  let h' i k := t' i k + output (weigh_keyed A' t' WQ1 WK1) t' WV1 i k in
  let h i k := X i k + output (weigh_keyed A X WQ1 WK1) X WV1 i k in
  exists v, h' m v + output (weigh_keyed A' h' WQ2 WK2) h' WV2 m v
            <> h (s m) v + output (weigh_keyed A h WQ2 WK2) h WV2 (s m) v.
Proof.
have [X [WQ [WK [WV [v ne]]]]] := keyed_differ.
exists X, WQ, WK, WV, (@none R d), (@none R d), (@none R d), v => /=.
by rewrite !output0 !addr0 => /addrI.
Qed.

End Keys.

(* Rotations *)

Section Rotations.
Variables (R : realFieldType) (root w : R -> R).
Hypotheses (rootP : square_root root) (wP : exponential w).
Variables (n d : nat) (d_gt1 : (1 < d)%N) (s : 'S_n) (m q l : 'I_n).
Variables (G G' : 'I_n -> 'I_n -> R) (T T' : 'I_n -> 'I_n -> 'I_d -> 'I_d -> R).

Definition weigh_turned (g : 'I_n -> 'I_n -> R) (r : 'I_n -> 'I_n -> 'I_d -> 'I_d -> R)
    (t : 'I_n -> 'I_d -> R) (WQ WK : 'I_d -> 'I_d -> R) i j :=
  g i j * w ((\sum_k ((\sum_p (t i p * WQ p k))
    * (\sum_p (r i j k p * (\sum_u (t j u * WK u p)))))) / root d%:R).

Hypothesis G_ge0 : forall i j, 0 <= G' i j.
Hypothesis same : forall j, G' m j = G (s m) (s j).
Hypotheses (seen : 0 < G' m q) (other : 0 < G' m l) (ne_ql : (q == l)%:R = 0 :> R).
Hypothesis changed : exists c e, T' m q c e <> T (s m) (s q) c e.

Let a := Ordinal (ltnW d_gt1).
Let b := Ordinal d_gt1.

(* The query has feature a, the token q alone has feature b. *)
Let tokens i k : R := if k == a then 1 else if k == b then (i == q)%:R else 0.

Lemma tokens_a i : tokens i a = 1. Proof. by rewrite /tokens eqxx. Qed.
Lemma tokens_b i : tokens i b = (i == q)%:R. Proof. by []. Qed.

Lemma score_turned (r : 'I_d -> 'I_d -> R) c e i j (t t' : 'I_d -> R) : t =1 tokens i -> t' =1 tokens j ->
  \sum_k ((\sum_p (t p * reads_one a c 1 p k))
    * (\sum_p (r k p * (\sum_u (t' u * reads_one b e 1 u p))))) = r c e * (j == q)%:R.
Proof.
move=> tE t'E; rewrite (bigD1 c) //= [X in _ + X]big1 => [|k /negPf ne]; last first.
  by rewrite readsE ne mulr0 !mul0r.
rewrite addr0 readsE tE tokens_a eqxx !mul1r (bigD1 e) //= readsE t'E tokens_b eqxx !mulr1.
by rewrite [X in _ + X]big1 ?addr0 // => p /negPf ne; rewrite readsE ne mulr0 mul0r mulr0.
Qed.

(* The share of the token q. *)
Lemma share_turned x y :
  mean (fun j => G' m j * w (x * (j == q)%:R / root d%:R)) (fun j => (j == q)%:R)
  = mean (fun j => G' m j * w (y * (j == q)%:R / root d%:R)) (fun j => (j == q)%:R) -> x = y.
Proof.
have w_gt0 := exponential_gt0 wP; have [_ _ w_up _] := wP.
pose rest := \sum_(j | j != q) G' m j * w 0.
have rest_gt0 : 0 < rest.
  have ne : l != q.
    by rewrite eq_sym; move/eqP: ne_ql; case: (q == l); rewrite ?oner_eq0.
  by rewrite /rest (bigD1 l) //= ltr_paddr ?mulr_gt0 ?sumr_ge0 // => j _; rewrite mulr_ge0 // ltW.
have meanT z : mean (fun j => G' m j * w (z * (j == q)%:R / root d%:R)) (fun j => (j == q)%:R)
    = G' m q * w (z / root d%:R) / (G' m q * w (z / root d%:R) + rest).
  rewrite meanE sum_at eqxx mulr1; congr (_ / _); rewrite (bigD1 q) //= eqxx mulr1; congr (_ + _).
  by apply: eq_bigr => j /negPf ->; rewrite mulr0 mul0r.
have pos z : 0 < G' m q * w (z / root d%:R) by rewrite mulr_gt0.
have root0 : root d%:R != 0 by rewrite (square_root_neq0 rootP) // ltr0n ltnW.
have sum0 z : G' m q * w (z / root d%:R) + rest != 0 by rewrite gt_eqF // addr_gt0.
rewrite !meanT => /eqP; rewrite (eqr_div _ _ (sum0 x) (sum0 y)) !mulrDr [X in X + _]mulrC.
move=> /eqP/addrI/(mulIf (lt0r_neq0 rest_gt0))/(mulfI (lt0r_neq0 seen)) eq_w.
have eq_xy : x / root d%:R = y / root d%:R.
  by case: (ltrgtP (x / root d%:R) (y / root d%:R)) => // /w_up; rewrite eq_w ltxx.
by move/mulIf: eq_xy; rewrite invr_eq0 root0 => /(_ isT).
Qed.

Let X i := tokens ((s^-1)%g i).

Lemma X_moved i : X (s i) = tokens i. Proof. by rewrite /X permK. Qed.

Lemma turned_differ c e : T' m q c e <> T (s m) (s q) c e ->
  output (weigh_turned G' T' (fun i => X (s i)) (reads_one a c 1) (reads_one b e 1))
    (fun i => X (s i)) (reads_one b b 1) m b
  <> output (weigh_turned G T X (reads_one a c 1) (reads_one b e 1)) X (reads_one b b 1) (s m) b.
Proof.
move=> ne; have tE i : X (s i) =1 tokens i by move=> k; rewrite X_moved.
have weightE (r : 'I_n -> 'I_d -> 'I_d -> R) j :
    r j c e * (j == q)%:R / root d%:R = r q c e * (j == q)%:R / root d%:R.
  by case: eqP => [->|] //; rewrite !mulr0.
have valueE j : X (s j) b * 1 = (j == q)%:R by rewrite mulr1 tE.
rewrite !output_one -[X in _ <> X](mean_perm s) => eq_means; apply: ne; apply: share_turned.
rewrite -[LHS](@eq_mean _ _ (fun j => weigh_turned G' T' (fun i => X (s i)) (reads_one a c 1)
    (reads_one b e 1) m j) _ (fun j => X (s j) b * 1)) => [|j|//]; last first.
  by rewrite /weigh_turned (score_turned _ _ _ (tE m) (tE j)) (weightE (T' m)).
rewrite eq_means; apply: eq_mean => // j.
by rewrite /weigh_turned same (score_turned _ _ _ (tE m) (tE j)) (weightE (fun j => T (s m) (s j))).
Qed.

Theorem rotations_change_one_layer : exists (X : 'I_n -> 'I_d -> R) WQ WK WV,
  exists v, output (weigh_turned G' T' (fun i => X (s i)) WQ WK) (fun i => X (s i)) WV m v
            <> output (weigh_turned G T X WQ WK) X WV (s m) v.
Proof.
have [c [e ne]] := changed.
by exists X, (reads_one a c 1), (reads_one b e 1), (reads_one b b 1), b; apply: turned_differ.
Qed.

Theorem rotations_change_two_layers : exists (X : 'I_n -> 'I_d -> R) WQ1 WK1 WV1 WQ2 WK2 WV2,
  let t' i k := X (s i) k in
  let h' i k := t' i k + output (weigh_turned G' T' t' WQ1 WK1) t' WV1 i k in
  let h i k := X i k + output (weigh_turned G T X WQ1 WK1) X WV1 i k in
  exists v, h' m v + output (weigh_turned G' T' h' WQ2 WK2) h' WV2 m v
            <> h (s m) v + output (weigh_turned G T h WQ2 WK2) h WV2 (s m) v.
Proof.
have [c [e ne]] := changed; exists X, (reads_one a c 1), (reads_one b e 1), (reads_one b b 1).
exists (@none R d), (@none R d), (@none R d) => /=; exists b; rewrite !output0 !addr0 => /addrI.
exact: turned_differ.
Qed.

End Rotations.
