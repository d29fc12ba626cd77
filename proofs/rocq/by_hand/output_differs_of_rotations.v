(* If the matrix between a query and a key is another, an output changes: tactics below generated
   propositions. *)

(* claim 1 *)
move=> R root rootP w wP n d d_gt1 s m l q G' T' G T _ _ seen_l seen_q same ne changed _ G'_ge0.
exact: (Refutations.rotations_change_one_layer rootP wP d_gt1 G'_ge0 same seen_q seen_l ne changed).
(* claim 2 *)
move=> R root rootP w wP n d d_gt1 s m l q G' T' G T _ _ seen_l seen_q same ne changed _ G'_ge0.
exact: (Refutations.rotations_change_two_layers rootP wP d_gt1 G'_ge0 same seen_q seen_l ne changed).
