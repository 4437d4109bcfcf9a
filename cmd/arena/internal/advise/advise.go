// Package advise predicts from profiles what an arena would save, and where.
//
// # Method
//
// Each sample of CPU time is the collector's, or is spent on handing out memory, on zeroing it, on
// write barriers, or on the program's own work (classOf). The collector's time is charged to the
// sites that allocate by their bytes, because the number of its cycles is proportional to these.
//
// How long the values of a site live follows from Little's law: what is in use, divided by what is
// allocated in a cycle of the collector, is the number of cycles that a byte lives. What lives for
// less than a third of a cycle suits an arena that is reset. What lives longer than four fifths
// belongs to the heap. What is between counts for the upper end of a range only. These are cycles
// as they would be with GOGC=100.
//
// A scope is a node of the tree of calls: the deepest function below which 93 % of the remaining
// movable bytes are allocated. An arena would be reset at its end.
package advise

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/arena-go/arena/cmd/arena/internal/fix"
	"github.com/arena-go/arena/cmd/arena/internal/profiles"
	"github.com/google/pprof/profile"
)

// An Input is what one run of a program has left.
type Input struct {
	CPU     *profile.Profile
	Allocs  *profile.Profile   // what was allocated in the run: alloc_space, alloc_objects
	Heap    *profile.Profile   // what was in use in the middle of the run, or nil: then the use in Allocs counts, unless Allocs is of some seconds only
	Live    []*profile.Profile // heap profiles during the run, one after the other, instead of Heap
	Cycles  float64            // cycles of the collector in the run; 0 estimates them from Allocs
	GOGC    float64            // 0 is 100; off is math.Inf(1)
	Limited bool               // GOMEMLIMIT is set, so GOGC may not be what starts the collector
	Whole   bool               // CPU and Allocs are of the same time
	Span    time.Duration      // that Allocs is of, if that is known, and not Whole
	// Collector is what the collector takes without profiles, by what it takes with them, as parts
	// of the CPU time; 0 if that is not known, and is taken for 1.
	Collector float64
	Units     []Unit     // what benchmarks take, if the profiles are of benchmarks
	Mine      []string   // paths of the program's own packages; none is all that are neither of the standard library nor of the module cache
	Sites     []fix.Site // what arena fix says of the sources, if it was asked: then the program's own code moves as far as fix moves it
	Ways      fix.Ways   // and where the arena is lost
	ByHand    float64    // what follows without what arena fix says, at most
	Stays     bool       // what other modules allocate: arena fix changes one
	Outer     []string   // functions that end the scopes in them, as arena fix names roots
	Sources   []string   // patterns of the packages that arena fix can be asked about
	Generated bool       // arena fix may change files there that a program has made
	Benchmark *Benchmark // where the profiles come from, if the rewriting is to be measured there
	Arena     string     // for that, the sources of package arena, as fix.TestOptions has it
}

// A Range is a part of the program's CPU time, as 0.05 is 5 %.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

func (r Range) mid() float64 { return (r.Low + r.High) / 2 }

