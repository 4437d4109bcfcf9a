package arenascope

// growStack gives the goroutine a stack of 8 KiB, if its is smaller. none is nil.
//
// A server starts a goroutine for each call, with 2 KiB. A call needs more, and Go copies the stack
// when it grows. To copy a frame takes a thousand instructions or so. When the codec is called
// there are few frames. Later, in the handler and the encoding of the reply, the stack also holds
// the frames of the interceptors.
//
// A function asks for the whole of its frame when it is called, whatever it does then. The array is
// never used, and nobody clears it.
//
//go:noinline
func growStack(none []byte) {
	if len(none) > 0 {
		var b [2 << 10]byte
		copy(b[:], none)
		copy(none, b[1:])
	}
}
