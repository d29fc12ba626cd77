(* The tokens (1, 0) and (0, 1) and weights 1, keys turned by the rotation (3/5, 4/5): tactics below
   a generated proposition. *)

(* claim 1 *)
move=> R root rootP w wP n d; rewrite inE => /eqP[-> ->] T eqT.
have z0 : root 2%:R != 0 by rewrite (square_root_neq0 rootP) ?ltr0Sn.
apply: (turned_pair_seen (exponential_gt0 wP) _ z0); rewrite ?eqT //=.
- case: wP => _ _ w_up _ x y eq_w; apply/eqP; case: (ltrgtP x y) => // /w_up;
    by rewrite eq_w ltxx.
- by rewrite !subrr.
rewrite ?mulr0n ?mulr1n !mul0r !add0r ?subr0 ?sub0r ?mulrNN ?mulr1 ?mul1r ?mulrN1 ?mulrN ?mulr1.
by apply/eqP; rewrite -addr_eq0 -mulr2n mulrn_eq0 /= mulf_eq0 invr_eq0 !pnatr_eq0.
