/*
Package arenasql reads rows of database/sql into arenas. It gives the values and the errors that Rows.Scan gives, with fewer objects on the heap.

	rows, err := db.QueryContext(ctx, "select id, name, price from products where stock > ?", 0)
	if err != nil {
		return err
	}
	products, err := arenasql.Collect[Product](a, rows)

[Scan] is Rows.Scan with an arena in front, for code that names the destinations of each column.

# What it brings, and what not

The driver itself makes objects before anybody sees a row, and database/sql makes some for each query. They stay on the heap. With rows of nine columns, 20 or 200 of them,
the process takes 38 to 49 % less CPU time with github.com/go-sql-driver/mysql and 11 to 14 % less with modernc.org/sqlite; of 15 to 17 objects a row, 7 to 8 and 12 to 14
remain (BenchmarkRows in examples/internal/mysql). The more a service does besides, the less that is. For PostgreSQL use package arenapgx with pgx: it reads what the server has sent, and leaves no object for a row.

# Columns and fields

A struct has a field for each column, and a column for each field: the name of the column is that in the field's tag, as in `db:"created_at"`, or the name of the field; neither case nor
underscores count. Where a column has several such fields it is of the one whose tag is just its name; else of one whose name or, if there is none, whose tag differs in case only; else of one without a tag. Two
fields that are as close, and two columns of one field, are an error.

Fields that are not exported, and those with the tag `db:"-"`, have no column. Fields of embedded structs count as those of the struct, except one that an outer field of the same name and column hides, as it
does in Go. A struct behind an embedded pointer is made where a column goes into it. [ByNameLax] lets fields have no column, and [ByPos] takes them in order. A T that is no struct is the value of the only column; so are time.Time, and structs that
have a method Scan.

# What lies where

Text and bytes lie in the arena where the driver gives bytes, as go-sql-driver/mysql does. Where it
gives a string, as modernc.org/sqlite and lib/pq do, that string is on the heap already and is used as
it is. With Go 1.27 a driver may scan into destinations itself. Where such a driver gives the bytes of
the connection to a destination, as pgx/stdlib does, text goes from there to the arena.

What pointers lead to, and the slice, lie in the arena. Reset makes all of it stale; Free does not. A nil arena is the heap.

A type with a method Scan is given what the driver has, by database/sql, and puts what it makes where it likes. So are numbers into other types than numbers, and all else that needs a conversion.
An [sql.RawBytes] has memory of the driver, which is overwritten with the next row. It is an error, except with [ForEach].
*/
package arenasql
