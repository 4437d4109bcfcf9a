// Command protobuf compares decoders of protobuf messages:
//
//	go run ./bench/protobuf
//
// They are proto.Unmarshal; vtprotobuf, without its pools and with them; hyperpb, whose messages are read through reflection
// only; and arenapb, which resets the arena after each message, or makes a new one for each. Each measurement is a process of its
// own with one processor and 48 MB of live memory, which does nothing but decode, each message again and again; the decoders take turns.
// The columns are
//
//	CPU      of one pass over the messages of the workload, that of the collector included
//	ratio    how many times faster than proto.Unmarshal in the same round: the median, and the least and the most
//	GC       cycles of the collector, in all passes
//	allocs   on the heap, and their bytes, in one pass
//
// What they decode is compared with what proto.Unmarshal does. A message again and again is what pools are best at: the workload
// "mixed" has different ones.
//
// A second table says how much memory messages take that are kept, when all else is gone, and how many times as much that is
// as with proto.Unmarshal. Only vtprotobuf's pools are not in it, since they are for messages that are not kept.
package main

import (
	"flag"
	"fmt"
	"hash/crc64"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"

	"github.com/arena-go/arena/bench/internal/rounds"
	"google.golang.org/protobuf/proto"
)

var (
	count    = flag.Int("rounds", 5, "of all decoders, in turns")
	only     = flag.String("only", "", "workloads, with commas between them: "+strings.Join(rounds.Names(workloads, (*workload).named), ",")+"; all if empty")
	short    = flag.Bool("short", false, "few passes, to see that it runs")
	child    = flag.String("child", "", "measure one workload in this process")
	retained = flag.Bool("retained", false, "with -child, the memory of messages that are kept")
	cpu      = flag.String("cpuprofile", "", "with -child, a file for a profile of what is measured")
	choice   = flag.String("decoder", decoders[0].name, "with -child")
)

func (w *workload) named() string { return w.name }

func main() {
	flag.Parse()
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "protobuf:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	if *child != "" {
		found, err := rounds.Chosen(workloads, (*workload).named, *child)
		if err != nil {
			return err
		}
		w := found[0]
		i := slices.IndexFunc(decoders, func(d *decoder) bool { return d.name == *choice })
		if i < 0 {
			return fmt.Errorf("there is no decoder %q", *choice)
		}
		runtime.GOMAXPROCS(1)
		if *retained {
			return rounds.Reply(keep(w, decoders[i]))
		}
		return rounds.Reply(measure(w, decoders[i]))
	}
	chosen, err := rounds.Chosen(workloads, (*workload).named, *only)
	if err != nil {
		return err
	}
	if *count < 1 {
		return fmt.Errorf("-rounds must be positive")
	}
	for _, d := range decoders {
		if d.open == nil && d.keep == nil {
			fmt.Fprintf(out, "skipped: %s: it needs %s\n", d.name, d.missing)
		}
	}
	for _, w := range chosen {
		if err := compare(out, w); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return compareKept(out, chosen)
}

// A result is that of one process.
type result struct {
	Messages, Bytes, Passes int
	CPU                     float64 // Seconds, for one pass.
	Allocs, Allocated       float64 // For one pass.
	GC                      uint32
	Digest                  uint64
}

func measure(w *workload, d *decoder) (r result) {
	work := 24 << 20
	if *short {
		work = 1 << 20
	}
	w.load(work)
	r.Bytes, r.Messages, r.Passes = w.size(), len(w.inputs), w.passes
	decode := d.open()
	pass := func() {
		for _, in := range w.inputs {
			decode(in, nil)
		}
	}
	for range 3 {
		pass()
	}
	ballast := make([]byte, 48<<20)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if *cpu != "" {
		f := must(os.Create(*cpu))
		defer f.Close()
		check(pprof.StartCPUProfile(f))
	}
	start := rounds.CPUTime()
	for range w.passes {
		pass()
	}
	r.CPU = (rounds.CPUTime() - start).Seconds() / float64(w.passes)
	pprof.StopCPUProfile()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(ballast)
	r.GC = after.NumGC - before.NumGC
	r.Allocs = float64(after.Mallocs-before.Mallocs) / float64(w.passes)
	r.Allocated = float64(after.TotalAlloc-before.TotalAlloc) / float64(w.passes)

	// One more pass, not measured, in memory that others have used.
	for _, in := range w.inputs {
		decode(in, func(m proto.Message) { r.Digest = digest(r.Digest, in.kind, m) })
	}
	return r
}

