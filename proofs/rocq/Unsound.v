(* What the side conditions are for: each rule, and the master theorem, fails without its own.

   Models of natural numbers refute them all, in which every reduction is a sum: one with two indices
   in every index set, and for `inst` one with an empty index set. *)
Set Warnings "-notation-overridden".
From Coq Require Import String BinInt.
From mathcomp Require Import all_ssreflect.
From orderproof Require Import Calculus SoundMaps SoundNatural SoundProgram Naturality.
From orderproof Require Import SoundTerms Sound.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope string_scope.
Open Scope seq_scope.

Definition swap (x : idx) : idx := if x == I 0 then I 1 else if x == I 1 then I 0 else x.
(* A bijection of a set of tokens is the swap; any other map of one, and a place, is the token 0. *)
Definition toy_map (c : iset) (b : bool) (xs : seq idx) : idx :=
  if c is Sym _ then (if b then swap (head i0 xs) else I 0) else head i0 xs.
(* A product, whatever is put for it; 2 to a power for exp; a quotient in percent. *)
Definition toy_point (mul : nat -> nat -> nat) (f : string) (vs : seq nat) : nat :=
  let: (v, u) := (nth 0 vs 0, nth 0 vs 1) in
  if f == "mul" then mul v u else if f == "exp" then 2 ^ v else 100 * v %/ u.
Definition toy_with (maps : iset -> bool -> seq idx -> idx) (mul : nat -> nat -> nat)
    (red : seq nat -> nat) : model :=
  @Model nat 0 (fun=> [:: I 0; I 1]) (fun _ _ => maps) (fun _ _ => 0) id id nat_of_bool
    (toy_point mul) (fun=> red) (fun _ _ _ parts y => head 0 (head [::] parts) + (y == [:: I 1])).
Definition toy := toy_with toy_map muln sumn.

Definition token (a : iset) := if a is Sym _ then true else false.
Definition plain (m : imap) := if m is Symbol _ dom cod _ then all token (cod :: dom) else false.
Section Good.
Variables (mul : nat -> nat -> nat) (red : seq nat -> nat).
Let M := toy_with toy_map mul red.
Lemma toy_fine m : endo m || plain m -> fine M m.
Proof.
have tok x : x \in [:: I 0; I 1] -> swap x \in [:: I 0; I 1] by rewrite !inE => /orP[] /eqP->.
case: m => // f d c b /orP[/eqP->|].
  split=> [[|x [|? ?]]|bb a [<-]] //; last by case: c => //= *; rewrite ?bb // map_id.
    by rewrite typed1 /=; case: c => // s; case: b => // /tok.
  by rewrite /typed /= andbF.
case: c => //= s pd; split=> [xs|bb a e] /=.
  by case: b => //; case: d pd => [|[a|||] d] //= pd; case: xs => [|x xs] // /andP[/tok].
by move: pd; rewrite e /=; case: a {e} => //= *; rewrite bb.
Qed.
Lemma toy_good C : all plain C -> (forall s t, perm_eq s t -> red s = red t) -> good M C.
Proof.
move=> /allP pl rp; split=> // [k f s t p|m /orP[e|/pl e]]; first by apply: rp; apply: perm_map.
  by apply: toy_fine; rewrite e.
by apply: toy_fine; rewrite e orbT.
Qed.
End Good.
Lemma toy_ok mul : good (toy_with toy_map mul sumn) [::].
Proof. by apply: toy_good => // s t; apply: perm_sumn. Qed.

Definition n := Sym "n".
Definition sigma := Symbol "sigma" [:: n] n true.
Definition kappa := Symbol "kappa" [:: n] n false.  (* to the token 0 *)
Definition q := Symbol "q" [::] n false.  (* the token 0 *)
Definition i := Str "i". Definition j := Str "j".
Lemma kappa_fine : mfine toy kappa.
Proof. by move=> s; rewrite inE => /eqP->; apply: toy_fine. Qed.
Definition T0 : tensors toy := fun _ _ _ => 0.
Definition first : here toy := fun env => env j == I 0.
Definition at_0_1 (a : name) : idx := if a == j then I 1 else I 0.
Lemma first_of_j : depends [:: j] first.
Proof. by move=> env env' e; rewrite /first e ?mem_head. Qed.

(* reindex: the map is not a bijection *)
Lemma reindex_unsound : ~ forall M C, good M C -> forall (T : tensors M) kind (t : here M) axes j m env,
  map_ok m -> mfine M m -> depends axes t ->
  Build T (Reduce kind (cod m)) [:: t] [:: [:: j]] [::] env =
  Build T (Reduce kind (head One (dom m))) [:: Subst (put j (Ap m [:: Ax j])) t] [:: [:: j]] [::] env.
