// Index makes an index of all words in the sources of Go: on the heap, in an arena with references,
// and in a file that other processes open where it lies; and measures the difference.
//
//	go run ./examples/index [flags] [query ...]
//
// The index says for each word (of letters, digits and underscores, comments included) in which
// files and lines it is, how often, and what words there are that begin alike. A program that has
// something of that kind in memory pays for it in each collection: the collector looks at each
// word, list and entry again. There are three ways, and the code of the last two is the same:
//
//   - heap: a map from words to pointers to entries with slices of places, and a sorted slice of
//     words.
//   - refs: an ref.TextMap from words to entries with an ref.Slice of places, and an ref.TextTree
//     of the words in order, for what begins alike. The arena is in the Go heap, where the
//     collector does not look into it, or outside (-memory mmap). While the index is built, its
//     lists grow in a second arena, as blocks that refer to each other by ref.Of.
//   - file: as refs, in an offheap.File, which is saved. Another process opens it, and what is
//     measured is that process.
//
// Without queries each way is measured (see -rounds), each time in processes of its own. The
// medians are printed:
//
//	build             to read and split the files, make the index, and save it
//	ready             in a new process, until there is the first answer: a build for heap and
//	                  refs; to open the file for file
//	GC                the time that runtime.GC() takes when the index is there, and nothing
//	                  else: the shortest of 25
//	lookups/s         words, chosen at random of all, of which all places are read
//	requests/s, ...   answers of some KiB of garbage, in one goroutine: ten words and up to ten
//	                  places of each as text
//	GC CPU/request    what the collector took meanwhile, with processors else idle, too
//	CPU/request       all of the process
//	GC cycles         of the collector meanwhile. It waits until there is as much garbage as there
//	                  is heap: with less of that it runs more often, and each time for less
//	Go heap           what is alive, with the index if that lies there
//	index             bytes in the arena; refs's are a part of Go heap, unless -memory is mmap
//	peak memory       of the process that answers, and has built the index but for file; with the
//	                  pages of the file that it has touched
//	peak, building    of the process that has built the index
//
// Behind each way is how many times better it is than the heap: a ratio above 1 speaks for it, one
// below 1 against it. All words, their places and the answers must be the same for all ways: a
// difference is an error.
//
// Reading and splitting the files, which is the same work for all ways, is a large part of build.
// An index on the heap that is as flat by hand, as one large slice of places with offsets into it,
// would cost the collector as little.
//
// With queries, -top or -words, the index answers them, and nothing is measured. A query is one or
// more terms separated by spaces, which are words, or beginnings of words and an asterisk; it asks
// for files that have all of them. They are listed by the number of places, with the first line for
// the first term. With -file they are answered from that file: it is made when it is not there, and
// opened when it is.
//
//	go run ./examples/index -file go.index 'ReadAll LimitReader' 'Append*'
//	go run ./examples/index -file go.index -words Append
//
// The flags are:
//
//	-dir D         index the Go files below D (default the src of GOROOT)
//	-size N        index the first N MiB of them; 0 is all (default 0)
//	-rounds N      measure each way N times (default 3)
//	-duration D    look words up for D (default 500ms)
//	-requests N    answer N requests (default 30000)
//	-memory M      have the arena of refs in the Go heap (go) or outside of it (mmap) (default go)
//	-limit N       give each arena a limit of N MiB; 0 is none (default 0)
//	-file FILE     keep the index in FILE
//	-verify        read all of FILE before it is used, to see whether it is as it was saved; without
//	               that a damaged one may end the program with a panic (default true)
//	-top N         list the N most frequent words
//	-words P       list the words that begin with P, in order, and how often each is there
//	-plot FILE     write a plot to FILE, as SVG: the time of a collection, and the time until there
//	               is an answer, by the size of the index
//
// The exit status is 0, 1 after an error, and 2 if the command line is wrong. Nothing is left
// behind but the files of -file and -plot.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/examples/internal/command"
	"github.com/arena-go/arena/examples/internal/measure"
	"github.com/arena-go/arena/offheap"
)

// config is what the command line says.
type config struct {
	dir      string
	size     int64 // bytes; 0 is all
	rounds   int
	duration time.Duration
	requests int
	mmap     bool
	limit    int64 // bytes; 0 is none
	file     string
	verify   bool
	top      int
	words    string // a prefix; none is empty
	plot     string
	queries  []string
}

// The ways to make an index.
const (
	onHeap = "heap"
	asRefs = "refs"
	inFile = "file"
)

var ways = []string{onHeap, asRefs, inFile}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(program(ctx, os.Stdout, os.Stderr, os.Args[1:]))
}

// program is the whole program; it returns the exit status.
func program(ctx context.Context, w, wErr io.Writer, args []string) int {
	return command.Run(ctx, "index", wErr, args, parse, func(c config, job string, args []string) error {
		switch {
		case job != "":
			return doJob(ctx, w, c, job)
		case len(c.queries) > 0 || c.top > 0 || c.words != "":
			return answerAll(ctx, w, c)
		}
		return measureAll(ctx, w, wErr, c, args)
	})
}

