package bridge

import (
	"pommego/arena/picture"
	"pommego/env"
)

func init() { registerEnv("render", true, readRender, (*session).render) }

// maxTile is the largest tile of a picture, in pixels.
const maxTile = 64

// renderRequest asks for a picture of one game.
type renderRequest struct {
	game   int
	colour bool
	tile   int // pixels; 0: as text
}

func readRender(in *fields) renderRequest {
	in.need("game")
	return renderRequest{in.integer("game", 0, maxInt), in.flag("colour"), in.integer("tile", 4, maxTile)}
}

func (s *session) render(e *environment, id uint64, q renderRequest) (reply, error) {
	if q.game >= e.pool.Games() {
		return reply{}, outOfRange("game", q.game, 0, uint64(e.pool.Games()-1))
	}
	if q.tile > 0 {
		return e.renderPixels(id, q)
	}
	text := e.pool.Match(q.game).AppendText(nil, q.colour)
	return message("text", id, "env", int(e.handle), "text", string(text))
}

// renderPixels draws a game as an image: red, green and blue of each pixel.
func (e *environment) renderPixels(id uint64, q renderRequest) (reply, error) {
	pictured, ok := e.pool.Match(q.game).(env.Pictured)
	if !ok {
		return reply{}, fail(codeBadOption, "tile", "leave it out for a picture as text", "%s cannot be drawn in pixels", e.pool.Spec().ID)
	}
	img := picture.Image(pictured.Picture(), q.tile)
	width, height := img.Rect.Dx(), img.Rect.Dy()
	pixels := make([]byte, 0, 3*width*height)
	for at := 0; at < len(img.Pix); at += 4 {
		pixels = append(pixels, img.Pix[at:at+3]...)
	}
	tensor := []any{string(env.Uint8), []int{height, width, 3}, []byte{}, pixels}
	return message("image", id, "env", int(e.handle), "pixels", tensor)
}
