/*
Package arenapgx reads rows of PostgreSQL into arenas, for github.com/jackc/pgx/v5. It returns the
values and the errors of pgx.CollectRows, without its objects on the heap.

	rows, err := pool.Query(ctx, "select id, name, price, tags from products where id = any($1)", ids)
	if err != nil {
		return err
	}
	products, err := arenapgx.Collect[Product](a, rows)

# Limits

  - Values are in the arena with their whole contents, including strings. Reset makes all of it
    stale; Free does not.
  - The connection, the query, its arguments and pgx's buffers stay on the heap: 3 objects for a
    query with a number, more with a pool, and one for each element of an argument that is an array,
    unless [TextArray] or [IntArray] makes it. So a query that returns one row gains little. The
    gain is the objects of each row: pgx makes one or two for each column with text, a numeric, a
    pointer or an array, and more for JSON.
  - Package arenajson decodes JSON, with the results of encoding/json. Its maps are Go maps on the
    heap, whose contents are in the arena.
  - pgx scans types that this package does not know, onto the heap. [Fallbacks] names the columns.
  - Rows of packages other than pgx and pgxpool, such as mocks, are scanned by their own Scan, with
    its values and errors, onto the heap.
  - One goroutine at a time uses the arena. Many may use this package, each with an arena and rows
    of its own.

# What is decoded here

In binary format, pgx's default: bool, int2, int4, int8, float4, float8, text, varchar, bpchar,
name, bytea, uuid, date, timestamp, timestamptz, interval, numeric, json, jsonb, enums that are
registered, domains over all of these, arrays of one dimension, and composites that are registered,
as structs. In text format, which the simple protocol has, and types that pgx does not know: bool,
integers, floats, text, bytea, uuid and JSON.

They become Go's own types and types that consist of them, [16]byte, time.Time, the types of pgtype
with the same name, sql.NullString and its like, sql.Null, pointers to all of these, and slices. A
type with a method whose name begins with Scan, such as an sql.Scanner, is scanned by pgx, which
calls the method.

# How it is right

The first row of a query makes a plan for the Go type and the columns. pgx itself assigns columns to
fields: it scans a row that only records the targets. So pgx's rules for names and tags apply.

This package decodes a column only if the type in the connection's Map has a codec of pgx itself,
and no function that was added to the Map would scan into the Go type. Functions that each
connection makes for itself are called with each query. Damaged bytes, numbers that do not fit, and
NULL for a type that cannot hold it are also left to pgx, which makes the error. A value that is
decoded here and then left to pgx is decoded twice.

# Lifetimes

Texts of a row of up to 1 kB a column share one piece of memory, also on the heap: a string that is
kept keeps its neighbours alive. Longer text has a piece of its own. Copy values that you keep:
strings.Clone, or [arena.DeepClone].

Nothing refers to buffers of pgx, except a pgtype.DriverBytes, which does so by design.
*/
package arenapgx
