(* Programs: terms as numbered lists of nodes, checked for how their axes move in one pass.

   A term as a tree is too large (a six-layer encoder: 95 billion nodes), so nothing here computes
   on `decode`; `check` runs over the list. SoundProgram.v proves what it says. *)
Set Warnings "-notation-overridden".
From Coq Require Import String BinInt FMapPositive.
From mathcomp Require Import all_ssreflect.
From orderproof Require Import Calculus SoundMaps.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope seq_scope.

(* Instruction number i (from 1) is a node whose parts are earlier instructions, with the maps that
   move its axes: None, or a map of the calculus. *)
Definition moves := seq (option imap).
Inductive instr := Ins of op (seq instr) & seq (positive * seq name) & seq iset & moves.
Definition program := seq instr.

Definition op_map A B (f : A -> B) (o : op A) : op B :=
  match o with
  | Leaf x s => Leaf x s | Number p q => Number p q | Size a => Size a | Iota a => Iota a
  | Delta a => Delta a | Pointwise f k => Pointwise f k | Reduce k a => Reduce k a
  | At es old new => At es old new | Cat a b => Cat a b
  | Apply n formals body => Apply n formals (f body)
  | Opaque n bs ys => Opaque n bs ys
  | Iterate n formals body a => Iterate n formals (f body) a
  end.

Definition memory := PositiveMap.t node.
Definition nowhere : node := Node (Number 0%Z 1%positive) [::] [::].
Definition fetch (mem : memory) (i : positive) : node := odflt nowhere (PositiveMap.find i mem).

(* The node of an instruction, given those before it; of a program, its last. *)
Fixpoint decode_at (i : instr) (mem : memory) : node :=
  let: Ins o args sets _ := i in
  let body := (fix go (js : program) k mem last : node :=
    match js with
    | [::] => last
    | j :: js' => let n := decode_at j mem in go js' (Pos.succ k) (PositiveMap.add k n mem) n
    end) in
  Node (op_map (fun b => body b 1%positive (PositiveMap.empty node) nowhere) o)
    [seq (fetch mem a.1, a.2) | a <- args] sets.
Fixpoint run (js : program) k (mem : memory) (last : node) : node :=
  match js with
  | [::] => last
  | j :: js' => let n := decode_at j mem in run js' (Pos.succ k) (PositiveMap.add k n mem) n
  end.
Definition decode (p : program) : node := run p 1%positive (PositiveMap.empty node) nowhere.

(* ------------------------------------------------------------------------------- the check *)
Definition leaf_moves := seq ((string * seq iset) * moves).
Definition lookup (D : leaf_moves) (x : string) (s : seq iset) : moves :=
  nth (nseq (size s) None) [seq d.2 | d <- D] (index (x, s) [seq d.1 | d <- D]).

(* The map symbols that a model must have, and equations of places that it must satisfy. *)
Definition context := (seq imap * seq (iexp * iexp))%type.
Definition known (F : context) (m : imap) := endo m || (m \in F.1).

(* A map that may move an axis over a: of a into itself. *)
Definition moves_set F (m : option imap) (a : iset) : bool :=
  if m is Some f then [&& map_ok f, dom f == [:: a], cod f == a & all (known F) (map_syms f)] else true.
Definition permutes F (m : option imap) (a : iset) : bool :=
  moves_set F m a && (if m is Some f then bij f else true).
Definition apply_to (m : option imap) (e : iexp) : iexp := if m is Some f then Ap f [:: e] else e.
Definition side (m : option imap) (a : iset) : imap := odflt (Identity a) m.

Definition bound_moves (bs : seq iset) (axes : seq name) (ms : moves) : moves :=
  [seq nth None ms (index (Bound k) axes) | k <- iota 0 (size bs)].
Definition wire1 (sets : seq iset) (ms : moves) (bs : seq iset) (b : moves) (c : iset)
    (m : option imap) (a : name) : bool :=
  match a with
  | Slot k => [&& k < size sets, nth One sets k == c & nth None ms k == m]
  | Bound k => [&& k < size bs, nth One bs k == c & nth None b k == m]
  | _ => false
  end.

Definition same (F : context) (e f : iexp) : bool :=
  let: (e, f) := (normal e, normal f) in (e == f) || ((e, f) \in F.2).

