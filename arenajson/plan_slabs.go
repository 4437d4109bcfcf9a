package arenajson

import (
	"encoding/json"
	"reflect"
	"sync/atomic"
)

// The types that the decoder makes values of have numbers, by which plans speak of them.
var (
	slabTypes = []slabType{ // by number; guarded by planning, as is slabNumbers
		slabString:  {reflect.TypeFor[string](), reflect.TypeFor[[]string]()},
		slabFloat64: {reflect.TypeFor[float64](), reflect.TypeFor[[]float64]()},
		slabInt64:   {reflect.TypeFor[int64](), reflect.TypeFor[[]int64]()},
		slabNumber:  {reflect.TypeFor[json.Number](), reflect.TypeFor[[]json.Number]()},
		slabAny:     {reflect.TypeFor[any](), reflect.TypeFor[[]any]()},
		slabAnys:    {reflect.TypeFor[[]any](), reflect.TypeFor[[][]any]()},
	}
	slabNumbers = map[reflect.Type]int{
		slabTypes[slabString].elem: slabString, slabTypes[slabFloat64].elem: slabFloat64, slabTypes[slabInt64].elem: slabInt64, slabTypes[slabNumber].elem: slabNumber,
		slabTypes[slabAny].elem: slabAny, slabTypes[slabAnys].elem: slabAnys,
	}
	published atomic.Pointer[[]slabType]
)

// A slabType is a type that values are made of.
type slabType struct{ elem, slice reflect.Type }

// slabFor returns the number of t.
func slabFor(t reflect.Type) int {
	i, ok := slabNumbers[t]
	if !ok {
		i = len(slabTypes)
		slabNumbers[t] = i
		slabTypes = append(slabTypes, slabType{t, reflect.SliceOf(t)})
	}
	return i
}

// publishSlabs lets decoders know of all types that there are by now.
func publishSlabs() {
	all := slabTypes
	published.Store(&all)
}

// typeOfSlab returns the type of a number.
func typeOfSlab(i int) slabType { return (*published.Load())[i] }
