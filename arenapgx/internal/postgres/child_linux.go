package postgres

import "syscall"

// dieWithParent has the server end when this process does, however that ends: a test that panics
// does not stop it.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }
