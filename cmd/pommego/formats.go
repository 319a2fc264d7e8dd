package main

import (
	"pommego/arena/trace"
	"pommego/env/basewar"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots"
	"pommego/env/record"
	"pommego/env/suitebot"
)

// checkers are the formats of recorded games that can be checked.
var checkers = trace.Checkers{
	pommerman.RecordFormat: trace.CheckFunc(pommerman.CheckRecord),
	basewar.RecordFormat:   trace.CheckFunc(basewar.CheckRecord),
	bots.DecisionFormat:    trace.CheckFunc(checkDecision),
	suitebot.RecordFormat:  trace.CheckFunc(suitebot.CheckRecord),
}

// replays are the formats of recorded games that can be shown.
var replays = trace.Replays{
	pommerman.RecordFormat: pommerman.OpenRecord,
	basewar.RecordFormat:   basewar.OpenRecord,
	suitebot.RecordFormat:  suitebot.OpenRecord,
}

// checkDecision checks one recorded decision of the SimpleAgent.
func checkDecision(line []byte) (record.Report, error) {
	differences, err := bots.CheckDecision(line)
	report := record.Report{Decisions: 1, Mismatches: len(differences)}
	for _, d := range differences {
		report.Differences = append(report.Differences, record.Difference{Field: d.Field, Expected: d.Expected, Got: d.Got})
	}
	return report, err
}
