package env

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Scene is a position described by what is in it. Games describe their positions, and texts,
// pictures in pixels and the page in the browser draw them. Package arena/scene adds the
// events that led to a position. docs/maintainers/scene.md describes the JSON form of both.

// Stage describes what is the same in all positions of a game.
type Stage struct {
	Rows  int  `json:"rows"`
	Cols  int  `json:"cols"`
	Torus bool `json:"torus,omitzero"` // the board's edges meet

	Colours []Colour `json:"colours"` // by seat

	// Conceals lists what the rules hide from every seat, besides cells out of sight.
	Conceals []Concealed `json:"conceals,omitzero"`

	// Looks describes what can be on the board besides agents, in the order of legends.
	Looks []Look `json:"looks"`
	// FlameLife is how many steps a flame burns, if that is more than one.
	FlameLife int `json:"flame_life,omitzero"`
}

// Look says how something looks: in texts like one of the characters, in pictures like
// the sprite, if it has one of its own.
type Look struct {
	Chars   string `json:"chars"`
	Sprite  string `json:"sprite,omitzero"`
	Meaning string `json:"meaning"`
}

// Look returns the look that a character stands for, an empty one if there is none.
func (s *Stage) Look(char byte) Look {
	for i := range s.Looks {
		if strings.IndexByte(s.Looks[i].Chars, char) >= 0 {
			return s.Looks[i]
		}
	}
	return Look{}
}

// Hides reports whether the rules conceal something.
func (s *Stage) Hides(c Concealed) bool { return slices.Contains(s.Conceals, c) }

// Moves holds the rows and columns by which the first five choices of an action move a figure:
// stop, up, down, left, right. They are the same in all games.
var Moves = [...]Place{{}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}}

// Next returns where a choice of an action leads, and whether that is on the board.
// Choices that are none of Moves lead nowhere.
func (s *Stage) Next(at Place, choice int) (to Place, on bool) {
	to = at
	if choice < len(Moves) {
		to = Place{at[0] + Moves[choice][0], at[1] + Moves[choice][1]}
	}
	if s.Torus {
		to = Place{(to[0] + s.Rows) % s.Rows, (to[1] + s.Cols) % s.Cols}
	}
	return to, to[0] >= 0 && to[1] >= 0 && to[0] < s.Rows && to[1] < s.Cols
}

// Way returns how many rows down and columns right to is of from; on boards whose edges
// meet, it takes the shorter way round.
func (s *Stage) Way(from, to Place) (rows, cols int) {
	rows, cols = to[0]-from[0], to[1]-from[1]
	if s.Torus {
		shorter := func(d, size int) int { return ((d+size/2)%size+size)%size - size/2 }
		rows, cols = shorter(rows, s.Rows), shorter(cols, s.Cols)
	}
	return rows, cols
}

// Concealed is a part of a scene that no seat sees.
type Concealed string

// What rules may conceal.
const (
	HiddenItems    Concealed = "hidden_items"    // items under wood or flames
	BombOwners     Concealed = "bomb_owners"     // who laid a bomb
	BombDirections Concealed = "bomb_directions" // where bombs roll
	FlameLives     Concealed = "flame_lives"     // how long flames still burn
	OthersCarry    Concealed = "others_carry"    // ammo, blast and kicks of all but the seat itself, and what is counted
	OthersSay      Concealed = "others_say"      // words of all but the seat's teammates
)

// Scene is a position. Lists that do not apply are empty.
type Scene struct {
	Ground Ground       `json:"ground,omitzero"`
	Bases  []SceneBase  `json:"bases,omitzero"`
	Items  []SceneItem  `json:"items,omitzero"`
	Flames []SceneFlame `json:"flames,omitzero"`
	Bombs  []SceneBomb  `json:"bombs,omitzero"`
	Agents []SceneAgent `json:"agents,omitzero"`

	// Said holds the last message of each seat that sends any.
	Said []SceneMessage `json:"said,omitzero"`

	// Sight holds the cells that each seat sees, nil if all see the whole board.
	Sight []Cells `json:"sight,omitzero"`

	reached []int // the memory of the bombs' Reach
}

// Place is a row and a column, from 0 at the top left.
type Place [2]int

// Nowhere is the place of an event that has none.
var Nowhere = Place{-1, -1}

// IsZero reports whether it is Nowhere. JSON then leaves the place out if it may.
func (p Place) IsZero() bool { return p == Nowhere }

// Ground holds the kind of each cell's floor, row after row.
type Ground []byte

