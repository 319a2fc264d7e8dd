package web

import (
	"context"
	"fmt"
	"image/gif"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pommego/arena/scene"
)

// TestVideo makes a GIF of a game of each of the three games, as a seat or everybody sees it.
func TestVideo(t *testing.T) {
	h, path := serving(t)
	for number, seat := range map[int]string{1: "0", 2: "-1", 3: "1"} {
		g, err := Recorded(path, formats).Game(number)
		if err != nil {
			t.Fatal(err)
		}
		w := ask(h, nil, "GET", fmt.Sprintf("/api/game/%d/gif?seat=%s", number, seat), nil)
		video, err := gif.DecodeAll(w.Body)
		if err != nil {
			t.Fatalf("%s, seat %s: answered %d: %v", g.Env, seat, w.Code, err)
		}
		tile := tileOf(len(g.Steps) * g.Rows * g.Cols)
		if n := len(video.Image); n < 2 || n > len(g.Steps) || video.Config.Width != g.Cols*tile {
			t.Errorf("%s, seat %s: %d pictures %d wide, want %d, %d wide", g.Env, seat, n, video.Config.Width,
				len(g.Steps), g.Cols*tile)
		}
	}
	w := ask(h, nil, "GET", "/api/game/1/gif?seat=-1&from=2&to=5", nil)
	video, err := gif.DecodeAll(w.Body)
	if err != nil || len(video.Image) > 4 || video.Config.Height <= video.Config.Width {
		t.Errorf("of steps 2 to 5 with a strip %d is answered: %v, %+v", w.Code, err, video)
	}
	w = ask(h, nil, "GET", "/api/game/1/png?seat=0&from=5&to=5", nil)
	if still, err := png.Decode(w.Body); err != nil || still.Bounds().Dx()%pictureTile != 0 {
		t.Errorf("of step 5 alone %d is answered: %v", w.Code, err)
	}
	for _, tc := range []struct {
		reason, path string
		change       func(*http.Request)
		want         int
	}{
		{"without a token", "/api/game/1/gif?seat=-1", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"another kind", "/api/game/1/exe?seat=-1", nil, 404},
		{"no such game", "/api/game/9/gif?seat=-1", nil, 404},
		{"no such seat", "/api/game/1/gif?seat=2", nil, 422},
		{"no seat", "/api/game/1/gif?seat=", nil, 422},
		{"no step", "/api/game/1/gif?seat=-1&from=x", nil, 422},
		{"steps after the last", "/api/game/1/gif?seat=-1&from=9999", nil, 422},
	} {
		if w := ask(h, tc.change, "GET", tc.path, nil); w.Code != tc.want {
			t.Errorf("%s: %s is answered %d %s, want %d", tc.reason, tc.path, w.Code, w.Body, tc.want)
		}
	}
}

// filming serves what take returns as every game.
func filming(t *testing.T, take func() *scene.Timeline) http.Handler {
	t.Helper()
	listing := func() (*Listing, error) { return new(Listing), nil }
	game := func(int) (*scene.Timeline, error) { return take(), nil }
	return New(Config{Listing: listing, Game: game, Token: "secret"})
}

// TestVideosAreBounded: long games have small pictures, too long ones none, and videos are made
// one at a time.
func TestVideosAreBounded(t *testing.T) {
	short, err := Recorded(recordings(t), formats).Game(1)
	if err != nil {
		t.Fatal(err)
	}
	lasting := func(steps int) *scene.Timeline {
		g := &scene.Timeline{Head: short.Head}
		for len(g.Steps) < steps {
			g.Steps = append(g.Steps, short.Steps[0])
		}
		return g
	}
	for tiles, want := range map[int]int{1: 48, videoPixels / 48 / 48: 48, videoPixels/48/48 + 1: 44, videoPixels / 64: 8,
		videoPixels/64 + 1: 4} {
		if tile := tileOf(tiles); tile != want {
			t.Errorf("%d tiles have size %d, want %d", tiles, tile, want)
		}
	}
	cells := short.Rows * short.Cols
	w := ask(filming(t, func() *scene.Timeline { return lasting(videoPixels/cells/smallTile/smallTile + 1) }), nil, "GET",
		"/api/game/1/gif?seat=-1", nil)
	if w.Code != 422 || !strings.Contains(w.Body.String(), "too many for a video") {
		t.Errorf("too long a game is answered %d %s", w.Code, w.Body)
	}

	var now, most atomic.Int32
	h := filming(t, func() *scene.Timeline {
		most.Store(max(most.Load(), now.Add(1)))
		time.Sleep(5 * time.Millisecond)
		now.Add(-1)
		return lasting(2)
	})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if w := ask(h, nil, "GET", "/api/game/1/gif?seat=-1", nil); w.Code != 200 {
				t.Errorf("answered %d %s", w.Code, w.Body)
			}
		})
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d videos were made at a time, want 1", most.Load())
	}
}

// TestNobodyWaits: no video is made for a page that has gone.
func TestNobodyWaits(t *testing.T) {
	h := filming(t, func() *scene.Timeline {
		t.Error("a game was asked for")
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(ctx, "GET", "/api/game/1/gif?seat=-1", nil)
	r.Host = "127.0.0.1:1"
	r.Header.Set("Authorization", "Bearer secret")
	h.ServeHTTP(httptest.NewRecorder(), r)
}
