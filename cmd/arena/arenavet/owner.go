package arenavet

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// An owner says in which arena the values of a field lie: the one in another field of the same
// struct. It is "" if they may lie elsewhere. Fields of a type are filled in one method and read in
// another, and a third one ends the arena.

const stepDirty = "%dirty" // somebody unknown may have filled the fields

// findOwners looks at all that is stored in fields of structs with an arena.
func (c *checker) findOwners() {
	c.owners = map[*types.Var]string{}
	for _, fn := range c.functions() {
		if stores(fn) {
			c.owning = true
			c.flow(fn)
			c.owning = false
		}
	}
	maps.DeleteFunc(c.owners, func(_ *types.Var, arena string) bool { return arena == "" })
	c.findings, c.summaries, c.recursive = nil, map[*ssa.Function]*summary{}, map[*ssa.Function]bool{}
}

// stores reports whether a function fills fields of a struct with an arena.
func stores(fn *ssa.Function) bool {
	for i := range ssas.Instrs(fn) {
		if store, ok := i.(*ssa.Store); ok {
			if field, ok := store.Addr.(*ssa.FieldAddr); ok && len(arenaFields(structOf(field.X.Type()))) > 0 {
				return true
			}
		}
	}
	return false
}

func structOf(t types.Type) *types.Struct {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, _ := t.Underlying().(*types.Struct)
	return st
}

// arenaFields returns the fields of a struct that are arenas.
func arenaFields(st *types.Struct) (all []*types.Var) {
	if st == nil {
		return nil
	}
	for f := range st.Fields() {
		if coreType(f.Type()) == "Arena" {
			all = append(all, f)
		}
	}
	return all
}

// noteOwner notes what is stored in a field.
func (f *flow) noteOwner(s *state, i *ssa.Store) {
	addr, ok := i.Addr.(*ssa.FieldAddr)
	if !ok {
		if st := structOf(i.Val.Type()); st != nil && isStruct(i.Val.Type()) && len(arenaFields(st)) > 0 && !s.get(i.Val).zero() {
			for field := range st.Fields() {
				f.c.owners[field] = ""
			}
		}
		return
	}
	st := structOf(addr.X.Type())
	field := st.Field(addr.Field)
	if known, ok := f.c.owners[field]; field.Exported() || field.Pkg() != f.c.pkg || ok && known == "" {
		return
	}
	v, base := s.get(i.Val), s.get(addr.X).ptr
	if v.zero() {
		return
	}
	f.c.owners[field] = f.ownerOf(s, st, v, base, f.c.owners[field])
}

func (f *flow) ownerOf(s *state, st *types.Struct, v av, base loc, before string) string {
	if len(v.tags) != 1 || v.other || v.tags[0].kind != inMemory || v.tags[0].end != nil || !base.known() {
		return ""
	}
	for _, a := range arenaFields(st) {
		place := base.add("." + a.Name())
		step := "." + a.Name()
		var all []*life
		if isPointer(a.Type()) {
			if x := f.load(s, place, a.Type()); !x.other {
				all = arenas(x)
			}
		} else {
			step += stepAddr
			all = arenas(f.address(av{ptr: place}, types.NewPointer(a.Type())))
		}
		if len(all) == 1 && all[0] == v.tags[0].life && (before == "" || before == step) {
			return step
		}
	}
	return ""
}

// owned returns what lies in a field whose values lie in the arena of its struct.
func (f *flow) owned(s *state, l loc) (av, bool) {
	i := strings.LastIndex(l.path, ".")
	if len(f.c.owners) == 0 || i < 0 || strings.ContainsAny(l.path, "[~%") {
		return av{}, false
	}
	st := structAt(l.root.Type(), l.path[:i])
	if st == nil {
		return av{}, false
	}
	for field := range st.Fields() {
		step := f.c.owners[field]
		if field.Name() != l.path[i+1:] || step == "" {
			continue
		}
		if _, dirty := s.mem.get(loc{l.root, stepDirty}); dirty {
			return av{}, false
		}
		for path, ok := parentPath(l.path); ok; path, ok = parentPath(path) {
			if _, found := s.mem.get(loc{l.root, path}); found {
				return av{}, false // it was stored as a whole
			}
		}
		lf := f.lifeAt(loc{l.root, l.path[:i] + step})
		t := tag{life: lf, kind: inMemory}
		if c := s.lives[lf]; c.ended != nil && !c.open {
			t.end = c.ended
		}
		return av{tags: []tag{t}, ptr: l.add(stepDeref)}, true
	}
	return av{}, false
}

// structAt returns the struct at the end of a path of fields.
func structAt(t types.Type, path string) *types.Struct {
	for name := range strings.FieldsFuncSeq(path, func(r rune) bool { return strings.ContainsRune("."+stepDeref, r) }) {
		st := structOf(t)
		if st == nil {
			return nil
		}
		n := slices.IndexFunc(slices.Collect(st.Fields()), func(f *types.Var) bool { return f.Name() == name })
		if n < 0 {
			return nil
		}
		t = st.Field(n).Type()
	}
	return structOf(t)
}
