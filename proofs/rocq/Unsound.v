(* What the side conditions are for: each rule, and the master theorem, fails without its own.

   One model refutes them all: two indices in every index set, natural numbers as values, and every
   reduction a sum. *)
Set Warnings "-notation-overridden".
From Coq Require Import String BinInt.
From mathcomp Require Import all_ssreflect.
From orderproof Require Import Calculus SoundMaps SoundNatural Naturality Sound.

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

(* inst: sum_j A B(j) = A sum_j B(j) for any A without the axis j; an A with it would be captured. *)
Definition scaled (A : here toy) : here toy := Build T0 (Reduce Sum n)
  [:: Build T0 (Pointwise "mul" 2) [:: A; first] [:: [::]; [::]] [::]] [:: [:: j]] [::].
Definition sum_scaled (A : here toy) : here toy := Build T0 (Pointwise "mul" 2)
  [:: A; Build T0 (Reduce Sum n) [:: first] [:: [:: j]] [::]] [:: [::]; [::]] [::].
Lemma inst_unsound_of_capture :
  (forall axes A, depends axes A -> j \notin axes -> scaled A =1 sum_scaled A) /\
  scaled first at_0_1 <> sum_scaled first at_0_1.
Proof.
split=> // axes A d hj env.
have e x : A (bind [::] [::] (bind [:: j] [:: x] env)) = A env.
  by apply: d => a ha; rewrite /bind !inE; case: eqP => // ea; rewrite -ea ha in hj.
have e0 : A (bind [::] [::] env) = A env by apply: d => a _.
rewrite /scaled /sum_scaled /Build /= /part /= /clamp1 /=.
by rewrite (e (I 0)) (e (I 1)) e0 /toy_point /= !addn0 -mulnDr.
Qed.

(* inst: a map that is no bijection, put for one that is *)
Lemma inst_unsound_of_no_bijection : ~ forall C C' law G E (on : model -> model)
    (by_ : forall M, tensors M -> tensors (on M)),
  (forall M, ring M -> ring (on M)) -> theorem C law G E ->
  theorem C' law [seq (fun M T => h (on M) (by_ M T)) | h <- G] (fun M T => E (on M) (by_ M T)).
Proof.
pose two (M : model) (T : tensors M) (e : iexp) : here M := fun env =>
  reduce M Sum [seq T "x" [:: n] [:: eval M (fun=> x) e] | x <- elems M n].
pose E : claim := equal [::] (fun M T => two M T (Ax j)) (fun M T => two M T (Ap sigma [:: Ax j])).
pose on (M : model) := toy_with (fun _ _ _ => I 0) muln sumn.
pose by_ (M : model) (T : tensors M) : tensors (on M) := fun _ _ y => (nth i0 y 0 == I 0 : nat).
move=> /(_ [::] [::] false [::] E on by_) h.
have {}h : theorem [::] false [::] (fun M T => E (on M) (by_ M T)).
  apply: h => [M _|M g _ T _ env _].
    split=> [x|]; first exact: mul1n.
    by exists 0; split=> // k x m; rewrite /= sumn_cat /= !sumn_nseq !mul0n addn0.
  have [] := @bijP M (carriers_uniq g) sigma isT _ isT => [s|_ _ _ p].
    by rewrite inE => /eqP->; apply: (symbols_fine g).
  rewrite /two -(reduce_perm g Sum (fun x => T "x" [:: n] [:: x]) p) -map_comp.
  by congr (reduce _ _ _); apply: eq_map.
have law : false -> ring toy by [].
by have := h toy (toy_ok muln) law T0 (fun _ => False_ind _) at_0_1 (fun _ h => False_ind _ (notF h)).
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
