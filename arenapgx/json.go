package arenapgx

import (
	"bytes"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

// unmarshal decodes JSON into v, which points at a zero value. The memory of v is in a. The results
// equal json.Unmarshal's, which pgx would call; after an error, pgx does call it.
func unmarshal(a *arena.Arena, b []byte, v any) error { return arenajson.Unmarshal(a, b, v) }

// json decodes JSON into the value at q.
func (d *decoder) json(q pointer, c *column, b []byte) bool {
	if c.op == opJSONB || c.op == opRawJSONB {
		if len(b) == 0 || b[0] != 1 {
			return false
		}
		b = b[1:]
	}
	if c.op == opRawJSON || c.op == opRawJSONB {
		if !arenajson.Valid(b) {
			return false
		}
		store(q, d.copy(bytes.Trim(b, " \t\r\n")))
		return true
	}
	setZero(c.typ, q)
	return unmarshal(d.a, b, variable(c.typ, q)) == nil
}

// isNull reports whether the JSON in b is null, as pgx asks it for pointers: without any space.
func isNull(c *column, b []byte) bool {
	if c.op == opJSONB || c.op == opRawJSONB {
		if len(b) == 0 || b[0] != 1 {
			return false
		}
		b = b[1:]
	}
	return string(b) == "null"
}
