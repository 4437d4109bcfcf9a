package arenavet

import (
	"fmt"
	"slices"
	"strings"
)

// A codeSet is the value of the flag codes: the codes that are reported. The empty set stands for
// all.
type codeSet []string

func (s *codeSet) String() string { return strings.Join(*s, ",") }

// Set takes codes with commas between them.
func (s *codeSet) Set(text string) error {
	*s = nil
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !slices.Contains(Codes(), name) {
			return fmt.Errorf("there is no code %q; the codes are %s", name, strings.Join(Codes(), ", "))
		}
		*s = append(*s, name)
	}
	return nil
}

// has reports whether findings of a code are reported.
func (s codeSet) has(code string) bool { return len(s) == 0 || slices.Contains(s, code) }
