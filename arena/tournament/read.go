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

// Kept is a tournament as its log has it, to be looked at.
type Kept struct {
	*Tournament
	Records []Record // those that are finished, by their numbers

	program string
}

// Read reads the log of a tournament, which may still be under way. find finds a
// game by its id and rules. No agent is started.
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
		return nil, fmt.Errorf("it is no log of a tournament: its format is %q, want %q", h.Format, logFormat)
	}
	game, err := find(h.Env, h.Rules)
	if err != nil {
		return nil, err
	}
	spec := game.Spec()
	if h.Version != spec.Version {
		return nil, fmt.Errorf("it is of version %d of %s, this program plays version %d", h.Version, spec.Game, spec.Version)
	}
	if err := h.Config.Validate(spec); err != nil {
		return nil, err
	}
	t := &Tournament{Game: game, Config: h.Config}
	t.schedule = newSchedule(&t.Config, spec)
	return &Kept{Tournament: t, program: h.Program}, nil
}

// Results are what the games show, nil as long as some are missing.
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
var ErrNotAgain = errors.New("the game cannot be shown: logs keep results, and it cannot be played again as it was")

// Replay plays a finished game again, which watch is shown. Agents outside this
// program are not started.
func (k *Kept) Replay(ctx context.Context, r *Record, watch match.Watch) error {
	f := k.schedule.game(r.Game)
	rules := k.Config.rules()
	rules.Repetition, rules.Events = f.again, true
	for _, name := range r.Agents { // as logs come from anyone
		if _, err := k.Game.NewAgent(name); err != nil {
			return fmt.Errorf("%w: %w; a log opens nothing outside this program", ErrNotAgain, err)
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
