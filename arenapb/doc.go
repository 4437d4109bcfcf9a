/*
Package arenapb decodes protobuf messages into arenas, from the wire format and from JSON: ordinary
messages, as protoc-gen-go generates them, without generating code.

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

  - A decoded message lies in the arena with all that it has, its strings too. Reset makes all of it stale; Free does not.
    proto.Clone and proto.Merge copy a string as a reference to the same text, so their copies become stale too. [Clone] makes a copy
    on the heap.
  - What pays is an arena that is Reset and used again. A new arena for each message gains about half
    as much, and may lose for tiny messages.
  - Maps are Go's and lie on the heap. Reset empties those of up to eight entries, and the next messages get them. Their text and messages
    lie in the arena. It is the same with extensions, which package proto has in maps. Messages with lazy fields are left to package proto, and so are extensions that protoc-gen-go has not generated. [Fallbacks]
    names them, field by field.
  - One goroutine at a time uses the arena. Many may read a decoded message, as they may any message.
  - An arena's limit counts what lies in the arena. It does not count maps, those of extensions too, and what else lies on the heap.
  - Where the arena may not grow, Unmarshal panics with an [*arena.LimitError]; [arena.Try] makes it an error. The message is then good for
    proto.Reset only. The arena is still good for everything.

# What input can do

Input may overwrite what it has said before: the message in a oneof, the value of a key. The same call uses that memory again, unless it is the
caller's, as it may be with Merge. So the message bounds what its decoding takes of the arena.

The message itself may be many times as large as its input; it is so with proto.Unmarshal too. For n bytes of input, a call takes of the arena at
most the sum of 16n bytes, twice the weight of the message when it was largest, and 32 KiB. An arena's limit bounds all of that. Maps lie on the
heap. They are made with room for the entries that follow, and take up to 20n bytes where all of these have one key.

# Mistakes of this package

A mistake of this package must not cost you a message. So Unmarshal recovers from a panic of its decoder and gives the answer of proto.Unmarshal:

  - The message becomes what it was before the call, with Merge too. Then proto.Unmarshal decodes the input, onto the heap.
  - Nothing refers to what the decoder had taken of the arena. It stays there until Reset.
  - UnmarshalOptions.OnPanic and [OnPanic] are told, and [Panics] counts.
  - proto.Unmarshal decodes all later messages of that Go type. [Fallbacks] names the type and the reason.

The same happens when the decoder refuses input in which proto.Unmarshal finds no error.

These panics do leave Unmarshal:

  - an [*arena.LimitError] or an [*arena.MemoryError]; see [arena.Try];
  - a panic of package arena whose text begins with "arena: ": the caller has used an arena after Free or Put, or in two goroutines at once;
  - a panic of proto.Unmarshal itself, such as one of a Resolver.

Nothing can recover from a fault at an address that is not Go's, a stack or a heap without end, and a concurrent map write. They end the process.

# When Reset, when Free

Reset when nobody uses a message, or anything made of it, any more: a request was answered, a batch was written. The next message takes the
same memory.

Free, or leave it to the collector, when nobody knows how long messages are kept. They stay valid for as long as somebody has them. Each
keeps the chunks of its arena alive.

# JSON

[UnmarshalJSON] decodes messages in JSON, with the results and the errors of protojson.Unmarshal.

  - Strings and bytes are copied to the arena one by one, side by side, so it holds no text twice and no names. With AliasInput, strings without escapes refer to the input.
  - A nil arena is the heap. It gains there too, but less.
  - Maps lie on the heap, and so does what protojson decodes: extensions, messages with lazy fields, google.protobuf.Any. [JSONFallbacks] names it.
  - After an error, the message is what protojson.Unmarshal leaves, on the heap. Such input costs more than twice.
  - JSON cannot overwrite what it has said before. For n bytes, a call takes of the arena at most the sum of 2n bytes, twice the weight of the message, and 32 KiB. While it decodes, it notes
    the elements of lists and maps on the heap, with up to 32n bytes.
  - A panic, and input that is refused although protojson finds no error in it, are mistakes of this package too, and what is said above holds: protojson decodes the message, and all later
    messages in JSON of that Go type.

[MarshalJSON] encodes messages as protojson.Marshal does, without the spaces that protojson puts at random. The result lies in the arena, or in a buffer that there is.

  - It gains without an arena as much as with one.
  - What [JSONFallbacks] names is read through package protoreflect, except for maps: so it gains less. What is in google.protobuf.Any is decoded into the arena, where it stays until Reset.
  - After an error, protojson.Marshal has encoded the message, too. Such a message costs more than twice.
  - A panic of the encoder, and an error that protojson does not find, are mistakes of this package: protojson encodes the message, and encodes and decodes all later messages of
    that Go type.

# HTTP, and encoding

[Read] decodes the body of an HTTP request into the arena of that request, with a limit. [Marshal], [MarshalAppend] and [MarshalJSON] encode into an arena.

# What may be done with a message

A decoded message is an ordinary message. You may set fields to values on the heap, append to slices, and change maps and oneofs. You may
marshal it, print it, compare it, and decode into it again with Merge. What you set or append lives as long as the message.

After Reset, do not use text or messages that you have kept of it: the text is then other text.

# How it is right

The first message of a Go type makes a plan for the type, from its descriptor and, by package reflect, from its struct. The decoder decodes a
field itself only if the field's Go type is exactly what protoc-gen-go makes of such a field. It gives all other fields to package proto, together,
when the message ends.

Messages of the opaque API say with bits which fields are there. Package proto sets each field of a message, and the bit that shows up is that of
the field. The plan of such a message, an extension, and a way to fill maps are tried with samples before they are used. What package proto
makes something else of is left to it.

Where the input has an error, proto.Unmarshal decodes it again, and Unmarshal returns its error. Such input costs twice.
*/
package arenapb
