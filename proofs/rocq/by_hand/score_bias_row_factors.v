(* The normal form of the normalised rows of a mask is kept where these are: tactics below a
   generated proposition. *)

(* claim 2 *)
move=> R n s G /= _ kept _ i j; rewrite kept.
rewrite -(maximum_perm s (fun r => G (s i) r / _)); congr (_ / _).
by apply: eq_maximum => k; exact: kept.
