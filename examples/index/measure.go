package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/arena-go/arena/examples/internal/command"
	"github.com/arena-go/arena/examples/internal/measure"
)

// A job is what is to be done in a process of its own.
type job struct {
	Way   string
	Path  string // of the file, for inFile
	Open  bool   // it was saved already
	Size  int64  // as config.size
	Quick bool   // measure for the plot only
}

// A run is what was measured of an index.
type run struct {
	Build, Ready    time.Duration
	GC, GCCPU       time.Duration // of a collection
	Lookups         int64         // per second
	Requests        int64         // under load
	Load            measure.Usage // under load
	Heap            uint64        // bytes alive
	Index           int64         // bytes in the arena
	Peak, BuildPeak uint64        // bytes

	Files, Words, Places int
	Bytes                int64
	Digest               uint64 // of all words, places and answers
}

func (r *run) per(quantity time.Duration) int64 { return int64(quantity) / r.Requests }

var quantities = []measure.Quantity[*run]{
	{Name: "build", Unit: "nanoseconds", Of: func(r *run) int64 { return int64(r.Build) }},
	{Name: "ready", Unit: "nanoseconds", Of: func(r *run) int64 { return int64(r.Ready) }},
	{Name: "GC", Unit: "nanoseconds", Of: func(r *run) int64 { return int64(r.GC) }},
	{Name: "lookups/s", Unit: "count", Of: func(r *run) int64 { return r.Lookups }, More: true},
	{Name: "requests/s", Unit: "count", Of: func(r *run) int64 { return int64(float64(r.Requests) / r.Load.Time.Seconds()) }, More: true},
	{Name: "GC CPU/request", Unit: "nanoseconds", Of: func(r *run) int64 { return r.per(r.Load.GCCPU) }},
	{Name: "CPU/request", Unit: "nanoseconds", Of: func(r *run) int64 { return r.per(r.Load.CPU) }},
	{Name: "GC cycles", Unit: "count", Of: func(r *run) int64 { return int64(r.Load.Cycles) }},
	{Name: "Go heap", Unit: "bytes", Of: func(r *run) int64 { return int64(r.Heap) }},
	{Name: "index", Unit: "bytes", Of: func(r *run) int64 { return r.Index }},
	{Name: "peak memory", Unit: "bytes", Of: func(r *run) int64 { return int64(r.Peak) }},
	{Name: "peak, building", Unit: "bytes", Of: func(r *run) int64 { return int64(r.BuildPeak) }},
}

// doJob does the job of a child, and writes the run.
func doJob(ctx context.Context, w io.Writer, c config, text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return fmt.Errorf("the job of a child: %w", err)
	}
	r, err := j.measure(ctx, c)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(r)
}

func (j job) measure(ctx context.Context, c config) (*run, error) {
	var s *source
	var err error
	if !j.Open {
		if s, err = c.source(j.Size); err != nil {
			return nil, err
		}
	}
	r, start := &run{}, time.Now()
	var x index
	if j.Open {
		x, err = openIndex(j.Path)
	} else {
		x, err = c.build(ctx, s, j.Way, j.Path)
	}
	if err != nil {
		return nil, err
	}
	r.Build = time.Since(start)
	if len(x.places("func")) == 0 && x.words() == 0 {
		return nil, errors.Join(errors.New("there are no words in the files"), x.close())
	}
	r.Ready = time.Since(start)
	if j.Way != inFile || j.Open {
		r.answer(c, x, j.Quick)
	}
	r.Peak = measure.Used().Peak
	r.BuildPeak = r.Peak
	return r, x.close()
}

// collections is how many are measured, of which the shortest counts: what else the machine does
// only makes them longer, and a collection by far, which stops all of its threads and waits for
// them.
const collections = 25

