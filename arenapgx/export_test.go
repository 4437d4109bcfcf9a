package arenapgx

import (
	"reflect"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// PlanOf returns the plan for rows with fields that become a T, as the second row of a program
// finds it.
func PlanOf[T any](m *pgtype.Map, fields []pgconn.FieldDescription) any {
	key := planKey{reflect.TypeFor[T](), ByNameLax, hashOf(fields)}
	p := find(key, fields, m)
	if p == nil {
		probe := probe{fields: fields}
		v, err := rowToAddrOf[T](&probe, ByNameLax)
		if err != nil {
			panic(err)
		}
		p = newPlan(fields, m, v, probe.targets)
		keep(key, p)
	}
	return p
}

// Native reports whether a column of a type is decoded here into a t.
func Native(m *pgtype.Map, oid uint32, format int16, t reflect.Type) bool {
	p := newPlan([]pgconn.FieldDescription{{DataTypeOID: oid, Format: format}}, m, nil, []any{reflect.New(t).Interface()})
	return !p.whole && p.columns[0].op != opPgx
}

// Own has rows of the type of these be taken for pgx's own. They have to be as those are.
func Own(rows pgx.Rows) { ownTypes.Store(reflect.TypeOf(rows), true) }
