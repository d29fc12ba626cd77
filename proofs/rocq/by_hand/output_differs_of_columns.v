(* Two layers of means tell tokens apart that not the same tokens see: tactics below a generated
   proposition. *)

(* claim 1 *)
move=> R root _ w wP n d d_gt0 s m q G T _ once seen' seen G_ge0 fewer.
exact: (Refuted.columns_change_two_layers root wP d_gt0 T G_ge0 seen seen' fewer once).
