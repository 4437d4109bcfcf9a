package arena_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenastrings"
)

// A job has an arena for each of its goroutines. It takes one from the Pool when a goroutine first asks.
type job struct {
	pool *arena.Pool

	mu   sync.Mutex
	used []*member // those with an arena
	done bool
}

// A member is the Source of one goroutine of a job.
type member struct {
	job   *job
	arena *arena.Arena
}

func (m *member) Arena() *arena.Arena {
	m.job.mu.Lock()
	defer m.job.mu.Unlock()
	if m.arena == nil && !m.job.done {
		m.arena = m.job.pool.Get()
		m.job.used = append(m.job.used, m)
	}
	return m.arena
}

func (m *member) Fork() arena.Source { return &member{job: m.job} }

// end gives the arenas back. The goroutines of the job are done with them.
func (j *job) end() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, m := range j.used {
		j.pool.Put(m.arena)
		m.arena = nil // from now on somebody else may have it
	}
	j.done = true
}

// An adapter, for a queue of jobs in this case, makes contexts in which FromContext and Fork find the arenas of a job.
func ExampleNewContextFrom() {
	var pool arena.Pool
	j := &job{pool: &pool}
	ctx := arena.NewContextFrom(context.Background(), &member{job: j})

	// What follows is code of the job.
	var parts [2]string
	var all sync.WaitGroup
	for i := range parts {
		all.Go(func() {
			a := arena.FromContext(arena.Fork(ctx))
			parts[i] = arena.Concat(a, "part ", arenastrings.Itoa(a, i+1))
		})
	}
	all.Wait()
	fmt.Println(arena.Join(arena.FromContext(ctx), parts[:], ", "))

	j.end()
	fmt.Println(pool.Stats().Gets, "arenas;", "late:", arena.FromContext(ctx))
	// Output:
	// part 1, part 2
	// 3 arenas; late: <nil>
}
