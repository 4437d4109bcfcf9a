package measure

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// A Quantity is a line of a table: one number of each run.
type Quantity[R any] struct {
	Name string
	Unit string // as for Value
	Of   func(run R) int64
	More bool // a larger number is better
}

// WriteTable writes a line for each quantity, with the median of the runs of each
// way. Behind all ways but the first is how many times better it is than the first:
// a ratio above 1 speaks for it.
func WriteTable[R any](w io.Writer, ways []string, runs map[string][]R, quantities []Quantity[R]) error {
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	for i, way := range ways {
		fmt.Fprint(tw, "\t", way)
		if i > 0 {
			fmt.Fprint(tw, "\tratio")
		}
	}
	fmt.Fprintln(tw, "\t")
	for _, q := range quantities {
		fmt.Fprint(tw, q.Name)
		first := int64(0)
		for i, way := range ways {
			m := Median(runs[way], q.Of)
			if q.Unit == "count" {
				fmt.Fprint(tw, "\t", Thousands(m))
			} else {
				fmt.Fprint(tw, "\t", Value(m, q.Unit))
			}
			switch {
			case i == 0:
				first = m
			case m == 0 || first == 0:
				fmt.Fprint(tw, "\t-")
			case q.More:
				fmt.Fprintf(tw, "\t%.2f", float64(m)/float64(first))
			default:
				fmt.Fprintf(tw, "\t%.2f", float64(first)/float64(m))
			}
		}
		fmt.Fprintln(tw, "\t")
	}
	return tw.Flush()
}

// Median returns the median of a number of each run, the larger one of two, and 0
// if there are no runs.
func Median[R any](runs []R, of func(R) int64) int64 {
	if len(runs) == 0 {
		return 0
	}
	all := make([]int64, len(runs))
	for i, r := range runs {
		all[i] = of(r)
	}
	slices.Sort(all)
	return all[len(all)/2]
}
