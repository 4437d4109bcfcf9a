package offheap

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
)

// A file is its header, in headerSize bytes, and the values behind it. The position of a value in
// the file, divided by 8, is its reference. All numbers in the header are little-endian except the
// mark, which has the byte order of the values.
//
//	 0  magic
//	 8  format
//	12  mark
//	16  length of the file
//	24  root
//	28  checksum of the values
//	32  hash of the layout of the root's type
//	48  length of the schema; the schema is at 64
//	52  length of the layout as text; it is behind the schema, as much of it as there is room for
//	56  0
//	headerSize-4  checksum of the header up to here
//
// Checksums are CRC-32 with Castagnoli's polynomial, which processors have instructions for.
const (
	headerSize = 4096
	magic      = "\x89arena\r\n" // Neither text nor left alone by what takes it for that.
	format     = 1
	mark       = 0x01020304
	maxSchema  = 256
	textStart  = 64
	textEnd    = headerSize - 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type header struct {
	schema string
	layout layout
	length int64 // of the file, header included
	root   uint32
	sum    uint32 // of the values
}

// contains reports whether a value of size bytes may have the reference n. 0 is the nil reference.
func (h *header) contains(n uint32, size uintptr) bool {
	at := int64(n) * 8
	return n == 0 || at >= headerSize && at <= h.length && uint64(size) <= uint64(h.length-at)
}

func (h *header) encode() []byte {
	b := make([]byte, headerSize)
	le := binary.LittleEndian
	copy(b, magic)
	le.PutUint32(b[8:], format)
	binary.NativeEndian.PutUint32(b[12:], mark)
	le.PutUint64(b[16:], uint64(h.length))
	le.PutUint32(b[24:], h.root)
	le.PutUint32(b[28:], h.sum)
	copy(b[32:], h.layout.hash[:])
	le.PutUint32(b[48:], uint32(len(h.schema)))
	le.PutUint32(b[52:], uint32(len(h.layout.text)))
	copy(b[textStart:textEnd], h.schema+h.layout.text)
	le.PutUint32(b[textEnd:], crc32.Checksum(b[:textEnd], castagnoli))
	return b
}

// readHeader sets f.head from a file of size bytes, or returns why the file must not be used.
func (f *File) readHeader(file *os.File, size int64) error {
	b := make([]byte, headerSize)
	n, err := file.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return f.wrap("read", err)
	}
	if n < headerSize || string(b[:len(magic)]) != magic {
		return f.fail(ErrFormat, "not an arena file: it does not begin with a header as Save writes it")
	}
	le := binary.LittleEndian
	if v := le.Uint32(b[8:]); v != format {
		return f.fail(ErrVersion, "its format is %d, and this program reads %d; write it again", v, format)
	}
	if crc32.Checksum(b[:textEnd], castagnoli) != le.Uint32(b[textEnd:]) {
		return f.fail(ErrFormat, "its header is damaged")
	}
	if binary.NativeEndian.Uint32(b[12:]) != mark {
		return f.fail(ErrVersion, "it was written on a system with the other order of bytes; write it again on one like this")
	}
	h := header{length: int64(le.Uint64(b[16:])), root: le.Uint32(b[24:]), sum: le.Uint32(b[28:])}
	switch {
	case h.length < headerSize || h.length > maxFile || h.length%8 != 0:
		return f.fail(ErrFormat, "its header is wrong: a length of %d bytes", h.length)
	case h.length != size:
		return f.fail(ErrFormat, "it has %d bytes, and had %d when it was saved", size, h.length)
	case h.length > int64(maxInt):
		return f.fail(ErrFormat, "it has %d bytes, which is too much for this system", h.length)
	}
	copy(h.layout.hash[:], b[32:])
	text, schema := b[textStart:textEnd], le.Uint32(b[48:])
	if schema > maxSchema {
		return f.fail(ErrFormat, "its header is wrong: a schema of %d bytes", schema)
	}
	h.schema, text = string(text[:schema]), text[schema:]
	full := le.Uint32(b[52:])
	h.layout.cut = uint64(full) > uint64(len(text))
	if !h.layout.cut {
		text = text[:full]
	} else if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		text = text[:i+1] // Whole lines.
	}
	h.layout.text = string(text)
	if h.schema != f.opt.Schema {
		return f.fail(ErrVersion, "its schema is %q, not %q", h.schema, f.opt.Schema)
	}
	f.head = h
	return nil
}

const maxInt = int(^uint(0) >> 1)
