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
    what that is for a message.
  - The arena is used by one goroutine at a time. A decoded message may be read by many, as any message.
  - An arena's limit does not count what lies on the heap: maps, extensions, and what else is left to protobuf.
  - An arena's limit is a panic with an [arena.LimitError], see [arena.Try]. The message is then good for proto.Reset only, and the arena for everything.

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
