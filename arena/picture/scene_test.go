package picture_test

import (
	"testing"

	"pommego/arena/picture"
	"pommego/env"
	"pommego/env/basewar"
	"pommego/env/catalog"
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// TestPicturesShowTheBoard plays games of every variant of Pommerman and compares each
// tile with the cell it stands for.
func TestPicturesShowTheBoard(t *testing.T) {
	shapes := map[pommerman.Item]picture.Shape{
		pommerman.Rigid: picture.Block, pommerman.Wood: picture.Bricks, pommerman.BombItem: picture.Round,
		pommerman.Flames:    picture.Star,
		pommerman.ExtraBomb: picture.Card, pommerman.IncrRange: picture.Card, pommerman.Kick: picture.Card,
		pommerman.Skull: picture.Card,
	}
	tiles := 0
	for _, id := range catalog.IDs() {
		for steps := 0; steps < 100; steps += 20 {
			m, ok := playedOn(t, id, "", steps).(*pommerman.Match)
			if !ok {
				break
			}
			rules := m.Game().(*pommerman.Game).Rules()
			pic, n := pictureOf(t, m, env.NoSeat), rules.BoardSize
			if len(pic.Tiles) != n*n || len(pic.Lines) != 1+rules.Seats() {
				t.Fatalf("%s: a picture with %d tiles and %d lines", id, len(pic.Tiles), len(pic.Lines))
			}
			for at, tile := range pic.Tiles {
				item := m.Board[grid.At(at/n, at%n)]
				if item >= rules.Agent0() {
					if tile.Shape < picture.Disc || tile.Shape > picture.Cross {
						t.Errorf("%s: an agent is drawn as %+v", id, tile)
					}
				} else if tile.Shape != shapes[item] {
					t.Errorf("%s: item %d is drawn as %+v", id, item, tile)
				}
				tiles++
			}
		}
	}
	if tiles < 10_000 {
		t.Errorf("only %d tiles were compared", tiles)
	}
}

// TestPicturesOfSides: whose bombs, bases and bombers there are.
func TestPicturesOfSides(t *testing.T) {
	m := playedOn(t, "BaseWarSides-v0", "", 30).(*basewar.Match)
	pic, seen := pictureOf(t, m, env.NoSeat), map[env.Colour]int{}
	for _, tile := range pic.Tiles {
		if tile.Shape == picture.Ring || tile.Shape == picture.Disc || tile.Shape == picture.Square {
			seen[tile.Colour]++
		}
	}
	if len(seen) != 2 || seen[env.Blue[0]] < 2 || seen[env.Green[0]] < 2 {
		t.Errorf("bases and bombers have the colours %v", seen)
	}
}
