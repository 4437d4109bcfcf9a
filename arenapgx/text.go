package arenapgx

import (
	"encoding/hex"
	"strconv"

	"github.com/arena-go/arena"
)

// inText decodes what is in text format: of numbers, as PostgreSQL writes them. Other ways of
// writing them are left to pgx.
func (d *decoder) inText(q pointer, c *column, b []byte) bool {
	switch c.op {
	case opBoolInText:
		if len(b) != 1 || b[0] != 't' && b[0] != 'f' {
			return false
		}
		store(q, b[0] == 't')
	case opIntInText:
		v, ok := decimal(b)
		return ok && storeInt(q, c.kind, v)
	case opFloatInText:
		if c.kind == kindFloat32 {
			f, err := strconv.ParseFloat(text(b), 32)
			if err != nil {
				return false
			}
			store(q, float32(f))
			return true
		}
		f, err := strconv.ParseFloat(text(b), 64)
		if err != nil {
			return false
		}
		store(q, f)
	case opByteaInText:
		if len(b) < 2 || b[0] != '\\' || b[1] != 'x' || len(b)%2 != 0 {
			return false
		}
		v := arena.MakeSlice[byte](d.a, len(b)/2-1, len(b)/2-1)
		if _, err := hex.Decode(v, b[2:]); err != nil {
			return false
		}
		store(q, v)
	case opUUIDInText:
		var u [16]byte
		if len(b) != 36 || b[8] != '-' || b[13] != '-' || b[18] != '-' || b[23] != '-' {
			return false
		}
		n := 0
		for _, part := range [...][]byte{b[:8], b[9:13], b[14:18], b[19:23], b[24:]} {
			m, err := hex.Decode(u[n:], part)
			if err != nil {
				return false
			}
			n += m
		}
		store(q, u)
	}
	return true
}

// decimal reads a number of up to 18 digits. It leaves -0 to pgx, which takes it for signed types
// only.
func decimal(b []byte) (v int64, ok bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	for _, digit := range b {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		v = v*10 + int64(digit-'0')
	}
	if negative {
		return -v, v != 0
	}
	return v, true
}

// appendUUID appends the standard form of a UUID, which has 16 bytes.
func appendUUID(buf, b []byte) []byte {
	for i, part := range [...][]byte{b[:4], b[4:6], b[6:8], b[8:10], b[10:]} {
		if i > 0 {
			buf = append(buf, '-')
		}
		buf = hex.AppendEncode(buf, part)
	}
	return buf
}
