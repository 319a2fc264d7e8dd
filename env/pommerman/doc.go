// Package pommerman is Pommerman, faithful to the original Python environment
// to the bit, in every variant it registers, and in two older rule sets.
//
//	game, err := pommerman.New("my-ffa", "", pommerman.Playground(pommerman.FFA), nil)
//	var s pommerman.State
//	game.Deal(&s, env.Seed{Value: 7})
//	game.Rules().Step(&s, []uint8{0, 1, 2, 5})
//
// Rules holds every number and switch, State a running game as one comparable
// value, Match the two together as the contract of package env. New computes once
// whatever the rules fix; a step allocates nothing.
//
// docs/games/pommerman.md has the rules, each step with the numbers of its phases. turn.go,
// meet.go and blast.go have the step of today, turn_2018.go that of 2018, and files that end
// in _java.go the Java rules. view.go says what a seat may know, and scene.go draws what the
// encodings of planes.go show of that.
package pommerman
