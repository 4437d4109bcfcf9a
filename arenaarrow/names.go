package arenaarrow

import (
	"sync"
	"sync/atomic"
)

// NameStats are the figures of all children of one name, as [Allocator.ByName] returns them. The
// figures of a child include its own children.
type NameStats struct {
	Made     int64 // Children that were made.
	Closed   int64 // The children that were closed.
	InUse    int64 // Bytes that those that are not closed have in use.
	Reserved int64 // Bytes that they have reserved, and not in use.
	Peak     int64 // The most bytes that the blocks of one of them had at a time, closed or not.
	Limit    int64 // The limit that was set last for one of them; 0 for none.
	Exceeded int64 // How often one was Exceeded, and was not before.
	Refused  int64 // How often TryReserve or SetShare has returned an error.
	Leaked   int64 // Bytes that Close of one of them has reported.
}

// otherNames is the name of the children whose names have no figures of their own.
const otherNames = "other"

// names are the figures of children by name.
type names struct {
	mu    sync.RWMutex
	named map[string]*named
}

// A named is what is known of the children of one name, apart from what they have in use.
type named struct {
	made, closed, peak, limit, exceeded, refused, leaked atomic.Int64
}

// of returns the figures of a name. At most most names have their own figures; all others share one
// set.
func (n *names) of(name string, most int) *named {
	n.mu.RLock()
	one := n.named[name]
	n.mu.RUnlock()
	if one != nil {
		return one
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.named == nil {
		n.named = map[string]*named{otherNames: {}}
	}
	if one = n.named[name]; one == nil {
		if len(n.named) > most {
			return n.named[otherNames]
		}
		one = new(named)
		n.named[name] = one
	}
	return one
}

// sawPeak notes the peak of a child.
func (n *named) sawPeak(peak int64) {
	if n == nil {
		return
	}
	for {
		old := n.peak.Load()
		if peak <= old || n.peak.CompareAndSwap(old, peak) {
			return
		}
	}
}

// ByName returns the figures of the children of the same root, and of their children, by name. It
// returns nil without Options.Names. Names beyond that number are together in "other", which always
// exists. The figures are for metrics: they are not a snapshot of one moment. The time of ByName is
// proportional to the number of children with memory in use.
func (a *Allocator) ByName() map[string]NameStats {
	if a.options.Names == 0 {
		return nil
	}
	r := a.root
	of, byName := map[*named]*NameStats{}, map[string]*NameStats{}
	r.names.of(otherNames, 0)
	r.names.mu.RLock()
	for name, n := range r.names.named {
		closed := n.closed.Load() // before made, for children are made first
		s := &NameStats{Made: n.made.Load(), Closed: closed, Peak: n.peak.Load(), Limit: n.limit.Load(),
			Exceeded: n.exceeded.Load(), Refused: n.refused.Load(), Leaked: n.leaked.Load()}
		of[n], byName[name] = s, s
	}
	r.names.mu.RUnlock()
	r.top.eachInUse(func(c *Allocator, bytes int64, _ int) {
		if s := of[c.named]; s != nil && !c.isClosed() {
			s.InUse += bytes
			s.Reserved += max(c.idle.Load(), 0)
			s.Peak = max(s.Peak, c.peak.Load())
		}
	})
	result := map[string]NameStats{}
	for name, s := range byName {
		result[name] = *s
	}
	return result
}
