#include "go_asm.h"
#include "textflag.h"

// A strip is four blocks of 32 cells, which begin at 0, R8, R9 and R10. Strips
// under 128 cells have blocks that overlap, and write the same bytes twice.
// Y12 to Y15 are what is in sight, and memory is written from front to back.

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

// EQUAL writes the unit where Y4 to Y7 are all ones. It needs Y2, units.
#define EQUAL \
	VPAND Y2, Y4, Y4; \
	VPAND Y2, Y5, Y5; \
	VPAND Y2, Y6, Y6; \
	VPAND Y2, Y7, Y7; \
	WRITE

// func spreadAVX2(dst, maps, seen *byte, as *[16]uint8, sources *source, stride, width, planes int, unit uint8)
TEXT ·spreadAVX2(SB), NOSPLIT, $0-65
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
	VPBROADCASTB unit+64(FP), Y2
	MOVQ planes+56(FP), CX

plane:
	VPBROADCASTB source_value(R12), Y1
	MOVBQZX source_from(R12), AX
	CMPQ AX, $const_mapBoard
	JNE other
	CMPB source_value(R12), $const_whole
	JEQ board
	VPCMPEQB Y8, Y1, Y4
	VPCMPEQB Y9, Y1, Y5
	VPCMPEQB Y10, Y1, Y6
	VPCMPEQB Y11, Y1, Y7
	EQUAL
	JMP next

board:
	VMOVDQA Y8, Y4
	VMOVDQA Y9, Y5
	VMOVDQA Y10, Y6
	VMOVDQA Y11, Y7
	WRITE
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

// FLATTEN gathers the cells of a flat board from the bordered layout, in A to D,
// into LO and HI: those that Z30 and Z31 name, of which K5 and K6 say which lie in
// C and D. It needs Z29.
#define FLATTEN(A, B, C, D, LO, HI) \
	VMOVDQA64 Z30, LO;      \
	VMOVDQA64 Z31, HI;      \
	VPERMI2B B, A, LO;      \
	VPERMI2B B, A, HI;      \
	VMOVDQA64 Z30, Z29;     \
	VPERMI2B D, C, Z29;     \
	VMOVDQU8 Z29, K5, LO;   \
	VMOVDQA64 Z31, Z29;     \
	VPERMI2B D, C, Z29;     \
	VMOVDQU8 Z29, K6, HI

// BURN writes AX where the flames at AT burn, 64 cells from OFFSET on.
#define BURN(AT, OFFSET, TO) \
	KMOVQ OFFSET(AT), K3;    \
	VPBROADCASTB AX, K3, TO

// PUT writes AX where K3 and K4 say.
#define PUT(LO, HI) \
	VPBROADCASTB AX, K3, LO; \
	VPBROADCASTB AX, K4, HI

// func drawPlanesAVX512(dst *byte, board *Item, bombs *Bomb, numBombs int, flames *grid.Bits, lives int, cells *grid.Cell, numCells int, looks *look, numLooks int, values *[numPlanes][block]uint8)
//
// It paints in registers, in two blocks of 64 cells, which begin at 0 and R8 of
// the flat board, and keeps the maps on the stack in the order of a scene: from
// there it spreads them for one look after the other.
TEXT ·drawPlanesAVX512(SB), 0, $704-88
	MOVQ dst+0(FP), DI
	MOVQ cells+48(FP), DX
	MOVQ numCells+56(FP), BX
	LEAQ -64(BX), R8
	LEAQ 63(SP), SI
	ANDQ $-64, SI
	VMOVDQU64 (DX), Z30
	VMOVDQU64 (DX)(R8*1), Z31
	VPMOVB2M Z30, K5
	VPMOVB2M Z31, K6

	MOVQ board+8(FP), AX
	VMOVDQU64 (AX), Z0
	VMOVDQU64 64(AX), Z1
	VMOVDQU64 128(AX), Z2
	VMOVDQU64 192(AX), Z3
	FLATTEN(Z0, Z1, Z2, Z3, Z10, Z11)

	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	MOVQ flames+32(FP), DX
	MOVQ lives+40(FP), CX
	XORL AX, AX
