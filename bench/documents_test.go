package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/arena-go/arena/bench/internal/suite"
)

var update = flag.Bool("update", false, "TestDocuments writes the tables of the saved run into the documents")

// TestDocuments checks that the tables in the documents are those of the saved run.
func TestDocuments(t *testing.T) {
	r, err := suite.Load(saved)
	if err != nil {
		t.Fatal(err)
	}
	names, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := fill(string(text), r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		switch {
		case want == string(text):
		case *update:
			if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s has other tables than the run: go test ./bench -run TestDocuments -update writes them", name)
		}
	}
}

// TestTables checks that no table has a cell too few or too many, nor an empty row or column, and that every table is in a document.
func TestTables(t *testing.T) {
	r, err := suite.Load(saved)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	names, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(b)
	}
	for name, table := range tables {
		if !strings.Contains(text.String(), "<!-- bench:"+name+" -->") {
			t.Errorf("%s is in no document", name)
		}
		if name == "run" {
			continue
		}
		var rows [][]string
		for line := range strings.Lines(table(r)) {
			rows = append(rows, strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"))
		}
		if len(rows) < 3 {
			t.Errorf("%s has no rows", name)
			continue
		}
		filled := make([]bool, len(rows[0]))
		for i, row := range rows {
			if len(row) != len(rows[0]) {
				t.Errorf("%s: %q has %d cells, and the head %d", name, row, len(row), len(rows[0]))
				continue
			}
			some := false
			for j, cell := range row {
				full := strings.TrimSpace(cell) != ""
				some = some || full && j > 0
				filled[j] = filled[j] || full && i > 1
			}
			if !some {
				t.Errorf("%s: nothing is in the row of %q", name, row[0])
			}
		}
		for j, ok := range filled {
			if !ok {
				t.Errorf("%s: nothing is in column %d", name, j)
			}
		}
	}
}
