package advise

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/escape"
)

// Escapes adds to the sites of a what the compiler says about their lines: which expressions go to
// the heap, and in which column. It builds the packages that patterns name, in the current
// directory, if there are sites.
func (a *Advice) Escapes(ctx context.Context, patterns []string) error {
	if len(a.Scopes) == 0 {
		return nil
	}
	lines, _, err := escape.Lines(ctx, "", false, patterns)
	if err != nil {
		return fmt.Errorf("arena advise: %w", err)
	}
	byLine := map[int][]escape.Line{}
	for _, l := range lines {
		byLine[l.Named.Line] = append(byLine[l.Named.Line], l)
	}
	for _, s := range a.Scopes {
		for _, site := range s.Sites {
			for _, l := range byLine[int(site.Line)] {
				// The compiler's name is relative, the profile's name is not.
				if strings.HasSuffix(filepath.ToSlash(site.File), "/"+strings.TrimPrefix(filepath.ToSlash(filepath.Clean(l.Named.File)), "../")) || site.File == l.Named.File {
					site.Escapes = append(site.Escapes, fmt.Sprintf("%d: %s", l.Column, l.Text))
				}
			}
		}
	}
	return nil
}
