// Package joined reads and writes games as the original Pommerman records them:
// one JSON file a game, which its join_json_state puts together from the states
// of all steps.
//
//	g, err := joined.Parse(text)
//	e, err := g.Episode(game)      // a dataset.Episode: its start and actions
//	text, err := joined.Format(game, e, names)
//
// A file has the keys agents, config (the environment's id), finished_at,
// result, winners and state: the list of states, each an object whose values are
// JSON texts in strings. The actions that led to a state stand in its
// intended_actions. The original lists states in the order in which its file
// system names their files, which is any; they are put in order by step_count.
//
// Reading plays the game again from its first state and compares every state
// and the result: a file of another version of the rules is an error that says
// where it differs, not another game.
package joined
