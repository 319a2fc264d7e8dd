package pommerman

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// The processor works on strips of 32 to 128 cells, four blocks of 32 that
// overlap as need be. A board with more cells is two strips.
const (
	narrowest = 32
	widest    = 128
)

// maskMaps does what maskMapsSlowly does, 32 cells at a time where the processor
// can.
func maskMaps(dst, maps []byte, seen *sight, cells int) {
	if !hasAVX2 || cells < narrowest {
		maskMapsSlowly(dst, maps, seen, cells)
		return
	}
	dst, maps = dst[:numMaps*cells], maps[:numMaps*cells]
	width := min(cells, widest)
	maskMapsAVX2(&dst[0], &maps[0], &seen[0], cells, width)
	if rest := cells - width; rest > 0 {
		maskMapsAVX2(&dst[rest], &maps[rest], &seen[rest], cells, width)
	}
}

// spreadPlanes does what spreadPlanesSlowly does, 32 cells at a time where the
// processor can: one table look-up turns every item into what the seat takes it
// for, and each plane of items is a comparison with its value.
func spreadPlanes(dst, maps []byte, seen *sight, as *[16]uint8, cells int) {
	if !hasAVX2 || cells < narrowest {
		spreadPlanesSlowly(dst, maps, seen, as, cells)
		return
	}
	dst, maps = dst[:numPlanes*cells], maps[:numMaps*cells]
	width := min(cells, widest)
	spreadPlanesAVX2(&dst[0], &maps[0], &seen[0], as, &sources[0], cells, width)
	if rest := cells - width; rest > 0 {
		spreadPlanesAVX2(&dst[rest], &maps[rest], &seen[rest], as, &sources[0], cells, width)
	}
}

// maskMapsAVX2 masks a strip of width cells; maps and their copies lie stride
// bytes apart.
//
//go:noescape
func maskMapsAVX2(dst, maps, seen *byte, stride, width int)

// spreadPlanesAVX2 spreads a strip of width cells; maps and planes lie stride
// bytes apart.
//
//go:noescape
func spreadPlanesAVX2(dst, maps, seen *byte, as *[16]uint8, sources *source, stride, width int)
