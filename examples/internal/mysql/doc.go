// Package mysql tests package arenasql with a real MySQL server, MariaDB's, and measures it with
// that and with SQLite.
package mysql
