package growth

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/coverage"
	"testing"
)

// Main is what the function TestMain of a package with rows calls. Counters can be read only when
// the coverage of tests was written once. So if steps are asked for, it first runs no test.
func Main(m *testing.M) {
	flag.Parse()
	if asked("steps") {
		run := flag.Lookup("test.run").Value
		chosen := run.String()
		_ = run.Set("^$")
		m.Run()
		_ = run.Set(chosen)
	}
	os.Exit(m.Run())
}

// clearSteps makes all counters zero. It is an error if the test was built without them.
func clearSteps() error { return coverage.ClearCounters() }

// readSteps returns the sum of all counters.
func readSteps() int64 {
	var b bytes.Buffer
	if err := coverage.WriteCounters(&b); err != nil {
		panic(err)
	}
	sum, err := sumCounters(b.Bytes())
	if err != nil {
		panic(err)
	}
	return sum
}

var errCounters = errors.New("growth: the format of coverage counters has changed")

// sumCounters adds the counters in b, which is in the format of package internal/coverage. This is
// a header of 32 bytes, the last of which say how numbers are written, and segments. A segment has
// the number of functions, the sizes of two tables, the tables, and for each function three
// numbers, the first of which says how many counters follow.
func sumCounters(b []byte) (sum int64, err error) {
	const header, segment = 4 + 4 + 16 + 1 + 1 + 6, 8 + 4 + 4
	if len(b) < header+segment || string(b[:4]) != "\x00cwm" || b[4] != 1 {
		return 0, errCounters
	}
	raw := b[24] == 1
	b = b[header:]
	functions := binary.LittleEndian.Uint64(b)
	tables := uint64(binary.LittleEndian.Uint32(b[8:])) + uint64(binary.LittleEndian.Uint32(b[12:]))
	if b = b[segment:]; uint64(len(b)) < tables {
		return 0, errCounters
	}
	r := bytes.NewReader(b[tables:])
	number := func() int64 {
		if raw {
			var four [4]byte
			if _, e := io.ReadFull(r, four[:]); e != nil {
				err = fmt.Errorf("%w: %w", errCounters, e)
			}
			return int64(binary.LittleEndian.Uint32(four[:]))
		}
		n, e := binary.ReadUvarint(r)
		if e != nil {
			err = fmt.Errorf("%w: %w", errCounters, e)
		}
		return int64(n)
	}
	for range functions {
		n := number()
		number()
		number()
		for range n {
			sum += number()
			if err != nil {
				return 0, err
			}
		}
	}
	return sum, err
}
