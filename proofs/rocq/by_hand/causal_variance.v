(* The variance after one uniform causal layer and after two: tactics below generated propositions. *)

(* claim 1 *)
move=> R n C v eqC /= i; rewrite (uncorrelated _ eqC) -mulrSr -(mean_squares R i); congr (_ * _).
by apply: eq_bigr => j _; rewrite (count_past R i).
(* claim 2 *)
move=> R n C v eqC /= i; rewrite (uncorrelated _ eqC) -mulrSr -!mulrA -invfM -expr2; congr (_ * _).
transitivity ((2%:R * i.+1%:R - \sum_(k < i.+1) k.+1%:R^-1) / i.+1%:R ^+ 2 : R).
  rewrite -two_mean_squares; apply: eq_bigr => j _; congr (_ ^+ 2).
  by apply: eq_bigr => k _; rewrite !count_past.
congr ((_ - _) / _); rewrite -(sum_past i (fun k => k.+1%:R^-1)).
by apply: eq_bigr => k _; rewrite -mulrSr.
