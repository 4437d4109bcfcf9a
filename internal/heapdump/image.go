package heapdump

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"debug/dwarf"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// An image is an executable file.
type image struct {
	sections []section
	symbols  []symbol // sorted by address
	dwarf    func() (*dwarf.Data, error)
	machine  string                            // GOARCH
	raw      func(name string) ([]byte, error) // a section of debug information, without .debug_
	file     io.Closer                         // nil if others have it
}

// A section is one that is loaded.
type section struct {
	name       string
	addr, size uint64
	writable   bool
	data       io.ReaderAt // nil if it is all zero
}

// A symbol is a named address.
type symbol struct {
	addr, size uint64 // size is up to the next symbol if the file does not say
	name       string
}

// openImage reads an executable file of any system.
func openImage(path string) (*image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	m, err := newImage(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	m.file = f
	return m, nil
}

func newImage(f io.ReaderAt) (m *image, err error) {
	var magic [4]byte
	if _, err = f.ReadAt(magic[:], 0); err != nil {
		return nil, err
	}
	switch {
	case string(magic[:]) == elf.ELFMAG:
		m, err = elfImage(f)
	case string(magic[:2]) == "MZ":
		m, err = peImage(f)
	case magic == [4]byte{0xcf, 0xfa, 0xed, 0xfe} || magic == [4]byte{0xce, 0xfa, 0xed, 0xfe}:
		m, err = machoImage(f)
	default:
		err = errors.New("the program's file has an unknown form")
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(m.symbols, func(a, b symbol) int { return cmp.Compare(a.addr, b.addr) })
	slices.SortStableFunc(m.sections, func(a, b section) int { return cmp.Compare(a.addr, b.addr) })
	return m, nil
}

func (m *image) close() {
	if m != nil && m.file != nil {
		m.file.Close()
	}
}

var errNoSection = errors.New("the program has no such section")

// unpacked is a compressed section without its header.
func unpacked(data []byte, err error) ([]byte, error) {
	if err != nil || len(data) < 12 || string(data[:4]) != "ZLIB" {
		return data, err
	}
	z, err := zlib.NewReader(bytes.NewReader(data[12:]))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, int64(binary.BigEndian.Uint64(data[4:]))))
}

func elfImage(f io.ReaderAt) (*image, error) {
	e, err := elf.NewFile(f)
	if err != nil {
		return nil, err
	}
	m := &image{dwarf: e.DWARF, raw: func(name string) ([]byte, error) {
		if s := e.Section(".debug_" + name); s != nil {
			return s.Data()
		}
		return nil, errNoSection
	}}
	switch {
	case e.Machine == elf.EM_X86_64:
		m.machine = "amd64"
	case e.Machine == elf.EM_386:
		m.machine = "386"
	case e.Machine == elf.EM_AARCH64:
		m.machine = "arm64"
	}
	for _, s := range e.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || s.Size == 0 {
			continue
		}
		var data io.ReaderAt
		if s.Type != elf.SHT_NOBITS {
			data = s.ReaderAt
		}
		m.sections = append(m.sections, section{s.Name, s.Addr, s.Size, s.Flags&elf.SHF_WRITE != 0, data})
	}
	symbols, err := e.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, err
	}
	for _, s := range symbols {
		if t := elf.ST_TYPE(s.Info); t == elf.STT_OBJECT || t == elf.STT_FUNC || t == elf.STT_NOTYPE {
			m.symbols = append(m.symbols, symbol{s.Value, s.Size, s.Name})
		}
	}
	return m, nil
}

func machoImage(f io.ReaderAt) (*image, error) {
	e, err := macho.NewFile(f)
	if err != nil {
		return nil, err
	}
	m := &image{dwarf: e.DWARF, raw: func(name string) ([]byte, error) {
		if s := e.Section("__debug_" + name); s != nil {
			return s.Data()
		}
		if s := e.Section("__zdebug_" + name); s != nil {
			return unpacked(s.Data())
		}
		return nil, errNoSection
	}}
	switch e.Cpu {
	case macho.CpuAmd64:
		m.machine = "amd64"
	case macho.CpuArm64:
		m.machine = "arm64"
	}
	const zeroFill = 1
	for _, s := range e.Sections {
		if s.Seg == "__DWARF" || s.Size == 0 {
			continue
		}
		var data io.ReaderAt
		if s.Flags&0xff != zeroFill {
			data = s.ReaderAt
		}
		m.sections = append(m.sections, section{s.Seg + "," + s.Name, s.Addr, s.Size, s.Seg == "__DATA", data})
	}
	if e.Symtab != nil {
		for _, s := range e.Symtab.Syms {
			if s.Sect != 0 && s.Type&0xe0 == 0 {
				m.symbols = append(m.symbols, symbol{s.Value, 0, strings.TrimPrefix(s.Name, "_")})
			}
		}
	}
	return m, nil
}