Proof.
move=> /(_ _ [::] (toy_ok muln) T0 Sum _ _ j kappa at_0_1 isT) h.
by have := h _ _ kappa_fine first_of_j.
Qed.

(* at_delta: the map is not injective *)
Lemma at_delta_unsound : ~ forall M C, good M C -> forall (T : tensors M) m a b (env : name -> idx),
  map_ok m -> mfine M m ->
  env a \in elems M (head One (dom m)) -> env b \in elems M (head One (dom m)) ->
  sem T (Delta (cod m)) [::] [:: mapden M m [:: env a]; mapden M m [:: env b]] =
  sem T (Delta (head One (dom m))) [::] [:: env b; env a].
Proof.
move=> /(_ _ [::] (toy_ok muln) T0 kappa i j at_0_1 isT) h.
by have := h kappa_fine isT isT.
Qed.

(* at_op: softmax_j S(i, j) at i := sigma(j), the index captured by the softmax's own axis.  The
   softmax of row sigma(j) has 33 and 66 percent; captured, its scores are S(sigma(j), j), all alike. *)
Definition exp_of (a : seq name) (sets : seq iset) : node :=
  Node (Pointwise "exp" 1) [:: (Node (Leaf "S" [:: n]) [::] [:: n], a)] sets.
Definition softmax : node := Node (Pointwise "div" 2)
  [:: (exp_of [:: Slot 0] [:: n], [:: Slot 0]);
      (Node (Reduce Sum n) [:: (exp_of [:: Slot 0] [:: n], [:: Bound 0])] [::], [::])] [:: n].
Definition same_token : here toy := fun env => env i == env j.
Lemma at_op_unsound : ~ forall M C, good M C ->
  forall (T : tensors M) o (ps : seq (here M * seq name)) bound names s new env,
  [seq s a | a <- names] = [seq Ax a | a <- new] -> size ps = size bound ->
  (forall i, i < size ps -> let p := nth (fun=> junk M, [::]) ps i in let inner := nth [::] bound i in
    depends p.2 p.1 /\ forall a, a \in p.2 -> if a \in inner then s a = Ax a else True) ->
  Subst s (Build T o [seq p.1 | p <- ps] bound names) env =
  Build T o [seq Subst s p.1 | p <- ps] bound new env.
Proof.
move=> /(_ _ [::] (toy_ok muln) T0 (Apply "softmax" [:: ("S", [:: n])] softmax)
  [:: (same_token, [:: i; j])] [:: [:: j]] [:: j] (put i (Ap sigma [:: Ax j])) [:: j] at_0_1) h.
suff: 33 = 50 by [].
apply: h => // -[] // _ /=; split=> [env env' e|a]; last by rewrite !inE => /orP[] /eqP->.
by rewrite /same_token !e // !inE eqxx ?orbT.
Qed.

(* inst: the rule with those of its side conditions that are asked for.  Without one of them it is
   false: m is empty, so that what is said for all of m says nothing, and n has two indices. *)
