package guard

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/arena-go/arena/internal/fault"
)

// catching is set by Catch.
var catching atomic.Bool

// Catch has faults in wards explain themselves, with Owner.Text, and notes them. Later wards, and
// ends of present ones, have texts. Any goroutine may call it, and more than once. It returns the
// error of fault.Catch.
func Catch() error {
	wards.Lock()
	table := wardTable()
	wards.Unlock()
	if err := fault.Catch(table); err != nil {
		return err
	}
	catching.Store(true)
	return nil
}

// At returns what a fault at addr is. ok reports whether that is in a ward. The caller tells of the
// fault, and nobody else does any more.
func At(addr uintptr) (f Finding, ok bool) {
	wards.Lock()
	defer wards.Unlock()
	for i := range wards.table {
		if wards.table[i].Has(addr) {
			wards.table[i].TakeOne()
			return wards.all[i].finding(addr), true
		}
	}
	return Finding{}, false
}

// Recovered returns what the fault v is that a goroutine has recovered from, with its stack. ok
// reports whether that is in a ward. It is called by the function that has called recover, or by
// one that this calls.
func Recovered(v any) (f Finding, ok bool) {
	fault, ok := v.(interface{ Addr() uintptr })
	if !ok {
		return Finding{}, false
	}
	if f, ok = At(fault.Addr()); ok {
		f.Used = faultStack()
	}
	return f, ok
}

// faultStack returns the stack that led to the fault from which the goroutine has recovered.
func faultStack() []uintptr {
	var pc [64]uintptr
	stack := append([]uintptr(nil), pc[:runtime.Callers(2, pc[:])]...)
	for i, pc := range stack {
		if f := runtime.FuncForPC(pc - 1); f != nil && f.Name() == "runtime.sigpanic" {
			return stack[i+1:]
		}
	}
	return stack
}

// untold has the faults that somebody has recovered from, and other findings, that were not
// reported yet.
var untold struct {
	sync.Mutex
	findings []Finding
	seen     atomic.Uint64 // faults
}

// takeFaults notes the faults in w, for ReportFaults.
func (w *ward) takeFaults() {
	wards.Lock()
	defer wards.Unlock()
	w.noteFaults()
}

// noteFaults is takeFaults when wards is locked.
func (w *ward) noteFaults() {
	n, addr, stack := wards.table[w.slot].Take()
	if n == 0 {
		return
	}
	f := w.finding(addr)
	f.Used = stack
	if n > 1 {
		f.Detail += fmt.Sprintf(", and %d more such faults", n-1)
	}
	untold.Lock()
	defer untold.Unlock()
	untold.findings = append(untold.findings, f)
}

// ReportFaults reports the faults that were not reported yet. Something has recovered from them, or
// is about to, or the program ends. It calls functions of the program, as LetOut does.
func ReportFaults() {
	if n := fault.Count(); untold.seen.Swap(n) != n {
		wards.Lock()
		for _, w := range wards.all {
			if w != nil {
				w.noteFaults()
			}
		}
		wards.Unlock()
	}
	untold.Lock()
	all := untold.findings
	untold.findings = nil
	untold.Unlock()
	for _, f := range all {
		f.Owner.Report(f)
	}
}
