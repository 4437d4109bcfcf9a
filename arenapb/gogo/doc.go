/*
Package gogo decodes messages of gogo/protobuf into arenas: those of Prometheus, Mimir, Cortex, Thanos, Loki, Kubernetes and others, without generating code, and
without importing gogo/protobuf.

	a := arena.NewArena()
	for b := range bodies {
		w := gogo.New[prompb.WriteRequest](a)
		if err := gogo.Unmarshal(a, b, w); err != nil {
			return err
		}
		use(w)
		a.Reset() // w is stale from here on
	}

A message is a pointer to a struct with a method Unmarshal, as gogo's unmarshaler plugin generates it. Messages of gogo/protobuf without that method are not for this
package; those of google.golang.org/protobuf are for package arenapb.

# Limits

  - A decoded message lies in the arena with all that it has, its strings too. Reset makes all of it stale; Free does not. [arena.DeepClone] makes a copy on the
    heap.
  - What pays is an arena that is Reset and used again.
  - Maps are Go's and lie on the heap. So does what an Unmarshal makes that is not generated. [Fallbacks] names both. Small maps are emptied by Reset, and the next
    messages get them, so do not use a map after Reset. Programs that look for mistakes do not do that, nor do arenas in guard mode.
  - One goroutine at a time uses the arena. Many may read a decoded message.
  - An arena's limit counts what lies in the arena. It does not count what lies on the heap.
  - There is no Merge: a message is made zero first.

# Whose Unmarshal is generated

A type may have an Unmarshal that somebody has written, or changed, and that does other things than the tags of the struct say. This package never guesses. It decodes
messages of a type itself only if all of this is true:

  - The method is the type's own, and the file that it was compiled from has a name that ends in .pb.go.
  - Each field of the struct has a tag of protobuf or protobuf_oneof, or is one that gogo generates for itself (XXX_unrecognized, XXX_NoUnkeyedLiteral, XXX_sizecache),
    or is the embedded TypeMeta of Kubernetes' objects. So the types to which Mimir adds fields, and the code for them, are out unless TrustAs says what they are.
  - The tags say nothing that this package does not know: no wktptr, no extensions, no map with a customtype or a stdtime.
  - The method makes of some short messages just what the tags say: of each field once, twice and packed, with and without unknown fields. That is tried once for each
    type in a process, on the heap, when the first message is decoded or [Fallbacks] is called. It takes about 10 microseconds a field.

Messages of all other types, and values of customtype, are decoded by their own Unmarshal, on the heap, also where they lie in messages that this package decodes. Such a method
gets the bytes that it would get without this package: those of the caller's input, not a copy. It may be called twice, see below, and it is called with short
messages where a type is tried. Examples are Kubernetes' Quantity, Time, MicroTime, FieldsV1 and RawExtension, Mimir's PreallocTimeseries and LabelAdapter, and Loki's Stream.
[Trust] says of a type that its Unmarshal is as good as a generated one, and [TrustAs] which tags a type has that has none.

# How it is right

Where the decoder finds an error, or something that is rare, it gives up. Then the message is made zero again, and its own Unmarshal decodes all of the
input, onto the heap. So errors, and what a message has after one, are those of generated code. Such input costs twice, and what the decoder has taken of the arena stays there
until Reset. Besides errors, this is: groups, a second value of a oneof, a map entry with two keys or two values or with a message for a key that was there, fields with
packed elements of which the last ends behind the field, a second value of a nullable customtype, numbers of fields above 536,870,911, other fields in a
stdtime or a stdduration, and messages that are nested 10,000 deep.

A panic of the decoder is reported as those of package arenapb are, to [arenapb.OnPanic] and UnmarshalOptions.OnPanic, after the message's own Unmarshal has decoded the input.
That Unmarshal decodes all later messages of the type. An [*arena.LimitError], an [*arena.MemoryError] and panics whose text begins with "arena: " leave Unmarshal.

# What input can do

A call takes of the arena at most the size of the input, about twice the weight of the message when it was largest, and as much as the list that was decoded
before it, since lists are thought to be as long as those before them. A message can be many times as large as
its input, as it is without this package. An arena's limit bounds both. Maps lie on the heap. They are made with room for the entries that follow, and take up to eight times
the size of the input before they have entries.
*/
package gogo
