package advise

import (
	"cmp"
	"fmt"
	"slices"
)

// A CutError says that the stacks of many bytes are cut off, and no other stack says what has
// called their outermost function. Then no scope is found, and a no would be wrong.
type CutError struct{ Part float64 }

func (e *CutError) Error() string {
	return fmt.Sprintf("arena advise: the stacks of %s of the bytes are cut off, so it is not known what has called the functions that allocate: run the program with GODEBUG=%s", percent(e.Part), deepest)
}

// Stacks in a profile of CPU time are cut off at 64 calls. Stacks in a profile of memory are cut
// off at 32 calls before Go 1.23, and since then at 128 or what GODEBUG says. Calls of the runtime
// are not in the latter.
const (
	deepCPU  = 64
	deepHeap = 24
	hidden   = 8

	// deepest keeps whole stacks. The runtime adds two to the number, and ends the program if a
	// stack then has more than 1024 calls.
	deepest = "profstackdepth=1022"
)

// complete gives stacks that are cut off the calls that complete stacks have above their outermost
// function. Functions that call themselves make stacks so deep, so the outermost function is there
// in complete stacks, too.
func (a *Advice) complete() {
	longest := deepHeap
	for _, x := range a.allocs {
		longest = max(longest, len(x.stack))
	}
	var stacks []*cutStack
	for i := range a.cpu {
		c := &a.cpu[i]
		stacks = append(stacks, &cutStack{&c.stack, float64(c.ns) / float64(a.total), len(c.stack) >= deepCPU, &c.lost, &a.CutCPU})
	}
	for _, x := range a.allocs {
		stacks = append(stacks, &cutStack{&x.stack, float64(x.bytes) / float64(a.bytes), len(x.stack) >= max(deepHeap, longest-hidden), &x.lost, &a.CutBytes})
	}
	// Where shorter stacks begin, goroutines begin. A stack that is cut off begins at a function
	// that others have called somewhere.
	roots, called := map[string]bool{}, map[string]bool{}
	for _, s := range stacks {
		st := *s.stack
		for _, f := range st[:max(len(st)-1, 0)] {
			called[f.fn] = true
		}
		if !s.cut && len(st) > 0 {
			roots[st[len(st)-1].fn] = true
		}
	}
	above := map[string]map[string]*way{} // by the outermost function of a stack that is cut off, and the calls above it
	for _, s := range stacks {
		fn := s.outermost()
		if s.cut = s.cut && !roots[fn] && called[fn]; s.cut {
			*s.sum += s.part
			above[fn] = map[string]*way{}
		}
	}
	if len(above) == 0 {
		return
	}
	for _, s := range stacks {
		if s.cut {
			continue
		}
		seen := map[string]bool{}
		for i := len(*s.stack) - 1; i >= 0; i-- {
			fn := (*s.stack)[i].fn
			if above[fn] == nil || seen[fn] {
				continue
			}
			seen[fn] = true
			up := (*s.stack)[i+1:]
			w := above[fn][up.key()]
			if w == nil {
				w = &way{calls: up}
				above[fn][up.key()] = w
			}
			w.part += s.part
		}
	}
	best := map[string]*way{}
	for fn, ways := range above {
		for _, w := range ways {
			if b := best[fn]; b == nil || cmp.Or(cmp.Compare(w.part, b.part), -w.calls.compare(b.calls)) > 0 {
				best[fn] = w
			}
		}
	}
	for _, s := range stacks {
		if !s.cut {
			continue
		}
		if w := best[s.outermost()]; w != nil {
			*s.stack = slices.Concat(*s.stack, w.calls)
		} else {
			*s.lost = true
		}
	}
}

// A cutStack is a stack that may be cut off.
type cutStack struct {
	stack *stack
	part  float64 // of the time, or of the bytes
	cut   bool
	lost  *bool
	sum   *float64 // the parts of those that are cut off
}

func (s *cutStack) outermost() string {
	if len(*s.stack) == 0 {
		return ""
	}
	return (*s.stack)[len(*s.stack)-1].fn
}

// A way is the calls above a function.
type way struct {
	calls stack
	part  float64
}

// lost returns the part of the bytes that would move, but for which no scope can be found, because
// their stacks are cut off.
func (a *Advice) lost() (part float64) {
	for _, x := range a.allocs {
		if x.lost {
			part += float64(x.bytes) / float64(a.bytes) * x.high
		}
	}
	return part
}
