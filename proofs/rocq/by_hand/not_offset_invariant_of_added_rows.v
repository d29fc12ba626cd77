(* One token, whose output is its row with what is added to it: tactics below a generated
   proposition. *)

(* claim 1 *)
move=> R root _ w wP n d k e; rewrite inE => /eqP[-> -> -> ->] Et E eqE eqEt.
exists (fun _ _ => 0), (fun _ _ => 0), (fun _ _ => 0), (fun _ _ => 1) => t1 t2 softmax t3.
exists ord0, ord0; rewrite !big_ord1 /softmax !big_ord1 !divff ?gt_eqF ?(exponential_gt0 wP) //.
rewrite !mul1r !mulr1 /t1 /t3 eqE eqEt !add0r; apply/eqP.
by rewrite oner_eq0.
