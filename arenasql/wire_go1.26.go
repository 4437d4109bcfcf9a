//go:build !go1.27

package arenasql

import "database/sql"

// scansItself reports whether the driver of rows scans into destinations itself.
func scansItself(*sql.Rows) bool { return false }
