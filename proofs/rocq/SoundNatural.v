(* How a constructor moves with its parts, and naturality: permute everything, and all is permuted.

   An axis is moved by a function of indices. `op_moves` says for each constructor what the functions
   on the axes that it binds and on those that it yields must have to do with each other; all but the
   condition on `Reduce` (the one lemma: a bijection) are immediate. *)
Set Warnings "-notation-overridden".
From Coq Require Import String BinInt.
From mathcomp Require Import all_ssreflect.
From orderproof Require Import Calculus SoundMaps.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope string_scope.
Open Scope seq_scope.

Definition motion := seq (idx -> idx).
Definition actf (p : motion) (xs : seq idx) : seq idx := [seq q.1 q.2 | q <- zip p xs].

Lemma take_actf k p xs : take k (actf p xs) = actf (take k p) (take k xs).
Proof. by rewrite /actf; elim: k p xs => [|k IH] [|f p] [|x xs] //=; rewrite IH. Qed.

Lemma size_actf p xs : size p = size xs -> size (actf p xs) = size xs.
Proof. by move=> e; rewrite size_map size_zip e minnn. Qed.

Lemma nth_actf p xs k : size p = size xs -> k < size xs ->
  nth i0 (actf p xs) k = nth id p k (nth i0 xs k).
Proof. by move=> e h; rewrite (nth_map (id, i0)) ?size_zip ?e ?minnn // nth_zip. Qed.

(* Induction over a term: its parts, and the body of a definition. *)
Section Args.
Variable P : node -> Prop.
Fixpoint all_args (args : seq (node * seq name)) : Prop :=
  if args is a :: args' then P a.1 /\ all_args args' else True.
End Args.
Definition on_body (P : node -> Prop) (o : op node) : Prop :=
  match o with Apply _ _ b | Iterate _ _ b _ => P b | _ => True end.
Fixpoint node_induction (P : node -> Prop)
    (h : forall o args sets, on_body P o -> all_args P args -> P (Node o args sets)) (n : node)
    {struct n} : P n :=
  match n with
  | Node o args sets => h o args sets
      (match o as o0 return on_body P o0 with
       | Apply _ _ b | Iterate _ _ b _ => node_induction h b | _ => Logic.I end)
      ((fix go args : all_args P args :=
        match args with
        | [::] => Logic.I
        | a :: args' => conj (node_induction h a.1) (go args')
        end) args)
  end.

Section Natural.
Variable M : model.
Hypothesis reduce_perm : forall k (f : idx -> value M) s t, perm_eq s t ->
  reduce M k [seq f x | x <- s] = reduce M k [seq f x | x <- t].
Hypothesis U : forall s, uniq (carrier M s).

