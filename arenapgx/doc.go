/*
Package arenapgx reads rows of PostgreSQL into arenas, for github.com/jackc/pgx/v5. It gives the values and the errors of pgx.CollectRows, without its
objects on the heap.

	rows, err := pool.Query(ctx, "select id, name, price, tags from products where id = any($1)", ids)
	if err != nil {
		return err
	}
	products, err := arenapgx.Collect[Product](a, rows)

# Limits

  - What was read lies in the arena with all that it has, its strings too. Reset makes all of it stale; Free does not.
  - The connection, the query, its arguments and pgx's buffers stay on the heap: 3 objects for a query with a number, more with a pool, and one for each element of an
    argument that is an array, unless [TextArray] or [IntArray] makes it. So a query that returns one row gains little. What is gone are the objects of each row: pgx makes one or two for each column that is
    text, a numeric, a pointer or an array, and more for JSON.
  - JSON is decoded by package arenajson, with the results of encoding/json. Its maps are Go's and lie on the heap; what they refer to lies in the arena.
  - Types that this package does not know are scanned by pgx, onto the heap. [Fallbacks] names the columns.
  - Rows of other packages than pgx and pgxpool, such as those of mocks, are scanned by their own
    Scan, with its values and errors, onto the heap.
  - One goroutine at a time uses the arena. Many may use this package, each with an arena and rows of its own.

# What is decoded here

In binary format, which pgx asks for by itself: bool, int2, int4, int8, float4, float8, text, varchar, bpchar, name, bytea, uuid, date, timestamp, timestamptz, interval,
numeric, json, jsonb, enums that are registered, domains over all of these, arrays of one dimension, and composites that are registered, as structs. In text format, which the simple protocol has, and types that pgx
does not know: bool, integers, floats, text, bytea, uuid and JSON.

They become Go's own types and types that are made of them, [16]byte, time.Time, the types of pgtype with the same name, sql.NullString and its like, sql.Null, pointers
to all of these, and slices. A type with a method whose name begins with Scan, such as an sql.Scanner, is left to pgx, which calls the method.

# How it is right

The first row of a query makes a plan for the Go type and the columns. pgx itself says which column goes to which field: it is given a row that only notes what it was asked to
scan into. So the rules of names and tags are those of pgx.

A column is decoded here only where the type in the connection's Map has a codec of pgx's own, and no function that was added to the Map would scan into the Go
type. Functions that each connection makes for itself are asked with each query. Bytes that are damaged, numbers that do not fit and NULL where there is no place for
it are left to pgx too, which makes the error. A value that was decoded here and then left to pgx is decoded twice.

# Lifetimes

Text that a row has of up to 1 kB a column lies in one piece, on the heap too: one string that is kept keeps those beside it. Longer text has a piece of its own. Copy what
you keep: strings.Clone, or [arena.DeepClone].

Nothing refers to buffers of pgx, except a pgtype.DriverBytes, whose purpose that is.
*/
package arenapgx
