package arenajson_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
)

type (
	benchOrder struct {
		ID       int64        `json:"id"`
		Customer string       `json:"customer"`
		Email    string       `json:"email"`
		Paid     bool         `json:"paid"`
		Total    float64      `json:"total"`
		Address  *benchPlace  `json:"address"`
		Items    []benchThing `json:"items"`
		Note     *string      `json:"note"`
	}
	benchPlace struct {
		Street string `json:"street"`
		City   string `json:"city"`
		Zip    string `json:"zip"`
	}
	benchThing struct {
		SKU   string            `json:"sku"`
		Name  string            `json:"name"`
		Qty   int               `json:"qty"`
		Price float64           `json:"price"`
		Tags  []string          `json:"tags"`
		Attrs map[string]string `json:"attrs,omitempty"`
	}
)

// benchOrders returns a document of n orders, whose things have maps or not.
func benchOrders(n int, maps bool) []byte {
	var all []benchOrder
	for i := range n {
		o := benchOrder{
			ID: int64(i + 1000), Customer: fmt.Sprint("Customer ", i), Email: fmt.Sprintf("c%d@example.com", i), Paid: i%2 == 0, Total: float64(i) * 1.25,
			Address: &benchPlace{"Long Street 12", "Springfield", "12345"},
		}
		for j := range 4 {
			x := benchThing{fmt.Sprint("SKU-", i*10+j), "A useful thing of steel", j + 1, 9.99 + float64(j), []string{"red", "large"}, nil}
			if maps {
				x.Attrs = map[string]string{"color": "red", "size": fmt.Sprint(j)}
			}
			o.Items = append(o.Items, x)
		}
		all = append(all, o)
	}
	b, _ := json.Marshal(all)
	return b
}

// benchUnique returns a document of n orders like benchOrders', in which no text occurs twice.
func benchUnique(n int) []byte {
	var all []benchOrder
	for i := range n {
		o := benchOrder{
			ID: int64(i + 1000), Customer: fmt.Sprint("Customer ", i), Email: fmt.Sprintf("c%d@example.com", i), Paid: i%2 == 0, Total: float64(i) * 1.25,
			Address: &benchPlace{fmt.Sprintf("%d Long Street", i), fmt.Sprintf("%d Springfield", i), fmt.Sprint(10000 + i)},
		}
		for j := range 4 {
			k := i*10 + j
			o.Items = append(o.Items, benchThing{fmt.Sprint("SKU-", k), fmt.Sprintf("%d useful things of steel", k), j + 1, 9.99 + float64(j), []string{fmt.Sprint(k, " red"), fmt.Sprint(k, " large")}, nil})
		}
		all = append(all, o)
	}
	b, _ := json.Marshal(all)
	return b
}

// benchTexts returns a document of n strings, which have escapes or are not ASCII.
func benchTexts(n int) []byte {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("line %d\tof a \"text\"\n", i), strings.Repeat("日本語のテキスト ", 5), strings.Repeat("plain text ", 8))
	}
	b, _ := json.Marshal(all)
	return b
}

// benchNumbers returns a document of n points.
func benchNumbers(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var all [][2]float64
	for range n {
		all = append(all, [2]float64{r.Float64()*360 - 180, r.Float64()*180 - 90})
	}
	b, _ := json.Marshal(all)
	return b
}

