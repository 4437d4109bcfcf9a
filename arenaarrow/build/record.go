package build

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/arena-go/arena"
)

// A RecordBuilder makes one record batch after the other, column by column, like
// array.RecordBuilder. It is on the heap, and may be reused after its arena was Reset.
type RecordBuilder struct {
	schema *arrow.Schema
	fields []Builder
	arrays []arrow.Array
	life   *life
}

// NewRecordBuilder returns an empty RecordBuilder for a schema. Its batches will be in the arena.
// It panics if there is no builder for one of the types.
func NewRecordBuilder(a *arena.Arena, schema *arrow.Schema) *RecordBuilder {
	b := &RecordBuilder{schema: schema, fields: make([]Builder, schema.NumFields()), arrays: make([]arrow.Array, schema.NumFields()), life: lasting}
	p := place{nil, a, lasting}
	if a != nil {
		p.life = &life{arena: a, fields: b.fields}
		b.life = p.life
	}
	for i := range b.fields {
		b.fields[i] = p.builder(schema.Field(i).Type)
	}
	return b
}

// Schema returns the schema of the batches.
func (b *RecordBuilder) Schema() *arrow.Schema { return b.schema }

// Field returns the builder of column i, for all batches.
func (b *RecordBuilder) Field(i int) Builder { return b.fields[i] }

// Fields returns the builders of all columns, for all batches. The slice belongs to the
// RecordBuilder: do not change it.
func (b *RecordBuilder) Fields() []Builder { return b.fields }

// Reserve makes room for n more rows in each column.
func (b *RecordBuilder) Reserve(n int) {
	b.checkLost()
	for _, f := range b.fields {
		f.reserve(n)
	}
}

// NewRecordBatch returns the appended rows, and empties all columns. Release of the batch is
// allowed, and not needed. It is valid until the arena is Reset. NewRecordBatch panics if columns
// have different numbers of values, if a panic has ended an append, and if the arena was Reset
// while there were values.
func (b *RecordBuilder) NewRecordBatch() arrow.RecordBatch {
	if why := anyBroken(b.fields); why != "" {
		panic(why)
	}
	rows := 0
	for i, f := range b.fields {
		if i == 0 {
			rows = f.Len()
		} else if f.Len() != rows {
			panic(fmt.Sprintf("build: the column %s has %d values, and %s has %d; append one to each column for each row",
				b.schema.Field(i).Name, f.Len(), b.schema.Field(0).Name, rows))
		}
	}
	var all []part
	if b.life != lasting { // On the heap, a column that is kept keeps no others.
		all = make([]part, npartsOf(b.fields))
	}
	for i, f := range b.fields {
		if all == nil {
			b.arrays[i] = f.NewArray()
			continue
		}
		n := nparts(f)
		b.arrays[i], all = newArrayIn(all[:n], f), all[n:]
	}
	r := array.NewRecordBatch(b.schema, b.arrays, int64(rows))
	for _, a := range b.arrays {
		a.Release()
	}
	clear(b.arrays)
	return r
}

// Release discards the appended rows that are in no batch. The RecordBuilder is then empty, and may
// be used.
func (b *RecordBuilder) Release() {
	for _, f := range b.fields {
		f.Release()
	}
	clear(b.arrays)
	if b.life.lost { // which lasting never is, and others use that at the same time
		b.life.lost = false
	}
}

// checkLost panics if a Reset has taken values.
func (b *RecordBuilder) checkLost() {
	if b.life.lost {
		panic(stale)
	}
}
