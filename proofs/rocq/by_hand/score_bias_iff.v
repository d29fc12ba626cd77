(* Both directions for one head, by what a factor at the weights decides: tactics below generated
   propositions. *)

(* claim 1 *)
move=> R root _ w _ n d k e _ _ s G X WQ WK WV t1 G_gt0 kept G_ge0 t2 t3 t4 i r.
have [c c0 eqG] := kept_factor G_gt0 kept i.
by apply: (mean_moved (@perm_inj _ s) c0) => j //; rewrite /t3 /t4 eqG mulrA.
(* claim 2 *)
move=> R root _ w wP n d k e d_gt0 e_gt0 s G t1 G_gt0 moved G_ge0.
have [i [j ne]] := bias_seen G_gt0 moved.
exact: (head_shows root wP ne k d_gt0 e_gt0).
