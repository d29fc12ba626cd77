(* What follows from colour refinement: the blocks of Encoder.v are such layers; which permutations
   of the other tokens an output cannot see, at every depth; and what one unmasked layer computes. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention Encoder Positions Causal ColourRefinement.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Definitions *)

Section Definitions.
Variable R : realFieldType.

(* Token k is reached from token i in at most l steps, each to a token with a weight other than 0. *)
Fixpoint reaches H n (G : 'I_H -> 'M[R]_n) l : rel 'I_n :=
  if l is l'.+1 then
    fun i k => (i == k) || [exists h, exists j, (G h i j != 0) && reaches G l' j k]
  else fun i k => i == k.

(* Row k of every G_h, divided by its sum, is kept by s. *)
Definition keeps_row H n (G : 'I_H -> 'M[R]_n) (s : 'S_n) k : Prop :=
  forall h j, normalize (G h) (s k) (s j) = normalize (G h) k j.

(* A block as one layer: the output projection of a head is part of its values. *)
Definition block_layer (w : R -> R) (scale : R) d (B : block R d) : layer R 1 d d :=
  let A := Encoder.weights B in
  let first := if pre_norm B then norm1 B else id in
  @Layer R 1 d d (heads A) (fun=> ord0) d
    (fun a u v => w (scores scale (affine (WQ a) (bQ a) (first u))
                                  (affine (WK (group a)) (bK (group a)) (first v)) 0 0))
    (fun a v => affine (WV (group a)) (bV (group a)) (first v) *m submxcol (WO A) a)
    (fun u O =>
       let read := \sum_a row a O + bO A in
       if pre_norm B then let y := u + read in y + ffn B (norm2 B y)
       else let y := norm1 B (u + read) in norm2 B (y + ffn B y)).

End Definitions.

(* Blocks *)

Section Blocks.
Variables (R : realFieldType) (w : R -> R) (scale : R).

Lemma affine_row_wise n d e p (W : 'M[R]_(e, p)) b (f : 'rV[R]_d -> 'rV[R]_e) (X : 'M[R]_(n, d)) :
  affine W b (row_wise f X) = row_wise (fun v => affine W b (f v)) X.
Proof.
apply/row_matrixP => i; rewrite rowK /affine linearD /= !row_mul rowK; congr (_ + _ *m _).
by apply/rowP => j; rewrite !mxE.
Qed.

Lemma row_wise_id n d (X : 'M[R]_(n, d)) : row_wise id X = X.
Proof. by apply/row_matrixP => i; rewrite rowK. Qed.

Lemma row_affine n d e (W : 'M[R]_(d, e)) b (X : 'M[R]_(n, d)) i :
  row i (affine W b X) = row i (X *m W) + b.
Proof.
rewrite /affine linearD /= [row i (_ *m b)]row_mul; congr (_ + _).
have -> : row i (const_mx 1 : 'cV[R]_n) = 1%:M by apply/rowP => j; rewrite ord1 !mxE.
by rewrite mul1mx.
Qed.

Lemma score_row n m d (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) i j :
  scores scale Q K i j = scores scale (row i Q) (row j K) 0 0.
Proof. by rewrite !mxE; congr (_ * _); apply: eq_bigr => c _; rewrite !mxE. Qed.

(* What all heads of a block say in row i, after the output projection. *)
Lemma row_block_heads d n (B : block R d) (G : 'M[R]_n) (X : 'M[R]_(n, d)) i :
  let N := row_wise (if pre_norm B then norm1 B else id) X in
  row i (multi_head w scale (Encoder.weights B) G N N)
  = \sum_a row a (\matrix_a row i (head_output (block_layer w scale B) (fun=> G) X a))
    + bO (Encoder.weights B).
Proof.
move=> N; set A := Encoder.weights B; rewrite /multi_head row_affine; congr (_ + _).
rewrite -[WO A in LHS]submxcolK mul_mxrow_mxcol linear_sum; apply: eq_bigr => a _ /=.
rewrite rowK /head_output /masked_attend -mulmxA; congr (row i (_ *m _)); last first.
  rewrite /N affine_row_wise; apply/row_matrixP => j; rewrite row_mul !rowK //.
congr normalize; apply/matrixP => u v; rewrite mxE [RHS]mxE; congr (_ * w _).
by rewrite /N !affine_row_wise score_row !rowK.
Qed.

Lemma apply_blockE d n (B : block R d) (G : 'M[R]_n) (X : 'M[R]_(n, d)) :
  Encoder.apply_block w scale B G X = apply_layer (block_layer w scale B) (fun=> G) X.
Proof.
apply/row_matrixP => i; rewrite rowK /apply_block.
have := row_block_heads B G X i; rewrite /pre_norm_block /post_norm_block /=.
case: (pre_norm B) => heads_i; last first.
  rewrite row_wise_id in heads_i.
  by rewrite rowK linearD /= !rowK linearD /= heads_i.
by rewrite linearD /= !rowK linearD /= heads_i.
Qed.

Lemma encoderE d n (Bs : seq (block R d)) (G : 'M[R]_n) (X : 'M[R]_(n, d)) :
  encoder w scale Bs G X = apply_layers [seq block_layer w scale B | B <- Bs] (fun=> G) X.
Proof. by elim: Bs X => //= B Bs IH X; rewrite IH apply_blockE. Qed.

End Blocks.

(* Which permutations an output cannot see *)

Section Context.
Variables (R : realFieldType) (H n : nat) (G : 'I_H -> 'M[R]_n) (s : 'S_n).
Hypothesis G0 : forall h i, \sum_j G h i j != 0.

(* The tokens are all different: each is its own name.  Permuted, the token at i is s i. *)
Let permuted := [tuple s i | i < n].
Local Notation both := (side_by_side G G).
Local Notation same := (same_type (either (ord_tuple n) permuted) both).
Local Notation A h := (normalize (G h)).

Lemma share_inl h i (c : pred ('I_n + 'I_n)) :
  share both h (inl i) c = (\sum_(j | c (inl j)) G h i j) / (\sum_j G h i j).
Proof.
by rewrite /share big_mkcond !sum_inl -?big_mkcond // => j; case: ifP.
Qed.

Lemma share_inr h i (c : pred ('I_n + 'I_n)) :
  share both h (inr i) c = (\sum_(j | c (inr j)) G h i j) / (\sum_j G h i j).
Proof.
by rewrite /share big_mkcond !sum_inr -?big_mkcond // => j; case: ifP.
Qed.

Lemma same_inl l i j : same l (inl i) (inl j) = (i == j).
Proof.
apply/idP/eqP => [/same_type_token|->]; last exact: same_type_refl.
by rewrite /= !tnth_ord_tuple.
Qed.

Lemma same_inr l i j : same l (inr i) (inr j) = (i == j).
Proof.
apply/idP/eqP => [/same_type_token|->]; last exact: same_type_refl.
by rewrite /= !tnth_mktuple => /perm_inj.
Qed.

Lemma same_across l i j : same l (inl i) (inr j) -> i = s j.
Proof. by move=> /same_type_token /=; rewrite tnth_ord_tuple tnth_mktuple. Qed.

(* The token at b after the permutation is, in l layers, like itself before. *)
Definition unseen l b : bool := same l (inl (s b)) (inr b).

Lemma same_acrossE l k j : same l (inl (s k)) (inr j) = (j == k) && unseen l k.
Proof.
apply/idP/andP => [kj|[/eqP->]] //; have /perm_inj eq_kj := same_across kj.
by move: kj; rewrite eq_kj.
Qed.

Lemma one_share h i (c : pred 'I_n) (k : 'I_n) b :
  (forall j, c j = (j == k) && b) ->
  (\sum_(j | c j) G h i j) / (\sum_j G h i j) = A h i k *+ b.
Proof.
move=> cE; rewrite normalizeE (eq_bigl _ _ cE); case: b {cE}.
  by rewrite (eq_bigl (pred1 k)) ?big_pred1_eq // => j; rewrite andbT.
by rewrite big_pred0 ?mul0r // => j; rewrite andbF.
Qed.

Lemma unseen_step l b : unseen l.+1 b <->
  unseen l b /\ forall h k, A h (s b) (s k) = A h b k /\ (G h b k != 0 -> unseen l k).
Proof.
have shareE h k : [/\ share both h (inl (s b)) (same l (inl (s k))) = A h (s b) (s k),
    share both h (inr b) (same l (inl (s k))) = A h b k *+ unseen l k,
    share both h (inl (s b)) (same l (inr k)) = A h (s b) (s k) *+ unseen l k
    & share both h (inr b) (same l (inr k)) = A h b k].
  split; rewrite ?share_inl ?share_inr.
  - by rewrite (@one_share _ _ _ (s k) true) // => j; rewrite same_inl eq_sym andbT.
  - by apply: one_share => j; rewrite same_acrossE.
  - rewrite (@one_share _ _ _ (s k) (unseen l k)) // => j; rewrite same_type_sym.
    by rewrite -[j](permKV s) same_acrossE !(inj_eq perm_inj) eq_sym; case: eqP => // ->.
  - by rewrite (@one_share _ _ _ k true) // => j; rewrite same_inr eq_sym andbT.
have zero h k : (A h b k == 0) = (G h b k == 0).
  by rewrite normalizeE mulf_eq0 invr_eq0 (negPf (G0 h b)) orbF.
split=> [/same_typeP[ub eq_share]|[ub eq_row]].
  split=> // h k; have [s1 s2 s3 s4] := shareE h k.
  have := eq_share h (inl (s k)); have := eq_share h (inr k); rewrite s1 s2 s3 s4 -zero.
  by case: (unseen l k); rewrite ?mulr0n => // eq0 eq1; rewrite -eq0 eq1 eqxx.
apply/same_typeP; split=> // h [a|k]; last first.
  have [_ _ -> ->] := shareE h k; have [-> seen] := eq_row h k.
  by move: seen; rewrite -zero; case: eqP => [->|_ ->] //; rewrite mul0rn.
rewrite -[a](permKV s); have [-> -> _ _] := shareE h ((s^-1)%g a).
have [-> seen] := eq_row h ((s^-1)%g a).
by move: seen; rewrite -zero; case: eqP => [->|_ ->] //; rewrite mul0rn.
Qed.

Lemma unseen0 b : unseen 0 b.
Proof. by rewrite /unseen /= tnth_ord_tuple tnth_mktuple. Qed.

Lemma unseen_rec l b :
  unseen l.+1 b <-> keeps_row G s b /\ forall h k, G h b k != 0 -> unseen l k.
Proof.
elim: l b => [|l IH] b.
  rewrite unseen_step; split=> [[_ eq_row]|[kept _]].
    by split=> [h j|h k _]; [case: (eq_row h j) | exact: unseen0].
  by split=> [|h k]; [exact: unseen0 | split=> [|_]; [exact: kept | exact: unseen0]].
rewrite unseen_step; split=> [[_ eq_row]|[kept next]].
  by split=> [h j|h k]; [case: (eq_row h j) | case: (eq_row h k)].
split=> [|h k]; last by split; [exact: kept | exact: next].
by apply/IH; split=> // h k /next /unseen_step[].
Qed.

Lemma unseen_reaches l b :
  unseen l.+1 b <-> forall k, reaches G l b k -> keeps_row G s k.
Proof.
elim: l b => [|l IH] b; rewrite unseen_rec.
  by split=> [[kept _] k /eqP <- //|kept]; split=> [|h k _]; [apply: kept; exact: eqxx | exact: unseen0].
split=> [[kept next] k /orP[/eqP<- //|/existsP[h /existsP[j /andP[/next /IH nj jk]]]]|kept].
  exact: nj.
split=> [|h k bk]; first by apply: kept; rewrite /= eqxx.
apply/IH => j kj; apply: kept; apply/orP; right; apply/existsP; exists h; apply/existsP; exists k.
by rewrite bk.
Qed.

Lemma embed_permuted d (emb : 'I_n -> 'rV[R]_d) :
  embed emb permuted = perm_mx s *m embed emb (ord_tuple n).
Proof.
by apply/row_matrixP => i; rewrite row_perm_mx !rowK tnth_mktuple tnth_ord_tuple.
Qed.

Lemma embed_rows d (X : 'M[R]_(n, d)) : embed (fun i => row i X) (ord_tuple n) = X.
Proof. by apply/row_matrixP => i; rewrite rowK tnth_ord_tuple. Qed.

Lemma context_group (w : R -> R) (scale : R) L i :
  w 0 != 0 ->
  let unmoved := fun d (Bs : seq (layer R H d d)) (X : 'M[R]_(n, d)) =>
    row i (apply_layers Bs G (perm_mx s *m X)) = row i (apply_layers Bs G X) in
  let kept := s i = i /\ forall k, reaches G L i k -> keeps_row G s k in
  (kept <-> forall d Bs X, size Bs = L.+1 -> unmoved d Bs X)
  /\ (kept <-> forall d (fs : seq ('rV[R]_d -> 'M[R]_(H, d) -> 'rV[R]_d)) X, size fs = L.+1 ->
        unmoved d [seq averaging_layer w scale f | f <- fs] X).
Proof.
move=> w0 unmoved kept.
have [all_layers averaging] := colour_refinement (ord_tuple n) permuted G0 G0 scale w0 L.+1 i i.
have keptE : kept <-> same L.+1 (inl i) (inr i).
  split=> [[eq_i /unseen_reaches]|ii]; first by rewrite /unseen eq_i.
  have eq_i := same_across ii; split; first by rewrite -eq_i.
  by apply/unseen_reaches; rewrite /unseen -eq_i.
split; split=> [/keptE same_rows d Bs X sizeL|same_rows].
- have /all_layers/(_ d Bs (fun v => row v X) sizeL) := same_rows.
  by rewrite embed_permuted embed_rows /unmoved => ->.
- by apply/keptE/all_layers => d Bs emb sizeL; rewrite embed_permuted; apply/esym/same_rows.
- have /averaging/(_ d Bs (fun v => row v X) sizeL) := same_rows.
  by rewrite embed_permuted embed_rows /unmoved => ->.
- by apply/keptE/averaging => d fs emb sizeL; rewrite embed_permuted; apply/esym/same_rows.
Qed.

End Context.

(* One unmasked layer computes every equivariant function *)

Section Universal.
Variables (R : realFieldType) (w : R -> R) (scale : R) (V : finType) (n p : nat).
Hypothesis w0 : w 0 != 0.
Local Notation unmasked := ((fun=> const_mx 1) : 'I_1 -> 'M[R]_n).

Definition one_hot (v : V) : 'rV[R]_#|V| := \row_c (enum_val c == v)%:R.

(* How often each word is in the input, over the number of its tokens. *)
Definition frequencies (x : n.-tuple V) : 'M[R]_(1, #|V|) :=
  \matrix_(h, c) ((count_mem (enum_val c) x)%:R / n%:R).

Definition answer (F : n.-tuple V -> 'I_n -> 'rV[R]_p) (u : 'rV[R]_#|V|) (O : 'M[R]_(1, #|V|)) :=
  if [pick t : n.-tuple V * 'I_n | (one_hot (tnth t.1 t.2) == u) && (frequencies t.1 == O)]
  is Some t then F t.1 t.2 else 0.

Lemma one_hot_inj : injective one_hot.
Proof.
move=> a b /rowP/(_ (enum_rank a)); rewrite !mxE enum_rankK eqxx.
by case: eqP => // _ /eqP; rewrite oner_eq0.
Qed.

Lemma frequencies_inj (x y : n.-tuple V) : frequencies x = frequencies y -> perm_eq x y.
Proof.
move=> eq_xy; apply/allP => v _ /=; have /matrixP/(_ 0 (enum_rank v)) := eq_xy.
rewrite !mxE enum_rankK; have [n0 _|n_gt0 eq_v] := posnP n; last first.
  by rewrite -(eqr_nat R) (mulIf _ eq_v) // invr_eq0 pnatr_eq0 -lt0n.
have none (z : n.-tuple V) : count_mem v z = 0%N.
  by apply/eqP; rewrite -leqn0 (leq_trans (count_size _ _)) // size_tuple n0.
by rewrite !none.
Qed.

Lemma frequenciesE (f : 'rV[R]_#|V| -> 'M[R]_(1, #|V|) -> 'rV[R]_p) (x : n.-tuple V) i :
  \matrix_a row i (head_output (averaging_layer w scale f) unmasked (embed one_hot x) a)
  = frequencies x.
Proof.
apply/matrixP => h c; rewrite mxE averaging_headE // mxE; congr (_ / _).
  rewrite -sum1_count big_tuple natr_sum [RHS]big_mkcond; apply: eq_bigr => j _; rewrite !mxE mul1r eq_sym /=.
  by case: (_ == _).
by under eq_bigr do rewrite mxE; rewrite sumr_const card_ord.
Qed.

Lemma universal (F : n.-tuple V -> 'I_n -> 'rV[R]_p) :
  (forall (s : 'S_n) x i, F [tuple tnth x (s j) | j < n] i = F x (s i)) ->
  forall x i, row i (apply_layer (averaging_layer w scale (answer F)) unmasked (embed one_hot x))
  = F x i.
Proof.
move=> equivariant x i; rewrite rowK frequenciesE rowK /= /answer.
case: pickP => [[y j] /= /andP[/eqP/one_hot_inj eq_ij /eqP/frequencies_inj]|/(_ (x, i))]; last first.
  by rewrite !eqxx.
move=> /tuple_permP[s eq_y].
have yE k : tnth y k = tnth x (s k).
  by rewrite (tnth_nth (tnth x i)) eq_y -tnth_nth tnth_mktuple.
pose t := (s * tperm (s j) i)%g.
have tE k : tnth x (t k) = tnth x (s k).
  rewrite permM; case: tpermP => // ->; last by rewrite -yE eq_ij.
  by rewrite -yE.
have -> : y = [tuple tnth x (t k) | k < n] by apply: eq_from_tnth => k; rewrite tnth_mktuple tE.
by rewrite equivariant permM tpermL.
Qed.

End Universal.

Lemma universal_pooled (R : realFieldType) (w : R -> R) (scale : R) (V : finType) n p
    (F : n.+1.-tuple V -> 'rV[R]_p) :
  w 0 != 0 -> (forall x y : n.+1.-tuple V, perm_eq x y -> F x = F y) ->
  forall x, mean_pool (apply_layer (averaging_layer w scale (answer (fun x _ => F x)))
    (fun=> const_mx 1) (embed (@one_hot R V) x)) = F x.
Proof.
move=> w0 bag x.
have same (s : 'S_n.+1) (y : n.+1.-tuple V) : F [tuple tnth y (s j) | j < n.+1] = F y.
  by apply: bag; apply/tuple_permP; exists s.
apply/rowP => c; rewrite mxE (eq_bigr (fun=> F x 0 c)) => [|i _]; last first.
  have := universal scale w0 (F := fun x _ => F x) (fun s y _ => same s y) x i.
  by move=> /rowP/(_ c) <-; rewrite [RHS]mxE.
by rewrite sumr_const card_ord -[X in X / _]mulr_natr mulfK ?pnatr_eq0.
Qed.

(* Under a causal mask *)

Lemma causal_context (R : realFieldType) (w : R -> R) (scale : R) n (s : 'S_n.+1) L :
  w 0 != 0 ->
  (forall d (Bs : seq (layer R 1 d d)) (X : 'M[R]_(n.+1, d)), size Bs = L.+1 ->
     row ord_max (apply_layers Bs (fun=> causal_mask R n.+1) (perm_mx s *m X))
     = row ord_max (apply_layers Bs (fun=> causal_mask R n.+1) X))
  <-> if L is 0%N then s ord_max = ord_max else s = 1%g.
Proof.
move=> w0; pose G := (fun=> causal_mask R n.+1) : 'I_1 -> 'M[R]_n.+1.
have G0 h i : \sum_j G h i j != 0 by rewrite causal_sum pnatr_eq0.
have [<- _] := context_group s G0 scale L ord_max w0.
have see_all j : G 0 ord_max j = 1 by rewrite mxE -ltnS ltn_ord.
split=> [[fix_last kept]|].
  case: L kept => // L kept; apply/permP => k; rewrite perm1.
  have /kept/(_ 0 k) : reaches G L.+1 ord_max k.
    apply/orP; right; apply/existsP; exists 0; apply/existsP; exists k.
    by rewrite see_all oner_eq0; case: (L) => [|l] /=; rewrite eqxx.
  by rewrite !normalizeE !causal_sum !mxE !leqnn !div1r => /invr_inj/eqP; rewrite eqr_nat => /eqP[/ord_inj].
case: L => [fix_last|L ->]; last by split=> [|k _ h j]; rewrite ?perm1.
by split=> // k /eqP<- h j; rewrite fix_last !normalizeE !see_all.
Qed.

(* What is false: types of fewer layers, and rows of sum 0 *)

Lemma fewer_layers (R : realFieldType) (w : R -> R) (scale : R) :
  w 0 != 0 ->
  let x := [tuple true; true] in let y := [tuple true; false] in
  let G := (fun=> const_mx 1) : 'I_1 -> 'M[R]_2 in
  same_type (either x y) (side_by_side G G) 0 (inl ord0) (inr ord0)
  /\ ~ forall d (Bs : seq (layer R 1 d d)) (emb : bool -> 'rV[R]_d), size Bs = 1%N ->
         row ord0 (apply_layers Bs G (embed emb x)) = row ord0 (apply_layers Bs G (embed emb y)).
Proof.
move=> w0 x y G; split=> // same_rows.
have G0 h i : \sum_j G h i j != 0.
  by under eq_bigr do rewrite mxE; rewrite sumr_const card_ord pnatr_eq0.
have [/iffRL/(_ same_rows)/same_typeP[_ all_shares] _] :=
  colour_refinement x y G0 G0 scale w0 1 ord0 ord0.
have := all_shares 0 (inl ord0); rewrite share_inl share_inr.
rewrite [in LHS]big_mkcond [X in _ = X / _]big_mkcond !big_ord_recl !big_ord0 /= !mxE !addr0.
move=> /mulIf; rewrite invr_eq0 (pnatr_eq0 R 2) => /(_ isT)/eqP.
by rewrite -subr_eq0 addrK oner_eq0.
Qed.

Lemma rows_of_sum_0 (R : realFieldType) :
  let x := [tuple 0%N; 1%N] in let y := [tuple 0%N; 2%N] in
  let G := (fun=> \matrix_(i, j) (if j == 0 then 1 else -1)) : 'I_1 -> 'M[R]_2 in
  same_type (either x y) (side_by_side G G) 1 (inl 0) (inr 0)
  /\ exists (B : layer R 1 1 1) (emb : nat -> 'rV[R]_1),
       row 0 (apply_layers [:: B] G (embed emb x)) <> row 0 (apply_layers [:: B] G (embed emb y)).
Proof.
move=> x y G; split.
  apply/same_typeP; split=> // h k; rewrite share_inl share_inr.
  by rewrite !big_ord_recl !big_ord0 /= !mxE /= addr0 subrr invr0 !mulr0.
pose B := @Layer R 1 1 1 1 id 1 (fun _ _ v => 1 + v 0 0) (fun _ v => v) (fun _ O => O).
pose emb k : 'rV[R]_1 := const_mx k%:R.
have out k : k != 0%N -> row 0 (apply_layers [:: B] G (embed emb [tuple 0%N; k])) 0 0 = 1 + k%:R.
  move=> k0; rewrite [apply_layers _ _ _]/= rowK [LHS]mxE head_outputE.
  rewrite !big_ord_recl !big_ord0 /= !mxE /=.
  rewrite (_ : tnth _ ord0 = 0%N) // (_ : tnth _ (lift ord0 ord0) = k) // !addr0 !mulr0 add0r.
  by rewrite mul1r !mulN1r opprD addrA subrr add0r invrN mulrNN mulfK ?pnatr_eq0.
by exists B, emb => /rowP/(_ 0); rewrite !out // => /addrI/eqP; rewrite eqr_nat.
Qed.