// The kinds of ground.
const (
	GroundFloor = '.'
	GroundWall  = '#' // nothing destroys it
	GroundWood  = '+' // bombs do
	GroundSpent = '-' // floor whose point has been collected
	GroundFog   = '?' // out of sight; only in scenes as a seat sees them
)

// MarshalText writes one character per cell.
func (g Ground) MarshalText() ([]byte, error) { return g, nil }

// UnmarshalText reads one character per cell.
func (g *Ground) UnmarshalText(text []byte) error {
	*g = slices.Clone(text)
	return nil
}

// SceneAgent is a figure on the board that a seat moves.
type SceneAgent struct {
	At    Place  `json:"at"` // the figure's cell, its last one if it is out
	Seat  int    `json:"seat"`
	Name  string `json:"name,omitzero"` // the figure's name, if a seat moves several
	Alive bool   `json:"alive"`
	Ammo  int    `json:"ammo"`           // how many bombs it can lay now
	Blast int    `json:"blast,omitzero"` // the blast strength of its bombs, see SceneBomb
	Kicks bool   `json:"kicks,omitzero"`
	Lives int    `json:"lives,omitzero"` // how many lives are left, if it has several
}

// SceneMessage is what a seat has said.
type SceneMessage struct {
	Seat  int   `json:"seat"`
	Words []int `json:"words"`
}

// SceneBomb is a bomb. Its blast strength counts the cells that it reaches each way,
// its own included, where nothing is in the way.
type SceneBomb struct {
	At     Place   `json:"at"`
	Life   int     `json:"life"` // steps until it explodes
	Blast  int     `json:"blast"`
	Owners SeatSet `json:"owners,omitzero"`
	Moving string  `json:"moving,omitzero"` // up, down, left or right
	Reach  []int   `json:"reach,omitzero"`  // the numbers of the cells that it would reach now
}

// SceneFlame is a cell that burns, for Life more steps.
type SceneFlame struct {
	At   Place `json:"at"`
	Life int   `json:"life"`
}

// SceneItem is something to pick up.
type SceneItem struct {
	At     Place  `json:"at"`
	Kind   string `json:"kind"`            // extra_bomb, incr_range, kick or skull
	Hidden bool   `json:"hidden,omitzero"` // under wood or flames
}

// SceneBase is a base of a seat, or of all seats of a team.
type SceneBase struct {
	At     Place   `json:"at"`
	Owners SeatSet `json:"owners"`
	Energy int     `json:"energy,omitzero"`
}

// Cells is a set of cells, row after row: true for those that are in it.
type Cells []bool

const hexDigits = "0123456789abcdef"

// MarshalText writes one hexadecimal digit per four cells, the first cell in its highest bit.
func (c Cells) MarshalText() ([]byte, error) {
	text := make([]byte, (len(c)+3)/4)
	for i, in := range c {
		if in {
			text[i/4] |= 8 >> (i % 4)
		}
	}
	for i, digit := range text {
		text[i] = hexDigits[digit]
	}
	return text, nil
}

// UnmarshalText reads what MarshalText wrote. There may be up to three cells too
// many, none of them in the set.
func (c *Cells) UnmarshalText(text []byte) error {
	*c = make(Cells, 4*len(text))
	for i, char := range text {
		digit := slices.Index([]byte(hexDigits), char)
		if digit < 0 {
			return fmt.Errorf("cells %q have %q, want hexadecimal digits", text, char)
		}
		for k := range 4 {
			(*c)[4*i+k] = digit&(8>>k) != 0
		}
	}
	return nil
}

// Clear empties the scene, keeps its memory, and makes room for n cells of floor.
func (s *Scene) Clear(n int) {
	s.Ground = append(s.Ground[:0], make([]byte, n)...)
	for i := range s.Ground {
		s.Ground[i] = GroundFloor
	}
	s.Bases, s.Items, s.Flames = emptied(s.Bases), emptied(s.Items), emptied(s.Flames)
	s.Bombs, s.Agents, s.Said = emptied(s.Bombs), emptied(s.Agents), emptied(s.Said)
	s.reached = s.reached[:0]
}

// Reaches notes a cell that the bomb added last reaches.
func (s *Scene) Reaches(cell int) {
	last := &s.Bombs[len(s.Bombs)-1]
	s.reached = append(s.reached, cell)
	last.Reach = s.reached[len(s.reached)-1-len(last.Reach):]
}

// DropReach forgets what the bombs reach, if that is more than most cells in all.
func (s *Scene) DropReach(most int) {
	if len(s.reached) > most {
		s.reached, s.Bombs = nil, kept(s.Bombs, func(b *SceneBomb) bool { b.Reach = nil; return true })
	}
}

