package arenabufio_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenabufio"
	"github.com/arena-go/arena/arenakit"
	"github.com/arena-go/arena/internal/testrun"
)

// A reading is what one call has read.
type reading struct {
	text string
	err  error
}

// TestReads compares what is read with what package bufio reads, of random lines, from readers that
// give little at once or fail, in arenas that are reset.
func TestReads(t *testing.T) {
	r := rand.New(rand.NewPCG(testrun.Seed(t), 0))
	failing := errors.New("it fails")
	sources := []func(s string) io.Reader{
		func(s string) io.Reader { return strings.NewReader(s) },
		func(s string) io.Reader { return iotest.OneByteReader(strings.NewReader(s)) },
		func(s string) io.Reader { return iotest.DataErrReader(strings.NewReader(s)) },
		func(s string) io.Reader {
			return io.MultiReader(strings.NewReader(s), iotest.ErrReader(failing))
		},
		func(s string) io.Reader { return bufio.NewReaderSize(strings.NewReader(s), 16) },
	}
	a := arena.NewArena()
	for range testrun.Times(60, 600) {
		var text strings.Builder
		for range r.IntN(6) {
			text.WriteString(strings.Repeat("x", []int{0, 3, 4095, 4096, 9000, 70000}[r.IntN(6)]))
			text.WriteByte("\n;"[r.IntN(2)])
		}
		source := sources[r.IntN(len(sources))]
		delim := "\n;x"[r.IntN(3)]
		for _, a := range []*arena.Arena{a, nil} {
			size := []int{0, 20, 4096}[r.IntN(3)]
			ours, std := arenabufio.NewReaderSize(a, source(text.String()), size), bufio.NewReaderSize(source(text.String()), size)
			if ours.Size() != std.Size() {
				t.Fatalf("the buffer has %d bytes, want %d", ours.Size(), std.Size())
			}
			for n := 0; ; n++ {
				var got, want reading
				if n%2 == 0 {
					got.text, got.err = arenabufio.ReadString(a, ours, delim)
					want.text, want.err = std.ReadString(delim)
				} else {
					b, err := arenabufio.ReadBytes(a, ours, delim)
					c, err2 := std.ReadBytes(delim)
					if (b == nil) != (c == nil) {
						t.Fatalf("%#v, want %#v", b, c)
					}
					got, want = reading{string(b), err}, reading{string(c), err2}
				}
				if got != want {
					t.Fatalf("%.20q… and %v, want %.20q… and %v", got.text, got.err, want.text, want.err)
				}
				if got.err != nil {
					break
				}
			}
			lines, others := arenabufio.NewScanner(a, source(text.String())), bufio.NewScanner(source(text.String()))
			for {
				more := lines.Scan()
				if more != others.Scan() || more && arenabufio.Text(a, lines) != others.Text() || !more && fmt.Sprint(lines.Err()) != fmt.Sprint(others.Err()) {
					t.Fatalf("%.20q…, %v, want %.20q…, %v", lines.Text(), lines.Err(), others.Text(), others.Err())
				}
				if !more {
					break
				}
			}
		}
		a.Reset()
	}
}

// A told notes whether the last Reset has used memory again: not in programs that are built to find
// mistakes.
type told struct{ again bool }

func (v *told) ArenaReset(again bool) { v.again = again }

// TestReaders: an arena uses its Readers again, and a stale one has nothing of them. No two are in
// use at once.
func TestReaders(t *testing.T) {
	a := arena.NewArena()
	v, _ := arenakit.Local[told](a)
	b := arenabufio.NewReader(a, strings.NewReader("first"))
	if other := arenabufio.NewReader(a, b); other != b {
		t.Error("a Reader is not used as it is")
	}
	if other := arenabufio.NewReader(a, strings.NewReader("other")); other == b {
		t.Error("two have the same Reader")
	}
	if _, err := b.ReadByte(); err != nil {
		t.Fatal(err)
	}
	if a.Reset(); !v.again {
		return
	}
	if _, err := b.ReadByte(); err == nil || !strings.HasPrefix(err.Error(), "arenabufio: ") {
		t.Errorf("a stale Reader returns %v", err)
	}
	second := arenabufio.NewReader(a, strings.NewReader("second"))
	if text, _ := second.ReadString(0); second != b || text != "second" {
		t.Errorf("%p reads %q, want %p and second", second, text, b)
	}
	a.Free()
	second.Reset(strings.NewReader("kept"))
	if other := arenabufio.NewReader(arena.NewArena(), strings.NewReader("x")); other == second {
		t.Error("a Reader that is kept after Free is used again")
	}
	little := arena.NewWith(arena.Options{Retain: 1000})
	b = arenabufio.NewReader(little, strings.NewReader(""))
	little.Reset()
	if arenabufio.NewReader(little, strings.NewReader("")) == b {
		t.Error("Retain does not bound the Readers")
	}
	guarded := arena.NewWith(arena.Options{Guard: true})
	b = arenabufio.NewReader(guarded, strings.NewReader(""))
	guarded.Reset()
	if arenabufio.NewReader(guarded, strings.NewReader("")) == b {
		t.Error("guard mode uses a Reader again")
	}
}

// TestAllocs: a unit of work that is like the one before allocates next to nothing. Detectors of
// mistakes may allocate.
func TestAllocs(t *testing.T) {
	text := []byte(strings.Repeat("a line\n", 100))
	source := bytes.NewReader(text)
	read := func(a *arena.Arena) float64 {
		return testing.AllocsPerRun(100, func() {
			source.Reset(text)
			b := arenabufio.NewReader(a, source)
			for {
				if _, err := arenabufio.ReadString(a, b, '\n'); err != nil {
					break
				}
			}
			if a != nil {
				a.Reset()
			}
		})
	}
	if ours, theirs := read(arena.NewArena()), read(nil); ours > theirs/10 {
		t.Errorf("%v allocations, and %v on the heap", ours, theirs)
	}
}