flame: // the youngest is written last
	INCL AX
	BURN(DX, 0, Z0)
	BURN(DX, 8, Z1)
	BURN(DX, 16, Z2)
	BURN(DX, 24, Z3)
	ADDQ $32, DX
	DECQ CX
	JNZ flame
	FLATTEN(Z0, Z1, Z2, Z3, Z18, Z19)

	VPXORQ Z12, Z12, Z12
	VPXORQ Z13, Z13, Z13
	VPXORQ Z14, Z14, Z14
	VPXORQ Z15, Z15, Z15
	VPXORQ Z16, Z16, Z16
	VPXORQ Z17, Z17, Z17
	MOVQ bombs+16(FP), DX
	MOVQ numBombs+24(FP), CX
	TESTQ CX, CX
	JZ painted
bomb:
	MOVBLZX Bomb_Cell(DX), AX
	VPBROADCASTB AX, Z0
	VPCMPEQB Z0, Z30, K3
	VPCMPEQB Z0, Z31, K4
	MOVBLZX Bomb_Blast(DX), AX
	PUT(Z12, Z13)
	MOVBLZX Bomb_Life(DX), AX
	PUT(Z14, Z15)
	MOVBLZX Bomb_owner(DX), AX
	ANDL $15, AX
	PUT(Z16, Z17)
	ADDQ $Bomb__size, DX
	DECQ CX
	JNZ bomb

painted:
	VMOVDQA64 Z12, (const_mapBlast*128)(SI)
	VMOVDQA64 Z13, (const_mapBlast*128+64)(SI)
	VMOVDQA64 Z14, (const_mapLife*128)(SI)
	VMOVDQA64 Z15, (const_mapLife*128+64)(SI)
	VMOVDQA64 Z16, (const_mapMoving*128)(SI)
	VMOVDQA64 Z17, (const_mapMoving*128+64)(SI)
	VMOVDQA64 Z18, (const_mapFlame*128)(SI)
	VMOVDQA64 Z19, (const_mapFlame*128+64)(SI)
	MOVL $const_Fog, AX
	VPBROADCASTB AX, Z20
	MOVL $1, AX
	VPBROADCASTB AX, Z2
	MOVQ looks+64(FP), DX
	MOVQ numLooks+72(FP), R9

look: // K1 and K2 are what is in sight, Z8 and Z9 the board as the seat sees it
	MOVQ look_seen(DX), AX
	VMOVDQU64 (AX), Z0
	VMOVDQU64 (AX)(R8*1), Z1
	VPMOVB2M Z0, K1
	VPMOVB2M Z1, K2
	MOVQ look_as(DX), AX
	VBROADCASTI32X4 (AX), Z3
	VMOVDQA64 Z20, Z8
	VMOVDQA64 Z20, Z9
	VMOVDQU8 Z10, K1, Z8
	VMOVDQU8 Z11, K2, Z9
	VPSHUFB Z8, Z3, Z8
	VPSHUFB Z9, Z3, Z9
	LEAQ ·sources(SB), R12
	MOVQ values+80(FP), R13
	MOVQ $const_numPlanes, CX

plane:
	PREFETCHT0 1024(DI)
	PREFETCHT0 1088(DI)
	MOVBLZX source_from(R12), AX
	CMPL AX, $const_mapBoard
	JNE other
	VPCMPEQB (R13), Z8, K3
	VPCMPEQB (R13), Z9, K4
	VMOVDQU8.Z Z2, K3, Z4
	VMOVDQU8.Z Z2, K4, Z5
	JMP next

other:
	SHLL $7, AX
	ADDQ SI, AX
	CMPB source_value(R12), $const_whole
	JEQ copy
	VMOVDQU64 (R13), Z0
	VPCMPEQB (AX), Z0, K1, K3
	VPCMPEQB 64(AX), Z0, K2, K4
	VMOVDQU8.Z Z2, K3, Z4
	VMOVDQU8.Z Z2, K4, Z5
	JMP next

copy:
	VMOVDQU8.Z (AX), K1, Z4
	VMOVDQU8.Z 64(AX), K2, Z5

next:
	VMOVDQU64 Z4, (DI)
	VMOVDQU64 Z5, (DI)(R8*1)
	ADDQ BX, DI
	ADDQ $64, R13
	ADDQ $source__size, R12
	DECQ CX
	JNZ plane

	ADDQ $look__size, DX
	DECQ R9
	JNZ look
	VZEROUPPER
	RET
