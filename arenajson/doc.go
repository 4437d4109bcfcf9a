/*
Package arenajson decodes and encodes JSON as package encoding/json does, with the results in arenas.

	a := arena.NewArena()
	for data := range inputs {
		var v Order
		if err := arenajson.Unmarshal(a, data, &v); err != nil {
			return err
		}
		use(&v)
		a.Reset() // what v refers to is stale from here on
	}

Types, tags and methods are those for encoding/json, and nothing is generated. With a nil arena, everything lies on the heap.

# Limits

  - What a decoded value refers to lies in the arena, its text too. Reset makes all of it stale; Free does not. The value itself lies where the caller
    has it.
  - Maps of Go lie on the heap. Their keys and values have text in the arena. So a map must not be used after Reset either: Reset empties those with
    strings as keys, and the next documents get them. 8 MiB of them are kept at most, or what Options.Retain, or a Pool's Retain, leaves next to the arena's own memory;
    no Stats count them. Maps with other keys are left alone.
    An [arena.Map] lies in the arena with all of its entries. It need not be one of NewMap: a zero Map, or a nil pointer to one, becomes one in the arena.
  - What pays is an arena that is Reset and used again. A new arena for each document, and the heap, gain less; bench/TABLES.md has figures.
  - Where a document has an error, or a value does not fit its Go type, encoding/json decodes it again, on the heap. Such a document costs both passes, and its
    methods are called once.
  - Strings are copied to the arena side by side. Where nearly all of the documents of a type are text that is kept, a document lies there once, as a whole. The
    option AliasInput avoids both where the input stays; its strings then keep all of the input.
  - Types with UnmarshalJSON or UnmarshalText, and values that are not zero, cost a pass over the document before anything is decoded. What they need lies on the heap, unless they have
    [UnmarshalerArena].
  - An arena's limit counts what lies in the arena. It does not count maps, and what else lies on the heap. What fits does not depend on other documents:
    nothing is used that was learnt of them, unless the limit is 64 times the document or more. Then that takes less than a quarter of the limit.
  - A method that is called while a value is decoded may use the arena. It must not Reset, Rewind, Free or Put it: that is a panic.
  - Where the arena may not grow, Unmarshal panics with an [*arena.LimitError]; [arena.Try] makes it an error.

# The same result, the same error

The value and the error equal those from the encoding/json that the program is built with. The first version of it, in Go 1.26, and the second, on which Go 1.27's encoding/json is built,
differ in errors and in some values, and so does this package. This holds for values that have something already, for names in other cases, for invalid UTF-8, for duplicate
names, and for what is in the value after an error. Differences:

  - The capacity of a slice may be another.
  - Decoding into a [json.RawMessage] or a []byte does not write to the memory that it has had.
  - UnmarshalJSON and UnmarshalText are given bytes of the caller's input, or bytes that nobody uses again, as from encoding/json. UnmarshalJSONArena is given
    bytes in the arena, which are stale after Reset.
  - The encoder that MarshalJSONTo of encoding/json/v2 is given has nothing but the value: StackPointer and OutputOffset begin there.
  - Where a method panics, the value may have less of the document in it than encoding/json leaves.
  - Strings that lie on the heap may share a block of 512 bytes. One that is kept keeps the block.

The option V2 follows package encoding/json/v2 instead: with its rules for fields and for what is left out, its values, bytes and errors.

How it is done: a document without errors is decoded in one pass, straight into memory, by a plan of the type. An error, or anything that the plan does not know, ends that. The
value is then made zero again, and encoding/json decodes the document. Where that would not do, because the value was not zero or its methods have effects, a first
pass finds out whether there is an error, before anything has changed. A value that is encoded is left to encoding/json after an error only if none of its
methods was called before. So each method is called as often as encoding/json calls it, at any depth, also by methods that decode or encode with this package in turn. The memory
that these take for text does not grow with the depth.

# What input can do

On the heap, repeated names, deep nesting and other hostile input hold at most four times the memory
that encoding/json holds at once, and up to 16 times the size of the document. An arena frees nothing
before Reset: it also holds the values that a repeated name or null has replaced, and what they refer
to. That grows as what encoding/json allocates in all, garbage included.

A [Decoder] holds as much of the stream as the longest value that it has read, about three times. It
returns an error at the first byte that cannot belong to a value, without reading any further.

[UnmarshalOptions] has RejectDuplicateNames and RejectInvalidUTF8, and UnmarshalStrict tells of unknown and repeated names without refusing them. Nesting ends at 10,000, as in encoding/json.

# Goroutines

Any number of goroutines may decode and encode at the same time, each with an arena of its own, or none.
*/
package arenajson
