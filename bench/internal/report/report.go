// Package report shows a run of the benchmark as a page for a browser, which needs nothing but
// itself.
package report

import (
	_ "embed"
	"html/template"
	"io"
	"maps"
	"slices"

	"github.com/arena-go/arena/bench/internal/suite"
)

var (
	//go:embed page.html
	text string
	//go:embed page.css
	style string
	//go:embed page.js
	script string

	page = template.Must(template.New("page").Parse(text))
)

// A view is what the page shows.
type view struct {
	*suite.Run
	Style     template.CSS
	Script    template.JS
	Names     []string // Of all implementations.
	Soundness matrix
	Overview  overview
	Sections  []section
}

// Write writes the page. The same run gives the same bytes.
func Write(w io.Writer, run *suite.Run) error {
	s := styles(run)
	v := view{run, template.CSS(style), template.JS(script), slices.Sorted(maps.Keys(s)), newMatrix(run.Soundness), overview{}, nil}
	groups := group(run)
	v.Overview = newOverview(groups, s)
	for _, g := range groups {
		v.Sections = append(v.Sections, newSection(g, s))
	}
	return page.Execute(w, &v)
}

// group groups the workloads of the same name, in the order of n.
func group(run *suite.Run) (groups [][]*suite.Measured) {
	at := map[string]int{}
	for i := range run.Workloads {
		m := &run.Workloads[i]
		k, ok := at[m.Name]
		if !ok {
			k = len(groups)
			at[m.Name] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], m)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b *suite.Measured) int { return a.N - b.N })
	}
	return groups
}
