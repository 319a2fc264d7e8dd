package bridge

import (
	"cmp"
	"fmt"
	"sync"

	"pommego/arena/picture"
	"pommego/arena/scene"
	"pommego/env"
)

type renderRequest struct {
	Game   int  `wire:"game,needed"`
	Tile   int  `wire:"tile,4..64"`  // pixels of a cell's side; 0: draw it as text
	Colour bool `wire:"colour"`      // draw the text in colours
	Seat   *int `wire:"seat,0..255"` // the seat whose view to draw; nil: the whole game
}

func (s *session) render(e *environment, id uint64, q renderRequest) (reply, error) {
	if q.Game >= e.pool.Games() {
		return reply{}, outOfRange("game", q.Game, 0, uint64(e.pool.Games()-1))
	}
	seat := *cmp.Or(q.Seat, new(env.NoSeat))
	if last := e.pool.Spec().Seats - 1; seat > last {
		return reply{}, outOfRange("seat", seat, 0, uint64(last))
	}
	if q.Tile > 0 {
		return s.renderPixels(e, id, q, seat)
	}
	at := e.pool.LiveGame(q.Game)
	text := picture.AppendMatch(nil, at.Game.Spec(), at.Match, at.Tracker, seat, q.Colour)
	return message("text", id, "env", int(e.handle), "text", string(text))
}

// painters are shared by all connections, because each keeps the tiles that it has drawn.
var painters sync.Pool

// renderPixels draws a game as an image: red, green and blue of each pixel.
func (s *session) renderPixels(e *environment, id uint64, q renderRequest, seat int) (reply, error) {
	at := e.pool.LiveGame(q.Game)
	head, step := scene.HeadOf(at.Game.Spec(), at.Match), scene.Describe(at.Game.Spec(), at.Match, at.Tracker, at.Actions)
	pic := picture.OfStep(&head, &step, seat)
	painter, _ := painters.Get().(*picture.Painter)
	if painter == nil || painter.Tile() != q.Tile {
		painter = picture.NewPainter(q.Tile, false)
	}
	defer painters.Put(painter)
	width, height := painter.Size(&pic)
	bytes := int64((4 + 3 + 3) * width * height) // the drawing has four bytes for each pixel, its two copies three
	if err := s.hold(bytes, "tile", fmt.Sprintf("a picture of %d by %d pixels", width, height)); err != nil {
		return reply{}, err
	}
	img := painter.Image(&pic)
	pixels := make([]byte, 3*width*height)
	for at := range width * height {
		copy(pixels[3*at:3*at+3], img.Pix[4*at:])
	}
	tensor := []any{string(env.Uint8), []int{height, width, 3}, []byte{}, pixels}
	return message("image", id, "env", int(e.handle), "pixels", tensor)
}
