(* How the claims of two_causal_layers_see_order follow from the headline: tactics below generated
   propositions. *)

(* claim 1 *)
move=> R root _ w wP n d k listed.
have {listed} [m -> [-> ->]] : exists2 m, n = m.+2 & d = 1%N /\ k = 1%N.
  by move: listed; rewrite !inE; do !case/orP; move=> /eqP[-> -> ->]; eexists.
have w0 : w 0 != 0 by rewrite gt_eqF ?(exponential_gt0 wP).
pose num (u : 'I_m.+2 + 'I_1) : nat :=
  match u with inl a => nat_of_ord a | inr b => (m.+2 + nat_of_ord b)%N end.
have numE u : num u = last_too u :> nat by case: u => [a|b] //=; rewrite (ord1 b) addn0.
pose score (T : 'I_m.+2 + 'I_1 -> 'I_1 -> R) u v :=
  w ((\sum_(l < 1) (\sum_(f < 1) T u f * 0) * (\sum_(f < 1) T v f * 0)) / root 1%:R).
pose average T u r := \sum_v (((num v)%:R <= (num u)%:R :> R)%R%:R * score T u v
  / (\sum_t ((num t)%:R <= (num u)%:R :> R)%R%:R * score T u t))
  * (\sum_(f < 1) T v f * (f == r)%:R).
pose layer Y := causal_average w 1 (0 : 'M_(1, 1)) (Y : 'M[R]_(m.+3, 1)).
have averageE T (Y : 'M[R]_(m.+3, 1)) : (forall u f, T u f = Y (last_too u) f) ->
    forall u f, average T u f = layer Y (last_too u) f.
  move=> eqT u f; have score0 v : score T u v = w 0.
    by rewrite /score !big_ord1 !mulr0 mul0r.
  have maskE v : ((num v)%:R <= (num u)%:R :> R)%R%:R = causal_mask R _ (last_too u) (last_too v).
    by rewrite mxE ler_nat !numE.
  have total : \sum_t ((num t)%:R <= (num u)%:R :> R)%R%:R * score T u t
      = (last_too u).+1%:R * w 0.
    rewrite -(causal_sum R) mulr_suml -[RHS]sum_last_too.
    by apply: eq_bigr => v _; rewrite score0 maskE.
  rewrite /layer causal_averageE // mulr_suml -[RHS]sum_last_too; apply: eq_bigr => v _.
  by rewrite total score0 maskE big_ord1 (ord1 f) eqxx mulr1 eqT -mulf_div divff ?mulr1 // mulrAC.
pose first := ord0 : 'I_m.+2; pose next := lift ord0 ord0 : 'I_m.+2.
pose unit_at (p : 'I_m.+3) : 'M[R]_(m.+3, 1) := \matrix_(v, f) (v == p)%:R.
exists (tperm first next), (fun a _ => (a == first)%:R), (fun _ _ => 0), (fun _ _ => 0),
  (fun _ _ => 0), (fun f r => (f == r)%:R).
exists ord0, ord0 => eq_last.
have moved u f : match u with inl a => (tperm first next a == first)%:R | inr _ => 0 end
    = unit_at (lift ord0 ord0) (last_too u) f.
  case: u => [a|b]; rewrite mxE //=.
  by rewrite -(inj_eq (@perm_inj _ (tperm first next))) tpermK tpermL.
have still u f : match u with inl a => (a == first)%:R | inr _ => 0 end
    = unit_at ord0 (last_too u) f by case: u => [a|b]; rewrite mxE.
have := etrans (esym (averageE _ _ (averageE _ _ moved) (inr ord0) ord0))
  (etrans eq_last (averageE _ _ (averageE _ _ still) (inr ord0) ord0)).
have pick p : layer (layer (unit_at p)) (last_too (inr ord0 : 'I_m.+2 + 'I_1)) ord0
    = two_layer_weight R _ p.
  have [+ _] := two_causal_layers_see_order 1 (0 : 'M_(1, 1)) w0 => -> /=.
  rewrite (bigD1 p) //= mxE eqxx mulr1 big1 ?addr0 // => j /negPf ne.
  by rewrite mxE ne mulr0.
rewrite !pick => eq_weights; have [_ [falls _]] := two_causal_layers_see_order 1 (0 : 'M_(1, 1)) w0.
by have := falls m.+2 ord0 (lift ord0 ord0) isT; rewrite eq_weights ltxx.
(* claim 2 *)
move=> R [|n] m l j /=; first by case: m.
move=> l_next m_last; have lE : l = j.+1 :> nat.
  by apply/eqP; rewrite -(eqr_nat R) l_next mulrSr.
have {m_last} mE : m = ord_max.
  by apply/val_inj/eqP; rewrite -eqSS -(eqr_nat R) /= -m_last mulrSr.
have sumE (i : 'I_n.+1) : \sum_(k < n.+1) (k%:R <= i%:R :> R)%R%:R = i.+1%:R :> R.
  by rewrite -(causal_sum R i); apply: eq_bigr => k _; rewrite mxE ler_nat.
have weightE (q : 'I_n.+1) : \sum_(i < n.+1)
    (i%:R <= m%:R :> R)%R%:R / (\sum_(k < n.+1) (k%:R <= m%:R :> R)%R%:R)
    * ((q%:R <= i%:R :> R)%R%:R / (\sum_(k < n.+1) (k%:R <= i%:R :> R)%R%:R))
    = two_layer_weight R n q.
  rewrite /two_layer_weight mulr_sumr [RHS]big_mkcond; apply: eq_bigr => i _.
  rewrite !sumE !ler_nat mE leq_ord mul1r; case: (q <= i)%N; rewrite ?mul1r //.
  by rewrite mul0r mulr0.
have [_ [falls _]] := two_causal_layers_see_order (w := fun=> 1) 1 (0 : 'M_(1, 1)) (oner_neq0 R).
by rewrite !weightE falls // lE.
