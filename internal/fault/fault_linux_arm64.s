#include "go_asm.h"
#include "textflag.h"

#define SYS_write 64
#define EINTR 4

// Offsets in the kernel's struct siginfo.
#define si_code 8
#define si_addr 16

// func handlerPC() uintptr
TEXT ·handlerPC(SB), NOSPLIT, $0-8
	MOVD	$·handler(SB), R0
	MOVD	R0, ret+0(FP)
	RET

// func handler()
//
// It is entered like a C function: R0 is the signal, R1 the siginfo, R2 the ucontext, R30 the
// return address. The former handler is jumped to with all of these, the stack pointer
// and the registers that C functions keep (R19 to R29, so g too) as they were. Only R8 to R17
// are used. Nothing is pushed, called or locked, and nothing of the runtime is touched.
TEXT ·handler(SB), NOSPLIT|NOFRAME, $0
	MOVD	$·caughtBy(SB), R9

	// A positive code says that the kernel made the signal, and that there is an address.
	MOVW	si_code(R1), R10
	CMPW	$0, R10
	BLE	chain

	// The first range that has the address, without signs.
	MOVD	si_addr(R1), R10
	MOVD	(hook_table+0)(R9), R11
	MOVD	(hook_table+8)(R9), R12
search:
	CBZ	R12, chain
	MOVD	Range_lo(R11), R13
	CMP	R13, R10
	BLO	next
	MOVD	Range_hi(R11), R13
	CMP	R13, R10
	BLO	found
next:
	ADD	$Range__size, R11
	SUB	$1, R12
	B	search

found:
	MOVD	R10, hook_last(R9)
	MOVD	Range_text(R11), R12
	CBZ	R12, chain

	// A system call loses R0 and no other register.
	MOVD	R0, R13
	MOVD	R1, R14
	MOVD	R2, R15
	MOVD	(Text_s+0)(R12), R1
	MOVD	(Text_s+8)(R12), R2
write:
	CBZ	R2, written
	MOVD	$2, R0
	MOVD	$SYS_write, R8
	SVC
	CMN	$EINTR, R0
	BEQ	write
	CMP	$0, R0
	BLE	written
	ADD	R0, R1
	SUB	R0, R2
	B	write
written:
	MOVD	R13, R0
	MOVD	R14, R1
	MOVD	R15, R2

chain:
	MOVD	$·caughtBy(SB), R16
	MOVD	hook_old(R16), R16
	JMP	(R16)
