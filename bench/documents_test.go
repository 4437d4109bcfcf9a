package main

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/arena-go/arena/bench/internal/suite"
)

var update = flag.Bool("update", false, "TestDocuments writes the tables and the chart of the saved run into the documents")

// TestDocuments checks that the tables in the documents, and the chart, show the saved run.
func TestDocuments(t *testing.T) {
	r, former, err := load()
	if err != nil {
		t.Fatal(err)
	}
	files, err := made(r, former)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		text, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		switch {
		case want == string(text):
		case *update:
			if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is not what the run makes of it: go test ./bench -run TestDocuments -update writes it", name)
		}
	}
}

// TestTables checks that no table has a cell too few or too many, nor an empty row or column, and
// that every table is in a document.
func TestTables(t *testing.T) {
	r, former, err := load()
	if err != nil {
		t.Fatal(err)
	}
	names, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(b)
	}
	for name, table := range newTables(former) {
		if !strings.Contains(text.String(), "<!-- bench:"+name+" -->") {
			t.Errorf("%s is in no document", name)
		}
		switch {
		case name == "run" || strings.HasSuffix(name, "-run"):
		case name == "versions" && former == nil:
			t.Logf("%s is missing, so the table of versions is empty; to measure it: %s", savedFormer, formerCommand)
		default:
			checkTable(t, name, table(r))
		}
	}
}

func checkTable(t *testing.T, name, text string) {
	t.Helper()
	var rows [][]string
	for line := range strings.Lines(text) {
		rows = append(rows, strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"))
	}
	if len(rows) < 3 {
		t.Errorf("%s has no rows", name)
		return
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

// TestFront checks that the table of the front page stays short.
func TestFront(t *testing.T) {
	r, _, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(frontTable(r), "\n") - 2; rows < 8 || rows > 10 {
		t.Errorf("the table of the front page has %d rows", rows)
	}
}

// TestVersions checks the table of two versions of Go with a run beside itself, where all ratios
// are the same; that formerCommand measures what is in it; and that both runs are of one machine.
func TestVersions(t *testing.T) {
	r, former, err := load()
	if err != nil {
		t.Fatal(err)
	}
	text := versionsTable(r, r)
	checkTable(t, "versions", text)
	for line := range strings.Lines(text) {
		if c := strings.Split(line, "|"); c[4] != c[5] && !strings.Contains(line, "heap") || c[6] != c[7] && !strings.Contains(line, "heap") || c[8] != c[9] {
			t.Errorf("a run beside itself differs: %s", line)
		}
	}
	all, err := chosen(workloads(), formerPattern)
	if err != nil {
		t.Fatal(err)
	}
	part := &suite.Run{Go: r.Go}
	for _, w := range all {
		for _, n := range w.Sizes {
			m := suite.Measured{Name: w.Name, N: n}
			for _, i := range w.Implementations {
				if c := r.Find(w.Name, n).Cell(i.Name); c != nil {
					m.Cells = append(m.Cells, *c)
				}
				if i.Unsound || i.Program != "" {
					t.Errorf("formerCommand measures %s too", i.Name)
				}
			}
			part.Workloads = append(part.Workloads, m)
		}
	}
	if got := versionsTable(part, r); got != text {
		t.Errorf("what formerCommand measures makes another table:\n%s\n%s", got, text)
	}
	if former == nil {
		t.Logf("%s is missing; to measure it: %s", savedFormer, formerCommand)
		return
	}
	if former.Machine != r.Machine {
		t.Errorf("%s is of another machine than %s: %s, and %s", savedFormer, saved, former.Machine, r.Machine)
	}
	if former.Go == r.Go {
		t.Errorf("both runs are of %s; to measure the former: %s", r.Go, formerCommand)
	}
}

// TestAgain checks that the command of a run names the Go that it was made with, unless nobody can
// fetch that.
func TestAgain(t *testing.T) {
	for version, want := range map[string]string{
		"go1.27.4": "GOTOOLCHAIN=go1.27.4 go run ./bench", "go1.27rc1": "GOTOOLCHAIN=go1.27rc1 go run ./bench",
		"devel go1.28-0123456": "go run ./bench", "go1.27.4 X:arenas": "go run ./bench",
	} {
		r := suite.Run{Go: version, Command: "go run ./bench"}
		if got := r.Again(); got != want {
			t.Errorf("%s: %s", version, got)
		}
	}
}
