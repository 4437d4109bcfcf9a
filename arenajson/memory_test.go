package arenajson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/arenatest"
	"github.com/arena-go/arena/internal/testrun"
)

// TestKept decodes documents, keeps what it got while the collector runs and others decode, and
// compares it then.
func TestKept(t *testing.T) {
	n := 300
	if !testrun.Long() {
		n = 60
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	r := rand.New(rand.NewPCG(3, 4))
	types := writtenTypes()
	for _, arenas := range []func() *arena.Arena{func() *arena.Arena { return nil }, arena.NewArena} {
		type kept struct {
			got, want reflect.Value
			a         *arena.Arena
		}
		var all []kept
		for i := range n {
			typ := types[i%len(types)]
			in := document(r, typ)
			k := kept{reflect.New(typ), reflect.New(typ), arenas()}
			arenajson.Unmarshal(k.a, in, k.got.Interface())
			json.Unmarshal(in, k.want.Interface())
			clear(in)
			if k.a != nil && i%3 == 0 && !watched {
				k.a.Free()
				k.a = nil
			}
			if all = append(all, k); len(all) > 40 {
				all = all[1:]
			}
			if i%40 == 0 {
				runtime.GC()
			}
		}
		for _, k := range all {
			if !reflect.DeepEqual(plain(k.got), plain(k.want)) {
				t.Errorf("%s has become %s", show(k.want), show(k.got))
			}
		}
	}
}

// TestGuarded decodes in arenas that detect mistakes.
func TestGuarded(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	a := arenatest.New(t)
	for i, typ := range writtenTypes() {
		for range 6 {
			in := document(r, typ)
			compare(t, a, arenajson.UnmarshalOptions{AliasInput: i%2 == 0}, typ, nil, in)
			a.Reset()
		}
	}
}

// TestFirstUse decodes values of new types in many goroutines at the same time.
func TestFirstUse(t *testing.T) {
	seed := testrun.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	types := randomTypes(r, 100)
	type cyclic[T any] struct {
		Next *cyclic[T]
		Map  map[string]cyclic[T]
		List []cyclic[T]
		V    T
	}
	types = append(types, reflect.TypeFor[cyclic[int]](), reflect.TypeFor[cyclic[string]](), reflect.TypeFor[[]cyclic[bool]](), reflect.TypeFor[map[string]*cyclic[[]int]]())
	docs := make([][]byte, len(types))
	for i, typ := range types {
		w := writer{r: r}
		w.value(typ, 3)
		docs[i] = w.b
	}
	var wg sync.WaitGroup
	start := make(chan bool)
	for g := range 8 {
		wg.Go(func() {
			a := arena.NewArena()
			<-start
			for i := range types {
				i = (i + g*3) % len(types)
				got, want := reflect.New(types[i]), reflect.New(types[i])
				gotErr, wantErr := arenajson.Unmarshal(a, docs[i], got.Interface()), json.Unmarshal(docs[i], want.Interface())
				if !sameError(gotErr, wantErr) || !reflect.DeepEqual(plain(got), plain(want)) {
					t.Errorf("%v: %v, want %v", types[i], gotErr, wantErr)
				}
				if g%2 == 0 {
					a.Reset()
				}
			}
		})
	}
	close(start)
	wg.Wait()
}

// TestPlansAreComplete decodes values of new types as soon as there is a plan. Under the race
// detector it proves that nothing changes then of the other plans that this one leads to.
func TestPlansAreComplete(t *testing.T) {
	rounds := 100
	if !testrun.Long() {
		rounds = 20
	}
	for round := range rounds {
		var fields []reflect.StructField
		var members []string
		for i := range 40 {
			name := fmt.Sprintf("F%dOf%d", i, round)
			inner := reflect.StructOf([]reflect.StructField{{Name: name, Type: reflect.TypeFor[int]()}, {Name: "M", Type: reflect.TypeFor[withArena]()}})
			fields = append(fields, reflect.StructField{Name: name, Type: reflect.SliceOf(inner)})
			members = append(members, fmt.Sprintf(`%q:[{%q:1,"M":2}]`, name, name))
		}
		typ, doc := reflect.StructOf(fields), []byte("{"+strings.Join(members, ",")+"}")
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for g > 0 && !arenajson.IsPlanned(typ) {
					runtime.Gosched()
				}
				if err := arenajson.Unmarshal(nil, doc, reflect.New(typ).Interface()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

// allocated returns how many bytes f allocates on the heap.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestHostile decodes documents that are made to take much memory. None takes more than four times
// what encoding/json takes, and what a decoder needs once.
func TestHostile(t *testing.T) {
	const n = 20000
	repeated := func(s string) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }
	quarter := func(value string) string { // a quarter of the keys differ, and then one is repeated
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"%d":%s,`, min(i, n/4), value)
		}
		return "{" + strings.TrimSuffix(b.String(), ",") + "}"
	}
	var small strings.Builder
	for range n / 40 {
		small.WriteString(`{` + strings.TrimSuffix(strings.Repeat(`"":0,`, 40), ",") + `},`)
	}
	type tree struct {
		Kids []tree         `json:"k"`
		P    *tree          `json:"p"`
		M    map[string]any `json:"m"`
		Pad  [4]int
	}
	for name, c := range map[string]struct {
		in string
		v  func() any
	}{
		"one key":         {"{" + repeated(`"a":0`) + "}", func() any { return new(any) }},
		"one key, typed":  {"{" + repeated(`"a":{"p":{}}`) + "}", func() any { return new(map[string]tree) }},
		"a quarter":       {quarter("1"), func() any { return new(any) }},
		"a quarter, text": {quarter(`"x"`), func() any { return new(map[string]string) }},
		"small maps":      {"[" + strings.TrimSuffix(small.String(), ",") + "]", func() any { return new(any) }},
		"empty maps":      {"[" + repeated("{}") + "]", func() any { return new(any) }},
		"empty lists":     {"[" + repeated("[]") + "]", func() any { return new(any) }},
		"empty structs":   {"[" + repeated("{}") + "]", func() any { return new([]tree) }},
		"one field":       {"{" + repeated(`"p":{}`) + "}", func() any { return new(tree) }},
		"fields and null": {"{" + repeated(`"p":{"p":{}},"p":null`) + "}", func() any { return new(tree) }},
		"slices and null": {"{" + repeated(`"k":[{}],"k":null`) + "}", func() any { return new(tree) }},
		"deep lists":      {strings.Repeat("[", 9999) + strings.Repeat("]", 9999), func() any { return new(any) }},
		"deep structs":    {strings.Repeat(`{"p":`, 9999) + "null" + strings.Repeat("}", 9999), func() any { return new(tree) }},
		"deep slices":     {strings.Repeat(`{"k":[`, 4999) + strings.Repeat("]}", 4999), func() any { return new(tree) }},
		"deep maps":       {strings.Repeat(`{"":`, 9999) + "0" + strings.Repeat("}", 9999), func() any { return new(any) }},
		"too deep":        {strings.Repeat("[", 20000), func() any { return new(any) }},
		"long string":     {`"` + strings.Repeat(`\u0000`, n) + `"`, func() any { return new(any) }},
		"invalid bytes":   {`"` + strings.Repeat("\xff", n) + `"`, func() any { return new(string) }},
	} {
		std := allocated(func() { json.Unmarshal([]byte(c.in), c.v()) })
		for _, a := range []*arena.Arena{nil, arena.NewArena()} {
			got := allocated(func() { arenajson.Unmarshal(a, []byte(c.in), c.v()) })
			limit := 4*std + 4*uint64(len(c.in)) + 64<<10
			if watched { // memory is not used again
				limit *= 2
			}
			if got > limit {
				t.Errorf("%s: %d bytes, encoding/json takes %d (arena: %v)", name, got, std, a != nil)
			}
			t.Logf("%-16s %8d bytes, encoding/json takes %8d (arena: %v)", name, got, std, a != nil)
		}
	}
}

// TestHostileBefore decodes a document into a new arena that needs little, after one of its type
// that needed much. It takes no more than TestHostile allows.
func TestHostileBefore(t *testing.T) {
	if watched {
		return // all takes more then
	}
	type large struct {
		I []struct {
			A [128]int
			P *int
		}
		T string
	}
	doc := func(n, text int) []byte {
		return []byte(`{"I":[` + strings.TrimSuffix(strings.Repeat("{},", n), ",") + `],"T":"` + strings.Repeat("x", text) + `"}`)
	}
	little := doc(1030, 92<<10) // the slice has 1/32 of the text when it has 1,024 elements
	std := allocated(func() { json.Unmarshal(little, new(large)) })
	arenajson.Unmarshal(arena.NewArena(), doc(30000, 0), new(large))
	got := allocated(func() { arenajson.Unmarshal(arena.NewArena(), little, new(large)) })
	if limit := 4*std + 4*uint64(len(little)) + 64<<10; got > limit {
		t.Errorf("%d bytes, encoding/json takes %d", got, std)
	}
	t.Logf("%d bytes, encoding/json takes %d", got, std)
}

// TestBlocks proves that a block for strings is not longer than the document with what stands
// behind it, of which it begins as a copy. That is so after a document whose strings were longer
// than the document, too. With the race detector, a read behind that memory ends the test.
func TestBlocks(t *testing.T) {
	const behind = 24 // zeros behind the document
	longer := []byte(`["` + strings.Repeat("\xff", 40000) + `"]`)
	for _, c := range []struct {
		o     arenajson.UnmarshalOptions
		first string
		sizes [2]int // the second is the largest whose memory has just enough bytes, which are a power of two
	}{
		{arenajson.UnmarshalOptions{}, "ab", [2]int{65500, 65536 - behind}},
		{arenajson.UnmarshalOptions{AliasInput: true}, `\n`, [2]int{16350, 16384 - behind}},
	} {
		for size := c.sizes[0]; size <= c.sizes[1]; size++ {
			type list []string
			var v list
			if err := arenajson.Unmarshal(arena.NewArena(), longer, &v); err != nil {
				t.Fatal(err)
			}
			doc := `["` + c.first + `","`
			doc += strings.Repeat("x", size-len(doc)-2) + `"]`
			a := arena.NewArena()
			if err := c.o.Unmarshal(a, []byte(doc), &v); err != nil {
				t.Fatal(err)
			}
			for _, s := range a.Stats().Types {
				if s.Name == "text" && s.Bytes > int64(size+behind) {
					t.Errorf("%+v: %d bytes of text for a document of %d bytes", c.o, s.Bytes, size)
				}
			}
		}
	}
}

// TestLimit decodes and encodes in arenas that may not grow far enough. What does not fit is a
// panic with a *LimitError, and the next document is as if nothing had been.
func TestLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	fit, refused := 0, 0
	for _, typ := range writtenTypes() {
		in := document(r, typ)
		want := reflect.New(typ)
		wantErr := json.Unmarshal(in, want.Interface())
		for limit := int64(1); limit < 1<<14; limit *= 4 {
			a := arena.NewWith(arena.Options{Limit: limit})
			for range 2 {
				got := reflect.New(typ)
				var gotErr error
				var text []byte
				err := arena.Try(func() {
					gotErr = arenajson.Unmarshal(a, in, got.Interface())
					text, _ = arenajson.Marshal(a, got.Interface())
				})
				switch {
				case errors.Is(err, arena.ErrLimit):
					refused++
				case err != nil:
					t.Fatalf("%v, limit %d: %v", typ, limit, err)
				default:
					fit++
					wantText, _ := json.Marshal(want.Interface())
					if !sameError(gotErr, wantErr) || !reflect.DeepEqual(plain(got), plain(want)) || string(text) != string(wantText) {
						t.Errorf("%v, limit %d: %s is %s, %v and %s; want %s, %v and %s", typ, limit, in, show(got), gotErr, text, show(want), wantErr, wantText)
					}
				}
				a.Reset()
			}
		}
	}
	if fit == 0 || refused == 0 {
		t.Errorf("%d times all of it fitted, %d times not", fit, refused)
	}
}

// TestLimitBefore proves that what fits into an arena with a limit does not depend on the documents
// of the type that others had before, and that these take less than a quarter of a limit that is
// far away.
func TestLimitBefore(t *testing.T) {
	repeated := func(s string, n int) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }
	type doc[T any] struct { // a type for each case, of which nothing was learnt
		P []*[4]int
		I []struct {
			A [128]int
			P *T
		}
		S []string
	}
	differ := make([]string, 300)
	for i := range differ {
		differ[i] = fmt.Sprintf("%020d", i)
	}
	few := `{"S":["a","b"],"P":[[1],[2]],"unknown":"` + strings.Repeat("x", 20<<10) + `"}`
	for name, c := range map[string]struct {
		v          func() any
		before, in string
	}{
		"values":     {func() any { return new(doc[int8]) }, `{"P":[` + repeated(`[1]`, 20000) + `]}`, few},
		"text":       {func() any { return new(doc[int16]) }, `{"S":["` + strings.Repeat("x", 8<<10) + `"],"P":[` + strings.Repeat(" ", 1<<10) + `]}`, few},
		"all text":   {func() any { return new(doc[int32]) }, `{"S":["` + strings.Repeat("x", 10<<10) + `"]}`, few},
		"repeats":    {func() any { return new(doc[uint8]) }, `{"S":["` + strings.Join(differ, `","`) + `"]}`, `{"S":[` + repeated(`"`+strings.Repeat("x", 100)+`"`, 300) + `]}`},
		"long slice": {func() any { return new(doc[int64]) }, `{"I":[` + repeated(`{}`, 30000) + `]}`, `{"I":[` + repeated(`{}`, 1030) + `],"unknown":"` + strings.Repeat("x", 92<<10) + `"}`},
	} {
		fits := func() (limit int64) {
			for limit = 1000; ; limit += limit / 4 {
				a := arena.NewWith(arena.Options{Limit: limit})
				if err := arena.Try(func() {
					if err := arenajson.Unmarshal(a, []byte(c.in), c.v()); err != nil {
						t.Fatal(err)
					}
				}); err == nil {
					return limit
				}
			}
		}
		limit := int64(64 * len(c.in)) // is far away
		far := func() int64 {
			a := arena.NewWith(arena.Options{Limit: limit})
			if err := arenajson.Unmarshal(a, []byte(c.in), c.v()); err != nil {
				t.Fatal(err)
			}
			return a.Stats().Reserved
		}
		was, little := fits(), far()
		for range 3 {
			if err := arenajson.Unmarshal(arena.NewArena(), []byte(c.before), c.v()); err != nil {
				t.Fatal(err)
			}
		}
		much := far()
		if much > little+limit/4 || much == little && name == "values" {
			t.Errorf("%s: of a limit of %d, %d is held, and %d without the documents before", name, limit, much, little)
		}
		t.Logf("%s: %d, without the documents before %d", name, much, little)
		if is := fits(); is != was {
			t.Errorf("%s: a limit of %d was enough, and now it must be %d", name, was, is)
		}
	}
}

// reachable returns the bytes on the heap that something refers to.
func reachable() int {
	for range 3 { // what a sync.Pool has goes with the next cycles
		runtime.GC()
	}
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int(s.HeapAlloc)
}

// TestKeptMemory decodes documents into one arena, and keeps it. The values take at most 1.25 times
// what encoding/json's take: neither the rest of a document is kept, nor memory of slices that have
// grown.
func TestKeptMemory(t *testing.T) {
	type item struct {
		Name string   `json:"name"`
		Kids []item   `json:"kids"`
		Tags []string `json:"tags"`
		Pad  [20]int  `json:"-"`
	}
	// In most documents, no string is there twice: Go 1.27's encoding/json lets equal ones share
	// memory.
	items := func(n, kids int) []byte {
		all := make([]item, n)
		for i := range all {
			all[i] = item{Name: fmt.Sprint("the name of item ", i), Tags: []string{fmt.Sprint(i), strings.Repeat(fmt.Sprintf("%02d ", i%100), i%40) + fmt.Sprint(i)}}
			for j := range kids {
				all[i].Kids = append(all[i].Kids, item{Name: fmt.Sprintf("kid %d of %d", j, i)})
			}
		}
		b, _ := json.Marshal(all)
		return b
	}
	texts := make([]string, 900)
	for i := range texts {
		texts[i] = fmt.Sprintf("line %d\tof a \"text\" ", i) + strings.Repeat([]string{"日本語のテキスト ", "plain text "}[i%2], i%9)
	}
	escaped, _ := json.Marshal(texts)
	for name, c := range map[string]struct {
		in []byte
		v  func() any
	}{
		"items":               {items(30, 4), func() any { return new([]item) }},
		"many items":          {items(2000, 4), func() any { return new([]item) }},
		"items into any":      {items(30, 4), func() any { return new(any) }},
		"names of items":      {items(300, 4), func() any { return new([]struct{ Name string }) }},
		"lists of few":        {items(3000, 2), func() any { return new([]item) }},
		"orders":              {benchOrders(300, false), func() any { return new([]benchOrder) }},
		"many orders":         {benchOrders(1400, false), func() any { return new([]benchOrder) }},
		"orders with maps":    {benchOrders(300, true), func() any { return new([]benchOrder) }},
		"orders into any":     {benchOrders(40, true), func() any { return new(any) }},
		"numbers":             {benchNumbers(3000), func() any { return new([][2]float64) }},
		"text":                {escaped, func() any { return new([]string) }},
		"text into any":       {escaped, func() any { return new(any) }},
		"nothing but text":    {[]byte(`["` + strings.Repeat("日本語 text ", 30) + `"]`), func() any { return new([]string) }},
		"one string in a lot": {[]byte(`{"name":"text","unknown":"` + strings.Repeat("x", 3000) + `"}`), func() any { return new(item) }},
	} {
		values := make([]any, max(testrun.Times(4, 2)<<20/len(c.in), testrun.Times(8, 40)))
		if watched { // values are larger in programs that look for mistakes
			values = values[:2]
		}
		take := func(decode func(in []byte, v any) error) int {
			before := reachable()
			for i := range values {
				values[i] = c.v()
				if err := decode(c.in, values[i]); err != nil {
					t.Fatal(err)
				}
			}
			n := reachable() - before
			clear(values)
			return n
		}
		std := take(json.Unmarshal)
		var got int
		for range 2 { // with what is learned of a type, the second time
			a := arena.NewArena()
			got = take(func(in []byte, v any) error { return arenajson.Unmarshal(a, in, v) })
			runtime.KeepAlive(a)
		}
		if t.Logf("%-22s %4.2f times as much", name, float64(got)/float64(std)); 4*got > 5*std+1<<20 && !watched { // a chunk may have some room left
			t.Errorf("%s: %d values take %d bytes, those of encoding/json %d", name, len(values), got, std)
		}
	}
}

// TestAllocations decodes a small document into new arenas, and on the heap. All that an arena
// needs for it is one object, once it was seen how much that is: the arena is another, and the
// value. On the heap, each value takes one.
func TestAllocations(t *testing.T) {
	in := benchOrders(1, false)
	decode := func(a *arena.Arena) {
		var v []benchOrder
		if err := arenajson.Unmarshal(a, in, &v); err != nil {
			t.Fatal(err)
		}
	}
	inArena := func() {
		a := arena.NewArena()
		decode(a)
		a.Free()
	}
	for range 100 {
		inArena()
	}
	if n := testing.AllocsPerRun(100, inArena); n > 4 && !watched { // programs that look for mistakes allocate more
		t.Errorf("%v objects in a new arena", n)
	}
	if n := testing.AllocsPerRun(100, func() { decode(nil) }); n > 10 && !watched { // the value, the list, an address, things, four lists of tags, and two blocks of text
		t.Errorf("%v objects on the heap", n)
	}
}

// TestNewMemory is that documents of a type are decoded without memory that nobody needs, once a
// few were: on the heap, and in new arenas.
func TestNewMemory(t *testing.T) {
	if watched {
		return // all takes more then
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // What one processor keeps for later, others do not see.
	type large struct {
		A   string
		Pad [100]*int
	}
	larges := []byte("[" + strings.TrimSuffix(strings.Repeat(`{"A":"x"},`, 250), ",") + "]")
	texts := make([]string, 3000)
	for i := range texts {
		texts[i] = fmt.Sprint(strings.Repeat("text ", i%30), i)
	}
	text, _ := json.Marshal(texts)
	for name, c := range map[string]struct {
		in []byte
		v  func() any
	}{
		"large elements": {larges, func() any { return new([]large) }},
		"orders":         {benchOrders(33, false), func() any { return new([]benchOrder) }},
		"text":           {text, func() any { return new([]string) }},
		"text in fields": {[]byte(`{"T":` + string(text) + `,"unknown":"` + strings.Repeat("x", len(text)) + `"}`), func() any { return new(struct{ T []string }) }},
	} {
		decode := func(a *arena.Arena) {
			if err := arenajson.Unmarshal(a, c.in, c.v()); err != nil {
				t.Fatal(err)
			}
		}
		b := arena.NewArena()
		decode(b)
		b.Reset()
		decode(b)
		need := uint64(b.Stats().InUse)
		for where, f := range map[string]func(){
			"heap":  func() { decode(nil) },
			"arena": func() { a := arena.NewArena(); decode(a); a.Free() },
		} {
			// A new arena begins with what other arenas of the program needed, which came from the
			// case before: the collector takes that.
			runtime.GC()
			runtime.GC()
			for range 4 {
				f()
			}
			got := allocated(func() {
				for range 8 {
					f()
				}
			}) / 8
			if t.Logf("%-16s %s: %d bytes for %d", name, where, got, need); got > need+need/3 {
				t.Errorf("%s, %s: %d bytes for %d", name, where, got, need)
			}
		}
	}
}

// TestLongText encodes a long text again and again, each time with a new encoder, as after a
// collection: from the third time on that takes the memory for one text, and not for all that a
// growing buffer goes through.
func TestLongText(t *testing.T) {
	type long struct{ Parts []string }
	v := &long{Parts: slices.Repeat([]string{"some words of a long text"}, 20_000)}
	size := 0
	write := func() {
		w := httptest.NewRecorder()
		w.Body = nil // nobody reads it
		if err := arenajson.Write(w, 200, v); err != nil {
			t.Fatal(err)
		}
		size, _ = strconv.Atoi(w.Header().Get("Content-Length"))
	}
	write()
	write()
	runtime.GC()
	runtime.GC() // the pool is empty
	if got := allocated(write); got > 2*uint64(size) {
		t.Errorf("%d bytes were allocated for a text of %d", got, size)
	}

	// Short texts do not take the room of long ones, also between these.
	whole := v.Parts
	for range 3 {
		v.Parts = whole[:1]
		write()
		runtime.GC()
		runtime.GC()
		if got := allocated(write); got > 16<<10 {
			t.Errorf("%d bytes were allocated for a text of %d", got, size)
		}
		v.Parts = whole
		write()
	}
}
