(* The claim that a table which is not fixed shows: tactics below a generated proposition. The lemma
   is that of the headline, for weights and tokens that the claim names. *)

(* claim 2 *)
move=> R root rootP w wP n s e uQ uK uV one1 one2 one3 [i [c moves]].
have root1 : root 1%:R = 1 := square_root1 rootP.
pose x r := - e ((s^-1)%g r) ord0 + e r ord0.
have sum0 : \sum_r x r = 0.
  by rewrite big_split /= sumrN (sum_perm (s^-1)%g (fun r => e r ord0)) addNr.
have xi : x (s i) != 0.
  by rewrite /x permK addrC subr_eq0; apply/eqP; move: moves; rewrite (ord1 c).
exists i, ord0 => /=; rewrite [X in X <> _]big1 => [|j _]; last first.
  by rewrite !big_ord1 !permK !addNr !mul0r mulr0.
rewrite (eq_bigr (fun j => w (1 * x (s i) * x j) * x j / \sum_l w (1 * x (s i) * x l))) => [|j _].
  rewrite -mulr_suml; apply/eqP; rewrite eq_sym mulf_neq0 ?invr_eq0 //.
    exact: (sum_w_mul_neq0 (exponential_up wP) (exponential_down wP)).
  exact: (sum_w_neq0_of (exponential_gt0 wP) (s i)).
have scoreE l : (\sum_(k < 1) (\sum_(f < 1) (- e ((s^-1)%g (s i)) f + e (s i) f) * uQ f k)
    * (\sum_(f < 1) (- e ((s^-1)%g l) f + e l f) * uK f k)) / root 1%:R = 1 * x (s i) * x l.
  by rewrite !big_ord1 ?(one1, one2, one3) !mulr1 mul1r root1 divr1.
rewrite scoreE big_ord1 ?(one1, one2, one3) mulr1 mulrAC; congr (_ * _ / _).
by apply: eq_bigr => l _; rewrite scoreE.
