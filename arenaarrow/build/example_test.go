package build_test

import (
	"fmt"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenaarrow/build"
)

func ExampleRows() {
	type order struct {
		ID    int64     `arrow:"id"`
		Shop  string    `arrow:"shop,dict"`
		Day   time.Time `arrow:"day,date32"`
		Price *float64  `arrow:"price"`
		Parts []string  `arrow:"parts"`
	}
	a := arena.NewArena()
	defer a.Free()
	rows, err := build.NewRows[order](a) // Once, for all batches.
	if err != nil {
		panic(err)
	}
	price := 1.5
	for _, orders := range [][]order{
		{{1, "north", time.Unix(0, 0), &price, []string{"leg", "top"}}, {2, "north", time.Unix(0, 0), nil, nil}},
		{{3, "south", time.Unix(86400, 0), &price, []string{}}},
	} {
		rows.AppendSlice(orders)
		batch, err := rows.NewRecordBatch()
		if err != nil {
			panic(err)
		}
		for i, c := range batch.Columns() {
			fmt.Println(batch.ColumnName(i), c)
		}
		a.Reset()
	}
	// Output:
	// id [1 2]
	// shop { dictionary: ["north"]
	//   indices: [0 0] }
	// day [1970-01-01 1970-01-01]
	// price [1.5 (null)]
	// parts [["leg" "top"] (null)]
	// id [3]
	// shop { dictionary: ["south"]
	//   indices: [0] }
	// day [1970-01-02]
	// price [1.5]
	// parts [[]]
}

func ExampleRecordBuilder() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "host", Type: arrow.BinaryTypes.String},
		{Name: "loads", Type: arrow.ListOf(arrow.PrimitiveTypes.Float64), Nullable: true},
	}, nil)
	a := arena.NewArena()
	defer a.Free()
	b := build.NewRecordBuilder(a, schema) // Instead of array.NewRecordBuilder(mem, schema).
	hosts, loads := b.Field(0).(*build.Text), b.Field(1).(*build.List)
	values := loads.ValueBuilder().(*build.Column[float64])

	hosts.Append("one")
	loads.Append(true)
	values.AppendValues([]float64{0.5, 0.25}, nil)
	hosts.Append("two")
	loads.AppendNull()

	batch := b.NewRecordBatch()
	fmt.Println(batch.NumRows(), batch.Column(0), batch.Column(1))
	a.Reset() // The batch is gone; the builders are there for the next one.
	// Output:
	// 2 ["one" "two"] [[0.5 0.25] (null)]
}

func ExampleCopy() {
	a := arena.NewArena()
	defer a.Free()
	names := build.NewText(a, arrow.BinaryTypes.StringView)
	names.Append("a name that is longer than a view")
	kept := build.Copy(names.NewArray(), memory.DefaultAllocator)
	defer kept.Release()
	a.Reset() // What NewArray has returned is stale.
	fmt.Println(kept)
	// Output:
	// ["a name that is longer than a view"]
}