(* The parts fs' are the parts fs with the bound axes of part i moved by b i. *)
Definition related (ss : seq (seq iset)) (b : nat -> motion) (fs' fs : seq (fn M)) :=
  forall i xs, i < size ss -> typed M xs (nth [::] ss i) ->
    typed M (actf (b i) xs) (nth [::] ss i) /\ part fs' i xs = part fs i (actf (b i) xs).

(* What moves the tokens moves them after each layer, and no layer is moved: b1 moves the formals. *)
Definition stack_moves (formals : seq (string * seq iset)) body a (b b1 : nat -> motion) p :=
  [/\ p = b 0, b1 0 = p, [seq f.2 | f <- take 1 formals] = [:: sets_of body] &
    forall i, 0 < i < size formals -> size (b1 i) = size (nth [::] [seq f.2 | f <- formals] i) /\
      exists c, b i = rcons (b1 i) c /\ {in elems M a, forall l, c l = l}].

Definition op_moves (T' T : tensors M) (o : op node) (b : nat -> motion) (p : motion) : Prop :=
  match o with
  | Leaf x s => forall y, typed M y s -> typed M (actf p y) s /\ T' x s y = T x s (actf p y)
  | Iota a => {in elems M a, forall x, nth id p 0 x = x}
  | Delta a => {in elems M a &, forall x y, (nth id p 0 x == nth id p 1 y) = (x == y)}
  | Reduce _ a => perm_eq [seq nth id (b 0) 0 x | x <- elems M a] (elems M a)
  | At es old new => forall y, typed M y new ->
      typed M [seq eval M (slots y) e | e <- es] old /\
      [seq eval M (slots (actf p y)) e | e <- es] = actf (b 0) [seq eval M (slots y) e | e <- es]
  | Cat a c => {in elems M a, forall x, nth id p 0 (L x) = L (nth id (b 0) 0 x)} /\
               {in elems M c, forall x, nth id p 0 (R x) = R (nth id (b 1) 0 x)}
  | Apply _ formals body => forall fs' fs, size fs' = size formals -> size fs = size formals ->
      related (binds o) b fs' fs -> forall y, typed M y (sets_of body) ->
      den (formal_tensors formals fs') body y = den (formal_tensors formals fs) body (actf p y)
  | Opaque _ bs ys =>
      (forall i xs, i < size bs -> typed M xs (nth [::] bs i) -> actf (b i) xs = xs) /\
      (forall y, typed M y ys -> actf p y = y)
  | Iterate _ formals body a => exists b1, stack_moves formals body a b b1 p /\
      forall fs' fs, size fs' = size formals -> size fs = size formals ->
        related [seq f.2 | f <- formals] b1 fs' fs -> forall y, typed M y (sets_of body) ->
        den (formal_tensors formals fs') body y = den (formal_tensors formals fs) body (actf p y)
  | _ => True
  end.

Lemma typed_take k xs s : typed M xs s -> typed M (take k xs) (take k s).
Proof. by elim: k xs s => [|k IH] [|x xs] [|a s] //= /andP[hx h]; apply/andP; split=> //; apply: IH. Qed.

Lemma actf1 p x : size p = 1 -> actf p [:: x] = [:: nth id p 0 x].
Proof. by case: p => [|f [|? ?]]. Qed.

Lemma actf1_typed p x a : typed M (actf p [:: x]) [:: a] -> actf p [:: x] = [:: nth id p 0 x].
Proof. by case: p => [|f [|g p]]. Qed.

Definition sem (T : tensors M) (o : op node) (fs : seq (fn M)) (y : seq idx) : value M :=
  match o with
  | Apply _ formals body => den (formal_tensors formals fs) body y
  | Iterate _ formals body a => stack (fun gs => den (formal_tensors formals gs) body) fs a y
  | _ => op_sem (fun _ _ _ => junk M) T o fs y
  end.

Lemma typed_rcons xs s l a : size xs = size s ->
  typed M (rcons xs l) (rcons s a) = typed M xs s && (l \in elems M a).
Proof.
elim: xs s => [|x xs IH] [|b s] //=; first by rewrite /typed /= andbT.
by case=> e; rewrite /typed /= -!/(typed M _ _) IH // andbA.
Qed.

Lemma stack_natural formals body a b b1 p fs' fs y : let o := Iterate "" formals body a in
  size fs' = size (binds o) -> size fs = size (binds o) -> related (binds o) b fs' fs ->
  stack_moves formals body a b b1 p ->
  (forall gs' gs, size gs' = size formals -> size gs = size formals ->
    related [seq f.2 | f <- formals] b1 gs' gs -> forall y, typed M y (sets_of body) ->
    den (formal_tensors formals gs') body y = den (formal_tensors formals gs) body (actf p y)) ->
  typed M y (sets_of body) ->
  stack (fun gs => den (formal_tensors formals gs) body) fs' a y =
  stack (fun gs => den (formal_tensors formals gs) body) fs a (actf p y).
Proof.
case: formals => [|f gs] o s' s rel [-> b10 // [f2 _] others] step ty.
have szb : size (binds o) = (size gs).+1 by rewrite /= size_map.
have moved z : typed M z (sets_of body) -> typed M (actf (b 0) z) (sets_of body).
  by move=> tz; have [|] := rel 0 z isT; rewrite /= f2.
suff all (ls : seq idx) (x' x : fn M) : {subset ls <= elems M a} ->
    (forall z, typed M z (sets_of body) -> x' z = x (actf (b 0) z)) ->
    forall z, typed M z (sets_of body) ->
    foldl (fun x l => den (formal_tensors (f :: gs) (at_layer fs' x l)) body) x' ls z =
    foldl (fun x l => den (formal_tensors (f :: gs) (at_layer fs x l)) body) x ls (actf (b 0) z).
  by apply: all => // z tz; have [|_ ->] := rel 0 z isT; rewrite /= ?f2.
elim: ls x' x => [|l ls IH] x' x sub start z tz; first exact: start.
have hl : l \in elems M a by apply: sub; apply: mem_head.
apply: IH => // [k hk|{}z {}tz]; first by apply: sub; rewrite inE hk orbT.
have sz1 (hs : seq (fn M)) w : size hs = size (binds o) -> size (at_layer hs w l) = size (f :: gs).
  by move=> e; rewrite /= size_map size_behead e szb.
apply: step => //; try exact: sz1.
move=> [|i] xs hi t; first by rewrite /= f2 in t *; rewrite b10; split; [apply: moved | apply: start].
have hi1 : i < size gs by move: hi; rewrite /= size_map ltnS.
have [|sr [c [eb ec]]] := others i.+1; first by rewrite /= ltnS hi1.
have nb : nth [::] (binds o) i.+1 = rcons (nth [::] [seq g.2 | g <- f :: gs] i.+1) a.
  by rewrite /= !(nth_map f).
have szx := typed_size t.
have tl : typed M (rcons xs l) (nth [::] (binds o) i.+1).
  by rewrite nb typed_rcons // hl andbT.
have [|] := rel i.+1 (rcons xs l) _ tl; first by rewrite szb ltnS.
have e : actf (b i.+1) (rcons xs l) = rcons (actf (b1 i.+1) xs) l.
  by rewrite eb /actf zip_rcons ?sr ?szx // map_rcons /= ec.
rewrite e nb typed_rcons ?size_actf ?sr ?szx //.
case/andP=> tr _ pe; split=> //; move: pe; rewrite /part /at_layer /=.
by rewrite !(nth_map (fun=> junk M)) ?size_behead ?s' ?s ?szb // !nth_behead.
Qed.

Lemma op_natural T' T o b p fs' fs y : size fs' = size (binds o) -> size fs = size (binds o) ->
  related (binds o) b fs' fs -> op_moves T' T o b p -> size p = size (yields sets_of o) ->
  typed M y (yields sets_of o) -> sem T' o fs' y = sem T o fs (actf p y).
Proof.
move=> s' s rel mv sp ty; have sy := typed_size ty.
case: o rel mv sp ty sy s' s => [x st|n d|a|a|a|f k|k a|es old new|a c|f formals body|f bs ys|f formals body a] /=.
- by move=> _ mv _ ty _ _ _; rewrite /clamp1 ty; case: (mv _ ty) => -> ->.
- by [].
- by [].
- move=> _ mv; case: p mv => [|g [|? ?]] //; case: y => [|x [|? ?]] // mv _.
  by rewrite typed1 => /mv /= ->.
- move=> _ mv; case: p mv => [|g [|h [|? ?]]] //; case: y => [|x [|z [|? ?]]] // mv _.
  by case/and3P=> hx hz _ _ _ _; rewrite /= (mv x z).
- move=> rel _ sp ty sy s' s; congr (pointwise _ _ _); apply: (@eq_from_nth _ (junk M)).
    by rewrite !size_map s' s.
  rewrite size_map => i hi; rewrite !(nth_map (fun=> junk M)) ?s -?s' //.
  have hi' : i < size (nseq k ([::] : seq iset)) by rewrite -s'.
  have [] := rel i [::] hi'; first by rewrite nth_nseq if_same.
  by rewrite /part => _ ->; case: (b i).
- move=> rel mv sp ty sy s' s.
  have e x : x \in elems M a -> part fs' 0 [:: x] = part fs 0 [:: nth id (b 0) 0 x].
    move=> hx; have [//|/= ht ->] := rel 0 [:: x] isT; first by rewrite typed1.
    by rewrite (actf1_typed ht).
  have -> : [seq part fs' 0 [:: x] | x <- elems M a] =
      [seq part fs 0 [:: x] | x <- [seq nth id (b 0) 0 x | x <- elems M a]].
    by rewrite -map_comp; apply/eq_in_map=> x /e.
  exact: reduce_perm.
- by move=> rel mv sp ty sy s' s; have [t ->] := mv _ ty; case: (rel 0 _ isT t).
- move=> rel [ml mr]; case: p ml mr => [|g [|? ?]] //; case: y => [|x [|? ?]] // ml mr _.
  rewrite typed1 mem_cat => /orP[] /mapP[z hz ->] _ _ _ /=.
  + have /= -> := ml z hz; have [//|/= ht ->] := rel 0 [:: z] isT; first by rewrite typed1.
    by rewrite (actf1_typed ht).
  + have /= -> := mr z hz; have [//|/= ht ->] := rel 1 [:: z] isT; first by rewrite typed1.
    by rewrite (actf1_typed ht).
- by move=> rel mv sp ty sy s' s; apply: mv => //; rewrite ?s' ?s size_map.
- move=> rel [mb my] sp ty sy s' s; rewrite (my _ ty); congr (opaque _ _ _ _ _ _).
  apply: (@eq_from_nth _ [::]); rewrite ?size_map ?size_zip ?s' ?s // => i hi.
  have hb : i < size bs by move: hi; rewrite minnn.
  rewrite !(nth_map ([::], fun=> junk M)) ?size_zip ?s' ?s // !nth_zip ?s' ?s //=.
  apply/eq_in_map=> xs; rewrite mem_assignments => ht.
  by have [_] := rel i xs hb ht; rewrite /part => ->; rewrite (mb i xs hb ht).
- by move=> rel [b1 [h step]] _ ty _ s' s; apply: stack_natural rel h step ty.
Qed.

(* The wiring: each axis of a part is a slot or a bound axis, of the same set and moved alike. *)
Definition wire_at (sets : seq iset) (p : motion) (bs : seq iset) (b : motion) (cs : seq iset)
    (q : motion) (j : nat) (a : name) : Prop :=
  match a with
  | Slot k => [/\ k < size sets, nth One sets k = nth One cs j & nth id p k = nth id q j]
  | Bound k => [/\ k < size bs, nth One bs k = nth One cs j & nth id b k = nth id q j]
  | _ => False
  end.

Lemma wires sets p bs b cs q axes xs ys : size axes = size cs -> size q = size cs ->
  size p = size sets -> size b = size bs -> typed M xs sets -> typed M ys bs ->
  (forall j, j < size axes -> wire_at sets p bs b cs q j (nth (Slot 0) axes j)) ->
  typed M [seq wired xs ys a | a <- axes] cs /\
  actf q [seq wired xs ys a | a <- axes] = [seq wired (actf p xs) (actf b ys) a | a <- axes].
Proof.
move=> sa sq sp sb tx ty w; have sx := typed_size tx; have sy := typed_size ty; split.
  apply: typedP; rewrite ?size_map // => j hj; rewrite (nth_map (Slot 0)) ?sa //.
  have := w j; rewrite sa => /(_ hj); case: (nth _ axes j) => //= k [hk e _];
  by rewrite -e; apply: typed_nth.
apply: (@eq_from_nth _ i0); rewrite ?size_actf ?size_map ?sq ?sa // => j hj.
rewrite nth_actf ?size_map ?sq ?sa // !(nth_map (Slot 0)) ?sa //.
have := w j; rewrite sa => /(_ hj).
by case: (nth _ axes j) => //= k [hk _ <-]; rewrite nth_actf ?sp ?sb ?sx ?sy.
Qed.

Definition natural_at (T' T : tensors M) (n : node) (p : motion) :=
  forall xs, typed M xs (sets_of n) -> den T' n xs = den T n (actf p xs).

Definition arg0 : node * seq name := (Node (Number Z0 1%positive) [::] [::], [::]).

Lemma part_clamp ss (fs : seq (fn M)) i xs : i < size ss -> size fs = size ss ->
  typed M xs (nth [::] ss i) -> part (clamp ss fs) i xs = part fs i xs.
Proof.
rewrite /clamp /part.
elim: ss fs i => [|s ss IH] [|f fs] [|i] //=; first by rewrite /clamp1 => _ _ ->.
by rewrite ltnS => hi [e] t; apply: IH.
Qed.

Lemma node_natural T' T o args sets p b (q : nat -> motion) :
  size args = size (binds o) -> size p = size sets ->
  take (size (yields sets_of o)) sets = yields sets_of o ->
  (forall i, i < size args -> let a := nth arg0 args i in
    [/\ natural_at T' T a.1 (q i), size a.2 = size (sets_of a.1), size (q i) = size (sets_of a.1),
        size (b i) = size (nth [::] (binds o) i) &
        forall j, j < size a.2 -> wire_at sets p (nth [::] (binds o) i) (b i) (sets_of a.1) (q i) j
          (nth (Slot 0) a.2 j)]) ->
  (forall i xs, i < size (binds o) -> typed M xs (nth [::] (binds o) i) ->
    typed M (actf (b i) xs) (nth [::] (binds o) i)) ->
  op_moves T' T o b (take (size (yields sets_of o)) p) ->
  natural_at T' T (Node o args sets) p.
Proof.
move=> sa sp sy ha tb mv xs /= tx; have sx := typed_size tx.
have ty : typed M (take (size (yields sets_of o)) xs) (yields sets_of o).
  by have := typed_take (size (yields sets_of o)) tx; rewrite sy.
have size_fs (T0 : tensors M) zs : size (clamp (binds o)
    [seq fun b => den T0 a.1 [seq wired zs b w | w <- a.2] | a <- args]) = size (binds o).
  by rewrite size_map size_zip size_map sa minnn.
have nth_fs (T0 : tensors M) zs i ys : i < size (binds o) -> typed M ys (nth [::] (binds o) i) ->
    part (clamp (binds o) [seq fun b => den T0 a.1 [seq wired zs b w | w <- a.2] | a <- args]) i ys
    = den T0 (nth arg0 args i).1 [seq wired zs ys w | w <- (nth arg0 args i).2].
  move=> hi t; rewrite part_clamp ?size_map //.
  rewrite -sa in hi; elim: (args) i hi {t} => [|a l IH] [|i] //= /IH //.
have rel : related (binds o) b
    (clamp (binds o) [seq fun b => den T' a.1 [seq wired xs b w | w <- a.2] | a <- args])
    (clamp (binds o) [seq fun b => den T a.1 [seq wired (actf p xs) b w | w <- a.2] | a <- args]).
  move=> i ys hi t; have t' := tb i ys hi t; split=> //; rewrite !nth_fs //.
  have [|h1 h2 h3 h4 h5] := ha i; first by rewrite sa.
  by have [tw <-] := wires h2 h3 sp h4 tx t h5; apply: h1.
rewrite take_actf -/(sem T' o _ _) -/(sem T o _ _); apply: op_natural rel mv _ ty => //.
by rewrite size_take sp; have := congr1 size sy; rewrite size_take.
Qed.
End Natural.
