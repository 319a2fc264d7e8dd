package tournament

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"pommego/arena/ledger"
	"pommego/arena/match"
	"pommego/env"
	"pommego/internal/disk"
)

// Kept is a tournament as its log has it, for viewing.
type Kept struct {
	*Tournament
	Records []Record // the finished games, by their numbers

	program string
}

// Read reads the log of a tournament, which may still run. find returns a game
// by its id and rules. Read starts no agent.
func Read(path string, find func(id string, rules json.RawMessage) (env.Game, error)) (*Kept, error) {
	var k *Kept
	err := disk.ReadLog(path, func(line []byte) (err error) {
		if k == nil {
			k, err = begun(line, find)
			return err
		}
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		if err := k.schedule.check(&r); err != nil {
			return err
		}
		k.Records = append(k.Records, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(k.Records, func(a, b Record) int { return a.Game - b.Game })
	return k, nil
}

// begun is the tournament that a log's header describes.
func begun(line []byte, find func(id string, rules json.RawMessage) (env.Game, error)) (*Kept, error) {
	var h ledger.Header[Config]
	if err := json.Unmarshal(line, &h); err != nil || h.Format != logFormat {
		return nil, fmt.Errorf("it is not a tournament's log: its format is %q, want %q", h.Format, logFormat)
	}
	game, err := find(h.Env, h.Rules)
	if err != nil {
		return nil, err
	}
	spec := game.Spec()
	if h.Version != spec.Version {
		return nil, fmt.Errorf("its games are of version %d of %s, want %d", h.Version, spec.Game, spec.Version)
	}
	if err := h.Config.Validate(spec); err != nil {
		return nil, err
	}
	t := &Tournament{Game: game, Config: h.Config}
	t.schedule = newSchedule(&t.Config, spec)
	return &Kept{Tournament: t, program: h.Program}, nil
}

// Results are what the games show; nil as long as some are missing.
func (k *Kept) Results() (*Results, error) {
	if len(k.Records) < k.Games() && !k.schedule.sequential().take(k.Records) {
		return nil, nil
	}
	r, err := k.report(k.Records, k.program)
	if err != nil {
		return nil, err
	}
	return r.Results, nil
}

// ErrNotAgain says that a game cannot be played again as it was.
var ErrNotAgain = errors.New("the game cannot be shown: a log keeps no moves, and it cannot be played again as it was")

// Replay plays a finished game again and calls watch with its positions. It starts
// no agents outside this program.
func (k *Kept) Replay(ctx context.Context, r *Record, watch match.Watch) error {
	f := k.schedule.game(r.Game)
	rules := k.Config.rules()
	rules.Repetition, rules.Events = f.again, true
	for _, name := range r.Agents { // a log is untrusted input
		if _, err := k.Game.NewAgent(name); err != nil {
			return fmt.Errorf("%w: %w; a log's game uses no agent or file outside this program", ErrNotAgain, err)
		}
	}
	players := match.Players{Game: k.Game}
	defer players.Close()
	seats, err := players.Seat(r.Agents)
	if err != nil {
		return err
	}
	report, err := match.Play(ctx, k.Game, seats, f.seed, *rules, watch)
	if err != nil {
		return err
	}
	if report.End.Steps != r.Steps {
		return fmt.Errorf("%w: it took %d steps then and %d now; an agent has a limit in time, or another build of the "+
			"program played", ErrNotAgain, r.Steps, report.End.Steps)
	}
	return nil
}
