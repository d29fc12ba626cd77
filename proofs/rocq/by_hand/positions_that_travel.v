(* What is read by ids moves with the ids: tactics below generated propositions. *)

(* claim 1 *)
move=> R root _ w _ m n d p s TG X TE WQ WK TB WV _ t1 t2 t3 t4 t5 i v.
exact: (mean_along (@perm_inj _ s)).
(* claim 2 *)
move=> R root _ w _ n d m s p X WQ WK TA WV t1 softmax i v; rewrite /softmax /=.
exact: (mean_along (@perm_inj _ s)).
(* claim 3 *)
move=> R root _ w _ n d m s p X WQ TR WK WV t1 softmax i v; rewrite /softmax /=.
exact: (mean_along (@perm_inj _ s)).
