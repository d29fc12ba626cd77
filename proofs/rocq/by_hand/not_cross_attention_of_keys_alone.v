(* How the claims of not_cross_attention_of_keys_alone follow from the headline: tactics below
   generated propositions. *)

(* claim 1 *)
move=> R root rootP w wP n k [|[|m]] // e _; rewrite inE => /eqP[-> -> ->].
have root_neq0 : (root 1%:R)^-1 != 0 by rewrite invr_eq0 (square_root_neq0 rootP) ?ltr0Sn.
have [Q [WK [WV [Y [s []]]]]] := not_cross_attention_of_keys_alone 0 m 0 0 0
  (exponential_gt0 wP) (exponential_not_constant wP) root_neq0.
rewrite -!(mulmxA (perm_mx s)) => /matrix_differ[i [r ne]] _.
exists s, (fun i c => Q i c), (fun i c => (Y *m WK) i c), (fun i c => (Y *m WV) i c).
by move=> /=; exists i, r => eq; apply: ne; move: eq; congr (_ = _); entries.
(* claim 2 *)
move=> R root rootP w wP n k [|[|m]] // e _; rewrite inE => /eqP[-> -> ->].
have root_neq0 : (root 1%:R)^-1 != 0 by rewrite invr_eq0 (square_root_neq0 rootP) ?ltr0Sn.
have [Q [WK [WV [Y [s []]]]]] := not_cross_attention_of_keys_alone 0 m 0 0 0
  (exponential_gt0 wP) (exponential_not_constant wP) root_neq0.
rewrite -!(mulmxA (perm_mx s)) => _ /matrix_differ[i [r ne]].
exists s, (fun i c => Q i c), (fun i c => (Y *m WK) i c), (fun i c => (Y *m WV) i c).
move=> /=; exists i, r => eq; apply: ne; rewrite !attendE -eq.
by apply: eq_bigr => j _; rewrite perm_mxE.
