package proof

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestCommands checks that the commands in the documents name packages, flags, tests and targets
// that there are.
func TestCommands(t *testing.T) {
	for _, d := range read(t) {
		for _, problem := range d.commands() {
			t.Error(problem)
		}
	}
}

func (d *document) commands() (problems []string) {
	check := func(line int, text string) {
		text, _, _ = strings.Cut(text, " #")
		for part := range strings.SplitSeq(text, "&&") {
			for _, what := range command(words(part)) {
				problems = append(problems, fmt.Sprintf("%s:%d: %s: %s", d.name, line, strings.TrimSpace(part), what))
			}
		}
	}
	for _, s := range d.spans {
		check(s.line, s.text)
	}
	for _, b := range d.blocks {
		if b.language != "go" {
			for i, line := range strings.Split(b.text, "\n") {
				check(b.line+i, line)
			}
		}
	}
	return problems
}

// words splits a line as a shell does, more or less, and leaves out what is set in front of the
// command and what follows a redirection.
func words(line string) (all []string) {
	for _, m := range regexp.MustCompile(`'([^']*)'|([^\s']+)`).FindAllStringSubmatch(line, -1) {
		w := m[1] + m[2]
		if w == ">" || w == "|" {
			break
		}
		if len(all) > 0 || !strings.Contains(w, "=") {
			all = append(all, w)
		}
	}
	return all
}

var plainName = regexp.MustCompile(`^\^?[A-Za-z0-9_]+\$?$`)

// command returns what is wrong with a command: nothing if it is of another program.
func command(w []string) (problems []string) {
	if len(w) > 0 && strings.HasPrefix(w[0], ".ci/") && !exists(w[0]) {
		return []string{"there is no such file"}
	}
	if len(w) < 2 {
		return nil
	}
	if w[0] == "make" {
		return targets(w[1:])
	}
	if w[0] != "go" || !slices.Contains([]string{"run", "test", "vet", "build", "install", "get"}, w[1]) {
		return nil
	}
	var paths, patterns []string
	ran := false // the command of go run is named, so that flags are its own
	for i := 2; i < len(w); i++ {
		switch name := strings.TrimLeft(w[i], "-"); {
		case ran && name != w[i]:
			name, _, _ = strings.Cut(name, "=")
			if !inFiles(paths[0], ".go", `"`+name+`"`) {
				problems = append(problems, paths[0]+" has no flag -"+name)
			}
		case ran: // an argument
		case name == "run" || name == "bench" || name == "fuzz":
			if i++; i < len(w) && plainName.MatchString(w[i]) {
				patterns = append(patterns, strings.Trim(w[i], "^$"))
			}
		case slices.Contains([]string{"count", "tags", "benchtime", "timeout", "o"}, name) && name != w[i]:
			i++
		case name != w[i]:
		case strings.HasPrefix(w[i], module), strings.HasPrefix(w[i], "."):
			path, _, _ := strings.Cut(strings.TrimPrefix(w[i], module), "@")
			path = strings.Trim(strings.TrimSuffix(path, "..."), "./")
			if path == "" {
				path = "."
			}
			paths, ran = append(paths, path), w[1] == "run"
			if !hasGo(path, w[1] == "run" && w[i] != ".", strings.HasSuffix(w[i], "...")) {
				problems = append(problems, "there is no such package")
			}
		}
	}
	for _, p := range patterns {
		found := len(paths) == 0 && inFiles(".", "_test.go", "func Test"+p)
		for _, path := range paths {
			for _, kind := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
				found = found || matches(path, `func `+kind+`\w*`+strings.TrimPrefix(p, kind))
			}
		}
		if !found {
			problems = append(problems, "there is no test or benchmark "+p)
		}
	}
	return problems
}

// targets returns a problem for each name that is no target of the Makefile.
func targets(names []string) (problems []string) {
	var text []byte
	for _, name := range []string{"Makefile", ".ci/nightly.mk"} {
		part, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return []string{err.Error()}
		}
		text = append(text, part...)
	}
	for _, name := range names {
		if regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(name) && !bytes.Contains(text, []byte("\n"+name+":")) {
			problems = append(problems, "the Makefile has no target "+name)
		}
	}
	return problems
}

// hasGo reports whether a directory contains Go files, or Go files of a command, itself or
// somewhere below.
func hasGo(dir string, main, below bool) bool {
	if !exists(dir) {
		return false
	}
	found := false
	filepath.WalkDir(filepath.Join(root, dir), func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && !below && path != filepath.Join(root, dir):
			return filepath.SkipDir
		case !e.IsDir() && filepath.Ext(path) == ".go":
			text, _ := os.ReadFile(path)
			found = found || !main || bytes.Contains(text, []byte("package main\n"))
		}
		return nil
	})
	return found
}

// inFiles reports whether a text is in a file below a directory whose name ends in a certain way.
func inFiles(dir, end, text string) bool {
	return matchesFiles(dir, end, regexp.MustCompile(regexp.QuoteMeta(text)))
}

// matches reports whether a regular expression matches in a test file of a directory.
func matches(dir, pattern string) bool {
	return matchesFiles(dir, "_test.go", regexp.MustCompile(pattern))
}

func matchesFiles(dir, end string, pattern *regexp.Regexp) (found bool) {
	filepath.WalkDir(filepath.Join(root, dir), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !found && !e.IsDir() && strings.HasSuffix(path, end) {
			text, _ := os.ReadFile(path)
			found = pattern.Match(text)
		}
		return nil
	})
	return found
}
