package arenajson

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/arena-go/arena"
)

type benchOrder struct {
	ID       int64       `json:"id"`
	Customer string      `json:"customer"`
	Email    string      `json:"email"`
	Paid     bool        `json:"paid"`
	Note     *string     `json:"note,omitempty"`
	Tags     []string    `json:"tags"`
	Items    []benchItem `json:"items"`
}

type benchItem struct {
	SKU   string            `json:"sku"`
	Qty   int               `json:"qty"`
	Price float64           `json:"price"`
	Attrs map[string]string `json:"attrs,omitempty"`
}

func benchOrders(n int, maps bool) []benchOrder {
	s := make([]benchOrder, n)
	for i := range s {
		o := &s[i]
		*o = benchOrder{ID: int64(1e9 + i*7919), Customer: fmt.Sprintf("Customer %d", i), Email: fmt.Sprintf("c%d@example.com", i), Paid: i%2 == 0, Tags: []string{"new", "priority"}}
		for j := range 5 {
			item := benchItem{SKU: fmt.Sprintf("SKU-%06d", i*5+j), Qty: j + 1, Price: float64(100+i*37+j*13) / 100}
			if maps {
				item.Attrs = map[string]string{"color": "red", "size": "XL", "weight": "12"}
			}
			o.Items = append(o.Items, item)
		}
	}
	return s
}

// BenchmarkMarshal encodes with encoding/json, on the heap, and in an arena that is Reset after
// each value. Fast peers are in package bench.
func BenchmarkMarshal(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	points := make([][2]float64, 5000)
	for i := range points {
		points[i] = [2]float64{r.Float64()*360 - 180, r.Float64()*180 - 90}
	}
	var anything any
	text, _ := json.Marshal(benchOrders(100, true))
	if err := json.Unmarshal(text, &anything); err != nil {
		b.Fatal(err)
	}
	var raws []json.RawMessage
	for _, o := range benchOrders(100, true) {
		raw, _ := json.Marshal(o)
		raws = append(raws, raw)
	}
	for _, c := range []struct {
		name string
		v    any
	}{
		{"raw", raws},
		{"invalid", []string{strings.Repeat("Gr\xf6\xdfe, ", 500), strings.Repeat("plain text \xff", 500)}},
		{"order", &benchOrders(1, false)[0]},
		{"orders", benchOrders(1000, false)},
		{"maps", benchOrders(100, true)},
		{"points", points},
		{"any", anything},
		{"text", []string{strings.Repeat("plain text ", 500), strings.Repeat("Größe, ", 500), strings.Repeat("日本語", 500), strings.Repeat("<a href=\"x\">", 300)}},
	} {
		text, _ := json.Marshal(c.v)
		run := func(impl string, marshal func(v any) ([]byte, error)) {
			b.Run("impl="+impl+"/value="+c.name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := marshal(c.v); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		a := arena.NewArena()
		run("std", json.Marshal)
		run("heap", func(v any) ([]byte, error) { return Marshal(nil, v) })
		run("arena", func(v any) ([]byte, error) {
			a.Reset()
			return Marshal(a, v)
		})
		a.Free()
	}
}