var polynomial = crc64.MakeTable(crc64.ECMA)

// digest returns a number for m, whatever its Go type, and for what was before.
func digest(before uint64, k *kind, m proto.Message) uint64 {
	same := k.new()
	check(proto.Unmarshal(must(proto.Marshal(m)), same))
	b := must(proto.MarshalOptions{Deterministic: true}.Marshal(same))
	return crc64.Update(before, polynomial, b)
}

// compare measures the workload with all decoders.
func compare(out io.Writer, w *workload) error {
	byName, order := map[string]*decoder{}, []string{}
	for _, d := range decoders {
		if d.open != nil {
			byName[d.name], order = d, append(order, d.name)
		}
	}
	results, err := rounds.Interleave(*count, order, func(name string) (r result, err error) {
		return r, rounds.Self(&r, byName[name].environment, "-child", w.name, "-decoder", name, fmt.Sprint("-short=", *short))
	})
	if err != nil {
		return err
	}
	base := results[order[0]]
	for _, name := range order {
		for _, r := range results[name] {
			if r.Digest != base[0].Digest {
				return fmt.Errorf("%s decodes something else than %s", name, order[0])
			}
		}
	}
	first := base[0]
	fmt.Fprintf(out, "\n%s: %d bytes in %d messages, %d passes, medians of %d rounds\n%-20s %11s %22s %5s %8s %10s\n",
		w.name, first.Bytes, first.Messages, first.Passes, *count, "", "CPU", "ratio", "GC", "allocs", "bytes")
	for _, name := range order {
		var ratios []float64
		for i, r := range results[name] {
			ratios = append(ratios, base[i].CPU/r.CPU)
		}
		slices.Sort(ratios)
		median := func(value func(r result) float64) float64 { return rounds.Median(results[name], value) }
		fmt.Fprintf(out, "%-20s %8.1f us %7.2fx (%.2f to %.2f) %5.0f %8.0f %10.0f\n", name,
			1e6*median(func(r result) float64 { return r.CPU }), ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1],
			median(func(r result) float64 { return float64(r.GC) }),
			median(func(r result) float64 { return r.Allocs }),
			median(func(r result) float64 { return r.Allocated }))
	}
	return nil
}

// A footprint is what messages that are kept take.
type footprint struct {
	Messages int
	Bytes    float64 // For one pass over the inputs.
}

// keep decodes messages until there are two hundred, or 16 MB of input have been decoded, and measures what is on the heap then.
func keep(w *workload, d *decoder) (f footprint) {
	w.load(0)
	passes := max(min(200/len(w.inputs), 16<<20/w.size()), 1)
	if *short {
		passes = 2
	}
	d.keep()(w.inputs[0]) // what is made once for a type
	kept := make([]proto.Message, 0, passes*len(w.inputs))
	before := live()
	decode := d.keep()
	for range passes {
		for _, in := range w.inputs {
			kept = append(kept, decode(in))
		}
	}
	decode = nil
	f.Bytes = float64(live()-before) / float64(passes)
	f.Messages = len(kept)
	runtime.KeepAlive(kept)
	runtime.KeepAlive(w)
	return f
}

// live returns the bytes on the heap that something refers to.
func live() int {
	for range 3 { // what a sync.Pool has, or a cleanup, goes with the next cycle
		runtime.GC()
	}
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int(s.HeapAlloc)
}

// compareKept prints how much memory messages take that are kept.
func compareKept(out io.Writer, chosen []*workload) error {
	fmt.Fprintf(out, "\nmessages that are kept: bytes of all those of a workload\n%-20s", "")
	for _, w := range chosen {
		fmt.Fprintf(out, " %18s", w.name)
	}
	base := map[*workload]float64{}
	for _, d := range decoders {
		if d.keep == nil {
			continue
		}
		fmt.Fprintf(out, "\n%-20s", strings.TrimSuffix(d.name, ", Reset"))
		for _, w := range chosen {
			var f footprint
			if err := rounds.Self(&f, nil, "-child", w.name, "-decoder", d.name, "-retained", fmt.Sprint("-short=", *short)); err != nil {
				return err
			}
			if base[w] == 0 {
				base[w] = f.Bytes
			}
			fmt.Fprintf(out, " %10.0f %6.2fx", f.Bytes, f.Bytes/base[w])
		}
	}
	fmt.Fprintln(out)
	return nil
}
