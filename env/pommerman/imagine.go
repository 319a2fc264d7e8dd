package pommerman

import (
	"reflect"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/saved"
)

// Belief is the state that a seat plans on, derived from its views and the rules alone.
// It shows the seat exactly what the game shows it; the rest is remembered or guessed.
// The zero value is the belief before the first view.
//
// What was seen before stays where it was, except that bombs tick and explode, flames
// burn down and rings fall by the rules. Cells that were never seen are assumed to be
// passage, or the wall that was seen in their mirror image. An agent out of sight
// stands where it was last seen, or next to it. What others carry is counted from the
// start, by what the seat saw them pick up and lay. No items are believed under wood,
// and the RNG is not set: reseed it.
//
// Invariant: if side is not 0, the state is one that Rules.checkBelief accepts.
type Belief struct {
	State
	Seen grid.Bits // the cells that were ever in view

	side   uint8  // the board's side, 0 if nothing is believed yet
	rules  Rules  // the rules it belongs to; not set while fresh
	fresh  bool   // restored, and not yet checked against the rules
	digest uint64 // while fresh, the digest of the rules
}

// Imagine updates the belief with the seat's next view. If the view cannot follow from
// the belief, because that belongs to other rules or another time, the belief is
// discarded. The same view may be given again.
func (r *Rules) Imagine(b *Belief, v *View) {
	if !r.leadsTo(b, v) {
		*b = Belief{State: r.empty(), side: uint8(r.BoardSize), rules: *r}
	} else if int(b.StepCount) < v.StepCount {
		var stop [MaxAgents * (1 + MaxWords)]uint8
		r.Step(&b.State, stop[:])
	}
	c := correction{Rules: r, Belief: b, v: v, was: b.Agents, were: b.Board}
	c.lift()
	c.see()
	c.placeAgents()
	c.placeBombs()
	if c.Traits().AgentsStack { // the board may show only part of what is on a cell
		for at := range c.inView.All {
			c.Board[at] = v.Board[at]
		}
	}
	b.Radio = [MaxAgents][MaxWords]uint8{}
	b.StepCount = uint16(v.StepCount)
	b.results = 0
	b.due = 0
	if r.Traits().ringsWait {
		b.due = int8(r.ringDue(v.StepCount) + 1)
	}
	b.training = int8(r.TrainingAgent + 1)
	b.RNG = env.RNG{}
}

// leadsTo reports whether the view can be the next one of what is believed, or is the
// same as the last.
func (r *Rules) leadsTo(b *Belief, v *View) bool {
	if b.fresh {
		if int(b.side) != r.BoardSize || b.digest != r.digest() || r.checkBelief(b.State) != nil {
			return false
		}
		b.rules, b.fresh, b.digest = *r, false, 0
	}
	late := v.StepCount - int(b.StepCount)
	return b.rules == *r && (late == 0 || late == 1)
}

// checkBelief is Check of a belief, which may have walls where flames are believed: mirror guesses them there, too.
func (r *Rules) checkBelief(s State) error {
	for at := range s.burning().All {
		if s.Board[at].wall() {
			s.Board[at] = Flames
		}
	}
	return r.Check(&s)
}

// digest returns a hash of all fields. It allocates nothing.
func (r *Rules) digest() uint64 {
	h, fields := uint64(0), reflect.ValueOf(r).Elem()
	add := func(x uint64) { h = (h ^ x) * 0x100000001b3 } // FNV-1a, with numbers in place of bytes
	for i := range fields.NumField() {
		switch f := fields.Field(i); {
		case f.CanInt():
			add(uint64(f.Int()))
		case f.CanUint():
			add(f.Uint())
		case f.Kind() == reflect.Bool:
			add(uint64(toByte(f.Bool())))
		default:
			for _, b := range []byte(f.String()) {
				add(uint64(b))
			}
		}
	}
	return h
}

// correction is the working memory of one Imagine.
type correction struct {
	*Rules
	*Belief
	v    *View
	was  [MaxAgents]Agent // what was believed before the view
	were [256]Item

	inView grid.Bits
	taken  grid.Bits            // cells on which agents stand
	at     [MaxAgents]grid.Cell // where the view shows each agent, 0 where it does not
}

// lift removes agents, bombs and items believed hidden from the board.
func (c *correction) lift() {
	for at := range grid.Square(c.BoardSize).All {
		if item := c.Board[at]; item == BombItem || item >= c.Agent0() {
			c.Board[at] = Passage
		}
	}
	c.hidden = [3]grid.Bits{}
}

