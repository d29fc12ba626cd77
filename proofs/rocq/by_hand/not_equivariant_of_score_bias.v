(* Biases by distance, windows and causal masks, where the permutation does not keep them: tactics
   below generated propositions. *)

(* claim 1 *)
move=> R root _ w wP exp2 exp2P n d k e listed s G t1 t2 eqG moved.
have [d_gt0 e_gt0] : (0 < d)%N /\ (0 < e)%N by move: listed; rewrite !inE => /orP[]/eqP[_ -> _ ->].
have G_gt0 i j : 0 < G i j by rewrite eqG (exponential_gt0 exp2P).
have total i : 0 < \sum_j G i j.
  by rewrite (bigD1 i) //= ltr_paddr ?sumr_ge0 // => j _; rewrite ltW.
have [i [j ne]] := bias_seen total moved.
exact: (head_shows root wP ne k d_gt0 e_gt0).
(* claim 2 *)
move=> R root _ w wP n d k e listed s G t1 t2 eqG moved.
have [d_gt0 e_gt0] : (0 < d)%N /\ (0 < e)%N by move: listed; rewrite !inE => /orP[]/eqP[_ -> _ ->].
have G_ge0 i j : 0 <= G i j by rewrite eqG ler0n.
have total i : 0 < \sum_j G i j.
  rewrite (bigD1 i) //= ltr_paddr ?sumr_ge0 // eqG /t1 subrr oppr0.
  by rewrite le_maxl ler01 ltr01.
have [i [j ne]] := bias_seen total moved.
exact: (head_shows root wP ne k d_gt0 e_gt0).
(* claim 3 *)
move=> R root _ w wP n d k e listed s G t1 eqG moved.
have [d_gt0 e_gt0] : (0 < d)%N /\ (0 < e)%N by move: listed; rewrite !inE => /orP[]/eqP[_ -> _ ->].
have G_ge0 i j : 0 <= G i j by rewrite eqG ler0n.
have total i : 0 < \sum_j G i j.
  by rewrite (bigD1 i) //= ltr_paddr ?sumr_ge0 // eqG lexx ltr01.
have [i [j ne]] := bias_seen total moved.
exact: (head_shows root wP ne k d_gt0 e_gt0).
