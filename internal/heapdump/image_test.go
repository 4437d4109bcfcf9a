package heapdump

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"testing"
)

// TestSame checks that programs are the same if they differ in references to memory that is not
// written to, and not if they differ in anything else.
func TestSame(t *testing.T) {
	f, err := build(config(t).Flags)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := newImage(f)
	if err != nil {
		t.Fatal(err)
	}
	if m.machine == "" {
		t.Skip("the instructions of this processor are not known")
	}
	if err := m.same(m); err != nil {
		t.Errorf("a program and itself: %v", err)
	}
	le := binary.LittleEndian
	word := uint64(8)
	if m.machine == "386" {
		word = 4
	}
	number := func(b []byte) uint64 {
		if word == 4 {
			return uint64(le.Uint32(b))
		}
		return le.Uint64(b)
	}
	for i, s := range m.sections {
		if s.data == nil || !s.code() && (!s.writable || s.name != ".data" && s.name != "__DATA,__data") {
			continue
		}
		content := make([]byte, s.size)
		if n, err := s.data.ReadAt(content, 0); err != nil && err != io.EOF {
			t.Fatal(n, err)
		}
		// changed compares the program with one in which a byte is another.
		changed := func(at int) error {
			other := *m
			other.sections = slices.Clone(m.sections)
			b := bytes.Clone(content)
			b[at] ^= 8
			other.sections[i].data = bytes.NewReader(b)
			return m.same(&other)
		}
		tried := map[bool]int{}
		for at := 16; at+16 < len(content) && (tried[false] < 4 || tried[true] < 4); at++ {
			var to uint64
			switch {
			case !s.code():
				if (s.addr+uint64(at))%word != 0 {
					continue
				}
				to = number(content[at:])
			case m.machine == "amd64" && content[at-3] == 0x48 && content[at-2] == 0x8d && content[at-1]&0xc7 == 5: // LEA
				to = s.addr + uint64(at) + 4 + uint64(int64(int32(le.Uint32(content[at:]))))
			default:
				continue
			}
			writable, known := m.writable(to)
			if _, near := m.writable(to ^ 8); !known || !near || tried[writable] >= 4 {
				continue
			}
			tried[writable]++
			if err := changed(at); (err != nil) != writable {
				t.Errorf("section %s at %#x, which refers to %#x (written to: %v): %v", s.name, s.addr+uint64(at), to, writable, err)
			}
		}
		if !s.code() && tried[true] == 0 {
			t.Errorf("no references in %s", s.name)
		}
	}
	other := *m
	other.sections = slices.Clone(m.sections)
	other.sections[0].addr++
	other.sections[0].size--
	other.sections[len(other.sections)-1].addr += 8
	if m.same(&other) == nil {
		t.Error("another address of a section is the same")
	}
	other.sections = other.sections[1:]
	if m.same(&other) == nil {
		t.Error("a section less is the same")
	}
}
