(* Rows behind a first token unlike the others: tactics below generated propositions. *)

(* claim 1 *)
move=> R root _ w wP n d e f _ b x WQ WK WV /= i r; have [_ wD _ _] := wP.
exact: (marked_row (root e%:R) (exponential_gt0 wP) wD b x WQ WK WV i r).
(* claim 2 *)
move=> R root _ w wP n d e f _ s t b x WQ WK WV lt_st [r differ]; exists r; have [_ wD _ _] := wP.
have ne_st : s != t by move: lt_st; apply: contraTneq => ->; rewrite ltxx.
have rows := @marked_rows_differ R w (root e%:R) n d e f (exponential_gt0 wP) wD
  b x WQ WK WV s t r ne_st differ.
by move=> /= same; apply: rows; exact: same.
(* claim 3 *)
move=> R root _ w wP n d e f _ s t b x WQ WK WV _ same /= r; have [_ wD _ _] := wP.
exact: (marked_rows_equal (root e%:R) (exponential_gt0 wP) wD WQ WK s t (same r)).
