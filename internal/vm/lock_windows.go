package vm

var (
	virtualLock   = kernel32.NewProc("VirtualLock")
	virtualUnlock = kernel32.NewProc("VirtualUnlock")
)

func lock(b []byte) error {
	_, err := call(virtualLock, Addr(b), uintptr(len(b)))
	return err
}

func unlock(b []byte) error {
	_, err := call(virtualUnlock, Addr(b), uintptr(len(b)))
	return err
}
