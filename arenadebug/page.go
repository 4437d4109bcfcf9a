package arenadebug

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// A Page is the content that a Handler shows, and its answer as JSON. The names of its fields in
// JSON do not change. Fields may be added.
type Page struct {
	Time     time.Time `json:"time"`
	Arenas   int       `json:"arenas"`         // tracked ones
	Reserved int64     `json:"reserved_bytes"` // what they hold
	Sites    []Site    `json:"sites"`          // in the order that was asked for
	Sampled  int64     `json:"sampled"`        // arenas that Pools have chosen by KeepEvery, and that have ended
	Kept     int64     `json:"kept"`           // values of these that were reported as arena.Kept
}

// A Site represents the arenas with one name that were made, or got from a Pool, in one place.
type Site struct {
	Name     string    `json:"name"`           // Options.Name
	Count    int       `json:"count"`          // arenas
	Guarded  int       `json:"guarded"`        // arenas of the Site in guard mode
	Reserved int64     `json:"reserved_bytes"` // what they hold
	Oldest   time.Time `json:"oldest"`         // when the first of them was made, or got
	Types    []Type    `json:"types"`          // the ten with the most bytes
	More     int       `json:"more_types"`     // how many others there are
	Stack    string    `json:"stack"`          // the place, as arena.Stack prints it
}

// A Type says how much of one type is in the arenas of a Site.
type Type struct {
	Name  string `json:"name"`  // as in arena.TypeStats
	Count int64  `json:"count"` // values
	Bytes int64  `json:"bytes"`
}

// mostTypes is how many types of a Site are shown.
const mostTypes = 10

// orders are the orders of sites, by name. If they leave something open, the larger Site comes
// first.
var orders = map[string]func(x, y *Site) int{
	"size":  func(x, y *Site) int { return 0 },
	"age":   func(x, y *Site) int { return x.Oldest.Compare(y.Oldest) },
	"count": func(x, y *Site) int { return cmp.Compare(y.Count, x.Count) },
}

// A typeKey tells types of one name apart.
type typeKey struct {
	name string
	typ  reflect.Type
}

// A collection is a Site that is being put together.
type collection struct {
	Site
	types map[typeKey]Type
}

// newPage returns the page for the arenas, at a time. Sites are in one of orders.
func newPage(now time.Time, list []Tracked, order string) *Page {
	p := &Page{Time: now, Sites: []Site{}}
	var sites []*collection
	index := map[string]*collection{} // by name and place
	texts := map[string]string{}      // of stacks: looking up the functions takes most of the time
	for i := range list {
		tr := &list[i]
		p.Arenas++
		p.Reserved += tr.Reserved
		raw := make([]byte, 0, 256)
		for _, pc := range tr.Stack {
			raw = binary.AppendUvarint(raw, uint64(pc))
		}
		text, ok := texts[string(raw)]
		if !ok {
			text = tr.Stack.String()
			texts[string(raw)] = text
		}
		key := fmt.Sprintf("%q %s", tr.Name, text)
		s := index[key]
		if s == nil {
			s = &collection{Site{Name: tr.Name, Stack: text, Oldest: tr.Made}, map[typeKey]Type{}}
			index[key] = s
			sites = append(sites, s)
		}
		s.add(tr)
	}
	for _, s := range sites {
		s.sum()
		p.Sites = append(p.Sites, s.Site)
	}
	slices.SortFunc(p.Sites, func(x, y Site) int {
		return cmp.Or(orders[order](&x, &y), cmp.Compare(y.Reserved, x.Reserved), cmp.Compare(y.Count, x.Count),
			cmp.Compare(x.Name, y.Name), cmp.Compare(x.Stack, y.Stack))
	})
	return p
}

// add adds an arena.
func (s *collection) add(tr *Tracked) {
	s.Count++
	s.Reserved += tr.Reserved
	if tr.Guarded {
		s.Guarded++
	}
	if tr.Made.Before(s.Oldest) {
		s.Oldest = tr.Made
	}
	for _, t := range tr.Stats.Types {
		k := typeKey{t.Name, t.Type}
		sum := s.types[k]
		s.types[k] = Type{t.Name, sum.Count + t.Count, sum.Bytes + t.Bytes}
	}
}

// sum sets Types.
func (s *collection) sum() {
	s.Site.Types = []Type{}
	for _, t := range s.types {
		s.Site.Types = append(s.Site.Types, t)
	}
	slices.SortFunc(s.Site.Types, func(x, y Type) int {
		return cmp.Or(cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(y.Count, x.Count), cmp.Compare(x.Name, y.Name))
	})
	s.More = max(len(s.Site.Types)-mostTypes, 0)
	s.Site.Types = s.Site.Types[:len(s.Site.Types)-s.More]
}
