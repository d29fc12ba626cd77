(* The closed form for two and three layers, from that for any number of them: tactics below
   generated propositions. *)

(* claim 1 *)
move=> R [|n] m; first by case: m.
move=> r2 w2 r1 w1 m_last /= j; have -> : m = ord_max.
  by apply/val_inj/eqP; rewrite -eqSS -(eqr_nat R) /= -m_last mulrSr.
have [averaging products] := (@averaging_product R n.+1, @causal_weight_products R n).
transitivity (causal_weight [:: (r1, w1); (r2, w2)] n j).
  rewrite -(averaging _ ord_max) /= mulmx1 mxE; apply: eq_bigr => i _.
  by rewrite !mxE.
rewrite products; congr (_ * _); apply: eq_bigr => k _.
by rewrite /layer_product !big_cons big_nil mulr1 mulrA.
(* claim 2 *)
move=> R [|n] m; first by case: m.
move=> r3 w3 r2 w2 r1 w1 m_last /= j; have -> : m = ord_max.
  by apply/val_inj/eqP; rewrite -eqSS -(eqr_nat R) /= -m_last mulrSr.
have [averaging products] := (@averaging_product R n.+1, @causal_weight_products R n).
transitivity (causal_weight [:: (r1, w1); (r2, w2); (r3, w3)] n j).
  rewrite -(averaging _ ord_max) /= mulmx1 mxE; apply: eq_bigr => i _.
  rewrite mxE; congr (_ * _); rewrite mxE; apply: eq_bigr => l _.
  by rewrite !mxE.
rewrite products; congr (_ * _); apply: eq_bigr => k _.
by rewrite /layer_product !big_cons big_nil mulr1 !mulrA.
(* claim 3 *)
move=> R n; rewrite inE => /eqP-> m j r2 w2 r1 w1 r1E r2E w1E w2E jE m_last /=.
have -> : m = ord_max by apply/val_inj/eqP; rewrite -eqSS -(eqr_nat R) /= -m_last mulrSr.
have weight := @averaging_product R 3 [:: (0, 1); (0, 1)] ord_max j.
transitivity (18%:R * causal_weight [:: (0, 1); (0, 1)] 2 j : R).
  rewrite -weight /= mulmx1 mxE; congr (_ * _); apply: eq_bigr => i _.
  by rewrite !mxE r1E r2E w1E w2E.
have -> : nat_of_ord j = 0%N by apply/eqP; rewrite -(eqr_nat R) jE.
have [_ [+ [_ _]]] := causal_weights_at_every_depth (w := fun=> 1) 1 (0 : 'M_(1, 1)) [::] (oner_neq0 R).
by move=> ->; rewrite mulrC mulfVK ?pnatr_eq0.
(* claim 4 *)
move=> R n; rewrite inE => /eqP-> m j r2 w2 r1 w1 r1E r2E w1E w2E jE m_last /=.
have -> : m = ord_max by apply/val_inj/eqP; rewrite -eqSS -(eqr_nat R) /= -m_last mulrSr.
have weight := @averaging_product R 3 [:: (0, 1); (0, 1)] ord_max j.
transitivity (18%:R * causal_weight [:: (0, 1); (0, 1)] 2 j : R).
  rewrite -weight /= mulmx1 mxE; congr (_ * _); apply: eq_bigr => i _.
  by rewrite !mxE r1E r2E w1E w2E.
have -> : nat_of_ord j = 1%N by apply/eqP; rewrite -(eqr_nat R) jE.
have [_ [_ [+ _]]] := causal_weights_at_every_depth (w := fun=> 1) 1 (0 : 'M_(1, 1)) [::] (oner_neq0 R).
by move=> ->; rewrite mulrC mulfVK ?pnatr_eq0.
