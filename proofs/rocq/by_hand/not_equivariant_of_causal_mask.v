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
(* claim 2 *)
move=> R root _ w wP m; rewrite inE => /eqP-> tau.
pose next : 'I_3 := lift ord0 ord0; pose i : 'I_3 := (tau^-1)%g ord0.
exists (tperm ord0 next), (fun j _ => (j == ord0)%:R), (fun _ _ => 0), (fun _ _ => 0).
exists (fun _ _ => 1) => t1 t2 t3 t4; exists i, ord0; rewrite permKV.
have moved j : t3 j i = t1 j i * w 0 by rewrite /t3 no_scores.
have still j : t4 j ord0 = t1 j ord0 * w 0 by rewrite /t4 no_scores.
have second j : \sum_(f < 1) (tperm ord0 next j == ord0)%:R * 1 = (j == next)%:R :> R.
  by rewrite big_ord1 mulr1 -(inj_eq (@perm_inj _ (tperm ord0 next))) tpermK tpermL.
have first j : \sum_(f < 1) (j == ord0)%:R * 1 = (j == (ord0 : 'I_3))%:R :> R.
  by rewrite big_ord1 mulr1.
rewrite (share_seen wP moved second) (share_seen wP still first).
rewrite /t1 !count_past lexx divr1 ler_nat; apply/eqP.
case: (leqP next i) => [lt_i|_]; last by rewrite mul0r eq_sym oner_eq0.
by rewrite mul1r invr_eq1 pnatr_eq1 eqSS -lt0n.
