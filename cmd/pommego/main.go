// Command pommego plays, serves, records and checks the games of the catalog.
//
//	pommego envs                          what there is
//	pommego play --agents simple --show   watch a match
//	pommego tournament --agents simple    many matches, and what they show
//	pommego verify games.jsonl.gz         replay recorded games and compare
//	pommego replay games.jsonl.gz         watch a recorded game
//
// Each command is a file here that wires packages together; what they do is done in those packages. A command exits
// with 0 when it has done what was asked, with 1 when it failed or found a difference, with 2 and a line that says why
// when it was called wrongly, and with 3 when what was played cannot be scored.
package main

import "os"

func main() { os.Exit(run(os.Args[1:])) }
