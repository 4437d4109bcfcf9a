#include "go_asm.h"
#include "textflag.h"

#define SYS_write 64
#define SYS_rt_sigprocmask 135
#define EINTR 4
#define EFAULT 14

// Offsets in the kernel's struct siginfo.
#define si_code 8
#define si_addr 16

// Offsets in its struct ucontext.
#define uc_r29 416
#define uc_r30 424
#define uc_sp 432
#define uc_pc 440

// func handlerPC() uintptr
TEXT ·handlerPC(SB), NOSPLIT, $0-8
	MOVD	$·handler(SB), R0
	MOVD	R0, ret+0(FP)
	RET

// func handler()
//
// It is entered like a C function: R0 is the signal, R1 the siginfo, R2 the ucontext, R30 the
// return address. The former handler is jumped to with all of these, the stack pointer
// and the registers that C functions keep (R19 to R29, so g too) as they were. Only R3 to R17
// are used. Nothing is pushed, called or locked, and nothing of the runtime is touched.
//
// The stack of who faulted is found by its frame pointers, which are only that in Go code: before
// it reads there, the handler asks the kernel whether that can be read. A call of rt_sigprocmask that changes
// the mask in a way that there is not does so, and nothing else.
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
	ADD	$Range_hits, R11, R12
hit:
	LDAXR	(R12), R13
	ADD	$1, R13
	STLXR	R13, (R12), R14
	CBNZ	R14, hit
	MOVD	R10, hook_last(R9)
	MOVD	Range_text(R11), R12

	// A system call loses R0 and no other register.
	MOVD	R0, R13
	MOVD	R1, R14
	MOVD	R2, R15

	// The event: R7 is its address, R6 its number.
	ADD	$hook_count, R9, R16
number:
	LDAXR	(R16), R6
	ADD	$1, R6
	STLXR	R6, (R16), R17
	CBNZ	R17, number
	SUB	$1, R6, R7
	AND	$(const_ringSize-1), R7
	MOVD	$event__size, R16
	MUL	R16, R7
	ADD	$hook_ring, R9, R16
	ADD	R16, R7
	MOVD	ZR, event_number(R7)
	DMB	$0xb
	MOVD	R10, event_addr(R7)
	MOVD	uc_r30(R2), R16
	MOVD	R16, event_sp(R7)
	ADD	$event_pcs, R7, R17
	MOVD	uc_pc(R2), R16
	MOVD	R16, (R17)
	MOVD	uc_sp(R2), R10
	SUB	$8, R10 // where a frame pointer of Go points to
	MOVD	uc_r29(R2), R11
	MOVD	$1, R5

	// R11 is the address of a frame, which is R10 or above it, R5 the number of pcs, and the last is at R17.
	MOVD	$8, R3
	MOVD	ZR, R2
	MOVD	$SYS_rt_sigprocmask, R8
frame:
	CMP	$const_maxPCs, R5
	BHS	walked
	CMP	R10, R11
	BLO	walked
	TST	$7, R11
	BNE	walked
	MOVD	$-1, R0
	MOVD	R11, R1
	SVC
	CMN	$EFAULT, R0
	BEQ	walked
	MOVD	$-1, R0
	ADD	$8, R11, R1
	SVC
	CMN	$EFAULT, R0
	BEQ	walked
	MOVD	8(R11), R16
	CBZ	R16, walked
	ADD	$8, R17
	MOVD	R16, (R17)
	ADD	$1, R5
	ADD	$16, R11, R10
	MOVD	(R11), R11
	B	frame
walked:
	MOVD	ZR, 8(R17)
	DMB	$0xb
	MOVD	R6, event_number(R7)

	CBZ	R12, written
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
