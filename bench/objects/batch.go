package objects

import "encoding/binary"

// batchSize is what a message queue delivers at a time: 4 to 8 MB.
const batchSize = 6 << 20

// newBatch returns n objects in size bytes, or a few more.
func newBatch(n, size int) string {
	b := make([]byte, 0, size+8*n)
	for i := range n {
		each := size/n - 4 // What is left for text.
		key := max(each/4, 1)
		value := max(each-key, 1) - i%2
		b = binary.AppendUvarint(b, uint64(key))
		for j := range key {
			b = append(b, 'a'+byte(scattered(i+j)&15))
		}
		b = binary.AppendUvarint(b, uint64(value))
		for j := range value {
			b = append(b, ' '+byte(j&63))
		}
		b = binary.AppendUvarint(b, uint64(i&127))
	}
	return string(b)
}

// next reads the first object of a batch. The text is a part of the batch.
func next(batch string) (key, value string, number int, rest string) {
	key, rest = text(batch)
	value, rest = text(rest)
	return key, value, int(rest[0]), rest[1:]
}

// text reads text that follows its length.
func text(b string) (text, rest string) {
	length, shift := 0, 0
	for {
		c := b[0]
		b = b[1:]
		length |= int(c&0x7f) << shift
		if c < 0x80 {
			return b[:length], b[length:]
		}
		shift += 7
	}
}

func batches(s *space, n int) func() uint64 {
	batch := newBatch(n, batchSize)
	return func() (sum uint64) {
		for _, r := range s.records(batch, n) {
			sum += uint64(len(r.key)+len(r.value)+r.number) + uint64(r.key[0])
		}
		s.end()
		return sum
	}
}