// see takes over what the view shows of board and flames. Elsewhere it keeps only the
// youngest flame of a cell, as no other makes a difference.
func (c *correction) see() {
	last := c.Dummy() - 1
	var seen flames
	for at := range grid.Square(c.BoardSize).All {
		item := c.v.Board[at]
		if item == Fog {
			continue
		}
		c.inView.Add(at)
		if seat := int(item) - int(c.Agent0()); seat >= 0 && seat < c.Seats() {
			c.at[seat] = at
		}
		switch {
		case item == Flames:
			seen[min(max(int(c.v.Flame(at)), 1), c.FlameLife)-1].Add(at)
		case item > last || item == BombItem:
			item = Passage
		}
		c.Board[at] = item
	}
	younger := c.inView
	for life := maxFlameLife - 1; life >= 0; life-- {
		old := c.flames[life].AndNot(younger)
		c.flames[life] = old.Or(seen[life])
		younger = younger.Or(old)
	}
	c.mirror()
	c.Seen = c.Seen.Or(c.inView)
}

// mirror guesses cells that were never seen: boards are dealt in mirrored pairs.
func (c *correction) mirror() {
	if c.ViewSize == 0 {
		return
	}
	known := c.Seen.Or(c.inView)
	for at := range c.inView.AndNot(c.Seen).All {
		if image := at.Mirrored(); c.Board[at].wall() && !known.Has(image) {
			c.Board[image] = c.Board[at]
		}
	}
}

// placeAgents puts the living agents onto the board: where the view shows them, else
// where they may be. An agent that lives but fits nowhere is treated as dead. In 2018
// flames hide agents that live in them.
func (c *correction) placeAgents() {
	self, stacked := c.v.Self.Cell, c.Traits().AgentsStack && c.v.Alive.Has(c.v.Seat)
	if c.v.Seat < c.Seats() && (c.inFlames(self) || stacked) {
		c.at[c.v.Seat] = self // by the Java rules the cell can show another agent
	}
	for seat := range c.Seats() {
		a := &c.Agents[seat]
		a.Alive = c.v.Alive.Has(seat)
		if at := c.at[seat]; a.Alive && at != 0 {
			c.pickedUp(a, &c.was[seat], at)
			c.place(seat, at)
		}
	}
	for seat := range c.Seats() {
		a := &c.Agents[seat]
		if a.Alive && c.at[seat] == 0 {
			at, found := c.whereabouts(a.Cell)
			a.Alive = found || c.Traits().AgentsStack // with AgentsStack two can share a cell
			if found {
				c.place(seat, at)
			}
		}
	}
	if seat := c.v.Seat; seat < c.Seats() && c.Agents[seat].Alive && c.at[seat] == c.v.Self.Cell {
		c.Agents[seat] = c.v.Self
		c.Agents[seat].Alive = true
		c.Agents[seat].Blast = max(c.v.Self.Blast, 1)
	}
}

func (c *correction) place(seat int, at grid.Cell) {
	c.Agents[seat].Cell = at
	c.taken.Add(at)
	if !c.inFlames(at) {
		c.Board[at] = c.Agent0() + Item(seat)
	}
}

// inFlames reports whether a cell burns and agents can live there all the same.
func (c *correction) inFlames(at grid.Cell) bool {
	return !c.Traits().FlamesKill && c.Board[at] == Flames
}

// pickedUp gives an agent the item of the cell that it has entered. The effect of a
// skull on others cannot be seen.
func (c *correction) pickedUp(a, was *Agent, at grid.Cell) {
	if item := c.were[at]; at != was.Cell && item.powerup() && item != Skull {
		a.pickUp(c.Rules, item, nil)
	}
}

// whereabouts returns the cell nearest to the given one on which an agent out of sight
// could be.
func (c *correction) whereabouts(near grid.Cell) (grid.Cell, bool) {
	best, found := near, false
	gap := 255
	for at := range grid.Square(c.BoardSize).All {
		unseen := !c.inView.Has(at) && !c.Board[at].wall() && c.Board[at] != Flames
		if c.taken.Has(at) || !unseen && !c.inFlames(at) {
			continue
		}
		if d := at.Distance(near); d < gap {
			best, gap, found = at, d, true
		}
	}
	return best, found
}

// placeBombs lists the bombs: first those in view, with the owners that they had in the
// belief, then those out of view that are remembered.
func (c *correction) placeBombs() {
	believed, n := c.Bombs, int(c.NumBombs)
	c.Bombs, c.NumBombs = [MaxBombs]Bomb{}, 0
	var taken grid.Bits
	var known uint64 // bits of the believed bombs that are in view
	for i := range c.v.Bombs[:c.v.NumBombs] {
		b := &c.v.Bombs[i]
		if !c.inView.Has(b.Cell) || taken.Has(b.Cell) || !c.holdsBomb(b.Cell) {
			continue
		}
		owner := NoSeat
		if k := recognise(b, believed[:n], known); k >= 0 {
			known |= 1 << k
			owner = believed[k].Owner()
		} else {
			owner = c.laidBy(b)
		}
		taken.Add(b.Cell)
		c.lay(NewBomb(b.Cell, max(b.Life, 1), max(b.Blast, 1), owner, min(b.Moving(), grid.Right)))
	}
	for i := range believed[:n] {
		b := &believed[i]
		switch {
		case known>>i&1 != 0:
		case !c.inView.Has(b.Cell) && !taken.Has(b.Cell) && c.holdsBomb(b.Cell):
			taken.Add(b.Cell)
			c.lay(*b)
		case b.Owner() != c.v.Seat: // the bomb is gone, and its owner can lay another
			c.Agents[b.Owner()].giveAmmo(c.Rules)
		}
	}
}

