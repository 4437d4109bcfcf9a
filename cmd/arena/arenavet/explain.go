package arenavet

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// codesText explains the codes. It is also a page.
//
//go:embed codes.md
var codesText string

// Codes returns the codes of all findings, which are the names of Analyzers.
func Codes() (all []string) {
	for _, a := range Analyzers {
		all = append(all, a.Name)
	}
	return all
}

// Select returns the Analyzers of some codes, or all if there are none.
func Select(codes ...string) ([]*analysis.Analyzer, error) {
	if len(codes) == 0 {
		return Analyzers, nil
	}
	var selected []*analysis.Analyzer
	for _, code := range codes {
		i := slices.IndexFunc(Analyzers, func(a *analysis.Analyzer) bool { return a.Name == code })
		if i < 0 {
			return nil, fmt.Errorf("there is no code %q; the codes are %s", code, strings.Join(Codes(), ", "))
		}
		selected = append(selected, Analyzers[i])
	}
	return selected, nil
}

// Explain returns what a code means, with a wrong program and a right one, as Markdown. It reports
// whether there is such a code.
func Explain(code string) (string, bool) {
	_, text, ok := strings.Cut(codesText, "\n## "+code+"\n")
	if !ok {
		return "", false
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return "# " + code + "\n" + strings.TrimRight(text, "\n"), true
}
