(* One layer of attention brings tokens closer: tactics below generated propositions, by the lemmas of
   Shallow.v about the distances of rows. *)

(* claim 1 *)
move=> R w wP n m m_gt0 S /= i l; rewrite variationE.
exact: (@softmax_tanh R w wP n m S (fun i j => w (S i j) / (\sum_k w (S i k))) _ i l m_gt0
  (fun _ _ => erefl) erefl).
(* claim 2 *)
move=> R root rootP w wP n d k e X WQ WK WV mu omega /= mu_gt0 omega_gt0 scores values i l.
have [le_closer _] := layer_apart wP rootP (ltW mu_gt0) (ltW omega_gt0) scores values
  (maximum_ge (distance root X)) i l.
by rewrite expr2 !mulrA in le_closer.
(* claim 3 *)
move=> R root rootP w wP n d k e X WQ WK WV /= i l.
exact: (frobenius_apart wP rootP WQ WK WV i l (maximum_ge (distance root X))).
(* claim 4 *)
move=> R root rootP w wP n d k e n_gt0 X WQ WK WV mu omega /= mu_gt0 omega_gt0 scores values.
apply/(@maximum_leP R _ _ (Ordinal n_gt0)) => i; apply/(@maximum_leP R _ _ (Ordinal n_gt0)) => l.
have [_ le_all] := layer_apart wP rootP (ltW mu_gt0) (ltW omega_gt0) scores values
  (maximum_ge (distance root X)) i l.
by rewrite !exprS expr0 mulr1 !mulrA in le_all.
