package picture

import (
	"bytes"
	"cmp"
	"context"
	"image"
	"image/color"
	"image/gif"
	"io"
	"maps"
	"slices"
)

// WriteGIF writes pictures of one size, of which there is one at least, as an animation
// with fps pictures a second; the last one stands for two seconds. Each image holds only the
// change from the one before. It returns an error when ctx ends.
func WriteGIF(ctx context.Context, w io.Writer, p *Painter, pictures []Picture, fps float64) error {
	const longest = 200 // hundredths of a second
	colours, err := p.palette(ctx, pictures)
	if err != nil {
		return err
	}
	var video gif.GIF
	var before *image.RGBA
	for i := range pictures {
		if err := ctx.Err(); err != nil {
			return err
		}
		img := p.Image(&pictures[i])
		video.Image = append(video.Image, colours.changed(img, before))
		video.Delay = append(video.Delay, min(max(int(100/fps+0.5), 2), longest))
		before = img
	}
	video.Delay[len(video.Delay)-1] = longest
	return gif.EncodeAll(while{ctx, w}, &video)
}

// while is a writer that fails once its context has ended.
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

type palette struct {
	colours color.Palette
	number  map[color.RGBA]uint8
}

// palette is the most frequent colours of pictures that the eye can tell apart. All others are
// shades at edges, which get the nearest colour.
func (p *Painter) palette(ctx context.Context, pictures []Picture) (*palette, error) {
	counts := map[color.RGBA]int{}
	var before *image.RGBA
	for i := range pictures {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		img := p.Image(&pictures[i])
		eachChange(img, before, func(_, _ int, c color.RGBA) { counts[c]++ })
		before = img
	}
	all := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	made := &palette{color.Palette{color.RGBA{}}, map[color.RGBA]uint8{}}
	const flat = 64 // the most frequent are colours of whole areas, kept even if they are similar
	for i, c := range all {
		k := 1 + made.colours[1:].Index(c)
		if i < flat || len(made.colours) < 256 && far(c, made.colours[k].(color.RGBA)) {
			k = len(made.colours)
			made.colours = append(made.colours, c)
		}
		made.number[c] = uint8(k)
	}
	return made, nil
}

// far reports whether two colours can be told apart in a small picture.
func far(a, b color.RGBA) bool {
	const near = 10
	apart := func(a, b uint8) bool { return max(a, b)-min(a, b) > near }
	return apart(a.R, b.R) || apart(a.G, b.G) || apart(a.B, b.B)
}

// changed is the rectangle of an image in which it differs from the one before.
func (p *palette) changed(img, before *image.RGBA) *image.Paletted {
	area := image.Rectangle{}
	eachChange(img, before, func(x, y int, _ color.RGBA) { area = area.Union(image.Rect(x, y, x+1, y+1)) })
	if area.Empty() {
		area = image.Rect(0, 0, 1, 1)
	}
	out := image.NewPaletted(area, p.colours)
	eachChange(img, before, func(x, y int, c color.RGBA) { out.SetColorIndex(x, y, p.number[c]) })
	return out
}

func eachChange(img, before *image.RGBA, change func(x, y int, c color.RGBA)) {
	for y := range img.Rect.Dy() {
		start, end := y*img.Stride, (y+1)*img.Stride
		if before != nil && bytes.Equal(img.Pix[start:end], before.Pix[start:end]) {
			continue
		}
		for x := range img.Rect.Dx() {
			if c := img.RGBAAt(x, y); before == nil || c != before.RGBAAt(x, y) {
				change(x, y, c)
			}
		}
	}
}
