(* With a skip the distance of two tokens changes by kappa times itself at most: tactics below
   generated propositions. *)

(* claim 1 *)
move=> R root rootP w wP n d k mu omega X WQ WK WV /= mu_gt0 omega_gt0 scores values i l.
have [le_closer _] := layer_apart wP rootP (ltW mu_gt0) (ltW omega_gt0) scores values
  (maximum_ge (distance root X)) i l.
rewrite expr2 !mulrA in le_closer.
by have [below _] := skip_distance rootP le_closer.
(* claim 2 *)
move=> R root rootP w wP n d k X WQ WK WV mu omega /= mu_gt0 omega_gt0 scores values i l.
have [le_closer _] := layer_apart wP rootP (ltW mu_gt0) (ltW omega_gt0) scores values
  (maximum_ge (distance root X)) i l.
rewrite expr2 !mulrA in le_closer.
by have [_ above] := skip_distance rootP le_closer.
(* claim 3 *)
move=> R root rootP w wP n d k a b X WQ WK WV mu omega /=.
move=> mu_gt0 omega_gt0 apart_ab kappa_lt1 scores values.
have [le_closer _] := layer_apart wP rootP (ltW mu_gt0) (ltW omega_gt0) scores values
  (maximum_ge (distance root X)) a b.
rewrite expr2 !mulrA in le_closer; have [below _] := skip_distance rootP le_closer.
by apply: lt_le_trans below; rewrite mulr_gt0 ?subr_gt0.
