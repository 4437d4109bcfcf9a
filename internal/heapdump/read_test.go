package heapdump

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A dump is made record by record.
type dump struct {
	bytes.Buffer
	word  int
	order binary.ByteOrder
}

func newDump(word int, order binary.ByteOrder) *dump {
	d := &dump{word: word, order: order}
	d.WriteString(header)
	big := uint64(0)
	if order == binary.ByteOrder(binary.BigEndian) {
		big = 1
	}
	d.uints(tagParams, big, uint64(word), 0, 0)
	d.text("arch")
	d.text("go1.26")
	d.uints(2)
	return d
}

func (d *dump) uints(list ...uint64) {
	for _, v := range list {
		d.Write(binary.AppendUvarint(nil, v))
	}
}

func (d *dump) text(s string) {
	d.uints(uint64(len(s)))
	d.WriteString(s)
}

// words writes memory, all of whose words are pointers.
func (d *dump) words(list []uint64) {
	d.uints(uint64(len(list) * d.word))
	for _, v := range list {
		b := make([]byte, 8)
		if d.word == 4 {
			d.order.PutUint32(b, uint32(v))
		} else {
			d.order.PutUint64(b, v)
		}
		d.Write(b[:d.word])
	}
}

func (d *dump) pointers(n int) {
	for i := range n {
		d.uints(1, uint64(i*d.word))
	}
	d.uints(0)
}

func (d *dump) object(addr uint64, words ...uint64) {
	d.uints(tagObject, addr)
	d.words(words)
	d.pointers(len(words))
}

func (d *dump) segment(tag, addr uint64, words ...uint64) {
	d.uints(tag, addr)
	d.words(words)
	d.pointers(len(words))
}

func (d *dump) goroutine(id uint64, waiting string, context uint64) {
	d.uints(tagGoroutine, 0, 0, id, 0, 4, 0, 0, 0)
	d.text(waiting)
	d.uints(context, 0, 0, 0)
}

func (d *dump) frame(name string, depth uint64, live int, words ...uint64) {
	d.uints(tagStackFrame, 0x7000+depth*0x100, depth, 0)
	d.words(words)
	d.uints(0, 0, 0)
	d.text(name)
	d.pointers(live)
}

func (d *dump) end() []byte {
	d.uints(tagOSThread, 0, 0, 0, tagMemStats)
	for range 24 + 256 + 1 {
		d.uints(0)
	}
	d.uints(tagMemProf, 1, 2, 1)
	d.text("f")
	d.text("f.go")
	d.uints(3, 4, 5, tagAllocSample, 1, 2, tagEOF)
	return d.Bytes()
}

// sample has a root of each kind.
func sample(word int, order binary.ByteOrder) []byte {
	d := newDump(word, order)
	d.uints(tagType, 0x10, 8)
	d.text("a.T")
	d.uints(1, tagItab, 0x20, 0x10)
	for i := range uint64(12) { // each has a pointer to a target
		d.object(0x10000+i*0x100, 0, 0x20000+i*0x100)
	}
	for i := range uint64(12) {
		d.object(0x20000+i*0x100, 0, 0)
	}
	d.goroutine(7, "chan receive", 0x10300)
	d.frame("main.f", 0, 1, 0x10200, 0x10a00)
	d.uints(tagDefer, 0, 0, 0, 0, 0x10400, 0, 0, tagPanic, 0, 0, 0, 0x10500, 0, 0)
	d.goroutine(8, "dumping heap", 0x10b00)
	d.frame("runtime.gcStart", 0, 1, 0x10b00)
	d.frame(asker, 1, 1, 0x10b00)
	d.frame("main.g", 2, 1, 0x10900, 0x10b00)
	d.uints(tagOtherRoot)
	d.text("a name")
	d.uints(0x10600)
	d.segment(tagData, 0x3000, 0x10000)
	d.segment(tagBSS, 0x4000, 0, 0x10104)
	d.uints(tagFinalizer, 0x10700, 0x10800, 0, 0, 0x10)
	return d.end()
}

var sampleTargets = func() (list []Object) {
	for i := range uintptr(12) {
		list = append(list, Object{0x20000 + i*0x100, 8})
	}
	return list
}()

// samplePaths are the paths to the targets of sample.
func samplePaths(word int) []string {
	w := fmt.Sprint(word)
	step := "; object of " + fmt.Sprint(2*word) + " bytes, offset " + w
	return []string{
		"global at 0x3000 (segment data, offset 0x0)" + step,
		"global at 0x400" + w + " (segment bss, offset 0x" + w + ")" + step,
		"goroutine 7 [chan receive], main.f" + step,
		"goroutine 7 [chan receive], its function" + step,
		"goroutine 7 [chan receive], a deferred call" + step,
		"goroutine 7 [chan receive], the value of a panic" + step,
		"other root: a name" + step,
		"finalizer of a.T" + step,
		"finalizer of a.T" + step,
		"goroutine 8 [dumping heap], main.g" + step,
		"goroutine 7 [chan receive], main.f, a word of the stack that may be out of use" + step,
		"cleanup, perhaps: no root in the dump leads to what follows" + step,
	}
}

