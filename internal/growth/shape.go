package growth

import "math"

// A Shape is a document that is made of levels. Each level has Open, some of Fill, and Close; in
// the innermost one is a leaf. Nothing else is needed for what is deep, for what is long, and for
// both at once.
type Shape struct {
	Open, Fill, Leaf, Close string
}

// A Form says how a document becomes larger.
type Form string

const (
	Deep Form = "deep" // n levels, each with one Fill
	Long Form = "long" // one level with n of Fill
	Both Form = "both" // as many levels as each of them has of Fill
)

// Forms are all of them.
var Forms = []Form{Deep, Long, Both}

// A Place is where something is put into a document.
type Place string

const (
	Nowhere Place = ""
	Top     Place = "top"    // behind the first Open
	Middle  Place = "middle" // behind the Open of the middle level
	Bottom  Place = "bottom" // before the leaf
	End     Place = "end"    // behind the last Close
)

// Levels returns how many levels a document of size n has, and how many of Fill are in each.
func (f Form) Levels(n int) (levels, fill int) {
	switch f {
	case Deep:
		return n, 1
	case Long:
		return 1, n
	}
	root := int(math.Sqrt(float64(n)))
	return root, root
}

// Doc returns a document of size n, with what at the place.
func (s Shape) Doc(form Form, n int, place Place, what string) []byte {
	levels, fill := form.Levels(n)
	var b []byte
	for level := range levels {
		b = append(b, s.Open...)
		if place == Top && level == 0 || place == Middle && level == levels/2 {
			b = append(b, what...)
		}
		for range fill {
			b = append(b, s.Fill...)
		}
	}
	if place == Bottom {
		b = append(b, what...)
	}
	b = append(b, s.Leaf...)
	for range levels {
		b = append(b, s.Close...)
	}
	if place == End {
		b = append(b, what...)
	}
	return b
}
