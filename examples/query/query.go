package main

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// A query reads the orders and writes its result.
type query struct {
	name string
	run  func(*runner) error
}

var queries = []query{
	{"revenue by region", revenueByRegion},
	{"top customers", topCustomers},
	{"large orders", largeOrders},
	{"newest first", newestFirst},
	{"dearest orders", dearestOrders},
	{"by price", byPrice},
}

// revenueByRegion sums up the last quarter.
func revenueByRegion(r *runner) error {
	sums := sums{}
	err := r.scan([]string{"region", "price", "quantity", "day"}, func(batch arrow.RecordBatch) error {
		recent, err := r.filter(batch, "day", "greater_equal", firstDay+days-90)
		if err != nil {
			return err
		}
		defer recent.Release()
		region, price, quantity := recent.Column(0).(*array.String), recent.Column(1).(*array.Int64), recent.Column(2).(*array.Int32)
		for i := range region.Len() {
			sums.add(region.Value(i), price.Value(i)*int64(quantity.Value(i)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.writeSums("region", sums, len(sums))
}

// topCustomers finds who buys dear things for the most money.
func topCustomers(r *runner) error {
	sums := sums{}
	err := r.scan([]string{"customer", "price", "quantity"}, func(batch arrow.RecordBatch) error {
		dear, err := r.filter(batch, "price", "greater_equal", int64(50_00))
		if err != nil {
			return err
		}
		defer dear.Release()
		customer, price, quantity := dear.Column(0).(*array.Dictionary), dear.Column(1).(*array.Int64), dear.Column(2).(*array.Int32)
		name := customer.Dictionary().(*array.String)
		byIndex := make([]int64, name.Len())
		for i := range customer.Len() {
			byIndex[customer.GetValueIndex(i)] += price.Value(i) * int64(quantity.Value(i))
		}
		for i, cents := range byIndex {
			if cents > 0 {
				sums.add(name.Value(i), cents)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.writeSums("customer", sums, 10)
}

// largeOrders exports orders unchanged, batch by batch.
func largeOrders(r *runner) error {
	return r.scan(columnsOf(orders), func(batch arrow.RecordBatch) error {
		large, err := r.filter(batch, "quantity", "greater", int32(1))
		if err != nil {
			return err
		}
		defer large.Release()
		return r.write(large)
	})
}

// newestFirst exports all orders in reverse, and has to have all of them in memory for that. No
// limit is good for it that does not grow with the file.
func newestFirst(r *runner) error {
	var all []arrow.RecordBatch
	defer func() {
		for _, batch := range all {
			batch.Release()
		}
	}()
	err := r.scan([]string{"id", "region", "price", "quantity", "day"}, func(batch arrow.RecordBatch) error {
		batch.Retain()
		all = append(all, batch)
		return nil
	})
	if err != nil {
		return err
	}
	for _, batch := range slices.Backward(all) {
		if err := r.writeReversed(batch); err != nil {
			return err
		}
	}
	return nil
}

// dearestOrders finds the order of the highest price in each batch, if it is higher than all
// before, and keeps the batch. It forgets to release the previous batch.
func dearestOrders(r *runner) error {
	var best arrow.RecordBatch
	var row, most int64
	err := r.scan([]string{"id", "price"}, func(batch arrow.RecordBatch) error {
		before := most
		for i, cents := range batch.Column(1).(*array.Int64).Int64Values() {
			if cents > most {
				row, most = int64(i), cents
			}
		}
		if most > before {
			batch.Retain()
			best = batch // if best != nil { best.Release() } is missing before this
		}
		return nil
	})
	if best == nil {
		return err
	}
	defer best.Release()
	if err != nil {
		return err
	}
	result := best.NewSlice(row, row+1)
	defer result.Release()
	return r.write(result)
}

// byPrice exports all orders, the dearest first. It has to have all of them for that, as
// newestFirst has: in memory, or in files if there is not so much.
func byPrice(r *runner) (err error) {
	s := newSorter(r)
	defer func() { err = errors.Join(err, s.close()) }()
	if err := r.scan([]string{"id", "region", "price", "quantity", "day"}, s.add); err != nil {
		return err
	}
	return s.write(func(b arrow.RecordBatch) error { return r.write(b) })
}

// A sums has a sum for each name.
type sums map[string]*int64

// add adds to a sum. The name may be text in a batch, whose memory is used again once that is
// released: the map gets a copy. It has pointers because sums[name] += cents would be wrong: that
// replaces the key, too, by one that equals it.
func (s sums) add(name string, cents int64) {
	sum := s[name]
	if sum == nil {
		sum = new(int64)
		s[strings.Clone(name)] = sum
	}
	*sum += cents
}

// writeSums writes the n largest sums as a batch.
func (r *runner) writeSums(column string, sums sums, n int) error {
	names := slices.SortedFunc(maps.Keys(sums), func(x, y string) int {
		return cmp.Or(cmp.Compare(*sums[y], *sums[x]), cmp.Compare(x, y))
	})
	b := array.NewRecordBuilder(r.mem, arrow.NewSchema([]arrow.Field{
		{Name: column, Type: arrow.BinaryTypes.String}, {Name: "cents", Type: arrow.PrimitiveTypes.Int64},
	}, nil))
	defer b.Release()
	for _, name := range names[:min(n, len(names))] {
		b.Field(0).(*array.StringBuilder).Append(name)
		b.Field(1).(*array.Int64Builder).Append(*sums[name])
	}
	batch := b.NewRecordBatch()
	defer batch.Release()
	return r.write(batch)
}

// writeReversed writes a batch from its end.
func (r *runner) writeReversed(batch arrow.RecordBatch) error {
	b := array.NewInt64Builder(r.mem)
	defer b.Release()
	for i := batch.NumRows() - 1; i >= 0; i-- {
		b.Append(i)
	}
	rows := b.NewArray()
	defer rows.Release()
	reversed, err := r.take(batch, rows)
	if err != nil {
		return err
	}
	defer reversed.Release()
	return r.write(reversed)
}

func columnsOf(s *arrow.Schema) (names []string) {
	for _, f := range s.Fields() {
		names = append(names, f.Name)
	}
	return names
}