// TestRead checks dumps of all forms of words.
func TestRead(t *testing.T) {
	for _, word := range []int{4, 8} {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			t.Run(fmt.Sprint(word, order), func(t *testing.T) {
				b := sample(word, order)
				found, _, err := find(bytes.NewReader(b), int64(len(b)), 0, sampleTargets, Config{}, false)
				if err != nil {
					t.Fatal(err)
				}
				for i, want := range samplePaths(word) {
					if got := strings.Join(found[i].Path, "; "); got != want {
						t.Errorf("target %d: %s, not %s", i, got, want)
					}
				}
			})
		}
	}
}

// TestMalformed checks that each prefix of a dump is an error, and other mistakes.
func TestMalformed(t *testing.T) {
	whole := sample(8, binary.LittleEndian)
	check := func(name string, b []byte) {
		t.Helper()
		if _, _, err := find(bytes.NewReader(b), int64(len(b)), 0, sampleTargets, Config{}, false); err == nil || !strings.HasPrefix(err.Error(), "heapdump: ") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	for n := range whole {
		check(fmt.Sprintf("the first %d bytes", n), whole[:n])
	}
	check("a byte too many", append(bytes.Clone(whole), 0))
	check("another version", append([]byte("go1.99 heap dump\n"), whole[len(header):]...))
	mistakes := map[string]func(d *dump){
		"an unknown record":        func(d *dump) { d.uints(18) },
		"parameters again":         func(d *dump) { d.uints(tagParams, 0, 8, 0, 0); d.text(""); d.text(""); d.uints(1) },
		"a pointer outside":        func(d *dump) { d.uints(tagObject, 0x100); d.words([]uint64{1}); d.uints(1, 1, 0) },
		"a pointer far outside":    func(d *dump) { d.uints(tagObject, 0x100); d.words([]uint64{1}); d.uints(1, 1<<63, 0) },
		"a kind of pointer":        func(d *dump) { d.uints(tagObject, 0x100); d.words([]uint64{1}); d.uints(4, 0, 0) },
		"two at one address":       func(d *dump) { d.object(0x100, 1, 2); d.object(0x108, 1) },
		"no size":                  func(d *dump) { d.object(0x100) },
		"an odd address":           func(d *dump) { d.object(0x101, 1) },
		"beyond the end of memory": func(d *dump) { d.object(1<<64-8, 1, 2) },
		"a length":                 func(d *dump) { d.uints(tagObject, 0x100, 1<<62) },
		"a name's length":          func(d *dump) { d.uints(tagOtherRoot, longestText+1); d.Write(make([]byte, longestText+1)) },
		"a number":                 func(d *dump) { d.Write(bytes.Repeat([]byte{0xff}, 11)) },
		"a frame of nobody":        func(d *dump) { d.frame("f", 0, 0) },
		"a defer of nobody":        func(d *dump) { d.uints(tagDefer, 0, 0, 0, 0, 0, 0, 0) },
	}
	for name, make := range mistakes {
		d := newDump(8, binary.LittleEndian)
		make(d)
		check(name, d.end())
	}
	d := newDump(8, binary.LittleEndian)
	if b := d.end(); true {
		if _, _, err := find(bytes.NewReader(b), int64(len(b)), 0, nil, Config{}, false); err != nil {
			t.Errorf("an empty dump: %v", err)
		}
	}
}

type failing struct{ *bytes.Reader }

var errFailing = errors.New("no more")

func (f failing) ReadAt(b []byte, at int64) (int, error) { return 0, errFailing }

// TestReadFails checks that an error of the file is passed on.
func TestReadFails(t *testing.T) {
	if _, _, err := find(failing{}, 1000, 0, nil, Config{}, false); !errors.Is(err, errFailing) {
		t.Error(err)
	}
}

// FuzzRead checks that no dump makes the search panic.
func FuzzRead(f *testing.F) {
	for _, word := range []int{4, 8} {
		f.Add(sample(word, binary.LittleEndian))
		f.Add(sample(word, binary.BigEndian))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		found, _, err := find(bytes.NewReader(b), int64(len(b)), 0, sampleTargets, Config{}, false)
		if (err == nil) != (found != nil) {
			t.Fatal(found, err)
		}
	})
}
