package arenapgx

import (
	"reflect"
	"sync"

	"github.com/jackc/pgx/v5"
)

// baseRows is the type of the rows of a pgx.Conn.
var baseRows = reflect.TypeOf(pgx.RowsFromResultReader(nil, nil))

// isOwn reports whether rows are of a type of pgx or pgxpool: what their Scan does follows from
// RawValues, FieldDescriptions and TypeMap. Others, such as mocks, have a Scan of their own, and
// may return anything from RawValues.
func isOwn(rows pgx.Rows) bool {
	t := reflect.TypeOf(rows)
	return t == baseRows || isOwnType(t)
}

// isOwnType is isOwn for a type of rows other than baseRows.
func isOwnType(t reflect.Type) bool {
	if own, ok := ownTypes.Load(t); ok {
		return own.(bool)
	}
	own := false
	if t != nil && t.Kind() == reflect.Pointer {
		path, pgx := t.Elem().PkgPath(), baseRows.Elem().PkgPath()
		own = path == pgx || path == pgx+"/pgxpool"
	}
	ownTypes.Store(t, own)
	return own
}

// ownTypes has what isOwnType has found out, by the reflect.Type of the rows.
var ownTypes sync.Map