// emptied returns the list without entries. It is never nil, because nil stands for a list that is as before.
func emptied[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list[:0]
}

// Unseen makes room for the sight of each seat on n cells; no cell is in it yet.
func (s *Scene) Unseen(seats, n int) {
	if len(s.Sight) != seats || len(s.Sight[0]) != n {
		s.Sight = make([]Cells, seats)
		for seat := range s.Sight {
			s.Sight[seat] = make(Cells, n)
		}
	}
	for _, cells := range s.Sight {
		clear(cells)
	}
}

// Seen returns the scene as a seat sees it. It is a copy, except for the bases. teams are the game's.
func (s *Scene) Seen(stage *Stage, teams [][]int, seat int) Scene {
	hides, sight := stage.Hides, Cells(nil)
	if len(s.Sight) > 0 {
		sight = s.Sight[seat]
	}
	in := func(cell int) bool { return sight == nil || sight[cell] }
	sees := func(at Place) bool { return in(at[0]*stage.Cols + at[1]) }
	seen := Scene{Ground: slices.Clone(s.Ground), Bases: s.Bases} // without Sight, which would show where the others are
	for i := range seen.Ground {
		if !in(i) {
			seen.Ground[i] = GroundFog
		}
	}
	seen.Items = kept(s.Items, func(i *SceneItem) bool { return sees(i.At) && !(i.Hidden && hides(HiddenItems)) })
	seen.Flames = kept(s.Flames, func(f *SceneFlame) bool {
		if hides(FlameLives) {
			f.Life = 0
		}
		return sees(f.At)
	})
	seen.Bombs = kept(s.Bombs, func(b *SceneBomb) bool {
		if hides(BombOwners) {
			b.Owners = 0
		}
		if hides(BombDirections) {
			b.Moving = ""
		}
		b.Reach = kept(b.Reach, func(cell *int) bool { return in(*cell) })
		return sees(b.At)
	})
	seen.Agents = kept(s.Agents, func(a *SceneAgent) bool {
		if a.Seat != seat && hides(OthersCarry) {
			a.Ammo, a.Blast, a.Kicks = 0, 0, false
		}
		return a.Seat == seat || sees(a.At)
	})
	seen.Said = kept(s.Said, func(m *SceneMessage) bool {
		return m.Seat == seat || !hides(OthersSay) || Mates(teams, seat, m.Seat)
	})
	return seen
}

// kept returns a copy of those elements of a list for which keep returns true. keep may change its element. The copy
// of nil is nil.
func kept[T any](list []T, keep func(*T) bool) []T {
	if list == nil {
		return nil
	}
	all := make([]T, 0, len(list))
	for i := range list {
		if all = append(all, list[i]); !keep(&all[len(all)-1]) {
			all = all[:len(all)-1]
		}
	}
	return all
}

// Mates reports whether two seats are in one of the teams.
func Mates(teams [][]int, a, b int) bool {
	return slices.ContainsFunc(teams, func(t []int) bool { return slices.Contains(t, a) && slices.Contains(t, b) })
}

// Colour is 0xRRGGBB.
type Colour uint32

// Colours that people with any of the usual forms of colour blindness can tell apart
// (after Okabe and Ito).
var seatPaint = [8]Colour{0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0xf0e442, 0x4a4f57}

// SeatColour is the colour of a seat that plays for itself.
func SeatColour(seat int) Colour { return seatPaint[seat%len(seatPaint)] }

// Hue is a colour and two shades of it, for the members of a team.
type Hue [3]Colour

// The hues of teams. Blue can be told from both of the others.
var (
	Blue       = Hue{0x0072b2, 0x56b4e9, 0x00446b}
	Vermillion = Hue{0xd55e00, 0xe69f00, 0x803900}
	Green      = Hue{0x627f0a, 0xd0f25c, 0x6ff0ba}
)

// Bright reports whether dark text can be read on the colour. If not, light text can.
func (c Colour) Bright() bool { return 3*(c>>16&0xff)+6*(c>>8&0xff)+c&0xff > 1280 }

// MarshalText writes the colour as web pages do: #rrggbb.
func (c Colour) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "#%06x", uint32(c)), nil }

// UnmarshalText reads what MarshalText wrote.
func (c *Colour) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(strings.TrimPrefix(string(text), "#"), 16, 24)
	if err != nil || len(text) != 7 || text[0] != '#' {
		return fmt.Errorf("the colour is %q, want one such as #0072b2", text)
	}
	*c = Colour(n)
	return nil
}
