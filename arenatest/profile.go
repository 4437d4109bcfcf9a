package arenatest

import (
	"bytes"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
)

// A record is what the memory profile has of a call stack.
type record struct {
	stack        []uintptr
	count, bytes int64 // since the program began
}

// profile returns the memory profile by stack and size of the allocations.
//
// runtime.MemProfile would have but 32 calls of a stack, too few for a parser that calls itself.
// The profile as text has them all, in lines such as
//
//	0: 0 [100: 1600] @ 0x47b2f1 0x4f23aa
//
// which are the values in use and their bytes, the same of all that were allocated, and the stack.
func profile() map[string]record {
	// What was allocated before is in the profile when two collections have come to their end.
	runtime.GC()
	runtime.GC()
	var b bytes.Buffer
	if err := pprof.Lookup("heap").WriteTo(&b, 1); err != nil {
		panic("arenatest: NoHeap: there is no memory profile: " + err.Error())
	}
	records := map[string]record{}
	for line := range strings.Lines(b.String()) {
		if r, ok := parseRecord(line); ok {
			key := strings.TrimSpace(line[strings.IndexByte(line, '@'):]) + strconv.FormatInt(r.bytes/max(r.count, 1), 10)
			records[key] = r
		}
	}
	return records
}

// parseRecord returns the record that a line of the profile is, or false.
func parseRecord(line string) (r record, ok bool) {
	counts, stack, ok := strings.Cut(line, "] @ ")
	if !ok {
		return r, false
	}
	_, counts, ok = strings.Cut(counts, "[")
	if !ok {
		return r, false
	}
	count, size, ok := strings.Cut(counts, ": ")
	if !ok {
		return r, false
	}
	var err error
	if r.count, err = strconv.ParseInt(count, 10, 64); err != nil {
		return r, false
	}
	if r.bytes, err = strconv.ParseInt(size, 10, 64); err != nil {
		return r, false
	}
	for pc := range strings.FieldsSeq(stack) {
		n, err := strconv.ParseUint(pc, 0, 64)
		if err != nil {
			return r, false // the first line, with the rate
		}
		r.stack = append(r.stack, uintptr(n))
	}
	return r, true
}
