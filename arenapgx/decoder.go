package arenapgx

import (
	"encoding/binary"
	"math"
	"math/big"
	"sync"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenakit"
	"github.com/jackc/pgx/v5"
)

// A decoder decodes the rows of one result, or one row for Scan.
type decoder struct {
	a        *arena.Arena
	plan     *plan           // or the plan of the previous rows, or nil
	rows     pgx.Rows        // of Scan, that the plan is for
	slabs    []arenakit.Slab // by the indices of plan.slabs; zero until they are asked for
	text     []byte          // memory for text of this row, and of the next ones if they stay together
	share    int             // bytes of text in the rows so far
	together bool            // all rows become stale at once
	left     []any           // for each column where its value goes, if pgx is to scan it; nil otherwise
	words    []big.Word      // of a numeric
	buf      [64]byte
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// decoderFor returns a decoder for rows into a.
func decoderFor(a *arena.Arena) *decoder {
	d := decoders.Get().(*decoder)
	d.a = a
	return d
}

// release gives d back. It keeps nothing of the arena or of the rows but the plan.
func (d *decoder) release() {
	clear(d.slabs)
	clear(d.left)
	d.a, d.rows, d.text = nil, nil, nil
	d.share, d.together = 0, false
	if cap(d.words) > maxWords {
		d.words = nil
	}
	decoders.Put(d)
}

// releaseScan gives d back for the next row of the same rows. It keeps these, so that no others
// come to have their address, and nothing of the arena.
func (d *decoder) releaseScan() {
	clear(d.slabs)
	d.a, d.text = nil, nil
	decoders.Put(d)
}

// use makes p the plan of what follows.
func (d *decoder) use(p *plan) {
	d.plan, d.rows = p, nil
	d.slabs = append(d.slabs[:0], make([]arenakit.Slab, len(p.slabs))...)
	d.left = append(d.left[:0], make([]any, len(p.columns))...)
}

// Text of a row that is no longer than this shares one piece of memory with the other text of the
// row.
const maxShared = 1 << 10

// Rows that stay together have pieces that grow with them, up to this.
const maxTogether = 2 << 10

// begin makes room for the text of a row.
func (d *decoder) begin(values [][]byte) {
	n := 0
	for _, i := range d.plan.texts {
		if len(values[i]) <= maxShared {
			n += len(values[i])
		}
	}
	if d.together && d.a != nil {
		if n <= cap(d.text)-len(d.text) {
			return
		}
		d.share += n
		n = max(n, min(d.share, maxTogether))
	}
	d.text = nil
	if n > 0 {
		d.text = arena.MakeSlice[byte](d.a, 0, n)
	}
}

// copy returns a copy of b in the arena, with no room behind it. It is not nil.
func (d *decoder) copy(b []byte) []byte {
	if n := len(d.text); len(b) <= cap(d.text)-n && d.text != nil {
		d.text = append(d.text, b...)
		return d.text[n:len(d.text):len(d.text)]
	}
	if len(b) == 0 {
		return []byte{}
	}
	b = arena.Bytes(d.a, b)
	return b[:len(b):len(b)]
}

// row decodes the current row of rows into the zero value at p, of the plan's type. An error is an
// error of pgx, which has closed rows.
func (d *decoder) row(p pointer, rows pgx.Rows) error {
	values := rows.RawValues()
	columns := d.plan.columns
	if len(values) != len(columns) {
		return rows.Scan(make([]any, len(columns))...) // which says so
	}
	d.begin(values)
	left := false
	for i := range columns {
		c := &columns[i]
		b := values[i]
		q := at(p, c.offset)
		// The most frequent ones, which are short enough to be here.
		switch {
		case c.op == opText && b != nil && !c.nullable:
			store(q, text(d.copy(b)))
			continue
		case c.op == opInt4ToInt32 && len(b) == 4:
			store(q, binary.BigEndian.Uint32(b))
			continue
		case c.op == opInt4ToInt64 && len(b) == 4:
			store(q, int64(int32(binary.BigEndian.Uint32(b))))
			continue
		case c.op == opInt8ToInt64 && len(b) == 8:
			store(q, binary.BigEndian.Uint64(b))
			continue
		}
		if b == nil {
			if c.null {
				continue
			}
		} else if d.value(q, c, b) {
			continue
		}
		d.left[i] = variable(c.typ, q)
		left = true
	}
	if !left {
		return nil
	}
	err := rows.Scan(d.left...)
	clear(d.left)
	return err
}

// slab returns the slab of the plan with that index.
func (d *decoder) slab(i int) arenakit.Slab {
	if d.slabs[i] == (arenakit.Slab{}) {
		d.slabs[i] = arenakit.SlabOf(d.a, d.plan.slabs[i])
	}
	return d.slabs[i]
}

// newValue returns a new zero value of the slab with that index.
func (d *decoder) newValue(i int) pointer {
	if d.a == nil {
		return newOf(d.plan.slabs[i])
	}
	return d.slab(i).New()
}

// newValues returns n > 0 of them, next to each other.
func (d *decoder) newValues(i, n int) pointer { return d.slab(i).Slice(n) }

// value decodes b, which is not nil, into what is at q. It reports false, and may have written a
// part, where pgx may find an error, or a value that takes more than what is done here.
func (d *decoder) value(q pointer, c *column, b []byte) bool {
	ok := false
	switch c.op {
	case opText:
		store(q, text(d.copy(b)))
		ok = true
	case opBytes:
		store(q, d.copy(b))
		ok = true
	case opBool:
		if ok = len(b) == 1; ok {
			store(q, b[0] == 1)
		}
	case opInt4ToInt32, opInt4ToInt64, opInt8ToInt64, opInt:
		var v int64
		if v, ok = integer(b, c.size); ok {
			ok = storeInt(q, c.kind, v)
		}
	case opFloat4:
		if ok = len(b) == 4; ok {
			store(q, binary.BigEndian.Uint32(b))
		}
	case opFloat4ToFloat64:
		if ok = len(b) == 4; ok {
			store(q, float64(math.Float32frombits(binary.BigEndian.Uint32(b))))
		}
	case opFloat8:
		if ok = len(b) == 8; ok {
			store(q, binary.BigEndian.Uint64(b))
		}
	case opUUID:
		if ok = len(b) == 16; ok {
			store(q, [16]byte(b))
		}
	case opUUIDText:
		if ok = len(b) == 16; ok {
			store(q, text(d.copy(appendUUID(d.buf[:0], b))))
		}
	case opDate, opTimestamp, opTimestamptz:
		ok = storeTime(q, c, b)
	case opInterval:
		ok = storeInterval(q, b)
	case opNumeric, opNumericToFloat64, opNumericToInt:
		ok = d.numeric(q, c, b)
	case opJSON, opJSONB, opRawJSON, opRawJSONB:
		return d.json(q, c, b)
	case opArray:
		return d.array(q, c, b)
	case opComposite:
		return d.composite(q, c, b)
	case opPointer:
		if c.isJSON && isNull(c.elem, b) {
			store[pointer](q, nil)
			return true
		}
		v := d.newValue(c.slab)
		if !d.value(v, c.elem, b) {
			return false
		}
		store(q, v)
		return true
	case opBoolInText, opIntInText, opFloatInText, opByteaInText, opUUIDInText:
		ok = d.inText(q, c, b)
	}
	if ok && c.nullable {
		store(at(q, c.valid), true)
	}
	return ok
}

// integer reads a number of size bytes.
func integer(b []byte, size int) (int64, bool) {
	if len(b) != size {
		return 0, false
	}
	switch size {
	case 2:
		return int64(int16(binary.BigEndian.Uint16(b))), true
	case 4:
		return int64(int32(binary.BigEndian.Uint32(b))), true
	}
	return int64(binary.BigEndian.Uint64(b)), true
}

// storeInt writes v to q, as a k, if that can hold it.
func storeInt(q pointer, k kind, v int64) bool {
	fits := true
	switch k {
	case kindInt8:
		if fits = int64(int8(v)) == v; fits {
			store(q, int8(v))
		}
	case kindInt16:
		if fits = int64(int16(v)) == v; fits {
			store(q, int16(v))
		}
	case kindInt32:
		if fits = int64(int32(v)) == v; fits {
			store(q, int32(v))
		}
	case kindInt64:
		store(q, v)
	case kindUint8:
		if fits = int64(uint8(v)) == v; fits {
			store(q, uint8(v))
		}
	case kindUint16:
		if fits = int64(uint16(v)) == v; fits {
			store(q, uint16(v))
		}
	case kindUint32:
		if fits = int64(uint32(v)) == v; fits {
			store(q, uint32(v))
		}
	case kindUint64:
		if fits = v >= 0; fits {
			store(q, uint64(v))
		}
	case kindFloat64:
		store(q, float64(v))
	default:
		fits = false
	}
	return fits
}
