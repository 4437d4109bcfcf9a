package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenadebug"
)

// others are the crimes that are not the use of what is stale.
var others = map[string]func(){
	"overflow byte":   overflowByte,
	"overflow stride": overflowStride,
	"overflow text":   overflowText,
	"overflow value":  overflowValue,
	"overflow many":   overflowMany,
	"second Free":     secondFree,
	"Reset of freed":  resetOfFreed,
	"New after Put":   newAfterPut,
	"second Put":      secondPut,
	"two New":         twoNew,
	"two MakeSlice":   twoMakeSlice,
	"two pointers":    twoPointers,
	"two String":      twoString,
	"two mixed":       twoMixed,
	"lost":            lost,
	"lost of Pool":    lostOfPool,
	"lost guarded":    lostGuarded,
	"leaves":          leaves,
	"load":            load,
	"load stale":      loadStale,
	"forget":          forget,
	"refused":         refused,
	"no wards":        noWards,
}

// beyond reads or writes to where it is, which lies beyond the end of a value.
func beyond[T any](p *T) use {
	return use{
		func() { v := *p; sink = &v }, // ACCESS beyond read
		func() { *p = *new(T) },       // ACCESS beyond write
	}
}

func overflow(a *arena.Arena, u use) {
	scene = a
	if *access == "write" {
		commit(u.write)
	} else {
		commit(u.read)
	}
}

// after returns a pointer to what lies right behind the end of s.
func after[T any](s []T) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))*unsafe.Sizeof(s[0])))
}

func overflowByte() {
	a := arena.NewWith(options()) // MADE overflow byte
	s := arena.MakeSlice[byte](a, 100, 100)
	arena.MakeSlice[byte](a, 100, 100)
	overflow(a, beyond(after(s)))
}

func overflowStride() {
	a := arena.NewWith(options()) // MADE overflow stride
	s := arena.MakeSlice[[2]int64](a, 10, 10)
	arena.MakeSlice[[2]int64](a, 10, 10)
	overflow(a, beyond(after(s)))
}

func overflowText() {
	a := arena.NewWith(options()) // MADE overflow text
	s := arena.String(a, "some text")
	arena.String(a, "more text")
	overflow(a, beyond(after(unsafe.Slice(unsafe.StringData(s), len(s)))))
}

// overflowValue is about a value that has others on both sides.
func overflowValue() {
	a := arena.NewWith(options()) // MADE overflow value
	all := make([]*point, 9)
	for i := range all {
		all[i] = arena.New[point](a)
	}
	p := all[4]
	overflow(a, beyond(after(unsafe.Slice(p, 1))))
}

// overflowMany is about the 300th slice.
func overflowMany() {
	a := arena.NewWith(options()) // MADE overflow many
	var s []byte
	for range 300 {
		s = arena.MakeSlice[byte](a, 64, 64)
	}
	arena.MakeSlice[byte](a, 64, 64)
	overflow(a, beyond(after(s)))
}

func secondFree() {
	a := arena.NewWith(options())
	arena.New[int](a)
	a.Free() // END second Free
	a.Free() // ACCESS second Free
}

func resetOfFreed() {
	a := arena.NewWith(options())
	arena.New[int](a)
	a.Free()
	a.Reset() // ACCESS Reset of freed
}

func newAfterPut() {
	p := &arena.Pool{Options: options()}
	a := p.Get()
	arena.New[int](a)
	p.Put(a)
	arena.New[int](a) // ACCESS New after Put
}

func secondPut() {
	p := &arena.Pool{Options: options()}
	a := p.Get()
	arena.New[int](a)
	p.Put(a)
	p.Put(a) // ACCESS second Put
}

// two has two goroutines call f at the same time.
func two(f func(a *arena.Arena)) {
	a := arena.NewWith(options())
	scene = a
	f(a) // so that the two do not make stores each, which is taken for a copy
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			ended := false
			defer func() {
				// What is corrupt by now may have made this one panic, which ends the program,
				// before the race detector has reported what it sees the other do.
				if !ended {
					time.Sleep(time.Second)
				}
			}()
			for range 3_000_000 {
				f(a)
			}
			ended = true
		})
	}
	wait.Wait()
}

func twoNew() {
	two(func(a *arena.Arena) { arena.New[int](a) }) // ACCESS two New
}

func twoMakeSlice() {
	two(func(a *arena.Arena) { arena.MakeSlice[int](a, 2, 2) }) // ACCESS two MakeSlice
}

func twoPointers() {
	two(func(a *arena.Arena) { arena.MakeSlice[*int](a, 2, 2) }) // ACCESS two pointers
}

func twoString() {
	two(func(a *arena.Arena) { arena.String(a, "text") }) // ACCESS two String
}

func twoMixed() {
	two(func(a *arena.Arena) { arena.New[int](a); arena.String(a, "text"); arena.MakeSlice[*int](a, 2, 2) }) // ACCESS two mixed
}

// reported waits until the collector has had something reported.
func reported(f func()) {
	reports := make(chan *arena.Report, 10)
	arenadebug.SetReporter(func(r *arena.Report) { reports <- r })
	f()
	soon(func() bool {
		runtime.GC()
		select {
		case r := <-reports:
			fmt.Fprintln(os.Stderr, r.Error())
			return true
		default:
			return false
		}
	})
}

func lost() {
	reported(func() {
		a := arena.NewWith(arena.Options{Name: name, Track: true}) // MADE lost
		arena.New[point](a)
	})
}

func lostOfPool() {
	var p arena.Pool
	p.Options = arena.Options{Name: name, Track: true}
	reported(func() {
		a := p.Get() // MADE lost of Pool
		arena.New[point](a)
	})
}

func lostGuarded() {
	var p arena.Pool
	p.Options.Name = name
	p.GuardEvery = 1
	reported(func() {
		a := p.Get() // MADE lost guarded
		arena.New[point](a)
	})
}

// leaves writes to what leaves the quarantine later.
func leaves() {
	a := arena.NewWith(options()) // MADE leaves
	v := arena.New[node](a)
	a.Reset() // END leaves
	v.n = 7   // ACCESS leaves
	b := arena.NewWith(options())
	for range 1100 {
		arena.New[node](b)
		b.Reset()
	}
	scene = []*arena.Arena{a, b}
	fmt.Println("end of program")
	os.Exit(0) // without a look at what still is
}
