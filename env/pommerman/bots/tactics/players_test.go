package tactics_test

import (
	"pommego/env/envtest/pommermantest"
	"pommego/env/pommerman/bots/paper"
	"pommego/env/pommerman/bots/simple"
)

// players is who plays in tests.
var players = pommermantest.Players(simple.Roster, paper.Roster)
