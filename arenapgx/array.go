package arenapgx

import (
	"strconv"

	"github.com/arena-go/arena"
)

// TextArray returns list as an argument of a query, for a parameter that is an array of text,
// varchar, bpchar, name, an enum, or a domain over one of these:
//
//	rows, err := pool.Query(ctx, "select id, name, price from products where sku = any($1)", arenapgx.TextArray(a, skus))
//
// The server gets the array that it gets for list itself, of which pgx puts each element on the
// heap. Here it is one text, as PostgreSQL writes arrays; the interface takes an object. A nil list
// is NULL, and an empty one is an empty array.
//
// The text is in a, or on the heap if a is nil. The query needs it until its rows are closed, and a
// batch until it was sent. pgx must know the type of the parameter. With pgx.QueryExecModeExec it
// does not, so write $1::text[] there.
//
// TextArray panics if a was freed, and with an [*arena.LimitError] if a may not grow any further.
func TextArray[T ~string](a *arena.Arena, list []T) any {
	if list == nil {
		return nil
	}
	n := len("{}")
	for _, s := range list {
		n += len(s) + len(`"",`)
		for i := range len(s) {
			if isSpecial(s[i]) {
				n++
			}
		}
	}
	b := append(arena.MakeSlice[byte](a, 0, n), '{')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		from := 0
		for i := range len(s) {
			if isSpecial(s[i]) {
				b = append(append(b, s[from:i]...), '\\')
				from = i
			}
		}
		b = append(append(b, s[from:]...), '"')
	}
	return text(append(b, '}'))
}

// isSpecial reports whether an element in quotes has a backslash before c.
func isSpecial(c byte) bool { return c == '"' || c == '\\' }

// IntArray is [TextArray] for a parameter that is an array of int2, int4 or int8, or of a domain
// over one of these. The server makes the error where a number does not fit.
func IntArray[T ~int | ~int16 | ~int32 | ~int64](a *arena.Arena, list []T) any {
	if list == nil {
		return nil
	}
	n := len("{}")
	for _, v := range list {
		n += digits(int64(v)) + len(",")
	}
	b := append(arena.MakeSlice[byte](a, 0, n), '{')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(v), 10)
	}
	return text(append(b, '}'))
}

// digits returns how many bytes v takes in text, with its sign.
func digits(v int64) int {
	n := 1
	if v < 0 {
		n = 2
	}
	for v /= 10; v != 0; v /= 10 {
		n++
	}
	return n
}