Definition at_moves (F : context) (ys : moves) (new : seq iset) (m : option imap) (e : iexp) a :=
  [&& iok e a, moves_set F m a,
    all (fun u => if u.1 is Slot k then (k < size new) && (nth One new k == u.2) else false)
      (uses e a),
    all (known F) (iexp_syms e) &
    same F (apply_to m e) (subst (fun x => if x is Slot k then apply_to (nth None ys k) (Ax x)
                                           else Ax x) e)].

Definition ins_sets (i : instr) := let: Ins _ _ s _ := i in s.
Definition ins_moves (i : instr) := let: Ins _ _ _ m := i in m.
Definition last_sets (p : program) := last [::] [seq ins_sets i | i <- p].

Definition belast1 T (s : seq T) : seq T := take (size s).-1 s.
Definition op_check (F : context) (body : program -> leaf_moves -> moves -> bool) (D : leaf_moves)
    (o : op program) (b : seq moves) (ys : moves) : bool :=
  match o with
  | Leaf x s => (ys == lookup D x s) && all2 (moves_set F) ys s
  | Iota _ => ys == [:: None]
  | Delta a => (ys == [:: head None ys; head None ys]) && permutes F (head None ys) a
  | Reduce _ a => permutes F (nth None (nth [::] b 0) 0) a
  | At es old new => [&& size es == size old, size ys == size new, all2 (moves_set F) ys new &
      all (fun k => at_moves F ys new (nth None (nth [::] b 0) k) (nth (Ax (Slot 0)) es k)
                      (nth One old k)) (iota 0 (size old))]
  | Cat a c => let: (l, r) := (nth None (nth [::] b 0) 0, nth None (nth [::] b 1) 0) in
      ((ys == [:: None]) && (l == None) && (r == None)) ||
      ((ys == [:: Some (Beside (side l a) (side r c))]) && moves_set F l a && moves_set F r c)
  | Apply _ formals js => body js (zip formals b) ys
  | Opaque _ bs yss => all (all (fun m => m == None)) (ys :: b)
  | Iterate _ formals js _ => (* the tokens move as those of each layer, and no layer moves *)
      [&& [seq f.2 | f <- take 1 formals] == [:: last_sets js], ys == head [::] b,
        all (fun m => last None m == None) (behead b) &
        body js (zip formals (ys :: [seq belast1 m | m <- behead b])) ys]
  | _ => true
  end.

Definition heads := PositiveMap.t (seq iset * moves).
Definition head_of (H : heads) (i : positive) := odflt ([::], [::]) (PositiveMap.find i H).


(* One instruction: its parts are wired with the right sets, and move as it says. *)
Fixpoint check_at (F : context) (D : leaf_moves) (H : heads) (i : instr) {struct i} : bool :=
  let: Ins o args sets ms := i in
  let body := fun (js : program) (D : leaf_moves) (want : moves) =>
    (fix go (js : program) k (H : heads) (l : moves) : bool :=
      match js with
      | [::] => l == want
      | j :: js' => check_at F D H j &&
          go js' (Pos.succ k) (PositiveMap.add k (ins_sets j, ins_moves j) H) (ins_moves j)
      end) js 1%positive (PositiveMap.empty _) [::] in
  let bs := binds o in
  let ys := yields last_sets o in
  let b := [seq bound_moves p.1 p.2.2 (head_of H p.2.1).2 | p <- zip bs args] in
  [&& size args == size bs, size ms == size sets, take (size ys) sets == ys,
    all (fun p : (seq iset * moves) * (positive * seq name) =>
      let: ((bd, bm), (c, axes)) := p in let: (cs, cm) := head_of H c in
      [&& size axes == size cs, size cm == size cs, all2 (moves_set F) bm bd &
        all (fun j => wire1 sets ms bd bm (nth One cs j) (nth None cm j) (nth (Slot 0) axes j))
          (iota 0 (size axes))]) (zip (zip bs b) args) &
    op_check F body D o b (take (size ys) ms)].
Definition check_all (F : context) (D : leaf_moves) (want : moves) :=
  fix go (js : program) k (H : heads) (l : moves) : bool :=
  match js with
  | [::] => l == want
  | j :: js' => check_at F D H j &&
      go js' (Pos.succ k) (PositiveMap.add k (ins_sets j, ins_moves j) H) (ins_moves j)
  end.
Definition check F D p want := check_all F D want p 1%positive
  (PositiveMap.empty _) [::].
