//go:build !amd64

package pommerman

func spreadPlanes(dst, flat []byte, of *[16]uint8) { spreadPlanesSlowly(dst, flat, of) }
