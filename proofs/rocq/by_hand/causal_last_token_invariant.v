(* How the claims of causal_last_token_invariant are proved: tactics below generated propositions. *)

(* claim 1 *)
move=> R root _ w _ n d k s C x g WQ WK WV F F_ext /= _ _ r i.
apply: F_ext => c; congr (_ + _).
pose T u b : R := match u with inl a => C a b | inr a => x a b end.
have moved u b : match u with inl a => C (s a) b | inr a => x a b end
    = T (if u is inl a then inl (s a) else u) b by case: u.
pose E u := w ((\sum_l (\sum_f x i f * WQ f l) * (\sum_f T u f * WK f l)) / root k%:R).
have scoreE u : w ((\sum_l (\sum_f x i f * WQ f l)
      * (\sum_f match u with inl a => C (s a) f | inr a => x a f end * WK f l)) / root k%:R)
    = E (if u is inl a then inl (s a) else u).
  congr (w (_ / _)); apply: eq_bigr => l _; congr (_ * _).
  by apply: eq_bigr => f _; rewrite moved.
rewrite -[RHS](sum_perm_left s); apply: eq_bigr => u _; rewrite scoreE.
congr (_ / _ * _); last by apply: eq_bigr => f _; rewrite moved.
by rewrite -[RHS](sum_perm_left s); apply: eq_bigr => v _; rewrite scoreE.
(* claim 2 *)
move=> R root _ w wP [|[|[|m]]] // _.
have w0 : w 0 != 0 by rewrite gt_eqF ?(exponential_gt0 wP).
have [s [Y [_ /matrix_differ[i [r ne]]]]] :=
  one_layer_moves (root 1%:R)^-1 w0 m (0 : 'M[R]_(1, 1)).
exists s, (fun j c => Y j c), (fun _ _ => 0), (fun _ _ => 0), (fun c f => (c == f)%:R).
move=> /=; exists i, r => eq; apply: ne; move: eq; rewrite perm_mxE.
rewrite /causal_average /causal_self_attention /masked_self_attention.
by congr (_ = _); entries; rewrite ler_nat.
