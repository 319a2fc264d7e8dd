package words

import (
	"fmt"
	"strings"
)

// rules are the numbers of the three games' rules that texts mention, by their names in JSON.
type rules struct {
	// Pommerman
	ViewSize      int    `json:"agent_view_size"`
	StartAmmo     int    `json:"start_ammo"`
	StartBlast    int    `json:"start_blast_strength"`
	BombLife      int    `json:"bomb_life"`
	FlameLife     int    `json:"flame_life"`
	Step          string `json:"step"`
	DelayedChain  bool   `json:"delayed_chain"`
	Skulls        bool   `json:"skulls"`
	FirstCollapse int    `json:"first_collapse"`
	CollapseEvery int    `json:"collapse_every"`
	RadioWords    int    `json:"radio_num_words"`
	RadioVocab    int    `json:"radio_vocab_size"`
	// BaseWar
	BaseEnergy  int `json:"base_energy"`
	Lives       int `json:"lives"`
	Bombs       int `json:"bombs"`
	BlastRange  int `json:"blast_range"`
	BoxPoints   int `json:"box_points"`
	DeathPoints int `json:"death_points"`
	// SuiteBot
	BombDelay   int    `json:"bomb_delay"`
	BlastRadius int    `json:"blast_radius"`
	BlastShape  string `json:"blast_shape"`
	FieldPoints int    `json:"field_points"`
	KillPoints  int    `json:"kill_points"`
	ViewRadius  int    `json:"view_radius"`
}

// Rules is the rules of the game, in short.
func (g *Game) Rules() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s. %d ticks at most.\n", g.spec.ID, g.spec.Description, g.head.MaxSteps)
	return b.String()
}
