(* The calculus of symbolic/calculus/terms.py: the same constructors, and what they mean.

   Beside each definition stands the name that it has in terms.py. A meaning is a function of index
   assignments; the one generic equation of that file is `den` below:

     op(t1, ..., tk) at (y, s)  =  op (\b1. t1 at (b1, s), ..., \bk. tk at (bk, s)) at y

   Indices are untyped, and `elems` says which of them an index set has. A function of typed indices
   is written as a total one that is `junk` off its domain (`clamp`, and `Leaf` in `den`). *)
Set Warnings "-notation-overridden".
From Coq Require Import String BinInt.
From mathcomp Require Import all_ssreflect.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope string_scope.
Open Scope seq_scope.

Canonical string_eqType := EqType string (EqMixin String.eqb_spec).

(* ------------------------------------------------------------------ Set, Map, Index, names *)
Inductive iset := Sym of string | One | Plus of iset & iset | Times of iset & iset.

Inductive imap :=
  | Symbol of string & seq iset & iset & bool  (* name, domain, codomain, bijective *)
  | Identity of iset
  | Inverse of imap
  | Inl of iset & iset
  | Inr of iset & iset
  | Beside of imap & imap
  | Pair of iset & iset
  | Fst of iset & iset
  | Snd of iset & iset.

(* An axis: slot k of a node (k >= 0 in Python), the k-th axis that a constructor binds in a part
   (-1-k), a string that people chose, or a fresh object. *)
Inductive name := Slot of nat | Bound of nat | Str of string | Obj of nat.

Inductive iexp := Ax of name | Ap of imap & seq iexp.

Definition iset_dec (a b : iset) : {a = b} + {a <> b}.
Proof. by decide equality; apply: string_dec. Defined.
Definition iset_eqP : Equality.axiom (fun a b => iset_dec a b : bool).
Proof. by move=> a b; case: iset_dec => e; constructor. Qed.
Canonical iset_eqType := EqType iset (EqMixin iset_eqP).

Definition imap_dec (f g : imap) : {f = g} + {f <> g}.
Proof.
by decide equality; first [exact: iset_dec | exact: string_dec | exact: Bool.bool_dec
  | exact: (List.list_eq_dec iset_dec)].
Defined.
Definition imap_eqP : Equality.axiom (fun a b => imap_dec a b : bool).
Proof. by move=> a b; case: imap_dec => e; constructor. Qed.
Canonical imap_eqType := EqType imap (EqMixin imap_eqP).

Definition name_dec (a b : name) : {a = b} + {a <> b}.
Proof. by decide equality; try apply: string_dec; apply: PeanoNat.Nat.eq_dec. Defined.
Definition name_eqP : Equality.axiom (fun a b => name_dec a b : bool).
Proof. by move=> a b; case: name_dec => e; constructor. Qed.
Canonical name_eqType := EqType name (EqMixin name_eqP).

Fixpoint iexp_eq (e f : iexp) : bool :=
  match e, f with
  | Ax a, Ax b => a == b
  | Ap m es, Ap n fs => (m == n) && all2 iexp_eq es fs
  | _, _ => false
  end.

(* Induction over index expressions, through the lists of their parts. *)
Fixpoint iexp_rect' (P : iexp -> Prop) (hA : forall a, P (Ax a))
    (hM : forall m es, (forall k, k < size es -> P (nth (Ax (Slot 0)) es k)) -> P (Ap m es))
    (e : iexp) : P e :=
  match e with
  | Ax a => hA a
  | Ap m es => hM m es ((fix go (es : seq iexp) : forall k, k < size es -> P (nth _ es k) :=
      match es with
      | [::] => fun k h => False_ind _ (Bool.diff_false_true h)
      | e' :: es' => fun k => match k with
          | 0 => fun _ => iexp_rect' hA hM e'
          | k'.+1 => fun h => go es' k' h
          end
      end) es)
  end.

Lemma iexp_eqP : Equality.axiom iexp_eq.
Proof.
move=> e f; apply: (iffP idP) => [|<-]; last first.
  elim/iexp_rect': e => [a|m es IH] /=; first exact: eqxx.
  rewrite eqxx /=; elim: es IH => //= e es IHs IH.
  by rewrite (IH 0 isT) (IHs (fun k => IH k.+1)).
elim/iexp_rect': e f => [a|m es IH] [b|n fs] //=; first by move/eqP=> ->.
case/andP=> /eqP-> h; congr (Ap _ _).
elim: es fs IH h => [|e es IHs] [|f fs] //= IH /andP[h hs].
by have -> : e = f := IH 0 isT _ h; rewrite (IHs fs (fun k => IH k.+1) hs).
Qed.
Canonical iexp_eqType := EqType iexp (EqMixin iexp_eqP).

