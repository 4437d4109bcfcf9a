// Package golangci is the plugin for golangci-lint: golangci-lint custom makes a linter that has
// it. docs/vet.md has the two files that this needs.
//
// Importing the package registers the plugin, as golangci-lint wants it. Nothing else imports it.
package golangci

import (
	"fmt"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/arena-go/arena/cmd/arena/arenavet"
)

func init() { register.Plugin("arena", New) }

// Settings are the linter's settings in .golangci.yml.
type Settings struct {
	// Maybe reports also what depends on a path, or on a function that is not known.
	Maybe bool `json:"maybe"`

	// Codes are the codes that are reported, such as syncpool. All are if there are none.
	Codes []string `json:"codes"`
}

type plugin struct{ settings Settings }

// New returns the plugin. conf is the settings as golangci-lint has read them. They may be nil.
func New(conf any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](conf)
	if err != nil {
		return nil, fmt.Errorf("arenavet/golangci: settings of the linter arena: %w", err)
	}
	return plugin{s}, nil
}

// BuildAnalyzers returns the analyzers of the codes. golangci-lint takes each place that a
// diagnostic refers to for an issue of its own, so these are left out: the message names their
// lines. It also puts the name of the analyzer before the message, as the message itself does.
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	if err := arenavet.Analyzer.Flags.Set("maybe", fmt.Sprint(p.settings.Maybe)); err != nil {
		return nil, err
	}
	selected, err := arenavet.Select(p.settings.Codes...)
	if err != nil {
		return nil, fmt.Errorf("arenavet/golangci: settings of the linter arena: %w", err)
	}
	var all []*analysis.Analyzer
	for _, s := range selected {
		a := *s
		a.Run = func(pass *analysis.Pass) (any, error) {
			p := *pass
			p.Report = func(d analysis.Diagnostic) {
				d.Related = nil
				d.Message = strings.TrimPrefix(d.Message, a.Name+": ")
				pass.Report(d)
			}
			return s.Run(&p)
		}
		all = append(all, &a)
	}
	return all, nil
}

// GetLoadMode says that the analyzer needs types.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
