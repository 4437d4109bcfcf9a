//go:build go1.27

package arenasql

import (
	"database/sql"
	"database/sql/driver"
	"reflect"
	"sync"
)

// scansItself reports whether the driver of rows scans into destinations itself. Package
// database/sql does not tell, so its field is read; without one, all goes by way of driver.Value.
func scansItself(rows *sql.Rows) bool {
	if rowsField < 0 {
		return false
	}
	of := reflect.ValueOf(rows).Elem().Field(rowsField)
	if of.IsNil() {
		return false
	}
	t := of.Elem().Type()
	does, ok := scanners.Load(t)
	if !ok {
		does, _ = scanners.LoadOrStore(t, t.Implements(reflect.TypeFor[driver.RowsColumnScanner]()))
	}
	return does.(bool)
}

var scanners sync.Map // by type, whether it is a driver.RowsColumnScanner

// rowsField is the index of the driver's rows in sql.Rows, or -1.
var rowsField = func() int {
	f, ok := reflect.TypeFor[sql.Rows]().FieldByName("rowsi")
	if !ok || f.Type != reflect.TypeFor[driver.Rows]() {
		return -1
	}
	return f.Index[0]
}()