func peImage(f io.ReaderAt) (*image, error) {
	e, err := pe.NewFile(f)
	if err != nil {
		return nil, err
	}
	m := &image{dwarf: e.DWARF, raw: func(name string) ([]byte, error) {
		if s := e.Section(".debug_" + name); s != nil {
			return s.Data()
		}
		if s := e.Section(".zdebug_" + name); s != nil {
			return unpacked(s.Data())
		}
		return nil, errNoSection
	}}
	switch e.Machine {
	case pe.IMAGE_FILE_MACHINE_AMD64:
		m.machine = "amd64"
	case pe.IMAGE_FILE_MACHINE_I386:
		m.machine = "386"
	case pe.IMAGE_FILE_MACHINE_ARM64:
		m.machine = "arm64"
	}
	var base uint64
	switch h := e.OptionalHeader.(type) {
	case *pe.OptionalHeader32:
		base = uint64(h.ImageBase)
	case *pe.OptionalHeader64:
		base = h.ImageBase
	}
	for _, s := range e.Sections {
		// What comes after debug information has other addresses without it. The program does not
		// write to imports.
		if slices.Contains([]string{".text", ".rdata", ".data", ".bss", ".idata"}, s.Name) {
			m.sections = append(m.sections, section{s.Name, base + uint64(s.VirtualAddress), uint64(s.VirtualSize),
				s.Characteristics&pe.IMAGE_SCN_MEM_WRITE != 0 && s.Name != ".idata", s.ReaderAt})
		}
	}
	for _, s := range e.Symbols {
		if n := int(s.SectionNumber); n > 0 && n <= len(e.Sections) {
			m.symbols = append(m.symbols, symbol{base + uint64(e.Sections[n-1].VirtualAddress) + uint64(s.Value), 0, s.Name})
		}
	}
	return m, nil
}

// symbol returns the symbol that an address is in.
func (m *image) symbol(addr uint64) (symbol, bool) {
	i, _ := slices.BinarySearchFunc(m.symbols, addr+1, func(s symbol, a uint64) int { return cmp.Compare(s.addr, a) })
	for i--; i >= 0; i-- {
		s := m.symbols[i]
		if s.size == 0 || addr-s.addr < s.size {
			return s, true
		}
		if addr-s.addr > 1<<16 || s.size > 0 && !strings.Contains(s.name, "runtime.") {
			break
		}
	}
	return symbol{}, false
}

// addrOf returns the address of a name.
func (m *image) addrOf(name string) (uint64, bool) {
	for i := range m.symbols {
		if m.symbols[i].name == name {
			return m.symbols[i].addr, true
		}
	}
	return 0, false
}

// read reads what is at an address, before the program runs.
func (m *image) read(addr uint64, to []byte) bool {
	for i := range m.sections {
		if s := &m.sections[i]; addr >= s.addr && addr-s.addr < s.size {
			if s.data == nil {
				clear(to)
				return true
			}
			return s.read(to, addr-s.addr) == nil
		}
	}
	return false
}

// writable reports whether an address is in a section that the program writes to, and whether it is
// in any.
func (m *image) writable(addr uint64) (writable, known bool) {
	for i := range m.sections {
		if s := &m.sections[i]; addr >= s.addr && addr-s.addr < s.size {
			return s.writable, true
		}
	}
	return false, false
}

// same returns nil if each global of a program has the same address in another file of the same
// program. Sections must be equal but for references to memory that is not written to: the linker
// may order types in another way.
func (m *image) same(other *image) error {
	if m.machine == "" || m.machine != other.machine {
		return errors.New("processors whose instructions are not known")
	}
	if len(m.sections) != len(other.sections) {
		return errors.New("other sections")
	}
	for i := range m.sections {
		// The order of types changes the size of what is between code and variables, by what aligns
		// them.
		a, b := &m.sections[i], &other.sections[i]
		place := a.addr == b.addr && a.size == b.size || !a.writable && !a.code()
		if a.name != b.name || !place || a.writable != b.writable || (a.data == nil) != (b.data == nil) {
			return fmt.Errorf("another section %s", a.name)
		}
	}
	for i := range m.sections {
		a, b := &m.sections[i], &other.sections[i]
		if a.data == nil || !a.code() && (!a.writable || !strings.Contains(a.name, "data")) {
			continue
		}
		if err := m.equal(other, a, b); err != nil {
			return err
		}
	}
	return nil
}

// code reports whether a section has the program's instructions.
func (s *section) code() bool { return strings.HasSuffix(s.name, "text") }

// read reads a part of a section. What the file does not have begins as zero.
func (s *section) read(to []byte, at uint64) error {
	n, err := s.data.ReadAt(to, int64(at))
	clear(to[n:])
	if err == io.EOF {
		return nil
	}
	return err
}

// equal compares two sections of two files.
func (m *image) equal(other *image, a, b *section) error {
	const piece, margin = 1 << 20, 16
	x, y := make([]byte, piece+2*margin), make([]byte, piece+2*margin)
	for at := uint64(0); at < a.size; at += piece {
		from := at - min(at, margin)
		n := min(a.size-from, at-from+piece+margin)
		if err := errors.Join(a.read(x[:n], from), b.read(y[:n], from)); err != nil {
			return err
		}
		if bytes.Equal(x[:n], y[:n]) {
			continue
		}
		end := min(at-from+piece, n)
		for i := at - from; i < end; i++ {
			if x[i] == y[i] {
				continue
			}
			if s, ok := other.symbol(a.addr + from + i); ok && s.name == "go:fipsinfo" { // a sum of everything
				continue
			}
			length, ok := m.explained(other, x[:n], y[:n], i, a.addr+from, a.code())
			if !ok {
				return fmt.Errorf("other contents of section %s at %#x", a.name, a.addr+from+i)
			}
			i += length
		}
	}
	return nil
}

