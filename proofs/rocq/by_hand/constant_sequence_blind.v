(* Weights that sum to 1 leave a constant value as it is; sums of the past do not: tactics below
   generated propositions. *)

(* claim 1 *)
move=> R w wP n [|m] e // _ S v /= i r; apply: mean_of_constant.
exact: (sum_w_neq0 (exponential_gt0 wP)).
(* claim 2 *)
move=> R w _ n m e _ G S v total /= i r; apply: mean_of_constant.
by apply/eqP; exact: total.
(* claim 3 *)
move=> R t _ a b; rewrite ltr_nat => lt_ab /=.
rewrite -!mulr_suml !count_past !mulr1; apply/eqP.
by rewrite eqr_nat eqSS neq_ltn lt_ab.
(* claim 4 *)
move=> R t _ a b; rewrite ltr_nat => lt_ab /=.
rewrite -!mulr_suml !count_past !mulr1 -!mulrS; apply/eqP.
rewrite eqr_div ?pnatr_eq0 // -!natrM eqr_nat (mulnS a.+1 b.+1) (mulnS b.+1 a.+1).
by rewrite (mulnC b.+1) eqn_add2r eqSS neq_ltn lt_ab.
