(* What is added to a whole row is added to its mean: tactics below a generated proposition. *)

(* claim 1 *)
move=> R root _ n d _ X a gamma beta eps _ LayerNorm c i.
exact: (normed_same root (gamma c) (beta c) eps c (fun k => erefl (X i k + a i))).
