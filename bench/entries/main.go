// Command entries compares maps and caches with millions of entries:
//
//	go run ./bench/entries -n 10000000 -impl all
//
// Keys are 64-bit numbers, or text of 20 bytes, in no order; values are 64-bit numbers. Each measurement is a
// process of its own, with one goroutine that uses the table. The columns are
//
//	kept     entries that are found in the end: a cache may drop some, or evict them
//	build    CPU time for all Sets, that of the collector included
//	memory   resident bytes for each entry that was kept, after a collection, and at the worst time
//	hit      CPU time to look a key up that was given, in random order
//	miss     time to look another one up
//	GC       time of runtime.GC with the table alive: median and longest
//	GC CPU   the collector's part of build, and of what is between the Sets
//
// With one goroutine CPU time is what passes on an idle machine, but for the collector; other programs disturb it
// less. That of GC is real.
//
// The comparison is not fair to the caches: they are for use by many goroutines at a time, and lock, copy
// values, and count what is used. It shows what a program pays that uses one as a large map. Nothing
// is to be evicted: freecache gets half as much room again as the entries take, and ristretto, which drops what is Set faster than
// it works off, is waited for after every 4096 entries. Memory is measured on Linux only.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/arena-go/arena/bench/internal/rounds"
)

var (
	number  = flag.Int("n", 10_000_000, "entries")
	chosen  = flag.String("impl", "all", "implementations, with commas between them: "+strings.Join(names(), ","))
	count   = flag.Int("rounds", 3, "of all implementations, in turns")
	lookups = flag.Int("lookups", 5_000_000, "of keys that are there, and of others")
	child   = flag.String("child", "", "measure one implementation in this process")
)

// An implementation measures a table of n entries.
type implementation struct {
	name string
	run  func(n, lookups int) result
}

var implementations = []implementation{
	{"gomap", of(intKey, newGoMap[uint64])},
	{"arena.Map", of(intKey, newMap)},
	{"RefMap", of(intKey, newRefMap)},
	{"RefMap-mmap", of(intKey, newMmapRefMap)},
	{"RefTree", of(intKey, newRefTree)},
	{"bigcache", of(intKey, newIntBigcache)},
	{"freecache", of(intKey, newIntFreecache)},
	{"ristretto", of(intKey, newRistretto[uint64])},
	{"text/gomap", of(textKey, newTextGoMap)},
	{"text/RefTextMap", of(textKey, newRefTextMap)},
	{"text/RefTextMap-mmap", of(textKey, newMmapRefTextMap)},
	{"text/bigcache", of(textKey, newBigcache)},
	{"text/freecache", of(textKey, newFreecache)},
	{"text/ristretto", of(textKey, newRistretto[string])},
}

func names() (all []string) {
	for _, i := range implementations {
		all = append(all, i.name)
	}
	return all
}

func main() {
	flag.Parse()
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "entries:", err)
		os.Exit(1)
	}
}

func run(w io.Writer) error {
	if *number < 1 || *lookups < 1 || *count < 1 {
		return fmt.Errorf("-n, -lookups and -rounds must be positive")
	}
	for _, i := range implementations {
		if i.name == *child {
			return rounds.Reply(i.run(*number, *lookups))
		}
	}
	all := names()
	if *chosen != "all" {
		all = strings.Split(*chosen, ",")
		for _, name := range all {
			if !slices.Contains(names(), name) {
				return fmt.Errorf("there is no implementation %q, only %s", name, strings.Join(names(), ", "))
			}
		}
	}
	results, err := rounds.Interleave(*count, all, func(name string) (r result, err error) {
		return r, rounds.Self(&r, nil, "-child", name, "-n", fmt.Sprint(*number), "-lookups", fmt.Sprint(*lookups))
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d entries, medians of %d rounds\n", *number, *count)
	fmt.Fprintf(w, "%-22s %8s %9s %9s %9s %8s %8s %10s %10s %8s\n", "", "kept", "build", "memory", "peak", "hit", "miss", "GC", "GC max", "GC CPU")
	for _, name := range all {
		m := func(value func(r result) float64) float64 { return rounds.Median(results[name], value) }
		fmt.Fprintf(w, "%-22s %7.2f%% %7.2f s %7.1f B %7.1f B %5.0f ns %5.0f ns %7.2f ms %7.2f ms %6.2f s\n", name,
			m(func(r result) float64 { return 100 * r.Kept }),
			m(func(r result) float64 { return r.Build }),
			m(func(r result) float64 { return r.Memory }),
			m(func(r result) float64 { return r.Peak }),
			m(func(r result) float64 { return r.Hit }),
			m(func(r result) float64 { return r.Miss }),
			m(func(r result) float64 { return r.GC }),
			m(func(r result) float64 { return r.GCMax }),
			m(func(r result) float64 { return r.GCCPU }))
	}
	return nil
}
