package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pommego/arena/dataset"
	"pommego/env"
)

func newDataPack() *cobra.Command {
	var o packOptions
	cmd := &cobra.Command{
		Use:   "pack --out DIR --agents client:NAME,...",
		Short: "Store games that a client plays: the other end of pommego.data.record",
		Long: `Make a data set of games that a client plays with agents of its own, such as a network in
Python; pommego.data.record does it all. It goes on where it was interrupted.

Writes a line of JSON to standard output: {"missing": [[0, 99], [200, 499]]}, the numbers
of the games that are wanted, first and last of each stretch; game i has --seed + i. Then
reads games from standard input, in any order. All numbers are little-endian:

  length of what follows        4 bytes
  number of the game            8
  result, as in the protocol    1
  winners, a bit a seat         2
  agents by seat, as --agents   2 each
  actions of the client's seats a byte for each step, seat and component
  extra arrays, if any          for each --extra in turn, an array for each step and seat

Writes the summary as a line of JSON once all games are there.`,
		Example: `  pommego data pack --out league --agents client:net,simple --games 1000 <games`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.out == "" {
				return usagef("no folder is named, want --out DIR")
			}
			return exactly(0, "none")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	o.add(cmd)
	f.StringSliceVar(&o.config.Agents, "agents", nil, "the agents that can occur: client:NAME, and built-in ones")
	f.IntVar(&o.config.Games, "games", 1000, "how many games")
	f.StringArrayVar(&o.extra, "extra", nil, "with --layout steps, an array that the client's agents report, as `NAME:DTYPE:SHAPE`: visits:int32:6, board:uint8:8x8, value:float32")
	return cmd
}

type packOptions struct {
	madeData
	extra []string
}

func (o *packOptions) run(ctx context.Context, in io.Reader, out io.Writer) error {
	game, err := o.game()
	if err != nil {
		return err
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	feed, failed := make(chan dataset.Fed), make(chan error, 1)
	options := o.options()
	options.Fed = feed
	options.Missing = func(games []int) {
		err := json.NewEncoder(out).Encode(map[string]any{"missing": stretches(games)})
		go func() {
			defer close(feed)
			if err == nil {
				err = o.readFed(ctx, in, game.Spec(), feed)
			}
			failed <- err
		}()
	}
	m, w, err := dataset.Generate(ctx, game, o.config, o.out, options)
	select {
	case input := <-failed:
		err = errors.Join(input, err)
	default:
	}
	if err != nil {
		return o.explain(err)
	}
	return json.NewEncoder(out).Encode(summarise(o.out, m, w))
}

func (o *packOptions) game() (env.Game, error) {
	game, err := o.chosenGame.game()
	if err != nil {
		return nil, err
	}
	o.config.Seating, o.config.Unrepeatable = dataset.Told, true
	for _, text := range o.extra {
		x, err := readExtra(text)
		if err != nil {
			return nil, usagef("--extra: %w", err)
		}
		o.config.Extra = append(o.config.Extra, x)
	}
	if err := o.config.Validate(game); err != nil {
		return nil, usageError{err}
	}
	return game, nil
}

// readExtra reads NAME:DTYPE:SHAPE.
func readExtra(text string) (x dataset.Extra, err error) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return x, fmt.Errorf("%q, want NAME:DTYPE:SHAPE, such as visits:int32:6, or NAME:DTYPE", text)
	}
	x.Name, x.DType, x.Shape = parts[0], env.DType(parts[1]), []int{}
	if len(parts) == 2 || parts[2] == "" {
		return x, nil
	}
	for side := range strings.SplitSeq(parts[2], "x") {
		n, err := strconv.Atoi(side)
		if err != nil {
			return x, fmt.Errorf("%q: shape %q, want numbers with an x between them, such as 8x8", text, parts[2])
		}
		x.Shape = append(x.Shape, n)
	}
	return x, nil
}

// stretches writes ascending numbers as pairs of first and last.
func stretches(numbers []int) [][2]int {
	all := [][2]int{}
	for _, n := range numbers {
		if k := len(all); k > 0 && all[k-1][1] == n-1 {
			all[k-1][1] = n
		} else {
			all = append(all, [2]int{n, n})
		}
	}
	return all
}

// longestFed is the most bytes a game may have.
const longestFed = 1 << 28

// readFed reads games until the end of the input.
func (o *packOptions) readFed(ctx context.Context, in io.Reader, spec *env.Spec, feed chan<- dataset.Fed) error {
	reader := bufio.NewReaderSize(in, 1<<18)
	le, head := binary.LittleEndian, 8+1+2+2*spec.Seats
	for {
		var size [4]byte
		if _, err := io.ReadFull(reader, size[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("the input ends inside a game: %w", err)
		}
		n := int(le.Uint32(size[:]))
		if n < head || n > longestFed {
			return fmt.Errorf("a game of %d bytes, want %d to %d", n, head, longestFed)
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(reader, body); err != nil {
			return fmt.Errorf("the input ends inside a game: %w", err)
		}
		fed := dataset.Fed{Game: int(le.Uint64(body)), Result: env.Result(body[8]), Winners: env.SeatSet(le.Uint16(body[9:]))}
		for seat := range spec.Seats {
			fed.Agents = append(fed.Agents, le.Uint16(body[11+2*seat:]))
		}
		actions := o.config.ActionBytes(spec, n-head)
		fed.Actions, fed.Extra = body[head:head+actions], body[head+actions:]
		select {
		case feed <- fed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
