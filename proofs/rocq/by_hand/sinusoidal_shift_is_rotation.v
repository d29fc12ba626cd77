(* The addition theorems, at the angles of the table: tactics below generated propositions. *)

(* claim 1 *)
move=> R s c turns h p t theta /= k.
by rewrite mulrDl addrC (sin_add turns).
(* claim 2 *)
move=> R c s turns h p t theta /= k.
by rewrite mulrDl addrC (cos_add turns).
(* claim 3 *)
move=> R c s turns h t theta x y /=; apply: eq_bigr => k _.
exact: (turned_length turns).
(* claim 4 *)
move=> R s c turns h p theta q /=; apply: eq_bigr => k _.
by rewrite mulrBl (cos_sub turns) addrC.
