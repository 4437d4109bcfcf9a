package arenajson_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

// BenchmarkDecoder reads streams: of lines, and of documents that need many reads, with as much in
// each read as there is room for, and with what a packet has.
func BenchmarkDecoder(b *testing.B) {
	lines := bytes.Repeat(append(benchOrders(1, false), '\n'), 200)
	for _, c := range []struct {
		name string
		in   []byte
		part int
	}{
		{"lines-1kB", lines, 1 << 20},
		{"lines-1kB-packets", lines, 1460},
		{"orders-30kB", bytes.Repeat(benchOrders(40, false), 10), 1 << 20},
		{"orders-1MB", benchOrders(1400, false), 1 << 20},
		{"orders-1MB-packets", benchOrders(1400, false), 1460},
		{"texts-80kB", bytes.Repeat(benchTexts(300), 4), 1 << 20},
		{"numbers-180kB", bytes.Repeat(benchNumbers(5000), 2), 1 << 20},
	} {
		for _, impl := range []string{"std", "reset"} {
			b.Run("stream="+c.name+"/impl="+impl, func(b *testing.B) {
				b.SetBytes(int64(len(c.in)))
				a := arena.NewArena()
				for b.Loop() {
					r := &benchParts{c.in, c.part}
					theirs, ours := json.NewDecoder(r), arenajson.NewDecoder(r)
					for {
						var err error
						if impl == "std" {
							err = theirs.Decode(new(json.RawMessage))
						} else {
							err = ours.Decode(a, new(json.RawMessage))
							a.Reset()
						}
						if err == io.EOF {
							break
						} else if err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}

// A benchParts reader returns at most n bytes at once.
type benchParts struct {
	rest []byte
	part int
}

func (r *benchParts) Read(b []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, r.rest[:min(r.part, len(r.rest))])
	r.rest = r.rest[n:]
	return n, nil
}
