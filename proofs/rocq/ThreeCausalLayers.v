(* Without a first token unlike the others, three causal layers tell all sequences of one length
   apart at the last token.

   Layer one: a token knows whether all tokens so far are equal to it; let k be how many tokens know
   that they are.  Layer two: the share of these k at the token of number t is k/t, or 1 up to k.
   Layer three: the last token knows k, and of every token its word and k/t, so that it knows t. *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.
From orderproof Require Import Attention Encoder Positions Causal ColourRefinement.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.Theory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Three.
Variables (R : realFieldType) (V : eqType) (n : nat) (x y : n.+1.-tuple V).
Local Notation T := ('I_n.+1 + 'I_n.+1)%type.
Local Notation token := (either x y).
Local Notation masks := ((fun=> causal_mask R n.+1) : 'I_1 -> 'M[R]_n.+1).
Local Notation both := (side_by_side masks masks).
Local Notation same := (same_type token both).

Definition input_of (t : T) : bool := if t is inl _ then true else false.
Definition place (t : T) : 'I_n.+1 := match t with inl i | inr i => i end.
Definition before (t u : T) : bool := (input_of t == input_of u) && (place u <= place t)%N.

(* All tokens so far are equal. *)
Definition equal_so_far (t : T) : bool := [forall u, before t u ==> (token t == token u)].

Lemma beforeE h t u : both h t u = (before t u)%:R.
Proof. by case: t u => i [] j; rewrite /before /= ?mxE. Qed.

Lemma card_before t : #|before t| = (place t).+1.
Proof.
have sumE : \sum_u both 0 t u = (place t).+1%:R.
  by case: t => i; [rewrite sum_inl | rewrite sum_inr] => //; exact: causal_sum.
apply/eqP; rewrite -(eqr_nat R) -sumE -sum1_card natr_sum big_mkcond; apply/eqP.
by apply: eq_bigr => u _; rewrite beforeE -topredE /=; case: (before t u).
Qed.

Lemma shareE h t (c : pred T) :
  share both h t c = #|[pred u | c u && before t u]|%:R / (place t).+1%:R.
Proof.
rewrite /share -card_before -!sum1_card !natr_sum; congr (_ / _).
  rewrite big_mkcond [RHS]big_mkcond; apply: eq_bigr => u _; rewrite beforeE !inE.
  by case: (c u); case: (before t u).
rewrite [RHS]big_mkcond; apply: eq_bigr => u _; rewrite beforeE -topredE /=.
by case: (before t u).
Qed.

Lemma place_neq0 t : (place t).+1%:R != 0 :> R.
Proof. by rewrite pnatr_eq0. Qed.

Lemma before_refl t : before t t.
Proof. by rewrite /before eqxx leqnn. Qed.

(* What the types of one layer decide, the next one counts. *)
Lemma share_of_types l h t u (c : pred T) :
  (forall a b, same l a b -> c a = c b) -> same l.+1 t u -> share both h t c = share both h u c.
Proof.
move=> c_types /same_typeP[_ eq_share].
have shareE' v : share both h v c
    = \sum_w (both h v w / \sum_z both h v z) * (c w)%:R.
  rewrite /share big_mkcond mulr_suml; apply: eq_bigr => w _.
  by case: (c w); rewrite ?mulr1 ?mulr0 ?mul0r.
rewrite !shareE'; apply: (class_sum (G := both) (x := token) (l := l)) => [a b /c_types-> //|k].
by rewrite -!mulr_suml; exact: eq_share.
Qed.

Lemma equal_so_far_share t : equal_so_far t = (share both 0 t (same 0 t) == 1).
Proof.
rewrite shareE -(inj_eq (mulIf (place_neq0 t))) divfK ?place_neq0 // mul1r eqr_nat -card_before.
apply/forallP/eqP => [all_equal|eq_card u].
  apply: eq_card => u; rewrite !inE -[u \in before t]topredE /=.
  by apply: andb_idl => tu; have := all_equal u; rewrite tu.
apply/implyP => tu; have sub : [pred u | same 0 t u && before t u] \subset before t.
  by apply/subsetP => v; rewrite inE => /andP[].
by have /(_ u) := subset_cardP eq_card sub; rewrite inE -[u \in before t]topredE /= tu andbT.
Qed.

Lemma equal_so_far_type t u : same 1 t u -> equal_so_far t = equal_so_far u.
Proof.
move=> /same_typeP[tu eq_share]; rewrite !equal_so_far_share (eq_share 0 t); congr (_ == 1).
by rewrite !shareE; congr (_%:R / _); apply: eq_card => v; rewrite !inE (same_type_class tu).
Qed.

Lemma equal_so_far_before t u : equal_so_far t -> before t u -> equal_so_far u.
Proof.
move=> /forallP all_equal tu; apply/forallP => v; apply/implyP => uv.
have tv : before t v.
  by move: tu uv; rewrite /before => /andP[/eqP-> le_u] /andP[-> le_v]; exact: leq_trans le_v le_u.
by have /implyP/(_ tu)/eqP <- := all_equal u; have /implyP/(_ tv) := all_equal v.
Qed.

Definition run (s : bool) : nat := #|[pred u | equal_so_far u && (input_of u == s)]|.

Lemma count_equal t : equal_so_far t ->
  #|[pred u | equal_so_far u && before t u]| = (place t).+1.
Proof.
move=> et; rewrite -card_before; apply: eq_card => u; rewrite !inE -[u \in before t]topredE /=.
by apply: andb_idl => /(equal_so_far_before et).
Qed.

Lemma count_run t : (~~ equal_so_far t) || (place t == ord_max) ->
  #|[pred u | equal_so_far u && before t u]| = run (input_of t).
Proof.
move=> cond; apply: eq_card => u; rewrite !inE; apply: andb_id2l => eu.
rewrite /before eq_sym; apply: andb_idr => /eqP eq_side.
case/orP: cond => [net|/eqP->]; last by rewrite -ltnS ltn_ord.
rewrite leqNgt; apply: contra net => lt_t; apply: (equal_so_far_before eu).
by rewrite /before eq_side eqxx ltnW.
Qed.

Lemma run_gt0 s : (0 < run s)%N.
Proof.
case: s; apply/card_gt0P; [exists (inl ord0) | exists (inr ord0)]; rewrite inE /= andbT;
  apply/forallP => -[] i; apply/implyP => /andP[//= _]; rewrite leqn0 => /eqP i0;
  by apply/eqP; congr (tnth _ _); apply: ord_inj.
Qed.

Lemma three_layers : same 3 (inl ord_max) (inr ord_max) -> x = y.
Proof.
move=> /same_typeP[last2 last_share].
have last_run : run true = run false.
  have := share_of_types 0 equal_so_far_type last2; rewrite !shareE => /(divIf (place_neq0 _)).
  rewrite (@count_run (inl ord_max)) ?(@count_run (inr ord_max)) ?eqxx ?orbT //.
  by move/eqP; rewrite eqr_nat => /eqP.
(* every token of x has one of y with the same type T_2 *)
have partner i : exists j, same 2 (inl i) (inr j).
  have := last_share 0 (inl i); rewrite !shareE => /(divIf (place_neq0 _))/eqP; rewrite eqr_nat => eq_n.
  have : (0 < #|[pred u | same 2 (inl i) u && before (inr ord_max) u]|)%N.
    rewrite -(eqP eq_n); apply/card_gt0P; exists (inl i); rewrite inE same_type_refl /before /=.
    by rewrite -ltnS ltn_ord.
  by case/card_gt0P => -[j|j]; rewrite inE => /andP[ij]; [rewrite /before | exists j].
apply: eq_from_tnth => i; have [j ij] := partner i.
have [ij1 _] := same_typeP _ _ _ _ _ ij; have eq_pure := equal_so_far_type ij1.
have eq_ij : tnth x i = tnth y j by have := same_type_token ij.
have eq_share := share_of_types 0 equal_so_far_type ij; rewrite !shareE /= in eq_share.
case ei: (equal_so_far (inl i)); last first.
  move: eq_share; rewrite !count_run -?eq_pure ?ei //= last_run => /mulfI.
  rewrite pnatr_eq0 -lt0n run_gt0 => /(_ isT)/invr_inj/eqP; rewrite eqr_nat => /eqP[/ord_inj eq_places].
  by rewrite eq_ij eq_places.
have ej : equal_so_far (inr j) by rewrite -eq_pure.
have ei' : equal_so_far (inr i).
  apply: contraT => nei; have run_x : (i < run true)%N.
    rewrite -[i.+1](count_equal ei); apply: subset_leq_card; apply/subsetP => u.
    by rewrite !inE => /andP[-> /andP[/eqP <-]].
  have run_y : (run false < i.+1)%N.
    rewrite -(@count_run (inr i)) ?nei // -(card_before (inr i)); apply: proper_card.
    apply/properP; split; first by apply/subsetP => u; rewrite inE => /andP[].
    by exists (inr i); rewrite ?inE -?topredE /= ?before_refl // (negPf nei).
  by rewrite -last_run ltnS leqNgt run_x in run_y.
have equal_to k (t := inr k : T) : equal_so_far t -> tnth y k = tnth y ord0.
  by move=> /forallP/(_ (inr ord0))/implyP/(_ isT)/eqP.
by rewrite eq_ij (equal_to j) // (equal_to i).
Qed.

End Three.

(* Where types differ, layers that average tell the tokens apart. *)
Lemma told_apart (R : realFieldType) (w : R -> R) (scale : R) (V : eqType) H n m (x : n.-tuple V)
    (y : m.-tuple V) (G : 'I_H -> 'M[R]_n) (G' : 'I_H -> 'M[R]_m) L i j :
  w 0 != 0 -> ~~ same_type (either x y) (side_by_side G G') L (inl i) (inr j) ->
  exists d (fs : seq ('rV[R]_d -> 'M[R]_(H, d) -> 'rV[R]_d)) (emb : V -> 'rV[R]_d), size fs = L
    /\ row i (apply_layers [seq averaging_layer w scale f | f <- fs] G (embed emb x))
       <> row j (apply_layers [seq averaging_layer w scale f | f <- fs] G' (embed emb y)).
Proof.
move=> w0 /negP differ; exists _, [seq @refine R V H n m x y G G' l | l <- iota 0 L].
exists (first_code R x y); rewrite size_map size_iota -map_comp; split=> //.
have [eqX eqY] := @stack_refining R V H n m x y G G' w scale w0 L.
by move: eqX eqY; rewrite /refining => -> ->; rewrite !rowK => /code_eq.
Qed.
