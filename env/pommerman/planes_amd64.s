#include "textflag.h"

// func spreadPlanesAVX2(dst, flat *byte, cells int, of *[16]uint8, planes int)
//
// Blocks of 32 cells; the last begins early enough to end with the board, and
// so overlaps the one before it. For each block: Y0 the planes of its cells,
// Y1 the number of the plane being written, Y2 ones.
TEXT ·spreadPlanesAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ flat+8(FP), SI
	MOVQ cells+16(FP), CX
	MOVQ of+24(FP), DX
	MOVQ planes+32(FP), R8
	VBROADCASTI128 (DX), Y3
	VPCMPEQB Y2, Y2, Y2
	VPABSB Y2, Y2          // bytes of 1
	XORQ R9, R9            // where the block begins
	LEAQ -32(CX), R10      // where the last one does

block:
	VMOVDQU (SI)(R9*1), Y0
	VPSHUFB Y0, Y3, Y0
	VPXOR Y1, Y1, Y1
	LEAQ (DI)(R9*1), R11
	MOVQ R8, R12

plane:
	VPCMPEQB Y0, Y1, Y4
	VPAND Y2, Y4, Y4
	VMOVDQU Y4, (R11)
	VPADDB Y2, Y1, Y1
	ADDQ CX, R11
	DECQ R12
	JNZ plane

	CMPQ R9, R10
	JGE done
	ADDQ $32, R9
	CMPQ R9, R10
	JLE block
	MOVQ R10, R9
	JMP block

done:
	VZEROUPPER
	RET
