(* How the claims of sum_act follow from the headline: tactics below generated propositions. *)

(* claim 1 *)
by move=> R n s a; have [] := sum_act s a.
(* claim 2 *)
move=> R [|n] // _ s a; rewrite !maximumE.
by have [_ [_ [_ /(_ _ s a)[]]]] := sum_act s a.
(* claim 3 *)
move=> R [|n] // _ s a; rewrite !minimumE.
by have [_ [_ [_ /(_ _ s a)[]]]] := sum_act s a.
(* claim 4 *)
by move=> R n s a; have [_ []] := sum_act s a.
