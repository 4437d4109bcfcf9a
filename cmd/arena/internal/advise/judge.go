package advise

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Verdict is the answer whether an arena pays.
type Verdict int

const (
	No Verdict = iota
	Perhaps
	Yes
)

// String returns the verdict as a sentence begins with it.
func (v Verdict) String() string { return [...]string{"No", "Perhaps", "Yes"}[v] }

// MarshalText returns the verdict as JSON has it.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(strings.ToLower(v.String())), nil }

// A Reason is the reason for a verdict.
type Reason int

const (
	NothingToSave Reason = iota // malloc and the collector take little
	TooLittle                   // an arena saves little, even if all is moved by hand
	SettingsFirst               // GOGC or GOMEMLIMIT save as much without a change of the code
	ByAdapter                   // a library allocates that has an adapter
	NoSources                   // it is not known what arena fix moves
	NotMeasured                 // the rewriting does not run
	ByHandOnly                  // arena fix moves little, and by hand more would move
	Uncertain                   // what moves may save little
	ItPays
)

// MarshalText returns the name of the reason, as JSON has it.
func (r Reason) MarshalText() ([]byte, error) {
	return []byte([...]string{"nothing to save", "too little", "settings first", "by adapter", "no sources", "not measured", "by hand only", "uncertain", "it pays"}[r]), nil
}

// Below this part of the CPU time nothing is worth the work.
const worthIt = 0.05

// rules give the verdict: the first one that holds. Its text says why.
var rules = []struct {
	reason  Reason
	verdict Verdict
	holds   func(a *Advice, saves Range) bool
	why     func(a *Advice, saves Range) string
}{
	{NothingToSave, No, func(a *Advice, _ Range) bool { return a.Memory() < worthIt }, func(a *Advice, _ Range) string {
		return fmt.Sprintf("malloc and the collector take %s of the CPU time: there is nothing to save.", percent(a.Memory()))
	}},
	{TooLittle, No, func(a *Advice, _ Range) bool { return a.ByHand < worthIt }, (*Advice).tooLittle},
	{SettingsFirst, No, func(a *Advice, saves Range) bool {
		arena := max(saves.mid(), worthIt)
		if saves.Low < worthIt && saves.High > 2*max(a.GOGC.High, worthIt) { // not certain
			return false
		}
		return 3*a.GOGC.mid() > 2*arena || a.Limit != nil && a.Limit.Saves.mid() > arena
	}, (*Advice).settingsFirst},
	{ByAdapter, No, func(a *Advice, saves Range) bool { return saves.Low < worthIt && a.adapters() != "" }, (*Advice).byAdapter},
	{NoSources, Perhaps, func(a *Advice, _ Range) bool { return a.fixes == nil && !a.stays || a.Unknown != "" }, func(a *Advice, saves Range) string {
		return fmt.Sprintf("An arena that is reset would save up to %s of the CPU time. What would move is not known without the sources.", percent(saves.High))
	}},
	{NotMeasured, Perhaps, func(a *Advice, _ Range) bool { return a.Untried != "" }, func(a *Advice, saves Range) string {
		return fmt.Sprintf("An arena that is reset would save %s of the CPU time. That is not certain, because the rewriting could not be measured: %s", saves, a.Untried)
	}},
	{ByHandOnly, Perhaps, func(_ *Advice, saves Range) bool { return saves.High < worthIt }, func(a *Advice, saves Range) string {
		return fmt.Sprintf("With what arena fix moves, an arena %s.", a.savesNow(saves)) + a.byHand(saves)
	}},
	{Uncertain, Perhaps, func(_ *Advice, saves Range) bool { return saves.Low < worthIt }, func(a *Advice, saves Range) string {
		if a.Trial != nil {
			return fmt.Sprintf("An arena that is reset %s.", a.savesNow(saves)) + a.byHand(saves)
		}
		return fmt.Sprintf("An arena would save %s of the CPU time, and it is not certain that it would save anything: the values may live long, or lie in maps, the units of work may be short, and for built text an arena takes longer than malloc.", saves) + a.byHand(saves)
	}},
	{ItPays, Yes, func(*Advice, Range) bool { return true }, func(a *Advice, saves Range) string {
		gogc := ""
		if a.GOGC.High > 0 {
			gogc = fmt.Sprintf(", GOGC=400 %s", a.GOGC)
		}
		return fmt.Sprintf("An arena that is reset %s%s.", a.savesNow(saves), gogc) + a.byHand(saves)
	}},
}

