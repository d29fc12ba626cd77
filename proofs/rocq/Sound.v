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

(* ------------------------------------------------------------------------------- stacks *)
(* A term does not look at the tensor x over ss. *)
Definition but x ss M (T T' : tensors M) := forall x' s' y, (x', s') != (x, ss) -> T x' s' y = T' x' s' y.
Definition without x ss (t : meaning) := forall M T T' env, @but x ss M T T' -> t M T env = t M T' env.
Definition assumed_without x ss (h : claim) := forall M T T', @but x ss M T T' -> h M T -> h M T'.

(* The weights of a layer: a part, the axes that are bound in it, and the axes that it has; those that
   are not bound are none of `taken`. *)
Record weight := Weight { said_by : meaning; own : seq name; its : seq name }.
Definition weight_ok x ss (l : name) (taken : seq name) (f : string * seq iset) (w : weight) :=
  [/\ without x ss (said_by w), forall M (T : tensors M), depends (its w) (said_by w T), size (own w) = size f.2,
    l \notin own w & {in its w, forall c, c \notin own w -> c \notin taken}].
Fixpoint all_weights P (fs : seq (string * seq iset)) (ws : seq weight) : Prop :=
  match fs, ws with
  | f :: fs', w :: ws' => P f w /\ all_weights P fs' ws'
  | [::], [::] => True
  | _, _ => False
  end.

Section Layers.
Variables (x : string) (ss : seq iset) (l : name) (a : iset) (y z : seq name) (m : name -> iexp).
Definition tokens : meaning := fun M T => Build T (Leaf x ss) [::] [::] z.
Definition lhs_of o (ws : seq weight) (bound : seq (seq name)) : meaning := fun M T =>
  Build T o (Subst m (tokens T) :: [seq said_by w T | w <- ws]) (y :: bound) y.
Definition rhs_of o (ws : seq weight) (bound : seq (seq name)) : meaning := fun M T =>
  Subst m (Build T o (tokens T :: [seq said_by w T | w <- ws]) (z :: bound) z).
End Layers.

Lemma but_refl x ss M (T : tensors M) : but x ss T T.
Proof. by []. Qed.

Lemma eval_all M env env' e : env =1 env' -> eval M env e = eval M env' e.
Proof.
move=> h; elim/iexp_rect': e => [c|f es IH] /=; first exact: h.
congr (mapden M f _); elim: es IH => //= e es IHs IH.
by rewrite (IH 0 isT) (IHs (fun k => IH k.+1)).
Qed.

(* The tokens of a layer in place of the tensor x over ss. *)
Definition putting_tokens x ss M (T : tensors M) (v : fn M) : tensors M :=
  fun x' s' => if (x', s') == (x, ss) then v else T x' s'.

Lemma putting_but x ss M (T : tensors M) v : but x ss (putting_tokens x ss T v) T.
Proof. by move=> x' s' b /negbTE; rewrite /putting_tokens => ->. Qed.

Lemma but_sym x ss M (T T' : tensors M) : but x ss T T' -> but x ss T' T.
Proof. by move=> h x' s' b ne; rewrite h. Qed.

(* What stands in a bound part, looked up by its index. *)
Lemma bind_mem inner b env c : c \in inner -> bind inner b env c = nth i0 b (index c inner).
Proof. by rewrite /bind => ->. Qed.
Lemma bind_not inner b env c : c \notin inner -> bind inner b env c = env c.
Proof. by rewrite /bind => /negbTE->. Qed.
Lemma bind_rcons inner l b v env c : size b = size inner -> l \notin inner ->
  bind (rcons inner l) (rcons b v) env c = bind inner b (bind [:: l] [:: v] env) c.
Proof.
move=> sz nl; rewrite /bind mem_rcons inE -!cats1 index_cat nth_cat.
case: (boolP (c \in inner)) => hc; first by rewrite orbT sz index_mem hc.
by rewrite orbF inE sz; case: eqP => [->|//]; rewrite /= eqxx addn0 ltnn subnn.
Qed.
Lemma bind_self inner env c : uniq inner -> bind inner [seq env a | a <- inner] env c = env c.
Proof.
by move=> u; rewrite /bind; case: ifP => // h; rewrite (nth_map c) ?index_mem // nth_index.
Qed.
Lemma map_bind inner b env : uniq inner -> size b = size inner -> [seq bind inner b env c | c <- inner] = b.
Proof.
move=> u sz; apply: (@eq_from_nth _ i0); rewrite size_map -?sz // => k hk.
have hk' : k < size inner by rewrite -sz.
rewrite (nth_map (Slot 0)) // bind_mem ?mem_nth // index_uniq //.
Qed.

Lemma all_weights_size P fs ws : all_weights P fs ws -> size ws = size fs.
Proof. by elim: fs ws => [|f fs IH] [|w ws] //= [_ /IH ->]. Qed.

Lemma weight_at M (T T' : tensors M) x ss l taken f w env env1 b v :
  weight_ok x ss l taken f w -> but x ss T' T -> size b = size f.2 ->
  (forall c, c \notin taken -> env1 c = bind [:: l] [:: v] env c) ->
  said_by w T' (bind (own w) b env1) = said_by w T (bind (rcons (own w) l) (rcons b v) env).
Proof.
case=> wo dep so nl free h sb e; rewrite (wo _ _ _ _ h); apply: dep => c hc.
rewrite bind_rcons ?sb ?so //; case: (boolP (c \in own w)) => hw; first by rewrite !bind_mem.
by rewrite !(bind_not _ _ hw); apply: e; apply: free.
Qed.

Lemma weights_at M (T T' : tensors M) x ss l a taken fs ws env env1 v i b :
  all_weights (weight_ok x ss l taken) fs ws -> but x ss T' T -> v \in elems M a ->
  (forall c, c \notin taken -> env1 c = bind [:: l] [:: v] env c) ->
  i < size fs -> typed M b (nth [::] [seq f.2 | f <- fs] i) ->
  part (clamp [seq f.2 | f <- fs] [seq fun b => said_by w T' (bind (own w) b env1) | w <- ws]) i b =
  part [seq fun b => h (rcons b v) | h <- clamp [seq rcons f.2 a | f <- fs]
    [seq fun b => said_by w T (bind (rcons (own w) l) b env) | w <- ws]] i b.
Proof.
move=> ok h hv e; elim: fs ws i ok => [|f fs IH] [|w ws] [|i] //= [ok oks] hi t; last exact: IH.
rewrite /part /= /clamp1 typed_rcons ?(typed_size t) // hv t /=.
exact: weight_at ok h (typed_size t) e.
Qed.

Lemma layer_same M (T T' : tensors M) x ss l a taken f0 fs ws env env1 v (st st' st0 : fn M) :
  all_weights (weight_ok x ss l taken) fs ws -> but x ss T' T -> v \in elems M a ->
  (forall c, c \notin taken -> env1 c = bind [:: l] [:: v] env c) ->
  (forall b, typed M b f0.2 -> st b = st' b) ->
  same_tensors
    (formal_tensors (f0 :: fs) (clamp (f0.2 :: [seq f.2 | f <- fs])
      (st :: [seq fun b => said_by w T' (bind (own w) b env1) | w <- ws])))
    (formal_tensors (f0 :: fs) (at_layer (clamp (f0.2 :: [seq rcons f.2 a | f <- fs])
      (st0 :: [seq fun b => said_by w T (bind (rcons (own w) l) b env) | w <- ws])) st' v)).
Proof.
move=> ok h hv e est x1 s1 b t; rewrite /formal_tensors.
have sw := all_weights_size ok.
case: (ltnP (index (x1, s1) (f0 :: fs)) (size (f0 :: fs))) => hi; last first.
  by rewrite /part !nth_default //= ?size_map ?size_zip ?size_map ?sw ?minnn.
have : (nth f0 (f0 :: fs) (index (x1, s1) (f0 :: fs))).2 = s1.
  by rewrite (nth_index f0) // -index_mem.
case: (index _ _) hi => [|i] /=; first by move=> _ e0; rewrite /part /= /clamp1 e0 t; apply: est; rewrite e0.
rewrite ltnS => hi e1; have e2 : nth [::] [seq f.2 | f <- fs] i = s1 by rewrite (nth_map f0).
by apply: weights_at ok h hv e hi _; rewrite e2.
Qed.

Lemma zip_weights M (F : weight -> here M) (B : weight -> seq name) env ws :
  [seq fun b => p.1 (bind p.2 b env) | p <- zip [seq F w | w <- ws] [seq B w | w <- ws]] =
  [seq fun b => F w (bind (B w) b env) | w <- ws].
Proof. by elim: ws => //= w ws ->. Qed.

(* rule: iterate *)
(* f and g are the definitions D and E; y and z name the axes that they yield, and m says what E's
   are in terms of D's. *)
Lemma iterate C law G (axes : axes_of) x ss l a y z m f fd0 fd bd g fe0 fe be (qs ps : seq weight) :
  fd0.2 = sets_of bd -> fe0.2 = ss -> sets_of be = ss ->
  uniq y -> uniq z -> size y = size (sets_of bd) -> size z = size ss ->
  (* y are axes, over the sets that D yields *)
  {subset zip y (sets_of bd) <= axes} -> {in axes, forall u, u.1 \in y -> u \in zip y (sets_of bd)} ->
  l \notin [seq c.1 | c <- axes] -> l \notin y -> l \notin z ->
  (* m: E's axes alone, of the right sets, the same in each layer *)
  (forall c, c \notin z -> m c = Ax c) ->
  (forall M env v, {in z, forall c, eval M (bind [:: l] [:: v] env) (m c) = eval M env (m c)}) ->
  (forall M env, good M C -> env_ok M axes env -> typed M [seq eval M env (m c) | c <- z] ss) ->
  (* S = the tensor x over ss is not in the weights, and not in what is assumed *)
  all_weights (weight_ok x ss l y) fd qs -> all_weights (weight_ok x ss l (y ++ z)) fe ps ->
  (forall h, List.In h G -> assumed_without x ss h) ->
  theorem C law G (equal ((l, a) :: axes)
    (lhs_of x ss y z m (Apply f (fd0 :: fd) bd) qs [seq own w | w <- qs])
    (rhs_of x ss z m (Apply g (fe0 :: fe) be) ps [seq own w | w <- ps])) ->
  theorem C law G (equal axes
    (lhs_of x ss y z m (Iterate f (fd0 :: fd) bd a) qs [seq rcons (own w) l | w <- qs])
    (rhs_of x ss z m (Iterate g (fe0 :: fe) be a) ps [seq rcons (own w) l | w <- ps])).
Proof.
move=> ed ee eb uy uz sy sz suby ydom lax ly lz mid mfresh mtyped okq okp okG th M gM la T hG env ok.
pose mm b := [seq eval M (bind y b env) (m c) | c <- z].
have okb b : typed M b (sets_of bd) -> env_ok M axes (bind y b env).
  move=> t [c s] hc /=; case: (boolP (c \in y)) => hy; last by rewrite bind_not //; apply: (ok _ hc).
  have /(nthP (c, One))[k] := ydom _ hc hy; rewrite size_zip sy minnn => hk.
  rewrite nth_zip // => -[e1 <-]; rewrite bind_mem // -e1 index_uniq ?sy //.
  exact: typed_nth.
have tmm b : typed M b (sets_of bd) -> typed M (mm b) ss by move=> t; apply: mtyped => //; apply: okb.
set FD := clamp (fd0.2 :: [seq rcons f.2 a | f <- fd])
  ((fun b => Subst m (tokens x ss z T) (bind y b env)) ::
   [seq fun b => said_by w T (bind (rcons (own w) l) b env) | w <- qs]).
pose env0 c := eval M env (m c).
set FE := clamp (fe0.2 :: [seq rcons f.2 a | f <- fe])
  ((fun b => tokens x ss z T (bind z b env0)) ::
   [seq fun b => said_by w T (bind (rcons (own w) l) b env0) | w <- ps]).
have tokensE (T1 : tensors M) env1 : tokens x ss z T1 env1 = clamp1 ss (T1 x ss) [seq env1 c | c <- z] by [].
suff all (ls : seq idx) (X' X : fn M) : {subset ls <= elems M a} ->
    (forall b, typed M b (sets_of bd) -> X' b = X (mm b)) -> forall b, typed M b (sets_of bd) ->
    foldl (fun X v => den (formal_tensors (fd0 :: fd) (at_layer FD X v)) bd) X' ls b =
    foldl (fun X v => den (formal_tensors (fe0 :: fe) (at_layer FE X v)) be) X ls (mm b).
  have tb : typed M [seq env c | c <- y] (sets_of bd).
    apply: typedP => [|k hk]; first by rewrite size_map.
    rewrite (nth_map (Slot 0)) ?sy //.
    apply: (ok (nth (Slot 0) y k, nth One (sets_of bd) k)); apply: suby.
    by rewrite -nth_zip // mem_nth // size_zip sy minnn.
  have eb0 : mm [seq env c | c <- y] = [seq env0 c | c <- z].
    by apply: eq_map => c; apply: eval_all => k; apply: bind_self.
  have start b : typed M b (sets_of bd) -> part FD 0 b = part FE 0 (mm b).
    move=> t; rewrite /part /= /clamp1 ed t ee tmm // /Subst !tokensE.
    by rewrite map_bind // size_map.
  have := all (elems M a) (part FD 0) (part FE 0) (fun _ h => h) start _ tb.
  by rewrite eb0 /lhs_of /rhs_of /Subst /Build /= !zip_weights.
elim: ls X' X => [|v ls IH] X' X sub start b t; first exact: start.
have hv : v \in elems M a by apply: sub; apply: mem_head.
apply: IH => // [k hk|{}b {}t]; first by apply: sub; rewrite inE hk orbT.
pose T' := putting_tokens x ss T X.
have bT : but x ss T' T by apply: putting_but.
have T'x : T' x ss = X by rewrite /T' /putting_tokens eqxx.
pose env' := bind [:: l] [:: v] (bind y b env).
have ok' : env_ok M ((l, a) :: axes) env'.
  move=> c; rewrite inE => /orP[/eqP->|hc] /=; first by rewrite /env' /bind /= inE eqxx.
  rewrite /env' bind_not; first exact: (okb b t _ hc).
  by rewrite inE; apply: contraNneq lax => <-; apply: map_f.
have hG' h : List.In h G -> h M T'.
  by move=> hin; apply: (okG _ hin _ _ _ (but_sym bT)); apply: hG.
have out c : c \notin y -> env' c = bind [:: l] [:: v] env c.
  by move=> hc; rewrite /env' /bind inE; case: eqP => // _; rewrite (negbTE hc).
have e1 : [seq env' c | c <- y] = b.
  rewrite -[RHS](@map_bind y b env) ?(typed_size t) //; apply/eq_in_map => c hc.
  by rewrite /env' bind_not // inE; apply: contraNneq ly => <-.
have moved b1 : [seq eval M (bind y b1 env') (m c) | c <- z] = mm b1.
  apply/eq_in_map => c hc; rewrite -(mfresh M (bind y b1 env) v c hc); apply: eval_all => k.
  case: (boolP (k \in y)) => hk; last first.
    by rewrite (bind_not _ _ hk) out // /bind inE; case: eqP => // _; rewrite (negbTE hk).
  rewrite bind_mem // bind_not ?bind_mem // inE; by apply: contraNneq ly => <-.
have e2 : [seq eval M env' (m c) | c <- z] = mm b.
  by apply/eq_in_map => c hc; rewrite -(mfresh M (bind y b env) v c hc).
have := th M gM la T' hG' env' ok'.
rewrite /lhs_of /rhs_of /Subst /Build /= !zip_weights e1 e2.
have estD b1 : typed M b1 fd0.2 -> tokens x ss z T' (fun c => eval M (bind y b1 env') (m c)) = X' b1.
  by rewrite ed => t1; rewrite tokensE moved T'x /clamp1 tmm // start.
have estE b1 : typed M b1 fe0.2 -> tokens x ss z T' (bind z b1 (fun c => eval M env' (m c))) = X b1.
  by rewrite ee => t1; rewrite tokensE T'x map_bind ?(typed_size t1) // /clamp1 t1.
have outE c : c \notin y ++ z -> eval M env' (m c) = bind [:: l] [:: v] env0 c.
  rewrite mem_cat negb_or => /andP[hy hz]; rewrite mid // /= out //.
  by rewrite /bind; case: ifP => //; rewrite /env0 mid.
rewrite (@den_ext M bd _ _ (@layer_same M T T' x ss l a y fd0 fd qs env env' v _ X'
  (fun b => Subst m (tokens x ss z T) (bind y b env)) okq bT hv out estD)).
by rewrite (@den_ext M be _ _ (@layer_same M T T' x ss l a (y ++ z) fe0 fe ps env0 _ v _ X
  (fun b => tokens x ss z T (bind z b env0)) okp bT hv outE estE)).
Qed.
