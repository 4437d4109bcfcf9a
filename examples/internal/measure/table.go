package measure

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// A Quantity is a line of a table: one number of each run.
type Quantity[R any] struct {
	Name string
	Unit string // as for Value
	Of   func(run R) int64
	More bool // a larger number is better
}

// Again is how the name of a control ends: a way that does the same as the first one. What they
// differ by is the machine.
const Again = " again"

// noise is how far a control may be from the first way before a line says nothing.
const noise = 1.5

// WriteTable writes a line for each quantity, with the median of the runs of each way. All ways but
// the first are followed by the ratio to the first: a ratio above 1 is better. A line has no ratios
// if the ratio of a control is above 1.5 or below 1/1.5: it then measures the machine.
func WriteTable[R any](w io.Writer, ways []string, runs map[string][]R, quantities []Quantity[R]) error {
	tw := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	for i, way := range ways {
		fmt.Fprint(tw, "\t", way)
		if i > 0 {
			fmt.Fprint(tw, "\tratio")
		}
	}
	fmt.Fprintln(tw, "\t")
	withheld := false
	for _, q := range quantities {
		medians, ratios, noisy := make([]int64, len(ways)), make([]float64, len(ways)), false
		for i, way := range ways {
			medians[i] = Median(runs[way], q.Of)
			better, worse := medians[0], medians[i]
			if q.More {
				better, worse = worse, better
			}
			if better == 0 || worse == 0 {
				continue
			}
			ratios[i] = float64(better) / float64(worse)
			noisy = noisy || strings.HasSuffix(way, Again) && (ratios[i] > noise || ratios[i] < 1/noise)
		}
		fmt.Fprint(tw, q.Name)
		for i, m := range medians {
			if q.Unit == "count" {
				fmt.Fprint(tw, "\t", Thousands(m))
			} else {
				fmt.Fprint(tw, "\t", Value(m, q.Unit))
			}
			switch {
			case i == 0:
			case noisy:
				fmt.Fprint(tw, "\tnoise")
			case ratios[i] == 0:
				fmt.Fprint(tw, "\t-")
			default:
				fmt.Fprintf(tw, "\t%.2f", ratios[i])
			}
		}
		fmt.Fprintln(tw, "\t")
		withheld = withheld || noisy
	}
	if err := tw.Flush(); err != nil || !withheld {
		return err
	}
	_, err := fmt.Fprintf(w, "noise: a control differs by more than %.1f times from what it repeats, so the line has no ratios. Measure again on a quiet machine.\n", noise)
	return err
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
