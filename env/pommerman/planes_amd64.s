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
	CMPQ CX, $96
	JLE block
	CMPQ CX, $128
	JLE four

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

	// Boards of up to 128 cells, the usual ones, stay in four registers, and
	// memory is written from front to back.
four:
	VMOVDQU (SI), Y8
	VMOVDQU 32(SI), Y9
	VMOVDQU 64(SI), Y10
	VMOVDQU (SI)(R10*1), Y11
	VPSHUFB Y8, Y3, Y8
	VPSHUFB Y9, Y3, Y9
	VPSHUFB Y10, Y3, Y10
	VPSHUFB Y11, Y3, Y11
	VPXOR Y1, Y1, Y1

fourPlanes:
	VPCMPEQB Y8, Y1, Y4
	VPCMPEQB Y9, Y1, Y5
	VPCMPEQB Y10, Y1, Y6
	VPCMPEQB Y11, Y1, Y7
	VPAND Y2, Y4, Y4
	VPAND Y2, Y5, Y5
	VPAND Y2, Y6, Y6
	VPAND Y2, Y7, Y7
	VMOVDQU Y4, (DI)
	VMOVDQU Y5, 32(DI)
	VMOVDQU Y6, 64(DI)
	VMOVDQU Y7, (DI)(R10*1)
	VPADDB Y2, Y1, Y1
	ADDQ CX, DI
	DECQ R8
	JNZ fourPlanes
	VZEROUPPER
	RET
