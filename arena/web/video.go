package web

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"pommego/arena/picture"
	"pommego/arena/scene"
	"pommego/env"
)

// Videos are made one at a time. The limits on pixels make videos of long games smaller.
const (
	videoPixels           = 128 << 20
	smallTile, normalTile = 8, 48
	pictureTile           = 96 // for single pictures
	videoRate             = 10 // steps per second
)

// picture sends a game as an animation (gif), or one step (png): the first of the range that the request names. It
// shows what the request's seat sees.
func (h *handler) picture(w http.ResponseWriter, r *http.Request) {
	kind := r.PathValue("kind")
	if kind != "gif" && kind != "png" {
		http.Error(w, fmt.Sprintf("the picture's kind is %q, want gif or png", kind), http.StatusNotFound)
		return
	}
	content, err := h.film(r, kind == "gif")
	if err != nil {
		answer(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "image/"+kind)
	w.Write(content)
}

func (h *handler) film(r *http.Request, moves bool) ([]byte, error) {
	h.drawing.Lock()
	defer h.drawing.Unlock()
	if err := r.Context().Err(); err != nil { // the page has gone
		return nil, err
	}
	g, err := h.asked(r)
	if err != nil {
		return nil, err
	}
	seat, err := strconv.Atoi(r.URL.Query().Get("seat"))
	if err != nil || seat < env.NoSeat || seat >= len(g.Colours) {
		return nil, fmt.Errorf("seat is %q, want -1 to %d", r.URL.Query().Get("seat"), len(g.Colours)-1)
	}
	if g, err = part(g, r.URL.Query()); err != nil {
		return nil, err
	}
	tile := tileOf(len(g.Steps) * g.Rows * g.Cols)
	if tile < smallTile {
		return nil, fmt.Errorf("the game has %d steps, too many for a video: save it as one file", len(g.Steps)-1)
	}
	var out bytes.Buffer
	film := picture.Film(g, seat)
	if !moves {
		err = png.Encode(&out, picture.NewPainter(pictureTile, false).Image(&film[0]))
		return out.Bytes(), err
	}
	err = picture.WriteGIF(r.Context(), &out, picture.NewPainter(tile, false), film, videoRate)
	return out.Bytes(), err
}

// part cuts the game to the steps that from and to in the query name, if they are there.
func part(g *scene.Timeline, query url.Values) (*scene.Timeline, error) {
	ends := [2]int{0, math.MaxInt}
	for i, name := range [...]string{"from", "to"} {
		var err error
		if text := query.Get(name); text != "" {
			if ends[i], err = strconv.Atoi(text); err != nil {
				return nil, fmt.Errorf("%s is %q, want the number of a step", name, text)
			}
		}
	}
	out := func(s scene.Step) bool { return s.Step < ends[0] || s.Step > ends[1] }
	in := &scene.Timeline{Head: g.Head, Steps: slices.DeleteFunc(slices.Clone(g.Steps), out)}
	if len(in.Steps) == 0 {
		return nil, fmt.Errorf("the game has no steps from %d to %d", ends[0], ends[1])
	}
	return in, nil
}

// tileOf is the largest size for which this many tiles stay within the limit on pixels.
func tileOf(tiles int) int {
	tile := normalTile
	for ; tile*tile*tiles > videoPixels; tile -= 4 {
	}
	return tile
}
