/*
Package arenasql reads rows of database/sql into arenas. It returns the values and the errors of
Rows.Scan, with fewer objects on the heap.

	rows, err := db.QueryContext(ctx, "select id, name, price from products where stock > ?", 0)
	if err != nil {
		return err
	}
	products, err := arenasql.Collect[Product](a, rows)

[Scan] is Rows.Scan with an arena as the first argument, for code that names the destination of each
column.

# What it brings, and what not

The driver itself allocates objects before anybody sees a row, and database/sql allocates some for
each query. They stay on the heap. The gain with 20 or 200 rows of nine columns (BenchmarkRows in
examples/internal/mysql):

	                                 CPU time          objects a row, of 15 to 17
	github.com/go-sql-driver/mysql   38 to 49 % less   7 to 8
	modernc.org/sqlite               11 to 14 % less   12 to 14

The more other work a service does, the less it gains. For PostgreSQL use package arenapgx with pgx:
it reads the bytes of the server, and leaves no object for a row.

# Columns and fields

A struct has a field for each column, and a column for each field. The name of the column is the
name in the field's tag, as in `db:"created_at"`, or the name of the field; case and underscores do
not count. If several fields match a column, it belongs to the field whose tag equals its name.
Otherwise it belongs to a field whose name or, if there is none, whose tag differs only in case;
otherwise to a field without a tag. Two equally close fields, and two columns of one field, are an
error.

Unexported fields, and fields with the tag `db:"-"`, have no column. Fields of embedded structs
count as fields of the struct, except fields that an outer field of the same name and column hides,
as in Go. A struct behind an embedded pointer is allocated if it contains the field of a column.
[ByNameLax] allows fields without a column, and [ByPos] assigns columns in order. A T that is no
struct is the value of the only column; so are time.Time, and structs with a method Scan.

# What lies where

Text and bytes are in the arena if the driver returns bytes, as go-sql-driver/mysql does. If it
returns a string, as modernc.org/sqlite and lib/pq do, that string is already on the heap and is
used unchanged. With Go 1.27 a driver may scan into destinations itself. If such a driver passes the
bytes of the connection to a destination, as pgx/stdlib does, text is copied from there to the
arena.

The targets of pointers, and the slice, are in the arena. Reset makes all of it stale; Free does
not. A nil arena is the heap.

database/sql passes the driver's value to a method Scan, which decides where its result is.
database/sql also converts numbers to types other than numbers, and makes all other conversions. An
[sql.RawBytes] refers to memory of the driver, which is overwritten with the next row. It is an
error, except with [ForEach].
*/
package arenasql
