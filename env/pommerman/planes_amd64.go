package pommerman

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// spreadPlanes does what spreadPlanesSlowly does, 32 cells at a time where the
// processor can: every cell becomes the number of its plane by one table
// look-up, and each plane is a comparison with its number.
func spreadPlanes(dst, flat []byte, of *[16]uint8) {
	if !hasAVX2 || len(flat) < 32 || len(dst) < numPlanes*len(flat) {
		spreadPlanesSlowly(dst, flat, of)
		return
	}
	spreadPlanesAVX2(&dst[0], &flat[0], len(flat), of, numPlanes)
}

// spreadPlanesAVX2 needs at least 32 cells; dst has planes times cells bytes.
//
//go:noescape
func spreadPlanesAVX2(dst, flat *byte, cells int, of *[16]uint8, planes int)