func parse(wErr io.Writer, args []string) (config, error) {
	var c config
	fs := flag.NewFlagSet("index", flag.ContinueOnError)
	fs.SetOutput(wErr)
	fs.Usage = func() {
		fmt.Fprintln(wErr, "usage: index [flags] [query ...]\n\nIt makes an index of the words in Go files, on the heap, in an arena and in a file, and measures the difference, or answers queries.\n\nflags:")
		fs.PrintDefaults()
	}
	fs.StringVar(&c.dir, "dir", "", "index the Go files below the directory `D`, by default the src of GOROOT")
	size := fs.Int("size", 0, "index the first `N` MiB of them; 0 is all")
	fs.IntVar(&c.rounds, "rounds", 3, "measure each way `N` times")
	fs.DurationVar(&c.duration, "duration", 500*time.Millisecond, "look words up for the time `D`")
	fs.IntVar(&c.requests, "requests", 30000, "answer `N` requests")
	memory := fs.String("memory", "go", "have the arena in the memory `M`, which is go or mmap")
	limit := fs.Int("limit", 0, "give each arena a limit of `N` MiB; 0 is none")
	fs.StringVar(&c.file, "file", "", "keep the index in `FILE`")
	fs.BoolVar(&c.verify, "verify", true, "read all of the file before it is used, to see whether it is as it was saved")
	fs.IntVar(&c.top, "top", 0, "list the `N` most frequent words")
	fs.StringVar(&c.words, "words", "", "list the words that begin with `P`, in order")
	fs.StringVar(&c.plot, "plot", "", "write a plot to `FILE`, as SVG")
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	c.queries = fs.Args()
	c.mmap = *memory == "mmap"
	c.size, c.limit = int64(*size)<<20, int64(*limit)<<20
	var err error
	switch {
	case *memory != "go" && !c.mmap:
		err = fmt.Errorf("-memory is %s, and must be go or mmap", *memory)
	case *size < 0 || *size > 1<<20 || *limit < 0 || *limit > 1<<20:
		err = errors.New("-size and -limit must be 0 to 1048576")
	case c.rounds < 1 || c.rounds > 100:
		err = errors.New("-rounds must be 1 to 100")
	case c.duration < time.Millisecond || c.duration > time.Hour:
		err = errors.New("-duration must be 1ms to 1h")
	case c.requests < 1 || c.requests > 1e9:
		err = errors.New("-requests must be 1 to 1000000000")
	case c.top < 0:
		err = errors.New("-top must not be negative")
	}
	if err != nil {
		fmt.Fprintln(wErr, "index:", err)
	}
	return c, err
}

// source returns the files to index, with size bytes at most; 0 is for all.
func (c config) source(size int64) (*source, error) {
	dir := c.dir
	if dir == "" {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return nil, fmt.Errorf("go env GOROOT does not say where the sources of Go are: %w; name a directory of Go files with -dir", err)
		}
		dir = filepath.Join(strings.TrimSpace(string(root)), "src")
	}
	return newSource(dir, size)
}

// build makes an index in one of the ways; path is for inFile, which is saved there. The caller
// closes it.
func (c config) build(ctx context.Context, s *source, way, path string) (x index, err error) {
	defer func() {
		if err != nil && x != nil {
			err = errors.Join(err, x.close())
			x = nil
		}
	}()
	if way == onHeap {
		x = newHeapIndex()
		return x, s.readInto(ctx, x)
	}
	o := arena.Options{Name: "index", Limit: c.limit}
	if c.mmap {
		o.Memory = new(offheap.Mmap)
	}
	if way == inFile {
		f, err := offheap.Create(path, offheap.FileOptions{Schema: schema})
		if err != nil {
			return nil, err
		}
		o.Memory = f
	}
	full := arena.Try(func() {
		refs := newRefIndex(o)
		x = refs
		if err = s.readInto(ctx, refs); err == nil && way == inFile {
			err = refs.save()
		}
	})
	return x, errors.Join(full, err)
}

// answerAll answers the queries.
func answerAll(ctx context.Context, w io.Writer, c config) error {
	x, err := c.obtain(ctx, w)
	if err != nil {
		return err
	}
	for _, query := range c.queries {
		start := time.Now()
		writeAnswer(w, x, query)
		fmt.Fprintf(w, "  (%s)\n", measure.Value(int64(time.Since(start)), "nanoseconds"))
	}
	if c.top > 0 {
		writeTop(w, x, "*", c.top)
	}
	if c.words != "" {
		writeWords(w, x, c.words)
	}
	return x.close()
}

// obtain opens the index in the file, or makes one.
func (c config) obtain(ctx context.Context, w io.Writer) (index, error) {
	start := time.Now()
	took := func() string { return measure.Value(int64(time.Since(start)), "nanoseconds") }
	if c.file != "" {
		x, err := openIndex(c.file)
		if err == nil {
			fmt.Fprintf(w, "Opened %s in %s.\n", c.file, took())
			if c.verify {
				err = x.mem.Verify()
			}
			if err != nil {
				return nil, errors.Join(err, x.close())
			}
			return x, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	s, err := c.source(c.size)
	if err != nil {
		return nil, err
	}
	way := asRefs
	if c.file != "" {
		way = inFile
	}
	x, err := c.build(ctx, s, way, c.file)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "Read %s files with %s in %s.\n", measure.Thousands(int64(len(s.names))), measure.Value(s.bytes, "bytes"), took())
	return x, nil
}
