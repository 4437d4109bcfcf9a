package ref

import (
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/books"
	"github.com/arena-go/arena/internal/testrun"
	"github.com/arena-go/arena/internal/tools"
)

func TestMain(m *testing.M) {
	tools.Unwatch() // these tests make the mistakes that would be found
	books.SetReporter(func(*arena.Report) {})
	os.Exit(testrun.Run(m))
}

// few is testrun.Few.
var few = testrun.Few

// Few is few for tests outside of the package.
var Few = few

// Recovered returns what f panics with, or nil.
func Recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// Ours tells whether text comes from a panic or an error of this module.
func Ours(text string) bool {
	return strings.HasPrefix(text, "ref: ") || strings.HasPrefix(text, "arena: ")
}

// BuiltWith tells whether this test was built with a flag.
func BuiltWith(flag string) bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return s.Key == flag && s.Value == "true"
	})
}

// StartMap makes m, which is zero, a map with the given seed.
func StartMap[K comparable, V any](m *Map[K, V], seed uint64) {
	m.start("Map", kindOf(reflect.TypeFor[K]()))
	m.seed = seed
}
