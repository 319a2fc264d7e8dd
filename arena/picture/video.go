package picture

import (
	"context"
	"image"
	"image/color"
	"image/gif"
	"io"
)

// Video is the pictures of a game, one after the other.
type Video struct {
	painter *Painter
	frames  []Picture
}

// NewVideo makes an empty video whose tiles have the given size in pixels.
func NewVideo(tile int) *Video { return &Video{painter: NewPainter(tile)} }

// Add appends a picture of the game, which are all of one size.
func (f *Video) Add(p Picture) { f.frames = append(f.frames, p) }

// Len is the number of pictures.
func (f *Video) Len() int { return len(f.frames) }

// WriteGIF writes the video as an animation with fps pictures a second; the last
// one stands for two seconds. There is one at least. It gives up when ctx ends.
func (f *Video) WriteGIF(ctx context.Context, w io.Writer, fps float64) error {
	const longest = 200 // hundredths of a second
	video := gif.GIF{}
	for _, p := range f.frames {
		if err := ctx.Err(); err != nil {
			return err
		}
		video.Image = append(video.Image, paletted(f.painter.Image(p)))
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
