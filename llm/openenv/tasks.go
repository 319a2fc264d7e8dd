package openenv

import (
	"cmp"
	"io"
	"net/http"
	"slices"
	"strings"

	"pommego/bridge"
)

// The tasks of a split are games with seeds from some number on: those to learn from and those to
// test with differ. A task is what a reset takes.
const (
	learnTasks, testTasks = 10_000, 1_000
	firstTest             = 1_000_000
)

// task is an entry of a split.
type task struct {
	Seed      int    `json:"seed"`
	Env       string `json:"env"`
	Opponents string `json:"opponents"`
}

// split is a game against one kind of opponent: ID/AGENT to learn from, ID/AGENT/test to test with.
type split struct {
	Name string `json:"name"`
	Type string `json:"type"` // train or test
}

// splits lists all games with all opponents.
func (h *Handler) splits(g *bridge.Guest, _ *http.Request) (any, error) {
	var all []split
	for _, id := range h.ids {
		game, err := g.Game(id, nil)
		if err != nil {
			return nil, err
		}
		for _, agent := range game.Spec().Agents {
			of := id + "/" + agent
			all = append(all, split{of, "train"}, split{of + "/test", "test"})
		}
	}
	return all, nil
}

// taskRequest is the body of a request about tasks.
type taskRequest struct {
	Split string `json:"split"`
	Index *int   `json:"index"`
	Start *int   `json:"start"`
	Stop  *int   `json:"stop"`
}

// tasks answers tasks, num_tasks, task and task_range.
func (h *Handler) tasks(g *bridge.Guest, r *http.Request) (any, error) {
	body, _ := io.ReadAll(r.Body) // it has been read
	var q taskRequest
	if err := decode(body, &q); err != nil {
		return nil, err
	}
	t, count, err := h.split(g, q.Split)
	if err != nil {
		return nil, err
	}
	switch strings.TrimPrefix(r.URL.Path, tasksPath) {
	case "num_tasks":
		return map[string]int{"num_tasks": count}, nil
	case "task":
		if q.Index == nil || *q.Index < 0 || *q.Index >= count {
			return nil, refuse(validation, "index is missing, or not one of the split's %d tasks", count)
		}
		return map[string]task{"task": t.at(*q.Index)}, nil
	case "tasks":
		return map[string]any{"tasks": t.between(0, count), "env_name": name}, nil
	case "task_range":
		start, stop := *cmp.Or(q.Start, new(int)), *cmp.Or(q.Stop, &count)
		if start < 0 || stop > count || start > stop {
			return nil, refuse(validation, "the range is %d to %d, and the split has %d tasks", start, stop, count)
		}
		return map[string]any{"tasks": t.between(start, stop)}, nil
	}
	return nil, refuse(validation, "the path is %.100q, want splits, tasks, num_tasks, task or task_range after /%s/",
		r.URL.Path, name)
}

// split finds a split: its first task, and how many it has.
func (h *Handler) split(g *bridge.Guest, of string) (first task, count int, err error) {
	id, agent, _ := strings.Cut(of, "/")
	agent, test := strings.CutSuffix(agent, "/test")
	if slices.Contains(h.ids, id) {
		game, err := g.Game(id, nil)
		if err == nil && slices.Contains(game.Spec().Agents, agent) {
			if test {
				return task{firstTest, id, agent}, testTasks, nil
			}
			return task{0, id, agent}, learnTasks, nil
		}
	}
	return first, 0, refuse(validation, "there is no split %.100q: GET /%s/splits lists them", of, name)
}

func (t task) at(index int) task {
	t.Seed += index
	return t
}

func (t task) between(start, stop int) []task {
	all := []task{}
	for i := start; i < stop; i++ {
		all = append(all, t.at(i))
	}
	return all
}
