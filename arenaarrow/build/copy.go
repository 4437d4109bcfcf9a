package build

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Copy returns a copy of an array with memory of mem: of its values, its children and its
// dictionary. The copy outlives the arena of the array. The caller releases it. Copy of a slice
// copies the whole array behind the slice.
//
// Copy accepts arrays of all types, from any maker. array.Concatenate of one array does not copy
// views and dictionaries, and returns an error for unions.
func Copy(arr arrow.Array, mem memory.Allocator) arrow.Array {
	d := copyData(arr.Data(), mem)
	defer d.Release() // The array has the only reference to it then.
	return array.MakeFromData(d)
}

// CopyBatch returns a copy of a batch. Each of its columns is a [Copy]. The caller releases it.
func CopyBatch(b arrow.RecordBatch, mem memory.Allocator) arrow.RecordBatch {
	columns := make([]arrow.Array, b.NumCols())
	for i, c := range b.Columns() {
		columns[i] = Copy(c, mem)
		defer columns[i].Release()
	}
	var meta arrow.Metadata
	if with, ok := b.(arrow.RecordBatchWithMetadata); ok {
		meta = with.Metadata()
	}
	return array.NewRecordBatchWithMetadata(b.Schema(), columns, b.NumRows(), meta)
}

// copyData returns a copy of all that the data leads to.
func copyData(d arrow.ArrayData, mem memory.Allocator) *array.Data {
	buffers := make([]*memory.Buffer, len(d.Buffers()))
	for i, b := range d.Buffers() {
		if b == nil {
			continue
		}
		to := mem.Allocate(b.Len())
		copy(to, b.Bytes())
		buffers[i] = memory.NewBufferWithAllocator(to, mem)
		defer buffers[i].Release() // The data has the only reference to it then, and to what is below.
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		children[i] = copyData(c, mem)
		defer children[i].Release()
	}
	var dictionary *array.Data
	if of, _ := d.Dictionary().(*array.Data); of != nil {
		dictionary = copyData(of, mem)
		defer dictionary.Release()
	}
	c := array.NewData(d.DataType(), d.Len(), buffers, children, d.NullN(), d.Offset())
	c.SetDictionary(dictionary)
	return c
}
