package ref

import "github.com/arena-go/arena/internal/region"

// inlined calls functions of package region that generic functions of this package call. The
// compiler exports the body of a function of another package only if a function without type
// parameters has it inlined. Otherwise Get, New and the methods of containers would be calls where
// they are used. Nobody calls inlined.
func inlined(s region.Space, r *region.Run) {
	region.At(s, 0, 0)
	region.Elem(s, 0, 0, 0)
	region.Place(s, 0, 0, 0, 0)
	region.Equal(s, 0, 0, "")
	region.Capacity(s, 0)
	region.Readable(s)
	region.ToRead(s)
	region.ToWrite(s)
	region.Next(r)
	region.Last(s, 0)
	region.Use(r, 0)
}

var _ = inlined
