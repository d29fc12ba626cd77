(* The rules of symbolic/calculus/kernel.py, each a lemma about meanings: `rule: NAME` names the Python rule.

   A term is here what it denotes, a function of an assignment of indices to axis names (SoundTerms.v);
   for `inst` it is an `expr`, in which terms can be put for tensors. Each lemma has as hypotheses the
   side conditions that the Python rule checks. Terms are well formed because terms.py refuses others. *)
Set Warnings "-notation-overridden".
From Coq Require Import String BinInt.
From mathcomp Require Import all_ssreflect.
From orderproof Require Import Calculus SoundMaps SoundNatural SoundTerms.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope string_scope.
Open Scope seq_scope.

(* What a theorem says: in every model of the map symbols C that it names, and for all tensors that
   satisfy its hypotheses. *)
Definition claim := forall M, tensors M -> Prop.
Definition theorem (C : seq imap) (law : bool) (G : seq claim) (E : claim) : Prop :=
  forall M, good M C -> (law -> ring M) -> forall T : tensors M,
  (forall h, List.In h G -> h M T) -> E M T.
Definition meaning := forall M, tensors M -> (name -> idx) -> value M.
Definition equal (axes : seq (name * iset)) (s t : meaning) : claim :=
  fun M T => forall env, env_ok M axes env -> s M T env = t M T env.

Lemma good_sub M C C' : {subset C <= C'} -> good M C' -> good M C.
Proof.
move=> sub [h1 h2 h3 h4]; split=> // m /orP[e|/sub h]; apply: h4; first by rewrite e.
by rewrite h orbT.
Qed.

(* rule: sym *)
Lemma sym C law G axes s t : theorem C law G (equal axes s t) -> theorem C law G (equal axes t s).
Proof. by move=> h M g l T hG env e; rewrite (h M g l T hG env e). Qed.

(* rule: trans *)
Lemma trans C C1 C2 law G axes s t u : {subset C1 <= C} -> {subset C2 <= C} ->
  theorem C1 law G (equal axes s t) -> theorem C2 law G (equal axes t u) ->
  theorem C law G (equal axes s u).
Proof.
move=> s1 s2 h1 h2 M g l T hG env e.
by rewrite (h1 M (good_sub s1 g) l T hG env e) (h2 M (good_sub s2 g) l T hG env e).
Qed.

(* rule: hyp *)
Lemma hyp C law E : theorem C law [:: E] E.
Proof. by move=> M g l T hG; apply: (hG E); left. Qed.

(* rule: discharge *)
Lemma discharge C C1 C2 law G D h E : {subset C1 <= C} -> {subset C2 <= C} ->
  theorem C1 law (h :: G) E -> theorem C2 law D h -> theorem C law (G ++ D) E.
Proof.
move=> s1 s2 h1 h2 M g l T hG.
have hd : h M T.
  apply: (h2 M (good_sub s2 g) l T) => k hk.
  exact: (hG k (List.in_or_app G D k (or_intror hk))).