(* map_type: domain, codomain, whether it is a bijection; map_ok: what Map refuses. *)
Fixpoint map_type (m : imap) : seq iset * iset * bool :=
  match m with
  | Symbol _ dom cod bij => (dom, cod, bij)
  | Identity a => ([:: a], a, true)
  | Inverse f => let: (dom, cod, _) := map_type f in ([:: cod], head One dom, true)
  | Inl a b => ([:: a], Plus a b, false)
  | Inr a b => ([:: b], Plus a b, false)
  | Beside f g => let: (a, c, p) := map_type f in let: (b, d, q) := map_type g in
      ([:: Plus (head One a) (head One b)], Plus c d, p && q)
  | Pair a b => ([:: a; b], Times a b, false)
  | Fst a b => ([:: Times a b], a, false)
  | Snd a b => ([:: Times a b], b, false)
  end.
Definition dom m := (map_type m).1.1.
Definition cod m := (map_type m).1.2.
Definition bij m := (map_type m).2.

Fixpoint map_ok (m : imap) : bool :=
  match m with
  | Symbol _ dom _ bij => (size dom == 1) || ~~ bij
  | Inverse f => map_ok f && bij f
  | Beside f g => [&& map_ok f, map_ok g, size (dom f) == 1 & size (dom g) == 1]
  | _ => true
  end.

Definition zipflat T U W (f : T -> U -> seq W) : seq T -> seq U -> seq W :=
  fix go s t := match s, t with x :: s', y :: t' => f x y ++ go s' t' | _, _ => [::] end.

(* index_subst, index_uses; iok: what index_uses refuses *)
Fixpoint subst (to : name -> iexp) (e : iexp) : iexp :=
  match e with Ax a => to a | Ap m es => Ap m [seq subst to x | x <- es] end.
Fixpoint uses (e : iexp) (a : iset) {struct e} : seq (name * iset) :=
  match e with Ax x => [:: (x, a)] | Ap m es => zipflat uses es (dom m) end.
Fixpoint iok (e : iexp) (a : iset) : bool :=
  match e with
  | Ax _ => true
  | Ap m es => [&& map_ok m, cod m == a & all2 iok es (dom m)]
  end.

(* --------------------------------------------------------------------- Op, Node, Term *)
Inductive kind := Sum | Prod | Max | Min.

Inductive op (body : Type) :=
  | Leaf of string & seq iset
  | Number of Z & positive
  | Size of iset
  | Iota of iset
  | Delta of iset
  | Pointwise of string & nat
  | Reduce of kind & iset
  | At of seq iexp & seq iset & seq iset
  | Cat of iset & iset
  | Apply of string & seq (string * seq iset) & body
  | Opaque of string & seq (seq iset) & seq iset
  | Iterate of string & seq (string * seq iset) & body & iset.
Arguments Leaf {body}. Arguments Number {body}. Arguments Size {body}. Arguments Iota {body}.
Arguments Delta {body}. Arguments Pointwise {body}. Arguments Reduce {body}. Arguments At {body}.
Arguments Cat {body}. Arguments Apply {body}. Arguments Opaque {body}.
Arguments Iterate {body}.

Inductive node := Node of op node & seq (node * seq name) & seq iset.
Definition term := (node * seq name)%type.

Definition sets_of (n : node) := let: Node _ _ s := n in s.

(* signature: what a constructor binds in each part, and what it yields. *)
Definition binds B (o : op B) : seq (seq iset) :=
  match o with
  | Pointwise _ k => nseq k [::]
  | Reduce _ a => [:: [:: a]]
  | At _ old _ => [:: old]
  | Cat a b => [:: [:: a]; [:: b]]
  | Apply _ formals _ => [seq f.2 | f <- formals]
  | Opaque _ bs _ => bs
  | Iterate _ formals _ a =>
      if formals is f :: fs then f.2 :: [seq rcons g.2 a | g <- fs] else [::]
  | _ => [::]
  end.
Definition yields B (sets : B -> seq iset) (o : op B) : seq iset :=
  match o with
  | Leaf _ s => s
  | Iota a => [:: a]
  | Delta a => [:: a; a]
  | At _ _ new => new
  | Cat a b => [:: Plus a b]
  | Apply _ _ body | Iterate _ _ body _ => sets body
  | Opaque _ _ ys => ys
  | _ => [::]
  end.

