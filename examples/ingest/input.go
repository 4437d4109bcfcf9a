package main

import (
	"embed"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"strings"
)

// testdata has the profiles that the program sends if it is given none.
//
//go:embed testdata/*.pb.gz
var testdata embed.FS

// An input is a profile to send.
type input struct {
	app  string
	raw  []byte // the bytes of the file
	data []byte // inflated
}

// readInputs reads the files, or those in testdata if there are none. The file cpu.pb.gz is of the
// application cpu.
func readInputs(files []string) ([]input, error) {
	read := os.ReadFile
	if len(files) == 0 {
		files, _ = fs.Glob(testdata, "testdata/*")
		read = testdata.ReadFile
	}
	var inputs []input
	for _, file := range files {
		raw, err := read(file)
		if err != nil {
			return nil, err
		}
		data, err := new(upload).inflateAny(raw, math.MaxInt64-1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		app, _, _ := strings.Cut(path.Base(file), ".")
		if strings.Contains(file, ".heap.") {
			app += ".heap" // another kind of profile, with other sample types
		}
		inputs = append(inputs, input{app, raw, data})
	}
	return inputs, nil
}
