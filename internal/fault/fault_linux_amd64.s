#include "go_asm.h"
#include "textflag.h"

#define SYS_write 1
#define EINTR 4

// Offsets in the kernel's struct siginfo.
#define si_code 8
#define si_addr 16

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
// were. Nothing is pushed, called or locked, and nothing of the runtime is touched. The
// address of caughtBy is loaded rather than its fields, since the latter costs R15
// in programs that are linked dynamically.
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
	MOVQ	CX, hook_last(R8)
	MOVQ	Range_text(AX), CX
	TESTQ	CX, CX
	JZ	chain

	// A system call loses AX, CX and R11 and no other register.
	MOVQ	DI, R8
	MOVQ	SI, R9
	MOVQ	DX, R10
	MOVQ	(Text_s+0)(CX), SI
	MOVQ	(Text_s+8)(CX), DX
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
	MOVQ	R8, DI
	MOVQ	R9, SI
	MOVQ	R10, DX

chain:
	LEAQ	·caughtBy(SB), AX
	MOVQ	hook_old(AX), AX
	JMP	AX
