package basewar

import (
	"cmp"
	"fmt"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/ruleset"
	"pommego/internal/enum"
)

// Version of the rules as a whole: it grows when a recorded game would change.
const Version = 2

// BaseDamage says how much energy a base loses in a round in which bombs reach it.
type BaseDamage = enum.Text[damages]

// The readings of what bombs do to a base.
const (
	PerRound BaseDamage = iota // 1: likewise, bombers and boxes that several bombs reach together are hurt once
	PerBomb                    // 1 for each bomb: so the document's sentence on bases reads
)

// Symmetry is how the two halves of a map belong together.
type Symmetry = enum.Text[symmetries]

// The symmetries.
const (
	Mirrored  Symmetry = iota // left and right are mirror images
	Rotated                   // either half is the other turned by 180 degrees
	Unrelated                 // each cell is drawn by itself
)

type (
	damages    struct{}
	symmetries struct{}
)

func (damages) Names() (string, []string) { return "base_damage", []string{"round", "bomb"} }

func (symmetries) Names() (string, []string) {
	return "symmetry", []string{"mirror", "rotation", "none"}
}

// Rules is every number and switch of the game. Start from [Standard], change
// what you like, and hand it to [New], which validates it. Where the contest's
// document leaves something open there is a switch; off is the reading that this
// package takes by default.
//
// The tag doc of a field says what it means, in the documentation and for all clients. The tag limits has the range
// of a number.
type Rules struct {
	Sides bool `json:"sides" doc:"each of two seats moves the three bombers of a side; if not, each of six seats moves one"`

	BoardSize int      `json:"board_size" limits:"7 to 15" doc:"rows and columns of the map, an odd number of 7 to 15"`
	NumStones int      `json:"num_stones" doc:"stones, which nothing destroys"`
	NumBoxes  int      `json:"num_boxes" doc:"boxes, which bombs destroy"`
	Symmetry  Symmetry `json:"symmetry" doc:"how the map's halves belong together: mirror (they are mirror images), rotation (either is the other turned by 180 degrees) or none (each cell is drawn by itself)"`
	FreeSteps int      `json:"free_steps" limits:"0 to 5" doc:"cells at most this many steps from where a bomber starts are free"`
	MaxSteps  int      `json:"max_steps" limits:"1 to 30000" doc:"the last round"`

	BaseEnergy  int        `json:"base_energy" limits:"1 to 100" doc:"energy of a base at first; at 0 it is destroyed"`
	BaseDamage  BaseDamage `json:"base_damage" doc:"what a base loses when bombs reach it: round (1 a round, like anything that several bombs reach together) or bomb (1 for each bomb)"`
	Lives       int        `json:"lives" limits:"1 to 100" doc:"lives of a bomber"`
	Bombs       int        `json:"bombs" limits:"1 to 4" doc:"bombs that a bomber can have on the map at a time"`
	BombLife    int        `json:"bomb_life" limits:"1 to 100" doc:"rounds from laying a bomb to its explosion"`
	BlastRange  int        `json:"blast_range" limits:"0 to 14" doc:"cells that an explosion reaches each way besides the bomb's own"`
	BoxPoints   int        `json:"box_points" limits:"0 to 100" doc:"points for a box destroyed"`
	DeathPoints int        `json:"death_points" limits:"0 to 100" doc:"points for the other side when a bomber dies"`

	TickAtOnce bool `json:"tick_at_once" doc:"the round in which a bomb is laid counts for its life"`
	LayFirst   bool `json:"lay_first" doc:"nobody can enter a cell on which a bomb is laid in that round"`
	BombsSpent bool `json:"bombs_spent" doc:"a bomber has its bombs for the whole game: none comes back after its explosion"`
	AllPay     bool `json:"all_pay" doc:"all bombers that lay on a cell in one round spend a bomb for the one that lies there, not only the first of each side"`

	OwnCellSafe    bool `json:"own_cell_safe" doc:"an explosion leaves out the bomb's own cell: bombers there are not hurt, and blast in observations does not show it"`
	OwnCellShields bool `json:"own_cell_shields" doc:"a bomber on the bomb's own cell shields everything else from it"`
	HurtFirst      bool `json:"hurt_first" doc:"of several bombers on a cell only the first is hurt"`
	OwnHarmless    bool `json:"own_harmless" doc:"a bomb hurts neither bombers nor base of the side it belongs to, who still shield what is behind them"`

	DrawTogether bool `json:"draw_together" doc:"if both bases are destroyed in one round it is a draw, whatever the score"`
	PlayOn       bool `json:"play_on" doc:"the game goes on to the last round even if no bomb lies and no bomber can lay one"`
}

// Standard is the contest's rules with six seats.
func Standard() Rules {
	return Rules{
		BoardSize: 15, NumStones: 40, NumBoxes: 80, FreeSteps: 2, MaxSteps: 300,
		BaseEnergy: 5, BaseDamage: PerBomb, Lives: 3, Bombs: 3, BombLife: 7, BlastRange: 2, BoxPoints: 1, DeathPoints: 3,
	}
}

// StandardSides is the contest's rules with two seats, each a side.
func StandardSides() Rules {
	r := Standard()
	r.Sides = true
	return r
}

// Seats is how many seats there are.
func (r *Rules) Seats() int {
	if r.Sides {
		return 2
	}
	return NumBombers
}

// Own lists the bombers that a seat moves, in the order of the components of its
// action.
func (r *Rules) Own(seat int) []uint8 {
	if r.Sides {
		return sideBombers[seat]
	}
	return eachBomber[seat : seat+1]
}

// Mates lists the bombers of a bomber's side, itself included.
func (r *Rules) Mates(id int) []uint8 { return sideBombers[SideOf(id)] }

// sideBombers lists the bombers of each side, eachBomber all of them.
var (
	sideBombers = [2][]uint8{{0, 2, 4}, {1, 3, 5}}
	eachBomber  = []uint8{0, 1, 2, 3, 4, 5}
)

// Base is the cell of a side's base: in the middle row, in the outermost column.
func (r *Rules) Base(side Side) grid.Cell {
	return grid.At(r.BoardSize/2, int(side)*(r.BoardSize-1))
}

// Validate returns an error that names a field, its value and what it may be; nil if
// the rules are valid.
func (r *Rules) Validate() error {
	cells := r.BoardSize * r.BoardSize
	if err := cmp.Or(
		ruleset.Check(r),
		ruleset.Between("num_stones", r.NumStones, 0, cells),
		ruleset.Between("num_boxes", r.NumBoxes, 0, cells),
	); err != nil {
		return err
	}
	if r.BoardSize%2 == 0 {
		return fmt.Errorf("rules: board_size is %d, want an odd number: the bases stand in the middle row", r.BoardSize)
	}
	return nil
}

// MaxScore is a number of points that no side can reach in a game.
func (r *Rules) MaxScore() int {
	return max(1, r.NumBoxes*r.BoxPoints+NumBombers/2*r.DeathPoints)
}

// teams lists the seats that win and lose together.
func (r *Rules) teams() [][]int {
	if r.Sides {
		return [][]int{{0}, {1}}
	}
	return [][]int{{0, 2, 4}, {1, 3, 5}}
}

// actions lists the components of one seat's action: a move for each bomber.
func (r *Rules) actions() []env.Choice {
	names := []string{"move"}
	if r.Sides {
		names = []string{"move_a", "move_b", "move_c"}
	}
	var all []env.Choice
	for _, name := range names {
		all = append(all, env.Choice{Name: name, N: int(NumActions), Names: actionNames[:]})
	}
	return all
}
