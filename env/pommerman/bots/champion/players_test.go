package champion

import (
	"slices"

	"pommego/env/envtest/pommermantest"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/paper"
	"pommego/env/pommerman/bots/simple"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/seat"
)

// players is who plays in tests.
var players = slices.Concat(pommermantest.Roster{seat.Random(func(*pommerman.View,
	int) int {
	return tactics.Choices
})}, simple.Roster, paper.Roster, Roster)
