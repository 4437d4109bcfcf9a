package core_test

import (
	"path/filepath"
	"slices"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/growth"
	"github.com/arena-go/arena/offheap"
	"github.com/arena-go/arena/ref"
)

const page = 4 << 10

// An order says in which order blocks are freed.
var orders = map[string]func(b [][]byte){
	"oldest first": func([][]byte) {},
	"newest first": func(b [][]byte) { slices.Reverse(b) },
	"every second first": func(b [][]byte) {
		var first, last [][]byte
		for i, x := range b {
			if i%2 == 0 {
				first = append(first, x)
			} else {
				last = append(last, x)
			}
		}
		copy(b, append(first, last...))
	},
}

func alloc(m arena.Memory, size int) []byte {
	b, err := m.Alloc(size)
	if err != nil {
		panic(err)
	}
	return b
}

// memoryRows allocate and free n blocks. There is no reference: Alloc and Free take the same
// whatever there is.
func memoryRows() (rows []growth.Row) {
	// make returns a memory that has room for size bytes, and ends what the former call has made.
	var end func() error
	fresh := func(kind string, size int) arena.Memory {
		if end != nil {
			if err := end(); err != nil {
				panic(err)
			}
		}
		if kind == "Fixed" {
			f, err := offheap.NewFixed(size)
			if err != nil {
				panic(err)
			}
			end = f.Close
			return f
		}
		m := &offheap.Mmap{Quarantine: -1}
		if kind == "Mmap with quarantine" {
			m.Quarantine = 0
		}
		end = m.Close
		return m
	}
	for _, kind := range []string{"Fixed", "Mmap", "Mmap with quarantine"} {
		add := func(name string, blocks int, prepare func(m arena.Memory, n int) (all [][]byte), do func(m arena.Memory, n int) [][]byte) {
			rows = append(rows, growth.Row{Name: kind + "/" + name, N: 500, Max: 8000, New: func(n int) growth.Work {
				m := fresh(kind, n*blocks*page+8<<20)
				if kept := prepare(m, n); kept != nil {
					old := end
					end = func() error { // a memory is closed when nothing is in use
						for _, b := range kept {
							m.Free(b)
						}
						return old()
					}
				}
				return growth.Work{Ours: []growth.Way{{Do: func() {
					kept := do(m, n)
					old := end
					end = func() error {
						for _, b := range kept {
							m.Free(b)
						}
						return old()
					}
				}}}}
			}})
		}
		for order, arrange := range orders {
			add("Free "+order, 1, func(m arena.Memory, n int) [][]byte { return nil }, func(m arena.Memory, n int) [][]byte {
				var b [][]byte
				for range n {
					b = append(b, alloc(m, page))
				}
				arrange(b)
				for _, b := range b {
					m.Free(b)
				}
				return nil
			})
			add("Free "+order+", sizes that differ", 8, func(m arena.Memory, n int) [][]byte { return nil }, func(m arena.Memory, n int) [][]byte {
				var b [][]byte
				for i := range n {
					b = append(b, alloc(m, page*(1+i*7%8)))
				}
				arrange(b)
				for i, x := range b {
					if m.Free(x); i%3 == 0 {
						b[i] = alloc(m, page*(1+i*5%8))
						m.Free(b[i])
					}
				}
				return nil
			})
		}
		// free pieces of some sizes, which are too small, or of the same class and too small.
		for name, sizes := range map[string][2]int{"in the class below": {3, 4}, "in the same class, too small": {4, 5}, "just right": {4, 4}, "much larger": {16, 1}} {
			add("Alloc beside free pieces "+name, 30, func(m arena.Memory, n int) (kept [][]byte) {
				var free [][]byte
				for range n {
					free = append(free, alloc(m, sizes[0]*page))
					kept = append(kept, alloc(m, page))
				}
				for _, b := range free {
					m.Free(b)
				}
				return kept
			}, func(m arena.Memory, n int) (kept [][]byte) {
				for range n / 4 {
					kept = append(kept, alloc(m, sizes[1]*page))
				}
				return kept
			})
		}
		add("Alloc and Free beside free pieces", 30, func(m arena.Memory, n int) (kept [][]byte) {
			var free [][]byte
			for i := range n {
				free = append(free, alloc(m, (4+i%4)*page))
				kept = append(kept, alloc(m, page))
			}
			for _, b := range free {
				m.Free(b)
			}
			return kept
		}, func(m arena.Memory, n int) [][]byte {
			for range n / 4 {
				m.Free(alloc(m, 7*page))
			}
			return nil
		})
		rows = append(rows, growth.Row{Name: kind + "/arenas", N: 100, Max: 1000, New: func(n int) growth.Work {
			m := fresh(kind, n<<17+8<<20)
			return growth.Work{Ours: []growth.Way{{Do: func() {
				var all []*arena.Arena
				for range n {
					a := arena.NewWith(arena.Options{Memory: m})
					arena.MakeSlice[int](a, 100, 100)
					all = append(all, a)
				}
				for _, a := range all {
					a.Free()
				}
			}}}}
		}})
	}
	rows = append(rows, growth.Row{Name: "Fixed/full", N: 200, Max: 2000, New: func(n int) growth.Work {
		m := fresh("Fixed", 2*n*page)
		var kept [][]byte
		for i := range 2 * n {
			if b := alloc(m, page); i%2 == 0 {
				defer m.Free(b)
			} else {
				kept = append(kept, b)
			}
		}
		old := end
		end = func() error {
			for _, b := range kept {
				m.Free(b)
			}
			return old()
		}
		return growth.Work{Ours: []growth.Way{{Do: func() {
			for range n {
				if _, err := m.Alloc(2 * page); err == nil {
					panic("there is room")
				}
			}
		}}}}
	}})
	return rows
}

// files are like other memories, and saved.
func fileRow(dir string) growth.Row {
	i := 0
	return growth.Row{Name: "File", N: 500, Max: 8000, New: func(n int) growth.Work {
		i++
		return growth.Work{Ours: []growth.Way{{Do: func() {
			f, err := offheap.Create(filepath.Join(dir, string(rune('a'+i%26))), offheap.FileOptions{})
			if err != nil {
				panic(err)
			}
			a := arena.NewWith(arena.Options{Memory: f})
			s := ref.In(a)
			root, m := ref.New[ref.Map[int, int]](s)
			for i := range n {
				m.Set(s, i, i)
			}
			if err := offheap.Save(f, s, root); err != nil {
				panic(err)
			}
			a.Free()
			if err := f.Close(); err != nil {
				panic(err)
			}
		}}}}
	}}
}
