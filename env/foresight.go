package env

// Foreseer is a Match that can tell what a seat knows of the fire to come.
type Foreseer interface {
	// Foresight returns the foresight of a seat, to be used for one game.
	Foresight(seat int) Foresight
}

// Foresight foresees for one seat what burns if nobody else lays, kicks or moves
// anything, by what the seat sees and has seen.
type Foresight interface {
	// Look takes in what the seat sees of a match now. It must be called before every
	// tick; otherwise the foresight forgets what is out of sight.
	Look(m Match)

	// Foresee writes what is to come if the seat makes a move in the coming tick. The move
	// may lay or kick a bomb; it is a choice of the first component of the seat's action.
	Foresee(move uint8, f *Forecast)
}

// Forecast holds what is to come on a board, cell by cell, row after row.
type Forecast struct {
	Burns []uint64 // bit t: whoever is there after the t-th coming tick is hit; ticks count from 1
	Open  []bool   // the cell can be entered as far as is known; no bomb or figure is there
}

// Clear empties the forecast and makes room for n cells, none of them open.
func (f *Forecast) Clear(n int) {
	f.Burns = append(f.Burns[:0], make([]uint64, n)...)
	f.Open = append(f.Open[:0], make([]bool, n)...)
}