// answer measures an index that is there.
func (r *run) answer(c config, x index, quick bool) {
	r.GC = time.Hour
	for range collections {
		start := time.Now()
		runtime.GC()
		r.GC = min(r.GC, time.Since(start))
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.Heap, r.Index = m.HeapAlloc, x.size()
	r.summarize(x)
	if quick {
		return
	}
	s := newSample(x)
	r.lookups(x, s, c.duration)
	r.load(x, s, c.requests)
}

var crcTable = crc64.MakeTable(crc64.ECMA)

// summarize counts what is in the index, and makes the digest of it.
func (r *run) summarize(x index) {
	var b []byte
	r.Files, r.Words = x.files(), x.words()
	for i := range r.Files {
		d := x.file(i)
		r.Bytes += int64(d.bytes)
		b = fmt.Append(b, d)
	}
	for word, count := range x.beginning("") {
		b = fmt.Append(b, word, count)
		for _, p := range x.places(word) {
			r.Places++
			b = binary.LittleEndian.AppendUint32(b, p.file)
			b = binary.LittleEndian.AppendUint32(b, p.line)
		}
		if len(b) > 1<<16 {
			r.Digest = crc64.Update(r.Digest, crcTable, b)
			b = b[:0]
		}
	}
	r.Digest = crc64.Update(r.Digest, crcTable, b)
}

// A sample has words of an index, in random order. The collector does not look into it.
type sample struct {
	text string
	ends []uint32
}

const sampleSize = 1 << 16

func newSample(x index) *sample {
	s, random := &sample{ends: []uint32{0}}, rand.New(rand.NewPCG(1, 2))
	var words []string
	for word := range x.beginning("") {
		words = append(words, word)
	}
	var text strings.Builder
	for range sampleSize {
		text.WriteString(words[random.IntN(len(words))])
		s.ends = append(s.ends, uint32(text.Len()))
	}
	s.text = text.String()
	return s
}

// word returns one of the words, for any i.
func (s *sample) word(i int) string {
	i %= sampleSize
	return s.text[s.ends[i]:s.ends[i+1]]
}

// lookups looks words up for some time.
func (r *run) lookups(x index, s *sample, d time.Duration) {
	lines := uint32(0)
	read := func(i int) {
		for _, p := range x.places(s.word(i)) {
			lines += p.line
		}
	}
	for i := range sampleSize { // the first time is different, and the same for all
		read(i)
	}
	r.Digest += uint64(lines)
	n, start := 0, time.Now()
	for time.Since(start) < d {
		for range 1000 {
			read(n)
			n++
		}
	}
	r.Lookups = int64(float64(n) / time.Since(start).Seconds())
}

// load answers n requests.
func (r *run) load(x index, s *sample, n int) {
	for i := range 1000 { // these are checked
		r.Digest = crc64.Update(r.Digest, crcTable, respond(x, s, i))
	}
	runtime.GC()
	before := measure.Used()
	for i := range n {
		respond(x, s, i)
	}
	r.Load = measure.Used().Since(before)
	r.Requests = int64(n)
}

// respond answers request i: where ten words are. All that it makes is garbage soon.
func respond(x index, s *sample, i int) []byte {
	var lines []string
	for j := range 10 {
		word := s.word(10*i + j)
		var all []string
		at := x.places(word)
		for _, p := range at[:min(len(at), 10)] {
			all = append(all, fmt.Sprintf("%s:%d", x.file(int(p.file)).name, p.line))
		}
		lines = append(lines, fmt.Sprintf("%s %d %s\n", word, x.count(word), strings.Join(all, " ")))
	}
	return []byte(strings.Join(lines, ""))
}

// measureAll measures all ways, checks that they have the same answers, and prints the medians.
func measureAll(ctx context.Context, w, wErr io.Writer, c config, args []string) error {
	p := measure.NewProgress(wErr)
	defer p.Clear()
	s, err := c.source(c.size)
	if err != nil {
		return err
	}
	if c.plot != "" { // try it before the measuring, not after
		f, err := os.OpenFile(c.plot, os.O_WRONLY|os.O_CREATE, 0o666)
		if err != nil {
			return err
		}
		f.Close()
	}
	beside := os.TempDir()
	if c.file != "" {
		beside = filepath.Dir(c.file)
		switch x, err := openIndex(c.file); {
		case err == nil:
			x.close()
		case !errors.Is(err, os.ErrNotExist):
			return fmt.Errorf("%w; it is not replaced", err)
		}
	}
	dir, err := os.MkdirTemp(beside, "index")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "index")
	runs := map[string][]*run{}
	var first *run
	for round := range c.rounds {
		for _, way := range ways {
			p.Show("round %d of %d, %s", round+1, c.rounds, way)
			r, err := measureWay(ctx, args, job{Way: way, Path: path, Size: c.size})
			if err != nil {
				return fmt.Errorf("%s: %w", way, err)
			}
			if first == nil {
				first = r
			}
			if r.Digest != first.Digest {
				return fmt.Errorf("the answers differ: digest %016x with %s, %016x expected", r.Digest, way, first.Digest)
			}
			runs[way] = append(runs[way], r)
		}
	}
	var points []map[string]*run // of the plot
	if c.plot != "" {
		for parts := int64(16); parts > 1; parts /= 2 {
			point := map[string]*run{}
			for _, way := range ways {
				p.Show("plot, 1/%d, %s", parts, way)
				j := job{Way: way, Path: filepath.Join(dir, "part"), Size: s.bytes / parts, Quick: true}
				if point[way], err = measureWay(ctx, args, j); err != nil {
					return fmt.Errorf("%s, 1/%d: %w", way, parts, err)
				}
			}
			points = append(points, point)
		}
	}
	p.Clear()

	memory := ""
	if c.mmap {
		memory = ", refs outside of the Go heap"
	}
	fmt.Fprintf(w, "Index of %s files with %s: %s words at %s places%s. Medians of %d runs:\n\n", measure.Thousands(int64(first.Files)),
		measure.Value(first.Bytes, "bytes"), measure.Thousands(int64(first.Words)), measure.Thousands(int64(first.Places)), memory, c.rounds)
	if err := measure.WriteTable(w, ways, runs, quantities); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nAll %d runs had the same answers: digest %016x.\n", c.rounds*len(ways), first.Digest)
	if c.file != "" {
		if err := os.Rename(path, c.file); err != nil {
			return err
		}
	}
	if c.plot == "" {
		return nil
	}
	return writePlot(c.plot, append(points, medians(runs)))
}

