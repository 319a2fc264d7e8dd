package pommerman

import (
	"cmp"
	"fmt"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/ruleset"
	"pommego/internal/enum"
)

// GameType is who plays against whom, with the reference's numbers.
type GameType uint8

// The game types.
const (
	FFA       GameType = 1 // free-for-all, four seats
	Team      GameType = 2 // seats 0 and 2 against 1 and 3
	TeamRadio GameType = 3 // Team, with words sent to the teammate
	OneVsOne  GameType = 4 // two seats
)

// StepKind names one of the steps by which a game can be played. They share the state
// and its encodings, and differ in what happens between two states.
type StepKind = enum.Text[steps]

// The steps.
const (
	StepToday StepKind = iota // the step of the reference as it is today: turn.go
	Step2018                  // the step of the reference in May 2018: turn_2018.go
	StepJava                  // the step of the Java re-implementation's code: turn_java.go
	numSteps
)

type steps struct{}

func (steps) Names() (string, []string) { return "step", []string{"today", "2018", "java"} }

// NoCollapse is the FirstCollapse of a board that never collapses.
const NoCollapse = -1

// OwnCell is the ViewSize of a seat that sees its own cell alone.
const OwnCell = -1

// NoSeat stands for no seat.
const NoSeat = -1

// Rules is every number and switch of the game. Make one with a preset
// ([Playground], [Java], [Rules2018]), change what you like, and hand it to
// [New], which validates it. A step never asks for a preset's name.
//
// The tag doc of a field says what it means, in the documentation and for all clients. The tag limits has the range
// of a number.
type Rules struct {
	GameType GameType `json:"game_type" doc:"who plays against whom: 1 free for all, 2 two teams, 3 two teams with radio, 4 one against one"`
	GameEnv  string   `json:"game_env" doc:"the name of the original's environment, which observations contain"`

	BoardSize int `json:"board_size" limits:"7 to 14" doc:"rows and columns of the board, 7 to 14"`
	NumRigid  int `json:"num_rigid" limits:"0 to 196" doc:"rigid walls, an even number"`
	NumWood   int `json:"num_wood" limits:"0 to 196" doc:"wooden walls, an even number, including those on the guaranteed passages between corners, which are dealt even if they are more"`
	NumItems  int `json:"num_items" doc:"power-ups hidden under wood"`
	MaxSteps  int `json:"max_steps" limits:"1 to 30000" doc:"the step after which a game is over in any case; with step 2018 a step later"`

	// -1 is OwnCell.
	ViewSize int `json:"agent_view_size" doc:"rows and columns that a seat sees each way from its own cell; 0: the whole board; -1, with step java only: its own cell"`

	StartAmmo  int `json:"start_ammo" doc:"bombs that an agent can lay at first"`
	StartBlast int `json:"start_blast_strength" limits:"1 to 14" doc:"blast strength of an agent's bombs at first: the cells they reach each way, their own included"`
	MaxAmmo    int `json:"max_ammo" limits:"1 to 64" doc:"the most ammo that returned bombs and items lead to; step 2018 does not cap what bombs return, and step java ignores it"`
	MaxBlast   int `json:"max_blast_strength" limits:"1 to 64" doc:"the most blast strength that range items lead to; step java ignores it"`
	BombLife   int `json:"bomb_life" limits:"1 to 100" doc:"steps from laying a bomb to its explosion"`
	FlameLife  int `json:"flame_life" limits:"1 to 5" doc:"observations in which a flame shows, 1 to 5"`

	StepKind StepKind `json:"step,omitempty" doc:"the step of the game: today (the original's as it is now; the default), 2018 (the original's of May 2018) or java (that of the Java version's code)"`

	DelayedChain bool `json:"delayed_chain" doc:"a bomb that an explosion reaches detonates in the next step instead of the same one"`
	Skulls       bool `json:"skulls" doc:"skulls are a fourth kind of item, as likely as the others; the cell values of the dummy and the agents are one higher then"`

	BombList bool `json:"bomb_list" doc:"the raw observation also lists the bombs that a seat sees"`

	// -1 is NoCollapse. Past MaxSteps, rings count backwards: see Collapses.
	FirstCollapse int `json:"first_collapse" limits:"-1 to 30000" doc:"the step count at which the outermost ring of the board turns to rigid wall, and a further ring every quarter of the steps left (with step java a step later); -1, or at least 4 past max_steps: never; 0: without the outermost, unless the step is java"`
	CollapseEvery int `json:"collapse_every,omitempty" limits:"0 to 30000" doc:"with step java, steps from one ring to the next; 0 or left out: a quarter of the steps left, as with the other steps"`

	// RadioWords is up to MaxWords.
	RadioWords int `json:"radio_num_words" limits:"0 to 3" doc:"words in a message to the teammate, 0 without radio"`
	RadioVocab int `json:"radio_vocab_size" limits:"0 to 100" doc:"the number of words: 1 to this number, and 0 for none"`

	// -1 is NoSeat.
	TrainingAgent int `json:"training_agent" doc:"the seat whose death also ends the game, in games without teams; -1: none"`
}