// BenchmarkBound is what decoding cannot do without: a look at all of the document, and also, for a
// document with maps, Go's maps of the size that they get, made and filled with strings that are
// there; for one order in a new arena, one object for the arena, one for all of the order and one
// for its text; for text, a copy of it.
func BenchmarkBound(b *testing.B) {
	live := make([]*[6]*int, 1<<20)
	for i := range live {
		live[i] = new([6]*int)
	}
	type pair struct{ key, val string }
	var maps [][]pair
	var orders []benchOrder
	if err := json.Unmarshal(benchOrders(40, true), &orders); err != nil {
		b.Fatal(err)
	}
	for _, o := range orders {
		for _, x := range o.Items {
			var all []pair
			for k, v := range x.Attrs {
				all = append(all, pair{k, v})
			}
			maps = append(maps, all)
		}
	}
	type together struct {
		_ [1]benchOrder
		_ benchPlace
		_ [4]benchThing
		_ [8]string
	}
	var kept [3]any
	var text []byte
	for _, doc := range []struct {
		name string
		in   []byte
		rest func(in []byte)
	}{
		{"order-1kB", benchOrders(1, false), func(in []byte) {
			kept[0], kept[1], kept[2] = new([10]*int), new(together), new([256]byte)
		}},
		{"maps-40kB", benchOrders(40, true), func([]byte) {
			for i, all := range maps {
				m := make(map[string]string, len(all))
				for _, p := range all {
					m[p.key] = p.val
				}
				orders[i/4].Items[i%4].Attrs = m
			}
		}},
		{"texts-80kB", benchTexts(300), func(in []byte) { text = append(text[:0], in...) }},
	} {
		b.Run("doc="+doc.name, func(b *testing.B) {
			b.SetBytes(int64(len(doc.in)))
			b.ReportAllocs()
			start := cpuTime()
			for b.Loop() {
				if !arenajson.Valid(doc.in) {
					b.Fatal("not valid")
				}
				doc.rest(doc.in)
			}
			b.ReportMetric(float64(cpuTime()-start)/float64(b.N), "cpu-ns/op")
			runtime.KeepAlive(live)
		})
	}
}

// BenchmarkUnmarshal decodes with encoding/json, on the heap, in a new arena for each document, and
// in one that is Reset. The program has 48 MB of live memory with pointers, and cpu-ns/op has what
// all its processors do, the collector's work included.
func BenchmarkUnmarshal(b *testing.B) {
	live := make([]*[6]*int, 1<<20)
	for i := range live {
		live[i] = new([6]*int)
	}
	for _, doc := range []struct {
		name string
		in   []byte
		v    func() any
	}{
		{"order-1kB", benchOrders(1, false), func() any { return new([]benchOrder) }},
		{"orders-30kB", benchOrders(40, false), func() any { return new([]benchOrder) }},
		{"orders-1MB", benchOrders(1400, false), func() any { return new([]benchOrder) }},
		{"unique-30kB", benchUnique(40), func() any { return new([]benchOrder) }},
		{"maps-40kB", benchOrders(40, true), func() any { return new([]benchOrder) }},
		{"any-30kB", benchOrders(40, false), func() any { return new(any) }},
		{"numbers-180kB", benchNumbers(5000), func() any { return new([][2]float64) }},
		{"texts-80kB", benchTexts(300), func() any { return new([]string) }},
	} {
		for _, impl := range []string{"std", "heap", "fresh", "reset"} {
			b.Run("doc="+doc.name+"/impl="+impl, func(b *testing.B) {
				b.SetBytes(int64(len(doc.in)))
				b.ReportAllocs()
				a := arena.NewArena()
				start := cpuTime()
				for b.Loop() {
					var err error
					switch impl {
					case "std":
						err = json.Unmarshal(doc.in, doc.v())
					case "heap":
						err = arenajson.Unmarshal(nil, doc.in, doc.v())
					case "fresh":
						a := arena.NewArena()
						err = arenajson.Unmarshal(a, doc.in, doc.v())
						a.Free()
					case "reset":
						err = arenajson.Unmarshal(a, doc.in, doc.v())
						a.Reset()
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(cpuTime()-start)/float64(b.N), "cpu-ns/op")
				runtime.KeepAlive(live)
			})
		}
	}
}

// BenchmarkFold decodes names in other cases into wide structs. The time for each field does not
// depend on how many there are.
func BenchmarkFold(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		fields, names := make([]reflect.StructField, n), make([]string, n)
		for i := range n {
			fields[i] = reflect.StructField{Name: fmt.Sprintf("Field%d", i), Type: reflect.TypeFor[int]()}
			names[i] = fmt.Sprintf(`"field%d":%d`, i, i)
		}
		v, doc := reflect.New(reflect.StructOf(fields)).Interface(), []byte("{"+strings.Join(names, ",")+"}")
		for _, impl := range []string{"std", "heap"} {
			b.Run(fmt.Sprintf("fields=%d/impl=%s", n, impl), func(b *testing.B) {
				for b.Loop() {
					if impl == "std" {
						json.Unmarshal(doc, v)
					} else {
						arenajson.Unmarshal(nil, doc, v)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/field")
			})
		}
	}
}
