package fix

// A reason says why something stays on the heap.
type reason uint8

const (
	moves reason = iota // there is none

	// It goes where nothing of an arena may.
	whyError
	whyGoroutine
	whyPackage
	whyLeft // for a reason of the site
	whyUnseen

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
	whyGiven
	whyAppendNil
	whyDeclaredTogether
	whyIndices
	whyLength
	whyLoop
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
	whyGoroutine: "in a goroutine",
	whyPackage:   "stored in a variable of a package",
	whyLeft:      "",
	whyUnseen:    "in a function that no root calls with an arena",

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
	whyGiven:             "a builder that other functions have",
	whyAppendNil:         "append to nil",
	whyDeclaredTogether:  "a variable that is declared with others",
	whyIndices:           "a literal with indices",
	whyLength:            "a length that int may not have",
	whyLoop:              "a variable of a loop, or of another statement",
	whyNameless:          "of a type without a name",
	whyNamelessElements:  "a literal with elements of a type without a name",
	whyNamelessInterface: "a value in an interface without a name",
	whyNamelessLiteral:   "a literal of a type without a name",
	whyNoType:            "a literal without a type",
	whyOldLoop:           "a variable of a loop, which all turns have",
	whyParameter:         "a parameter, or a variable of a loop",
	whyPlaceOnce:         "a place that must be computed once",
	whyRedeclared:        "a variable that is set where others are declared",
	whySeveral:           "one of several variables that are declared with values",
	whyTypeParam:         "a value of a type parameter",
	whyLibrary:           "allocated by package ",
	whyOther:             "",
}

// crosses tells whether something else stays for this reason than what errors are made of.
func (r reason) crosses() bool { return r != whyError }
