// Package profiles has what arena advise and arena fix ask of the profiles of Go programs.
package profiles

import (
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// Index returns the index of a value in the samples of p, or -1.
func Index(p *profile.Profile, typ string) int {
	return slices.IndexFunc(p.SampleType, func(v *profile.ValueType) bool { return v.Type == typ })
}

// PackageOf returns the import path of the package of a function, as profiles name functions:
// "net/http.(*conn).serve". They escape dots in the last element of a path.
func PackageOf(fn string) string {
	fn, _, _ = strings.Cut(fn, "[") // type arguments have paths, too
	slash := strings.LastIndexByte(fn, '/') + 1
	if dot := strings.IndexByte(fn[slash:], '.'); dot >= 0 {
		fn = fn[:slash+dot]
	}
	return unescape(fn)
}

// NameOf returns the name of a function as it is in the source: without type arguments.
func NameOf(fn string) string {
	var b strings.Builder
	depth := 0
	for i := range len(fn) {
		switch {
		case fn[i] == '[':
			depth++
		case fn[i] == ']':
			depth--
		case depth == 0:
			b.WriteByte(fn[i])
		}
	}
	return unescape(b.String())
}

func unescape(fn string) string { return strings.ReplaceAll(fn, "%2e", ".") }