// savesNow says what an arena saves: what was measured, or else what is predicted.
func (a *Advice) savesNow(saves Range) string {
	if a.Trial == nil {
		return fmt.Sprintf("would save %s of the CPU time", saves)
	}
	return fmt.Sprintf("saves %s of the CPU time, as measured", saves)
}

// judge says whether an arena pays, and why not.
func (a *Advice) judge() {
	saves := a.Total()
	if a.Trial != nil {
		saves = a.Trial.Saves
	}
	for _, r := range rules {
		if r.holds(a, saves) {
			a.Verdict, a.Reason, a.Why = r.verdict, r.reason, r.why(a, saves)
			break
		}
	}
}

// byHand says what more could be saved by hand, if that is much.
func (a *Advice) byHand(saves Range) string {
	if a.ByHand < saves.High+worthIt {
		return ""
	}
	return fmt.Sprintf(" More can be moved by hand only: then it is up to %s.", percent(a.ByHand))
}

func (a *Advice) settingsFirst(saves Range) string {
	var settings []string
	if a.GOGC.High > 0 {
		settings = append(settings, fmt.Sprintf("GOGC=400 saves %s", a.GOGC))
	}
	if a.Limit != nil {
		settings = append(settings, fmt.Sprintf("%s saves %s", a.Limit, a.Limit.Saves))
	}
	return fmt.Sprintf("%s of the CPU time without a change of the code, an arena %s.", strings.Join(settings, ", "), saves) + a.byHand(saves)
}

func (a *Advice) tooLittle(saves Range) string {
	why := fmt.Sprintf("An arena would save at most %s of the CPU time.", percent(saves.High))
	if len(a.Left) == 0 || a.Left[0].Bytes <= 0.3 {
		return why
	}
	l := a.Left[0]
	why += fmt.Sprintf(" %s of the bytes would not move: %s", percent(l.Bytes), l.Why)
	if l.Hint != "" {
		why += " (" + l.Hint + ")"
	}
	return why + "."
}

func (a *Advice) byAdapter(Range) string {
	with, names := a.Adapted()
	end := ": then it pays."
	if with.Low < worthIt {
		end = "."
	}
	return fmt.Sprintf("As it is an arena would save %s of the CPU time. With %s, for what libraries allocate now, it would save %s%s", a.AsIs(), names, with, end)
}

// Total returns what all scopes save together.
func (a *Advice) Total() Range { return a.sum(func(s *Scope) Range { return s.Reset }) }

// Adapted returns what they save with the adapters for the libraries that allocate in them, and
// which these are: none where they would move less than a third of the bytes.
func (a *Advice) Adapted() (Range, string) {
	return a.sum(func(s *Scope) Range { return s.Adapted }), a.adapters()
}

// AsIs returns what they save without.
func (a *Advice) AsIs() Range { return a.sum(func(s *Scope) Range { return s.AsIs }) }

func (a *Advice) sum(of func(s *Scope) Range) (r Range) {
	for _, s := range a.Scopes {
		r.Low += of(s).Low
		r.High += of(s).High
	}
	return r
}

// Memory returns the part of the CPU time that goes into handing out memory, and getting it back.
func (a *Advice) Memory() float64 {
	return a.share[malloc] + a.share[zeroing] + a.share[barrier] + a.share[gc]
}

// adapters returns those which would move a third of the bytes or more, together.
func (a *Advice) adapters() string {
	names := map[string]bool{}
	sum := int64(0)
	for _, s := range a.Scopes {
		for _, x := range s.samples {
			if x.mover == adapter {
				names[x.hint] = true
				sum += x.bytes
			}
		}
	}
	if 3*sum < a.bytes {
		return ""
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}
