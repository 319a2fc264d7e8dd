package bots

import (
	"fmt"
	"math"

	"pommego/env"
	"pommego/env/pommerman"
)

// Lessons follows the views of one seat, and tells what champion-net sees in them and
// what a teacher, an agent champion, finds its moves to be worth.
type Lessons struct {
	teacher *champion
	work    netWork
	lesson  Lesson
}

// Lesson is one position.
type Lesson struct {
	Features []uint16 // the numbers of those that are on
	Values   [choices]int16
}

// NoValue is the value of moves that the teacher did not look at.
const NoValue = math.MinInt16

// NewLessons is lessons by a teacher with the given name and options.
func NewLessons(teacher string) (*Lessons, error) {
	bot, err := Roster.New(teacher)
	if err != nil {
		return nil, err
	}
	c, ok := bot.(*champion)
	if !ok || !c.settings.remember || !c.settings.radio {
		return nil, fmt.Errorf("bots: teacher %q, want champion, with what it remembers and hears", teacher)
	}
	return &Lessons{teacher: c}, nil
}

// Reset forgets everything; rng is for the whole episode.
func (l *Lessons) Reset(rng env.RNG) { l.teacher.Reset(rng) }

// Lesson takes the seat's next view in, as it is on a board turned or mirrored in one
// of [Ways] ways. It returns false if there is nothing to choose. The lesson is good until
// the next call.
func (l *Lessons) Lesson(v *pommerman.View, way int) (*Lesson, bool) {
	var action [1 + pommerman.MaxWords]uint8
	l.teacher.Act(v, action[:1+v.Rules.RadioWords])
	var visits [choices]int32
	var values [choices]float64
	if !l.teacher.SearchStatistics(visits[:], values[:]) {
		return nil, false
	}
	s := &l.work.sight
	s.look(v.Rules, v.Seat, &l.teacher.championMemory)
	s.express(way)
	l.lesson.Features = s.input.all()
	for move := range values {
		value := int16(NoValue)
		if visits[move] > 0 {
			value = int16(min(max(values[move], NoValue+1), math.MaxInt16))
		}
		l.lesson.Values[turnedMoves[way][move]] = value
	}
	return &l.lesson, true
}

// Answers is what champion-net itself thinks of the moves of the last lesson.
func (l *Lessons) Answers() [choices]int32 {
	return *trained().answer(l.lesson.Features, &l.work.activations)
}
