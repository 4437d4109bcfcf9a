package arenajson

import (
	"iter"
	"math/bits"
	"reflect"
)

// Maps of Go lie on the heap. Those whose keys are strings are stale when the arena is Reset,
// because the text of the keys is. They are emptied then, and the next documents get them. An arena
// that is never Reset does not have them noted. After Free the values stay, and so do their maps;
// an arena that looks for mistakes uses nothing again.
//
// Maps with other keys are left alone. Where keys and values are numbers, say, nothing of the map
// is in the arena, and a program may keep it. It may also keep those entries of a map whose values
// have no text in them, and no type tells that.
//
// A value that is decoded into again after Reset has a stale map, which may be among those that are
// not in use. As soon as a document is decoded into a map that was there before, or encoding/json
// may do that, all of them are forgotten. Beside that, a map that is not empty is not handed out.

// goMaps are the maps that the decoders of an arena have made, for this round of the arena and for
// those before.
type goMaps struct {
	on     bool                    // the arena has been Reset
	stocks []*[mapClasses]mapStock // by the number of the map type
	active []*mapStock             // those with maps in use
	bytes  int                     // of all maps, about
	rounds int                     // since all were dropped
}

// A mapStock has maps of one type with about the same room: those in use, up to used, and then
// those that are not.
type mapStock struct {
	all        []pointer
	used, most int // most is how many were in use at once
	plan       *pairsPlan
	room       int // entries that a map has room for
	bytes      int // of a map, about, and of its place in all
}

const (
	mapClasses  = 7       // by room: for 8 entries, 14, 28, 56, 112, 224, 448
	maxMapBytes = 8 << 20 // of an arena
	// Each mapRounds Resets, those maps are dropped that nobody needed meanwhile. Each mapLife
	// Resets, all are: those that their owner has made large, and emptied again, keep their memory.
	mapRounds, mapLife = 32, 256
)

// roomOfClass returns how many entries a map has room for at most.
func roomOfClass(class int) int {
	if class == 0 {
		return fewTogether
	}
	return 7 << class
}

// classOf returns the class of new maps that have room for n entries.
func classOf(n int) int {
	if n <= fewTogether {
		return 0
	}
	return bits.Len(uint(n-1) / 7)
}

// goMap returns an empty map of m's type with room for n entries.
func (d *decoder) goMap(m *pairsPlan, n int) pointer {
	g := d.maps
	class := classOf(n)
	if !g.on || m.number == 0 || class >= mapClasses {
		d.made += m.mapBytes(n) // one of those below is the arena's until Reset anyway
		return m.make(n)
	}
	s := g.stock(m, class)
	for s.used < len(s.all) {
		p := s.all[s.used]
		if mapLen(p) == 0 {
			if s.used == 0 {
				g.active = append(g.active, s)
			}
			s.used++
			return p
		}
		// Somebody uses the map that is stale. It is his.
		last := len(s.all) - 1
		s.all[s.used], s.all[last] = s.all[last], nil
		s.all = s.all[:last]
		g.bytes -= s.bytes
	}
	p := m.make(s.room)
	if g.bytes+s.bytes <= maxMapBytes {
		if s.used == 0 {
			g.active = append(g.active, s)
		}
		g.bytes += s.bytes
		s.all = append(s.all, p)
		s.used++
	}
	return p
}

// forget leaves all maps to their values and to the collector. None is noted until the next Reset.
func (g *goMaps) forget() {
	if g.on {
		*g = goMaps{}
	}
}

// stock returns the stock of maps of m's type, with room for a class.
func (g *goMaps) stock(m *pairsPlan, class int) *mapStock {
	for len(g.stocks) <= m.number {
		g.stocks = append(g.stocks, nil)
	}
	of := g.stocks[m.number]
	if of == nil {
		of = new([mapClasses]mapStock)
		g.stocks[m.number] = of
	}
	s := &of[class]
	if s.plan == nil {
		s.plan, s.room = m, roomOfClass(class)
		// A map has 8 places for 7 entries, or 8 for the first 8, each with a byte that says what
		// is there.
		s.bytes = 56 + (s.room+s.room/7)*int(m.entry+1)
	}
	return s
}

// make returns a new map with room for n entries.
func (m *pairsPlan) make(n int) pointer {
	if m.create != nil {
		return m.create(n)
	}
	return reflect.MakeMapWithSize(m.typ, n).UnsafePointer()
}

// ArenaReset tells d that all values are stale. Their maps are used again, or dropped if again is
// false.
func (d *decoder) ArenaReset(again bool) {
	g := d.maps
	if d.state == stateBusy {
		d.state = stateEnded
	}
	if !again || d.state != stateIdle {
		g.forget()
		return
	}
	g.on = true
	if g.bytes == 0 {
		return
	}
	for _, s := range g.active {
		g.bytes -= s.reset() * s.bytes
	}
	clear(g.active)
	g.active = g.active[:0]
	switch g.rounds++; {
	case g.rounds == mapLife:
		g.forget()
		g.on = true
	case g.rounds%mapRounds == 0:
		g.trim()
	}
}

// ArenaRetain tells d how many bytes it may keep. It returns how many it has, about.
func (d *decoder) ArenaRetain(most int64) int64 {
	g := d.maps
	if len(g.active) > 0 {
		g.forget()
	}
	for s := range g.all() {
		if excess := g.bytes - int(min(most, maxMapBytes)); excess > 0 {
			g.keep(s, max(len(s.all)-(excess+s.bytes-1)/s.bytes, 0))
		}
	}
	return int64(g.bytes)
}

// reset empties the maps in use, and drops those that have grown. It returns how many these are.
func (s *mapStock) reset() int {
	s.most = max(s.most, s.used)
	kept := s.plan.emptyAll(s.all[:s.used], s.room)
	dropped := s.used - kept
	if dropped > 0 {
		n := kept + copy(s.all[kept:], s.all[s.used:])
		clear(s.all[n:])
		s.all = s.all[:n]
	}
	s.used = 0
	return dropped
}

// emptyAll empties the maps that have at most room entries. It moves them to the front of all, and
// returns how many these are.
func (m *pairsPlan) emptyAll(all []pointer, room int) int {
	if m.empty != nil {
		return m.empty(all, room)
	}
	kept := 0
	for i, p := range all {
		if mapLen(p) <= room {
			valueAt(m.typ, pointer(&all[i])).Clear()
			all[kept] = p
			kept++
		}
	}
	return kept
}

// trim drops the maps that were not needed since the last time.
func (g *goMaps) trim() {
	for s := range g.all() {
		g.keep(s, s.most)
		s.most = 0
	}
}

// keep drops the maps of s, none of which is in use, but n of them.
func (g *goMaps) keep(s *mapStock, n int) {
	if more := len(s.all) - n; more > 0 {
		g.bytes -= more * s.bytes
		s.all = append([]pointer(nil), s.all[:n]...)
	}
}

// all are the stocks that there are.
func (g *goMaps) all() iter.Seq[*mapStock] {
	return func(yield func(*mapStock) bool) {
		for _, of := range g.stocks {
			if of == nil {
				continue
			}
			for i := range of {
				if of[i].plan != nil && !yield(&of[i]) {
					return
				}
			}
		}
	}
}
