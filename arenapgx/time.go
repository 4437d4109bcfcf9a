package arenapgx

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// PostgreSQL counts days and microseconds from the beginning of 2000. Only damaged bytes are
// outside its ranges. They are left to pgx, which returns an error. The ranges are defined in
// src/include/datatype/timestamp.h.
var (
	y2k          = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	minTime      = time.Date(-4713, 11, 24, 0, 0, 0, 0, time.UTC).Unix() - y2k
	endDate      = time.Date(5874898, 1, 1, 0, 0, 0, 0, time.UTC).Unix() - y2k
	endTimestamp = time.Date(294277, 1, 1, 0, 0, 0, 0, time.UTC).Unix() - y2k
)

const day = 24 * 60 * 60

// storeTime decodes a date or a timestamp into a time.Time, or a type that begins with one. It
// leaves infinity to pgx if there is no InfinityModifier.
func storeTime(q pointer, c *column, b []byte) bool {
	var t time.Time
	modifier := pgtype.Finite
	if c.op == opDate {
		if len(b) != 4 {
			return false
		}
		switch n := int32(binary.BigEndian.Uint32(b)); n {
		case math.MaxInt32:
			modifier = pgtype.Infinity
		case math.MinInt32:
			modifier = pgtype.NegativeInfinity
		default:
			sec := int64(n) * day
			if sec < minTime || sec >= endDate {
				return false
			}
			t = time.Unix(y2k+sec, 0).UTC()
		}
	} else {
		if len(b) != 8 {
			return false
		}
		switch n := int64(binary.BigEndian.Uint64(b)); n {
		case math.MaxInt64:
			modifier = pgtype.Infinity
		case math.MinInt64:
			modifier = pgtype.NegativeInfinity
		default:
			if n < minTime*1e6 || n >= endTimestamp*1e6 {
				return false
			}
			t = time.Unix(y2k+n/1e6, n%1e6*1e3)
			if c.op == opTimestamp {
				t = t.UTC()
				if c.where != nil {
					t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), c.where)
				}
			} else if c.where != nil {
				t = t.In(c.where)
			}
		}
	}
	if modifier != pgtype.Finite && !c.infinite {
		return false
	}
	store(q, t)
	if c.infinite {
		store(at(q, c.infinity), modifier)
	}
	return true
}

// storeInterval decodes an interval into the pgtype.Interval at q.
func storeInterval(q pointer, b []byte) bool {
	if len(b) != 16 {
		return false
	}
	store(q, pgtype.Interval{
		Microseconds: int64(binary.BigEndian.Uint64(b)),
		Days:         int32(binary.BigEndian.Uint32(b[8:])),
		Months:       int32(binary.BigEndian.Uint32(b[12:])),
		Valid:        true,
	})
	return true
}
