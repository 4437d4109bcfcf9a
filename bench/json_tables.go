package main

import (
	"fmt"

	"github.com/arena-go/arena/bench/internal/suite"
	"github.com/arena-go/arena/bench/json"
)

var jsonTables = map[string]table{
	"json-run":        madeBy,
	"json":            func(r *suite.Run) string { return jsonTable(r, "json-", jsonTyped) },
	"json-any":        func(r *suite.Run) string { return jsonTable(r, "json-any-", jsonAny) },
	"json-encode":     func(r *suite.Run) string { return jsonTable(r, "json-encode-", jsonTyped) },
	"json-encode-any": func(r *suite.Run) string { return jsonTable(r, "json-encode-any-", jsonAny) },
	"json-checks":     jsonChecks,
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
	{"**`arenajson`**, Reset", "arenajson-reset"}, {"Reset, AliasInput", "arenajson-alias"}, {"a new arena, Free", "arenajson-free"}, {"a nil arena", "arenajson-nil"},
}

// jsonTable has the time of encoding/json for each document, and how many times less it is with others.
func jsonTable(r *suite.Run, prefix string, documents []named) string {
	g := grid{{"", "`encoding/json`"}}
	var ways []named
	for _, way := range jsonWays {
		for _, d := range documents {
			if only(r, prefix+d.name).Cell(way.name) != nil {
				ways = append(ways, way)
				g[0] = append(g[0], way.title)
				break
			}
		}
	}
	for _, d := range documents {
		m := only(r, prefix+d.name)
		if m == nil {
			continue
		}
		row := []string{d.title, quantity(m.Cells[0].Spread(perUnit(m.N)).Median, "s")}
		for _, way := range ways {
			row = append(row, faster(m, way.name, suite.CPU))
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
	for _, way := range append([]named{{"`encoding/json`", "encoding-json"}}, jsonWays...) {
		c := m.Cell(way.name)
		if c == nil {
			continue
		}
		row := []string{way.title}
		for _, v := range json.Checks {
			found := c.Spread(suite.ValueOf(v.Name)).Median
			switch {
			case v.Unit != "%":
				row = append(row, quantity(found, v.Unit))
			case found == 100:
				row = append(row, "all")
			case found == 0:
				row = append(row, "**none**")
			default:
				row = append(row, fmt.Sprintf("**%.0f %%**", found))
			}
		}
		g = append(g, row)
	}
	return g.String()
}
