package env

// Foreseer is a Match that knows what a seat can know of the fire to come.
type Foreseer interface {
	// Foresight is what a seat knows, for one game.
	Foresight(seat int) Foresight
}

// Foresight foresees for one seat what burns, by what it sees and has seen, if nobody else lays,
// kicks or moves anything.
type Foresight interface {
	// Look takes in what the seat sees of a match now. It is called before every tick, else
	// what is out of sight is forgotten.
	Look(m Match)

	// Foresee writes what is to come if the seat makes a move in the coming tick, by which it may
	// lay or kick a bomb: a choice of the first component of its action.
	Foresee(move uint8, f *Forecast)
}

// Forecast is what is to come on a board, cell by cell, row after row.
type Forecast struct {
	Burns []uint64 // bit t: whoever is there after the t-th coming tick, from 1, is hit
	Open  []bool   // can be entered, as far as is known; neither bombs nor figures are there
}

// Clear empties the forecast and makes room for n cells, none of them open.
func (f *Forecast) Clear(n int) {
	f.Burns = append(f.Burns[:0], make([]uint64, n)...)
	f.Open = append(f.Open[:0], make([]bool, n)...)
}
