(* That outputs differ where added rows do, and through two layers where columns of a mask do; and at the
   end the theorems on outputs that differ, each with all that it asks for. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention Positions Shallow Means Refutations.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Rows that are added *)

Section Rows.
Variables (R : realFieldType) (root w : R -> R).
Hypotheses (rootP : square_root root) (wP : exponential w).

(* With one feature: tokens u, and the same tokens less what the rows differ by. *)
Lemma rows_differ n (m r : 'I_n) (delta : 'I_n -> R) : delta r != 0 ->
  exists (k : R) (u : 'I_n -> R),
    mean (fun j => w (k * u m * u j)) u
    <> mean (fun j => w (k * (u m - delta m) * (u j - delta j))) (fun j => u j - delta j).
Proof.
move=> delta_r; have w_gt0 := exponential_gt0 wP.
have sum_w (g : 'I_n -> R) : \sum_j w (g j) != 0 := sum_w_neq0_of w_gt0 m g.
have [sum0|sum1] := eqVneq (\sum_j delta j) 0; last first.
  exists 0, (fun=> 0).
  rewrite mean0 meanE => /esym/eqP; rewrite mulf_eq0 invr_eq0 (negPf (sum_w _)) orbF.
  under eq_bigr do rewrite !mul0r sub0r mulrN; rewrite sumrN oppr_eq0 -mulr_sumr mulf_eq0.
  by rewrite gt_eqF // (negPf sum1).
have [delta_m|delta_m] := eqVneq (delta m) 0; last first.
  exists 1, delta.
  rewrite [RHS](_ : _ = 0); last first.
    by rewrite -[RHS](mean0 (fun j => w (1 * (delta m - delta m) * (delta j - delta j))));
      apply: eq_mean => // j; rewrite subrr.
  rewrite meanE => /eqP; rewrite mulf_eq0 invr_eq0 (negPf (sum_w _)) orbF; apply/negP.
  exact: (sum_w_mul_neq0 (exponential_up wP) (exponential_down wP)).
pose S := \sum_(j | j != m) w (delta j) * delta j.
pose T := \sum_(j | j != m) w (delta j); pose N := \sum_(j | j != m) w 0.
have S_gt0 : 0 < S.
  have -> : S = \sum_j (w (delta j) - w 0) * delta j.
    under [RHS]eq_bigr do rewrite mulrBl.
    rewrite sumrB -[X in _ = _ - X]mulr_sumr sum0 mulr0 subr0 [RHS](bigD1 m) //=.
    by rewrite delta_m mulr0 add0r.
  have term_ge0 x : 0 <= (w x - w 0) * x.
    case: (ltrgt0P x) => [x_gt0|x_lt0|->]; last by rewrite mulr0.
      by rewrite mulr_ge0 ?ltW // subr_gt0 (exponential_up wP).
    by rewrite mulr_le0 ?subr_le0 ?(exponential_down wP) // ltW.
  rewrite (bigD1 r) //= ltr_paddr ?sumr_ge0 // lt_neqAle term_ge0 andbT eq_sym mulf_neq0 //.
  have [_ _ w_up _] := wP; rewrite subr_eq0.
  by case: (ltrgtP (delta r) 0) delta_r => // /w_up; [move/lt_eqF->|move/gt_eqF->].
have N_ge0 : 0 <= N by rewrite sumr_ge0 // => j _; rewrite ltW.
have mean_u z : z * z = 1 -> let u j := if j == m then z else delta j in
    mean (fun j => w (z * u m * u j)) u = (S + w z * z) / (T + w z).
  move=> zz u; rewrite meanE (bigD1 m) //= [X in _ / X](bigD1 m) //= /u eqxx zz mul1r addrC [w z + _]addrC.
  by congr ((_ + _) / (_ + _)); apply: eq_bigr => j /negPf ->; rewrite mul1r.
have mean_v z : z * z = 1 -> let u j := if j == m then z else delta j in
    mean (fun j => w (z * (u m - delta m) * (u j - delta j))) (fun j => u j - delta j)
    = w z * z / (N + w z).
  move=> zz u; rewrite meanE (bigD1 m) //= [X in _ / X](bigD1 m) //= /u eqxx delta_m subr0 zz mul1r.
  rewrite big1 ?addr0 => [|j /negPf ->]; last by rewrite subrr mulr0.
  by congr (_ / _); rewrite addrC; congr (_ + _); apply: eq_bigr => j /negPf ->; rewrite subrr mulr0.
pose z : R := if N <= T then -1 else 1.
have zz : z * z = 1 by rewrite /z; case: ifP; rewrite ?mulrNN mulr1.
have z_side : z * (T - N) <= 0.
  rewrite /z; case: (lerP N T) => [le_NT|lt_TN]; first by rewrite mulN1r oppr_le0 subr_ge0.
  by rewrite mul1r subr_le0 ltW.
have T_ge0 : 0 <= T by rewrite sumr_ge0 // => j _; rewrite ltW.
exists z, (fun j => if j == m then z else delta j).
rewrite mean_u // mean_v // => /eqP.
have T0 : T + w z != 0 by rewrite gt_eqF // ltr_paddl.
have N0 : N + w z != 0 by rewrite gt_eqF // ltr_paddl.
rewrite (eqr_div _ _ T0 N0) -subr_eq0 => /eqP.
have -> : (S + w z * z) * (N + w z) - w z * z * (T + w z) = S * (N + w z) - w z * (z * (T - N)).
  rewrite mulrDl -!addrA; congr (_ + _); rewrite -mulrBr [in RHS]mulrA -mulrN opprB; congr (_ * _).
  by rewrite opprD addrACA subrr addr0.
apply/eqP; rewrite gt_eqF // subr_gt0 (@le_lt_trans _ _ 0) ?mulr_gt0 ?ltr_paddl //.
by rewrite mulr_ge0_le0 // ltW.
Qed.

Variables (n d : nat) (d_gt0 : (0 < d)%N) (s : 'S_n) (m : 'I_n).
Variables (G G' : 'I_n -> 'I_n -> R) (E E' : 'I_n -> 'I_d -> R).

Definition weigh_plain (g : 'I_n -> 'I_n -> R) (t : 'I_n -> 'I_d -> R) (WQ WK : 'I_d -> 'I_d -> R) i j :=
  g i j * w ((\sum_k ((\sum_l (t i l * WQ l k)) * (\sum_l (t j l * WK l k)))) / root d%:R).

Hypothesis all_seen : forall j, G (s m) (s j) = 1.
Hypothesis all_seen' : forall j, G' m j = 1.
Hypothesis changed : exists i k, E' i k <> E (s i) k.

Lemma plainE (g : 'I_n -> 'I_n -> R) t c a i j : g i j = 1 ->
  weigh_plain g t (reads_one c c (root d%:R * a)) (reads_one c c 1) i j = w (a * t i c * t j c).
Proof.
move=> g1; rewrite /weigh_plain g1 mul1r (bigD1 c) //= !readsE eqxx !mulr1.
rewrite big1 ?addr0 => [|k /negPf ne]; last by rewrite readsE ne mulr0 !mul0r.
have root0 : root d%:R != 0 by rewrite (square_root_neq0 rootP) // ltr0n.
by congr w; rewrite mulrC [t i c * _]mulrC -!mulrA mulKf.
Qed.

Lemma tokens_differ : exists c a (X : 'I_n -> 'I_d -> R),
  let t' i k := X (s i) k + E' i k in
  let t i k := X i k + E i k in
  let WQ := reads_one c c (root d%:R * a) in
  output (weigh_plain G' t' WQ (reads_one c c 1)) t' (reads_one c c 1) m c
  <> output (weigh_plain G t WQ (reads_one c c 1)) t (reads_one c c 1) (s m) c
  /\ (E' m c = E (s m) c \/ t' m c <> t (s m) c).
Proof.
have [r [c ne]] := changed; pose delta j := E' j c - E (s j) c.
have delta_r : delta r != 0 by rewrite subr_eq0; apply/eqP.
have [a [u differ]] := rows_differ m delta_r.
exists c, a, (fun i _ => u ((s^-1)%g i) - E' ((s^-1)%g i) c) => /=.
have newE j : u ((s^-1)%g (s j)) - E' ((s^-1)%g (s j)) c + E' j c = u j by rewrite permK subrK.
have oldE j : u ((s^-1)%g (s j)) - E' ((s^-1)%g (s j)) c + E (s j) c = u j - delta j.
  by rewrite permK opprB addrA [RHS]addrAC.
split; last first.
  have [eq_m|ne_m] := eqVneq (E' m c) (E (s m) c); first by left.
  by right; apply/eqP; rewrite (inj_eq (addrI _)).
rewrite !output_one -[X in _ <> X](mean_perm s); apply: (eq_differ _ _ differ).
  by apply: eq_mean => j; [rewrite plainE // !newE | rewrite mulr1 newE].
by apply: eq_mean => j; [rewrite plainE // !oldE | rewrite mulr1 oldE].
Qed.

Theorem rows_change_one_layer : exists (X : 'I_n -> 'I_d -> R) WQ WK WV,
  let t' i k := X (s i) k + E' i k in
  let t i k := X i k + E i k in
  exists v, output (weigh_plain G' t' WQ WK) t' WV m v
            <> output (weigh_plain G t WQ WK) t WV (s m) v.
Proof.
have [c [a [X [differ _]]]] := tokens_differ.
by exists X, (reads_one c c (root d%:R * a)), (reads_one c c 1), (reads_one c c 1), c.
Qed.

Theorem rows_change_two_layers :
  exists (X : 'I_n -> 'I_d -> R) WQ1 WK1 WV1 WQ2 WK2 WV2,
  let t' i k := X (s i) k + E' i k in
  let h' i k := t' i k + output (weigh_plain G' t' WQ1 WK1) t' WV1 i k in
  let t i k := X i k + E i k in
  let h i k := t i k + output (weigh_plain G t WQ1 WK1) t WV1 i k in
  exists v, h' m v + output (weigh_plain G' h' WQ2 WK2) h' WV2 m v
            <> h (s m) v + output (weigh_plain G h WQ2 WK2) h WV2 (s m) v.
Proof.
have [c [a [X [differ [eq_m|ne_m]]]]] := tokens_differ; exists X.
  exists (reads_one c c (root d%:R * a)), (reads_one c c 1), (reads_one c c 1).
  by exists (@none R d), (@none R d), (@none R d) => /=; exists c; rewrite !output0 !addr0 eq_m => /addrI.
exists (@none R d), (@none R d), (@none R d), (@none R d), (@none R d), (@none R d) => /=.
by exists c; rewrite !output0 !addr0.
Qed.

End Rows.

(* Two layers of means, by column sums *)

Section Columns.
Variables (R : realFieldType) (root w : R -> R).
Hypothesis wP : exponential w.
Variables (n d : nat) (d_gt0 : (0 < d)%N) (s : 'S_n) (m q : 'I_n).
Variables (G : 'I_n -> 'I_n -> R) (T : 'I_n -> 'I_n -> 'I_d -> 'I_d -> R).

Hypothesis G_ge0 : forall i j, 0 <= G i j.
Hypothesis all_seen : forall j, G m j = 1.
Hypothesis all_seen' : forall j, G (s m) (s j) = 1.
Hypothesis fewer : forall i, G i (s q) <= G i q.
Hypothesis once : exists i, G i (s q) < G i q.

Let share i j := G i j / \sum_l G i l.

Lemma column_less : \sum_i share i (s q) < \sum_i share i q.
Proof.
have sum_ge0 i : 0 <= \sum_l G i l by rewrite sumr_ge0.
have le_share i : share i (s q) <= share i q by rewrite /share ler_wpmul2r ?invr_ge0.
have [i lt_i] := once; rewrite (bigD1 i) //= [X in _ < X](bigD1 i) //=.
rewrite ltr_le_add ?ler_sum // /share ltr_pmul2r // invr_gt0 (bigD1 q) //=.
by rewrite ltr_paddr ?sumr_ge0 // (le_lt_trans (G_ge0 i (s q)) lt_i).
Qed.

Lemma turned0 (t : 'I_n -> 'I_d -> R) WK i j :
  weigh_turned root w G T t (@none R d) WK i j = G i j * w 0.
Proof. by rewrite /weigh_turned big1 ?mul0r // => k _; rewrite noneE mul0r. Qed.

Lemma mean_turned (t : 'I_n -> 'I_d -> R) WK i v :
  mean (weigh_turned root w G T t (@none R d) WK i) v = \sum_j share i j * v j.
Proof.
have w0 : w 0 != 0 by rewrite gt_eqF // (exponential_gt0 wP).
rewrite -[RHS]/(mean (G i) v) -(mean_scale (G i) v w0).
by apply: eq_mean => // j; apply: turned0.
Qed.

Let c := Ordinal d_gt0.

Theorem columns_change_two_layers :
  exists (X : 'I_n -> 'I_d -> R) WQ1 WK1 WV1 WQ2 WK2 WV2,
  let t' i k := X (s i) k in
  let h' i k := t' i k + output (weigh_turned root w G T t' WQ1 WK1) t' WV1 i k in
  let h i k := X i k + output (weigh_turned root w G T X WQ1 WK1) X WV1 i k in
  exists v, h' m v + output (weigh_turned root w G T h' WQ2 WK2) h' WV2 m v
            <> h (s m) v + output (weigh_turned root w G T h WQ2 WK2) h WV2 (s m) v.
Proof.
exists (fun i _ => (i == s q)%:R), (@none R d), (@none R d), (reads_one c c 1).
exists (@none R d), (@none R d), (reads_one c c (-1)) => /=; exists c.
have two (x : 'I_n -> R) i p (t : 'I_n -> 'I_d -> R) : (forall j, t j c = x j) -> (forall j, x j = (j == p)%:R) ->
    (forall j, G i j = 1) ->
    t i c + output (weigh_turned root w G T t (@none R d) (@none R d)) t (reads_one c c 1) i c
    + output (weigh_turned root w G T
        (fun j k => t j k + output (weigh_turned root w G T t (@none R d) (@none R d)) t (reads_one c c 1) j k)
        (@none R d) (@none R d))
      (fun j k => t j k + output (weigh_turned root w G T t (@none R d) (@none R d)) t (reads_one c c 1) j k)
      (reads_one c c (-1)) i c
    = (i == p)%:R - n%:R^-1 * \sum_j share j p.
  move=> tE xE seen; have hE j : t j c + output (weigh_turned root w G T t (@none R d) (@none R d)) t
      (reads_one c c 1) j c = (j == p)%:R + share j p.
    rewrite output_one mean_turned tE xE; congr (_ + _); rewrite -[RHS](sum_at (share j)).
    by apply: eq_bigr => l _; rewrite mulr1 tE xE.
  rewrite hE output_one mean_turned -addrA; congr (_ + _).
  have -> : \sum_j share i j * ((t j c + output (weigh_turned root w G T t (@none R d) (@none R d)) t
      (reads_one c c 1) j c) * -1) = - (share i p + \sum_j share i j * share j p).
    under eq_bigr do rewrite hE mulrN1 mulrN; rewrite sumrN; congr (- _).
    by under eq_bigr do rewrite mulrDr; rewrite big_split sum_at.
  rewrite opprD addNKr mulr_sumr; congr (- _); apply: eq_bigr => j _.
  by rewrite /share seen (eq_bigr (fun=> 1)) => [|l _ //]; rewrite sumr_const card_ord mul1r.
rewrite (two (fun j => (j == q)%:R) m q) //; last by move=> j; rewrite (inj_eq (@perm_inj _ s)).
have seen' j : G (s m) j = 1 by rewrite -[j](permKV s).
rewrite (two (fun j => (j == s q)%:R) (s m) (s q)) // (inj_eq (@perm_inj _ s)).
have n0 : (n%:R : R)^-1 != 0 by rewrite invr_eq0 pnatr_eq0 -lt0n (leq_ltn_trans _ (ltn_ord m)).
move=> /addrI/oppr_inj/(mulfI n0) eq_sums.
by have := column_less; rewrite eq_sums ltxx.
Qed.

End Columns.

(* What is proved, with all that it asks for *)

(* id: output_differs_of_weights *)
Theorem output_differs_of_weights (R : realFieldType) (root w : R -> R) n d (s : 'S_n) (m : 'I_n)
    (G G' B B' : 'I_n -> 'I_n -> R) (E E' : 'I_n -> 'I_d -> R) (A A' : 'I_n -> 'I_n -> 'I_d -> R)
    (T T' : 'I_n -> 'I_n -> 'I_d -> 'I_d -> R) :
  exponential w -> (0 < d)%N ->
  (* a mask as weights, of which every token gives some token one that is positive *)
  (forall i j, 0 <= G i j) -> (forall i j, 0 <= G' i j) ->
  (forall i, 0 < \sum_j G i j) -> (forall i, 0 < \sum_j G' i j) ->
  (* two weights G exp B at m are in another proportion than those of their images at s m *)
  (exists j l, G' m j * w (B' m j) * (G (s m) (s l) * w (B (s m) (s l)))
    <> G (s m) (s j) * w (B (s m) (s j)) * (G' m l * w (B' m l))) ->
  (* one layer: E is added to the tokens, B to the scores, A to the keys, T stands between them *)
  (exists (X : 'I_n -> 'I_d -> R) WQ WK WV,
     let t' i k := X (s i) k + E' i k in
     let t i k := X i k + E i k in
     exists v, output (weigh root w G' B' A' T' t' WQ WK) t' WV m v
               <> output (weigh root w G B A T t WQ WK) t WV (s m) v)
  (* two layers, each with its skip *)
  /\ (exists (X : 'I_n -> 'I_d -> R) WQ1 WK1 WV1 WQ2 WK2 WV2,
     let t' i k := X (s i) k + E' i k in
     let h' i k := t' i k + output (weigh root w G' B' A' T' t' WQ1 WK1) t' WV1 i k in
     let t i k := X i k + E i k in
     let h i k := t i k + output (weigh root w G B A T t WQ1 WK1) t WV1 i k in
     exists v, h' m v + output (weigh root w G' B' A' T' h' WQ2 WK2) h' WV2 m v
               <> h (s m) v + output (weigh root w G B A T h WQ2 WK2) h WV2 (s m) v).
Proof.
by move=> wP d_gt0 G_ge0 G'_ge0 G_gt0 G'_gt0 changed; split;
  [exact: weights_change_one_layer | exact: weights_change_two_layers].
Qed.

(* id: output_differs_of_relative_keys *)
Theorem output_differs_of_relative_keys (R : realFieldType) (root w : R -> R) n d (s : 'S_n) (m : 'I_n)
    (A A' : 'I_n -> 'I_n -> 'I_d -> R) :
  square_root root -> exponential w -> (1 < d)%N ->
  (* the keys of two tokens for m differ by another vector than those of their images for s m *)
  (exists j c l, A' m j c - A' m l c <> A (s m) (s j) c - A (s m) (s l) c) ->
  (exists (X : 'I_n -> 'I_d -> R) WQ WK WV,
     exists v, output (weigh_keyed root w A' (fun i => X (s i)) WQ WK) (fun i => X (s i)) WV m v
               <> output (weigh_keyed root w A X WQ WK) X WV (s m) v)
  /\ (exists (X : 'I_n -> 'I_d -> R) WQ1 WK1 WV1 WQ2 WK2 WV2,
     let t' i k := X (s i) k in
     let h' i k := t' i k + output (weigh_keyed root w A' t' WQ1 WK1) t' WV1 i k in
     let h i k := X i k + output (weigh_keyed root w A X WQ1 WK1) X WV1 i k in
     exists v, h' m v + output (weigh_keyed root w A' h' WQ2 WK2) h' WV2 m v
               <> h (s m) v + output (weigh_keyed root w A h WQ2 WK2) h WV2 (s m) v).
Proof.
by move=> rootP wP d_gt1 changed; split;
  [exact: keys_change_one_layer | exact: keys_change_two_layers].
Qed.

(* id: output_differs_of_rotations *)
Theorem output_differs_of_rotations (R : realFieldType) (root w : R -> R) n d (s : 'S_n) (m q l : 'I_n)
    (G G' : 'I_n -> 'I_n -> R) (T T' : 'I_n -> 'I_n -> 'I_d -> 'I_d -> R) :
  square_root root -> exponential w -> (1 < d)%N ->
  (* m and s m see alike, and m sees two tokens q and l *)
  (forall i j, 0 <= G' i j) -> (forall j, G' m j = G (s m) (s j)) ->
  0 < G' m q -> 0 < G' m l -> (q == l)%:R = 0 :> R ->
  (* the matrix between query m and key q is another *)
  (exists c e, T' m q c e <> T (s m) (s q) c e) ->
  (exists (X : 'I_n -> 'I_d -> R) WQ WK WV,
     exists v, output (weigh_turned root w G' T' (fun i => X (s i)) WQ WK) (fun i => X (s i)) WV m v
               <> output (weigh_turned root w G T X WQ WK) X WV (s m) v)
  /\ (exists (X : 'I_n -> 'I_d -> R) WQ1 WK1 WV1 WQ2 WK2 WV2,
     let t' i k := X (s i) k in
     let h' i k := t' i k + output (weigh_turned root w G' T' t' WQ1 WK1) t' WV1 i k in
     let h i k := X i k + output (weigh_turned root w G T X WQ1 WK1) X WV1 i k in
     exists v, h' m v + output (weigh_turned root w G' T' h' WQ2 WK2) h' WV2 m v
               <> h (s m) v + output (weigh_turned root w G T h WQ2 WK2) h WV2 (s m) v).
Proof.
move=> rootP wP d_gt1 G'_ge0 same seen other ne changed; split.
  exact: (rotations_change_one_layer rootP wP d_gt1 G'_ge0 same seen other ne changed).
exact: (rotations_change_two_layers rootP wP d_gt1 G'_ge0 same seen other ne changed).
Qed.

(* id: output_differs_of_rows *)
Theorem output_differs_of_rows (R : realFieldType) (root w : R -> R) n d (s : 'S_n) (m : 'I_n)
    (G G' : 'I_n -> 'I_n -> R) (E E' : 'I_n -> 'I_d -> R) :
  square_root root -> exponential w -> (0 < d)%N ->
  (* m and s m see all tokens *)
  (forall j, G (s m) (s j) = 1) -> (forall j, G' m j = 1) ->
  (* the rows that are added differ *)
  (exists i k, E' i k <> E (s i) k) ->
  (exists (X : 'I_n -> 'I_d -> R) WQ WK WV,
     let t' i k := X (s i) k + E' i k in
     let t i k := X i k + E i k in
     exists v, output (weigh_plain root w G' t' WQ WK) t' WV m v
               <> output (weigh_plain root w G t WQ WK) t WV (s m) v)
  /\ (exists (X : 'I_n -> 'I_d -> R) WQ1 WK1 WV1 WQ2 WK2 WV2,
     let t' i k := X (s i) k + E' i k in
     let h' i k := t' i k + output (weigh_plain root w G' t' WQ1 WK1) t' WV1 i k in
     let t i k := X i k + E i k in
     let h i k := t i k + output (weigh_plain root w G t WQ1 WK1) t WV1 i k in
     exists v, h' m v + output (weigh_plain root w G' h' WQ2 WK2) h' WV2 m v
               <> h (s m) v + output (weigh_plain root w G h WQ2 WK2) h WV2 (s m) v).
Proof.
by move=> rootP wP d_gt0 seen seen' changed; split;
  [exact: rows_change_one_layer | exact: rows_change_two_layers].
Qed.

(* id: output_differs_of_columns *)
Theorem output_differs_of_columns (R : realFieldType) (root w : R -> R) n d (s : 'S_n) (m q : 'I_n)
    (G : 'I_n -> 'I_n -> R) (T : 'I_n -> 'I_n -> 'I_d -> 'I_d -> R) :
  exponential w -> (0 < d)%N -> (forall i j, 0 <= G i j) ->
  (* m and s m see all tokens alike *)
  (forall j, G m j = 1) -> (forall j, G (s m) (s j) = 1) ->
  (* no token gives s q more weight than q, and one gives it less *)
  (forall i, G i (s q) <= G i q) -> (exists i, G i (s q) < G i q) ->
  exists (X : 'I_n -> 'I_d -> R) WQ1 WK1 WV1 WQ2 WK2 WV2,
    let t' i k := X (s i) k in
    let h' i k := t' i k + output (weigh_turned root w G T t' WQ1 WK1) t' WV1 i k in
    let h i k := X i k + output (weigh_turned root w G T X WQ1 WK1) X WV1 i k in
    exists v, h' m v + output (weigh_turned root w G T h' WQ2 WK2) h' WV2 m v
              <> h (s m) v + output (weigh_turned root w G T h WQ2 WK2) h WV2 (s m) v.
Proof.
by move=> wP d_gt0 G_ge0 seen seen' fewer once; exact: columns_change_two_layers.
Qed.
