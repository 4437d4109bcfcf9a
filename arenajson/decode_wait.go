package arenajson

// Entries of a map wait until it is known for how many the map needs room. Where names are
// repeated, all but the last of these entries are garbage, which encoding/json leaves to the
// collector at once. So what waits has at most as many bytes as fewWaiting and the text that was
// read so far allow, in all objects that are open: then the entries are set. Nothing waits where an
// entry may call a method, which may take any memory, and decode a document of its own.

// A waiting counts that.
type waiting struct {
	made  int // bytes that were made on the heap for values of the document
	above int // those that wait in the objects around the current one
}

// fewWaiting is how many bytes may wait at the beginning of a document, and waitingForText how many
// more for each byte of the text before.
const fewWaiting, waitingForText = 32 << 10, 4

// mayWait returns how many bytes may wait at position i.
func mayWait(i int) int { return fewWaiting + waitingForText*i }

// crowded tells whether entries that wait in an object are to be set at position i, before there is
// another one. since is what made was when the first of them began.
func (w *waiting) crowded(since, i int) bool { return w.above+w.made-since > mayWait(i) }

// mapBytes returns how many bytes a new map has, about.
func (m *pairsPlan) mapBytes(room int) int {
	const head = 48
	switch {
	case room == 0:
		return head
	case room <= fewTogether:
		return head + fewTogether*int(m.entry+1)
	}
	return head + 2*room*int(m.entry+1)
}
