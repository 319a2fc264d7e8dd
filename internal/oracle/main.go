// Command oracle replays what was recorded of other systems, the reference today and of May
// 2018 and the Java re-implementation, and compares everything recorded: decisions of their
// agents, and of the last two also games, dealt boards, values of heuristics.
//
//	go run ./internal/oracle FILE|FOLDER...
//
// It prints the lines of `pommego verify`; boards and values count as decisions. It exits with 0 only if something was compared
// and nothing differed.
package main

import (
	"fmt"
	"os"

	"pommego/arena/trace"
)

// formats are the forms of what was recorded.
var formats = trace.Formats{
	{Name: decisionFormat, Check: checkDecision},
	recording2018.Format(),
	{Name: "pommerman-2018-board/1", Check: checkBoard2018},
	{Name: decisionFormat2018, Check: checkDecision2018},
	recordingJava.Format(),
	{Name: "pommerman-java-board/1", Check: checkBoardJava},
	{Name: "pommerman-java-decision/1", Check: checkDecisions},
	{Name: "pommerman-java-heuristic/1", Check: checkHeuristics},
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/oracle FILE|FOLDER...")
		os.Exit(2)
	}
	total, err := formats.VerifyAll(os.Stdout, os.Args[1:], 10)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
	}
	if err != nil || !total.OK {
		os.Exit(1)
	}
}
