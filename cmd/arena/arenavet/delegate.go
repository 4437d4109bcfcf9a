package arenavet

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/arena-go/arena/cmd/arena/internal/names"
	"github.com/arena-go/arena/cmd/arena/internal/ssas"
)

// Paths of what a logger has, and of the attributes of a record, which are copied with it.
const (
	stepHandler = ".handler"
	stepAttrs   = ".back"
)

// delegates is for functions of the standard library that call a method of the package: of a
// handler of a logger, or of the transport of a client.
func (f *flow) delegates(s *state, obj *types.Func, args []ssa.Value, at ssa.Instruction) {
	switch names.Package(obj) {
	case "log/slog":
		recv := obj.Signature().Recv()
		record, ok := f.record(s, args)
		if !ok || recv == nil || !names.Is(recv.Type(), "log/slog", "Logger") {
			return
		}
		if _, made := s.mem.get(s.get(args[0]).ptr.add(stepHandler)); made || record.tagged() { // the handler may have something, too
			f.callMethod(s, f.handlerOf(s, args[0]), "Handle", []av{unknown, record}, at)
		}
	case "net/http":
		if names.Path(obj) == "net/http.Client.Do" {
			transport := f.load(s, s.get(args[0]).ptr.add(".Transport"), types.Typ[types.String])
			f.callMethod(s, transport, "RoundTrip", []av{s.get(args[1])}, at)
		}
	case "sort":
		for _, arg := range args {
			f.callsBack(s, arg, at)
		}
	}
}

// callMethod calls a method of what is in an interface, if its type is known.
func (f *flow) callMethod(s *state, v av, name string, args []av, at ssa.Instruction) []av {
	results, _ := f.invoke(s, f.methodsOf(v, name), append([]av{v}, args...), at, loc{valueOf(at), f.nest + "%r"}, nil, false)
	return results
}

// record returns the record that a method of a logger makes of its arguments.
func (f *flow) record(s *state, args []ssa.Value) (av, bool) {
	for n, arg := range args {
		if b, ok := arg.Type().Underlying().(*types.Basic); ok && b.Kind() == types.String {
			return av{sub: map[string]av{".Message": s.get(arg), stepAttrs: held(s, args[n+1:])}}, true
		}
	}
	return unknown, false
}

// handler stands for the handler of a logger that is made elsewhere.
const handler = captured + " handler"

// handlerOf returns the handler of a logger. If that lies in a field or a variable of the package,
// it is the one with which all are made that are stored there.
func (f *flow) handlerOf(s *state, logger ssa.Value) av {
	l := s.get(logger).ptr
	if v, ok := s.mem.get(l.add(stepHandler)); ok {
		return v
	}
	load, ok := logger.(*ssa.UnOp)
	if !ok {
		return unknown
	}
	typ, known := f.c.handlers[load.X]
	if !known {
		if f.c.handlers == nil {
			f.c.handlers = map[ssa.Value]types.Type{}
		}
		typ = f.c.handlerIn(load.X)
		f.c.handlers[load.X] = typ
	}
	if typ == nil {
		return unknown
	}
	return av{other: true, dyn: []types.Type{typ}, ptr: loc{f.c.global(handler), ""}}
}

// handlerIn returns the type of the handlers with which all loggers are made that are stored at an
// address, or nil.
func (c *checker) handlerIn(addr ssa.Value) (typ types.Type) {
	field := fieldOf(addr)
	for _, fn := range append(slices.Clip(c.functions()), c.ssa.Func("init")) {
		for i := range ssas.Instrs(fn) {
			store, ok := i.(*ssa.Store)
			if !ok || store.Addr != addr && (field == nil || fieldOf(store.Addr) != field) {
				continue
			}
			call, ok := store.Val.(*ssa.Call)
			if !ok || names.Path(ssas.Callee(&call.Call)) != "log/slog.New" {
				return nil
			}
			m, ok := call.Call.Args[0].(*ssa.MakeInterface)
			if !ok || typ != nil && !types.Identical(typ, m.X.Type()) {
				return nil
			}
			typ = m.X.Type()
		}
	}
	return typ
}

// makesLogger notes which handler a logger has that a call returns.
func (f *flow) makesLogger(s *state, obj *types.Func, args []ssa.Value, at ssa.Instruction, logger loc) {
	switch names.Path(obj) {
	case "log/slog.New":
		s.mem.set(logger.add(stepHandler), s.get(args[0]))
	case "log/slog.Logger.With":
		h := f.handlerOf(s, args[0])
		if results := f.callMethod(s, h, "WithAttrs", []av{f.attrs(s, args[1:], logger)}, at); len(results) > 0 {
			h = results[0]
		}
		s.mem.set(logger.add(stepHandler), h)
	}
}

// attrs returns a slice of attributes that refer to some values.
func (f *flow) attrs(s *state, args []ssa.Value, place loc) av {
	v := av{ptr: place.add("%attrs")}
	s.setElements(v.ptr, held(s, args))
	return v
}
