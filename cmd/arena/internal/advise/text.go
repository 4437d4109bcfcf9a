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
	fmt.Fprintf(out, "%s: %s\n\n", a.Verdict, a.Why)
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
	if a.Trial != nil {
		t := tables.New(out, table.Row{"benchmark", "saves, with Reset"}, 2)
		for _, b := range a.Trial.Benchmarks {
			t.AppendRow(table.Row{b.Name, percent(b.Saves)})
		}
		some := ""
		if n := len(a.Trial.Benchmarks); n < a.Trial.Of {
			some = fmt.Sprintf(". %d of %d benchmarks", n, a.Trial.Of)
		}
		if len(a.Trial.Left) > 0 {
			some += ".\nThese use what is gone when arenas are reset, and are left out: " + strings.Join(a.Trial.Left, ", ")
		}
		fmt.Fprintf(out, "\nMeasured in a copy of the module: the CPU time that is saved, the collector's included; medians of %d runs\nby turns%s\n\n", trialTurns, some)
		t.Render()
	}
	if fix := a.rewriting(); fix != "" {
		fmt.Fprintf(out, "\n%s\n", fix)
	}
	fmt.Fprintf(out, "\nA profile cannot prove that values die inside a scope. The tests of the program can, in guard mode.\n")
	return out.err
}

// notNarrowed is what is said where the sources were asked, and do not tell.
const notNarrowed = "The sources do not tell what would move, so what arena fix leaves on the heap may count as moved."

// rewriting returns what is said of arena fix, or nothing where it was not tried.
func (a *Advice) rewriting() string {
	switch {
	case a.End != "":
		return "arena fix moves nothing: the way ends at " + a.End + "."
	case a.Fix != "":
		return fmt.Sprintf("The rewriting, which moves %s of the bytes that its roots allocate, and %s of all:\n%s", a.Moves, percent(a.OfAll), a.Fix)
	}
	return ""
}

// gogc returns what is said of GOGC=400 and of a memory limit, or nothing where they save nothing.
func (a *Advice) gogc() string {
	var said []string
	if a.GOGC.High > 0 {
		said = append(said, fmt.Sprintf("GOGC=400 would save %s, for a heap about %.1f times as large.", a.GOGC, a.Larger))
	}
	if a.Limit != nil && a.Limit.Saves.High >= 0.01 {
		said = append(said, fmt.Sprintf("%s would save %s.", a.Limit, a.Limit.Saves))
	}
	return strings.Join(said, " ")
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

// callers returns the calls that lead to the last of calls, that last one first, without those far
// outside.
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

func percent(x float64) string {
	if x > 0 && x < 0.01 {
		return "less than 1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*x)
}

// String returns the range in percent, as "31 to 43 %".
func (r Range) String() string {
	low, high := fmt.Sprintf("%.0f", 100*r.Low), fmt.Sprintf("%.0f", 100*r.High)
	if low == "-0" {
		low = "0"
	}
	if high == "-0" {
		high = "0"
	}
	if low == high {
		return low + " %"
	}
	return low + " to " + high + " %"
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
