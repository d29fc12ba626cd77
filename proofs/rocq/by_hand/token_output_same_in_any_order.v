(* How the claim of token_output_same_in_any_order follows from the headline: tactics below a
   generated proposition. *)

(* claim 1 *)
move=> R root _ w _ n d k e s X WQ WK WV /= i r.
have [/(_ s) /rowP /(_ r) + _] := token_output_same_in_any_order w (root k%:R)^-1
  (\matrix_(a, b) WQ a b) (\matrix_(a, b) WK a b) (\matrix_(a, b) WV a b)
  (\matrix_(a, b) X a b : 'M_(n, d)) i.
by rewrite ![row _ _ _ _]mxE; congr (_ = _); entries.
