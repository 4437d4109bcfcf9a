package main

import (
	"fmt"
	"slices"

	"github.com/arena-go/arena/bench/internal/suite"
	"github.com/arena-go/arena/bench/json"
)

var jsonTables = map[string]table{
	"json-run":        madeBy,
	"json":            func(r *suite.Run) string { return jsonTable(r, "json-", jsonTyped, jsonTimes) },
	"json-any":        func(r *suite.Run) string { return jsonTable(r, "json-any-", jsonAny, jsonTimes) },
	"json-encode":     func(r *suite.Run) string { return jsonTable(r, "json-encode-", jsonTyped, jsonEncodeTimes) },
	"json-encode-any": func(r *suite.Run) string { return jsonTable(r, "json-encode-any-", jsonAny, jsonEncodeTimes) },
	"json-checks":     jsonChecks,
	"json-kept":       func(r *suite.Run) string { return jsonKept(r, jsonTyped, false) },
	"json-kept-any":   func(r *suite.Run) string { return jsonKept(r, jsonAny, true) },
}

// protojsonTables are about messages of protobuf in JSON.
var protojsonTables = map[string]table{
	"protojson-run": madeBy,
	"protojson":     protojsonTable,
}

func protojsonTable(r *suite.Run) string {
	g := grid{{"", "`protojson.Unmarshal`", "**`arenapb`**, Reset", "Reset, AliasInput", "with an `arena.Pool`", "a new arena, Free", "a nil arena"}}
	for _, d := range []named{{"OTLP/JSON, 100 spans", "traces"}, {"OTLP/JSON, 100 log records", "logs"}, {"OTLP/JSON, 100 data points", "metrics"}, {"an order, 0.9 kB", "order"}, {"a file descriptor", "descriptor"}} {
		m, base := only(r, "protojson-"+d.name), ""
		if c := m.Cell("protojson.Unmarshal"); c != nil {
			base = quantity(c.Spread(perUnit(m.N)).Median, "s")
		}
		row := []string{d.title, base}
		for _, way := range []string{"arenapb-reset", "arenapb-alias", "arenapb-pool", "arenapb-free", "arenapb-nil"} {
			row = append(row, faster(m, way, suite.CPU))
		}
		g = append(g, row)
	}
	return g.String()
}

var jsonTyped = append([]named{
	{"orders, 1 kB", "orders-1kB"}, {"25 kB", "orders-25kB"}, {"1 MB", "orders-1MB"},
	{"with maps, 1 kB", "orders-maps-1kB"}, {"25 kB", "orders-maps-25kB"}, {"1 MB", "orders-maps-1MB"},
}, jsonFiles...)

var jsonAny = append([]named{{"orders with maps, 25 kB", "orders-maps-25kB"}}, jsonFiles...)

// jsonFiles are the documents of Go's own tests.
var jsonFiles = []named{
	{"twitter", "twitter"}, {"citm", "citm"}, {"canada", "canada"}, {"golang source", "golang"}, {"synthea", "synthea"},
	{"strings, escaped", "string-escaped"}, {"strings, unicode", "string-unicode"},
}

var jsonWays = []named{
	{"go-json", "go-json"}, {"sonic, ConfigStd", "sonic-std"}, {"go-json-experiment", "go-json-experiment"}, {"segmentio", "segmentio"},
	{"**`arenajson`**, Reset", "arenajson-reset"}, {"a new arena, Free", "arenajson-free"}, {"a nil arena", "arenajson-nil"},
}

// jsonDecoders has one more, which only decodes.
var jsonDecoders = slices.Insert(slices.Clone(jsonWays), 5, named{"Reset, AliasInput", "arenajson-alias"})

// jsonTimes has peers for some documents only, and another one, which only looks at the document.
var jsonTimes = append(slices.Insert(slices.Clone(jsonDecoders), 4, jsonSome...), named{"bound", "bound"})

// jsonSome are peers for some types only. Older runs do not have them.
var jsonSome = []named{{"easyjson", "easyjson"}, {"jx, by hand", "jx"}, {"simdjson-go", "simdjson-go"}}

// jsonEncodeTimes has one that is written by hand, too.
var jsonEncodeTimes = append(slices.Insert(slices.Clone(jsonWays), 4, jsonSome...), named{"by hand", "by-hand"})

// jsonTable has the time of encoding/json for each document, and how many times less it is with
// others that have any of the documents.
func jsonTable(r *suite.Run, prefix string, documents, ways []named) string {
	ways = slices.DeleteFunc(slices.Clone(ways), func(way named) bool {
		return !slices.ContainsFunc(documents, func(d named) bool { return only(r, prefix+d.name).Cell(way.name) != nil })
	})
	g := grid{{"", "`encoding/json`"}}
	for _, way := range ways {
		g[0] = append(g[0], way.title)
	}
	for _, d := range documents {
		m, base := only(r, prefix+d.name), ""
		if c := m.Cell("encoding-json"); c != nil {
			base = quantity(c.Spread(perUnit(m.N)).Median, "s")
		}
		row := []string{d.title, base}
		for _, way := range ways {
			row = append(row, faster(m, way.name, suite.CPU))
		}
		g = append(g, row)
	}
	return g.String()
}

// jsonKept has the memory that a value takes which encoding/json has decoded, for each document,
// and how many times as much it is with others.
func jsonKept(r *suite.Run, documents []named, anything bool) string {
	g := grid{{"", "`encoding/json`"}}
	for _, way := range jsonDecoders {
		g[0] = append(g[0], way.title)
	}
	m := only(r, "json-kept")
	if m == nil {
		return ""
	}
	for _, d := range documents {
		metric := suite.ValueOf(json.Kept(d.name, anything))
		row := []string{d.title, median(m, "encoding-json", metric, "B")}
		for _, way := range jsonDecoders {
			row = append(row, multiple(m, way.name, metric))
		}
		g = append(g, row)
	}
	return g.String()
}

// jsonChecks says what each decoder refuses, or leaves alone.
func jsonChecks(r *suite.Run) string {
	g := grid{{"wrong documents"}}
	for _, v := range json.Checks {
		g[0] = append(g[0], map[string]string{
			"UTF-8": "invalid UTF-8: refused, or made valid", "control characters": "control characters: refused", "skipped values": "mistakes in skipped values: refused",
			"untouched": "mistakes in syntax: target untouched", "pinned": "a string of 14 bytes keeps alive",
		}[v.Name])
	}
	m := only(r, "json-checks")
	for _, way := range append([]named{{"`encoding/json`", "encoding-json"}}, jsonDecoders...) {
		row := []string{way.title}
		for _, v := range json.Checks {
			row = append(row, outcome(m.Cell(way.name), v))
		}
		g = append(g, row)
	}
	return g.String()
}

// outcome is what a check has found: for how many wrong documents all was well, or a number of
// bytes.
func outcome(c *suite.Cell, v suite.Value) string {
	if c == nil {
		return ""
	}
	found := c.Spread(suite.ValueOf(v.Name)).Median
	switch {
	case v.Unit != "%":
		return quantity(found, v.Unit)
	case found == 100:
		return "all"
	case found == 0:
		return "**none**"
	}
	return fmt.Sprintf("**%.0f %%**", found)
}
