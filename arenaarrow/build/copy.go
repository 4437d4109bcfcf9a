package build

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

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
