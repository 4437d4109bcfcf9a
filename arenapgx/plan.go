package arenapgx

import (
	"hash/maphash"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// A plan is how rows with certain columns are decoded into values of one Go type. It does not
// change, and decoders in many goroutines use it.
type plan struct {
	columns []column
	targets []reflect.Type               // of the variables of Scan; nil for one that is left out
	fields  []pgconn.FieldDescription    // what the columns are
	types   []*pgtype.Type               // of the columns, as the Map had them; nil where it had none
	usual   bool                         // the Map had pgx's own functions, and those that the caller had added in front of them
	added   []pgtype.TryWrapScanPlanFunc // the latter: while they are kept, no others come to lie where they do
	asked   []question                   // what the latter were asked
	slabs   []reflect.Type               // what arrays and pointers need memory for
	texts   []int                        // the columns whose bytes are copied
	whole   bool                         // pgx decodes the rows: a type with a ScanRow, or columns that do not match
}

// A question is what functions that the caller has added to a Map were asked, and what they have
// answered.
type question struct {
	typ     reflect.Type
	claimed bool
}

// A planKey says which plans may be used: those for a type, a way to match columns, and columns
// with certain names, types and formats.
type planKey struct {
	typ   reflect.Type // of what a row becomes, or a struct with the types of the variables of Scan
	match Match
	hash  uint64
}

// maxPlans bounds the plans that are kept. A program has as many as it has queries. If it makes up
// columns as it goes, all are made anew from time to time.
const maxPlans = 4096

var (
	plans    sync.Map // of *atomic.Pointer[plan], by planKey
	planned  atomic.Int64
	hashSeed = maphash.MakeSeed()
)

// hashOf returns a hash of what the columns are.
func hashOf(fields []pgconn.FieldDescription) uint64 {
	h := uint64(len(fields))
	for i := range fields {
		f := &fields[i]
		h = h*0x9e3779b97f4a7c15 ^ maphash.String(hashSeed, f.Name) ^ uint64(f.DataTypeOID)<<16 ^ uint64(uint16(f.Format))
	}
	return h
}

// find returns the plan for a key and columns, which fits m, or nil.
func find(key planKey, fields []pgconn.FieldDescription, m *pgtype.Map) *plan {
	if v, ok := plans.Load(key); ok {
		if p := v.(*plan); p.fits(fields, m) {
			return p
		}
	}
	return nil
}

// keep keeps p for later, instead of another one for the key, if there is one.
func keep(key planKey, p *plan) {
	if planned.Load() >= maxPlans {
		plans.Clear()
		planned.Store(0)
	}
	if _, found := plans.Swap(key, p); !found {
		planned.Add(1)
	}
}

// fits reports whether p is right for the columns and for m, whose types may have been registered
// since p was made, or by another connection.
func (p *plan) fits(fields []pgconn.FieldDescription, m *pgtype.Map) bool {
	if len(fields) != len(p.fields) {
		return false
	}
	for i := range fields {
		f, g := &fields[i], &p.fields[i]
		if f.DataTypeOID != g.DataTypeOID || f.Format != g.Format || f.Name != g.Name {
			return false
		}
		if p.whole || p.columns[i].op == opPgx {
			continue
		}
		if t, _ := m.TypeForOID(f.DataTypeOID); !alike(m, t, p.types[i]) {
			return false
		}
	}
	n, usual := added(m)
	if usual != p.usual {
		return false
	}
	same := slices.EqualFunc(m.TryWrapScanPlanFuncs[:n], p.added, func(f, g pgtype.TryWrapScanPlanFunc) bool {
		return identity(f) == identity(g)
	})
	// Other functions may give the same answers, as those that each connection makes for itself do.
	return same || !slices.ContainsFunc(p.asked, func(q question) bool { return claimed(m, q.typ) != q.claimed })
}

// newPlan returns the plan for rows with these columns, whose values go to the places that targets
// has: pointers to what is in the variable at base, or by themselves if base is nil. It does not
// keep targets. A nil targets makes a plan for rows that pgx decodes.
func newPlan(fields []pgconn.FieldDescription, m *pgtype.Map, base any, targets []any) *plan {
	p := &plan{fields: slices.Clone(fields)}
	n, usual := added(m)
	p.usual = usual
	if !usual || len(targets) != len(fields) {
		p.whole = true
	}
	if p.whole {
		return p
	}
	p.added = slices.Clone(m.TryWrapScanPlanFuncs[:n])
	start := uintptr(0)
	if base != nil {
		start = reflect.ValueOf(base).Pointer()
	}
	for i, target := range targets {
		p.targets = append(p.targets, reflect.TypeOf(target))
		f := &fields[i]
		t, _ := m.TypeForOID(f.DataTypeOID)
		p.types = append(p.types, t)
		if target == nil || reflect.TypeOf(target).Kind() != reflect.Pointer {
			p.columns = append(p.columns, column{}) // left to pgx, which skips it or makes an error of it
			continue
		}
		c := p.columnFor(m, t, f.DataTypeOID, f.Format, reflect.TypeOf(target).Elem())
		if base != nil {
			c.offset = reflect.ValueOf(target).Pointer() - start
		}
		p.columns = append(p.columns, c)
		if c.copies() {
			p.texts = append(p.texts, i)
		}
	}
	return p
}

// copies reports whether c needs a copy of the bytes of its column, or of most of them.
func (c *column) copies() bool {
	switch c.op {
	case opText, opBytes:
		return true
	case opArray, opPointer:
		return c.elem.copies()
	case opComposite:
		return slices.ContainsFunc(c.parts, func(part column) bool { return part.copies() })
	}
	return false
}

// slabFor returns the index of t in p.slabs.
func (p *plan) slabFor(t reflect.Type) int {
	if i := slices.Index(p.slabs, t); i >= 0 {
		return i
	}
	p.slabs = append(p.slabs, t)
	return len(p.slabs) - 1
}

// A probe is a row that pgx is given to scan, to learn from it which columns go where.
type probe struct {
	fields  []pgconn.FieldDescription
	targets []any
}

var _ pgx.CollectableRow = (*probe)(nil)

func (p *probe) FieldDescriptions() []pgconn.FieldDescription { return p.fields }
func (p *probe) RawValues() [][]byte                          { return make([][]byte, len(p.fields)) }
func (p *probe) Values() ([]any, error)                       { return make([]any, len(p.fields)), nil }
func (p *probe) Scan(targets ...any) error {
	p.targets = targets
	return nil
}
