package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/arena-go/arena/bench/internal/suite"
)

// documents returns the files that may have tables made of a saved run: what lies between <!--
// bench:NAME --> and <!-- /bench -->.
func documents() ([]string, error) {
	pages, err := filepath.Glob("../docs/*.md")
	return append([]string{"../README.md", "README.md", "PUBLISHED.md", "TABLES.md"}, pages...), err
}

// saved is the run that the documents are of.
const saved = "results/linux-amd64.json"

var block = regexp.MustCompile(`(?s)(<!-- bench:([a-z0-9-]+) -->\n).*?(<!-- /bench -->)`)

// savedFormer is a part of the same with the Go before, which is to be measured on the same machine
// by formerCommand.
const (
	savedFormer   = "results/linux-amd64-go1.26.json"
	formerPattern = "^(struct16|person|texts)$/heap|arena|slab"
	formerCommand = "GOTOOLCHAIN=go1.26.8 go run ./bench -run '" + formerPattern + "' -json bench/" + savedFormer
)

// load returns the saved run, and the part of it with the Go before, or nil if nobody has measured
// that.
func load() (r, former *suite.Run, err error) {
	if r, err = suite.Load(saved); err != nil {
		return nil, nil, err
	}
	former, err = suite.Load(savedFormer)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return r, former, err
}

// made returns all that is made of the saved runs, by file: the documents with their tables, and
// the chart.
func made(r, former *suite.Run) (map[string]string, error) {
	names, err := documents()
	if err != nil {
		return nil, err
	}
	tables, files := newTables(former), map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if files[name], err = fill(string(text), r, tables); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, c := range charts {
		if files[c.file], err = c.draw(r); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// fill returns a document with the tables of r.
func fill(document string, r *suite.Run, tables map[string]table) (string, error) {
	var unknown []string
	filled := block.ReplaceAllStringFunc(document, func(text string) string {
		parts := block.FindStringSubmatch(text)
		table := tables[parts[2]]
		if table == nil {
			unknown = append(unknown, parts[2])
			return text
		}
		return parts[1] + "\n" + table(r) + "\n" + parts[3]
	})
	if unknown != nil {
		return "", fmt.Errorf("there are no tables %s", strings.Join(unknown, ", "))
	}
	return filled, nil
}

// A grid is a table. The first row is the head.
type grid [][]string

func (g grid) String() string {
	var b strings.Builder
	for i, row := range g {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintln(&b, strings.Repeat("|---", len(row))+"|")
		}
	}
	return b.String()
}

// A named is a row of a table: what it is called there, and what it is called in a run.
type named struct{ title, name string }

// faster returns how many times less of something an implementation takes than the first one, with
// two digits, and in bold if it is less than 1. It is empty where that is not known.
func faster(m *suite.Measured, implementation string, metric suite.Metric) string {
	c := m.Cell(implementation)
	if c == nil {
		return ""
	}
	return ratio(c.Ratio(&m.Cells[0], metric).Median)
}

func ratio(v float64) string {
	switch {
	case v == 0:
		return ""
	case v < 0.95:
		return fmt.Sprintf("**%.2g**", v)
	}
	return times(v, 1)
}

// times formats v as a multiple, with digits digits after the point if v is small.
func times(v float64, digits int) string {
	if v < 9.95 {
		return strconv.FormatFloat(v, 'f', digits, 64)
	}
	return suite.Thousands(int(v + 0.5))
}

// median returns the median of a metric with its unit.
func median(m *suite.Measured, implementation string, metric suite.Metric, unit string) string {
	c := m.Cell(implementation)
	if c == nil {
		return ""
	}
	return quantity(c.Spread(metric).Median, unit)
}

// perUnit is the CPU time for one of what n counts.
func perUnit(n int) suite.Metric {
	return func(r *suite.Result) float64 { return r.CPU / r.Made(n) }
}
