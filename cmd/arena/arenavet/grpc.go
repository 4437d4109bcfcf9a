package arenavet

import (
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"
	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// registers matches the generated functions that register a server.
var registers = regexp.MustCompile(`^Register.*Server$`)

// servers returns the types that the package registers with a gRPC server, if it gives that the
// options of package arenagrpc.
func (c *checker) servers() map[*types.Named]bool {
	if c.registered != nil {
		return c.registered
	}
	c.registered = map[*types.Named]bool{}
	adapter := func(p *types.Package) bool { return p.Path() == corePath+"/arenagrpc" }
	if !slices.ContainsFunc(c.pkg.Imports(), adapter) {
		return c.registered
	}
	options := false
	for _, i := range c.instrs() {
		call, ok := i.(ssa.CallInstruction)
		if !ok {
			continue
		}
		fn := ssas.Callee(call.Common())
		options = options || names.Path(fn) == corePath+"/arenagrpc.ServerOptions"
		if fn == nil || !registers.MatchString(fn.Name()) {
			continue
		}
		for _, arg := range call.Common().Args {
			if n := names.Type(converted(arg).Type()); n != nil && n.Obj().Pkg() == c.pkg {
				c.registered[n] = true
			}
		}
	}
	if !options {
		clear(c.registered)
	}
	return c.registered
}

// requestOf returns the request of a gRPC method, which lies in the arena of its context, or nil.
func (f *flow) requestOf() *ssa.Parameter {
	sig, p := f.fn.Signature, f.fn.Params
	if sig.Recv() == nil || f.c.pools || len(p) != 3 || sig.Results().Len() != 2 || !f.fn.Object().Exported() {
		return nil
	}
	n := names.Type(p[0].Type())
	if n == nil || !names.Is(p[1].Type(), "context", "Context") || !isMessage(p[2].Type()) || !f.c.servers()[n] {
		return nil
	}
	return p[2]
}

// enterRequest notes that a request, and all that it leads to, lies in the arena of the context.
func (f *flow) enterRequest(s *state) {
	req := f.requestOf()
	if req == nil {
		return
	}
	ctx := loc{f.fn.Params[1], ""}
	v := av{tags: []tag{{life: f.lifeAt(ctx.add(stepCtx)), kind: inMemory}}, ptr: loc{req, ""}}
	s.set(req, v)
	v.ptr = loc{}
	s.mem.set(loc{req, stepAll}, v)
}

// getter is for a generated method that returns a field of a message.
func (f *flow) getter(s *state, fn *types.Func, args []ssa.Value) (av, bool) {
	if fn == nil || len(args) != 1 || !strings.HasPrefix(fn.Name(), "Get") || !isMessage(args[0].Type()) {
		return unknown, false
	}
	v := s.get(args[0])
	tags := v.only(func(t tag) bool { return t.kind == inMemory })
	for i := range tags {
		tags[i].deep = false
	}
	return av{tags: tags, other: v.other || len(tags) == 0}, true
}
