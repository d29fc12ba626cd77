(* The claim in which a map of the term itself commutes with the permutation: tactics
   below a generated proposition. *)

(* claim 2 *)
move=> R n d s t X same i c; have /eqP := same i.
by rewrite eqr_nat => /eqP/val_inj ->.
