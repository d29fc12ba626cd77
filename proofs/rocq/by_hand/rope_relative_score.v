(* Turned pairs, for each pair of features: tactics below generated propositions. *)

(* claim 1 *)
move=> R c s turns h p theta x y q u v /=; apply: eq_bigr => k _.
by rewrite (turned_score turns) mulrBl.
(* claim 2 *)
move=> R c s turns h p t theta x y q u v /=; apply: eq_bigr => k _.
rewrite !(turned_score turns); congr (_ * (c _ * _ - s _ * _) + _ * (s _ * _ + c _ * _));
  by rewrite !mulrDl opprD addrACA subrr addr0.
(* claim 3 *)
move=> R c s turns h t theta x y /=; apply: eq_bigr => k _.
exact: (turned_length turns).
