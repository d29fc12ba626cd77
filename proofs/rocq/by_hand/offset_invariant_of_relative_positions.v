(* A common offset of two places is lost in their difference, and so in all that is made of it:
   tactics below generated propositions. *)

(* claim 1 *)
move=> R root _ w _ n d X t g _ Q1 r r_ext K1 b _ V1 Q2 K2 V2.
move=> t1 t2 t3 t4 t5 t6 t7 t8 t9 t10 t11 t12 t13 t14 t15 t16 t17 t18 t19 i k.
have same a c : t2 a c = t13 a c by rewrite /t2 /t1 opprD addrACA subrr addr0.
have rows f l a c : t5 f l a c = t15 f l a c by apply: r_ext; exact: same.
have first a f : t11 a f = t18 a f.
  rewrite /t11 /t18; congr (_ + _); apply: mean_same => // j.
  rewrite /t9 /t17 /t3 /t14 /t8 /t16 !same; congr (_ * w (_ / _ + _)); apply: eq_bigr => l _.
  by congr (_ * _); apply: eq_bigr => o _; rewrite rows.
rewrite first; congr (_ + _); apply: mean_same => j; last by apply: eq_bigr => l _; rewrite first.
rewrite /t12 /t19 /t3 /t14 /t8 /t16 !same; congr (_ * w (_ / _ + _)); apply: eq_bigr => l _.
congr (_ * _); apply: eq_bigr => o _; first by rewrite first.
by rewrite rows; congr (_ * _); apply: eq_bigr => z _; rewrite first.
(* claim 2 *)
move=> R root _ w _ n d X t g _ Q1 K1 r r_ext b _ V1 Q2 K2 V2.
move=> t1 t2 t3 t4 t5 t6 t7 t8 t9 t10 t11 t12 t13 t14 t15 t16 t17 t18 t19 i k.
have same a c : t2 a c = t13 a c by rewrite /t2 /t1 opprD addrACA subrr addr0.
have rows f a c : t6 f a c = t15 f a c by apply: r_ext; exact: same.
have first a f : t11 a f = t18 a f.
  rewrite /t11 /t18; congr (_ + _); apply: mean_same => // j.
  rewrite /t9 /t17 /t3 /t14 /t8 /t16 !same; congr (_ * w (_ / _ + _)); apply: eq_bigr => l _.
  by rewrite rows.
rewrite first; congr (_ + _); apply: mean_same => j; last by apply: eq_bigr => l _; rewrite first.
rewrite /t12 /t19 /t3 /t14 /t8 /t16 !same; congr (_ * w (_ / _ + _)); apply: eq_bigr => l _.
congr (_ * (_ + _)); last exact: rows.
  by apply: eq_bigr => o _; rewrite first.
by apply: eq_bigr => o _; rewrite first.