// constant reports whether two addresses, of two files, are in memory that is not written to, and
// whether both are in memory that is.
func (m *image) constant(other *image, a, b uint64) (constant, written bool) {
	aw, ak := m.writable(a)
	bw, bk := other.writable(b)
	return ak && bk && !aw && !bw, ak && bk && aw && bw
}

// explained reports whether a difference at byte i is a reference to memory that is not written to,
// and how many more bytes belong to it.
func (m *image) explained(other *image, x, y []byte, i, addr uint64, code bool) (uint64, bool) {
	le := binary.LittleEndian
	word := uint64(8)
	if m.machine == "386" {
		word = 4
	}
	value := func(b []byte) uint64 {
		if word == 4 {
			return uint64(le.Uint32(b))
		}
		return le.Uint64(b)
	}
	if !code {
		at := i - (addr+i)%word
		if at > i || at+word > uint64(len(x)) {
			return 0, false
		}
		constant, _ := m.constant(other, value(x[at:]), value(y[at:]))
		return at + word - 1 - i, constant
	}
	if m.machine == "arm64" {
		at := i - (addr+i)%4
		for _, first := range []uint64{at, at - 4} { // the page of an address, and the rest of it in the next instruction
			if first > i || first+8 > uint64(len(x)) {
				continue
			}
			p, okP := arm64Address(le.Uint32(x[first:]), le.Uint32(x[first+4:]), addr+first)
			q, okQ := arm64Address(le.Uint32(y[first:]), le.Uint32(y[first+4:]), addr+first)
			if constant, _ := m.constant(other, p, q); okP && okQ && constant {
				return first + 7 - i, true
			}
		}
		return 0, m.buildID(addr + i)
	}
	// Addresses are where instructions have them most often, or anywhere else.
	for _, usual := range []bool{true, false} {
		if length, known, ok := m.address(other, x, y, i, addr, usual); known {
			return length, ok
		}
		if m.machine == "amd64" {
			break
		}
	}
	return 0, m.buildID(addr + i)
}

// address looks for addresses of which the difference at byte i is a part: on amd64 distances from
// the end of the instruction, before which a constant may be. The usual ones follow a byte that
// says so.
func (m *image) address(other *image, x, y []byte, i, addr uint64, usual bool) (length uint64, known, ok bool) {
	le := binary.LittleEndian
	for back := uint64(0); back < 4 && back < i; back++ {
		at := i - back
		if at+4 > uint64(len(x)) {
			continue
		}
		if mode := x[at-1]; usual && (mode&0xc7 != 5 || mode != y[at-1]) {
			continue
		}
		p, q := le.Uint32(x[at:]), le.Uint32(y[at:])
		addresses := [][2]uint64{{uint64(p), uint64(q)}}
		if m.machine == "amd64" {
			addresses = nil
			for _, constant := range []uint64{0, 1, 2, 4} {
				end := addr + at + 4 + constant
				addresses = append(addresses, [2]uint64{end + uint64(int64(int32(p))), end + uint64(int64(int32(q)))})
			}
		}
		for _, pair := range addresses {
			constant, written := m.constant(other, pair[0], pair[1])
			if written {
				return 0, true, false
			}
			if constant && !known {
				length, known, ok = at+3-i, true, true
			}
		}
	}
	return length, known, ok
}

// buildID reports whether an address is in the text that identifies the build, with which the code
// begins.
func (m *image) buildID(addr uint64) bool {
	for i := range m.sections {
		if s := &m.sections[i]; addr >= s.addr && addr-s.addr < s.size && s.data != nil {
			head := make([]byte, 256)
			if n, _ := s.data.ReadAt(head, 0); !bytes.HasPrefix(head[:n], []byte("\xff Go build ID: \"")) {
				return false
			}
			end := bytes.Index(head, []byte("\"\n \xff"))
			return end > 0 && addr-s.addr < uint64(end)
		}
	}
	return false
}

// arm64Address decodes an ADRP instruction and the one after it.
func arm64Address(page, rest uint32, pc uint64) (uint64, bool) {
	if page&0x9f000000 != 0x90000000 {
		return 0, false
	}
	imm := int64(page>>29&3|page>>5&0x7ffff<<2) << 43 >> 43
	a := pc&^0xfff + uint64(imm<<12)
	switch {
	case rest&0xffc00000 == 0x91000000: // ADD
		return a + uint64(rest>>10&0xfff), true
	case rest&0x3b000000 == 0x39000000: // load or store of one register
		scale := rest >> 30
		if rest&0x04800000 == 0x04800000 {
			scale = 4
		}
		return a + uint64(rest>>10&0xfff)<<scale, true
	}
	return 0, false
}
