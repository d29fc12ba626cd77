(* Uniform causal attention at every depth, in closed form.

   The matrix M of the means over the prefixes and the matrix E of the signed binomials satisfy
   E E = 1 and M = E diag(1/(m+1)) E (Hausdorff 1921), so that any product of layers r I + v M is
   E diag(prod (r + v/(m+1))) E, and its entries are alternating sums of these products. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix poly.
From orderproof Require Import Attention Encoder Positions Causal.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Definitions *)

Section Definitions.
Variables (R : realFieldType) (w : R -> R) (scale : R).
Implicit Type layers : seq (R * R).

(* Layers (r, v), first to last: r times the state, and v times the mean of its past. *)
Definition averaging_stack n d k (WK : 'M[R]_(d, k)) layers (X : 'M[R]_(n, d)) : 'M[R]_(n, d) :=
  foldl (fun Z l => l.1 *: Z + l.2 *: causal_average w scale WK Z) X layers.

(* The product of r + v u over the layers (r, v): as a polynomial in u, and at one u. *)
Definition layer_polynomial layers : {poly R} := \prod_(l <- layers) (l.1%:P + l.2%:P * 'X).
Definition layer_product layers (u : R) : R := \prod_(l <- layers) (l.1 + l.2 * u).

(* What the last of n + 1 tokens gives to token j, all counted from 0. *)
Definition causal_weight layers (n j : nat) : R :=
  'C(n, j)%:R * \sum_(k < (n - j).+1)
    (-1) ^+ k * 'C(n - j, k)%:R * layer_product layers (j + k).+1%:R^-1.

(* The last of n + 1 tokens does not see the order of the others. *)
Definition last_token_blind n d k (WK : 'M[R]_(d, k)) layers : Prop :=
  forall (s : 'S_n.+1) (X : 'M[R]_(n.+1, d)), s ord_max = ord_max ->
    row ord_max (averaging_stack WK layers (perm_mx s *m X))
    = row ord_max (averaging_stack WK layers X).

End Definitions.
Arguments layer_polynomial {R} layers.
Arguments layer_product {R} layers u.
Arguments causal_weight {R} layers n j.

(* Binomials *)

Lemma bin_mul_bin i j k : ('C(i, j + k) * 'C(j + k, j) = 'C(i, j) * 'C(i - j, k))%N.
Proof.
case: (leqP (j + k) i) => [le_i|lt_i]; last first.
  rewrite (bin_small lt_i) mul0n; case: (leqP j i) => [le_j|/bin_small->]; last by rewrite mul0n.
  by rewrite (@bin_small (i - j)) ?muln0 // -(ltn_add2r j) subnK // addnC.
have le_j := leq_trans (leq_addr k j) le_i.
have le_k : (k <= i - j)%N by rewrite leq_subRL.
have pos : (0 < j`! * (k`! * (i - j - k)`!))%N by rewrite !muln_gt0 !fact_gt0.
apply/eqP; rewrite -(eqn_pmul2r pos); apply/eqP.
transitivity i`!.
  by rewrite -(bin_fact le_i) -(bin_fact (leq_addr k j)) addKn subnDA !mulnA.
by rewrite mulnACA (bin_fact le_k) -mulnA (bin_fact le_j).
Qed.

(* C(i+1, m+1) is the sum of the C(j, m) for j <= i. *)
Lemma sum_bin i m : (\sum_(j < i.+1) 'C(j, m) = 'C(i.+1, m.+1))%N.
Proof. by elim: i => [|i IH]; rewrite big_ord_recr /= ?big_ord0 ?IH //= binS addnC. Qed.

Section Conjugation.
Variable R : realFieldType.
Implicit Type mu : nat -> R.

Definition binomial_mx n : 'M[R]_n := \matrix_(i, j) ((-1) ^+ j * 'C(i, j)%:R).
Definition diagonal n mu : 'M[R]_n := diag_mx (\row_i mu i).

(* The entries of E diag(mu) E. *)
Lemma conj_entry n mu (i j : 'I_n) :
  (binomial_mx n *m diagonal n mu *m binomial_mx n) i j
  = 'C(i, j)%:R * \sum_(k < (i - j).+1) (-1) ^+ k * 'C(i - j, k)%:R * mu (j + k)%N.
Proof.
pose F m := (-1) ^+ m * 'C(i, m)%:R * mu m * ((-1) ^+ j * 'C(m, j)%:R).
rewrite mxE (eq_bigr (fun m : 'I_n => F m)) => [|m _]; last by rewrite mul_mx_diag !mxE.
have small m : (m < j)%N -> F m = 0 by move=> lt_m; rewrite /F (bin_small lt_m) !mulr0.
have large m : (i < m)%N -> F m = 0 by move=> lt_m; rewrite /F (bin_small lt_m) mulr0 !mul0r.
rewrite -(big_mkord xpredT F) (big_cat_nat _ (n := j)) //=; last exact: ltnW.
rewrite big_nat_cond big1 ?add0r => [|m /andP[/andP[_ /small]]] //.
case: (leqP j i) => [le_j|lt_i]; last first.
  rewrite bin_small // mul0r big_nat_cond big1 // => m /andP[/andP[le_m _] _].
  exact: large (leq_trans lt_i le_m).
rewrite (big_cat_nat _ (n := i.+1)) //=; last exact: leqW.
rewrite [X in _ + X]big_nat_cond [X in _ + X]big1 ?addr0 => [|m /andP[/andP[/large]]] //.
rewrite -{1}[j : nat]add0n big_addn subSn // big_mkord mulr_sumr; apply: eq_bigr => k _.
have eqC : 'C(i, j + k)%:R * 'C(j + k, j)%:R = 'C(i, j)%:R * 'C(i - j, k)%:R :> R.
  by rewrite -!natrM bin_mul_bin.
rewrite /F addnC exprD !mulrA [LHS](ACl ((1*5)*2*4*(3*6)))%AC /= eqC -expr2 sqrr_sign mul1r.
by rewrite !mulrA [LHS](ACl (3*1*4*2))%AC.
Qed.

(* E E = 1: the sum of the signed binomials of i - j is 0 unless i = j. *)
Lemma binomial_mxK n : binomial_mx n *m binomial_mx n = 1%:M.
Proof.
have one : diagonal n (fun=> 1) = 1%:M by apply/matrixP => i j; rewrite !mxE.
transitivity (binomial_mx n *m diagonal n (fun=> 1) *m binomial_mx n); first by rewrite one mulmx1.
apply/matrixP => i j; rewrite conj_entry mxE.
rewrite (eq_bigr (fun k : 'I_(i - j).+1 =>
    (1 ^+ (i - j - k) * (- 1) ^+ k) *+ 'C(i - j, k))) => [|k _]; last by rewrite /= expr1n mul1r mulr1 mulr_natr.
rewrite -exprDn subrr expr0n subn_eq0; case: eqP => [->|ne]; first by rewrite leqnn binn mulr1.
case: leqP => [le_i|]; last by rewrite mulr0.
rewrite bin_small ?mul0r // ltn_neqAle le_i andbT; apply/eqP => eq_ij; exact: ne (val_inj eq_ij).
Qed.

(* M E = E diag(1/(m+1)). *)
Lemma mean_binomial n (w : R -> R) scale k (WK : 'M[R]_(n, k)) : w 0 != 0 ->
  causal_average w scale WK (binomial_mx n) = binomial_mx n *m diagonal n (fun m => m.+1%:R^-1).
Proof.
move=> w0; apply/matrixP => i m; rewrite causal_averageE // mul_mx_diag !mxE.
pose F j : R := (-1) ^+ m * 'C(j, m)%:R.
have -> : \sum_j causal_mask R n i j * binomial_mx n j m = \sum_(j < i.+1) F j.
  rewrite [RHS](big_ord_widen n F) // [RHS]big_mkcond; apply: eq_bigr => j _.
  by rewrite !mxE ltnS; case: (_ <= _)%N; rewrite ?mul1r ?mul0r.
rewrite /F -mulr_sumr -natr_sum sum_bin -!mulrA; congr (_ * _).
apply/eqP; rewrite eqr_div ?pnatr_eq0 // -!natrM mulnC -mul_bin_diag mulnC //.
Qed.
End Conjugation.

(* The stack *)

Section Stack.
Variables (R : realFieldType) (w : R -> R) (scale : R).
Hypothesis w0 : w 0 != 0.
Implicit Type layers : seq (R * R).

Lemma causal_average_mul n d k l (WK : 'M[R]_(d, k)) (WK' : 'M[R]_(n, l)) (A : 'M[R]_n)
    (X : 'M[R]_(n, d)) :
  causal_average w scale WK (A *m X) = causal_average w scale WK' A *m X.
Proof.
apply/matrixP => i f; rewrite causal_averageE // mxE.
under [RHS]eq_bigr => j _ do rewrite causal_averageE // mulrAC.
rewrite -mulr_suml; congr (_ / _).
under eq_bigr => j _ do rewrite [X in _ * X]mxE mulr_sumr.
rewrite exchange_big; apply: eq_bigr => j _; rewrite mulr_suml.
by apply: eq_bigr => l0 _; rewrite mulrA.
Qed.

Lemma layer_product_cons l layers u :
  layer_product (l :: layers) u = (l.1 + l.2 * u) * layer_product layers u.
Proof. exact: big_cons. Qed.

Lemma layerE n d k (WK : 'M[R]_(d, k)) a b (X : 'M[R]_(n, d)) :
  a *: X + b *: causal_average w scale WK X
  = binomial_mx R n *m diagonal n (fun m => a + b * m.+1%:R^-1) *m binomial_mx R n *m X.
Proof.
have average : causal_average w scale WK X
    = binomial_mx R n *m diagonal n (fun m => m.+1%:R^-1) *m binomial_mx R n *m X.
  rewrite -[in LHS](mul1mx X) -binomial_mxK -mulmxA (@causal_average_mul n d k 0 WK 0).
  by rewrite mean_binomial // !mulmxA.
have -> : diagonal n (fun m => a + b * m.+1%:R^-1)
    = a%:M + b *: diagonal n (fun m => m.+1%:R^-1) :> 'M[R]_n.
  by apply/matrixP => i j; rewrite !mxE; case: (i == j); rewrite ?mulr1n ?mulr0n ?mulr0 ?addr0.
rewrite mulmxDr mul_mx_scalar !mulmxDl -!scalemxAl binomial_mxK mul1mx average.
by rewrite -scalemxAr -!scalemxAl.
Qed.

(* A stack is E diag(mu) E, mu_m the product of the layers at 1/(m+1). *)
Lemma averaging_stackE n d k (WK : 'M[R]_(d, k)) layers (X : 'M[R]_(n, d)) :
  averaging_stack w scale WK layers X
  = binomial_mx R n *m diagonal n (fun m => layer_product layers m.+1%:R^-1)
    *m binomial_mx R n *m X.
Proof.
rewrite /averaging_stack; elim: layers X => [|[a b] layers IH] X /=.
  suff -> : diagonal n (fun m => layer_product [::] m.+1%:R^-1) = 1%:M :> 'M[R]_n.
    by rewrite mulmx1 binomial_mxK mul1mx.
  by apply/matrixP => i j; rewrite !mxE /layer_product big_nil.
rewrite IH layerE !mulmxA; congr (_ *m _ *m X).
rewrite -!mulmxA (mulmxA (binomial_mx R n) (binomial_mx R n)) binomial_mxK mul1mx; congr (_ *m _).
apply/matrixP => i j; rewrite mul_mx_diag !mxE layer_product_cons /=.
by case: eqP => [->|_]; rewrite ?mulr1n ?mulr0n ?mul0r // mulrC.
Qed.

(* Row i of it is that of the last of i + 1 tokens. *)
Lemma averaging_stack_weights n d k (WK : 'M[R]_(d, k)) layers (X : 'M[R]_(n, d)) i f :
  averaging_stack w scale WK layers X i f = \sum_(j < n) causal_weight layers i j * X j f.
Proof. by rewrite averaging_stackE mxE; apply: eq_bigr => j _; rewrite conj_entry. Qed.

(* The weights against the binomials, which are eigenvectors. *)
Lemma weights_bin layers n m :
  \sum_(j < n.+1) causal_weight layers n j * 'C(j, m)%:R
  = layer_product layers m.+1%:R^-1 * 'C(n, m)%:R.
Proof.
case: (ltnP m n.+1) => [lt_m|lt_n]; last first.
  rewrite bin_small // mulr0 big1 // => j _; rewrite bin_small ?mulr0 //.
  exact: leq_trans (ltn_ord j) lt_n.
pose E := binomial_mx R n.+1; pose m' := Ordinal lt_m.
pose D := diagonal n.+1 (fun m => layer_product layers m.+1%:R^-1) : 'M[R]_n.+1.
have eqE : (E *m D *m E *m E) ord_max m' = (E *m D) ord_max m'.
  by rewrite -mulmxA binomial_mxK mulmx1.
apply: (can_inj (signrMK m)); transitivity ((E *m D) ord_max m').
  rewrite -eqE [RHS]mxE mulr_sumr; apply: eq_bigr => j _.
  by rewrite conj_entry [E j m']mxE mulrCA.
by rewrite mul_mx_diag !mxE -mulrA [X in _ * X]mulrC.
Qed.

(* Blindness *)

Lemma size_layer (a b : R) : size (a%:P + b%:P * 'X) = if b == 0 then (a != 0 : nat) else 2%N.
Proof.
case: eqP => [->|/eqP b_neq0]; first by rewrite mul0r addr0 size_polyC.
by rewrite addrC size_MXaddC polyC_eq0 (negPf b_neq0) size_polyC b_neq0.
Qed.

Lemma horner_layers layers u : (layer_polynomial layers).[u] = layer_product layers u.
Proof.
by rewrite /layer_polynomial /layer_product horner_prod; apply: eq_bigr => l _; rewrite !hornerE.
Qed.

Lemma size_layers layers : (size (layer_polynomial layers) <= (size layers).+1)%N.
Proof.
rewrite /layer_polynomial; elim: layers => [|[a b] layers IH]; first by rewrite big_nil size_poly1.
rewrite big_cons; apply: leq_trans (size_mul_leq _ _) _.
rewrite -subn1 leq_subLR add1n size_layer /=.
have size_le : ((if b == 0%R then (a != 0%R : nat) else 2) <= 2)%N by case: ifP => // _; case: eqP.
by apply: leq_trans (leq_add size_le IH) _; rewrite add2n.
Qed.

(* Degree at most 1: at most one layer attends, or a layer is 0. *)
Lemma degree_le1 layers :
  (size (layer_polynomial layers) <= 2)%N
  = ((0, 0) \in layers) || (count (fun l => l.2 != 0%R) layers <= 1)%N.
Proof.
have zero : (layer_polynomial layers == 0) = ((0, 0) \in layers).
  rewrite /layer_polynomial; elim: layers => [|[a b] layers IH]; first by rewrite big_nil oner_eq0.
  rewrite big_cons mulf_eq0 IH inE xpair_eqE ![0 == _]eq_sym -size_poly_eq0 size_layer /=.
  by case: (b == 0); case: (a == 0).
case: (boolP ((0, 0) \in layers)) => [|no]; first by rewrite -zero => /eqP->; rewrite size_poly0.
suff -> : size (layer_polynomial layers) = (count (fun l => l.2 != 0%R) layers).+1 by [].
elim: layers no {zero} => [|[a b] layers IH]; first by rewrite /layer_polynomial big_nil size_poly1.
rewrite inE negb_or => /andP[ne /IH {}IH]; rewrite /layer_polynomial big_cons /=.
rewrite size_mul -/(layer_polynomial layers) ?IH; last 2 first.
- rewrite -size_poly_eq0 size_layer /=; move: ne; rewrite xpair_eqE ![0 == _]eq_sym.
  by case: (b == 0); case: (a == 0).
- by rewrite -size_poly_eq0 IH.
rewrite size_layer /=; move: ne; rewrite xpair_eqE ![0 == _]eq_sym.
by case: (b == 0); case: (a == 0).
Qed.

Implicit Types (n m : nat).

(* The last token is blind where all others weigh the same *)
Lemma blind_weights n d k (WK : 'M[R]_(d.+1, k)) layers :
  last_token_blind w scale n WK layers ->
  forall j, (j < n)%N -> causal_weight layers n j = causal_weight layers n 0.
Proof.
case: n => [|n] // blind j' lt_j; pose j : 'I_n.+2 := Ordinal (leqW lt_j).
have fixes : tperm ord0 j ord_max = ord_max by rewrite tpermD // -val_eqE /= neq_ltn ?lt_j ?orbT.
have := blind _ (delta_mx ord0 ord0) fixes => /(congr1 (fun r : 'rV_(_) => r ord0 ord0)).
rewrite [LHS]mxE [RHS]mxE !averaging_stack_weights /=.
rewrite (bigD1 j) //= big1 => [|i ne_i]; last first.
  rewrite perm_mxE mxE andbT; case: eqP => [eq_i|_]; last by rewrite mulr0.
  by rewrite -[i](tpermK ord0 j) eq_i tpermL eqxx in ne_i.
rewrite perm_mxE tpermR mxE !eqxx mulr1 addr0 => ->.
rewrite (bigD1 ord0) //= big1 => [|i /negPf ne_i]; last by rewrite mxE ne_i mulr0.
by rewrite mxE !eqxx mulr1 addr0.
Qed.

(* and then the product of the layers is a + b u at u = 1, 1/2, ..., 1/(n+1): the weights against the
   binomials are c C(n+1, m+1) + (e - c) C(n, m) = (e - c + c (n+1)/(m+1)) C(n, m); *)
Lemma weights_interpolate n layers :
  (forall j, (j < n)%N -> causal_weight layers n j = causal_weight layers n 0) ->
  exists a b, forall m, (m <= n)%N -> layer_product layers m.+1%:R^-1 = a + b * m.+1%:R^-1.
Proof.
pose c := causal_weight layers n 0; pose e := causal_weight layers n n; rewrite -/c => same.
exists (e - c), (c * n.+1%:R) => m le_m.
have bin_neq0 : 'C(n, m)%:R != 0 :> R by rewrite pnatr_eq0 -lt0n bin_gt0.
apply: (mulIf bin_neq0); rewrite -weights_bin big_ord_recr /= -/e.
rewrite (eq_bigr (fun j : 'I_n => c * 'C(j, m)%:R)) => [|j _]; last by rewrite same.
have := sum_bin n m; rewrite big_ord_recr /= => /(congr1 (fun x : nat => x%:R : R)).
rewrite natrD natr_sum -mulr_sumr => /(canRL (addrK _)) ->.
rewrite mulrBr -addrA addrC [- _ + _]addrC -mulrBl [RHS]mulrDl; congr (_ + _).
clearbody c; rewrite -!mulrA; congr (_ * _).
by rewrite mulrCA -natrM (mul_bin_diag n.+1 m) natrM mulKf ?pnatr_eq0.
Qed.

(* and the stack is that of one layer (a, b). *)
Lemma interpolated_blind n d k (WK : 'M[R]_(d, k)) layers a b :
  (forall m, (m <= n)%N -> layer_product layers m.+1%:R^-1 = a + b * m.+1%:R^-1) ->
  last_token_blind w scale n WK layers.
Proof.
move=> eq_ab; have stackE (X : 'M_(n.+1, d)) :
    averaging_stack w scale WK layers X = a *: X + b *: causal_average w scale WK X.
  rewrite averaging_stackE layerE; congr (_ *m _ *m _ *m _).
  by apply/matrixP => i j; rewrite !mxE eq_ab // -ltnS.
have rowE (X : 'M_(n.+1, d)) f : row ord_max (averaging_stack w scale WK layers X) 0 f
    = a * X ord_max f + b * causal_average w scale WK X ord_max f.
  by rewrite mxE stackE; move: (causal_average _ _ _ _) => Y; rewrite !mxE.
move=> s X fix_last; apply/rowP => f; rewrite !rowE perm_mxE fix_last.
congr (_ + _ * _); rewrite !causal_averageE //; congr (_ / _).
rewrite -[RHS](sum_perm s); apply: eq_bigr => j _; rewrite perm_mxE.
by congr (_ * _); rewrite !mxE /= !leq_ord.
Qed.

Lemma blind_iff_weights n d k (WK : 'M[R]_(d.+1, k)) layers :
  last_token_blind w scale n WK layers
  <-> forall j, (j < n)%N -> causal_weight layers n j = causal_weight layers n 0.
Proof.
split=> [|same]; first exact: blind_weights.
by have [a [b]] := weights_interpolate same; exact: interpolated_blind.
Qed.

Lemma blind_iff_interpolates n d k (WK : 'M[R]_(d.+1, k)) layers :
  last_token_blind w scale n WK layers
  <-> exists a b, forall m, (m <= n)%N -> layer_product layers m.+1%:R^-1 = a + b * m.+1%:R^-1.
Proof.
split=> [/blind_weights|[a [b]]]; [exact: weights_interpolate | exact: interpolated_blind].
Qed.

(* A polynomial of no more than n + 1 coefficients is a + b u if it is so at n + 1 places. *)
Lemma blind_iff_degree n d k (WK : 'M[R]_(d.+1, k)) layers : (size layers <= n)%N ->
  last_token_blind w scale n WK layers <-> (size (layer_polynomial layers) <= 2)%N.
Proof.
move=> le_n; split=> [|deg]; last first.
  apply/blind_iff_interpolates; exists (layer_polynomial layers)`_0, (layer_polynomial layers)`_1.
  move=> m _; rewrite -horner_layers (horner_coef_wide _ deg) !big_ord_recl big_ord0.
  by rewrite expr0 mulr1 expr1 addr0.
case: n => [|n] in le_n *.
  by case: layers le_n => // _ _; rewrite /layer_polynomial big_nil size_poly1.
move=> /blind_iff_interpolates[a [b eq_ab]]; pose q := layer_polynomial layers - (a%:P + b%:P * 'X).
have size_q : (size q <= n.+2)%N.
  apply: leq_trans (size_add _ _) _; rewrite size_opp geq_max (leq_trans (size_layers _)) //.
  by rewrite size_layer; case: ifP => // _; case: eqP.
suff /eqP : q = 0.
  by rewrite subr_eq0 => /eqP->; rewrite size_layer; case: ifP => // _; case: eqP.
pose places : seq R := [seq m.+1%:R^-1 | m <- iota 0 n.+2].
apply/eqP; apply: contraTT size_q => q_neq0; rewrite -ltnNge.
have <- : size places = n.+2 by rewrite size_map size_iota.
apply: max_poly_roots => //.
  apply/allP => u /mapP[m]; rewrite mem_iota add0n ltnS => le_m ->.
  by rewrite rootE !hornerE horner_layers eq_ab // subrr.
rewrite map_inj_uniq ?iota_uniq // => m m' /invr_inj /eqP.
by rewrite eqr_nat eqSS => /eqP.
Qed.

(* At all lengths, the condition on the layers. *)
Lemma always_blind_iff d k (WK : 'M[R]_(d.+1, k)) layers :
  (forall n, last_token_blind w scale n WK layers)
  <-> ((0, 0) \in layers) || (count (fun l => l.2 != 0%R) layers <= 1)%N.
Proof.
rewrite -degree_le1; split=> [/(_ (size layers)) /blind_iff_degree -> //|deg n].
apply/blind_iff_interpolates; exists (layer_polynomial layers)`_0, (layer_polynomial layers)`_1.
move=> m _; rewrite -horner_layers (horner_coef_wide _ deg) !big_ord_recl big_ord0.
by rewrite expr0 mulr1 expr1 addr0.
Qed.

(* Three tokens: w_1 - w_2 is mu_0 - 4 mu_1 + 3 mu_2. *)
Lemma blind_iff_three d k (WK : 'M[R]_(d.+1, k)) layers :
  last_token_blind w scale 2 WK layers
  <-> layer_product layers 1 - 4%:R * layer_product layers 2%:R^-1
      + 3%:R * layer_product layers 3%:R^-1 = 0.
Proof.
have <- : causal_weight layers 2 0 - causal_weight layers 2 1
    = layer_product layers 1 - 4%:R * layer_product layers 2%:R^-1
      + 3%:R * layer_product layers 3%:R^-1.
  rewrite /causal_weight !big_ord_recl !big_ord0 /= /bump /= !(expr0, expr1, sqrrN, expr1n) invr1.
  rewrite !(bin0, bin1, binn) !(mul1r, mulr1, addr0, mulN1r) !mulr_natl.
  move: (layer_product layers 1) => x; move: (layer_product _ _) (layer_product _ _) => y z.
  rewrite mulNr mulr_natl mulrnBl opprB !mulrS !mulr0n !addr0 !opprD !addrA.
  by rewrite [LHS](ACl (1*2*3*7*8*4*5*6))%AC.
split=> [/blind_iff_weights /(_ 1%N isT) ->|/eqP]; first exact: subrr.
by rewrite subr_eq0 => /eqP eq_w; apply/blind_iff_weights; case=> [|[|j]] //.
Qed.

(* Two layers without skips: the closed form is that of two_causal_layers_see_order. *)
Lemma two_layer_causal_weight n (j : 'I_n.+1) :
  causal_weight [:: (0, 1); (0, 1)] n j = two_layer_weight R n j.
Proof.
pose X : 'M[R]_(n.+1, 1) := delta_mx j 0; pose WK : 'M[R]_(1, 0) := 0.
have pick (F : 'I_n.+1 -> R) : \sum_i F i * X i 0 = F j.
  rewrite (bigD1 j) //= mxE !eqxx mulr1 big1 ?addr0 // => i /negPf ne_i.
  by rewrite mxE ne_i mulr0.
rewrite -[RHS]pick -(two_layers scale w0 WK) -[LHS](pick (fun i => causal_weight _ n i)).
by rewrite -(averaging_stack_weights WK _ _ ord_max) /averaging_stack /= !scale0r !add0r !scale1r.
Qed.

End Stack.
