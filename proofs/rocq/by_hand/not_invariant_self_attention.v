(* How the claim of not_invariant_self_attention follows from the headline: tactics below a generated
   proposition. *)

(* claim 1 *)
move=> R root rootP w wP [|[|n]] // d k e _; rewrite inE => /eqP[-> -> ->].
have root_neq0 : (root 1%:R)^-1 != 0 by rewrite invr_eq0 (square_root_neq0 rootP) ?ltr0Sn.
have [WQ [WK [WV [X [s differ]]]]] := not_invariant_self_attention n 0 0 0
  (exponential_gt0 wP) (exponential_not_constant wP) root_neq0.
have [i [r ne]] := matrix_differ differ.
exists s, (fun i c => X i c), (fun i c => WQ i c), (fun i c => WK i c), (fun i c => WV i c).
by move=> /=; exists i, r => eq; apply: ne; move: eq; congr (_ = _); entries.
