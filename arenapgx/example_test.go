package arenapgx_test

import (
	"context"
	"fmt"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapgx"
	"github.com/jackc/pgx/v5/pgxpool"
)

func Example() {
	type product struct {
		ID   int64
		Name string
		Tags []string
	}
	total := func(ctx context.Context, pool *pgxpool.Pool, a *arena.Arena) (int, error) {
		rows, err := pool.Query(ctx, "select id, name, tags from products")
		if err != nil {
			return 0, err
		}
		products, err := arenapgx.Collect[product](a, rows)
		if err != nil {
			return 0, err
		}
		n := 0
		for _, p := range products {
			n += len(p.Tags)
		}
		return n, nil
	}
	_ = total // It needs a server.
	fmt.Println("products lie in the arena until a.Reset")
	// Output: products lie in the arena until a.Reset
}

func ExampleForEach() {
	type line struct {
		ID   int64
		Text string
	}
	export := func(ctx context.Context, pool *pgxpool.Pool, write func(*line) error) error {
		rows, err := pool.Query(ctx, "select id, text from lines")
		if err != nil {
			return err
		}
		a := arena.NewArena()
		n := 0
		return arenapgx.ForEach(a, rows, func(l *line) error {
			if n++; n%1000 == 0 {
				defer a.Reset() // The lines before are written.
			}
			return write(l)
		})
	}
	_ = export // It needs a server.
	fmt.Println("a thousand lines are in memory at a time")
	// Output: a thousand lines are in memory at a time
}

func ExampleTextArray() {
	a := arena.NewArena()
	defer a.Free()
	skus := []string{"A-1", `19" rack`}
	// pool.Query(ctx, "select name from products where sku = any($1)", arenapgx.TextArray(a, skus))
	fmt.Println(arenapgx.TextArray(a, skus))
	// Output: {"A-1","19\" rack"}
}

func ExampleIntArray() {
	a := arena.NewArena()
	defer a.Free()
	ids := []int64{7, -12}
	// pool.Query(ctx, "select name from products where id = any($1)", arenapgx.IntArray(a, ids))
	fmt.Println(arenapgx.IntArray(a, ids))
	// Output: {7,-12}
}
