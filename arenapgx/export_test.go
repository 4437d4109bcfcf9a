package arenapgx

import (
	"reflect"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// Native tells whether a column of a type is decoded here into a t.
func Native(m *pgtype.Map, oid uint32, format int16, t reflect.Type) bool {
	p := newPlan([]pgconn.FieldDescription{{DataTypeOID: oid, Format: format}}, m, nil, []any{reflect.New(t).Interface()})
	return !p.whole && p.columns[0].op != opPgx
}