(* ---------------------------------------------------------------------------- meaning *)
Inductive idx := I of nat | L of idx | R of idx | Pr of idx & idx.
Definition idx_dec (a b : idx) : {a = b} + {a <> b}.
Proof. by decide equality; apply: PeanoNat.Nat.eq_dec. Defined.
Definition idx_eqP : Equality.axiom (fun a b => idx_dec a b : bool).
Proof. by move=> a b; case: idx_dec => e; constructor. Qed.
Canonical idx_eqType := EqType idx (EqMixin idx_eqP).
Definition i0 := I 0.

(* Index sets, map symbols and everything about values that a theorem may not know. *)
Unset Implicit Arguments.
Record model := Model {
  value : Type;
  junk : value;
  carrier : string -> seq idx;
  symbol : string -> seq iset -> iset -> bool -> seq idx -> idx;
  number : Z -> positive -> value;
  size_ : nat -> value;
  iota_ : nat -> value;
  delta : bool -> value;
  pointwise : string -> seq value -> value;
  reduce : kind -> seq value -> value;
  opaque : string -> seq (seq iset) -> seq iset -> seq (seq value) -> seq idx -> value }.
Set Implicit Arguments.
Definition tensors M := string -> seq iset -> seq idx -> value M.

Section Meaning.
Variable M : model.

Fixpoint elems (a : iset) : seq idx :=
  match a with
  | Sym s => carrier M s
  | One => [:: i0]
  | Plus b c => [seq L x | x <- elems b] ++ [seq R x | x <- elems c]
  | Times b c => [seq Pr x y | x <- elems b, y <- elems c]
  end.
Definition typed (xs : seq idx) (s : seq iset) := all2 (fun x a => x \in elems a) xs s.
Definition assignments (s : seq iset) : seq (seq idx) :=
  foldr (fun a rest => [seq x :: xs | x <- elems a, xs <- rest]) [:: [::]] s.

Fixpoint mapden (m : imap) (xs : seq idx) : idx :=
  match m, xs with
  | Symbol f a b p, _ => symbol M f a b p xs
  | Identity _, [:: x] => x
  | Inverse f, [:: y] => let a := head One (dom f) in
      nth i0 (elems a) (index y [seq mapden f [:: x] | x <- elems a])
  | Inl _ _, [:: x] => L x
  | Inr _ _, [:: x] => R x
  | Beside f g, [:: L x] => L (mapden f [:: x])
  | Beside f g, [:: R x] => R (mapden g [:: x])
  | Pair _ _, [:: x; y] => Pr x y
  | Fst _ _, [:: Pr x _] => x
  | Snd _ _, [:: Pr _ y] => y
  | _, _ => i0
  end.
Fixpoint eval (env : name -> idx) (e : iexp) : idx :=
  match e with Ax a => env a | Ap m es => mapden m [seq eval env x | x <- es] end.

Definition slots (xs : seq idx) (a : name) : idx := if a is Slot k then nth i0 xs k else i0.
Definition wired (xs b : seq idx) (a : name) : idx :=
  match a with Slot k => nth i0 xs k | Bound k => nth i0 b k | _ => i0 end.
Definition fn := seq idx -> value M.
Definition clamp1 (s : seq iset) (f : fn) : fn := fun b => if typed b s then f b else junk M.
Definition clamp (ss : seq (seq iset)) (fs : seq fn) : seq fn :=
  [seq clamp1 p.1 p.2 | p <- zip ss fs].
Definition part (fs : seq fn) k : fn := nth (fun=> junk M) fs k.

(* A tensor in a definition is the part for that formal. *)
Definition formal_tensors (formals : seq (string * seq iset)) (fs : seq fn) : tensors M :=
  fun x s => part fs (index (x, s) formals).

(* The parts of a definition at one index of a stack: its last value, and the others at that index.
   A stack is the definition once for each index, in order; at first the value is that of part 0. *)
Definition at_layer (fs : seq fn) (x : fn) (l : idx) : seq fn :=
  x :: [seq (fun b => g (rcons b l)) | g <- behead fs].
Definition stack (step : seq fn -> fn) (fs : seq fn) (a : iset) : fn :=
  foldl (fun x l => step (at_layer fs x l)) (part fs 0) (elems a).

(* What a constructor makes of its parts at the axes that it yields; `body` is the meaning of the
   body of a definition, given what its formals are. *)
