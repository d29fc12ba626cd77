(* The rules of symbolic/kernel.py, each a lemma about meanings: `rule: NAME` names the Python rule.

   A term is here what it denotes, a function of an assignment of indices to axis names; `Build` and
   `Subst` are the generic equation of terms.py and its `at`. Each lemma has as hypotheses the side
   conditions that the Python rule checks. Terms are well formed because terms.py refuses others. *)
Set Warnings "-notation-overridden".
From Coq Require Import String BinInt.
From mathcomp Require Import all_ssreflect.
From orderproof Require Import Calculus SoundMaps SoundNatural.

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

(* rule: inst *)
(* Index sets, map symbols and tensors become others: what holds in all models holds in the one
   where each symbol means what is put for it. *)
Lemma inst C C' law G E (on : model -> model) (by_ : forall M, tensors M -> tensors (on M)) :
  (forall M, good M C' -> good (on M) C) -> (forall M, ring M -> ring (on M)) ->
  theorem C law G E ->
  theorem C' law [seq (fun M T => h (on M) (by_ M T)) | h <- G] (fun M T => E (on M) (by_ M T)).
Proof.
move=> hg hr h M g l T hG; apply: (h (on M) (hg M g) (fun e => hr M (l e)) (by_ M T)) => k hk.
exact: (hG (fun M T => k (on M) (by_ M T)) (List.in_map (fun k M T => k (on M) (by_ M T)) _ _ hk)).
Qed.

Section Rules.
Variables (M : model) (C : seq imap).
Hypothesis G : good M C.
Let U := carriers_uniq G.
Implicit Types (T : tensors M) (env : name -> idx).
Definition here := (name -> idx) -> value M.

Definition bind (inner : seq name) (b : seq idx) env : name -> idx :=
  fun a => if a \in inner then nth i0 b (index a inner) else env a.
Definition Build T (o : op node) (ps : seq here) (bound : seq (seq name)) (names : seq name) : here :=
  fun env => sem T o (clamp (binds o) [seq fun b => p.1 (bind p.2 b env) | p <- zip ps bound])
    [seq env a | a <- names].
Definition Subst (to : name -> iexp) (t : here) : here := fun env => t (fun a => eval M env (to a)).
Definition depends (axes : seq name) (t : here) :=
  forall env env', {in axes, env =1 env'} -> t env = t env'.
Definition put (a : name) (e : iexp) : name -> iexp := fun x => if x == a then e else Ax x.
Definition fresh (inner : seq name) (e : iexp) :=
  forall env b, eval M (bind inner b env) e = eval M env e.

Lemma ext axes t x y : depends axes t -> x =1 y -> t x = t y.
Proof. by move=> d e; apply: d => a _. Qed.

Definition den_ext_at n := forall (T T' : tensors M), (forall x s y, T x s y = T' x s y) ->
  forall xs, den T n xs = den T' n xs.
Lemma sem_ext_at T T' o fs gs y : on_body den_ext_at o -> (forall x s z, T x s z = T' x s z) ->
  size fs = size gs -> (forall i b, part fs i b = part gs i b) -> sem T o fs y = sem T' o gs y.
Proof.
case: o => //= [x s|f k|k a|es old new|a c|f formals body|f bs ys] hb hT sz h.
- by rewrite /clamp1 hT.
- congr (pointwise _ _ _); apply: (@eq_from_nth _ (junk M)); rewrite !size_map // => i hi.
  by rewrite !(nth_map (fun=> junk M)) -?sz //; apply: h.
- by congr (reduce _ _ _); apply: eq_map; exact: (fun x => h 0 [:: x]).
- exact: (h 0 _).
- by case: (nth i0 y 0) => // z; [exact: (h 0 [:: z]) | exact: (h 1 [:: z])].
- by apply: hb => x s z; exact: (h _ z).
- congr (opaque _ _ _ _ _ _).
  elim: bs fs gs sz h => [|b bs IH] [|f0 fs] [|g gs] //= [sz] h; congr (_ :: _).
    by apply: eq_map => z; apply: (h 0).
  by apply: IH => // i; apply: (h i.+1).
Qed.

Lemma part_clamp_ext ss (fs gs : seq (fn M)) : size fs = size gs ->
  (forall i b, i < size ss -> typed M b (nth [::] ss i) -> part fs i b = part gs i b) ->
  forall i b, part (clamp ss fs) i b = part (clamp ss gs) i b.
Proof.
rewrite /clamp /part; elim: ss fs gs => [|s ss IH] [|f fs] [|g gs] //= [sz] h [|i] b //=.
  by rewrite /clamp1; case: ifP => // t; apply: (h 0).
by apply: IH => // j c hj t; apply: (h j.+1).
Qed.

Lemma den_sem T o args sets xs : den T (Node o args sets) xs = sem T o (clamp (binds o)
  [seq fun b => den T a.1 [seq wired xs b w | w <- a.2] | a <- args]) (take (size (yields sets_of o)) xs).
Proof. by []. Qed.

Lemma den_ext n : den_ext_at n.
Proof.
elim/node_induction: n => o args sets hb ha T T' hT xs; rewrite !den_sem.
apply: sem_ext_at => //; first by rewrite !size_map !size_zip !size_map.
apply: part_clamp_ext; rewrite ?size_map // => i b _ _.
by elim: args ha i => [|a args IH] //= [h1 h2] [|i]; [apply: h1 | apply: IH].
Qed.

Lemma sem_ext T o fs gs y : size fs = size gs -> (forall i b, part fs i b = part gs i b) ->
  sem T o fs y = sem T o gs y.
Proof. by move=> s h; apply: sem_ext_at => //; case: o => //= f fm b; apply: den_ext. Qed.

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
Lemma at_at t (axes : seq (name * iset)) s r env : depends [seq u.1 | u <- axes] t ->
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
