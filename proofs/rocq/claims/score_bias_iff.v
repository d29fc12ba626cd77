(* The normal form of a mask is kept where its normalised rows are: tactics below a generated
   proposition. *)

(* claim 5 *)
move=> R n s G /= sums kept _ i j.
have normed k l : G (s k) (s l) / (\sum_r G (s k) r) = G k l / (\sum_r G k r).
  have := kept l k; rewrite (bigD1 (s l)) //= eqxx mul1r [X in _ + X]big1 ?addr0 => [->|r /negPf ne].
    rewrite (bigD1 l) //= eqxx mul1r [X in _ + X]big1 ?addr0 // => r /negPf ne.
    by rewrite (inj_eq perm_inj) eq_sym ne mul0r.
  by rewrite eq_sym ne mul0r.
rewrite normed -(maximum_perm s (fun r => G (s i) r / _)); congr (_ / _).
exact: eq_maximum.
