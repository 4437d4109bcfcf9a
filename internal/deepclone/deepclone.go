// Package deepclone copies a value together with everything that it refers to. The copy has the
// shape of the original: what shares memory there shares memory in the copy.
package deepclone

import (
	"reflect"
	"runtime"
	"sync"
)

// A Treatment says what becomes of the values of a type.
type Treatment int

const (
	Copied   Treatment = iota // they are copied, with all that they refer to
	Kept                      // they are copied shallowly, and pointers to them stay
	Zeroed                    // they are zero in the copy
	Finished                  // they are copied, and Rules.Finish gets a pointer to each copy
)

// Rules are what a Cloner does not know by itself: the types of the package that it works for. The
// types of the standard library that must not be copied it knows.
type Rules struct {
	Treat  func(reflect.Type) Treatment // of a type; always the same one
	Finish func(reflect.Value)          // comes when everything else in the copy is done
}

// A Cloner copies values by its rules. It keeps a plan of each type that it has met. Any number of
// goroutines may use it.
type Cloner struct {
	Rules
	plans sync.Map   // reflect.Type -> *plan
	mu    sync.Mutex // held while a plan is made
	bytes *plan
}

// New returns a Cloner with the given rules.
func New(r Rules) *Cloner {
	c := &Cloner{Rules: r}
	c.bytes = c.planOf(reflect.TypeFor[byte]())
	return c
}

// Of returns a copy of v, on the heap.
func Of[T any](c *Cloner, v T) T {
	p := c.planOf(reflect.TypeFor[T]())
	if !p.follow {
		return v
	}
	// The targets of v must be on the heap, because addresses distinguish memory. Storing v in an
	// object that escapes makes it so in every caller.
	copied := new(T)
	*copied = v
	c.clone(reflect.ValueOf(copied), p)
	runtime.KeepAlive(v)
	return *copied
}
