#include "go_asm.h"
#include "textflag.h"

#define SYS_write 1
#define SYS_rt_sigprocmask 14
#define EINTR 4
#define EFAULT 14

// Offsets in the kernel's struct siginfo.
#define si_code 8
#define si_addr 16

// Offsets in its struct ucontext.
#define uc_rbp 120
#define uc_rsp 160
#define uc_rip 168

// func handlerPC() uintptr
TEXT ·handlerPC(SB), NOSPLIT, $0-8
	LEAQ	·handler(SB), AX
	MOVQ	AX, ret+0(FP)
	RET

// func handler()
//
// It is entered like a C function: DI is the signal, SI the siginfo, DX the ucontext, and the
// return address on top of the stack. The former handler is jumped to with all of these, the
// stack pointer and the registers that C functions keep (BX, BP, R12 to R15, so g too) as they
// were. Nothing is called or locked, and nothing of the runtime is touched. The
// address of caughtBy is loaded rather than its fields, since the latter costs R15
// in programs that are linked dynamically.
//
// The stack of who faulted is found by its frame pointers, which are only that in Go code: before
// it reads there, the handler asks the kernel whether that can be read. A call of rt_sigprocmask that changes
// the mask in a way that there is not does so, and nothing else.
TEXT ·handler(SB), NOSPLIT|NOFRAME, $0
	LEAQ	·caughtBy(SB), R8

	// A positive code says that the kernel made the signal, and that there is an address.
	MOVL	si_code(SI), AX
	CMPL	AX, $0
	JLE	chain

	// The first range that has the address, without signs.
	MOVQ	si_addr(SI), CX
	MOVQ	(hook_table+0)(R8), AX
	MOVQ	(hook_table+8)(R8), R9
search:
	TESTQ	R9, R9
	JZ	chain
	CMPQ	CX, Range_lo(AX)
	JCS	next
	CMPQ	CX, Range_hi(AX)
	JCS	found
next:
	ADDQ	$Range__size, AX
	DECQ	R9
	JMP	search

found:
	LOCK
	INCQ	Range_hits(AX)
	MOVQ	CX, hook_last(R8)

	PUSHQ	DI
	PUSHQ	SI
	PUSHQ	DX
	PUSHQ	BX
	PUSHQ	BP
	PUSHQ	R12
	PUSHQ	R13
	PUSHQ	R14
	MOVQ	Range_text(AX), R14

	// The event: R13 is its address, R12 its number.
	MOVL	$1, R12
	LOCK
	XADDQ	R12, hook_count(R8)
	MOVQ	R12, R13
	ANDQ	$(const_ringSize-1), R13
	IMULQ	$event__size, R13
	LEAQ	hook_ring(R8)(R13*1), R13
	INCQ	R12
	MOVQ	$0, event_number(R13)
	MOVQ	CX, event_addr(R13)
	MOVQ	uc_rip(DX), AX
	MOVQ	AX, event_pcs(R13)
	MOVQ	$0, event_sp(R13)
	MOVQ	uc_rsp(DX), BX
	MOVQ	uc_rbp(DX), R9

	// A system call loses AX, CX and R11 and no other register.
	MOVL	$8, R10
	XORL	DX, DX
	MOVL	$-1, DI
	MOVL	$1, BP
	MOVQ	BX, SI
	MOVL	$SYS_rt_sigprocmask, AX
	SYSCALL
	CMPQ	AX, $-EFAULT
	JEQ	walked
	MOVQ	(BX), AX
	MOVQ	AX, event_sp(R13)

	// R9 is the address of a frame, which is BX or above it, BP the number of pcs.
frame:
	CMPQ	BP, $const_maxPCs
	JCC	walked
	CMPQ	R9, BX
	JCS	walked
	TESTQ	$7, R9
	JNE	walked
	MOVQ	R9, SI
	MOVL	$SYS_rt_sigprocmask, AX
	SYSCALL
	CMPQ	AX, $-EFAULT
	JEQ	walked
	LEAQ	8(R9), SI
	MOVL	$SYS_rt_sigprocmask, AX
	SYSCALL
	CMPQ	AX, $-EFAULT
	JEQ	walked
	MOVQ	8(R9), AX
	MOVQ	AX, event_pcs(R13)(BP*8)
	INCQ	BP
	LEAQ	16(R9), BX
	MOVQ	(R9), R9
	TESTQ	AX, AX
	JNE	frame
	DECQ	BP
walked:
	MOVQ	$0, event_pcs(R13)(BP*8)
	MOVQ	R12, event_number(R13)

	TESTQ	R14, R14
	JZ	written
	MOVQ	(Text_s+0)(R14), SI
	MOVQ	(Text_s+8)(R14), DX
write:
	TESTQ	DX, DX
	JZ	written
	MOVL	$2, DI
	MOVL	$SYS_write, AX
	SYSCALL
	CMPQ	AX, $-EINTR
	JEQ	write
	CMPQ	AX, $0
	JLE	written
	ADDQ	AX, SI
	SUBQ	AX, DX
	JMP	write
written:
	POPQ	R14
	POPQ	R13
	POPQ	R12
	POPQ	BP
	POPQ	BX
	POPQ	DX
	POPQ	SI
	POPQ	DI

chain:
	LEAQ	·caughtBy(SB), AX
	MOVQ	hook_old(AX), AX
	JMP	AX
