//go:build !amd64

package pommerman

func maskMaps(dst, maps []byte, seen *sight, cells int) { maskMapsPlainly(dst, maps, seen, cells) }

func spread(dst, maps []byte, seen *sight, as *[16]uint8, cells int, sources []source, unit uint8) bool {
	return false
}

func (g *Game) drawPlanes(s *State, seats []uint8, dst []byte) bool { return false }
