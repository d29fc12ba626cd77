(* What attention is, over any ordered field, and how it moves with its tokens.

   A matrix has one row for a token.  A permutation s acts as P = perm_mx s, and (P X)_i = X_(s i).
   The exponential is an arbitrary function w, and 1/sqrt d an arbitrary number [scale]: nothing in
   this file asks anything of either, but where "positive" is said. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Definitions *)

Section Definitions.
Variables (R : realFieldType) (w : R -> R) (scale : R).

(* Every row divided by its sum (a row of sum 0 gives a row of zeros: x / 0 = 0 in MathComp). *)
Definition normalize n m (G : 'M[R]_(n, m)) : 'M[R]_(n, m) :=
  \matrix_(i, j) (G i j / \sum_k G i k).

(* Softmax along the rows, with w in place of exp. *)
Definition softmax n m (S : 'M[R]_(n, m)) : 'M[R]_(n, m) := normalize (map_mx w S).

(* The same with a factor G_ij >= 0 at each weight: a mask (0 or 1), or a bias, G = exp B. *)
Definition masked_softmax n m (G S : 'M[R]_(n, m)) : 'M[R]_(n, m) :=
  normalize (\matrix_(i, j) (G i j * w (S i j))).

Definition scores n m d (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) : 'M[R]_(n, m) :=
  scale *: (Q *m K^T).

Definition attend n m d e (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) (V : 'M[R]_(m, e)) :=
  softmax (scores Q K) *m V.

Definition masked_attend n m d e (G : 'M[R]_(n, m))
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) (V : 'M[R]_(m, e)) :=
  masked_softmax G (scores Q K) *m V.

(* X W + b, the row b added to every row. *)
Definition affine n d e (W : 'M[R]_(d, e)) (b : 'rV[R]_e) (X : 'M[R]_(n, d)) : 'M[R]_(n, e) :=
  X *m W + (const_mx 1 : 'cV_n) *m b.

(* One head of self-attention. *)
Definition self_attention n d k e (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (X : 'M[R]_(n, d)) :=
  attend (X *m WQ) (X *m WK) (X *m WV).

Definition masked_self_attention n d k e (G : 'M[R]_n)
    (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (X : 'M[R]_(n, d)) :=
  masked_attend G (X *m WQ) (X *m WK) (X *m WV).

(* Scores with a bias (or a mask) B added to them. *)
Definition added_self_attention n d k e (B : 'M[R]_n)
    (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (X : 'M[R]_(n, d)) :=
  softmax (scores (X *m WQ) (X *m WK) + B) *m (X *m WV).

(* Padding: a factor g_j for each key, the same for all queries. *)
Definition key_mask n m (g : 'cV[R]_m) : 'M[R]_(n, m) := \matrix_(i, j) g j 0.

(* Any function of a query and a key in place of exp(scale q.k), and its two forms of attention. *)
Definition kernel_weights n m d e (k : 'rV[R]_d -> 'rV[R]_e -> R)
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, e)) : 'M[R]_(n, m) :=
  \matrix_(i, j) k (row i Q) (row j K).

Definition kernel_attention n m d e f (k : 'rV[R]_d -> 'rV[R]_e -> R)
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, e)) (V : 'M[R]_(m, f)) :=
  normalize (kernel_weights k Q K) *m V.

Definition unnormalized_kernel_attention n m d e f (k : 'rV[R]_d -> 'rV[R]_e -> R)
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, e)) (V : 'M[R]_(m, f)) :=
  kernel_weights k Q K *m V.

(* One query over a cache of (key, value) pairs, with softmax and without. *)
Definition generate d e (q : 'rV[R]_d) (cache : seq ('rV[R]_d * 'rV[R]_e)) : 'rV[R]_e :=
  (\sum_(p <- cache) w (scores q p.1 0 0))^-1
    *: \sum_(p <- cache) w (scores q p.1 0 0) *: p.2.

Definition generate_linear d e (q : 'rV[R]_d) (cache : seq ('rV[R]_d * 'rV[R]_e)) : 'rV[R]_e :=
  \sum_(p <- cache) (q *m p.1^T) 0 0 *: p.2.

(* A function applied to every row. *)
Definition row_wise n d e (f : 'rV[R]_d -> 'rV[R]_e) (X : 'M[R]_(n, d)) : 'M[R]_(n, e) :=
  \matrix_i f (row i X).

(* phi(Q) (phi(K)^T V), each row over phi(Q) (phi(K)^T 1): what all queries share is summed once. *)
Definition linear_attention n m d f e (phi : 'rV[R]_d -> 'rV[R]_f)
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) (V : 'M[R]_(m, e)) : 'M[R]_(n, e) :=
  let over p (U : 'M[R]_(m, p)) := row_wise phi Q *m ((row_wise phi K)^T *m U) in
  \matrix_(i, j) (over e V i j / over 1%N (const_mx 1) i 0).

(* The rows as a list: equal up to order (perm_eq) means equal as multisets. *)
Definition rows n d (X : 'M[R]_(n, d)) : seq 'rV[R]_d := [seq row i X | i <- enum 'I_n].

End Definitions.

(* The one lemma, and what a permutation matrix does to rows and columns *)

Section Reindexing.
Variable R : realFieldType.

(* The largest and the smallest of n + 1 numbers. *)
Definition largest n (a : 'I_n.+1 -> R) : R := \big[Num.max/a ord0]_j a j.
Definition smallest n (a : 'I_n.+1 -> R) : R := \big[Num.min/a ord0]_j a j.

Lemma largest_leP n (a : 'I_n.+1 -> R) x : reflect (forall j, a j <= x) (largest a <= x).
Proof.
apply: (iffP idP) => [le_x j|le_x].
  apply: le_trans le_x; rewrite /largest; have := mem_index_enum j.
  by elim: (index_enum _) => // k r IH; rewrite inE big_cons le_maxr => /orP[/eqP->|/IH->];
    rewrite ?lexx ?orbT.
by rewrite /largest; elim/big_ind: _ => // y z; rewrite le_maxl => -> ->.
Qed.

Lemma smallest_geP n (a : 'I_n.+1 -> R) x : reflect (forall j, x <= a j) (x <= smallest a).
Proof.
apply: (iffP idP) => [le_x j|le_x].
  apply: (le_trans le_x); rewrite /smallest; have := mem_index_enum j.
  by elim: (index_enum _) => // k r IH; rewrite inE big_cons le_minl => /orP[/eqP->|/IH->];
    rewrite ?lexx ?orbT.
by rewrite /smallest; elim/big_ind: _ => // y z; rewrite le_minr => -> ->.
Qed.

Lemma largest_perm n (s : 'S_n.+1) (a : 'I_n.+1 -> R) : largest (fun j => a (s j)) = largest a.
Proof.
apply/le_anti/andP; split; apply/largest_leP => j; last rewrite -[j](permKV s);
  exact: (largest_leP (fun j => _) _ (lexx _)).
Qed.

Lemma smallest_perm n (s : 'S_n.+1) (a : 'I_n.+1 -> R) : smallest (fun j => a (s j)) = smallest a.
Proof.
apply/le_anti/andP; split; apply/smallest_geP => j; first rewrite -[j](permKV s);
  exact: (smallest_geP (fun j => _) _ (lexx _)).
Qed.

Lemma sum_perm n (s : 'S_n) (a : 'I_n -> R) : \sum_j a (s j) = \sum_j a j.
Proof. by rewrite [RHS](reindex_inj (@perm_inj _ s)). Qed.

Lemma prod_perm n (s : 'S_n) (a : 'I_n -> R) : \prod_j a (s j) = \prod_j a j.
Proof. by rewrite [RHS](reindex_inj (@perm_inj _ s)). Qed.

Lemma mul_tr_perm n (s : 'S_n) : (perm_mx s)^T *m perm_mx s = 1%:M :> 'M[R]_n.
Proof. by rewrite tr_perm_mx -perm_mxM mulVg perm_mx1. Qed.

Lemma perm_mxE n d (s : 'S_n) (X : 'M[R]_(n, d)) i j : (perm_mx s *m X) i j = X (s i) j.
Proof. by rewrite -row_permE mxE. Qed.

Lemma row_perm_mx n d (s : 'S_n) (X : 'M[R]_(n, d)) i : row i (perm_mx s *m X) = row (s i) X.
Proof. by apply/rowP => j; rewrite mxE perm_mxE mxE. Qed.

Lemma conjE n m (s : 'S_n) (t : 'S_m) (S : 'M[R]_(n, m)) i j :
  (perm_mx s *m S *m (perm_mx t)^T) i j = S (s i) (t j).
Proof. by rewrite tr_perm_mx -col_permE mxE perm_mxE. Qed.

Lemma conjP n m (s : 'S_n) (t : 'S_m) (S T : 'M[R]_(n, m)) :
  (forall i j, T i j = S (s i) (t j)) -> T = perm_mx s *m S *m (perm_mx t)^T.
Proof. by move=> eqT; apply/matrixP => i j; rewrite eqT conjE. Qed.

(* Weights that move with rows and columns, times values that move with the columns. *)
Lemma conj_mul n m d (s : 'S_n) (t : 'S_m) (A : 'M[R]_(n, m)) (V : 'M[R]_(m, d)) :
  perm_mx s *m A *m (perm_mx t)^T *m (perm_mx t *m V) = perm_mx s *m (A *m V).
Proof. by rewrite -!mulmxA (mulmxA _^T) mul_tr_perm mul1mx. Qed.

Lemma normalizeE n m (G : 'M[R]_(n, m)) i j : normalize G i j = G i j / \sum_k G i k.
Proof. exact: mxE. Qed.

Lemma normalize_conj n m (s : 'S_n) (t : 'S_m) (G : 'M[R]_(n, m)) :
  normalize (perm_mx s *m G *m (perm_mx t)^T)
  = perm_mx s *m normalize G *m (perm_mx t)^T.
Proof.
apply: conjP => i j; rewrite !normalizeE conjE -[in RHS](sum_perm t).
by under eq_bigr do rewrite conjE.
Qed.

Lemma row_wise_perm n d e (f : 'rV[R]_d -> 'rV[R]_e) (s : 'S_n) (X : 'M[R]_(n, d)) :
  row_wise f (perm_mx s *m X) = perm_mx s *m row_wise f X.
Proof. by apply/row_matrixP => i; rewrite row_perm_mx !rowK row_perm_mx. Qed.

Lemma affine_perm n d e (W : 'M[R]_(d, e)) b (s : 'S_n) (X : 'M[R]_(n, d)) :
  affine W b (perm_mx s *m X) = perm_mx s *m affine W b X.
Proof.
rewrite /affine mulmxDr !mulmxA; congr (_ + _ *m _).
by apply/matrixP => i j; rewrite perm_mxE !mxE.
Qed.

(* Without a bias. *)
Lemma affine0 n d e (W : 'M[R]_(d, e)) (X : 'M[R]_(n, d)) : affine W 0 X = X *m W.
Proof. by rewrite /affine mulmx0 addr0. Qed.

Lemma key_mask_conj n m (s : 'S_n) (t : 'S_m) (g : 'cV[R]_m) :
  key_mask n (perm_mx t *m g) = perm_mx s *m key_mask n g *m (perm_mx t)^T.
Proof. by apply: conjP => i j; rewrite mxE perm_mxE mxE. Qed.

Lemma rows_perm n d (s : 'S_n) (X : 'M[R]_(n, d)) : perm_eq (rows (perm_mx s *m X)) (rows X).
Proof.
rewrite /rows; under eq_map do rewrite row_perm_mx.
rewrite (map_comp (fun i => row i X) s); apply: perm_map.
apply: uniq_perm; rewrite ?(map_inj_uniq (@perm_inj _ s)) ?enum_uniq // => i.
by rewrite mem_enum -[i](permKV s) map_f ?mem_enum.
Qed.

(* Two matrices with the same rows in some order differ by a permutation. *)
Lemma perm_eq_rows n d (X Y : 'M[R]_(n, d)) :
  perm_eq (rows X) (rows Y) -> exists s, X = perm_mx s *m Y.
Proof.
have size_rows (Z : 'M[R]_(n, d)) : size (rows Z) == n by rewrite size_map size_enum_ord.
move=> eqXY; have /tuple_permP[s eqs] : perm_eq (Tuple (size_rows X)) (Tuple (size_rows Y)) by [].
exists s; apply/row_matrixP => i; rewrite row_perm_mx.
have := congr1 (fun r => nth 0 r i) eqs; rewrite /= /rows.
rewrite (nth_map i) ?size_enum_ord // nth_ord_enum => ->.
rewrite (nth_map i) ?size_enum_ord // nth_ord_enum (tnth_nth 0) /= /rows.
by rewrite (nth_map i) ?size_enum_ord // nth_ord_enum.
Qed.

End Reindexing.

(* Attention moves with its tokens *)

Section Attention.
Variables (R : realFieldType) (w : R -> R) (scale : R).
Local Notation softmax := (softmax w).
Local Notation scores := (scores scale).
Local Notation attend := (attend w scale).
Local Notation masked_attend := (masked_attend w scale).

Lemma scores_conj n m d (s : 'S_n) (t : 'S_m) (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) :
  scores (perm_mx s *m Q) (perm_mx t *m K) = perm_mx s *m scores Q K *m (perm_mx t)^T.
Proof. by rewrite /scores trmx_mul -scalemxAr -scalemxAl !mulmxA. Qed.

Lemma masked_softmax_conj n m (s : 'S_n) (t : 'S_m) (G S : 'M[R]_(n, m)) :
  masked_softmax w (perm_mx s *m G *m (perm_mx t)^T) (perm_mx s *m S *m (perm_mx t)^T)
  = perm_mx s *m masked_softmax w G S *m (perm_mx t)^T.
Proof.
rewrite /masked_softmax -normalize_conj; congr normalize.
by apply: conjP => i j; rewrite mxE !conjE [in RHS]mxE.
Qed.

Lemma softmax_conj n m (s : 'S_n) (t : 'S_m) (S : 'M[R]_(n, m)) :
  softmax (perm_mx s *m S *m (perm_mx t)^T) = perm_mx s *m softmax S *m (perm_mx t)^T.
Proof.
rewrite /softmax -normalize_conj; congr normalize.
by apply: conjP => i j; rewrite mxE !conjE [in RHS]mxE.
Qed.

Lemma masked_softmax_const n m (S : 'M[R]_(n, m)) : masked_softmax w (const_mx 1) S = softmax S.
Proof.
by rewrite /masked_softmax /softmax; congr normalize; apply/matrixP => i j; rewrite !mxE mul1r.
Qed.

Lemma conj_const n m (s : 'S_n) (t : 'S_m) (c : R) :
  perm_mx s *m const_mx c *m (perm_mx t)^T = const_mx c :> 'M_(n, m).
Proof. by apply/esym/conjP => i j; rewrite !mxE. Qed.

Lemma masked_attend_perm n m d e (s : 'S_n) (t : 'S_m) (G : 'M[R]_(n, m))
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) (V : 'M[R]_(m, e)) :
  masked_attend (perm_mx s *m G *m (perm_mx t)^T)
    (perm_mx s *m Q) (perm_mx t *m K) (perm_mx t *m V)
  = perm_mx s *m masked_attend G Q K V.
Proof. by rewrite /masked_attend scores_conj masked_softmax_conj conj_mul. Qed.

Lemma attend_perm n m d e (s : 'S_n) (t : 'S_m)
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) (V : 'M[R]_(m, e)) :
  attend (perm_mx s *m Q) (perm_mx t *m K) (perm_mx t *m V) = perm_mx s *m attend Q K V.
Proof. by rewrite /attend scores_conj softmax_conj conj_mul. Qed.

Lemma added_self_attention_perm n d k e (s : 'S_n) (B : 'M[R]_n)
    (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (X : 'M[R]_(n, d)) :
  added_self_attention w scale (perm_mx s *m B *m (perm_mx s)^T) WQ WK WV (perm_mx s *m X)
  = perm_mx s *m added_self_attention w scale B WQ WK WV X.
Proof.
rewrite /added_self_attention -!(mulmxA (perm_mx s) X) scores_conj -mulmxDl -mulmxDr.
by rewrite softmax_conj conj_mul.
Qed.

Lemma masked_self_attention_perm n d k e (s : 'S_n) (G : 'M[R]_n)
    (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (X : 'M[R]_(n, d)) :
  masked_self_attention w scale (perm_mx s *m G *m (perm_mx s)^T) WQ WK WV (perm_mx s *m X)
  = perm_mx s *m masked_self_attention w scale G WQ WK WV X.
Proof. by rewrite /masked_self_attention -!(mulmxA (perm_mx s) X) masked_attend_perm. Qed.

Lemma linear_attention_perm n m d f e (phi : 'rV[R]_d -> 'rV[R]_f) (s : 'S_n) (t : 'S_m)
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) (V : 'M[R]_(m, e)) :
  linear_attention phi (perm_mx s *m Q) (perm_mx t *m K) (perm_mx t *m V)
  = perm_mx s *m linear_attention phi Q K V.
Proof.
have once p (U : 'M[R]_(m, p)) :
    row_wise phi (perm_mx s *m Q) *m ((row_wise phi (perm_mx t *m K))^T *m (perm_mx t *m U))
    = perm_mx s *m (row_wise phi Q *m ((row_wise phi K)^T *m U)).
  by rewrite !row_wise_perm trmx_mul -!mulmxA (mulmxA _^T (perm_mx t)) mul_tr_perm mul1mx.
have ones : perm_mx t *m const_mx 1 = const_mx 1 :> 'cV[R]_m.
  by apply/matrixP => i j; rewrite perm_mxE !mxE.
apply/matrixP => i j; rewrite [LHS]mxE perm_mxE [RHS]mxE; congr (_ / _).
  by have /matrixP/(_ i j) := once e V; rewrite perm_mxE.
by have /matrixP/(_ i 0) := once 1%N (const_mx 1); rewrite ones perm_mxE.
Qed.

Lemma masked_attend_const n m d e (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) (V : 'M[R]_(m, e)) :
  masked_attend (const_mx 1) Q K V = attend Q K V.
Proof. by rewrite /masked_attend masked_softmax_const. Qed.

Lemma kernel_weights_conj n m d e (k : 'rV[R]_d -> 'rV[R]_e -> R) (s : 'S_n) (t : 'S_m)
    (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, e)) :
  kernel_weights k (perm_mx s *m Q) (perm_mx t *m K)
  = perm_mx s *m kernel_weights k Q K *m (perm_mx t)^T.
Proof. by apply: conjP => i j; rewrite !mxE !row_perm_mx. Qed.

(* Row i of the output, as a function of query i and of the multiset of (key, value) pairs. *)
Lemma row_attend n m d e (Q : 'M[R]_(n, d)) (K : 'M[R]_(m, d)) (V : 'M[R]_(m, e)) i :
  row i (attend Q K V)
  = generate w scale (row i Q) [seq (row j K, row j V) | j <- enum 'I_m].
Proof.
have sijE j : scores Q K i j = scores (row i Q) (row j K) 0 0.
  by rewrite !mxE; congr (_ * _); apply: eq_bigr => k _; rewrite !mxE.
have sumE (M : zmodType) (F : 'I_m -> M) : \sum_(j <- enum 'I_m) F j = \sum_j F j.
  by rewrite big_enum.
rewrite /generate !big_map -!enumT !sumE /=; apply/rowP => c.
rewrite [LHS]mxE [LHS]mxE [RHS]mxE summxE mulr_sumr; apply: eq_bigr => j _.
rewrite normalizeE mxE sijE; under eq_bigr do rewrite mxE sijE.
by rewrite [X in _ = _ * X]mxE [row j V _ _]mxE mulrA [X in X * _]mulrC.
Qed.

Lemma generate_perm d e (q : 'rV[R]_d) (c1 c2 : seq ('rV[R]_d * 'rV[R]_e)) :
  perm_eq c1 c2 -> generate w scale q c1 = generate w scale q c2.
Proof. by move=> eqc; rewrite /generate !(perm_big _ eqc). Qed.

Lemma generate_linear_perm d e (q : 'rV[R]_d) (c1 c2 : seq ('rV[R]_d * 'rV[R]_e)) :
  perm_eq c1 c2 -> generate_linear q c1 = generate_linear q c2.
Proof. by move=> eqc; rewrite /generate_linear !(perm_big _ eqc). Qed.

(* A token's output: of the others it depends on which there are, and how many of each. *)
Lemma row_self_attention n d k e (WQ WK : 'M[R]_(d, k)) (WV : 'M[R]_(d, e)) (X Y : 'M[R]_(n, d)) i j :
  row i X = row j Y -> perm_eq (rows X) (rows Y) ->
  row i (self_attention w scale WQ WK WV X) = row j (self_attention w scale WQ WK WV Y).
Proof.
move=> eqij eqXY; rewrite !row_attend !row_mul eqij; apply: generate_perm.
have pairs (Z : 'M[R]_(n, d)) : [seq (row h (Z *m WK), row h (Z *m WV)) | h <- enum 'I_n]
    = [seq (x *m WK, x *m WV) | x <- rows Z].
  by rewrite /rows -[RHS]map_comp; apply: eq_map => h /=; rewrite !row_mul.
by rewrite !pairs perm_map.
Qed.

(* Softmax proper: rows of sum 1 and positive entries, for a positive w. *)
Lemma sum_gt0 n (a : 'I_n.+1 -> R) : (forall j, 0 < a j) -> 0 < \sum_j a j.
Proof.
by move=> a_gt0; rewrite big_ord_recl ltr_paddr ?a_gt0 // sumr_ge0 // => j _; rewrite ltW.
Qed.

Hypothesis w_gt0 : forall x, 0 < w x.

Lemma softmax_gt0 n m (S : 'M[R]_(n, m.+1)) i j : 0 < softmax S i j.
Proof. by rewrite !mxE divr_gt0 // sum_gt0 // => k; rewrite mxE. Qed.

Lemma softmax_sum1 n m (S : 'M[R]_(n, m.+1)) i : \sum_j softmax S i j = 1.
Proof.
under eq_bigr do rewrite mxE; rewrite -mulr_suml divff // gt_eqF // sum_gt0 // => k.
by rewrite mxE.
Qed.

End Attention.
