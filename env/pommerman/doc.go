// Package pommerman implements Pommerman. It follows the original Python environment to
// the bit, in every variant that this registers, and has two more rule sets.
//
//	game, err := pommerman.New("my-ffa", "", pommerman.Playground(pommerman.FFA), nil)
//	var s pommerman.State
//	game.Deal(&s, env.Seed{Value: 7})
//	game.Rules().Step(&s, []uint8{0, 1, 2, 5})
//
// Rules holds every number and switch, State a running game as one comparable value,
// and Match joins the two to an env.Match. New computes once what follows from the
// rules alone; a step allocates nothing.
//
// docs/games/pommerman.md has the rules, each step with the numbers of its phases.
// turn.go, meet.go and blast.go have the step of today, turn_2018.go that of 2018, and
// files that end in _java.go the Java rules. view.go decides what a seat may know, and
// scene.go draws what the encodings of planes.go show of it.
package pommerman
