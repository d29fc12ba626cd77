(* If rows that are added differ, an output changes: tactics below generated propositions. *)

(* claim 1 *)
move=> R root rootP w wP n d d_gt0 s m G' E' G E _ _ seen seen' changed _ _.
exact: (Refuted.rows_change_one_layer rootP wP d_gt0 seen seen' changed).
(* claim 2 *)
move=> R root rootP w wP n d d_gt0 s m E' G' E G _ _ seen seen' changed _ _.
exact: (Refuted.rows_change_two_layers rootP wP d_gt0 seen seen' changed).