Definition inst_if (fitting one_set fresh kept named mapped : bool) := forall C C' law us strings
  (axes axes' : axes_of) (G : seq given) e,
  (fitting -> all (fits strings) us) -> (one_set -> uniq [seq a.1 | a <- strings]) ->
  all (fun a => is_str a.1) strings ->
  (fresh -> of_slots axes e) -> (kept -> {subset axes <= axes'}) -> {subset axes' <= axes ++ strings} ->
  (forall h, List.In h G -> [/\ of_slots (before h) (sides h),
    {subset free (sides h).1 ++ free (sides h).2 <= before h}, {subset after h <= before h ++ strings}
    & named -> {in after h, forall a, is_str a.1 -> a.1 \in [seq b.1 | b <- axes']}]) ->
  (mapped -> {subset C <= C'}) ->
  theorem C law [seq said (before h) (sides h) | h <- G] (said axes e) ->
  theorem C' law [seq said (after h) (put_in us (sides h)) | h <- G] (said axes' (put_in us e)).
Lemma inst_with_all : inst_if true true true true true true.
Proof.
move=> C C' law us strings axes axes' G e h1 h2 h3 h4 h5 h6 h7 h8; apply: inst => //; auto.
by move=> h /h7[? ? ? hn]; split=> //; apply: hn.
Qed.

Definition m := Sym "m".
Definition sized := standard (fun s => if s == "m" then 0 else 2).
Lemma sized_ok : good sized [::].
Proof.
split; [exact: carriers_standard | by [] | by move=> *; apply/perm_sumn/perm_map |].
by move=> f; rewrite orbF => h; apply: fine_standard; rewrite h.
Qed.
Definition law : false -> ring sized. Proof. by []. Qed.
Definition zeros : tensors sized := fun _ _ _ => 0.
Definition second_of : tensors sized := fun _ _ y => nth i0 y 0 == I 1 : nat.
Definition x := Str "x".
Definition there (a : name) : idx := if a == Slot 1 then I 1 else I 0.
Definition size_of a := Expr (Size a) [::] [::] [::].
Definition zero_is_one := (size_of m, size_of One).
(* 0 = 1 for all indices of m |- 0 = 1 *)
Lemma false_of_none axes : (m \in [seq a.2 | a <- axes]) ->
  forall h, List.In h [:: said axes zero_is_one] -> h sized zeros.
Proof. by move=> /mapP[a ha am] h [<- env /(_ a ha)|//]; rewrite -am. Qed.

(* In all models: for all indices of m, 0 = 1; after the rule without a condition, 0 = 1. *)
Lemma no_theorem axes axes' : m \in [seq a.2 | a <- axes] -> env_ok sized axes' there ->
  ~ theorem [::] false [:: said axes zero_is_one] (said axes' zero_is_one).
Proof. by move=> hm ok th; have := th sized sized_ok law zeros (false_of_none hm) there ok. Qed.

(* the conclusion, of an index of m, loses its axis *)
Lemma inst_unsound_of_lost_axis : ~ inst_if true true true false true true.
Proof.
pose i_in_m := [:: (Slot 0, m)].
move=> /(_ [::] [::] false [::] [::] i_in_m [::] [:: Given i_in_m i_in_m zero_is_one] zero_is_one) h.
refine (@no_theorem i_in_m [::] isT _ _); first by [].
apply: h => // [_ [<-|[]]|]; last exact: hyp.
by split=> // _ a; rewrite inE => /eqP->.
Qed.

(* a hypothesis comes to hold for all x of m, and the conclusion has no x *)
Lemma inst_unsound_of_string_in_hypothesis : ~ inst_if true true true true false true.
Proof.
pose x_in_m := [:: (x, m)].
move=> /(_ [::] [::] false [::] x_in_m [::] [::] [:: Given [::] x_in_m zero_is_one] zero_is_one) h.
refine (@no_theorem x_in_m [::] isT _ _); first by [].
by apply: h => // [_ [<-|[]]|]; [split | exact: hyp].
Qed.

(* ... or an x of another set *)
Lemma inst_unsound_of_two_sets : ~ inst_if true false true true true true.
Proof.
pose x_in_m := [:: (x, m)]; pose x_in_n := [:: (x, n)].
move=> /(_ [::] [::] false [::] (x_in_m ++ x_in_n) [::] x_in_n [:: Given [::] x_in_m zero_is_one]
  zero_is_one) h.
refine (@no_theorem x_in_m x_in_n isT _ _); first by move=> a; rewrite inE => /eqP->.
apply: h => // [a|_ [<-|[]]|]; last exact: hyp.
  by rewrite !inE => ->; rewrite orbT.
split=> // [a|_ a]; rewrite inE => /eqP-> //.
Qed.

(* a = Z(i) for all i |- a = Z(k), and a |-> U(i), where i is no slot of a *)
Lemma inst_unsound_of_slot : ~ inst_if false true true true true true.
Proof.
pose axes := [:: (Slot 0, n); (Slot 1, n)]; pose i_in_n := [:: (Slot 0, n)].
pose tensor s ks := Expr (Leaf s [seq n | _ <- ks]) [::] [::] ks.
pose sides_at k := (tensor "a" [::], tensor "Z" [:: Slot k]).
pose us : instance := [:: (("a", [::]), tensor "U" [:: Slot 0])].
move=> /(_ [::] [::] false us [::] axes axes
  [:: Given i_in_n i_in_n (sides_at 0)] (sides_at 1)) h.
have ok : env_ok sized axes there by move=> a; rewrite !inE => /orP[] /eqP->.
pose h_of_us := said i_in_n (put_in us (sides_at 0)).
suff th : theorem [::] false [:: h_of_us] (said axes (put_in us (sides_at 1))).
  have hyps c : List.In c [:: h_of_us] -> c sized second_of by case=> [<-|[]].
  by have := th sized sized_ok law second_of hyps there ok.
apply: h => // [_ a //|_ [<-|[]]|].
  by split=> // _ a; rewrite inE => /eqP->.
move=> M g l T hT env okM.
have := hT _ (or_introl erefl) (fun a => if a == Slot 0 then env (Slot 1) else env a).
by apply=> a; rewrite inE => /eqP->; apply: (okM (Slot 1, n)).
Qed.

(* sum_j a = sum_k a, and a |-> U(j), which is captured: the axis bound is not fresh *)
Lemma inst_unsound_of_capture : ~ inst_if true true false true true true.
Proof.
pose a := Expr (Leaf "a" [::]) [::] [::] [::].
pose sum_over s := Expr (Reduce Sum n) [:: a] [:: [:: Str s]] [::].
pose us : instance := [:: (("a", [::]), Expr (Leaf "U" [:: n]) [::] [::] [:: Str "j"])].
move=> /(_ [::] [::] false us [:: (Str "j", n)] [::] [:: (Str "j", n)] [::]
  (sum_over "j", sum_over "k")) h.
suff th : theorem [::] false [::] (said [:: (Str "j", n)] (put_in us (sum_over "j", sum_over "k"))).
  have ok : env_ok sized [:: (Str "j", n)] (fun=> I 0) by move=> c; rewrite inE => /eqP->.
  by have := th sized sized_ok law second_of (fun _ => False_ind _) _ ok.
by apply: h.
Qed.

(* sum_n 1 = sum_m 1, and the bijection of m and n is no longer named *)
Lemma inst_unsound_of_forgotten_map : ~ inst_if true true true true true false.
Proof.
pose b := Symbol "b" [:: m] n true.
pose ones a := Expr (Reduce Sum a) [:: size_of One] [:: [:: Obj 0]] [::].
move=> /(_ [:: b] [::] false [::] [::] [::] [::] [::] (ones n, ones m)) h.
suff th : theorem [::] false [::] (said [::] (ones n, ones m)).
  have ok : env_ok sized [::] there by [].
  by have := th sized sized_ok law zeros (fun _ => False_ind _) there ok.
apply: h => // M g l T _ env _.
have [|_ p] := @symbols_fine _ _ g b; first by rewrite mem_head orbT.
have alike a : means T (ones a) env = reduce M Sum (nseq (size (elems M a)) (size_ M 1)).
  rewrite /= /Build /= /part /=; congr (reduce _ _ _); apply: (@eq_from_nth _ (junk M)).
    by rewrite size_map size_nseq.
  rewrite size_map => k hk; rewrite (nth_map i0) // nth_nseq hk /clamp1 typed1 mem_nth //.
by rewrite [LHS]alike [RHS]alike -(perm_size (p isT m erefl)) size_map.
Qed.

(* sum_delta: no ring *)
Lemma sum_delta_unsound : ~ forall M C, good M C -> forall (T : tensors M) (t : here M) axes j a e (env : name -> idx),
  depends axes t -> eval M env e \in elems M a ->
  sem T (Reduce Sum a) [:: fun b => pointwise M "mul"
    [:: delta M (eval M env e == nth i0 b 0); t (bind [:: j] b env)]] [::] = Subst (put j e) t env.
Proof.
move=> /(_ _ [::] (toy_ok addn) (fun _ _ _ => 0) _ _ j n (Ax i) at_0_1) h.
by have := h _ _ first_of_j isT.
Qed.

(* iterate: 2 to the power of S is 2, which is assumed of one S. After two layers it is 4, not 2. *)
Lemma iterate_unsound_of_assumption : ~ forall C law G (axes : axes_of) x ss l a y z m f fd0 fd bd g fe0 fe be
    (qs ps : seq weight),
  fd0.2 = sets_of bd -> fe0.2 = ss -> sets_of be = ss ->
  uniq y -> uniq z -> size y = size (sets_of bd) -> size z = size ss ->
  {subset zip y (sets_of bd) <= axes} -> {in axes, forall u, u.1 \in y -> u \in zip y (sets_of bd)} ->
  l \notin [seq c.1 | c <- axes] -> l \notin y -> l \notin z ->
  (forall c, c \notin z -> m c = Ax c) ->
  (forall M env v, {in z, forall c, eval M (bind [:: l] [:: v] env) (m c) = eval M env (m c)}) ->
  (forall M env, good M C -> env_ok M axes env -> typed M [seq eval M env (m c) | c <- z] ss) ->
  all_weights (weight_ok x ss l y) fd qs -> all_weights (weight_ok x ss l (y ++ z)) fe ps ->
  theorem C law G (equal ((l, a) :: axes)
    (lhs_of x ss y z m (Apply f (fd0 :: fd) bd) qs [seq own w | w <- qs])
    (rhs_of x ss z m (Apply g (fe0 :: fe) be) ps [seq own w | w <- ps])) ->
  theorem C law G (equal axes
    (lhs_of x ss y z m (Iterate f (fd0 :: fd) bd a) qs [seq rcons (own w) l | w <- qs])
    (rhs_of x ss z m (Iterate g (fe0 :: fe) be a) ps [seq rcons (own w) l | w <- ps])).
Proof.
pose X : string * seq iset := ("X", [::]).
pose power := Node (Pointwise "exp" 1) [:: (Node (Leaf "X" [::]) [::] [::], [::])] [::].
pose two := Node (Size n) [::] [::].
pose given := equal [:: (Obj 0, n)] (lhs_of "X" [::] [::] [::] Ax (Apply "D" [:: X] power) [::] [::])
  (rhs_of "X" [::] [::] Ax (Apply "E" [:: X] two) [::] [::]).
move=> /(_ [::] false [:: given] [::] "X" [::] (Obj 0) n [::] [::] Ax "D" X [::] power "E" X [::] two
  [::] [::]) h.
suff th : theorem [::] false [:: given] (equal [::]
    (lhs_of "X" [::] [::] [::] Ax (Iterate "D" [:: X] power n) [::] [::])
    (rhs_of "X" [::] [::] Ax (Iterate "E" [:: X] two n) [::] [::])).
  have ok : env_ok toy [::] (fun=> I 0) by [].
  have one : forall h, List.In h [:: given] -> h toy (fun _ _ _ => 1) by move=> _ [<-|[]] env _.
  by have := th toy (toy_ok muln) (fun e => False_ind _ (Bool.diff_false_true e)) _ one _ ok.
apply: h => //; exact: hyp.
Qed.

(* The reduction: not a function of the multiset, as the first of its values is not. *)
Lemma reduce_unsound : let M := toy_with toy_map muln (head 0) in
  Build (M := M) (fun _ _ _ => 0) (Reduce Sum n) [:: first] [:: [:: j]] [::] at_0_1 <>
  Build (M := M) (fun _ _ _ => 0) (Reduce Sum n) [:: Subst (put j (Ap sigma [:: Ax j])) first]
    [:: [:: j]] [::] at_0_1.
Proof. by []. Qed.

(* naturality: t with all tensors moved is not t moved *)
Definition fails (move : string -> idx -> idx) (t : node) : Prop := exists T' T : tensors toy,
  permuted move T' T /\ exists xs, typed toy xs (sets_of t) /\
  den T' t xs <> den T t (shifts move (sets_of t) xs).
Definition second : tensors toy := fun _ _ y => nth i0 y 0 == I 1.
Definition moved (move : string -> idx -> idx) : tensors toy :=
  fun x s y => second x s (shifts move s y).
Definition part_X (a : name) : node * seq name := (Node (Leaf "X" [:: n]) [::] [:: n], [:: a]).
Definition sum_of_X := Node (Reduce Sum n) [:: part_X (Bound 0)] [::].
Definition X_at (e : iexp) (sets : seq iset) :=
  Node (At [:: e] [:: n] sets) [:: part_X (Bound 0)] sets.

(* a map that is no permutation *)
Lemma naturality_unsound_of_no_permutation : well_formed sum_of_X /\
  sees_no_order toy (fun _ _ => I 0) sum_of_X /\ fails (fun _ _ => I 0) sum_of_X.
Proof. by do !split=> //; exists (moved (fun _ _ => I 0)), second; split=> //; exists [::]. Qed.

(* a place that moves; an inner map that does not commute; the index read as a number; an operator
   that consumes a permuted axis, and one that yields it *)
Definition seeing : seq node :=
  [:: X_at (Ap q [::]) [::]; X_at (Ap kappa [:: Ax (Slot 0)]) [:: n]; Node (Iota n) [::] [:: n];
      Node (Opaque "f" [:: [:: n]] [::]) [:: part_X (Bound 0)] [::];
      Node (Opaque "f" [::] [:: n]) [::] [:: n]].
Lemma swap_permutes : permutation toy (fun _ => swap).
Proof. by []. Qed.
Lemma naturality_unsound_of_order t : List.In t seeing ->
  well_formed t /\ good toy (node_syms t) /\ fails (fun _ => swap) t.
Proof.
have ok : all (fun t => well_formed t && all plain (node_syms t)) seeing by [].
move=> ht; have [wf pl] : well_formed t /\ all plain (node_syms t).
  by move: ht ok; rewrite /seeing /=; do 5![case=> [<-|] //].
split=> //; split; first by apply: toy_good => // u v; apply: perm_sumn.
exists (moved (fun _ => swap)), second; split=> //; exists (nseq (size (sets_of t)) (I 0)).
by move: ht; rewrite /seeing /=; do 5![case=> [<-|] //].
Qed.
