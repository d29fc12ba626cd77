(* Tables that count, with weights 1: tactics below generated propositions. *)

(* claim 1 *)
move=> R root rootP w wP n _ s e _ moved; exists (fun _ _ => 1), (fun _ _ => 1), (fun _ _ => 1).
have one (f l : 'I_1) : 1 = 1 :> R by [].
exact: (table_of_one_feature (uQ := fun _ _ => 1) rootP wP one one one moved).
(* claim 2 *)
move=> R root rootP w wP n _ s e _ moved; exists (fun _ _ => 1), (fun _ _ => 1), (fun _ _ => 1).
have one (f l : 'I_1) : 1 = 1 :> R by [].
exact: (table_of_one_feature (uQ := fun _ _ => 1) rootP wP one one one moved).
