(* If relative keys differ by another vector, an output changes: tactics below generated propositions. *)

(* claim 1 *)
move=> R root rootP w wP n d d_gt1 s m A' A changed.
exact: (Refutations.keys_change_one_layer rootP wP d_gt1 changed).
(* claim 2 *)
move=> R root rootP w wP n d d_gt1 s m A' A changed.
exact: (Refutations.keys_change_two_layers rootP wP d_gt1 changed).
