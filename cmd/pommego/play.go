package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/trace"
)

func newPlay() *cobra.Command {
	var o playOptions
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play one match between agents, on screen or recorded",
		Long: `Play one match between built-in agents and print how it ended. The same seed gives
the same match. Agents are named seat by seat; a single name plays in every seat.`,
		Example: `  pommego play --agents simple --show
  pommego play --env PommeTeamCompetition-v0 --agents simple,random,simple,static --seed 7
  pommego play --agents simple --seed 7 --record match.jsonl.gz --quiet
  pommego play --env OneVsOne-v0 --agents simple --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			o.seeded = cmd.Flags().Changed("seed")
			switch {
			case o.show && o.quiet:
				return usagef("--show and --quiet exclude each other")
			case o.obsEvery < 0:
				return usagef("--obs-every is %d, want 0 or more", o.obsEvery)
			case o.fps < 0:
				return usagef("--fps is %v, want 0 or more", o.fps)
			}
			return exactly(0, "none")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.id, "env", "PommeFFACompetition-v0", "the environment's id, see: pommego envs")
	f.StringVar(&o.agents, "agents", "simple", "the agents' names, by seat, with commas between")
	f.Uint64Var(&o.seed, "seed", 0, "what decides everything random; drawn and printed if not given")
	f.StringVar(&o.record, "record", "", "a file to write the match to (.gz compresses)")
	f.IntVar(&o.obsEvery, "obs-every", 3, "record observations every so many steps, 0: never")
	f.BoolVar(&o.show, "show", false, "show every step")
	f.Float64Var(&o.fps, "fps", 5, "with --show, pictures a second on a terminal, 0: as fast as can be")
	f.BoolVar(&o.quiet, "quiet", false, "print one line, no picture")
	f.BoolVar(&o.asJSON, "json", false, "print how the match ended as one JSON object")
	return cmd
}

type playOptions struct {
	id, agents, record string
	seed               uint64
	seeded             bool
	obsEvery           int
	show, quiet        bool
	fps                float64
	asJSON             bool
}

// match is one match with its agents.
type match struct {
	env.Match
	spec    *env.Spec
	names   []string
	agents  []env.Agent
	actions []uint8
}

func (o *playOptions) run(cmd *cobra.Command) error {
	m, err := o.prepare()
	if err != nil {
		return err
	}
	var file *trace.Writer
	var rec trace.Recorder
	if o.record != "" {
		if rec, err = o.recorder(m); err != nil {
			return err
		}
		if file, err = trace.Create(o.record); err != nil {
			return err
		}
		defer file.Abort() // nothing, once it is closed
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	out := cmd.OutOrStdout()
	if err := o.play(ctx, out, m, rec); err != nil {
		return err
	}
	if rec != nil {
		if err := finish(file, rec); err != nil {
			return err
		}
	}
	return o.report(out, m)
}

// prepare makes the match and the agents, and seeds them.
func (o *playOptions) prepare() (*match, error) {
	game, err := catalog.Game(o.id)
	if err != nil {
		return nil, usagef("--env: %w", err)
	}
	m := &match{Match: game.New(1)[0], spec: game.Spec(), names: agentNames(o.agents)}
	if len(m.names) == 1 {
		for len(m.names) < m.spec.Seats {
			m.names = append(m.names, m.names[0])
		}
	}
	if len(m.names) != m.spec.Seats {
		return nil, usagef("--agents names %d agents, want %d for %s, or one for all seats", len(m.names), m.spec.Seats, o.id)
	}
	if !o.seeded {
		var random [4]byte // short enough to be typed again
		rand.Read(random[:])
		o.seed = uint64(binary.LittleEndian.Uint32(random[:]))
	}
	seed := env.Seed{Value: o.seed}
	for seat, name := range m.names {
		agent, err := game.NewAgent(name)
		if err != nil {
			return nil, usagef("--agents: %w", err)
		}
		agent.Reset(seed.Dice(env.StreamAgents + uint64(seat)))
		m.agents = append(m.agents, agent)
	}
	m.Reset(seed)
	m.actions = make([]uint8, m.spec.Seats*len(m.spec.Actions))
	return m, nil
}

// agentNames takes a list of names apart. What follows a comma belongs to the
// name before it if it is an option, as in "mcts:ticks=200,depth=8,simple".
func agentNames(list string) []string {
	var names []string
	for _, part := range strings.Split(list, ",") {
		isOption := strings.Contains(part, "=") && !strings.Contains(part, ":")
		if isOption && len(names) > 0 {
			names[len(names)-1] += "," + part
			continue
		}
		names = append(names, strings.TrimSpace(part))
	}
	return names
}

func (o *playOptions) recorder(m *match) (trace.Recorder, error) {
	recordable, ok := m.Match.(trace.Recordable)
	if !ok {
		return nil, usagef("--record: matches of %s cannot be recorded", o.id)
	}
	return recordable.Record(trace.Info{EnvID: o.id, Seed: o.seed, Policies: m.names, ObsEvery: o.obsEvery})
}

// play plays the match to its end.
func (o *playOptions) play(ctx context.Context, out io.Writer, m *match, rec trace.Recorder) error {
	pictures := newScreen(out, onTerminal(os.Stdout), o.fps, nil)
	title := fmt.Sprintf("%s, seed %d: %s", o.id, o.seed, strings.Join(m.names, ", "))
	show := func() bool { return !o.show || o.asJSON || pictures.show(ctx, title, m.AppendText) }
	more := show()
	for more && !m.Status().Over {
		m.step()
		if rec != nil {
			if err := rec.Step(m.actions); err != nil {
				return err
			}
		}
		more = show() && ctx.Err() == nil
	}
	if !m.Status().Over {
		return errors.New("interrupted before the match was over")
	}
	return nil
}

// step lets the agents that are still in act, and makes the move.
func (m *match) step() {
	in, width := m.Status().In, len(m.spec.Actions)
	clear(m.actions)
	for seat, agent := range m.agents {
		if in.Has(seat) {
			agent.Act(m.Match, seat, m.actions[seat*width:(seat+1)*width])
		}
	}
	m.Step(m.actions)
}

// finish writes the record and puts the file in its place.
func finish(file *trace.Writer, rec trace.Recorder) error {
	line, err := rec.Append(nil)
	if err != nil {
		return err
	}
	if err := file.Write(line); err != nil {
		return err
	}
	return file.Close()
}

// report prints how the match ended.
func (o *playOptions) report(out io.Writer, m *match) error {
	rewards := make([]float64, m.spec.Seats)
	m.Rewards(rewards)
	if o.asJSON {
		return printJSON(out, struct {
			Env    string   `json:"env"`
			Seed   uint64   `json:"seed"`
			Agents []string `json:"agents"`
			ended
			Rewards []float64 `json:"rewards"`
			Record  string    `json:"record,omitempty"`
		}{o.id, o.seed, m.names, newEnded(m.Status()), rewards, o.record})
	}
	if !o.quiet && !o.show {
		if _, err := out.Write(m.AppendText(nil, inColour())); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "%s, seed %d: %s\n", o.id, o.seed, inWords(m.Status(), m.names))
	return err
}