// Advice is what follows from an Input.
type Advice struct {
	Samples  int                `json:"cpuSamples"`
	Heap     int                `json:"heapSamples"`
	Seconds  float64            `json:"cpuSeconds"`
	Cycles   float64            `json:"cycles"`
	PerCycle float64            `json:"bytesPerCycle"` // bytes that are allocated in one
	Measured bool               `json:"cyclesMeasured"`
	Shares   map[string]float64 `json:"shares"`  // of CPU time, by class
	GOGC     Range              `json:"gogc400"` // what GOGC=400 would save; zero where GOGC is that much, or a memory limit starts the collector
	Larger   float64            `json:"-"`       // how many times larger the heap would be with it
	Scopes   []*Scope           `json:"scopes"`
	Left     []Left             `json:"left"`
	CutCPU   float64            `json:"cutCPU,omitempty"`   // the part of the CPU time whose stacks are cut off
	CutBytes float64            `json:"cutBytes,omitempty"` // and the part of the bytes
	Unknown  string             `json:"unknown,omitempty"`  // why the sources do not tell what would move, if they were asked
	Fix      string             `json:"fix,omitempty"`      // the command that does the rewriting, which was tried, unless the answer is no
	Roots    []string           `json:"-"`                  // of that command
	Moves    Range              `json:"moves"`              // what it moves of the bytes that its roots allocate
	OfAll    float64            `json:"movesOfAll"`         // and of all bytes, at most
	End      string             `json:"end,omitempty"`      // where the way from the roots ends, if it moves nothing
	ByHand   float64            `json:"byHand"`             // what an arena saves at most, if all is rewritten by hand that can be
	Limit    *Limit             `json:"limit,omitempty"`    // a memory limit instead of GOGC; nil if one is set
	Trial    *Trial             `json:"trial,omitempty"`    // what the rewriting saves, if that was measured
	Untried  string             `json:"untried,omitempty"`  // why it could not be measured
	Verdict  Verdict            `json:"verdict"`
	Reason   Reason             `json:"reason"`
	Why      string             `json:"why"`

	view
	source         *profile.Profile // of allocations
	cpu            []cpuSample
	allocs         []*allocSample
	total          int64 // nanoseconds
	bytes, objects int64 // allocated
	share          [classes]float64
	wakes          float64 // the part of share[idle] that is the runtime's alone
	fixes          *fixes  // nil without Input.Sites
	live           float64 // bytes in use
	in             Input
	sure           float64 // the part of the bytes that moves at the lower end
	sites          map[siteKey]*siteInfo
	generated      float64 // the part of the bytes that is allocated in files that a program has made
	perNano        float64 // bytes that are allocated in a nanosecond of CPU time
}

// A Scope is a function at whose end an arena would be reset.
type Scope struct {
	Function   string   `json:"function"`
	In         string   `json:"in,omitempty"`        // an exported function that calls it, which may be a loop that never ends
	Outermost  bool     `json:"outermost,omitempty"` // it calls itself: where the outermost call ends
	Calls      []string `json:"calls"`               // the way to it, the outermost call first
	CPU        float64  `json:"cpu"`                 // the part of the program's CPU time inside
	Bytes      float64  `json:"bytes"`               // the part of all bytes that would move
	Objects    float64  `json:"objects"`             // and of all objects
	Reset      Range    `json:"reset"`               // what an arena saves that is reset for each unit of work
	AsIs       Range    `json:"asIs"`                // the same, where libraries go on allocating what adapters would move
	Adapted    Range    `json:"adapted"`             // the same, with these adapters
	Fresh      Range    `json:"fresh"`               // what a new arena for each unit of work saves; below zero it costs
	Confidence string   `json:"confidence"`
	Sites      []*Site  `json:"sites"`

	path    stack
	samples []*allocSample // that would move
}

// A Site is a line that allocates.
type Site struct {
	Function string   `json:"function"`
	File     string   `json:"file"`
	Line     int64    `json:"line"`
	Bytes    float64  `json:"bytes"`            // the part of all bytes
	Objects  float64  `json:"objects"`          // the part of all objects
	Cycles   *float64 `json:"cycles,omitempty"` // how many cycles of the collector a byte lives; nil if that is not known
	Kind     string   `json:"kind,omitempty"`
	Hint     string   `json:"hint,omitempty"`
	Escapes  []string `json:"escapes,omitempty"` // what the compiler says of the line: column and text
}

// Left is what would not move, and why.
type Left struct {
	Why   string  `json:"why"`
	Bytes float64 `json:"bytes"` // the part of all bytes
	Hint  string  `json:"hint,omitempty"`
}

type cpuSample struct {
	stack stack
	class class
	ns    int64
	lost  bool // see allocSample
}

type allocSample struct {
	stack          stack
	bytes, objects int64
	low, high      float64 // the parts of the bytes that would move, at the lower and at the upper end
	site           siteKey
	mover          mover
	hint           string
	gets           chance // of an arena, on this way
	lost           bool   // the stack is cut off, and it is not known what has called it
	raw            *profile.Sample
}

// A siteKey is a line, which profiles of CPU and memory have in common.
type siteKey struct {
	fn   string
	line int64
}

// keyOf returns the line that a stack's allocation is charged to: the innermost of the program, or
// of a library that it uses. Where all is the standard library's, it is the line that allocates.
func (v view) keyOf(st stack) (siteKey, frame, bool) {
	f, i := v.caller(st)
	if i < 0 {
		if f, i = st.site(); i < 0 {
			return siteKey{}, f, false
		}
	}
	return siteKey{f.fn, f.line}, f, true
}

