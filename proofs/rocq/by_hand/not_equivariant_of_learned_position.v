(* A table whose first two rows differ: tactics below generated propositions. *)

(* claim 1 *)
move=> R root rootP w wP n d listed.
have {listed} [m -> [k ->]] : exists2 m, n = m.+2 & exists k, d = k.+1.
  by move: listed; rewrite !inE; do !case/orP; move=> /eqP[-> ->]; do 2!eexists.
have root_neq0 : (root k.+1%:R)^-1 != 0 by rewrite invr_eq0 (square_root_neq0 rootP) ?ltr0Sn.
pose E : 'M[R]_(m.+2, k.+1) := delta_mx ord0 ord0; pose s := tperm (ord0 : 'I_m.+2) (lift ord0 ord0).
have moved : perm_mx s *m E <> E.
  by move=> /matrixP /(_ ord0 ord0) /eqP; rewrite perm_mxE tpermL !mxE /= eq_sym oner_eq0.
have [WQ [WK [WV [X /matrix_differ[i [r ne]]]]]] := table_seen (exponential_gt0 wP)
  (exponential_up wP) (exponential_down wP) k k root_neq0 moved.
exists s, (fun i c => X i c), (fun i c => E i c), (fun c f => WQ c f), (fun c f => WK c f).
exists (fun c f => WV c f) => t1 t2 softmax t3; exists i, r; rewrite perm_mxE in ne.
by apply: (differ ne); apply: self_attentionE => a f; rewrite mxE ?perm_mxE.
(* claim 2 *)
move=> R root rootP w wP [|[|m]] // d _; rewrite inE => /eqP->.
have root_neq0 : (root 1%:R)^-1 != 0 by rewrite invr_eq0 (square_root_neq0 rootP) ?ltr0Sn.
pose E : 'M[R]_(m.+2, 1) := delta_mx ord0 ord0; pose s := tperm (ord0 : 'I_m.+2) (lift ord0 ord0).
have moved : perm_mx s *m E <> E.
  by move=> /matrixP /(_ ord0 ord0) /eqP; rewrite perm_mxE tpermL !mxE /= eq_sym oner_eq0.
have [WQ [WK [WV [X /matrix_differ[i [r ne]]]]]] := table_seen (exponential_gt0 wP)
  (exponential_up wP) (exponential_down wP) 0 0 root_neq0 moved.
exists s, (fun i c => X i c), (fun i c => E i c), (fun c f => WQ c f), (fun c f => WK c f).
exists (fun c f => WV c f) => t1 t2 softmax t3; exists i, r; rewrite perm_mxE in ne.
by apply: (differ ne); apply: self_attentionE => a f; rewrite mxE ?perm_mxE.
