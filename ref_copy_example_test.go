package arena_test

import (
	"fmt"

	"github.com/arena-go/arena"
)

// What changes for a long time is copied now and then, without what was deleted and overwritten.
func ExampleCopyRefs() {
	old, m := arena.NewArena(), new(arena.RefTextMap[arena.RefString])
	for i := range 10_000 {
		m.Set(old, fmt.Sprint("user ", i), arena.NewRefString(old, fmt.Sprint("session ", i)))
		m.Delete(old, fmt.Sprint("user ", i-10))
	}

	fresh, copied := arena.NewArena(), new(arena.RefTextMap[arena.RefString])
	arena.CopyRefs(fresh, copied, old, m)
	defer fresh.Free()
	fmt.Println(fresh.Stats().RefBytes < old.Stats().RefBytes/100)
	old.Free()

	session, _ := copied.Get(fresh, "user 9995")
	fmt.Println(copied.Len(), session.Get(fresh))
	// Output:
	// true
	// 10 session 9995
}