// A siteInfo is what all samples of a line have.
type siteInfo struct {
	frame        frame
	alloc, inuse int64
	large        int64        // of alloc, in objects of largeObject or more
	life         float64      // cycles; NaN if nothing is known
	age          float64      // the same, as it would be with GOGC=100; see ages
	asked        [kinds]int64 // nanoseconds of malloc, by what the line asks for
	fixed        verdict      // by arena fix
}

// What a part of each cost goes away with what moves. cmd/arena/internal/predicted/README.md says
// where these come from.
var (
	// Of the collector and write barriers: the cycles become fewer with the bytes. At the lower end
	// what stays has as much more to do in each cycle, for that marks the memory of the arena, too.
	saveCollector = Range{0.90, 1}
	saveWakes     = 0.25 // of the collector's time, at most: threads that are woken for it
	keepFresh     = Range{-0.35, 0.30}
	keepGOGC      = Range{0.50, 0.85} // of the collector's time, with GOGC=400 instead of 100; at the upper end also of write barriers
)

// What goes away of malloc and zeroing. An arena hands out memory and clears it, too, and how much
// that takes, as a part of malloc's time, depends on what is allocated. Below zero it takes longer
// than malloc.
var saveMalloc = [kinds]Range{
	unknown:  {0.25, 0.65},
	object:   {0.25, 0.65},
	slice:    {0.10, 0.50},
	growing:  {0.20, 0.70},
	words:    {0.05, 0.45},
	boxing:   {0.10, 0.50},
	mapping:  {0.25, 0.65},
	building: {-0.60, -0.20},
}

// What goes away of the copying of large slices that grow. Append makes them a quarter larger each
// time, and an arena doubles them: from a half to a fifth of the bytes are copied. The rest of the
// range is for copies that find their memory in the caches.
var saveCopies = Range{0.50, 0.95}

// Objects of this many bytes are large for the runtime. A slice of them has 256 elements or more,
// if these have 128 bytes or less: from there on append no longer doubles.
const largeObject = 32 << 10

// What the program's own work saves for each byte that moves, in nanoseconds. The memory that
// malloc hands out was last used a cycle of the collector ago. So its lines come from a cache
// further away, or from memory, and push others out. An arena that is reset has its memory in the
// caches. 0.1 ns a byte are 6 ns for a line of 64 bytes; one from the last cache takes some 20, one
// from memory 60 to 100, half of which the processor hides.
var saveMiss = Range{0.1, 0.6}

// What the end of a unit of work takes, in nanoseconds: an arena from a Pool, and its Reset, which
// goes through all stores with values. Each line that moves counts as one store.
var (
	perReset = Range{150, 60}
	perStore = 40.
)

// A program saves no more than this part of its own work so.
const maxMiss = 0.3

// How many cycles of the collector, with GOGC=100, a byte of a site lives, for the site to be
// short-lived or long-lived.
const (
	shortLife = 0.35
	longLife  = 0.8 // what is most of the heap, and lives as long as anything does, lives for one
)

// Analyze says what an arena would save in the program that has left in. It returns a *TooFewError
// if in says too little.
func Analyze(in Input) (*Advice, error) {
	if in.CPU == nil || in.Allocs == nil {
		return nil, errors.New("arena advise: both a CPU profile and a profile of allocations are needed")
	}
	a := &Advice{Scopes: []*Scope{}, Left: []Left{}, Cycles: in.Cycles, Measured: in.Cycles > 0, view: view{in.Mine, in.Stays || in.Sites != nil}, in: in, fixes: newFixes(in.Sites, in.Ways)}
	if err := a.readCPU(in); err != nil {
		return nil, err
	}
	sites, err := a.readAllocs(in)
	if err != nil {
		return nil, err
	}
	a.ages(in, sites)
	for _, s := range a.cpu {
		if s.class != malloc {
			continue
		}
		if key, _, ok := a.keyOf(s.stack); ok {
			if info := sites[key]; info != nil {
				info.asked[kindOf(s.stack)] += s.ns
			}
		}
	}
	for _, x := range a.allocs {
		x.low, x.high = parts(x.mover, sites[x.site])
		switch x.gets = a.gets(x.mover, x.stack); x.gets {
		case perhaps:
			x.low = 0
		case none:
			x.low, x.high = 0, 0
		}
	}
	a.sort()
	for _, x := range a.allocs {
		a.sure += float64(x.bytes) / float64(a.bytes) * x.low
	}
	a.complete()
	a.scopes(sites)
	a.leave(sites)
	a.GOGC, a.Larger = gogc400(in, a.share[gc], a.share[barrier]), (1+400./100)/(1+cmp.Or(in.GOGC, 100)/100)
	a.limit(in)
	a.ByHand = max(a.Total().High, in.ByHand)
	if lost := a.lost(); lost > 0.3 && a.Memory() >= worthIt && a.Total().High < worthIt {
		return nil, &CutError{lost}
	}
	a.sites = sites
	a.judge()
	return a, nil
}

