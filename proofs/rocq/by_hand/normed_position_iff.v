(* Both directions behind a layer norm, and what all gains 0 lose: tactics below generated
   propositions. *)

(* claim 1 *)
move=> R root _ w _ n d k e _ _ _ s X E gamma beta eps WQ WK WV t1 _ same _ LayerNorm.
move=> t2 t3 softmax t4 i r.
have norms c j : t2 c j = t4 c (s j).
  have added l : X (s j) l + E (s j) l = X (s j) l + E j l + t1 j c.
    by rewrite -(same j l c) /t1 -addrA [E j l + _]addrC subrK.
  exact/esym/(normed_same root (gamma c) (beta c) eps c added).
rewrite /softmax; apply: (mean_along (@perm_inj _ s)) => j.
  congr (w (_ / _)); apply: eq_bigr => f _.
  by congr (_ * _); apply: eq_bigr => c _; rewrite norms.
by apply: eq_bigr => c _; rewrite norms.
(* claim 2 *)
move=> R root rootP w wP n d k e _ k_gt0 e_gt0 s E gamma beta eps t1 eps_gt0.
move=> [c gamma_c] [i [a [b changed]]].
exact: (normed_table_shown beta rootP wP k_gt0 e_gt0 eps_gt0 gamma_c changed).
(* claim 3 *)
move=> R root _ w _ n d k e s X E gamma beta eps WQ WK WV _ none.
move=> LayerNorm t1 t2 softmax t3 i r.
have norms c j : t1 c j = t3 c (s j) by rewrite /t1 /t3 /LayerNorm none !mul0r.
rewrite /softmax; apply: (mean_along (@perm_inj _ s)) => j.
  congr (w (_ / _)); apply: eq_bigr => f _.
  by congr (_ * _); apply: eq_bigr => c _; rewrite norms.
by apply: eq_bigr => c _; rewrite norms.