Definition op_sem B (body : B -> tensors M -> fn) (T : tensors M) (o : op B) (fs : seq fn)
    (y : seq idx) : value M :=
  match o with
  | Leaf x s => clamp1 s (T x s) y
  | Number p q => number M p q
  | Size a => size_ M (size (elems a))
  | Iota a => iota_ M (index (nth i0 y 0) (elems a))
  | Delta _ => delta M (nth i0 y 0 == nth i0 y 1)
  | Pointwise f k => pointwise M f [seq f [::] | f <- fs]
  | Reduce k a => reduce M k [seq part fs 0 [:: x] | x <- elems a]
  | At es _ _ => part fs 0 [seq eval (slots y) e | e <- es]
  | Cat _ _ => match nth i0 y 0 with
      | L x => part fs 0 [:: x] | R x => part fs 1 [:: x] | _ => junk M end
  | Apply _ formals b => body b (formal_tensors formals fs) y
  | Opaque f bs ys =>
      opaque M f bs ys [seq [seq p.2 b | b <- assignments p.1] | p <- zip bs fs] y
  | Iterate _ formals b a => stack (fun gs => body b (formal_tensors formals gs)) fs a y
  end.

Fixpoint den (T : tensors M) (n : node) (xs : seq idx) {struct n} : value M :=
  let: Node o args _ := n in
  let fs := clamp (binds o)
    [seq fun b => den T a.1 [seq wired xs b w | w <- a.2] | a <- args] in
  let y := take (size (yields sets_of o)) xs in
  match o with
  | Apply _ formals body => den (formal_tensors formals fs) body y
  | Iterate _ formals body a => stack (fun gs => den (formal_tensors formals gs) body) fs a y
  | _ => op_sem (fun _ _ _ => junk M) T o fs y
  end.

(* The meaning of a Term: its axes by name. *)
Definition mean (T : tensors M) (t : term) (env : name -> idx) := den T t.1 (map env t.2).
Definition typed_env (t : term) (env : name -> idx) := typed (map env t.2) (sets_of t.1).
Definition holds (T : tensors M) (s t : term) :=
  forall env, typed_env s env -> mean T s env = mean T t env.
End Meaning.

(* ------------------------------------------------- map_symbols, and what a model must satisfy *)
Fixpoint map_syms (m : imap) : seq imap :=
  match m with
  | Symbol _ _ _ _ => [:: m]
  | Inverse f => map_syms f
  | Beside f g => map_syms f ++ map_syms g
  | _ => [::]
  end.
Fixpoint iexp_syms (e : iexp) : seq imap :=
  if e is Ap m es then map_syms m ++ flatten [seq iexp_syms x | x <- es] else [::].
Fixpoint node_syms (n : node) : seq imap :=
  let: Node o args _ := n in
  match o with
  | At es _ _ => flatten [seq iexp_syms e | e <- es]
  | Apply _ _ body | Iterate _ _ body _ => node_syms body
  | _ => [::]
  end ++ flatten [seq node_syms a.1 | a <- args].

Definition fine M (m : imap) : Prop :=
  if m is Symbol f dom cod bij then
    (forall xs, typed M xs dom -> symbol M f dom cod bij xs \in elems M cod) /\
    (bij -> forall a, dom = [:: a] ->
      perm_eq [seq symbol M f dom cod bij [:: x] | x <- elems M a] (elems M cod))
  else True.

(* A model of the map symbols in C, and of all maps of a set to itself, of which there is always
   one: that is why the kernel may forget those, and no others. *)
Definition endo (m : imap) := if m is Symbol _ dom cod _ then dom == [:: cod] else false.
Record good M (C : seq imap) : Prop := Good {
  carriers_uniq : forall s, uniq (carrier M s);
  iota_inj : injective (iota_ M);
  reduce_perm : forall k (f : idx -> value M) s t, perm_eq s t ->
    reduce M k [seq f x | x <- s] = reduce M k [seq f x | x <- t];
  symbols_fine : forall m, endo m || (m \in C) -> fine M m }.

(* 1x = x, 0x = 0 and 0 + x = x + 0 = x, as a sum needs them. *)
Definition ring M : Prop :=
  (forall x, pointwise M "mul" [:: delta M true; x] = x) /\
  exists zero, (forall x, pointwise M "mul" [:: delta M false; x] = zero) /\
  forall n x m, reduce M Sum (nseq n zero ++ x :: nseq m zero) = x.

Definition equation := (term * term)%type.
Definition syms (G : seq equation) (s t : term) : seq imap :=
  flatten [seq node_syms h.1.1 ++ node_syms h.2.1 | h <- (s, t) :: G].

(* Theorem: G |= s = t under a law; `true` is the ring law, `false` none. *)
Definition entails (law : bool) (G : seq equation) (s t : term) : Prop :=
  forall M, good M (syms G s t) -> (law -> ring M) ->
  forall T : tensors M, (forall h, List.In h G -> holds T h.1 h.2) -> holds T s t.
