package match

// Readings counts a language model's answers by how they were read.
type Readings struct {
	Legal    int `json:"legal"`
	Repaired int `json:"repaired"`
	Illegal  int `json:"illegal"`
	Late     int `json:"late"` // answers that did not come in time
}

// Answers is how a seat's answers were read, and what they cost.
type Answers struct {
	Readings
	TokensIn  int     `json:"tokens_in"`
	TokensOut int     `json:"tokens_out"`
	Cost      float64 `json:"cost"` // in the unit of the given prices
}

// Add adds the numbers, tokens and cost of other answers.
func (a *Answers) Add(b Answers) {
	a.Legal, a.Repaired, a.Illegal, a.Late = a.Legal+b.Legal, a.Repaired+b.Repaired, a.Illegal+b.Illegal, a.Late+b.Late
	a.TokensIn, a.TokensOut, a.Cost = a.TokensIn+b.TokensIn, a.TokensOut+b.TokensOut, a.Cost+b.Cost
}
