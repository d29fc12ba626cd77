(* Layers of running means as matrices, and their weights as sums and products over all places: what
   the claims of causal_weights_at_every_depth and causal_variance speak of. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix poly.
From orderproof Require Import Attention Encoder Positions WeightedMeans Causal Hausdorff.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Entries.
Variable R : realFieldType.
Implicit Type layers : seq (R * R).

(* ---- layers as matrices ---- *)
Definition averaging_mx n (l : R * R) : 'M[R]_n :=
  \matrix_(i, j) (l.1 * (i == j)%:R
    + l.2 * ((j%:R <= i%:R :> R)%R%:R / \sum_(k < n) (k%:R <= i%:R :> R)%R%:R)).

Lemma averaging_mx_mul n d l (X : 'M[R]_(n, d)) (WK : 'M[R]_(d, 0)) :
  l.1 *: X + l.2 *: causal_average (fun=> 1) 1 WK X = averaging_mx n l *m X.
Proof.
apply/matrixP => i f; rewrite [LHS]mxE [X in X + _]mxE [X in _ + X]mxE.
rewrite causal_averageE ?oner_neq0 // [RHS]mxE.
under [RHS]eq_bigr => j _ do rewrite mxE count_past mulrDl.
rewrite big_split /=; congr (_ + _).
  rewrite (bigD1 i) //= eqxx mulr1 big1 ?addr0 // => j /negPf ne.
  by rewrite eq_sym ne mulr0 mul0r.
rewrite mulr_suml mulr_sumr; apply: eq_bigr => j _.
by rewrite mxE ler_nat -[RHS]mulrA; congr (_ * _); exact: mulrAC.
Qed.

(* An entry of the product of the layers, the first one on the right. *)
Lemma averaging_product n layers (i j : 'I_n) :
  foldl (fun Z l => averaging_mx n l *m Z) 1%:M layers i j = causal_weight layers i j.
Proof.
have -> : foldl (fun Z l => averaging_mx n l *m Z) 1%:M layers
    = averaging_stack (fun=> 1) 1 (0 : 'M[R]_(n, 0)) layers 1%:M.
  rewrite /averaging_stack; elim: layers (1%:M : 'M[R]_n) => //= l layers IH X.
  by rewrite averaging_mx_mul IH.
rewrite averaging_stack_weights ?oner_neq0 // (bigD1 j) //= mxE eqxx mulr1 big1 ?addr0 // => l.
by rewrite mxE => /negPf->; rewrite mulr0.
Qed.

(* ---- signs and binomials as products over all places ---- *)
Lemma prod_before n j (F : nat -> R) : (j <= n)%N ->
  \prod_(p < n) (1 + (p%:R + 1 <= j%:R :> R)%R%:R * (F p - 1)) = \prod_(p < j) F p.
Proof.
move=> le_j; rewrite [RHS](big_ord_widen n F) // [RHS]big_mkcond; apply: eq_bigr => p _.
rewrite -mulrSr ler_nat; case: (_ < _)%N; rewrite ?mul0r ?addr0 //.
by rewrite mul1r addrCA subrr addr0.
Qed.

Lemma prod_bin N j : \prod_(p < j) ((N%:R - p%:R) / (p%:R + 1)) = 'C(N, j)%:R :> R.
Proof.
elim: j => [|j IH]; first by rewrite big_ord0 bin0.
rewrite big_ord_recr /= IH -mulrSr mulrA; apply: (canLR (mulfK _)); first by rewrite pnatr_eq0.
case: (leqP j N) => [le_j|lt_N]; last by rewrite !bin_small ?mul0r ?ltnS ?(ltnW lt_N).
by rewrite -natrB // -!natrM [in RHS]mulnC mul_bin_left mulnC.
Qed.

Lemma binomial_product n N j : (j <= n)%N ->
  \prod_(p < n) (1 + (p%:R + 1 <= j%:R :> R)%R%:R * ((N%:R - p%:R) / (p%:R + 1) - 1))
  = 'C(N, j)%:R :> R.
Proof. by move=> /(prod_before (fun p => (N%:R - p%:R) / (p%:R + 1))) ->; exact: prod_bin. Qed.

Lemma sign_product n j : (j <= n)%N ->
  \prod_(p < n) (1 + (p%:R + 1 <= j%:R :> R)%R%:R * (- (1) - 1)) = (-1) ^+ j :> R.
Proof. by move=> /(prod_before (fun=> - (1))) ->; rewrite prodr_const card_ord. Qed.

(* The weights with all sums and products over the n + 1 places. *)
Lemma causal_weight_products n layers (j : 'I_n.+1) :
  causal_weight layers n j
  = \prod_(p < n.+1) (1 + (p%:R + 1 <= j%:R :> R)%R%:R * (((n.+1%:R - 1) - p%:R) / (p%:R + 1) - 1))
    * \sum_(k < n.+1)
        (\prod_(p < n.+1) (1 + (p%:R + 1 <= k%:R :> R)%R%:R * (- (1) - 1))
         * \prod_(p < n.+1) (1 + (p%:R + 1 <= k%:R :> R)%R%:R
             * ((((n.+1%:R - 1) - j%:R) - p%:R) / (p%:R + 1) - 1))
         * layer_product layers (j%:R + k%:R + 1)^-1).
Proof.
have predE : n.+1%:R - 1 = n%:R :> R by rewrite mulrSr addrK.
rewrite predE (binomial_product _ (ltnW (ltn_ord j))) /causal_weight; congr (_ * _).
rewrite [LHS](big_ord_widen n.+1 (fun k => (-1) ^+ k * 'C(n - j, k)%:R
  * layer_product layers (j + k).+1%:R^-1)) ?ltnS ?leq_subr // [LHS]big_mkcond.
apply: eq_bigr => k _; have le_k := ltnW (ltn_ord k).
rewrite (sign_product le_k) -(natrB _ (leq_ord j)) (binomial_product _ le_k) -natrD -mulrSr.
by case: ltnP => // /bin_small->; rewrite mulr0 mul0r.
Qed.

End Entries.
