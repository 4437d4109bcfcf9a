package main

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/util"
)

// A pressure is an allocator that can be short of memory, such as an *arenaarrow.Allocator.
type pressure interface {
	TryReserve(bytes int64) error
	OnLimit(func(need int64) bool)
}

// plenty is the pressure of an allocator that knows none.
type plenty struct{}

func (plenty) TryReserve(int64) error   { return nil }
func (plenty) OnLimit(func(int64) bool) {}

// A sorter sorts orders, the dearest first, and orders of one price by id. It keeps the batches,
// each of them sorted, while there is memory. Otherwise it merges its batches into a run, which is
// a file, and goes on. At the end it merges the runs.
type sorter struct {
	r      *runner
	memory pressure
	rowMax int64 // bytes of a row, the most of a batch

	mu   sync.Mutex // The function of OnLimit spills on any goroutine: it takes the lock only if nobody has it.
	kept []arrow.RecordBatch
	runs []string // paths
	dir  string   // of runs, if there are any
	made int      // runs so far
	err  error    // of a spill that others have asked for

	spilling atomic.Bool
}

func newSorter(r *runner) *sorter {
	s := &sorter{r: r, memory: plenty{}}
	if p, ok := r.mem.(pressure); ok {
		s.memory = p
	}
	s.memory.OnLimit(func(int64) bool {
		if !s.mu.TryLock() {
			return s.spilling.Load() // Somebody works with the batches, and may be about to release them.
		}
		defer s.mu.Unlock()
		had := len(s.kept)
		s.err = errors.Join(s.err, s.spill())
		return had > 0 && s.err == nil
	})
	return s
}

// close releases and removes all that is left, after an error too.
func (s *sorter) close() error {
	s.memory.OnLimit(nil)
	s.mu.Lock() // A call of the function may be under way.
	defer s.mu.Unlock()
	s.release()
	if s.dir == "" {
		return nil
	}
	return os.RemoveAll(s.dir)
}

// release releases the batches that are kept.
func (s *sorter) release() {
	for _, b := range s.kept {
		b.Release()
	}
	s.kept = nil
}

// add takes what a scan yields.
func (s *sorter) add(batch arrow.RecordBatch) error {
	sorted, err := s.sorted(batch)
	if err != nil {
		return err
	}
	size := util.TotalRecordSize(sorted)
	s.rowMax = max(s.rowMax, size/max(sorted.NumRows(), 1)+1)
	s.mu.Lock()
	s.kept = append(s.kept, sorted)
	err = s.err
	s.mu.Unlock()
	if err != nil {
		return err
	}
	// The next batch, its order, its copy, and the first part of a run if there is no room then.
	if s.memory.TryReserve(4*size) == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spill()
}

// sorted returns a sorted copy of a batch.
func (s *sorter) sorted(batch arrow.RecordBatch) (arrow.RecordBatch, error) {
	n := int(batch.NumRows())
	buffer := memory.NewResizableBuffer(s.r.mem) // and not a slice of Go, which does not count to the limit
	defer buffer.Release()
	buffer.Resize(n * arrow.Int64SizeBytes)
	order := arrow.Int64Traits.CastFromBytes(buffer.Bytes())
	for i := range order {
		order[i] = int64(i)
	}
	keys := keysOf(batch)
	slices.SortFunc(order, func(x, y int64) int { return keys.compare(int(x), keys, int(y)) })
	data := array.NewData(arrow.PrimitiveTypes.Int64, n, []*memory.Buffer{nil, buffer}, nil, 0, 0)
	defer data.Release()
	rows := array.NewInt64Data(data)
	defer rows.Release()
	return s.r.take(batch, rows)
}

// keys are the columns of a batch by which orders are sorted.
type keys struct{ price, id []int64 }

func keysOf(batch arrow.RecordBatch) keys {
	column := func(name string) []int64 {
		return batch.Column(batch.Schema().FieldIndices(name)[0]).(*array.Int64).Int64Values()
	}
	return keys{column("price"), column("id")}
}

// compare tells which row comes first.
func (k keys) compare(i int, of keys, j int) int {
	return cmp.Or(cmp.Compare(of.price[j], k.price[i]), cmp.Compare(k.id[i], of.id[j]))
}

// piece is how many rows the sorter reads and writes at a time. It has one piece of each run in
// memory.
func (s *sorter) piece() int { return max(s.r.batch/8, 16) }

// pieceSize is about how many bytes a piece takes, with what is read of it from a file.
func (s *sorter) pieceSize() int64 { return int64(s.piece())*s.rowMax*5/4 + 4<<10 }

// spill makes a run of what is kept. The lock is taken.
func (s *sorter) spill() error {
	if len(s.kept) == 0 {
		return nil
	}
	s.spilling.Store(true)
	defer s.spilling.Store(false)
	sources := make([]*source, len(s.kept))
	for i, b := range s.kept {
		sources[i] = ofBatch(b)
	}
	err := s.makeRun(sources)
	s.release()
	return err
}

// makeRun merges sources into a run, and closes them.
func (s *sorter) makeRun(sources []*source) (err error) {
	if s.dir == "" {
		if s.dir, err = os.MkdirTemp("", "query-sort"); err != nil {
			return errors.Join(err, closeAll(sources))
		}
	}
	path := filepath.Join(s.dir, fmt.Sprint("run", s.made))
	s.made++
	f, err := os.Create(path)
	if err != nil {
		return errors.Join(err, closeAll(sources))
	}
	s.runs = append(s.runs, path)
	var w *ipc.Writer
	err = s.merge(sources, func(b arrow.RecordBatch) error {
		if w == nil {
			w = ipc.NewWriter(f, ipc.WithSchema(b.Schema()), ipc.WithAllocator(s.r.mem))
		}
		return w.Write(b)
	})
	if w != nil {
		err = errors.Join(err, w.Close())
	}
	if info, statErr := f.Stat(); statErr == nil {
		s.r.spilled.bytes += info.Size()
		s.r.spilled.runs++
	}
	err = errors.Join(err, f.Close())
	if err == nil && s.r.seen != nil {
		s.r.seen(path)
	}
	return err
}

