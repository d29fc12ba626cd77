(* Ids count from 0 in every document, so they move with the tokens, and with them all that is read
   by ids: tactics below generated propositions. *)

(* claim 1 *)
move=> R m n h p' p s beta' beta t1 t2 eq_beta eq_p eq_p' kept i.
by rewrite (ids_moved (before := t1) eq_beta eq_p eq_p' kept).
(* claim 2 *)
move=> R root _ w _ d n m h s q q' p p' beta' beta x e' g' qG Q1 C E' K1 b' qB V1 e g E b TE TB TG.
move=> t1 t2 _ eE e'E EE E'E bE gE b'E g'E eq_q eq_beta eq_p eq_p' kept _.
move=> t3 t4 t5 t6 t7 t8 t9 i k.
have pE := ids_moved (before := t1) eq_beta eq_p eq_p' kept; have qE := same_place eq_q.
have eq3 a f : t3 a f = t7 a f by rewrite /t3 /t7 e'E eE qE.
have eq4 u f : t4 u f = t8 (beside s u) f by case: u => [a|a] //=; rewrite ?E'E ?EE ?pE // eq3.
rewrite eq3; congr (_ + _); apply: (mean_along (@beside_inj _ _ s)) => u; last first.
  by apply: eq_bigr => f _; rewrite eq4.
rewrite /t6 /t9; congr (_ * w (_ / _ + _)).
- by case: u => [a|a] //=; rewrite g'E gE qE pE.
- apply: eq_bigr => f _; congr (_ * _); apply: eq_bigr => l _; first by rewrite eq3.
  by rewrite eq4.
by case: u => [a|a] //=; rewrite b'E bE qE pE.
(* claim 3 *)
move=> R root _ w _ d n m h s q q' p p' beta beta' x e' g' qG Q1 C E' K1 b' qB V1 Q2 G' B' K2 V2.
move=> e g E b G B TE TB TG.
move=> t1 t2 _ _ eE e'E EE E'E BE B'E bE gE b'E g'E GE G'E eq_q eq_beta eq_p eq_p' kept _.
move=> t3 t4 t5 t6 t7 t8 t9 t10 t11 t12 t13 t14 t15 t16 t17 t18 t19 t20 t21 t22 t23 i k.
have pE := ids_moved (before := t1) eq_beta eq_p eq_p' kept; have qE := same_place eq_q.
have betaE := same_place eq_beta.
have eq3 a f : t3 a f = t14 a f by rewrite /t3 /t14 e'E eE qE.
have eq4 u a : t4 u a = t15 (beside s u) a by case: u => [l|l] //=; rewrite g'E gE qE pE.
have eq5 a f : t5 a f = t16 (s a) f by rewrite /t5 /t16 E'E EE pE.
have eq6 u f : t6 u f = t17 (beside s u) f by case: u => [a|a] /=; [exact: eq5 | exact: eq3].
have eq8 u a : t8 u a = t18 (beside s u) a by case: u => [l|l] //=; rewrite b'E bE qE pE.
have eq10 a f : t10 a f = t20 a f.
  rewrite /t10 /t20 eq3; congr (_ + _); apply: (mean_along (@beside_inj _ _ s)) => u; last first.
    by apply: eq_bigr => l _; rewrite eq6.
  rewrite /t9 /t19 eq4 eq8; congr (_ * w (_ / _ + _)); apply: eq_bigr => l _.
  congr (_ * _); apply: eq_bigr => c _; first by rewrite eq3.
  by rewrite eq6.
have eq11 a c : t11 a c = t21 (s a) (s c).
  rewrite /t11 /t21 G'E GE B'E BE !pE !betaE; congr (_ * w (_ / _ + _)); apply: eq_bigr => l _.
  by congr (_ * _); apply: eq_bigr => o _; rewrite eq5.
have eq12 u f : t12 u f = t22 (beside s u) f.
  case: u => [a|a] /=; last exact: eq10.
  rewrite eq5; congr (_ + _); apply: (mean_along (@perm_inj _ s)) => j.
    by rewrite eq11.
  by apply: eq_bigr => l _; rewrite eq5.
rewrite eq10; congr (_ + _); apply: (mean_along (@beside_inj _ _ s)) => u; last first.
  by apply: eq_bigr => f _; rewrite eq12.
rewrite /t13 /t23 eq4 eq8; congr (_ * w (_ / _ + _)); apply: eq_bigr => f _.
congr (_ * _); apply: eq_bigr => l _; first by rewrite eq10.
by rewrite eq12.
(* claim 4 *)
move=> R root _ w _ d n m h s q p q' p' beta' beta x g' qG Q1 r' qR C K1 V1 g r TR TG.
move=> t1 t2 _ rE r'E gE g'E eq_q eq_beta eq_p eq_p' kept _ t3 t4 t5 t6 t7 t8 i k.
have pE := ids_moved (before := t1) eq_beta eq_p eq_p' kept; have qE := same_place eq_q.
have eq4 u f : t4 u f = t7 (beside s u) f by case: u.
congr (_ + _); apply: (mean_along (@beside_inj _ _ s)) => u; last first.
  by apply: eq_bigr => f _; rewrite eq4.
rewrite /t6 /t8; congr (_ * w (_ / _)).
  by case: u => [a|a] //=; rewrite g'E gE qE pE.
apply: eq_bigr => f _; congr (_ * _); apply: eq_bigr => l _; congr (_ * _).
  by case: u => [a|a] //=; rewrite r'E rE qE pE.
by apply: eq_bigr => c _; rewrite eq4.
(* claim 5 *)
move=> R root _ w _ d n m h s p p' q q' beta beta' x g' qG Q1 r' qR C K1 V1 Q2 G' R' K2 V2.
move=> g r G Rel TR TG.
move=> t1 t2 _ _ RE R'E rE r'E gE g'E GE G'E eq_q eq_beta eq_p eq_p' kept _.
move=> t3 t4 t5 t6 t7 t8 t9 t10 t11 t12 t13 t14 t15 t16 t17 t18 t19 t20 i k.
have pE := ids_moved (before := t1) eq_beta eq_p eq_p' kept; have qE := same_place eq_q.
have betaE := same_place eq_beta.
have eq3 u a : t3 u a = t13 (beside s u) a by case: u => [l|l] //=; rewrite g'E gE qE pE.
have eq5 u a f c : t5 u a f c = t14 (beside s u) a f c.
  by case: u => [l|l] //=; rewrite r'E rE qE pE.
have eq6 u f : t6 u f = t15 (beside s u) f by case: u.
have eq9 a f : t9 a f = t17 a f.
  rewrite /t9 /t17; congr (_ + _); apply: (mean_along (@beside_inj _ _ s)) => u; last first.
    by apply: eq_bigr => l _; rewrite eq6.
  rewrite /t8 /t16 eq3; congr (_ * w (_ / _)); apply: eq_bigr => l _; congr (_ * _).
  apply: eq_bigr => c _; rewrite eq5; congr (_ * _).
  by apply: eq_bigr => o _; rewrite eq6.
have eq10 a c : t10 a c = t18 (s a) (s c).
  rewrite /t10 /t18 G'E GE !pE !betaE; congr (_ * w (_ / _)); apply: eq_bigr => l _.
  by congr (_ * _); apply: eq_bigr => o _; rewrite R'E RE !pE.
have eq11 u f : t11 u f = t19 (beside s u) f.
  case: u => [a|a] /=; last exact: eq9.
  by congr (_ + _); apply: (mean_along (@perm_inj _ s)).
rewrite eq9; congr (_ + _); apply: (mean_along (@beside_inj _ _ s)) => u; last first.
  by apply: eq_bigr => f _; rewrite eq11.
rewrite /t12 /t20 eq3; congr (_ * w (_ / _)); apply: eq_bigr => f _; congr (_ * _).
  by apply: eq_bigr => l _; rewrite eq9.
apply: eq_bigr => l _; rewrite eq5; congr (_ * _).
by apply: eq_bigr => o _; rewrite eq11.
(* claim 6 *)
move=> R root _ w _ d n m h sg q q' p p' beta beta' x e' g' qG Q1 C E' K1 b' qB V1 Q2 G' u' B' s' K2 V2.
move=> e g E b G u B s TE TB TG.
move=> t1 t2 _ _ eE e'E EE E'E BE B'E bE gE b'E g'E sE uE s'E u'E GE G'E.
move=> eq_q eq_beta eq_p eq_p' kept _.
move=> t3 t4 t5 t6 t7 t8 t9 t10 t11 t12 t13 t14 t15 t16 t17 t18 t19 t20 t21 t22 t23 t24 t25 t26 t27.
move=> i k.
have pE := ids_moved (before := t1) eq_beta eq_p eq_p' kept; have qE := same_place eq_q.
have betaE := same_place eq_beta.
have eq3 a f : t3 a f = t16 a f by rewrite /t3 /t16 e'E eE qE.
have eq4 v a : t4 v a = t17 (beside sg v) a by case: v => [l|l] //=; rewrite g'E gE qE pE.
have eq5 a f : t5 a f = t18 (sg a) f by rewrite /t5 /t18 E'E EE pE.
have eq6 v f : t6 v f = t19 (beside sg v) f by case: v => [a|a] /=; [exact: eq5 | exact: eq3].
have eq7 v f : t7 v f = t20 (beside sg v) f by apply: eq_bigr => l _; rewrite eq6.
have eq9 v a : t9 v a = t21 (beside sg v) a by case: v => [l|l] //=; rewrite b'E bE qE pE.
have eq11 v f : t11 v f = t23 (beside sg v) f by apply: eq_bigr => l _; rewrite eq6.
have eq12 a f : t12 a f = t24 a f.
  rewrite /t12 /t24 eq3; congr (_ + _); apply: (mean_along (@beside_inj _ _ sg)) => v; last exact: eq11.
  rewrite /t10 /t22 eq4 eq9; congr (_ * w (_ / _ + _)); apply: eq_bigr => l _.
  by rewrite eq7; congr (_ * _); apply: eq_bigr => c _; rewrite eq3.
have eq13 v a : t13 v a = t25 (beside sg v) (sg a).
  rewrite /t13 /t25; congr (_ * w (_ / _ + _)).
  - by case: v => [l|l] //=; rewrite ?G'E ?GE ?u'E ?uE ?qE !pE ?betaE.
  - apply: eq_bigr => l _; rewrite eq7; congr (_ * _).
    by apply: eq_bigr => c _; rewrite eq5.
  by case: v => [l|l] //=; rewrite ?B'E ?BE ?s'E ?sE ?qE !pE.
have eq14 v f : t14 v f = t26 (beside sg v) f.
  case: v => [a|a] /=; last exact: eq12.
  rewrite eq5; congr (_ + _); apply: (mean_along (@beside_inj _ _ sg)) => v; last exact: eq11.
  by rewrite eq13.
rewrite eq12; congr (_ + _); apply: (mean_along (@beside_inj _ _ sg)) => v; last first.
  by apply: eq_bigr => f _; rewrite eq14.
rewrite /t15 /t27 eq4 eq9; congr (_ * w (_ / _ + _)); apply: eq_bigr => f _.
congr (_ * _); apply: eq_bigr => l _; first by rewrite eq12.
by rewrite eq14.
