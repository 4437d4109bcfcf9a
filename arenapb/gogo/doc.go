/*
Package gogo decodes messages of gogo/protobuf into arenas: messages of Prometheus, Mimir, Cortex,
Thanos, Loki, Kubernetes and others. It generates no code, and does not import gogo/protobuf.

	a := arena.NewArena()
	for b := range bodies {
		w := gogo.New[prompb.WriteRequest](a)
		if err := gogo.Unmarshal(a, b, w); err != nil {
			return err
		}
		use(w)
		a.Reset() // w is stale from here on
	}

A message is a pointer to a struct with a method Unmarshal, as gogo's unmarshaler plugin generates
it. This package does not decode messages of gogo/protobuf without that method. Package arenapb
decodes messages of google.golang.org/protobuf.

# Limits

  - A decoded message is in the arena with its whole contents, including strings. Reset makes all of
    it stale; Free does not. [arena.DeepClone] makes a copy on the heap.
  - An arena pays if it is Reset and reused.
  - Maps are Go maps on the heap, and so are values that a handwritten Unmarshal makes. [Fallbacks]
    names both. Reset empties small maps, and the next messages get them, so do not use a map after
    Reset. Arenas in guard mode and programs that look for mistakes do not reuse maps.
  - One goroutine at a time uses the arena. Many may read a decoded message.
  - An arena's limit counts only memory of the arena, and not values on the heap.
  - There is no Merge: a message is made zero first.

# Whose Unmarshal is generated

The Unmarshal of a type may be handwritten or changed, so that it differs from the tags of the
struct. This package never guesses. It decodes messages of a type itself only if all of this is true:

  - The method is the type's own, and its source file has a name that ends in .pb.go.
  - Each field of the struct has a tag of protobuf or protobuf_oneof, or is a field that gogo
    generates for itself (XXX_unrecognized, XXX_NoUnkeyedLiteral, XXX_sizecache), or is the embedded
    TypeMeta of Kubernetes' objects. So the types to which Mimir adds fields, with code for them,
    are excluded unless TrustAs describes them.
  - The tags contain nothing that is unknown to this package: no wktptr, no extensions, no map with
    a customtype or a stdtime.
  - The method decodes some short messages exactly as the tags say: each field once, twice and
    packed, with and without unknown fields. That is tried once for each type in a process, on the
    heap, when the first message is decoded or [Fallbacks] is called. It costs about 10 microseconds
    a field. Meanwhile messages of other new types are decoded by their own Unmarshal.

Messages of all other types, and values of customtype, are decoded by their own Unmarshal, on the
heap, also inside messages that this package decodes. Such a method gets the same bytes as without
this package: bytes of the caller's input, not a copy. It may be called twice, see below, and with
short messages when a type is tried. Examples are Kubernetes' Quantity, Time, MicroTime, FieldsV1
and RawExtension, Mimir's PreallocTimeseries and LabelAdapter, and Loki's Stream. [Trust] says that
the Unmarshal of a type is as good as a generated one. [TrustAs] gives tags to a type without tags.

# How it is right

If the decoder finds an error, or a rare case, it gives up. Then the message is made zero again, and
its own Unmarshal decodes the whole input, onto the heap. So errors, and the message after an error,
are the results of generated code. Such input costs twice, and the decoder's allocations stay in the
arena until Reset. Rare cases are:

  - groups, and messages that are nested 10,000 deep;
  - a second value of a oneof or of a nullable customtype;
  - a map entry with two keys or two values, or with a message for an existing key;
  - fields with packed elements of which the last ends behind the field;
  - numbers of fields above 536,870,911;
  - other fields in a stdtime or a stdduration.

A panic of the decoder is reported like panics of package arenapb, to [arenapb.OnPanic] and
UnmarshalOptions.OnPanic, after the message's own Unmarshal has decoded the input. That Unmarshal
decodes all later messages of the type. An [*arena.LimitError], an [*arena.MemoryError] and panics
whose text begins with "arena: " leave Unmarshal.

# What input can do

A call allocates in the arena at most the sum of the size of the input, about twice the largest
weight of the message, and the size of the list that was decoded before it, because a list is
expected to be as long as the previous list. A message can be many times as large as its input, as
without this package. An arena's limit bounds both. Maps are on the heap. They are made with room
for the entries that follow, and use up to eight times the size of the input before they contain
entries.
*/
package gogo
