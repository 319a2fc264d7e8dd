// Package vec steps many games of one id in parallel and writes their observations
// into one block of memory.
//
// A [Pool] holds N games. Each game has one row for each of its learners, the
// seats whose actions come from the caller; built-in agents play the other
// seats. A [Batch] receives the rows: observations, rewards, flags, masks and
// statistics, each a tensor over all rows (or all games).
//
//	pool, err := vec.New(vec.Config{Game: game, Games: 1024})
//	defer pool.Close()
//	batch := pool.NewBatch(nil)
//	err = pool.Reset(batch, vec.ResetOptions{Seed: &seed})
//	for {
//		actions := choose(batch.Tensor("obs.planes"), batch.Bytes("action_mask"))
//		err = pool.Step(batch, actions)
//		reward := batch.Tensor("reward")
//	}
//
// # Rows
//
// Rows are games x learners, game-major: row g*Learners()+k is the k-th learner
// of game g, learners in the order of their seats. Without opponents every seat
// learns. With [Config.Opponents] there is one learner a game, at a fixed seat or
// at one drawn each episode, and opponent k sits at (learner+1+k) mod seats.
// [Config.Seats] names any other mix.
//
// With [Config.LineUps] each episode has one of several line-ups of opponents, and
// [Pool.SetLineUps] changes them. Line-ups are numbered from 0, and those set later
// continue the count. The caller also plays a seat that is a [Policy] among the
// opponents: it has a row behind those of the learners.
//
// A learner that is out keeps its row: "alive" turns 0 there, only choice 0 is legal and
// its actions are ignored, but it still gets its team's outcome, and all rows of a game
// finish together. With one learner in a game of single players its death ends the
// episode, unless [Config.OnDeath] is [Wait].
//
// # Starts
//
// After [Pool.SetStarts] each episode begins in a saved position, which its seed draws;
// with [ResetOptions].Starts only the episode that the reset begins. Such an episode has
// seed, number, opponents and RNGs as any other; its steps count from the saved position.
//
// # Tensors of a batch
//
//	obs.NAME      each field of the observation                       rows, or games if shared
//	state.NAME    each field of the global state, with Config.State   games
//	reward        float64                                             rows
//	terminated    uint8: the rules ended the game                     rows
//	truncated     uint8: MaxEpisodeSteps ended it                     rows
//	action_mask   uint8, a byte per choice                            rows
//	alive, seat   uint8                                               rows
//	rules         int32: with Variants, the number of the rules       rows
//	counts        int32: Spec.Counts                                  rows
//	game.done     uint8: the episode ended in this step               games
//	game.return   float64: rewards of the episode                     rows
//	game.counts   int32: Spec.Counts                                  rows
//	game.length   int32: steps                                        games
//	game.result   uint8: env.SeatResult.Code                          rows
//	game.winners  uint8, a byte per seat                              games
//	game.seed     uint64                                              games
//	game.episode  uint64                                              games
//	game.late     int32: late moves of agents outside the program     games
//	game.failed   int32: failed moves of such agents                  games
//	game.void     uint8: the connection to such an agent failed       games
//	game.line_up  int32: with LineUps or policies                     games
//	game.index    int32: with BatchSize, the game's number            games
//
// In games that count something, the tensor counts exists with [Config.StepCounts]. It
// holds what the last step added to the counts of each row's seat, and 0 if the step
// only began an episode. The tensor game.counts exists with [Config.Counts]. It holds
// the counts of the episode that has just ended where game.done is 1, and 0 elsewhere.
// Return, length, result and winners describe the episode that has just ended where
// game.done is 1, and the current one elsewhere. Seed, episode and line-up are those of
// the position shown. If the rules and the caller's limit end a game in the same step,
// it is terminated and pays its rewards; truncation alone pays nothing.
//
// # Autoreset
//
// [Config.Autoreset] decides what follows the end of an episode, as in gymnasium.
//   - [NextStep]: the batch shows the last position. The next Step ignores the game's
//     actions and shows the first position of the next episode, with reward and flags 0.
//   - [SameStep]: the batch shows the first position of the next episode along with the
//     flags and rewards of the old one. The old one's last position is in the tensors
//     that [Batch.Tensor] names; [Batch.FinalAt] returns its place there.
//   - [Disabled]: the caller resets, with [ResetOptions.Mask].
//
// # First-ready batches
//
// In lock-step a step takes as long as its slowest game. With [Config.BatchSize] games
// are stepped one by one instead: [Pool.Send] begins a step of some games, and
// [Pool.Recv] waits for the first BatchSize of all games under way to be ready. A batch
// then holds BatchSize games, in any order, which [Batch.Games] lists; the tensor
// game.index (int32, games) has the same numbers. After Reset all games are under way;
// it receives the first batch of them itself.
//
//	err = pool.Reset(batch, vec.ResetOptions{Seed: &seed})
//	for {
//		actions := choose(batch.Tensor("obs.planes"), batch.Bytes("action_mask"))
//		err = pool.Send(batch.Games(), actions)
//		err = pool.Recv(batch)
//	}
//
// The order in which games are ready differs from run to run, but each game is the same
// as in lock-step for the same actions. Other calls that read or change games (Save,
// Load, Match, SetLineUps and the like) wait until no game is being stepped.
//
// # Determinism
//
// Game i has seed Seed+i (or Seeds[i]). The seed and the number of its episode decide
// board, RNG, the learner's seat and the agents' RNGs ([env.Seed]); agents start each
// episode with an empty memory. A reset with a seed begins at episode 0, a reset without
// one begins the next episode. If no seed was ever given, one is drawn from entropy, and
// game i gets it with i added; game.seed shows it. Nothing else has an effect: neither
// workers, nor other games, nor the batch. Only the players of Play keep their memory
// and RNGs beyond an episode: see [Pool.SeatPlayers].
//
// # Concurrency
//
// A pool belongs to one goroutine at a time. Inside, each worker starts with the same
// range of games in every call and then takes games from the others, so that a worker
// that wakes late does not delay the rest. The calling goroutine is one of the workers.
// How many workers a call wakes, unless [Config.Workers] sets it, and how many games a
// worker takes at a time depend on the time that steps of this pool have taken so far:
// steps of less than about 100 microseconds wake no worker, and games with opponents
// that search are taken one by one. Another goroutine may read a batch while the pool
// writes to a different one. Close stops the workers.
//
// # Memory
//
// A batch consists of tensors over one block of memory, which [Layout] describes before
// it is made. Every tensor starts at a multiple of 64 bytes, after at least [Config.Headroom]
// free bytes in which a caller can put a frame's header. Multi-byte numbers are
// little-endian, and the machine must be little-endian too. Step and Reset allocate
// nothing.
//
// # Faults
//
// Reset, Step, Play, Send and Observe catch a panic inside a game or an agent. The call
// that receives the game's rows returns a [GameError]; after Observe the next call does.
// The other games have stepped: their part of the batch is valid. The broken game's rows
// are blank, and no Step is possible until it is reset or loaded. With a BatchSize only
// the broken game cannot be sent. Other calls, such as Save, let a panic through.
package vec
