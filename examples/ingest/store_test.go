package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb/profilepb"
	pprof "github.com/google/pprof/profile"
)

// newTestService returns a service with windows of a minute, of which it keeps three.
func newTestService(heap bool) *service {
	return newService(config{window: time.Minute, windows: 3, maxUpload: 1 << 20, limit: 64 << 20}, heap)
}

// forBoth runs a test on the heap and with arenas.
func forBoth(t *testing.T, f func(t *testing.T, heap bool)) {
	for _, heap := range []bool{true, false} {
		t.Run(fmt.Sprint("heap=", heap), func(t *testing.T) { f(t, heap) })
	}
}

// epoch is when tests take place.
var epoch = time.Unix(1_800_000_000, 0).Truncate(time.Minute)

// A modelStore is what a store should be.
type modelStore map[string]*modelApp

type modelApp struct {
	newest  int64
	windows map[int64]model
}

// add reports whether a profile of that window is taken.
func (m modelStore) add(app string, number int64, p model) bool {
	if m[app] == nil {
		m[app] = &modelApp{windows: map[int64]model{}}
	}
	a := m[app]
	if number <= a.newest-3 {
		return false
	}
	a.newest = max(a.newest, number)
	m.drop(app, a.newest-3)
	if a.windows[number] == nil {
		a.windows[number] = model{}
	}
	a.windows[number].addAll(p)
	return true
}

// drop drops the windows up to the given one.
func (m modelStore) drop(app string, last int64) {
	maps.DeleteFunc(m[app].windows, func(n int64, _ model) bool { return n <= last })
}

func (m modelStore) merged(app string) model {
	sum := model{}
	for key, a := range m {
		if key == app || strings.HasPrefix(key, app+"{") {
			for _, w := range a.windows {
				sum.addAll(w)
			}
		}
	}
	return sum
}

// TestStore plays random programs on a service and on the model: profiles, good and bad, of windows
// in any order, and time that goes on.
func TestStore(t *testing.T) {
	forBoth(t, func(t *testing.T, heap bool) {
		random := newRandom(t)
		for range 2 {
			s, m := newTestService(heap), modelStore{}
			now := epoch
			apps := []string{"a", "a{k=1}", "a{k=2}", "b"}
			for range 60 {
				app := apps[random.IntN(len(apps))]
				switch random.IntN(10) {
				case 0:
					now = now.Add(time.Duration(random.IntN(100)) * time.Second)
					last := now.Unix()/60 - 3
					s.store.expire(now)
					for key := range m {
						if m.drop(key, last); len(m[key].windows) == 0 {
							delete(m, key)
						}
					}
				case 1: // a bad one, at a place of its own
					p, _ := randomProfile(random, cpuTypes)
					p.Sample = append(p.Sample, &profilepb.Sample{LocationId: []uint64{1 << 62}, Value: []int64{1, 1}})
					if err := ingest(t, s, app, now, marshal(t, p)); status(err) != 400 {
						t.Fatal(err)
					}
				default:
					p, pm := randomProfile(random, [][]valueType{cpuTypes, heapTypes, {{"strange", "things"}}}[random.IntN(3)])
					at := now.Add(-time.Duration(random.IntN(240)) * time.Second)
					taken := m.add(app, at.Unix()/60, pm)
					err := ingest(t, s, app, at, marshal(t, p))
					if old := (*oldError)(nil); taken != (err == nil) || err != nil && !errors.As(err, &old) {
						t.Fatalf("taken %v, %v", taken, err)
					}
				}
				checkApp(t, s, m, apps[random.IntN(len(apps))])
			}
			if s.profiles.Stats().Out != 0 {
				t.Errorf("%+v", s.profiles.Stats())
			}
		}
	})
}

func ingest(t testing.TB, s *service, app string, at time.Time, data []byte) error {
	t.Helper()
	n, err := parseName(app)
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.Clone(data)
	err = s.ingest(context.Background(), n, at, data)
	clear(data) // nobody has it any more
	return err
}