// medians returns what the plot needs of the runs.
func medians(runs map[string][]*run) map[string]*run {
	m := map[string]*run{}
	for way, all := range runs {
		m[way] = &run{
			Places: all[0].Places,
			GC:     time.Duration(measure.Median(all, func(r *run) int64 { return int64(r.GC) })),
			Ready:  time.Duration(measure.Median(all, func(r *run) int64 { return int64(r.Ready) })),
		}
	}
	return m
}

// measureWay measures in a process of its own, or two: one that writes the file, and one that opens
// it.
func measureWay(ctx context.Context, args []string, j job) (*run, error) {
	r, err := j.start(ctx, args)
	if err != nil || j.Way != inFile {
		return r, err
	}
	j.Open = true
	opened, err := j.start(ctx, args)
	if err != nil {
		return nil, err
	}
	opened.Build, opened.BuildPeak = r.Build, r.BuildPeak
	return opened, nil
}

// start does the job in another process.
func (j job) start(ctx context.Context, args []string) (*run, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, exe, append([]string{command.ChildFlag, string(text)}, args...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s (%w)", strings.TrimPrefix(strings.TrimSpace(stderr.String()), "index: "), err)
	}
	r := new(run)
	if err := json.Unmarshal(stdout.Bytes(), r); err != nil {
		return nil, fmt.Errorf("what a measuring process has written: %w", err)
	}
	return r, nil
}
