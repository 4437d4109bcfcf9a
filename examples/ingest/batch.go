package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/examples/internal/measure"
	"google.golang.org/protobuf/proto"
)

// A file of batches has, for each of them, its length in bytes as four bytes, the first one the
// highest, and then profiles. Each has its application, its time in nanoseconds since the epoch,
// and its bytes, where text and bytes are behind their length and numbers are uvarints.

// maxBatch bounds a batch in bytes.
const maxBatch = 64 << 20

// writeBatches writes n batches of 4 to 8 MB of the profiles, each a minute after the last one.
func writeBatches(w io.Writer, inputs []input, n int, start time.Time) error {
	random := rand.New(rand.NewPCG(1, 1))
	var b []byte
	for i := range n {
		b = b[:0]
		t := uint64(start.Add(time.Duration(i) * time.Minute).UnixNano())
		for size := 4<<20 + random.IntN(4<<20); ; {
			in := inputs[random.IntN(len(inputs))]
			if len(b) > 0 && len(b)+len(in.data) > size {
				break
			}
			b = binary.AppendUvarint(b, uint64(len(in.app)))
			b = append(b, in.app...)
			b = binary.AppendUvarint(b, t)
			b = binary.AppendUvarint(b, uint64(len(in.data)))
			b = append(b, in.data...)
		}
		if err := binary.Write(w, binary.BigEndian, uint32(len(b))); err != nil {
			return err
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// makeBatches is the command with -make-batch.
func makeBatches(w io.Writer, c config) error {
	inputs, err := readInputs(c.files)
	if err != nil {
		return err
	}
	f, err := os.Create(c.makeBatch)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	if err := errors.Join(writeBatches(b, inputs, c.batches, time.Now()), b.Flush(), f.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s has %d batches; measure them with -batch %[1]s\n", c.makeBatch, c.batches)
	return err
}

// readBatch returns the next batch, in buf if it has room. The error is io.EOF when there is no
// other.
func readBatch(r io.Reader, buf []byte) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > maxBatch {
		return nil, fmt.Errorf("a batch of %d bytes, and there may be %d", n, maxBatch)
	}
	if uint32(cap(buf)) < n {
		buf = make([]byte, n)
	}
	_, err := io.ReadFull(r, buf[:n])
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return buf[:n], err
}

// A record is a profile in a batch.
type record struct {
	app  string
	time time.Time
	data []byte
}

// nextRecord returns the first record of a batch, and what is behind it.
func nextRecord(batch []byte) (r record, rest []byte, err error) {
	number := func() uint64 {
		v, n := binary.Uvarint(batch)
		if n <= 0 {
			err = io.ErrUnexpectedEOF
			return 0
		}
		batch = batch[n:]
		return v
	}
	bytes := func() []byte {
		n := number()
		if err != nil || n > uint64(len(batch)) {
			err = io.ErrUnexpectedEOF
			return nil
		}
		b := batch[:n]
		batch = batch[n:]
		return b
	}
	r.app = string(bytes())
	r.time = time.Unix(0, int64(number()))
	r.data = bytes()
	return r, batch, err
}

// A batchResult is what a process has measured that has consumed batches.
type batchResult struct {
	Profiles, Batches, Bytes int64
	Took                     time.Duration
	Usage                    measure.Usage
	Digest                   string // of all call trees
}

// A consumer takes batches one after the other.
type consumer struct {
	*service
	arena  *arena.Arena
	result batchResult
}

// newConsumer returns a consumer, whose arena is the caller's to Free.
func newConsumer(c config, way string) *consumer {
	co := &consumer{service: newService(c, way == onHeap)}
	if way != onHeap {
		co.arena = arena.NewWith(arena.Options{Name: profileArena, Limit: c.limit})
	}
	return co
}

// take takes a profile of a batch: it is decoded into the arena of the batch, which the caller
// resets when the batch is done, and what is left of it is in the tree.
func (co *consumer) take(r record) error {
	n, err := parseName(r.app)
	if err == nil {
		err = co.ingestIn(co.arena, n, r.time, r.data)
	}
	co.result.Profiles++
	co.result.Bytes += int64(len(r.data))
	return err
}

// measured has f consume batches, and writes a message about that.
func (co *consumer) measured(stdout io.Writer, f func() error) error {
	defer co.arena.Free() //arena:trust trees copy what they take of a profile, and nothing else of one is kept
	runtime.GC()
	before, start := measure.Used(), time.Now()
	if err := f(); err != nil {
		return err
	}
	co.result.Took, co.result.Usage = time.Since(start), measure.Used().Since(before)
	var err error
	if co.result.Digest, err = co.digest(); err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(message{Batch: &co.result})
}

// digest identifies all call trees.
func (s *service) digest() (string, error) {
	h := sha256.New()
	for _, p := range s.store.selected(nil) {
		a := s.store.scratch()
		t, from, until, err := s.view(a, p.name.String())
		if err != nil {
			return "", err
		}
		data, err := proto.Marshal(t.exported(a, p.name.String(), from, until.Sub(from)))
		if err != nil {
			return "", err
		}
		h.Write(data)
		a.Free()
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}

// batchChild consumes the batches of a file.
func batchChild(stdout io.Writer, c config, way string) error {
	f, err := os.Open(c.batch)
	if err != nil {
		return err
	}
	defer f.Close()
	co := newConsumer(c, way)
	return co.measured(stdout, func() error {
		var buf []byte
		r := bufio.NewReader(f)
		for {
			var err error
			if buf, err = readBatch(r, buf); err == io.EOF {
				return nil
			}
			for rest := buf; len(rest) > 0 && err == nil; {
				var next record
				if next, rest, err = nextRecord(rest); err == nil {
					err = co.take(next)
				}
			}
			if err != nil {
				return fmt.Errorf("%s, batch %d: %w", c.batch, co.result.Batches+1, err)
			}
			co.result.Batches++
			//arena:trust trees copy what they take of a profile, and nothing else of one is kept
			co.arena.Reset() // all messages of the batch at once
		}
	})
}

// measureBatches is the command with -batch.
func measureBatches(ctx context.Context, w, wErr io.Writer, c config, args []string) error {
	var last *batchResult
	runs, err := measureRounds(wErr, c, "batches", func(way string) (*run, error) {
		var err error
		last, err = runBatchChild(ctx, args, "batch:"+way, "")
		if err != nil {
			return nil, err
		}
		return last.run(), nil
	})
	if err != nil {
		return err
	}
	return writeReport(w, c, last.title("Batches of a file"), runs, quantities)
}

// runBatchChild runs a child that consumes batches.
func runBatchChild(ctx context.Context, args []string, part, line string) (*batchResult, error) {
	child, err := startChild(ctx, args, part)
	if err != nil {
		return nil, err
	}
	m, err := child.ask(line)
	if err := errors.Join(err, child.Stop()); err != nil {
		return nil, err
	}
	return m.Batch, nil
}

func (r *batchResult) run() *run {
	return &run{profiles: r.Profiles, took: r.Took, usage: r.Usage, digest: r.Digest}
}

func (r *batchResult) title(what string) string {
	return fmt.Sprintf("%s: %s profiles in %d batches of %s", what, measure.Thousands(r.Profiles), r.Batches, measure.Value(r.Bytes/max(r.Batches, 1), "bytes"))
}
