package suitebot

import (
	"pommego/env/ruleset"
	"pommego/internal/enum"
)

// Version of the rules as a whole: it grows when a recorded game would change.
const Version = 1

// Rules is every number and switch of the game. [Standard] is the contest's own;
// change what you like and hand it to [New], which validates it.
//
// The tag doc of a field says what it means, in the documentation and for all clients.
// If the contest's document leaves the field open, doc also has the reading, which is
// what Standard takes the document to mean. The tag limits has the range of a number.
type Rules struct {
	Width   int `json:"width" limits:"5 to 32" doc:"columns of the plan, 5 to 32; reading: 20"`
	Height  int `json:"height" limits:"5 to 32" doc:"rows of the plan, 5 to 32; reading: 20"`
	Players int `json:"players" limits:"2 to 8" doc:"how many play, 2 to 8; reading: 4"`
	Rounds  int `json:"rounds" limits:"1 to 5000" doc:"rounds of a game"`

	BombDelay int `json:"bomb_delay" limits:"1 to 8" doc:"rounds after the one of planting in which a bomb goes off; reading: 4, for 'at the end of the 4th round' does not count the round of planting"`

	BlastRadius int        `json:"blast_radius" limits:"0 to 16" doc:"fields that a bomb reaches each way besides its own; nothing stops a blast, and a field reached twice around the torus counts once; reading: 3"`
	BlastShape  BlastShape `json:"blast_shape" doc:"the form of a bomb's reach: cross (up, down, left and right) or square (all fields up to so many rows and columns away); reading: cross"`

	FieldPoints int `json:"field_points" limits:"0 to 1000" doc:"points for each field collected"`
	KillPoints  int `json:"kill_points" limits:"0 to 1000" doc:"points for each opponent killed by bombs"`

	HomeLayout HomeLayout `json:"home_layout" doc:"where the home bases are: even (a lattice as wide as it can be, whose place each episode draws), fixed (that lattice with seat 0 at (0, 0)) or drawn (anywhere, drawn each episode); reading: even"`

	Start Start `json:"start" doc:"where agents stand at first: home (each on its home base) or scattered (each on a field that is drawn, none on a base); reading: home"`

	ViewRadius int `json:"view_radius" limits:"0 to 32" doc:"rows and columns that a seat sees each way from its own field; 0, which is the reading: the whole plan"`

	DeadPlant bool `json:"dead_plant" doc:"an agent that died in a collision still plants its bomb there; reading: it does not"`

	CollisionPoints int `json:"collision_points" limits:"-1000 to 1000" doc:"points that an agent that collides gets for each other one on its field; reading: none"`
	HomePoints      int `json:"home_points" limits:"-1000 to 1000" doc:"points that a player gets for each enemy that dies on its home base; reading: none"`

	OwnBombsContest bool `json:"own_bombs_contest" doc:"a kill is contested if the victim's own bombs reach it together with those of one opponent; if not, the victim's bombs do not matter; reading: it is"`

	SelfKillPoints int `json:"self_kill_points" limits:"-1000 to 1000" doc:"points that a victim gets that its own bombs alone killed; reading: none"`

	DeadKills bool `json:"dead_kills" doc:"an agent that died in a collision and lies in a blast is killed again, as is one that died on a home base if home_deaths is moves: the killer gets the points and the count; reading: it is dead already"`

	HomeDeaths HomeDeaths `json:"home_deaths" doc:"when those on an enemy's home base die: end (of the round, after the dead have respawned) or moves (with the collisions, so that they do not plant; one that collides there then gives home_points, too); reading: end"`

	SharedFirst bool `json:"shared_first" doc:"players with equal points at the top have all won, unless everybody has them, which is a tie; if not, it is always a tie; reading: they have all won"`
}

// Standard is the rules of the contest.
func Standard() Rules {
	return Rules{
		Width: 20, Height: 20, Players: 4, Rounds: 100,
		BombDelay: 4, BlastRadius: 3, BlastShape: Cross,
		FieldPoints: 1, KillPoints: 10,
		OwnBombsContest: true, SharedFirst: true,
	}
}

// BlastShape is the form of a bomb's reach.
type BlastShape = enum.Text[shapes]

// The shapes.
const (
	Cross  BlastShape = iota // BlastRadius fields up, down, left and right
	Square                   // all fields up to BlastRadius rows and columns away
)

// HomeLayout says where the home bases are.
type HomeLayout = enum.Text[layouts]

// The layouts.
const (
	// Even is a lattice on the torus, as wide as possible. Each episode draws where it
	// begins and which base belongs to which seat. If the plan's sides allow it, every
	// base has the others in the same places around it.
	Even HomeLayout = iota
	// Fixed is the lattice of Even without draws: seat 0's base is at (0, 0).
	Fixed
	// Drawn has bases anywhere: each episode draws a field for each base.
	Drawn
)

// Start says where agents stand at first.
type Start = enum.Text[starts]

// The starts.
const (
	AtHome    Start = iota // each on its home base
	Scattered              // each on a field that is drawn, none on a base
)

// HomeDeaths says when agents on an enemy's home base die.
type HomeDeaths = enum.Text[deaths]

// The times.
const (
	AtEnd      HomeDeaths = iota // at the end of the round, after the dead have respawned
	AfterMoves                   // with the collisions, so that they do not plant
)

type (
	shapes  struct{}
	layouts struct{}
	starts  struct{}
	deaths  struct{}
)

func (shapes) Names() (string, []string)  { return "blast_shape", []string{"cross", "square"} }
func (layouts) Names() (string, []string) { return "home_layout", []string{"even", "fixed", "drawn"} }
func (starts) Names() (string, []string)  { return "start", []string{"home", "scattered"} }
func (deaths) Names() (string, []string)  { return "home_deaths", []string{"end", "moves"} }

// Limits of the rules. The fields' tags repeat them.
const (
	MaxSide    = 32
	MaxPlayers = 8
	MaxDelay   = 8
)

// Validate returns an error that names a field, its value and what it may be; nil if
// the rules are valid.
func (r *Rules) Validate() error { return ruleset.Check(r) }

// mostPoints returns the most and the least points that a player can have after a game.
func (r *Rules) mostPoints() (most, least int) {
	most, least = r.otherPoints()
	return r.Width*r.Height*r.FieldPoints + r.Rounds*((r.Players-1)*r.KillPoints+most), r.Rounds * least
}

// otherPoints returns the most and the least points that a player can get in a round,
// without those for fields and kills.
func (r *Rules) otherPoints() (most, least int) {
	others := r.Players - 1
	for _, each := range []int{others * r.CollisionPoints, others * r.HomePoints, r.SelfKillPoints} {
		most += max(each, 0)
		least += min(each, 0)
	}
	return most, least
}
