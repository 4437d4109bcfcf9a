package advise

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/arena-go/arena/cmd/arena/internal/tables"
)

// A scope that saves less than this part of the CPU time is in the table only.
const worthNaming = 0.02

// WriteText writes the advice for a terminal: the answer first, then where, then what stays.
func (a *Advice) WriteText(w io.Writer) error {
	out := &errWriter{w: w}
	if a.Pays {
		fmt.Fprintf(out, "Yes: %s\n\n", a.Why)
	} else {
		fmt.Fprintf(out, "No. %s\n\n", a.Why)
	}
	if a.Unknown != "" {
		fmt.Fprintf(out, "%s\n%s\n\n", notNarrowed, a.Unknown)
	}
	cycles := "estimated from the bytes"
	if a.Measured {
		cycles = "counted"
	}
	fmt.Fprintf(out, "%.1f s of CPU time in %d samples, %d samples of allocations, %.0f cycles of the collector (%s).\n", a.Seconds, a.Samples, a.Heap, a.Cycles, cycles)
	fmt.Fprintf(out, "CPU time: malloc %s, zeroing %s, collector %s, write barriers %s.",
		percent(a.share[malloc]), percent(a.share[zeroing]), percent(a.share[gc]), percent(a.share[barrier]))
	if gogc := a.gogc(); gogc != "" {
		fmt.Fprint(out, " ", gogc)
	}
	fmt.Fprintln(out)
	if cut := a.cut(); cut != "" {
		fmt.Fprintln(out, cut)
	}

	if len(a.Scopes) > 0 {
		t := tables.New(out, table.Row{"", "where an arena would end", "CPU inside", "bytes", "objects", "saves, with Reset", "with a new arena", "confidence"}, 3, 4, 5, 6, 7)
		for i, s := range a.Scopes {
			t.AppendRow(table.Row{i + 1, s.name(), percent(s.CPU), percent(s.Bytes), percent(s.Objects), s.Reset, s.Fresh, s.Confidence})
		}
		fmt.Fprintf(out, "\nWhere an arena would be reset. Bytes and objects are the parts of all that would move; savings are parts\nof the program's CPU time. The column cycles says for how many cycles of the collector a byte lives.\n\n")
		t.Render()
		for i, s := range a.Scopes {
			if s.Reset.High < worthNaming {
				continue
			}
			fmt.Fprintf(out, "\n%d. %s\n   called by %s\n\n", i+1, s.name(), callers(s.Calls))
			t := tables.New(out, table.Row{"line", "bytes", "cycles", "what", "in", "by"}, 2, 3)
			for j, x := range s.Sites {
				if j == 12 && len(s.Sites) > 13 {
					t.AppendRow(table.Row{fmt.Sprintf("%d more lines", len(s.Sites)-j)})
					break
				}
				t.AppendRow(table.Row{fmt.Sprintf("%s:%d", filepath.Base(x.File), x.Line), percent(x.Bytes), life(x.Cycles), x.Kind, x.Function, x.Hint})
				for _, e := range x.Escapes {
					t.AppendRow(table.Row{"", "", "", "", "  column " + e})
				}
			}
			t.Render()
		}
	}
	if len(a.Left) > 0 && a.Left[0].Bytes >= 0.01 {
		fmt.Fprintf(out, "\nWhat would stay on the heap\n\n")
		t := tables.New(out, table.Row{"bytes", "why", ""}, 1)
		for i, l := range a.Left {
			if i == 10 || l.Bytes < 0.01 {
				break
			}
			t.AppendRow(table.Row{percent(l.Bytes), l.Why, l.Hint})
		}
		t.Render()
	}
	if a.Fix != "" {
		fmt.Fprintf(out, "\nThe rewriting: %s\n", a.Fix)
	}
	fmt.Fprintf(out, "\nA profile cannot prove that values die inside a scope. The tests of the program can, in guard mode.\n")
	return out.err
}

// notNarrowed is what is said where the sources were asked, and do not tell.
const notNarrowed = "The sources do not tell what would move, so what arena fix leaves on the heap may count as moved."

// gogc returns what is said of GOGC=400, or nothing where that saves nothing.
func (a *Advice) gogc() string {
	if a.GOGC.High <= 0 {
		return ""
	}
	return fmt.Sprintf("GOGC=400 would save %s, for a heap about %.1f times as large.", a.GOGC, a.Larger)
}

// cut returns what is said of stacks that are cut off, or nothing where there are few.
func (a *Advice) cut() string {
	if a.CutCPU < 0.01 && a.CutBytes < 0.01 {
		return ""
	}
	return fmt.Sprintf("The stacks of %s of the CPU time and %s of the bytes are cut off. They count where other stacks have their outermost function.",
		percent(a.CutCPU), percent(a.CutBytes))
}

// name returns what a scope is called in tables.
func (s *Scope) name() string {
	switch {
	case s.In != "":
		return fmt.Sprintf("%s (in %s)", s.Function, short(s.In))
	case s.Outermost:
		return s.Function + " (the outermost call)"
	}
	return s.Function
}

// callers returns the calls that lead to the last of calls, that last one first, without those far outside.
func callers(calls []string) string {
	var b strings.Builder
	for i := len(calls) - 2; i >= 0; i-- {
		if b.Len() > 0 {
			b.WriteString(", by ")
		}
		if len(calls)-i > 6 {
			b.WriteString("others")
			break
		}
		b.WriteString(short(calls[i]))
	}
	return cmp.Or(b.String(), "nothing of the program's own")
}

// life returns how many cycles of the collector a byte lives, for a table.
func life(cycles *float64) string {
	switch {
	case cycles == nil:
		return "?"
	case *cycles < 0.005:
		return "0"
	}
	return fmt.Sprintf("%.2f", *cycles)
}

// An errWriter keeps the first error of a writer.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) Write(b []byte) (int, error) {
	if e.err == nil {
		_, e.err = e.w.Write(b)
	}
	return len(b), e.err
}
