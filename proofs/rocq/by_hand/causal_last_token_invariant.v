(* How the claim of causal_last_token_invariant is proved: tactics below a generated
   proposition. *)

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
