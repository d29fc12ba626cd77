(* The claim that a table which is not fixed shows: tactics below a generated proposition. The lemma
   is that of the headline, for weights and tokens that the claim names. *)

(* claim 2 *)
move=> R root rootP w wP n s e uQ uK uV oneK oneQ oneV.
exact: (table_of_one_feature rootP wP oneQ oneK oneV).
