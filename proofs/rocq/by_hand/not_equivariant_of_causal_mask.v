(* How the first claim of not_equivariant_of_causal_mask follows from the headline: tactics below a
   generated proposition. *)

(* claim 1 *)
move=> R root _ w wP [|[|[|m]]] // _.
have w0 : w 0 != 0 by rewrite gt_eqF ?(exponential_gt0 wP).
have [s [Y [_ /matrix_differ[i [r ne]]]]] :=
  one_layer_moves (root 1%:R)^-1 w0 m (0 : 'M[R]_(1, 1)).
exists s, (fun j c => Y j c), (fun _ _ => 0), (fun _ _ => 0), (fun c f => (c == f)%:R).
move=> /=; exists i, r => eq; apply: ne; move: eq; rewrite perm_mxE.
rewrite /causal_average /causal_self_attention /masked_self_attention.
by congr (_ = _); entries; rewrite ler_nat.
