package arena

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/arena-go/arena/internal/kept"
)

// An arenaKeeper is the keeper of an arena. Package kept does the work.
type arenaKeeper struct {
	keptOwner
	guard *arenaGuard // nil unless the arena is in guard mode
	unit  *kept.Unit
	outer []*kept.Unit // the units of what was made before each Mark
	over  []*kept.Unit // those that have ended
}

// A keptOwner is what is left to be known of an arena when it has ended.
type keptOwner struct {
	name   string
	report func(*Report)
	made   Stack
	ledger *ledger // of the Pool that has chosen the arena, or nil
}

// newKeeper returns the keeper of an arena with the settings o, made at a place. g is nil unless
// the arena is in guard mode.
func newKeeper(o *settings, g *arenaGuard, made Stack) *arenaKeeper {
	k := &arenaKeeper{keptOwner: keptOwner{name: o.Name, report: o.Report, made: made}, guard: g}
	if o.keeps && o.member != nil {
		k.ledger = o.member.ledger
	}
	k.begin()
	return k
}

// begin makes the unit of what the arena makes from now on.
func (k *arenaKeeper) begin() {
	owner := k.keptOwner
	k.unit = kept.NewUnit(&owner, k.name, k.keptOwner.made, k.ledger != nil)
}

func (k *arenaKeeper) made(m extent, count int) (more bool) {
	kind := kept.Value
	if count > 1 {
		kind = kept.Slice
	}
	return k.add(m.raw(), kind, m.typ, count)
}

func (k *arenaKeeper) plain(b []byte, t reflect.Type) (more bool) {
	if t == nil {
		return k.add(b, kept.Text, nil, len(b))
	}
	return k.add(b, kept.Slice, t, len(b)/int(t.Size()))
}

func (k *arenaKeeper) chunk(m extent, count int) { k.add(m.raw(), kept.Chunk, m.typ, count) }

// references notes b among what is older than any Mark: a Rewind does not end it.
func (k *arenaKeeper) references(b []byte) {
	if len(k.outer) > 0 {
		k.outer[0].Add(b, kept.References, nil, len(b))
		return
	}
	k.add(b, kept.References, nil, len(b))
}

func (k *arenaKeeper) label(what string) { k.unit.Label = what }

// add notes b. What is on pages with other values is noted together.
func (k *arenaKeeper) add(b []byte, kind kept.Kind, t reflect.Type, count int) (more bool) {
	if k.guard != nil {
		if alone, first := k.guard.alone(b); !alone {
			return !first || k.unit.Add(k.guard.common(), kept.Chunk, nil, 0)
		}
	}
	return k.unit.Add(b, kind, t, count)
}

func (k *arenaKeeper) ended(freed bool) {
	label := k.unit.Label
	k.end(k.outer, freed)
	k.outer = nil
	k.next(label)
}

// end ends these units and the last one.
func (k *arenaKeeper) end(units []*kept.Unit, freed bool) {
	k.over = append(slices.Clone(units), k.unit)
	at := callers()
	for _, u := range k.over {
		u.End(at, freed)
	}
}

// next begins another unit, with a label.
func (k *arenaKeeper) next(label string) {
	k.begin()
	k.unit.Label = label
}

func (k *arenaKeeper) released() {
	for _, u := range k.over {
		u.Wait()
	}
	k.over = nil
}

func (k *arenaKeeper) mark() {
	k.outer = append(k.outer, k.unit)
	k.next(k.unit.Label)
}

func (k *arenaKeeper) rewinding(open int) {
	k.end(k.outer[open+1:], false)
	k.unit = k.outer[open]
	k.outer = slices.Delete(k.outer, open, len(k.outer))
}

// Error returns the report of s, a *Report.
func (o *keptOwner) Error(s kept.Survivor) error { return o.reportOf(s) }

// Report sends the report of s.
func (o *keptOwner) Report(s kept.Survivor) { o.reportOf(s).send(o.report) }

// Kept counts values that were kept.
func (o *keptOwner) Kept(n int) {
	if o.ledger != nil {
		o.ledger.kept.Add(int64(n))
	}
}

func (o *keptOwner) reportOf(s kept.Survivor) *Report {
	r := &Report{Mistake: Kept, Arena: o.name, Detail: s.What(), Addr: s.Addr, Made: o.made, Ended: s.Unit.Ended}
	r.Allocated, r.Unit = s.Allocated(), s.Unit.Which()
	if s.Others > 0 {
		r.Detail += fmt.Sprintf(", and %d others", s.Others)
	}
	return r
}
