package arenaarrow_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/arena-go/arena/arenaarrow"
	"github.com/arena-go/arena/arenadebug"
)

// A crime is a mistake that a program of its own makes. The functions that allocate, release and
// use are named for that, so that they are found in stacks.
type crime struct {
	name  string
	do    func(q *arenaarrow.Allocator)
	wants []string // expressions for the report, in this order
}

var crimes = []crime{
	{"values read after Release", func(q *arenaarrow.Allocator) {
		a := crimeAllocatesInts(q)
		values := a.Int64Values()
		crimeReleases(a.Release)
		crimeReads(values)
	}, []string{"use after Free: arena q", "ended at:", "crimeReleases", "made at:", "crimeAllocatesInts", "SIGSEGV", "crimeReads"}},
	{"text of a column read after Release", func(q *arenaarrow.Allocator) {
		a := crimeAllocatesTexts(q)
		text := a.Value(1)
		crimeReleases(a.Release)
		crimeReads([]byte(text))
	}, []string{"use after Free: arena q", "ended at:", "crimeReleases", "made at:", "crimeAllocatesTexts", "SIGSEGV", "crimeReads"}},
	{"write after Release", func(q *arenaarrow.Allocator) {
		a := crimeAllocatesInts(q)
		values := a.Int64Values()
		crimeReleases(a.Release)
		crimeWrites(values, 7)
	}, []string{"use after Free: arena q", "ended at:", "crimeReleases", "made at:", "crimeAllocatesInts", "SIGSEGV", "crimeWrites"}},
	{"write after Reallocate", func(q *arenaarrow.Allocator) {
		b := crimeAllocates(q, 64)
		crimeReleases(func() { q.Reallocate(128, b) })
		crimeWrites(b, 7)
	}, []string{"use after Free: arena q", "ended at:", "crimeReleases", "made at:", "crimeAllocates", "SIGSEGV", "crimeWrites"}},
	{"write past the end", func(q *arenaarrow.Allocator) {
		b := crimeAllocates(q, 64)
		crimeWrites(unsafe.Slice(unsafe.SliceData(b), 65), 64)
	}, []string{"access past the end: arena q", "made at:", "crimeAllocates", "SIGSEGV", "crimeWrites"}},
	{"second Free", func(q *arenaarrow.Allocator) {
		b := crimeAllocates(q, 100)
		crimeReleases(func() { q.Free(b) })
		crimeReleasesAgain(func() { q.Free(b) })
	}, []string{"arenaarrow: Free of what has been freed before", "second Free: arena q: a block of 100 bytes",
		"used at:", "crimeReleasesAgain", "ended at:", "crimeReleases", "made at:", "crimeAllocates"}},
	{"Reallocate after Free", func(q *arenaarrow.Allocator) {
		b := crimeAllocates(q, 100)
		crimeReleases(func() { q.Free(b) })
		crimeReleasesAgain(func() { q.Reallocate(200, b) })
	}, []string{"arenaarrow: Reallocate of what has been freed before", "used at:", "crimeReleasesAgain", "ended at:", "crimeReleases", "made at:", "crimeAllocates"}},
}

//go:noinline
func crimeAllocates(q *arenaarrow.Allocator, size int) []byte { return q.Allocate(size) }

//go:noinline
func crimeAllocatesInts(q *arenaarrow.Allocator) *array.Int64 {
	b := array.NewInt64Builder(q)
	defer b.Release()
	b.AppendValues([]int64{1, 2, 3, 4, 5, 6, 7, 8}, nil)
	return b.NewInt64Array()
}

//go:noinline
func crimeAllocatesTexts(q *arenaarrow.Allocator) *array.String {
	b := array.NewStringBuilder(q)
	defer b.Release()
	b.AppendValues([]string{"first", "second"}, nil)
	return b.NewStringArray()
}

//go:noinline
func crimeReleases(release func()) { release() }

//go:noinline
func crimeReleasesAgain(release func()) { release() }

//go:noinline
func crimeReads[T int64 | byte](values []T) { fmt.Println("read", values[0]) }

//go:noinline
func crimeWrites[T int64 | byte](values []T, i int) { values[i] = 0x55 }

// TestDebugFinds commits crimes with Options.Debug in programs of their own, which must end with a
// report that names who has allocated, who has freed, and who uses.
func TestDebugFinds(t *testing.T) {
	const variable = "ARENAARROW_CRIME"
	if name := os.Getenv(variable); name != "" {
		if err := arenadebug.CatchFaults(); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(crimes, func(c crime) bool { return c.name == name })
		crimes[i].do(arenaarrow.New(arenaarrow.Options{Name: "top", Debug: true}).Child("q"))
		fmt.Println("nobody has noticed")
		os.Exit(0)
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("arenadebug.CatchFaults is for linux on amd64 and arm64")
	}
	for _, c := range crimes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestDebugFinds$")
			cmd.Env = append(os.Environ(), variable+"="+c.name)
			out, err := cmd.CombinedOutput()
			text := string(out)
			if e := (*exec.ExitError)(nil); !errors.As(err, &e) {
				t.Fatalf("%v\n%s", err, text)
			}
			if want := strings.Join(c.wants, `(?s:.*\b)`); !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("not as %s:\n%s", want, text)
			}
		})
	}
}