// checkApp compares everything that can be asked about an application with the model.
func checkApp(t *testing.T, s *service, m modelStore, app string) {
	t.Helper()
	want := m.merged(app)
	a := s.store.scratch()
	defer a.Free()
	tree, from, until, err := s.view(a, app)
	if err != nil {
		if len(want) > 0 {
			t.Fatal(err)
		}
		return
	}
	checkTree(t, tree)
	if got := modelOf(tree); !got.equal(want) {
		t.Fatalf("%s: got %v, want %v", app, got, want)
	}
	for i := range tree.columns {
		c := &tree.columns[i]
		total, functions, rows := tree.top(a, c, 1<<20)
		got := map[string]row{}
		for _, r := range rows {
			got[r.Name] = r
		}
		if top := want.top(c.valueType); !maps.Equal(got, top) || functions != len(top) || total != want.total(c.valueType) {
			t.Fatalf("%s: got %v, want %v", c, got, top)
		}
	}
	data := marshal(t, tree.exported(a, app, from, until.Sub(from)))
	x, err := pprof.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := modelOfPprof(x); !got.equal(want) || x.TimeNanos != from.UnixNano() || x.Comments[0] != app {
		t.Fatalf("exported: got %v, want %v", got, want)
	}
	other := newTestService(!s.store.heap)
	if err := ingest(t, other, app, from, data); err != nil {
		t.Fatal(err)
	}
	again, _, _, err := other.view(nil, app)
	if err != nil || !modelOf(again).equal(want) {
		t.Fatalf("exported and taken again: %v, %v", err, modelOf(again))
	}
	if second := marshal(t, again.exported(nil, app, from, until.Sub(from))); !bytes.Equal(data, second) {
		t.Fatal("exported twice it is not the same")
	}
}

// modelOfPprof returns what is in a profile as pprof has it.
func modelOfPprof(p *pprof.Profile) model {
	m := model{}
	for _, s := range p.Sample {
		var stack []string
		for _, l := range slices.Backward(s.Location) {
			for _, line := range slices.Backward(l.Line) {
				stack = append(stack, line.Function.Name)
			}
		}
		for i, v := range p.SampleType {
			m.add(stack, valueType{v.Type, v.Unit}, s.Value[i])
		}
	}
	return m
}

// TestConcurrent has many goroutines add, read and rotate. Each profile is the same, so what a
// reader sees must be a whole number of them: no half of a profile, and no half of a window.
func TestConcurrent(t *testing.T) {
	forBoth(t, func(t *testing.T, heap bool) {
		random := newRandom(t)
		s := newTestService(heap)
		var p *profilepb.Profile
		var one model
		for len(one) < 10 {
			p, one = randomProfile(random, cpuTypes)
		}
		data := marshal(t, p)
		whole := func(m model) error {
			count := int64(-1)
			for key, values := range m {
				for v, value := range values {
					unit := one[key][v]
					if unit == 0 || value%unit != 0 || count >= 0 && value/unit != count {
						return fmt.Errorf("stack %q has %d of %s, and one profile %d of it; other stacks have those of %d profiles", key, value, v, unit, count)
					}
					count = value / unit
				}
			}
			if len(m) > 0 && len(m) != len(one) {
				return fmt.Errorf("%d stacks, and one profile has %d", len(m), len(one))
			}
			return nil
		}
		var wait sync.WaitGroup
		for g := range 4 {
			random := rand.New(rand.NewPCG(random.Uint64(), 0))
			wait.Go(func() {
				for range 100 {
					app := []string{"a{k=1}", "a{k=2}"}[random.IntN(2)]
					at := epoch.Add(time.Duration(random.IntN(300)) * time.Second)
					switch {
					case g < 2:
						err := ingest(t, s, app, at, data)
						if old := (*oldError)(nil); err != nil && !errors.As(err, &old) {
							t.Error(err)
							return
						}
					case random.IntN(20) == 0:
						s.store.expire(at)
						s.store.stats()
					default:
						a := s.queries.Get()
						tree, _, _, err := s.view(a, app)
						if err == nil {
							err = whole(modelOf(tree))
						} else if strings.Contains(err.Error(), "there are no profiles") {
							err = nil
						}
						s.queries.Put(a)
						if err != nil {
							t.Error(err)
							return
						}
					}
				}
			})
		}
		wait.Wait()
	})
}

