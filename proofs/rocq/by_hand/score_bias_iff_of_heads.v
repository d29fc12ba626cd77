(* Both directions for several heads, each with its own factor: tactics below generated
   propositions. *)

(* claim 1 *)
move=> R root _ w _ h n d k e _ _ s G X WQ WK WV WO t1 G_gt0 kept G_ge0 t2 t3 t4 i c.
apply: eq_bigr => a _; apply: eq_bigr => r _; congr (_ * _).
have [b b0 eqG] := kept_factor (G_gt0 a) (kept a) i.
by apply: (mean_moved (@perm_inj _ s) b0) => j //; rewrite /t3 /t4 eqG mulrA.
(* claim 2 *)
move=> R root _ w wP h n d k e d_gt0 e_gt0 s G t1 G_gt0 [a moved] G_ge0.
have [i [j ne]] := bias_seen (G_gt0 a) moved.
exact: (heads_show root wP k ne d_gt0 e_gt0).
