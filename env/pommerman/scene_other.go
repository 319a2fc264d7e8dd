//go:build !amd64

package pommerman

func spreadFast(dst, maps []byte, seen *sight, as *[16]uint8, cells int, sources []source, unit uint8) bool {
	return false
}

func (g *Game) drawPlanes(s *State, seats []uint8, dst []byte) bool { return false }
