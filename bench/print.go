package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/arena-go/arena/bench/internal/report"
	"github.com/arena-go/arena/bench/internal/suite"
)

// printRun writes the figures as tables.
func printRun(w io.Writer, r *suite.Run) {
	fmt.Fprintf(w, "%s, %s, %s: %s\n", r.Go, r.Machine, r.Date, r.Again())
	for _, s := range r.Skipped {
		fmt.Fprintln(w, "skipped:", s)
	}
	for i := range r.Workloads {
		printMeasured(w, &r.Workloads[i])
	}
	printLegend(w, r)
	if len(r.Soundness) == 0 {
		return
	}
	fmt.Fprintln(w, "\nsoundness")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, v := range r.Soundness {
		mark := ""
		if !v.Sound {
			mark = "!"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", v.Implementation, v.Test, v.Outcome, mark)
	}
	t.Flush()
}

// printLegend says what the names mean.
func printLegend(w io.Writer, r *suite.Run) {
	fmt.Fprintln(w, "\nnames")
	t, done := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0), map[string]bool{}
	for _, m := range r.Workloads {
		for _, c := range m.Cells {
			if name := base(c.Implementation); !done[name] {
				done[name] = true
				fmt.Fprintf(t, "%s\t%s\n", name, meaning(name, map[string]bool{}))
			}
		}
	}
	t.Flush()
}

func printMeasured(w io.Writer, m *suite.Measured) {
	base := &m.Cells[0]
	fmt.Fprintf(w, "\n%s, n = %d %s, and how many times less CPU than %s in the same round\n", m.Name, m.N, m.Unit, base.Implementation)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := []string{"", "CPU", "", "", "wall", "", "memory"}
	for _, v := range m.Values {
		head = append(head, v.Name)
	}
	fmt.Fprintln(t, strings.Join(head, "\t")+"\t")
	for i := range m.Cells {
		c := &m.Cells[i]
		if len(c.Results) == 0 {
			why := "not measured"
			if c.Failed != "" {
				why = "failed"
			}
			fmt.Fprintf(t, "%s\t%s\t\n", c.Implementation, why)
			continue
		}
		cpu, wall := c.Ratio(base, suite.CPU), c.Ratio(base, suite.Wall)
		row := []string{c.Implementation,
			quantity(c.Spread(suite.CPU).Median, "s"), fmt.Sprintf("%.2fx", cpu.Median), fmt.Sprintf("(%.2f to %.2f)", cpu.Min, cpu.Max),
			quantity(c.Spread(suite.Wall).Median, "s"), fmt.Sprintf("%.2fx", wall.Median),
			quantity(c.Spread(suite.Memory).Median, "B")}
		for _, v := range m.Values {
			row = append(row, quantity(c.Spread(suite.ValueOf(v.Name)).Median, v.Unit))
		}
		fmt.Fprintln(t, strings.Join(row, "\t")+"\t")
	}
	t.Flush()
}

// quantity writes a number with its unit.
func quantity(v float64, unit string) string {
	return strings.ReplaceAll(report.Quantity(v, unit), "\u00a0", " ")
}
