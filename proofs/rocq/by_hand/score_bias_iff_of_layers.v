(* Both directions for two layers with skips, the same factor in both: tactics below generated
   propositions. *)

(* claim 1 *)
move=> R root _ w _ n d k _ s X G Q1 K1 V1 Q2 K2 V2 t1 G_gt0 kept G_ge0.
move=> t2 t3 t4 t5 t6 t7 t8 i c.
have first a f : t4 a f = t7 (s a) f.
  rewrite /t4 /t7; congr (_ + _); have [b b0 eqG] := kept_factor G_gt0 kept a.
  by apply: (mean_moved (@perm_inj _ s) b0) => j //; rewrite /t3 /t6 eqG mulrA.
rewrite first; congr (_ + _); have [b b0 eqG] := kept_factor G_gt0 kept i.
apply: (mean_moved (@perm_inj _ s) b0) => j; last by apply: eq_bigr => l _; rewrite first.
rewrite /t5 /t8 eqG mulrA; congr (_ * w (_ / _)); apply: eq_bigr => f _.
by congr (_ * _); apply: eq_bigr => l _; rewrite first.
(* claim 2 *)
move=> R root _ w wP n d k d_gt0 s G t1 G_gt0 moved G_ge0.
have [i [j ne]] := bias_seen G_gt0 moved.
exact: (layers_show root wP ne k d_gt0).
