package vm

import "unsafe"

var virtualProtect = kernel32.NewProc("VirtualProtect")

func protect(b []byte, access bool) error {
	mode := uintptr(pageNoAccess)
	if access {
		mode = pageReadWrite
	}
	var old uint32
	// SAFETY: the system writes the former mode to old, during the call only.
	_, err := call(virtualProtect, spanOf(b).base, uintptr(len(b)), mode, uintptr(unsafe.Pointer(&old)))
	return err
}
