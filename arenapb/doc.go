/*
Package arenapb decodes protobuf messages into arenas: ordinary messages, as protoc-gen-go
generates them, without generating code.

	a := arena.NewArena()
	for b := range inputs {
		m := arenapb.New[profilepb.Profile](a)
		if err := arenapb.Unmarshal(a, b, m); err != nil {
			return err
		}
		use(m)
		a.Reset() // m is stale from here on
	}

# Limits

  - What a decoded message has, its strings too, lies in the arena: Reset makes all of it stale, Free does not. So do
    copies by proto.Clone and proto.Merge, which have the strings of the original: [Clone] makes one that is on the heap.
  - It is Reset of an arena that is used again, that pays. With an arena of its own and Free, a message takes less time than proto.Unmarshal
    from some kB on, and more below that.
  - Maps are Go's, and lie on the heap; extensions and messages of the opaque API are left to protobuf, and lie there, too. [Fallbacks] tells
    what that is for a message, field by field.
  - The arena is used by one goroutine at a time. A decoded message may be read by many, as any message.
  - An arena's limit does not count what lies on the heap: maps, extensions, and what else is left to protobuf.
  - An arena's limit is a panic with an [arena.LimitError], see [arena.Try]. The message is then good for proto.Reset only, and the arena for everything.

# What input can do

Input may overwrite what it has said before: the message in a oneof, the value of a key. The memory of that is used again by the same call, unless it
is the caller's, with Merge. So what an arena takes is bounded by what the message weighs, which is as much as with proto.Unmarshal, where input of n bytes may make a message of many times n:
it is at most 16n bytes, and twice the weight of the message when it was largest, and 16 KiB. An arena's limit bounds all of that. Maps, whose room lies on the heap, are made for the entries that follow, and take
up to 20n bytes where all of those have one key.

# Mistakes of this package

A panic while a message is decoded does not leave Unmarshal. It becomes the answer of proto.Unmarshal: the message is made as it was before the call, with Merge too, and
decoded onto the heap; nothing refers to what the decoder had taken of the arena, which is there until Reset. The decoder's notes are
thrown away. [OnPanic] and UnmarshalOptions.OnPanic are told, [Panics] counts, and messages of that Go type are left to proto.Unmarshal from then on, which [Fallbacks] names. A message that
is refused though proto.Unmarshal finds no error in it is treated in the same way. With Merge, extensions and opaque messages that the message had may be copies afterwards.

These remain panics: an [arena.LimitError] and an [arena.MemoryError], see [arena.Try]; the use of an arena after Free or Put, or by two goroutines at once, which is the caller's to mend, and what else
package arena says in a panic that begins with "arena: "; what proto.Unmarshal panics with as well, by a Resolver for one. A fault at an address that is
not Go's, a stack or a heap without end, and a concurrent map write end the process: nothing recovers from those.

# When Reset, when Free

Reset, when a message and all that was made of it are done with: a request that was answered, a batch that was written. Then the next
message takes the same memory. Free, or just the collector, when messages are kept for a time that nobody knows: they stay valid for as long as somebody
has them, but each keeps the memory of its arena's chunks.

# What may be done with a message

Everything that may be done with any other. Fields may be set to values on the heap, slices appended to, maps and
oneofs changed; it may be marshalled, printed, compared, and decoded into again with Merge. What was appended or set lives as long as the message. What must not be done
is to keep text or messages of it after the Reset: the text is then other text.

# How it is right

A plan is made for each Go type when its first message is decoded, from its descriptor and from the struct, by package reflect. A field is decoded natively only
if its Go type is exactly what protoc-gen-go makes of such a field; all others are given to proto.Unmarshal together, when the message ends.
Where the input has an error it is decoded again by proto.Unmarshal, whose error is returned: such input costs twice.
*/
package arenapb