// Playground returns the rules of the reference for one game type.
func Playground(t GameType) Rules {
	r := Rules{
		GameType: t, GameEnv: "pommerman.envs.v0:Pomme",
		BoardSize: 11, NumRigid: 36, NumWood: 36, NumItems: 20, MaxSteps: 800,
		StartAmmo: 1, StartBlast: 2, MaxAmmo: 10, MaxBlast: 10, BombLife: 10, FlameLife: 3,
		FirstCollapse: NoCollapse, TrainingAgent: NoSeat,
	}
	if t == OneVsOne {
		r.BoardSize, r.NumRigid, r.NumWood, r.NumItems = 8, 16, 16, 10
	}
	if t == TeamRadio {
		r.GameEnv = "pommerman.envs.v2:Pomme"
		r.RadioWords, r.RadioVocab = 2, 8
	}
	return r
}

// Java returns the rules of the code of the Java re-implementation: its own step, fewer
// walls, flames of five steps, and the collapse from step 500.
func Java(t GameType) Rules {
	r := JavaDocument(t)
	r.StepKind, r.DelayedChain, r.ViewSize = StepJava, false, 0
	r.NumRigid, r.NumWood, r.NumItems = 20, 20, 10
	return r.uncapped()
}

// JavaDocument returns the rules of that version's document where its code differs: the
// reference's step with chains a step later, the reference's walls, and a view of four
// rows and columns. Where the document says nothing, it follows the code.
func JavaDocument(t GameType) Rules {
	r := Playground(t).Collapsing(500)
	r.FlameLife = 5
	r.BombList = true
	r.DelayedChain = true
	r.ViewSize = 4
	return r.uncapped()
}

// uncapped removes the limits of ammo and blast strength.
func (r Rules) uncapped() Rules {
	r.MaxAmmo, r.MaxBlast = r.StartAmmo+r.NumItems, r.StartBlast+r.NumItems
	return r
}

// Rules2018 returns the rules of the reference in May 2018, by which the games of the
// FDG'18 paper were played: a larger board, slow bombs, stronger blasts, skulls, and
// the step of that time. An agent in fog saw one row and column less up and left.
func Rules2018(t GameType) Rules {
	r := Playground(t)
	r.BoardSize, r.NumRigid, r.NumWood, r.NumItems = 13, 50, 50, 25
	r.StartBlast = 3
	r.BombLife = 25
	r.MaxSteps = 2500
	r.Skulls = true
	r.StepKind = Step2018
	return r
}

// Fogged limits a seat's view to size rows and columns around itself, and caps the
// blast strength at that size.
func (r Rules) Fogged(size int) Rules {
	r.ViewSize, r.MaxBlast = size, size
	return r
}

// Collapsing makes rings fall from the given step count on.
func (r Rules) Collapsing(first int) Rules {
	r.FirstCollapse = first
	r.GameEnv = "pommerman.envs.v1:Pomme"
	return r
}

// Seats is how many agents play.
func (r *Rules) Seats() int {
	if r.GameType == OneVsOne {
		return 2
	}
	return 4
}

// Teams reports whether seats 0 and 2 play against 1 and 3.
func (r *Rules) Teams() bool { return r.GameType == Team || r.GameType == TeamRadio }

// Agent0 is the cell value of agent 0; the others follow.
func (r *Rules) Agent0() Item {
	if r.Skulls {
		return 11
	}
	return 10
}

// Dummy is the value that stands for no agent in teammate and enemies.
func (r *Rules) Dummy() Item { return r.Agent0() - 1 }

// Teammate returns the seat of seat's teammate, NoSeat without teams.
func (r *Rules) Teammate(seat int) int {
	if r.Teams() {
		return (seat + 2) % 4
	}
	return NoSeat
}

// Enemies returns the seats that a seat plays against.
func (r *Rules) Enemies(seat int) env.SeatSet {
	switch {
	case !r.Teams():
		return env.AllSeats(r.Seats()).Without(seat)
	case team0.Has(seat):
		return team1
	}
	return team0
}

// lastStep is the step count at which the step limit ends a game.
func (r *Rules) lastStep() int { return r.MaxSteps + r.Traits().countsLate }

// CollapseStep is how many steps lie between two rings.
func (r *Rules) CollapseStep() int {
	if r.CollapseEvery != 0 {
		return r.CollapseEvery
	}
	return (r.MaxSteps - r.FirstCollapse) / 4
}

