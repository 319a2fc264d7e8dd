package web

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os/exec"
	"slices"
	"strconv"

	"pommego/arena/picture"
	"pommego/arena/scene"
	"pommego/env"
)

// Videos are made one at a time, each of so many pixels at most: of long games they are smaller.
const (
	videoPixels           = 128 << 20
	smallTile, normalTile = 8, 48
	videoRate             = 10 // steps a second
)

// videos is the kinds of videos that can be made here.
func videos() []string {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		return []string{"gif"}
	}
	return []string{"gif", "mp4"}
}

// video sends a game as a video, as the seat sees it that is asked for.
func (h *handler) video(w http.ResponseWriter, r *http.Request) {
	kind := r.PathValue("kind")
	if !slices.Contains(h.videos, kind) {
		http.Error(w, fmt.Sprintf("the video is to be %q, want one of %q: mp4 needs ffmpeg", kind, h.videos),
			http.StatusNotFound)
		return
	}
	content, err := h.film(r, kind)
	if err != nil {
		answer(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", map[string]string{"gif": "image/gif", "mp4": "video/mp4"}[kind])
	w.Write(content)
}

func (h *handler) film(r *http.Request, kind string) ([]byte, error) {
	h.drawing.Lock()
	defer h.drawing.Unlock()
	if err := r.Context().Err(); err != nil { // the page did not wait
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
	err = picture.WriteGIF(r.Context(), &out, picture.NewPainter(tile, false), picture.Film(g, seat), videoRate)
	if err != nil || kind == "gif" {
		return out.Bytes(), err
	}
	return encoded(r.Context(), out.Bytes())
}

// part is the game from step from to step to, where these are given.
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

// tileOf is the size with which so many tiles are not too many pixels.
func tileOf(tiles int) int {
	tile := normalTile
	for ; tile*tile*tiles > videoPixels; tile -= 4 {
	}
	return tile
}

// encoded turns a GIF into MP4, whose width and height are even, in parts, so that it needs no file. Of a
// longer GIF ffmpeg reads parts twice, which a pipe alone does not allow.
func encoded(ctx context.Context, animation []byte) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "ffmpeg", "-loglevel", "error", "-f", "gif", "-i", "cache:pipe:0",
		"-pix_fmt", "yuv420p", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2",
		"-movflags", "frag_keyframe+empty_moov", "-f", "mp4", "pipe:1")
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(animation), &said
	video, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("ffmpeg: %w: %s", err, &said)
	}
	return video, nil
}