// sort orders the samples, so that the advice does not depend on their order in the profiles.
func (a *Advice) sort() {
	slices.SortStableFunc(a.cpu, func(x, y cpuSample) int { return cmp.Or(x.stack.compare(y.stack), cmp.Compare(x.ns, y.ns)) })
	slices.SortStableFunc(a.allocs, func(x, y *allocSample) int {
		return cmp.Or(x.stack.compare(y.stack), cmp.Compare(x.bytes, y.bytes), cmp.Compare(x.objects, y.objects))
	})
}

// kind returns what a line asks for most, by the time of malloc.
func (info *siteInfo) kind() kind {
	most := unknown
	for k := unknown + 1; k < kinds; k++ {
		if ns := info.asked[k]; ns > 0 && (most == unknown || ns > info.asked[most]) {
			most = k
		}
	}
	return most
}

func (a *Advice) readCPU(in Input) error {
	p := in.CPU
	at := profiles.Index(p, "cpu")
	count := profiles.Index(p, "samples")
	if at < 0 {
		return errors.New("arena advise: the first profile is no CPU profile of Go: it has no value cpu")
	}
	for _, s := range p.Sample {
		st := stackOf(s)
		c := cpuSample{stack: st, class: classOf(st), ns: s.Value[at]}
		if in.Collector > 0 && (c.class == gc || c.class == barrier) {
			c.ns = int64(float64(c.ns) * in.Collector)
		}
		a.cpu = append(a.cpu, c)
		a.total += c.ns
		a.share[c.class] += float64(c.ns)
		if _, site := st.site(); site < 0 && c.class == idle {
			a.wakes += float64(c.ns)
		}
		if count >= 0 {
			a.Samples += int(s.Value[count])
		}
	}
	if count < 0 && p.Period > 0 {
		a.Samples = int(a.total / p.Period)
	}
	if a.Samples < minCPU {
		return &TooFewError{"cpu", a.Samples, minCPU}
	}
	a.Seconds = float64(a.total) / 1e9
	a.wakes /= float64(a.total)
	a.Shares = map[string]float64{}
	for c := range a.share {
		a.share[c] /= float64(a.total)
		a.Shares[class(c).String()] = a.share[c]
	}
	return nil
}

