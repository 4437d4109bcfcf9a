package advise

import (
	"cmp"
	"slices"
	"strings"

	"github.com/arena-go/arena/cmd/arena/internal/profiles"
	"github.com/google/pprof/profile"
)

// A frame is a function call on a stack.
type frame struct {
	fn, pkg string // the function, and the import path of its package
	file    string
	line    int64

	// In a path, see pathOf.
	again bool // the function calls itself
	root  bool // the function is a goroutine's: nothing calls it
	deep  int  // calls that are left out before it, of functions that are there already
}

// inTest tells whether a function is of a test, or a benchmark.
func (f frame) inTest() bool { return strings.HasSuffix(f.file, "_test.go") }

// starts tells whether a function only starts goroutines for others: what it calls is the
// goroutine's function.
func starts(f frame) bool {
	return isRuntime(f) || f.pkg == "sync" || f.pkg == "golang.org/x/sync/errgroup" || f.fn == "time.goFunc"
}

// A stack is the calls of a sample, the innermost first, inlined calls included.
type stack []frame

// stackOf returns the stack of a sample.
func stackOf(s *profile.Sample) stack {
	var st stack
	for _, loc := range s.Location {
		for _, l := range loc.Line {
			if l.Function != nil {
				st = append(st, frame{fn: profiles.NameOf(l.Function.Name), pkg: profiles.PackageOf(l.Function.Name), file: l.Function.Filename, line: l.Line})
			}
		}
	}
	return st
}

// compare orders stacks, from the innermost call on.
func (st stack) compare(other stack) int {
	return slices.CompareFunc(st, other, func(f, g frame) int { return cmp.Or(strings.Compare(f.fn, g.fn), cmp.Compare(f.line, g.line)) })
}

// isRuntime tells whether a function is one of the runtime's: what it allocates, its caller has
// asked for. Some have the names of other packages, such as reflect.unsafe_New.
func isRuntime(f frame) bool {
	p := f.pkg
	if !strings.Contains(p, ".") && (strings.HasPrefix(f.file, "runtime/") || strings.Contains(f.file, "/src/runtime/")) {
		return true
	}
	return p == "runtime" || strings.HasPrefix(p, "runtime/internal/") || strings.HasPrefix(p, "internal/runtime/")
}

// A view is what is known of whose code is whose: the paths of the program's own packages. With
// none, all are its own that are neither of the standard library nor of the module cache.
type view struct {
	mine  []string
	stays bool // what other modules allocate stays there
}

// std has the first elements of the paths of the standard library. A module may have a path without
// a dot, too, and its files the same places.
var std = strings.Fields(`archive arena bufio builtin bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt go hash
	html image index internal io iter log maps math mime net os path plugin reflect regexp runtime simd slices sort strconv strings structs sync syscall
	testing text time unicode unique unsafe uuid vendor weak`)

// isStd tells whether a package is one of the standard library. A module may be called as such a
// package, so its files count, too.
func (v view) isStd(f frame) bool {
	p := f.pkg
	if v.isMine(p) {
		return false
	}
	if first, _, _ := strings.Cut(p, "/"); !slices.Contains(std, first) {
		return false
	}
	// The files of the standard library are in src of GOROOT, or, with -trimpath, have the import
	// path for a directory.
	return strings.HasPrefix(f.file, p+"/") || strings.Contains(f.file, "/src/"+p+"/") || strings.Contains(f.file, "/src/vendor/"+p+"/") || f.file == ""
}

// site returns the call that asked the runtime for memory, which is the first that is not of the
// runtime, and its index. It is -1 if there is none.
func (st stack) site() (frame, int) {
	for i, f := range st {
		if !isRuntime(f) {
			return f, i
		}
	}
	return frame{}, -1
}

// isMine tells whether a package is one that the view names.
func (v view) isMine(pkg string) bool {
	for _, p := range v.mine {
		if pkg == p || strings.HasPrefix(pkg, p+"/") {
			return true
		}
	}
	return false
}

// isForeign tells whether a function is of another module. Without a list the name of its file says
// so: that has a version, or is in a directory vendor.
func (v view) isForeign(f frame) bool {
	if len(v.mine) > 0 {
		return !v.isMine(f.pkg) && f.pkg != "main"
	}
	return strings.Contains(f.file, "@v") || strings.Contains(f.file, "/vendor/")
}

// caller returns the innermost call that is not of the standard library, and its index, or -1.
func (v view) caller(st stack) (frame, int) {
	for i, f := range st {
		if !isRuntime(f) && !v.isStd(f) {
			return f, i
		}
	}
	return frame{}, -1
}
