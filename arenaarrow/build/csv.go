package build

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arena-go/arena"
)

// CSVOptions are for [NewCSVReader]. The zero value has no nulls.
type CSVOptions struct {
	Nulls    []string // Fields that are null, such as "" and "NULL".
	NullText bool     // They are null in columns of strings, too. In those of bytes they always are.
}

// A CSVReader makes record batches of CSV. It is on the heap, and goes on after its arena was Reset. Values are what csv.NewReader of arrow-go
// makes of them: bytes are in base64, dates and times in the forms of ISO 8601.
type CSVReader struct {
	in      *csv.Reader
	builder *RecordBuilder
	columns []csvColumn
	options CSVOptions
	err     error
}

type csvColumn struct {
	parse parser
	null  bool // A field may be one.
}

// NewCSVReader returns one for the rows that in reads, whose batches will be in the arena. It sets ReuseRecord and FieldsPerRecord of in. If
// the first row has names, call in.Read before. NewCSVReader returns an error if there is a column of a type that CSV has no form for: lists
// and the like.
func NewCSVReader(a *arena.Arena, in *csv.Reader, schema *arrow.Schema, o CSVOptions) (*CSVReader, error) {
	r := &CSVReader{in: in, builder: NewRecordBuilder(a, schema), options: o}
	for i, f := range schema.Fields() {
		b := r.builder.Field(i)
		p := parserOf(b, false)
		if p == nil {
			return nil, fmt.Errorf("build: NewCSVReader: there is no form in CSV for the column %s, which is %v", f.Name, f.Type)
		}
		r.columns = append(r.columns, csvColumn{p, len(o.Nulls) > 0 && (o.NullText || !isString(storage(f.Type)))})
	}
	in.ReuseRecord, in.FieldsPerRecord = true, len(r.columns)
	return r, nil
}

// Schema returns that of the batches.
func (r *CSVReader) Schema() *arrow.Schema { return r.builder.Schema() }

// Read returns a batch of the next rows, so many at most. After the last row it returns io.EOF. A value that its column cannot hold is a
// [*ReadError], and what is no CSV a [*csv.ParseError]. Then there is no batch, and the rows before in it are gone, too; the error stays. Read
// panics if rows is not positive. After a panic within it, such as that of a limit of the arena, Read returns an error that says so, and stays.
func (r *CSVReader) Read(rows int) (arrow.RecordBatch, error) {
	return readRows(rows, r.builder, &r.err, r.row)
}

// firstRows is for how many rows there is room at first, at most.
const firstRows = 1 << 10

// readRows is Read of both readers. row appends one row, and returns io.EOF if there is none.
func readRows(rows int, b *RecordBuilder, stays *error, row func() error) (arrow.RecordBatch, error) {
	if rows <= 0 {
		panic(fmt.Sprintf("build: Read(%d); pass how many rows a batch has at most", rows))
	}
	err, n := *stays, 0
	if err == nil {
		b.Release() // what a Reserve has got that failed here the last time, before a Reset
		b.Reserve(min(rows, firstRows))
		*stays = errEnded // unless nothing below panics
	}
	for ; n < rows && err == nil; n++ {
		if err = row(); err != nil {
			break
		}
	}
	if err != nil && (err != io.EOF || n == 0) {
		b.Release()
		*stays = err
		return nil, err
	}
	batch := b.NewRecordBatch()
	*stays = err
	return batch, nil
}

// errEnded stays after a panic.
var errEnded = errors.New("build: a panic, such as that of a limit, has ended Read, and the rows of its batch are lost; read the text again with a new reader")

func (r *CSVReader) row() error {
	fields, err := r.in.Read()
	if err != nil {
		return err
	}
	for i := range r.columns {
		c := &r.columns[i]
		if c.null && slices.Contains(r.options.Nulls, fields[i]) {
			r.builder.fields[i].AppendNull()
		} else if err := c.parse(fields[i]); err != nil {
			line, column := r.in.FieldPos(i)
			return &ReadError{line, column, r.Schema().Field(i).Name, err}
		}
	}
	return nil
}
