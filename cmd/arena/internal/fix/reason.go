package fix

// A reason says why something stays on the heap.
type reason uint8

const (
	moves reason = iota // there is none

	// It goes where nothing of an arena may.
	whyError
	whyInError
	whyPanic
	whyGoroutine
	whySent
	whyPackage
	whyPool // is weaker than other reasons to keep a parameter: a caller does not keep what it has from a Pool
	whySync
	whyAtomic
	whyContext
	whyRuntime
	whyReused // the slice only, and not what lies in it
	whyRevived

	// There is no arena where it is made, or it is not worth one.
	whyLater
	whyNotReached
	whyShadowed
	whyRecovers
	whyFrames
	whyProfile
	whySeldom

	// It cannot be written with one.
	whyOrder
	whyHidden
	whyMap
	whyChannel
	whyClosure
	whyAppendNil
	whyAppendText
	whyDeclaredTogether
	whyIndices
	whyLength
	whyLengthOnce
	whyLoop
	whyNamedText
	whyNameless
	whyNamelessElements
	whyNamelessInterface
	whyNamelessLiteral
	whyNoType
	whyOldLoop
	whyParameter
	whyPlaceOnce
	whyRedeclared
	whySeveral
	whyTypeParam
	whyLibrary // allocates it; its path is the site's
	whyOther   // is what the compiler says, which is the site's
)

// stays tells whether there is a reason.
func (r reason) stays() bool { return r != moves }

// String returns what a report says: it stays, because it is …
func (r reason) String() string { return texts[r] }

var texts = [...]string{
	whyError:     "an error",
	whyInError:   "in an error",
	whyPanic:     "in a panic",
	whyGoroutine: "in a goroutine",
	whySent:      "sent on a channel",
	whyPackage:   "stored in a variable of a package, or in a struct with a lock",
	whyPool:      "given to a sync.Pool",
	whySync:      "given to package sync",
	whyAtomic:    "given to package sync/atomic",
	whyContext:   "given to package context",
	whyRuntime:   "given to package runtime",
	whyReused:    "a buffer that the next call uses again",
	whyRevived:   "in a buffer that the next call uses again",

	whyLater:      "in a function that may be called later, or by another goroutine",
	whyNotReached: "not called from a root",
	whyShadowed:   "where another variable has the name of what has the arena",
	whyRecovers:   "in a function that recovers",
	whyFrames:     "in a function that looks at its callers, or is looked at so",
	whyProfile:    "below the share of the profile",
	whySeldom:     "seldom made, and looked at only",

	whyOrder:             "made of what a call behind it may change",
	whyHidden:            "of a type or package that cannot be named there",
	whyMap:               "a map",
	whyChannel:           "a channel",
	whyClosure:           "a closure",
	whyAppendNil:         "append to nil",
	whyAppendText:        "append of text to bytes",
	whyDeclaredTogether:  "a variable that is declared with others",
	whyIndices:           "a literal with indices",
	whyLength:            "a length that int may not have",
	whyLengthOnce:        "a length that must be computed once",
	whyLoop:              "a variable of a loop, or of another statement",
	whyNamedText:         "a named type of text",
	whyNameless:          "of a type without a name",
	whyNamelessElements:  "a literal with elements of a type without a name",
	whyNamelessInterface: "a value in an interface without a name",
	whyNamelessLiteral:   "a literal of a type without a name",
	whyNoType:            "a literal without a type",
	whyOldLoop:           "a variable of a loop, which all turns have",
	whyParameter:         "a parameter, or a variable of a loop",
	whyPlaceOnce:         "a place that must be computed once",
	whyRedeclared:        "a variable that is set where others are declared",
	whySeveral:           "a variable of a loop, or one of several",
	whyTypeParam:         "a value of a type parameter",
	whyLibrary:           "allocated by package ",
	whyOther:             "",
}

// crosses tells whether what is kept for this reason is kept in other functions as well. Errors and
// panics are followed inside of one only: they would keep nearly all that a parser has, and go back
// to the caller of the root, as its result does.
func (r reason) crosses() bool { return r != whyError && r != whyInError && r != whyPanic }

// full tells whether nothing can be added to a reason: it crosses, and callers have no way around
// it.
func (r reason) full() bool { return r.stays() && r.crosses() && r != whyPool && r != whyReused }

// or returns what two reasons are together. An error must not hide that callers have to heed the
// other reason.
func (r reason) or(other reason) reason {
	switch {
	case !other.stays() || r == other || r.full():
		return r
	case !r.stays() || other.full():
		return other
	case r == whyReused || other == whyReused:
		return whyRevived
	case r.crosses() != other.crosses(): // a Pool and an error
		return whySync
	}
	return r
}

// given are the packages that keep what they are given.
var given = map[string]reason{"sync": whySync, "sync/atomic": whyAtomic, "context": whyContext, "runtime": whyRuntime}

// isGiven tells whether a reason is one of these.
func (r reason) isGiven() bool { return whySync <= r && r <= whyRuntime }
