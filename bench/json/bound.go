package json

import (
	std "encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"

	"github.com/arena-go/arena/arenajson"
)

// boundName is the implementation that stores nothing, see bound.
const boundName = "bound"

// bound is what no decoder can do without. It checks that the document is valid, with arenajson's
// own scan. It fills Go's maps of the sizes that encoding/json has decoded, with keys and values
// that exist already. Maps whose keys are text are emptied and filled again, as an arena can do;
// others are new. Its results cannot be compared, so its check is encoding/json's check.
func (d *document) bound(value func() any, n int) func() uint64 {
	data := d.data()
	sum := decodedSum(codecs[0].open(), data, value)
	v := value()
	check(std.Unmarshal(data, v))
	maps := mapsIn(nil, reflect.ValueOf(v))
	live := ballast()
	return func() uint64 {
		for range n {
			if !arenajson.Valid(data) {
				panic(errors.New("the document is not valid"))
			}
			for _, again := range maps {
				again()
			}
		}
		runtime.KeepAlive(live)
		return sum
	}
}

// mapsIn appends to all, for each map that v leads to, a function that fills it once more.
func mapsIn(all []func(), v reflect.Value) []func() {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			all = mapsIn(all, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				all = mapsIn(all, v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			all = mapsIn(all, v.Index(i))
		}
	case reflect.Map:
		if v.IsNil() {
			break
		}
		for _, k := range v.MapKeys() {
			all = mapsIn(all, v.MapIndex(k))
		}
		all = append(all, remake(v.Interface()))
	}
	return all
}

// remake returns a function that fills a map like m, which is of one of the types in the documents.
func remake(m any) func() {
	switch m := m.(type) {
	case map[string]any:
		return remakeMap(m)
	case map[string]string:
		return remakeMap(m)
	case map[int64]string:
		return remakeMap(m)
	case map[int64][]int64:
		return remakeMap(m)
	case map[int64]event:
		return remakeMap(m)
	}
	panic(fmt.Sprintf("no document has a %T", m))
}

func remakeMap[K comparable, V any](m map[K]V) func() {
	type entry struct {
		key K
		val V
	}
	var all []entry
	for k, v := range m {
		all = append(all, entry{k, v})
	}
	var made map[K]V // is kept until the next one, as by a program that has decoded it
	_, text := any(*new(K)).(string)
	return func() {
		if made == nil || !text {
			made = make(map[K]V, len(all))
		}
		clear(made)
		for i := range all {
			made[all[i].key] = all[i].val
		}
	}
}