// Collapses lists the step counts at which rings fall, ring 0 first. With a
// FirstCollapse past MaxSteps it counts backwards, as the reference does, and
// no game gets that far.
func (r *Rules) Collapses() []int {
	if r.FirstCollapse == NoCollapse {
		return nil
	}
	var at []int
	step := r.CollapseStep()
	for s := r.FirstCollapse; step > 0 && s < r.MaxSteps || step < 0 && s > r.MaxSteps; s += step {
		at = append(at, s)
	}
	return at
}

// ringDue returns the ring that is due at a step count, -1 for none. Rings that wait are due by the count of a step
// that was made, so none is at 0.
func (r *Rules) ringDue(step int) int {
	if step >= r.MaxSteps || step == 0 && r.Traits().ringsWait {
		return -1
	}
	return r.ringJava(step)
}

// Falls returns the step counts at which rings do fall, by the number of the ring.
func (r *Rules) Falls() map[int]int {
	falls := map[int]int{}
	for ring := range (r.BoardSize + 1) / 2 {
		if at := r.FirstCollapse + ring*r.CollapseStep(); r.ringDue(at) == ring {
			falls[ring] = at
		}
	}
	return falls
}

// RingAt returns the cells of the ring that falls at a step count.
func (r *Rules) RingAt(step int) (ring grid.Bits) {
	if due := r.ringDue(step); due >= 0 {
		ring = ringCells(r.BoardSize, due)
	}
	return ring
}

// Fallen writes which rings of those from a step count on have fallen, first before anybody moves, then by the end of
// each step.
func (r *Rules) Fallen(count int, fallen []grid.Bits) {
	all, lingers := grid.Bits{}, r.Traits().Lingers
	clear(fallen[:lingers])
	for t := lingers; t < len(fallen); t++ {
		all = all.Or(r.RingAt(count + t - lingers))
		fallen[t] = all
	}
}

// Validate returns an error that names a field, its value and what it may be; nil if
// the rules are valid.
func (r *Rules) Validate() error {
	if r.GameType < FFA || r.GameType > OneVsOne {
		return fmt.Errorf("rules: game_type is %d, want 1 (FFA), 2 (team), 3 (team radio) or 4 (one-vs-one)", r.GameType)
	}
	if err := ruleset.Check(r); err != nil {
		return err
	}
	if err := cmp.Or(
		ruleset.Between("num_items", r.NumItems, 0, r.NumWood, "num_wood"),
		ruleset.Between("agent_view_size", r.ViewSize, r.Traits().leastView, grid.MaxSide),
		ruleset.Between("start_ammo", r.StartAmmo, 0, r.MaxAmmo, "max_ammo"),
		ruleset.Between("training_agent", r.TrainingAgent, NoSeat, r.Seats()-1),
		r.checkStep(),
	); err != nil {
		return err
	}
	switch {
	case r.FirstCollapse != NoCollapse && r.CollapseStep() == 0:
		return fmt.Errorf("rules: first_collapse %d is less than 4 steps from max_steps %d: rings fall every quarter of "+
			"what lies between", r.FirstCollapse, r.MaxSteps)
	case r.NumRigid%2 != 0 || r.NumWood%2 != 0:
		return fmt.Errorf("rules: num_rigid %d and num_wood %d must be even: walls are laid in mirrored pairs", r.NumRigid,
			r.NumWood)
	case (r.RadioWords > 0) != (r.GameType == TeamRadio) || (r.RadioVocab > 0) != (r.RadioWords > 0):
		return fmt.Errorf("rules: radio_num_words %d and radio_vocab_size %d: both belong to game type 3 (team radio), "+
			"and to no other", r.RadioWords, r.RadioVocab)
	case r.Teams() && r.TrainingAgent != NoSeat:
		return fmt.Errorf("rules: training_agent is %d, want %d: team games have none", r.TrainingAgent, NoSeat)
	case r.Seats()*r.StartAmmo+r.NumItems > MaxBombs:
		return fmt.Errorf("rules: %d seats with start_ammo %d and num_items %d could lay more than %d bombs: "+
			"lower one of these", r.Seats(), r.StartAmmo, r.NumItems, MaxBombs)
	}
	return nil
}

func (r *Rules) teams() [][]int {
	if r.Teams() {
		return [][]int{{0, 2}, {1, 3}}
	}
	return ruleset.Alone(r.Seats())
}

// actions lists the components of one seat's action.
func (r *Rules) actions() []env.Choice {
	all := []env.Choice{{Name: "move", N: int(numActions), Names: actionNames[:]}}
	for w := range r.RadioWords {
		word := env.Choice{Name: fmt.Sprintf("word%d", w), N: r.RadioVocab + 1, Names: []string{"none"}}
		for v := 1; v <= r.RadioVocab; v++ {
			word.Names = append(word.Names, fmt.Sprint(v))
		}
		all = append(all, word)
	}
	return all
}
