(* A common offset of two places is lost in their difference: tactics below generated propositions. *)

(* claim 1 *)
by move=> R n t /= j i; rewrite opprD addrACA subrr addr0.
(* claim 2 *)
move=> R root _ w _ n d k e X WQ WK z t WV t1 t2 t3 softmax t4 t5 i r.
have same a b : t3 a b = t5 a b by rewrite /t3 /t2 opprD addrACA subrr addr0.
by rewrite /softmax /=; apply: mean_same => j //; rewrite !same.
