package picture

import (
	"context"
	"image"
	"image/color"
	"image/gif"
	"io"
)

// WriteGIF writes pictures of one size, of which there is one at least, as an animation
// with tiles of a size in pixels and fps pictures a second; the last one stands for two
// seconds. It gives up when ctx ends.
func WriteGIF(ctx context.Context, w io.Writer, pictures []Picture, tile int, fps float64) error {
	const longest = 200 // hundredths of a second
	painter, video := NewPainter(tile), gif.GIF{}
	for _, p := range pictures {
		if err := ctx.Err(); err != nil {
			return err
		}
		video.Image = append(video.Image, paletted(painter.Image(p)))
		video.Delay = append(video.Delay, min(max(int(100/fps+0.5), 2), longest))
	}
	video.Delay[len(video.Delay)-1] = longest
	return gif.EncodeAll(while{ctx, w}, &video)
}

// while writes until its context ends.
type while struct {
	ctx context.Context
	w   io.Writer
}

func (w while) Write(data []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.w.Write(data)
}

// paletted gives an image the palette of its own colours. A picture's are few:
// those of its tiles and of its text. If there are more than a palette holds,
// the nearest ones stand in.
func paletted(img *image.RGBA) *image.Paletted {
	out := image.NewPaletted(img.Bounds(), nil)
	index := map[color.RGBA]uint8{}
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			c := img.RGBAAt(x, y)
			k, known := index[c]
			switch {
			case known:
			case len(out.Palette) < 256:
				k = uint8(len(out.Palette))
				out.Palette = append(out.Palette, c)
				index[c] = k
			default:
				k = uint8(out.Palette.Index(c))
			}
			out.Pix[y*out.Stride+x] = k
		}
	}
	return out
}
