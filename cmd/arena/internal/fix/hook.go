package fix

import (
	_ "embed"
	"path/filepath"
	"strings"
)

// hookName is the function that gives the former form of a root an arena in a program that is made
// for tests, and hookFile is where it is.
const (
	hookName = "arenaFixBegin"
	hookFile = "arena_fix_hook.go"
)

//go:embed hook.go.txt
var hookSource string

// hooks adds the file of the hook to each package with a root.
func (p *program) hooks(files map[string][]byte) {
	for _, f := range p.order {
		if f.root && f.variant() || f.scope != nil {
			files[filepath.Join(filepath.Dir(f.file.name), hookFile)] = []byte(strings.Replace(hookSource, "package hook", "package "+f.pkg.Name, 1))
		}
	}
}
