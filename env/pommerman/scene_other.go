//go:build !amd64

package pommerman

func maskMaps(dst, maps []byte, seen *sight, cells int) { maskMapsPlainly(dst, maps, seen, cells) }

func spreadPlanes(dst, maps []byte, seen *sight, as *[16]uint8, cells int) {
	spreadPlanesPlainly(dst, maps, seen, as, cells)
}

func (g *Game) drawPlanes(s *State, seats []uint8, dst []byte) bool { return false }
