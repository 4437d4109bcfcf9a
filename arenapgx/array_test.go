//go:build unix

package arenapgx_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapgx"
	"github.com/jackc/pgx/v5"
)

type (
	color string
	count int32
)

// TestArrays sends random arrays to a server as text, and as the slices that they are made of: the
// server must have got the same.
func TestArrays(t *testing.T) {
	c := connect(t)
	execute(t, c, "drop schema if exists arrays cascade", "create schema arrays", "set search_path = arrays",
		"create domain array_name as varchar", "create type array_mood as enum ('', 'NULL', 'a \"b\" \\ c, {d}')")
	random := rand.New(rand.NewPCG(3, 3))
	a := arena.NewArena()
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeSimpleProtocol} {
		for round := range 40 {
			in := a
			if round%4 == 0 {
				in = nil
			}
			words := randomWords(random, round)
			var colors []color
			if words != nil {
				colors = make([]color, len(words))
			}
			for i, w := range words {
				colors[i] = color(w)
			}
			for _, typ := range []string{"text", "varchar", "array_name"} {
				sameArray(t, c, mode, "$1::"+typ+"[]::text[]", words, arenapgx.TextArray(in, words))
				sameArray(t, c, mode, "$1::"+typ+"[]::text[]", words, arenapgx.TextArray(in, colors))
			}
			var small []int16
			var wide []int64
			var counts []count
			var plain []int32 // as which pgx sends them with every mode
			for range len(words) {
				v := random.Int64() >> random.IntN(64)
				if random.IntN(2) == 0 {
					v = -v
				}
				small, wide, counts, plain = append(small, int16(v)), append(wide, v), append(counts, count(v)), append(plain, int32(v))
			}
			if len(words) > 0 {
				wide[0], small[0], counts[0], plain[0] = math.MinInt64, math.MinInt16, math.MaxInt32, math.MaxInt32
			} else if words != nil {
				small, wide, counts, plain = []int16{}, []int64{}, []count{}, []int32{}
			}
			sameArray(t, c, mode, "$1::int2[]::text[]", small, arenapgx.IntArray(in, small))
			sameArray(t, c, mode, "$1::int8[]::text[]", wide, arenapgx.IntArray(in, wide))
			sameArray(t, c, mode, "$1::int4[]::text[]", plain, arenapgx.IntArray(in, counts))
			a.Reset()
		}
		moods := []string{"", "NULL", `a "b" \ c, {d}`}
		sameArray(t, c, mode, "$1::array_mood[]::text[]", moods, arenapgx.TextArray(a, moods))
	}
	if _, err := c.Exec(t.Context(), "select $1::int2[]", arenapgx.IntArray(a, []int{1 << 15})); err == nil {
		t.Error("the server has taken a number that does not fit")
	}
	if _, err := c.Exec(t.Context(), "select $1::text[]", arenapgx.TextArray(a, []string{"\x00"})); err == nil {
		t.Error("the server has taken a zero byte")
	}
}

// randomWords returns a list, which is nil or empty in some rounds.
func randomWords(random *rand.Rand, round int) []string {
	if round < 2 {
		return [][]string{nil, {}}[round]
	}
	parts := []string{"", "a", `"`, `\`, "{", "}", ",", " ", "\n", "NULL", "é", "日本", "'", "$1", strings.Repeat("long ", 30)}
	words := make([]string, random.IntN(12))
	for i := range words {
		for range random.IntN(4) {
			words[i] += parts[random.IntN(len(parts))]
		}
	}
	return words
}

// sameArray compares what a server makes of two arguments.
func sameArray(t *testing.T, c *pgx.Conn, mode pgx.QueryExecMode, expression string, want, got any) {
	t.Helper()
	var same bool
	second := strings.Replace(expression, "$1", "$2", 1)
	q := "select " + expression + " is not distinct from " + second
	if err := c.QueryRow(t.Context(), q, mode, want, got).Scan(&same); err != nil {
		t.Fatalf("%v: %q: %v", mode, want, err)
	}
	if !same {
		t.Fatalf("%v: %s: %q was sent as %v", mode, expression, want, got)
	}
}

// TestArrayMemory checks that an array takes no memory but its text in the arena, and an interface.
func TestArrayMemory(t *testing.T) {
	words := strings.Split(strings.Repeat(`some "word",`, 200), ",")
	numbers := []int64{math.MinInt64, math.MaxInt64, 0, -1, 9, 10, -10}
	a := arena.NewArena()
	x, y := arenapgx.TextArray(a, words).(string), arenapgx.IntArray(a, numbers).(string)
	if used := a.Stats().InUse; used > int64(len(x)+len(y)+2) {
		t.Errorf("%d bytes for texts of %d and %d", used, len(x), len(y))
	}
	if n := testing.AllocsPerRun(10, func() {
		a.Reset()
		arenapgx.TextArray(a, words)
		arenapgx.IntArray(a, numbers)
	}); n > 50 { // 2; a watched arena, as with the race detector, has some of its own
		t.Errorf("%v objects for two arrays", n)
	}
}
