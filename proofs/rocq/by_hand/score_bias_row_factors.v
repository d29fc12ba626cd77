(* A factor for each row cancels, and the normal form of the normalised rows of a mask is kept where
   these are: tactics below generated propositions. *)

(* claim 1 *)
move=> R root _ w _ n d k f G X WQ WK f_gt0 _ _ /= i j.
by apply: (weights_scaled (c := f i)) => [|l]; rewrite ?mulrA // gt_eqF.
(* claim 2 *)
move=> R n s G /= _ kept _ i j; rewrite kept.
rewrite -(maximum_perm s (fun r => G (s i) r / _)); congr (_ / _).
by apply: eq_maximum => k; exact: kept.