// write writes the orders. If there are runs, it makes one of what is kept, too, and then merges as
// many at a time as there is memory for.
func (s *sorter) write(f func(arrow.RecordBatch) error) error {
	// The function is not to spill any more: what follows has the batches.
	room := s.memory.TryReserve(4*s.pieceSize()) == nil
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if room && len(s.runs) == 0 {
		var sources []*source
		for _, b := range s.kept {
			sources = append(sources, ofBatch(b))
		}
		return s.merge(sources, f)
	}
	if err := s.spill(); err != nil {
		return err
	}
	for {
		n := len(s.runs)
		for n > 2 && s.memory.TryReserve(int64(n+4)*s.pieceSize()) != nil {
			n--
		}
		last := n == len(s.runs)
		sources := make([]*source, 0, n)
		for _, path := range s.runs[:n] {
			one, err := ofRun(s.r.mem, path)
			if err != nil {
				return errors.Join(err, closeAll(sources))
			}
			sources = append(sources, one)
		}
		if last {
			return s.merge(sources, f)
		}
		s.runs = s.runs[n:]
		if err := s.makeRun(sources); err != nil {
			return err
		}
	}
}

// merge calls f for the rows of sources in order, a piece at a time, and closes them.
func (s *sorter) merge(sources []*source, f func(arrow.RecordBatch) error) (err error) {
	defer func() { err = errors.Join(err, closeAll(sources)) }()
	var queue sourceQueue
	for _, one := range sources {
		ok, err := one.advance()
		if err != nil {
			return err
		}
		if ok {
			queue = append(queue, one)
		}
	}
	if len(queue) == 0 {
		return nil
	}
	heap.Init(&queue)
	b := array.NewRecordBuilder(s.r.mem, queue[0].batch.Schema())
	defer b.Release()
	rows := 0
	emit := func() error {
		piece := b.NewRecordBatch()
		defer piece.Release()
		rows = 0
		return f(piece)
	}
	b.Reserve(s.piece())
	for len(queue) > 0 {
		first := queue[0]
		first.appendTo(b)
		if ok, err := first.advance(); err != nil {
			return err
		} else if ok {
			heap.Fix(&queue, 0)
		} else {
			heap.Pop(&queue)
		}
		if rows++; rows == s.piece() {
			if err := emit(); err != nil {
				return err
			}
			b.Reserve(s.piece())
		}
	}
	if rows == 0 {
		return nil
	}
	return emit()
}

// A source is sorted rows, one of which is the next.
type source struct {
	batch arrow.RecordBatch // nil before the first
	keys  keys
	row   int
	next  func() (arrow.RecordBatch, error) // the next batch, which is good until the next call; io.EOF after the last
	close func() error
}

// ofBatch is a source of a batch that is kept.
func ofBatch(b arrow.RecordBatch) *source {
	left := []arrow.RecordBatch{b}
	return &source{close: func() error { return nil }, next: func() (arrow.RecordBatch, error) {
		if len(left) == 0 {
			return nil, io.EOF
		}
		left = nil
		return b, nil
	}}
}

// ofRun is a source of a file, which is removed when it is closed.
func ofRun(mem memory.Allocator, path string) (*source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in, err := ipc.NewReader(f, ipc.WithAllocator(mem))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return &source{next: in.Read, close: func() error {
		in.Release()
		return errors.Join(f.Close(), os.Remove(path))
	}}, nil
}

func closeAll(sources []*source) (err error) {
	for _, s := range sources {
		err = errors.Join(err, s.close())
	}
	return err
}

// advance goes to the next row, and reports whether there is one.
func (s *source) advance() (bool, error) {
	if s.row++; s.batch != nil && s.row < int(s.batch.NumRows()) {
		return true, nil
	}
	for {
		batch, err := s.next()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if batch.NumRows() > 0 {
			s.batch, s.keys, s.row = batch, keysOf(batch), 0
			return true, nil
		}
	}
}

// appendTo appends the row to the builders of its columns.
func (s *source) appendTo(b *array.RecordBuilder) {
	for i, column := range s.batch.Columns() {
		switch to := b.Field(i).(type) {
		case *array.Int64Builder:
			to.Append(column.(*array.Int64).Value(s.row))
		case *array.Int32Builder:
			to.Append(column.(*array.Int32).Value(s.row))
		case *array.Date32Builder:
			to.Append(column.(*array.Date32).Value(s.row))
		case *array.StringBuilder:
			to.Append(column.(*array.String).Value(s.row))
		default:
			panic(fmt.Sprintf("the sort does not know columns of %s", column.DataType()))
		}
	}
}

// A sourceQueue is a heap of sources, the one with the first row at its top.
type sourceQueue []*source

func (q sourceQueue) Len() int { return len(q) }
func (q sourceQueue) Less(i, j int) bool {
	return q[i].keys.compare(q[i].row, q[j].keys, q[j].row) < 0
}
func (q sourceQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *sourceQueue) Push(x any)   { *q = append(*q, x.(*source)) }
func (q *sourceQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
