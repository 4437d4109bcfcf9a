package vm

import "unsafe"

var virtualProtect = kernel32.NewProc("VirtualProtect")

// protect divides what the system does not do at once: pages that Go has got from it by several
// calls.
func protect(base, size uintptr, access bool) error {
	err := protectAll(base, size, access)
	page := uintptr(PageSize())
	if half := size / 2 / page * page; err != nil && half > 0 {
		if err = protect(base, half, access); err == nil {
			err = protect(base+half, size-half, access)
		}
	}
	return err
}

func protectAll(base, size uintptr, access bool) error {
	mode := uintptr(pageNoAccess)
	if access {
		mode = pageReadWrite
	}
	var old uint32
	// SAFETY: the system writes the former mode to old, during the call only.
	_, err := call(virtualProtect, base, size, mode, uintptr(unsafe.Pointer(&old)))
	return err
}
