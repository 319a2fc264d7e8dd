package bridge

import (
	"fmt"
	"sync"

	"pommego/arena/picture"
	"pommego/env"
)

func init() { registerEnv("render", true, readRender, (*session).render) }

// maxTile is the largest tile of a picture, in pixels.
const maxTile = 64

// renderRequest asks for a picture of one game.
type renderRequest struct {
	game int
	tile int // pixels; 0: as text
	seat int // whose view; env.NoSeat: the whole game

	colours picture.Colours // of a text
}

func readRender(in *fields) renderRequest {
	in.need("game")
	q := renderRequest{game: in.integer("game", 0, maxInt), tile: in.integer("tile", 4, maxTile), seat: env.NoSeat}
	if in.flag("colour") {
		q.colours = picture.TrueColour
	}
	if in.flag("basic") && q.colours != picture.NoColours {
		q.colours = picture.Colours16
	}
	if in.at("seat") {
		q.seat = int(in.number("seat", 0, 255))
	}
	return q
}

func (s *session) render(e *environment, id uint64, q renderRequest) (reply, error) {
	if q.game >= e.pool.Games() {
		return reply{}, outOfRange("game", q.game, 0, uint64(e.pool.Games()-1))
	}
	if last := e.pool.Spec().Seats - 1; q.seat > last {
		return reply{}, outOfRange("seat", q.seat, 0, uint64(last))
	}
	if q.tile > 0 {
		return s.renderPixels(e, id, q)
	}
	at := e.pool.LiveGame(q.game)
	text := picture.AppendMatch(nil, at.Game.Spec(), at.Match, at.Tracker, q.seat, q.colours)
	return message("text", id, "env", int(e.handle), "text", string(text))
}

// painters are those of all connections, as each keeps the tiles that it has drawn.
var painters sync.Pool

// renderPixels draws a game as an image: red, green and blue of each pixel.
func (s *session) renderPixels(e *environment, id uint64, q renderRequest) (reply, error) {
	at := e.pool.LiveGame(q.game)
	pic := e.artist.Picture(at.Game, at.Match, at.Actions, q.seat)
	painter, _ := painters.Get().(*picture.Painter)
	if painter == nil || painter.Tile() != q.tile {
		painter = picture.NewPainter(q.tile, false)
	}
	defer painters.Put(painter)
	width, height := painter.Size(&pic)
	held := int64((4 + 3 + 3) * width * height) // drawn with four bytes a pixel, and copied twice with three
	if err := s.memory.reserve(held, "tile", fmt.Sprintf("a picture of %d by %d pixels", width, height)); err != nil {
		return reply{}, err
	}
	img := painter.Image(&pic)
	pixels := make([]byte, 3*width*height)
	for at := range width * height {
		copy(pixels[3*at:3*at+3], img.Pix[4*at:])
	}
	tensor := []any{string(env.Uint8), []int{height, width, 3}, []byte{}, pixels}
	rep, err := message("image", id, "env", int(e.handle), "pixels", tensor)
	rep.held = held
	return rep, err
}
