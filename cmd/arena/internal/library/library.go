// Package library says what functions of the standard library return and keep of what they are
// given. TestLibrary of arenavet finds it out from their sources.
package library

import (
	_ "embed"
	"go/types"
	"strconv"
	"strings"
	"sync"

	"github.com/arena-go/arena/cmd/arena/internal/names"
)

// text has a function in each line, and its flows. Arguments are numbered, and the receiver is the
// first one. 1 is the argument itself, and 1. what its memory refers to. After > follows where that
// may be found: r0 is the first result, r0* what its memory refers to, p0 what the memory of the
// first argument refers to, and any other name a global variable. A line that begins with = is of
// functions that do nothing else with what they are given: all their calls are known, except calls
// of Read and Write. A line that begins with ! has functions of a package which call an argument,
// whose number follows the name, and keep it nowhere.
//
//go:embed library.txt
var text string

// A Flow is one way of a value through a function.
type Flow struct {
	From   int
	Below  bool   // what the memory of the argument refers to
	To     string // "r", "p", or "g"
	N      int
	In     bool // what the memory of the result refers to
	Global string
}

func (w Flow) String() string {
	s := strconv.Itoa(w.From)
	if w.Below {
		s += "."
	}
	s += ">"
	if w.To == "g" {
		return s + strings.Replace(w.Global, " ", ":", 1)
	}
	s += w.To + strconv.Itoa(w.N)
	if w.In {
		s += "*"
	}
	return s
}

func parse(text string) (w Flow) {
	from, to, _ := strings.Cut(text, ">")
	from, w.Below = strings.CutSuffix(from, ".")
	w.From, _ = strconv.Atoi(from)
	if path, name, ok := strings.Cut(to, ":"); ok {
		w.To, w.Global = "g", path+" "+name
		return w
	}
	to, w.In = strings.CutSuffix(to, "*")
	w.To = to[:1]
	w.N, _ = strconv.Atoi(to[1:])
	return w
}

// Facts are what is known of a function.
type Facts struct {
	Flows []Flow
	All   bool // there are no others
}

// Table has the facts by the names of functions.
var Table = sync.OnceValue(func() map[string]Facts {
	all := map[string]Facts{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" || words[0] == "!" {
			continue
		}
		name, whole := strings.CutPrefix(words[0], "=")
		f := Facts{All: whole}
		if name == "" { // functions of a package, without flows
			for _, local := range words[2:] {
				all[words[1]+"."+local] = f
			}
			continue
		}
		for _, word := range words[1:] {
			f.Flows = append(f.Flows, parse(word))
		}
		all[name] = f
	}
	return all
})

// Callers has the functions that call an argument and do not keep it: the package, a dot, the name,
// and another dot and the number of the argument.
var Callers = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "!" {
			for _, local := range words[2:] {
				all[words[1]+"."+local] = true
			}
		}
	}
	return all
})

// OnlyCalls reports whether all that a function does with an argument is to call it before it
// returns.
func OnlyCalls(fn *types.Func, n int) bool {
	return Callers()[names.Path(fn)+"."+strconv.Itoa(n)]
}

// Of returns what is known of a function.
func Of(fn *types.Func) (f Facts, ok bool) {
	f, ok = Table()[names.Path(fn)]
	return f, ok
}
