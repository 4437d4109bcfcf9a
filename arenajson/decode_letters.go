package arenajson

import (
	"math/bits"
	"strings"
	"sync"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/internal/jsonwire"
)

// letters is where strings of a document are copied to, side by side: a block of the arena, or of
// the heap. A string that is kept keeps its block, or the arena's chunk.
//
// Invariants: 0 <= used <= room; block has room bytes; a word can be stored at each position before
// stop, which is max(room-7, 0).
type letters struct {
	block            pointer
	used, room, stop int
	next             int           // bytes of the next block
	rest             int           // bytes that the document seems to need behind that, if its arena is new
	text             jsonwire.Text // the document
	sum              int           // of the bytes of strings that were kept elsewhere than in this block
}

const (
	// blockSize is how many bytes a block has at most, and fewLetters how many a string may have
	// for which a new one is made.
	blockSize, heapBlockSize = 4096, 512
	fewLetters               = 64
	// firstBlockSize is how many bytes a block of a new arena has at most, which is as large as the
	// text is expected to be: a chunk of its own. Without that, an arena begins with little memory,
	// and doubles it.
	firstBlockSize = 256<<10 - 64
	// mostIsText is the share of text in documents, in 1/1024, from which on all of a document is
	// kept in one piece, which saves a copy of each string: some 6 % of the time of a document that
	// is nearly all text, for which a sixteenth of its memory is to be spent at most.
	mostIsText = 1024 * 15 / 16
)

// zeros are as many as a block has. A copy of them is the way to have memory of an arena without a
// slab for bytes.
var zeros = strings.Repeat("\x00", blockSize)

// begin prepares l for the document of d, share/1024 of which are text that is kept, as far as is
// known.
func (l *letters) begin(d *decoder, share int32) {
	most := blockSize
	switch {
	case d.a == nil:
		most = heapBlockSize
	case d.first && share > 0:
		most = firstBlockSize
	}
	if share == 0 {
		share = 1024 / 4
	}
	// Twelve bytes more: eight because whole words are stored, and some for a document that has
	// more text than others. So no block is longer than the document with what stands behind it,
	// which copy relies on. The share that is learnt may be one more than all.
	n := int(int64(d.size)*int64(min(share, 1024))/1024) + 12
	if l.next = min(n, most); most == firstBlockSize {
		l.rest = n - l.next
	}
	l.text = d.text
}

// borrow makes l go on in the block of the decoder whose method decodes. takeBack ends that.
func (l *letters) borrow(of *letters) {
	l.block, l.used, l.room, l.stop = of.block, of.used, of.room, of.stop
	l.next, l.rest, l.sum = min(l.next, blockSize), 0, -l.used
	of.sum += of.used
	of.block, of.used, of.room, of.stop = nil, 0, 0, 0
}

func (l *letters) takeBack(from *letters) {
	l.block, l.used, l.room, l.stop = from.block, from.used, from.room, from.stop
	l.sum += from.sum
}

// take returns the next n bytes of the block, which have been written, as a string.
func (l *letters) take(n int) string {
	if n == 0 {
		return "" // and nothing to keep alive
	}
	at := l.used
	l.used += n
	return viewOf(l.block, at, l.used)
}

// copy returns b as a string that nobody changes.
func (l *letters) copy(a *arena.Arena, b []byte) string {
	n := len(b)
	if n == 0 {
		return ""
	}
	if n > l.room-l.used {
		// The rest of a block is left only if it is small, and a string that does not fit in there
		// gets memory of its own.
		if n > fewLetters || l.room-l.used > fewLetters/2 {
			s := arena.String(a, b)
			l.sum += n
			return s
		}
		// The block comes first. If the arena may not grow, a method may go on after that, with the
		// block that there was.
		room := max(l.next, n)
		var block pointer
		switch {
		case a == nil:
			block = startOf(make([]byte, room))
		case room <= blockSize:
			block = startOfText(arena.String(a, zeros[:room]))
		default: // with anything in it
			block = startOfText(arena.String(a, l.text.Bytes(0, room)))
		}
		l.sum += l.used
		l.block, l.used, l.room, l.stop = block, 0, room, max(room-7, 0)
		switch {
		case a == nil:
			l.next = heapBlockSize
		case l.rest > blockSize:
			l.next = min(l.rest, firstBlockSize)
			l.rest -= l.next
		case l.sum > 16<<10:
			l.next = blockSize
		default:
			l.next = max(l.next/4, 64)
		}
	}
	copy(span(l.block, l.used, l.used+n), b)
	return l.take(n)
}

// fewCopied is how many bytes a decoder keeps for the texts of its documents. Longer texts are in
// memory that all decoders share.
const fewCopied = 4 << 10

// texts has that memory: texts[i] for texts of up to 1<<i bytes.
var texts [bits.UintSize]sync.Pool

// takeText returns at least n bytes, with anything in them.
func takeText(n int) []byte {
	class := max(bits.Len(uint(n-1)), bits.Len(fewCopied-1))
	if b, _ := texts[class].Get().(*[]byte); b != nil {
		return *b
	}
	return make([]byte, 1<<class)
}

// giveText ends the use of what takeText has returned.
func giveText(b []byte) { texts[bits.Len(uint(cap(b)-1))].Put(&b) }