// TestInvalid breaks a good profile in each way that is found, and checks that nothing of it is
// taken.
func TestInvalid(t *testing.T) {
	random := newRandom(t)
	for _, test := range []struct {
		want   string
		change func(p *profilepb.Profile)
	}{
		{`the first string is not ""`, func(p *profilepb.Profile) { p.StringTable = nil }},
		{`the first string is not ""`, func(p *profilepb.Profile) { p.StringTable[0] = "x" }},
		{"there are 0 sample types", func(p *profilepb.Profile) { p.SampleType = nil }},
		{"a sample type is string 9999, and there are", func(p *profilepb.Profile) { p.SampleType[1].Type = 9999 }},
		{"the unit of a sample type is string -1", func(p *profilepb.Profile) { p.SampleType[1].Unit = -1 }},
		{"sample type samples/count is there twice", func(p *profilepb.Profile) { p.SampleType[1] = p.SampleType[0] }},
		{"the default sample type is string 9999", func(p *profilepb.Profile) { p.DefaultSampleType = 9999 }},
		{"the file of a mapping is string 9999", func(p *profilepb.Profile) { p.Mapping[0].Filename = 9999 }},
		{"the name of a function is string 9999", func(p *profilepb.Profile) { p.Function[0].Name = 9999 }},
		{"there are two functions with the id", func(p *profilepb.Profile) { p.Function = append(p.Function, p.Function[0]) }},
		{"there are two locations with the id 12345678901", func(p *profilepb.Profile) {
			p.Location = append(p.Location, &profilepb.Location{Id: 12345678901}, &profilepb.Location{Id: 12345678901})
		}},
		{"mapping 1 of 1 has the id 0", func(p *profilepb.Profile) { p.Mapping = []*profilepb.Mapping{{}} }},
		{"is in mapping 555, which is not there", func(p *profilepb.Profile) { p.Location[0].MappingId = 555 }},
		{"is in function 555, which is not there", func(p *profilepb.Profile) { p.Location[0].Line = []*profilepb.Line{{FunctionId: 555}} }},
		{"is at location 0, which is not there", func(p *profilepb.Profile) {
			p.Sample = append(p.Sample, &profilepb.Sample{LocationId: []uint64{0}, Value: []int64{1, 1}})
		}},
		{"has 1 values, and there are 2 sample types", func(p *profilepb.Profile) {
			p.Sample = append(p.Sample, &profilepb.Sample{Value: []int64{1}})
		}},
		{"a part of a label is string 9999", func(p *profilepb.Profile) {
			p.Sample = append(p.Sample, &profilepb.Sample{Value: []int64{1, 1}, Label: []*profilepb.Label{{Str: 9999}}})
		}},
		{"has more than 16384 frames", func(p *profilepb.Profile) {
			p.Sample = append(p.Sample, &profilepb.Sample{LocationId: slices.Repeat([]uint64{p.Location[0].Id}, maxDepth+1), Value: []int64{1, 1}})
		}},
		{"the stacks have more than 4194304 frames", func(p *profilepb.Profile) {
			p.Location[0].Line = slices.Repeat([]*profilepb.Line{{}}, 8192)
			s := &profilepb.Sample{LocationId: []uint64{p.Location[0].Id, p.Location[0].Id}, Value: []int64{1, 1}}
			p.Sample = slices.Repeat([]*profilepb.Sample{s}, 300)
		}},
	} {
		for _, heap := range []bool{true, false} {
			s := newTestService(heap)
			p, _ := randomProfile(random, cpuTypes)
			test.change(p)
			err := ingest(t, s, "a", epoch, marshal(t, p))
			if err == nil || !strings.Contains(err.Error(), test.want) || status(err) != 400 {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if tree, _, _, err := s.view(nil, "a"); err == nil {
				t.Errorf("%s: there is %v", test.want, modelOf(tree))
			}
		}
	}
}

// TestNoRoom fills windows: what does not fit is refused, and nothing of it is taken.
func TestNoRoom(t *testing.T) {
	random := newRandom(t)
	defer func(n int) { maxNodes = n }(maxNodes)
	maxNodes = 200
	for i := range 8 {
		heap := i == 0
		s := newTestService(heap)
		s.store.limit = 8<<10 + random.Int64N(24<<10) // of windows; those with arenas get there first
		sum, refused := model{}, 0
		for i := range 40 {
			p, m := randomProfile(random, cpuTypes)
			for k := range p.StringTable[1:] {
				if text := &p.StringTable[k+1]; strings.HasPrefix(*text, "f") { // names of any length
					long := *text + strings.Repeat("x", 7*i)
					renamed := model{}
					for stack, values := range m {
						renamed[strings.ReplaceAll(stack+"\n", *text+"\n", long+"\n")] = values
					}
					m = model{}
					for stack, values := range renamed {
						m[strings.TrimSuffix(stack, "\n")] = values
					}
					*text = long
				}
			}
			err := ingest(t, s, "a", epoch, marshal(t, p))
			switch {
			case err == nil:
				sum.addAll(m)
			case status(err) == 507:
				refused++
			default:
				t.Fatal(err)
			}
			for _, app := range s.store.selected(nil) {
				app.read(func(w *window) error {
					checkTree(t, w.tree)
					if got := modelOf(w.tree); !got.equal(sum) {
						t.Fatalf("after %d refused: %v, want %v", refused, got, sum)
					}
					return nil
				})
			}
		}
		if refused == 0 {
			t.Error("nothing was refused")
		}
		if limits := s.store.stats().LimitHits; heap == (limits > 0) {
			t.Errorf("heap %v: %d limits", heap, limits)
		}
	}

	// A profile that does not fit into its own arena.
	s := newTestService(false)
	s.profiles.Options.Limit = 2 << 10
	p, _ := randomProfile(random, cpuTypes)
	p.Sample = slices.Repeat([]*profilepb.Sample{{Value: []int64{1, 1}}}, 1000)
	err := ingest(t, s, "a", epoch, marshal(t, p))
	if status(err) != 413 || !errors.Is(err, arena.ErrLimit) {
		t.Error(err)
	}

	// Too many sample types, and too many applications.
	s = newTestService(false)
	for i := range maxColumns + 1 {
		p := &profilepb.Profile{StringTable: []string{"", fmt.Sprint("t", i)}, SampleType: []*profilepb.ValueType{{Type: 1}}}
		if err := ingest(t, s, "a", epoch, marshal(t, p)); (status(err) == 507) != (i == maxColumns) {
			t.Error(i, err)
		}
	}
	s = newTestService(true)
	for i := range maxApps {
		s.store.apps[fmt.Sprint(i)] = &app{}
	}
	p, _ = randomProfile(random, cpuTypes)
	if err := ingest(t, s, "a", epoch, marshal(t, p)); status(err) != 507 {
		t.Error(err)
	}
}

// FuzzIngest has hostile bytes taken both ways, which must agree.
func FuzzIngest(f *testing.F) {
	random := newRandom(f)
	for range 8 {
		p, _ := randomProfile(random, cpuTypes)
		f.Add(marshal(f, p))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		heap, arena := newTestService(true), newTestService(false)
		onHeap, inArena := ingest(t, heap, "a", epoch, data), ingest(t, arena, "a", epoch, data)
		if fmt.Sprint(onHeap) != fmt.Sprint(inArena) {
			t.Fatalf("heap: %v, arena: %v", onHeap, inArena)
		}
		x, _ := heap.digest()
		y, _ := arena.digest()
		if x != y {
			t.Fatalf("heap: %s, arena: %s", x, y)
		}
	})
}
