package main

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/arena-go/arena"
)

// testdata holds the profiles that the program takes if it is given none.
//
//go:embed testdata/*.pb.gz
var testdata embed.FS

// An input is a file that has been read.
type input struct {
	name string
	raw  []byte // the bytes of the file
	data string // inflated
}

// readAll reads and inflates the files, or those in testdata if there are none.
func readAll(files []string, stdin io.Reader, maxSize int) ([]input, error) {
	open := func(name string) (io.ReadCloser, error) { return os.Open(name) }
	if len(files) == 0 {
		files, _ = fs.Glob(testdata, "testdata/*")
		open = func(name string) (io.ReadCloser, error) { return testdata.Open(name) }
	}
	var inputs []input
	var z inflater
	for _, name := range files {
		in, r := input{name: stdinName}, io.NopCloser(stdin)
		var err error
		if name != "-" {
			in.name = name
			if r, err = open(name); err != nil {
				return nil, err
			}
		}
		in.raw, err = io.ReadAll(io.LimitReader(r, int64(maxSize)+1))
		r.Close()
		if err != nil {
			return nil, err
		}
		if in.data, err = z.inflate(nil, in, maxSize); err != nil {
			return nil, err
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// stdinName is the name of the file "-" in messages.
const stdinName = "standard input"

// maxDeflate is how many times larger inflating can make a file.
const maxDeflate = 1032

// An inflater keeps the memory that inflating takes, from one file to the next.
type inflater struct {
	raw bytes.Reader
	gz  gzip.Reader
	buf [32 << 10]byte
}

// inflate returns the uncompressed contents of a file, in a.
func (z *inflater) inflate(a *arena.Arena, in input, maxSize int) (string, error) {
	if len(in.raw) > maxSize {
		return "", fmt.Errorf("%s: larger than %d MiB (see -maxsize)", in.name, maxSize>>20)
	}
	if !bytes.HasPrefix(in.raw, []byte{0x1f, 0x8b}) {
		return string(in.raw), nil
	}
	damaged := func(err error) error {
		return fmt.Errorf("%s: offset %d: damaged gzip stream: %w (offset in the file)", in.name, int(z.raw.Size())-z.raw.Len(), err)
	}
	z.raw.Reset(in.raw)
	if err := z.gz.Reset(&z.raw); err != nil {
		return "", damaged(err)
	}
	// A gzip file ends with its inflated size. It may lie.
	size := int64(binary.LittleEndian.Uint32(in.raw[len(in.raw)-4:]))
	b := arena.NewBuilder(a)
	b.Grow(int(min(size, int64(maxSize), maxDeflate*int64(len(in.raw)))))
	for {
		n, err := z.gz.Read(z.buf[:])
		b.Write(z.buf[:n])
		switch {
		case b.Len() > maxSize:
			return "", fmt.Errorf("%s: inflates to more than %d MiB (see -maxsize)", in.name, maxSize>>20)
		case err == io.EOF:
			return b.String(), nil
		case err != nil:
			return "", damaged(err)
		}
	}
}
