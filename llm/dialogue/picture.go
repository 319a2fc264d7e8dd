package dialogue

import (
	"bytes"
	"image/png"
	"sync"

	"pommego/arena/picture"
	"pommego/arena/scene"
)

// painters draw with cells of 32 pixels. Each keeps the sprites that it has drawn.
var painters = sync.Pool{New: func() any { return picture.NewPainter(32, false) }}

// Picture draws what the seat sees of a position, as a PNG.
func (s *Seat) Picture(step *scene.Step) []byte {
	painter := painters.Get().(*picture.Painter)
	defer painters.Put(painter)
	pic, b := picture.OfStep(&s.writer.Head, step, s.Number).Lettered(s.writer.Spec.Seats), new(bytes.Buffer)
	if err := png.Encode(b, painter.Image(&pic)); err != nil {
		panic(err) // writing to memory cannot fail
	}
	return b.Bytes()
}
