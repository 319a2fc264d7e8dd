// Package learned holds agents that learned: small networks choose among the moves that
// can be survived. docs/baselines.md says how they were trained; Python's pommego.load
// plays the same files, with the same decisions.
package learned

import (
	"embed"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"pommego/env"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/seat"
)

//go:embed *.net
var files embed.FS

// brains holds the networks that are built in, by the names of their agents. Each is
// read when it is first needed.
var brains = func() map[string]func() *brain {
	all := map[string]func() *brain{}
	for _, entry := range must(files.ReadDir(".")) {
		all[strings.TrimSuffix(entry.Name(), ".net")] = sync.OnceValue(func() *brain {
			return must(read(must(files.ReadFile(entry.Name()))))
		})
	}
	return all
}()

// versions has the versions above 1. An agent's version grows when its file or its safe moves change.
var versions = map[string]int{"mappo-radio": 6, "mappo-team": 11, "ppo-duel": 10, "ppo-ffa": 7}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// Roster lists the agents: one for each built-in network, and net, which plays with one
// of them or with a user's file.
var Roster = func() (all seat.Roster[pommerman.View]) {
	for _, name := range slices.Sorted(maps.Keys(brains)) {
		plain := seat.Plain(name, func() pommerman.Bot { return &bot{brain: brains[name]} })
		plain.Version = versions[name]
		all = append(all, plain)
	}
	return append(all, seat.Kind[pommerman.View]{Name: "net", Version: versions["ppo-ffa"],
		Make: func(o *seat.Options) pommerman.Bot {
			net := &bot{brain: brains["ppo-ffa"]}
			choose(o, "weights", &net.brain)
			return net
		}})
}()

// choose sets a network from an option: the name of one that is built in, or a user's file.
func choose(o *seat.Options, key string, to *func() *brain) {
	seat.Named(o, key, brains, to, func(file []byte) (func() *brain, error) {
		b, err := read(file)
		return func() *brain { return b }, err
	})
}

// bot plays the moves that a network draws.
type bot struct {
	seat.Forgetful
	env.NoSearch
	brain func() *brain
}

// SearchBytes is the memory that a decision computes in.
func (a *bot) SearchBytes() int64 { return a.brain().bytes }

func (a *bot) Act(v *pommerman.View, action []uint8) {
	clear(action)
	if !v.Self.Alive {
		return
	}
	b := a.brain()
	w := b.works.Get().(*work)
	defer b.works.Put(w)
	answers, best := b.think(v, w), int32(math.MinInt32)
	for move := range w.safety.Moves().All {
		if answers[move] > best {
			best, action[0] = answers[move], uint8(move)
		}
	}
	spoken := answers[tactics.Choices:]
	if len(spoken) > 0 && v.Rules.RadioWords == words && v.Rules.RadioVocab == vocabulary-1 {
		for k := range words {
			word := spoken[k*vocabulary:][:vocabulary]
			action[1+k] = uint8(slices.Index(word, slices.Max(word)))
		}
	}
}

// work is the memory that a decision needs. It is lent to agents while they act.
type work struct {
	safety pommerman.Safety
	near   []byte // the encoding near
	input  []uint8
	memory *memory
}
