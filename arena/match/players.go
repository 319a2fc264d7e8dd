package match

import (
	"errors"

	"pommego/env"
)

// Players are the players of one goroutine, which play one game after the other. Seat makes them as
// they are needed. Close them after use.
type Players struct {
	Game env.Game
	made map[string][]Player // by name, as many as one game needed
}

// Seat gives each seat a player of its name, until the next call.
func (p *Players) Seat(names []string) ([]Player, error) {
	if p.made == nil {
		p.made = map[string][]Player{}
	}
	seats := make([]Player, len(names))
	used := map[string]int{}
	for seat, name := range names {
		if used[name] == len(p.made[name]) {
			player, err := NewPlayer(p.Game, name)
			if err != nil {
				return nil, err
			}
			p.made[name] = append(p.made[name], player)
		}
		seats[seat] = p.made[name][used[name]]
		used[name]++
	}
	return seats, nil
}

// Close closes all players.
func (p *Players) Close() error {
	var err error
	for _, all := range p.made {
		for _, player := range all {
			err = errors.Join(err, player.Close())
		}
	}
	clear(p.made)
	return err
}
