#include "go_asm.h"
#include "textflag.h"

// A strip is four blocks of 32 cells, which begin at 0, R8, R9 and R10. Strips
// under 128 cells have blocks that overlap, and write the same bytes twice.
// Both routines keep in Y12 to Y15 what is in sight, and write memory from
// front to back.

// BLOCKS sets R8 to R10 from the width in CX.
#define BLOCKS \
	LEAQ -32(CX), R10; \
	MOVQ $32, R8;      \
	CMPQ R8, R10;      \
	CMOVQGT R10, R8;   \
	MOVQ $64, R9;      \
	CMPQ R9, R10;      \
	CMOVQGT R10, R9

// SIGHT loads what is in sight, from DX.
#define SIGHT \
	VMOVDQU (DX), Y12;        \
	VMOVDQU (DX)(R8*1), Y13;  \
	VMOVDQU (DX)(R9*1), Y14;  \
	VMOVDQU (DX)(R10*1), Y15

// WRITE stores Y4 to Y7 as the next plane or map. Batches are larger than the
// cache, so it asks for the lines that are written some time later.
#define WRITE \
	PREFETCHT0 1024(DI);      \
	PREFETCHT0 1088(DI);      \
	VMOVDQU Y4, (DI);         \
	VMOVDQU Y5, (DI)(R8*1);   \
	VMOVDQU Y6, (DI)(R9*1);   \
	VMOVDQU Y7, (DI)(R10*1);  \
	ADDQ BX, DI

// MASKED writes the part of the map at AX that is in sight.
#define MASKED \
	VPAND (AX), Y12, Y4;        \
	VPAND (AX)(R8*1), Y13, Y5;  \
	VPAND (AX)(R9*1), Y14, Y6;  \
	VPAND (AX)(R10*1), Y15, Y7; \
	WRITE

// BOARD loads the board, the first map at SI, into Y8 to Y11, with fog where it is
// out of sight. It needs Y0.
#define BOARD \
	MOVQ $(const_Fog*0x0101010101010101), AX; \
	VMOVQ AX, X0;                 \
	VPBROADCASTQ X0, Y0;          \
	VPANDN Y0, Y12, Y8;           \
	VPANDN Y0, Y13, Y9;           \
	VPANDN Y0, Y14, Y10;          \
	VPANDN Y0, Y15, Y11;          \
	VPAND (SI), Y12, Y4;          \
	VPAND (SI)(R8*1), Y13, Y5;    \
	VPAND (SI)(R9*1), Y14, Y6;    \
	VPAND (SI)(R10*1), Y15, Y7;   \
	VPOR Y4, Y8, Y8;              \
	VPOR Y5, Y9, Y9;              \
	VPOR Y6, Y10, Y10;            \
	VPOR Y7, Y11, Y11

// func maskMapsAVX2(dst, maps, seen *byte, stride, width int)
TEXT ·maskMapsAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ maps+8(FP), SI
	MOVQ seen+16(FP), DX
	MOVQ stride+24(FP), BX
	MOVQ width+32(FP), CX
	BLOCKS
	SIGHT
	BOARD
	VMOVDQU Y8, (DI)
	VMOVDQU Y9, (DI)(R8*1)
	VMOVDQU Y10, (DI)(R9*1)
	VMOVDQU Y11, (DI)(R10*1)
	ADDQ BX, DI
	LEAQ (SI)(BX*1), AX
	MOVQ $(const_numMaps-1), CX
maps:
	MASKED
	ADDQ BX, AX
	DECQ CX
	JNZ maps
	VZEROUPPER
	RET

// EQUAL writes 1 where Y4 to Y7 are all ones. It needs Y2, ones.
#define EQUAL \
	VPAND Y2, Y4, Y4; \
	VPAND Y2, Y5, Y5; \
	VPAND Y2, Y6, Y6; \
	VPAND Y2, Y7, Y7; \
	WRITE

// func spreadPlanesAVX2(dst, maps, seen *byte, as *[16]uint8, sources *source, stride, width int)
TEXT ·spreadPlanesAVX2(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ maps+8(FP), SI
	MOVQ seen+16(FP), DX
	MOVQ as+24(FP), R11
	MOVQ sources+32(FP), R12
	MOVQ stride+40(FP), BX
	MOVQ width+48(FP), CX
	BLOCKS
	SIGHT
	BOARD
	VBROADCASTI128 (R11), Y3
	VPSHUFB Y8, Y3, Y8
	VPSHUFB Y9, Y3, Y9
	VPSHUFB Y10, Y3, Y10
	VPSHUFB Y11, Y3, Y11
	VPCMPEQB Y2, Y2, Y2
	VPABSB Y2, Y2
	MOVQ $const_numPlanes, CX

plane:
	VPBROADCASTB source_value(R12), Y1
	MOVBQZX source_from(R12), AX
	CMPQ AX, $const_mapBoard
	JNE other
	VPCMPEQB Y8, Y1, Y4
	VPCMPEQB Y9, Y1, Y5
	VPCMPEQB Y10, Y1, Y6
	VPCMPEQB Y11, Y1, Y7
	EQUAL
	JMP next

other:
	IMULQ BX, AX
	ADDQ SI, AX
	CMPB source_value(R12), $const_whole
	JEQ copy
	VPCMPEQB (AX), Y1, Y4
	VPCMPEQB (AX)(R8*1), Y1, Y5
	VPCMPEQB (AX)(R9*1), Y1, Y6
	VPCMPEQB (AX)(R10*1), Y1, Y7
	VPAND Y12, Y4, Y4
	VPAND Y13, Y5, Y5
	VPAND Y14, Y6, Y6
	VPAND Y15, Y7, Y7
	EQUAL
	JMP next

copy:
	MASKED

next:
	ADDQ $source__size, R12
	DECQ CX
	JNZ plane
	VZEROUPPER
	RET