func (a *Advice) readAllocs(in Input) (map[siteKey]*siteInfo, error) {
	p := in.Allocs
	a.source = p
	bytes, objects := profiles.Index(p, "alloc_space"), profiles.Index(p, "alloc_objects")
	if bytes < 0 || objects < 0 {
		return nil, errors.New("arena advise: the second profile is no profile of allocations of Go: it has no value alloc_space")
	}
	sites := map[siteKey]*siteInfo{}
	at := func(s *profile.Sample) (*siteInfo, stack, siteKey) {
		st := stackOf(s)
		key, f, ok := a.keyOf(st)
		if !ok {
			return nil, st, key
		}
		if sites[key] == nil {
			sites[key] = &siteInfo{frame: f, life: math.NaN(), fixed: a.fixes.of(f)}
		}
		return sites[key], st, key
	}
	var events float64
	var live int64
	for _, s := range p.Sample {
		info, st, key := at(s)
		if info == nil || s.Value[bytes] <= 0 {
			continue
		}
		m, hint := a.moverOf(st)
		a.allocs = append(a.allocs, &allocSample{stack: st, bytes: s.Value[bytes], objects: s.Value[objects], site: key, mover: m, hint: hint, raw: s})
		info.alloc += s.Value[bytes]
		if s.Value[bytes] >= largeObject*s.Value[objects] {
			info.large += s.Value[bytes]
		}
		a.bytes += s.Value[bytes]
		a.objects += s.Value[objects]
		// How many samples this was: the profile has scaled them up, by the chance of a sample.
		size := float64(s.Value[bytes]) / float64(max(s.Value[objects], 1))
		rate := float64(max(p.Period, 1))
		events += float64(s.Value[objects]) * (1 - math.Exp(-size/rate))
	}
	a.Heap = int(math.Round(events))
	if a.Heap < minHeap && a.Memory() >= worthIt { // otherwise there is nothing to ask them
		return nil, &TooFewError{"allocs", a.Heap, minHeap}
	}
	heap := in.Heap
	if heap == nil && !isDelta(in.Allocs) {
		heap = in.Allocs
	}
	if heap != nil {
		inuse := profiles.Index(heap, "inuse_space")
		if inuse < 0 {
			return nil, errors.New("arena advise: the third profile is no heap profile of Go: it has no value inuse_space")
		}
		for _, s := range heap.Sample {
			if info, _, _ := at(s); info != nil {
				info.inuse += s.Value[inuse]
				live += s.Value[inuse]
			}
		}
	}
	if len(in.Live) > 0 {
		least, err := a.leastInUse(in.Live)
		if err != nil {
			return nil, err
		}
		for key, info := range sites {
			info.inuse = max(info.inuse, least[key])
		}
	}
	if a.Cycles == 0 {
		percent := cmp.Or(in.GOGC, 100) / 100
		if math.IsInf(percent, 1) {
			return nil, errors.New("arena advise: without GOGC the cycles of the collector cannot be estimated; give their number by -cycles")
		}
		a.Cycles = math.Max(float64(a.bytes)/math.Max(leastHeap, float64(live))*percent, 1)
	}
	a.PerCycle, a.live = float64(a.bytes)/a.Cycles, float64(live)
	a.perNano = a.rate(in)
	for _, info := range sites {
		if info.alloc > 0 && heap != nil {
			info.life = float64(info.inuse) * a.Cycles / float64(info.alloc)
		}
	}
	return sites, nil
}

// leastInUse returns the least that each site had in use in the second half of the profiles between
// which it has allocated. What dies with each unit of work is seldom there, though there may be
// much of it in the middle of one; and what is kept is always there. In the first half it may still
// become more.
func (v view) leastInUse(live []*profile.Profile) (map[siteKey]int64, error) {
	type use struct{ alloc, inuse int64 }
	uses := map[siteKey][]use{}
	for i, p := range live {
		alloc, inuse := profiles.Index(p, "alloc_space"), profiles.Index(p, "inuse_space")
		if alloc < 0 || inuse < 0 {
			return nil, errors.New("arena advise: a profile of the run is no heap profile of Go")
		}
		for _, s := range p.Sample {
			key, _, ok := v.keyOf(stackOf(s))
			if !ok {
				continue
			}
			if uses[key] == nil {
				uses[key] = make([]use, len(live))
			}
			uses[key][i].alloc += s.Value[alloc]
			uses[key][i].inuse += s.Value[inuse]
		}
	}
	least := map[siteKey]int64{}
	for key, all := range uses {
		var busy []int64
		former := int64(0)
		for _, u := range all {
			if u.alloc > former {
				busy = append(busy, u.inuse)
			}
			former = u.alloc
		}
		if len(busy) > 0 {
			least[key] = slices.Min(busy[len(busy)/2:])
		}
	}
	return least, nil
}

// rate returns how many bytes are allocated in a nanosecond of CPU time. Where profiles of a longer
// time and of a shorter one may have come together, it is no more than what malloc can have handed
// out in its part of the time: a byte in half a nanosecond.
func (a *Advice) rate(in Input) float64 {
	rate := float64(a.bytes) / float64(a.total)
	switch {
	case in.Whole:
		return rate
	case in.Span > 0 && in.CPU.DurationNanos > 0:
		return rate * float64(in.CPU.DurationNanos) / float64(in.Span)
	}
	return min(rate, 2*(a.share[malloc]+a.share[zeroing]))
}