func (c *correction) lay(b Bomb) {
	c.addBomb(b)
	if c.Board[b.Cell] == Passage && c.BombAt(b.Cell) {
		c.Board[b.Cell] = BombItem
	}
}

// holdsBomb reports whether a bomb can lie on a cell, given what the board shows. By
// the Java rules it always can.
func (c *correction) holdsBomb(at grid.Cell) bool {
	item := c.Board[at]
	return c.Traits().AgentsStack || item == Passage || item == Flames || item >= c.Agent0()
}

// recognise returns which of the believed bombs, without those that are known already,
// a bomb of the view is; -1 if none. After a kick or a stop, the bomb may be a cell or
// two from where it was believed.
func recognise(seen *Bomb, believed []Bomb, known uint64) int {
	best, gap := -1, 3
	for i := range believed {
		b := &believed[i]
		if known>>i&1 == 0 && b.Life == seen.Life && b.Blast == seen.Blast {
			if d := b.Cell.Distance(seen.Cell); d < gap {
				best, gap = i, d
			}
		}
	}
	return best
}

// laidBy guesses who laid a bomb that was not known. If it was laid in the last step,
// that was the agent on it, which now has one bomb less; otherwise the guess is the
// nearest agent.
func (c *correction) laidBy(b *Bomb) int {
	owner, gap := 0, 255
	for seat := range c.Seats() {
		a := &c.Agents[seat]
		if d := a.Cell.Distance(b.Cell); a.Alive && d < gap {
			owner, gap = seat, d
		}
	}
	if a := &c.Agents[owner]; gap == 0 && int(b.Life) == c.BombLife-1 && owner != c.v.Seat {
		a.Ammo = max(a.Ammo, 1) - 1
		a.Blast = max(b.Blast, 1)
	}
	return owner
}

// The saved form of a belief: side and, unless that is 0, step count, ring due,
// the rules' digest, a byte for each cell of the board, four for each agent, the number of
// bombs, and four bytes for each. A cell's byte is its item, 16 times the life
// of its flame, and 128 if it was ever seen.
const (
	cellFlame = 4
	cellSeen  = 7
)

// code writes or reads the belief's bytes.
func (b *Belief) code(c *saved.Codec) {
	saved.Numbers(c, &b.side)
	if b.side > grid.MaxSide {
		c.Fail("belongs to a board with side %d, want at most %d", b.side, grid.MaxSide)
	}
	if b.side == 0 || c.Err() != nil {
		return
	}
	saved.Numbers(c, &b.StepCount)
	saved.Numbers(c, &b.due, &b.training)
	saved.Numbers(c, &b.digest)
	for at := range grid.Square(int(b.side)).All {
		b.codeCell(c, at)
	}
	for i := range b.Agents {
		b.Agents[i].code(c)
	}
	b.codeBombs(c)
}

func (b *Belief) codeCell(c *saved.Codec, at grid.Cell) {
	x := byte(b.Board[at]) | b.Flame(at)<<cellFlame | toByte(b.Seen.Has(at))<<cellSeen
	saved.Numbers(c, &x)
	b.Board[at] = Item(x & 15)
	if x>>cellSeen != 0 {
		b.Seen.Add(at)
	}
	switch flame := x >> cellFlame & 7; {
	case flame > maxFlameLife:
		c.Fail("has a flame of life %d, want at most %d", flame, maxFlameLife)
	case flame > 0:
		b.flames[flame-1].Add(at)
	}
}

// Code writes or reads the belief as a part of what an agent saves. The next Imagine
// forgets a belief that does not fit the rules.
func (b *Belief) Code(c *saved.Codec) {
	if !c.Reading() {
		written := *b
		if b.side != 0 && !b.fresh {
			written.digest = b.rules.digest()
		}
		written.code(c)
		return
	}
	read, part := Belief{State: State{Board: walled}, fresh: true}, *c
	if read.code(&part); read.side == 0 {
		read.State = State{}
	}
	c.Bytes, *b = part.Bytes, read
	if err := part.Err(); err != nil {
		c.Fail("has a belief that %w", err)
	}
}
