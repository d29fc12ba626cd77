(* Averages bring rows closer: tactics below generated propositions. Each is a lemma of Shallow.v, for
   weights that are divided by their sum. *)

(* claim 1 *)
move=> R root rootP n m e m_gt0 G V sum_gt0 G_ge0 /= i l; rewrite variationE.
have sum1 a : \sum_j G a j / (\sum_k G a k) = 1 by rewrite -mulr_suml divff // gt_eqF.
exact: (@average_distance R root rootP n m e (fun i j => G i j / \sum_k G i k) V i l sum1).
(* claim 2 *)
move=> R root rootP n m e m_gt0 n_gt0 G V sum_gt0 G_ge0 /=.
apply/(@maximum_leP R _ _ (Ordinal n_gt0)) => i; apply/(@maximum_leP R _ _ (Ordinal n_gt0)) => l.
pose A i j := G i j / (\sum_k G i k).
have sum1 a : \sum_j A a j = 1 by rewrite -mulr_suml divff // gt_eqF.
have le_V := @average_distance R root rootP n m e A V i l sum1.
apply: (le_trans le_V); apply: ler_wpmul2r.
  have := maximum_ge (distance root V) (Ordinal m_gt0) (Ordinal m_gt0).
  by apply: le_trans; rewrite distanceE euclid_ge0.
rewrite -variationE.
exact: (maximum_ge (fun i l => 1 / 2%:R * (\sum_k Num.max (A i k - A l k) (- (A i k - A l k))))).
