(* If weights are in another proportion, an output changes: tactics below generated propositions. The
   theorems of Refutations.v are these propositions with their parts named. *)

(* claim 1 *)
move=> R root _ w wP n d d_gt0 s m G' E' T' A' B' G E T A B new old G_gt0 G'_gt0 changed G_ge0 G'_ge0.
exact: (Refutations.weights_change_one_layer root wP d_gt0 E E' A A' T T' G_ge0 G'_ge0 G_gt0 G'_gt0 changed).
(* claim 2 *)
move=> R root _ w wP n d d_gt0 s m E' G' T' A' B' E G T A B new old G_gt0 G'_gt0 changed G_ge0 G'_ge0.
exact: (Refutations.weights_change_two_layers root wP d_gt0 E E' A A' T T' G_ge0 G'_ge0 G_gt0 G'_gt0 changed).
