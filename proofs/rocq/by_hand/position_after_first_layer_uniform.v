(* With all scores 0 the rows of the weights are one row: tactics below a generated proposition. *)

(* claim 1 *)
move=> R root rootP w wP n d k e k_gt0 X WQ WK WV WQ0 /= i r l.
have zero a b : (\sum_p (\sum_f X a f * WQ f p) * (\sum_f X b f * WK f p)) / root k%:R = 0.
  rewrite big1 ?mul0r // => p _; rewrite big1 ?mul0r // => f _.
  by rewrite WQ0 mulr0.
apply: eq_bigr => b _; rewrite !zero; congr (_ / _ * _).
by apply: eq_bigr => c _; rewrite !zero.
