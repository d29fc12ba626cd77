(* How the claims of perm_transpose_mul follow from the headline: tactics below generated
   propositions. *)

(* claim 1 *)
move=> R n s j k; have [/matrixP /(_ j k) + [entry _]] := perm_transpose_mul R s s.
rewrite !mxE => <-; apply: eq_bigr => i _.
by rewrite [_^T _ _]mxE !entry.
(* claim 2 *)
move=> R n d s X i c; have [_ [entry [_ rows]]] := perm_transpose_mul R s s.
have := rows d (\matrix_(j, f) X j f) i c; rewrite [in RHS]mxE => <-.
by rewrite mxE; apply: eq_bigr => j _; rewrite entry mxE.
(* claim 3 *)
move=> R n d s t X i c; have [_ [entry_s [both _]]] := perm_transpose_mul R s t.
have [_ [entry_t _]] := perm_transpose_mul R t s.
have := both d (\matrix_(j, f) X j f) i c; rewrite [in RHS]mxE => <-.
rewrite -mulmxA mxE; apply: eq_bigr => j _; rewrite entry_s; congr (_ * _).
by rewrite mxE; apply: eq_bigr => l _; rewrite entry_t mxE.
