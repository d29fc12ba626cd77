(* The check of programs is sound: `check_sound`, proved once for all programs, and `certified`, the
   form of it that certificates instantiate. *)
Set Warnings "-notation-overridden".
From Coq Require Import String BinInt FMapPositive.
From mathcomp Require Import all_ssreflect.
From orderproof Require Import Calculus SoundMaps SoundNatural Program.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope seq_scope.

Section Sound.
Variables (M : model) (F : context).
Hypothesis G : good M F.1.
Hypothesis facts_hold : forall e f, (e, f) \in F.2 -> forall env, eval M env e = eval M env f.
Let U := carriers_uniq G.

Definition actm (m : option imap) (x : idx) : idx := if m is Some f then mapden M f [:: x] else x.
Definition act (ms : moves) (xs : seq idx) : seq idx := actf [seq actm m | m <- ms] xs.

Lemma known_fine m : known F m -> fine M m.
Proof. exact: (symbols_fine G). Qed.

Lemma nth_actm ms k : nth id [seq actm m | m <- ms] k = actm (nth None ms k).
Proof. by elim: ms k => [|m ms IH] [|k] //=. Qed.

Lemma moves_mfine f a : moves_set F (Some f) a -> mfine M f.
Proof. by case/and4P=> _ _ _ /allP h s /h/known_fine. Qed.

Lemma moves_sound m a x : moves_set F m a -> x \in elems M a -> actm m x \in elems M a.
Proof.
case: m => //= f h hx; have F' := moves_mfine h; case/and4P: h => ok /eqP d /eqP c _.
by have [t _] := map_sound U ok F'; rewrite -[in X in _ \in X]c; apply: t; rewrite d typed1.
Qed.

Lemma permutes_sound m a : permutes F m a -> {in elems M a &, injective (actm m)} /\
  perm_eq [seq actm m x | x <- elems M a] (elems M a).
Proof.
case: m => [f|] /andP[h b]; last by split; rewrite ?map_id //; move=> x y.
have F' := moves_mfine h; case/and4P: h => ok /eqP d /eqP c _.
by have := bijP U ok F' b; rewrite /= d c /= => -[_ inj _ p].
Qed.

Lemma act_typed ms s y : all2 (moves_set F) ms s -> typed M y s -> typed M (act ms y) s.
Proof.
elim: ms s y => [|m ms IH] [|a s] [|x y] //= /andP[hm hs] /andP[hx hy].
by apply/andP; split; [apply: moves_sound | apply: IH].
Qed.

Lemma same_sound env e f a : st M env e a -> st M env f a -> same F e f ->
  eval M env e = eval M env f.
Proof.
move=> se sf; rewrite /same; have [_ <-] := normal_sound U se; have [_ <-] := normal_sound U sf.
by case/orP=> [/eqP->|/facts_hold].
Qed.

Lemma at_sound ys new m e a y : at_moves F ys new m e a -> size ys = size new ->
  all2 (moves_set F) ys new -> typed M y new ->
  eval M (slots y) e \in elems M a /\
  eval M (slots (act ys y)) e = actm m (eval M (slots y) e).
Proof.
case/and5P=> ok hm /allP hu /allP hk hs sy hy ty.
have Fe : efine M e by move=> s /hk/known_fine.
have use u : u \in uses e a -> exists2 k, u.1 = Slot k & k < size new /\ nth One new k = u.2.
  by move/hu; case: u => [[k|?|?|?] c] //= /andP[h /eqP <-]; exists k.
have se : st M (slots y) e a.
  by apply: st_intro => // u /use[k -> [hk' <-]]; apply: typed_nth.
