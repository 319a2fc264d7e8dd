// Package match plays one match by competition rules: players of any kind in
// the seats, a time limit for their moves, and a report on each seat.
//
//	players := make([]match.Player, game.Spec().Seats)
//	for seat := range players {
//		players[seat], err = match.NewPlayer(game, "simple")
//		defer players[seat].Close()
//	}
//	report, err := match.Play(ctx, game, players, env.Seed{Value: 7}, match.Rules{}, nil)
//
// # Players
//
// A [Player] is named the way [NewPlayer] reads it: a built-in agent with its options ("simple", "mcts:ticks=2000"),
// "http://host:port" for an agent that serves the protocol of the reference's own HTTP and Docker agents,
// "exec:COMMAND" for a program that reads and writes lines of JSON, or of a kind that another package adds to [Kinds].
// PROTOCOL.md describes the protocols.
//
// Each seat is a player of its own, which is shown its own seat's observation and shares nothing with the others.
//
// # Clock
//
// A remote player has [Rules.Limit] for a move. One that is late plays stop and sends no words (all zeros), which is
// counted. A late answer never counts as the answer for a later move. A game's document can set the default limit
// (env.Game.Clock), and a second, longer time: the match waits so long for an answer, though it does not play it. A
// player that does not answer in that time is not asked again in that game. Built-in agents have no limit, so that
// their matches depend on the seed alone.
//
// # Failures
//
// A player that crashes, hangs, or sends an invalid action plays stop, and the match continues; [SeatReport] says so.
// Only a player that is absent when its first match begins is an error, of the kind [ErrAbsent]. A match cannot be
// scored, and [Report].Void says why, if the connection to a player fails ([ErrVoid]), which ends the game, or if each
// move of an agent behind HTTP fails. A match in which a program fails is scored: the program is the player.
package match
