package lives

import "fmt"

// A Reason says how something is left, or why that is not known.
type Reason int

// Reasons.
const (
	_              Reason = iota
	Stored                // in something older
	StoredIn              // in something that is left for a reason of its own
	Goroutine             // given to a goroutine
	UnknownFunc           // given to a function that is not known
	UnknownMethod         // given to a method that is not known
	UnknownValue          // a function that is not known, and is called
	UnsafeMethod          // made by package unsafe, and a method is called
	Number                // its address becomes a number
	ArenaPackage          // given to a package of arenas
	NotGo                 // given to a function that is not written in Go
	InPanic               // it is the value of a panic
	Live                  // a value that is used later leads to it
	Deferred              // a deferred call that comes later has it
	Result                // it is a part of a result
	Caller                // the arena is a caller's, who is not known
	InGoroutine           // a goroutine ends the arena of others
	Kept                  // the function that ends it is kept
	Indirect              // a function value or an interface ends it
	Large                 // the program is too large to follow
	NoBody                // there is no body to look at
	Generic               // the function has type parameters
	NotWaited             // goroutines of the Group may run
	Closed                // the arena itself is returned
	Messages              // requests lie in the arena, and are not followed
	Again                 // it is a buffer that the next call uses again
	Once                  // it is made once, and the next call finds it
	InError               // it is in an error
	TimeoutHandler        // net/http runs the handler in a goroutine, and does not wait
)

var reasons = [...]string{
	Stored:         "it is stored in something older than the call",
	StoredIn:       "it is in something that stays, because ",
	Goroutine:      "it is given to a goroutine",
	UnknownFunc:    "it is given to a function that is not known",
	UnknownMethod:  "it is given to %s, which is not known here",
	UnknownValue:   "it is a function that is not known, which is called",
	UnsafeMethod:   "it is made by package unsafe, and has a method called",
	Number:         "its address becomes a number",
	ArenaPackage:   "it is given to package %s",
	NotGo:          "it is given to %s, which is not written in Go",
	InPanic:        "it is in the value of a panic",
	Live:           "%s, which is used later, leads to it",
	Deferred:       "a deferred call that comes later has it",
	Result:         "it is returned, in result %s",
	Caller:         "the arena comes from a caller or an older variable, and what else was made in it is not known",
	InGoroutine:    "a goroutine runs this, and its end and that of the arena have no order",
	Kept:           "the function that ends the arena is kept, and may be called at another time",
	Indirect:       "a function value or an interface ends the arena, and which arena is not known",
	Large:          "the program is too large to follow what it does",
	NoBody:         "the function has no body",
	Generic:        "the function has type parameters",
	NotWaited:      "a goroutine of the Group may still run: nobody calls Wait before",
	Closed:         "the arena, which has been given back, is returned",
	Messages:       "requests and replies lie in the arena, and are not followed",
	Again:          "a buffer that the next call uses again",
	Once:           "made once, and kept for the next call",
	InError:        "it is in an error",
	TimeoutHandler: "http.TimeoutHandler does not wait for its handler",
}

// A Why is a reason with what it is about.
type Why struct {
	Reason Reason
	In     Reason // of StoredIn
	Name   string
}

func (w Why) String() string {
	text := func(r Reason) string {
		switch r {
		case UnknownMethod, ArenaPackage, NotGo, Live, Result:
			return fmt.Sprintf(reasons[r], w.Name)
		}
		return reasons[r]
	}
	if w.Reason == StoredIn {
		return reasons[StoredIn] + text(w.In)
	}
	return text(w.Reason)
}

// storedIn returns the reason for what is stored in something that is left for reason w.
func (w Why) storedIn() Why {
	if w.Reason != StoredIn {
		w.In = w.Reason
	}
	w.Reason = StoredIn
	return w
}
