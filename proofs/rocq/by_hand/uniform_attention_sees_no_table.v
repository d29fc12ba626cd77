(* Means of the tokens and means of the table: tactics below a generated proposition. *)

(* claim 1 *)
move=> R n d e s X E WV /= r.
have apart (Y : 'I_n -> 'I_d -> R) : \sum_i (1 / n%:R * \sum_j ((Y i j + E i j) * WV j r))
    = \sum_i (1 / n%:R * \sum_j (Y i j * WV j r)) + \sum_i (1 / n%:R * \sum_j (E i j * WV j r)).
  rewrite -big_split /=; apply: eq_bigr => i _; rewrite -mulrDr -big_split /=; congr (_ * _).
  by apply: eq_bigr => j _; rewrite mulrDl.
rewrite (apart (fun i j => X (s i) j)) apart; congr (_ + _).
exact: (sum_perm s (fun i => 1 / n%:R * \sum_j (X i j * WV j r))).
