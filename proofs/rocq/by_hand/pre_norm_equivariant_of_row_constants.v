(* What a table adds to whole rows is lost in the norm: tactics below a generated proposition. *)

(* claim 1 *)
move=> R root _ w _ n d k e _ s X E gamma beta eps WQ WK WV a moved LayerNorm t1 t2 softmax t3 i r.
have normed c j : t3 c (s j) = t1 c j.
  have added l : X (s j) l + E (s j) l = X (s j) l + E j l + a j by rewrite moved addrA.
  exact: (normed_same root (gamma c) (beta c) eps c added).
rewrite /softmax; apply: (mean_along (@perm_inj _ s)) => j.
  congr (w (_ / _)); apply: eq_bigr => f _.
  by congr (_ * _); apply: eq_bigr => c _; rewrite normed.
by apply: eq_bigr => c _; rewrite normed.
