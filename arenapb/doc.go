/*
Package arenapb decodes protobuf messages into arenas, from the wire format and from JSON. It
decodes ordinary messages of protoc-gen-go, and generates no code.

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

  - A decoded message is in the arena with its whole contents, including strings. Reset makes all of
    it stale; Free does not. proto.Clone and proto.Merge copy a string as a reference to the same
    text, so their copies become stale as well. [Clone] makes a copy on the heap.
  - An arena pays if it is Reset and reused. A new arena for each message gains
    about half as much, and may lose for tiny messages.
  - Maps are Go maps on the heap, with their text and messages in the arena. Reset empties maps of
    up to eight entries, and the next messages get them. The same applies to extensions, which
    package proto stores in maps. Package proto decodes messages with lazy fields, and extensions
    that protoc-gen-go has not generated. [Fallbacks] names them, field by field.
  - One goroutine at a time uses the arena. Many may read a decoded message, like any message.
  - An arena's limit counts only memory of the arena. It does not count maps, the maps of
    extensions, and other values on the heap.
  - If the arena may not grow, Unmarshal panics with an [*arena.LimitError]; [arena.Try] makes it an
    error. The message is then good only for proto.Reset; with Merge it is what it was before the
    call. The arena is still good for everything.

# What input can do

Input may overwrite earlier input: the message in a oneof, the value of a key. The same call reuses
that memory, unless it belongs to the caller, as it may with Merge. So the message bounds the memory
that its decoding allocates in the arena.

The message itself may be many times as large as its input, as with proto.Unmarshal. For n bytes of
input, a call allocates in the arena at most the sum of 16n bytes, twice the largest weight of the
message, and 32 KiB. An arena's limit bounds all of that. Maps are on the heap. They are made with
room for the entries that follow, and use up to 20n bytes if all entries have the same key.

# Mistakes of this package

A mistake of this package must not cost you a message. So Unmarshal recovers from a panic of its
decoder and returns the result of proto.Unmarshal:

  - The message returns to its state before the call, also with Merge. Then proto.Unmarshal decodes
    the input, onto the heap.
  - Nothing refers to the decoder's allocations in the arena, which stay there until Reset.
  - UnmarshalOptions.OnPanic and [OnPanic] are called, and [Panics] counts the panic.
  - proto.Unmarshal decodes all later messages of that Go type. [Fallbacks] names the type and the
    reason.

The same happens if the decoder refuses input in which proto.Unmarshal finds no error.

These panics do leave Unmarshal:

  - an [*arena.LimitError] or an [*arena.MemoryError]; see [arena.Try];
  - a panic of package arena whose text begins with "arena: ": the caller has used an arena after
    Free or Put, or in two goroutines at once;
  - a panic of proto.Unmarshal itself, for instance in a Resolver.

Nothing can recover from a fault at an address outside Go's memory, exhaustion of the stack or the
heap, or a concurrent map write. They end the process.

# When Reset, when Free

Reset the arena when nobody uses a message, or a value from it, any more: when a request was
answered or a batch was written. The next message reuses the memory.

Free the arena, or leave it to the collector, if nobody knows how long messages are kept. They stay
valid as long as somebody refers to them. Each keeps the chunks of its arena alive.

# JSON

[UnmarshalJSON] decodes messages in JSON, with the results and the errors of protojson.Unmarshal.

  - Strings and bytes are copied to the arena one by one, next to each other, so it contains no text
    twice and no names. With AliasInput, strings without escapes refer to the input.
  - A nil arena is the heap. UnmarshalJSON is faster there as well, but gains less.
  - Maps are on the heap, and so is everything that protojson decodes: extensions, messages with
    lazy fields, google.protobuf.Any. [JSONFallbacks] names them.
  - After an error, the message is the result of protojson.Unmarshal, on the heap. Such input costs
    more than twice.
  - JSON cannot overwrite earlier input. For n bytes, a call allocates in the arena at most the sum
    of 2n bytes, twice the weight of the message, and 32 KiB. While it decodes, it stores the
    elements of lists and maps on the heap, with up to 32n bytes.
  - A panic is a mistake of this package as well, and so is the refusal of input in which protojson
    finds no error. The rules above apply: protojson decodes the message, and all later messages in
    JSON of that Go type.

[MarshalJSON] encodes messages like protojson.Marshal, without protojson's random spaces. The
result is in the arena, or in an existing buffer.

  - It gains as much without an arena as with one.
  - It reads the fields that [JSONFallbacks] names through package protoreflect, except maps, so it
    gains less. Messages in google.protobuf.Any are decoded into the arena, and stay there until
    Reset.
  - After an error, protojson.Marshal has encoded the message as well. Such a message costs more
    than twice.
  - A panic of the encoder, and an error that protojson does not find, are mistakes of this package:
    protojson encodes the message, and encodes and decodes all later messages of that Go type.

# HTTP, and encoding

[Read] decodes the body of an HTTP request into the arena of that request, with a limit. [Marshal],
[MarshalAppend] and [MarshalJSON] encode into an arena.

# Use of a message

A decoded message is an ordinary message. You may set fields to values on the heap, append to
slices, and change maps and oneofs. You may marshal it, print it, compare it, and decode into it
again with Merge. Values that you set or append live as long as the message.

After Reset, do not use text or messages that you kept from it: the text is then other text.

# How it is right

The first message of a Go type makes a plan for the type, from its descriptor and, with package
reflect, from its struct. The decoder decodes a field itself only if the field's Go type is exactly
the type that protoc-gen-go generates for it. It gives all other fields to package proto, together,
when the message ends.

Messages of the opaque API record in bits which fields are set. Package proto sets each field of a
message, and the bit that appears belongs to the field. The plan of such a message, an extension,
and a way to fill maps are tried with samples before they are used. If package proto's result
differs, package proto decodes them.

If the input has an error, proto.Unmarshal decodes it again, and Unmarshal returns its error. Such
input costs twice.
*/
package arenapb