split; first exact: st_typed se.
set to := fun x => _ in hs.
have st2 : st M (slots y) (subst to e) a.
  apply: st_subst => // u /use[k -> [hk' <-]]; rewrite /to.
  have := ty; move/typed_nth => /(_ k hk') hx.
  have : moves_set F (nth None ys k) (nth One new k).
    by move: hy; rewrite (all2_nth _ None One) => /andP[_ /allP]; apply; rewrite mem_iota sy.
  by case: (nth None ys k) => //= f h; have F' := moves_mfine h; case/and4P: h => ? /eqP-> /eqP.
have st1 : st M (slots y) (apply_to m e) a.
  by case: m hm {hs} => //= f h; have F' := moves_mfine h; case/and4P: h => ? /eqP-> /eqP.
have := same_sound st1 st2 hs.
rewrite eval_subst => h; transitivity (eval M (fun x => eval M (slots y) (to x)) e); last first.
  by rewrite -h; case: (m).
apply: (@eval_ext M) ok => u /use[k -> [hk' _]]; rewrite /to /=.
have sz := typed_size ty; rewrite nth_actf ?size_map ?sy ?sz // nth_actm.
by case: (nth None ys k).
Qed.

Definition leaf_rel (D : leaf_moves) (T' T : tensors M) :=
  forall x s y, typed M y s -> T' x s y = T x s (act (lookup D x s) y).
Definition inv (T' T : tensors M) (n : node) (h : seq iset * moves) :=
  [/\ sets_of n = h.1, size h.2 = size h.1 & natural_at T' T n [seq actm m | m <- h.2]].
Definition body_sound (body : program -> leaf_moves -> moves -> bool) (js : program) :=
  forall D T' T want, leaf_rel D T' T -> body js D want ->
  inv T' T (decode js) (last_sets js, want).

Lemma run_sets js k mem n l : sets_of n = l ->
  sets_of (run js k mem n) = last l [seq ins_sets i | i <- js].
Proof. by elim: js k mem n l => //= j js IH k mem n l _; apply: IH; case: j. Qed.

Lemma formals_rel formals b fs' fs : size b = size formals -> size fs' = size formals ->
  size fs = size formals ->
  related [seq f.2 | f <- formals] (fun i => [seq actm m | m <- nth [::] b i]) fs' fs ->
  leaf_rel (zip formals b) (formal_tensors formals fs') (formal_tensors formals fs).
Proof.
move=> sb s' s rel x st z tz; rewrite /formal_tensors /lookup.
have -> : [seq d.1 | d <- zip formals b] = formals by rewrite -/unzip1 unzip1_zip // sb.
have -> : [seq d.2 | d <- zip formals b] = b by rewrite -/unzip2 unzip2_zip // sb.
case: (ltnP (index (x, st) formals) (size formals)) => hi; last first.
  by rewrite /part !nth_default ?s ?s'.
have hi' : index (x, st) formals < size [seq f.2 | f <- formals] by rewrite size_map.
have e' : nth [::] [seq f.2 | f <- formals] (index (x, st) formals) = st.
  by rewrite (nth_map (x, st)) // nth_index // -index_mem.
have [|_ ->] := rel _ z hi'; first by rewrite e'.
by rewrite (set_nth_default [::]) // sb.
Qed.

Lemma op_check_sound body D o b ys T' T : op_check F body D o b ys -> leaf_rel D T' T ->
  (match o with Apply _ _ js | Iterate _ _ js _ => body_sound body js | _ => True end) ->
  size b = size (binds o) ->
  (forall i, i < size (binds o) -> size (nth [::] b i) = size (nth [::] (binds o) i)) ->
  size ys = size (yields last_sets o) ->
  op_moves T' T (op_map decode o) (fun i => [seq actm m | m <- nth [::] b i]) [seq actm m | m <- ys].
Proof.
case: o => //= [x s|a|a|k a|es old new|a c|f formals js|f bs yss|f formals js a].
- by case/andP=> /eqP-> h lr _ _ _ _ y ty; rewrite lr //; split=> //; apply: act_typed.
- by move=> /eqP-> _ _ _ _ _ x hx.
- case/andP=> /eqP-> /permutes_sound[inj _] _ _ _ _ _ x y hx hy /=.
  by apply/eqP/eqP=> [/inj ->|->].
- move=> h _ _ _ _ _; have [_ p] := permutes_sound h.
  by rewrite (eq_map (f2 := actm (nth None (nth [::] b 0) 0))) // => x; rewrite nth_actm.
- case/and4P=> /eqP se /eqP sy hy /allP h _ _ _ sz _ y ty.
  have key k : k < size old -> eval M (slots y) (nth (Ax (Slot 0)) es k) \in elems M (nth One old k) /\
      eval M (slots (act ys y)) (nth (Ax (Slot 0)) es k) =
      actm (nth None (nth [::] b 0) k) (eval M (slots y) (nth (Ax (Slot 0)) es k)).
    by move=> hk; have := h k; rewrite mem_iota => /(_ hk) hk'; apply: at_sound hk' sy hy ty.
  split.
    apply: typedP; rewrite ?size_map // => k hk; rewrite (nth_map (Ax (Slot 0))) ?se //.
    by case: (key k hk).
  have s0 : size (nth [::] b 0) = size es by rewrite sz.
  apply: (@eq_from_nth _ i0); rewrite ?size_actf ?size_map ?s0 // => k hk.
  rewrite nth_actf ?size_map ?s0 // nth_actm !(nth_map (Ax (Slot 0))) //.
  by rewrite se in hk; case: (key k hk).
- move=> h _ _ _ _ _; case/orP: h => [/andP[/andP[/eqP-> /eqP l] /eqP r]|/andP[/andP[/eqP-> _] _]].
    by split=> x _; rewrite !nth_actm ?l ?r.
  by split=> x _ /=; rewrite nth_actm; case: (nth None _ 0).
- move=> h lr IH sb _ _ fs' fs s' s rel y ty; rewrite size_map in sb.
  have [|e _ n] := IH _ (formal_tensors formals fs') (formal_tensors formals fs) _ _ h; last exact: n.
  exact: formals_rel rel.
- case/andP=> /allP hy /allP hb _ _ sb sz sy.
  have idle ms xs s : (forall m, m \in ms -> m == None) -> size ms = size s -> typed M xs s ->
      actf [seq actm m | m <- ms] xs = xs.
    elim: ms xs s => [|m ms IH] [|x xs] [|a s] //= hm [es] /andP[_ ht].
    rewrite /actf /= -/(actf _ xs) (IH xs s) //; first by rewrite (eqP (hm m (mem_head _ _))).
    by move=> m' hm'; apply: hm; rewrite inE hm' orbT.
  split=> [i xs hi t|y t]; last exact: idle sy t.
  apply: idle t; last by rewrite sz.
  by have /hb/allP : nth [::] b i \in b by rewrite mem_nth ?sb.
- case: formals => [|g fm]; case/and4P=> // /andP[/eqP one _] /eqP-> /allP still h _ IH sb szb sz.
  have eb : sets_of (decode js) = last_sets js by rewrite /decode (run_sets _ _ _ erefl).
  case: b sb szb still h sz => [|m0 ms] //= [sb] szb still h sz; rewrite size_map in sb.
  set bb := m0 :: [seq belast1 m | m <- ms] in h *.
  exists (fun i => [seq actm m | m <- nth [::] bb i]); split; last first.
    move=> fs' fs s' s rel y ty.
    have [|e _ n] := IH _ (formal_tensors (g :: fm) fs') (formal_tensors (g :: fm) fs) _ _ h; last exact: n.
    have sbb : size bb = size (g :: fm) by rewrite /= size_map sb.
    exact: (formals_rel sbb s' s rel).
  split=> //=; first by rewrite take0 /= eb one.
  move=> [|i] //= hi; have hi1 : i < size ms by rewrite sb.
  have : size (nth [::] ms i) = (size (nth [::] [seq f.2 | f <- fm] i)).+1.
    have := szb i.+1; rewrite /= size_map ltnS => /(_ hi) ->.
    by rewrite !(nth_map g) // size_rcons.
  have := still (nth [::] ms i) (mem_nth _ hi1).
  rewrite (nth_map [::]) //; case/lastP: (nth [::] ms i) => // m c; rewrite last_rcons => /eqP->.
  rewrite size_rcons => -[szm]; rewrite /belast1 size_rcons /= -cats1 take_size_cat //.
  by rewrite size_map szm; split=> //; exists id; rewrite cats1 map_rcons.
Qed.

Lemma inv_add T' T mem H k n h : (forall i, inv T' T (fetch mem i) (head_of H i)) -> inv T' T n h ->
  forall i, inv T' T (fetch (PositiveMap.add k n mem) i) (head_of (PositiveMap.add k h H) i).
Proof.
move=> all one i; case: (Pos.eq_dec i k) => [->|ne].
  by rewrite /fetch /head_of !PositiveMap.gss.
by have := all i; rewrite /fetch /head_of !PositiveMap.gso.
Qed.

Lemma decode_atE o args sets ms mem : decode_at (Ins o args sets ms) mem =
  Node (op_map decode o) [seq (fetch mem a.1, a.2) | a <- args] sets.
Proof.
by rewrite /=; congr Node; case: o.
Qed.

Definition instr_ok (i : instr) := forall D T' T mem H, leaf_rel D T' T ->
  (forall k, inv T' T (fetch mem k) (head_of H k)) -> check_at F D H i ->
  inv T' T (decode_at i mem) (ins_sets i, ins_moves i).
Fixpoint all_instr (P : instr -> Prop) (js : program) : Prop :=
  if js is j :: js' then P j /\ all_instr P js' else True.

Lemma run_sound D T' T want js k mem H n l : all_instr instr_ok js -> leaf_rel D T' T ->
  (forall i, inv T' T (fetch mem i) (head_of H i)) -> inv T' T n l -> check_all F D want js k H l.2 ->
  inv T' T (run js k mem n) (last l.1 [seq ins_sets i | i <- js], want).
Proof.
move=> ok lr; elim: js ok k mem H n l => [|j js IH] /= ok k mem H n [ls lm] all one /=.
  by move/eqP=> <-.
rewrite -/(check_all F D want); case: ok => okj okjs /andP[hj hjs]; have new := okj D T' T mem H lr all hj.
by apply: (IH okjs _ _ _ _ (ins_sets j, ins_moves j)) hjs => //; apply: inv_add.
Qed.

Lemma inv_nowhere T' T : inv T' T nowhere ([::], [::]).
Proof. by split. Qed.

Lemma program_sound js : all_instr instr_ok js -> body_sound (fun js D w => check F D js w) js.
Proof.
move=> ok D T' T want lr h; apply: (run_sound ok lr _ (inv_nowhere T' T) h) => i.
by rewrite /fetch /head_of !PositiveMap.gempty; apply: inv_nowhere.
Qed.

Definition body_all (P : instr -> Prop) (o : op program) : Prop :=
  match o with Apply _ _ js | Iterate _ _ js _ => all_instr P js | _ => True end.
Fixpoint instr_induction (P : instr -> Prop)
    (h : forall o args sets ms, body_all P o -> P (Ins o args sets ms)) (i : instr) {struct i} : P i :=
  match i with
  | Ins o args sets ms => h o args sets ms
    (match o as o0 return body_all P o0 with
     | Apply _ _ js | Iterate _ _ js _ => (fix go js : all_instr P js :=
         match js with [::] => Logic.I | j :: js' => conj (instr_induction h j) (go js') end) js
     | _ => Logic.I
     end)
  end.

Lemma instr_sound i : instr_ok i.
Proof.
elim/instr_induction: i => o args sets ms; rewrite /body_all => IH D T' T mem H lr hi.
rewrite decode_atE => hc; split=> //=; first by case/and5P: hc => _ /eqP.
pose d : positive * seq name := (1%positive, [::]).
have {hc}/and5P[/eqP sa /eqP sm /eqP sy /(all_nthP (([::], [::]), d)) ha hop] := hc.
change (is_true (op_check F (fun js D w => check F D js w) D o
  [seq bound_moves p.1 p.2.2 (head_of H p.2.1).2 | p <- zip (binds o) args]
  (take (size (yields last_sets o)) ms))) in hop.
set b := [seq bound_moves _ _ _ | _ <- _] in ha hop.
have eb : binds (op_map decode o) = binds o by case: (o).
have ey : yields sets_of (op_map decode o) = yields last_sets o.
  by case: (o) => //= f fm js *; rewrite /decode (run_sets _ _ _ erefl).
have sb : size b = size (binds o) by rewrite size_map size_zip sa minnn.
have nb i : i < size args -> nth [::] b i =
    bound_moves (nth [::] (binds o) i) (nth d args i).2 (head_of H (nth d args i).1).2.
  by move=> h; rewrite (nth_map ([::], d)) ?size_zip ?sa ?minnn -?sa // nth_zip.
have key i : i < size args -> let a := nth d args i in let h := head_of H a.1 in
    [&& size a.2 == size h.1, size h.2 == size h.1, all2 (moves_set F) (nth [::] b i) (nth [::] (binds o) i) &
      all (fun j => wire1 sets ms (nth [::] (binds o) i) (nth [::] b i) (nth One h.1 j) (nth None h.2 j)
        (nth (Slot 0) a.2 j)) (iota 0 (size a.2))].
  move=> h; have := ha i; rewrite !size_zip sb -sa !minnn => /(_ h).
  rewrite !nth_zip ?size_zip ?sb ?sa ?minnn //; case: (nth d args i) => c axes /=.
  by case: (head_of H c).
have szb i : i < size (binds o) -> size (nth [::] b i) = size (nth [::] (binds o) i).
  by move=> h; rewrite nb ?sa // size_map size_iota.
have sty : size (take (size (yields last_sets o)) ms) = size (yields last_sets o).
  by have := congr1 size sy; rewrite !size_take sm.
apply: (@node_natural M (reduce_perm G) T' T _ _ _ _ (fun i => [seq actm m | m <- nth [::] b i])
  (fun i => [seq actm m | m <- (head_of H (nth d args i).1).2])); rewrite ?eb ?ey ?size_map //.
- move=> i h /=; rewrite (nth_map d) //=; have [e1 e2 e3] := hi (nth d args i).1.
  case/and4P: (key i h) => /eqP k1 /eqP k2 k3 /allP k4; rewrite e1 !size_map szb -?sa //; split=> //.
  move=> j hj; have := k4 j; rewrite mem_iota => /(_ hj).
  by case: (nth (Slot 0) (nth d args i).2 j) => //= k /and3P[hk /eqP-> /eqP e]; split=> //; rewrite !nth_actm e.
- by move=> i xs h t; apply: act_typed => //; case/and4P: (key i (etrans (congr1 _ sa) h)).
- rewrite -map_take; apply: (op_check_sound hop lr) => //.
  by case: (o) IH => // f fm js *; apply: program_sound.
Qed.

Lemma all_ok js : all_instr instr_ok js.
Proof. by elim: js => //= j js IH; split=> //; apply: instr_sound. Qed.

(* The theorem that certificates instantiate. *)
Theorem check_sound p D want T' T : check F D p want -> leaf_rel D T' T ->
  forall xs, typed M xs (last_sets p) -> den T' (decode p) xs = den T (decode p) (act want xs).
Proof.
move=> h lr xs; have [/= e _ n] := program_sound (all_ok p) lr h.
by rewrite -e; apply: n.
Qed.
End Sound.

(* ---------------------------------------------------------------- what certificates instantiate *)
Definition equations_hold M (es : seq (iexp * iexp)) := forall e f, (e, f) \in es ->
  forall env, eval M env e = eval M env f.
(* Tensors that maps leave as they are, as hypotheses: PMP^T = M. *)
Definition fixes M (E : leaf_moves) (T : tensors M) := forall x s, (x, s) \in [seq d.1 | d <- E] ->
  forall y, typed M y s -> T x s y = T x s (act M (lookup E x s) y).

Lemma act_none M n xs : size xs = n -> act M (nseq n None) xs = xs.
Proof. by elim: n xs => [|n IH] [|x xs] //= [/IH]; rewrite /act /actf /= => ->. Qed.

Lemma lookup_out D x s : (x, s) \notin [seq d.1 | d <- D] -> lookup D x s = nseq (size s) None.
Proof. by move=> h; rewrite /lookup nth_default // size_map -(size_map fst) leqNgt index_mem. Qed.

Lemma lookup_cat D E x s : lookup (D ++ E) x s =
  if (x, s) \in [seq d.1 | d <- D] then lookup D x s else lookup E x s.
Proof.
rewrite /lookup !map_cat index_cat nth_cat !size_map.
case h: ((x, s) \in [seq d.1 | d <- D]); last by rewrite ltnNge leq_addr /= addKn.
by move: (h); rewrite -index_mem size_map => ->.
Qed.

Theorem certified M p D E F want (G : good M F.1) (H : equations_hold M F.2) :
  check F (D ++ E) p want -> forall T' T : tensors M, leaf_rel D T' T -> fixes E T ->
  forall xs, typed M xs (last_sets p) -> den T' (decode p) xs = den T (decode p) (act M want xs).
Proof.
move=> h T' T lr fx; apply: (check_sound G H h) => x s y ty; rewrite lookup_cat.
case: ifP => hD; first exact: lr.
rewrite (lr _ _ _ ty) (lookup_out (negbT hD)) act_none ?(typed_size ty) //.
case hE : ((x, s) \in [seq d.1 | d <- E]); first exact: fx.
by rewrite (lookup_out (negbT hE)) act_none ?(typed_size ty).
Qed.

(* ------------------------------------------------------------------ there is something to speak of *)
(* For all sizes of the index sets there is a good model, in which maps exist where any do and
   equations of places hold that hold of the identity. So `good` and `equations_hold`, which a
   certificate assumes, do not contradict each other, and do not make all values equal. *)
Definition numbers (sz : string -> nat) (maps : seq iset -> iset -> seq idx -> idx) : model :=
  @Model nat 0 (fun s => [seq I k | k <- iota 0 (sz s)]) (fun _ dom cod _ => maps dom cod)
    (fun _ _ => 0) id id nat_of_bool
    (fun f vs => if f == "mul"%string then nth 0 vs 0 * nth 0 vs 1 else sumn vs)
    (fun=> sumn) (fun _ _ _ parts _ => sumn (head [::] parts)).
(* Maps of a set to itself are the identity; others go from the k-th index to the k-th, or to the
   first where there is no k-th. *)
Definition standard (sz : string -> nat) : model :=
  let all_of := elems (numbers sz (fun _ _ => head i0)) in
  numbers sz (fun dom cod xs => if dom == [:: cod] then head i0 xs else
    nth (head i0 (all_of cod)) (all_of cod) (index (head i0 xs) (all_of (head One dom)))).
Fixpoint card (sz : string -> nat) (a : iset) : nat :=
  match a with
  | Sym s => sz s | One => 1
  | Plus b c => card sz b + card sz c | Times b c => card sz b * card sz c
  end.
(* There is such a map: it has somewhere to go, and a bijection goes to as many as it comes from. *)
Definition possible (sz : string -> nat) (m : imap) : bool :=
  if m is Symbol _ dom cod b then
    (has (fun a => card sz a == 0) dom || (0 < card sz cod)) &&
    (b ==> (card sz (head One dom) == card sz cod))
  else true.
(* An index expression without the maps of a set to itself. *)
Fixpoint strip (e : iexp) : iexp :=
  match e with
  | Ap m es => let fs := [seq strip x | x <- es] in
      if endo m then head (Ap m fs) fs else Ap m fs
  | Ax _ => e
  end.

Section Exists.
Variable sz : string -> nat.
Let M := standard sz.

Lemma size_elems a : size (elems M a) = card sz a.
Proof.
elim: a => [s||a IHa b IHb|a IHa b IHb] //=; first by rewrite size_map size_iota.
  by rewrite size_cat !size_map IHa IHb.
by rewrite size_allpairs IHa IHb.
Qed.

Lemma carriers_standard s : uniq (carrier M s).
Proof. by rewrite map_inj_uniq ?iota_uniq // => x y []. Qed.

Lemma fine_standard m : endo m || possible sz m -> fine M m.
Proof.
case: m => //= _ d c b; case: (altP (d =P [:: c])) => /= [-> _|nd /andP[some same]].
  split=> [[|x [|? ?]]|_ a [<-]]; rewrite /typed ?eqxx ?map_id //= ?andbF // ?andbT //.
have to x : 0 < card sz c ->
    nth (head i0 (elems M c)) (elems M c) (index x (elems M (head One d))) \in elems M c.
  rewrite -size_elems; case: (elems M c) => // y s _.
  by case: (ltnP (index x (elems M (head One d))) (size (y :: s))) => h;
    [exact: mem_nth | rewrite nth_default // mem_head].
split=> [xs ty|hb a ea].
  apply: to; case/orP: some => // /hasP[a ha]; rewrite -size_elems => /nilP e.
  have := ty; rewrite /typed (all2_nth _ i0 One) => /andP[/eqP sx /allP /(_ (index a d))].
  by rewrite mem_iota sx add0n index_mem nth_index // e => /(_ ha).
move: same {to some nd}; rewrite ea hb => /= /eqP same.
suff e : [seq nth (head i0 (elems M c)) (elems M c) (index x (elems M a)) | x <- elems M a] = elems M c.
  by have := perm_refl (elems M c); rewrite -[X in perm_eq X _]e.
apply: (@eq_from_nth _ (head i0 (elems M c))) => [|k]; rewrite size_map; first by rewrite !size_elems.
by move=> hk; rewrite (nth_map i0) // index_uniq // (uniq_elems carriers_standard).
Qed.

Lemma eval_strip env e : eval M env (strip e) = eval M env e.
Proof.
elim/iexp_rect': e => [//|m es IH] /=.
have e : [seq eval M env x | x <- [seq strip x | x <- es]] = [seq eval M env x | x <- es].
  rewrite -map_comp; elim: es IH => //= x es IHs IH.
  by rewrite (IH 0 isT) (IHs (fun k => IH k.+1)).
case: ifP => [|_] /=; last by rewrite e.
case: m {IH} => // f d c b; rewrite /endo; case: es e => [|x es] /=; first by [].
by case=> -> _ ->.
Qed.
End Exists.

Theorem good_exists (sz : string -> nat) C E :
  all (possible sz) C -> all (fun p => strip p.1 == strip p.2) E ->
  exists M, [/\ good M C, ring M, equations_hold M E, forall s, size (carrier M s) = sz s
    & delta M true <> delta M false].
Proof.
move=> /allP pC /allP sE; exists (standard sz); split=> //.
- split; [exact: carriers_standard | by [] | by move=> *; apply/perm_sumn/perm_map |].
  by move=> m /orP[h|/pC h]; apply: fine_standard; rewrite h ?orbT.
- split=> [x|]; first exact: mul1n.
  by exists 0; split=> // k x m; rewrite /= sumn_cat /= !sumn_nseq !mul0n addn0.
- by move=> e f /sE /eqP h env; rewrite -(eval_strip sz env e) h eval_strip.
- by move=> s; rewrite size_map size_iota.
Qed.
