package openenv

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"pommego/bridge"
)

// split is a game against one kind of opponent: ID/AGENT is for training, ID/AGENT/test for tests. Its
// tasks are options for resets, with consecutive seeds; training and tests have different seeds.
type split struct {
	Name string `json:"name"`
	Type string `json:"type"` // train or test

	id, agent    string
	first, tasks int
}

// allSplits lists all games with all opponents.
func (h *Handler) allSplits(g *bridge.Guest) (all []split, err error) {
	for _, id := range h.ids {
		game, err := g.Game(id, nil)
		if err != nil {
			return nil, err
		}
		for _, agent := range game.Spec().Agents {
			of := id + "/" + agent
			all = append(all, split{of, "train", id, agent, 0, 10_000}, split{of + "/test", "test", id, agent, 1_000_000, 1_000})
		}
	}
	return all, nil
}

func (h *Handler) splits(g *bridge.Guest, _ string, _ []byte) (any, error) { return h.allSplits(g) }

// tasks answers tasks, num_tasks, task and task_range.
func (h *Handler) tasks(g *bridge.Guest, path string, body []byte) (any, error) {
	var q struct {
		Split string `json:"split"`
		Index *int   `json:"index"`
		Start *int   `json:"start"`
		Stop  *int   `json:"stop"`
	}
	if err := decode(body, &q); err != nil {
		return nil, err
	}
	splits, err := h.allSplits(g)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(splits, func(s split) bool { return s.Name == q.Split })
	if at < 0 {
		return nil, refuse(validation, "there is no split %.100q: GET /%s/splits lists them", q.Split, name)
	}
	s := splits[at]
	start, stop, what := 0, s.tasks, strings.TrimPrefix(path, tasksPath)
	switch what {
	case "num_tasks":
		return map[string]int{"num_tasks": s.tasks}, nil
	case "task":
		if q.Index == nil {
			return nil, refuse(validation, "index is missing, want 0 to %d", s.tasks-1)
		}
		start = *q.Index
		stop = start + 1
	case "task_range":
		start, stop = *cmp.Or(q.Start, &start), *cmp.Or(q.Stop, &stop)
	case "tasks":
	default:
		return nil, refuse(validation, "the path is %.100q, want splits, tasks, num_tasks, task or task_range after /%s/",
			path, name)
	}
	if start < 0 || stop > s.tasks || start > stop {
		return nil, refuse(validation, "the tasks from %d up to %d are asked for, and the split has %d", start, stop, s.tasks)
	}
	task := func(n int) map[string]any {
		return map[string]any{"env": s.id, "opponents": s.agent, "seed": s.first + n}
	}
	if what == "task" {
		return map[string]any{"task": task(start)}, nil
	}
	return func(w io.Writer) { // never all in memory, of which no account has it
		fmt.Fprintf(w, `{"env_name":%q,"tasks":[`, name)
		for n, comma := start, ""; n < stop; n, comma = n+1, "," {
			fmt.Fprintf(w, "%s%s", comma, encode(task(n))) // an error: the peer has gone
		}
		io.WriteString(w, "]}")
	}, nil
}
