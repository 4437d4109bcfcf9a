package json

import (
	std "encoding/json"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A document is what is decoded, into a value of its type or into an any, and what comes of that is
// encoded.
type document struct {
	name, about string
	file        string // One of Go's own tests; empty if it is made here.
	data        func() []byte
	value       func() any // A pointer to a new value of the type.
	n           int        // How many times it is decoded in a round.
	any         bool       // It is decoded into an any too.
	quick       bool
}

var documents = []*document{
	orders("orders-1kB", 1, false, 200, true),
	orders("orders-25kB", 33, false, 10, false),
	orders("orders-1MB", 1400, false, 1, false),
	orders("orders-maps-1kB", 1, true, 200, false),
	orders("orders-maps-25kB", 25, true, 10, false),
	orders("orders-maps-1MB", 1000, true, 1, false),
	standard[tweets]("twitter", "twitter_status", "Tweets that were searched for: structs with many fields, text that is not ASCII.", 1),
	standard[catalog]("citm", "citm_catalog", "What a theatre sells: small structs, maps with integers as keys.", 1),
	standard[geometry]("canada", "canada_geometry", "The border of Canada: numbers with many digits.", 1),
	standard[sources]("golang", "golang_source", "A tree of files: a type that contains itself.", 1),
	standard[patient]("synthea", "synthea_fhir", "The file of a made-up patient: a large type of which little is used at a time, and times.", 1),
	standard[texts]("string-escaped", "string_escaped", "Text in many scripts, all of it in escapes.", 5),
	standard[texts]("string-unicode", "string_unicode", "Text in many scripts, without escapes.", 10),
}

// orders returns a document of count orders, whose things have maps or not.
func orders(name string, count int, maps bool, n int, quick bool) *document {
	about := fmt.Sprintf("%d orders of a shop, of four things each", count)
	if count == 1 {
		about = "An order of a shop, of four things"
	}
	if maps {
		about += ", each with a map of text"
	}
	data := sync.OnceValue(func() []byte { return must(std.Marshal(newOrders(count, maps))) })
	return &document{name: name, about: about + ".", data: data, value: func() any { return new([]order) }, n: n, any: maps && count == 25, quick: quick}
}

func newOrders(count int, maps bool) (all []order) {
	for i := range count {
		o := order{
			ID: int64(i + 1000), Customer: fmt.Sprint("Customer ", i), Email: fmt.Sprintf("c%d@example.com", i), Paid: i%2 == 0, Total: float64(i) * 1.25,
			Address: &place{"Long Street 12", "Springfield", "12345"},
		}
		for j := range 4 {
			x := thing{fmt.Sprint("SKU-", i*10+j), "A useful thing of steel", j + 1, 9.99 + float64(j), []string{"red", "large"}, nil}
			if maps {
				x.Attrs = map[string]string{"color": "red", "size": fmt.Sprint(j)}
			}
			o.Items = append(o.Items, x)
		}
		all = append(all, o)
	}
	return all
}

// standard returns a document that the tests of Go's encoding/json have.
func standard[T any](name, file, about string, n int) *document {
	d := &document{name: name, about: about, file: file + ".json.zst", value: func() any { return new(T) }, n: n, any: true}
	d.data = sync.OnceValue(func() []byte {
		r := must(zstd.NewReader(nil))
		defer r.Close()
		return must(r.DecodeAll(must(os.ReadFile(d.path())), nil))
	})
	return d
}

// path returns where the sources of Go have the document, or "" if there are none.
func (d *document) path() string {
	for _, dir := range []string{"testdata", "_embed"} { // Of Go 1.26, and of 1.27.
		path := filepath.Join(build.Default.GOROOT, "src", "encoding", "json", "internal", "jsontest", dir, d.file)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// missing says what the program is without if it cannot have the document.
func (d *document) missing() string {
	if d.file == "" || d.path() != "" {
		return ""
	}
	return d.file + ", which is in the sources of Go 1.26 and 1.27: install them, or run it with the go command"
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