apply: (h1 M (good_sub s1 g) l T) => k hk; case: (List.in_inv hk) => [<- //|hk'].
exact: (hG k (List.in_or_app G D k (or_introl hk'))).
Qed.

Definition axes_of := seq (name * iset).
Definition said (axes : axes_of) (e : expr * expr) : claim :=
  equal axes (fun M T => means T e.1) (fun M T => means T e.2).
Definition put_in us (e : expr * expr) := (rebuild us e.1, rebuild us e.2).
(* An equation of a theorem is over slots, and what it binds is fresh: no axis in it is a string. *)
Definition of_slots (axes : axes_of) (e : expr * expr) :=
  [&& unnamed e.1, unnamed e.2 & ~~ has (fun a => is_str a.1) axes].

(* A hypothesis, with its axes before and after; those of its sides are among them. *)
Record given := Given { before : axes_of; after : axes_of; sides : expr * expr }.

(* rule: inst *)
(* us says what is put for which tensors: terms whose axes are slots of these, over the same sets, or
   strings, each over one set. The conclusion keeps its axes, and may gain strings. A hypothesis may
   lose axes; the strings that it gains are axes of the conclusion. The maps of the theorem, C, are
   named by the new one. What Python checks is `fits`, `uniq`, the two conditions with axes', and the
   maps; the others hold because of how terms are built (slots, fresh objects, strings). *)
Lemma inst C C' law us (strings axes axes' : axes_of) (G : seq given) e :
  all (fits strings) us -> uniq [seq a.1 | a <- strings] -> all (fun a => is_str a.1) strings ->
  of_slots axes e -> {subset axes <= axes'} -> {subset axes' <= axes ++ strings} ->
  (forall h, List.In h G -> [/\ of_slots (before h) (sides h),
    {subset free (sides h).1 ++ free (sides h).2 <= before h}, {subset after h <= before h ++ strings}
    & {in after h, forall a, is_str a.1 -> a.1 \in [seq b.1 | b <- axes']}]) ->
  {subset C <= C'} ->
  theorem C law [seq said (before h) (sides h) | h <- G] (said axes e) ->
  theorem C' law [seq said (after h) (put_in us (sides h)) | h <- G] (said axes' (put_in us e)).
Proof.
move=> fs un strs /and3P[u1 u2 na] kept come hyps maps th M g l T hG env ok.
rewrite /= !(rebuild_means _ fs) //.
apply: (th M (good_sub maps g) l (putting us T env)) => [k|a /kept]; last exact: ok.
case/List.in_map_iff=> h [<- hin] env1 ok1.
have [/and3P[v1 v2 nb] fr new extra] := hyps h hin.
pose env2 a := if is_str a then env a else env1 a.
have ok2 : env_ok M (after h) env2.
  move=> -[a s] ha; rewrite /env2 /=; case sa: (is_str a); last first.
    move: (new _ ha); rewrite mem_cat => /orP[/ok1 //|/(allP strs)]; by rewrite /= sa.
  have notin (xs : axes_of) c : ~~ has (fun a => is_str a.1) xs -> (a, c) \in xs -> False.
    by move=> /hasPn n /n; rewrite /= sa.
  have hs : (a, s) \in strings.
    by move: (new _ ha); rewrite mem_cat => /orP[/(notin _ _ nb)|].
  have /mapP[[b c] hb eb] := extra _ ha sa; rewrite /= in eb; subst b.
  have hc : (a, c) \in strings.
    by move: (come _ hb); rewrite mem_cat => /orP[/(notin _ _ na)|].
  have <- : c = s; last exact: (ok _ hb).
  have i1 : index (a, s) strings = index (a, c) strings.
    apply/eqP; rewrite -(nth_uniq a _ _ un) ?size_map ?index_mem //.
    by rewrite !(nth_map (a, s)) ?index_mem // !nth_index.
  by have := nth_index (a, s) hs; rewrite i1 nth_index // => -[].
have := hG (said (after h) (put_in us (sides h))).
move/(_ (List.in_map (fun h => said (after h) (put_in us (sides h))) _ _ hin) env2 ok2).
rewrite /= !(rebuild_means _ fs) // => eq2.
have to1 d : {subset free d <= before h} ->
    means (putting us T env) d env1 = means (putting us T env2) d env2.
  move=> fd; apply: means_ext => [|a /fd ha].
    by apply: (putting_ext _ fs) => a sa; rewrite /env2 sa.
  by rewrite /env2; case: ifP => // sa; case/hasP: nb; exists a.
by rewrite !to1 // => a ha; apply: fr; rewrite mem_cat ha ?orbT.
Qed.

Section Rules.
Variables (M : model) (C : seq imap).
Hypothesis G : good M C.
Let U := carriers_uniq G.
Implicit Types (T : tensors M) (env : name -> idx).
Notation here := (SoundTerms.here M).

Definition put (a : name) (e : iexp) : name -> iexp := fun x => if x == a then e else Ax x.
Definition fresh (inner : seq name) (e : iexp) :=
  forall env b, eval M (bind inner b env) e = eval M env e.

Lemma ext axes (t : here) x y : depends axes t -> x =1 y -> t x = t y.
Proof. by move=> d e; apply: d => a _. Qed.

(* rule: cong *)
Lemma cong T o (ps qs : seq here) bound names env : size ps = size qs ->
  (forall i b, i < size (binds o) -> typed M b (nth [::] (binds o) i) ->
    part [seq fun b => p.1 (bind p.2 b env) | p <- zip ps bound] i b =
    part [seq fun b => p.1 (bind p.2 b env) | p <- zip qs bound] i b) ->
  Build T o ps bound names env = Build T o qs bound names env.
Proof.
move=> s h; have sz : size [seq fun b => p.1 (bind p.2 b env) | p <- zip ps bound] =
    size [seq fun b => p.1 (bind p.2 b env) | p <- zip qs bound] by rewrite !size_map !size_zip s.
apply: sem_ext; first by rewrite !size_map !size_zip !size_map !size_zip s.
exact: part_clamp_ext.
Qed.

(* rule: at_op *)
Lemma at_op T o (ps : seq (here * seq name)) bound names s new env :
  [seq s a | a <- names] = [seq Ax a | a <- new] -> size ps = size bound ->
  (forall i, i < size ps -> let p := nth (fun=> junk M, [::]) ps i in let inner := nth [::] bound i in
    depends p.2 p.1 /\ forall a, a \in p.2 -> if a \in inner then s a = Ax a else fresh inner (s a)) ->
  Subst s (Build T o [seq p.1 | p <- ps] bound names) env =
  Build T o [seq Subst s p.1 | p <- ps] bound new env.
Proof.
move=> hn sz hp; rewrite /Subst /Build.
have -> : [seq eval M env (s a) | a <- names] = [seq env a | a <- new].
  by rewrite (map_comp (eval M env) s) hn -map_comp.
apply: sem_ext; first by rewrite !size_map !size_zip !size_map !size_zip !size_map.
apply: part_clamp_ext => [|i b _ _]; first by rewrite !size_map !size_zip !size_map.
elim: ps bound sz hp i => [|[t ax] ps IH] [|inner bound] //= [sz] hp [|i].
  have [d h] := hp 0 isT; apply: d => a ha; have := h a ha; rewrite /bind.
  by case: ifP => [hi -> /=|_ ->] //; rewrite hi.
by apply: IH => // j hj; apply: (hp j.+1).
Qed.

(* rule: normal *)
Lemma normal_rule env e a : st M env e a -> eval M env (normal e) = eval M env e.
Proof. by case/(normal_sound U). Qed.

(* rule: at_at *)
Lemma at_at (t : here) (axes : seq (name * iset)) s r env : depends [seq u.1 | u <- axes] t ->
  (forall u, u \in axes -> st M env (subst r (s u.1)) u.2) ->
  Subst r (Subst s t) env = Subst (fun a => normal (subst r (s a))) t env.
Proof.
move=> d ty; apply: d => _ /mapP[u hu ->].
by have [_ ->] := normal_sound U (ty u hu); rewrite eval_subst.
Qed.

(* rule: unfold *)
Lemma unfold T f formals body fs y :
  sem T (Apply f formals body) fs y = den (formal_tensors formals fs) body y.
Proof. by []. Qed.

(* rule: at_cat *)
(* c, the axis of the whole, is new: it is none of the axes of s and t. *)
Lemma at_cat T (s t : here) sa ta a b c f g env : depends sa s -> depends ta t ->
  c \notin sa -> c \notin ta ->
  let whole A B := Build T (Cat A B) [:: s; t] [:: [:: a]; [:: b]] [:: c] in
  [/\ forall A B, env a \in elems M A -> Subst (put c (Ap (Inl A B) [:: Ax a])) (whole A B) env = s env,
      forall A B, env b \in elems M B -> Subst (put c (Ap (Inr A B) [:: Ax b])) (whole A B) env = t env
    & map_ok (Beside f g) -> mfine M (Beside f g) -> let m := Beside f g in
      env c \in elems M (head One (dom m)) ->
      Subst (put c (Ap m [:: Ax c])) (whole (cod f) (cod g)) env =
      Build T (Cat (head One (dom f)) (head One (dom g)))
        [:: Subst (put a (Ap f [:: Ax a])) s; Subst (put b (Ap g [:: Ax b])) t]
        [:: [:: a]; [:: b]] [:: c] env].
Proof.
move=> ds dt cs ct whole; have new (axes : seq name) x : c \notin axes -> x \in axes -> (x == c) = false.
  by move=> h hx; apply/negbTE; apply: contraNneq h => <-.
have once (u : here) (axes : seq name) x e : depends axes u -> c \notin axes ->
    u (bind [:: x] [:: env x] (fun y => eval M env (put c e y))) = u env.
  move=> d h; apply: d => y hy; rewrite /bind inE /put (new axes) //.
  by case: eqP => [->|] //=; rewrite eqxx.
split=> [A B hx|A B hx|ok F m].
- by rewrite /Subst /whole /Build /= {1}/put eqxx /part /= /clamp1 typed1 hx; apply: once ds cs.
- by rewrite /Subst /whole /Build /= {1}/put eqxx /part /= /clamp1 typed1 hx; apply: once dt ct.
have /and4P[okf okg /eqP sf /eqP sg] := ok.
have Ff : mfine M f by move=> x hx; apply: F; rewrite /= mem_cat hx.
have Fg : mfine M g by move=> x hx; apply: F; rewrite /= mem_cat hx orbT.
have [[tf _] [tg _]] := (map_sound U okf Ff, map_sound U okg Fg).
have df : dom f = [:: head One (dom f)] by case: (dom f) sf => [|? [|? ?]].
have dg : dom g = [:: head One (dom g)] by case: (dom g) sg => [|? [|? ?]].
have -> : head One (dom m) = Plus (head One (dom f)) (head One (dom g)).
  by rewrite /m /dom /=; case: (map_type f) => [[? ?] ?]; case: (map_type g) => [[? ?] ?].
have moved (u : here) (axes : seq name) x h z : depends axes u -> c \notin axes ->
    u (bind [:: x] [:: mapden M h [:: z]] (fun y => eval M env (put c (Ap m [:: Ax c]) y))) =
    Subst (put x (Ap h [:: Ax x])) u (bind [:: x] [:: z] env).
  move=> d hc; apply: d => y hy; rewrite /bind /put !inE (new axes y) //.
  by case: eqP => [->|n] /=; rewrite ?inE ?eqxx ?(introF eqP n).
rewrite /= mem_cat /Subst /whole /Build /= {1}/put eqxx /=.
case/orP=> /mapP[z hz ->]; rewrite /part /= /clamp1 !typed1 hz.
- by have := tf [:: z]; rewrite df typed1 => /(_ hz) ->; apply: moved ds cs.
- by have := tg [:: z]; rewrite dg typed1 => /(_ hz) ->; apply: moved dt ct.
Qed.

(* rule: at_equal *)
Lemma at_equal (t : here) axes a A e f env : depends axes t ->
  eval M env e \in elems M A -> eval M env f \in elems M A ->
  iota_ M (index (eval M env e) (elems M A)) = iota_ M (index (eval M env f) (elems M A)) ->
  Subst (put a e) t env = Subst (put a f) t env.
Proof.
move=> d he hf /(iota_inj G) h; apply: (ext d) => x; rewrite /put; case: eqP => // _ /=.
by rewrite -(nth_index i0 he) h nth_index.
Qed.

(* rule: reindex *)
Lemma reindex T kind (t : here) axes j m env : map_ok m -> mfine M m -> bij m -> depends axes t ->
  Build T (Reduce kind (cod m)) [:: t] [:: [:: j]] [::] env =
  Build T (Reduce kind (head One (dom m))) [:: Subst (put j (Ap m [:: Ax j])) t] [:: [:: j]] [::] env.
Proof.
move=> ok F b de; have [d _ mem p] := bijP U ok F b.
rewrite /Build /= /part /=; rewrite -(reduce_perm G _ _ p) -map_comp; congr (reduce _ _ _).
apply/eq_in_map=> x hx /=; rewrite /clamp1 !typed1 hx mem //; apply: (ext de) => y.
by rewrite /put /bind !inE; case: eqP => [->|n] /=; rewrite ?inE ?eqxx ?(introF eqP n).
Qed.

(* rule: at_delta *)
Lemma at_delta T m a b env : map_ok m -> mfine M m -> bij m ->
  env a \in elems M (head One (dom m)) -> env b \in elems M (head One (dom m)) ->
  sem T (Delta (cod m)) [::] [:: mapden M m [:: env a]; mapden M m [:: env b]] =
  sem T (Delta (head One (dom m))) [::] [:: env b; env a].
Proof.
move=> ok F h ha hb; have [_ inj _ _] := bijP U ok F h; congr (delta _ _) => /=.
by apply/eqP/eqP=> [/inj ->|->].
Qed.

(* rule: sum_delta *)
Lemma sum_delta T (t : here) axes j a e env : ring M -> depends axes t -> eval M env e \in elems M a ->
  sem T (Reduce Sum a) [:: fun b => pointwise M "mul"
    [:: delta M (eval M env e == nth i0 b 0); t (bind [:: j] b env)]] [::] =
  Subst (put j e) t env.
Proof.
case=> one [zero [hz hs]] d he; rewrite /= /part /=.
have := uniq_elems U a; set x := eval M env e in he *; case/splitPr: he => p q.
rewrite cat_uniq /= negb_or => /and3P[_ /andP[nx _] /andP[nq _]].
have nul s : x \notin s -> [seq pointwise M "mul" [:: delta M (x == i);
    t (bind [:: j] [:: i] env)] | i <- s] = nseq (size s) zero.
  elim: s => //= y s IH; rewrite inE negb_or => /andP[ne /IH ->].
  by rewrite (negbTE ne) hz.
rewrite map_cat /= nul // nul // eqxx one hs; apply: (ext d) => y.
by rewrite /bind /put !inE; case: eqP => [->|n] /=; rewrite ?eqxx.
Qed.
End Rules.
