package pommerman

import (
	"errors"
	"fmt"

	"pommego/env/grid"
	"pommego/env/saved"
)

// complete reports whether every key that has to be in the record is there, and
// whether the step list ends where the game does.
func (rec *Record) complete() error {
	if err := rec.completeState(&rec.initial); err != nil {
		return fmt.Errorf("initial: %w", err)
	}
	for i := range rec.steps {
		st := &rec.steps[i]
		err := rec.completeState(&st.recordState)
		switch {
		case err != nil:
		case st.Rewards == nil || st.Done == nil || st.Result == "":
			err = errors.New("rewards, done or result is missing")
		case bool(*st.Done) && i < len(rec.steps)-1:
			err = fmt.Errorf("the game is done, but %d more steps follow", len(rec.steps)-1-i)
		default:
			err = rec.completeActions(st)
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

func (rec *Record) completeState(in *recordState) error {
	radio := rec.Rules.RadioWords > 0
	switch {
	case in.StepCount == nil || in.Board == "":
		return errors.New("step_count or board is missing")
	case in.Agents == nil || in.Bombs == nil || in.Flames == nil || in.Items == nil:
		return errors.New("agents, bombs, flames or items is missing")
	case (in.Radio != nil) != radio:
		return errors.New("radio belongs to games of type 3 (team radio), where it must not be missing")
	case in.Obs != nil && len(in.Obs) != rec.Rules.Seats():
		return fmt.Errorf("obs has %d observations, want %d", len(in.Obs), rec.Rules.Seats())
	}
	for seat := range in.Obs {
		if name := in.Obs[seat].missing(radio); name != "" {
			return fmt.Errorf("obs[%d]: %s is missing", seat, name)
		}
	}
	return nil
}

// completeActions checks the form of a step's actions. Whether a move exists is
// seen in the replay, because what the dead send is not looked at.
func (rec *Record) completeActions(st *recordStep) error {
	seats, words := rec.Rules.Seats(), rec.Rules.RadioWords
	switch {
	case len(st.Actions) != seats:
		return fmt.Errorf("actions has %d entries, want %d", len(st.Actions), seats)
	case words == 0 && st.Messages != nil:
		return errors.New("messages belong to games of type 3 (team radio)")
	case words > 0 && len(st.Messages) != seats:
		return fmt.Errorf("messages has %d entries, want %d", len(st.Messages), seats)
	}
	for seat, message := range st.Messages {
		if message != nil && len(message) < words {
			return fmt.Errorf("messages[%d] has %d words, want null or at least %d", seat, len(message), words)
		}
	}
	return nil
}

// missing names a key that is not there, "" if all are.
func (o *recordObs) missing(radio bool) string {
	for _, need := range []struct {
		name    string
		missing bool
	}{
		{"board", o.Board == ""}, {"bomb_blast_strength", o.BombBlast == ""}, {"bomb_life", o.BombLife == ""},
		{"bomb_moving_direction", o.BombMoving == ""}, {"flame_life", o.FlameLife == ""},
		{"position", o.Position == nil}, {"ammo", o.Ammo == nil}, {"blast_strength", o.Blast == nil},
		{"can_kick", o.CanKick == nil}, {"teammate", o.Teammate == nil}, {"enemies", o.Enemies == nil},
		{"alive", o.Alive == nil}, {"game_type", o.GameType == nil}, {"game_env", o.GameEnv == ""},
		{"step_count", o.StepCount == nil}, {"message", radio && o.Message == nil},
	} {
		if need.missing {
			return need.name
		}
	}
	return ""
}

// readRecordState makes the state a record begins with.
func (r *Rules) readRecordState(in *recordState) (State, error) {
	var s State
	s.training = int8(r.TrainingAgent + 1)
	if *in.StepCount < 0 || *in.StepCount > r.MaxSteps {
		return s, fmt.Errorf("step_count is %d, want 0 to max_steps, %d", *in.StepCount, r.MaxSteps)
	}
	s.StepCount = uint16(*in.StepCount)
	for _, read := range []func(*recordState, *State) error{
		r.readRecordBoard, r.readRecordAgents, r.readRecordBombs, r.readRecordFlames, r.readRecordItems, r.readRecordRadio,
	} {
		if err := read(in, &s); err != nil {
			return s, err
		}
	}
	return s, r.Check(&s)
}

func (r *Rules) readRecordBoard(in *recordState, s *State) error {
	n := r.BoardSize
	if len(in.Board) != n*n {
		return fmt.Errorf("board has %d cells, want %d", len(in.Board), n*n)
	}
	for i := range s.Board {
		s.Board[i] = Rigid
	}
	for i := range n * n {
		v, ok := fromDigit(in.Board[i])
		if !ok {
			return fmt.Errorf("board[%d,%d] is %q, want a digit 0-9 or a-z", i/n, i%n, in.Board[i])
		}
		s.Board[grid.At(i/n, i%n)] = Item(v)
	}
	return nil
}

// recordRow takes a list of numbers apart: a cell and then values of a byte.
func (r *Rules) recordRow(list string, i int, row []int, length int) (grid.Cell, error) {
	if err := saved.CheckRow(list, i, row, length, r.BoardSize); err != nil {
		return 0, err
	}
	return grid.At(row[0], row[1]), nil
}

func (r *Rules) readRecordAgents(in *recordState, s *State) error {
	if len(in.Agents) != r.Seats() {
		return fmt.Errorf("agents has %d entries, want %d", len(in.Agents), r.Seats())
	}
	for i, row := range in.Agents {
		c, err := r.recordRow("agents", i, row, 6)
		if err != nil {
			return err
		}
		if row[2] > 1 || row[5] > 1 {
			return fmt.Errorf("agents[%d] has alive %d and can_kick %d, want 0 or 1", i, row[2], row[5])
		}
		s.Agents[i] = Agent{c, uint8(row[3]), uint8(row[4]), row[2] == 1, row[5] == 1}
	}
	return nil
}

func (r *Rules) readRecordBombs(in *recordState, s *State) error {
	if len(in.Bombs) > MaxBombs {
		return fmt.Errorf("bombs has %d entries, want at most %d", len(in.Bombs), MaxBombs)
	}
	for i, row := range in.Bombs {
		c, err := r.recordRow("bombs", i, row, 6)
		if err != nil {
			return err
		}
		if row[4] >= r.Seats() || row[5] > int(grid.Right) {
			return fmt.Errorf("bombs[%d] has bomber %d and direction %d, want 0 to %d and 0 to 4", i, row[4], row[5], r.Seats()-1)
		}
		s.addBomb(NewBomb(c, uint8(row[2]), uint8(row[3]), row[4], grid.Dir(row[5])))
	}
	return nil
}

// readRecordFlames puts the flames into their layers. The list has to be in the
// order that every game gives it, oldest first and row by row among those of
// one step: a state keeps no other.
func (r *Rules) readRecordFlames(in *recordState, s *State) error {
	life, last := 0, grid.Cell(0)
	for i, row := range in.Flames {
		c, err := r.recordRow("flames", i, row, 3)
		if err != nil {
			return err
		}
		if row[2] >= r.FlameLife {
			return fmt.Errorf("flames[%d] has life %d, want less than %d", i, row[2], r.FlameLife)
		}
		if row[2] < life || row[2] == life && c <= last {
			return fmt.Errorf("flames[%d] is out of order: flames must be listed by life, then row by row, and a cell once a life", i)
		}
		life, last = row[2], c
		s.flames[life].Add(c)
	}
	return nil
}

func (r *Rules) readRecordItems(in *recordState, s *State) error {
	for i, row := range in.Items {
		c, err := r.recordRow("items", i, row, 3)
		if err != nil {
			return err
		}
		if row[2] < int(ExtraBomb) || row[2] > int(Skull) {
			return fmt.Errorf("items[%d] is %d, want 6 to 9", i, row[2])
		}
		if s.Hidden(c) != Passage {
			return fmt.Errorf("items[%d] is the second item at %s", i, where(c))
		}
		s.hide(c, Item(row[2]))
	}
	return nil
}

func (r *Rules) readRecordRadio(in *recordState, s *State) error {
	if r.RadioWords > 0 && len(in.Radio) != r.Seats() {
		return fmt.Errorf("radio has %d entries, want %d", len(in.Radio), r.Seats())
	}
	for seat, words := range in.Radio {
		if len(words) != r.RadioWords {
			return fmt.Errorf("radio[%d] has %d words, want %d", seat, len(words), r.RadioWords)
		}
		for w, word := range words {
			if word < 0 || word > 255 {
				return fmt.Errorf("radio[%d][%d] is %d, want 0 to 255", seat, w, word)
			}
			s.Radio[seat][w] = uint8(word)
		}
	}
	return nil
}

const digits = "0123456789abcdefghijklmnopqrstuvwxyz"

// toDigit is the base-36 digit of a number, '?' where there is none.
func toDigit(v uint8) byte {
	if int(v) < len(digits) {
		return digits[v]
	}
	return '?'
}

func fromDigit(d byte) (uint8, bool) {
	switch {
	case '0' <= d && d <= '9':
		return d - '0', true
	case 'a' <= d && d <= 'z':
		return d - 'a' + 10, true
	}
	return 0, false
}
