package match_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// program names this test program as an agent with the given behaviour.
func program(t *testing.T, behaviour string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("exec:MATCH_TEST_AGENT='%s' exec '%s'", behaviour, self)
}

// lineAgent is an agent of the line protocol, written from its description
// alone, with all that may be wrong with one.
type lineAgent struct {
	argument string // of the behaviour
	acts     int    // questions for an action so far, in this game
}

// behaviours are what an agent does when it is asked for an action.
var behaviours = map[string]func(a *lineAgent, id uint64){
	// walk plays 1, 2, 3, 4, 1, ...
	"walk": func(a *lineAgent, id uint64) { answer(id, 1+(a.acts-1)%4) },
	// say plays what it is told.
	"say": func(a *lineAgent, id uint64) { answer(id, json.RawMessage(a.argument)) },
	// write writes what it is told, ID standing for the question's.
	"write": func(a *lineAgent, id uint64) { fmt.Println(strings.ReplaceAll(a.argument, "ID", fmt.Sprint(id))) },
	// chatty plays 1, and answers the end of a game, too.
	"chatty": func(a *lineAgent, id uint64) { answer(id, 1) },
	// slow takes as long as it is told and plays 5.
	"slow": func(a *lineAgent, id uint64) { a.sleep(); answer(id, 5) },
	// hiccup does so once, and then plays 2.
	"hiccup": func(a *lineAgent, id uint64) {
		move := 2
		if a.acts == 1 {
			a.sleep()
			move = 5
		}
		answer(id, move)
	},
	// crash plays 1 twice and breaks down.
	"crash": func(a *lineAgent, id uint64) {
		if a.acts == 3 {
			fmt.Fprintln(os.Stderr, "everything is broken")
			os.Exit(3)
		}
		answer(id, 1)
	},
	// long writes a line that does not end.
	"long": func(*lineAgent, uint64) {
		for {
			if _, err := fmt.Print(strings.Repeat("[", 1<<16)); err != nil {
				os.Exit(0)
			}
		}
	},
	// flood answers the first question over and over.
	"flood": func(*lineAgent, uint64) {
		for {
			answer(1, 5)
		}
	},
	"starting": func(_ *lineAgent, id uint64) { answer(id, 1) },
	// hang does nothing more, and deaf does not even read.
	"hang": func(*lineAgent, uint64) {},
	"deaf": func(*lineAgent, uint64) { time.Sleep(time.Hour) },
	// grow has 300 MiB in memory from its third move on, or a child that has, started by the
	// command that it is told.
	"grow": func(a *lineAgent, id uint64) {
		if a.acts == 3 {
			a.grow()
		}
		answer(id, 1)
	},
	// leaves ends in its third move, and what it has started goes on.
	"leaves": func(a *lineAgent, id uint64) {
		if a.acts == 3 {
			a.forkTwice(a.argument, "sleep", "1000")
			time.Sleep(300 * time.Millisecond)
			os.Exit(4)
		}
		answer(id, 1)
	},
	// closes closes its output.
	"closes": func(*lineAgent, uint64) { os.Stdout.Close(); time.Sleep(time.Hour) },
}

// playLines is the agent's program.
func playLines(behaviour string) {
	name, argument, _ := strings.Cut(behaviour, ":")
	a := &lineAgent{argument: argument}
	if name == "hog" {
		a.grow()
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var question struct {
			Type string
			ID   uint64
		}
		if err := json.Unmarshal(lines.Bytes(), &question); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		switch {
		case question.Type == "begin" && name == "early":
			os.Exit(4)
		case question.Type == "begin" && name == "never":
		case question.Type == "begin" && name == "starting": // until a file is there
			for _, err := os.Stat(a.argument); err != nil; _, err = os.Stat(a.argument) {
				time.Sleep(time.Millisecond)
			}
			fmt.Printf(`{"id": %d}`+"\n", question.ID)
		case question.Type == "begin" && name == "talks":
			fmt.Println("hello")
		case question.Type == "begin":
			a.acts = 0
			fmt.Printf(`{"id": %d}`+"\n", question.ID)
			if name == "parent" {
				a.bear()
			}
		case question.Type == "end" && name == "chatty":
			fmt.Println("{}")
		case question.Type == "end" && name == "grows-after":
			a.argument = ""
			a.grow()
		case question.Type == "act" && (name == "parent" || name == "grows-after"):
			answer(question.ID, 0)
		case question.Type == "act" && name == "diary":
			a.diary(lines.Text())
			answer(question.ID, 0)
		case question.Type == "act":
			a.acts++
			behaviours[name](a, question.ID)
		}
		if name == "diary" && question.Type != "act" {
			a.diary(lines.Text())
		}
	}
	if name == "diary" {
		a.diary("the end")
	}
	if name == "parent" {
		time.Sleep(time.Hour)
	}
}

func answer(id uint64, action any) {
	line, err := json.Marshal(map[string]any{"id": id, "action": action})
	if err != nil {
		line = []byte(err.Error())
	}
	if _, err := fmt.Println(string(line)); err != nil {
		os.Exit(0)
	}
}

// grow takes memory, itself or by a child, and waits to be stopped.
func (a *lineAgent) grow() {
	if a.argument == "" {
		for memory := make([]byte, 300<<20); ; time.Sleep(time.Second) {
			for i := 0; i < len(memory); i += 4096 {
				memory[i]++
			}
		}
	}
	command, path, _ := strings.Cut(a.argument, ",")
	if command == "twice" {
		a.forkTwice(path, os.Args[0])
		time.Sleep(time.Hour)
	}
	child := exec.Command(command, os.Args[0])
	child.Env = append(os.Environ(), "MATCH_TEST_AGENT=hog")
	if err := child.Start(); err != nil {
		panic(err)
	}
	if err := os.WriteFile(path, fmt.Append(nil, child.Process.Pid), 0o600); err != nil {
		panic(err)
	}
	time.Sleep(time.Hour)
}

// forkTwice starts a command in a session of its own, whose parent ends, and writes its number to a file.
func (a *lineAgent) forkTwice(path string, command ...string) {
	const script = `p=$1; shift; "$@" </dev/null >/dev/null 2>&1 & printf %s $! >$p`
	child := exec.Command("setsid", append([]string{"sh", "-c", script, "sh", path}, command...)...)
	child.Env = append(os.Environ(), "MATCH_TEST_AGENT=hog")
	if err := child.Run(); err != nil {
		panic(err)
	}
}

func (a *lineAgent) sleep() {
	d, err := time.ParseDuration(a.argument)
	if err != nil {
		panic(err)
	}
	time.Sleep(d)
}

// bear starts a child that lives on, and writes its number to a file.
func (a *lineAgent) bear() {
	child := exec.Command("sleep", "1000")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		panic(err)
	}
	if err := os.WriteFile(a.argument, fmt.Append(nil, child.Process.Pid), 0o600); err != nil {
		panic(err)
	}
}

// diary writes down what it was sent.
func (a *lineAgent) diary(line string) {
	f, err := os.OpenFile(a.argument, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintln(f, line)
}
