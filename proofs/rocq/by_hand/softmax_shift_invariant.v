(* The largest score is a factor common to the weights of a row: tactics below a generated
   proposition. *)

(* claim 1 *)
move=> R w wP n m _ S /= j i; have [w_gt0 wD _ _] := wP.
apply: (weights_scaled (c := w (- maximum (fun k => S i k)))) => [|k]; first by rewrite gt_eqF.
by rewrite wD mulrC.
