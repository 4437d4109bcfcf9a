package arena

import "reflect"

// A block is the memory of one chunk: a slice of T, behind an interface so
// that types known at run time only (valueSlab) have chunks of the same kind.
type block[B any] interface {
	make(slots int) B   // a new zeroed block; the receiver is a prototype
	slots() int         // its length
	clear(from, to int) // zeroes the slots [from, to), with write barriers where the type needs them
	first(slots int) B  // the first slots of the block, to hand out

	elem() reflect.Type           // the type of its slots
	over(mem []byte, slots int) B // make of a plain type, in mem
	start() pointer               // its address
}

// values is the block of a type known at compile time.
type values[T any] []T

func (values[T]) make(n int) values[T]    { return make(values[T], n) }
func (v values[T]) slots() int            { return len(v) }
func (values[T]) elem() reflect.Type      { return reflect.TypeFor[T]() }
func (v values[T]) clear(from, to int)    { clear(v[from:to]) }
func (v values[T]) first(n int) values[T] { return v[:n:n] }
