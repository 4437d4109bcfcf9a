package vm

import "unsafe"

var virtualProtect = kernel32.NewProc("VirtualProtect")

// protect divides what the system does not do at once: pages that Go has got from it by several calls.
func protect(b []byte, access bool) error {
	err := protectAll(b, access)
	if half := len(b) / 2 / PageSize() * PageSize(); err != nil && half > 0 {
		if err = protect(b[:half], access); err == nil {
			err = protect(b[half:], access)
		}
	}
	return err
}

func protectAll(b []byte, access bool) error {
	mode := uintptr(pageNoAccess)
	if access {
		mode = pageReadWrite
	}
	var old uint32
	// SAFETY: the system writes the former mode to old, during the call only.
	_, err := call(virtualProtect, spanOf(b).base, uintptr(len(b)), mode, uintptr(unsafe.Pointer(&old)))
	return err
}
