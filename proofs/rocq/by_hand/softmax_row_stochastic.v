(* How the claims of softmax_row_stochastic follow from the headline: tactics below generated
   propositions. *)

(* claim 1 *)
move=> R w wP n m m_gt0 S /= i.
have [_ /(_ (exponential_gt0 wP) m_gt0)[_]] :=
  softmax_conjugate w 1%g 1%g (\matrix_(i, j) S i j : 'M_(n, m)).
by move=> /(_ i) <-; entries.
(* claim 2 *)
move=> R w wP n m m_gt0 S /= j i.
have [_ /(_ (exponential_gt0 wP) m_gt0)[/(_ i j) + _]] :=
  softmax_conjugate w 1%g 1%g (\matrix_(i, j) S i j : 'M_(n, m)).
by congr (_ < _); entries.
